//! Knowledge about requirements without an answer: what workers have told before they were lost or stopped.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use super::event::Event;
use crate::report::advice::{Advice, EngineProgress};
use crate::report::effort::LineEncoding;
use crate::report::outcome::{RequirementResult, VerdictWord};

/// Knowledge by requirement.
#[derive(Debug, Default)]
pub(super) struct Knowledge {
    rows: BTreeMap<String, Known>,
}

/// Knowledge about one requirement.
#[derive(Debug, Default)]
struct Known {
    /// Cycles without a violation.
    safe_cycles: Option<u32>,
    /// Last message of each engine.
    said: BTreeMap<String, EngineProgress>,
    advice: Vec<Advice>,
    encodings: Vec<LineEncoding>,
    /// Time of attempts whose worker was lost.
    lost: Duration,
    /// Start of the attempt that runs.
    since: Option<Instant>,
}

impl Knowledge {
    /// Notes that an attempt begins.
    pub(super) fn begin(&mut self, requirement: &str) {
        let known = self.rows.entry(requirement.to_owned()).or_default();
        known.since = Some(Instant::now());
    }

    /// Notes that the worker of an attempt was lost.
    pub(super) fn lose(&mut self, requirement: &str) {
        if let Some(known) = self.rows.get_mut(requirement) {
            known.lost += known.since.take().map_or(Duration::ZERO, |since| since.elapsed());
        }
    }

    /// Notes that an attempt has ended in the worker, which has told its time.
    pub(super) fn pause(&mut self, requirement: &str) {
        if let Some(known) = self.rows.get_mut(requirement) {
            known.since = None;
        }
    }

    /// Moves the time of a result to that of lost attempts.
    pub(super) fn lose_result(&mut self, result: &mut RequirementResult) {
        let known = self.rows.entry(result.id.clone()).or_default();
        known.lost += Duration::from_millis(std::mem::take(&mut result.duration_ms));
    }

    /// Notes what an event tells.
    pub(super) fn event(&mut self, event: &Event) {
        let Event::Progress { requirement, engine, safe_cycles, text, .. } = event else { return };
        let known = self.rows.entry(requirement.clone()).or_default();
        known.safe_cycles = known.safe_cycles.max(*safe_cycles);
        let at_ms = known.since.map_or(0, |since| milliseconds(since.elapsed()));
        let said = EngineProgress { engine: engine.clone(), text: text.clone(), at_ms };
        known.said.insert(engine.clone(), said);
    }

    /// Notes the difficulties of a requirement.
    pub(super) fn difficulty(&mut self, requirement: &str, advice: Vec<Advice>, encodings: Vec<LineEncoding>) {
        let known = self.rows.entry(requirement.to_owned()).or_default();
        (known.advice, known.encodings) = (advice, encodings);
    }

    /// Adds the time of lost attempts to a result that a worker gave.
    pub(super) fn with_lost_time(&mut self, mut result: RequirementResult) -> RequirementResult {
        if let Some(known) = self.rows.get_mut(&result.id) {
            known.since = None;
            result.duration_ms += milliseconds(known.lost);
        }
        result
    }

    /// Adds the knowledge to a result without an answer, whose worker did not come to its end.
    pub(super) fn complete(&self, mut result: RequirementResult) -> RequirementResult {
        let Some(known) = self.rows.get(&result.id) else { return result };
        let running = known.since.map_or(Duration::ZERO, |since| since.elapsed());
        result.duration_ms += milliseconds(known.lost + running);
        if let VerdictWord::Unknown | VerdictWord::Cancelled = result.verdict {
            result.safe_cycles = result.safe_cycles.max(known.safe_cycles);
            if result.progress.is_empty() {
                result.progress = known.said.values().cloned().collect();
            }
            if result.advice.is_empty() {
                result.advice = known.advice.clone();
            }
            if result.encodings.is_empty() {
                result.encodings = known.encodings.clone();
            }
        }
        result
    }
}

fn milliseconds(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}
