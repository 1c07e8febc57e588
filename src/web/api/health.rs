//! Health of the service, for load balancers and people.

use axum::Json;
use axum::extract::State;
use serde::Serialize;
use utoipa::ToSchema;

use crate::fleet::dispatcher::Fleet;
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
    /// Memory that all runs may take together, in MiB.
    memory_budget_mb: u32,
    /// Memory that the limits of running jobs take of it, in MiB.
    memory_taken_mb: u64,
    /// Free bytes on the disk of the database.
    free_bytes: u64,
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

/// Readiness for work. The database has just taken a write, and its disk has room. No page of it is damaged. The queue runs, its
/// broker answers if there is one, and the service is not shutting down.
#[utoipa::path(
    get, path = "/readyz", tag = "operation",
    responses(
        (status = 200, body = Health),
        (status = 503, description = "It is not; the detail says why", body = ProblemDetails, content_type = "application/problem+json"),
    )
)]
pub(crate) async fn readyz(State(state): State<AppState>) -> Result<Json<Health>, WebError> {
    if state.shutdown.is_cancelled() {
        return Err(WebError::Draining);
    }
    let free_bytes = rustix::fs::statvfs(state.store.directory())
        .map(|disk| disk.f_bavail.saturating_mul(disk.f_frsize))
        .map_err(|error| WebError::NotReady(format!("The disk of the database cannot be looked at: {error}.")))?;
    if free_bytes < state.config.least_free_bytes {
        let mb = |bytes: u64| bytes >> 20;
        let (free, least) = (mb(free_bytes), mb(state.config.least_free_bytes));
        return Err(WebError::NotReady(format!("The disk of the database has {free} MB left; {least} MB are the least.")));
    }
    if let Some(damage) = state.damage() {
        return Err(WebError::NotReady(format!("The database is damaged: {damage}. Restore a backup.")));
    }
    state.store.ready().await.map_err(|error| WebError::NotReady(format!("The database takes no writes: {error}.")))?;
    if state.queue_has_ended() {
        return Err(WebError::NotReady("The queue of runs has ended: restart the service.".into()));
    }
    if let Some(trouble) = state.fleet.as_ref().and_then(Fleet::refusal) {
        return Err(WebError::NotReady(format!("No run begins: {trouble}.")));
    }
    let queued = state.store.queued().await?;
    let running = state.running().len();
    let (memory_budget_mb, memory_taken_mb) = (state.memory.all_mb(), state.memory.taken_mb());
    Ok(Json(Health { status: "pass", queued, running, memory_budget_mb, memory_taken_mb, free_bytes }))
}

/// Build of the service.
#[utoipa::path(get, path = "/version", tag = "operation", responses((status = 200, body = Version)))]
pub(crate) async fn version() -> Json<Version> {
    Json(Version { version: env!("CARGO_PKG_VERSION"), format: 1 })
}
