//! The layer around reads of the API: entity tags, `If-None-Match`, and answers that the sender does not accept.

use axum::body::{Body, HttpBody};
use axum::extract::Request;
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use http_body_util::BodyExt;
use sha2::{Digest, Sha256};

use super::error::WebError;

/// Bodies up to this size get a tag of their content.
const MOST_BYTES: u64 = 64 << 20;

/// Answers 304 where the sender has the answer already, and 406 where it takes no answer of this type.
pub(super) async fn reads(request: Request, next: Next) -> Response {
    if *request.method() != Method::GET || !request.uri().path().starts_with("/api/v1/") {
        return next.run(request).await;
    }
    let (accept, known) = (given(request.headers(), header::ACCEPT), given(request.headers(), header::IF_NONE_MATCH));
    let response = next.run(request).await;
    if response.status() != StatusCode::OK {
        return response;
    }
    let kind = text(response.headers(), header::CONTENT_TYPE.as_str()).split(';').next().unwrap_or_default().trim().to_owned();
    if accept.as_ref().and_then(|accept| accept.to_str().ok()).is_some_and(|accept| !accepts(accept, &kind)) {
        return WebError::NotAcceptable(kind).into_response();
    }
    match tagged(response).await {
        Ok(response) if is_known(known.as_ref(), &response) => {
            let (mut parts, _) = response.into_parts();
            parts.status = StatusCode::NOT_MODIFIED;
            parts.headers.remove(header::CONTENT_LENGTH);
            parts.headers.remove(header::CONTENT_TYPE);
            Response::from_parts(parts, Body::empty())
        }
        Ok(response) => response,
        Err(error) => error.into_response(),
    }
}

fn given(headers: &HeaderMap, name: HeaderName) -> Option<HeaderValue> {
    headers.get(name).cloned()
}

fn text<'h>(headers: &'h HeaderMap, name: &str) -> &'h str {
    headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default()
}

/// Returns the response with a tag: its own, or a weak one of its content. A stream has none.
async fn tagged(response: Response) -> Result<Response, WebError> {
    let is_whole = response.body().size_hint().exact().is_some_and(|bytes| bytes <= MOST_BYTES);
    if response.headers().contains_key(header::ETAG) || !is_whole {
        return Ok(response);
    }
    let (mut parts, body) = response.into_parts();
    let bytes = body.collect().await.map_err(|error| WebError::Internal(error.to_string()))?.to_bytes();
    let digest: String = Sha256::digest(&bytes).iter().take(16).map(|byte| format!("{byte:02x}")).collect();
    let tag = HeaderValue::from_str(&format!("W/\"{digest}\"")).map_err(|error| WebError::Internal(error.to_string()))?;
    parts.headers.insert(header::ETAG, tag);
    Ok(Response::from_parts(parts, Body::from(bytes)))
}

/// Returns whether one of the tags that the sender knows is that of the response; weak and strong ones count alike.
fn is_known(known: Option<&HeaderValue>, response: &Response) -> bool {
    let bare = |tag: &str| tag.trim().trim_start_matches("W/").to_owned();
    let own = bare(text(response.headers(), header::ETAG.as_str()));
    let known = known.and_then(|known| known.to_str().ok()).unwrap_or_default();
    !own.is_empty() && known.split(',').any(|one| one.trim() == "*" || bare(one) == own)
}

/// Returns whether a header `Accept` allows a media type.
fn accepts(accept: &str, kind: &str) -> bool {
    let family = kind.split('/').next().unwrap_or_default();
    let mut ranges = accept.split(',').filter_map(|range| {
        let mut parts = range.split(';').map(str::trim);
        let name = parts.next().filter(|name| !name.is_empty())?.to_ascii_lowercase();
        let is_refused = parts.any(|part| part.strip_prefix("q=").and_then(|q| q.parse::<f32>().ok()).is_some_and(|q| q <= 0.0));
        Some((name, is_refused))
    });
    let mut allowed: Vec<(u8, bool)> = Vec::new();
    let mut any = false;
    for (name, is_refused) in ranges.by_ref() {
        any = true;
        // The most specific range decides.
        let rank = match name.as_str() {
            "*/*" => 1,
            name if name.strip_suffix("/*") == Some(family) => 2,
            name if name == kind => 3,
            _ => continue,
        };
        allowed.push((rank, !is_refused));
    }
    !any || allowed.into_iter().max_by_key(|(rank, _)| *rank).is_some_and(|(_, is_allowed)| is_allowed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_most_specific_range_decides() {
        let check = |accept: &str, expected: bool| assert_eq!(accepts(accept, "application/json"), expected, "{accept}");
        check("", true);
        check("*/*", true);
        check("application/json", true);
        check("text/html, Application/JSON;q=0.5", true);
        check("application/*", true);
        check("text/html", false);
        check("text/csv, image/*", false);
        check("application/json;q=0, */*", false);
        check("application/*;q=0, application/json", true);
    }
}
