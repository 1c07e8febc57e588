//! Cuts the graph of an automaton into steps without loops.
//!
//! Places cut loops. A loop without a place is passed within one step: at its head, the variables that the loop writes get any
//! value, and edges from the loop back to its head are left out.
//!
//! Soundness: between two places a run may go round such a loop several times. The loop is entered at its head only. Between the
//! first and the last visit of the head, all edges belong to the loop, so no other variable changes. Hence the step from the first
//! visit, with the values of the last one, goes on as the run does. Loops inside of the loop follow by induction, in the graph
//! without the edges back to the head. So the steps include those of all runs.
//!
//! Source: Bourdoncle, "Efficient chaotic iteration strategies with widenings", FMPA 1993, doi:10.1007/BFb0039704 (§3: weak
//! topological order, nested components and their heads).

use std::collections::{BTreeMap, BTreeSet};

use plc_frontend::ids::IndexVec;

use kernel::cfa::{Cfa, EdgeId, LocId, Op};
use kernel::expr::VarId;

/// Graph between places, without loops.
#[derive(Clone, Debug)]
pub(super) struct Cut {
    /// Locations between places, sources before targets.
    between: Vec<LocId>,
    /// Variables that a loop without a place writes, by the head of the loop.
    written: BTreeMap<LocId, BTreeSet<VarId>>,
    /// Edges from such loops back to their heads.
    back: BTreeSet<EdgeId>,
}

impl Cut {
    /// Cuts the graph at these places. `None`: a loop is entered at several locations, or an edge leads to the start of runs or
    /// away from the error location.
    ///
    /// Cost: linear in the automaton, for each level of nested loops.
    pub(super) fn new(cfa: &Cfa, successors: &IndexVec<LocId, Vec<EdgeId>>, places: &BTreeSet<LocId>) -> Option<Cut> {
        let starts_fit = cfa.edges.iter().all(|edge| edge.target != cfa.init && edge.source != cfa.error);
        if !starts_fit || places.contains(&cfa.error) {
            return None;
        }
        let mut graph = Graph { cfa, successors, ends: places.clone(), back: BTreeSet::new() };
        graph.ends.insert(cfa.error);
        let reached = graph.reached(places);
        let mut cut = Cut { between: Vec::new(), written: BTreeMap::new(), back: BTreeSet::new() };
        let mut todo = vec![reached.clone()];
        while let Some(nodes) = todo.pop() {
            let mut loops = graph.components(&nodes);
            loops.retain(|component| graph.is_loop(component));
            for mut component in loops {
                let head = graph.only_entry(&reached, &component)?;
                let within = graph.within(&component);
                let ops = within.iter().map(|edge| &cfa.edges[*edge].op);
                cut.written.insert(head, ops.flat_map(written).collect());
                graph.back.extend(within.into_iter().filter(|edge| cfa.edges[*edge].target == head));
                component.remove(&head);
                todo.push(component);
            }
        }
        // Targets come first in the order of completion.
        cut.between = graph.components(&reached).into_iter().flatten().collect();
        cut.between.reverse();
        cut.back = graph.back;
        Some(cut)
    }
    /// Returns the locations between places, sources before targets.
    pub(super) fn between(&self) -> &[LocId] {
        &self.between
    }
    /// Returns the variables that the loop with this head writes; `None` if no loop without a place has it.
    pub(super) fn written(&self, head: LocId) -> Option<&BTreeSet<VarId>> {
        self.written.get(&head)
    }
    /// Returns whether an edge leads back to the head of a loop without a place.
    pub(super) fn is_back(&self, edge: EdgeId) -> bool {
        self.back.contains(&edge)
    }
}

/// Returns the variables of the state that an operation writes.
fn written(op: &Op) -> Vec<VarId> {
    match op {
        Op::Skip | Op::Assume(_) => Vec::new(),
        Op::Assign(var, _) | Op::Havoc(var) => vec![*var],
        Op::Block(block) => block.updates.iter().map(|(var, _)| *var).collect(),
    }
}

/// The graph without the edges back to heads that are known.
struct Graph<'a> {
    cfa: &'a Cfa,
    successors: &'a IndexVec<LocId, Vec<EdgeId>>,
    /// Places and the error location.
    ends: BTreeSet<LocId>,
    back: BTreeSet<EdgeId>,
}

impl Graph<'_> {
    fn targets(&self, loc: LocId) -> impl Iterator<Item = (EdgeId, LocId)> {
        let edges = self.successors[loc].iter().filter(|edge| !self.back.contains(edge));
        edges.map(|edge| (*edge, self.cfa.edges[*edge].target))
    }
    /// Returns the locations that steps from these places pass.
    fn reached(&self, places: &BTreeSet<LocId>) -> BTreeSet<LocId> {
        let mut reached = BTreeSet::new();
        let mut todo: Vec<LocId> = places.iter().copied().collect();
        while let Some(loc) = todo.pop() {
            for (_, target) in self.targets(loc) {
                if !self.ends.contains(&target) && reached.insert(target) {
                    todo.push(target);
                }
            }
        }
        reached
    }
    /// Returns the edges inside of a component.
    fn within(&self, component: &BTreeSet<LocId>) -> Vec<EdgeId> {
        let edges = component.iter().flat_map(|loc| self.targets(*loc));
        edges.filter(|(_, target)| component.contains(target)).map(|(edge, _)| edge).collect()
    }
    /// Returns whether a component has a loop.
    fn is_loop(&self, component: &BTreeSet<LocId>) -> bool {
        1 < component.len() || component.iter().any(|loc| self.targets(*loc).any(|(_, target)| target == *loc))
    }
    /// Returns the only location of a component where edges from outside of it arrive.
    fn only_entry(&self, reached: &BTreeSet<LocId>, component: &BTreeSet<LocId>) -> Option<LocId> {
        let outside = reached.iter().chain(&self.ends).filter(|loc| !component.contains(loc));
        let mut entries =
            outside.flat_map(|loc| self.targets(*loc)).map(|(_, target)| target).filter(|loc| component.contains(loc));
        let first = entries.next()?;
        entries.all(|entry| entry == first).then_some(first)
    }

    /// Returns the strongly connected components of the graph between these locations, targets before sources.
    ///
    /// Source: Tarjan, "Depth-first search and linear graph algorithms", SIAM J. Comput. 1(2), 1972, doi:10.1137/0201010.
    fn components(&self, nodes: &BTreeSet<LocId>) -> Vec<BTreeSet<LocId>> {
        let mut search = Search::default();
        for node in nodes {
            if !search.number.contains_key(node) {
                self.visit(nodes, *node, &mut search);
            }
        }
        search.done
    }
    fn visit(&self, nodes: &BTreeSet<LocId>, root: LocId, search: &mut Search) {
        let targets = |loc: LocId| self.targets(loc).map(|(_, target)| target).filter(|target| nodes.contains(target)).collect();
        search.enter(root, targets(root));
        while let Some((loc, open)) = search.way.last_mut() {
            let loc = *loc;
            match open.pop() {
                Some(target) => match search.number.get(&target) {
                    None => search.enter(target, targets(target)),
                    Some(number) if search.is_open.contains(&target) => {
                        let low = search.low.entry(loc).or_insert(*number);
                        *low = (*low).min(*number);
                    }
                    Some(_) => {}
                },
                None => search.leave(loc),
            }
        }
    }
}

/// State of a search for components.
#[derive(Default)]
struct Search {
    number: BTreeMap<LocId, usize>,
    /// Least number that a location reaches through its subtree.
    low: BTreeMap<LocId, usize>,
    /// Locations of components that are not complete, in the order of their numbers.
    open: Vec<LocId>,
    is_open: BTreeSet<LocId>,
    /// Path of the search, with the targets to visit.
    way: Vec<(LocId, Vec<LocId>)>,
    done: Vec<BTreeSet<LocId>>,
}

impl Search {
    fn enter(&mut self, loc: LocId, targets: Vec<LocId>) {
        let number = self.number.len();
        self.number.insert(loc, number);
        self.low.insert(loc, number);
        self.open.push(loc);
        self.is_open.insert(loc);
        self.way.push((loc, targets));
    }
    fn leave(&mut self, loc: LocId) {
        self.way.pop();
        let (number, low) = (self.number[&loc], self.low[&loc]);
        if let Some((before, _)) = self.way.last() {
            let of_before = self.low.entry(*before).or_insert(low);
            *of_before = (*of_before).min(low);
        }
        if low == number {
            let from = self.open.iter().rposition(|open| *open == loc).unwrap_or(0);
            let component: BTreeSet<LocId> = self.open.split_off(from).into_iter().collect();
            for loc in &component {
                self.is_open.remove(loc);
            }
            self.done.push(component);
        }
    }
}

#[cfg(test)]
mod tests;
