//! Places of a proof inside of the cycle: what holds there lets a long cycle be checked piece by piece.

use kernel::cfa::{Cfa, LocId, LocKind};

use super::fixpoint::Order;

/// Fewest locations between two places.
const LEAST: usize = 10;
/// Most places.
const MOST: usize = 40;

/// Returns locations that all runs of a cycle pass, at some distance from each other.
///
/// Cost: linear in the automaton.
pub(super) fn places(cfa: &Cfa, order: &Order) -> Vec<LocId> {
    let n = order.forward.len();
    // Number of edges over each position: +1 where one begins, -1 where it ends.
    let mut over = vec![0_i64; n + 2];
    for edge in cfa.edges.iter() {
        let (from, to) = (order.position[edge.source], order.position[edge.target]);
        if n <= from || edge.target == cfa.error || edge.target == cfa.head {
            continue;
        }
        let (from, to) = (from.min(to), from.max(to));
        if let Some(begin) = over.get_mut(from + 1) {
            *begin += 1;
        }
        if let Some(end) = over.get_mut(to) {
            *end -= 1;
        }
    }
    let distance = LEAST.max(n / MOST);
    let (mut open, mut last, mut found) = (0, 0, Vec::new());
    for (at, loc) in order.forward.iter().enumerate() {
        open += over.get(at).copied().unwrap_or_default();
        let is_inner = matches!(cfa.locs[*loc].kind, LocKind::Inner | LocKind::Call | LocKind::CycleBegin | LocKind::CycleEnd);
        let is_passed = open == 0 && is_inner && *loc != cfa.head && *loc != cfa.init && *loc != cfa.error;
        if is_passed && last + distance <= at {
            last = at;
            found.push(*loc);
        }
    }
    found
}
