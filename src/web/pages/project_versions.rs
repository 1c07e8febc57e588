//! All versions of a project, in pages.

use askama::Template;
use axum::extract::{Path, State};
use axum::response::Response;
use serde::Deserialize;

use super::page;
use super::projects::VersionRow;
use crate::store::projects::Project;
use crate::web::error::WebError;
use crate::web::project;
use crate::web::read::Parameters;
use crate::web::state::AppState;

#[derive(Template)]
#[template(path = "pages/project_versions.html")]
struct VersionsPage {
    project: Project,
    rows: Vec<VersionRow>,
    older: Option<i64>,
}

/// Versions on a page.
const ROWS: u32 = 50;

#[derive(Debug, Deserialize)]
pub(crate) struct VersionsQuery {
    before: Option<i64>,
}

/// Answers `GET /projects/{id}/versions`
pub(crate) async fn get(
    State(state): State<AppState>,
    Path(id): Path<String>,
    Parameters(query): Parameters<VersionsQuery>,
) -> Result<Response, WebError> {
    let project = project::find(&state, &id).await?;
    let mut versions = state.store.versions(&id, query.before, ROWS + 1).await?;
    let more = ROWS < versions.len() as u32;
    versions.truncate(ROWS as usize);
    let older = versions.last().filter(|_| more).map(|last| last.number);
    let rows = versions.into_iter().map(VersionRow::new).collect::<Result<_, _>>()?;
    page(&VersionsPage { project, rows, older })
}
