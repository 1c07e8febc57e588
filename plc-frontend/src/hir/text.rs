//! Strings. A STRING[n] is an array `[1..n]` of characters that ends at its first character 0, or at n.
//!
//! So it is copied, passed and flattened like any array, and every content is a string: no value of an input needs to be
//! excluded. String functions see nothing behind the first 0.

use std::ops::Range;

use super::leaves::{Leaf, LeafElem};
use super::place::Root;
use super::printer::{quoted, value_to_st};
use super::project::Project;
use super::types::{Type, TypeId, n_elements, part_type};
use super::value::Value;

/// Properties of a string type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Text {
    /// Bits of a character: 8 (STRING) or 16 (WSTRING).
    pub bits: u8,
    /// Most characters of a value.
    pub length: usize,
    /// The type of its characters.
    pub character: TypeId,
}

/// A variable as people see it: a scalar, or all characters of a string.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shown {
    /// Canonical name; a string's has no index.
    pub name: String,
    /// Its positions among the leaves given to [`Project::shown`].
    pub leaves: Range<usize>,
    /// `Some` for a string; true if its characters are wide.
    pub text: Option<bool>,
}

impl Project {
    /// Returns these leaves, the characters of a string as one if all of them are given.
    pub fn shown(&self, leaves: &[Leaf]) -> Vec<Shown> {
        let mut shown = Vec::new();
        let mut at = 0;
        while let Some(leaf) = leaves.get(at) {
            let string = self.character(leaf).filter(|(_, index, _)| *index == 0).and_then(|(name, _, wide)| {
                let n = self.length_around(leaf)?;
                let is_part = |i: usize| {
                    let part = leaves.get(at + i).and_then(|l| self.character(l));
                    part.is_some_and(|(other, index, _)| other == name && index as usize == i)
                };
                (0..n).all(is_part).then(|| Shown { name: name.to_owned(), leaves: at..at + n, text: Some(wide) })
            });
            let row = string.unwrap_or_else(|| Shown { name: leaf.name.clone(), leaves: at..at + 1, text: None });
            at = row.leaves.end;
            shown.push(row);
        }
        shown
    }

    /// Returns the number of characters of the string that a leaf is a character of.
    fn length_around(&self, leaf: &Leaf) -> Option<usize> {
        let (_, path) = leaf.path.split_last()?;
        let (mut ty, path) = match (leaf.root, path.split_first()) {
            (Root::Global(global), _) => (self.globals.get(global)?.ty, path),
            (Root::Instance(instance), Some((LeafElem::Member(var), rest))) => {
                (self.pous[self.instances.get(instance)?.pou].vars.get(*var)?.ty, rest)
            }
            (Root::Instance(_) | Root::Var(_) | Root::This(_), _) => return None,
        };
        for step in path {
            ty = part_type(self, ty, *step)?;
        }
        if let Type::Array { dims, .. } = &self.types[ty].ty { Some(n_elements(dims)) } else { None }
    }

    /// Returns the value of a row as ST; `None` without a value.
    pub fn shown_value(&self, row: &Shown, leaves: &[Leaf], values: &[Option<Value>]) -> Option<String> {
        let Some(wide) = row.text else {
            return Some(value_to_st(self, leaves.get(row.leaves.start)?.ty, (*values.get(row.leaves.start)?)?));
        };
        let codes = values.get(row.leaves.clone())?.iter().map(|value| value.and_then(Value::as_int));
        let chars: Option<Vec<u16>> = codes.take_while(|code| *code != Some(0)).map(|c| u16::try_from(c?).ok()).collect();
        Some(quoted(&chars?, wide))
    }

    /// Returns the string around a leaf that is a character. With it: the character's position from 0, and true for a wide one.
    pub fn character<'l>(&self, leaf: &'l Leaf) -> Option<(&'l str, u32, bool)> {
        let def = self.types.get(leaf.ty)?;
        let (Type::Char(bits), None, Some(LeafElem::Index(index))) = (&def.ty, &def.name, leaf.path.last()) else { return None };
        Some((leaf.name.rsplit_once('[')?.0, *index, *bits == 16))
    }

    /// Returns the properties of a string type. `None` for other types, arrays of CHAR among them: the characters of a string
    /// have a type without a name.
    pub fn text(&self, ty: TypeId) -> Option<Text> {
        let Type::Array { dims, elem } = &self.types.get(ty)?.ty else { return None };
        let (def, [(1, length)]) = (&self.types[*elem], dims.as_slice()) else { return None };
        match (&def.ty, &def.name) {
            (Type::Char(bits), None) => Some(Text { bits: *bits, length: usize::try_from(*length).ok()?, character: *elem }),
            (_, _) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::SourceSet;
    use crate::{LoadOptions, load};

    #[test]
    fn a_string_is_one_row() {
        let mut sources = SourceSet::default();
        let text = "TYPE T : STRUCT a : STRING[3] := 'it$'s'; n : INT := 7; END_STRUCT; END_TYPE
            PROGRAM Main VAR t : ARRAY [1..2] OF T; w : WSTRING[2] := \"ab\"; c : ARRAY [1..2] OF CHAR; s : STRING[4]; END_VAR
            c[1] := CHAR#'x'; s := t[1].a; w := w; t[2].n := 1; END_PROGRAM";
        sources.add("a.st", text);
        let parsed = load(&sources, &LoadOptions::default());
        assert!(!parsed.has_errors(), "{:#?}", parsed.diagnostics);
        let project = parsed.value.project;
        let leaves = project.leaves();
        let values: Vec<Option<Value>> = leaves.iter().map(|l| l.init).collect();
        let row = |row: &Shown| format!("{} {}", row.name, project.shown_value(row, &leaves, &values).unwrap_or_default());
        let rows: Vec<String> = project.shown(&leaves).iter().map(row).collect();
        let expected = [
            "Main.t[1].a 'it$''",
            "Main.t[1].n 7",
            "Main.t[2].a 'it$''",
            "Main.t[2].n 7",
            "Main.w \"ab\"",
            "Main.c[1] CHAR#'$00'",
            "Main.c[2] CHAR#'$00'",
            "Main.s ''",
        ];
        assert_eq!(rows, expected);
        // A part of a string stays a part.
        assert_eq!(project.shown(&leaves[1..3])[0].name, "Main.t[1].a[2]");
    }
}
