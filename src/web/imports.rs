//! Imports of programs and specifications: a worker reads them, since only a process has limits.

use std::time::UNIX_EPOCH;

use super::error::WebError;
use super::job::specification as specification_of;
use super::state::AppState;
use crate::report::environment::SharedRow;
use crate::report::outcome::{Outcome, Problem};
use crate::run::job::{Job, SourceText, Strategy, Task};
use crate::run::model::{Written, model};
use crate::run::supervisor::{Ended, supervise};
use crate::store::jobs::StoredJob;
use crate::store::programs::{Program, Source};
use kernel::property::spec::Specification;

/// Returns the build of the tool that reads: its version, and the time of its file.
fn build(state: &AppState) -> String {
    let modified = std::fs::metadata(&state.config.program).and_then(|m| m.modified()).ok();
    let stamp = modified.and_then(|m| m.duration_since(UNIX_EPOCH).ok()).map_or(0, |d| d.as_millis());
    format!("{}-{stamp:x}", env!("CARGO_PKG_VERSION"))
}

/// Returns the import of a program, read once per version of the tool.
pub(super) async fn program(state: &AppState, program: &Program) -> Result<Outcome, WebError> {
    let tool = build(state);
    let kept = state.store.import(&program.id, &tool).await?;
    if let Some(outcome) = kept.and_then(|json| serde_json::from_str(&json).ok()) {
        return Ok(outcome);
    }
    let sources = state.store.sources(&program.id).await?;
    let outcome = specification(state, sources, Specification::default(), Strategy::default()).await?;
    let json = serde_json::to_string(&outcome).map_err(|e| WebError::Internal(e.to_string()))?;
    state.store.keep_import(&program.id, &tool, json).await?;
    Ok(outcome)
}

/// A program's environment, as far as a form states it.
pub(super) enum Surroundings {
    /// The form states nothing about it.
    Unstated,
    /// The form states something that is wrong.
    Mistaken,
    /// The reading with the form's statements, and the environment without its rows.
    Read(Box<Outcome>, Vec<SharedRow>),
}

/// Reads a program with the environment, assumptions and cycle that a form states.
///
/// Cost: a worker, and a second one where the entry, the dialect or the start is chosen.
pub(super) async fn surroundings(
    state: &AppState,
    program: &Program,
    plain: &Outcome,
    stated: Specification,
) -> Result<Surroundings, WebError> {
    let nothing = Specification { checks: Some(Vec::new()), assertions: Some(false), ..Specification::default() };
    let unshared = Specification {
        entry: stated.entry.clone(),
        project: stated.project.clone(),
        dialect: stated.dialect,
        start: stated.start,
        ..nothing.clone()
    };
    if stated == nothing {
        return Ok(Surroundings::Unstated);
    }
    let sources = state.store.sources(&program.id).await?;
    let default = if unshared == nothing {
        Some(plain.environment.clone())
    } else {
        read(state, sources.clone(), unshared).await?.map(|outcome| outcome.environment)
    };
    let stated = read(state, sources, stated).await?;
    Ok(match (stated, default) {
        (Some(stated), Some(default)) => Surroundings::Read(Box::new(stated), default),
        (_, _) => Surroundings::Mistaken,
    })
}

/// Returns the reading of a program with a specification; `None` with a mistake in either.
async fn read(state: &AppState, sources: Vec<Source>, stated: Specification) -> Result<Option<Outcome>, WebError> {
    match specification(state, sources, stated, Strategy::default()).await {
        Ok(outcome) => Ok(obstacles(&outcome).is_ok().then_some(outcome)),
        Err(WebError::NotReadable(_)) => Ok(None),
        Err(error) => Err(error),
    }
}

/// Returns the import of a program with a specification; the outcome's problems are the mistakes in it.
pub(super) async fn specification(
    state: &AppState,
    sources: Vec<Source>,
    specification: Specification,
    strategy: Strategy,
) -> Result<Outcome, WebError> {
    let job = Job { strategy, ..Job::new(texts(sources), specification, Task::Understand, state.config.import_limits) };
    let _permit = state.readers.acquire(&super::access::owner()).await?;
    let ended = supervise(&state.config.program, &job, state.shutdown.child_token(), &mut |_| {}).await;
    match ended {
        Ended::Succeeded(outcome) => Ok(*outcome),
        Ended::Failed { reason, .. } => Err(WebError::NotReadable(format!("Reading the program ended early: {reason}."))),
        Ended::Cancelled(_) => Err(WebError::Draining),
        Ended::TimedOut(_) => {
            let limit = job.limits.wall_s;
            Err(WebError::NotReadable(format!(
                "Reading the program took longer than {limit} s. Try again when the service does less, or upload fewer files."
            )))
        }
    }
}

/// Lets a worker write a text about the program of a job. `what`: its name in messages; `refused`: the error of a refusal.
pub(super) async fn written(
    state: &AppState,
    stored: &StoredJob,
    task: Task,
    what: &str,
    refused: impl Fn(String) -> WebError,
) -> Result<String, WebError> {
    let sources = texts(state.store.sources(&stored.program).await?);
    let job = Job::new(sources, specification_of(state, stored).await?, task, state.config.import_limits);
    let _permit = state.readers.acquire(&super::access::owner()).await?;
    match model(&state.config.program, &job, state.shutdown.child_token()).await {
        Written::Text(text) => Ok(text),
        Written::Refused(why) => Err(refused(why)),
        Written::NotUnderstood(outcome) => {
            obstacles(&outcome)?;
            Err(WebError::Internal("the worker understood the program and wrote nothing".into()))
        }
        Written::Failed(why) => Err(WebError::NotReadable(format!("Writing the {what} ended early: {why}."))),
        Written::Cancelled => Err(WebError::Draining),
    }
}

/// Refuses a program with errors and a specification that is wrong as a whole.
pub(super) fn obstacles(outcome: &Outcome) -> Result<(), WebError> {
    let errors: Vec<_> = outcome.import.stops().cloned().collect();
    if !errors.is_empty() {
        return Err(WebError::Program(errors));
    }
    if !outcome.problems.is_empty() {
        return Err(WebError::Specification(outcome.problems.clone()));
    }
    Ok(())
}

/// Refuses a run with nothing to decide: nothing is stated, or every requirement is stated wrongly.
pub(super) fn something_to_check(outcome: &Outcome) -> Result<(), WebError> {
    if outcome.results.is_empty() {
        return Err(WebError::Specification(vec![nothing_to_check()]));
    }
    if outcome.results.iter().any(|row| row.problems.is_empty()) {
        return Ok(());
    }
    Err(WebError::Specification(outcome.results.iter().flat_map(|row| &row.problems).cloned().collect()))
}

fn nothing_to_check() -> Problem {
    Problem {
        pointer: "/requirements".into(),
        message: "there is nothing to check: no requirement, no assertion, and no statement that an automatic check applies to"
            .into(),
        help: Some("State at least one requirement.".into()),
        rendered: String::new(),
        column: None,
    }
}

/// Sources as the worker takes them.
pub(super) fn texts(sources: Vec<Source>) -> Vec<SourceText> {
    sources.into_iter().map(|s| SourceText { name: s.name, text: s.text }).collect()
}
