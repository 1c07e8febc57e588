//! The list of projects, and the way from a run to one.

use askama::Template;
use axum::extract::{Path, State};
use axum::response::{IntoResponse, Redirect, Response};
use serde::Deserialize;

use super::{When, page, percent, when};
use crate::report::tally::Tally;
use crate::store::jobs::JobState;
use crate::store::projects::versions::{NewVersion, Version};
use crate::web::error::WebError;
use crate::web::job::{self, read, state_words};
use crate::web::project;
use crate::web::read::Parameters;
use crate::web::state::AppState;

#[derive(Template)]
#[template(path = "pages/projects.html")]
struct ProjectsPage {
    search: String,
    rows: Vec<ProjectRow>,
    older: Option<String>,
}

struct ProjectRow {
    id: String,
    name: String,
    last: Option<VersionRow>,
}

/// A version in a table.
pub(super) struct VersionRow {
    pub(super) number: i64,
    pub(super) label: String,
    pub(super) program: String,
    pub(super) by: String,
    pub(super) when: When,
    /// The newest run.
    pub(super) run: Option<String>,
    /// Words for a state that is not plain success.
    pub(super) state: Option<&'static str>,
    pub(super) verdicts: Vec<(&'static str, String)>,
}

impl VersionRow {
    /// Returns the row of a version.
    pub(super) fn new(version: Version) -> Result<VersionRow, WebError> {
        let tally: Tally = match version.job.as_ref().and_then(|job| job.tally.as_deref()) {
            Some(json) => read(json)?,
            None => Tally::default(),
        };
        // A run of an earlier version counted in another way.
        let is_counted = tally.is_consistent();
        let state = match &version.job {
            None => Some("not checked yet"),
            Some(_) if !is_counted => Some("see its report"),
            Some(job) => (job.state != JobState::Succeeded).then(|| state_words(job.state)),
        };
        Ok(VersionRow {
            number: version.number,
            label: version.label,
            program: version.program,
            by: version.changed_by,
            when: when(version.created_ms),
            run: version.job.map(|job| job.id),
            state,
            verdicts: tally.present().filter(|_| is_counted).map(|(class, n)| (class.colour().css(), class.counted(n))).collect(),
        })
    }
}

/// Rows of a page.
const ROWS: u32 = 50;

#[derive(Debug, Deserialize)]
pub(crate) struct ListQuery {
    #[serde(default)]
    search: String,
    before: Option<String>,
}

/// Answers `GET /projects`
pub(crate) async fn get(State(state): State<AppState>, Parameters(query): Parameters<ListQuery>) -> Result<Response, WebError> {
    let search = query.search.trim().to_owned();
    let mut listed = state.store.projects(&search, query.before, ROWS + 1).await?;
    let more = ROWS < listed.len() as u32;
    listed.truncate(ROWS as usize);
    let older = listed.last().filter(|_| more);
    let older = older.map(|last| format!("/projects?search={}&before={}", percent(&search), last.project.id));
    let mut rows = Vec::new();
    for one in listed {
        let last = one.last.map(VersionRow::new).transpose()?;
        rows.push(ProjectRow { id: one.project.id, name: one.project.name, last });
    }
    page(&ProjectsPage { search, rows, older })
}

/// Answers `POST /runs/{id}/project`: makes a project of a run.
pub(crate) async fn keep(State(state): State<AppState>, Path(id): Path<String>) -> Result<Response, WebError> {
    let run = job::find(&state, &id).await?;
    let specification = job::specification(&state, &run).await?;
    let version = NewVersion { program: run.program, label: run.label.clone(), job: Some((run.id, false)) };
    let project = project::keep(&state, (run.label, String::new()), &specification, Some(version)).await?;
    Ok(Redirect::to(&format!("/projects/{project}")).into_response())
}
