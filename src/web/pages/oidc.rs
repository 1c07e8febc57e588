//! Log-in by OpenID Connect: the way to the log-in service, and the way back.

use axum::extract::{Request, State};
use axum::http::request::Parts;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Redirect, Response};

use super::login::{self, local};
use crate::store::access::identities::{Admission, Identity};
use crate::store::access::users::User;
use crate::store::now_ms;
use crate::web::access::guard::is_set_up;
use crate::web::access::trail::noted;
use crate::web::access::{Access, accounts, address, cookie, first_start, password, random_id};
use crate::web::error::WebError;
use crate::web::oidc::{Flow, Oidc, OidcError, Person};
use crate::web::state::AppState;
use crate::web::upkeep;

/// Object of the audit log for a log-in of which nothing is known yet.
const STRANGER: &str = "by OpenID Connect";

/// Returns the log-in service, or an error without one.
fn service(state: &AppState) -> Result<&Oidc, WebError> {
    match &state.config.oidc {
        Some(oidc) if state.config.access == Access::Accounts => Ok(oidc),
        Some(_) | None => Err(WebError::NoRoute),
    }
}

fn query(request: &Parts) -> Vec<(String, String)> {
    axum::extract::Query::try_from_uri(&request.uri).map(|query| query.0).unwrap_or_default()
}

/// Answers `GET /login/oidc`: leads to the log-in service. Nothing is stored here.
pub(crate) async fn begin(State(state): State<AppState>, request: Request) -> Result<Response, WebError> {
    let oidc = service(&state)?;
    let fields = query(&request.into_parts().0);
    let flow = oidc.flow(&random_id()?, local(login::field(&fields, "next")));
    match oidc.address(&flow).await {
        Ok(address) => {
            let mut response = Redirect::to(&address).into_response();
            response.headers_mut().append(header::SET_COOKIE, cookie::set_flow(&state.config, &flow.cookie)?);
            response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
            Ok(response)
        }
        Err(error) => failed(&state, oidc, &flow.next, &error),
    }
}

/// Answers `GET /login/oidc/callback`: the browser comes back with a code.
pub(crate) async fn end(State(state): State<AppState>, request: Request) -> Result<Response, WebError> {
    let oidc = service(&state)?;
    let mut response = answer(&state, oidc, &request.into_parts().0).await?;
    response.headers_mut().append(header::SET_COOKIE, cookie::set_flow(&state.config, "")?);
    response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    Ok(response)
}

async fn answer(state: &AppState, oidc: &Oidc, request: &Parts) -> Result<Response, WebError> {
    let fields = query(request);
    let field = |name: &str| login::field(&fields, name);
    let cookie = cookie::flow(&state.config, &request.headers);
    let Some(flow) = cookie.and_then(|cookie| oidc.take(&cookie, field("state"))) else {
        let words = "This log-in was not begun in this browser, was used already, or took more than ten minutes. Begin it again.";
        return login::refused(state, StatusCode::BAD_REQUEST, "/", words.into());
    };
    let from = address::client(&request.extensions, &request.headers, &state.config.proxies);
    let [_, key] = login::keys("", from);
    let keys = std::slice::from_ref(&key);
    if let Err(seconds) = state.access.begin_guess(keys) {
        let page = login::refused(state, StatusCode::TOO_MANY_REQUESTS, &flow.next, login::wait_words(seconds))?;
        return login::wait(page, seconds);
    }
    let is_foreign = !field("iss").is_empty() && field("iss") != oidc.issuer();
    let person = match field("code") {
        _ if is_foreign => Err(OidcError::Refused("the answer is of another issuer".into())),
        "" => Err(OidcError::Refused(format!("it answers `{}`", plain(field("error"))))),
        code => oidc.person(&flow, code).await,
    };
    let response = match person {
        Ok(person) => admit(state, oidc, &flow, person).await?,
        Err(error) => noted(failed(state, oidc, &flow.next, &error)?, None, STRANGER),
    };
    let is_done = response.status() == StatusCode::SEE_OTHER;
    if is_done {
        state.access.end_guess("", keys);
    }
    state.metrics.log_in(is_done);
    Ok(response)
}

/// Begins the session of a person who has a role.
async fn admit(state: &AppState, oidc: &Oidc, flow: &Flow, person: Person) -> Result<Response, WebError> {
    let (subject, title) = (person.subject.clone(), oidc.title());
    let name = person.name.unwrap_or_default();
    let refused = |words: String, object: String| {
        tracing::warn!("a log-in by OpenID Connect failed: {object}");
        Ok(noted(login::refused(state, StatusCode::FORBIDDEN, &flow.next, words)?, None, object))
    };
    if person.role.is_some() && password::name_problem(&name).is_some() {
        let words = format!("{title} gives no name that fits here: letters A to Z, digits, and . _ - @. Ask your administrator.");
        return refused(words, format!("subject {subject}, without a name that fits"));
    }
    let identity = Identity { issuer: oidc.issuer().to_owned(), subject: subject.clone() };
    match state.store.admit(identity, name.clone(), person.role, now_ms()).await? {
        Admission::Known(user, before) => {
            if before != user.role {
                upkeep::record(state, "user changed", format!("{}, by OpenID Connect", accounts::words(&user))).await?;
            }
            begin_session(state, flow, &user).await
        }
        Admission::Added(user) => {
            upkeep::record(state, "user added", format!("{}, by OpenID Connect", accounts::words(&user))).await?;
            if !is_set_up(state).await? {
                return Err(WebError::Internal("the new user is not there".into()));
            }
            first_start::remove_code(state.store.directory());
            begin_session(state, flow, &user).await
        }
        Admission::Disabled(user) => {
            let words = format!("{} is switched off here. Ask your administrator.", user.name);
            refused(words, format!("user {}, switched off", user.name))
        }
        Admission::NoRole(user) => {
            let who = user.map_or(format!("subject {subject}"), |user| format!("user {}", user.name));
            let words = "You have no role in this service. An administrator gives it in ".to_owned() + title + ".";
            refused(words, format!("{who}, without a role"))
        }
        Admission::NameTaken => {
            let words = format!("The name {name} belongs to a user with a password. Ask your administrator.");
            refused(words, format!("subject {subject}, whose name {name} is taken"))
        }
        Admission::FirstIsNoAdmin => {
            let words = "The first user of this service has to be an administrator.".to_owned();
            refused(words, format!("subject {subject}, before the first administrator"))
        }
    }
}

async fn begin_session(state: &AppState, flow: &Flow, user: &User) -> Result<Response, WebError> {
    let object = format!("user {}, by OpenID Connect", user.name);
    Ok(noted(login::begin(state, user.id, &flow.next).await?, Some(&user.name), object))
}

/// Returns the page about a failure, from which the log-in can be begun again.
fn failed(state: &AppState, oidc: &Oidc, next: &str, error: &OidcError) -> Result<Response, WebError> {
    tracing::warn!("a log-in by OpenID Connect failed: {error}");
    let title = oidc.title();
    let (status, words) = match error {
        OidcError::Unreachable(_) if oidc.is_only_way() => {
            (StatusCode::SERVICE_UNAVAILABLE, format!("{title} cannot be reached now. Try again later; the log has the cause."))
        }
        OidcError::Unreachable(_) => (
            StatusCode::SERVICE_UNAVAILABLE,
            format!("{title} cannot be reached now. Try again later, or log in with a password. The log has the cause."),
        ),
        OidcError::Refused(why) => (StatusCode::FORBIDDEN, format!("{title} did not log you in: {why}.")),
    };
    login::refused(state, status, next, words)
}

/// Returns the code of an error that came with the address: a few plain characters.
fn plain(error: &str) -> String {
    let word: String = error.chars().filter(|c| c.is_ascii_alphanumeric() || *c == '_').take(40).collect();
    if word.is_empty() { "no code".into() } else { word }
}
