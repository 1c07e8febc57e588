//! Models of requirements in the formats of other tools, written on demand.

use axum::extract::{Path, State};
use axum::response::Response;
use serde::Deserialize;
use utoipa::IntoParams;

use super::attachment;
use super::results::one;
use crate::export::{FORMATS, format};
use crate::run::job::{Task, Wanted};
use crate::web::error::{ProblemDetails, WebError};
use crate::web::file_name::file_name;
use crate::web::imports::written;
use crate::web::job::find;
use crate::web::read::Parameters;
use crate::web::state::AppState;

/// Format and extent of the file.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct ModelQuery {
    /// theta, chc, btor2, smv or c.
    #[param(required = true, pattern = "^(theta|chc|btor2|smv|c)$")]
    format: Option<String>,
    /// 1: without parts that cannot influence the answer.
    #[param(maximum = 255)]
    reduced: Option<u8>,
}

/// The model of one requirement for another tool. Its header says how to read that tool's answer.
#[utoipa::path(
    get, path = "/api/v1/jobs/{id}/results/{requirement}/model", tag = "results",
    params(("id" = String, Path), ("requirement" = String, Path), ModelQuery),
    responses(
        (status = 200, description = "The file", body = String, content_type = "text/plain"),
        (status = 404, body = ProblemDetails, content_type = "application/problem+json"),
        (status = 409, body = ProblemDetails, content_type = "application/problem+json"),
        (status = 422, description = "Unknown format, or a format that cannot express the program", body = ProblemDetails, content_type = "application/problem+json"),
    )
)]
pub(crate) async fn get(
    State(state): State<AppState>,
    Path((id, requirement)): Path<(String, String)>,
    Parameters(query): Parameters<ModelQuery>,
) -> Result<Response, WebError> {
    let Some(named) = &query.format else {
        let formats: Vec<String> = FORMATS.iter().map(|f| format!("`?format={}`", f.name)).collect();
        return Err(WebError::Parameter(format!("The address names no format: add one of {}.", formats.join(", "))));
    };
    let format = format(named).map_err(|e| WebError::Parameter(format!("format: {e}")))?;
    let result = one(&state, &id, &requirement).await?;
    let stored = find(&state, &id).await?;
    let reduced = query.reduced.is_some_and(|n| n != 0);
    let id = result.id.clone();
    let task = Task::Export(Wanted { requirement: Some(result.id), format: format.name.to_owned(), reduced });
    let refused = |why| WebError::Parameter(format!("format: {why}"));
    let text = written(&state, &stored, task, "model", refused).await?;
    let name = file_name(&state, &stored, Some(&id), &format!("model.{}", format.ending)).await?;
    attachment(&name, text)
}
