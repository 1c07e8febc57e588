//! Time of a search by phase and engine, for users without an answer.

use std::collections::BTreeMap;
use std::time::Duration;

/// Time of one or several searches. Engines work side by side, so the sum may be more than the time that passed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Spent {
    /// Monitor of the requirement and check of the assumptions.
    pub preparation: Duration,
    /// Reductions of the automaton.
    pub simplification: Duration,
    /// Turns of each engine.
    pub search: BTreeMap<&'static str, Duration>,
    /// Checks of the answers of each engine.
    pub certification: BTreeMap<&'static str, Duration>,
    /// Processor time of these checks.
    pub certification_cpu: Duration,
}

impl Spent {
    /// Adds a turn of an engine.
    pub fn search(&mut self, engine: &'static str, time: Duration) {
        *self.search.entry(engine).or_default() += time;
    }

    /// Adds the check of an answer: the time that passed, and its processor time.
    pub fn certification(&mut self, engine: &'static str, time: Duration, cpu: Duration) {
        *self.certification.entry(engine).or_default() += time;
        self.certification_cpu += cpu;
    }

    /// Adds the time of another search.
    pub fn add(&mut self, other: &Spent) {
        self.preparation += other.preparation;
        self.simplification += other.simplification;
        for (engine, time) in &other.search {
            self.search(engine, *time);
        }
        for (engine, time) in &other.certification {
            self.certification(engine, *time, Duration::ZERO);
        }
        self.certification_cpu += other.certification_cpu;
    }
}
