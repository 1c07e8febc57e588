//! A project: its state at a glance, its versions, and the upload of a new one.

use askama::Template;
use axum::extract::{FromRequest, Path, Request, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Redirect, Response};

use super::page_with;
use super::projects::VersionRow;
use crate::report::headline::headline;
use crate::report::tally::Tally;
use crate::report::verdict_class::Colour;
use crate::store::jobs::JobState;
use crate::store::projects::Project;
use crate::store::projects::findings::KeptFinding;
use crate::store::projects::versions::{StoredVerdict, Version};
use crate::web::error::WebError;
use crate::web::job::{read, state_words};
use crate::web::kept::{self, KeptRow};
use crate::web::project;
use crate::web::read::FormParts;
use crate::web::state::AppState;
use crate::web::upload::Upload;

#[derive(Template)]
#[template(path = "pages/project.html")]
struct ProjectPage {
    project: Project,
    headline: (&'static str, String),
    /// The next step, in a sentence.
    advice: String,
    last: Option<VersionRow>,
    broken: Vec<BrokenRow>,
    n_more_broken: usize,
    rows: Vec<VersionRow>,
    more: bool,
    /// Kept counterexamples, newest first.
    kept: Vec<KeptRow>,
    /// Answers of the last version that were reused, of all.
    reused: (usize, usize),
    /// Mistakes of an upload.
    errors: Vec<String>,
}

/// Broken requirement on the page.
struct BrokenRow {
    id: String,
    since: i64,
    /// Its counterexample.
    href: String,
    /// Reason with which it is kept.
    kept: Option<String>,
}

/// Versions on the page of a project.
const VERSIONS: u32 = 10;
/// Broken requirements that are named.
const MAX_BROKEN: usize = 20;

/// Answers `GET /projects/{id}`
pub(crate) async fn get(State(state): State<AppState>, Path(id): Path<String>) -> Result<Response, WebError> {
    show(&state, &id, StatusCode::OK, Vec::new()).await
}

async fn show(state: &AppState, id: &str, status: StatusCode, errors: Vec<String>) -> Result<Response, WebError> {
    let project = project::find(state, id).await?;
    project::list_verdicts(state, id).await?;
    let mut versions = state.store.versions(id, None, VERSIONS + 1).await?;
    let more = VERSIONS < versions.len() as u32;
    versions.truncate(VERSIONS as usize);
    let (headline, advice) = glance(versions.first())?;
    let (mut broken, reused) = match versions.first() {
        Some(last) => (broken_rows(state, id, last).await?, project::reused(state, last).await?),
        None => (Vec::new(), (0, 0)),
    };
    let kept = kept::rows(state, id, versions.first()).await?;
    let n_more_broken = broken.len().saturating_sub(MAX_BROKEN);
    broken.truncate(MAX_BROKEN);
    let last = versions.first().cloned().map(VersionRow::new).transpose()?;
    let rows = versions.into_iter().map(VersionRow::new).collect::<Result<_, _>>()?;
    page_with(status, &ProjectPage { project, headline, advice, last, broken, n_more_broken, rows, more, kept, reused, errors })
}

/// Returns the broken requirements of a version with their counterexamples.
async fn broken_rows(state: &AppState, id: &str, version: &Version) -> Result<Vec<BrokenRow>, WebError> {
    let run = version.job.as_ref().map_or("", |job| job.id.as_str());
    let findings = state.store.findings_for(run).await?;
    let is_kept = |finding: &&KeptFinding, verdict: &StoredVerdict| {
        finding.project == id && finding.statement == verdict.statement && verdict.cone.as_ref() == Some(&finding.cone)
    };
    let row = |broken: project::Broken| BrokenRow {
        kept: findings.iter().find(|finding| is_kept(finding, &broken.verdict)).map(|finding| finding.reason.clone()),
        id: broken.verdict.requirement,
        since: broken.since,
        href: match broken.verdict.number {
            Some(number) => format!("/runs/{run}/requirements/{number}"),
            None => format!("/runs/{run}?only=violated"),
        },
    };
    Ok(project::broken(state, id, version).await?.into_iter().map(row).collect())
}

/// Returns whether the last version is safe, and the next step. Only a finished run has verdicts that count.
fn glance(last: Option<&Version>) -> Result<((&'static str, String), String), WebError> {
    let open = |words: String| (Colour::Open.css(), words);
    let Some(last) = last else {
        return Ok((open("– There is no version yet".into()), "Upload the program.".into()));
    };
    let Some(job) = &last.job else {
        let words = open(format!("– Version {} was not checked yet", last.number));
        return Ok((words, "Check it now, or upload another version.".into()));
    };
    if !job.state.is_final() {
        let words = open(format!("… Version {} is {}", last.number, state_words(job.state)));
        return Ok((words, "Wait for the end of the run; follow it on its page.".into()));
    }
    let tally: Option<Tally> = job.tally.as_deref().map(read).transpose()?;
    if tally.as_ref().is_some_and(|tally| !tally.is_consistent()) {
        let words = open(format!("– Version {} was checked by an earlier Scanproof", last.number));
        return Ok((words, "Check it again, or read the report.".into()));
    }
    let (colour, words) = headline(&tally.unwrap_or_default(), tally.is_some());
    let is_whole = job.state == JobState::Succeeded;
    let (colour, words) = match colour {
        _ if is_whole => (colour, words),
        // Verdicts of a run that ended early say nothing about what was not decided.
        Colour::Good => (Colour::Open, format!("– The run {}", state_words(job.state))),
        Colour::Warn | Colour::Bad | Colour::Open => (colour, format!("{words}; the run {}", state_words(job.state))),
    };
    let advice = match colour {
        Colour::Good => "Nothing to do until the program changes: then upload the new version.",
        Colour::Bad => "Look at the counterexample of each broken requirement, mend the program, and upload it as a new version.",
        Colour::Warn | Colour::Open => {
            "Look at what is not proved: the report names the reason and a step for each requirement. Until then it is unknown."
        }
    };
    Ok(((colour.css(), words), advice.into()))
}

/// Answers `POST /projects/{id}/versions`: adds the upload as a version and shows its run.
pub(crate) async fn upload(
    State(state): State<AppState>,
    Path(id): Path<String>,
    request: Request,
) -> Result<Response, WebError> {
    project::find(&state, &id).await?;
    let FormParts(form) = FormParts::from_request(request, &state).await?;
    let added = match Upload::read(form).await {
        Ok(upload) => project::add_version(&state, &id, upload.label, upload.sources).await,
        Err(error) => Err(error),
    };
    started(&state, &id, added.map(|(_, run)| run)).await
}

/// Answers `POST /projects/{id}/runs`: checks the last version with the requirements that are valid now.
pub(crate) async fn check_again(State(state): State<AppState>, Path(id): Path<String>) -> Result<Response, WebError> {
    let last = state.store.versions(&id, None, 1).await?.into_iter().next();
    let last = last.ok_or_else(|| WebError::NotFound(format!("version of project {id}")))?;
    started(&state, &id, project::check_again(&state, &id, &last).await).await
}

/// Shows a run that was started, or the project with the reason why none was.
async fn started(state: &AppState, id: &str, run: Result<String, WebError>) -> Result<Response, WebError> {
    let error = match run {
        Ok(run) => return Ok(Redirect::to(&format!("/runs/{run}")).into_response()),
        Err(error @ (WebError::NoProgram(_) | WebError::Specification(_) | WebError::Program(_))) => error,
        Err(error) => return Err(error),
    };
    let items = error.items();
    let place = |file: Option<String>, line: Option<u32>| match (file, line) {
        (Some(file), Some(line)) => format!("{file}, line {line}: "),
        (_, _) => String::new(),
    };
    let mut errors: Vec<String> = items.into_iter().map(|i| format!("{}{}", place(i.file, i.line), i.detail)).collect();
    if errors.is_empty() {
        errors.push(error.to_string());
    }
    show(state, id, StatusCode::UNPROCESSABLE_ENTITY, errors).await
}
