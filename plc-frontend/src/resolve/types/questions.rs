//! Questions about types that need only the project.

use crate::hir::{Project, Type, TypeId};

impl Project {
    /// Returns the name of a type as a person would write it.
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
