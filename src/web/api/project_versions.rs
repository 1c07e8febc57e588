//! Versions of a project, and the requirements and environment that it keeps.

use axum::Json;
use axum::extract::{FromRequest, Path, Request, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::programs::UploadForm;
use super::projects::{VersionView, check_tag, next_link, tag, version_view};
use crate::store::projects::statements::Part;
use crate::web::error::{ProblemDetails, WebError};
use crate::web::job::rfc3339;
use crate::web::read::{FormParts, JsonBody, Parameters, page_size};
use crate::web::state::AppState;
use crate::web::upload::Upload;
use crate::web::{actor, project};

/// A page of versions, newest first.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct VersionList {
    /// The versions.
    versions: Vec<VersionView>,
    /// Address of the next page, if there is one.
    next: Option<String>,
}

/// Page of a list.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct VersionsQuery {
    /// 50 if absent.
    #[param(minimum = 1, maximum = 200)]
    limit: Option<u32>,
    /// Only before this number.
    cursor: Option<i64>,
}

/// A text that a project keeps.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct StatementView {
    /// YAML.
    text: String,
    /// RFC 3339, of the last change.
    changed: String,
    /// Author of the last change; empty without accounts.
    changed_by: String,
}

/// A new text.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, expecting = "an object")]
pub(crate) struct StatementBody {
    /// YAML.
    text: String,
}

/// Adds a version, with the requirements and the environment of the project, and starts its run.
#[utoipa::path(
    post, path = "/api/v1/projects/{id}/versions", tag = "projects", params(("id" = String, Path)),
    request_body(content((UploadForm = "multipart/form-data"))),
    responses(
        (status = 202, description = "Added and queued; Location is the run", body = VersionView),
        (status = 404, body = ProblemDetails, content_type = "application/problem+json"),
        (status = 413, description = "More than 20 MB", body = ProblemDetails, content_type = "application/problem+json"),
        (status = 415, description = "No form with files", body = ProblemDetails, content_type = "application/problem+json"),
        (status = 422, description = "The program has errors, or the environment does not fit it; nothing was added", body = ProblemDetails, content_type = "application/problem+json"),
        (status = 503, description = "The queue is full", body = ProblemDetails, content_type = "application/problem+json"),
    )
)]
pub(crate) async fn create(
    State(state): State<AppState>,
    Path(id): Path<String>,
    request: Request,
) -> Result<Response, WebError> {
    project::find(&state, &id).await?;
    let FormParts(form) = FormParts::from_request(request, &state).await?;
    let upload = Upload::read(form).await?;
    let (number, run) = project::add_version(&state, &id, upload.label, upload.sources).await?;
    let view = version_view(project::version(&state, &id, number).await?)?;
    let location = HeaderValue::from_str(&format!("/api/v1/jobs/{run}")).map_err(|e| WebError::Internal(e.to_string()))?;
    let headers = [(header::LOCATION, location), (header::RETRY_AFTER, HeaderValue::from_static("1"))];
    Ok((StatusCode::ACCEPTED, headers, Json(view)).into_response())
}

/// Versions, newest first.
#[utoipa::path(
    get, path = "/api/v1/projects/{id}/versions", tag = "projects", params(("id" = String, Path), VersionsQuery),
    responses(
        (status = 200, description = "Link rel=next where there are more", body = VersionList),
        (status = 404, body = ProblemDetails, content_type = "application/problem+json"),
    )
)]
pub(crate) async fn list(
    State(state): State<AppState>,
    Path(id): Path<String>,
    Parameters(query): Parameters<VersionsQuery>,
) -> Result<Response, WebError> {
    project::find(&state, &id).await?;
    let limit = page_size(query.limit)?;
    let mut versions = state.store.versions(&id, query.cursor, limit + 1).await?;
    let more = limit < versions.len() as u32;
    versions.truncate(limit as usize);
    let next = versions.last().filter(|_| more);
    let next = next.map(|last| format!("/api/v1/projects/{id}/versions?limit={limit}&cursor={}", last.number));
    let versions = versions.into_iter().map(version_view).collect::<Result<_, _>>()?;
    Ok((next_link(next.as_deref()), Json(VersionList { versions, next })).into_response())
}

async fn show(state: &AppState, id: &str, part: Part) -> Result<Response, WebError> {
    let valid = state.store.statement(id, part).await?.ok_or_else(|| WebError::NotFound(format!("project {id}")))?;
    let view = StatementView { text: valid.after, changed: rfc3339(valid.at_ms), changed_by: valid.changed_by };
    Ok(([(header::ETAG, tag(valid.revision)?)], Json(view)).into_response())
}

async fn change(state: &AppState, id: &str, part: Part, headers: &HeaderMap, text: String) -> Result<Response, WebError> {
    let valid = state.store.statement(id, part).await?.ok_or_else(|| WebError::NotFound(format!("project {id}")))?;
    check_tag(headers, valid.revision)?;
    project::parse(part, &text)?;
    if !state.store.state(id, (part, valid.revision), text, actor::name()).await? {
        return Err(WebError::Stale);
    }
    show(state, id, part).await
}

/// Requirements of a project.
#[utoipa::path(
    get, path = "/api/v1/projects/{id}/requirements", tag = "projects", params(("id" = String, Path)),
    responses(
        (status = 200, description = "ETag is the revision", body = StatementView),
        (status = 404, body = ProblemDetails, content_type = "application/problem+json"),
    )
)]
pub(crate) async fn requirements(State(state): State<AppState>, Path(id): Path<String>) -> Result<Response, WebError> {
    show(&state, &id, Part::Requirements).await
}

/// Changes the requirements of a project. The text before stays in the history.
#[utoipa::path(
    put, path = "/api/v1/projects/{id}/requirements", tag = "projects", params(("id" = String, Path), ("If-Match" = String, Header)),
    request_body = StatementBody,
    responses(
        (status = 200, body = StatementView),
        (status = 404, body = ProblemDetails, content_type = "application/problem+json"),
        (status = 412, description = "Changed meanwhile", body = ProblemDetails, content_type = "application/problem+json"),
        (status = 422, description = "Not requirements", body = ProblemDetails, content_type = "application/problem+json"),
        (status = 428, description = "If-Match is absent", body = ProblemDetails, content_type = "application/problem+json"),
    )
)]
pub(crate) async fn put_requirements(
    State(state): State<AppState>,
    Path(id): Path<String>,
    headers: HeaderMap,
    JsonBody(new): JsonBody<StatementBody>,
) -> Result<Response, WebError> {
    change(&state, &id, Part::Requirements, &headers, new.text).await
}

/// Environment of a project.
#[utoipa::path(
    get, path = "/api/v1/projects/{id}/environment", tag = "projects", params(("id" = String, Path)),
    responses(
        (status = 200, description = "ETag is the revision", body = StatementView),
        (status = 404, body = ProblemDetails, content_type = "application/problem+json"),
    )
)]
pub(crate) async fn environment(State(state): State<AppState>, Path(id): Path<String>) -> Result<Response, WebError> {
    show(&state, &id, Part::Environment).await
}

/// Changes the environment of a project. The text before stays in the history.
#[utoipa::path(
    put, path = "/api/v1/projects/{id}/environment", tag = "projects", params(("id" = String, Path), ("If-Match" = String, Header)),
    request_body = StatementBody,
    responses(
        (status = 200, body = StatementView),
        (status = 404, body = ProblemDetails, content_type = "application/problem+json"),
        (status = 412, description = "Changed meanwhile", body = ProblemDetails, content_type = "application/problem+json"),
        (status = 422, description = "No environment", body = ProblemDetails, content_type = "application/problem+json"),
        (status = 428, description = "If-Match is absent", body = ProblemDetails, content_type = "application/problem+json"),
    )
)]
pub(crate) async fn put_environment(
    State(state): State<AppState>,
    Path(id): Path<String>,
    headers: HeaderMap,
    JsonBody(new): JsonBody<StatementBody>,
) -> Result<Response, WebError> {
    change(&state, &id, Part::Environment, &headers, new.text).await
}
