//! The report of a run: the headline, one row per requirement, and the basis of all answers.

use askama::Template;
use axum::response::Response;

use super::{When, duration, filters, page, when};
use crate::report::conditions::listed;
use crate::report::format::REPORTS;
use crate::report::outcome::{Condition, Outcome, RequirementResult};
use crate::report::tally::Tally;
use crate::report::verdict_class::{Colour, VerdictClass};
use crate::store::jobs::{JobState, StoredJob};
use crate::web::error::WebError;
use crate::web::job;
use crate::web::state::AppState;
use answer::VerdictWord;

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
    /// Each condition once, with the requirements whose answers rest on it.
    conditions: Vec<(Condition, String)>,
    outcome: Option<Outcome>,
}

struct Filter {
    href: String,
    class: &'static str,
    words: String,
    active: bool,
}

struct ResultRow {
    href: String,
    class: &'static str,
    result: RequirementResult,
    /// Target of the link, in words.
    link: &'static str,
    took: String,
}

/// Returns the page of an ended job; with `only`, just the requirements of one verdict.
pub(super) async fn show(state: &AppState, job: StoredJob, only: Option<VerdictClass>) -> Result<Response, WebError> {
    let outcome = match job::outcome(state, &job).await {
        Ok(outcome) => Some(outcome),
        Err(WebError::NoOutcome(_)) => None,
        Err(error) => return Err(error),
    };
    page(&ReportPage::new(job, outcome, only))
}

impl ReportPage {
    fn new(job: StoredJob, outcome: Option<Outcome>, only: Option<VerdictClass>) -> ReportPage {
        let tally = outcome.as_ref().map(Tally::of_outcome).unwrap_or_default();
        let results = outcome.as_ref().map(|o| o.results.clone()).unwrap_or_default();
        let rows = results.into_iter().enumerate().filter(|(_, r)| only.is_none_or(|class| class == VerdictClass::of(r))).map(
            |(n, result)| ResultRow {
                href: format!("/runs/{}/requirements/{}", job.id, n + 1),
                class: VerdictClass::of(&result).colour().css(),
                link: link(&result),
                took: duration(result.duration_ms),
                result,
            },
        );
        let headline = headline(&tally, outcome.is_some());
        ReportPage {
            rows: rows.collect(),
            conditions: outcome.as_ref().map(listed).unwrap_or_default(),
            filters: filters(&job.id, &tally, only),
            headline,
            ended: (job.state != JobState::Succeeded).then(|| job::end_sentence(&job)),
            took: job.took_ms().map_or(String::new(), duration),
            when: when(job.started_ms.unwrap_or(job.created_ms)),
            outcome,
            job,
        }
    }
}

/// Returns the sentence at the top with the style class of its colour.
fn headline(tally: &Tally, has_outcome: bool) -> (&'static str, String) {
    let total = tally.total;
    let of = |n: usize, one: &str, many: &str| match (total, n) {
        (1, _) => format!("The requirement {one}"),
        (_, 1) => format!("1 of {total} requirements {one}"),
        (_, n) => format!("{n} of {total} requirements {many}"),
    };
    let Tally { holds, possible, conditional, vacuous, .. } = *tally;
    let met = holds + possible;
    let (class, words) = match tally {
        _ if !has_outcome => return (Colour::Open.css(), "– Nothing was decided".into()),
        Tally { total: 0, .. } => return (Colour::Open.css(), "– There was nothing to check".into()),
        Tally { error: n @ 1.., .. } => (VerdictClass::Error, of(*n, "ended in an internal error", "ended in an internal error")),
        Tally { violated: n @ 1.., .. } => (VerdictClass::Violated, of(*n, "can be broken", "can be broken")),
        Tally { impossible: n @ 1.., .. } => {
            (VerdictClass::Impossible, of(*n, "asks for what is impossible", "ask for what is impossible"))
        }
        Tally { finding: 1, .. } => (VerdictClass::Finding, "1 finding: a part of the program without effect".into()),
        Tally { finding: n @ 1.., .. } => (VerdictClass::Finding, format!("{n} findings: parts of the program without effect")),
        _ if met == total && total == 1 && possible == 1 => {
            (VerdictClass::Possible, "What the requirement asks for is possible: a run shows it".into())
        }
        _ if met == total && total == 1 => (VerdictClass::Holds, "The requirement holds in every cycle — proved".into()),
        _ if met == total && 0 < possible => {
            (VerdictClass::Possible, format!("All {total} requirements are met — proved, or shown by a run"))
        }
        _ if met == total => (VerdictClass::Holds, format!("All {total} requirements hold in every cycle — proved")),
        _ if 0 < vacuous => (VerdictClass::Vacuous, of(vacuous, "can never be put to the test", "can never be put to the test")),
        _ if conditional == total && 1 < total => {
            (VerdictClass::Conditional, format!("All {total} requirements are met only under conditions"))
        }
        _ if met + conditional == total => {
            (VerdictClass::Conditional, of(conditional, "is met only under conditions", "are met only under conditions"))
        }
        _ => (VerdictClass::Unknown, of(total - met - conditional, "is not proved", "are not proved")),
    };
    (class.colour().css(), format!("{} {words}", class.symbol()))
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
        check(Tally { vacuous: 1, conditional: 2, ..t(3) }, "⚠ 1 of 3 requirements can never be put to the test");
        check(Tally { error: 1, violated: 2, ..t(3) }, "! 1 of 3 requirements ended in an internal error");
        check(Tally { holds: 2, conditional: 1, ..t(3) }, "◩ 1 of 3 requirements is met only under conditions");
        check(Tally { conditional: 3, ..t(3) }, "◩ All 3 requirements are met only under conditions");
        check(Tally { conditional: 1, ..t(1) }, "◩ The requirement is met only under conditions");
        check(Tally { conditional: 1, unknown: 1, ..t(2) }, "? 1 of 2 requirements is not proved");
        check(Tally { impossible: 2, holds: 1, ..t(3) }, "✖ 2 of 3 requirements ask for what is impossible");
        check(Tally { violated: 1, impossible: 2, ..t(3) }, "✖ 1 of 3 requirements can be broken");
        check(Tally { finding: 1, holds: 2, ..t(3) }, "✖ 1 finding: a part of the program without effect");
        check(Tally { holds: 2, possible: 1, ..t(3) }, "✔ All 3 requirements are met — proved, or shown by a run");
        check(Tally { possible: 1, ..t(1) }, "✔ What the requirement asks for is possible: a run shows it");
        check(t(0), "– There was nothing to check");
        assert_eq!(headline(&t(0), false).1, "– Nothing was decided");
    }
}
