//! Webhooks, for administrators: the list, a new one, and the last deliveries.

use askama::Template;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Redirect, Response};

use super::account::private;
use super::{When, page_with, when};
use crate::store::webhooks::Webhook;
use crate::web::access::trail::noted;
use crate::web::error::WebError;
use crate::web::read::FormBody;
use crate::web::state::AppState;
use crate::web::webhooks::{self, MadeWebhook};

#[derive(Template)]
#[template(path = "pages/webhooks.html")]
struct WebhooksPage {
    /// Hosts that may be reached, in words; empty: none.
    hosts: String,
    webhooks: Vec<Webhook>,
    deliveries: Vec<DeliveryRow>,
    /// Webhook that was just made, with its secret.
    made: Option<MadeWebhook>,
    /// Address as typed.
    url: String,
    error: Option<String>,
}

struct DeliveryRow {
    webhook: i64,
    job: String,
    attempts: u32,
    result: String,
    next: Option<When>,
}

/// Deliveries on the page.
const LISTED: u32 = 50;

async fn list(
    state: &AppState,
    status: StatusCode,
    made: Option<MadeWebhook>,
    (url, error): (String, Option<String>),
) -> Result<Response, WebError> {
    let deliveries = state.store.deliveries(None, LISTED).await?.into_iter().map(|row| DeliveryRow {
        webhook: row.webhook,
        job: row.job,
        attempts: row.attempts,
        result: row.result,
        next: row.next_ms.map(when),
    });
    let (hosts, webhooks) = (state.config.webhooks.words(), state.store.webhooks().await?);
    let page = WebhooksPage { hosts, webhooks, deliveries: deliveries.collect(), made, url, error };
    Ok(private(page_with(status, &page)?))
}

/// Answers `GET /webhooks`
pub(crate) async fn get(State(state): State<AppState>) -> Result<Response, WebError> {
    list(&state, StatusCode::OK, None, (String::new(), None)).await
}

/// Answers `POST /webhooks`: adds a webhook and shows its secret.
pub(crate) async fn add(State(state): State<AppState>, form: FormBody) -> Result<Response, WebError> {
    match webhooks::add(&state, form.field("url")).await {
        Ok(made) => {
            let object = format!("webhook {}, {}", made.id, made.url);
            Ok(noted(list(&state, StatusCode::OK, Some(made), (String::new(), None)).await?, None, object))
        }
        Err(error @ WebError::Parameter(_)) => {
            let typed = (form.field("url").to_owned(), Some(error.to_string()));
            list(&state, error.kind().status, None, typed).await
        }
        Err(error) => Err(error),
    }
}

/// Answers `POST /webhooks/{id}/remove`
pub(crate) async fn remove(State(state): State<AppState>, Path(id): Path<i64>) -> Result<Response, WebError> {
    webhooks::remove(&state, id).await?;
    Ok(Redirect::to("/webhooks").into_response())
}
