//! Questions about types that need only the project.

use std::collections::BTreeSet;

use crate::hir::{Parts, PouId, Project, Type, TypeId};

impl Project {
    /// Returns a type and the types of its elements and fields, each once; the variables of instances are not looked into.
    pub(crate) fn types_inside(&self, ty: TypeId) -> impl Iterator<Item = TypeId> {
        let (mut waiting, mut seen) = (vec![ty], BTreeSet::new());
        std::iter::from_fn(move || {
            while let Some(ty) = waiting.pop() {
                if !seen.insert(ty) {
                    continue;
                }
                match self.types[ty].ty.parts() {
                    Parts::Elements(_, elem) => waiting.push(elem),
                    Parts::Fields(fields) => waiting.extend(fields.iter().map(|field| field.ty)),
                    Parts::Scalar | Parts::Variables(_) => {}
                }
                return Some(ty);
            }
            None
        })
    }

    /// Returns the same with the types of the variables of instances.
    pub(crate) fn types_in_instances(&self, ty: TypeId) -> BTreeSet<TypeId> {
        let (mut waiting, mut found) = (vec![ty], BTreeSet::new());
        while let Some(ty) = waiting.pop() {
            for ty in self.types_inside(ty) {
                let block = self.block_of(ty).filter(|_| found.insert(ty));
                waiting.extend(block.into_iter().flat_map(|block| self.pous[block].vars.iter().map(|var| var.ty)));
                found.insert(ty);
            }
        }
        found
    }

    /// Returns the block whose instances are of this type.
    pub(crate) fn block_of(&self, ty: TypeId) -> Option<PouId> {
        if let Type::FunctionBlock(block) = self.types[ty].ty { Some(block) } else { None }
    }

    /// Returns whether the type is, or holds, a function block instance.
    pub(crate) fn holds_instance(&self, ty: TypeId) -> bool {
        self.types_inside(ty).any(|ty| matches!(self.types[ty].ty, Type::FunctionBlock(_)))
    }

    /// Returns whether the type is, or holds, a BOOL.
    pub(crate) fn holds_bool(&self, ty: TypeId) -> bool {
        self.types_inside(ty).any(|ty| self.types[ty].ty == Type::Bool)
    }

    /// Returns whether the type is, or holds, an unmodelled type.
    pub(crate) fn holds_opaque(&self, ty: TypeId) -> bool {
        self.types_inside(ty).any(|ty| matches!(self.types[ty].ty, Type::Opaque(_)))
    }

    /// Returns whether the type is, or holds, a subrange.
    pub(crate) fn holds_subrange(&self, ty: TypeId) -> bool {
        self.types_inside(ty).any(|ty| matches!(self.types[ty].ty, Type::Subrange { .. }))
    }

    /// Returns the name of a type as people write it.
    pub(crate) fn type_name(&self, ty: TypeId) -> String {
        let row = &self.types[ty];
        if let Some(name) = &row.name {
            return name.clone();
        }
        if let Some(text) = self.text(ty) {
            return format!("{}[{}]", if text.bits == 8 { "STRING" } else { "WSTRING" }, text.length);
        }
        match &row.ty {
            Type::Subrange { base, low, high } => format!("{} ({low}..{high})", self.type_name(*base)),
            Type::Enum { variants, .. } => {
                let names: Vec<&str> = variants.iter().take(4).map(|v| v.0.as_str()).collect();
                format!("({}{})", names.join(", "), if 4 < variants.len() { ", …" } else { "" })
            }
            Type::Array { dims, elem } => {
                let dims: Vec<String> = dims.iter().map(|(low, high)| format!("{low}..{high}")).collect();
                format!("ARRAY [{}] OF {}", dims.join(", "), self.type_name(*elem))
            }
            Type::Struct { .. } => "STRUCT".to_owned(),
            Type::FunctionBlock(pou) => self.pous[*pou].name.clone(),
            Type::Opaque(words) => words.clone(),
            Type::Char(_) => "a character of a string".to_owned(),
            Type::Bool | Type::Int(_) | Type::Bits(_) | Type::Real(_) | Type::Time | Type::LTime | Type::Date(_) => String::new(),
        }
    }
}
