//! Dead edges: infeasible by a constant, unreachable from the start, or not on a way to the error location.
//!
//! Assignments without later reads are not removed here: at the head their variables would have other values than in the
//! unreduced CFA. An invariant about them could not be lifted. [`super::cone`] removes whole variables, and [`super::lbe`]
//! cycle-local ones.

use plc_frontend::ids::IndexVec;

use super::Lift;
use super::graph::with_edges;
use crate::cfa::automaton::{Cfa, Edge, LocId, Op};
use crate::expr::ExprPool;

pub(super) fn run(pool: &mut ExprPool, cfa: &Cfa, _: &mut Lift) -> Cfa {
    let feasible: Vec<&Edge> =
        cfa.edges.iter().filter(|e| e.source != cfa.error && !matches!(&e.op, Op::Assume(c) if pool.is_false(*c))).collect();
    let reached = closure(cfa, cfa.init, feasible.iter().map(|e| (e.source, e.target)));
    let needed = closure(cfa, cfa.error, feasible.iter().map(|e| (e.target, e.source)));
    let kept = feasible.into_iter().filter(|e| reached[e.source] && needed[e.target]).cloned();
    let yes = |e: Edge| match e.op {
        Op::Assume(c) if pool.is_true(c) => Edge { op: Op::Skip, ..e },
        Op::Skip | Op::Assume(_) | Op::Assign(..) | Op::Havoc(_) | Op::Block(_) => e,
    };
    with_edges(cfa, kept.map(yes).collect())
}

fn closure(cfa: &Cfa, from: LocId, steps: impl Iterator<Item = (LocId, LocId)>) -> IndexVec<LocId, bool> {
    let mut next: IndexVec<LocId, Vec<LocId>> = cfa.locs.iter().map(|_| Vec::new()).collect();
    for (source, target) in steps {
        next[source].push(target);
    }
    let mut seen: IndexVec<LocId, bool> = cfa.locs.iter().map(|_| false).collect();
    let mut todo = vec![from];
    while let Some(loc) = todo.pop() {
        if !std::mem::replace(&mut seen[loc], true) {
            todo.extend(&next[loc]);
        }
    }
    seen
}
