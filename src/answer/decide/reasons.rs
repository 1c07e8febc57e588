//! Reasons for undecided requirements, in words.

use super::{Search, TimeLimit};
use crate::VerdictWord;
use kernel::verdict::Reason;

/// Returns the clause after "Not checked:", for a run that comes to a statement without a model.
pub(super) fn gap(what: &str) -> String {
    // Statements that are left out are named by their error.
    let verb = if what.starts_with("statement with an error") { "is left out" } else { "is not supported" };
    format!("{what} {verb}")
}

/// Clause after "Not checked:", for a monitor that notes values inside of recursive functions.
pub(super) const NOTED_IN_CALLS: &str =
    "it compares statements inside of a function that calls itself, whose calls are too many to be written out";

/// Clause after "Not decided:", for a violation that the interpreter cannot follow.
pub(super) const TOO_DEEP: &str =
    "the violation that was found needs more calls of one function open at once than a run may have; see the check `call_depth`";

/// Returns the answer of a search that ended for this reason.
pub(super) fn without_answer(reason: &Reason) -> VerdictWord {
    if *reason == Reason::Cancelled { VerdictWord::Cancelled } else { VerdictWord::Unknown }
}

/// Returns the clause after "Not decided:".
pub(super) fn reason(reason: &Reason, search: &Search<'_>) -> String {
    let engine = search.engine.filter(|engine| *engine != "default");
    match reason {
        Reason::Time => match search.limit {
            None => "the time limit was reached".into(),
            Some(TimeLimit { whole_s, share_s, is_again }) if share_s < whole_s * 0.9 => {
                let again = if is_again { " again" } else { "" };
                format!("its share of the time limit was reached{again}: {share_s:.1} s of {whole_s:.0} s")
            }
            Some(TimeLimit { whole_s, .. }) => format!("the time limit of {whole_s:.0} s was reached"),
        },
        Reason::Memory => "the memory limit was reached".into(),
        Reason::Cancelled => "it was stopped".into(),
        Reason::Bound => "the bound was reached without an answer".into(),
        Reason::NoProgress => match engine {
            Some(engine) => format!("`{engine}` came to its end without learning anything more; another engine may decide it"),
            None => "every engine came to its end without learning anything more".into(),
        },
        Reason::Uncertified => "an engine found an answer, but it could not be certified".into(),
        Reason::SolverUnknown => "the solvers gave up".into(),
        Reason::OverApproximation(what) => {
            format!("a run was found, but it is not certain: {what} has a value there that the model does not know exactly")
        }
        Reason::Unsupported(what) => format!("not supported: {what}"),
    }
}
