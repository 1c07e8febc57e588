//! Deliveries: takes those that are due from the database, signs and sends them, and tries again with growing waits.

use std::time::Duration;

use axum::body::Bytes;
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, header};
use ring::hmac;
use serde::Serialize;
use utoipa::ToSchema;

use crate::report::tally::Tally;
use crate::store::jobs::JobState;
use crate::store::webhooks::DueDelivery;
use crate::store::{StoreError, now_ms};
use crate::web::client::{AnswerLimits, send};
use crate::web::error::WebError;
use crate::web::job::{self, rfc3339};
use crate::web::state::AppState;
use crate::web::upkeep;

/// Waits before the second, third … try. After the last try none follows.
pub(super) const WAITS_S: [i64; 6] = [5, 30, 300, 1800, 7200, 21_600];
/// Deliveries that are sent at the same time.
const AT_ONCE: u32 = 8;
/// Longest time without a look at the database.
const LOOK_AGAIN: Duration = Duration::from_secs(30);
/// Limits of an answer: only its status counts.
const LIMITS: AnswerLimits = AnswerLimits { time: Duration::from_secs(15), bytes: 64 << 10 };

/// Body of a delivery.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct WebhookBody {
    /// `run_ended`.
    event: &'static str,
    /// Number of the delivery: the same in each try.
    delivery: i64,
    /// Id of the run.
    run: String,
    /// Its state.
    state: JobState,
    /// RFC 3339.
    ended: Option<String>,
    /// Its verdicts, counted.
    requirements: Tally,
}

/// Sends deliveries until the service ends.
pub(crate) async fn run(state: AppState) {
    let mut news = state.news.subscribe();
    while !state.shutdown.is_cancelled() {
        news.borrow_and_update();
        let wait = match round(&state).await {
            Ok(wait) => wait,
            Err(error) => {
                tracing::error!("webhooks cannot be sent: {error}");
                LOOK_AGAIN
            }
        };
        tokio::select! {
            () = state.shutdown.cancelled() => {}
            () = tokio::time::sleep(wait) => {}
            _ = news.changed() => {}
        }
    }
}

/// Sends everything that is due. Returns the time until something is due again.
async fn round(state: &AppState) -> Result<Duration, StoreError> {
    loop {
        let due = state.store.due_deliveries(now_ms(), AT_ONCE).await?;
        if due.is_empty() {
            let next = state.store.next_delivery_ms().await?;
            let wait = next.map_or(LOOK_AGAIN, |at| Duration::from_millis((at - now_ms()).max(0) as u64));
            return Ok(wait.min(LOOK_AGAIN));
        }
        let tasks: Vec<_> = due.into_iter().map(|due| tokio::spawn(deliver(state.clone(), due))).collect();
        for task in tasks {
            if let Err(error) = task.await {
                tracing::error!("a delivery ended unexpectedly: {error}");
                return Ok(LOOK_AGAIN);
            }
        }
        if state.shutdown.is_cancelled() {
            return Ok(LOOK_AGAIN);
        }
    }
}

/// Tries a delivery once, and takes note of the result.
async fn deliver(state: AppState, due: DueDelivery) {
    let sent = tokio::select! {
        sent = attempt(&state, &due) => sent,
        // It is tried again after the next start.
        () = state.shutdown.cancelled() => return,
    };
    let (result, next_ms) = match sent {
        Ok(status) if (200..300).contains(&status) => (format!("confirmed with status {status}"), None),
        Ok(status) => (format!("refused with status {status}"), next(due.attempts)),
        Err(error) => (format!("not reached: {error}"), next(due.attempts)),
    };
    let is_given_up = next_ms.is_none() && !result.starts_with("confirmed");
    if let Err(error) = state.store.note_delivery(due.id, result.clone(), next_ms).await {
        tracing::error!("the result of delivery {} cannot be stored: {error}", due.id);
    }
    if is_given_up {
        let object = format!("delivery {} about run {}, {result}", due.id, due.job);
        if let Err(error) = upkeep::record(&state, "webhook given up", object).await {
            tracing::error!("the audit log cannot be written: {error}");
        }
    }
}

/// Returns the time of the try after so many.
fn next(attempts: u32) -> Option<i64> {
    WAITS_S.get(attempts as usize).map(|seconds| now_ms() + seconds * 1000)
}

/// Sends a delivery. Returns the status of the answer; the error is one sentence.
async fn attempt(state: &AppState, due: &DueDelivery) -> Result<u16, String> {
    // The setting may have changed since the webhook was added.
    let target = state.config.webhooks.target(&due.url)?;
    let body = body(state, due).await.map_err(|error| error.to_string())?;
    let addresses = target.addresses().await.map_err(|error| error.to_string())?;
    let headers = headers(due, &body, now_ms() / 1000).map_err(|error| error.to_string())?;
    let tls = state.config.webhooks.tls.as_ref();
    let answer = send(&target, &addresses, tls, (Method::POST, headers, Bytes::from(body)), LIMITS).await?;
    Ok(answer.status)
}

async fn body(state: &AppState, due: &DueDelivery) -> Result<String, WebError> {
    let stored = job::find(state, &due.job).await?;
    let body = WebhookBody {
        event: "run_ended",
        delivery: due.id,
        requirements: job::tally(state, &stored).await?,
        ended: stored.ended_ms.map(rfc3339),
        state: stored.state,
        run: stored.id,
    };
    job::json(&body)
}

fn headers(due: &DueDelivery, body: &str, seconds: i64) -> Result<HeaderMap, header::InvalidHeaderValue> {
    let named = |name: &'static str, value: &str| Ok((HeaderName::from_static(name), HeaderValue::from_str(value)?));
    let signature = format!("t={seconds},v1={}", signature(&due.secret, seconds, body));
    Ok(HeaderMap::from_iter([
        (header::CONTENT_TYPE, HeaderValue::from_static("application/json")),
        (header::USER_AGENT, HeaderValue::from_static(concat!("scanproof/", env!("CARGO_PKG_VERSION")))),
        named("x-scanproof-delivery", &due.id.to_string())?,
        named("x-scanproof-signature", &signature)?,
    ]))
}

/// Returns the HMAC-SHA256 of time and body, in hexadecimal digits: `HMAC(secret, "<seconds>.<body>")`.
pub(in crate::web) fn signature(secret: &str, seconds: i64, body: &str) -> String {
    let key = hmac::Key::new(hmac::HMAC_SHA256, secret.as_bytes());
    let tag = hmac::sign(&key, format!("{seconds}.{body}").as_bytes());
    tag.as_ref().iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_signature_is_the_hmac_of_time_and_body() {
        // By `printf '7.{}' | openssl dgst -sha256 -hmac key`.
        assert_eq!(signature("key", 7, "{}"), "77bc83bd1f40422311e47918b203449aecf84b02c1568bb1b570ac2a474cc2d8");
        assert_ne!(signature("key", 8, "{}"), signature("key", 7, "{}"));
    }

    #[test]
    fn waits_grow_and_end() {
        assert!(WAITS_S.windows(2).all(|pair| pair[0] < pair[1]));
        assert!(next(0).is_some() && next(WAITS_S.len() as u32).is_none());
    }
}
