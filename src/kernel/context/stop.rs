//! Ends of a computation without a verdict.

use crate::smt::{SolverError, Unknown};
use crate::verdict::Reason;

/// End of a computation without a verdict; never itself a verdict.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stop {
    /// A reason that is no failure.
    Reason(Reason),
    /// A solver failed.
    Solver(SolverError),
}

impl From<SolverError> for Stop {
    fn from(e: SolverError) -> Stop {
        Stop::Solver(e)
    }
}

impl From<Unknown> for Stop {
    fn from(u: Unknown) -> Stop {
        Stop::Reason(match u {
            Unknown::Limit | Unknown::Incomplete => Reason::SolverUnknown,
            Unknown::Interrupted => Reason::Cancelled,
        })
    }
}

/// Returns the stop of an engine that cannot handle something in the model.
pub fn unsupported(why: impl Into<String>) -> Stop {
    Stop::Reason(Reason::Unsupported(why.into()))
}
