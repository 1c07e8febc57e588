//! From the fixpoint to a proof by summaries, and from a nested path to the inputs of its cycles.

use std::collections::BTreeMap;

use super::explore::{Explorer, GraphId, PartGraph};
use super::path::NestedPath;
use super::program::Part;
use crate::domain::Reduce;
use kernel::cfa::{Cfa, LocId, LocKind, Recursion};
use kernel::context::Ctx;
use kernel::expr::{ExprId, ExprPool, Value, VarId};
use kernel::verdict::{Argument, Proof, Trace};

/// Returns the proof of a fixpoint without error.
///
/// The precondition of a procedure is the disjunction of its entry states. Its relation, and its invariants at heads of loops,
/// are conjunctions over these: a run that entered with one of them is in the states that were found for it. A head also keeps the
/// precondition about the values at entry.
pub(super) fn proof<D: Reduce>(
    cx: &mut Ctx<'_>,
    cfa: &Cfa,
    recursion: &Recursion,
    explorer: &Explorer<D>,
    cycle: GraphId,
) -> Proof {
    let mut invariants: BTreeMap<LocId, ExprId> = BTreeMap::new();
    for (at, part) in explorer.program.parts.iter().enumerate() {
        let Some(procedure) = part.procedure else {
            for loc in heads(cfa, part) {
                let states = states_at(&explorer.graphs[cycle], loc);
                let holds = explorer.domain.to_expr(&mut cx.pool, &states);
                invariants.insert(cfa.locs[loc].origin, holds);
            }
            continue;
        };
        let blocks: Vec<_> = explorer.done.iter().filter(|((of, _), _)| *of == at).collect();
        let (mut entry, mut exit) =
            (cx.pool.bool(part.entry.is_none()), cx.pool.bool(part.entry.is_some() && !blocks.is_empty()));
        let mut at_heads: BTreeMap<LocId, ExprId> = heads(cfa, part).map(|loc| (loc, exit)).collect();
        let mut within = cx.pool.bool(false);
        for (key, graph) in blocks {
            let state = explorer.domain.to_expr(&mut cx.pool, &[&key.1]);
            let (now, entered) = (at_entry(&mut cx.pool, part, state, false), at_entry(&mut cx.pool, part, state, true));
            entry = cx.pool.or(entry, now);
            within = cx.pool.or(within, entered);
            let results = explorer.domain.to_expr(&mut cx.pool, &explorer.results(key));
            let relation = cx.pool.implies(entered, results);
            exit = cx.pool.and(exit, relation);
            for (loc, holds) in &mut at_heads {
                let states = states_at(&explorer.graphs[*graph], *loc);
                let here = explorer.domain.to_expr(&mut cx.pool, &states);
                let here = cx.pool.implies(entered, here);
                *holds = cx.pool.and(*holds, here);
            }
        }
        // At a head the values at entry are still among those that the precondition allows.
        at_heads.values_mut().for_each(|holds| *holds = cx.pool.and(within, *holds));
        let procedure = &recursion.procedures[procedure];
        invariants.insert(procedure.entry, entry);
        invariants.insert(procedure.exit, exit);
        invariants.extend(at_heads.into_iter().map(|(loc, holds)| (cfa.locs[loc].origin, holds)));
    }
    Proof { pool: cx.pool.clone(), argument: Argument::Inductive(invariants) }
}

/// Returns the heads of the cycle and of loops in a part.
fn heads<'p>(cfa: &'p Cfa, part: &'p Part) -> impl Iterator<Item = LocId> + 'p {
    part.moves.keys().copied().filter(|loc| *loc == cfa.head || cfa.locs[*loc].kind == LocKind::LoopHead)
}

fn states_at<S>(graph: &PartGraph<S>, loc: LocId) -> Vec<&S> {
    graph.nodes.iter().filter(|node| node.loc == loc).map(|node| &node.state).collect()
}

/// Returns an entry state over the values at entry alone: over the variables that keep them, or over the state itself.
fn at_entry(pool: &mut ExprPool, part: &Part, state: ExprId, kept: bool) -> ExprId {
    let pairs = part.state.iter().map(|(var, old)| if kept { (*var, *old) } else { (*old, *var) });
    let by = pairs.map(|(from, to)| (from, pool.var(to))).collect();
    pool.subst(state, &by)
}

/// Returns the inputs of a path by cycle.
pub(super) fn trace(cfa: &Cfa, path: &NestedPath, inputs: &[BTreeMap<VarId, Value>]) -> Trace {
    let mut start: BTreeMap<VarId, Value> = BTreeMap::new();
    let mut cycles: Vec<BTreeMap<VarId, Value>> = Vec::new();
    for ((block, target), values) in path.steps.iter().zip(inputs) {
        let havocked = cycles.last_mut().unwrap_or(&mut start);
        for input in &block.inputs {
            if let (Some(origin), Some(&value)) = (input.origin, values.get(&input.var)) {
                havocked.insert(origin, value);
            }
        }
        if *target == Some(cfa.head) {
            cycles.push(BTreeMap::new());
        }
    }
    match cycles.first_mut() {
        Some(first) => {
            for (var, value) in start {
                first.entry(var).or_insert(value);
            }
        }
        None => cycles.push(start),
    }
    Trace::of(cycles)
}
