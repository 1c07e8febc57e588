//! Loops without places are passed within a step: which locations are their heads, what they write, and what is refused.

use super::*;
use kernel::cfa::LocKind;
use kernel::expr::{ExprId, Value};
use testgen::automata::examples::Builder;

/// Automaton with loops inside of the cycle: `head → outer → inner → outer → end → head`, each loop writes a variable of its own.
struct Nested {
    b: Builder,
    outer: LocId,
    inner: LocId,
    /// Location after the inner loop, inside of the outer one.
    behind: LocId,
    vars: [VarId; 2],
}

fn nested() -> Nested {
    let mut b = Builder::new();
    let vars = ["i", "j"].map(|name| b.var(name, Value::int(8, 0)));
    let (outer, inner) = (b.loc(LocKind::LoopHead), b.loc(LocKind::LoopHead));
    let (low, more): (Vec<ExprId>, Vec<ExprId>) = vars.iter().map(|var| (b.less(*var, 3), b.plus(*var, 1))).unzip();
    let over: Vec<ExprId> = low.iter().map(|low| b.pool.not(*low)).collect();
    b.edge(b.cfa.head, outer, Op::Skip);
    b.edge(outer, inner, Op::Assume(low[0]));
    let body = b.then(inner, Op::Assume(low[1]));
    b.edge(body, inner, Op::Assign(vars[1], more[1]));
    let behind = b.then(inner, Op::Assume(over[1]));
    b.edge(behind, outer, Op::Assign(vars[0], more[0]));
    let end = b.then(outer, Op::Assume(over[0]));
    let bad = b.is(vars[0], 9);
    b.close(end, bad);
    Nested { b, outer, inner, behind, vars }
}

fn cut(cfa: &Cfa, places: &[LocId]) -> Option<Cut> {
    Cut::new(cfa, &cfa.successors(), &places.iter().copied().collect())
}

#[test]
fn inner_loops_are_passed_inside_of_outer_ones() {
    let Nested { b, outer, inner, vars: [i, j], .. } = nested();
    let all = cut(&b.cfa, &[b.cfa.head]).unwrap();
    assert_eq!(all.written(outer), Some(&BTreeSet::from([i, j])));
    assert_eq!(all.written(inner), Some(&BTreeSet::from([j])));
    // The edge into the inner loop is no edge back.
    let back: Vec<(LocId, LocId)> = all.back.iter().map(|edge| (b.cfa.edges[*edge].source, b.cfa.edges[*edge].target)).collect();
    assert_eq!(back.len(), 2);
    assert!(!back.contains(&(outer, inner)));
    let at = |loc| all.between().iter().position(|l| *l == loc).unwrap();
    assert!(at(outer) < at(inner));
}

#[test]
fn loops_with_a_place_are_cut_there() {
    let Nested { b, outer, inner, behind, vars: [i, j] } = nested();
    let head = b.cfa.head;
    let inner_only = cut(&b.cfa, &[head, inner]).unwrap();
    // Every way round the outer loop goes through the place.
    assert_eq!((inner_only.written(outer), inner_only.written(inner)), (None, None));
    let outer_only = cut(&b.cfa, &[head, outer]).unwrap();
    assert_eq!((outer_only.written(outer), outer_only.written(inner)), (None, Some(&BTreeSet::from([j]))));
    let both = cut(&b.cfa, &[head, outer, inner]).unwrap();
    assert!(both.written.is_empty() && both.back.is_empty());
    // A way round the outer loop that avoids the place behind the inner one does not exist either.
    let middle = cut(&b.cfa, &[head, behind]).unwrap();
    assert_eq!(middle.written(outer), None);
    assert_eq!(middle.written(inner), Some(&BTreeSet::from([j])));
    assert!(!middle.written.values().flatten().any(|var| *var == i));
}

#[test]
fn a_loop_with_two_entries_is_refused() {
    let Nested { mut b, inner, behind, outer, .. } = nested();
    b.edge(b.cfa.head, behind, Op::Skip);
    assert!(cut(&b.cfa, &[b.cfa.head]).is_none());
    // Its places are enough to cut it.
    assert!(cut(&b.cfa, &[b.cfa.head, outer]).is_some());
    b.edge(behind, inner, Op::Skip);
    assert!(cut(&b.cfa, &[b.cfa.head, outer]).is_none());
    assert!(cut(&b.cfa, &[b.cfa.head, outer, inner]).is_some());
}

#[test]
fn edges_from_the_error_location_are_refused() {
    let Nested { mut b, outer, .. } = nested();
    b.edge(b.cfa.error, outer, Op::Skip);
    assert!(cut(&b.cfa, &[b.cfa.head, outer]).is_none());
}
