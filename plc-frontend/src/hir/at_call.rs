//! Names of values that calls of stubs give. Each such input is read when its call runs, so a cycle may have several of them.
//!
//! | name | value |
//! |---|---|
//! | `FB_Valve.Level (at call)` | at the first call of the cycle |
//! | `FB_Valve.Level (at call 3)` | at the third one, and at those behind it |

use super::pou::VarId;
use crate::text::Span;
use std::collections::BTreeSet;
use std::hash::{DefaultHasher, Hash, Hasher};

/// End of the names of these inputs.
pub(crate) const SUFFIX: &str = " (at call)";

/// Name of an input at its `n`-th call of a cycle, from 1. `leaf`: the name of the leaf.
///
/// Soundness: no other leaf has such a name.
pub fn name_at_call(leaf: &str, n: usize) -> String {
    match (leaf.split_once(SUFFIX), n) {
        (_, 0 | 1) => leaf.to_owned(),
        (Some((stem, part)), n) => format!("{stem} (at call {n}){part}"),
        // Values of the controller, and other reads.
        (None, n) => format!("{leaf} (at call {n})"),
    }
}

/// The possible names of the leaf, and the number of the call, of a name of [`name_at_call`]; `None` for other names.
pub fn leaf_at_call(name: &str) -> Option<([String; 2], usize)> {
    let (stem, rest) = name.split_once(" (at call ")?;
    let (n, part) = rest.split_once(')')?;
    let n = n.parse().ok().filter(|n| 2 <= *n)?;
    Some(([format!("{stem}{SUFFIX}{part}"), format!("{stem}{part}")], n))
}

/// Writes blanks for ` (at call)` and ` (at call 2)` in a text: users copy names from a counterexample.
pub(crate) fn blank_calls(text: &str) -> String {
    let mut blanked = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(" (at call") {
        let (before, from) = rest.split_at(at);
        let number = from.strip_prefix(" (at call").unwrap_or_default();
        let number = number.trim_start_matches(|c: char| c == ' ' || c.is_ascii_digit());
        let n = if number.starts_with(')') { from.len() - number.len() + 1 } else { 1 };
        blanked.push_str(before);
        let (word, behind) = from.split_at(n);
        match n {
            1 => blanked.push_str(word),
            n => blanked.extend(std::iter::repeat_n(' ', n)),
        }
        rest = behind;
    }
    blanked.push_str(rest);
    blanked
}

/// Number of a call with the calls around it. `around`: the number of the caller, 0 for a program. `bound`: the first leaf of each
/// variable of the instance and of each VAR_IN_OUT; `None` for variables of a call. `rounds`: values of the control variables of the FOR
/// loops around it in the caller.
///
/// Soundness: two calls may have one number. Then a run is not replayed that could be.
pub fn call_path(around: u64, span: Span, bound: impl Iterator<Item = (VarId, Option<usize>)>, rounds: &[i128]) -> u64 {
    let bound: BTreeSet<(VarId, Option<usize>)> = bound.collect();
    let mut hasher = DefaultHasher::new();
    (around, span, bound, rounds).hash(&mut hasher);
    hasher.finish()
}

/// Returns whether a name is that of a value that a call of a stub gives.
pub fn is_at_call(name: &str) -> bool {
    name.contains(SUFFIX) || leaf_at_call(name).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_later_calls_lead_to_their_leaves() {
        for (leaf, n, expected) in [
            ("FB_V.Level (at call)", 1, "FB_V.Level (at call)"),
            ("FB_V.Level (at call)", 2, "FB_V.Level (at call 2)"),
            ("FB_V.Text (at call)[3]", 12, "FB_V.Text (at call 12)[3]"),
            ("GSV_3", 2, "GSV_3 (at call 2)"),
        ] {
            assert_eq!(name_at_call(leaf, n), expected);
            let found = leaf_at_call(expected).filter(|(leaves, _)| leaves.iter().any(|name| name == leaf)).map(|(_, n)| n);
            assert_eq!(found, (1 < n).then_some(n), "{expected}");
        }
        for other in ["P.x", "P.x (at call 1)", "P.x (at call two)", "P.x (at call 2", "P.x (at call)"] {
            assert_eq!(leaf_at_call(other), None, "{other}");
        }
    }

    #[test]
    fn names_in_a_text_lose_their_calls_and_no_column() {
        for (text, expected) in [
            ("FB_V.Level (at call) >= 0", "FB_V.Level           >= 0"),
            ("FB_V.Level (at call 12) >= F(at call)", "FB_V.Level              >= F(at call)"),
            ("a (at callers) (at call 2", "a (at callers) (at call 2"),
        ] {
            assert_eq!(blank_calls(text), expected);
        }
    }

    #[test]
    fn values_at_calls_are_told_by_their_names() {
        for (name, expected) in [
            ("FB_V.Level (at call)", true),
            ("FB_V.Level (at call 2)", true),
            ("FB_V.Text (at call)[3]", true),
            ("Main.v.Level", false),
        ] {
            assert_eq!(is_at_call(name), expected, "{name}");
        }
    }
}
