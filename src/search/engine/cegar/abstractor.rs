//! The algorithm CPA++: explores until an error node appears or nothing is left. All analyses with a graph use it.
//!
//! Source: Hajdu, Micskei, JAR 2020, Algorithm 1; with forced covering, and for labels that grow,
//! papers/unifying-smt-verification (Beyer, Dangl, Wendler), Algorithm 2.

use std::collections::BTreeMap;

use crate::arg::{Arg, Graph, Mark, NodeId, Search, Waitlist};
use crate::domain::Domain;
use crate::refine::LocPrec;
use kernel::cfa::LocId;
use kernel::context::{Ctx, Stop};

/// End of an exploration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::engine) enum StopAt {
    /// At the first error node.
    FirstError,
    /// When nothing is left, or after so many error nodes.
    Errors(usize),
}

/// An analysis: program, domain, precision, and the operators in which approaches differ.
pub(in crate::engine) struct Cpa<'e, D: Domain, O> {
    pub(in crate::engine) graph: &'e mut Graph,
    pub(in crate::engine) domain: &'e mut D,
    pub(in crate::engine) prec: &'e LocPrec<D::Prec>,
    pub(in crate::engine) operators: &'e mut O,
}

/// Operators on a graph whose states may become stronger after they were explored. A graph of fixed states needs none of them.
pub(in crate::engine) trait Operators<D: Domain> {
    /// Returns whether a node counts: no node up to it is covered or stands for nothing.
    fn is_active(&self, _: &Ctx<'_>, _: &D, _: &Arg<D::State>, _: NodeId) -> bool {
        true
    }
    /// Returns whether `by`, which stands for the states of `id`, may cover it.
    fn may_cover(&self, _: &Ctx<'_>, _: &D, _: &Arg<D::State>, _id: NodeId, _by: NodeId) -> bool {
        true
    }
    /// Covers `id`, which `by` stands for. Returns nodes that are no longer covered.
    fn cover(&mut self, arg: &mut Arg<D::State>, id: NodeId, by: NodeId) -> Vec<NodeId> {
        arg.cover(id, by);
        Vec::new()
    }
    /// Returns whether an expansion ends at the last error node that is wanted. Where successors cost nothing it is completed, so
    /// that no node is tried to be covered twice.
    fn leaves_expansions(&self) -> bool {
        true
    }
    /// Returns whether [`Operators::cover_by_force`] does anything.
    fn forces(&self) -> bool {
        false
    }
    /// Strengthens `id` and nodes before it, so that one of `candidates` covers it or it stands for nothing (fcover). Returns
    /// whether that succeeded, and nodes that are no longer covered.
    fn cover_by_force(
        &mut self,
        _: &mut Ctx<'_>,
        _: (&Graph, &mut D, &mut Arg<D::State>),
        _id: NodeId,
        _candidates: &[NodeId],
    ) -> Result<(bool, Vec<NodeId>), Stop> {
        Ok((false, Vec::new()))
    }
}

/// Operators of a graph of fixed states: no forced covering.
pub(in crate::engine) struct FixedStates;

impl<D: Domain> Operators<D> for FixedStates {}

/// Completes `arg` and returns the error nodes.
///
/// Stops:     cancelled, or a solver failed. Then the graph is not complete, and nothing follows from it.
/// Soundness: without an error node, the active uncovered nodes of a location stand for all data states that runs have there.
///            States that cannot reach an error are left out.
pub(in crate::engine) fn explore<D: Domain, O: Operators<D>>(
    cx: &mut Ctx<'_>,
    cpa: Cpa<'_, D, O>,
    search: Search,
    stop_at: StopAt,
    arg: &mut Arg<D::State>,
) -> Result<Vec<NodeId>, Stop> {
    let mut exploration = Exploration { cpa, waitlist: Waitlist::new(search), shelves: BTreeMap::new(), precs: BTreeMap::new() };
    exploration.resume(cx, arg)?;
    let enough = match stop_at {
        StopAt::FirstError => 1,
        StopAt::Errors(n) => n,
    };
    let mut errors = Vec::new();
    while let Some(id) = exploration.waitlist.pop() {
        cx.tick()?;
        if arg.node(id).mark != Mark::Unmarked || !exploration.is_active(cx, arg, id) {
            continue;
        }
        if arg.node(id).loc == exploration.cpa.graph.cfa.error {
            errors.push(id);
        } else if !exploration.close(cx, arg, id)? && !exploration.cover_by_force(cx, arg, id)? {
            exploration.expand(cx, arg, id, enough, &mut errors)?;
        }
        if enough <= errors.len() {
            break;
        }
    }
    Ok(errors)
}

struct Exploration<'e, D: Domain, O> {
    cpa: Cpa<'e, D, O>,
    waitlist: Waitlist,
    /// The reached set by location, arranged for coverage.
    shelves: BTreeMap<LocId, D::Shelf>,
    precs: BTreeMap<LocId, D::Prec>,
}

impl<D: Domain, O: Operators<D>> Exploration<'_, D, O> {
    fn prec_at(&mut self, cx: &Ctx<'_>, loc: LocId) -> D::Prec {
        self.precs.entry(loc).or_insert_with(|| self.cpa.prec.at(cx, self.cpa.graph, loc)).clone()
    }
    fn is_active(&self, cx: &Ctx<'_>, arg: &Arg<D::State>, id: NodeId) -> bool {
        self.cpa.operators.is_active(cx, self.cpa.domain, arg, id)
    }
    /// Returns the waitlist of the existing graph, or the initial nodes.
    fn resume(&mut self, cx: &mut Ctx<'_>, arg: &mut Arg<D::State>) -> Result<(), Stop> {
        if arg.n_nodes() == 0 {
            let loc = self.cpa.graph.cfa.init;
            let (top, prec) = (self.cpa.domain.top(), self.prec_at(cx, loc));
            let step = self.cpa.graph.initial();
            for state in self.cpa.domain.post(cx, &top, step, &prec)? {
                arg.add_root(loc, step.id, state, self.cpa.prec.epoch());
            }
        }
        for (id, node) in arg.nodes() {
            match node.mark {
                Mark::Unmarked => self.waitlist.push(self.cpa.graph, id, node),
                Mark::Expanded => {}
                Mark::Covered(_) | Mark::Pruned => continue,
            }
            self.cpa.domain.shelve(self.shelves.entry(node.loc).or_default(), &node.state, id.0);
        }
        Ok(())
    }
    /// Returns the nodes that may cover `id`, most promising first.
    fn candidates(&self, cx: &Ctx<'_>, arg: &Arg<D::State>, id: NodeId) -> Vec<NodeId> {
        let Some(shelf) = self.shelves.get(&arg.node(id).loc) else { return Vec::new() };
        let shelved = self.cpa.domain.candidates(shelf, &arg.node(id).state).into_iter().map(NodeId);
        shelved.filter(|&by| self.may_cover(cx, arg, id, by)).collect()
    }
    fn may_cover(&self, cx: &Ctx<'_>, arg: &Arg<D::State>, id: NodeId, by: NodeId) -> bool {
        by != id
            && match arg.node(by).mark {
                Mark::Unmarked | Mark::Expanded => self.cpa.operators.may_cover(cx, self.cpa.domain, arg, id, by),
                Mark::Covered(_) | Mark::Pruned => false,
            }
    }
    /// Covers `id` if another node can.
    fn close(&mut self, cx: &mut Ctx<'_>, arg: &mut Arg<D::State>, id: NodeId) -> Result<bool, Stop> {
        let node = arg.node(id);
        let Some(shelf) = self.shelves.get(&node.loc) else { return Ok(false) };
        for by in self.cpa.domain.candidates(shelf, &node.state).into_iter().map(NodeId) {
            if self.may_cover(cx, arg, id, by) && self.cpa.domain.is_covered(cx, &arg.node(id).state, &arg.node(by).state)? {
                let open = self.cpa.operators.cover(arg, id, by);
                self.reopen(arg, open);
                return Ok(true);
            }
        }
        Ok(false)
    }
    fn cover_by_force(&mut self, cx: &mut Ctx<'_>, arg: &mut Arg<D::State>, id: NodeId) -> Result<bool, Stop> {
        if !self.cpa.operators.forces() {
            return Ok(false);
        }
        let candidates = self.candidates(cx, arg, id);
        let Cpa { graph, domain, operators, .. } = &mut self.cpa;
        let (is_closed, open) = operators.cover_by_force(cx, (graph, domain, arg), id, &candidates)?;
        self.reopen(arg, open);
        Ok(is_closed)
    }
    /// Explores nodes again that are no longer covered, with everything below them that is not expanded.
    fn reopen(&mut self, arg: &Arg<D::State>, open: Vec<NodeId>) {
        for &id in &open {
            let node = arg.node(id);
            self.cpa.domain.shelve(self.shelves.entry(node.loc).or_default(), &node.state, id.0);
        }
        for below in open.into_iter().flat_map(|id| arg.subtree(id)) {
            let node = arg.node(below);
            if node.mark == Mark::Unmarked {
                self.waitlist.push(self.cpa.graph, below, node);
            }
        }
    }
    /// Adds the successors of `id` that are not there yet. If it stops at enough error nodes, `id` stays unmarked.
    fn expand(
        &mut self,
        cx: &mut Ctx<'_>,
        arg: &mut Arg<D::State>,
        id: NodeId,
        enough: usize,
        errors: &mut Vec<NodeId>,
    ) -> Result<(), Stop> {
        let loc = arg.node(id).loc;
        let steps = self.cpa.graph.unfold(cx, loc)?;
        for &(step, target) in steps.iter() {
            // No way leads from there to the error location.
            if self.cpa.graph.distance(target).is_none() || arg.has_child_by(id, step) {
                continue;
            }
            let prec = self.prec_at(cx, target);
            let states = self.cpa.domain.post(cx, &arg.node(id).state, self.cpa.graph.step(step), &prec)?;
            // All of them at once: a stop must not leave some of a step's children out of the graph.
            let add = |state| arg.add_child(id, target, step, state, self.cpa.prec.epoch());
            let children: Vec<NodeId> = states.into_iter().map(add).collect();
            for child in children {
                // A step may have any number of children. Those that a stop leaves unmarked are met again.
                cx.tick()?;
                if target == self.cpa.graph.cfa.error {
                    errors.push(child);
                } else if !self.close(cx, arg, child)? {
                    let node = arg.node(child);
                    self.cpa.domain.shelve(self.shelves.entry(target).or_default(), &node.state, child.0);
                    self.waitlist.push(self.cpa.graph, child, node);
                }
            }
            if enough <= errors.len() && self.cpa.operators.leaves_expansions() {
                return Ok(());
            }
        }
        arg.expand(id);
        Ok(())
    }
}
