//! Rounds of inner loops as copies, so that each round has states of its own: a table that is read up to a variable bound.
//!
//! Source: Mauborgne, Rival, "Trace partitioning in abstract interpretation based static analyzers", ESOP 2005,
//! doi:10.1007/978-3-540-31987-0_2 (§4.2: partitions by the round of a loop).

use std::collections::{BTreeMap, BTreeSet};

use kernel::cfa::{Cfa, Edge, EdgeId, LocId, LocKind};
use plc_frontend::ids::IndexVec;

/// Most rounds of a loop that get copies.
const MOST_ROUNDS: usize = 600;
/// Most loops of an automaton whose rounds get copies.
const MOST_LOOPS: usize = 100;
/// Most edges of all copies.
const MOST_EDGES: usize = 40_000;

/// Returns the automaton with copies of the rounds of loops without loops inside; `None` if it has no such loop, or too many. The
/// last copy of a loop stays a loop. Copies have the origin of their location.
///
/// Cost:      the automaton once for each loop.
/// Soundness: the runs are those of the automaton.
pub(super) fn peeled(cfa: &Cfa) -> Option<Cfa> {
    let (successors, predecessors) = (cfa.successors(), cfa.predecessors());
    let heads: Vec<LocId> =
        cfa.locs.iter_enumerated().filter(|(_, loc)| loc.kind == LocKind::LoopHead).map(|(id, _)| id).collect();
    if MOST_LOOPS < heads.len() {
        return None;
    }
    let mut bodies: BTreeMap<LocId, BTreeSet<LocId>> = BTreeMap::new();
    for head in &heads {
        let body = body(cfa, *head, &successors, &predecessors);
        let is_innermost = heads.iter().all(|other| other == head || !body.contains(other));
        let enters =
            cfa.edges.iter().all(|edge| edge.target == *head || !body.contains(&edge.target) || body.contains(&edge.source));
        let is_loop = cfa.edges.iter().any(|edge| edge.target == *head && body.contains(&edge.source));
        if is_innermost && enters && is_loop {
            bodies.insert(*head, body);
        }
    }
    if bodies.is_empty() {
        return None;
    }
    let mut peeled = cfa.clone();
    let each = MOST_EDGES / bodies.len();
    for (head, body) in &bodies {
        copy_rounds(cfa, &mut peeled, *head, body, each);
    }
    Some(peeled)
}

/// Returns the locations of the loop with this head.
fn body(
    cfa: &Cfa,
    head: LocId,
    successors: &IndexVec<LocId, Vec<EdgeId>>,
    predecessors: &IndexVec<LocId, Vec<EdgeId>>,
) -> BTreeSet<LocId> {
    let closure = |next: &dyn Fn(LocId) -> Vec<LocId>| {
        let (mut seen, mut open) = (BTreeSet::from([head]), vec![head]);
        while let Some(loc) = open.pop() {
            open.extend(next(loc).into_iter().filter(|next| *next != cfa.head && seen.insert(*next)));
        }
        seen
    };
    let after = closure(&|loc| successors[loc].iter().map(|edge| cfa.edges[*edge].target).collect());
    let before = closure(&|loc| predecessors[loc].iter().map(|edge| cfa.edges[*edge].source).collect());
    after.intersection(&before).copied().collect()
}

/// Makes the locations of a loop those of its first round, and adds the other rounds.
fn copy_rounds(cfa: &Cfa, peeled: &mut Cfa, head: LocId, body: &BTreeSet<LocId>, most_edges: usize) {
    let own: Vec<&Edge> = cfa.edges.iter().filter(|edge| body.contains(&edge.source)).collect();
    let n_rounds = MOST_ROUNDS.min(most_edges / own.len().max(1));
    if n_rounds == 0 {
        return;
    }
    // The copies have the edges of the loop anew.
    let edges = std::mem::take(&mut peeled.edges);
    peeled.edges = edges.iter().filter(|edge| !body.contains(&edge.source)).cloned().collect();
    let mut round: BTreeMap<LocId, LocId> = body.iter().map(|loc| (*loc, *loc)).collect();
    for n in 0..=n_rounds {
        let is_last = n == n_rounds;
        let next: BTreeMap<LocId, LocId> = if is_last {
            round.clone()
        } else {
            body.iter().map(|loc| (*loc, peeled.locs.push(cfa.locs[*loc].clone()))).collect()
        };
        for edge in &own {
            let target = if edge.target == head { next.get(&head) } else { round.get(&edge.target) };
            let (Some(source), target) = (round.get(&edge.source), target.copied().unwrap_or(edge.target)) else { continue };
            peeled.edges.push(Edge { source: *source, target, ..(*edge).clone() });
        }
        round = next;
    }
}
