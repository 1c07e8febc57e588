//! Output of `scanproof verify --json`: one outcome per program.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::outcome::Outcome;
use super::tally::Tally;

/// The answer to one call of `verify`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Verification {
    /// Version of this format; 1.
    pub format: u32,
    /// Version of the tool.
    pub tool: String,
    /// One per program, in the order given.
    pub programs: Vec<ProgramReport>,
    /// Answers of all programs, counted by class.
    #[serde(default)]
    pub tally: Tally,
    /// The exit code of the call: 0 all hold. 30 something is not decided, holds under conditions, or nothing was to check.
    /// 40 something can be broken. 3 bad input. 1 internal error. 130 stopped.
    pub exit_code: u8,
}

/// One program of a call.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ProgramReport {
    /// The path or name it was given by.
    pub name: String,
    /// Its outcome; absent if no worker delivered one.
    pub outcome: Option<Outcome>,
    /// Reason why the outcome is absent or incomplete.
    pub failure: Option<String>,
    /// A limit of time or memory was reached before the program was read.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub unread_at_limit: bool,
    /// For programs with expected verdicts (`//@ expect`): every difference from the outcome. Empty: as expected.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub surprises: Option<Vec<String>>,
}
