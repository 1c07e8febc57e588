//! A user, for administrators: role, code, and the switch.

use askama::Template;
use axum::extract::{Path, State};
use axum::response::{IntoResponse, Redirect, Response};

use super::account::private;
use super::{When, page, page_with, when};
use crate::store::access::users::{Role, User};
use crate::web::access::CurrentUser;
use crate::web::access::accounts::{self, Code};
use crate::web::access::trail::noted;
use crate::web::error::WebError;
use crate::web::read::FormBody;
use crate::web::state::AppState;

#[derive(Template)]
#[template(path = "pages/user.html")]
struct UserPage {
    user: User,
    is_self: bool,
    /// Logs in without a password.
    is_external: bool,
    /// Code that was just made: shown once.
    code: Option<(String, When)>,
    error: Option<String>,
}

/// Returns the page of a user, with a code that was just made.
pub(super) fn show(user: User, code: Code) -> Result<Response, WebError> {
    let code = Some((code.text, when(code.expires_ms)));
    Ok(private(page(&UserPage { user, is_self: false, is_external: false, code, error: None })?))
}

/// Answers `GET /users/{id}`
pub(crate) async fn get(State(state): State<AppState>, Path(id): Path<String>, actor: CurrentUser) -> Result<Response, WebError> {
    let user = accounts::find(&state, &id).await?;
    let is_self = actor.id == Some(user.id);
    let is_external = state.store.is_external(user.id).await?;
    Ok(private(page(&UserPage { user, is_self, is_external, code: None, error: None })?))
}

/// Shows a change that was refused beside its form.
async fn refused(state: &AppState, actor: &CurrentUser, id: &str, error: WebError) -> Result<Response, WebError> {
    if !matches!(error, WebError::User(_) | WebError::UserConflict(_)) {
        return Err(error);
    }
    let user = accounts::find(state, id).await?;
    let is_self = actor.id == Some(user.id);
    let is_external = state.store.is_external(user.id).await?;
    let page = UserPage { user, is_self, is_external, code: None, error: Some(error.to_string()) };
    Ok(private(page_with(error.kind().status, &page)?))
}

/// Answers `POST /users/{id}`: sets the role, or switches the user off or on.
pub(crate) async fn change(
    State(state): State<AppState>,
    Path(id): Path<String>,
    actor: CurrentUser,
    form: FormBody,
) -> Result<Response, WebError> {
    let role = Role::from_word(form.field("role"));
    let disabled = match form.field("access") {
        "off" => Some(true),
        "on" => Some(false),
        _ => None,
    };
    if role.is_none() && disabled.is_none() {
        return refused(&state, &actor, &id, WebError::User("Choose a role.".into())).await;
    }
    match accounts::change(&state, &id, role, disabled).await {
        Ok(user) => {
            let answer = Redirect::to(&format!("/users/{}", user.id)).into_response();
            Ok(noted(answer, None, accounts::words(&user)))
        }
        Err(error) => refused(&state, &actor, &id, error).await,
    }
}

/// Answers `POST /users/{id}/code`: makes a new one-time code and shows it.
pub(crate) async fn renew_code(
    State(state): State<AppState>,
    Path(id): Path<String>,
    actor: CurrentUser,
) -> Result<Response, WebError> {
    match accounts::renew_code(&state, &actor, &id).await {
        Ok((user, code)) => {
            let object = accounts::words(&user);
            Ok(noted(show(user, code)?, None, object))
        }
        Err(error) => refused(&state, &actor, &id, error).await,
    }
}
