//! Houdini: the greatest set of guesses that are inductive together. Guesses that a step breaks are dropped until no step
//! breaks one.
//!
//! Source: Flanagan, Leino, "Houdini, an annotation assistant for ESC/Java", FME 2001, doi:10.1007/3-540-45251-6_29
//! (greatest inductive subset of a finite set of guesses).

use std::collections::BTreeSet;

use super::candidates::{CandidateOptions, candidates};
use super::simulate::{SimulateOptions, simulate};
use super::unroll::{Answer, Start, Unrolling};
use kernel::cfa::pass::System;
use kernel::context::{Ctx, MakeSolver, Stop};
use kernel::expr::{Evaluator, ExprId, ExprPool, Value, VarId};
use kernel::smt::Frame;

/// Limits of the search.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct HoudiniOptions {
    pub(crate) simulate: SimulateOptions,
    pub(crate) candidates: CandidateOptions,
}

impl HoudiniOptions {
    /// Returns limits with long runs and few guesses, for one of many small parts.
    pub(crate) fn part() -> HoudiniOptions {
        HoudiniOptions {
            simulate: SimulateOptions { nodes: 200_000, cycles: 300, states: 300 },
            candidates: CandidateOptions { units: 200, implications: 400 },
        }
    }
    /// Returns limits with simulations of `times` the usual length, and as many more guesses.
    pub(crate) fn longer(times: usize) -> HoudiniOptions {
        let (simulate, candidates) = (SimulateOptions::default(), CandidateOptions::default());
        HoudiniOptions {
            simulate: SimulateOptions {
                nodes: times * simulate.nodes,
                cycles: times * simulate.cycles,
                states: times * simulate.states,
            },
            candidates: CandidateOptions { units: times * candidates.units, implications: times * candidates.implications },
        }
    }
    /// Returns limits with more states and more guesses, for a second attempt.
    pub(crate) fn wide() -> HoudiniOptions {
        let (simulate, candidates) = (SimulateOptions::default(), CandidateOptions::default());
        HoudiniOptions {
            simulate: SimulateOptions { nodes: 4 * simulate.nodes, cycles: 5 * simulate.cycles, states: 3 * simulate.states },
            candidates: CandidateOptions { units: 3 * candidates.units, implications: 4 * candidates.implications },
        }
    }
}

/// Returns facts that hold at the start of every cycle and are inductive together.
///
/// Cost:      one check per round; each round drops at least one guess, mostly many.
/// Soundness: the initial states satisfy all results, and a cycle from states that satisfy all of them keeps all.
pub(crate) fn invariants(
    cx: &mut Ctx<'_>,
    system: &System,
    solvers: &MakeSolver,
    options: HoudiniOptions,
) -> Result<Vec<ExprId>, Stop> {
    let states = simulate(cx, system, options.simulate)?;
    let guesses = candidates(&mut cx.pool, system, &states, options.candidates);
    inductive(cx, system, solvers, guesses)
}

/// Returns those of the guesses that hold at the start of every cycle and are inductive together.
pub(crate) fn inductive(
    cx: &mut Ctx<'_>,
    system: &System,
    solvers: &MakeSolver,
    mut facts: Vec<ExprId>,
) -> Result<Vec<ExprId>, Stop> {
    retain_initial(cx, system, solvers, &mut facts)?;
    let mut step = steps(cx, system, solvers, 1)?;
    while !facts.is_empty() {
        let assumptions = with_goal(&mut cx.pool, &facts, 1, &facts);
        match step.check(cx, &assumptions)? {
            Answer::No => break,
            Answer::Yes => drop_false(cx, system, &mut step, 1, &mut facts)?,
        }
    }
    Ok(facts)
}

/// Returns a small part of `facts` that contains `needed` and is inductive on its own. `facts` are `depth`-inductive: a cycle
/// after `depth` cycles through states that satisfy all of them keeps them.
///
/// Cost: one check per round; each round adds at least one fact.
pub(crate) fn closure(
    cx: &mut Ctx<'_>,
    system: &System,
    solvers: &MakeSolver,
    facts: &[ExprId],
    depth: u32,
    mut needed: BTreeSet<ExprId>,
) -> Result<BTreeSet<ExprId>, Stop> {
    let mut step = steps(cx, system, solvers, depth)?;
    while !needed.is_empty() {
        let goal: Vec<ExprId> = needed.iter().copied().collect();
        let assumptions = with_goal(&mut cx.pool, facts, depth, &goal);
        let before = needed.len();
        match step.check(cx, &assumptions)? {
            // The last assumption is the goal's.
            Answer::No => {
                let core = step.core().into_iter().filter(|i| *i + 1 < assumptions.len());
                needed.extend(core.filter_map(|i| assumptions.get(i).map(|(fact, _)| *fact)));
            }
            // Impossible while `facts` are inductive; all of them are a right answer in any case.
            Answer::Yes => return Ok(facts.iter().copied().collect()),
        }
        if needed.len() == before {
            break;
        }
    }
    Ok(needed)
}

/// Returns whether a cycle after `depth` cycles through states that satisfy all `facts` keeps all of them.
pub(crate) fn is_inductive(
    cx: &mut Ctx<'_>,
    system: &System,
    solvers: &MakeSolver,
    facts: &[ExprId],
    depth: u32,
) -> Result<bool, Stop> {
    let mut step = steps(cx, system, solvers, depth)?;
    let assumptions = with_goal(&mut cx.pool, facts, depth, facts);
    Ok(step.check(cx, &assumptions)? == Answer::No)
}

fn steps(cx: &mut Ctx<'_>, system: &System, solvers: &MakeSolver, n: u32) -> Result<Unrolling, Stop> {
    let mut steps = Unrolling::new(solvers, cx, system, Start::Anywhere)?;
    for _ in 0..n {
        steps.step(&cx.pool, system)?;
    }
    Ok(steps)
}

/// Returns all of `facts` in the frames before `depth`, and one of `goal` broken there.
fn with_goal(pool: &mut ExprPool, facts: &[ExprId], depth: u32, goal: &[ExprId]) -> Vec<(ExprId, Frame)> {
    let all = conjunction(pool, goal);
    let broken = pool.not(all);
    let before = (0..depth).flat_map(|frame| facts.iter().map(move |fact| (*fact, frame)));
    before.chain([(broken, depth)]).collect()
}

/// Returns a conjunction as a tree of small depth.
pub(crate) fn conjunction(pool: &mut ExprPool, facts: &[ExprId]) -> ExprId {
    match facts {
        [] => pool.bool(true),
        [fact] => *fact,
        [..] => {
            let (left, right) = facts.split_at(facts.len() / 2);
            let (left, right) = (conjunction(pool, left), conjunction(pool, right));
            pool.and(left, right)
        }
    }
}

/// Keeps the facts that hold in every initial state.
fn retain_initial(cx: &mut Ctx<'_>, system: &System, solvers: &MakeSolver, facts: &mut Vec<ExprId>) -> Result<(), Stop> {
    let mut initial = Unrolling::new(solvers, cx, system, Start::Initial)?;
    while !facts.is_empty() {
        let all = conjunction(&mut cx.pool, facts);
        let broken = cx.pool.not(all);
        match initial.check(cx, &[(broken, 0)])? {
            Answer::No => break,
            Answer::Yes => drop_false(cx, system, &mut initial, 0, facts)?,
        }
    }
    Ok(())
}

/// Drops the facts that are false in a frame of the model.
fn drop_false(
    cx: &mut Ctx<'_>,
    system: &System,
    frames: &mut Unrolling,
    frame: Frame,
    facts: &mut Vec<ExprId>,
) -> Result<(), Stop> {
    let mut state: Vec<Value> = Vec::with_capacity(system.vars.len());
    for var in &system.vars {
        let e = cx.pool.var(*var);
        state.push(frames.value(&cx.pool, e, frame)?);
    }
    let mut evaluator = Evaluator::new();
    let env = |var: VarId| system.vars.binary_search(&var).ok().map(|i| state[i]);
    let before = facts.len();
    facts.retain(|fact| evaluator.eval(&cx.pool, *fact, &env) == Some(Value::Bool(true)));
    if facts.len() == before {
        // The model contradicts its own values: the search would never end.
        return Err(Stop::Solver(kernel::smt::SolverError("a model breaks a fact that its own values satisfy".into())));
    }
    Ok(())
}
