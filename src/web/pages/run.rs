//! A run while it waits and works: progress per requirement, live with JavaScript, by refresh without. Afterwards its report.

use askama::Template;
use axum::extract::{Path, State};
use axum::response::{IntoResponse, Redirect, Response};
use serde::Deserialize;

use super::report;
use super::{duration, filters, page};
use crate::report::verdict_class::VerdictClass;
use crate::run::event::Event;
use crate::store::jobs::{JobState, StoredJob};
use crate::web::access::CurrentUser;
use crate::web::api::jobs::{planned, stop};
use crate::web::error::WebError;
use crate::web::job::{self, JobEvent};
use crate::web::read::Parameters;
use crate::web::state::AppState;

#[derive(Template)]
#[template(path = "pages/run.html")]
struct RunPage {
    job: StoredJob,
    queued: bool,
    running_for: String,
    n_done: usize,
    rows: Vec<ProgressRow>,
    /// Rows that are folded.
    more: Vec<ProgressRow>,
    n_all: usize,
    log: Vec<String>,
    ahead: u32,
    memory: Option<Memory>,
    /// Reason why no agent takes it.
    no_agent: Option<String>,
}

/// Memory that a waiting run lacks, in MiB.
struct Memory {
    limit_mb: u32,
    all_mb: u32,
    taken_mb: u64,
}

impl Memory {
    /// Returns the memory of a job that does not fit now.
    fn lacking(job: &StoredJob, state: &AppState) -> Option<Memory> {
        let lacks = job.state == JobState::Queued && state.memory.free_mb() < job.memory_mb;
        lacks.then(|| Memory { limit_mb: job.memory_mb, all_mb: state.memory.all_mb(), taken_mb: state.memory.taken_mb() })
    }
}

struct ProgressRow {
    id: String,
    text: String,
    class: &'static str,
    words: String,
    took: String,
    done: bool,
    /// Nothing is known of it yet.
    is_waiting: bool,
    /// Address of its page, once it is decided, and its target in words.
    page: Option<(String, &'static str)>,
}

/// Lines of the log on the page.
const LOG_LINES: usize = 20;

#[derive(Debug, Deserialize)]
pub(crate) struct RunQuery {
    only: Option<VerdictClass>,
}

/// Answers `GET /runs/{id}`
pub(crate) async fn get(
    State(state): State<AppState>,
    Path(id): Path<String>,
    Parameters(query): Parameters<RunQuery>,
) -> Result<Response, WebError> {
    let stored = job::find(&state, &id).await?;
    if stored.state.is_final() {
        return report::show(&state, stored, query.only).await;
    }
    let events = job::events(&state, &id).await?;
    let waiting = state.store.queued().await?;
    let memory = Memory::lacking(&stored, &state);
    let no_agent = job::waits_for_an_agent(&state, &stored);
    let mut shown = RunPage { memory, no_agent, ..RunPage::new(stored, events, waiting)? };
    for (requirement, number, link) in state.so_far.pages(&id) {
        let row = find_row(&mut shown.rows, &requirement);
        row.page = row.done.then(|| (format!("/runs/{id}/requirements/{number}"), link));
    }
    shown.fold();
    page(&shown)
}

/// Answers `POST /runs/{id}/cancel`
pub(crate) async fn cancel(
    State(state): State<AppState>,
    Path(id): Path<String>,
    user: CurrentUser,
) -> Result<Response, WebError> {
    match stop(&state, &id, &user).await {
        // It ended while the user reached for the button: its report says so.
        Ok(()) | Err(WebError::Ended(_)) => Ok(Redirect::to(&format!("/runs/{id}")).into_response()),
        Err(error) => Err(error),
    }
}

/// Requirements that are not folded.
const MOST_ROWS: usize = 40;

impl RunPage {
    /// Folds the rows of many requirements: those to act on and those at work come first, each kind in the order of the statements.
    fn fold(&mut self) {
        if MOST_ROWS < self.rows.len() {
            self.rows.sort_by_key(|row| match (row.class, row.is_waiting) {
                ("bad", _) => 0,
                (_, false) if !row.done => 1,
                ("good", _) => 4,
                (_, true) => 3,
                (_, false) => 2,
            });
        }
        self.more = self.rows.split_off(self.rows.len().min(MOST_ROWS));
    }

    fn new(job: StoredJob, events: Vec<JobEvent>, waiting: u32) -> Result<RunPage, WebError> {
        let waits = |p: &job::Planned| ProgressRow {
            id: p.id.clone(),
            text: p.text.clone(),
            class: "open",
            words: "… waiting".into(),
            took: String::new(),
            done: false,
            is_waiting: true,
            page: None,
        };
        let planned = planned(&job)?;
        let mut rows: Vec<ProgressRow> = planned.iter().map(waits).collect();
        let mut log = Vec::new();
        for event in events {
            let JobEvent::Run(event) = event else {
                // A new attempt begins from nothing.
                rows = planned.iter().map(waits).collect();
                continue;
            };
            if let Some((requirement, class)) = event.answer() {
                let row = find_row(&mut rows, requirement);
                (row.class, row.done, row.is_waiting) = (class.colour().css(), true, false);
            }
            match event {
                Event::Progress { requirement, text, .. } => {
                    let row = find_row(&mut rows, &requirement);
                    (row.class, row.words, row.is_waiting) = ("open", format!("… {text}"), false);
                }
                Event::Verdict { requirement, headline, duration_ms, .. } => {
                    let row = find_row(&mut rows, &requirement);
                    (row.words, row.took) = (headline, duration(duration_ms));
                }
                Event::Log { text } => log.push(text),
            }
        }
        let n_done = rows.iter().filter(|r| r.done).count();
        let log = log.split_off(log.len().saturating_sub(LOG_LINES));
        let now = crate::store::now_ms();
        let running_for = duration(job.started_ms.map_or(0, |started| now - started).max(0) as u64 / 1000 * 1000);
        Ok(RunPage {
            queued: job.state == JobState::Queued,
            running_for,
            n_done,
            n_all: rows.len(),
            rows,
            more: Vec::new(),
            log,
            ahead: waiting.saturating_sub(1),
            memory: None,
            no_agent: None,
            job,
        })
    }
}

/// Returns the row of a requirement; a new one for one that was not planned.
fn find_row<'r>(rows: &'r mut Vec<ProgressRow>, id: &str) -> &'r mut ProgressRow {
    let at = match rows.iter().position(|r| r.id == id) {
        Some(at) => at,
        None => {
            let (id, text) = (id.to_string(), String::new());
            rows.push(ProgressRow {
                id,
                text,
                class: "open",
                words: String::new(),
                took: String::new(),
                done: false,
                is_waiting: false,
                page: None,
            });
            rows.len() - 1
        }
    };
    &mut rows[at]
}
