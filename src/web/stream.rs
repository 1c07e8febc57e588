//! The event stream of a job: rows of the database as server-sent events, from any number on, to their end.

use std::convert::Infallible;
use std::time::Duration;

use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use tokio::sync::mpsc;
use tokio_stream::wrappers::ReceiverStream;

use super::access::guard::{self, Credential};
use super::error::WebError;
use super::state::AppState;
use crate::store::StoreError;

/// Rows that are sent at once.
const BATCH: u32 = 200;
/// Proxies close silent connections.
const PING: Duration = Duration::from_secs(15);

/// Streams the events of a job with numbers above `after`; an event `end` is the last.
pub(super) fn stream(state: AppState, job: String, after: i64, credential: Credential) -> Result<Response, WebError> {
    let permit = state.streams.try_acquire(&super::access::owner())?;
    let (sender, receiver) = mpsc::channel(16);
    tokio::spawn(async move {
        let shutdown = state.shutdown.clone();
        tokio::select! {
            () = shutdown.cancelled() => {}
            // The browser has gone.
            () = sender.closed() => {}
            // A revoked session or token reads no further.
            () = guard::ended(&state, credential) => {}
            result = feed(&state, &job, after, &sender) => if let Err(error) = result {
                tracing::error!("the stream of run {job} broke off: {error}");
            }
        }
        drop(permit);
    });
    let sse = Sse::new(ReceiverStream::new(receiver)).keep_alive(KeepAlive::new().interval(PING));
    // A proxy must not wait for more before it passes an event on.
    Ok(([("x-accel-buffering", "no")], sse).into_response())
}

type Sender = mpsc::Sender<Result<Event, Infallible>>;

async fn feed(state: &AppState, job: &str, mut after: i64, sender: &Sender) -> Result<(), StoreError> {
    let mut news = state.news.subscribe();
    loop {
        // Before the rows: an end that is stored in between has its events stored with it.
        let ended = state.store.job(job).await?.is_none_or(|j| j.state.is_final());
        loop {
            let rows = state.store.events(job, after, BATCH).await?;
            let Some(last) = rows.last() else { break };
            after = last.sequence;
            for row in rows {
                let event = Event::default().id(row.sequence.to_string()).event(kind(&row.data)).data(row.data);
                if sender.send(Ok(event)).await.is_err() {
                    return Ok(());
                }
            }
        }
        if ended {
            let _ = sender.send(Ok(Event::default().event("end").data("{\"event\":\"end\"}"))).await;
            return Ok(());
        }
        if news.changed().await.is_err() {
            return Ok(());
        }
    }
}

/// Returns the name of an event: its field `event`.
fn kind(data: &str) -> String {
    let value: Option<serde_json::Value> = serde_json::from_str(data).ok();
    value.and_then(|v| v.get("event").and_then(|e| e.as_str()).map(str::to_string)).unwrap_or_else(|| "message".into())
}
