//! Ranges of variables, which become assumptions.

use std::collections::BTreeMap;

/// A range that the specification gives to leaves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Range {
    /// JSON pointer of its row.
    pub pointer: String,
    /// The path as written.
    pub path: String,
    /// Lower and upper end, as ST constants.
    pub ends: (String, String),
    /// Canonical names of the leaves.
    pub leaves: Vec<String>,
    /// Names in conditions, of leaves that have another one there.
    pub names: BTreeMap<String, String>,
}

/// Most leaves of one condition about a range: longer ones would be deep expressions.
const LEAVES_OF_A_CONDITION: usize = 50;

impl Range {
    /// Returns the conditions of the range, in ST.
    pub fn conditions(&self) -> Vec<String> {
        let (low, high) = &self.ends;
        let one = |leaf: &String| {
            let name = self.names.get(leaf).unwrap_or(leaf);
            format!("{low} <= {name} AND {name} <= {high}")
        };
        let chunks = self.leaves.chunks(LEAVES_OF_A_CONDITION);
        chunks.map(|leaves| leaves.iter().map(one).collect::<Vec<_>>().join(" AND ")).collect()
    }
    /// Returns the range in words.
    pub fn text(&self) -> String {
        format!("{} is from {} to {}", self.path, self.ends.0, self.ends.1)
    }
}

/// Returns the rest of a leaf's name if the leaf is a variable or a part of it.
pub(super) fn below<'l>(leaf: &'l str, variable: &str) -> Option<&'l str> {
    leaf.strip_prefix(variable).filter(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
}
