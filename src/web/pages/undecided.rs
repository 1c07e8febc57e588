//! A requirement without an answer: the knowledge so far, the reason, and steps to try.

use askama::Template;
use axum::response::Response;

use super::{duration, filters, page};
use crate::report::outcome::RequirementResult;
use crate::report::words;
use crate::web::error::WebError;
use crate::web::form::THOROUGHNESS;
use crate::web::result::RequirementContext;
use answer::VerdictWord;

#[derive(Template)]
#[template(path = "pages/undecided.html")]
struct UndecidedPage<'a> {
    context: &'a RequirementContext,
    result: &'a RequirementResult,
    class: &'static str,
    known: String,
    /// Advice to give the run more time.
    more_time: Option<String>,
    advice: &'static [&'static str],
    took: String,
}

/// Returns the page of a requirement that is neither proved nor broken.
pub(crate) fn show(context: &RequirementContext) -> Result<Response, WebError> {
    let result = context.result();
    page(&UndecidedPage {
        context,
        result,
        class: context.css(),
        known: known(result),
        more_time: more_time(result, context.job.wall_s),
        advice: match (result.problems.is_empty(), result.advice.is_empty()) {
            (false, _) => &["Correct the requirement."],
            // Advice about this program comes before general advice.
            (true, false) if is_open(result.verdict) => &[],
            (true, false) => &advice(result.verdict)[..1],
            (true, true) => advice(result.verdict),
        },
        took: duration(result.duration_ms),
    })
}

fn known(result: &RequirementResult) -> String {
    match (result.verdict, result.safe_cycles) {
        (VerdictWord::Vacuous, _) => {
            "No cycle breaks the requirement, but none puts it to the test either: it says nothing about \
             this program. That is proved."
                .into()
        }
        (VerdictWord::NotChecked, _) if !result.problems.is_empty() => "Nothing: the requirement is not stated correctly.".into(),
        (VerdictWord::NotChecked, _) => "Nothing: the requirement depends on something that the tool does not model.".into(),
        (VerdictWord::Error, _) => "Nothing that can be relied on.".into(),
        (VerdictWord::Holds, _) => "It holds in every cycle.".into(),
        (VerdictWord::Violated, _) => "It can be broken.".into(),
        (VerdictWord::Unknown | VerdictWord::HoldsBounded | VerdictWord::Cancelled, _) => {
            words::known(result).unwrap_or_else(|| "Neither a violation nor a proof was found.".into())
        }
    }
}

fn is_open(word: VerdictWord) -> bool {
    matches!(word, VerdictWord::Unknown | VerdictWord::HoldsBounded)
}

/// Returns the next longer time of the form; `None` after the longest.
fn more_time(result: &RequirementResult, wall_s: u32) -> Option<String> {
    let (_, words, _) = THOROUGHNESS.iter().find(|(_, _, longest_s)| wall_s < *longest_s)?;
    let name = words.split(':').next().unwrap_or(words);
    is_open(result.verdict).then(|| format!("Give it more time: choose “{name}” when you start the run."))
}

fn advice(word: VerdictWord) -> &'static [&'static str] {
    match word {
        VerdictWord::Unknown | VerdictWord::HoldsBounded => &[
            "State what the plant guarantees as an assumption, for instance the range of an analogue input: 0 <= Level AND Level <= 100.",
            "Shorten long times for the check, for instance T#10s to T#2s: the proof needs fewer cycles.",
            "Split the requirement: several short ones are easier than one long one.",
        ],
        VerdictWord::Vacuous => &[
            "Look at the condition of the requirement: can it become TRUE in the plant? If so, the program prevents it, perhaps by mistake.",
            "Look at the assumptions: together they may exclude every run.",
        ],
        VerdictWord::NotChecked => &[
            "Replace the construct in a copy of the program by one that is modelled; the list of what was understood names it.",
            "State the requirement over variables that do not depend on it.",
        ],
        VerdictWord::Cancelled => &["Start the run again."],
        VerdictWord::Error => &["Please report this with the program: it is a defect of the tool, not of your program."],
        VerdictWord::Holds | VerdictWord::Violated => &[],
    }
}
