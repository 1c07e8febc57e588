//! Events of a run: one JSON object per line, stored and streamed as they come.

use std::time::Instant;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::report::conditions::so_far;
use crate::report::outcome::{Outcome, RequirementResult};
use crate::report::verdict_class::VerdictClass;
use answer::VerdictWord;
use kernel::context::Progress;

/// One line from the worker.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum Event {
    /// Work goes on.
    Progress {
        /// Id of the requirement.
        requirement: String,
        /// Name of the engine.
        engine: String,
        /// Cycles from the start in which no violation exists, if known.
        safe_cycles: Option<u32>,
        /// Milliseconds since the run began.
        elapsed_ms: u64,
        /// One line for people.
        text: String,
    },
    /// A requirement is decided.
    Verdict {
        /// Id of the requirement.
        requirement: String,
        /// The answer.
        verdict: VerdictWord,
        /// Its class. Checks without an answer count as conditions: the class at the end of the run is this one or a better one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        class: Option<VerdictClass>,
        /// The sentence on screen.
        headline: String,
        /// Milliseconds this requirement took.
        duration_ms: u64,
    },
    /// A line of the log.
    Log {
        /// For people.
        text: String,
    },
}

impl Event {
    /// Returns the event of an engine's progress in a run that began at `started`.
    pub fn progress(requirement: &str, started: Instant, progress: Progress) -> Event {
        Event::Progress {
            requirement: requirement.to_owned(),
            engine: progress.engine.to_owned(),
            safe_cycles: progress.safe_cycles,
            elapsed_ms: started.elapsed().as_millis() as u64,
            text: progress.text,
        }
    }

    /// Returns the event of a result in a run that goes on, with the conditions that it may end with.
    pub(super) fn verdict(outcome: Option<&Outcome>, before: &[RequirementResult], result: &RequirementResult) -> Event {
        let shown = outcome.map(|outcome| so_far(outcome, before, result));
        let result = shown.as_ref().unwrap_or(result);
        Event::Verdict {
            requirement: result.id.clone(),
            verdict: result.verdict,
            class: Some(VerdictClass::of(result)),
            headline: result.headline.clone(),
            duration_ms: result.duration_ms,
        }
    }

    /// Returns the requirement and the class of its answer, if this event tells of one.
    pub fn answer(&self) -> Option<(&str, VerdictClass)> {
        match self {
            Event::Verdict { requirement, verdict, class, .. } => {
                Some((requirement, class.unwrap_or_else(|| VerdictClass::of_word(*verdict))))
            }
            Event::Progress { .. } | Event::Log { .. } => None,
        }
    }
}
