//! Strings. A STRING[n] is an array `[1..n]` of characters that ends at its first character 0, or at n.
//!
//! So it is copied, passed and flattened like any array, and every content is a string: no value that an input could
//! have needs to be excluded. What stands behind the first 0 is not seen by any string function.

use super::project::Project;
use super::types::{Type, TypeId};

/// The shape of a string type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Text {
    /// Bits of a character: 8 (STRING) or 16 (WSTRING).
    pub bits: u8,
    /// The most characters it holds.
    pub length: usize,
    /// The type of its characters.
    pub character: TypeId,
}

impl Project {
    /// The shape of a string; `None` for other types, arrays of CHAR among them: a string's characters have a type without a name.
    pub fn text(&self, ty: TypeId) -> Option<Text> {
        let Type::Array { dims, elem } = &self.types.get(ty)?.ty else { return None };
        let (def, [(1, length)]) = (&self.types[*elem], dims.as_slice()) else { return None };
        match (&def.ty, &def.name) {
            (Type::Char(bits), None) => Some(Text { bits: *bits, length: usize::try_from(*length).ok()?, character: *elem }),
            (_, _) => None,
        }
    }
}
