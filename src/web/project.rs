//! Projects as pages and the API see them: statements read, versions started, and two versions compared.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::Serialize;
use sha2::{Digest, Sha256};
use utoipa::ToSchema;

use plc_frontend::text::unseen::is_unseen;

use super::error::WebError;
use super::job::{self, Order, read};
use super::state::AppState;
use super::{actor, upload};
use crate::report::comparison::text::{FileChange, files};
use crate::report::comparison::{Comparison, compare, is_broken, statement};
use crate::report::outcome::{Outcome, Problem, RequirementResult};
use crate::report::verdict_class::VerdictClass;
use crate::run::job::Strategy;
use crate::store::programs::Source;
use crate::store::projects::statements::Part;
use crate::store::projects::versions::{NewVersion, StoredVerdict, Version};
use crate::store::projects::{NewProject, Project};
use kernel::property::spec::Specification;

/// Differences between two versions.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct VersionComparison {
    /// Number of the older version.
    pub(super) from: i64,
    /// Number of the newer version.
    pub(super) to: i64,
    /// Reason why verdicts cannot be compared; the texts can.
    pub(super) no_verdicts: Option<String>,
    /// Differences in verdicts.
    pub(super) verdicts: Comparison,
    /// Files that differ.
    pub(super) files: Vec<FileChange>,
}

/// Longest name of a project.
pub(super) const MAX_NAME_CHARS: usize = 200;

/// Returns the project of that id.
pub(super) async fn find(state: &AppState, id: &str) -> Result<Project, WebError> {
    state.store.project(id).await?.ok_or_else(|| WebError::NotFound(format!("project {id}")))
}

/// Returns the version of that number.
pub(super) async fn version(state: &AppState, project: &str, number: i64) -> Result<Version, WebError> {
    let found = state.store.version(project, number).await?;
    found.ok_or_else(|| WebError::NotFound(format!("version {number} of this project")))
}

/// Returns a name for people; an error if it is blank.
pub(super) fn name(text: &str) -> Result<String, WebError> {
    let name: String = text.trim().chars().filter(|c| !is_unseen(*c)).take(MAX_NAME_CHARS).collect();
    if name.is_empty() { Err(mistake("/name", "A project needs a name.")) } else { Ok(name) }
}

fn mistake(pointer: &str, message: impl ToString) -> WebError {
    WebError::Specification(vec![Problem::new(pointer, message)])
}

/// Returns the requirements and the environment of a specification, each by itself.
pub(super) fn split(spec: &Specification) -> (Specification, Specification) {
    let requirements = Specification {
        requirements: spec.requirements.clone(),
        checks: spec.checks.clone(),
        assertions: spec.assertions,
        mutants: spec.mutants,
        ..Specification::default()
    };
    let none = Specification::default();
    let environment = Specification {
        requirements: none.requirements,
        checks: none.checks,
        assertions: none.assertions,
        mutants: none.mutants,
        ..spec.clone()
    };
    (requirements, environment)
}

/// Reads the text of one part. Keys of the other part are an error: nothing is dropped.
pub(super) fn parse(part: Part, text: &str) -> Result<Specification, WebError> {
    let spec = Specification::from_yaml(text).map_err(|e| mistake(&format!("/{}", part.name()), e))?;
    let (requirements, environment) = split(&spec);
    let (own, other, words) = match part {
        Part::Requirements => {
            (requirements, environment, "Entry, cycle time, variables and assumptions belong to the environment.")
        }
        Part::Environment => (environment, requirements, "Requirements and checks belong to the requirements."),
    };
    if other == Specification::default() { Ok(own) } else { Err(mistake(&format!("/{}", part.name()), words)) }
}

/// Returns the valid statements of a project as one specification.
pub(super) async fn specification(state: &AppState, project: &str) -> Result<Specification, WebError> {
    let mut read = Vec::new();
    for part in [Part::Requirements, Part::Environment] {
        let stated = state.store.statement(project, part).await?;
        let stated = stated.ok_or_else(|| WebError::NotFound(format!("project {project}")))?;
        read.push(parse(part, &stated.after)?);
    }
    let [requirements, environment] =
        <[Specification; 2]>::try_from(read).map_err(|_| WebError::Internal("a project has two statements".into()))?;
    Ok(Specification {
        requirements: requirements.requirements,
        checks: requirements.checks,
        assertions: requirements.assertions,
        mutants: requirements.mutants,
        ..environment
    })
}

/// Returns a text without lines that state nothing. Lines of longer values are indented, so none of them is one.
fn without_line(text: &str, line: &str) -> String {
    text.split_inclusive('\n').filter(|kept| kept.trim_end() != line).collect()
}

/// Makes a project of a program and what is stated about it.
pub(super) async fn keep(
    state: &AppState,
    (name, note): (String, String),
    spec: &Specification,
    version: Option<NewVersion>,
) -> Result<String, WebError> {
    let (requirements, environment) = split(spec);
    let new = NewProject {
        name,
        note,
        requirements: without_line(&requirements.to_yaml(), "assumptions: []"),
        environment: without_line(&environment.to_yaml(), "requirements: []"),
        version,
        changed_by: actor::name(),
    };
    Ok(state.store.add_project(new).await?)
}

/// Starts a run of a program with the statements of a project, and returns its id.
async fn start(state: &AppState, project: &str, program: &str) -> Result<String, WebError> {
    let order = Order {
        program: super::api::programs::find(state, program).await?,
        specification: specification(state, project).await?,
        limits: state.config.default_limits,
        strategy: Strategy::default(),
        project: Some(project.to_owned()),
    };
    Ok(job::queue(state, order).await?.id)
}

/// Adds a version and starts its run. Nothing is added if the run cannot start.
pub(super) async fn add_version(
    state: &AppState,
    project: &str,
    label: Option<String>,
    sources: Vec<Source>,
) -> Result<(i64, String), WebError> {
    let label = upload::program_label(label, &sources);
    let (program, _) = super::quota::keep(state, label.clone(), sources).await?;
    let run = start(state, project, &program.id).await?;
    let version = NewVersion { program: program.id, label: label.words, job: Some((run.clone(), true)) };
    let number = state.store.add_version(project, version, actor::name()).await?;
    Ok((number.ok_or_else(|| WebError::NotFound(format!("project {project}")))?, run))
}

/// Starts another run of a version, with the valid statements.
pub(super) async fn check_again(state: &AppState, project: &str, version: &Version) -> Result<String, WebError> {
    let run = start(state, project, &version.program).await?;
    state.store.add_version_job(project, version.number, &run).await?;
    Ok(run)
}

/// Lists the verdicts of runs that were not listed at their end, by an earlier Scanproof. Each run is listed once.
pub(super) async fn list_verdicts(state: &AppState, project: &str) -> Result<(), WebError> {
    for id in state.store.unlisted(project).await? {
        let outcome: Option<Outcome> = state.store.outcome(&id).await?.map(|json| read(&json)).transpose()?;
        state.store.list_verdicts(&id, outcome.as_ref().map(verdicts).unwrap_or_default()).await?;
    }
    Ok(())
}

/// Returns the verdicts of a run as they are listed.
pub(super) fn verdicts(outcome: &Outcome) -> Vec<StoredVerdict> {
    let verdict = |(at, result): (usize, &RequirementResult)| StoredVerdict {
        requirement: result.id.clone(),
        statement: digest(result),
        class: VerdictClass::of(result).name(),
        number: u32::try_from(at + 1).ok(),
        reused: result.reused,
        cone: result.cone.clone(),
    };
    outcome.results.iter().enumerate().map(verdict).collect()
}

/// Returns the digest of what a requirement states.
pub(super) fn digest(result: &RequirementResult) -> String {
    Sha256::digest(statement(result)).iter().map(|b| format!("{b:02x}")).collect()
}

/// Returns the names of the classes of broken requirements.
pub(super) fn broken_classes() -> Vec<String> {
    VerdictClass::all().filter(|class| is_broken(*class)).map(VerdictClass::name).collect()
}

/// Broken requirement of a version's newest run.
pub(super) struct Broken {
    /// Its verdict.
    pub(super) verdict: StoredVerdict,
    /// The version since which it is broken.
    pub(super) since: i64,
}

/// Returns the broken requirements of a version's newest run, in the order of its report.
pub(super) async fn broken(state: &AppState, project: &str, version: &Version) -> Result<Vec<Broken>, WebError> {
    let Some(job) = &version.job else { return Ok(Vec::new()) };
    let classes = broken_classes();
    let mut broken = state.store.verdicts(&job.id).await?;
    broken.retain(|verdict| classes.contains(&verdict.class));
    let since: BTreeMap<String, i64> = state.store.since(project, version.number, broken.clone(), classes).await?;
    let since = |verdict: StoredVerdict| {
        let since = since.get(&verdict.requirement).copied().unwrap_or(version.number);
        Broken { verdict, since }
    };
    Ok(broken.into_iter().map(since).collect())
}

/// Returns the number of answers of a version's newest run that were reused, and of all its answers.
pub(super) async fn reused(state: &AppState, version: &Version) -> Result<(usize, usize), WebError> {
    let Some(job) = &version.job else { return Ok((0, 0)) };
    let verdicts = state.store.verdicts(&job.id).await?;
    Ok((verdicts.iter().filter(|verdict| verdict.reused).count(), verdicts.len()))
}

/// Outcome of a version's newest run and the environment that it had; or the reason why there is none.
async fn side(state: &AppState, version: &Version) -> Result<Result<(Arc<Outcome>, String), String>, WebError> {
    let Some(run) = &version.job else { return Ok(Err(format!("Version {} was not checked.", version.number))) };
    let stored = job::find(state, &run.id).await?;
    match job::shared_outcome(state, &stored).await {
        Ok(outcome) => {
            let (_, environment) = split(&job::specification(state, &stored).await?);
            Ok(Ok((outcome, environment.to_yaml())))
        }
        Err(error @ (WebError::NoOutcome(_) | WebError::NotEnded(_))) => Ok(Err(format!("Version {}: {error}", version.number))),
        Err(error) => Err(error),
    }
}

/// Returns the differences between two versions.
pub(super) async fn comparison(state: &AppState, project: &str, (from, to): (i64, i64)) -> Result<VersionComparison, WebError> {
    let (old, new) = (version(state, project, from).await?, version(state, project, to).await?);
    let (before, after) = (side(state, &old).await?, side(state, &new).await?);
    let (old, new) = (state.store.sources(&old.program).await?, state.store.sources(&new.program).await?);
    // Differences of large files take time.
    let compared = tokio::task::spawn_blocking(move || {
        let pous = after.as_ref().map_or(&[][..], |(outcome, _)| &outcome.import.pous);
        let (old, new) = (names_and_texts(&old), names_and_texts(&new));
        let files = files(&old, &new, pous);
        match (&before, &after) {
            (Ok((old, one)), Ok((new, other))) => (None, compare(old, new, (one, other)), files),
            (Err(why), _) | (_, Err(why)) => (Some(why.clone()), Comparison::default(), files),
        }
    });
    let (no_verdicts, verdicts, files) = compared.await.map_err(|e| WebError::Internal(e.to_string()))?;
    Ok(VersionComparison { from, to, no_verdicts, verdicts, files })
}

fn names_and_texts(sources: &[Source]) -> Vec<(&str, &str)> {
    sources.iter().map(|source| (source.name.as_str(), source.text.as_str())).collect()
}
