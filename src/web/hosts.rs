//! Names of this service. A request for another name is refused.
//!
//! A page of a foreign site can give its own name the address of this machine (DNS rebinding). Its scripts then read this
//! service as their own site. An address made of digits cannot be given away like that.

use std::net::IpAddr;

use axum::extract::{Request, State};
use axum::http::header;
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use super::error::WebError;
use super::state::AppState;

/// Names that are always this service's: those of the machine itself.
pub(super) fn own_names() -> Vec<String> {
    let name = rustix::system::uname().nodename().to_string_lossy().to_ascii_lowercase();
    ["localhost".to_owned(), name].into_iter().filter(|name| !name.is_empty()).collect()
}

/// Lets requests for this service pass. A request without a name is none of a browser.
pub(super) async fn check(State(state): State<AppState>, request: Request, next: Next) -> Response {
    let named = request.headers().get_all(header::HOST).iter().map(|host| host.to_str().unwrap_or("?"));
    let asked: Vec<&str> = named.chain(request.uri().authority().map(|authority| authority.as_str())).collect();
    match asked.into_iter().find(|host| !is_allowed(host, &state.config.hosts)) {
        Some(host) => WebError::ForeignHost(name(host).to_owned()).into_response(),
        None => next.run(request).await,
    }
}

/// Returns whether the value of a Host header names this service; `names` are in lower case.
fn is_allowed(host: &str, names: &[String]) -> bool {
    let name = name(host).to_ascii_lowercase();
    let is_address = name.trim_start_matches('[').trim_end_matches(']').parse::<IpAddr>().is_ok();
    is_address || names.contains(&name)
}

/// Returns a host without its port.
pub(super) fn name(host: &str) -> &str {
    match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|b| b.is_ascii_digit()) && (!name.contains(':') || name.ends_with(']')) => name,
        Some(_) | None => host,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_and_known_names_pass() {
        let names = ["localhost".to_owned(), "plc-check.plant.local".to_owned()];
        for (host, expected) in [
            ("127.0.0.1:8080", true),
            ("192.168.7.4", true),
            ("[::1]:8080", true),
            ("[fe80::1]", true),
            ("localhost:8080", true),
            ("LOCALHOST", true),
            ("plc-check.plant.local", true),
            ("evil.example", false),
            ("localhost.evil.example:8080", false),
            ("127.0.0.1.evil.example", false),
            ("evil.example:80:80", false),
            ("", false),
            ("?", false),
        ] {
            assert_eq!(is_allowed(host, &names), expected, "{host}");
        }
    }
}
