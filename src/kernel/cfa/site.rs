//! Sites: the places of a program that assertions and automatic checks are about.

use plc_frontend::hir::{AnomalyKind, AssertId, FaultKind};
use plc_frontend::source::Span;

use super::automaton::LocId;
use crate::expr::{ExprId, VarId};

/// Place that an assertion or an automatic check is about. In a model there is one for each instance of its POU.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Site {
    /// Its kind, with the values that the monitor needs.
    pub kind: SiteKind,
    /// The divisor, the index, the operation, the assertion, the statement or the written variable.
    pub span: Span,
    /// Its location. One edge leaves it, which does nothing; none leaves a fault.
    pub loc: LocId,
}

/// Kind of a site. Expressions are evaluated already and cannot fault.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SiteKind {
    /// Dead end of runs that end with a fault.
    Fault(FaultKind),
    /// `//#ASSERT`. Control goes on whether it holds or not.
    Assert {
        /// Its number.
        id: AssertId,
        /// Bool; TRUE where it holds.
        condition: ExprId,
    },
    /// Operation with an anomaly; only where the options ask for its kind.
    Anomaly {
        /// Kind of anomaly.
        kind: AnomalyKind,
        /// Bool; TRUE where the anomaly happens.
        condition: ExprId,
    },
    /// Beginning of a statement; only where the options ask for statements.
    Statement,
    /// Assignment of a computed value to a BOOL that is named; only where the options ask for coils. The BOOL has its old value here.
    Coil {
        /// The BOOL.
        var: VarId,
        /// Its new value.
        value: ExprId,
    },
}
