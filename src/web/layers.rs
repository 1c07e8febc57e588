//! Layers around every request and response: ids and log lines, security headers, size limits, and the
//! explanation of failures. Handlers know nothing of it.

use std::any::Any;
use std::time::{Duration, Instant};

use askama::Template;
use axum::body::{Body, Bytes};
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use tokio_stream::StreamExt;
use tower_http::csrf::ProtectionError;
use tracing::{Instrument, error, info, info_span, warn};

use super::access::{self, CurrentUser, seen_by};
use super::error::{Failure, WebError};
use super::pages::failure::FailurePage;
use super::state::{AppState, BODY_TIME};

/// The id of a request: in the log, in the header `x-request-id`, in problems.
#[derive(Clone, Debug)]
pub(super) struct RequestId(pub(super) String);

/// Gives each request an id and the log a line.
pub(super) async fn log(State(state): State<AppState>, mut request: Request, next: Next) -> Response {
    let id = uuid::Uuid::now_v7().to_string();
    let (method, path) = (request.method().clone(), without_tokens(request.uri().path()));
    request.extensions_mut().insert(RequestId(id.clone()));
    let started = Instant::now();
    let mut response = next.run(request).instrument(info_span!("request", request.id = %id)).await;
    state.metrics.request(method.as_str(), response.status().as_u16(), started.elapsed());
    let (status, duration_ms) = (response.status().as_u16(), started.elapsed().as_millis() as u64);
    info!(request.id = %id, %method, path, status, duration_ms, "{method} {path} {status} in {duration_ms} ms");
    if let Ok(id) = HeaderValue::from_str(&id) {
        response.headers_mut().insert(HeaderName::from_static("x-request-id"), id);
    }
    response
}

/// Returns a path without the secrets of tokens that someone put into it: `sp_` and what follows of its letters and digits.
fn without_tokens(path: &str) -> String {
    let mut parts = path.split("sp_");
    let mut shown = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let rest = part.trim_start_matches(|c: char| c.is_ascii_hexdigit() || c == '_');
        shown.push_str(if part.len() < rest.len() + LEAST_SECRET { "sp_" } else { "sp_…" });
        shown.push_str(if part.len() < rest.len() + LEAST_SECRET { part } else { rest });
    }
    shown
}

/// Least number of signs behind `sp_` that can be a secret; names like `sp_1` are shorter.
const LEAST_SECRET: usize = 16;

/// `report-uri`: a violation is a defect of ours or an attack; the log shows it.
const CONTENT_SECURITY_POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; \
    connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'; report-uri /csp-report";

/// Headers of every response.
const SECURITY_HEADERS: [(HeaderName, &str); 7] = [
    (header::CONTENT_SECURITY_POLICY, CONTENT_SECURITY_POLICY),
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (header::REFERRER_POLICY, "same-origin"),
    (header::X_FRAME_OPTIONS, "DENY"),
    (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
    (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
    (
        HeaderName::from_static("permissions-policy"),
        "accelerometer=(), camera=(), geolocation=(), gyroscope=(), microphone=(), payment=(), usb=()",
    ),
];

/// Adds the security headers, and `no-cache` where a handler said nothing: pages change while runs go on.
pub(super) async fn secure(State(state): State<AppState>, request: Request, next: Next) -> Response {
    let mut response = next.run(request).await;
    let headers = response.headers_mut();
    for (name, value) in SECURITY_HEADERS {
        headers.insert(name, HeaderValue::from_static(value));
    }
    if state.config.hsts {
        headers.insert(header::STRICT_TRANSPORT_SECURITY, HeaderValue::from_static("max-age=63072000"));
    }
    headers.entry(header::CACHE_CONTROL).or_insert(HeaderValue::from_static("no-cache"));
    response
}

/// Makes a problem document or a page of every failure.
pub(super) async fn explain(request: Request, next: Next) -> Response {
    let machine = wants_json(request.uri().path(), request.headers());
    let method = request.method().clone();
    let id = request.extensions().get::<RequestId>().map(|r| r.0.clone()).unwrap_or_default();
    let mut response = next.run(request).await;
    let status = response.status();
    let user = response.extensions_mut().remove::<CurrentUser>();
    let failure = match response.extensions_mut().remove::<Failure>() {
        Some(Failure(failure)) => failure,
        // An answer of the framework.
        None if status == StatusCode::METHOD_NOT_ALLOWED => WebError::Method(method.to_string()).into(),
        // A form with its errors is a page already.
        None if status.is_client_error() && !is_page(&response) => {
            WebError::BadRequest("The request does not have the expected form.".into()).into()
        }
        None if status.is_server_error() && !response.headers().contains_key(header::CONTENT_TYPE) => {
            WebError::Internal(format!("a response without words: {status}")).into()
        }
        None => return response,
    };
    if let Some(words) = failure.for_the_log() {
        error!(request.id = %id, "{words}");
    }
    let details = failure.details(&id);
    let kind = failure.kind();
    let (media_type, body) = if machine {
        ("application/problem+json", serde_json::to_string(&details).unwrap_or_default())
    } else {
        let page = FailurePage { kind, details: &details, request: &id };
        ("text/html; charset=utf-8", seen_by(user, || page.render()).unwrap_or_default())
    };
    let mut explained = (kind.status, [(header::CONTENT_TYPE, media_type)], body).into_response();
    for (name, value) in response.headers() {
        if name != header::CONTENT_TYPE && name != header::CONTENT_LENGTH {
            explained.headers_mut().insert(name, value.clone());
        }
    }
    explained
}

fn is_page(response: &Response) -> bool {
    response.headers().get(header::CONTENT_TYPE).is_some_and(|t| t.as_bytes().starts_with(b"text/html"))
}

/// Returns whether programs get problem documents, browsers get pages.
fn wants_json(path: &str, headers: &HeaderMap) -> bool {
    let accepts = |what: &str| {
        let accept = headers.get(header::ACCEPT).and_then(|a| a.to_str().ok()).unwrap_or_default();
        accept.contains(what)
    };
    let machine = path.starts_with("/api/") || ["/livez", "/readyz", "/version", "/metrics", "/openapi.json"].contains(&path);
    machine || (accepts("json") && !accepts("text/html"))
}

/// Returns the answer to a panic in a handler.
pub(super) fn panicked(what: Box<dyn Any + Send + 'static>) -> Response {
    let words = what.downcast_ref::<&str>().map(|s| (*s).to_string()).or_else(|| what.downcast_ref::<String>().cloned());
    WebError::Internal(format!("a handler panicked: {}", words.unwrap_or_default())).into_response()
}

/// Returns the answer to a request that another site sent.
pub(super) fn cross_site<B: Default>(error: ProtectionError) -> axum::http::Response<B> {
    warn!("refused a request of another site: {error:?}");
    let (parts, _) = WebError::CrossSite.into_response().into_parts();
    axum::http::Response::from_parts(parts, B::default())
}

/// Longest time for which an upload waits until another has ended. Its body waits in the network meanwhile.
const UPLOAD_WAIT: Duration = Duration::from_secs(5);
const UPLOAD_BYTES: usize = 20 << 20;
const FORM_BYTES: usize = 1 << 20;
const OTHER_BYTES: usize = 64 << 10;

/// Returns the most bytes that may be sent to a path.
fn limit(path: &str) -> usize {
    match path {
        "/check" | "/api/v1/programs" => UPLOAD_BYTES,
        "/api/v1/jobs" => FORM_BYTES,
        p if p.ends_with("/versions") && (p.starts_with("/projects/") || p.starts_with("/api/v1/projects/")) => UPLOAD_BYTES,
        p if p.starts_with("/programs/") && (p.ends_with("/requirements") || p.ends_with("/preview")) => FORM_BYTES,
        p if p.starts_with("/projects/") || p.starts_with("/api/v1/projects") => FORM_BYTES,
        _ => OTHER_BYTES,
    }
}

/// Reads the body before the handler runs, so that a body that is too large, too slow or cut off has one answer.
///
/// Bodies beyond the limit are read on and thrown away, up to four times the limit: a browser shows an answer only once it has sent
/// what it wanted to send.
pub(super) async fn bodies(State(state): State<AppState>, request: Request, next: Next) -> Response {
    if matches!(*request.method(), Method::GET | Method::HEAD | Method::OPTIONS) {
        return next.run(request).await;
    }
    let limit = limit(request.uri().path());
    let _permit = match limit {
        UPLOAD_BYTES => match state.uploads.acquire_within(&access::owner(), UPLOAD_WAIT).await {
            Ok(permit) => Some(permit),
            Err(error) => return error.into_response(),
        },
        _ => None,
    };
    let (parts, body) = request.into_parts();
    let announced = parts.headers.get(header::CONTENT_LENGTH).and_then(|l| l.to_str().ok()).and_then(|l| l.parse().ok());
    match tokio::time::timeout(BODY_TIME, read(body, announced, limit)).await {
        Ok(Ok(bytes)) => next.run(Request::from_parts(parts, Body::from(bytes))).await,
        Ok(Err(error)) => {
            let mut response = error.into_response();
            response.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
            response
        }
        Err(_) => WebError::TooSlow.into_response(),
    }
}

async fn read(body: Body, announced: Option<usize>, limit: usize) -> Result<Bytes, WebError> {
    let mut kept = Vec::new();
    let mut seen = 0usize;
    let mut chunks = body.into_data_stream();
    while let Some(chunk) = chunks.next().await {
        let chunk = chunk.map_err(|_| WebError::BadRequest("The request was cut off.".into()))?;
        seen = seen.saturating_add(chunk.len());
        if limit < seen.max(announced.unwrap_or(0)) {
            kept = Vec::new();
            if limit.saturating_mul(4) < seen {
                break;
            }
        } else {
            kept.extend_from_slice(&chunk);
        }
    }
    if limit < seen.max(announced.unwrap_or(0)) { Err(WebError::TooLarge(limit)) } else { Ok(kept.into()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_log_has_no_token_of_a_path() {
        let token = format!("sp_0123456789abcdef_{}", "ab".repeat(32));
        for (path, expected) in [
            ("/api/v1/jobs".to_owned(), "/api/v1/jobs"),
            ("/programs/sp_1/x".to_owned(), "/programs/sp_1/x"),
            (format!("/api/v1/{token}"), "/api/v1/sp_…"),
            (format!("/{token}/a/{token}%20"), "/sp_…/a/sp_…%20"),
        ] {
            assert_eq!(without_tokens(&path), expected);
        }
    }
}
