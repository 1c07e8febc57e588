//! The account of the user who looks: password, sessions, tokens.

use askama::Template;
use axum::extract::{Extension, FromRequest, Path, Request, State};
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Redirect, Response};

use super::{When, login, page_with, when};
use crate::store::access::secret_hash;
use crate::store::access::tokens::Scope;
use crate::store::now_ms;
use crate::web::access::accounts::{MOST_DAYS, MOST_LABEL_CHARS, fits, hashed, make_token};
use crate::web::access::guard::Credential;
use crate::web::access::trail::noted;
use crate::web::access::{CurrentUser, address, password};
use crate::web::error::WebError;
use crate::web::job::rfc3339;
use crate::web::read::FormBody;
use crate::web::state::AppState;

#[derive(Template)]
#[template(path = "pages/account.html")]
struct AccountPage {
    name: String,
    role: &'static str,
    sessions: Vec<SessionView>,
    tokens: Vec<TokenView>,
    /// Logs in with a password.
    has_password: bool,
    notices: Notices,
}

/// Messages of a form that was sent.
#[derive(Default)]
struct Notices {
    /// Mistake in the form of the password.
    password_error: Option<String>,
    /// Mistake in the form of a token.
    token_error: Option<String>,
    /// Text of a token that was just made.
    token: Option<String>,
    /// Purpose of the token to make, as typed.
    label: String,
}

struct SessionView {
    hash: String,
    created: When,
    seen: When,
    is_this: bool,
}

struct TokenView {
    id: String,
    label: String,
    scope: &'static str,
    expires: When,
    has_expired: bool,
    used: Option<When>,
}

/// Keeps an answer with secrets out of every cache.
pub(super) fn private(response: Response) -> Response {
    let mut response = response;
    response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}

async fn show(
    state: &AppState,
    user: &CurrentUser,
    credential: &Credential,
    status: StatusCode,
    notices: Notices,
) -> Result<Response, WebError> {
    let (number, now) = (user.number()?, now_ms());
    let this = match credential {
        Credential::Session(id) => Some(secret_hash(id)),
        Credential::Demo | Credential::Token(..) => None,
    };
    let sessions = state.store.sessions(number, now).await?.into_iter().map(|row| SessionView {
        created: when(row.created_ms),
        seen: when(row.seen_ms),
        is_this: this.as_deref() == Some(&row.hash),
        hash: row.hash,
    });
    let tokens = state.store.tokens(number).await?.into_iter().map(|row| TokenView {
        id: row.id,
        label: row.label,
        scope: row.scope.word(),
        expires: when(row.expires_ms),
        has_expired: row.expires_ms <= now,
        used: row.used_ms.map(when),
    });
    let (sessions, tokens) = (sessions.collect(), tokens.collect());
    let has_password = state.config.only_way().is_none() && !state.store.is_external(number).await?;
    let page = AccountPage { name: user.name.clone(), role: user.role.title(), sessions, tokens, has_password, notices };
    Ok(private(page_with(status, &page)?))
}

/// Answers `GET /account`
pub(crate) async fn get(
    State(state): State<AppState>,
    Extension(credential): Extension<Credential>,
    user: CurrentUser,
) -> Result<Response, WebError> {
    show(&state, &user, &credential, StatusCode::OK, Notices::default()).await
}

/// Answers `POST /account/password`: all sessions of the user end, and a new one begins here.
pub(crate) async fn change_password(
    State(state): State<AppState>,
    Extension(credential): Extension<Credential>,
    user: CurrentUser,
    request: Request,
) -> Result<Response, WebError> {
    if state.config.only_way().is_some() {
        return Err(WebError::Forbidden);
    }
    let from = address::client(request.extensions(), request.headers(), &state.config.proxies);
    let form = FormBody::from_request(request, &state).await?;
    let refused = async |status, error: String| {
        let notices = Notices { password_error: Some(error), ..Notices::default() };
        show(&state, &user, &credential, status, notices).await
    };
    // A session that was left open must not be a way to guess the password.
    let keys = login::keys(&user.name, from);
    if let Err(seconds) = state.access.begin_guess(&keys) {
        return refused(StatusCode::TOO_MANY_REQUESTS, login::wait_words(seconds)).await;
    }
    let stored = state.store.user_with_password(&user.name).await?.map(|(_, stored)| stored);
    if !fits(form.field("password").to_owned(), stored).await? {
        return refused(StatusCode::FORBIDDEN, "The current password is wrong.".into()).await;
    }
    login::succeed(&state, &keys);
    let new = form.field("new-password");
    if let Some(problem) = password::problem(&user.name, new) {
        return refused(StatusCode::UNPROCESSABLE_ENTITY, problem).await;
    }
    if new != form.field("repeated") {
        return refused(StatusCode::UNPROCESSABLE_ENTITY, "The two new passwords differ.".into()).await;
    }
    state.store.set_password(user.number()?, hashed(new.to_owned()).await?).await?;
    login::begin(&state, user.number()?, "/account").await
}

/// Answers `POST /account/sessions/{id}`: ends a session of the user; `others` ends all but this one.
pub(crate) async fn end_session(
    State(state): State<AppState>,
    Path(id): Path<String>,
    Extension(credential): Extension<Credential>,
    user: CurrentUser,
) -> Result<Response, WebError> {
    let number = user.number()?;
    if id == "others" {
        let Credential::Session(this) = &credential else { return Err(WebError::Forbidden) };
        for row in state.store.sessions(number, now_ms()).await? {
            if row.hash != secret_hash(this) {
                state.store.end_session(number, row.hash).await?;
            }
        }
    } else if !state.store.end_session(number, id.clone()).await? {
        return Err(WebError::NotFound("session of yours with this id".into()));
    }
    Ok(Redirect::to("/account#sessions").into_response())
}

/// Answers `POST /account/tokens`: makes a token and shows it once.
pub(crate) async fn add_token(
    State(state): State<AppState>,
    Extension(credential): Extension<Credential>,
    user: CurrentUser,
    form: FormBody,
) -> Result<Response, WebError> {
    let scope = Scope::from_word(form.field("scope"));
    let made = match scope.zip(form.field("days").trim().parse().ok()) {
        Some((scope, days)) => make_token(&state, &user, form.field("label"), scope, days).await,
        None => Err(WebError::User(format!("Choose a scope, and a number of days from 1 to {MOST_DAYS}."))),
    };
    let label = form.field("label").to_owned();
    let (status, notices) = match made {
        Ok(made) => {
            let object = format!("token {}, {}, until {}", made.id, form.field("scope"), rfc3339(made.expires_ms));
            let notices = Notices { token: Some(made.text), ..Notices::default() };
            return Ok(noted(show(&state, &user, &credential, StatusCode::OK, notices).await?, None, object));
        }
        Err(error @ (WebError::User(_) | WebError::UserConflict(_))) => {
            let status = error.kind().status;
            (status, Notices { token_error: Some(error.to_string()), label, ..Notices::default() })
        }
        Err(error) => return Err(error),
    };
    show(&state, &user, &credential, status, notices).await
}

/// Answers `POST /account/tokens/{id}`: revokes a token of the user.
pub(crate) async fn revoke_token(
    State(state): State<AppState>,
    Path(id): Path<String>,
    user: CurrentUser,
) -> Result<Response, WebError> {
    if !state.store.end_token(user.number()?, id).await? {
        return Err(WebError::NotFound("token of yours with this id".into()));
    }
    Ok(Redirect::to("/account#tokens").into_response())
}
