//! Sites: places of a program for assertions and automatic checks.

use plc_frontend::hir::{AnomalyKind, AssertId, FaultKind};
use plc_frontend::source::Span;

use super::automaton::LocId;
use crate::expr::{ExprId, VarId};

/// Place of a program for an assertion or an automatic check. A model has one for each instance of the POU.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Site {
    /// Its kind, with the values that the monitor needs.
    pub kind: SiteKind,
    /// The divisor, the index, the operation, the assertion, the statement or the written variable.
    pub span: Span,
    /// Its location. One skip leaves it; no edge leaves a fault.
    pub loc: LocId,
}

/// Kind of a site. Expressions are evaluated already and cannot fault.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SiteKind {
    /// Dead end of runs that end with a fault.
    Fault(FaultKind),
    /// `//#ASSERT`. Control goes on in any case.
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
    /// Assignment of a computed value to a named BOOL; only where the options ask for coils. The BOOL has its old value here.
    Coil {
        /// The BOOL.
        var: VarId,
        /// Its new value.
        value: ExprId,
    },
}
