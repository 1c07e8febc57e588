//! Jobs: queue, list, look, cancel, and their events.

use axum::Json;
use axum::extract::{Extension, Path, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::asked_limits::AskedLimits;
use crate::report::tally::Tally;
use crate::run::job::Strategy;
use crate::run::limits::Limits;
use crate::store::jobs::{Cancel, JobFilter, JobState, StoredJob};
use crate::web::access::CurrentUser;
use crate::web::access::guard::Credential;
use crate::web::error::{ProblemDetails, ProblemItem, WebError};
use crate::web::job::{self, JobEvent, Order, Planned, read, rfc3339, state_words};
use crate::web::read::{JsonBody, Parameters, check_cursor, page_size};
use crate::web::state::AppState;
use crate::web::{stream, waiting};
use kernel::property::spec::Specification;

/// A run to do.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, expecting = "an object")]
pub(crate) struct NewJob {
    /// Id of the program.
    program: String,
    /// Its specification.
    #[serde(default)]
    specification: Specification,
    /// When to give up: never more than the service allows.
    limits: Option<AskedLimits>,
    /// Strategy.
    #[serde(default)]
    strategy: Strategy,
}

/// A job.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct JobView {
    /// Its id; ids sort by time.
    id: String,
    /// State.
    state: JobState,
    /// RFC 3339.
    created: String,
    /// RFC 3339, of the last start.
    started: Option<String>,
    /// RFC 3339.
    ended: Option<String>,
    /// Id of the program.
    program: String,
    /// Label of the program.
    label: String,
    /// Verdicts so far.
    requirements: Tally,
    /// Mistakes in requirements that are stated wrongly. These are not checked; the others are.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    not_checked: Vec<ProblemItem>,
    /// Reason of a failure.
    reason: Option<String>,
    /// Its end was asked for.
    cancel_requested: bool,
    /// Number of starts by workers of the service; 2 after a restart of the service. A run at agents keeps its number.
    attempts: u32,
    /// When it gives up.
    limits: Limits,
    /// Reason why no agent of the fleet takes it or works on it now; absent if one does, or if it does not wait for one.
    #[serde(skip_serializing_if = "Option::is_none")]
    waits_for: Option<String>,
    /// Links.
    links: JobLinks,
}

/// Links of a job.
#[derive(Debug, Serialize, ToSchema)]
struct JobLinks {
    /// Itself.
    #[serde(rename = "self")]
    this: String,
    /// Its events.
    events: String,
    /// POST to stop it.
    cancel: String,
    /// Its verdicts.
    results: String,
    /// Everything that is known after it.
    report: String,
    /// Its page.
    page: String,
}

/// A page of jobs, newest first.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct JobList {
    /// The jobs.
    jobs: Vec<JobView>,
    /// Address of the next page, if there is one.
    next: Option<String>,
}

/// Filter and page of a list of jobs.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct ListQuery {
    /// Only in this state.
    state: Option<JobState>,
    /// Only of this program.
    program: Option<String>,
    /// 50 if absent.
    #[param(minimum = 1, maximum = 200)]
    limit: Option<u32>,
    /// Only older than this job.
    #[param(pattern = "^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$")]
    cursor: Option<String>,
}

/// Place to begin at.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct EventsQuery {
    /// Only events after this number, as JSON instead of a stream.
    #[param(minimum = 0)]
    after: Option<i64>,
}

/// Events so far.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct EventList {
    /// The events in order.
    events: Vec<NumberedEvent>,
    /// The job has ended: nothing follows after these.
    end: bool,
}

/// An event with its number.
#[derive(Debug, Serialize, ToSchema)]
struct NumberedEvent {
    /// From 1, without gaps.
    id: i64,
    /// RFC 3339.
    at: String,
    /// The event.
    #[serde(flatten)]
    event: JobEvent,
}

/// Item of the event stream.
#[derive(ToSchema)]
#[expect(dead_code, reason = "only its schema is used: the stream is written by hand")]
struct StreamedEvent {
    /// Number from 1; the last item has none.
    id: Option<String>,
    /// Kind: `state`, `progress`, `verdict`, `log`, or `end` as the last one.
    event: String,
    /// The event as JSON.
    data: String,
}

async fn view(state: &AppState, job: StoredJob) -> Result<JobView, WebError> {
    let base = format!("/api/v1/jobs/{}", job.id);
    Ok(JobView {
        requirements: job::tally(state, &job).await?,
        waits_for: job::waits_for_an_agent(state, &job),
        not_checked: planned(&job)?.iter().flat_map(|p| &p.problems).map(ProblemItem::from).collect(),
        state: job.state,
        created: rfc3339(job.created_ms),
        started: job.started_ms.map(rfc3339),
        ended: job.ended_ms.map(rfc3339),
        program: job.program,
        label: job.label,
        reason: job.reason,
        cancel_requested: job.cancel,
        attempts: job.attempts,
        limits: Limits { wall_s: job.wall_s, memory_mb: job.memory_mb },
        links: JobLinks {
            events: format!("{base}/events"),
            cancel: format!("{base}/cancel"),
            results: format!("{base}/results"),
            report: format!("{base}/report.json"),
            page: format!("/runs/{}", job.id),
            this: base,
        },
        id: job.id,
    })
}

/// Queues a run. Program and specification are read first: mistakes are told now, not later.
///
/// A requirement that is stated wrongly is `not_checked`, with its place and a message; the others are checked. Nothing is queued
/// where an assumption or a setting is wrong, or where no requirement and no check is left.
#[utoipa::path(
    post, path = "/api/v1/jobs", tag = "jobs", request_body = NewJob,
    params(
        ("Idempotency-Key" = Option<String>, Header, description = "The same request with the same key is done once within 24 hours", pattern = "^[!#-~]{1,200}$"),
        ("Prefer" = Option<String>, Header, description = "`wait=30` answers once the run has ended, or after so many seconds, at most 60"),
    ),
    responses(
        (status = 200, description = "It has ended within the time that was asked for", body = JobView),
        (status = 202, description = "Queued; Location is its address, Retry-After when to look; `not_checked` names each mistake in a requirement", body = JobView),
        (status = 400, body = ProblemDetails, content_type = "application/problem+json"),
        (status = 404, description = "No such program", body = ProblemDetails, content_type = "application/problem+json"),
        (status = 409, description = "The same request is at work", body = ProblemDetails, content_type = "application/problem+json"),
        (status = 415, body = ProblemDetails, content_type = "application/problem+json"),
        (status = 422, description = "The program has errors, an assumption or a setting does not fit it, or no requirement can be checked; `errors` names each place", body = ProblemDetails, content_type = "application/problem+json"),
        (status = 503, description = "The queue is full", body = ProblemDetails, content_type = "application/problem+json"),
    )
)]
pub(crate) async fn create(
    State(state): State<AppState>,
    headers: HeaderMap,
    JsonBody(new): JsonBody<NewJob>,
) -> Result<Response, WebError> {
    let order = Order {
        program: super::programs::find(&state, &new.program).await?,
        specification: new.specification,
        limits: new.limits.unwrap_or_default().or(state.config.default_limits),
        strategy: new.strategy,
        project: None,
    };
    let queued = job::queue(&state, order).await?;
    let (stored, mut answer) = waiting::end(&state, &headers, queued).await?;
    let status = if stored.state.is_final() { StatusCode::OK } else { StatusCode::ACCEPTED };
    if status == StatusCode::ACCEPTED {
        answer.insert(header::RETRY_AFTER, HeaderValue::from_static("1"));
    }
    let job = view(&state, stored).await?;
    let location = HeaderValue::from_str(&job.links.this).map_err(|e| WebError::Internal(e.to_string()))?;
    answer.insert(header::LOCATION, location);
    Ok((status, answer, Json(job)).into_response())
}

/// Jobs, newest first.
#[utoipa::path(
    get, path = "/api/v1/jobs", tag = "jobs", params(ListQuery),
    responses(
        (status = 200, description = "Link rel=next where there are more", body = JobList),
        (status = 422, description = "A parameter is not valid", body = ProblemDetails, content_type = "application/problem+json"),
    )
)]
pub(crate) async fn list(State(state): State<AppState>, Parameters(query): Parameters<ListQuery>) -> Result<Response, WebError> {
    let limit = page_size(query.limit)?;
    check_cursor(query.cursor.as_deref())?;
    let filter = JobFilter { state: query.state, program: query.program.clone(), before: query.cursor };
    let mut stored = state.store.jobs(filter, limit + 1).await?;
    let more = limit < stored.len() as u32;
    stored.truncate(limit as usize);
    let next = stored.last().filter(|_| more).map(|last| {
        let state = query.state.map(|s| format!("&state={}", s.name())).unwrap_or_default();
        // Only ids that exist have jobs: nothing in them needs escaping.
        let program = stored.first().filter(|_| query.program.is_some()).map(|j| format!("&program={}", j.program));
        format!("/api/v1/jobs?limit={limit}&cursor={}{state}{}", last.id, program.unwrap_or_default())
    });
    let mut jobs = Vec::new();
    for job in stored {
        jobs.push(view(&state, job).await?);
    }
    let mut headers = HeaderMap::new();
    if let Some(link) = next.as_deref().and_then(|n| HeaderValue::from_str(&format!("<{n}>; rel=\"next\"")).ok()) {
        headers.insert(header::LINK, link);
    }
    Ok((headers, Json(JobList { jobs, next })).into_response())
}

/// A job.
#[utoipa::path(
    get, path = "/api/v1/jobs/{id}", tag = "jobs",
    params(
        ("id" = String, Path),
        ("Prefer" = Option<String>, Header, description = "`wait=30` answers once the run has ended, or after so many seconds, at most 60"),
    ),
    responses(
        (status = 200, description = "Retry-After while it has not ended", body = JobView),
        (status = 404, body = ProblemDetails, content_type = "application/problem+json"),
    )
)]
pub(crate) async fn get(State(state): State<AppState>, Path(id): Path<String>, headers: HeaderMap) -> Result<Response, WebError> {
    let (job, mut headers) = waiting::end(&state, &headers, job::find(&state, &id).await?).await?;
    if !job.state.is_final() {
        headers.insert(header::RETRY_AFTER, HeaderValue::from_static("1"));
    }
    Ok((headers, Json(view(&state, job).await?)).into_response())
}

/// Stops a job. Users stop their own runs, administrators all.
#[utoipa::path(
    post, path = "/api/v1/jobs/{id}/cancel", tag = "jobs", params(("id" = String, Path)),
    responses(
        (status = 202, description = "It is stopped, or will be in a moment", body = JobView),
        (status = 403, description = "The run of another user", body = ProblemDetails, content_type = "application/problem+json"),
        (status = 404, body = ProblemDetails, content_type = "application/problem+json"),
        (status = 409, description = "It had ended", body = ProblemDetails, content_type = "application/problem+json"),
    )
)]
pub(crate) async fn cancel(
    State(state): State<AppState>,
    Path(id): Path<String>,
    user: CurrentUser,
) -> Result<Response, WebError> {
    stop(&state, &id, &user).await?;
    let job = job::find(&state, &id).await?;
    Ok((StatusCode::ACCEPTED, Json(view(&state, job).await?)).into_response())
}

/// Asks for the end of a job that this user may stop.
pub(crate) async fn stop(state: &AppState, id: &str, user: &CurrentUser) -> Result<(), WebError> {
    match state.store.cancel_job(id, user.governs()).await? {
        Cancel::NotYours => return Err(WebError::Forbidden),
        Cancel::Done | Cancel::Asked => {}
        Cancel::TooLate(ended) => return Err(WebError::Ended(state_words(ended))),
        Cancel::Unknown => return Err(WebError::NotFound(format!("run {id}"))),
    }
    if let Some(token) = state.running().get(id) {
        token.cancel();
    }
    state.announce();
    Ok(())
}

/// Events of a run: as server-sent events with their numbers as ids (`Last-Event-ID` resumes, `end` is the last), or as JSON
/// with `?after=` or `Accept: application/json`.
#[utoipa::path(
    get, path = "/api/v1/jobs/{id}/events", tag = "jobs", params(("id" = String, Path), EventsQuery),
    responses(
        (status = 200, description = "The events", content((EventList = "application/json"), (StreamedEvent = "text/event-stream"))),
        (status = 404, body = ProblemDetails, content_type = "application/problem+json"),
        (status = 429, description = "Too many streams of this user", body = ProblemDetails, content_type = "application/problem+json"),
        (status = 503, description = "Too many streams", body = ProblemDetails, content_type = "application/problem+json"),
    )
)]
pub(crate) async fn events(
    State(state): State<AppState>,
    Path(id): Path<String>,
    Parameters(query): Parameters<EventsQuery>,
    Extension(credential): Extension<Credential>,
    headers: HeaderMap,
) -> Result<Response, WebError> {
    let found = job::find(&state, &id).await?;
    let text = |name| headers.get(name).and_then(|v| v.to_str().ok()).unwrap_or_default();
    let accept = text(header::ACCEPT);
    let as_json = query.after.is_some() || (accept.contains("application/json") && !accept.contains("text/event-stream"));
    if !as_json {
        let after = text(header::HeaderName::from_static("last-event-id")).parse().unwrap_or(0);
        return stream::stream(state, id, after, credential);
    }
    if query.after.is_some_and(|after| after < 0) {
        return Err(WebError::Parameter("after: numbers of events begin with 1.".into()));
    }
    let mut events = Vec::new();
    for row in state.store.events(&id, query.after.unwrap_or(0), job::MAX_EVENTS).await? {
        events.push(NumberedEvent { id: row.sequence, at: rfc3339(row.at_ms), event: read(&row.data)? });
    }
    Ok(Json(EventList { events, end: found.state.is_final() }).into_response())
}

/// Returns the requirements of a job.
pub(crate) fn planned(job: &StoredJob) -> Result<Vec<Planned>, WebError> {
    read(&job.planned)
}
