//! The REST API: one resource per file. Router and OpenAPI document are made of the same handlers.

pub mod agents;
mod asked_limits;
pub mod audit;
pub mod deletions;
mod document;
pub mod engines;
pub mod findings;
pub mod graphs;
pub mod health;
pub mod jobs;
pub mod metrics;
pub mod models;
pub mod programs;
pub mod project_versions;
pub mod projects;
pub mod results;
pub mod tokens;
pub mod users;
pub mod webhooks;

use axum::Router;
use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse, Json, Response};
use axum::routing::get;
use utoipa::OpenApi;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::access::Access;
use super::error::{ProblemDetails, WebError};
use super::job::JobEvent;
use super::state::AppState;
use super::webhooks::delivery::WebhookBody;

#[derive(OpenApi)]
#[openapi(
    info(
        title = "Scanproof",
        description = "Verifies PLC programs: a proof, a counterexample in your own code, or an honest “not decided, because”. \
            Upload a program, state what must never happen, queue a job, follow its events, read its results. \
            Every problem is application/problem+json (RFC 9457); its `type` is a page of this service.",
        license(name = "MIT OR Apache-2.0"),
    ),
    components(schemas(ProblemDetails, JobEvent, WebhookBody)),
    tags(
        (name = "programs", description = "Uploaded programs: immutable, named by their content"),
        (name = "jobs", description = "Runs: queued, running, ended"),
        (name = "projects", description = "Machines whose program is checked again with each version"),
        (name = "results", description = "Answers of a run"),
        (name = "access", description = "Users, and the sender's own tokens and sessions; only where the service has accounts"),
        (name = "operation", description = "State of the service"),
    )
)]
struct Document;

fn documented() -> OpenApiRouter<AppState> {
    OpenApiRouter::with_openapi(Document::openapi())
        .routes(routes!(programs::create))
        .routes(routes!(programs::get, deletions::program))
        .routes(routes!(programs::import))
        .routes(routes!(projects::create, projects::list))
        .routes(routes!(projects::get, projects::change, projects::delete))
        .routes(routes!(projects::comparison))
        .routes(routes!(findings::create, findings::list))
        .routes(routes!(findings::get, findings::end))
        .routes(routes!(project_versions::create, project_versions::list))
        .routes(routes!(project_versions::requirements, project_versions::put_requirements))
        .routes(routes!(project_versions::environment, project_versions::put_environment))
        .routes(routes!(webhooks::create, webhooks::list))
        .routes(routes!(webhooks::remove))
        .routes(routes!(webhooks::deliveries))
        .routes(routes!(jobs::create, jobs::list))
        .routes(routes!(jobs::get, deletions::job))
        .routes(routes!(jobs::cancel))
        .routes(routes!(jobs::events))
        .routes(routes!(results::list))
        .routes(routes!(results::get))
        .routes(routes!(results::report))
        .routes(routes!(models::get))
        .routes(routes!(results::certificate))
        .routes(routes!(results::signing_key))
        .routes(routes!(graphs::get))
        .routes(routes!(engines::list))
        .routes(routes!(agents::list))
        .routes(routes!(users::list, users::create))
        .routes(routes!(users::get, users::change))
        .routes(routes!(users::renew_code))
        .routes(routes!(tokens::list, tokens::create))
        .routes(routes!(tokens::revoke))
        .routes(routes!(tokens::sessions))
        .routes(routes!(tokens::end_session))
        .routes(routes!(audit::list))
        .routes(routes!(health::livez))
        .routes(routes!(health::readyz))
        .routes(routes!(health::version))
        .routes(routes!(metrics::get))
}

/// Makes a file to download.
fn attachment(name: &str, content: impl IntoResponse) -> Result<Response, WebError> {
    let name = HeaderValue::from_str(&format!("attachment; filename=\"{name}\""));
    let name = name.map_err(|e| WebError::Internal(e.to_string()))?;
    Ok(([(header::CONTENT_DISPOSITION, name)], content).into_response())
}

/// Returns the API's routes, with `/openapi.json`.
pub(super) fn router(access: Access) -> Router<AppState> {
    let (router, _) = documented().split_for_parts();
    let document = openapi(access);
    router.merge(results::reports()).route("/openapi.json", get(async move || Json(document)))
}

/// Returns the OpenAPI 3.1 document of a service with that access.
pub fn openapi(access: Access) -> utoipa::openapi::OpenApi {
    let mut document = documented().split_for_parts().1;
    results::document(&mut document);
    document::complete(&mut document, access);
    document
}
