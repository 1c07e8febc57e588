//! The session cookie: its name, its flags, its value.

use axum::http::{HeaderMap, HeaderValue, header};

use crate::web::error::WebError;
use crate::web::state::SiteConfig;

/// Returns the name of the cookie. The prefix makes browsers refuse one that another host or plain HTTP set.
fn name(config: &SiteConfig) -> &'static str {
    if config.tls { "__Host-scanproof" } else { "scanproof" }
}

/// Returns the name of the cookie of a log-in that is on its way.
fn flow_name(config: &SiteConfig) -> &'static str {
    if config.tls { "__Host-scanproof-log-in" } else { "scanproof-log-in" }
}

/// Returns the session id of a request; two different cookies of the name are none.
pub(crate) fn session_id(config: &SiteConfig, headers: &HeaderMap) -> Option<String> {
    value(headers, name(config))
}

/// Returns the log-in that is on its way in this browser.
pub(crate) fn flow(config: &SiteConfig, headers: &HeaderMap) -> Option<String> {
    value(headers, flow_name(config))
}

fn value(headers: &HeaderMap, name: &str) -> Option<String> {
    let cookies = headers.get_all(header::COOKIE).iter().filter_map(|value| value.to_str().ok());
    let pairs = cookies.flat_map(|value| value.split(';')).filter_map(|pair| pair.trim().split_once('='));
    let ids: Vec<&str> = pairs.filter(|(key, _)| *key == name).map(|(_, id)| id).collect();
    match ids.as_slice() {
        [id] if !id.is_empty() => Some((*id).to_owned()),
        _ => None,
    }
}

/// Returns the header that gives a browser this session; an empty id takes it away.
pub(crate) fn set(config: &SiteConfig, id: &str) -> Result<HeaderValue, WebError> {
    header(config, name(config), id, "")
}

/// Returns the header that keeps a log-in in a browser for ten minutes; an empty value takes it away.
pub(crate) fn set_flow(config: &SiteConfig, value: &str) -> Result<HeaderValue, WebError> {
    header(config, flow_name(config), value, "; Max-Age=600")
}

fn header(config: &SiteConfig, name: &str, value: &str, life: &str) -> Result<HeaderValue, WebError> {
    let secure = if config.tls { "; Secure" } else { "" };
    let life = if value.is_empty() { "; Max-Age=0" } else { life };
    HeaderValue::from_str(&format!("{name}={value}; Path=/; HttpOnly; SameSite=Lax{secure}{life}"))
        .map_err(|e| WebError::Internal(e.to_string()))
}
