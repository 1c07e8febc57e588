//! Counterexamples that are kept with a reason, and taken back.

use axum::extract::{Path, State};
use axum::response::{IntoResponse, Redirect, Response};

use crate::web::error::WebError;
use crate::web::read::FormBody;
use crate::web::state::AppState;
use crate::web::{job, kept};

/// Answers `POST /runs/{id}/requirements/{number}/kept`: keeps the counterexample with a reason.
pub(crate) async fn keep(
    State(state): State<AppState>,
    Path((id, number)): Path<(String, usize)>,
    FormBody(fields): FormBody,
) -> Result<Response, WebError> {
    let field = |name: &str| fields.iter().find(|(of, _)| of == name).map_or("", |(_, value)| value.trim());
    let stored = job::find(&state, &id).await?;
    let outcome = job::outcome(&state, &stored).await?;
    let missing = || WebError::NotFound("requirement of that number in this run".into());
    let result = number.checked_sub(1).and_then(|at| outcome.results.get(at)).ok_or_else(missing)?;
    kept::keep(&state, field("project"), &id, (result, field("reason"))).await?;
    Ok(Redirect::to(&format!("/runs/{id}/requirements/{number}")).into_response())
}

/// Answers `POST /projects/{id}/findings/{finding}/end`: takes a finding back.
pub(crate) async fn end(State(state): State<AppState>, Path((id, finding)): Path<(String, i64)>) -> Result<Response, WebError> {
    kept::end(&state, &id, finding).await?;
    Ok(Redirect::to(&format!("/projects/{id}#kept")).into_response())
}
