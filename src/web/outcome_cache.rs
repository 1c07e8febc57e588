//! Outcomes of ended runs that were looked at lately: reading the JSON of a run of a thousand cycles takes longer than a page may.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::report::outcome::Outcome;

/// Most bytes of JSON whose outcomes are cached. In memory they take about three times as much.
const MOST_BYTES: usize = 32 << 20;

/// Outcomes of ended runs, by job. An outcome that is stored never changes.
#[derive(Debug, Default)]
pub(super) struct OutcomeCache(Mutex<VecDeque<CachedOutcome>>);

#[derive(Debug)]
struct CachedOutcome {
    job: String,
    /// Length of its JSON.
    bytes: usize,
    outcome: Arc<Outcome>,
}

impl OutcomeCache {
    /// Returns an outcome that is cached.
    pub(super) fn get(&self, job: &str) -> Option<Arc<Outcome>> {
        let mut all = self.all();
        let at = all.iter().position(|cached| cached.job == job)?;
        let found = all.remove(at)?;
        let outcome = Arc::clone(&found.outcome);
        all.push_back(found);
        Some(outcome)
    }

    /// Keeps an outcome, and forgets those whose last request is the longest ago.
    pub(super) fn keep(&self, job: &str, bytes: usize, outcome: Arc<Outcome>) {
        let mut all = self.all();
        all.retain(|cached| cached.job != job);
        all.push_back(CachedOutcome { job: job.to_owned(), bytes, outcome });
        while MOST_BYTES < all.iter().map(|cached| cached.bytes).sum() {
            all.pop_front();
        }
    }

    fn all(&self) -> MutexGuard<'_, VecDeque<CachedOutcome>> {
        // The list is whole after every single step, whatever its holder did afterwards.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outcomes_without_requests_are_forgotten_first() {
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
