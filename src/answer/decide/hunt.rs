//! Random runs of the interpreter, for programs whose recursive calls are kept.
//!
//! Engines find a violation behind many calls late: each way through them is a path of its own. The interpreter executes them at
//! once. Small arguments are tried most, since recursive functions count by them.
//!
//! Deterministic but for the time limit: the same program has the same runs.

use std::time::{Duration, Instant};

use plc_frontend::hir::{IntType, Leaf, Project, Type, Value};

use super::{Decision, Request};
use crate::certify::Certified;
use crate::replay::{CycleInputs, Effort, Replayed, minimise};
use kernel::rng::Rng;

/// Name of the search in answers.
const NAME: &str = "random";

/// Most runs.
const RUNS: usize = 1_000;

/// Most cycles of a run.
const CYCLES: usize = 3;

/// Longest time for all runs.
const PATIENCE: Duration = Duration::from_secs(2);

/// Returns a violation by one of the runs.
///
/// Cost:      at most [`RUNS`] interpreted runs.
/// Stops:     when the time is over, no further run begins; the present one ends.
/// Soundness: the run is certified for the claim, under its assumptions, with cycle times that the model has.
pub(super) fn violation(request: &Request<'_>) -> Option<Decision> {
    let case = request.case(request.claim);
    let leaves = request.loaded.project.leaves();
    let end = Instant::now() + PATIENCE;
    let end = request.search.interrupt.deadline.map_or(end, |deadline| deadline.min(end));
    let (dt_ns, _) = request.dt_ns();
    let mut rng = Rng(1);
    for _ in 0..RUNS {
        if end < Instant::now() || request.search.interrupt.is_raised() {
            return None;
        }
        let n_cycles = 1 + rng.below(CYCLES);
        let cycle = |number| inputs(&request.loaded.project, &leaves, number, dt_ns, &mut rng);
        let cycles: Vec<CycleInputs> = (0..n_cycles).map(cycle).collect();
        if let Replayed::Violated { .. } = case.replay(&cycles) {
            let calm = minimise(&case, &cycles, Effort::default()).unwrap_or(cycles);
            let certified = Certified::violation(&case, calm).ok()?;
            return Some(Decision { engine: Some(NAME), ..Decision::certified(certified) });
        }
    }
    None
}

/// Returns inputs of a cycle. Those of other types than BOOL and plain integers keep their values.
fn inputs(project: &Project, leaves: &[Leaf], cycle: usize, dt_ns: i64, rng: &mut Rng) -> CycleInputs {
    let given = leaves.iter().filter(|leaf| leaf.is_given(cycle) && leaf.view.is_none());
    let mut value = |leaf: &Leaf| {
        let ty = &project.types[leaf.ty].ty;
        if *ty == Type::Bool {
            Some(Value::Bool(rng.below(2) == 1))
        } else if let Type::Int(int) = ty {
            Some(Value::Int(number(*int, rng)))
        } else if let Type::Bits(bits) = ty {
            Some(Value::Int(number(IntType { bits: *bits, signed: false }, rng)))
        } else {
            None
        }
    };
    CycleInputs { inputs: given.filter_map(|leaf| Some((leaf.name.clone(), value(leaf)?))).collect(), dt_ns }
}

/// Returns a number of a type: mostly a small one.
fn number(int: IntType, rng: &mut Rng) -> i128 {
    let any = match rng.below(5) {
        0..3 => rng.below(13) as i128,
        3 => rng.below(150) as i128 - 20,
        _ => i128::from(rng.next()),
    };
    int.wrap(any)
}
