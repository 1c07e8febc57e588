//! How a run can end early, and what is wrong with inputs.

use crate::hir::FaultKind;
use crate::text::ledger::GapId;
use crate::text::source::Span;

/// A run ended before the end of its cycle. Nothing is claimed about what would follow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fault {
    /// Why.
    pub kind: FaultEnd,
    /// Where: as [`crate::hir::FaultSite`] says; the statement or expression for the others.
    pub span: Span,
}

/// Why a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FaultEnd {
    /// An automatic check failed.
    Check(FaultKind),
    /// A construct was reached whose exact meaning is not known; see the ledger.
    Unsupported(GapId),
    /// The interpreter's own limits were reached (steps per cycle, nesting): says nothing about the program.
    Exhausted,
}

/// An input that [`super::Machine::begin`] does not take.
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
