//! Simulated runs of the program: the statements they execute, and the values of outputs at the ends of cycles. Checks of
//! possibilities then ask engines about the rest only.
//!
//! A program always gets the same inputs, and they keep the assumptions.

use std::collections::BTreeSet;

use plc_frontend::Loaded;
use plc_frontend::hir::{Expr, Leaf, Project, Role, Shown, Value};
use plc_frontend::interp::{Limits, Machine, Recorder};
use plc_frontend::source::Span;

use crate::property::arbitrary::Arbitrary;
use crate::property::spec::CycleTime;

const RUNS: usize = 60;
const CYCLES: usize = 60;
/// Statements of all runs together, and of one cycle.
const STATEMENTS: u64 = 400_000;
const STATEMENTS_OF_A_CYCLE: u64 = 100_000;

/// Results of the runs.
pub(super) struct Simulated {
    /// Executed statements.
    pub(super) executed: BTreeSet<Span>,
    /// Statement whose first execution came last.
    pub(super) last: Option<Span>,
    /// Outputs with their values at the ends of cycles.
    pub(super) outputs: Vec<Output>,
}

/// A scalar of an output, or a string with all its characters.
pub(super) struct Output {
    pub(super) name: String,
    pub(super) leaves: Vec<Leaf>,
    /// Of a string: TRUE if its characters are wide.
    text: Option<bool>,
    /// Its value at the end of the first cycle.
    first: Option<Vec<Value>>,
    pub(super) changed: bool,
}

impl Output {
    /// Returns its value at the end of the first cycle.
    pub(super) fn first(&self) -> Vec<Value> {
        let initial = || self.without_rest(self.leaves.iter().map(|leaf| leaf.init.unwrap_or(Value::Int(0))).collect());
        self.first.clone().unwrap_or_else(initial)
    }
    /// Returns the same value as programs write it.
    pub(super) fn first_to_st(&self, project: &Project) -> Option<String> {
        let values: Vec<Option<Value>> = self.first().into_iter().map(Some).collect();
        let row = Shown { name: self.name.clone(), leaves: 0..values.len(), text: self.text };
        project.shown_value(&row, &self.leaves, &values)
    }
    /// Removes the characters behind the end of a string, which are not part of its value.
    fn without_rest(&self, mut values: Vec<Value>) -> Vec<Value> {
        if self.text.is_some() {
            let end = values.iter().position(|code| *code == Value::Int(0));
            values.truncate(end.unwrap_or(values.len()));
        }
        values
    }
    /// Notes the value at the end of a cycle.
    fn note(&mut self, machine: &Machine<'_>) {
        let Some(now) = self.leaves.iter().map(|leaf| machine.leaf(&leaf.name)).collect() else { return };
        let now = self.without_rest(now);
        match &self.first {
            None => self.first = Some(now),
            Some(first) => self.changed = *first != now,
        }
    }
}

/// Runs the program.
///
/// Cost: bounded by the number of statements, whatever the program.
pub(super) fn simulate(loaded: &Loaded, assumptions: &[&Expr], cycle: CycleTime) -> Simulated {
    let project = &loaded.project;
    let leaves = project.leaves();
    let is_output = |leaf: &&Leaf| leaf.role == Role::Output && !leaf.constant && !leaf.hidden && leaf.init.is_some();
    let output_leaves: Vec<Leaf> = leaves.iter().filter(is_output).cloned().collect();
    let output = |row: Shown| {
        let leaves = output_leaves[row.leaves].to_vec();
        Output { name: row.name, leaves, text: row.text, first: None, changed: false }
    };
    let outputs = project.shown(&output_leaves).into_iter().map(output).collect();
    let mut seen = Simulated { executed: BTreeSet::new(), last: None, outputs };
    let mut arbitrary = Arbitrary::new(project, cycle);
    let mut spent = 0;
    // A cold start costs its leaves, and a cycle its inputs and outputs.
    let per_run = leaves.len() as u64;
    let per_assumption = per_run / 8;
    let per_cycle = (arbitrary.n_inputs() + output_leaves.len()) as u64 + assumptions.len() as u64 * per_assumption;
    for _ in 0..RUNS {
        spent += per_run;
        if STATEMENTS < spent {
            break;
        }
        arbitrary.next_run();
        let mut machine = Machine::new(project, Limits { steps: STATEMENTS_OF_A_CYCLE, ..Limits::default() });
        for _ in 0..CYCLES {
            spent += per_cycle;
            let allowed = arbitrary.begin(&mut machine, assumptions).is_some();
            let mut watch = Watch { seen: &mut seen, spent: &mut spent };
            if !allowed || machine.run(&mut watch).is_err() {
                break;
            }
            for output in seen.outputs.iter_mut().filter(|output| !output.changed) {
                output.note(&machine);
            }
            if STATEMENTS < spent {
                return seen;
            }
        }
    }
    seen
}

struct Watch<'a> {
    seen: &'a mut Simulated,
    spent: &'a mut u64,
}

impl Recorder for Watch<'_> {
    fn executed(&mut self, stmt: Span) {
        *self.spent += 1;
        if self.seen.executed.insert(stmt) {
            self.seen.last = Some(stmt);
        }
    }
}
