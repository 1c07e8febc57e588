//! Loops within loops: an order of locations in which a block can be composed even if it passes loops several times.
//!
//! A loop is a strongly connected component with one of its cut points as head. Without the edges into the head, the component
//! falls into smaller ones; those are the loops within it. So automata that no structured program has are covered, too.

use plc_frontend::ids::IndexVec;

use crate::cfa::automaton::{Cfa, LocId};

/// The loops around each location, outermost first.
#[derive(Clone, Debug)]
pub struct LoopNest {
    around: IndexVec<LocId, Vec<LoopPart>>,
    /// Place of each location among the parts of its innermost loop.
    place: IndexVec<LocId, u32>,
}

/// A loop, as part of the loop around it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct LoopPart {
    head: LocId,
    /// Place among the parts of the loop around it, in topological order.
    place: u32,
}

/// Position of a path that may pass loops several times: places and rounds, from the outermost loop inwards.
///
/// **Invariant:** each edge leads to a greater position.
pub type Position = Vec<u32>;

impl LoopNest {
    /// Finds the loops. Every loop contains one of `cuts`; if several are possible heads, the one nearest to the start is.
    ///
    /// Cost: linear in the edges, times the depth of the nest.
    pub fn new(cfa: &Cfa, cuts: &IndexVec<LocId, bool>) -> LoopNest {
        let successors: IndexVec<LocId, Vec<LocId>> =
            cfa.successors().iter().map(|edges| edges.iter().map(|edge| cfa.edges[*edge].target).collect()).collect();
        let rank = ranks(cfa.init, &successors);
        let mut nest =
            LoopNest { around: cfa.locs.ids().map(|_| Vec::new()).collect(), place: cfa.locs.ids().map(|_| 0).collect() };
        // Parts to divide, with the head that no edge enters any more.
        let mut todo: Vec<(Vec<LocId>, Option<LocId>)> = vec![(cfa.locs.ids().collect(), None)];
        let mut part_of: IndexVec<LocId, u32> = cfa.locs.ids().map(|_| 0).collect();
        let mut n_parts = 0;
        while let Some((locs, head)) = todo.pop() {
            n_parts += 1;
            locs.iter().for_each(|loc| part_of[*loc] = n_parts);
            let inside = |source: LocId| {
                let part_of = &part_of;
                successors[source].iter().copied().filter(move |to| part_of[*to] == n_parts && Some(*to) != head)
            };
            let components = components(&locs, &inside);
            let loops: Vec<(u32, Vec<LocId>)> = (0..).zip(components).collect();
            for (place, component) in loops {
                let is_loop = 1 < component.len() || inside(component[0]).any(|to| to == component[0]);
                if !is_loop {
                    nest.place[component[0]] = place;
                    continue;
                }
                let candidates = component.iter().copied().filter(|loc| cuts[*loc]);
                let head = candidates.min_by_key(|loc| rank[*loc]).unwrap_or(component[0]);
                component.iter().for_each(|loc| nest.around[*loc].push(LoopPart { head, place }));
                todo.push((component, Some(head)));
            }
        }
        nest
    }
    /// Returns the rounds before any loop was passed, at `loc`.
    pub fn start(&self, loc: LocId) -> Vec<u32> {
        vec![0; self.around[loc].len()]
    }
    /// Returns the rounds after an edge from `source` to `target`: passing a head begins a round of its loop, and entering a loop
    /// from outside forgets its rounds before.
    pub fn follow(&self, source: LocId, rounds: &[u32], target: LocId) -> Vec<u32> {
        let (from, to) = (&self.around[source], &self.around[target]);
        let n_shared = from.iter().zip(to).take_while(|(a, b)| a == b).count();
        let mut after: Vec<u32> = rounds[..n_shared].to_vec();
        after.resize(to.len(), 0);
        if self.is_head(target)
            && let Some(round) = after.last_mut()
        {
            *round += 1;
        }
        after
    }
    /// Returns whether a location is the head of a loop.
    pub fn is_head(&self, loc: LocId) -> bool {
        self.around[loc].last().is_some_and(|inner| inner.head == loc)
    }
    /// Returns the position of a path at `loc`.
    pub fn position(&self, loc: LocId, rounds: &[u32]) -> Position {
        let mut position = Vec::with_capacity(2 * rounds.len() + 1);
        for (part, round) in self.around[loc].iter().zip(rounds) {
            position.extend([part.place, *round]);
        }
        position.push(self.place[loc]);
        position
    }
}

/// Returns the position of each location in a depth-first reverse post-order; others come last.
fn ranks(init: LocId, successors: &IndexVec<LocId, Vec<LocId>>) -> IndexVec<LocId, usize> {
    let mut rank: IndexVec<LocId, usize> = successors.iter().map(|_| usize::MAX).collect();
    let mut seen: IndexVec<LocId, bool> = successors.iter().map(|_| false).collect();
    seen[init] = true;
    let (mut stack, mut finished) = (vec![(init, 0)], Vec::new());
    while let Some((loc, i)) = stack.pop() {
        match successors[loc].get(i) {
            Some(&target) => {
                stack.push((loc, i + 1));
                if !std::mem::replace(&mut seen[target], true) {
                    stack.push((target, 0));
                }
            }
            None => finished.push(loc),
        }
    }
    for (i, loc) in finished.into_iter().rev().enumerate() {
        rank[loc] = i;
    }
    rank
}

/// Returns the strongly connected components of a part of a graph, each before those that edges lead to from it.
///
/// Source: Tarjan, "Depth-first search and linear graph algorithms", SIAM J. Comput. 1972, without recursion.
fn components<I: Iterator<Item = LocId>>(locs: &[LocId], successors: &impl Fn(LocId) -> I) -> Vec<Vec<LocId>> {
    #[derive(Clone, Copy)]
    struct Visit {
        number: usize,
        low: usize,
        is_open: bool,
    }
    let mut visits: std::collections::BTreeMap<LocId, Visit> = std::collections::BTreeMap::new();
    let (mut open, mut found) = (Vec::new(), Vec::new());
    for &start in locs {
        if visits.contains_key(&start) {
            continue;
        }
        let mut stack: Vec<(LocId, Vec<LocId>)> = Vec::new();
        let mut enter = Some(start);
        loop {
            if let Some(loc) = enter.take() {
                let number = visits.len();
                visits.insert(loc, Visit { number, low: number, is_open: true });
                open.push(loc);
                stack.push((loc, successors(loc).collect()));
            }
            let Some((loc, left)) = stack.last_mut() else { break };
            let loc = *loc;
            if let Some(target) = left.pop() {
                match visits.get(&target).copied() {
                    None => enter = Some(target),
                    Some(visit) if visit.is_open => lower(&mut visits, loc, visit.number),
                    Some(_) => {}
                }
                continue;
            }
            stack.pop();
            let Some(visit) = visits.get(&loc).copied() else { continue };
            if let Some((parent, _)) = stack.last() {
                lower(&mut visits, *parent, visit.low);
            }
            if visit.low == visit.number {
                let at = open.iter().rposition(|other| *other == loc).unwrap_or_default();
                let component: Vec<LocId> = open.split_off(at);
                for loc in &component {
                    if let Some(visit) = visits.get_mut(loc) {
                        visit.is_open = false;
                    }
                }
                found.push(component);
            }
        }
    }
    found.reverse();
    return found;

    fn lower(visits: &mut std::collections::BTreeMap<LocId, Visit>, loc: LocId, to: usize) {
        if let Some(visit) = visits.get_mut(&loc) {
            visit.low = visit.low.min(to);
        }
    }
}
