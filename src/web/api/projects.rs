//! Projects: make, list, look, change, delete, and compare their versions.

use axum::Json;
use axum::extract::{Path, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::deletions;
use crate::report::tally::Tally;
use crate::store::jobs::JobState;
use crate::store::projects::Project;
use crate::store::projects::versions::{NewVersion, Version};
use crate::web::access::CurrentUser;
use crate::web::error::{ProblemDetails, WebError};
use crate::web::job::{read, rfc3339};
use crate::web::project::{self, VersionComparison};
use crate::web::read::{JsonBody, Parameters, check_cursor, page_size};
use crate::web::state::AppState;
use crate::web::{actor, api};
use kernel::property::spec::Specification;

/// A project to make.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, expecting = "an object")]
pub(crate) struct NewProjectBody {
    /// Name of the machine.
    #[schema(min_length = 1)]
    name: String,
    /// Words about it.
    #[serde(default)]
    note: String,
    /// Requirements and environment.
    #[serde(default)]
    specification: Specification,
    /// Id of the program that is version 1, if there is one already. It is not checked by this.
    program: Option<String>,
}

/// Name and note to change; what is absent stays.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, expecting = "an object")]
pub(crate) struct ProjectPatch {
    /// Name of the machine.
    name: Option<String>,
    /// Words about it.
    note: Option<String>,
}

/// A project.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ProjectView {
    /// Its id; ids sort by time.
    id: String,
    /// Name of the machine.
    name: String,
    /// Words about it.
    note: String,
    /// RFC 3339.
    created: String,
    /// Author of the last change; empty without accounts.
    changed_by: String,
    /// The last version, if there is one.
    last_version: Option<VersionView>,
    /// Its page.
    page: String,
}

/// A version.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct VersionView {
    /// From 1, without gaps.
    number: i64,
    /// Id of the program.
    program: String,
    /// Label of the program.
    label: String,
    /// RFC 3339.
    created: String,
    /// Author; empty without accounts.
    changed_by: String,
    /// Id of the newest run, if there is one.
    job: Option<String>,
    /// State of that run.
    state: Option<JobState>,
    /// Its verdicts, once it has ended.
    requirements: Option<Tally>,
}

/// A page of projects, newest first.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ProjectList {
    /// The projects.
    projects: Vec<ProjectView>,
    /// Address of the next page, if there is one.
    next: Option<String>,
}

/// Page of a list.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct ListQuery {
    /// 50 if absent.
    #[param(minimum = 1, maximum = 200)]
    limit: Option<u32>,
    /// Only older than this project.
    #[param(pattern = "^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$")]
    cursor: Option<String>,
    /// Part of the name.
    search: Option<String>,
}

/// Two versions.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct ComparisonQuery {
    /// Number of the older version.
    from: i64,
    /// Number of the newer version.
    to: i64,
}

/// Returns a version as it is sent.
pub(super) fn version_view(version: Version) -> Result<VersionView, WebError> {
    let tally = version.job.as_ref().and_then(|job| job.tally.as_deref()).map(read).transpose()?;
    Ok(VersionView {
        number: version.number,
        program: version.program,
        label: version.label,
        created: rfc3339(version.created_ms),
        changed_by: version.changed_by,
        state: version.job.as_ref().map(|job| job.state),
        job: version.job.map(|job| job.id),
        requirements: tally,
    })
}

fn view(project: Project, last: Option<Version>) -> Result<ProjectView, WebError> {
    Ok(ProjectView {
        page: format!("/projects/{}", project.id),
        id: project.id,
        name: project.name,
        note: project.note,
        created: rfc3339(project.created_ms),
        changed_by: project.changed_by,
        last_version: last.map(version_view).transpose()?,
    })
}

/// Returns the entity tag of a revision.
pub(super) fn tag(revision: i64) -> Result<HeaderValue, WebError> {
    HeaderValue::from_str(&format!("\"{revision}\"")).map_err(|e| WebError::Internal(e.to_string()))
}

/// Checks that the sender has seen this revision.
pub(super) fn check_tag(headers: &HeaderMap, revision: i64) -> Result<(), WebError> {
    let Some(given) = headers.get(header::IF_MATCH) else { return Err(WebError::NoIfMatch) };
    let expected = tag(revision)?;
    let mut given = given.to_str().unwrap_or_default().split(',').map(str::trim);
    if given.any(|one| one == "*" || one.as_bytes() == expected.as_bytes()) { Ok(()) } else { Err(WebError::Stale) }
}

/// Returns the header of the next page.
pub(super) fn next_link(next: Option<&str>) -> HeaderMap {
    let mut headers = HeaderMap::new();
    if let Some(link) = next.and_then(|next| HeaderValue::from_str(&format!("<{next}>; rel=\"next\"")).ok()) {
        headers.insert(header::LINK, link);
    }
    headers
}

/// Makes a project.
#[utoipa::path(
    post, path = "/api/v1/projects", tag = "projects", request_body = NewProjectBody,
    responses(
        (status = 201, description = "Made; Location is its address", body = ProjectView),
        (status = 404, description = "No such program", body = ProblemDetails, content_type = "application/problem+json"),
        (status = 422, description = "No name", body = ProblemDetails, content_type = "application/problem+json"),
    )
)]
pub(crate) async fn create(State(state): State<AppState>, JsonBody(new): JsonBody<NewProjectBody>) -> Result<Response, WebError> {
    let version = match &new.program {
        Some(id) => {
            let program = api::programs::find(&state, id).await?;
            Some(NewVersion { program: program.id, label: program.label, job: None })
        }
        None => None,
    };
    let name = project::name(&new.name)?;
    let id = project::keep(&state, (name, new.note), &new.specification, version).await?;
    let (found, last) = whole(&state, &id).await?;
    let location = HeaderValue::from_str(&format!("/api/v1/projects/{id}")).map_err(|e| WebError::Internal(e.to_string()))?;
    let headers = [(header::LOCATION, location), (header::ETAG, tag(found.revision)?)];
    Ok((StatusCode::CREATED, headers, Json(view(found, last)?)).into_response())
}

async fn whole(state: &AppState, id: &str) -> Result<(Project, Option<Version>), WebError> {
    let project = project::find(state, id).await?;
    Ok((project, state.store.versions(id, None, 1).await?.into_iter().next()))
}

/// Projects, newest first.
#[utoipa::path(
    get, path = "/api/v1/projects", tag = "projects", params(ListQuery),
    responses((status = 200, description = "Link rel=next where there are more", body = ProjectList))
)]
pub(crate) async fn list(State(state): State<AppState>, Parameters(query): Parameters<ListQuery>) -> Result<Response, WebError> {
    let limit = page_size(query.limit)?;
    check_cursor(query.cursor.as_deref())?;
    let search = query.search.unwrap_or_default();
    let mut listed = state.store.projects(&search, query.cursor, limit + 1).await?;
    let more = limit < listed.len() as u32;
    listed.truncate(limit as usize);
    let search = crate::report::address::encoded(&search, false);
    let next = listed.last().filter(|_| more);
    let next = next.map(|last| format!("/api/v1/projects?limit={limit}&cursor={}&search={search}", last.project.id));
    let projects = listed.into_iter().map(|one| view(one.project, one.last)).collect::<Result<_, _>>()?;
    Ok((next_link(next.as_deref()), Json(ProjectList { projects, next })).into_response())
}

/// A project.
#[utoipa::path(
    get, path = "/api/v1/projects/{id}", tag = "projects", params(("id" = String, Path)),
    responses(
        (status = 200, description = "ETag is the revision of name and note", body = ProjectView),
        (status = 404, body = ProblemDetails, content_type = "application/problem+json"),
    )
)]
pub(crate) async fn get(State(state): State<AppState>, Path(id): Path<String>) -> Result<Response, WebError> {
    let (found, last) = whole(&state, &id).await?;
    Ok(([(header::ETAG, tag(found.revision)?)], Json(view(found, last)?)).into_response())
}

/// Changes name or note.
#[utoipa::path(
    patch, path = "/api/v1/projects/{id}", tag = "projects", params(("id" = String, Path), ("If-Match" = String, Header)),
    request_body = ProjectPatch,
    responses(
        (status = 200, body = ProjectView),
        (status = 404, body = ProblemDetails, content_type = "application/problem+json"),
        (status = 412, description = "Changed meanwhile", body = ProblemDetails, content_type = "application/problem+json"),
        (status = 422, description = "No name", body = ProblemDetails, content_type = "application/problem+json"),
        (status = 428, description = "If-Match is absent", body = ProblemDetails, content_type = "application/problem+json"),
    )
)]
pub(crate) async fn change(
    State(state): State<AppState>,
    Path(id): Path<String>,
    headers: HeaderMap,
    JsonBody(patch): JsonBody<ProjectPatch>,
) -> Result<Response, WebError> {
    let found = project::find(&state, &id).await?;
    check_tag(&headers, found.revision)?;
    let name = patch.name.map_or(Ok(found.name.clone()), |name| project::name(&name))?;
    let note = patch.note.unwrap_or_else(|| found.note.clone());
    if !state.store.rename_project(&found, (name, note), actor::name()).await? {
        return Err(WebError::Stale);
    }
    get(State(state), Path(id)).await
}

/// Deletes a project, and ended runs that were started for it and that no other project has. Users delete the projects that they
/// made, administrators all.
#[utoipa::path(
    delete, path = "/api/v1/projects/{id}", tag = "projects", params(("id" = String, Path)),
    responses(
        (status = 204, description = "Deleted"),
        (status = 403, description = "The project of another user", body = ProblemDetails, content_type = "application/problem+json"),
        (status = 404, body = ProblemDetails, content_type = "application/problem+json"),
    )
)]
pub(crate) async fn delete(
    State(state): State<AppState>,
    Path(id): Path<String>,
    user: CurrentUser,
) -> Result<StatusCode, WebError> {
    deletions::delete_project(&state, &id, &user).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Differences between two versions.
#[utoipa::path(
    get, path = "/api/v1/projects/{id}/comparison", tag = "projects", params(("id" = String, Path), ComparisonQuery),
    responses(
        (status = 200, description = "`no_verdicts` says why verdicts are not compared", body = VersionComparison),
        (status = 404, description = "No such project or version", body = ProblemDetails, content_type = "application/problem+json"),
    )
)]
pub(crate) async fn comparison(
    State(state): State<AppState>,
    Path(id): Path<String>,
    Parameters(query): Parameters<ComparisonQuery>,
) -> Result<Json<VersionComparison>, WebError> {
    Ok(Json(project::comparison(&state, &id, (query.from, query.to)).await?))
}
