//! Causes of a value: a dynamic backward slice over a recorded run, through its cycles, down to the inputs of each.

use std::collections::{BTreeMap, BTreeSet};

use plc_frontend::source::Span;

use super::causes::Timers;
use super::record::{Moment, Recording, Seen, SeenValue, holds};

/// Causes of a violation.
#[derive(Default)]
pub(super) struct Slice {
    /// Leaves of the interface whose values are causes in some cycle.
    pub(super) names: BTreeSet<String>,
    /// Inputs that are causes, per cycle (from 0).
    pub(super) inputs: BTreeMap<usize, BTreeSet<String>>,
    /// Cycle and number of the statements that are causes.
    pub(super) steps: BTreeSet<(usize, usize)>,
    /// The cycle before which causes are not known: values of its statements were not kept.
    pub(super) forgotten: Option<usize>,
}

/// The writes of a run, latest first.
pub(super) struct Writes<'r> {
    recording: &'r Recording<'r>,
    /// When, in which cycle, by which statement, which of its values.
    events: Vec<(u64, usize, usize, usize)>,
}

impl<'r> Writes<'r> {
    /// Of what was recorded.
    ///
    /// Cost: n log n in the number of recorded values.
    pub(super) fn new(recording: &'r Recording<'r>) -> Writes<'r> {
        let mut events = Vec::new();
        for (cycle, statements) in recording.cycles().iter().enumerate() {
            for (i, seen) in statements.iter().enumerate() {
                for (k, v) in seen.values.iter().enumerate().filter(|(_, v)| v.written) {
                    events.push((v.last, cycle, i, k));
                    if v.first < v.last {
                        events.push((v.first, cycle, i, k));
                    }
                }
            }
        }
        events.sort_unstable_by(|a, b| b.cmp(a));
        Writes { recording, events }
    }

    /// For each of these names the cycle (from 0) and the statement that wrote it last before `clock`.
    pub(super) fn last(&self, names: &BTreeSet<String>, clock: u64) -> BTreeMap<String, (usize, &'r Seen)> {
        let mut found = BTreeMap::new();
        for &(when, cycle, i, k) in &self.events {
            let seen = &self.recording.cycles()[cycle][i];
            let name = &seen.values[k].name;
            if when < clock && names.contains(name) && !found.contains_key(name) {
                found.insert(name.clone(), (cycle, seen));
                if found.len() == names.len() {
                    break;
                }
            }
        }
        found
    }

    /// Causes of the values of `goal` before `clock`: data dependences, and control dependences on the conditions around a
    /// write, and the time that timers had to wait. A condition that looks back needs `goal` at the end of `n_back` earlier cycles too.
    ///
    /// Shape:     an input of a cycle is a cause if the slice reaches it there; earlier values of it are not.
    /// Cost:      linear in the recorded writes, times what their statements had read.
    pub(super) fn slice(&self, goal: &BTreeSet<String>, clock: u64, n_back: usize, timers: &Timers<'_>) -> Slice {
        let mut slice = Slice { names: goal.clone(), ..Slice::default() };
        let mut wanted = goal.clone();
        // Inputs of timers that had to stay, by the last cycle in which they had to, with the first.
        let mut waited: BTreeMap<String, usize> = BTreeMap::new();
        let mut events = self.events.iter().peekable();
        let n_cycles = self.recording.cycles().len();
        for cycle in (0..n_cycles).rev() {
            if cycle + 1 < n_cycles && n_cycles - cycle - 1 <= n_back {
                wanted.extend(goal.iter().cloned());
            }
            waited.retain(|_, since| *since <= cycle);
            wanted.extend(waited.keys().cloned());
            slice.names.extend(waited.keys().cloned());
            while let Some(&(when, _, i, k)) = events.next_if(|event| event.1 == cycle) {
                let name = &self.recording.cycles()[cycle][i].values[k].name;
                if clock <= when || !wanted.remove(name) {
                    continue;
                }
                if let Some((input, since)) = timers.waited(name, cycle) {
                    let first = waited.entry(input).or_insert(since);
                    *first = since.min(*first);
                }
                let reads = self.reads(Moment { cycle, seen: i, clock: when });
                wanted.extend(reads.iter().cloned());
                slice.names.extend(reads);
                slice.steps.insert((cycle, i));
            }
            // Inputs are given anew: what they were before is no cause.
            let given: BTreeSet<String> = wanted.iter().filter(|name| self.recording.is_given(name, cycle)).cloned().collect();
            wanted.retain(|name| !given.contains(name));
            if !given.is_empty() {
                slice.inputs.insert(cycle, given);
            }
            if !wanted.is_empty() && self.recording.is_forgotten(cycle) {
                slice.forgotten = Some(cycle);
                break;
            }
        }
        slice.names.retain(|name| self.recording.is_shown(name));
        slice
    }

    /// The same, of the statement only what was read at a place of it, if anything was.
    pub(super) fn reads_at(&self, at: Moment, place: Option<Span>) -> BTreeSet<String> {
        let Some(seen) = self.recording.cycles()[at.cycle].get(at.seen) else { return BTreeSet::new() };
        let read = || seen.values.iter().filter(|v| !v.written && v.first < at.clock);
        let here = |v: &&SeenValue| place.is_some_and(|place| holds(place, v.at));
        if seen.compound || !read().any(|v| here(&v)) {
            return self.reads(at);
        }
        let mut names: BTreeSet<String> = read().filter(here).map(|v| v.name.clone()).collect();
        if let Some(parent) = seen.parent {
            names.extend(self.conditions(at.cycle, parent, at.clock));
        }
        names
    }

    /// What a statement and the conditions around it had read by a moment.
    pub(super) fn reads(&self, at: Moment) -> BTreeSet<String> {
        let Some(seen) = self.recording.cycles()[at.cycle].get(at.seen) else { return BTreeSet::new() };
        let read = seen.values.iter().filter(|v| !v.written && v.first < at.clock);
        let mut names: BTreeSet<String> = read.map(|v| v.name.clone()).collect();
        if let Some(parent) = seen.parent {
            names.extend(self.conditions(at.cycle, parent, at.clock));
        }
        names
    }

    /// What the conditions of a statement and of those around it had read by a moment.
    fn conditions(&self, cycle: usize, statement: usize, clock: u64) -> BTreeSet<String> {
        let mut names = BTreeSet::new();
        let mut next = Some(statement);
        while let Some(seen) = next.and_then(|i| self.recording.cycles()[cycle].get(i)) {
            if seen.compound {
                let read = seen.values.iter().filter(|v| !v.written && v.first < clock);
                names.extend(read.map(|v| v.name.clone()));
            }
            next = seen.parent;
        }
        names
    }
}
