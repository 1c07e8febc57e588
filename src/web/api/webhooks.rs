//! Webhooks, for administrators: add, list, remove, and the last deliveries.

use axum::Json;
use axum::extract::{Path, State};
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::Response;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::tokens::unstored;
use crate::store::webhooks::Delivery;
use crate::web::access::trail::noted;
use crate::web::error::{ProblemDetails, WebError};
use crate::web::job::rfc3339;
use crate::web::read::JsonBody;
use crate::web::state::AppState;
use crate::web::webhooks;

/// A webhook to add.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, expecting = "an object")]
pub(crate) struct NewWebhookBody {
    /// Address that is told, on a host that the setting webhook-host names.
    url: String,
}

/// A webhook that was made.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct MadeWebhookView {
    /// Its number.
    id: i64,
    /// Address that is told.
    url: String,
    /// Secret of its signatures. It is shown once.
    secret: String,
}

/// A webhook.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct WebhookView {
    /// Its number.
    id: i64,
    /// Address that is told.
    url: String,
    /// RFC 3339.
    created: String,
    /// Author.
    created_by: String,
}

/// All webhooks.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct WebhookList {
    /// The webhooks.
    webhooks: Vec<WebhookView>,
}

/// A delivery.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct DeliveryView {
    /// Its number.
    id: i64,
    /// Id of the run.
    run: String,
    /// Tries so far.
    attempts: u32,
    /// RFC 3339 of the next try, if there is one.
    next: Option<String>,
    /// RFC 3339, once no try follows.
    ended: Option<String>,
    /// Result of the last try in words; empty before the first.
    result: String,
}

/// The newest deliveries of a webhook.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct DeliveryList {
    /// The deliveries.
    deliveries: Vec<DeliveryView>,
}

/// Deliveries in a list.
const LISTED: u32 = 100;

/// Adds a webhook. The answer has the secret of its signatures, once.
#[utoipa::path(
    post, path = "/api/v1/webhooks", tag = "operation", request_body = NewWebhookBody,
    responses(
        (status = 201, description = "Added; Location is its deliveries", body = MadeWebhookView),
        (status = 403, description = "No administrator", body = ProblemDetails, content_type = "application/problem+json"),
        (status = 415, body = ProblemDetails, content_type = "application/problem+json"),
        (status = 422, description = "No address, or a host that is not allowed", body = ProblemDetails, content_type = "application/problem+json"),
    )
)]
pub(crate) async fn create(State(state): State<AppState>, JsonBody(new): JsonBody<NewWebhookBody>) -> Result<Response, WebError> {
    let made = webhooks::add(&state, &new.url).await?;
    let object = format!("webhook {}, {}", made.id, made.url);
    let location = HeaderValue::from_str(&format!("/api/v1/webhooks/{}/deliveries", made.id));
    let location = location.map_err(|error| WebError::Internal(error.to_string()))?;
    let view = MadeWebhookView { id: made.id, url: made.url, secret: made.secret };
    Ok(noted(unstored((StatusCode::CREATED, [(header::LOCATION, location)], Json(view))), None, object))
}

/// All webhooks, without their secrets.
#[utoipa::path(
    get, path = "/api/v1/webhooks", tag = "operation",
    responses(
        (status = 200, body = WebhookList),
        (status = 403, description = "No administrator", body = ProblemDetails, content_type = "application/problem+json"),
    )
)]
pub(crate) async fn list(State(state): State<AppState>) -> Result<Json<WebhookList>, WebError> {
    let view = |row: crate::store::webhooks::Webhook| WebhookView {
        id: row.id,
        url: row.url,
        created: rfc3339(row.created_ms),
        created_by: row.created_by,
    };
    Ok(Json(WebhookList { webhooks: state.store.webhooks().await?.into_iter().map(view).collect() }))
}

/// Removes a webhook with its deliveries.
#[utoipa::path(
    delete, path = "/api/v1/webhooks/{id}", tag = "operation", params(("id" = i64, Path)),
    responses(
        (status = 204, description = "Removed"),
        (status = 404, body = ProblemDetails, content_type = "application/problem+json"),
    )
)]
pub(crate) async fn remove(State(state): State<AppState>, Path(id): Path<i64>) -> Result<StatusCode, WebError> {
    webhooks::remove(&state, id).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// The newest deliveries of a webhook, with the result of the last try.
#[utoipa::path(
    get, path = "/api/v1/webhooks/{id}/deliveries", tag = "operation", params(("id" = i64, Path)),
    responses(
        (status = 200, body = DeliveryList),
        (status = 404, body = ProblemDetails, content_type = "application/problem+json"),
    )
)]
pub(crate) async fn deliveries(State(state): State<AppState>, Path(id): Path<i64>) -> Result<Json<DeliveryList>, WebError> {
    if !state.store.webhooks().await?.iter().any(|webhook| webhook.id == id) {
        return Err(WebError::NotFound(format!("webhook {id}")));
    }
    let view = |row: Delivery| DeliveryView {
        id: row.id,
        run: row.job,
        attempts: row.attempts,
        next: row.next_ms.map(rfc3339),
        ended: row.ended_ms.map(rfc3339),
        result: row.result,
    };
    Ok(Json(DeliveryList { deliveries: state.store.deliveries(Some(id), LISTED).await?.into_iter().map(view).collect() }))
}
