//! Name and note of a project, and its deletion.

use askama::Template;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Redirect, Response};

use super::deletion::reason;
use super::{page, page_with};
use crate::store::projects::Project;
use crate::web::access::CurrentUser;
use crate::web::api::deletions;
use crate::web::error::WebError;
use crate::web::read::FormBody;
use crate::web::state::AppState;
use crate::web::{actor, project};

#[derive(Template)]
#[template(path = "pages/project_settings.html")]
struct SettingsPage {
    project: Project,
    /// Mistake in the name.
    name_error: Option<String>,
    /// Mistake in the name that confirms the deletion.
    deletion_error: Option<String>,
}

fn field(fields: &[(String, String)], name: &str) -> String {
    fields.iter().find(|(n, _)| n == name).map(|(_, value)| value.clone()).unwrap_or_default()
}

/// Answers `GET /projects/{id}/settings`
pub(crate) async fn get(State(state): State<AppState>, Path(id): Path<String>) -> Result<Response, WebError> {
    let project = project::find(&state, &id).await?;
    page(&SettingsPage { project, name_error: None, deletion_error: None })
}

/// Answers `POST /projects/{id}/settings`: changes name and note.
pub(crate) async fn rename(
    State(state): State<AppState>,
    Path(id): Path<String>,
    FormBody(fields): FormBody,
) -> Result<Response, WebError> {
    let project = project::find(&state, &id).await?;
    let note = field(&fields, "note").trim().to_owned();
    let error = match project::name(&field(&fields, "name")) {
        Ok(name) if state.store.rename_project(&project, (name.clone(), note), actor::name()).await? => {
            return Ok(Redirect::to(&format!("/projects/{id}")).into_response());
        }
        Ok(_) => "The project was changed meanwhile: look at it, and try again.".to_owned(),
        Err(error) => error.to_string(),
    };
    let page = SettingsPage { project, name_error: Some(error), deletion_error: None };
    page_with(StatusCode::UNPROCESSABLE_ENTITY, &page)
}

/// Answers `POST /projects/{id}/delete`: deletes the project if its name was typed.
pub(crate) async fn delete(
    State(state): State<AppState>,
    Path(id): Path<String>,
    user: CurrentUser,
    FormBody(fields): FormBody,
) -> Result<Response, WebError> {
    let project = project::find(&state, &id).await?;
    let is_confirmed = field(&fields, "confirm").trim() == project.name.trim();
    let (status, error) = if is_confirmed {
        match deletions::delete_project(&state, &id, &user).await {
            Ok(()) => return Ok(Redirect::to("/projects").into_response()),
            Err(error @ WebError::Forbidden) => {
                (error.kind().status, format!("{} Nothing was deleted.", reason(&error, "project")))
            }
            Err(error) => return Err(error),
        }
    } else {
        (StatusCode::UNPROCESSABLE_ENTITY, "This is not the name of the project. Nothing was deleted.".to_owned())
    };
    page_with(status, &SettingsPage { project, name_error: None, deletion_error: Some(error) })
}
