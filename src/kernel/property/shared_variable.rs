//! One row of `inputs:`, `parameters:`, `memory:` or `frozen:` in a requirement file: a path, perhaps with a range or a start.
//!
//! ```yaml
//! inputs:
//!   - Hmi.*                          # a path; `*` stands for any part of a name
//!   - Level: 0..1000                 # with a range
//! memory:
//!   - Stack: any start               # keeps what the program wrote; starts with any value
//!   - { path: Total, range: 0..100, start: any }
//! ```

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// A path with its range and start.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "SharedVariableText", into = "SharedVariableText")]
pub struct SharedVariable {
    /// A variable, a part of one, or a pattern with `*`.
    pub path: String,
    /// Lower and upper end, as ST constants.
    pub range: Option<(String, String)>,
    /// TRUE if it starts with any value.
    pub any_start: bool,
}

/// The forms in which a shared variable is written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(
    untagged,
    expecting = "write a path, as in `Hmi.OpenCmd`, a path with a range, as in `Level: 0..1000`, or `{ path: Total, range: 0..100, start: any }`"
)]
pub enum SharedVariableText {
    /// A path.
    Path(String),
    /// All fields.
    Fields(SharedVariableFields),
    /// `path: lower..upper` or `path: any start`.
    Pair(BTreeMap<String, String>),
}

/// The fields of a shared variable.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, expecting = "an object")]
pub struct SharedVariableFields {
    /// A variable, a part of one, or a pattern with `*`.
    pub path: String,
    /// `lower..upper`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub range: Option<String>,
    /// `any` or `initial`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start: Option<String>,
}

impl SharedVariable {
    /// Returns a path without a range.
    pub fn at(path: impl Into<String>) -> SharedVariable {
        SharedVariable { path: path.into(), range: None, any_start: false }
    }
}

impl TryFrom<SharedVariableText> for SharedVariable {
    type Error = String;
    fn try_from(text: SharedVariableText) -> Result<SharedVariable, String> {
        match text {
            SharedVariableText::Path(path) => Ok(SharedVariable::at(path)),
            SharedVariableText::Fields(SharedVariableFields { path, range: text, start }) => {
                let any_start = match start.as_deref().map(str::trim) {
                    None | Some("initial") => false,
                    Some("any") => true,
                    Some(other) => return Err(format!("`{path}`: start: `{other}`: write `any` or `initial`")),
                };
                let range = text.as_deref().map(|text| range(&path, text)).transpose()?;
                Ok(SharedVariable { path, range, any_start })
            }
            SharedVariableText::Pair(pairs) => {
                let mut pairs = pairs.into_iter();
                match (pairs.next(), pairs.next()) {
                    (Some((path, value)), None) if value.trim().eq_ignore_ascii_case("any start") => {
                        Ok(SharedVariable { path, range: None, any_start: true })
                    }
                    (Some((path, value)), None) => {
                        let range = Some(range(&path, &value)?);
                        Ok(SharedVariable { path, range, any_start: false })
                    }
                    (_, _) => Err("each variable is a row of its own, behind `- `".to_owned()),
                }
            }
        }
    }
}

impl From<SharedVariable> for SharedVariableText {
    fn from(shared: SharedVariable) -> SharedVariableText {
        let SharedVariable { path, range, any_start } = shared;
        match (range, any_start) {
            (None, false) => SharedVariableText::Path(path),
            (range, any_start) => SharedVariableText::Fields(SharedVariableFields {
                path,
                range: range.map(|(low, high)| format!("{low}..{high}")),
                start: any_start.then(|| "any".to_owned()),
            }),
        }
    }
}

/// Returns the ends of `lower..upper`.
fn range(path: &str, text: &str) -> Result<(String, String), String> {
    let ends = text.split_once("..").map(|(low, high)| (low.trim().to_owned(), high.trim().to_owned()));
    ends.filter(|(low, high)| !low.is_empty() && !high.is_empty() && !high.starts_with('.'))
        .ok_or_else(|| format!("`{path}`: `{}` is no range: write `lower..upper`, as in `0..1000`, or `any start`", text.trim()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_form_is_read_and_written_again() {
        let check = |yaml: &str, path: &str, range: Option<(&str, &str)>, any_start: bool| {
            let read: Vec<SharedVariable> = serde_saphyr::from_str(yaml).unwrap();
            let range = range.map(|(low, high)| (low.to_owned(), high.to_owned()));
            assert_eq!(read, [SharedVariable { path: path.to_owned(), range, any_start }], "{yaml}");
            let again: Vec<SharedVariable> = serde_json::from_str(&serde_json::to_string(&read).unwrap()).unwrap();
            assert_eq!(again, read, "{yaml}");
        };
        check("[Hmi.OpenCmd]", "Hmi.OpenCmd", None, false);
        check("['\"DB_Hmi\".Start']", "\"DB_Hmi\".Start", None, false);
        check("- Level: 0..1000", "Level", Some(("0", "1000")), false);
        check("- Speed: -0.5 .. 1.5", "Speed", Some(("-0.5", "1.5")), false);
        check("- Wait: T#1s..T#5s", "Wait", Some(("T#1s", "T#5s")), false);
        check("- Stack: any start", "Stack", None, true);
        check("- { path: Total, range: 0..9, start: any }", "Total", Some(("0", "9")), true);
        check("- { path: Total, start: initial }", "Total", None, false);
    }

    #[test]
    fn other_forms_are_refused_with_a_way_out() {
        let check = |yaml: &str, words: &str| {
            let error = serde_saphyr::from_str::<Vec<SharedVariable>>(yaml).unwrap_err().to_string();
            assert!(error.contains(words), "{yaml}: {error}");
        };
        check("- Level: 5", "write a path");
        check("- Level: 5..", "is no range");
        check("- { A: 0..1, B: 0..1 }", "a row of its own");
        check("- { path: A, start: warm }", "write `any` or `initial`");
    }
}
