//! Why a requirement is not decided, in words.

use crate::verdict::Reason;

/// What follows "Not decided:".
pub(super) fn reason(reason: &Reason) -> String {
    match reason {
        Reason::Time => "the time limit was reached".into(),
        Reason::Memory => "the memory limit was reached".into(),
        Reason::Cancelled => "it was stopped".into(),
        Reason::Bound => "the bound was reached without an answer".into(),
        Reason::NoProgress => "no engine found an answer that could be certified".into(),
        Reason::SolverUnknown => "the solvers gave up".into(),
        Reason::OverApproximation(what) => format!("it depends on {what}, which the model does not know exactly"),
        Reason::Unsupported(what) => format!("not supported: {what}"),
    }
}
