//! Strings in reports: one row with the text, where the model has one variable for each character.

use std::collections::BTreeMap;

use plc_frontend::hir::{Leaf, Project, Shown, Value};

use super::seen::SeenValue;

/// Strings among the leaves, by their characters.
#[derive(Clone, Debug, Default)]
pub(super) struct Strings {
    /// By the leaf's canonical name.
    parts: BTreeMap<String, Part>,
}

#[derive(Clone, Debug)]
struct Part {
    /// Canonical name of the string.
    of: String,
    /// Position of the character, from 0.
    index: usize,
    /// Number of characters that the string can have.
    length: usize,
    wide: bool,
}

impl Strings {
    /// Returns the strings among these leaves.
    pub(super) fn new(project: &Project, leaves: &[Leaf]) -> Strings {
        let mut parts = BTreeMap::new();
        for row in project.shown(leaves) {
            let Some(wide) = row.text else { continue };
            for (index, leaf) in leaves[row.leaves.clone()].iter().enumerate() {
                let part = Part { of: row.name.clone(), index, length: row.leaves.len(), wide };
                parts.insert(leaf.name.clone(), part);
            }
        }
        Strings { parts }
    }
    /// Returns the name under which a leaf is told: its string's, if it is a character of one.
    pub(super) fn name<'n>(&'n self, leaf: &'n str) -> &'n str {
        self.parts.get(leaf).map_or(leaf, |part| &part.of)
    }
    /// Returns the text, if these accesses begin with all characters of one string, and how many they are.
    ///
    /// Characters behind the end of the text may be missing: they are not read.
    pub(super) fn text(&self, project: &Project, values: &[&SeenValue]) -> Option<(String, usize)> {
        let first = self.parts.get(&values.first()?.name)?;
        let mut found: Vec<Option<Value>> = Vec::new();
        for value in values {
            let Some(part) = self.parts.get(&value.name) else { break };
            if part.of != first.of || part.index != found.len() || value.written != values[0].written {
                break;
            }
            found.push(Some(value.value));
        }
        let ends = found.len() == first.length || matches!(found.last(), Some(Some(Value::Int(0))));
        let n = found.len();
        if !ends {
            return None;
        }
        let row = Shown { name: first.of.clone(), leaves: 0..n, text: Some(first.wide) };
        Some((project.shown_value(&row, &[], &found)?, n))
    }
}
