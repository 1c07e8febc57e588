//! Forced covering.
//!
//! Source: papers/unifying-smt-verification (Beyer, Dangl, Wendler), §3.3: fcover^Impact.

use std::collections::BTreeMap;

use super::labels::{Labels, is_active};
use crate::arg::{Arg, Graph, Mark, NodeId};
use crate::domain::{AbstractionFormula, Domain, Predicates, Step, StepId, check};
use crate::refine::{Explained, Path};
use kernel::cfa::Block;
use kernel::context::{Ctx, Stop};
use kernel::expr::{ExprId, Value};
use kernel::smt::{Frame, Sat, Solver};
use kernel::verdict::Reason;

/// Graph of labels, with the automaton that it unwinds.
pub(super) struct Unwound<'u> {
    pub(super) graph: &'u Graph,
    pub(super) domain: &'u mut Predicates,
    pub(super) arg: &'u mut Arg<AbstractionFormula>,
}

impl Unwound<'_> {
    fn label(&self, cx: &mut Ctx<'_>, id: NodeId) -> ExprId {
        self.domain.formula(&mut cx.pool, &self.arg.node(id).state)
    }
}

impl Labels {
    /// Covers `id` by one of `older` whose label holds after every execution of the path from their nearest common ancestor to
    /// `id`; the nodes between are strengthened with interpolants. Returns whether there is one, or `id` stands for nothing now.
    ///
    /// They are tried in groups, by the length of that path: 1, 2 to 3, 4 to 7 … steps. An execution from the farthest ancestor of
    /// a group also passes the others, since labels hold along the path. So it rules out every candidate of the group whose label
    /// lacks its last state.
    ///
    /// Cost: mostly one or two queries for each group, so a logarithmic number in the depth.
    pub(super) fn force(
        &mut self,
        cx: &mut Ctx<'_>,
        unwound: &mut Unwound<'_>,
        id: NodeId,
        older: &[NodeId],
    ) -> Result<bool, Stop> {
        let to_id = unwound.arg.path(id);
        let mut groups: BTreeMap<u32, Vec<Candidate>> = BTreeMap::new();
        for &by in older.iter().rev() {
            let shared = to_id.iter().zip(&unwound.arg.path(by)).take_while(|(a, b)| a == b).count();
            let Some(ancestor) = shared.checked_sub(1) else { continue };
            let n_steps = to_id.len() - 1 - ancestor;
            groups.entry(n_steps.max(1).ilog2()).or_default().push(Candidate { by, ancestor });
        }
        for group in groups.into_values() {
            for Candidate { by, ancestor } in self.possible(cx, unwound, &to_id, group)?.into_iter().rev() {
                let between = &to_id[ancestor + 1..];
                let (label, wanted) = (unwound.label(cx, to_id[ancestor]), unwound.label(cx, by));
                let Some(facts) = self.reasons(cx, unwound, label, between, wanted)? else { continue };
                self.strengthen(cx, unwound.domain, unwound.arg, between, &facts);
                let active = |id| is_active(cx, unwound.domain, unwound.arg, id);
                let (id_is_active, by_is_active) = (active(id), active(by));
                if id_is_active && by_is_active && unwound.arg.node(id).mark == Mark::Unmarked {
                    let (a, b) = (unwound.arg.node(id).state.clone(), unwound.arg.node(by).state.clone());
                    if unwound.domain.is_covered(cx, &a, &b)? {
                        self.cover_by(unwound.arg, id, by);
                        return Ok(true);
                    }
                }
                if !id_is_active {
                    // Its label, or one before it, became FALSE.
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }
    /// Returns the candidates of a group whose label no execution from the farthest ancestor misses.
    fn possible(
        &self,
        cx: &mut Ctx<'_>,
        unwound: &Unwound<'_>,
        to_id: &[NodeId],
        group: Vec<Candidate>,
    ) -> Result<Vec<Candidate>, Stop> {
        let Some(farthest) = group.iter().map(|candidate| candidate.ancestor).min() else { return Ok(group) };
        let mut group: Vec<(Candidate, ExprId)> = group.into_iter().map(|it| (it, unwound.label(cx, it.by))).collect();
        let labels: Vec<ExprId> = group.iter().map(|(_, label)| *label).collect();
        let begin = unwound.label(cx, to_id[farthest]);
        let steps = to_id[farthest + 1..].iter().map(|&id| unwound.graph.step(unwound.arg.node(id).step)).collect();
        let solver = cx.solver(&self.solvers)?;
        let mut segment = Segment::new(cx, solver, begin, steps, &labels)?;
        while !group.is_empty() {
            let all = cx.pool.and_all(group.iter().map(|(_, label)| *label).collect::<Vec<_>>());
            match segment.misses(cx, all)? {
                Sat::Sat => {
                    let n_before = group.len();
                    let mut kept = Vec::with_capacity(n_before);
                    for (candidate, label) in group {
                        if segment.ends_in(cx, label)? {
                            kept.push((candidate, label));
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
        Ok(group.into_iter().map(|(candidate, _)| candidate).collect())
    }
    /// Returns a formula for each node of `between`, the last of which implies `wanted`; `None` if none was found.
    fn reasons(
        &mut self,
        cx: &mut Ctx<'_>,
        unwound: &Unwound<'_>,
        label: ExprId,
        between: &[NodeId],
        wanted: ExprId,
    ) -> Result<Option<Vec<ExprId>>, Stop> {
        let (begin, end) = (assumption(label), assumption(cx.pool.not(wanted)));
        let mut steps = vec![assume(&begin)];
        steps.extend(between.iter().map(|&id| unwound.graph.step(unwound.arg.node(id).step)));
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
    /// Puts a path from states of `begin` into a solver, with the variables of `labels` at its end.
    fn new(
        cx: &mut Ctx<'_>,
        mut solver: Box<dyn Solver>,
        begin: ExprId,
        steps: Vec<Step<'_>>,
        labels: &[ExprId],
    ) -> Result<Segment, Stop> {
        let path = Path::with_end(&cx.pool, steps, cx.pool.vars_of(labels));
        solver.assert(&cx.pool, begin, 0)?;
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
