//! Causes of a violation in sentences: the inputs that matter, with the cycles in which they do, and the timers that had to run.

use std::collections::{BTreeMap, BTreeSet};

use plc_frontend::hir::{Leaf, PouId, Project, Value};
use plc_frontend::interp::{Limits, Machine};
use plc_frontend::source::Origin;

use super::outcome::Cycle;
use super::record::Recording;
use super::slice::Slice;

/// Sentences about inputs; the table marks every cell.
const MOST: usize = 6;
/// Sentences about timers.
const MOST_TIMERS: usize = 4;
/// Inputs in one sentence.
const MOST_NAMED: usize = 6;

/// Value that the environment gives a variable before a cycle.
pub(super) struct Given {
    /// In ST syntax.
    pub(super) value: String,
    /// It differs from the value at the end of the cycle before.
    pub(super) changes: bool,
    /// The program does not own it: it is an input or a parameter, not memory with any start.
    pub(super) stays: bool,
}

/// An input that keeps one value over cycles in each of which it is a cause.
struct Stretch<'a> {
    name: &'a str,
    given: Given,
    from: usize,
    to: usize,
}

/// Returns sentences about the inputs that are causes, by cycle from 0; `given` has their values. `restart` is the input that is TRUE
/// where the controller restarts.
pub(super) fn inputs(
    inputs: &BTreeMap<usize, BTreeSet<String>>,
    restart: Option<&str>,
    given: impl Fn(usize, &str) -> Option<Given>,
) -> Vec<String> {
    let mut open: BTreeMap<&str, Stretch<'_>> = BTreeMap::new();
    let mut stretches: Vec<Stretch<'_>> = Vec::new();
    for (&cycle, names) in inputs {
        for name in names {
            let Some(given) = given(cycle, name) else { continue };
            // That a controller goes on is no event.
            if restart == Some(name) && given.value == "FALSE" {
                continue;
            }
            match open.get_mut(name.as_str()) {
                // Two restarts in a row are two events.
                Some(stretch)
                    if stretch.to + 1 == cycle
                        && stretch.given.value == given.value
                        && !given.changes
                        && restart != Some(name) =>
                {
                    stretch.to = cycle;
                }
                Some(_) | None => stretches.extend(open.insert(name, Stretch { name, given, from: cycle, to: cycle })),
            }
        }
    }
    stretches.extend(open.into_values());
    // Changes come before values that stay.
    stretches.sort_by_key(|s| (s.from, !s.given.changes, s.name));
    let mut sentences: Vec<(usize, Vec<String>)> = Vec::new();
    for stretch in &stretches {
        let part = words(stretch, restart);
        match sentences.last_mut().filter(|(from, _)| *from == stretch.from) {
            Some((_, parts)) => parts.push(part),
            None => sentences.push((stretch.from, vec![part])),
        }
    }
    let n = sentences.len();
    let sentence = |(from, parts): &(usize, Vec<String>)| format!("In cycle {} {}.", from + 1, few(parts));
    // A sentence takes no more room than the count of one.
    if n <= MOST + 1 {
        return sentences.iter().map(sentence).collect();
    }
    // How it begins, and how it ends.
    let mut chosen: Vec<String> = sentences[..2].iter().map(sentence).collect();
    chosen.push(format!("Inputs matter in {} more cycles, which the table marks.", n - MOST));
    chosen.extend(sentences[n - (MOST - 2)..].iter().map(sentence));
    chosen
}

fn words(s: &Stretch<'_>, restart: Option<&str>) -> String {
    let Given { value, changes, stays } = &s.given;
    let what = match value.as_str() {
        "TRUE" if restart == Some(s.name) => "the controller restarts (tags are kept, prescan)".to_owned(),
        value if !stays => format!("{} starts at {value}", s.name),
        // Nothing was before the first cycle that it could have changed from.
        value if s.from == 0 || !changes => format!("{} is {value}", s.name),
        "TRUE" => format!("{} rises", s.name),
        "FALSE" => format!("{} drops", s.name),
        value => format!("{} changes to {value}", s.name),
    };
    if s.from < s.to { format!("{what} (until cycle {})", s.to + 1) } else { what }
}

fn few(parts: &[String]) -> String {
    match parts {
        [] => String::new(),
        [one] => one.clone(),
        _ if MOST_NAMED < parts.len() => {
            format!("{} and {} more inputs matter", parts[..MOST_NAMED].join(", "), parts.len() - MOST_NAMED)
        }
        [front @ .., last] => format!("{} and {last}", front.join(", ")),
    }
}

/// Timers of a run whose outputs change because time passes while their input stays: TON while TRUE, TOF while FALSE.
pub(super) struct Timers<'a> {
    snapshots: &'a [Vec<Option<Value>>],
    timers: BTreeMap<String, Timer>,
}

/// A timer, with the positions of its parts among the leaves.
struct Timer {
    input: usize,
    output: usize,
    rises: bool,
}

impl<'a> Timers<'a> {
    /// Returns the changes of a run; `snapshots` has the values of `leaves` before the first cycle, then after each.
    pub(super) fn new(project: &Project, leaves: &[Leaf], snapshots: &'a [Vec<Option<Value>>]) -> Timers<'a> {
        let is_timer = |pou: PouId| {
            let pou = &project.pous[pou];
            pou.origin != Origin::User && ["TON", "TOF"].contains(&pou.name.to_ascii_uppercase().as_str())
        };
        let named = Machine::new(project, Limits::default()).instances(&is_timer);
        let places: BTreeMap<&str, usize> = if named.is_empty() {
            BTreeMap::new()
        } else {
            leaves.iter().enumerate().map(|(i, leaf)| (leaf.name.as_str(), i)).collect()
        };
        let timer = |((pou, _), name): ((PouId, usize), String)| {
            let at = |part: &str| places.get(format!("{name}.{part}").as_str()).copied();
            let rises = project.pous[pou].name.eq_ignore_ascii_case("TON");
            Some((name.clone(), Timer { input: at("IN")?, output: at("Q")?, rises }))
        };
        Timers { snapshots, timers: named.into_iter().filter_map(timer).collect() }
    }

    fn is(&self, cycle: usize, leaf: usize, value: bool) -> bool {
        let after = self.snapshots.get(cycle + 1);
        after.and_then(|s| s.get(leaf).copied().flatten()) == Some(Value::Bool(value))
    }

    /// Returns the first of the cycles up to this one in which the input of the timer keeps it running.
    fn since(&self, timer: &Timer, cycle: usize) -> Option<usize> {
        let runs = |cycle: usize| self.is(cycle, timer.input, timer.rises);
        runs(cycle).then(|| (0..cycle).rev().take_while(|c| runs(*c)).last().unwrap_or(cycle))
    }

    /// Returns sentences about timers whose outputs have changed, as far as that is a cause.
    pub(super) fn sentences(
        &self,
        recording: &Recording<'_>,
        leaves: &[Leaf],
        (told, slice): (&[Cycle], &Slice),
        show: impl Fn(&str) -> String,
    ) -> Vec<String> {
        let mut found: Vec<(usize, String)> = Vec::new();
        for (name, timer) in &self.timers {
            let output = format!("{name}.Q");
            let writes = |(cycle, i): &(usize, usize)| {
                let seen = recording.cycles().get(*cycle).and_then(|c| c.get(*i));
                seen.is_some_and(|seen| !seen.inner && seen.values.iter().any(|v| v.written && v.name == output))
            };
            let changed = |cycle: usize| {
                let since = self.since(timer, cycle)?;
                let is = |cycle: usize| self.is(cycle, timer.output, timer.rises);
                let change = (since..=cycle).rev().take_while(|c| is(*c)).last()?;
                (since < change).then_some((since, change))
            };
            let mut steps = slice.steps.iter().rev().filter(|step| writes(step));
            let Some((step, since, change)) = steps.find_map(|step| changed(step.0).map(|(s, c)| (step, s, c))) else { continue };
            let ms: f64 = told.get(since + 1..=change).into_iter().flatten().map(|c| c.dt_ms).sum();
            // The signal at the timer's input, if the call reads one alone.
            let own = format!("{name}.");
            let call = recording.cycles()[step.0].get(step.1).map_or(&[][..], |seen| &seen.values);
            let signals: BTreeSet<&str> = (call.iter())
                .filter(|v| !v.written && matches!(v.value, Value::Bool(_)) && !v.name.starts_with(&own))
                .map(|v| v.name.as_str())
                .collect();
            let stays = |signal: &str| {
                let leaf = leaves.iter().position(|leaf| leaf.name == signal);
                leaf.is_some_and(|leaf| (since..=change).all(|c| self.is(c, leaf, timer.rises)))
            };
            let signal = signals.first().filter(|s| signals.len() == 1 && recording.is_shown(s) && stays(s));
            let signal = signal.map_or_else(|| format!("{name}.IN"), |s| (*s).to_owned());
            let (word, does) = if timer.rises { ("TRUE", "rises") } else { ("FALSE", "drops") };
            let n = change - since + 1;
            let (signal, output) = (show(&signal), show(&output));
            found.push((
                change,
                format!("{signal} is {word} for {n} cycles ({ms:.0} ms), so {output} {does} in cycle {}.", change + 1),
            ));
        }
        found.sort();
        let first = found.len().saturating_sub(MOST_TIMERS);
        found.drain(..first);
        found.into_iter().map(|(_, sentence)| sentence).collect()
    }
}
