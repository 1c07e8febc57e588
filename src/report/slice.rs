//! What made a value what it is: a dynamic backward slice over a recorded run.

use std::collections::{BTreeMap, BTreeSet};

use super::record::{Moment, Recording, Seen};

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

    /// The leaves that made `goal` what it is before `clock`. A write makes what its statement had read matter, and what
    /// the conditions around it had read.
    pub(super) fn slice(&self, goal: &BTreeSet<String>, clock: u64) -> BTreeSet<String> {
        let mut wanted = goal.clone();
        let mut all = goal.clone();
        for &(when, cycle, i, k) in &self.events {
            let name = &self.recording.cycles()[cycle][i].values[k].name;
            if clock <= when || !wanted.remove(name) {
                continue;
            }
            let reads = self.reads(Moment { cycle, seen: i, clock: when });
            wanted.extend(reads.iter().cloned());
            all.extend(reads);
        }
        all.retain(|name| self.recording.is_shown(name));
        all
    }

    /// What a statement and the conditions around it had read by a moment.
    pub(super) fn reads(&self, at: Moment) -> BTreeSet<String> {
        let mut names = BTreeSet::new();
        let mut next = Some(at.seen);
        while let Some(seen) = next.and_then(|i| self.recording.cycles()[at.cycle].get(i)) {
            if next == Some(at.seen) || seen.compound {
                let read = seen.values.iter().filter(|v| !v.written && v.first < at.clock);
                names.extend(read.map(|v| v.name.clone()));
            }
            next = seen.parent;
        }
        names
    }
}
