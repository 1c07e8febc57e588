//! Cells of a bench in the queue of runs: one requirement of a program, with one configuration, measured by an agent.
//!
//! **Invariant:** an agent takes cells from a bench with the same program file only: figures of two builds make no table.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::report::outcome::RequirementResult;
use crate::run::claim::{Claim, ClaimContent};
use crate::run::measurement::Measurement;
use crate::run::process::Usage;
use answer::VerdictWord;

/// Beginning of the name of a campaign; ids of runs are different.
pub(super) const CAMPAIGN: &str = "bench-";
/// Most characters of a text of an agent.
const MOST_CHARS: usize = 500;
/// Longest time that an agent may report.
const MOST_TIME: Duration = Duration::from_secs(10_000_000);

/// Order to measure one requirement of a job.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CellOrder {
    /// Id of the requirement.
    pub requirement: String,
    /// Seconds of processor time, if they are limited.
    pub cpu_s: Option<u32>,
    /// Fingerprint of the program of the bench.
    pub binary: String,
}

/// Message of an agent about a cell.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CellReport {
    /// Name of the agent.
    pub agent: String,
    /// Its content.
    pub content: CellContent,
}

/// Content of a report about a cell.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CellContent {
    /// It begins.
    Started,
    /// Objects of it are not in the store.
    Missing,
    /// It has ended.
    Ended(Box<Figures>),
}

/// Figures of a measured cell, with the evidence of its answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Figures {
    /// Fingerprint of the program that was measured.
    pub binary: String,
    /// Processor time and memory of the workers.
    pub usage: Usage,
    /// Time that passed.
    pub wall: Duration,
    /// Last progress message of the engine.
    pub progress: Option<String>,
    /// Word of the result; `None` if the run ended without one. The evidence decides.
    pub word: Option<VerdictWord>,
    /// Reason for no answer.
    pub reason: Option<String>,
    /// Claim of the result, if it has one.
    pub claim: Option<Claim>,
    /// Most other runs and cells of the agent at the same time.
    pub beside: u32,
}

impl Figures {
    /// Returns the figures of a measurement by the program with this fingerprint.
    pub(super) fn of(measurement: Measurement, binary: &str, beside: u32) -> Figures {
        let Measurement { usage, wall, progress, result, failure } = measurement;
        let result = result.as_ref();
        let of_result = |text: fn(&RequirementResult) -> Option<String>| result.map_or(failure.clone(), text);
        Figures {
            binary: binary.to_owned(),
            usage,
            wall,
            progress,
            word: result.map(|result| result.verdict),
            reason: of_result(|result| result.reason.clone()),
            claim: result.and_then(Claim::of).filter(|claim| matches!(claim.content, ClaimContent::Shown { .. })),
            beside,
        }
    }

    /// Returns figures that can be summed up and shown: of bounded size, with texts on one line.
    pub(super) fn readable(self) -> Figures {
        let line = |text: String| text.chars().map(|c| if c.is_control() { ' ' } else { c }).take(MOST_CHARS).collect();
        Figures {
            usage: Usage { cpu: self.usage.cpu.min(MOST_TIME), ..self.usage },
            wall: self.wall.min(MOST_TIME),
            progress: self.progress.map(line),
            reason: self.reason.map(line),
            ..self
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_that_would_break_a_table_are_bounded() {
        let text = || Some("a\tb\n\u{1b}[2J".repeat(1000));
        let figures = Figures {
            binary: String::new(),
            usage: Usage { cpu: Duration::MAX, peak_bytes: u64::MAX },
            wall: Duration::MAX,
            progress: text(),
            word: None,
            reason: text(),
            claim: None,
            beside: u32::MAX,
        };
        let Figures { usage, wall, progress, reason, .. } = figures.readable();
        assert_eq!([usage.cpu, wall], [MOST_TIME; 2]);
        // As many cells as a campaign can have are summed up.
        assert!(MOST_TIME.checked_mul(1_000_000).is_some());
        for text in [progress, reason].map(Option::unwrap) {
            assert!(text.chars().count() == MOST_CHARS && !text.contains(char::is_control), "{text}");
        }
    }
}
