//! Upkeep: what the service does by itself from time to time.

use std::time::{Duration, Instant};

use super::state::AppState;
use crate::store::audit::chain::{Act, ActResult};
use crate::store::{StoreError, now_ms};

/// Time between two rounds.
const ROUND: Duration = Duration::from_secs(3600);
/// A day.
const DAY_MS: i64 = 24 * 3600 * 1000;

/// Deletion waits this long once the clock is far ahead of all that is known.
const HOLD: Duration = Duration::from_secs(24 * 3600);
/// Longest time in which a start writes rows before the first look.
const START_MS: i64 = 10 * 60 * 1000;
/// A clock may be ahead by this much.
const MOST_AHEAD_MS: i64 = DAY_MS;

/// Judge of the clock: one that jumps ahead, by years perhaps, must not delete what is young.
///
/// After a jump, deletion waits for a day of the monotonic clock. A clock that is set right within this day has done no harm.
#[derive(Debug)]
struct ClockJudge {
    /// Newest time that is known.
    newest_ms: i64,
    /// Time of this process when it was known.
    known_at: Duration,
    /// Time of this process until which deletion waits.
    held_until: Duration,
}

impl ClockJudge {
    fn new(newest_ms: i64) -> ClockJudge {
        ClockJudge { newest_ms, known_at: Duration::ZERO, held_until: Duration::ZERO }
    }

    /// Returns whether data may be deleted by this time. `passed`: time of this process, by the monotonic clock.
    fn trusts(&mut self, now_ms: i64, passed: Duration) -> bool {
        let expected = self.newest_ms.saturating_add((passed.saturating_sub(self.known_at)).as_millis() as i64);
        if MOST_AHEAD_MS < now_ms.saturating_sub(expected) {
            self.held_until = passed + HOLD;
            tracing::warn!("the clock is far ahead of the newest stored time: old data is deleted in a day at the earliest");
        }
        (self.newest_ms, self.known_at) = (now_ms, passed);
        self.held_until <= passed
    }
}

/// Deletes what is older than the settings allow, now and every hour.
pub(super) async fn run(state: AppState) {
    let started = Instant::now();
    let mut judge: Option<ClockJudge> = None;
    while !state.shutdown.is_cancelled() {
        let work = async {
            let judge = match &mut judge {
                Some(judge) => judge,
                // Rows of this start have the time of the clock that is to be judged.
                None => judge.insert(ClockJudge::new(state.store.newest_ms(now_ms() - START_MS).await?.unwrap_or_else(now_ms))),
            };
            let now = now_ms();
            if judge.trusts(now, started.elapsed()) { round(&state, now).await } else { Ok(()) }
        };
        if let Err(error) = work.await {
            tracing::error!("old data cannot be deleted: {error}");
        }
        tokio::select! {
            () = tokio::time::sleep(ROUND) => {}
            () = state.shutdown.cancelled() => {}
        }
    }
}

/// Deletes runs, programs and rows of the audit log that are too old.
pub(super) async fn round(state: &AppState, now_ms: i64) -> Result<(), StoreError> {
    state.store.forget_deliveries(now_ms).await?;
    let before = |days: u32| now_ms - i64::from(days) * DAY_MS;
    if let Some(days) = state.config.run_days {
        let deleted = state.store.delete_older(before(days)).await?;
        if 0 < deleted.jobs + deleted.programs {
            let object = format!("{} runs and {} programs, older than {days} days", deleted.jobs, deleted.programs);
            record(state, "old data deleted", object).await?;
        }
    }
    if let Some(days) = state.config.audit_days {
        let removed = state.store.shorten_audit(before(days), now_ms).await?;
        if 0 < removed {
            tracing::info!("{removed} rows of the audit log were older than {days} days and are removed");
        }
    }
    Ok(())
}

/// Adds an act of the service itself to the audit log.
pub(super) async fn record(state: &AppState, action: &str, object: String) -> Result<(), StoreError> {
    tracing::info!("{action}: {object}");
    let (who, address) = (String::new(), String::new());
    let act = Act { who, via: "service".into(), address, action: action.into(), object, result: ActResult::Done };
    state.store.record(act, now_ms()).await?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clock_that_jumps_ahead_deletes_nothing_for_a_day() {
        let hours = |n: u64| Duration::from_secs(n * 3600);
        let hour_ms = 3_600_000;
        let mut judge = ClockJudge::new(0);
        assert!(judge.trusts(hour_ms, hours(1)));
        assert!(judge.trusts(-5 * hour_ms, hours(2)), "back: nothing is old by it");
        assert!(judge.trusts(3 * hour_ms, hours(3)), "set right again");
        let far = 20 * 365 * DAY_MS;
        assert!(!judge.trusts(far, hours(4)));
        assert!(!judge.trusts(far + hour_ms, hours(5)));
        // Set right within the day: nothing was deleted, and deletion waits to the end of the day.
        assert!(!judge.trusts(6 * hour_ms, hours(6)));
        assert!(judge.trusts(28 * hour_ms, hours(28)));
        // A start with a clock that is far ahead of all rows.
        let mut judge = ClockJudge::new(0);
        assert!(!judge.trusts(far, hours(0)));
        assert!(!judge.trusts(far + 23 * hour_ms, hours(23)));
        assert!(judge.trusts(far + 24 * hour_ms, hours(24)), "a clock that stays is right");
    }
}
