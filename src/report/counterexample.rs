//! A violation told cycle by cycle: the replay's record becomes the counterexample of the outcome.

use std::collections::{BTreeMap, BTreeSet};

use plc_frontend::hir::value_to_st;
use plc_frontend::hir::{Leaf, Project, Role, Shown, Value};
use plc_frontend::interp::{Limits, Machine};
use plc_frontend::source::{SourceSet, Span};

use super::causes::{self, Timers};
use super::kept::Wording;
use super::names::Names;
use super::networks::NetworkRun;
use super::outcome::{Cause, Counterexample, Cycle, NamedValue, Place, Step, StepValue};
use super::place::place;
use super::record::Recording;
use super::seen::{Seen, SeenValue, holds};
use super::slice::Writes;
use super::strings::Strings;
use super::subrange::outside;
use super::words::fault;
use answer::replay::CycleInputs;

/// Violation, as far as it is known beside the inputs.
#[derive(Clone)]
pub struct Violation<'a> {
    /// Leaves that the requirement speaks of.
    pub goal: &'a BTreeSet<String>,
    /// The place of an assertion or fault in the code; `None` for a requirement at the end of a cycle.
    pub place: Option<Span>,
    /// The fault at that moment, as a clause: `index 9 is outside of 1..4`; empty for end-of-cycle requirements.
    pub what: String,
    /// Number of earlier cycles whose values the requirement looks back at.
    pub n_back: usize,
}

/// Steps in a counterexample; longer ones are told by the beginning and the end of each cycle.
const MOST_STEPS: usize = 200_000;

/// Of more cycles than this only the first and the last are told statement by statement.
const LONG_RUN: usize = 2_000;
/// Number of cycles told at either end.
const TOLD: usize = 200;

/// Replays `cycles` once more and writes it down. The violation has been confirmed before, by the certifier.
pub fn tell(project: &Project, sources: &SourceSet, cycles: &[CycleInputs], violation: &Violation<'_>) -> Counterexample {
    let names = Names::new(project);
    let leaves: Vec<Leaf> = project.leaves().into_iter().filter(|l| !l.hidden && l.init.is_some()).collect();
    let mut machine = Machine::new(project, Limits::default());
    let mut recording = Recording::new(project, sources, violation.place);
    let given: Vec<usize> = (0..leaves.len()).filter(|i| leaves[*i].is_given(0)).collect();
    let mut given_values: Vec<Vec<Option<Value>>> = Vec::new();
    let mut snapshots: Vec<Vec<Option<Value>>> = vec![leaves.iter().map(|l| l.init).collect()];
    for cycle in cycles {
        recording.begin_cycle();
        if machine.begin(&cycle.inputs, cycle.dt_ns).is_err() {
            break;
        }
        let begun: Vec<Option<Value>> = leaves.iter().map(|l| machine.leaf(&l.name)).collect();
        given_values.push(given.iter().map(|i| begun[*i]).collect());
        // A fault in the last cycle is the violation itself.
        if machine.run(&mut recording).is_err() {
            recording.fault();
        }
        recording.end_cycle(&machine);
        // An assertion fails in the middle of a cycle: what is written behind it does not belong to the violation.
        let failed_here = recording.failed().is_some_and(|at| at.cycle + 1 == recording.cycles().len());
        snapshots.push(if failed_here {
            let now = |(leaf, begun): (&Leaf, Option<Value>)| recording.writes().get(&leaf.name).copied().or(begun);
            leaves.iter().zip(begun).map(now).collect()
        } else {
            leaves.iter().map(|l| machine.leaf(&l.name)).collect()
        });
    }
    let types: BTreeMap<&str, &Leaf> = leaves.iter().map(|l| (l.name.as_str(), l)).collect();
    let strings = Strings::new(project, &leaves);
    let is_constant = |row: &Shown| leaves[row.leaves.clone()].iter().all(|leaf| leaf.constant);
    let rows: Vec<Shown> = project.shown(&leaves).into_iter().filter(|row| !is_constant(row)).collect();
    let scribe = Scribe { project, names: &names, strings: &strings, types, recording: &recording };
    let mut places = BTreeMap::new();
    let most_steps = (MOST_STEPS / cycles.len().max(1)).clamp(MOST_STEPS / 2_000, MOST_STEPS / 10);
    let mut cut = None;
    let writes = Writes::new(&recording);
    let unevaluated = recording.unevaluated().map(|why| Violation {
        what: format!("the condition of the assertion cannot be evaluated: {}", fault(why)),
        ..violation.clone()
    });
    let violation = unevaluated.as_ref().unwrap_or(violation);
    let (goal, clock, seen) = match recording.failed() {
        Some(at) => (writes.reads_at(at, violation.place), at.clock, Some(&recording.cycles()[at.cycle][at.seen])),
        None => (at_the_end(&leaves, &snapshots, violation.goal), u64::MAX, None),
    };
    let timers = Timers::new(project, &leaves, &snapshots);
    let slice = match recording.noticed().filter(|_| seen.is_none()) {
        // Of two writes in a cycle the first one had to happen, too.
        Some((at, written)) => {
            let mut reads = writes.reads_at(at, None);
            reads.extend(written.map(|name| (name.to_owned(), None)));
            writes.slice(&reads, at.clock, 0, Some(at))
        }
        None => writes.slice(&goal, clock, if seen.is_some() { 0 } else { violation.n_back }, recording.failed()),
    };
    let told: Vec<Cycle> = recording
        .cycles()
        .iter()
        .enumerate()
        .filter_map(|(i, seen)| {
            let (before, after) = (snapshots.get(i)?, snapshots.get(i + 1)?);
            let begun = given_values.get(i).filter(|_| !given.is_empty()).map(|values| {
                let mut begun = before.clone();
                given.iter().zip(values).for_each(|(leaf, value)| begun[*leaf] = *value);
                begun
            });
            let values = rows
                .iter()
                .filter_map(|row| {
                    let value = project.shown_value(row, &leaves, after)?;
                    let changed = before[row.leaves.clone()] != after[row.leaves.clone()];
                    let is_given = leaves[row.leaves.clone()].iter().any(|leaf| leaf.is_given(i));
                    let given = begun.as_ref().filter(|_| is_given).and_then(|begun| project.shown_value(row, &leaves, begun));
                    let given = given.filter(|given| *given != value);
                    Some(NamedValue { name: names.show(&row.name), value, changed, given })
                })
                .collect();
            // Of a cycle that runs through long loops the beginning and the end are told.
            let visible: Vec<(usize, &Seen)> = seen.iter().enumerate().filter(|(_, s)| !s.inner).collect();
            let left_out = visible.len().saturating_sub(most_steps);
            let middle = LONG_RUN < cycles.len() && TOLD <= i && i + TOLD < cycles.len();
            if 0 < left_out && cut.is_none() {
                cut = Some((i + 1, visible.len()));
            }
            let (head, tail) = (most_steps / 4, most_steps / 4 + left_out);
            let steps = visible
                .into_iter()
                .enumerate()
                .filter(|(shown, _)| !middle && (left_out == 0 || *shown < head || tail <= *shown))
                .map(|(_, (nth, s))| {
                    // Loops run the same statements again; finding a line reads the file up to there.
                    let mut at = places.entry(s.at).or_insert_with(|| place(sources, s.at)).clone();
                    if s.compound {
                        at.end_line = at.line;
                    }
                    Step { place: at, values: scribe.values(s), cause: slice.steps.contains(&(i, nth)) }
                })
                .collect();
            let networks = recording.networks().cycles().get(i).into_iter().flatten();
            let networks = networks.map(|run| NetworkRun { instance: names.show(&run.instance), ..run.clone() }).collect();
            Some(Cycle { number: i as u32 + 1, dt_ms: cycles[i].dt_ns as f64 / 1e6, values, steps, networks })
        })
        .collect();
    let shown = |leaves: &BTreeSet<String>| leaves.iter().map(|n| names.show(strings.name(n))).collect::<BTreeSet<String>>();
    let relevant = shown(&slice.names);
    let causes: BTreeMap<usize, BTreeSet<String>> = slice.inputs.iter().map(|(cycle, names)| (*cycle, shown(names))).collect();
    let at: Option<Place> = violation.place.map(|span| place(sources, span));
    let here = match (seen, violation.place) {
        (Some(seen), Some(place)) => scribe.read_at(seen, place),
        (Some(_) | None, _) => Vec::new(),
    };
    let spoken: BTreeSet<String> = match seen {
        Some(_) => here.iter().map(|v| v.name.clone()).collect(),
        None => goal.into_keys().collect(),
    };
    let last = writes.last(&spoken, clock);
    let mut written: Vec<Written> = Vec::new();
    for name in &spoken {
        let at = match last.get(name) {
            Some((cycle, seen)) => Some((*cycle as u32 + 1, places.get(&seen.at).map_or(0, |p| p.line))),
            None if recording.is_shown(name) && !recording.is_given(name, 0) => None,
            None => continue,
        };
        let name = names.show(strings.name(name));
        match written.last_mut().filter(|last| last.name == name) {
            // Of a string the character that was written last.
            Some(string) => string.at = string.at.max(at),
            None => written.push(Written { name, at }),
        }
    }
    let here = scribe.together(&here).into_iter().map(|v| format!("{} is {}", v.name, v.value)).collect();
    let goal: BTreeSet<String> = strings.names(violation.goal).iter().map(|name| names.show(name)).collect();
    let mut explanation = explain(&told, &goal, violation, at.as_ref(), here);
    explanation.extend(origins(told.len() as u32, &written));
    let rows_of_given: BTreeMap<String, usize> =
        given.iter().enumerate().map(|(row, i)| (names.show(&leaves[*i].name), row)).collect();
    // Given before the cycle; the program may write it afterwards.
    let begins = |cycle: usize, name: &str| {
        let Some(row) = rows_of_given.get(name) else {
            let told = told.get(cycle)?.values.iter().find(|v| v.name == name)?;
            return Some(causes::Given { value: told.value.clone(), changes: told.changed, stays: true });
        };
        let (leaf, value) = (&leaves[given[*row]], (*given_values.get(cycle)?.get(*row)?)?);
        // What is given in every cycle changes from what was given before, whatever the program made of it.
        let last = cycle.checked_sub(1).filter(|_| leaf.is_given(1)).and_then(|last| given_values.get(last)?.get(*row).copied());
        let before = last.unwrap_or_else(|| snapshots.get(cycle)?.get(given[*row]).copied().flatten());
        let stays = leaf.is_given(1) || leaf.role == Role::Parameter;
        Some(causes::Given { value: value_to_st(project, leaf.ty, value), changes: Some(value) != before, stays })
    };
    explanation.extend(causes::inputs(&causes, begins));
    explanation.extend(timers.sentences(&recording, &leaves, (&told, &slice), |name| names.show(name)));
    let wording = Wording { project, sources, leaves: &leaves, show: &|name| names.show(strings.name(name)) };
    explanation.extend(wording.steps(&recording, &snapshots, &slice));
    explanation.extend(wording.branches(&recording, &slice.kept));
    if let Some(cycle) = slice.forgotten {
        explanation.push(format!("Causes before cycle {} are not told: the run is too long.", cycle + 1));
    }
    let matters = |leaf: &Leaf| relevant.contains(&names.show(strings.name(&leaf.name)));
    explanation.extend(outside(project, &leaves, snapshots.get(1..).unwrap_or_default(), matters, |name| names.show(name)));
    if let Some((cycle, n)) = cut {
        explanation.push(format!("Cycle {cycle} runs through {n} statements; the first and the last of them are shown."));
    }
    if let n @ 1.. = recording.networks().n_left_out() {
        explanation.push(format!("The networks of cycles 1 to {n} are shown without values."));
    }
    if LONG_RUN < told.len() {
        let (from, to) = (TOLD + 1, told.len() - TOLD);
        explanation.push(format!("Of cycles {from} to {to} the values are shown, not the statements."));
    }
    let (relevant, goal) = (relevant.into_iter().collect(), goal.into_iter().collect());
    let cause =
        |(cycle, names): (usize, BTreeSet<String>)| Cause { cycle: cycle as u32 + 1, inputs: names.into_iter().collect() };
    let causes = causes.into_iter().map(cause).collect();
    Counterexample { confirmed: true, explanation, cycles: told, relevant, causes, goal, place: at }
}

/// Variables of a requirement with their values at the end of the run.
fn at_the_end(leaves: &[Leaf], snapshots: &[Vec<Option<Value>>], goal: &BTreeSet<String>) -> BTreeMap<String, Option<Value>> {
    let mut values: BTreeMap<String, Option<Value>> = goal.iter().map(|name| (name.clone(), None)).collect();
    for (leaf, value) in leaves.iter().zip(snapshots.last().into_iter().flatten()) {
        if let Some(of) = values.get_mut(&leaf.name) {
            *of = *value;
        }
    }
    values
}

/// Writes values as people read them.
struct Scribe<'a> {
    project: &'a Project,
    names: &'a Names,
    strings: &'a Strings,
    types: BTreeMap<&'a str, &'a Leaf>,
    recording: &'a Recording<'a>,
}

impl Scribe<'_> {
    fn value(&self, v: &SeenValue) -> String {
        match self.types.get(v.name.as_str()) {
            Some(leaf) => value_to_st(self.project, leaf.ty, v.value),
            None => plain(v.value),
        }
    }

    fn values(&self, seen: &Seen) -> Vec<StepValue> {
        self.together(&seen.values.iter().filter(|v| !self.recording.is_hidden(&v.name)).collect::<Vec<_>>())
    }

    /// Accesses in their order, those of a whole string as one.
    fn together(&self, seen: &[&SeenValue]) -> Vec<StepValue> {
        let mut told = Vec::new();
        let mut at = 0;
        while let Some(v) = seen.get(at) {
            let (name, value, n) = match self.strings.text(self.project, &seen[at..]) {
                Some((text, n)) => (self.strings.name(&v.name), text, n),
                None => (v.name.as_str(), self.value(v), 1),
            };
            told.push(StepValue { name: self.names.show(name), value, written: v.written, from_cycle: v.from_cycle });
            at += n;
        }
        told
    }

    /// Returns the reads of a statement at a place of it; all that it read if nothing of it stands there.
    fn read_at<'s>(&self, seen: &'s Seen, place: Span) -> Vec<&'s SeenValue> {
        let reads: Vec<&SeenValue> = seen.values.iter().filter(|v| !v.written && !self.recording.is_hidden(&v.name)).collect();
        let some = reads.iter().any(|v| holds(place, v.at));
        reads.into_iter().filter(|v| !some || holds(place, v.at)).collect()
    }
}

/// Origin of the value that matters.
struct Written {
    name: String,
    /// Cycle and line; `None` if it still has its initial value.
    at: Option<(u32, u32)>,
}

/// Values named in one sentence, and sentences about where they come from; the table has them all.
const MAX_SPOKEN: usize = 6;

/// Says in a sentence the violation and its moment.
fn explain(
    told: &[Cycle],
    goal: &BTreeSet<String>,
    violation: &Violation<'_>,
    at: Option<&Place>,
    here: Vec<String>,
) -> Vec<String> {
    let Some(last) = told.last() else { return Vec::new() };
    let n = last.number;
    let ms: f64 = told.iter().map(|c| c.dt_ms).sum();
    let when = match n {
        1 => "In the first scan cycle".to_string(),
        n => format!("In {n} scan cycles (about {ms:.0} ms)"),
    };
    let state = last.values.iter().filter(|v| goal.contains(&v.name)).map(|v| format!("{} is {}", v.name, v.value));
    let state: Vec<String> = if here.is_empty() { state.collect() } else { here };
    let mut sentences = Vec::new();
    match at {
        Some(place) => {
            let what = if violation.what.is_empty() { "it is violated".to_string() } else { violation.what.clone() };
            let with = if state.is_empty() { String::new() } else { format!(" ({})", few(&state)) };
            sentences.push(format!("{when}, on line {} of {}, {what}{with}.", place.line, place.file));
        }
        None => sentences.push(format!("{when}, at the end of cycle {n}, {}.", few(&state))),
    }
    sentences
}

/// Says in sentences which statements wrote the variables of the requirement; `n` is the last cycle.
fn origins(n: u32, written: &[Written]) -> Vec<String> {
    let sentence = |Written { name, at }: &Written| match at {
        Some((cycle, line)) if *cycle == n => format!("{name} was written on line {line} in this cycle."),
        Some((cycle, line)) => format!("{name} was last written on line {line} in cycle {cycle}."),
        None => format!("{name} has its initial value: no statement has written it."),
    };
    written.iter().take(MAX_SPOKEN).map(sentence).collect()
}

/// The first of many.
fn few(parts: &[String]) -> String {
    match parts.len().checked_sub(MAX_SPOKEN) {
        Some(more @ 1..) => format!("{} and {more} more", parts[..MAX_SPOKEN].join(", ")),
        Some(0) | None => join(parts),
    }
}

/// `a`, `a and b`, `a, b and c`.
fn join(parts: &[String]) -> String {
    match parts {
        [] => "the requirement is not met".into(),
        [one] => one.clone(),
        [front @ .., last] => format!("{} and {last}", front.join(", ")),
    }
}

/// A value whose type is not known here (locals of functions).
pub(super) fn plain(value: Value) -> String {
    if let Some(word) = value.non_finite() {
        return word.to_owned();
    }
    match value {
        Value::Bool(true) => "TRUE".into(),
        Value::Bool(false) => "FALSE".into(),
        Value::Int(i) => i.to_string(),
        Value::Real(bits) => f32::from_bits(bits).to_string(),
        Value::LReal(bits) => f64::from_bits(bits).to_string(),
    }
}
