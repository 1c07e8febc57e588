//! Deletion of runs, programs and projects.

use axum::extract::{Path, State};
use axum::http::StatusCode;

use crate::store::retention::Deletion;
use crate::web::access::CurrentUser;
use crate::web::error::{ProblemDetails, WebError};
use crate::web::state::AppState;

/// Deletes a run that has ended, with its events and results. Users delete their own runs, administrators all.
#[utoipa::path(
    delete, path = "/api/v1/jobs/{id}", tag = "jobs", params(("id" = String, Path)),
    responses(
        (status = 204, description = "Deleted"),
        (status = 403, description = "The run of another user", body = ProblemDetails, content_type = "application/problem+json"),
        (status = 404, body = ProblemDetails, content_type = "application/problem+json"),
        (status = 409, description = "It has not ended, or a project holds it", body = ProblemDetails, content_type = "application/problem+json"),
    )
)]
pub(crate) async fn job(
    State(state): State<AppState>,
    Path(id): Path<String>,
    user: CurrentUser,
) -> Result<StatusCode, WebError> {
    delete_job(&state, &id, &user).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Deletes a run that this user may delete.
pub(crate) async fn delete_job(state: &AppState, id: &str, user: &CurrentUser) -> Result<(), WebError> {
    answer(state.store.delete_job(id, user.governs()).await?, || format!("run {id}"))
}

/// Deletes a program that nothing needs. Users delete their own uploads: a program that another user uploaded, too, stays for that user.
#[utoipa::path(
    delete, path = "/api/v1/programs/{id}", tag = "programs", params(("id" = String, Path)),
    responses(
        (status = 204, description = "Deleted"),
        (status = 403, description = "The program of another user", body = ProblemDetails, content_type = "application/problem+json"),
        (status = 404, body = ProblemDetails, content_type = "application/problem+json"),
        (status = 409, description = "A run needs it, or a project holds it", body = ProblemDetails, content_type = "application/problem+json"),
    )
)]
pub(crate) async fn program(
    State(state): State<AppState>,
    Path(id): Path<String>,
    user: CurrentUser,
) -> Result<StatusCode, WebError> {
    delete_program(&state, &id, &user).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Deletes a program that this user may delete.
pub(crate) async fn delete_program(state: &AppState, id: &str, user: &CurrentUser) -> Result<(), WebError> {
    answer(state.store.delete_program(id, user.governs()).await?, || format!("program {id}"))
}

/// Deletes a project that this user may delete.
pub(crate) async fn delete_project(state: &AppState, id: &str, user: &CurrentUser) -> Result<(), WebError> {
    answer(state.store.delete_project(id, user.governs()).await?, || format!("project {id}"))
}

fn answer(deletion: Deletion, name: impl Fn() -> String) -> Result<(), WebError> {
    match deletion {
        Deletion::Done => Ok(()),
        Deletion::Missing => Err(WebError::NotFound(name())),
        Deletion::NotYours => Err(WebError::Forbidden),
        Deletion::Busy => Err(WebError::NotDeletable("The run has not ended: cancel it first.")),
        Deletion::InProject => Err(WebError::NotDeletable("A project holds it: delete the project first.")),
        Deletion::Needed => Err(WebError::NotDeletable("A run needs it: delete its runs first.")),
    }
}
