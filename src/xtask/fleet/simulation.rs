//! `fleet-simulation`: nights of a fleet that is larger than this machine, by events (`docs/fleet.md` has the model).
//!
//! Runs wait in one queue. Each agent has one slot. A run that an agent has ended waits for the certification by the server, which
//! does some at the same time. While too many wait there, no run goes out. Deterministic: a seed repeats a night.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

/// Seconds of `verify`, measured on two cores: quantiles 5, 15 … 95 of 98 samples of this repository.
const RUN_S: [f64; 10] = [0.03, 0.04, 0.05, 0.06, 0.09, 0.14, 0.2, 0.32, 0.96, 4.6];
/// One run in this many takes [`LONG_S`]: an assumption about plants, not measured.
const RARE: u64 = 200;
const LONG_S: f64 = 600.0;
/// Certification: a worker that reads the program, and a share of the time of the search. Assumptions, not measured.
const CERTIFY_S: f64 = 0.06;
const CERTIFY_SHARE: f64 = 0.05;
/// Runs that may wait for certification, for each that is certified at the same time.
const WAITING_EACH: usize = 8;

/// A night.
#[derive(Clone, Copy)]
struct Night {
    agents: usize,
    runs: usize,
    /// Certifications at the same time, over all servers.
    certifiers: usize,
}

/// Result of a night.
#[derive(Debug, PartialEq)]
struct Figures {
    /// Time until the last run is certified, in seconds.
    whole_s: f64,
    /// Share of the time in which agents work.
    busy_agents: f64,
    /// Share of the time in which certifiers work.
    busy_certifiers: f64,
}

/// Random numbers that a seed repeats (xorshift).
struct Random(u64);

impl Random {
    fn below(&mut self, n: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % n
    }

    fn run_s(&mut self) -> f64 {
        if self.below(RARE) == 0 {
            return LONG_S;
        }
        RUN_S[self.below(RUN_S.len() as u64) as usize]
    }
}

/// Event at a time in microseconds.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Event {
    /// An agent has ended a run of this length, in microseconds.
    Ran(u64),
    Certified,
}

fn micros(s: f64) -> u64 {
    (s * 1e6) as u64
}

fn simulate(night: Night, seed: u64) -> Figures {
    let mut random = Random(seed);
    let (mut free_agents, mut free_certifiers, mut to_start, mut to_end) =
        (night.agents, night.certifiers, night.runs, night.runs);
    let mut returned: VecDeque<u64> = VecDeque::new();
    let mut events: BinaryHeap<Reverse<(u64, Event)>> = BinaryHeap::new();
    let (mut now, mut ran, mut certified) = (0, 0, 0);
    while 0 < to_end {
        while 0 < free_agents && 0 < to_start && returned.len() < WAITING_EACH * night.certifiers {
            let length = micros(random.run_s());
            (free_agents, to_start, ran) = (free_agents - 1, to_start - 1, ran + length);
            events.push(Reverse((now + length, Event::Ran(length))));
        }
        while 0 < free_certifiers
            && let Some(length) = returned.pop_front()
        {
            let time = micros(CERTIFY_S) + (length as f64 * CERTIFY_SHARE) as u64;
            (free_certifiers, certified) = (free_certifiers - 1, certified + time);
            events.push(Reverse((now + time, Event::Certified)));
        }
        let Some(Reverse((at, event))) = events.pop() else { break };
        now = at;
        match event {
            Event::Ran(length) => {
                free_agents += 1;
                returned.push_back(length);
            }
            Event::Certified => (free_certifiers, to_end) = (free_certifiers + 1, to_end - 1),
        }
    }
    let share = |work: u64, n: usize| work as f64 / (now as f64 * n as f64);
    Figures {
        whole_s: now as f64 / 1e6,
        busy_agents: share(ran, night.agents),
        busy_certifiers: share(certified, night.certifiers),
    }
}

/// Prints the table of `docs/fleet.md`.
pub(crate) fn print() {
    println!(
        "| agents | runs | certified at once | hours | agents busy | certifiers busy | messages/s |\n|---|---|---|---|---|---|---|"
    );
    for runs in [100_000, 1_000_000] {
        for agents in [10, 100, 1000] {
            for certifiers in [2, 16, 128] {
                let figures = simulate(Night { agents, runs, certifiers }, 1);
                let [busy, certifying] = [figures.busy_agents, figures.busy_certifiers].map(|share| share * 100.0);
                let messages = MESSAGES as f64 * runs as f64 / figures.whole_s;
                let hours = figures.whole_s / 3600.0;
                println!("| {agents} | {runs} | {certifiers} | {hours:.1} | {busy:.0} % | {certifying:.0} % | {messages:.0} |");
            }
        }
    }
}

/// Messages of a run at the broker: the run, its begin and end, their confirmations, requests for a run, and its objects.
const MESSAGES: usize = 20;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_night_repeats_and_keeps_the_bounds_of_its_work() {
        let night = Night { agents: 10, runs: 5_000, certifiers: 2 };
        let figures = simulate(night, 7);
        assert_eq!(figures, simulate(night, 7));
        assert!(figures.busy_agents <= 1.0 && figures.busy_certifiers <= 1.0, "{figures:?}");
        // Work that is there keeps somebody busy: with more agents and certifiers a night is no longer.
        let larger = simulate(Night { agents: 100, certifiers: 20, ..night }, 7);
        assert!(larger.whole_s < figures.whole_s, "{larger:?}");
    }

    #[test]
    fn the_server_is_the_limit_of_a_large_fleet() {
        let few = simulate(Night { agents: 1000, runs: 20_000, certifiers: 2 }, 3);
        // One of the long runs may end last, when certifiers have little to do.
        assert!(0.8 < few.busy_certifiers && few.busy_agents < 0.5, "{few:?}");
    }
}
