//! Places of a proof inside of the cycle: what holds there lets a long cycle be checked piece by piece.

use kernel::cfa::{Cfa, LocId, LocKind, Op};
use kernel::expr::{BvBin, Expr, ExprPool};
use plc_frontend::ids::IndexVec;

use super::fixpoint::Order;

/// Least weight of the operations between two places.
const LEAST: usize = 10;
/// Most places.
const MOST: usize = 100;
/// Weight of an operation with sums or products of variables. One of other operations is 1.
const ARITHMETIC: usize = 5;
/// Nodes of an operation that are looked at.
const LOOK: usize = 60;

/// Returns locations that all runs of a cycle pass, at some distance from each other.
///
/// Cost: linear in the automaton.
pub(super) fn places(pool: &ExprPool, cfa: &Cfa, order: &Order) -> Vec<LocId> {
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
    let mut weights: IndexVec<LocId, usize> = cfa.locs.ids().map(|_| 1).collect();
    for edge in cfa.edges.iter().filter(|edge| is_arithmetic(pool, &edge.op)) {
        weights[edge.source] = ARITHMETIC;
    }
    let whole: usize = order.forward.iter().map(|loc| weights[*loc]).sum();
    let distance = LEAST.max(whole / MOST);
    let (mut open, mut weight, mut found) = (0, 0, Vec::new());
    for (at, loc) in order.forward.iter().enumerate() {
        open += over.get(at).copied().unwrap_or_default();
        let is_inner = matches!(cfa.locs[*loc].kind, LocKind::Inner | LocKind::Call | LocKind::CycleBegin | LocKind::CycleEnd);
        let is_passed = open == 0 && is_inner && *loc != cfa.head && *loc != cfa.init && *loc != cfa.error;
        if is_passed && distance <= weight {
            weight = 0;
            found.push(*loc);
        }
        weight += weights[*loc];
    }
    found
}

/// Returns whether an operation adds, subtracts, multiplies or divides variables.
fn is_arithmetic(pool: &ExprPool, op: &Op) -> bool {
    let Op::Assign(_, e) = op else { return false };
    let (mut n_seen, mut found) = (0, false);
    pool.visit(&[*e], |e| {
        n_seen += 1;
        if let Expr::BvBin(op, a, b) = pool.expr(e) {
            let is_bitwise = matches!(op, BvBin::And | BvBin::Or | BvBin::Xor);
            found |= !is_bitwise && pool.as_const(a).is_none() && pool.as_const(b).is_none();
        }
        n_seen < LOOK && !found
    });
    found
}
