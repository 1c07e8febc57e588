//! Deletion of runs and programs by people: a page that says what goes and what stays, and its button.

use askama::Template;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Redirect, Response};

use super::page_with;
use crate::web::access::CurrentUser;
use crate::web::api::deletions;
use crate::web::api::programs::find;
use crate::web::error::WebError;
use crate::web::job;
use crate::web::state::AppState;

#[derive(Template)]
#[template(path = "pages/deletion.html")]
struct DeletionPage {
    /// Kind of thing, as in a sentence: run or program.
    kind: &'static str,
    label: String,
    /// Page of the thing.
    back: String,
    consequence: &'static str,
    /// Reason why it was not deleted.
    error: Option<String>,
}

/// Consequence of the deletion of a run.
const RUN: &str = "Its verdicts, counterexamples and proofs are deleted. The program stays. This cannot be undone.";
/// Consequence of the deletion of a program.
const PROGRAM: &str =
    "Its files are deleted. A program that another user uploaded, too, stays for that user. This cannot be undone.";

impl DeletionPage {
    fn of_run(id: &str, label: String, error: Option<String>) -> DeletionPage {
        DeletionPage { kind: "run", label, back: format!("/runs/{id}"), consequence: RUN, error }
    }

    fn of_program(id: &str, label: String, error: Option<String>) -> DeletionPage {
        DeletionPage { kind: "program", label, back: format!("/programs/{id}"), consequence: PROGRAM, error }
    }
}

/// Answers `GET /runs/{id}/delete`
pub(crate) async fn run(State(state): State<AppState>, Path(id): Path<String>) -> Result<Response, WebError> {
    let job = job::find(&state, &id).await?;
    page_with(StatusCode::OK, &DeletionPage::of_run(&id, job.label, None))
}

/// Answers `POST /runs/{id}/delete`
pub(crate) async fn delete_run(
    State(state): State<AppState>,
    Path(id): Path<String>,
    user: CurrentUser,
) -> Result<Response, WebError> {
    let job = job::find(&state, &id).await?;
    match deletions::delete_job(&state, &id, &user).await {
        Ok(()) => Ok(Redirect::to("/#runs").into_response()),
        Err(error @ (WebError::NotDeletable(_) | WebError::Forbidden)) => {
            let status = error.kind().status;
            page_with(status, &DeletionPage::of_run(&id, job.label, Some(reason(&error, "run"))))
        }
        Err(error) => Err(error),
    }
}

/// Answers `GET /programs/{id}/delete`
pub(crate) async fn program(State(state): State<AppState>, Path(id): Path<String>) -> Result<Response, WebError> {
    let program = find(&state, &id).await?;
    page_with(StatusCode::OK, &DeletionPage::of_program(&id, program.label, None))
}

/// Answers `POST /programs/{id}/delete`
pub(crate) async fn delete_program(
    State(state): State<AppState>,
    Path(id): Path<String>,
    user: CurrentUser,
) -> Result<Response, WebError> {
    let program = find(&state, &id).await?;
    match deletions::delete_program(&state, &id, &user).await {
        Ok(()) => Ok(Redirect::to("/").into_response()),
        Err(error @ (WebError::NotDeletable(_) | WebError::Forbidden)) => {
            let status = error.kind().status;
            page_with(status, &DeletionPage::of_program(&id, program.label, Some(reason(&error, "program"))))
        }
        Err(error) => Err(error),
    }
}

/// Returns why something was not deleted.
pub(super) fn reason(error: &WebError, kind: &str) -> String {
    if matches!(error, WebError::Forbidden) {
        format!("It is the {kind} of another user: its owner or an administrator deletes it.")
    } else {
        error.to_string()
    }
}
