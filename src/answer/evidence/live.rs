//! Which variables the future of a run depends on, read off the edges: states that agree on them can replace each other.
//!
//! Strong liveness: a variable is live before an assumption that reads it, and before an assignment that reads it to a
//! live variable. Two states at one location that agree on its live variables reach the error location by the same
//! continuations. Certification needs this where a proof speaks of paths without repetition.
//!
//! Source: Giegerich, Möncke, Wilhelm, "Invariance of approximate semantics with respect to program transformations",
//! GI 1981, doi:10.1007/978-3-662-01089-1_1 (faint variables).

use std::collections::BTreeSet;

use plc_frontend::ids::IndexVec;

use kernel::cfa::{Cfa, LocId, Op};
use kernel::expr::{ExprPool, VarId};

/// The live variables of a location.
///
/// Cost: each edge once per variable that becomes live behind it.
pub(super) fn live(pool: &ExprPool, cfa: &Cfa, at: LocId) -> BTreeSet<VarId> {
    let mut live: IndexVec<LocId, BTreeSet<VarId>> = IndexVec::new();
    for _ in cfa.locs.iter() {
        live.push(BTreeSet::new());
    }
    let mut incoming: IndexVec<LocId, Vec<usize>> = IndexVec::new();
    for _ in cfa.locs.iter() {
        incoming.push(Vec::new());
    }
    let edges: Vec<_> = cfa.edges.iter().collect();
    for (i, edge) in edges.iter().enumerate() {
        incoming[edge.target].push(i);
    }
    let mut open: BTreeSet<usize> = (0..edges.len()).collect();
    while let Some(i) = open.pop_first() {
        let edge = edges[i];
        let before = before(pool, &edge.op, &live[edge.target]);
        let known = live[edge.source].len();
        live[edge.source].extend(before);
        if known < live[edge.source].len() {
            open.extend(incoming[edge.source].iter().copied());
        }
    }
    live[at].clone()
}

fn before(pool: &ExprPool, op: &Op, after: &BTreeSet<VarId>) -> BTreeSet<VarId> {
    let mut before = after.clone();
    match op {
        Op::Skip => {}
        Op::Assume(e) => before.extend(pool.vars_of(&[*e])),
        Op::Assign(var, e) => {
            if before.remove(var) {
                before.extend(pool.vars_of(&[*e]));
            }
        }
        Op::Havoc(var) => {
            before.remove(var);
        }
        Op::Block(block) => {
            let mut read = vec![block.guard];
            for (var, e) in &block.updates {
                if before.remove(var) {
                    read.push(*e);
                }
            }
            before.extend(pool.vars_of(&read));
        }
    }
    before
}
