//! Knowledge about requirements without an answer: messages of workers before they were lost or stopped.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use super::event::Event;
use crate::report::advice::{Advice, EngineProgress};
use crate::report::effort::LineEncoding;
use crate::report::outcome::RequirementResult;
use answer::VerdictWord;

/// Knowledge by requirement.
#[derive(Debug, Default)]
pub(super) struct Knowledge {
    rows: BTreeMap<String, RequirementKnowledge>,
}

/// Knowledge about one requirement.
#[derive(Debug, Default)]
struct RequirementKnowledge {
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

    /// Notes the content of an event.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::example::booster;

    #[test]
    fn the_time_of_lost_attempts_and_their_last_words_are_kept() {
        let mut result = RequirementResult { verdict: VerdictWord::Unknown, duration_ms: 700, ..booster().results.remove(0) };
        let said = |text: &str, safe_cycles| Event::Progress {
            requirement: result.id.clone(),
            engine: "bmc".into(),
            safe_cycles,
            elapsed_ms: 5,
            text: text.into(),
        };
        let (id, mut known) = (result.id.clone(), Knowledge::default());
        known.begin(&id);
        known.event(&said("3 cycles", Some(3)));
        known.event(&said("looking on", None));
        std::thread::sleep(Duration::from_millis(20));
        known.lose(&id);
        // An attempt that ended in a worker which was lost later counts once.
        known.lose_result(&mut result);
        assert_eq!(result.duration_ms, 0);
        let complete = known.complete(result.clone());
        assert!((720..5_000).contains(&complete.duration_ms), "{}", complete.duration_ms);
        assert_eq!((complete.safe_cycles, complete.progress[0].text.as_str()), (Some(3), "looking on"));
        // The next worker gives an answer: its time and that of the lost ones.
        let answered = known.with_lost_time(RequirementResult { duration_ms: 100, ..result });
        assert!((820..5_000).contains(&answered.duration_ms), "{}", answered.duration_ms);
    }
}
