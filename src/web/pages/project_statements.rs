//! Requirements or environment of a project: the valid text, and every change.

use askama::Template;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Redirect, Response};
use serde::Deserialize;

use super::{When, page, page_with, when};
use crate::report::comparison::text::{FileChange, files};
use crate::store::projects::Project;
use crate::store::projects::statements::{Part, Statement};
use crate::web::actor;
use crate::web::error::WebError;
use crate::web::project::{self, parse};
use crate::web::read::{FormBody, Parameters};
use crate::web::state::AppState;

#[derive(Template)]
#[template(path = "pages/project_statements.html")]
struct StatementsPage {
    project: Project,
    part: Part,
    revision: i64,
    text: String,
    error: Option<String>,
    changes: Vec<ChangeRow>,
    older: Option<i64>,
}

struct ChangeRow {
    revision: i64,
    when: When,
    by: String,
    diff: Vec<FileChange>,
}

/// Changes on a page of the history.
const ROWS: u32 = 20;

fn part(name: &str) -> Result<Part, WebError> {
    let found = [Part::Requirements, Part::Environment].into_iter().find(|part| part.name() == name);
    found.ok_or_else(|| WebError::NotFound(format!("statement {name}")))
}

#[derive(Debug, Deserialize)]
pub(crate) struct HistoryQuery {
    before: Option<i64>,
}

/// Answers `GET /projects/{id}/statements/{part}`
pub(crate) async fn get(
    State(state): State<AppState>,
    Path((id, name)): Path<(String, String)>,
    Parameters(query): Parameters<HistoryQuery>,
) -> Result<Response, WebError> {
    page(&statements(&state, &id, part(&name)?, query.before).await?)
}

async fn statements(state: &AppState, id: &str, part: Part, before: Option<i64>) -> Result<StatementsPage, WebError> {
    let project = project::find(state, id).await?;
    let valid = state.store.statement(id, part).await?;
    let valid = valid.ok_or_else(|| WebError::Internal("a project without statements".into()))?;
    let mut changes = state.store.statements(id, part, before, ROWS + 1).await?;
    let more = ROWS < changes.len() as u32;
    changes.truncate(ROWS as usize);
    let older = changes.last().filter(|_| more).map(|last| last.revision);
    let (text, revision, error) = (valid.after, valid.revision, None);
    let changes = changes.into_iter().map(ChangeRow::new).collect();
    Ok(StatementsPage { project, part, revision, text, error, changes, older })
}

impl ChangeRow {
    fn new(change: Statement) -> ChangeRow {
        let diff = files(&[("", &change.before)], &[("", &change.after)], &[]);
        ChangeRow { revision: change.revision, when: when(change.at_ms), by: change.changed_by, diff }
    }
}

/// Answers `POST /projects/{id}/statements/{part}`: changes a text, or shows it again with its mistake.
pub(crate) async fn post(
    State(state): State<AppState>,
    Path((id, name)): Path<(String, String)>,
    FormBody(fields): FormBody,
) -> Result<Response, WebError> {
    let part = part(&name)?;
    let field = |name: &str| fields.iter().find(|(n, _)| n == name).map(|(_, value)| value.replace("\r\n", "\n"));
    let text = field("text").unwrap_or_default();
    let revision = field("revision").and_then(|revision| revision.parse().ok()).unwrap_or(0);
    let error = match parse(part, &text) {
        Ok(_) if state.store.state(&id, (part, revision), text.clone(), actor::name()).await? => {
            return Ok(Redirect::to(&format!("/projects/{id}/statements/{name}")).into_response());
        }
        Ok(_) => "This text was changed meanwhile. Your text is below; the change of the others is in the history.".to_owned(),
        Err(error) => error.to_string(),
    };
    let page = statements(&state, &id, part, None).await?;
    page_with(StatusCode::UNPROCESSABLE_ENTITY, &StatementsPage { text, error: Some(error), ..page })
}
