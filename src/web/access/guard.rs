//! The layer that keeps the policy: finds the user of a request and refuses what the user may not do.

use axum::extract::{MatchedPath, Request, State};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue, Method, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Redirect, Response};

use super::policy::{self, Permission};
use super::trail::Trail;
use super::{Access, CurrentUser, address, cookie};
use crate::store::access::tokens::Scope;
use crate::store::access::users::User;
use crate::store::{StoreError, now_ms};
use crate::web::error::WebError;
use crate::web::pages::percent;
use crate::web::state::AppState;

/// Proof of identity that came with a request.
#[derive(Clone, Debug)]
pub(crate) enum Credential {
    /// Without accounts every request is one of the demo user.
    Demo,
    /// Session id of a cookie.
    Session(String),
    /// Public and secret part of a token.
    Token(String, String),
}

/// Lets a request pass if its user may do what it asks.
pub(crate) async fn check(State(state): State<AppState>, request: Request, next: Next) -> Response {
    // The fallback: there is nothing to protect and nothing to tell.
    let Some(route) = request.extensions().get::<MatchedPath>().map(|path| path.as_str().to_owned()) else {
        return next.run(request).await;
    };
    let Some(permission) = policy::needed(request.method(), &route) else {
        let method = request.method().to_string();
        return if policy::has_row(&route) { WebError::Method(method) } else { WebError::Forbidden }.into_response();
    };
    let (mut parts, body) = request.into_parts();
    let mut trail = Trail::new(&state, &parts, &route);
    if permission == Permission::Open {
        let response = next.run(Request::from_parts(parts, body)).await;
        return trail.end(&state, response).await;
    }
    let (user, credential) = match identify(&state, &parts, permission).await {
        Ok(found) => found,
        Err(Refusal { user: None, response }) => return *response,
        Err(Refusal { user: Some((user, credential)), response }) => {
            trail.known(&user, &credential);
            let mut response = trail.end(&state, *response).await;
            response.extensions_mut().insert(user);
            return response;
        }
    };
    trail.known(&user, &credential);
    let known = user.id.map(|_| user.clone());
    parts.extensions.insert(user);
    parts.extensions.insert(credential);
    let owner = match &known {
        Some(user) => user.name.clone(),
        None => {
            address::client(&parts.extensions, &parts.headers, &state.config.proxies).map(|a| a.to_string()).unwrap_or_default()
        }
    };
    let answer = super::OWNER.scope(owner, next.run(Request::from_parts(parts, body)));
    let mut response = match &known {
        Some(user) => super::USER.scope(user.clone(), answer).await,
        None => answer.await,
    };
    response = trail.end(&state, response).await;
    // The page about a failure is made by a layer further out.
    known.map(|user| response.extensions_mut().insert(user));
    response
}

/// Answer to a request that may not pass, with its user if there is one.
struct Refusal {
    user: Option<(CurrentUser, Credential)>,
    response: Box<Response>,
}

impl<R: IntoResponse> From<R> for Refusal {
    fn from(response: R) -> Refusal {
        Refusal { user: None, response: Box::new(response.into_response()) }
    }
}

async fn identify(state: &AppState, request: &Parts, permission: Permission) -> Result<(CurrentUser, Credential), Refusal> {
    if state.config.access == Access::Demo {
        return match permission {
            Permission::Own | Permission::Account | Permission::Manage | Permission::Audit => Err(WebError::NoAccounts.into()),
            Permission::Open | Permission::Read | Permission::Run | Permission::Change => {
                Ok((CurrentUser::demo(), Credential::Demo))
            }
        };
    }
    let is_api = request.uri.path().starts_with("/api/");
    if !is_set_up(state).await.map_err(WebError::from)? {
        let place = if state.config.only_way().is_some() { "/login" } else { "/setup" };
        return Err(if is_api { WebError::NotSetUp.into() } else { Redirect::to(place).into() });
    }
    let credential = credential(state, &request.headers);
    let found = match &credential {
        Some(credential) => user(state, credential, true).await.map_err(WebError::from)?,
        None => None,
    };
    let (Some((user, scope)), Some(credential)) = (found, credential) else {
        return Err(anonymous(request, is_api).into());
    };
    let may = policy::allows(user.role, scope, permission);
    let user = CurrentUser { id: Some(user.id), name: user.name, role: user.role };
    if may {
        return Ok((user, credential));
    }
    Err(Refusal { user: Some((user, credential)), response: Box::new(WebError::Forbidden.into_response()) })
}

/// Returns whether there is a user.
pub(crate) async fn is_set_up(state: &AppState) -> Result<bool, StoreError> {
    if !state.access.is_set_up() && state.store.has_users().await? {
        state.access.set_up();
    }
    Ok(state.access.is_set_up())
}

/// Returns the credential of a request. A header for programs wins; a bad one never falls back to a cookie.
fn credential(state: &AppState, headers: &HeaderMap) -> Option<Credential> {
    let Some(value) = headers.get(header::AUTHORIZATION) else {
        return cookie::session_id(&state.config, headers).map(Credential::Session);
    };
    let (scheme, token) = value.to_str().ok()?.split_once(' ')?;
    let (id, secret) = token.trim().strip_prefix("sp_")?.split_once('_')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| Credential::Token(id.to_owned(), secret.to_owned()))
}

/// Returns the user of a credential as the user is now, and the scope of a token.
async fn user(state: &AppState, credential: &Credential, is_request: bool) -> Result<Option<(User, Option<Scope>)>, StoreError> {
    Ok(match credential {
        Credential::Demo => None,
        Credential::Session(id) => state.store.session_user(id, now_ms(), is_request).await?.map(|user| (user, None)),
        Credential::Token(id, secret) => {
            state.store.token_user(id, secret, now_ms()).await?.map(|(user, scope)| (user, Some(scope)))
        }
    })
}

/// Returns once a credential ends: its session or token was revoked, expired, or its user disabled.
pub(crate) async fn ended(state: &AppState, credential: Credential) {
    let look = std::time::Duration::from_secs(if cfg!(test) { 1 } else { 5 });
    if matches!(credential, Credential::Demo) {
        return std::future::pending().await;
    }
    loop {
        tokio::time::sleep(look).await;
        if !matches!(user(state, &credential, false).await, Ok(Some(_))) {
            return;
        }
    }
}

/// Returns the answer to a request without a user: pages lead to the log-in, programs get the way to it.
fn anonymous(request: &Parts, is_api: bool) -> Response {
    if !is_api && request.method == Method::GET {
        let path = request.uri.path_and_query().map_or("/", |path| path.as_str());
        return Redirect::to(&format!("/login?next={}", percent(path))).into_response();
    }
    let mut response = WebError::NoUser.into_response();
    response.headers_mut().insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer realm=\"scanproof\""));
    response
}
