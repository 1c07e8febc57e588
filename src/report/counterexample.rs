//! A violation told cycle by cycle: the replay's record becomes the counterexample of the outcome.

use std::collections::{BTreeMap, BTreeSet};

use plc_frontend::hir::value_to_st;
use plc_frontend::hir::{Leaf, Project, Role, Value};
use plc_frontend::interp::{Limits, Machine};
use plc_frontend::source::{SourceSet, Span};

use super::names::Names;
use super::outcome::{Counterexample, Cycle, NamedValue, Place, Step, StepValue};
use super::place::place;
use super::record::Recording;
use crate::verdict::replay::CycleInputs;

/// What went wrong, as far as it is known beside the inputs.
pub struct Violation<'a> {
    /// Leaves that the requirement speaks of.
    pub goal: &'a BTreeSet<String>,
    /// The place of an assertion or fault in the code; `None` for a requirement at the end of a cycle.
    pub place: Option<Span>,
    /// What is wrong at that moment, as a clause: `index 9 is outside of 1..4`; empty for end-of-cycle requirements.
    pub what: String,
}

/// Replays `cycles` once more and writes it down. The violation has been confirmed before, by the certifier.
pub fn tell(project: &Project, sources: &SourceSet, cycles: &[CycleInputs], violation: &Violation<'_>) -> Counterexample {
    let names = Names::new(project);
    let leaves: Vec<Leaf> = project.leaves().into_iter().filter(|l| !l.hidden && l.init.is_some()).collect();
    let mut machine = Machine::new(project, Limits::default());
    let mut recording = Recording::new(project, sources);
    let mut snapshots: Vec<Vec<Option<Value>>> = vec![leaves.iter().map(|l| l.init).collect()];
    for cycle in cycles {
        recording.begin_cycle();
        if machine.begin(&cycle.inputs, cycle.dt_ns).is_err() {
            break;
        }
        // A fault in the last cycle is the violation itself.
        let _ = machine.run(&mut recording);
        snapshots.push(leaves.iter().map(|l| machine.leaf(&l.name)).collect());
    }
    let relevant = recording.relevant(violation.goal);
    let told: Vec<Cycle> = recording
        .cycles()
        .iter()
        .enumerate()
        .filter_map(|(i, seen)| {
            let (before, after) = (snapshots.get(i)?, snapshots.get(i + 1)?);
            let values = leaves
                .iter()
                .zip(before.iter().zip(after))
                .filter(|(leaf, _)| !leaf.constant)
                .filter_map(|(leaf, (before, after))| {
                    let value = value_to_st(project, leaf.ty, (*after)?);
                    Some(NamedValue { name: names.show(&leaf.name), value, changed: before != after })
                })
                .collect();
            let types: BTreeMap<&str, &Leaf> = leaves.iter().map(|l| (l.name.as_str(), l)).collect();
            let steps = seen
                .iter()
                .map(|s| {
                    let mut at = place(sources, s.at);
                    if s.compound {
                        at.end_line = at.line;
                    }
                    let values = s
                        .values
                        .iter()
                        .map(|v| StepValue {
                            name: names.show(&v.name),
                            value: match types.get(v.name.as_str()) {
                                Some(leaf) => value_to_st(project, leaf.ty, v.value),
                                None => plain(v.value),
                            },
                            written: v.written,
                            from_cycle: v.from_cycle,
                        })
                        .collect();
                    Step { place: at, values }
                })
                .collect();
            Some(Cycle { number: i as u32 + 1, dt_ms: cycles[i].dt_ns as f64 / 1e6, values, steps })
        })
        .collect();
    let at: Option<Place> = violation.place.map(|span| place(sources, span));
    let explanation = explain(&told, &leaves, &names, violation, at.as_ref(), &recording);
    Counterexample {
        confirmed: true,
        explanation,
        cycles: told,
        relevant: relevant.iter().map(|n| names.show(n)).collect(),
        place: at,
    }
}

/// What goes wrong, in sentences: when, what, where it was written, which inputs moved.
fn explain(
    told: &[Cycle],
    leaves: &[Leaf],
    names: &Names,
    violation: &Violation<'_>,
    at: Option<&Place>,
    recording: &Recording<'_>,
) -> Vec<String> {
    let Some(last) = told.last() else { return Vec::new() };
    let n = last.number;
    let ms: f64 = told.iter().map(|c| c.dt_ms).sum();
    let when = match n {
        1 => "In the first scan cycle".to_string(),
        n => format!("In {n} scan cycles (about {ms:.0} ms)"),
    };
    let goal: Vec<String> = violation.goal.iter().map(|n| names.show(n)).collect();
    let state: Vec<String> =
        last.values.iter().filter(|v| goal.contains(&v.name)).map(|v| format!("{} is {}", v.name, v.value)).collect();
    let mut sentences = Vec::new();
    match at {
        Some(place) => {
            let what = if violation.what.is_empty() { "it is violated".to_string() } else { violation.what.clone() };
            let with = if state.is_empty() { String::new() } else { format!(" ({})", state.join(", ")) };
            sentences.push(format!("{when}, on line {} of {}, {what}{with}.", place.line, place.file));
        }
        None => sentences.push(format!("{when}, at the end of cycle {n}, {}.", join(&state))),
    }
    for name in violation.goal {
        if let Some((cycle, line)) = last_write(recording, name, told) {
            let shown = names.show(name);
            sentences.push(match cycle == n {
                true => format!("{shown} was written on line {line} in this cycle."),
                false => format!("{shown} was last written on line {line} in cycle {cycle}."),
            });
        }
    }
    let inputs: BTreeSet<String> = leaves.iter().filter(|l| l.role == Role::Input).map(|l| names.show(&l.name)).collect();
    let moved: Vec<String> = last
        .values
        .iter()
        .filter(|v| v.changed && inputs.contains(&v.name))
        .map(|v| match v.value.as_str() {
            "TRUE" => format!("{} rises", v.name),
            "FALSE" => format!("{} drops", v.name),
            value => format!("{} changes to {value}", v.name),
        })
        .collect();
    if !moved.is_empty() {
        sentences.push(format!("In cycle {n} {}.", join(&moved)));
    }
    sentences
}

fn last_write(recording: &Recording<'_>, name: &str, told: &[Cycle]) -> Option<(u32, u32)> {
    for (i, cycle) in recording.cycles().iter().enumerate().rev() {
        for (j, seen) in cycle.iter().enumerate().rev() {
            if seen.values.iter().any(|v| v.written && v.name == name) {
                return Some((i as u32 + 1, told.get(i)?.steps.get(j)?.place.line));
            }
        }
    }
    None
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
fn plain(value: Value) -> String {
    match value {
        Value::Bool(true) => "TRUE".into(),
        Value::Bool(false) => "FALSE".into(),
        Value::Int(i) => i.to_string(),
        Value::Real(bits) => f32::from_bits(bits).to_string(),
        Value::LReal(bits) => f64::from_bits(bits).to_string(),
    }
}
