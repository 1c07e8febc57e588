//! Operations on the graph that several passes share: keeping some edges, contracting.

use plc_frontend::ids::{Id, IndexVec};

use crate::cfa::automaton::{Cfa, Edge, Loc, LocId, LocKind, Op};

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
        recursion: cfa.recursion.clone(),
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
