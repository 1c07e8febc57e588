//! Users: list, add with a one-time code, change. For administrators.

use axum::Json;
use axum::extract::{Path, State};
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::tokens::unstored;
use crate::store::access::codes::ListedUser;
use crate::store::access::users::Role;
use crate::web::access::CurrentUser;
use crate::web::access::accounts::{self, Code};
use crate::web::access::trail::noted;
use crate::web::error::{ProblemDetails, WebError};
use crate::web::job::rfc3339;
use crate::web::read::JsonBody;
use crate::web::state::AppState;

/// A user to add.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, expecting = "an object")]
pub(crate) struct NewUser {
    /// Name for log-in: letters A to Z, digits, and . _ - @.
    name: String,
    /// Role.
    role: Role,
}

/// A change of a user; what is absent stays.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, expecting = "an object")]
pub(crate) struct UserPatch {
    /// Role.
    role: Option<Role>,
    /// True switches the user off: sessions, tokens and the code end at once.
    disabled: Option<bool>,
}

/// A user.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct UserView {
    /// Number; never used again.
    id: i64,
    /// Name for log-in.
    name: String,
    /// Role.
    role: Role,
    /// Switched off.
    disabled: bool,
    /// RFC 3339.
    created: String,
    /// End of the one-time code, RFC 3339; absent once a password was chosen.
    #[serde(skip_serializing_if = "Option::is_none")]
    code_expires: Option<String>,
    /// Logs in by OpenID Connect, without a password.
    single_sign_on: bool,
}

/// All users by name.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct UserList {
    /// The users.
    users: Vec<UserView>,
}

/// A user with a fresh one-time code.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct CodeView {
    /// The user.
    user: UserView,
    /// Code to choose a password with, at `/code`: sent this once.
    code: String,
}

fn view(row: ListedUser) -> UserView {
    UserView {
        id: row.user.id,
        name: row.user.name,
        role: row.user.role,
        disabled: row.user.disabled,
        created: rfc3339(row.created_ms),
        code_expires: row.code_expires_ms.map(rfc3339),
        single_sign_on: row.is_external,
    }
}

async fn whole(state: &AppState, id: i64) -> Result<UserView, WebError> {
    let found = state.store.listed_users().await?.into_iter().find(|row| row.user.id == id);
    found.map(view).ok_or_else(|| WebError::NotFound(format!("user {id}")))
}

/// All users by name.
#[utoipa::path(
    get, path = "/api/v1/users", tag = "access",
    responses(
        (status = 200, body = UserList),
        (status = 403, description = "Not an administrator", body = ProblemDetails, content_type = "application/problem+json"),
    )
)]
pub(crate) async fn list(State(state): State<AppState>) -> Result<Json<UserList>, WebError> {
    Ok(Json(UserList { users: state.store.listed_users().await?.into_iter().map(view).collect() }))
}

/// Adds a user, who chooses a password with the code of the answer.
#[utoipa::path(
    post, path = "/api/v1/users", tag = "access", request_body = NewUser,
    responses(
        (status = 201, description = "Added; Location is the address of the user", body = CodeView),
        (status = 403, description = "Not an administrator", body = ProblemDetails, content_type = "application/problem+json"),
        (status = 409, description = "The name is taken", body = ProblemDetails, content_type = "application/problem+json"),
        (status = 422, description = "No name for log-in", body = ProblemDetails, content_type = "application/problem+json"),
    )
)]
pub(crate) async fn create(State(state): State<AppState>, JsonBody(new): JsonBody<NewUser>) -> Result<Response, WebError> {
    let (user, code) = accounts::add(&state, &new.name, new.role).await?;
    let location = HeaderValue::from_str(&format!("/api/v1/users/{}", user.id)).map_err(|e| WebError::Internal(e.to_string()))?;
    let Code { text, .. } = code;
    let view = CodeView { user: whole(&state, user.id).await?, code: text };
    let answer = unstored((StatusCode::CREATED, [(header::LOCATION, location)], Json(view)));
    Ok(noted(answer, None, accounts::words(&user)))
}

/// A user.
#[utoipa::path(
    get, path = "/api/v1/users/{id}", tag = "access", params(("id" = i64, Path)),
    responses(
        (status = 200, body = UserView),
        (status = 403, description = "Not an administrator", body = ProblemDetails, content_type = "application/problem+json"),
        (status = 404, body = ProblemDetails, content_type = "application/problem+json"),
    )
)]
pub(crate) async fn get(State(state): State<AppState>, Path(id): Path<String>) -> Result<Json<UserView>, WebError> {
    let user = accounts::find(&state, &id).await?;
    whole(&state, user.id).await.map(Json)
}

/// Changes the role of a user, or switches the user off or on.
#[utoipa::path(
    patch, path = "/api/v1/users/{id}", tag = "access", params(("id" = i64, Path)), request_body = UserPatch,
    responses(
        (status = 200, body = UserView),
        (status = 403, description = "Not an administrator", body = ProblemDetails, content_type = "application/problem+json"),
        (status = 404, body = ProblemDetails, content_type = "application/problem+json"),
        (status = 409, description = "No administrator would be left", body = ProblemDetails, content_type = "application/problem+json"),
    )
)]
pub(crate) async fn change(
    State(state): State<AppState>,
    Path(id): Path<String>,
    JsonBody(patch): JsonBody<UserPatch>,
) -> Result<Response, WebError> {
    let user = accounts::change(&state, &id, patch.role, patch.disabled).await?;
    let view = whole(&state, user.id).await?;
    Ok(noted(Json(view).into_response(), None, accounts::words(&user)))
}

/// Gives a user a new one-time code. The password fits no more, and all sessions of the user end.
#[utoipa::path(
    post, path = "/api/v1/users/{id}/code", tag = "access", params(("id" = i64, Path)),
    responses(
        (status = 200, body = CodeView),
        (status = 403, description = "Not an administrator", body = ProblemDetails, content_type = "application/problem+json"),
        (status = 404, body = ProblemDetails, content_type = "application/problem+json"),
        (status = 409, description = "Your own number, or a user who is switched off", body = ProblemDetails, content_type = "application/problem+json"),
    )
)]
pub(crate) async fn renew_code(
    State(state): State<AppState>,
    Path(id): Path<String>,
    actor: CurrentUser,
) -> Result<Response, WebError> {
    let (user, code) = accounts::renew_code(&state, &actor, &id).await?;
    let view = CodeView { user: whole(&state, user.id).await?, code: code.text };
    Ok(noted(unstored(Json(view)), None, accounts::words(&user)))
}
