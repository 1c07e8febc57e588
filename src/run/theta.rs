//! A run about a published model: one source, one question, and no requirements of ours.

use plc_frontend::diagnostic::Diagnostic;
use plc_frontend::source::{FileId, SourceSet, Span};

use super::decide::{exploration, pictures};
use super::job::{Job, Wanted};
use super::rounds::Share;
use crate::export::{Conditions, Question, format};
use crate::report::import::{finding, sources};
use crate::report::outcome::{Outcome, Problem, RequirementResult};
use crate::report::theta as tell;
use crate::report::words::{headline, without_answer};
use answer::VerdictWord;
use answer::certificate::{ModelRun, StoredEvidence};
use answer::certify::Evidence as Checked;
use answer::decide::theta::{Decision, Evidence, Request, decide};
use kernel::context::{Progress, default_solvers};
use kernel::theta::{Model, is_model, read};

/// A model that was understood.
pub(super) struct Published {
    sources: SourceSet,
    /// The model.
    pub(super) model: Model,
}

/// Returns the model in another format, or one sentence why not.
pub(super) fn written(published: &Published, wanted: &Wanted, job: &Job) -> Result<String, String> {
    let format = format(&wanted.format).map_err(|e| e.to_string())?;
    let pending = pending(&published.model);
    if let Some(id) = wanted.requirement.as_ref().filter(|id| **id != pending.id) {
        return Err(format!("there is no requirement `{id}`; there is: `{}`", pending.id));
    }
    let question = question(&published.model, job);
    let mut question = if wanted.reduced { question.reduced() } else { question };
    format.write(&mut question).map_err(|e| e.to_string())
}

/// Returns the question to other tools about the model.
pub(super) fn question(model: &Model, job: &Job) -> Question {
    let names: Vec<&str> = job.sources.iter().map(|s| s.name.as_str()).collect();
    let about = vec![
        pending(model).text,
        format!("Model: {}", names.join(", ")),
        format!("Written by scanproof {}.", env!("CARGO_PKG_VERSION")),
    ];
    let (pool, cfa) = (model.pool.clone(), model.cfa.clone());
    Question { pool, cfa, about, places: std::collections::BTreeMap::new(), is_goal: false, conditions: Conditions::default() }
}

/// Returns whether this run is about a model.
pub(super) fn is_about_a_model(job: &Job) -> bool {
    job.sources.iter().any(|source| is_model(&source.name, &source.text))
}

/// Reads the model; with something wrong there is nothing to decide.
pub(super) fn understand(job: &Job) -> (Outcome, Vec<RequirementResult>, Option<Published>) {
    let mut set = SourceSet::default();
    for source in &job.sources {
        set.add(source.name.clone(), source.text.clone());
    }
    let mut outcome = Outcome {
        format: 1,
        tool: env!("CARGO_PKG_VERSION").to_string(),
        sources: sources(&set),
        import: crate::report::outcome::Import::default(),
        problems: Vec::new(),
        rests_on: Vec::new(),
        environment: Vec::new(),
        checkable: Vec::new(),
        nothing_to_check: Vec::new(),
        results: Vec::new(),
        duration_ms: 0,
    };
    let problem = |pointer: &str, message: &str, help: &str| Problem {
        pointer: pointer.to_owned(),
        message: message.to_owned(),
        help: Some(help.to_owned()),
        rendered: String::new(),
        column: None,
    };
    let [source] = job.sources.as_slice() else {
        let span = Span::new(FileId(1), 0, 0);
        let alone = Diagnostic::error("P6006", span, "a model of Theta is verified by itself", "another file is with it");
        let alone = alone.help("give each model to a run of its own");
        outcome.import.diagnostics.push(finding(&set, &alone));
        return (outcome, Vec::new(), None);
    };
    if !job.specification.requirements.is_empty() || !job.specification.assumptions.is_empty() {
        let message = "requirements and assumptions are about programs; what must not happen in a model is its error location";
        outcome.problems.push(problem("/requirements", message, "leave them out, and lead edges to the `error loc`"));
        return (outcome, Vec::new(), None);
    }
    let parsed = read(FileId(0), &source.text);
    outcome.import = tell::import(&set, &parsed.value, &parsed.diagnostics);
    let Some(model) = parsed.value.model else { return (outcome, Vec::new(), None) };
    outcome.rests_on.push("integers of the model are mathematical ones, and variables start with any value".to_owned());
    let pending = pending(&model);
    (outcome, vec![pending], Some(Published { sources: set, model }))
}

/// Returns the one question about a model, before its answer.
pub(super) fn pending(model: &Model) -> RequirementResult {
    let locs = &model.process.locs;
    let meaning = format!(
        "no run of process {} from {} arrives at {}, whatever values its variables start with and `havoc` gives them",
        model.process.name, locs[model.process.init].name, locs[model.process.error].name
    );
    let row = RequirementResult::before_answer("error-location", &tell::requirement(model), &meaning, "unreachable");
    without_answer(row, VerdictWord::Unknown, "no answer yet")
}

/// Decides the model.
pub(super) fn result(published: &Published, job: &Job, time: &Share, events: &(dyn Fn(Progress) + Sync)) -> RequirementResult {
    let Published { sources, model } = published;
    let mut result = pending(model);
    let request = Request {
        model,
        engine: job.strategy.engine.as_deref(),
        options: &job.strategy.options,
        interrupt: &time.interrupt,
        events,
        solvers: &default_solvers(),
        pictures: pictures(job),
    };
    let Decision { word, evidence, reason, engine, explored } = match decide(&request) {
        Ok(decision) => decision,
        Err(choice) => {
            Decision { word: VerdictWord::NotChecked, evidence: None, reason: Some(choice), engine: None, explored: None }
        }
    };
    result.exploration = explored.as_ref().map(exploration);
    match &evidence {
        Some(Evidence::Run(run)) => {
            result.counterexample = Some(tell::tell(model, sources, run.run()));
            result.certificate = ModelRun::of(&model.process, run.run()).map(StoredEvidence::ModelRun);
        }
        Some(Evidence::Proof(certified)) => match certified.evidence() {
            Checked::Holds { proof, obligations } => {
                result.proof = Some(tell::proof(model, proof, obligations));
                result.certificate = StoredEvidence::of(certified, &model.pool, &model.cfa);
            }
            Checked::Violated { .. } => {}
        },
        None => {}
    }
    result.verdict = word;
    result.engine = engine.map(str::to_owned);
    result.reason = reason;
    result.headline = headline(&result);
    result
}
