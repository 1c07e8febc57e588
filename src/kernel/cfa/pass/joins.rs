//! Joins behind conditional calls, as further cut points.
//!
//! Each block ends at a marked call. Where calls are conditional, a block leads from each call to each later one: n calls give n²/2
//! blocks. A cut point where the ways meet again keeps their number linear.

use std::collections::BTreeSet;

use plc_frontend::ids::IndexVec;

use crate::cfa::automaton::{Cfa, EdgeId, LocId, LocKind};

/// Most cut points that are counted on each side of a location.
const MOST: usize = 8;

/// Blocks that a location may cost more than it would as a cut point.
const SPARE: usize = 4;

/// Adds locations to the cut points of an automaton with marked calls, if otherwise too many blocks lead past them.
///
/// Shape: the more cut points, the smaller are the blocks; each loop has a cut point already.
/// Cost:  linear in the edges.
pub(super) fn add(cfa: &Cfa, cuts: &mut IndexVec<LocId, bool>) {
    if cfa.locs.iter().all(|loc| loc.kind != LocKind::Cut) {
        return;
    }
    let (successors, predecessors) = (cfa.successors(), cfa.predecessors());
    let order = postorder(cfa, cuts, &successors);
    let mut after: IndexVec<LocId, BTreeSet<LocId>> = cfa.locs.iter().map(|_| BTreeSet::new()).collect();
    for loc in order.iter().copied() {
        let next = successors[loc].iter().map(|edge| cfa.edges[*edge].target);
        after[loc] = nearest(next, cuts, &after);
    }
    let mut before: IndexVec<LocId, BTreeSet<LocId>> = cfa.locs.iter().map(|_| BTreeSet::new()).collect();
    for loc in order.into_iter().rev() {
        let last = predecessors[loc].iter().map(|edge| cfa.edges[*edge].source);
        before[loc] = nearest(last, cuts, &before);
        let (n_before, n_after) = (before[loc].len(), after[loc].len());
        cuts[loc] = n_before + n_after + SPARE < n_before * n_after;
    }
}

/// Returns the cut points among neighbours, and those beyond the others; some of them, if there are many.
fn nearest(
    neighbours: impl Iterator<Item = LocId>,
    cuts: &IndexVec<LocId, bool>,
    beyond: &IndexVec<LocId, BTreeSet<LocId>>,
) -> BTreeSet<LocId> {
    let mut found = BTreeSet::new();
    for loc in neighbours {
        if cuts[loc] {
            found.insert(loc);
        } else {
            found.extend(&beyond[loc]);
        }
        if MOST <= found.len() {
            break;
        }
    }
    found.into_iter().take(MOST).collect()
}

/// Returns the locations that are no cut points, each behind those that follow it.
fn postorder(cfa: &Cfa, cuts: &IndexVec<LocId, bool>, successors: &IndexVec<LocId, Vec<EdgeId>>) -> Vec<LocId> {
    let mut seen = cuts.clone();
    let mut order = Vec::new();
    for start in cfa.locs.ids() {
        if std::mem::replace(&mut seen[start], true) {
            continue;
        }
        let mut stack = vec![(start, 0)];
        while let Some((loc, at)) = stack.pop() {
            let Some(edge) = successors[loc].get(at) else {
                order.push(loc);
                continue;
            };
            stack.push((loc, at + 1));
            let target = cfa.edges[*edge].target;
            if !std::mem::replace(&mut seen[target], true) {
                stack.push((target, 0));
            }
        }
    }
    order
}
