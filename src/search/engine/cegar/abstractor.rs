//! The abstraction: explores until an error node appears or nothing is left.
//!
//! Source: Hajdu, Micskei, JAR 2020, Algorithm 1.

use std::collections::BTreeMap;

use crate::arg::{Arg, Graph, Mark, NodeId, Search, Waitlist};
use crate::domain::Domain;
use crate::refine::LocPrec;
use kernel::cfa::LocId;
use kernel::context::{Ctx, Stop};

/// End of an exploration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum StopAt {
    /// At the first error node.
    FirstError,
    /// When nothing is left, or after so many error nodes.
    Errors(usize),
}

/// Completes `arg` under `prec` and returns the error nodes.
///
/// Stops:     cancelled, or a solver failed. Then the graph is not complete, and nothing follows from it.
/// Soundness: if there is no error node, the uncovered nodes at each location cover all data states of runs there that may still
///            reach an error.
pub(super) fn explore<D: Domain>(
    cx: &mut Ctx<'_>,
    graph: &mut Graph,
    domain: &mut D,
    search: Search,
    stop_at: StopAt,
    arg: &mut Arg<D::State>,
    prec: &LocPrec<D::Prec>,
) -> Result<Vec<NodeId>, Stop> {
    let mut exploration =
        Exploration { graph, domain, prec, waitlist: Waitlist::new(search), shelves: BTreeMap::new(), precs: BTreeMap::new() };
    exploration.resume(cx, arg)?;
    let enough = match stop_at {
        StopAt::FirstError => 1,
        StopAt::Errors(n) => n,
    };
    let mut errors = Vec::new();
    while let Some(id) = exploration.waitlist.pop() {
        cx.tick()?;
        if arg.node(id).loc == exploration.graph.cfa.error {
            errors.push(id);
        } else if !exploration.close(arg, id) {
            exploration.expand(cx, arg, id, enough, &mut errors)?;
        }
        if enough <= errors.len() {
            break;
        }
    }
    Ok(errors)
}

struct Exploration<'e, D: Domain> {
    graph: &'e mut Graph,
    domain: &'e mut D,
    prec: &'e LocPrec<D::Prec>,
    waitlist: Waitlist,
    /// The reached set by location, arranged for coverage.
    shelves: BTreeMap<LocId, D::Shelf>,
    precs: BTreeMap<LocId, D::Prec>,
}

impl<D: Domain> Exploration<'_, D> {
    fn prec_at(&mut self, cx: &Ctx<'_>, loc: LocId) -> D::Prec {
        self.precs.entry(loc).or_insert_with(|| self.prec.at(cx, self.graph, loc)).clone()
    }
    /// Returns the waitlist of the existing graph, or the initial nodes.
    fn resume(&mut self, cx: &mut Ctx<'_>, arg: &mut Arg<D::State>) -> Result<(), Stop> {
        if arg.n_nodes() == 0 {
            let loc = self.graph.cfa.init;
            let (top, prec) = (self.domain.top(), self.prec_at(cx, loc));
            let step = self.graph.initial();
            for state in self.domain.post(cx, &top, step, &prec)? {
                arg.add_root(loc, step.id, state, self.prec.epoch());
            }
        }
        for (id, node) in arg.nodes() {
            match node.mark {
                Mark::Unmarked => self.waitlist.push(self.graph, id, node),
                Mark::Expanded => {}
                Mark::Covered(_) | Mark::Pruned => continue,
            }
            self.domain.shelve(self.shelves.entry(node.loc).or_default(), &node.state, id.0);
        }
        Ok(())
    }
    /// Covers `id` if another node can.
    fn close(&mut self, arg: &mut Arg<D::State>, id: NodeId) -> bool {
        let node = arg.node(id);
        let Some(shelf) = self.shelves.get(&node.loc) else { return false };
        let by = self.domain.candidates(shelf, &node.state).into_iter().map(NodeId).find(|&by| {
            by != id
                && match arg.node(by).mark {
                    Mark::Unmarked | Mark::Expanded => self.domain.leq(&node.state, &arg.node(by).state),
                    Mark::Covered(_) | Mark::Pruned => false,
                }
        });
        match by {
            Some(by) => {
                arg.cover(id, by);
                true
            }
            None => false,
        }
    }
    /// Adds the successors of `id` that are not there yet. With enough error nodes it stops, and `id` stays unmarked.
    fn expand(
        &mut self,
        cx: &mut Ctx<'_>,
        arg: &mut Arg<D::State>,
        id: NodeId,
        enough: usize,
        errors: &mut Vec<NodeId>,
    ) -> Result<(), Stop> {
        let loc = arg.node(id).loc;
        let steps = self.graph.unfold(cx, loc)?;
        for &(step, target) in steps.iter() {
            // No way leads from there to the error location.
            if self.graph.distance(target).is_none() || arg.has_child_by(id, step) {
                continue;
            }
            let prec = self.prec_at(cx, target);
            let states = self.domain.post(cx, &arg.node(id).state, self.graph.step(step), &prec)?;
            // All of them at once: a stop must not leave some of a step's children out of the graph.
            let add = |state| arg.add_child(id, target, step, state, self.prec.epoch());
            let children: Vec<NodeId> = states.into_iter().map(add).collect();
            for child in children {
                // A step may have any number of children. Those that a stop leaves unmarked are met again.
                cx.tick()?;
                if target == self.graph.cfa.error {
                    errors.push(child);
                } else if !self.close(arg, child) {
                    let node = arg.node(child);
                    self.domain.shelve(self.shelves.entry(target).or_default(), &node.state, child.0);
                    self.waitlist.push(self.graph, child, node);
                }
            }
            if enough <= errors.len() {
                return Ok(());
            }
        }
        arg.expand(id);
        Ok(())
    }
}
