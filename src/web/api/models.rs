//! Models for other tools: the question of one requirement in a format of theirs, written when it is asked for.

use axum::extract::{Path, State};
use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse, Response};
use serde::Deserialize;
use utoipa::IntoParams;

use super::results::one;
use crate::export::{FORMATS, format};
use crate::run::job::{Job, Limits, Strategy, Task, Wanted};
use crate::run::model::{Written, model};
use crate::web::error::{ProblemDetails, WebError};
use crate::web::job::{find, read};
use crate::web::read::Parameters;
use crate::web::state::AppState;
use crate::web::understand::{obstacles, texts};

/// Which file.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct ModelQuery {
    /// theta, chc, btor2, smv or c.
    #[param(required = true)]
    format: Option<String>,
    /// 1: without what cannot influence the answer.
    reduced: Option<u8>,
}

/// The model of one requirement for another tool. Its header says how that tool's answer is to be read.
#[utoipa::path(
    get, path = "/api/v1/jobs/{id}/results/{requirement}/model", tag = "results",
    params(("id" = String, Path), ("requirement" = String, Path), ModelQuery),
    responses(
        (status = 200, description = "The file", body = String, content_type = "text/plain"),
        (status = 404, body = ProblemDetails, content_type = "application/problem+json"),
        (status = 409, body = ProblemDetails, content_type = "application/problem+json"),
        (status = 422, description = "No such format, or it cannot say what the program does", body = ProblemDetails, content_type = "application/problem+json"),
    )
)]
pub(crate) async fn get(
    State(state): State<AppState>,
    Path((id, requirement)): Path<(String, String)>,
    Parameters(query): Parameters<ModelQuery>,
) -> Result<Response, WebError> {
    let Some(named) = &query.format else {
        let formats: Vec<String> = FORMATS.iter().map(|f| format!("`?format={}`", f.name)).collect();
        return Err(WebError::Parameter(format!("The address does not say in which format: add one of {}.", formats.join(", "))));
    };
    let format = format(named).map_err(|e| WebError::Parameter(format!("format: {e}")))?;
    let result = one(&state, &id, &requirement).await?;
    let stored = find(&state, &id).await?;
    let specification = state.store.specification(&stored.specification).await?;
    let specification = specification.ok_or_else(|| WebError::Internal("the job's specification is missing".into()))?;
    let wanted =
        Wanted { requirement: Some(result.id), format: format.name.to_owned(), reduced: query.reduced.is_some_and(|n| n != 0) };
    let job = Job {
        sources: texts(state.store.sources(&stored.program).await?),
        specification: read(&specification)?,
        task: Task::Export(wanted),
        limits: Limits { ..state.config.understand_limits },
        strategy: Strategy::default(),
        earlier: Vec::new(),
    };
    let _permit = state.readers.acquire().await.map_err(|_| WebError::Draining)?;
    let text = match model(&state.config.program, &job, state.shutdown.child_token()).await {
        Written::Text(text) => text,
        Written::Refused(why) => return Err(WebError::Parameter(format!("format: {why}"))),
        Written::NotUnderstood(outcome) => {
            obstacles(&outcome)?;
            return Err(WebError::Internal("the worker understood the program and wrote nothing".into()));
        }
        Written::Failed(why) => return Err(WebError::NotReadable(format!("Writing the model ended early: {why}."))),
        Written::Cancelled => return Err(WebError::Draining),
    };
    let name = HeaderValue::from_str(&format!("attachment; filename=\"model.{}\"", format.ending));
    let name = name.map_err(|e| WebError::Internal(e.to_string()))?;
    let kind = HeaderValue::from_static("text/plain; charset=utf-8");
    Ok(([(header::CONTENT_DISPOSITION, name), (header::CONTENT_TYPE, kind)], text).into_response())
}
