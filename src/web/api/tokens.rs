//! The sender's own tokens and sessions.

use axum::Json;
use axum::extract::{Path, State};
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::store::access::tokens::Scope;
use crate::store::now_ms;
use crate::web::access::CurrentUser;
use crate::web::access::accounts::make_token;
use crate::web::access::trail::noted;
use crate::web::error::{ProblemDetails, WebError};
use crate::web::job::rfc3339;
use crate::web::read::JsonBody;
use crate::web::state::AppState;

/// A token to make.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, expecting = "an object")]
pub(crate) struct NewTokenBody {
    /// Purpose.
    label: String,
    /// Rights; never more than those of its user.
    scope: Scope,
    /// Days until it expires, 1 to 366.
    days: u32,
}

/// A token that was made.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct MadeTokenView {
    /// Public part.
    id: String,
    /// Text for the header Authorization: sent this once.
    token: String,
    /// RFC 3339.
    expires: String,
}

/// A token without its secret.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct TokenView {
    /// Public part.
    id: String,
    /// Purpose.
    label: String,
    /// Rights.
    scope: Scope,
    /// RFC 3339.
    expires: String,
    /// RFC 3339, to the minute; absent if it was never used.
    #[serde(skip_serializing_if = "Option::is_none")]
    used: Option<String>,
}

/// Tokens of the sender, newest first.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct TokenList {
    /// The tokens.
    tokens: Vec<TokenView>,
}

/// A session.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct SessionView {
    /// Name of the session; not the secret of its cookie.
    id: String,
    /// Log-in, RFC 3339.
    created: String,
    /// Last request, RFC 3339, to the minute.
    seen: String,
}

/// Live sessions of the sender, newest first.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct SessionList {
    /// The sessions.
    sessions: Vec<SessionView>,
}

/// Keeps an answer with a secret out of every cache.
pub(super) fn unstored(answer: impl IntoResponse) -> Response {
    let mut response = answer.into_response();
    response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}

/// Tokens of the sender.
#[utoipa::path(
    get, path = "/api/v1/tokens", tag = "access",
    responses(
        (status = 200, body = TokenList),
        (status = 403, description = "A token without the scope admin", body = ProblemDetails, content_type = "application/problem+json"),
    )
)]
pub(crate) async fn list(State(state): State<AppState>, user: CurrentUser) -> Result<Json<TokenList>, WebError> {
    let rows = state.store.tokens(user.number()?).await?;
    let view = |row: crate::store::access::tokens::TokenRow| TokenView {
        id: row.id,
        label: row.label,
        scope: row.scope,
        expires: rfc3339(row.expires_ms),
        used: row.used_ms.map(rfc3339),
    };
    Ok(Json(TokenList { tokens: rows.into_iter().map(view).collect() }))
}

/// Makes a token. This needs a session: a token makes no other tokens.
#[utoipa::path(
    post, path = "/api/v1/tokens", tag = "access", request_body = NewTokenBody,
    responses(
        (status = 201, description = "Made", body = MadeTokenView),
        (status = 403, description = "Asked with a token", body = ProblemDetails, content_type = "application/problem+json"),
        (status = 409, description = "Too many tokens", body = ProblemDetails, content_type = "application/problem+json"),
        (status = 422, description = "No purpose, or a life that is too long", body = ProblemDetails, content_type = "application/problem+json"),
    )
)]
pub(crate) async fn create(
    State(state): State<AppState>,
    user: CurrentUser,
    JsonBody(new): JsonBody<NewTokenBody>,
) -> Result<Response, WebError> {
    let made = make_token(&state, &user, &new.label, new.scope, new.days).await?;
    let view = MadeTokenView { id: made.id, token: made.text, expires: rfc3339(made.expires_ms) };
    let object = format!("token {}, {}, until {}", view.id, new.scope.word(), view.expires);
    Ok(noted(unstored((StatusCode::CREATED, Json(view))), None, object))
}

/// Revokes a token of the sender.
#[utoipa::path(
    delete, path = "/api/v1/tokens/{id}", tag = "access", params(("id" = String, Path)),
    responses(
        (status = 204, description = "Revoked"),
        (status = 404, description = "No such token of yours", body = ProblemDetails, content_type = "application/problem+json"),
    )
)]
pub(crate) async fn revoke(
    State(state): State<AppState>,
    Path(id): Path<String>,
    user: CurrentUser,
) -> Result<StatusCode, WebError> {
    let is_revoked = state.store.end_token(user.number()?, id.clone()).await?;
    if is_revoked { Ok(StatusCode::NO_CONTENT) } else { Err(WebError::NotFound(format!("token {id} of yours"))) }
}

/// Live sessions of the sender.
#[utoipa::path(get, path = "/api/v1/sessions", tag = "access", responses((status = 200, body = SessionList)))]
pub(crate) async fn sessions(State(state): State<AppState>, user: CurrentUser) -> Result<Json<SessionList>, WebError> {
    let rows = state.store.sessions(user.number()?, now_ms()).await?;
    let view = |row: crate::store::access::sessions::SessionRow| SessionView {
        id: row.hash,
        created: rfc3339(row.created_ms),
        seen: rfc3339(row.seen_ms),
    };
    Ok(Json(SessionList { sessions: rows.into_iter().map(view).collect() }))
}

/// Ends a session of the sender.
#[utoipa::path(
    delete, path = "/api/v1/sessions/{id}", tag = "access", params(("id" = String, Path)),
    responses(
        (status = 204, description = "Ended"),
        (status = 404, description = "No such session of yours", body = ProblemDetails, content_type = "application/problem+json"),
    )
)]
pub(crate) async fn end_session(
    State(state): State<AppState>,
    Path(id): Path<String>,
    user: CurrentUser,
) -> Result<StatusCode, WebError> {
    let is_ended = state.store.end_session(user.number()?, id).await?;
    if is_ended { Ok(StatusCode::NO_CONTENT) } else { Err(WebError::NotFound("session of yours with this id".into())) }
}
