//! Health of the service, for load balancers and people.

use axum::Json;
use axum::extract::State;
use serde::Serialize;
use utoipa::ToSchema;

use crate::web::error::{ProblemDetails, WebError};
use crate::web::state::AppState;

/// The service answers.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Health {
    /// `pass`.
    status: &'static str,
    /// Jobs that wait.
    queued: u32,
    /// Jobs that run.
    running: usize,
}

/// Returns the build of the service.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Version {
    /// Of the tool.
    version: &'static str,
    /// Of the outcome format.
    format: u32,
}

/// Liveness of the process.
#[utoipa::path(get, path = "/livez", tag = "operation", responses((status = 200, description = "It is")))]
pub(crate) async fn livez() -> &'static str {
    "alive\n"
}

/// Readiness for work: the database takes writes, and it is not shutting down.
#[utoipa::path(
    get, path = "/readyz", tag = "operation",
    responses(
        (status = 200, body = Health),
        (status = 503, body = ProblemDetails, content_type = "application/problem+json"),
    )
)]
pub(crate) async fn readyz(State(state): State<AppState>) -> Result<Json<Health>, WebError> {
    if state.shutdown.is_cancelled() {
        return Err(WebError::Draining);
    }
    state.store.ready().await?;
    let queued = state.store.queued().await?;
    let running = state.running().len();
    Ok(Json(Health { status: "pass", queued, running }))
}

/// Build of the service.
#[utoipa::path(get, path = "/version", tag = "operation", responses((status = 200, body = Version)))]
pub(crate) async fn version() -> Json<Version> {
    Json(Version { version: env!("CARGO_PKG_VERSION"), format: 1 })
}
