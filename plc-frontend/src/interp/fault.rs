//! Early ends of a run, and errors in its inputs.

use crate::hir::FaultKind;
use crate::text::{GapId, Span};

/// End of a run before the end of its cycle. Nothing is claimed about the rest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The reason.
    pub kind: FaultEnd,
    /// The place, as in [`crate::hir::FaultSite`]; the statement or expression for the other reasons.
    pub span: Span,
}

/// Reason for an early end of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FaultEnd {
    /// An automatic check failed.
    Check(FaultKind),
    /// The run reached a construct without a known exact meaning; see the ledger.
    Unsupported(GapId),
    /// A stated assumption about values of a stub does not hold behind a call: the run does not count.
    Excluded,
    /// The run reached the interpreter's own limits (steps per cycle, nesting): no statement about the program.
    Exhausted,
}

/// Error in the inputs of [`super::Machine::begin`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BadInput {
    /// No leaf has this name.
    Unknown(String),
    /// The leaf is not an input.
    NotAnInput(String),
    /// The value is not one of the leaf's type.
    WrongType(String),
    /// Time does not go back.
    NegativeStep(i64),
}

impl std::fmt::Display for BadInput {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            BadInput::Unknown(name) => write!(f, "there is no variable `{name}`"),
            BadInput::NotAnInput(name) => write!(f, "`{name}` is not an input"),
            BadInput::WrongType(name) => write!(f, "the value for `{name}` is not of its type"),
            BadInput::NegativeStep(ns) => write!(f, "the cycle's time step is negative: {ns} ns"),
        }
    }
}

impl std::error::Error for BadInput {}
