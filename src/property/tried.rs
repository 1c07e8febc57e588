//! What some simulated runs do: which statements they come to, which values outputs have at the ends of cycles. A check that
//! asks whether something can happen at all then asks engines about the rest only.
//!
//! The same program is always tried with the same inputs; assumptions are kept.

use std::collections::BTreeSet;

use plc_frontend::Loaded;
use plc_frontend::hir::{Expr, Leaf, Role, Value};
use plc_frontend::interp::{Limits, Machine, Recorder};
use plc_frontend::source::Span;

use super::arbitrary::Arbitrary;
use super::spec::CycleTime;

const RUNS: usize = 60;
const CYCLES: usize = 60;
/// Statements of all runs together, and of one cycle.
const STATEMENTS: u64 = 400_000;
const STATEMENTS_OF_A_CYCLE: u64 = 100_000;

/// What was seen.
pub(super) struct Tried {
    /// Statements that were executed.
    pub(super) executed: BTreeSet<Span>,
    /// The one that was executed for the first time last.
    pub(super) last: Option<Span>,
    /// Outputs, each with its first value at the end of a cycle and whether it had another one later.
    pub(super) outputs: Vec<Output>,
}

/// One scalar of an output.
pub(super) struct Output {
    pub(super) leaf: Leaf,
    pub(super) first: Option<Value>,
    pub(super) changed: bool,
}

/// Runs the program.
///
/// Cost: bounded by the number of statements, whatever the program.
pub(super) fn tried(loaded: &Loaded, assumptions: &[&Expr], cycle: CycleTime) -> Tried {
    let project = &loaded.project;
    let leaves = project.leaves();
    let is_output = |leaf: &&Leaf| leaf.role == Role::Output && !leaf.constant && !leaf.hidden && leaf.init.is_some();
    let outputs = leaves.iter().filter(is_output).cloned();
    let outputs = outputs.map(|leaf| Output { leaf, first: None, changed: false }).collect();
    let mut seen = Tried { executed: BTreeSet::new(), last: None, outputs };
    let mut arbitrary = Arbitrary::new(project, cycle);
    let mut spent = 0;
    // A cold start, and a cycle with its inputs and outputs, cost what they hold.
    let per_run = leaves.len() as u64;
    let per_assumption = per_run / 8;
    let per_cycle = (arbitrary.n_inputs() + seen.outputs.len()) as u64 + assumptions.len() as u64 * per_assumption;
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
                match (machine.leaf(&output.leaf.name), output.first) {
                    (Some(now), None) => output.first = Some(now),
                    (Some(now), Some(first)) => output.changed = now != first,
                    (None, _) => {}
                }
            }
            if STATEMENTS < spent {
                return seen;
            }
        }
    }
    seen
}

struct Watch<'a> {
    seen: &'a mut Tried,
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
