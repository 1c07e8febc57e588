//! A violation told cycle by cycle: the replay's record becomes the counterexample of the outcome.

use std::collections::{BTreeMap, BTreeSet};

use plc_frontend::hir::value_to_st;
use plc_frontend::hir::{Leaf, Project, Role, Shown, Value};
use plc_frontend::interp::{Limits, Machine};
use plc_frontend::source::{SourceSet, Span};

mod sentences;

use self::sentences::{Origin, explain, limits, origin_sentences};
use super::at_calls::AtCalls;
use super::causes::{self, Timers};
use super::names::Names;
use super::networks::NetworkRun;
use super::outcome::{Cause, Counterexample, Cycle, NamedValue, Place, SharedText, Step, StepValue};
use super::place::{line_words, place};
use super::record::Recording;
use super::seen::{Seen, SeenValue, holds, is_inside};
use super::slice::{Slice, Writes};
use super::strings::Strings;
use super::subrange::outside;
use super::unchanged::Wording;
use answer::replay::CycleInputs;
use kernel::property::check::Event;

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
    let replayed = Replayed::new(project, sources, cycles, violation.place);
    let recording = &replayed.recording;
    let strings = Strings::new(project, &replayed.leaves);
    let unevaluated = recording.unevaluated().map(|why| Violation {
        what: format!("the condition of the assertion cannot be evaluated: {}", Event::Fault(why).mistake()),
        ..violation.clone()
    });
    let violation = unevaluated.as_ref().unwrap_or(violation);
    let writes = Writes::new(recording);
    let (goal, clock) = match recording.failed() {
        Some(at) => (writes.reads_at(at, violation.place), at.clock),
        None => (replayed.at_the_end(violation.goal), u64::MAX),
    };
    let slice = slice(&writes, recording, violation, &goal, clock);
    let types = replayed.leaves.iter().map(|l| (l.name.as_str(), l)).collect();
    let at_calls = AtCalls::new(cycles);
    let scribe = Scribe { project, sources, names: &names, strings: &strings, types, replayed: &replayed, at_calls };
    let (told, cut) = scribe.cycles(cycles, &slice);
    let failed = recording.failed().map(|at| &recording.cycles()[at.cycle][at.seen]);
    let here = match (failed, violation.place) {
        (Some(seen), Some(place)) => scribe.read_at(seen, place).into_iter().filter(|v| !names.is_kept(&v.name)).collect(),
        (Some(_) | None, _) => Vec::new(),
    };
    let spoken: BTreeSet<String> = match failed {
        Some(_) => here.iter().map(|v| v.name.clone()).collect(),
        None => goal.into_keys().collect(),
    };
    let origins = scribe.origins(&writes, &spoken, clock);
    let here = scribe.together(&here).into_iter().map(|v| format!("{} is {}", v.name, v.value)).collect();
    let at: Option<Place> = violation.place.map(|span| place(sources, span));
    let goal = scribe.shown(violation.goal);
    let mut explanation = explain(&told, &goal, violation, at.as_ref(), here);
    explanation.extend(origin_sentences(told.len() as u32, &origins));
    explanation.extend(scribe.causes(&told, &slice));
    explanation.extend(limits(told.len(), cut, recording.networks().n_left_out()));
    let cause = |(cycle, names): (&usize, &BTreeSet<String>)| Cause {
        cycle: *cycle as u32 + 1,
        inputs: scribe.shown(names).into_iter().collect(),
    };
    Counterexample {
        confirmed: true,
        explanation,
        cycles: told,
        relevant: scribe.shown(&slice.names).into_iter().collect(),
        causes: slice.inputs.iter().map(cause).collect(),
        goal: goal.into_iter().collect(),
        place: at,
    }
}

/// Returns the causes of a violation.
fn slice(
    writes: &Writes<'_>,
    recording: &Recording<'_>,
    violation: &Violation<'_>,
    goal: &BTreeMap<String, Option<Value>>,
    clock: u64,
) -> Slice {
    match (recording.failed(), recording.noticed()) {
        (Some(at), _) => writes.slice(goal, clock, 0, Some(at)),
        // Of two writes in a cycle the first one had to happen, too.
        (None, Some((at, written))) => {
            let mut reads = writes.reads_at(at, None);
            reads.extend(written.map(|name| (name.to_owned(), None)));
            writes.slice(&reads, at.clock, 0, Some(at))
        }
        (None, None) => writes.slice(goal, clock, violation.n_back, None),
    }
}

/// A run executed once more, with the values of its leaves.
struct Replayed<'a> {
    /// The leaves of the interface.
    leaves: Vec<Leaf>,
    /// Positions of the leaves that the environment gives values to.
    given: Vec<usize>,
    /// Their values at the start of each cycle.
    given_values: Vec<Vec<Option<Value>>>,
    /// Values of all leaves before the first cycle, then after each.
    snapshots: Vec<Vec<Option<Value>>>,
    recording: Recording<'a>,
}

impl<'a> Replayed<'a> {
    /// Executes the run. `watched`: the place of the assertion or fault.
    fn new(project: &'a Project, sources: &'a SourceSet, cycles: &[CycleInputs], watched: Option<Span>) -> Replayed<'a> {
        let leaves: Vec<Leaf> = project.leaves().into_iter().filter(|l| !l.hidden && l.init.is_some()).collect();
        let mut machine = Machine::new(project, Limits::default());
        let mut recording = Recording::new(project, sources, watched);
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
            // An assertion fails in the middle of a cycle: later writes do not belong to the violation.
            let failed_here = recording.failed().is_some_and(|at| at.cycle + 1 == recording.cycles().len());
            snapshots.push(if failed_here {
                let now = |(leaf, begun): (&Leaf, Option<Value>)| recording.writes().get(&leaf.name).copied().or(begun);
                leaves.iter().zip(begun).map(now).collect()
            } else {
                leaves.iter().map(|l| machine.leaf(&l.name)).collect()
            });
        }
        Replayed { leaves, given, given_values, snapshots, recording }
    }

    /// Returns the variables of a requirement with their values at the end of the run.
    fn at_the_end(&self, goal: &BTreeSet<String>) -> BTreeMap<String, Option<Value>> {
        let mut values: BTreeMap<String, Option<Value>> = goal.iter().map(|name| (name.clone(), None)).collect();
        for (leaf, value) in self.leaves.iter().zip(self.snapshots.last().into_iter().flatten()) {
            if let Some(of) = values.get_mut(&leaf.name) {
                *of = *value;
            }
        }
        values
    }

    /// Returns the values of all leaves at the start of a cycle, if some were given.
    fn begun(&self, cycle: usize) -> Option<Vec<Option<Value>>> {
        let values = self.given_values.get(cycle).filter(|_| !self.given.is_empty())?;
        let mut begun = self.snapshots.get(cycle)?.clone();
        self.given.iter().zip(values).for_each(|(leaf, value)| begun[*leaf] = *value);
        Some(begun)
    }
}

/// Writes cycles and values for people.
struct Scribe<'a> {
    project: &'a Project,
    sources: &'a SourceSet,
    names: &'a Names,
    strings: &'a Strings,
    types: BTreeMap<&'a str, &'a Leaf>,
    replayed: &'a Replayed<'a>,
    at_calls: AtCalls<'a>,
}

impl Scribe<'_> {
    /// Returns the names of leaves for people, a string's once.
    fn shown(&self, leaves: &BTreeSet<String>) -> BTreeSet<String> {
        let known = leaves.iter().filter(|name| !self.names.is_added(name) && !self.names.is_kept(name));
        known.map(|name| self.names.show(self.strings.name(name))).collect()
    }

    /// Tells the cycles, and the first one that is not told whole with its number of statements.
    fn cycles(&self, inputs: &[CycleInputs], slice: &Slice) -> (Vec<Cycle>, Option<(usize, usize)>) {
        let Replayed { leaves, snapshots, recording, .. } = self.replayed;
        let is_constant = |row: &Shown| leaves[row.leaves.clone()].iter().all(|leaf| leaf.constant);
        let is_known = |row: &Shown| !is_constant(row) && !self.names.is_added(&row.name);
        let rows: Vec<Shown> = self.project.shown(leaves).into_iter().filter(is_known).collect();
        let most_steps = (MOST_STEPS / inputs.len().max(1)).clamp(MOST_STEPS / 2_000, MOST_STEPS / 10);
        let (mut told, mut cut, mut places) = (Vec::new(), None, BTreeMap::new());
        for (i, (seen, ends)) in recording.cycles().iter().zip(snapshots.windows(2)).enumerate() {
            let values = self.cycle_values(&rows, i, &ends[0], &ends[1]);
            // Of a cycle that runs through long loops the beginning and the end are told.
            let visible: Vec<(usize, &Seen)> = seen.iter().enumerate().filter(|(_, s)| !s.inner).collect();
            let left_out = visible.len().saturating_sub(most_steps);
            let middle = LONG_RUN < inputs.len() && TOLD <= i && i + TOLD < inputs.len();
            if 0 < left_out {
                cut = cut.or(Some((i + 1, visible.len())));
            }
            let (head, tail) = (most_steps / 4, most_steps / 4 + left_out);
            let is_told = |shown: usize| !middle && (left_out == 0 || shown < head || tail <= shown);
            let steps = visible.into_iter().enumerate().filter(|(shown, _)| is_told(*shown)).map(|(_, (nth, s))| {
                // Loops run the same statements again; finding a line reads the file up to there.
                let mut at = places.entry(s.at).or_insert_with(|| place(self.sources, s.at)).clone();
                if s.compound {
                    at.end_line = at.line;
                }
                Step { place: at, values: self.values(s), cause: slice.steps.contains(&(i, nth)) }
            });
            let steps = steps.collect();
            let networks = recording.networks().cycles().get(i).into_iter().flatten();
            let networks = networks.map(|run| NetworkRun { instance: self.names.show(&run.instance), ..run.clone() }).collect();
            told.push(Cycle { number: i as u32 + 1, dt_ms: inputs[i].dt_ns as f64 / 1e6, values, steps, networks });
        }
        (told, cut)
    }

    fn cycle_values(&self, rows: &[Shown], cycle: usize, before: &[Option<Value>], after: &[Option<Value>]) -> Vec<NamedValue> {
        let leaves = &self.replayed.leaves;
        let begun = self.replayed.begun(cycle);
        let value = |row: &Shown| {
            let value = self.project.shown_value(row, leaves, after)?;
            let changed = before[row.leaves.clone()] != after[row.leaves.clone()];
            let is_given = leaves[row.leaves.clone()].iter().any(|leaf| leaf.is_given(cycle));
            let given = begun.as_ref().filter(|_| is_given).and_then(|begun| self.project.shown_value(row, leaves, begun));
            let given = given.filter(|given| *given != value);
            let name = SharedText::from(self.names.show(&row.name));
            let (first, leaf) = (given.as_ref().unwrap_or(&value), &leaves[row.leaves.start]);
            let several = if row.leaves.len() == 1 { self.at_calls.words(self.project, leaf, cycle, first) } else { None };
            if let Some(value) = several {
                return Some(NamedValue { name, value: value.into(), changed: true, given: None });
            }
            Some(NamedValue { name, value: value.into(), changed, given: given.map(SharedText::from) })
        };
        rows.iter().filter_map(value).collect()
    }

    /// Returns the last writes of variables before `clock`.
    fn origins(&self, writes: &Writes<'_>, variables: &BTreeSet<String>, clock: u64) -> Vec<Origin> {
        let recording = &self.replayed.recording;
        let last = writes.last(variables, clock);
        let mut origins: Vec<Origin> = Vec::new();
        for name in variables {
            let mut is_prescan = false;
            let at = match last.get(name) {
                Some((cycle, seen)) => {
                    is_prescan = is_inside(&recording.cycles()[*cycle], seen, |read| self.names.is_added(read));
                    let line = self.sources.line_col(seen.at).line;
                    Some((*cycle as u32 + 1, line, line_words(self.sources, seen.at)))
                }
                None if recording.is_shown(name) && !recording.is_given(name, 0) => None,
                None => continue,
            };
            let name = self.names.show(self.strings.name(name));
            match origins.last_mut().filter(|last| last.name == name) {
                // Of a string the character that was written last.
                Some(string) => string.at = string.at.take().max(at),
                None => origins.push(Origin { name, at, is_prescan }),
            }
        }
        origins
    }

    /// Says in sentences the causes of the violation.
    fn causes(&self, told: &[Cycle], slice: &Slice) -> Vec<String> {
        let Replayed { leaves, given, snapshots, recording, .. } = self.replayed;
        let show = |name: &str| self.names.show(self.strings.name(name));
        let by_name: BTreeMap<String, usize> =
            given.iter().enumerate().map(|(row, i)| (self.names.show(&leaves[*i].name), row)).collect();
        let inputs = slice.inputs.iter().map(|(cycle, names)| (*cycle, self.shown(names))).collect();
        let restart = self.project.restart.map(|id| self.names.show(&self.project.globals[id].name));
        let mut sentences = causes::inputs(&inputs, restart.as_deref(), |cycle, name| match by_name.get(name) {
            Some(row) => self.given(cycle, *row),
            None => {
                let told = told.get(cycle)?.values.iter().find(|v| v.name == name)?;
                Some(causes::Given { value: told.value.to_string(), changes: told.changed, stays: true })
            }
        });
        let timers = Timers::new(self.project, leaves, snapshots);
        sentences.extend(timers.sentences(recording, leaves, (told, slice), |name| self.names.show(name)));
        let is_added = |name: &str| self.names.is_added(name);
        let wording = Wording { project: self.project, sources: self.sources, leaves, show: &show, is_added: &is_added };
        sentences.extend(wording.steps(recording, snapshots, slice));
        sentences.extend(wording.branches(recording, &slice.unchanged));
        if let Some(cycle) = slice.forgotten {
            sentences.push(format!("Causes before cycle {} are not told: the run is too long.", cycle + 1));
        }
        let relevant = self.shown(&slice.names);
        let matters = |leaf: &Leaf| relevant.contains(&show(&leaf.name));
        sentences.extend(outside(self.project, leaves, &snapshots[1..], matters, |name| self.names.show(name)));
        sentences
    }

    /// Returns the value that the environment gives the `row`-th given leaf before a cycle; the program may write it later.
    fn given(&self, cycle: usize, row: usize) -> Option<causes::Given> {
        let Replayed { leaves, given, given_values, snapshots, .. } = self.replayed;
        let (leaf, value) = (&leaves[given[row]], (*given_values.get(cycle)?.get(row)?)?);
        // An input changes from the value that was given before, whatever the program made of that.
        let last = cycle.checked_sub(1).filter(|_| leaf.is_given(1)).and_then(|last| given_values.get(last)?.get(row).copied());
        let before = last.unwrap_or_else(|| snapshots.get(cycle)?.get(given[row]).copied().flatten());
        let stays = leaf.is_given(1) || leaf.role == Role::Parameter;
        let first = value_to_st(self.project, leaf.ty, value);
        let several = self.at_calls.words(self.project, leaf, cycle, &first);
        let changes = several.is_some() || Some(value) != before;
        Some(causes::Given { value: several.unwrap_or(first), changes, stays })
    }

    fn value(&self, v: &SeenValue) -> String {
        match self.types.get(v.name.as_str()) {
            Some(leaf) => value_to_st(self.project, leaf.ty, v.value),
            None => plain(v.value),
        }
    }

    fn values(&self, seen: &Seen) -> Vec<StepValue> {
        self.together(
            &seen
                .values
                .iter()
                .filter(|v| !self.replayed.recording.is_hidden(&v.name) && !self.names.is_kept(&v.name))
                .collect::<Vec<_>>(),
        )
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
        let reads: Vec<&SeenValue> =
            seen.values.iter().filter(|v| !v.written && !self.replayed.recording.is_hidden(&v.name)).collect();
        let some = reads.iter().any(|v| holds(place, v.at));
        reads.into_iter().filter(|v| !some || holds(place, v.at)).collect()
    }
}

/// Returns a value whose type is not known here (locals of functions).
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
