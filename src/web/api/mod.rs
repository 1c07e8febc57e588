//! The REST API: one resource per file. Router and OpenAPI document are made of the same handlers.

pub mod audit;
pub mod deletions;
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
use utoipa::openapi::{ContentBuilder, Ref, RefOr, ResponseBuilder};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

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
pub(super) fn router() -> Router<AppState> {
    let (router, _) = documented().split_for_parts();
    let document = openapi();
    router.merge(results::reports()).route("/openapi.json", get(async move || Json(document)))
}

/// Returns the OpenAPI 3.1 document.
pub fn openapi() -> utoipa::openapi::OpenApi {
    let mut document = documented().split_for_parts().1;
    results::document(&mut document);
    document_layers(&mut document);
    document
}

/// Addresses whose POST takes an `Idempotency-Key`.
const KEYED: [&str; 4] = ["/api/v1/programs", "/api/v1/jobs", "/api/v1/projects", "/api/v1/projects/{id}/versions"];

/// Adds the answers of the layers around all handlers: entity tags, media types, and keys of requests.
fn document_layers(document: &mut utoipa::openapi::OpenApi) {
    let answer = |words: &str| ResponseBuilder::new().description(words);
    let problem = |words: &str| {
        let content = ContentBuilder::new().schema(Some(Ref::from_schema_name("ProblemDetails"))).build();
        RefOr::T(answer(words).content("application/problem+json", content).build())
    };
    for (path, item) in document.paths.paths.iter_mut().filter(|(path, _)| path.starts_with("/api/v1/")) {
        if let Some(get) = &mut item.get {
            let known = "If-None-Match names the ETag of the answer";
            get.responses.responses.entry("304".into()).or_insert(RefOr::T(answer(known).build()));
            let other = "The header Accept names no type that there is";
            get.responses.responses.entry("406".into()).or_insert(problem(other));
        }
        if let Some(post) = item.post.as_mut().filter(|_| KEYED.contains(&path.as_str())) {
            let at_work = "The same request with the same Idempotency-Key is at work";
            post.responses.responses.entry("409".into()).or_insert(problem(at_work));
            post.responses.responses.entry("422".into()).or_insert(problem("Another request had the Idempotency-Key"));
        }
    }
}
