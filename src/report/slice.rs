//! Causes of a value: a dynamic backward slice over a recorded run, through its cycles, down to the inputs of each.
//!
//! A branch that was not taken is a cause too, if it could have written the value otherwise (potential dependence).
//!
//! Source:    Gyimóthy, Beszédes, Forgács, ESEC/FSE 1999, doi:10.1007/3-540-48166-4_19 (relevant slices).

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Bound;

use plc_frontend::hir::Value;
use plc_frontend::source::Span;

use super::choices::Untaken;
use super::justify::{reads_of_argument, reads_that_matter};
use super::record::Recording;
use super::seen::{Moment, Seen, SeenValue, holds};

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
    /// Branches not taken that would have written a value, latest first.
    pub(super) unchanged: Vec<Unchanged>,
}

/// A variable that a branch did not write because it was not taken.
#[derive(Clone, Debug)]
pub(super) struct Unchanged {
    /// The cycle, from 0.
    pub(super) cycle: usize,
    /// The variable.
    pub(super) name: String,
    /// Number of the statement with the branch.
    pub(super) seen: usize,
    /// Reads that decided, with their values.
    pub(super) because: Vec<(String, Value)>,
}

/// The writes of a run, latest first.
pub(super) struct Writes<'r> {
    recording: &'r Recording<'r>,
    /// Moment, cycle, statement, and which of its values; [`CHOICE`] for its choice of a branch.
    events: Vec<(u64, usize, usize, usize)>,
}

/// Event of a choice.
const CHOICE: usize = usize::MAX;

impl<'r> Writes<'r> {
    /// Sorts the writes of a recording.
    ///
    /// Cost: n log n in the number of recorded values.
    pub(super) fn new(recording: &'r Recording<'r>) -> Writes<'r> {
        let mut events = Vec::new();
        for (cycle, statements) in recording.cycles().iter().enumerate() {
            for (i, seen) in statements.iter().enumerate() {
                events.extend(seen.choice.map(|choice| (choice.decided, cycle, i, CHOICE)));
                for (k, v) in seen.values.iter().enumerate().filter(|(_, v)| v.written && !v.echo) {
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

    /// Returns for each of these names the cycle (from 0) and the statement that wrote it last before `clock`.
    pub(super) fn last(&self, names: &BTreeSet<String>, clock: u64) -> BTreeMap<String, (usize, &'r Seen)> {
        let mut found = BTreeMap::new();
        for &(when, cycle, i, k) in self.events.iter().filter(|event| event.3 != CHOICE) {
            let seen = &self.recording.cycles()[cycle][i];
            let name = &seen.values[k].name;
            if when < clock && names.contains(name) && !found.contains_key(name) {
                let visible = &self.recording.cycles()[cycle][self.recording.visible(cycle, i)];
                found.insert(name.clone(), (cycle, visible));
                if found.len() == names.len() {
                    break;
                }
            }
        }
        found
    }

    /// Returns causes of the values of `goal` before `clock`, by data dependences and by branches not taken that could matter.
    ///
    /// Control dependences are those on the conditions around a write, and on jumps that could have left its body. A condition that
    /// looks back needs `goal` at the end of `n_back` earlier cycles too; `at` is the statement that failed, if one did.
    ///
    /// Shape:     an input of a cycle is a cause if the slice reaches it there; earlier values of it are not.
    /// Cost:      linear in the recorded events, times the reads and possible writes of their statements.
    pub(super) fn slice(&self, goal: &BTreeMap<String, Option<Value>>, clock: u64, n_back: usize, at: Option<Moment>) -> Slice {
        let names: BTreeSet<String> = goal.keys().cloned().collect();
        let mut walk = Walk {
            recording: self.recording,
            wanted: goal.clone(),
            needed: BTreeSet::new(),
            followed: BTreeSet::new(),
            untaken: BTreeMap::new(),
            slice: Slice { names, ..Slice::default() },
        };
        if let Some(at) = at {
            walk.need(at.cycle, at.seen, at.clock);
        }
        let mut events = self.events.iter().peekable();
        let n_cycles = self.recording.cycles().len();
        for cycle in (0..n_cycles).rev() {
            if cycle + 1 < n_cycles && n_cycles - cycle - 1 <= n_back {
                for name in goal.keys() {
                    walk.wanted.entry(name.clone()).or_insert(None);
                }
            }
            while let Some(&(when, _, i, k)) = events.next_if(|event| event.1 == cycle) {
                if clock <= when {
                    continue;
                }
                match k {
                    CHOICE => walk.choice(cycle, i),
                    k => walk.write(Moment { cycle, seen: i, clock: when }, k),
                }
            }
            // Inputs are given anew: their earlier values are no cause.
            let given: BTreeSet<String> =
                walk.wanted.keys().filter(|name| self.recording.is_given(name, cycle)).cloned().collect();
            walk.wanted.retain(|name, _| !given.contains(name));
            if !given.is_empty() {
                walk.slice.inputs.insert(cycle, given);
            }
            if !walk.wanted.is_empty() && self.recording.is_forgotten(cycle) {
                walk.slice.forgotten = Some(cycle);
                break;
            }
        }
        let mut slice = walk.slice;
        slice.names.retain(|name| self.recording.is_shown(name));
        slice
    }

    /// Returns the reads of a statement before a moment; if something was read at a place of it, only that.
    pub(super) fn reads_at(&self, at: Moment, place: Option<Span>) -> BTreeMap<String, Option<Value>> {
        let Some(seen) = self.recording.cycles()[at.cycle].get(at.seen) else { return BTreeMap::new() };
        let read = || seen.values.iter().filter(|v| !v.written && v.first < at.clock);
        let here = |v: &&SeenValue| place.is_some_and(|place| holds(place, v.at));
        let some = !seen.compound && read().any(|v| here(&v));
        read().filter(|v| !some || here(v)).map(|v| (v.name.clone(), Some(v.value))).collect()
    }
}

/// State of a walk backwards.
struct Walk<'r> {
    recording: &'r Recording<'r>,
    /// Names whose values here matter later, with the value as far as it is known.
    wanted: BTreeMap<String, Option<Value>>,
    /// Choices that had to be as they were, by cycle and statement.
    needed: BTreeSet<(usize, usize)>,
    /// Statements whose surroundings are needed already.
    followed: BTreeSet<(usize, usize)>,
    /// Variables that branches not taken would have written, by body, first condition and the one that held.
    untaken: BTreeMap<(usize, Span, Option<Span>), Vec<Untaken>>,
    slice: Slice,
}

impl Walk<'_> {
    fn want(&mut self, reads: Vec<(String, Value)>) {
        for (name, value) in reads {
            self.slice.names.insert(name.clone());
            self.wanted.insert(name, Some(value));
        }
    }

    fn step(&mut self, cycle: usize, i: usize) {
        self.slice.steps.insert((cycle, i));
        self.slice.steps.insert((cycle, self.recording.visible(cycle, i)));
    }

    /// Follows a written value.
    fn write(&mut self, at: Moment, k: usize) {
        let seen = &self.recording.cycles()[at.cycle][at.seen];
        let SeenValue { name, at: place, .. } = &seen.values[k];
        if self.wanted.remove(name).is_none() {
            return;
        }
        let is_wanted = |name: &str| self.wanted.contains_key(name);
        let of_argument = reads_of_argument(self.recording, seen, *place, &is_wanted);
        let of_all = || reads_that_matter(self.recording, &[seen], &BTreeSet::new(), at.clock, &is_wanted);
        let reads = of_argument.unwrap_or_else(of_all);
        self.want(reads);
        self.need(at.cycle, at.seen, at.clock);
        self.step(at.cycle, at.seen);
    }

    /// Follows the choice of a branch if its statements matter, or if another branch would have written a wanted variable.
    fn choice(&mut self, cycle: usize, i: usize) {
        let seen = &self.recording.cycles()[cycle][i];
        let Some(choice) = seen.choice else { return };
        let kept = self.would_write(seen, choice.first, choice.taken);
        let is_needed = self.needed.contains(&(cycle, i));
        if kept.is_empty() && !is_needed {
            return;
        }
        let clock = choice.decided + 1;
        let mut parts = Vec::new();
        let mut part = Some(seen.last_part);
        while let Some(of) = part.and_then(|part| self.recording.cycles()[cycle].get(part)) {
            parts.push(of);
            part = of.parent.filter(|_| part != Some(i));
        }
        parts.reverse();
        let is_wanted = |name: &str| self.wanted.contains_key(name);
        let one: Option<BTreeSet<Span>> = kept.iter().map(|(_, decides)| *decides).collect();
        let only = one.filter(|_| !is_needed).unwrap_or_default();
        let reads = reads_that_matter(self.recording, &parts, &only, clock, &is_wanted);
        // A branch that ran may have written the variable itself. Of a standard function block the call and its inputs say enough.
        for (name, _) in kept.into_iter().filter(|_| !is_needed && !seen.inner) {
            self.slice.unchanged.push(Unchanged { cycle, name, seen: i, because: reads.clone() });
        }
        self.want(reads);
        self.need(cycle, i, clock);
        self.step(cycle, i);
    }

    /// Returns wanted variables that branches not taken might have given other values, each with the condition
    /// that kept the branch from being taken.
    fn would_write(&mut self, seen: &Seen, first: Span, taken: Option<Span>) -> Vec<(String, Option<Span>)> {
        let recording = self.recording;
        let names = || recording.choices().untaken(recording.activation(seen), first, taken);
        let names = self.untaken.entry((seen.activation, first, taken)).or_insert_with(names);
        let mut found = Vec::new();
        for Untaken { name, value, decides } in &*names {
            if let Some(is) = self.wanted.get(name) {
                if value.is_none() || value != is {
                    found.push((name.clone(), *decides));
                }
                continue;
            }
            let parts = self.wanted.range::<str, _>((Bound::Excluded(name.as_str()), Bound::Unbounded));
            let is_part = |part: &String| part[name.len()..].starts_with(['.', '[']);
            if let Some((part, _)) = parts.take_while(|(part, _)| part.starts_with(name)).find(|(part, _)| is_part(part)) {
                found.push((part.clone(), *decides));
            }
        }
        found
    }

    /// Marks a statement as needed, with the choices around it and those before it that could have left its body.
    fn need(&mut self, cycle: usize, i: usize, clock: u64) {
        let around = |seen: &Seen| [seen.parent, seen.after].into_iter().flatten();
        let cycles = self.recording.cycles();
        let mut waiting: Vec<usize> = cycles[cycle].get(i).into_iter().flat_map(around).collect();
        while let Some(next) = waiting.pop() {
            let Some(seen) = cycles[cycle].get(next) else { continue };
            match seen.choice {
                // Told when the walk comes to it.
                Some(choice) if !choice.repeats => {
                    self.needed.insert((cycle, next));
                }
                // Each round reads the condition again.
                Some(_) => {
                    let read = seen.values.iter().filter(|v| !v.written && v.first < clock);
                    let reads = read.map(|v| (v.name.clone(), v.value)).collect();
                    self.want(reads);
                    self.step(cycle, next);
                    if self.followed.insert((cycle, next)) {
                        waiting.extend(around(seen));
                    }
                }
                None => {
                    if self.followed.insert((cycle, next)) {
                        waiting.extend(around(seen));
                    }
                }
            }
        }
    }
}
