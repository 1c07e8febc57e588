//! The audit log, for administrators and auditors: a page with a filter, and the whole log as JSON lines.

use askama::Template;
use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use serde::Deserialize;
use tokio::sync::mpsc;
use tokio_stream::wrappers::ReceiverStream;

use super::account::private;
use super::{When, page, percent, when};
use crate::store::audit::AuditFilter;
use crate::store::audit::chain::{ActResult, AuditRow};
use crate::web::error::WebError;
use crate::web::read::Parameters;
use crate::web::state::AppState;

#[derive(Template)]
#[template(path = "pages/audit.html")]
struct AuditPage {
    query: ListQuery,
    rows: Vec<(AuditRow, When)>,
    older: Option<String>,
    /// Newest row of the log, to be noted elsewhere.
    newest: Option<AuditRow>,
}

/// Filter of the page.
#[derive(Debug, Default, Deserialize)]
pub(crate) struct ListQuery {
    #[serde(default)]
    who: String,
    #[serde(default)]
    search: String,
    #[serde(default)]
    result: String,
    before: Option<i64>,
}

/// Rows of a page.
const ROWS: u32 = 100;
/// Rows of the export that are read at once.
const BATCH: u32 = 500;

/// Answers `GET /audit`
pub(crate) async fn get(State(state): State<AppState>, Parameters(query): Parameters<ListQuery>) -> Result<Response, WebError> {
    let given = |text: &str| Some(text.trim().to_owned()).filter(|text| !text.is_empty());
    let (who, search) = (given(&query.who), given(&query.search));
    let filter = AuditFilter { who, search, result: ActResult::from_word(&query.result), before: query.before };
    let mut rows = state.store.audit(filter, ROWS + 1).await?;
    let more = ROWS < rows.len() as u32;
    rows.truncate(ROWS as usize);
    let older = rows.last().filter(|_| more).map(|last| {
        let (who, search, result) = (percent(&query.who), percent(&query.search), percent(&query.result));
        format!("/audit?who={who}&search={search}&result={result}&before={}", last.number)
    });
    let newest = state.store.audit(AuditFilter::default(), 1).await?.pop();
    let rows = rows.into_iter().map(|row| (when(row.at_ms), row)).map(|(at, row)| (row, at)).collect();
    Ok(private(page(&AuditPage { query, rows, older, newest })?))
}

/// Answers `GET /audit.jsonl`: all rows, the oldest first.
pub(crate) async fn export(State(state): State<AppState>) -> Result<Response, WebError> {
    let (sender, receiver) = mpsc::channel::<Result<Bytes, WebError>>(2);
    tokio::spawn(async move {
        let mut after = 0;
        loop {
            let rows = match state.store.audit_after(after, BATCH).await {
                Ok(rows) => rows,
                // The body breaks off: half a log is not taken for a whole one.
                Err(error) => return drop(sender.send(Err(error.into())).await),
            };
            let Some(last) = rows.last() else { return };
            after = last.number;
            let lines: String = rows.iter().filter_map(|row| serde_json::to_string(row).ok()).map(|line| line + "\n").collect();
            if sender.send(Ok(lines.into())).await.is_err() {
                return;
            }
        }
    });
    let headers = [
        (header::CONTENT_TYPE, "application/jsonl"),
        (header::CONTENT_DISPOSITION, "attachment; filename=\"scanproof-audit.jsonl\""),
    ];
    Ok(private((headers, Body::from_stream(ReceiverStream::new(receiver))).into_response()))
}
