//! Types of references and what references may refer to.

use crate::hir::{Place, PouId, Project, Type, TypeDef, TypeId};
use crate::resolve::names::tables::{Names, RefKind, RefType};
use crate::resolve::types::elementary;
use crate::text::Span;
use std::collections::BTreeMap;

/// Everything that references refer to.
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
}

impl References {
    /// Returns the type of variables of an interface.
    pub(crate) fn interface_type(
        &mut self,
        names: &mut Names,
        project: &mut Project,
        index: usize,
        name: &str,
        span: Span,
    ) -> TypeId {
        self.reference_row(
            names,
            project,
            RefType { kind: RefKind::Interface, pointee: None, interface: Some(index) },
            name.to_owned(),
            span,
        )
    }

    pub(crate) fn reference_row(
        &mut self,
        names: &mut Names,
        project: &mut Project,
        reference: RefType,
        name: String,
        span: Span,
    ) -> TypeId {
        let row = (reference.kind, reference.pointee, reference.interface);
        if let Some(&ty) = self.rows.get(&row) {
            return ty;
        }
        let ty = Type::Enum { base: elementary::UINT, variants: vec![("NULL".to_owned(), 0)] };
        let ty = project.types.push(TypeDef { name: Some(name), ty, span });
        self.rows.insert(row, ty);
        names.references.insert(ty, reference);
        ty
    }
}
