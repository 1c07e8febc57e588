//! The row of the audit log about a request.
//!
//! **Invariant:** each request of a user that may change something leaves a row, allowed or not; a route without words of its own
//! is named by its method and address. Requests without a user leave one only at log-in, and there the waits bound their number.

use axum::http::request::Parts;
use axum::http::{Method, header};
use axum::response::{IntoResponse, Response};

use super::CurrentUser;
use super::address;
use super::guard::Credential;
use crate::store::audit::chain::{Act, ActResult};
use crate::store::now_ms;
use crate::web::error::WebError;
use crate::web::oidc::CALLBACK;
use crate::web::state::AppState;

/// Words of routes that change something.
const WORDS: &[(&Method, &str, &str)] = &[
    (&Method::POST, "/login", "log-in"),
    (&Method::POST, "/logout", "log-out"),
    (&Method::POST, "/setup", "first administrator made"),
    (&Method::POST, "/code", "password chosen with a code"),
    (&Method::POST, "/account/password", "own password changed"),
    (&Method::POST, "/account/sessions/{id}", "own session ended"),
    (&Method::DELETE, "/api/v1/sessions/{id}", "own session ended"),
    (&Method::POST, "/account/tokens", "token made"),
    (&Method::POST, "/api/v1/tokens", "token made"),
    (&Method::POST, "/account/tokens/{id}", "token revoked"),
    (&Method::DELETE, "/api/v1/tokens/{id}", "token revoked"),
    (&Method::POST, "/users", "user added"),
    (&Method::POST, "/api/v1/users", "user added"),
    (&Method::POST, "/users/{id}", "user changed"),
    (&Method::PATCH, "/api/v1/users/{id}", "user changed"),
    (&Method::POST, "/users/{id}/code", "user given a new code"),
    (&Method::POST, "/api/v1/users/{id}/code", "user given a new code"),
    (&Method::POST, "/webhooks", "webhook added"),
    (&Method::POST, "/api/v1/webhooks", "webhook added"),
    (&Method::POST, "/webhooks/{id}/remove", "webhook removed"),
    (&Method::DELETE, "/api/v1/webhooks/{id}", "webhook removed"),
    (&Method::POST, "/check", "program uploaded"),
    (&Method::POST, "/samples/{*path}", "sample opened"),
    (&Method::POST, "/api/v1/programs", "program uploaded"),
    (&Method::POST, "/programs/{id}/requirements", "run started"),
    (&Method::POST, "/api/v1/jobs", "run started"),
    (&Method::POST, "/runs/{id}/cancel", "run cancelled"),
    (&Method::POST, "/api/v1/jobs/{id}/cancel", "run cancelled"),
    (&Method::POST, "/runs/{id}/delete", "run deleted"),
    (&Method::POST, "/programs/{id}/delete", "program deleted"),
    (&Method::POST, "/runs/{id}/requirements/{number}/kept", "counterexample kept"),
    (&Method::POST, "/api/v1/projects/{id}/findings", "counterexample kept"),
    (&Method::POST, "/projects/{id}/findings/{finding}/end", "kept counterexample taken back"),
    (&Method::DELETE, "/api/v1/projects/{id}/findings/{finding}", "kept counterexample taken back"),
    (&Method::DELETE, "/api/v1/jobs/{id}", "run deleted"),
    (&Method::DELETE, "/api/v1/programs/{id}", "program deleted"),
    (&Method::POST, "/runs/{id}/project", "project made"),
    (&Method::POST, "/api/v1/projects", "project made"),
    (&Method::PATCH, "/api/v1/projects/{id}", "project changed"),
    (&Method::POST, "/projects/{id}/settings", "project changed"),
    (&Method::POST, "/projects/{id}/delete", "project deleted"),
    (&Method::DELETE, "/api/v1/projects/{id}", "project deleted"),
    (&Method::POST, "/projects/{id}/versions", "version uploaded"),
    (&Method::POST, "/api/v1/projects/{id}/versions", "version uploaded"),
    (&Method::POST, "/projects/{id}/runs", "run started"),
    (&Method::POST, "/projects/{id}/statements/{part}", "statements changed"),
    (&Method::PUT, "/api/v1/projects/{id}/requirements", "statements changed"),
    (&Method::PUT, "/api/v1/projects/{id}/environment", "statements changed"),
];

/// Addresses that give sources away, or the log itself.
const DOWNLOADS: &[(&str, &str)] = &[
    ("/api/v1/programs/{id}", "sources downloaded"),
    ("/api/v1/jobs/{id}/report.", "report downloaded"),
    ("/api/v1/jobs/{id}/results/{requirement}/model", "model downloaded"),
    ("/api/v1/jobs/{id}/results/{requirement}/certificate", "certificate downloaded"),
    ("/audit.jsonl", "audit log exported"),
];

/// Addresses that show sources on a page or in an answer. One user leaves one row about each object within an hour.
const SHOWN: &[(&str, &str)] = &[
    ("/programs/{id}", "sources shown"),
    ("/runs/{id}/requirements/{number}", "sources shown"),
    ("/projects/{id}/comparison", "sources compared"),
    ("/api/v1/projects/{id}/comparison", "sources compared"),
    ("/api/v1/programs/{id}/import", "sources shown"),
    ("/api/v1/jobs/{id}/results/{requirement}", "sources shown"),
];

/// Addresses of log-ins. Of strangers only tries that were counted are kept: their handlers leave a note.
const LOG_INS: &[&str] = &["/login", "/setup", "/code", CALLBACK];

/// Addresses that change nothing, although their requests have a body.
const CHANGES_NOTHING: &[&str] = &["/csp-report", "/programs/{id}/preview"];

/// Most characters of an object.
const MOST_CHARS: usize = 300;

/// Facts about an act that only its handler knows, in the extensions of a response.
#[derive(Clone, Debug, Default)]
pub(crate) struct ActNote {
    /// Name of the user who was found.
    pub(crate) who: Option<String>,
    /// Thing that the act was about.
    pub(crate) object: String,
}

/// Adds facts to the row about this request.
pub(crate) fn noted(mut response: Response, who: Option<&str>, object: impl Into<String>) -> Response {
    response.extensions_mut().insert(ActNote { who: who.map(str::to_owned), object: object.into() });
    response
}

/// Act that is on its way.
pub(super) struct Trail {
    act: Option<Act>,
    path: String,
    is_login: bool,
}

impl Trail {
    /// Returns the act of a request to a route.
    pub(super) fn new(state: &AppState, request: &Parts, route: &str) -> Trail {
        let from = address::client(&request.extensions, &request.headers, &state.config.proxies);
        let action = action(&request.method, route);
        let act = action.map(|action| Act {
            who: String::new(),
            via: String::new(),
            address: from.map(|address| address.to_string()).unwrap_or_default(),
            action,
            object: String::new(),
            result: ActResult::Done,
        });
        Trail { act, path: request.uri.path().to_owned(), is_login: LOG_INS.contains(&route) }
    }

    /// Takes note of the user.
    pub(super) fn known(&mut self, user: &CurrentUser, credential: &Credential) {
        let Some(act) = &mut self.act else { return };
        (act.who, act.via) = match credential {
            Credential::Demo => (String::new(), "no accounts".to_owned()),
            Credential::Session(_) => (user.name.clone(), "session".to_owned()),
            Credential::Token(id, _) => (user.name.clone(), format!("token {id}")),
        };
    }

    /// Records the act. Without its row, nothing is given away, and the sender learns that something is wrong.
    pub(super) async fn end(self, state: &AppState, response: Response) -> Response {
        let Some(mut act) = self.act else { return response };
        let status = response.status();
        act.result = match status.as_u16() {
            ..=399 => ActResult::Done,
            401 | 403 => ActResult::Refused,
            _ => ActResult::Failed,
        };
        let note = response.extensions().get::<ActNote>().cloned();
        if self.is_login && note.is_none() {
            return response;
        }
        let place = response.headers().get(header::LOCATION).and_then(|place| place.to_str().ok());
        let place = place.map(|place| place.split(['?', '#']).next().unwrap_or_default()).filter(|place| *place != self.path);
        act.object = match (&note, place) {
            (Some(note), _) => note.object.clone(),
            (None, Some(place)) => format!("{} → {place}", self.path),
            (None, None) => self.path,
        };
        act.object = act.object.chars().filter(|c| !c.is_control()).take(MOST_CHARS).collect();
        if let Some(who) = note.and_then(|note| note.who) {
            act.who = who;
        }
        let is_shown = SHOWN.iter().any(|(_, words)| *words == act.action);
        if is_shown && act.result == ActResult::Done && !state.access.is_first_look(&act) {
            return response;
        }
        match state.store.record(act, now_ms()).await {
            Ok(_) => response,
            Err(error) => {
                tracing::error!("the audit log cannot be written: {error}");
                WebError::Store(error).into_response()
            }
        }
    }
}

/// Returns the words of an act; `None` for a request that only looks.
fn action(method: &Method, route: &str) -> Option<String> {
    if matches!(*method, Method::GET | Method::HEAD) {
        if route == CALLBACK {
            return Some("log-in".to_owned());
        }
        let found = DOWNLOADS.iter().find(|(path, _)| route == *path || path.ends_with('.') && route.starts_with(path));
        let found = found.or_else(|| SHOWN.iter().find(|(path, _)| route == *path));
        return found.map(|(_, words)| (*words).to_owned());
    }
    if CHANGES_NOTHING.contains(&route) {
        return None;
    }
    let found = WORDS.iter().find(|(m, path, _)| *m == method && *path == route);
    Some(found.map_or_else(|| format!("{method} {route}"), |(_, _, words)| (*words).to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::web::access::policy::ROWS;

    #[test]
    fn no_route_that_changes_something_is_left_out() {
        for (method, route, _) in
            ROWS.iter().filter(|(method, route, _)| *method != Method::GET && !CHANGES_NOTHING.contains(route))
        {
            assert!(action(method, route).is_some(), "{method} {route}");
        }
        // A word for a route that is not there would never be used.
        for (method, route, _) in WORDS {
            assert!(ROWS.iter().any(|(m, path, _)| m == *method && path == route), "{method} {route}");
        }
        assert_eq!(action(&Method::DELETE, "/api/v1/new"), Some("DELETE /api/v1/new".into()));
        assert_eq!(action(&Method::GET, "/api/v1/programs/{id}"), Some("sources downloaded".into()));
        assert_eq!(action(&Method::HEAD, "/api/v1/jobs/{id}/report.sarif"), Some("report downloaded".into()));
        assert_eq!(action(&Method::GET, "/programs/{id}"), Some("sources shown".into()));
        assert_eq!(action(&Method::GET, "/"), None);
    }
}
