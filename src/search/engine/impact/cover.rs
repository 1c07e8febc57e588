//! Coverage: by entailment, and by force.

use std::collections::BTreeSet;

use super::unwinding::Unwinding;
use crate::arg::{Mark, NodeId};
use crate::domain::{Step, StepId, check};
use crate::refine::Explained;
use kernel::cfa::Block;
use kernel::context::{Ctx, MakeSolver, Stop};
use kernel::expr::{Expr, ExprId, ExprPool, FastMap};
use kernel::smt::{Sat, Solver};
use kernel::verdict::Reason;

/// Candidates for forced covering that are tried for each node, newest first: each costs a query on a path.
const CANDIDATES: usize = 4;

/// More answers than this are not kept.
const KEPT: usize = 100_000;

/// Cache of implications between labels.
pub(super) struct Entailment {
    solver: Box<dyn Solver>,
    known: FastMap<(ExprId, ExprId), bool>,
}

impl Entailment {
    pub(super) fn new(cx: &Ctx<'_>, solvers: &MakeSolver) -> Result<Entailment, Stop> {
        Ok(Entailment { solver: cx.solver(solvers)?, known: FastMap::default() })
    }
    /// Returns whether `a` implies `b`; `false` if the solver gave up.
    fn holds(&mut self, cx: &mut Ctx<'_>, a: ExprId, b: ExprId) -> Result<bool, Stop> {
        let conjuncts = |e| BTreeSet::from_iter(cx.pool.conjuncts(e));
        if a == b || cx.pool.is_true(b) || cx.pool.is_false(a) || conjuncts(b).is_subset(&conjuncts(a)) {
            return Ok(true);
        }
        if cx.pool.is_true(a) && is_literal(&cx.pool, b) {
            return Ok(false);
        }
        if let Some(&known) = self.known.get(&(a, b)) {
            return Ok(known);
        }
        let not_b = cx.pool.not(b);
        let holds = check(cx, &mut *self.solver, &[(a, 0), (not_b, 0)])? == Sat::Unsat;
        if KEPT <= self.known.len() {
            self.known.clear();
        }
        self.known.insert((a, b), holds);
        Ok(holds)
    }
}

/// Returns whether `e` is a variable or its negation, so not valid.
fn is_literal(pool: &ExprPool, e: ExprId) -> bool {
    let e = if let Expr::Not(inner) = pool.expr(e) { inner } else { e };
    matches!(pool.expr(e), Expr::Var(_))
}

impl Unwinding {
    /// Returns the active nodes that may cover `id`: older ones at its location, newest first. Age keeps coverage from going in
    /// circles.
    fn candidates(&self, cx: &Ctx<'_>, id: NodeId) -> Vec<NodeId> {
        let loc = self.arg.node(id).loc;
        let older = self.by_loc.get(&loc).into_iter().flatten().rev().copied().filter(|&other| other < id);
        older.filter(|&other| self.is_active(cx, other)).collect()
    }
    /// Covers `id` by an older node whose label its own implies. Returns whether there is one.
    pub(super) fn cover_by_entailment(&mut self, cx: &mut Ctx<'_>, id: NodeId) -> Result<bool, Stop> {
        let label = self.arg.node(id).state;
        for by in self.candidates(cx, id) {
            if self.entailment.holds(cx, label, self.arg.node(by).state)? {
                self.cover(id, by);
                return Ok(true);
            }
        }
        Ok(false)
    }
    fn cover(&mut self, id: NodeId, by: NodeId) {
        self.release(id);
        self.arg.cover(id, by);
    }
    /// Covers `id` by an older node whose label holds after every execution of the path from their nearest common ancestor to
    /// `id`; the nodes between are strengthened with interpolants. Returns whether there is one.
    ///
    /// Source: papers/unifying-smt-verification (Beyer, Dangl, Wendler), §3.3: fcover^Impact.
    pub(super) fn cover_by_force(&mut self, cx: &mut Ctx<'_>, id: NodeId) -> Result<bool, Stop> {
        let to_id = self.arg.path(id);
        for by in self.candidates(cx, id).into_iter().take(CANDIDATES) {
            let to_other = self.arg.path(by);
            let shared = to_id.iter().zip(&to_other).take_while(|(a, b)| a == b).count();
            let Some(&ancestor) = shared.checked_sub(1).and_then(|at| to_id.get(at)) else { continue };
            let between = &to_id[shared..];
            let wanted = self.arg.node(by).state;
            let assume = |guard| Block { guard, updates: Vec::new(), inputs: Vec::new() };
            let (begin, end) = (assume(self.arg.node(ancestor).state), assume(cx.pool.not(wanted)));
            let step = |block| Step { id: StepId::ASSUMPTION, block };
            let mut steps = vec![step(&begin)];
            steps.extend(between.iter().map(|&id| self.graph.step(self.arg.node(id).step)));
            steps.push(step(&end));
            let itps = match self.refiner.explain(cx, steps) {
                Ok(Explained::Infeasible(refutation)) => refutation.itps,
                Ok(Explained::Feasible(_)) => None,
                // A candidate that the solver cannot decide is skipped.
                Err(Stop::Reason(Reason::SolverUnknown)) => None,
                Err(stop) => return Err(stop),
            };
            let Some(itps) = itps else { continue };
            // Frames: before the first assumption, at the ancestor, then one for each node between.
            let (between, facts) = (between.to_vec(), itps[2..itps.len() - 1].to_vec());
            self.strengthen(cx, &between, &facts);
            let covered = self.is_active(cx, id) && self.is_active(cx, by) && self.arg.node(id).mark == Mark::Unmarked;
            if covered && self.entailment.holds(cx, self.arg.node(id).state, self.arg.node(by).state)? {
                self.cover(id, by);
                return Ok(true);
            }
            if !self.is_active(cx, id) {
                // Its label, or one before it, became FALSE.
                return Ok(true);
            }
        }
        Ok(false)
    }
}
