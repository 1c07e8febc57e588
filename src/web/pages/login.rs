//! The pages to log in and out.

use askama::Template;
use axum::extract::{Extension, Request, State};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Redirect, Response};

use super::{page, page_with, percent};
use crate::store::access::secret_hash;
use crate::store::now_ms;
use crate::web::access::accounts::fits;
use crate::web::access::guard::{Credential, is_set_up};
use crate::web::access::trail::noted;
use crate::web::access::{Access, CurrentUser, address, cookie, random_id};
use crate::web::error::WebError;
use crate::web::read::FormBody;
use crate::web::state::AppState;
use axum::extract::FromRequest;

#[derive(Template)]
#[template(path = "pages/login.html")]
struct LoginPage {
    next: String,
    name: String,
    error: Option<String>,
    /// Name and address of the other way to log in.
    other_way: Option<(String, String)>,
    has_passwords: bool,
}

impl LoginPage {
    fn new(state: &AppState, next: &str, name: String, error: Option<String>) -> LoginPage {
        let address = format!("/login/oidc?next={}", percent(next));
        let other_way = state.config.oidc.as_ref().map(|oidc| (oidc.title().to_owned(), address));
        LoginPage { next: next.to_owned(), name, error, other_way, has_passwords: state.config.only_way().is_none() }
    }
}

/// Returns the page to log in, with the reason why a log-in failed.
pub(super) fn refused(state: &AppState, status: StatusCode, next: &str, error: String) -> Result<Response, WebError> {
    page_with(status, &LoginPage::new(state, next, String::new(), Some(error)))
}

/// Returns the answer to a password or a code where passwords are switched off.
pub(super) fn no_passwords(state: &AppState) -> Option<Result<Response, WebError>> {
    let title = state.config.only_way()?.title().to_owned();
    Some(refused(state, StatusCode::FORBIDDEN, "/", format!("Passwords are switched off: log in with {title}.")))
}

/// Returns a path of this service, whatever an address asks for: never another site.
pub(super) fn local(next: &str) -> &str {
    let is_local = next.starts_with('/') && !next.starts_with("//") && next.chars().all(|c| c.is_ascii_graphic() && c != '\\');
    if is_local { next } else { "/" }
}

/// Returns the value of a field.
pub(super) fn field<'a>(fields: &'a [(String, String)], name: &str) -> &'a str {
    fields.iter().find(|(key, _)| key == name).map_or("", |(_, value)| value)
}

/// Returns `GET /login`
pub(crate) async fn get(State(state): State<AppState>, request: Request) -> Result<Response, WebError> {
    if state.config.access == Access::Demo {
        return Ok(Redirect::to("/").into_response());
    }
    if state.config.only_way().is_none() && !is_set_up(&state).await? {
        return Ok(Redirect::to("/setup").into_response());
    }
    let fields: Vec<(String, String)> =
        axum::extract::Query::try_from_uri(request.uri()).map(|query| query.0).unwrap_or_default();
    page(&LoginPage::new(&state, local(field(&fields, "next")), String::new(), None))
}

/// Answers `POST /login`
pub(crate) async fn post(State(state): State<AppState>, request: Request) -> Result<Response, WebError> {
    if state.config.access == Access::Demo {
        return Err(WebError::Forbidden);
    }
    if let Some(answer) = no_passwords(&state) {
        return answer;
    }
    let from = address::client(request.extensions(), request.headers(), &state.config.proxies);
    let FormBody(fields) = FormBody::from_request(request, &state).await?;
    let (name, next) = (field(&fields, "name").trim().to_owned(), local(field(&fields, "next")).to_owned());
    let keys = keys(&name, from);
    let refused = |status, error: String| page_with(status, &LoginPage::new(&state, &next, name.clone(), Some(error)));
    if let Err(seconds) = state.access.begin_guess(&keys) {
        return wait(refused(StatusCode::TOO_MANY_REQUESTS, wait_words(seconds))?, seconds);
    }
    let found = state.store.user_with_password(&name).await?;
    let known = found.as_ref().map(|(user, _)| user.name.clone());
    let (user, stored) = found.filter(|(user, _)| !user.disabled).unzip();
    let given = field(&fields, "password").to_owned();
    let is_right = fits(given, stored).await?;
    // A name that is no user's may be a password in the wrong field: it is not kept.
    let attempted = known.as_deref().map_or("unknown name".to_owned(), |name| format!("user {name}"));
    let Some(user) = user.filter(|_| is_right) else {
        tracing::warn!("a log-in failed, from {}", from.map_or("an unknown address".to_owned(), |from| from.to_string()));
        state.metrics.log_in(false);
        let answer = refused(StatusCode::FORBIDDEN, "Name or password is wrong.".into())?;
        return Ok(noted(answer, None, attempted));
    };
    succeed(&state, &keys);
    state.metrics.log_in(true);
    Ok(noted(begin(&state, user.id, &next).await?, Some(&user.name), attempted))
}

/// Returns the keys under which tries are counted: of the account, then of the address.
pub(super) fn keys(name: &str, from: Option<std::net::IpAddr>) -> [String; 2] {
    // A long name is no user's; it must not fill the table either.
    let account: String = name.to_ascii_lowercase().chars().take(64).collect();
    [format!("user {account}"), format!("address {}", from.map(|a| a.to_string()).unwrap_or_default())]
}

/// Returns the words about a wait.
pub(super) fn wait_words(seconds: u64) -> String {
    format!("Too many tries. Wait {seconds} seconds, then try again.")
}

/// Tells the browser how long to wait.
pub(super) fn wait(mut response: Response, seconds: u64) -> Result<Response, WebError> {
    response.headers_mut().insert(header::RETRY_AFTER, seconds.into());
    Ok(response)
}

/// Takes note of a right password.
pub(super) fn succeed(state: &AppState, [account, address]: &[String; 2]) {
    state.access.end_guess(account, std::slice::from_ref(address));
}

/// Begins a new session, whatever the request brought, and leads to a page.
pub(super) async fn begin(state: &AppState, user: i64, next: &str) -> Result<Response, WebError> {
    let id = random_id()?;
    state.store.add_session(&id, user, now_ms()).await?;
    Ok(([(header::SET_COOKIE, cookie::set(&state.config, &id)?)], Redirect::to(next)).into_response())
}

/// Answers `POST /logout`
pub(crate) async fn logout(
    State(state): State<AppState>,
    Extension(credential): Extension<Credential>,
    user: CurrentUser,
) -> Result<Response, WebError> {
    if let (Credential::Session(id), Some(user)) = (credential, user.id) {
        state.store.end_session(user, secret_hash(&id)).await?;
    }
    Ok(([(header::SET_COOKIE, cookie::set(&state.config, "")?)], Redirect::to("/login")).into_response())
}

#[cfg(test)]
mod tests {
    use super::local;

    #[test]
    fn a_log_in_leads_to_this_service_alone() {
        for (next, expected) in [
            ("/runs/1?x=1#y", "/runs/1?x=1#y"),
            ("//evil.example", "/"),
            ("/\\evil.example", "/"),
            ("https://evil.example", "/"),
            ("/\t/evil.example", "/"),
            ("/x\r\nSet-Cookie: a=b", "/"),
            ("", "/"),
        ] {
            assert_eq!(local(next), expected, "{next:?}");
        }
    }
}
