//! The session cookie: its name, its flags, its value.

use axum::http::{HeaderMap, HeaderValue, header};

use crate::web::error::WebError;
use crate::web::state::SiteConfig;

/// Returns the name of the cookie. The prefix makes browsers refuse one that another host or plain HTTP set.
fn name(config: &SiteConfig) -> &'static str {
    if config.tls { "__Host-scanproof" } else { "scanproof" }
}

/// Returns the session id of a request; two different cookies of the name are none.
pub(crate) fn session_id(config: &SiteConfig, headers: &HeaderMap) -> Option<String> {
    let cookies = headers.get_all(header::COOKIE).iter().filter_map(|value| value.to_str().ok());
    let pairs = cookies.flat_map(|value| value.split(';')).filter_map(|pair| pair.trim().split_once('='));
    let ids: Vec<&str> = pairs.filter(|(key, _)| *key == name(config)).map(|(_, id)| id).collect();
    match ids.as_slice() {
        [id] if !id.is_empty() => Some((*id).to_owned()),
        _ => None,
    }
}

/// Returns the header that gives a browser this session; an empty id takes it away.
pub(crate) fn set(config: &SiteConfig, id: &str) -> Result<HeaderValue, WebError> {
    let secure = if config.tls { "; Secure" } else { "" };
    let end = if id.is_empty() { "; Max-Age=0" } else { "" };
    HeaderValue::from_str(&format!("{}={id}; Path=/; HttpOnly; SameSite=Lax{secure}{end}", name(config)))
        .map_err(|e| WebError::Internal(e.to_string()))
}
