//! Adjustable-block encoding: marks further locations where large-block encoding ends a block.
//!
//! The end of a block depends on the location alone. So blocks are made once, before the analysis, by the same summarization as
//! large blocks ([`super::lbe`]).
//!
//! Source: papers/unifying-smt-verification (Beyer, Dangl, Wendler), §3.1.6: the block-adjustment operator `blk`.

use std::num::NonZeroU32;

use plc_frontend::ids::IndexVec;

use super::{Blk, Encoding};
use crate::cfa::automaton::{Cfa, LocId, LocKind};

/// Marks calls as ends of blocks if `encoding` has them. Otherwise their locations are like others, which reductions may merge.
pub(super) fn mark_calls(cfa: &mut Cfa, encoding: Encoding) {
    let kind = if encoding == Encoding::Abe(Blk::LoopsAndCalls) { LocKind::Cut } else { LocKind::Inner };
    for loc in cfa.locs.iter_mut().filter(|loc| loc.kind == LocKind::Call) {
        loc.kind = kind;
    }
}

/// Marks each location to which a path of `n` operations leads from the beginning of its block.
///
/// Paths that meet count as their longest, so no path through a block has more than `n` operations.
pub(super) fn mark_long(cfa: &mut Cfa, n: NonZeroU32) {
    let successors = cfa.successors();
    let mut length: IndexVec<LocId, u32> = cfa.locs.ids().map(|_| 0).collect();
    for loc in topological(cfa) {
        if n.get() <= length[loc] && cfa.locs[loc].kind == LocKind::Inner {
            cfa.locs[loc].kind = LocKind::Cut;
        }
        let here = match cfa.locs[loc].kind {
            LocKind::Head | LocKind::LoopHead | LocKind::Init | LocKind::Cut | LocKind::Error => 0,
            LocKind::CycleBegin | LocKind::CycleEnd | LocKind::Call | LocKind::Inner => length[loc],
        };
        for &edge in &successors[loc] {
            let target = cfa.edges[edge].target;
            length[target] = length[target].max(here.saturating_add(1));
        }
    }
}

/// Returns all locations, each after its predecessors, except where an edge closes a loop.
fn topological(cfa: &Cfa) -> Vec<LocId> {
    let successors = cfa.successors();
    let mut seen: IndexVec<LocId, bool> = cfa.locs.ids().map(|_| false).collect();
    let mut order = Vec::with_capacity(cfa.locs.len());
    for start in [cfa.init].into_iter().chain(cfa.locs.ids()) {
        if std::mem::replace(&mut seen[start], true) {
            continue;
        }
        let mut stack = vec![(start, 0)];
        let mut finished = Vec::new();
        while let Some((loc, i)) = stack.pop() {
            match successors[loc].get(i) {
                Some(&edge) => {
                    stack.push((loc, i + 1));
                    let target = cfa.edges[edge].target;
                    if !std::mem::replace(&mut seen[target], true) {
                        stack.push((target, 0));
                    }
                }
                None => finished.push(loc),
            }
        }
        finished.reverse();
        order.push(finished);
    }
    // Locations that only a later start reaches come before their successors.
    order.into_iter().rev().flatten().collect()
}
