//! The page of the first start: makes the first administrator. It works once.

use askama::Template;
use axum::extract::{FromRequest, Request, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Redirect, Response};

use super::{login, page, page_with};
use crate::store::now_ms;
use crate::web::access::guard::is_set_up;
use crate::web::access::trail::noted;
use crate::web::access::{Access, address, password};
use crate::web::error::WebError;
use crate::web::read::FormBody;
use crate::web::state::AppState;

#[derive(Template)]
#[template(path = "pages/setup.html")]
struct SetupPage {
    name: String,
    error: Option<String>,
    /// Name of the other way to log in.
    other_way: Option<String>,
}

fn setup_page(state: &AppState, name: String, error: Option<String>) -> SetupPage {
    SetupPage { name, error, other_way: state.config.oidc.as_ref().map(|oidc| oidc.title().to_owned()) }
}

/// Returns whether this page is of use.
async fn is_open(state: &AppState) -> Result<bool, WebError> {
    Ok(state.config.access == Access::Accounts && state.config.only_way().is_none() && !is_set_up(state).await?)
}

/// Returns `GET /setup`
pub(crate) async fn get(State(state): State<AppState>) -> Result<Response, WebError> {
    if !is_open(&state).await? {
        return Ok(Redirect::to("/").into_response());
    }
    page(&setup_page(&state, String::new(), None))
}

/// Answers `POST /setup`
pub(crate) async fn post(State(state): State<AppState>, request: Request) -> Result<Response, WebError> {
    if !is_open(&state).await? {
        return Err(WebError::Forbidden);
    }
    let from = address::client(request.extensions(), request.headers(), &state.config.proxies);
    let FormBody(fields) = FormBody::from_request(request, &state).await?;
    let field = |name: &str| fields.iter().find(|(key, _)| key == name).map_or("", |(_, value)| value).to_owned();
    let (code, name, password) = (field("code"), field("name").trim().to_owned(), field("password"));
    let refused = |status, error: String| page_with(status, &setup_page(&state, name.clone(), Some(error)));
    let keys = [format!("address {}", from.map(|a| a.to_string()).unwrap_or_default())];
    if let Err(seconds) = state.access.begin_guess(&keys) {
        return refused(StatusCode::TOO_MANY_REQUESTS, format!("Too many tries. Wait {seconds} seconds, then try again."));
    }
    if !state.access.is_code(&code) {
        return Ok(noted(refused(StatusCode::FORBIDDEN, "The set-up code is wrong.".into())?, None, "set-up code"));
    }
    if let Some(problem) = password::problem(&name, &password) {
        return refused(StatusCode::UNPROCESSABLE_ENTITY, problem);
    }
    let hash = tokio::task::spawn_blocking(move || password::hash(&password)).await;
    let hash = hash.map_err(|e| WebError::Internal(e.to_string()))?.map_err(WebError::Internal)?;
    if !state.store.add_first_admin(name.clone(), hash, now_ms()).await? {
        return Err(WebError::Forbidden);
    }
    state.access.set_up();
    state.access.end_guess(&keys[0], &[]);
    crate::web::access::first_start::remove_code(state.store.directory());
    tracing::info!("the administrator {name} was made");
    let user = state.store.user_with_password(&name).await?;
    let (user, _) = user.ok_or_else(|| WebError::Internal("the new administrator is not there".into()))?;
    Ok(noted(login::begin(&state, user.id, "/").await?, Some(&user.name), format!("user {}", user.name)))
}
