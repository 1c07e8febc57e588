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
    let mut cycles: Vec<BTreeMap<VarId, Value>> = Vec::new();
    for (i, inputs) in run.steps.iter().enumerate() {
        let at = system.pc.and_then(|pc| state.get(&pc).copied()).or(at_head);
        // A step from another cut point goes on with the cycle.
        let mut values = if at == at_head { BTreeMap::new() } else { cycles.pop().unwrap_or_default() };
        if i == 0 {
            values.extend(start.iter().filter(|(var, _)| !system.initial.contains_key(var)).map(|(var, value)| (*var, *value)));
        }
        for input in &system.inputs {
            if let Some(origin) = input.origin {
                let value = inputs.get(&input.var).copied().unwrap_or_else(|| zero(input.var));
                // Steps from other cut points leave the inputs as they are.
                values.entry(origin).or_insert(value);
            }
        }
        cycles.push(values);
        if system.pc.is_some() {
            let env = |var: VarId| state.get(&var).or_else(|| inputs.get(&var)).copied().or_else(|| Some(zero(var)));
            evaluator.clear();
            let next = system.next.iter().map(|(var, e)| (*var, evaluator.eval(pool, *e, &env).unwrap_or_else(|| zero(*var))));
            state = next.collect();
        }
    }
    Trace { cycles }
}
