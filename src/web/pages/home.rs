//! The start: a form to check a program, samples to try, and recent runs.

use std::collections::BTreeMap;

use askama::Template;
use axum::extract::{FromRequest, Path, Request, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Redirect, Response};
use serde::Deserialize;

use super::{When, duration, page, page_with, percent, when};
use crate::report::tally::Tally;
use crate::store::jobs::{JobFilter, JobState, StoredJob};
use crate::store::programs::{Label, Source};
use crate::web::error::WebError;
use crate::web::form::Form;
use crate::web::job::{self, json, state_words};
use crate::web::read::{FormParts, Parameters};
use crate::web::state::AppState;
use crate::web::upload::{Upload, label, program_label};
use answer::samples::{self, Sample};
use kernel::property::spec::Specification;

#[derive(Template)]
#[template(path = "pages/home.html")]
struct HomePage {
    runs: Vec<RunRow>,
    older: Option<String>,
    newest_shown: bool,
    families: BTreeMap<String, Vec<Sample>>,
    n_samples: usize,
    error: Option<String>,
}

struct RunRow {
    href: String,
    label: String,
    when: When,
    /// Words for a state that is not plain success.
    state: Option<&'static str>,
    verdicts: Vec<(&'static str, String)>,
    took: String,
}

/// Rows of a page of runs.
const RUNS: u32 = 25;

#[derive(Debug, Deserialize)]
pub(crate) struct HomeQuery {
    before: Option<String>,
}

/// Returns `GET /`
pub(crate) async fn get(State(state): State<AppState>, Parameters(query): Parameters<HomeQuery>) -> Result<Response, WebError> {
    page(&home(&state, query.before, None).await?)
}

async fn home(state: &AppState, before: Option<String>, error: Option<String>) -> Result<HomePage, WebError> {
    let newest_shown = before.is_none();
    let mut jobs = state.store.jobs(JobFilter { before, ..JobFilter::default() }, RUNS + 1).await?;
    let more = RUNS < jobs.len() as u32;
    jobs.truncate(RUNS as usize);
    let older = jobs.last().filter(|_| more).map(|j| j.id.clone());
    let mut runs = Vec::new();
    for job in jobs {
        runs.push(run_row(state, job).await?);
    }
    let mut families: BTreeMap<String, Vec<Sample>> = BTreeMap::new();
    let samples = samples::all();
    let n_samples = samples.len();
    for sample in samples {
        let family = sample.name.split('/').next().unwrap_or_default().to_string();
        families.entry(family).or_default().push(sample);
    }
    Ok(HomePage { runs, older, newest_shown, families, n_samples, error })
}

async fn run_row(state: &AppState, job: StoredJob) -> Result<RunRow, WebError> {
    let tally = job::tally(state, &job).await?;
    Ok(RunRow {
        href: format!("/runs/{}", job.id),
        when: when(job.begun_ms()),
        state: (job.state != JobState::Succeeded).then(|| state_words(job.state)),
        verdicts: verdicts(&tally),
        took: job.took_ms().map_or(String::new(), duration),
        label: job.label,
    })
}

/// Returns the answers that there are, the worst first, each with the style class of its colour.
fn verdicts(tally: &Tally) -> Vec<(&'static str, String)> {
    tally.present().map(|(class, n)| (class.colour().css(), class.counted(n))).collect()
}

/// Answers `POST /check`: keeps the upload, then shows its import.
pub(crate) async fn check(State(state): State<AppState>, request: Request) -> Result<Response, WebError> {
    let FormParts(form) = FormParts::from_request(request, &state).await?;
    let mut upload = match Upload::read(form).await {
        Ok(upload) => upload,
        Err(WebError::NoProgram(words)) => {
            return page_with(StatusCode::UNPROCESSABLE_ENTITY, &home(&state, None, Some(words)).await?);
        }
        Err(error) => return Err(error),
    };
    let stated_in = upload.take_requirements().join("\n");
    let label = program_label(upload.label, &upload.sources);
    keep(&state, (label, upload.sources), upload.requirements, &stated_in).await
}

/// Returns `POST /samples/{path}`: the same with a sample.
pub(crate) async fn sample(State(state): State<AppState>, Path(path): Path<String>) -> Result<Response, WebError> {
    let found = samples::all().into_iter().find(|s| s.name == path);
    let sample = found.ok_or_else(|| WebError::NotFound(format!("sample {path}")))?;
    let name = label(&sample.file);
    let title = Label { words: sample.title, is_chosen: true };
    keep(&state, (title, vec![Source { name, text: sample.source, note: None }]), sample.specification, "").await
}

/// Returns `stated_in`: names of the files of the upload that hold requirements, one a line, the one that was read first.
async fn keep(
    state: &AppState,
    (label, sources): (Label, Vec<Source>),
    requirements: Option<String>,
    stated_in: &str,
) -> Result<Response, WebError> {
    let (program, _) = crate::web::quota::keep(state, label, sources).await?;
    let address = format!("/programs/{}", program.id);
    let Some(text) = requirements else { return Ok(Redirect::to(&address).into_response()) };
    match Specification::from_yaml(&text) {
        Ok(specification) => {
            let id = state.store.add_specification(json(&specification)?).await?;
            let stated_in = match stated_in {
                "" => String::new(),
                names => format!("&stated_in={}", percent(names)),
            };
            Ok(Redirect::to(&format!("{address}?specification={id}{stated_in}")).into_response())
        }
        // The program is kept; the requirement file comes back as text, with its mistakes.
        Err(_) => {
            let mut form = Form::from_specification(&Specification::default());
            form.as_yaml = true;
            form.yaml.value = text;
            form.specification();
            form.stated_in = Some(stated_in).filter(|names| !names.is_empty()).map(super::program::read_from);
            super::program::show(state, program, form, StatusCode::UNPROCESSABLE_ENTITY).await
        }
    }
}
