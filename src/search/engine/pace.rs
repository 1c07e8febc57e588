//! The pace of a thread: wall-clock time for each second of its processor time.
//!
//! Turns are meant in processor time. On a busy machine a turn of wall-clock time does less work, and long questions begin again in
//! every round. Deadlines are instants, so turns are stretched by the pace of the turns before.

use std::time::Duration;

/// Largest factor. An engine that waits for a thread of its own uses little processor time on a machine that is not busy.
const LARGEST: f64 = 16.0;

/// Processor time below which nothing is known about the machine.
const LEAST: Duration = Duration::from_millis(5);

/// Time of the turns so far.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Pace {
    wall: Duration,
    processor: Duration,
}

impl Pace {
    /// Adds a turn. Older turns count half as much each time, since load changes.
    pub(super) fn add(&mut self, wall: Duration, processor: Duration) {
        self.wall = self.wall / 2 + wall;
        self.processor = self.processor / 2 + processor;
    }

    /// Returns the wall-clock time in which the thread gets about `turn` of processor time; never less than `turn`.
    pub(super) fn stretched(&self, turn: Duration) -> Duration {
        if self.processor < LEAST {
            return turn;
        }
        turn.mul_f64((self.wall.as_secs_f64() / self.processor.as_secs_f64()).clamp(1.0, LARGEST))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn turns_are_stretched_by_the_load_of_the_machine() {
        let ms = Duration::from_millis;
        let mut pace = Pace::default();
        assert_eq!(pace.stretched(ms(60)), ms(60));
        // Nothing is known from a turn that used no processor time.
        pace.add(ms(60), ms(1));
        assert_eq!(pace.stretched(ms(60)), ms(60));
        let mut pace = Pace::default();
        pace.add(ms(100), ms(100));
        assert_eq!(pace.stretched(ms(60)), ms(60));
        let mut pace = Pace::default();
        pace.add(ms(400), ms(100));
        assert_eq!(pace.stretched(ms(60)), ms(240));
        // A load that ends is forgotten.
        for _ in 0..10 {
            pace.add(ms(100), ms(100));
        }
        assert!(pace.stretched(ms(60)) < ms(62), "{pace:?}");
        pace.add(ms(100_000), ms(10));
        assert_eq!(pace.stretched(ms(10)), ms(160));
    }
}
