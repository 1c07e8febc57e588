//! The layer that keeps `Idempotency-Key`: a request that makes something is done once, however often it is sent.
//!
//! An answer that refuses is not kept: the request may succeed later. A service that ends while a request is at work frees its
//! key, so that the sender's next try does it again.

use axum::body::{Body, Bytes};
use axum::extract::{Request, State};
use axum::http::{HeaderName, HeaderValue, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use http_body_util::BodyExt;

use super::access;
use super::error::WebError;
use super::state::AppState;
use crate::store::idempotency::{KeyState, StoredAnswer};
use crate::store::now_ms;
use answer::certificate::sha256;

/// Header with the key.
pub(super) const KEY: HeaderName = HeaderName::from_static("idempotency-key");
/// Longest key.
const MAX_KEY: usize = 200;
/// Headers of an answer that are kept with it.
const KEPT: [HeaderName; 4] = [header::CONTENT_TYPE, header::LOCATION, header::RETRY_AFTER, header::ETAG];

/// Returns whether a key counts for an address. Answers with secrets are never stored.
fn counts(path: &str) -> bool {
    let is_version = path.starts_with("/api/v1/projects/") && path.ends_with("/versions");
    is_version || ["/api/v1/programs", "/api/v1/jobs", "/api/v1/projects"].contains(&path)
}

/// Does a request with a key once; sends the stored answer to the same request again.
pub(super) async fn once(State(state): State<AppState>, request: Request, next: Next) -> Response {
    let Some(key) = request.headers().get(KEY).filter(|_| *request.method() == Method::POST) else {
        return next.run(request).await;
    };
    if !counts(request.uri().path()) {
        return next.run(request).await;
    }
    let key = match key.to_str().map(bare) {
        Ok(key) if is_key(key) => key.to_owned(),
        Ok(_) | Err(_) => {
            let words = format!("Idempotency-Key: a key has 1 to {MAX_KEY} letters, digits or signs, without blanks and quotes.");
            return WebError::Parameter(words).into_response();
        }
    };
    kept(&state, key, request, next).await.unwrap_or_else(IntoResponse::into_response)
}

/// Returns a key without the quotes around it.
fn bare(key: &str) -> &str {
    let key = key.trim();
    key.strip_prefix('"').and_then(|key| key.strip_suffix('"')).unwrap_or(key)
}

/// Returns whether a text is a key: visible characters of ASCII without quotes, as the OpenAPI document says.
fn is_key(key: &str) -> bool {
    (1..=MAX_KEY).contains(&key.len()) && key.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'"')
}

async fn kept(state: &AppState, key: String, request: Request, next: Next) -> Result<Response, WebError> {
    let (parts, body) = request.into_parts();
    // The layer around this one has read it.
    let body = body.collect().await.map_err(|_| WebError::BadRequest("The request was cut off.".into()))?.to_bytes();
    let kind = parts.headers.get(header::CONTENT_TYPE).map_or(&b""[..], HeaderValue::as_bytes);
    let digest = sha256(&format!("{} {} {}", parts.method, parts.uri, digest_of(kind, &body)));
    let owned = (access::owner(), key);
    match state.store.take_key(owned.clone(), digest, now_ms()).await? {
        KeyState::Free => {}
        KeyState::Answered(answer) => return again(answer),
        KeyState::AtWork => return Err(WebError::KeyInUse),
        KeyState::Other => return Err(WebError::KeyReused),
    }
    let request = Request::from_parts(parts, Body::from(body));
    // The request goes on if its sender goes away: the next try then finds the answer.
    let work = tokio::spawn(access::carried(answered(state.clone(), owned.clone(), next.run(request))));
    match work.await {
        Ok(answer) => answer,
        Err(error) => {
            state.store.end_key(owned, None).await?;
            Err(WebError::Internal(format!("a request with a key ended unexpectedly: {error}")))
        }
    }
}

/// Waits for the answer to a request, and keeps it under the key.
async fn answered(
    state: AppState,
    owned: (String, String),
    response: impl Future<Output = Response>,
) -> Result<Response, WebError> {
    let response = response.await;
    if response.status().as_u16() >= 400 {
        state.store.end_key(owned, None).await?;
        return Ok(response);
    }
    let (parts, body) = response.into_parts();
    let body = body.collect().await.map_err(|error| WebError::Internal(error.to_string()))?.to_bytes();
    let headers: Vec<(&str, &str)> =
        KEPT.iter().filter_map(|name| Some((name.as_str(), parts.headers.get(name)?.to_str().ok()?))).collect();
    let headers = serde_json::to_string(&headers).map_err(|error| WebError::Internal(error.to_string()))?;
    let text = String::from_utf8_lossy(&body).into_owned();
    state.store.end_key(owned, Some(StoredAnswer { status: parts.status.as_u16(), headers, body: text })).await?;
    Ok(Response::from_parts(parts, Body::from(body)))
}

/// Returns the hash of a body. The boundary of a form differs from try to try; its parts do not.
///
/// Soundness: each byte is a character of its own, so different files have different texts.
fn digest_of(kind: &[u8], body: &Bytes) -> String {
    let text: String = body.iter().map(|byte| char::from(*byte)).collect();
    let kind = String::from_utf8_lossy(kind);
    match kind.split_once("boundary=") {
        Some((kind, boundary)) => sha256(&format!("{kind} {}", text.replace(boundary.trim_matches('"'), ""))),
        None => sha256(&format!("{kind} {text}")),
    }
}

/// Returns a stored answer.
fn again(answer: StoredAnswer) -> Result<Response, WebError> {
    let headers: Vec<(String, String)> =
        serde_json::from_str(&answer.headers).map_err(|error| WebError::Internal(error.to_string()))?;
    let status = StatusCode::from_u16(answer.status).map_err(|error| WebError::Internal(error.to_string()))?;
    let mut response = (status, answer.body).into_response();
    response.headers_mut().remove(header::CONTENT_TYPE);
    for (name, value) in headers {
        if let (Ok(name), Ok(value)) = (HeaderName::try_from(name), HeaderValue::try_from(value)) {
            response.headers_mut().insert(name, value);
        }
    }
    response.headers_mut().insert(HeaderName::from_static("idempotent-replayed"), HeaderValue::from_static("true"));
    Ok(response)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_visible_and_stands_with_or_without_quotes() {
        let check = |given: &str, expected: Option<&str>| {
            assert_eq!(Some(bare(given)).filter(|key| is_key(key)), expected, "{given}");
        };
        check("a-1/+=", Some("a-1/+="));
        check(" \"a-1\" ", Some("a-1"));
        for wrong in ["", "\"", "\"\"", "a b", "a\"b", "ü"] {
            check(wrong, None);
        }
        check(&"k".repeat(201), None);
    }

    #[test]
    fn only_boundaries_may_differ_between_tries() {
        let of = |boundary: &str, part: &[u8]| {
            let body = [format!("--{boundary}\r\n").as_bytes(), part, format!("--{boundary}--").as_bytes()].concat();
            digest_of(format!("multipart/form-data; boundary={boundary}").as_bytes(), &body.into())
        };
        assert_eq!(of("a1", b"PK\xff"), of("b2", b"PK\xff"));
        // Neither byte is UTF-8.
        assert_ne!(of("a1", b"PK\xff"), of("a1", b"PK\xfe"));
    }
}
