//! The type table: rows of anonymous types, and the sizes of types.

use crate::hir::{Field, PouId, Project, Type, TypeDef, TypeId};
use crate::resolve::findings::{Findings, Res};
use crate::resolve::types::elementary;
use crate::text::{Span, codes};
use std::collections::BTreeMap;

/// Most levels of structures and arrays in a type.
const MAX_TYPE_LEVELS: usize = 50;

/// Facts about the rows of [`Project::types`] that only the resolver needs.
#[derive(Debug, Default)]
pub(crate) struct TypeTable {
    /// Anonymous types by their form, as printed for debugging.
    by_form: BTreeMap<String, TypeId>,
    /// Levels of structures and arrays in each type.
    levels: BTreeMap<TypeId, usize>,
    /// Number of scalars of each type; instances count as one.
    sizes: BTreeMap<TypeId, usize>,
    /// Inherited fields of the structure that is being declared.
    pub(crate) inherited_fields: Vec<Field>,
}

impl TypeTable {
    /// Returns the row of an anonymous type; two types of one form share it.
    pub(crate) fn anonymous(&mut self, project: &mut Project, ty: Type, span: Span) -> TypeId {
        self.of_form(project, format!("{ty:?}"), ty, span)
    }

    /// Returns the row of an anonymous type with a form of its own.
    pub(crate) fn of_form(&mut self, project: &mut Project, form: String, ty: Type, span: Span) -> TypeId {
        *self.by_form.entry(form).or_insert_with(|| project.types.push(TypeDef { name: None, ty, span }))
    }

    /// Returns the type of instances of a block.
    pub(crate) fn block(&mut self, project: &mut Project, pou: PouId) -> TypeId {
        let span = project.pous[pou].span;
        self.anonymous(project, Type::FunctionBlock(pou), span)
    }

    /// Returns the type STRING[length] or WSTRING[length].
    pub(crate) fn text(&mut self, project: &mut Project, wide: bool, length: usize, span: Span) -> TypeId {
        let elem = if wide { elementary::TEXT16 } else { elementary::TEXT8 };
        let length = length.max(1);
        let ty = self.anonymous(project, Type::Array { dims: vec![(1, length as i64)], elem }, span);
        self.sizes.insert(ty, length);
        ty
    }

    /// Returns the number of scalars in a type; instances count as one until their blocks are known.
    pub(crate) fn size(&self, ty: TypeId) -> usize {
        self.sizes.get(&ty).copied().unwrap_or(1)
    }

    /// Sets the number of scalars in a type.
    pub(crate) fn set_size(&mut self, ty: TypeId, scalars: usize) {
        self.sizes.insert(ty, scalars);
    }

    /// Returns the levels of structures and arrays in a type.
    pub(crate) fn levels(&self, ty: TypeId) -> usize {
        self.levels.get(&ty).copied().unwrap_or(0)
    }

    /// Sets the levels of a type that holds `inside` others; too many are an error at `span`.
    pub(crate) fn set_levels(&mut self, findings: &mut Findings, ty: TypeId, inside: usize, span: Span) -> Res<()> {
        self.levels.insert(ty, inside + 1);
        if inside < MAX_TYPE_LEVELS {
            return Ok(());
        }
        let message = format!("more than {MAX_TYPE_LEVELS} structures and arrays stand in each other here");
        Err(findings.error(codes::TOO_DEEP, span, message, "too deep"))
    }
}
