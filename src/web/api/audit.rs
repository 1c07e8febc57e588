//! The audit log, for administrators and auditors.

use axum::Json;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::projects::next_link;
use super::tokens::unstored;
use crate::report::address::encoded;
use crate::store::audit::AuditFilter;
use crate::store::audit::chain::{ActResult, AuditRow};
use crate::web::error::{ProblemDetails, WebError};
use crate::web::read::{Parameters, page_size};
use crate::web::state::AppState;

/// Filter and page of the audit log.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct ListQuery {
    /// Only of this user.
    who: Option<String>,
    /// Part of the action or the object.
    search: Option<String>,
    /// Only with this result.
    result: Option<ActResult>,
    /// 50 if absent.
    #[param(minimum = 1, maximum = 200)]
    limit: Option<u32>,
    /// Only rows before this number.
    cursor: Option<i64>,
}

/// A page of the audit log, newest first.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct AuditList {
    /// The rows.
    rows: Vec<AuditRow>,
    /// Address of the next page, if there is one.
    next: Option<String>,
}

/// Rows of the audit log, newest first. `/audit.jsonl` has all of them.
#[utoipa::path(
    get, path = "/api/v1/audit", tag = "access", params(ListQuery),
    responses(
        (status = 200, description = "Link rel=next where there are more", body = AuditList),
        (status = 403, description = "Neither administrator nor auditor", body = ProblemDetails, content_type = "application/problem+json"),
        (status = 422, description = "A parameter is not valid", body = ProblemDetails, content_type = "application/problem+json"),
    )
)]
pub(crate) async fn list(State(state): State<AppState>, Parameters(query): Parameters<ListQuery>) -> Result<Response, WebError> {
    let limit = page_size(query.limit)?;
    let filter = AuditFilter { who: query.who.clone(), search: query.search.clone(), result: query.result, before: query.cursor };
    let mut rows = state.store.audit(filter, limit + 1).await?;
    let more = limit < rows.len() as u32;
    rows.truncate(limit as usize);
    let part =
        |name: &str, value: Option<&str>| value.map(|value| format!("&{name}={}", encoded(value, false))).unwrap_or_default();
    let filters = part("who", query.who.as_deref())
        + &part("search", query.search.as_deref())
        + &part("result", query.result.map(ActResult::word));
    let next = rows.last().filter(|_| more).map(|last| format!("/api/v1/audit?limit={limit}&cursor={}{filters}", last.number));
    Ok(unstored((next_link(next.as_deref()), Json(AuditList { rows, next })).into_response()))
}
