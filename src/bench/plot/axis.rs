//! A logarithmic axis of time: from a millisecond to the limit.

use std::time::Duration;

use super::seconds;

/// Shorter times are drawn as this one.
const SHORTEST: Duration = Duration::from_millis(1);

/// Maps times to a stretch of a picture.
pub(super) struct TimeAxis {
    limit: Duration,
    /// Position of the shortest time.
    from: f64,
    /// Position of the limit.
    to: f64,
}

impl TimeAxis {
    /// Makes an axis up to `limit`, or up to a second if that is longer.
    pub(super) fn new(limit: Duration, from: f64, to: f64) -> TimeAxis {
        TimeAxis { limit: limit.max(Duration::from_secs(1)), from, to }
    }
    /// Returns the position of a time; longer times than the limit stand at the limit.
    pub(super) fn at(&self, time: Duration) -> f64 {
        let share = |time: Duration| (time.as_secs_f64() / SHORTEST.as_secs_f64()).ln();
        let time = time.clamp(SHORTEST, self.limit);
        self.from + (self.to - self.from) * share(time) / share(self.limit)
    }
    /// Powers of ten below the limit, and the limit, with their names.
    pub(super) fn ticks(&self) -> Vec<(f64, String)> {
        let powers = (0..9).map(|n| SHORTEST * 10_u32.pow(n)).take_while(|time| *time * 2 < self.limit);
        powers.chain([self.limit]).map(|time| (self.at(time), seconds(time))).collect()
    }
}
