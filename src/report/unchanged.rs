//! Sentences about variables that kept their values because a branch was not taken, and about steps that stayed active.

use std::collections::{BTreeMap, BTreeSet};

use plc_frontend::hir::walk::stmts;
use plc_frontend::hir::{Leaf, PouId, Project, StmtKind, Value, value_to_st};
use plc_frontend::interp::{Limits, Machine};
use plc_frontend::source::{Origin, SourceSet, Span};

use super::names::TASK_COUNTER;
use super::place::line_words;
use super::record::Recording;
use super::seen::Seen;
use super::slice::{Slice, Unchanged};

/// Sentences of each kind; the lines and cells that matter are marked.
const MOST: usize = 4;
/// Values in one sentence.
const MOST_NAMED: usize = 4;

/// Values as people read them.
pub(super) struct Wording<'a> {
    pub(super) project: &'a Project,
    pub(super) sources: &'a SourceSet,
    pub(super) leaves: &'a [Leaf],
    pub(super) show: &'a dyn Fn(&str) -> String,
    /// Bits that an import adds, which no user knows.
    pub(super) is_added: &'a dyn Fn(&str) -> bool,
}

impl Wording<'_> {
    fn value(&self, name: &str, value: Value) -> String {
        let leaf = self.leaves.iter().find(|leaf| leaf.name == name);
        leaf.map_or_else(|| super::counterexample::plain(value), |leaf| value_to_st(self.project, leaf.ty, value))
    }

    /// Returns sentences about branches not taken, in the order of the cycles; of many those next to the violation.
    pub(super) fn branches(&self, recording: &Recording<'_>, kept: &[Unchanged]) -> Vec<String> {
        let mut stretches: Vec<(usize, usize, String)> = Vec::new();
        let lowered = self.lowered_loops();
        for Unchanged { cycle, name, seen, because } in kept {
            let is_known = |name: &str| recording.is_shown(name) && !(self.is_added)(name);
            let values = because.iter().filter(|(read, _)| is_known(read) && read != name);
            let values: Vec<String> =
                values.map(|(read, value)| format!("{} is {}", (self.show)(read), self.value(read, *value))).collect();
            let Some(of) = recording.cycles()[*cycle].get(*seen).filter(|_| is_known(name)) else { continue };
            if values.is_empty() || lowered.contains(&of.stmt) {
                continue;
            }
            let word =
                self.sources.text(of.stmt).split(|c: char| !c.is_ascii_alphabetic()).next().unwrap_or("").to_ascii_uppercase();
            let at = line_words(self.sources, of.stmt);
            // An instruction has several statements at one place: another one of them may write it.
            if writes_at(recording, *cycle, name, &at, self.sources) {
                continue;
            }
            let taken = of.choice.and_then(|choice| choice.taken);
            let run = recording.activation(of);
            let skips = of.choice.is_some_and(|choice| recording.choices().skips(run.pou, choice.first, taken));
            let task = because.iter().find_map(|(read, _)| Some((self.show)(read).strip_prefix(TASK_COUNTER)?.to_owned()));
            let statement = match (word.as_str(), taken) {
                ("IF" | "CASE", _) if skips => format!("the {word} on {at} skipped what follows"),
                ("IF", None) => format!("the IF on {at} was not taken"),
                ("IF" | "CASE", _) => format!("the {word} on {at} took another branch"),
                ("FOR" | "WHILE", _) => format!("the loop on {at} did not run"),
                (_, None) => format!("the condition on {at} was FALSE"),
                (_, Some(_)) => format!("the condition on {at} was TRUE"),
            };
            let sentence = match task {
                Some(task) => format!("the task {task} did not run"),
                None => format!("{statement}, since {}", enumerated(&values)),
            };
            let sentence = format!("{}|{sentence}", (self.show)(name));
            let has_room = stretches.len() < MOST;
            match stretches.iter_mut().find(|(from, to, said)| *from <= cycle + 1 && cycle <= to && *said == sentence) {
                Some(stretch) => stretch.0 = stretch.0.min(*cycle),
                // Later ones are not shown; a long run has many.
                None if has_room => stretches.push((*cycle, *cycle, sentence)),
                None => {}
            }
        }
        stretches.reverse();
        let words = |(from, to, sentence): &(usize, usize, String)| {
            let (name, rest) = sentence.split_once('|').unwrap_or_default();
            if from == to {
                format!("In cycle {} {rest}: no write of {name} there.", from + 1)
            } else {
                format!("In cycles {} to {} {rest}: no write of {name} there.", from + 1, to + 1)
            }
        };
        stretches.iter().map(words).collect()
    }

    /// Returns the FOR loops that became WHILE loops because their bounds are computed every round. Their conditions are those of
    /// single rounds: they do not tell whether the loop of the source ran.
    fn lowered_loops(&self) -> BTreeSet<Span> {
        let mut found = BTreeSet::new();
        for pou in self.project.pous.iter() {
            stmts(&pou.body, |stmt| {
                if let StmtKind::While { .. } = stmt.kind
                    && self.sources.text(stmt.span).get(..3).is_some_and(|word| word.eq_ignore_ascii_case("FOR"))
                {
                    found.insert(stmt.span);
                }
            });
        }
        found
    }

    /// Returns sentences about steps of charts whose time was a cause: for each step the last time that was.
    pub(super) fn steps(&self, recording: &Recording<'_>, snapshots: &[Vec<Option<Value>>], slice: &Slice) -> Vec<String> {
        let is_step = |pou: PouId| {
            let pou = &self.project.pous[pou];
            pou.origin != Origin::User && pou.name == "__SFC_STEP"
        };
        let steps = Machine::new(self.project, Limits::default()).instances(&is_step);
        let mut found: BTreeMap<&str, (usize, i128)> = BTreeMap::new();
        let times: BTreeMap<String, &str> = steps.values().map(|name| (format!("{name}.T"), name.as_str())).collect();
        for &(cycle, i) in slice.steps.iter().filter(|_| !times.is_empty()) {
            let seen = recording.cycles().get(cycle).and_then(|c| c.get(i));
            for v in seen.into_iter().flat_map(|seen| &seen.values).filter(|v| v.written) {
                if let (Some(step), Value::Int(ms @ 1..)) = (times.get(&v.name), v.value) {
                    found.insert(step, (cycle, ms));
                }
            }
        }
        let sentence = |(step, (cycle, ms)): (&str, (usize, i128))| {
            let leaf = self.leaves.iter().position(|leaf| leaf.name == format!("{step}.T"))?;
            let is_new = |at: &usize| snapshots.get(at + 1).and_then(|s| s.get(leaf).copied().flatten()) == Some(Value::Int(0));
            let since = (0..cycle).rev().find(is_new)?;
            let step = (self.show)(step);
            Some((cycle, format!("In cycle {} step {step} has been active for {ms} ms, since cycle {}.", cycle + 1, since + 1)))
        };
        let mut said: Vec<(usize, String)> = found.into_iter().filter_map(sentence).collect();
        said.sort();
        let first = said.len().saturating_sub(MOST);
        said.drain(..first);
        said.into_iter().map(|(_, sentence)| sentence).collect()
    }
}

/// Returns whether a statement at this place writes a variable in a cycle.
fn writes_at(recording: &Recording<'_>, cycle: usize, name: &str, at: &str, sources: &SourceSet) -> bool {
    let writes = |seen: &&Seen| seen.values.iter().any(|v| v.written && v.name == name);
    let mut seen = recording.cycles().get(cycle).into_iter().flatten();
    seen.any(|seen| writes(&seen) && line_words(sources, seen.stmt) == at)
}

/// Returns the first values as a list with "and" before the last; more are marked by an ellipsis.
fn enumerated(values: &[String]) -> String {
    match values {
        _ if MOST_NAMED < values.len() => format!("{} …", values[..MOST_NAMED].join(", ")),
        [first @ .., last] if !first.is_empty() => format!("{} and {last}", first.join(", ")),
        [..] => values.concat(),
    }
}
