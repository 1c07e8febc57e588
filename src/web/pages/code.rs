//! The page for a one-time code: a user chooses a password.

use askama::Template;
use axum::extract::{FromRequest, Request, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Redirect, Response};

use super::{login, page, page_with};
use crate::store::now_ms;
use crate::web::access::accounts::hashed;
use crate::web::access::guard::is_set_up;
use crate::web::access::trail::noted;
use crate::web::access::{Access, address, password};
use crate::web::error::WebError;
use crate::web::read::FormBody;
use crate::web::state::AppState;

#[derive(Template)]
#[template(path = "pages/code.html")]
struct CodePage {
    name: String,
    error: Option<String>,
}

/// Answers `GET /code`
pub(crate) async fn get(State(state): State<AppState>) -> Result<Response, WebError> {
    if state.config.access == Access::Demo || !is_set_up(&state).await? {
        return Ok(Redirect::to("/").into_response());
    }
    if state.config.only_way().is_some() {
        return Ok(Redirect::to("/login").into_response());
    }
    page(&CodePage { name: String::new(), error: None })
}

/// Answers `POST /code`: sets the password and logs the user in.
pub(crate) async fn post(State(state): State<AppState>, request: Request) -> Result<Response, WebError> {
    if state.config.access == Access::Demo {
        return Err(WebError::NoAccounts);
    }
    if let Some(answer) = login::no_passwords(&state) {
        return answer;
    }
    let from = address::client(request.extensions(), request.headers(), &state.config.proxies);
    let form = FormBody::from_request(request, &state).await?;
    let (name, code, new) = (form.field("name").trim(), form.field("code").trim(), form.field("new-password"));
    let refused = |status, error: String| page_with(status, &CodePage { name: name.to_owned(), error: Some(error) });
    // A code has 100 bits. Only the address counts, so that no stranger locks a new user out.
    let keys = login::keys("", from);
    let [_, address] = &keys;
    if let Err(seconds) = state.access.begin_guess(std::slice::from_ref(address)) {
        return login::wait(refused(StatusCode::TOO_MANY_REQUESTS, login::wait_words(seconds))?, seconds);
    }
    let wrong = || {
        let words = "The name and the code do not fit, or the code was used or has expired.";
        Ok(noted(refused(StatusCode::FORBIDDEN, words.into())?, None, "one-time code"))
    };
    if state.store.code_user(name, code, now_ms()).await?.is_none() {
        return wrong();
    }
    // The code is right: a slip in the password is no guess.
    state.access.end_guess("", std::slice::from_ref(address));
    if let Some(problem) = password::problem(name, new) {
        return refused(StatusCode::UNPROCESSABLE_ENTITY, problem);
    }
    if new != form.field("repeated") {
        return refused(StatusCode::UNPROCESSABLE_ENTITY, "The two passwords differ.".into());
    }
    let hash = hashed(new.to_owned()).await?;
    let Some(user) = state.store.use_code(name, code, hash, now_ms()).await? else { return wrong() };
    tracing::info!("{} chose a password", user.name);
    Ok(noted(login::begin(&state, user.id, "/").await?, Some(&user.name), format!("user {}", user.name)))
}
