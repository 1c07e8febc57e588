//! Deciding variables of places, for proofs about paths without repetition: the future of a run depends on these variables.
//!
//! They are computed variable by variable, backwards. A variable is deciding at a location if some path from there reaches a
//! relevant read of it without a write to it before. A read is relevant in a guard, and in an assignment to a variable that is
//! deciding after the assignment. States that agree on the deciding variables can replace each other.
//!
//! Source: Giegerich, Möncke, Wilhelm, "Invariance of approximate semantics with respect to program transformations",
//! GI 1981, doi:10.1007/978-3-662-01089-1_1 (faint variables).

use std::collections::{BTreeMap, BTreeSet};

use kernel::cfa::{Cfa, LocId, Op};
use kernel::expr::{ExprId, ExprPool, VarId};

/// Reads and writes of an edge.
struct Effect {
    source: LocId,
    target: LocId,
    /// Variables that its guard reads.
    guards: BTreeSet<VarId>,
    /// Written variables, each with the variables that its new value reads.
    writes: Vec<(VarId, BTreeSet<VarId>)>,
}

/// Returns the deciding variables of each location that has some.
///
/// Cost: each edge is visited once for each deciding variable of its target.
pub(super) fn deciding(pool: &ExprPool, cfa: &Cfa) -> BTreeMap<LocId, BTreeSet<VarId>> {
    let reads = |e: ExprId| pool.vars_of(&[e]);
    let effects: Vec<Effect> = cfa
        .edges
        .iter()
        .map(|edge| {
            let (guards, writes) = match &edge.op {
                Op::Skip => (BTreeSet::new(), Vec::new()),
                Op::Assume(e) => (reads(*e), Vec::new()),
                Op::Assign(var, e) => (BTreeSet::new(), vec![(*var, reads(*e))]),
                Op::Havoc(var) => (BTreeSet::new(), vec![(*var, BTreeSet::new())]),
                Op::Block(block) => (reads(block.guard), block.updates.iter().map(|(var, e)| (*var, reads(*e))).collect()),
            };
            Effect { source: edge.source, target: edge.target, guards, writes }
        })
        .collect();
    let into = cfa.predecessors();
    let mut matters: BTreeSet<(LocId, VarId)> = BTreeSet::new();
    let mut news: Vec<(LocId, VarId)> = Vec::new();
    for effect in &effects {
        news.extend(effect.guards.iter().map(|var| (effect.source, *var)));
    }
    while let Some((loc, var)) = news.pop() {
        if !matters.insert((loc, var)) {
            continue;
        }
        for edge in &into[loc] {
            let effect = &effects[edge.0 as usize];
            debug_assert_eq!(effect.target, loc);
            match effect.writes.iter().find(|(written, _)| *written == var) {
                Some((_, read)) => news.extend(read.iter().map(|var| (effect.source, *var))),
                None => news.push((effect.source, var)),
            }
        }
    }
    let mut by_location: BTreeMap<LocId, BTreeSet<VarId>> = BTreeMap::new();
    for (loc, var) in matters {
        by_location.entry(loc).or_default().insert(var);
    }
    by_location
}
