//! Reasons for undecided requirements, in words.

use kernel::verdict::Reason;

/// Returns the clause after "Not checked:", for a run that comes to a statement without a model.
pub(super) fn gap(what: &str) -> String {
    format!("{what} is not supported")
}

/// Returns the clause after "Not decided:".
/// `engine`: the one that was chosen, if one was.
pub(super) fn reason(reason: &Reason, engine: Option<&str>) -> String {
    let engine = engine.filter(|engine| *engine != "default");
    match reason {
        Reason::Time => "the time limit was reached".into(),
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
            format!("the run that was found needs a value of {what} that it may not have; the model does not know it exactly")
        }
        Reason::Unsupported(what) => format!("not supported: {what}"),
    }
}
