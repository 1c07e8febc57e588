//! The report of a run: the headline, one row per requirement, and what all of it rests on.

use askama::Template;
use axum::response::Response;

use super::{duration, page, when};
use crate::report::outcome::{Outcome, RequirementResult, VerdictWord};
use crate::report::words::symbol;
use crate::store::jobs::{JobState, StoredJob};
use crate::web::error::WebError;
use crate::web::job::{self, state_words};
use crate::web::state::AppState;
use crate::web::tally::Tally;

#[derive(Template)]
#[template(path = "pages/report.html")]
struct ReportPage {
    job: StoredJob,
    when: String,
    took: String,
    headline: (&'static str, String),
    /// Why the run did not come to its end.
    ended: Option<String>,
    filters: Vec<Filter>,
    rows: Vec<Row>,
    outcome: Option<Outcome>,
}

struct Filter {
    href: String,
    class: &'static str,
    words: String,
    active: bool,
}

struct Row {
    href: String,
    class: &'static str,
    result: RequirementResult,
    /// What the link leads to.
    link: &'static str,
    took: String,
}

/// The page of an ended job; with `only`, just the requirements of one verdict.
pub(super) async fn show(state: &AppState, job: StoredJob, only: Option<VerdictWord>) -> Result<Response, WebError> {
    let outcome = match job::outcome(state, &job).await {
        Ok(outcome) => Some(outcome),
        Err(WebError::NoOutcome(_)) => None,
        Err(error) => return Err(error),
    };
    page(&ReportPage::new(job, outcome, only))
}

impl ReportPage {
    fn new(job: StoredJob, outcome: Option<Outcome>, only: Option<VerdictWord>) -> ReportPage {
        let tally = outcome.as_ref().map(Tally::of_outcome).unwrap_or_default();
        let results = outcome.as_ref().map(|o| o.results.clone()).unwrap_or_default();
        let rows = results.into_iter().enumerate().filter(|(_, r)| only.is_none_or(|w| w == r.verdict)).map(|(n, result)| Row {
            href: format!("/runs/{}/requirements/{}", job.id, n + 1),
            class: class(result.verdict),
            link: link(&result),
            took: duration(result.duration_ms),
            result,
        });
        let took = match (job.started_ms, job.ended_ms) {
            (Some(started), Some(ended)) => duration((ended - started).max(0) as u64),
            (_, _) => String::new(),
        };
        let ended = match job.state {
            JobState::Succeeded => None,
            JobState::Queued
            | JobState::Running
            | JobState::Failed
            | JobState::Cancelled
            | JobState::TimedOut
            | JobState::Interrupted => Some(match &job.reason {
                Some(reason) => format!("The run {}: {reason}.", state_words(job.state)),
                None => format!("The run {}.", state_words(job.state)),
            }),
        };
        let headline = headline(&tally, outcome.is_some());
        ReportPage {
            rows: rows.collect(),
            filters: filters(&job.id, &tally, only),
            headline,
            ended,
            took,
            when: when(job.created_ms),
            outcome,
            job,
        }
    }
}

/// The sentence at the top, with the class of its colour.
fn headline(tally: &Tally, has_outcome: bool) -> (&'static str, String) {
    let total = tally.total;
    let of = |n: usize| if total == 1 { "The requirement".to_string() } else { format!("{n} of {total} requirements") };
    match tally {
        _ if !has_outcome => ("open", "– Nothing was decided".into()),
        Tally { total: 0, .. } => ("open", "– There was nothing to check".into()),
        Tally { error: n @ 1.., .. } => ("bad", format!("! {} ended in an internal error", of(*n))),
        Tally { violated: n @ 1.., impossible, .. } if n == impossible => {
            ("bad", format!("✖ {} for what is impossible", of(*n) + if *n == 1 { " asks" } else { " ask" }))
        }
        Tally { violated: n @ 1.., impossible, .. } => ("bad", format!("✖ {} can be broken", of(n - impossible))),
        Tally { holds, conditional: 1.., .. } if *holds == total => {
            ("warn", format!("⚠ {} in every cycle, as long as checks that were not made would not fail", holding(total)))
        }
        Tally { holds, possible: 1.., .. } if *holds == total && total == 1 => {
            ("good", "✔ What the requirement asks for is possible: a run shows it".into())
        }
        Tally { holds, possible: 1.., .. } if *holds == total => {
            ("good", format!("✔ All {total} requirements are met — proved, or shown by a run"))
        }
        Tally { holds, .. } if *holds == total && total == 1 => {
            ("good", "✔ The requirement holds in every cycle — proved".into())
        }
        Tally { holds, .. } if *holds == total => ("good", format!("✔ All {total} requirements hold in every cycle — proved")),
        Tally { vacuous: n @ 1.., .. } => ("warn", format!("⚠ {} can never be put to the test", of(*n))),
        Tally { holds, .. } => {
            ("open", format!("? {} not proved", of(total - holds) + if total - holds == 1 { " is" } else { " are" }))
        }
    }
}

fn holding(total: usize) -> String {
    if total == 1 { "The requirement holds".into() } else { format!("All {total} requirements hold") }
}

fn filters(job: &str, tally: &Tally, only: Option<VerdictWord>) -> Vec<Filter> {
    let words = [
        (VerdictWord::Violated, if tally.impossible == 0 { "can be broken" } else { "broken or impossible" }),
        (VerdictWord::Error, "internal error"),
        (VerdictWord::Vacuous, "vacuous"),
        (VerdictWord::Unknown, "not decided"),
        (VerdictWord::NotChecked, "not checked"),
        (VerdictWord::Cancelled, "stopped"),
        (VerdictWord::HoldsBounded, "bounded"),
        (VerdictWord::Holds, if tally.possible == 0 { "proved" } else { "proved or possible" }),
    ];
    let present = words.into_iter().filter(|(word, _)| 0 < tally.of(*word));
    let mut filters: Vec<Filter> = present
        .map(|(word, words)| Filter {
            href: format!("/runs/{job}?only={}", crate::samples::wire(word)),
            class: class(word),
            words: format!("{} {} {words}", symbol(word), tally.of(word)),
            active: only == Some(word),
        })
        .collect();
    // One kind of verdict is no choice.
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

/// The class of a verdict's colour.
pub(super) fn class(word: VerdictWord) -> &'static str {
    match word {
        VerdictWord::Holds => "good",
        VerdictWord::Vacuous => "warn",
        VerdictWord::Violated | VerdictWord::Error => "bad",
        VerdictWord::HoldsBounded | VerdictWord::Unknown | VerdictWord::NotChecked | VerdictWord::Cancelled => "open",
    }
}

fn link(result: &RequirementResult) -> &'static str {
    match (&result.counterexample, &result.proof, result.verdict) {
        (Some(_), _, VerdictWord::Holds) => "the run",
        (Some(_), _, _) => "see why",
        (None, Some(_), _) => "the proof",
        (None, None, _) => "what is known",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_headline_says_the_worst() {
        let check = |tally: Tally, expected: &str| assert_eq!(headline(&tally, true).1, expected);
        let t = |total| Tally { total, done: total, ..Tally::default() };
        check(Tally { violated: 1, holds: 13, ..t(14) }, "✖ 1 of 14 requirements can be broken");
        check(Tally { violated: 1, ..t(1) }, "✖ The requirement can be broken");
        check(Tally { holds: 3, ..t(3) }, "✔ All 3 requirements hold in every cycle — proved");
        check(Tally { holds: 1, ..t(1) }, "✔ The requirement holds in every cycle — proved");
        check(Tally { unknown: 1, holds: 2, ..t(3) }, "? 1 of 3 requirements is not proved");
        check(Tally { holds_bounded: 2, holds: 2, ..t(4) }, "? 2 of 4 requirements are not proved");
        check(Tally { unknown: 1, ..t(1) }, "? The requirement is not proved");
        check(Tally { vacuous: 1, holds: 2, ..t(3) }, "⚠ 1 of 3 requirements can never be put to the test");
        check(Tally { error: 1, violated: 2, ..t(3) }, "! 1 of 3 requirements ended in an internal error");
        let conditional = Tally { holds: 3, conditional: 1, ..t(3) };
        check(conditional, "⚠ All 3 requirements hold in every cycle, as long as checks that were not made would not fail");
        check(Tally { violated: 2, impossible: 2, ..t(3) }, "✖ 2 of 3 requirements ask for what is impossible");
        check(Tally { violated: 3, impossible: 2, ..t(3) }, "✖ 1 of 3 requirements can be broken");
        check(Tally { holds: 3, possible: 1, ..t(3) }, "✔ All 3 requirements are met — proved, or shown by a run");
        check(Tally { holds: 1, possible: 1, ..t(1) }, "✔ What the requirement asks for is possible: a run shows it");
        check(t(0), "– There was nothing to check");
        assert_eq!(headline(&t(0), false).1, "– Nothing was decided");
    }
}
