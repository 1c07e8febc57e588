//! Coverage: by entailment, and by force.

use std::collections::{BTreeMap, BTreeSet};

use super::unwinding::Unwinding;
use crate::arg::{Mark, NodeId};
use crate::domain::{Step, StepId, check};
use crate::refine::{Explained, Path};
use kernel::cfa::Block;
use kernel::context::{Ctx, MakeSolver, Stop};
use kernel::expr::{Expr, ExprId, ExprPool, FastMap, Value};
use kernel::smt::{Frame, Sat, Solver};
use kernel::verdict::Reason;

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
    /// Every older active node at the location is a candidate. They are tried in groups, by the length of that path: 1, 2 to 3, 4
    /// to 7 … steps. An execution from the farthest ancestor of a group also passes the others, since labels hold along the path.
    /// So it rules out every candidate of the group whose label lacks its last state.
    ///
    /// Cost:   mostly one or two queries for each group, so a logarithmic number in the depth.
    /// Source: papers/unifying-smt-verification (Beyer, Dangl, Wendler), §3.3: fcover^Impact.
    pub(super) fn cover_by_force(&mut self, cx: &mut Ctx<'_>, id: NodeId) -> Result<bool, Stop> {
        let to_id = self.arg.path(id);
        let mut groups: BTreeMap<u32, Vec<Candidate>> = BTreeMap::new();
        for candidate in self.forced_candidates(cx, id, &to_id) {
            let n_steps = to_id.len() - 1 - candidate.ancestor;
            groups.entry(n_steps.max(1).ilog2()).or_default().push(candidate);
        }
        for group in groups.into_values() {
            for Candidate { by, ancestor } in self.possible(cx, &to_id, group)?.into_iter().rev() {
                let between = &to_id[ancestor + 1..];
                let (label, wanted) = (self.arg.node(to_id[ancestor]).state, self.arg.node(by).state);
                let Some(facts) = self.reasons(cx, label, between, wanted)? else { continue };
                self.strengthen(cx, between, &facts);
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
        }
        Ok(false)
    }
    /// Returns the candidates of a group whose label no execution from the farthest ancestor misses.
    fn possible(&self, cx: &mut Ctx<'_>, to_id: &[NodeId], mut group: Vec<Candidate>) -> Result<Vec<Candidate>, Stop> {
        let Some(farthest) = group.iter().map(|candidate| candidate.ancestor).min() else { return Ok(group) };
        let label = |candidate: &Candidate| self.arg.node(candidate.by).state;
        let labels: Vec<ExprId> = group.iter().map(label).collect();
        let mut segment = Segment::new(cx, self, to_id[farthest], &to_id[farthest + 1..], &labels)?;
        while !group.is_empty() {
            let all = cx.pool.and_all(group.iter().map(label).collect::<Vec<_>>());
            match segment.misses(cx, all)? {
                Sat::Sat => {
                    let n_before = group.len();
                    let mut kept = Vec::with_capacity(n_before);
                    for candidate in group {
                        if segment.ends_in(cx, label(&candidate))? {
                            kept.push(candidate);
                        }
                    }
                    group = kept;
                    if group.len() == n_before {
                        // A solver that contradicts itself rules out nothing.
                        break;
                    }
                }
                // Where the solver gives up, the candidates are tried one by one.
                Sat::Unsat | Sat::Unknown(_) => break,
            }
        }
        Ok(group)
    }
    /// Returns the candidates for forced covering, the newest last.
    fn forced_candidates(&self, cx: &Ctx<'_>, id: NodeId, to_id: &[NodeId]) -> Vec<Candidate> {
        let candidate = |by| {
            let shared = to_id.iter().zip(&self.arg.path(by)).take_while(|(a, b)| a == b).count();
            shared.checked_sub(1).map(|ancestor| Candidate { by, ancestor })
        };
        self.candidates(cx, id).into_iter().rev().filter_map(candidate).collect()
    }
    /// Returns a formula for each node of `between`, the last of which implies `wanted`; `None` if none was found.
    fn reasons(
        &mut self,
        cx: &mut Ctx<'_>,
        label: ExprId,
        between: &[NodeId],
        wanted: ExprId,
    ) -> Result<Option<Vec<ExprId>>, Stop> {
        let (begin, end) = (assumption(label), assumption(cx.pool.not(wanted)));
        let mut steps = vec![assume(&begin)];
        steps.extend(between.iter().map(|&id| self.graph.step(self.arg.node(id).step)));
        steps.push(assume(&end));
        let itps = match self.refiner.explain(cx, steps) {
            Ok(Explained::Infeasible(refutation)) => refutation.itps,
            Ok(Explained::Feasible(_)) | Err(Stop::Reason(Reason::SolverUnknown)) => None,
            Err(stop) => return Err(stop),
        };
        // Frames: before the first assumption, at the ancestor, then one for each node between.
        Ok(itps.map(|itps| itps[2..itps.len() - 1].to_vec()))
    }
}

/// Node that may cover another one, with the position of their nearest common ancestor on the other one's path.
#[derive(Clone, Copy)]
struct Candidate {
    by: NodeId,
    ancestor: usize,
}

/// A path from a common ancestor in a solver, for questions about its end.
struct Segment {
    solver: Box<dyn Solver>,
    end: Frame,
}

impl Segment {
    /// Puts the path from `ancestor` over `between` into a solver, with the variables of `labels` at its end.
    fn new(
        cx: &mut Ctx<'_>,
        unwinding: &Unwinding,
        ancestor: NodeId,
        between: &[NodeId],
        labels: &[ExprId],
    ) -> Result<Segment, Stop> {
        let Unwinding { graph, arg, solvers, .. } = unwinding;
        let steps: Vec<Step<'_>> = between.iter().map(|&id| graph.step(arg.node(id).step)).collect();
        let path = Path::with_end(&cx.pool, steps, cx.pool.vars_of(labels));
        let mut solver = cx.solver(solvers)?;
        solver.assert(&cx.pool, arg.node(ancestor).state, 0)?;
        for (i, step) in path.steps.iter().enumerate() {
            let frame = i as Frame;
            solver.assert(&cx.pool, step.block.guard, frame)?;
            for &var in &path.live[i + 1] {
                let value = match step.block.updates.binary_search_by_key(&var, |(v, _)| *v) {
                    Ok(at) => step.block.updates[at].1,
                    Err(_) => cx.pool.var(var),
                };
                solver.define(&cx.pool, var, frame + 1, value, frame)?;
            }
        }
        Ok(Segment { solver, end: path.steps.len() as Frame })
    }
    /// Checks whether an execution ends outside of `label`.
    fn misses(&mut self, cx: &mut Ctx<'_>, label: ExprId) -> Result<Sat, Stop> {
        let outside = cx.pool.not(label);
        check(cx, &mut *self.solver, &[(outside, self.end)])
    }
    /// Returns, after a yes, whether that execution ends in a state of `label`.
    fn ends_in(&mut self, cx: &Ctx<'_>, label: ExprId) -> Result<bool, Stop> {
        Ok(self.solver.value(&cx.pool, label, self.end)? == Value::Bool(true))
    }
}

/// Returns the block that only assumes `guard`.
fn assumption(guard: ExprId) -> Block {
    Block { guard, updates: Vec::new(), inputs: Vec::new() }
}

fn assume(block: &Block) -> Step<'_> {
    Step { id: StepId::ASSUMPTION, block }
}
