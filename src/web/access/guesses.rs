//! Limits of log-ins: each failure beyond the free ones doubles the time until the next try.
//!
//! Kept in memory: a restart forgets them. An account and an address count each for themselves.

use std::collections::BTreeMap;

/// Failures without a wait.
const FREE: u32 = 5;
/// Longest wait.
const MOST_MS: i64 = 5 * 60 * 1000;
/// Failures are forgotten after this time without another.
const FORGET_MS: i64 = 30 * 60 * 1000;
/// Most keys; beyond it the oldest goes.
const MOST_KEYS: usize = 10_000;

/// Failed log-ins by key.
#[derive(Debug, Default)]
pub(crate) struct Guesses(BTreeMap<String, Row>);

#[derive(Clone, Copy, Debug)]
struct Row {
    failures: u32,
    last_ms: i64,
    /// Time of the try before it.
    before_ms: i64,
}

impl Row {
    fn until_ms(self) -> i64 {
        let over = self.failures.saturating_sub(FREE);
        let wait = if over == 0 { 0 } else { 1000i64.checked_shl(over.min(30)).unwrap_or(MOST_MS).min(MOST_MS) };
        self.last_ms.saturating_add(wait)
    }
}

impl Guesses {
    /// Returns the seconds until one of these keys may try again. A try counts as a failure until [`Guesses::succeed`].
    pub(crate) fn begin(&mut self, keys: &[String], now_ms: i64) -> Result<(), u64> {
        self.0.retain(|_, row| now_ms - row.last_ms < FORGET_MS);
        let until = keys.iter().filter_map(|key| self.0.get(key)).map(|row| row.until_ms()).max().unwrap_or(0);
        if now_ms < until {
            return Err((until - now_ms).unsigned_abs().div_ceil(1000));
        }
        for key in keys {
            let row = self.0.entry(key.clone()).or_insert(Row { failures: 0, last_ms: now_ms, before_ms: now_ms });
            *row = Row { failures: row.failures.saturating_add(1), last_ms: now_ms, before_ms: row.last_ms };
        }
        while MOST_KEYS < self.0.len() {
            let oldest = self.0.iter().min_by_key(|(_, row)| row.last_ms).map(|(key, _)| key.clone());
            oldest.map(|key| self.0.remove(&key));
        }
        Ok(())
    }

    /// Forgets the failures of an account after a log-in. Of the other keys only this try is forgotten: an account of one's own is
    /// no way to guess more of others, and log-ins of others do not prolong the wait for old failures.
    pub(crate) fn succeed(&mut self, account: &str, others: &[String]) {
        self.0.remove(account);
        for key in others {
            if let Some(row) = self.0.get_mut(key) {
                row.failures = row.failures.saturating_sub(1);
                row.last_ms = row.before_ms;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_grow_are_bounded_and_end() {
        let mut guesses = Guesses::default();
        let keys = ["user anna".to_owned(), "address 10.0.0.1".to_owned()];
        for _ in 0..FREE + 1 {
            guesses.begin(&keys, 0).unwrap();
        }
        assert_eq!(guesses.begin(&keys, 0), Err(2));
        // Each of the keys is enough, and others are free.
        assert_eq!(guesses.begin(&keys[..1], 1), Err(2));
        assert_eq!(guesses.begin(&["user bert".into(), keys[1].clone()], 1), Err(2));
        guesses.begin(&["user bert".into()], 1).unwrap();
        guesses.begin(&keys, 2000).unwrap();
        assert_eq!(guesses.begin(&keys, 2000), Err(4));
        let mut now = 2000;
        for _ in 0..50 {
            now += MOST_MS;
            guesses.begin(&keys, now).unwrap();
        }
        assert_eq!(guesses.begin(&keys, now), Err(300));
        guesses.succeed(&keys[0], &keys[1..]);
        guesses.begin(&keys[..1], now).unwrap();
        guesses.begin(&keys[1..], now).unwrap();
        assert_eq!(guesses.begin(&keys[1..], now), Err(300), "other failures of the address stay");
        let mut many = Guesses::default();
        for n in 0..MOST_KEYS + 10 {
            many.begin(&[format!("address {n}")], n as i64).unwrap();
        }
        assert_eq!(many.0.len(), MOST_KEYS);
    }
    /// An office has one address: one user fails, and others log in every few minutes.
    #[test]
    fn log_ins_of_others_do_not_keep_old_failures() {
        let mut guesses = Guesses::default();
        let address = ["address 10.0.0.1".to_owned()];
        let mut now = 0;
        for _ in 0..FREE + 10 {
            now += MOST_MS;
            guesses.begin(&address, now).unwrap();
        }
        let last_failure = now;
        while now < last_failure + FORGET_MS {
            now += MOST_MS;
            guesses.begin(&address, now).unwrap();
            guesses.succeed("user anna", &address);
        }
        for _ in 0..FREE {
            guesses.begin(&address, now).unwrap();
        }
        // Between them a guess waits as long as without a log-in.
        let mut guesses = Guesses::default();
        for _ in 0..FREE + 10 {
            now += MOST_MS;
            guesses.begin(&address, now).unwrap();
        }
        for second in (1000..MOST_MS).step_by(1000) {
            assert!(guesses.begin(&address, now + second).is_err());
        }
        now += MOST_MS;
        guesses.begin(&address, now).unwrap();
        guesses.succeed("user anna", &address);
        guesses.begin(&address, now).unwrap();
        assert_eq!(guesses.begin(&address, now), Err(300));
    }
}
