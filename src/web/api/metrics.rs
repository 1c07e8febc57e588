//! Numbers about the service, for Prometheus.

use axum::extract::State;
use axum::http::{HeaderMap, header};
use axum::response::{IntoResponse, Response};

use crate::store::access::secret_hash;
use crate::web::error::{ProblemDetails, WebError};
use crate::web::metrics::text;
use crate::web::state::AppState;

/// Numbers about the service in the text format of Prometheus. There are none unless the service has a token for them.
#[utoipa::path(
    get, path = "/metrics", tag = "operation",
    responses(
        (status = 200, description = "Text of Prometheus, version 0.0.4", body = String, content_type = "text/plain"),
        (status = 401, description = "Not the token of `metrics-token`", body = ProblemDetails, content_type = "application/problem+json"),
        (status = 404, description = "The service has no token for metrics", body = ProblemDetails, content_type = "application/problem+json"),
    )
)]
pub(crate) async fn get(State(state): State<AppState>, headers: HeaderMap) -> Result<Response, WebError> {
    let Some(expected) = &state.config.metrics_token else { return Err(WebError::NoRoute) };
    let given = headers.get(header::AUTHORIZATION).and_then(|value| value.to_str().ok()).and_then(|value| value.split_once(' '));
    // Hashes are compared: the time says nothing about the token.
    let fits = |(scheme, token): (&str, &str)| {
        scheme.eq_ignore_ascii_case("bearer") && secret_hash(token.trim()) == secret_hash(expected)
    };
    if !given.is_some_and(fits) {
        return Err(WebError::NoUser);
    }
    Ok(([(header::CONTENT_TYPE, "text/plain; version=0.0.4; charset=utf-8")], text(&state).await?).into_response())
}
