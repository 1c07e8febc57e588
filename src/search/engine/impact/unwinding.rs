//! The unwinding: expansion, refinement, and active nodes.
//!
//! **Invariants:** of an expanded node, label ∧ step implies the child's label for every step. A covering node is active, and the
//! labels of the nodes it covers imply its own. A node is *active* if it is reached without passing a covered node or one with
//! the label FALSE. So once every active node is expanded or covered, the labels of the active nodes are an inductive invariant.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use super::cover::Entailment;
use super::{ForcedCovering, ImpactOptions};
use crate::arg::{Arg, Graph, Mark, NodeId, Waitlist};
use crate::engine::encoding;
use crate::refine::{Explained, Prune, Refinement, Refiner};
use kernel::cfa::{Cfa, LocId};
use kernel::context::{Ctx, MakeSolver, Stop};
use kernel::expr::{ExprId, Value, VarId};
use kernel::verdict::Reason;

/// End of a search.
pub(super) enum Found {
    /// Everything is covered.
    Nothing,
    /// An error node, with the values of the inputs of each step.
    Error(NodeId, Vec<BTreeMap<VarId, Value>>),
}

/// State between two calls of `run`. It stays consistent at every operation that can stop.
pub struct Unwinding {
    pub(super) graph: Graph,
    /// Labels are Bool expressions over the variables of the state.
    pub(super) arg: Arg<ExprId>,
    pub(super) n_refuted: usize,
    pub(super) refiner: Refiner,
    pub(super) entailment: Entailment,
    pub(super) solvers: MakeSolver,
    /// The nodes of each location, oldest first.
    pub(super) by_loc: BTreeMap<LocId, Vec<NodeId>>,
    options: ImpactOptions,
    waitlist: Waitlist,
    /// Error nodes that are not decided yet.
    errors: Vec<NodeId>,
    /// Time spent on counterexamples since the last call of `take_times`.
    refining: Duration,
}

impl Unwinding {
    pub(super) fn new(cx: &mut Ctx<'_>, cfa: &Cfa, options: ImpactOptions, solvers: &MakeSolver) -> Result<Unwinding, Stop> {
        let graph = encoding::graph(&mut cx.pool, cfa, options.blk);
        let mut unwinding = Unwinding {
            arg: Arg::default(),
            n_refuted: 0,
            refiner: Refiner::new(Refinement::SeqItp, options.itp_source, Prune::Lazy, solvers.clone()),
            entailment: Entailment::new(cx, solvers)?,
            solvers: solvers.clone(),
            by_loc: BTreeMap::new(),
            waitlist: Waitlist::new(options.search),
            errors: Vec::new(),
            refining: Duration::ZERO,
            options,
            graph,
        };
        let (init, step) = (cfa.init, unwinding.graph.initial().id);
        if unwinding.graph.distance(init).is_some() {
            let yes = cx.pool.bool(true);
            let root = unwinding.arg.add_root(init, step, yes, 0);
            unwinding.enter(root);
        }
        Ok(unwinding)
    }
    /// Explores until an error is found or nothing is left.
    pub(super) fn run(&mut self, cx: &mut Ctx<'_>, progress: &mut dyn FnMut(&Ctx<'_>, &mut Unwinding)) -> Result<Found, Stop> {
        loop {
            cx.tick()?;
            if let Some(&error) = self.errors.last() {
                if self.is_active(cx, error) {
                    let begin = Instant::now();
                    let refined = self.refine(cx, error);
                    self.refining += begin.elapsed();
                    if let Some(inputs) = refined? {
                        return Ok(Found::Error(error, inputs));
                    }
                    self.n_refuted += 1;
                    progress(cx, self);
                }
                // Refinement may have made other errors active again; this one has the label FALSE, or is not active.
                self.errors.retain(|&other| other != error);
                continue;
            }
            let Some(id) = self.waitlist.pop() else { return Ok(Found::Nothing) };
            if self.arg.node(id).mark != Mark::Unmarked || !self.is_active(cx, id) {
                // If it becomes active again, it is entered again.
                continue;
            }
            let done = self.close_or_expand(cx, id);
            if done.is_err() {
                self.waitlist.push(&self.graph, id, self.arg.node(id));
            }
            done?;
        }
    }
    fn close_or_expand(&mut self, cx: &mut Ctx<'_>, id: NodeId) -> Result<(), Stop> {
        if self.close(cx, id)? { Ok(()) } else { self.expand(cx, id) }
    }
    /// Covers a node, with forced covering if that is an option. Returns whether that succeeded.
    fn close(&mut self, cx: &mut Ctx<'_>, id: NodeId) -> Result<bool, Stop> {
        if self.cover_by_entailment(cx, id)? {
            return Ok(true);
        }
        match self.options.forced_covering {
            ForcedCovering::Off => Ok(false),
            ForcedCovering::On => self.cover_by_force(cx, id),
        }
    }
    /// Adds a child with the label TRUE for each step from a node.
    pub(super) fn expand(&mut self, cx: &mut Ctx<'_>, id: NodeId) -> Result<(), Stop> {
        let yes = cx.pool.bool(true);
        let steps = self.graph.unfold(cx, self.arg.node(id).loc)?;
        for &(step, target) in steps.iter() {
            // No way leads from there to the error location.
            if self.graph.distance(target).is_some() {
                let child = self.arg.add_child(id, target, step, yes, 0);
                self.enter(child);
            }
        }
        self.arg.expand(id);
        Ok(())
    }
    /// Returns the times since the last call: for checking counterexamples, and for refinement.
    pub(super) fn take_times(&mut self) -> (Duration, Duration) {
        let checking = self.refiner.take_checking();
        (checking, std::mem::take(&mut self.refining).saturating_sub(checking))
    }
    fn enter(&mut self, id: NodeId) {
        let node = self.arg.node(id);
        if node.loc == self.graph.cfa.error {
            self.errors.push(id);
        } else {
            self.by_loc.entry(node.loc).or_default().push(id);
            self.waitlist.push(&self.graph, id, node);
        }
    }
    /// Decides the path to an error node: returns its inputs, or strengthens its nodes until its label is FALSE.
    fn refine(&mut self, cx: &mut Ctx<'_>, error: NodeId) -> Result<Option<Vec<BTreeMap<VarId, Value>>>, Stop> {
        let nodes = self.arg.path(error);
        let steps = nodes.iter().map(|&id| self.graph.step(self.arg.node(id).step)).collect();
        let itps = match self.refiner.explain(cx, steps)? {
            Explained::Feasible(inputs) => return Ok(Some(inputs)),
            Explained::Infeasible(refutation) => refutation.itps.ok_or(Stop::Reason(Reason::NoProgress))?,
        };
        self.strengthen(cx, &nodes, &itps[1..]);
        // Stronger labels may imply others now.
        for id in nodes {
            if self.arg.node(id).mark == Mark::Expanded && self.is_active(cx, id) {
                self.cover_by_entailment(cx, id)?;
            }
        }
        Ok(None)
    }
    /// Adds `facts[i]` to the label of `nodes[i]`, a path from top to bottom. Nothing in between can stop it.
    pub(super) fn strengthen(&mut self, cx: &mut Ctx<'_>, nodes: &[NodeId], facts: &[ExprId]) {
        let mut stronger = Vec::new();
        for (&id, &fact) in nodes.iter().zip(facts) {
            let label = self.arg.node(id).state;
            let both = cx.pool.and(label, fact);
            if both != label {
                self.arg.set_state(id, both);
                stronger.push(id);
            }
        }
        for &id in &stronger {
            // They are no longer covered until that is shown again.
            for covered in self.arg.covers(id).to_vec() {
                self.uncover(covered);
            }
        }
        for id in stronger {
            if cx.pool.is_false(self.arg.node(id).state) {
                self.release(id);
            }
        }
    }
    /// Uncovers a node: it is explored again, with everything below it that is not expanded.
    fn uncover(&mut self, id: NodeId) {
        self.arg.uncover(id);
        for below in self.arg.subtree(id) {
            let node = self.arg.node(below);
            if node.mark == Mark::Unmarked {
                if node.loc == self.graph.cfa.error {
                    if !self.errors.contains(&below) {
                        self.errors.push(below);
                    }
                } else {
                    self.waitlist.push(&self.graph, below, node);
                }
            }
        }
    }
    /// Uncovers the nodes that a node or one below it covers, since these are no longer active.
    pub(super) fn release(&mut self, id: NodeId) {
        for below in self.arg.subtree(id) {
            for covered in self.arg.covers(below).to_vec() {
                self.uncover(covered);
            }
        }
    }
    /// Returns whether neither the node nor any before it is covered or has an empty label.
    pub(super) fn is_active(&self, cx: &Ctx<'_>, id: NodeId) -> bool {
        let mut at = Some(id);
        while let Some(id) = at {
            let node = self.arg.node(id);
            if matches!(node.mark, Mark::Covered(_) | Mark::Pruned) || cx.pool.is_false(node.state) {
                return false;
            }
            at = node.parent;
        }
        true
    }
    /// Returns the labels of the active nodes by location.
    pub(super) fn states(&self, cx: &Ctx<'_>) -> BTreeMap<LocId, Vec<ExprId>> {
        // Parents are older than their children.
        let mut active: BTreeMap<NodeId, bool> = BTreeMap::new();
        let mut states: BTreeMap<LocId, Vec<ExprId>> = BTreeMap::new();
        for (id, node) in self.arg.nodes() {
            let is_active = match node.mark {
                Mark::Unmarked | Mark::Expanded => {
                    !cx.pool.is_false(node.state) && node.parent.is_none_or(|parent| active.get(&parent) == Some(&true))
                }
                Mark::Covered(_) | Mark::Pruned => false,
            };
            active.insert(id, is_active);
            if is_active {
                states.entry(node.loc).or_default().push(node.state);
            }
        }
        states
    }
}
