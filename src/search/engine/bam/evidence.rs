//! From graphs of blocks to evidence: the path to an error, flat, and the invariants of the automaton's cut points.
//!
//! Source: papers/block-abstraction-memoization, §2.4.7: one counterexample through all graphs.

use std::collections::BTreeMap;
use std::rc::Rc;

use plc_frontend::ids::Id;

use super::cache::{Entry, EntryId, Hop};
use super::explore::Explorer;
use super::names::EdgeContext;
use super::program::{Instance, Origin};
use super::regions::RegionId;
use crate::domain::{Reduce, StepId};
use kernel::cfa::{Cfa, LocId, LocKind};
use kernel::context::{Ctx, Stop};

/// Steps of the automaton, each with the location that it leads to.
pub(super) type FlatPath = Vec<(LocId, StepId)>;

/// Way back from the names of a block to those of the automaton: a context for each level, with what its reduction left out.
type Levels<'s, S> = Vec<(Rc<EdgeContext>, &'s S)>;

impl<D: Reduce> Explorer<D> {
    /// Returns the path to the error of a graph, over the automaton's own edges; without the step that sets the initial values.
    pub(super) fn path(&self, cfa: &Cfa, entry: EntryId) -> FlatPath {
        let mut path = Vec::new();
        self.add_path(cfa, entry, None, None, &mut path);
        path
    }
    /// Adds the path to a node of a graph, or to its error.
    fn add_path(&self, cfa: &Cfa, entry: EntryId, node: Option<u32>, region: Option<RegionId>, path: &mut FlatPath) {
        let graph = &self.cache.entries[entry];
        let mut hops: Vec<Hop> = Vec::new();
        let mut last = node.map_or(graph.error, |node| graph.nodes[node as usize].from);
        while let Some(hop) = last {
            hops.push(hop);
            last = graph.nodes[hop.node as usize].from;
        }
        for hop in hops.into_iter().rev() {
            match (self.program.instance(region).edges[hop.edge as usize], hop.through) {
                (Origin::Edge(edge), _) => path.push((cfa.edges[edge].target, StepId::new(edge.index()))),
                (Origin::Region(inner), Some((inside, end))) => self.add_path(cfa, inside, end, Some(inner), path),
                (Origin::Region(_), None) => unreachable!("the edge of a region leads through a graph"),
            }
        }
    }
    /// Returns the states at each cut point of the automaton, its head and its loop heads, in the names of the outermost block.
    ///
    /// Cost: the states at loop heads, once for each way of calls to them.
    pub(super) fn states_at_cuts(
        &mut self,
        cx: &mut Ctx<'_>,
        cfa: &Cfa,
        main: EntryId,
    ) -> Result<BTreeMap<LocId, Vec<D::State>>, Stop> {
        let mut states: BTreeMap<LocId, Vec<D::State>> = BTreeMap::new();
        let program = self.program.clone();
        let entries = std::mem::take(&mut self.cache.entries);
        let mut todo: Vec<(EntryId, Option<RegionId>, Levels<'_, D::State>)> = vec![(main, None, Vec::new())];
        let mut stopped = Ok(());
        while let Some((entry, region, levels)) = todo.pop() {
            stopped = cx.tick();
            if stopped.is_err() {
                break;
            }
            let (graph, instance) = (&entries[entry], program.instance(region));
            for (loc, state) in cuts(cfa, instance, graph) {
                let mut state = state.clone();
                for (context, rest) in levels.iter().rev() {
                    let outer = self.domain.renamed(&mut cx.pool, &state, &mut context.names.borrow_mut().back)?;
                    state = self.domain.combine(&outer, rest);
                }
                let all = states.entry(loc).or_default();
                if !all.contains(&state) {
                    all.push(state);
                }
            }
            for call in &graph.calls {
                if let Origin::Region(inner) = instance.edges[call.edge as usize]
                    && has_cut(cfa, &program.regions[inner], &program.regions)
                {
                    let mut levels = levels.clone();
                    levels.push((call.context.clone(), &call.rest));
                    todo.push((call.entry, Some(inner), levels));
                }
            }
        }
        drop(todo);
        self.cache.entries = entries;
        stopped.map(|()| states)
    }
}

/// Returns the states of a graph at cut points of the automaton.
fn cuts<'g, S>(cfa: &'g Cfa, instance: &'g Instance, graph: &'g Entry<S>) -> impl Iterator<Item = (LocId, &'g S)> {
    let at_cut = |node: &'g super::cache::Node<S>| {
        // The states at the head of a loop are those of its own block.
        if instance.around_loops.contains(&node.loc) {
            return None;
        }
        let loc = instance.locs[node.loc as usize];
        (loc == cfa.head || cfa.locs[loc].kind == LocKind::LoopHead).then_some((loc, &node.state))
    };
    graph.nodes.iter().filter_map(at_cut)
}

/// Returns whether a region or one inside of it has a cut point.
fn has_cut(cfa: &Cfa, region: &Instance, regions: &plc_frontend::ids::IndexVec<RegionId, Instance>) -> bool {
    let mut todo = vec![region];
    while let Some(region) = todo.pop() {
        if region.locs.iter().any(|loc| cfa.locs[*loc].kind == LocKind::LoopHead) {
            return true;
        }
        let inner = region.edges.iter().filter_map(|origin| match origin {
            Origin::Region(inner) => Some(&regions[*inner]),
            Origin::Edge(_) => None,
        });
        todo.extend(inner);
    }
    false
}
