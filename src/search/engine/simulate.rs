//! Random runs of a system: cheap examples of reachable states, for guesses of invariants.
//!
//! Deterministic: the same system gives the same states.

use std::collections::{BTreeMap, BTreeSet};

use kernel::cfa::pass::System;
use kernel::context::{Ctx, Stop};
use kernel::expr::{Evaluator, Expr, ExprPool, Sort, Value, VarId};
use kernel::rng::Rng;

/// The state at the start of a cycle; values in the order of the system's variables.
pub(crate) type State = Vec<Value>;

/// Amount of simulation.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SimulateOptions {
    /// Expression nodes to evaluate in all, about.
    pub(crate) nodes: usize,
    /// Cycles of one run.
    pub(crate) cycles: usize,
    /// States to return, evenly chosen.
    pub(crate) states: usize,
}

impl Default for SimulateOptions {
    fn default() -> SimulateOptions {
        SimulateOptions { nodes: 1_000_000, cycles: 60, states: 500 }
    }
}

/// Returns the constants of the system by sort, ascending: there comparisons change their answer.
pub(crate) fn constants(pool: &ExprPool, system: &System) -> BTreeMap<Sort, BTreeSet<Value>> {
    let roots: Vec<_> = system.next.iter().map(|(_, e)| *e).chain([system.guard, system.bad]).collect();
    let mut found: BTreeMap<Sort, BTreeSet<Value>> = BTreeMap::new();
    pool.visit(&roots, |e| {
        if let Expr::Const(value) = pool.expr(e) {
            found.entry(value.sort()).or_default().insert(value);
        }
        true
    });
    found
}

/// Returns distinct states at the starts of cycles of random runs, the initial ones first.
pub(crate) fn simulate(cx: &Ctx<'_>, system: &System, options: SimulateOptions) -> Result<Vec<State>, Stop> {
    let pool = &cx.pool;
    let constants = constants(pool, system);
    let roots: Vec<_> = system.next.iter().map(|(_, e)| *e).chain([system.guard]).collect();
    let n_cycles = (options.nodes / pool.size(&roots, options.nodes).max(1)).clamp(100, 3_000);
    let mut rng = Rng(0x9e37_79b9_7f4a_7c15);
    let mut seen = BTreeSet::new();
    let mut states = Vec::new();
    let mut evaluator = Evaluator::dense();
    let mut spent = 0;
    while spent < n_cycles {
        cx.tick()?;
        let mut state: State = system.vars.iter().map(|var| start(pool, system, *var, &constants, &mut rng)).collect();
        let mut inputs: BTreeMap<VarId, Value> = BTreeMap::new();
        // Inputs of some runs change often, of others rarely: timers elapse only in the latter.
        let calm = [1, 4, 16, 64][rng.below(4)];
        for _ in 0..options.cycles {
            if seen.insert(state.clone()) {
                states.push(state.clone());
            }
            let mut next = None;
            for attempt in 0..20 {
                spent += 1;
                for input in &system.inputs {
                    let sort = pool.var_decl(input.var).sort;
                    if attempt != 0 || rng.below(calm) == 0 || !inputs.contains_key(&input.var) {
                        inputs.insert(input.var, random(sort, &constants, &mut rng));
                    }
                }
                evaluator.clear();
                next = successor(pool, system, &state, &inputs, &mut evaluator);
                if next.is_some() {
                    break;
                }
            }
            match next {
                Some(next) => state = next,
                None => break,
            }
        }
        if system.inputs.is_empty() && system.vars.iter().all(|var| system.initial.contains_key(var)) {
            break;
        }
    }
    let every = states.len().div_ceil(options.states).max(1);
    Ok(states.into_iter().step_by(every).collect())
}

fn successor(
    pool: &ExprPool,
    system: &System,
    state: &State,
    inputs: &BTreeMap<VarId, Value>,
    evaluator: &mut Evaluator,
) -> Option<State> {
    let env = |var: VarId| match system.vars.binary_search(&var) {
        Ok(i) => Some(state[i]),
        Err(_) => inputs.get(&var).copied(),
    };
    if evaluator.eval(pool, system.guard, &env) != Some(Value::Bool(true)) {
        return None;
    }
    let mut next = state.clone();
    for (var, e) in &system.next {
        if let Ok(i) = system.vars.binary_search(var) {
            next[i] = evaluator.eval(pool, *e, &env)?;
        }
    }
    Some(next)
}

fn start(pool: &ExprPool, system: &System, var: VarId, constants: &BTreeMap<Sort, BTreeSet<Value>>, rng: &mut Rng) -> Value {
    match system.initial.get(&var) {
        Some(value) => *value,
        None => random(pool.var_decl(var).sort, constants, rng),
    }
}

fn random(sort: Sort, constants: &BTreeMap<Sort, BTreeSet<Value>>, rng: &mut Rng) -> Value {
    let known = constants.get(&sort).filter(|known| !known.is_empty());
    let constant = known.and_then(|known| known.iter().nth(rng.below(known.len())).copied());
    match (sort, constant) {
        (Sort::Bool, _) => Value::Bool(rng.below(2) == 1),
        (Sort::BitVec(width), Some(Value::BitVec { bits, .. })) if rng.below(3) != 0 => {
            let near = [0, 1, u128::MAX][rng.below(3)];
            Value::bv(width, bits.wrapping_add(near))
        }
        (Sort::BitVec(width), _) => match rng.below(3) {
            0 => Value::bv(width, rng.below(10) as u128),
            1 => Value::bv(width, rng.below(1000) as u128),
            _ => Value::bv(width, u128::from(rng.next())),
        },
        (Sort::Float(_) | Sort::Int | Sort::Array(..), Some(constant)) if rng.below(2) == 0 => constant,
        (Sort::Float(kernel::expr::FloatSort::F32), _) => Value::f32(rng.below(2000) as f32 / 10.0 - 50.0),
        (Sort::Float(kernel::expr::FloatSort::F64), _) => Value::f64(rng.below(2000) as f64 / 10.0 - 50.0),
        (Sort::Float(other), _) => Value::float(other, u128::from(rng.next())),
        (Sort::Int, Some(Value::Int(constant))) => Value::Int(constant.saturating_add(rng.below(3) as i128 - 1)),
        (Sort::Int, _) => Value::Int(rng.below(200) as i128 - 100),
        (Sort::Array(..), _) => Value::zero(sort),
    }
}
