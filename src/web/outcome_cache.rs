//! Outcomes of ended runs that were looked at lately: reading the JSON of a run of a thousand cycles takes longer than a page may.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::report::outcome::Outcome;

/// Most bytes of JSON whose outcomes are kept. In memory they take about three times as much.
const MOST_BYTES: usize = 32 << 20;

/// Outcomes of ended runs, by job. An outcome that is stored never changes.
#[derive(Debug, Default)]
pub(super) struct OutcomeCache(Mutex<VecDeque<Kept>>);

#[derive(Debug)]
struct Kept {
    job: String,
    /// Length of its JSON.
    bytes: usize,
    outcome: Arc<Outcome>,
}

impl OutcomeCache {
    /// Returns an outcome that is kept.
    pub(super) fn get(&self, job: &str) -> Option<Arc<Outcome>> {
        let mut all = self.all();
        let at = all.iter().position(|kept| kept.job == job)?;
        let found = all.remove(at)?;
        let outcome = Arc::clone(&found.outcome);
        all.push_back(found);
        Some(outcome)
    }

    /// Keeps an outcome; those that nobody has looked at for the longest time are forgotten.
    pub(super) fn keep(&self, job: &str, bytes: usize, outcome: Arc<Outcome>) {
        let mut all = self.all();
        all.retain(|kept| kept.job != job);
        all.push_back(Kept { job: job.to_owned(), bytes, outcome });
        while MOST_BYTES < all.iter().map(|kept| kept.bytes).sum() {
            all.pop_front();
        }
    }

    fn all(&self) -> MutexGuard<'_, VecDeque<Kept>> {
        // The list is whole after every single step, whatever its holder did afterwards.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outcomes_that_nobody_looks_at_are_forgotten_first() {
        let cache = OutcomeCache::default();
        let half = MOST_BYTES / 2;
        for job in ["a", "b"] {
            cache.keep(job, half, Arc::default());
        }
        assert!(cache.get("a").is_some());
        cache.keep("c", half, Arc::default());
        assert_eq!(["a", "b", "c"].map(|job| cache.get(job).is_some()), [true, false, true]);
        cache.keep("large", MOST_BYTES + 1, Arc::default());
        assert!(["a", "c", "large"].iter().all(|job| cache.get(job).is_none()));
    }
}
