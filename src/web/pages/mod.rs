//! The pages: one file per page, each with its template of the same name under `templates/pages/`.

pub mod account;
pub mod agents;
pub mod audit;
pub mod code;
pub(crate) mod counterexample;
pub mod deletion;
mod drawings;
pub mod failure;
pub mod help;
pub mod home;
pub mod kept;
pub mod login;
pub mod oidc;
pub mod preview;
pub mod problem;
pub mod program;
pub mod project;
pub mod project_comparison;
pub mod project_settings;
pub mod project_statements;
pub mod project_versions;
pub mod projects;
pub(crate) mod proof;
mod report;
pub mod run;
pub mod setup;
pub(crate) mod undecided;
pub mod user;
pub mod users;
pub mod webhooks;

use askama::Template;
use axum::http::StatusCode;
use axum::response::{Html, IntoResponse, Response};

use super::error::WebError;
pub(super) use crate::report::filters;
pub(super) use kernel::context::count;

/// Returns a page from its template.
pub(super) fn page(template: &impl Template) -> Result<Response, WebError> {
    page_with(StatusCode::OK, template)
}

/// Returns a page with another status: a form with its errors.
pub(super) fn page_with(status: StatusCode, template: &impl Template) -> Result<Response, WebError> {
    let html = template.render().map_err(|e| WebError::Internal(format!("template: {e}")))?;
    Ok((status, Html(html)).into_response())
}

/// A stored time for people: `21 Nov 2026 10:42 UTC`. With JavaScript a page shows it in the browser's zone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct When {
    /// For programs: `2026-11-21T10:42:00Z`.
    pub(super) machine: String,
    /// For people without JavaScript.
    pub(super) words: String,
}

/// Returns a stored time for people.
pub(super) fn when(ms: i64) -> When {
    let time = jiff::Timestamp::from_millisecond(ms).ok();
    let text = |format: &str| time.map(|t| t.strftime(format).to_string()).unwrap_or_default();
    When { machine: text("%Y-%m-%dT%H:%M:%SZ"), words: text("%-d %b %Y %H:%M UTC") }
}

/// Returns a duration for people: `87 ms`, `4.2 s`, `3 min 20 s`, `2 h 5 min`.
pub(super) fn duration(ms: u64) -> String {
    let s = ms / 1000;
    match (ms, s) {
        (0..1000, _) => format!("{ms} ms"),
        (_, 0..60) => format!("{}.{} s", s, ms % 1000 / 100),
        (_, 60..3600) => format!("{} min {} s", s / 60, s % 60),
        (_, _) => format!("{} h {} min", s / 3600, s % 3600 / 60),
    }
}

/// Returns text with a capital at its beginning.
pub(super) fn capital(text: &str) -> String {
    let mut rest = text.chars();
    rest.next().map_or(String::new(), |first| first.to_uppercase().chain(rest).collect())
}

/// Returns text as part of an address.
pub(super) fn percent(text: &str) -> String {
    crate::report::address::encoded(text, false)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_read_well() {
        let check = |ms, text: &str| assert_eq!(duration(ms), text);
        check(0, "0 ms");
        check(999, "999 ms");
        check(1000, "1.0 s");
        check(59_999, "59.9 s");
        check(60_000, "1 min 0 s");
        check(3_600_000, "1 h 0 min");
        check(45_296_000, "12 h 34 min");
    }

    #[test]
    fn times_read_well() {
        let check = |ms, machine: &str, words: &str| {
            assert_eq!(when(ms), When { machine: machine.into(), words: words.into() });
        };
        check(0, "1970-01-01T00:00:00Z", "1 Jan 1970 00:00 UTC");
        check(i64::MAX, "", "");
    }
}
