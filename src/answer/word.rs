//! The words of verdicts.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// The verdict vocabulary: one enum for web, API, command line and exit code.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum VerdictWord {
    /// In every cycle, for all inputs; proved and certified.
    Holds,
    /// In the first cycles only.
    HoldsBounded,
    /// Only because its condition can never happen, or the assumptions exclude every run.
    Vacuous,
    /// Can be broken; replayed.
    Violated,
    /// Not decided.
    #[default]
    Unknown,
    /// Depends on something that is not modelled.
    NotChecked,
    /// Stopped by the user.
    Cancelled,
    /// Internal error.
    Error,
}

impl VerdictWord {
    /// Returns whether it answers the requirement, with evidence.
    pub fn is_answer(self) -> bool {
        matches!(self, VerdictWord::Holds | VerdictWord::Vacuous | VerdictWord::Violated)
    }
    /// Returns the word in JSON and in the headers of samples.
    pub fn wire(self) -> String {
        serde_json::to_value(self).ok().and_then(|v| v.as_str().map(str::to_string)).unwrap_or_default()
    }
}
