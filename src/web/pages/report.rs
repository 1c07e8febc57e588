//! The report of a run: the headline, one row per requirement, and the basis of all answers.

use std::ops::Deref;
use std::sync::Arc;

use askama::Template;
use axum::response::Response;

use super::{When, duration, filters, page, when};
use crate::report::conditions::listed;
use crate::report::format::REPORTS;
use crate::report::headline::headline;
use crate::report::outcome::{Condition, Outcome, RequirementResult};
use crate::report::tally::Tally;
use crate::report::verdict_class::VerdictClass;
use crate::store::jobs::{JobState, StoredJob};
use crate::web::error::WebError;
use crate::web::job;
use crate::web::result::link_words;
use crate::web::state::AppState;

#[derive(Template)]
#[template(path = "pages/report.html")]
struct ReportPage {
    job: StoredJob,
    when: When,
    took: String,
    headline: (&'static str, String),
    /// Reason for an early end of the run.
    ended: Option<String>,
    filters: Vec<Filter>,
    rows: Vec<ResultRow>,
    /// Rows that are folded.
    more: Vec<ResultRow>,
    /// Each condition once, with the requirements whose answers rest on it.
    conditions: Vec<(Condition, String)>,
    outcome: Option<Arc<Outcome>>,
}

/// Requirements that are not folded.
const MOST_ROWS: usize = 40;
/// Longest list that is not folded.
const FOLDED: usize = 10;

struct Filter {
    href: String,
    class: &'static str,
    words: String,
    active: bool,
}

/// Result of an outcome that is not copied.
struct ResultOf {
    outcome: Arc<Outcome>,
    at: usize,
}

impl Deref for ResultOf {
    type Target = RequirementResult;

    fn deref(&self) -> &RequirementResult {
        &self.outcome.results[self.at]
    }
}

struct ResultRow {
    href: String,
    class: &'static str,
    result: ResultOf,
    /// Target of the link, in words.
    link: &'static str,
    took: String,
}

/// Returns the page of an ended job; with `only`, just the requirements of one verdict.
pub(super) async fn show(state: &AppState, job: StoredJob, only: Option<VerdictClass>) -> Result<Response, WebError> {
    let outcome = match job::shared_outcome(state, &job).await {
        Ok(outcome) => Some(outcome),
        Err(WebError::NoOutcome(_)) => None,
        Err(error) => return Err(error),
    };
    page(&ReportPage::new(job, outcome, only))
}

impl ReportPage {
    fn new(job: StoredJob, outcome: Option<Arc<Outcome>>, only: Option<VerdictClass>) -> ReportPage {
        let tally = outcome.as_deref().map(Tally::of_outcome).unwrap_or_default();
        let of = |outcome: &Arc<Outcome>, at| ResultOf { outcome: Arc::clone(outcome), at };
        let results: Vec<ResultOf> =
            outcome.iter().flat_map(|outcome| (0..outcome.results.len()).map(move |at| of(outcome, at))).collect();
        let rows = results.into_iter().enumerate().filter(|(_, r)| only.is_none_or(|class| class == VerdictClass::of(r))).map(
            |(n, result)| ResultRow {
                href: format!("/runs/{}/requirements/{}", job.id, n + 1),
                class: VerdictClass::of(&result).colour().css(),
                link: link_words(&result),
                took: duration(result.duration_ms),
                result,
            },
        );
        let (colour, words) = headline(&tally, outcome.is_some());
        let headline = (colour.css(), words);
        let mut rows: Vec<ResultRow> = rows.collect();
        if MOST_ROWS < rows.len() {
            // Answers to act on come first, each kind in the order of the statements.
            rows.sort_by_key(|row| VerdictClass::of(&row.result));
        }
        let more = rows.split_off(rows.len().min(MOST_ROWS));
        ReportPage {
            rows,
            more,
            conditions: outcome.as_deref().map(listed).unwrap_or_default(),
            filters: filters(&job.id, &tally, only),
            headline,
            ended: (job.state != JobState::Succeeded).then(|| job::end_sentence(&job)),
            took: job.took_ms().map_or(String::new(), duration),
            when: when(job.begun_ms()),
            outcome,
            job,
        }
    }
}

fn filters(job: &str, tally: &Tally, only: Option<VerdictClass>) -> Vec<Filter> {
    let filter = |(class, n): (VerdictClass, usize)| Filter {
        href: format!("/runs/{job}?only={}", class.name()),
        class: class.colour().css(),
        words: class.counted(n),
        active: only == Some(class),
    };
    let mut filters: Vec<Filter> = tally.present().map(filter).collect();
    // One class is no choice.
    if filters.len() <= 1 && only.is_none() {
        filters.clear();
    } else {
        let all = Filter {
            href: format!("/runs/{job}"),
            class: "plain",
            words: format!("all {}", tally.total),
            active: only.is_none(),
        };
        filters.insert(0, all);
    }
    filters
}
