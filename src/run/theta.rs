//! A run about a published model: one source, one question, and no requirements of ours.

use plc_frontend::diagnostic::Diagnostic;
use plc_frontend::source::{FileId, SourceSet, Span};

use super::job::Job;
use super::subject::Subject;
use super::understand::{Understood, source_set};
use crate::export::Question;
use crate::report::import::{finding, sources};
use crate::report::outcome::{Import, Outcome, Problem, RequirementResult};
use crate::report::theta as report;
use crate::report::words::without_answer;
use answer::VerdictWord;
use answer::certify::Evidence;
use kernel::theta::{Model, is_model, read};

/// A model that was understood.
pub(super) struct Published {
    sources: SourceSet,
    /// The model.
    pub(super) model: Model,
}

/// Returns the question to other tools about the model.
pub(super) fn question(model: &Model, job: &Job) -> Question {
    let names: Vec<&str> = job.sources.iter().map(|s| s.name.as_str()).collect();
    let about = vec![
        pending(model).text,
        format!("Model: {}", names.join(", ")),
        format!("Written by scanproof {}.", env!("CARGO_PKG_VERSION")),
    ];
    Question::about(model.pool.clone(), model.cfa.clone(), about)
}

/// Returns whether this run is about a model.
pub(super) fn is_about_a_model(job: &Job) -> bool {
    job.sources.iter().any(|source| is_model(&source.name, &source.text))
}

/// Reads the model; with something wrong there is nothing to decide.
pub(super) fn understand(job: &Job) -> Understood {
    let set = source_set(job);
    let mut outcome = Outcome::without_results(sources(&set), Import::default());
    let [source] = job.sources.as_slice() else {
        let span = Span::new(FileId(1), 0, 0);
        let alone = Diagnostic::error("P6006", span, "a model of Theta is verified by itself", "another file is with it");
        let alone = alone.help("give each model to a run of its own");
        outcome.import.diagnostics.push(finding(&set, &alone));
        return Understood::nothing(outcome);
    };
    if !job.specification.requirements.is_empty() || !job.specification.assumptions.is_empty() {
        let message = "requirements and assumptions are about programs; a model has an error location that must not be reached";
        let help = Some("leave them out, and lead edges to the `error loc`".to_owned());
        outcome.problems.push(Problem { help, ..Problem::new("/requirements", message) });
        return Understood::nothing(outcome);
    }
    let parsed = read(FileId(0), &source.text);
    outcome.import = report::import(&set, &parsed.value, &parsed.diagnostics);
    let Some(model) = parsed.value.model else { return Understood::nothing(outcome) };
    outcome.rests_on.push("integers of the model are mathematical ones, and variables start with any value".to_owned());
    let pending = pending(&model);
    let subject = Subject::Model(Box::new(Published { sources: set, model }));
    Understood { outcome, pending: vec![pending], subject: Some(subject) }
}

/// Returns the one question about a model, before its answer.
pub(super) fn pending(model: &Model) -> RequirementResult {
    let locs = &model.process.locs;
    let meaning = format!(
        "no run of process {} from {} arrives at {}, whatever values its variables start with and `havoc` gives them",
        model.process.name, locs[model.process.init].name, locs[model.process.error].name
    );
    let row = RequirementResult::before_answer("error-location", &report::requirement(model), &meaning, "unreachable");
    without_answer(row, VerdictWord::Unknown, "no answer yet")
}

/// Adds the evidence of an answer about a model to its result.
pub(super) fn tell(published: &Published, evidence: &Evidence, result: &mut RequirementResult) {
    let Published { sources, model } = published;
    match evidence {
        Evidence::Reached(run) => result.counterexample = Some(report::tell(model, sources, run)),
        Evidence::Holds { proof, obligations } => result.proof = Some(report::proof(model, proof, obligations)),
        Evidence::Violated { .. } => {}
    }
}
