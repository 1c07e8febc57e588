//! Labels: abstraction formulas that refinement and forced covering strengthen in place.
//!
//! **Invariants:** of an expanded node, label ∧ step implies the child's label for every step. A covering node is active, and the
//! labels of the nodes it covers imply its own. A node is *active* if it is reached without passing a covered node or one with
//! the label FALSE. So once every active node is expanded or covered, the labels of the active nodes are an inductive invariant.
//!
//! Source: papers/unifying-smt-verification (Beyer, Dangl, Wendler), §3.2.4 "Impact Refinement".

use std::collections::BTreeMap;

use super::cover::Unwound;
use crate::arg::{Arg, Graph, Mark, NodeId};
use crate::domain::{AbstractionFormula, Domain, Predicates};
use crate::engine::cegar::abstractor::Operators;
use crate::engine::configurations::ForcedCovering;
use crate::refine::{Explained, Refiner};
use kernel::cfa::LocId;
use kernel::context::{Ctx, MakeSolver, Stop};
use kernel::expr::{ExprId, Value, VarId};
use kernel::verdict::Reason;

/// Operators of a graph of labels.
pub(super) struct Labels {
    pub(super) forced_covering: ForcedCovering,
    pub(super) refiner: Refiner,
    pub(super) solvers: MakeSolver,
    /// Nodes that are no longer covered, since the last call of [`Labels::take_open`].
    open: Vec<NodeId>,
}

impl Operators<Predicates> for Labels {
    fn is_active(&self, cx: &Ctx<'_>, domain: &Predicates, arg: &Arg<AbstractionFormula>, id: NodeId) -> bool {
        is_active(cx, domain, arg, id)
    }
    /// Returns whether `by` is older and active. Age keeps coverage from going in circles.
    fn may_cover(&self, cx: &Ctx<'_>, domain: &Predicates, arg: &Arg<AbstractionFormula>, id: NodeId, by: NodeId) -> bool {
        by < id && is_active(cx, domain, arg, by)
    }
    fn cover(&mut self, arg: &mut Arg<AbstractionFormula>, id: NodeId, by: NodeId) -> Vec<NodeId> {
        self.cover_by(arg, id, by);
        self.take_open()
    }
    fn leaves_expansions(&self) -> bool {
        false
    }
    fn forces(&self) -> bool {
        self.forced_covering == ForcedCovering::On
    }
    fn cover_by_force(
        &mut self,
        cx: &mut Ctx<'_>,
        (graph, domain, arg): (&Graph, &mut Predicates, &mut Arg<AbstractionFormula>),
        id: NodeId,
        candidates: &[NodeId],
    ) -> Result<(bool, Vec<NodeId>), Stop> {
        let is_closed = self.force(cx, &mut Unwound { graph, domain, arg }, id, candidates)?;
        Ok((is_closed, self.take_open()))
    }
}

impl Labels {
    pub(super) fn new(forced_covering: ForcedCovering, refiner: Refiner, solvers: MakeSolver) -> Labels {
        Labels { forced_covering, refiner, solvers, open: Vec::new() }
    }
    fn take_open(&mut self) -> Vec<NodeId> {
        std::mem::take(&mut self.open)
    }
    /// Decides the path to an error node: returns its inputs, or strengthens its nodes until its label is FALSE. Nodes that are no
    /// longer covered are met when exploration resumes.
    ///
    /// Stops: `NoProgress` if the path was refuted and no interpolants were found; `SolverUnknown`; cancelled.
    pub(super) fn refine(
        &mut self,
        cx: &mut Ctx<'_>,
        unwound: &mut Unwound<'_>,
        error: NodeId,
    ) -> Result<Option<Vec<BTreeMap<VarId, Value>>>, Stop> {
        let Unwound { graph, domain, arg } = unwound;
        let nodes = arg.path(error);
        let steps = nodes.iter().map(|&id| graph.step(arg.node(id).step)).collect();
        let itps = match self.refiner.explain(cx, steps)? {
            Explained::Feasible(inputs) => return Ok(Some(inputs)),
            Explained::Infeasible(refutation) => refutation.itps.ok_or(Stop::Reason(Reason::NoProgress))?,
        };
        self.strengthen(cx, domain, arg, &nodes, &itps[1..]);
        // Stronger labels may imply others now.
        let mut by_loc: BTreeMap<LocId, Vec<NodeId>> = BTreeMap::new();
        for (id, node) in arg.nodes().filter(|(_, node)| matches!(node.mark, Mark::Unmarked | Mark::Expanded)) {
            by_loc.entry(node.loc).or_default().push(id);
        }
        for id in nodes {
            // The last one may lack successors: exploration stopped at the error.
            if !matches!(arg.node(id).mark, Mark::Unmarked | Mark::Expanded) || !is_active(cx, domain, arg, id) {
                continue;
            }
            for &by in by_loc.get(&arg.node(id).loc).into_iter().flatten().rev().filter(|&&by| by < id) {
                let counts = matches!(arg.node(by).mark, Mark::Unmarked | Mark::Expanded) && is_active(cx, domain, arg, by);
                if counts && domain.is_covered(cx, &arg.node(id).state, &arg.node(by).state)? {
                    self.cover_by(arg, id, by);
                    break;
                }
            }
        }
        self.open.clear();
        Ok(None)
    }
    /// Adds `facts[i]` to the label of `nodes[i]`, a path from top to bottom. Nothing in between can stop it.
    pub(super) fn strengthen(
        &mut self,
        cx: &mut Ctx<'_>,
        domain: &Predicates,
        arg: &mut Arg<AbstractionFormula>,
        nodes: &[NodeId],
        facts: &[ExprId],
    ) {
        let mut stronger = Vec::new();
        for (&id, &fact) in nodes.iter().zip(facts) {
            let both = domain.strengthened(&mut cx.pool, &arg.node(id).state, fact);
            if both != arg.node(id).state {
                arg.set_state(id, both);
                stronger.push(id);
            }
        }
        for &id in &stronger {
            // They are no longer covered until that is shown again.
            for covered in arg.covers(id).to_vec() {
                self.uncover(arg, covered);
            }
        }
        for id in stronger {
            if arg.node(id).mark != Mark::Pruned && domain.is_false(&cx.pool, &arg.node(id).state) {
                self.release(arg, id);
                arg.uncover(id);
                arg.prune_below(id);
            }
        }
    }
    /// Covers a node. What it or a node below it covers is covered no longer, since these are not active any more.
    pub(super) fn cover_by(&mut self, arg: &mut Arg<AbstractionFormula>, id: NodeId, by: NodeId) {
        self.release(arg, id);
        arg.cover(id, by);
    }
    fn uncover(&mut self, arg: &mut Arg<AbstractionFormula>, id: NodeId) {
        arg.uncover(id);
        self.open.push(id);
    }
    fn release(&mut self, arg: &mut Arg<AbstractionFormula>, id: NodeId) {
        for below in arg.subtree(id) {
            for covered in arg.covers(below).to_vec() {
                self.uncover(arg, covered);
            }
        }
    }
}

/// Returns whether neither the node nor any before it is covered or has an empty label.
pub(super) fn is_active(cx: &Ctx<'_>, domain: &Predicates, arg: &Arg<AbstractionFormula>, id: NodeId) -> bool {
    let mut at = Some(id);
    while let Some(id) = at {
        let node = arg.node(id);
        if matches!(node.mark, Mark::Covered(_) | Mark::Pruned) || domain.is_false(&cx.pool, &node.state) {
            return false;
        }
        at = node.parent;
    }
    true
}
