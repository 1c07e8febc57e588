//! Looks at sources that have a row in the audit log already, so that each step through a counterexample does not add one.

use std::collections::BTreeMap;

/// Time for which one row stands for all looks of a user at a thing.
const HOUR_MS: i64 = 3600 * 1000;
/// Most looks that are remembered. With more of them, rows are added once too often and never left out.
const MOST: usize = 10_000;

/// Looks within the last hour.
#[derive(Debug, Default)]
pub(super) struct Looks {
    at_ms: BTreeMap<String, i64>,
}

impl Looks {
    /// Returns whether this look needs a row: there was none for an hour.
    pub(super) fn is_first(&mut self, key: String, now_ms: i64) -> bool {
        // A clock that was set back must not leave rows out.
        let is_recent = |at: i64| (0..HOUR_MS).contains(&(now_ms - at));
        if self.at_ms.get(&key).is_some_and(|at| is_recent(*at)) {
            return false;
        }
        if MOST <= self.at_ms.len() {
            self.at_ms.retain(|_, at| is_recent(*at));
        }
        if MOST <= self.at_ms.len() {
            self.at_ms.clear();
        }
        self.at_ms.insert(key, now_ms);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_row_stands_for_an_hour() {
        let mut looks = Looks::default();
        assert!(looks.is_first("a".into(), 0) && looks.is_first("b".into(), 1));
        assert!(!looks.is_first("a".into(), HOUR_MS - 1));
        assert!(looks.is_first("a".into(), HOUR_MS));
        assert!(looks.is_first("a".into(), 5), "the clock was set back");
        for n in 0..2 * MOST {
            assert!(looks.is_first(format!("c{n}"), 6));
            assert!(looks.at_ms.len() <= MOST);
        }
    }
}
