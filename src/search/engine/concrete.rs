//! Concrete runs of a system: from the inputs of each step to a trace.

use std::collections::BTreeMap;

use kernel::cfa::LocId;
use kernel::cfa::pass::System;
use kernel::expr::{Evaluator, ExprPool, Value, VarId};
use kernel::verdict::Trace;

/// Arbitrary values of a run: initial values that the program leaves open, and the inputs of each step.
#[derive(Clone, Debug, Default)]
pub(crate) struct Run {
    pub(crate) start: BTreeMap<VarId, Value>,
    pub(crate) steps: Vec<BTreeMap<VarId, Value>>,
}

/// Returns the run as a trace; `head` as in the unreduced CFA. Values that are missing are zero.
///
/// Cost: if the cycle has cut points of its own, the run is executed to find the steps that begin a cycle.
pub(crate) fn trace(pool: &ExprPool, system: &System, head: LocId, run: &Run) -> Trace {
    let zero = |var: VarId| Value::zero(pool.var_decl(var).sort);
    let start: BTreeMap<VarId, Value> = system
        .vars
        .iter()
        .map(|var| (*var, system.initial.get(var).or(run.start.get(var)).copied().unwrap_or_else(|| zero(*var))))
        .collect();
    let at_head = system.cuts.iter().find(|(loc, _)| *loc == head).map(|(_, at)| *at);
    let mut state = start.clone();
    let mut evaluator = Evaluator::new();
    let mut trace = Trace::default();
    for inputs in &run.steps {
        let at = system.pc.and_then(|pc| state.get(&pc).copied()).or(at_head);
        // A step from another cut point goes on with the cycle.
        if at == at_head || trace.cycles.is_empty() {
            trace.cycles.push(BTreeMap::new());
        }
        let cycle = trace.cycles.len() - 1;
        let env = |var: VarId| state.get(&var).or_else(|| inputs.get(&var)).copied().or_else(|| Some(zero(var)));
        evaluator.clear();
        for (taken, of_block) in system.taken() {
            if taken.is_some_and(|taken| evaluator.eval(pool, taken, &env) != Some(Value::Bool(true))) {
                continue;
            }
            for (var, origin) in of_block.iter().filter_map(|input| Some((input.var, input.origin?))) {
                trace.take(cycle, origin, inputs.get(&var).copied().unwrap_or_else(|| zero(var)));
            }
        }
        if system.pc.is_some() {
            let next = system.next.iter().map(|(var, e)| (*var, evaluator.eval(pool, *e, &env).unwrap_or_else(|| zero(*var))));
            state = next.collect();
        }
    }
    let open = start.iter().filter(|(var, _)| !system.initial.contains_key(var));
    open.for_each(|(var, value)| trace.start(*var, *value));
    trace
}
