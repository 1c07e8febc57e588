//! Types of references, and their targets.

use crate::ast::Ident;
use crate::hir::{Place, PouId, Project, Type, TypeDef, TypeId};
use crate::resolve::names::tables::{Names, RefKind, RefType};
use crate::resolve::types::elementary;
use std::collections::BTreeMap;

/// All reference types, and the possible targets of references.
#[derive(Debug, Default)]
pub(crate) struct References {
    /// The type of each form of reference.
    rows: BTreeMap<(RefKind, Option<TypeId>, Option<usize>), TypeId>,
    /// Targets in the order of their numbers, from 1; by type, all instances together.
    pub(crate) targets: BTreeMap<Option<TypeId>, Vec<Place>>,
    /// The functions of `?=`, from type to type.
    pub(crate) attempts: BTreeMap<(TypeId, TypeId), PouId>,
    /// Number of instances of each block, and the place of the first; empty until the instances are known.
    pub(crate) homes: BTreeMap<PouId, (usize, Place)>,
    /// The instances are known.
    pub(crate) knows_homes: bool,
}

impl References {
    /// Returns the type of a form of reference; `name` is its name and place if it is new.
    pub(crate) fn reference_row(&mut self, names: &mut Names, project: &mut Project, reference: RefType, name: Ident) -> TypeId {
        let row = (reference.kind, reference.pointee, reference.interface);
        if let Some(&ty) = self.rows.get(&row) {
            return ty;
        }
        let ty = Type::Enum { base: elementary::UINT, variants: vec![("NULL".to_owned(), 0)] };
        let ty = project.types.push(TypeDef { name: Some(name.text), ty, span: name.span });
        self.rows.insert(row, ty);
        names.references.insert(ty, reference);
        ty
    }
}
