//! Deciding variables of the head: those on which the future of a run depends, for proofs about paths without repetition.
//!
//! Computed variable by variable, backwards. A variable decides if a path without a write to it leads from the head to a read
//! that matters. Reads matter in guards, and in assignments to variables that decide there. States that agree on these variables
//! can replace each other.
//!
//! Source: Giegerich, Möncke, Wilhelm, "Invariance of approximate semantics with respect to program transformations",
//! GI 1981, doi:10.1007/978-3-662-01089-1_1 (faint variables).

use std::collections::BTreeSet;

use kernel::cfa::{Cfa, LocId, Op};
use kernel::expr::{ExprId, ExprPool, VarId};

/// Reads and writes of an edge.
struct Effect {
    source: LocId,
    target: LocId,
    /// Variables that its guard reads.
    guards: BTreeSet<VarId>,
    /// Written variables, with those that are read for them.
    writes: Vec<(VarId, BTreeSet<VarId>)>,
}

/// Returns the deciding variables of the head.
///
/// Cost: each edge once for each deciding variable behind it.
pub(super) fn deciding(pool: &ExprPool, cfa: &Cfa) -> BTreeSet<VarId> {
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
    matters.into_iter().filter(|(loc, _)| *loc == cfa.head).map(|(_, var)| var).collect()
}
