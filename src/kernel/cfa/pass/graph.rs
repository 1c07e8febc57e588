//! Operations on the graph that several passes share: keeping some edges, contracting, comparing conditions of branches.

use std::collections::BTreeMap;

use plc_frontend::ids::{Id, IndexVec};

use crate::cfa::automaton::{Cfa, Edge, Loc, LocId, LocKind, Op};
use crate::expr::{Expr, ExprId, ExprPool, Value};

/// Parts of a condition; a longer one is not divided further.
pub(super) const MOST_CONJUNCTS: usize = 32;

/// Returns the CFA with these edges and the locations they touch; init, head and error stay. Locations are numbered anew.
pub(super) fn with_edges(cfa: &Cfa, edges: Vec<Edge>) -> Cfa {
    let mut keep: IndexVec<LocId, bool> = cfa.locs.iter().map(|_| false).collect();
    for loc in [cfa.init, cfa.head, cfa.error] {
        keep[loc] = true;
    }
    for edge in &edges {
        keep[edge.source] = true;
        keep[edge.target] = true;
    }
    let mut locs: IndexVec<LocId, Loc> = IndexVec::new();
    let mut renamed: IndexVec<LocId, LocId> = cfa.locs.iter().map(|_| LocId::new(0)).collect();
    for (id, loc) in cfa.locs.iter_enumerated().filter(|(id, _)| keep[*id]) {
        renamed[id] = locs.push(loc.clone());
    }
    Cfa {
        locs,
        edges: edges.into_iter().map(|e| Edge { source: renamed[e.source], target: renamed[e.target], ..e }).collect(),
        init: renamed[cfa.init],
        head: renamed[cfa.head],
        error: renamed[cfa.error],
        vars: cfa.vars.clone(),
        initial: cfa.initial.clone(),
        calls: cfa.calls.clone(),
    }
}

/// Returns the CFA without skips where possible. An inner location that only a skip leaves is merged with its target. One that
/// only a skip enters, from a location with no other way on, is merged with its source. Runs between the other locations are the
/// same.
pub(super) fn contracted(cfa: &Cfa) -> Cfa {
    let forward = contract(cfa, Side::Leaves);
    contract(&forward, Side::Enters)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    Leaves,
    Enters,
}

fn contract(cfa: &Cfa, side: Side) -> Cfa {
    let (successors, predecessors) = (cfa.successors(), cfa.predecessors());
    let mut same: IndexVec<LocId, LocId> = cfa.locs.ids().collect();
    let mut gone: Vec<bool> = vec![false; cfa.edges.len()];
    for (loc, info) in cfa.locs.iter_enumerated() {
        if info.kind != LocKind::Inner || loc == cfa.head || loc == cfa.init || loc == cfa.error {
            continue;
        }
        let only = match side {
            Side::Leaves => match successors[loc].as_slice() {
                [edge] => Some((*edge, cfa.edges[*edge].target)),
                _ => None,
            },
            Side::Enters => match predecessors[loc].as_slice() {
                [edge] if successors[cfa.edges[*edge].source].len() == 1 => Some((*edge, cfa.edges[*edge].source)),
                _ => None,
            },
        };
        // Comparing roots keeps the last location of a ring of skips.
        if let Some((edge, other)) = only
            && cfa.edges[edge].op == Op::Skip
            && root(&mut same, other) != loc
        {
            let other = root(&mut same, other);
            same[loc] = other;
            gone[edge.index()] = true;
        }
    }
    let kept = cfa.edges.iter_enumerated().filter(|(id, _)| !gone[id.index()]);
    let edges =
        kept.map(|(_, e)| Edge { source: root(&mut same, e.source), target: root(&mut same, e.target), ..e.clone() }).collect();
    with_edges(cfa, edges)
}

/// Returns the representative of `loc`, with path compression.
fn root(same: &mut IndexVec<LocId, LocId>, loc: LocId) -> LocId {
    let mut top = loc;
    while same[top] != top {
        top = same[top];
    }
    let mut at = loc;
    while same[at] != top {
        at = std::mem::replace(&mut same[at], top);
    }
    top
}

/// Returns whether two conditions are each other's negation.
pub(super) fn complementary(pool: &mut ExprPool, a: ExprId, b: ExprId) -> bool {
    pool.not(a) == b || pool.not(b) == a
}

/// Returns whether at most one of these conditions can hold, by their form.
///
/// They are complements; or all of them fix the same expressions to different constants, as case splits do; or each pair has such
/// a difference (checked only for few).
pub(super) fn exclusive(pool: &mut ExprPool, conditions: &[ExprId]) -> bool {
    const FEW: usize = 24;
    if let [a, b] = conditions
        && complementary(pool, *a, *b)
    {
        return true;
    }
    let fixed: Vec<BTreeMap<ExprId, Value>> = conditions.iter().map(|c| fixed_by(pool, *c)).collect();
    let keys: Vec<ExprId> = fixed.first().map_or(Vec::new(), |f| f.keys().copied().collect());
    let mut rows: Vec<Vec<Value>> = Vec::with_capacity(fixed.len());
    for row in &fixed {
        rows.push(keys.iter().filter_map(|k| row.get(k).copied()).collect());
    }
    let complete = !keys.is_empty() && rows.iter().all(|row| row.len() == keys.len());
    rows.sort_unstable();
    if complete && rows.windows(2).all(|pair| pair[0] != pair[1]) {
        return true;
    }
    if FEW < conditions.len() {
        return false;
    }
    let parts: Vec<Vec<ExprId>> = conditions.iter().map(|c| pool.conjuncts_up_to(*c, MOST_CONJUNCTS)).collect();
    for i in 0..conditions.len() {
        for j in 0..i {
            let differ = fixed[i].iter().any(|(e, value)| fixed[j].get(e).is_some_and(|other| other != value));
            let negated = parts[i].iter().any(|a| parts[j].iter().any(|b| complementary(pool, *a, *b)));
            if !differ && !negated {
                return false;
            }
        }
    }
    true
}

/// Returns expressions that a condition fixes to constants.
fn fixed_by(pool: &ExprPool, condition: ExprId) -> BTreeMap<ExprId, Value> {
    let mut fixed = BTreeMap::new();
    for part in pool.conjuncts_up_to(condition, MOST_CONJUNCTS) {
        if let Expr::Eq(a, b) = pool.expr(part) {
            if let Some(value) = pool.as_const(b) {
                fixed.insert(a, value);
            } else if let Some(value) = pool.as_const(a) {
                fixed.insert(b, value);
            }
        }
    }
    fixed
}
