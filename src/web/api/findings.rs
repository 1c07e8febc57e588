//! Kept counterexamples of a project: keep one with a reason, list them, take one back.

use axum::Json;
use axum::extract::{Path, State};
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::web::error::{ProblemDetails, WebError};
use crate::web::job::rfc3339;
use crate::web::kept::{self, KeptRow, KeptState};
use crate::web::read::JsonBody;
use crate::web::state::AppState;
use crate::web::{job, project};

/// Counterexample to keep. The requirement stays broken: verdict, colour and exit code do not change.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, expecting = "an object")]
pub(crate) struct NewFindingBody {
    /// Id of a run of the project.
    job: String,
    /// Id of the requirement, or its number from 1.
    requirement: String,
    /// Reason.
    reason: String,
}

/// A kept counterexample.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct FindingView {
    /// Its number.
    id: i64,
    /// Id of the requirement.
    requirement: String,
    /// Id of the run with the counterexample.
    job: String,
    /// Reason.
    reason: String,
    /// RFC 3339.
    kept: String,
    /// Author; empty without accounts.
    by: String,
    /// RFC 3339, once it was taken back.
    ended: Option<String>,
    /// Meaning for the last version of the project.
    state: KeptState,
}

/// Kept counterexamples, newest first.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct FindingList {
    /// The counterexamples.
    findings: Vec<FindingView>,
}

fn view(row: KeptRow) -> FindingView {
    let KeptRow { finding, state, .. } = row;
    FindingView {
        id: finding.id,
        requirement: finding.requirement,
        job: finding.job,
        reason: finding.reason,
        kept: rfc3339(finding.at_ms),
        by: finding.changed_by,
        ended: finding.ended_ms.map(rfc3339),
        state,
    }
}

async fn views(state: &AppState, id: &str) -> Result<Vec<FindingView>, WebError> {
    project::find(state, id).await?;
    let last = state.store.versions(id, None, 1).await?.into_iter().next();
    Ok(kept::rows(state, id, last.as_ref()).await?.into_iter().map(view).collect())
}

/// Kept counterexamples of a project, newest first, with those that were taken back.
#[utoipa::path(
    get, path = "/api/v1/projects/{id}/findings", tag = "projects", params(("id" = String, Path)),
    responses(
        (status = 200, body = FindingList),
        (status = 404, body = ProblemDetails, content_type = "application/problem+json"),
    )
)]
pub(crate) async fn list(State(state): State<AppState>, Path(id): Path<String>) -> Result<Json<FindingList>, WebError> {
    Ok(Json(FindingList { findings: views(&state, &id).await? }))
}

/// Keeps a counterexample with a reason. The requirement stays broken; reports add the reason.
#[utoipa::path(
    post, path = "/api/v1/projects/{id}/findings", tag = "projects", params(("id" = String, Path)),
    request_body = NewFindingBody,
    responses(
        (status = 201, description = "Kept; Location is its address", body = FindingView),
        (status = 404, description = "No such project, or no such run or requirement in it", body = ProblemDetails, content_type = "application/problem+json"),
        (status = 409, description = "The run has not ended, or without results", body = ProblemDetails, content_type = "application/problem+json"),
        (status = 415, body = ProblemDetails, content_type = "application/problem+json"),
        (status = 422, description = "No reason, or the requirement is not broken", body = ProblemDetails, content_type = "application/problem+json"),
    )
)]
pub(crate) async fn create(
    State(state): State<AppState>,
    Path(id): Path<String>,
    JsonBody(new): JsonBody<NewFindingBody>,
) -> Result<Response, WebError> {
    project::find(&state, &id).await?;
    let outcome = job::outcome(&state, &job::find(&state, &new.job).await?).await?;
    let at = super::results::position(&outcome.results, &new.requirement)?;
    kept::keep(&state, &id, &new.job, (&outcome.results[at], &new.reason)).await?;
    let newest = views(&state, &id).await?.into_iter().next();
    let newest = newest.ok_or_else(|| WebError::Internal("a finding that was kept is not there".into()))?;
    let location = format!("/api/v1/projects/{id}/findings/{}", newest.id);
    let location = HeaderValue::from_str(&location).map_err(|error| WebError::Internal(error.to_string()))?;
    Ok((StatusCode::CREATED, [(header::LOCATION, location)], Json(newest)).into_response())
}

/// A kept counterexample.
#[utoipa::path(
    get, path = "/api/v1/projects/{id}/findings/{finding}", tag = "projects",
    params(("id" = String, Path), ("finding" = i64, Path)),
    responses(
        (status = 200, body = FindingView),
        (status = 404, body = ProblemDetails, content_type = "application/problem+json"),
    )
)]
pub(crate) async fn get(
    State(state): State<AppState>,
    Path((id, finding)): Path<(String, i64)>,
) -> Result<Json<FindingView>, WebError> {
    let found = views(&state, &id).await?.into_iter().find(|view| view.id == finding);
    found.map(Json).ok_or_else(|| WebError::NotFound("kept finding of that number in this project".into()))
}

/// Takes a kept counterexample back. It stays in the list, with the time of its end.
#[utoipa::path(
    delete, path = "/api/v1/projects/{id}/findings/{finding}", tag = "projects",
    params(("id" = String, Path), ("finding" = i64, Path)),
    responses(
        (status = 204, description = "Taken back"),
        (status = 404, description = "None that counts", body = ProblemDetails, content_type = "application/problem+json"),
    )
)]
pub(crate) async fn end(State(state): State<AppState>, Path((id, finding)): Path<(String, i64)>) -> Result<StatusCode, WebError> {
    kept::end(&state, &id, finding).await?;
    Ok(StatusCode::NO_CONTENT)
}
