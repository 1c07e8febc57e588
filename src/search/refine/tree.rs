//! Tree interpolants of a nested path, by binary interpolation.
//!
//! A nested path has completed calls: from the step that enters an activation to the step that returns. Each call is a subtree
//! of its own. Its interpolant relates the values at the return with those at entry and names nothing else of the caller. So it
//! is a summary of the callee, and the path around the call is refuted with the summary in place of the call.
//!
//! The calls of an activation are treated from the last to the first one. The interpolant of a call is the weakest relation that
//! the rest of the activation needs, with the variables of the caller eliminated. It is made simpler as long as the callee implies
//! it, and is then the goal of the callee's own path.
//!
//! Source: papers/block-abstraction-memoization, §2.6.3 (tree interpolants; Algorithm 7: each interpolant is binary and later ones
//! see it in place of its subtree) and §4.5.4 (copies of values at entry; Algorithms 13 and 14: the tree of a path).

use std::collections::{BTreeMap, BTreeSet};

use super::core::Core;
use super::eliminate::forall;
use super::interpolate::{Missing, precondition};
use super::path::{Path, Tools, TraceChecker};
use super::reduce::{reduce, reduce_first};
use super::verify::follows;
use crate::domain::{Step, StepId};
use kernel::cfa::{Block, BlockInput};
use kernel::context::{Ctx, Stop};
use kernel::expr::{ExprId, ExprPool, VarId};
use kernel::smt::SolverError;

/// Completed call of a path.
#[derive(Clone, Debug)]
pub struct NestedCall {
    /// Position of the step that enters the activation. It gives each of `old` its value.
    pub enter: usize,
    /// Position of the step that returns.
    pub leave: usize,
    /// Variables that callers share with the activation, each with the variable of its value at entry. The latter belong to
    /// this activation alone.
    pub state: Vec<(VarId, VarId)>,
    /// The shared variables that the callee may write.
    pub written: BTreeSet<VarId>,
    /// TRUE: the callee may call itself, so it has any number of paths, and relations of single paths do not suffice.
    pub recursive: bool,
}

/// Interpolants of an infeasible nested path.
#[derive(Clone, Debug)]
pub struct TreeItps {
    /// One for each frame, over the variables of the activation that the frame belongs to.
    pub frames: Vec<ExprId>,
    /// One for each completed call: over the shared variables at its return, and their values at entry.
    pub summaries: Vec<ExprId>,
}

/// Path of one activation. Its frame 0 is the path's frame `base`.
struct Activation<'a> {
    steps: Vec<Step<'a>>,
    base: usize,
    /// Its completed calls and those inside of them, with positions in the whole path.
    calls: Vec<usize>,
}

/// Tree interpolation of one path.
pub(super) struct Tree<'t, 'a> {
    tools: &'t mut Tools,
    steps: &'t [Step<'a>],
    calls: &'t [NestedCall],
    found: TreeItps,
    /// Value after a call, for each variable that some callee writes.
    results: BTreeMap<VarId, VarId>,
}

impl<'t, 'a> Tree<'t, 'a> {
    /// Returns the interpolants of an infeasible path; `None` if elimination gave up.
    ///
    /// Cost:      for each call a check of the callee's path, and the elimination of the caller's variables.
    /// Stops:     cancelled, or a solver failed.
    /// Soundness: each formula follows from the one before it and the step or summary between them. Each summary follows from the
    ///            path of its call, entered with any values. Checked in debug builds.
    pub(super) fn interpolants(
        cx: &mut Ctx<'_>,
        tools: &'t mut Tools,
        checker: &mut TraceChecker<'t, 'a>,
        core: Core,
        calls: &'t [NestedCall],
    ) -> Result<Option<TreeItps>, Stop> {
        let steps: &'t [Step<'a>] = &checker.path.steps;
        let yes = cx.pool.bool(true);
        let found = TreeItps { frames: vec![yes; steps.len() + 1], summaries: vec![yes; calls.len()] };
        let mut tree = Tree { tools, steps, calls, found, results: BTreeMap::new() };
        let main = Activation { steps: steps.to_vec(), base: 0, calls: (0..calls.len()).collect() };
        let goal = cx.pool.bool(false);
        tree.found.frames[steps.len()] = goal;
        let complete = tree.activation(cx, &main, checker, core, goal)?;
        Ok(complete.then_some(tree.found))
    }
    /// Computes the formulas of an activation from its end to its start. `core` makes its path imply `goal`. Returns FALSE if
    /// elimination gave up.
    fn activation<'b>(
        &mut self,
        cx: &mut Ctx<'_>,
        activation: &Activation<'b>,
        checker: &mut TraceChecker<'_, 'b>,
        mut core: Core,
        goal: ExprId,
    ) -> Result<bool, Stop> {
        let base = activation.base;
        let (mut frame, mut after) = (activation.steps.len(), goal);
        while 1 < frame {
            cx.tick()?;
            let completed = activation.calls.iter().copied().find(|call| self.calls[*call].leave + 1 == base + frame);
            let before = match completed {
                _ if cx.pool.is_true(after) => {
                    frame -= 1;
                    Some(after)
                }
                Some(call) => {
                    frame = self.calls[call].enter - base;
                    match self.around(cx, checker, frame, call, after)? {
                        Some(causes) => {
                            core.replace_prefix(frame, causes);
                            Some(after)
                        }
                        None => {
                            let before = self.call(cx, activation, checker, &core, call, after)?;
                            if let (Some(before), false) = (before, self.calls[call].recursive)
                                && let Some(causes) = checker.prefix_implies(cx, frame, before)?
                            {
                                core.replace_prefix(frame, causes);
                            }
                            before
                        }
                    }
                }
                None => {
                    frame -= 1;
                    self.step(cx, checker, &core, frame, after)?
                }
            };
            let Some(before) = before else { return Ok(false) };
            let yes = cx.pool.bool(true);
            let (simpler, causes) = reduce(cx, checker, frame, before, yes)?;
            if let Some(causes) = causes {
                core.replace_prefix(frame, causes);
            }
            after = simpler;
            self.found.frames[base + frame] = after;
        }
        if cfg!(debug_assertions) {
            self.verify(cx, activation, goal)?;
        }
        Ok(true)
    }
    /// Returns the weakest precondition of a step, as far as the causes need it.
    fn step<'b>(
        &mut self,
        cx: &mut Ctx<'_>,
        checker: &TraceChecker<'_, 'b>,
        core: &Core,
        i: usize,
        after: ExprId,
    ) -> Result<Option<ExprId>, Stop> {
        match precondition(cx, self.tools, checker, core, i, after, Missing::Arbitrary)? {
            Some(before) => Ok(Some(before)),
            None => precondition(cx, self.tools, checker, core, i, after, Missing::Kept),
        }
    }
    /// Returns the causes of a formula before a call that does not matter to it: the call writes nothing that it is about, and the
    /// path before the call implies it. The summary of the call stays TRUE.
    fn around<'b>(
        &self,
        cx: &mut Ctx<'_>,
        checker: &mut TraceChecker<'_, 'b>,
        frame: usize,
        call: usize,
        after: ExprId,
    ) -> Result<Option<Core>, Stop> {
        if !cx.pool.vars_of(&[after]).is_disjoint(&self.calls[call].written) {
            return Ok(None);
        }
        checker.prefix_implies(cx, frame, after)
    }
    /// Returns the formula before a completed call: with the interpolant of the call it implies `after`.
    fn call<'b>(
        &mut self,
        cx: &mut Ctx<'_>,
        activation: &Activation<'b>,
        checker: &mut TraceChecker<'_, 'b>,
        core: &Core,
        call: usize,
        after: ExprId,
    ) -> Result<Option<ExprId>, Stop> {
        let all = self.calls;
        let NestedCall { enter, leave, state, .. } = &all[call];
        let Some((relation, known)) = self.relation(cx, checker, core, enter - activation.base, call, after)? else {
            return Ok(None);
        };
        // The path of the callee alone, entered with any values.
        let entered = entered(&mut cx.pool, state);
        let mut steps: Vec<Step<'_>> = vec![Step { id: StepId::ASSUMPTION, block: &entered }];
        steps.extend(&self.steps[enter + 1..=*leave]);
        let path = Path::with_end(&cx.pool, steps.clone(), cx.pool.vars_of(&[relation]));
        let mut inner = TraceChecker::new(cx, self.tools, &path)?;
        let yes = cx.pool.bool(true);
        // Results say more about other calls than arguments do.
        let olds = state.iter().map(|(_, old)| *old).collect();
        let (relation, causes) =
            if known.is_none() { reduce_first(cx, &mut inner, steps.len(), relation, yes, &olds)? } else { (relation, None) };
        let causes = match causes {
            Some(causes) => Some(causes),
            None => inner.prefix_implies(cx, steps.len(), relation)?,
        };
        let Some(causes) = causes else { return Ok(None) };
        self.found.summaries[call] = relation;
        let is_inside = |other: &usize| *enter < all[*other].enter && all[*other].leave < *leave;
        let calls = activation.calls.iter().copied().filter(is_inside).collect();
        if !self.activation(cx, &Activation { steps, base: *enter, calls }, &mut inner, causes, relation)? {
            return Ok(None);
        }
        if known.is_some() {
            return Ok(known);
        }
        let summary = self.summary(&mut cx.pool, call);
        let by = summary.updates.iter().copied().collect();
        let after = cx.pool.subst(after, &by);
        let before = cx.pool.implies(summary.guard, after);
        forall(cx, &self.tools.make, before, &summary.inputs.iter().map(|input| input.var).collect())
    }
    /// Returns a relation of a call that suffices for the rest of its caller. For a call that is not recursive it is that of its path,
    /// with the formula before the call; the guards of the path are added where they matter.
    fn relation<'b>(
        &mut self,
        cx: &mut Ctx<'_>,
        checker: &mut TraceChecker<'_, 'b>,
        core: &Core,
        n_steps: usize,
        call: usize,
        after: ExprId,
    ) -> Result<Option<(ExprId, Option<ExprId>)>, Stop> {
        let all = self.calls;
        let NestedCall { enter, leave, recursive, .. } = &all[call];
        let path = if *recursive { None } else { executed(&mut cx.pool, &self.steps[enter + 1..=*leave], &all[call], after) };
        if let Some((guard, values)) = path {
            let arguments = self.arguments(call);
            let now = values.iter().map(|(var, e)| (*var, cx.pool.subst(*e, &arguments))).collect();
            let after = cx.pool.subst(after, &now);
            let mut relation = cx.pool.bool(true);
            for (var, value) in &values {
                let var = cx.pool.var(*var);
                let equal = cx.pool.eq(var, *value);
                relation = cx.pool.and(relation, equal);
            }
            if checker.prefix_implies(cx, n_steps, after)?.is_some() {
                return Ok(Some((relation, Some(after))));
            }
            let entered = cx.pool.subst(guard, &arguments);
            let before = cx.pool.implies(entered, after);
            if checker.prefix_implies(cx, n_steps, before)?.is_some() {
                return Ok(Some((cx.pool.and(relation, guard), Some(before))));
            }
        }
        Ok(self.needed(cx, checker, core, n_steps, call, after)?.map(|relation| (relation, None)))
    }
    /// Returns the relation of a call that the rest of its caller needs: between the values at entry and those at the return.
    fn needed<'b>(
        &mut self,
        cx: &mut Ctx<'_>,
        checker: &TraceChecker<'_, 'b>,
        core: &Core,
        n_steps: usize,
        call: usize,
        after: ExprId,
    ) -> Result<Option<ExprId>, Stop> {
        let all = self.calls;
        let NestedCall { state, written, .. } = &all[call];
        let results = self.results(&mut cx.pool, written);
        let by = results.iter().map(|(var, result)| (*var, cx.pool.var(*result))).collect();
        let mut now = cx.pool.subst(after, &by);
        let arguments = self.arguments(call);
        for (_, old) in state {
            if let Some(value) = arguments.get(old) {
                let old = cx.pool.var(*old);
                let named = cx.pool.eq(old, *value);
                now = cx.pool.implies(named, now);
            }
        }
        for i in (0..n_steps).rev() {
            match self.step(cx, checker, core, i, now)? {
                Some(before) => now = before,
                None => return Ok(None),
            }
        }
        let kept: BTreeSet<VarId> = state.iter().map(|(_, old)| *old).chain(results.values().copied()).collect();
        let eliminated = cx.pool.vars_of(&[now]).difference(&kept).copied().collect();
        let Some(relation) = forall(cx, &self.tools.make, now, &eliminated)? else { return Ok(None) };
        let by = results.iter().map(|(var, result)| (*result, cx.pool.var(*var))).collect();
        Ok(Some(cx.pool.subst(relation, &by)))
    }
    /// Returns the values that the activation of a call keeps from its entry, over the variables before the call.
    fn arguments(&self, call: usize) -> BTreeMap<VarId, ExprId> {
        self.steps[self.calls[call].enter].block.updates.iter().copied().collect()
    }
    /// Returns a variable for the value of each written variable after a call.
    fn results(&mut self, pool: &mut ExprPool, written: &BTreeSet<VarId>) -> BTreeMap<VarId, VarId> {
        let mut result = |var: &VarId| {
            *self.results.entry(*var).or_insert_with(|| {
                let decl = pool.var_decl(*var).clone();
                pool.new_var(format!("{}#result", decl.name), decl.sort)
            })
        };
        written.iter().map(|var| (*var, result(var))).collect()
    }
    /// Returns the interpolant of a call as a step in place of the call.
    fn summary(&mut self, pool: &mut ExprPool, call: usize) -> Block {
        let all = self.calls;
        let results = self.results(pool, &all[call].written);
        let updates: Vec<(VarId, ExprId)> = results.iter().map(|(var, result)| (*var, pool.var(*result))).collect();
        let is_old = |var: &VarId| all[call].state.iter().any(|(_, old)| old == var);
        let arguments = self.arguments(call).into_iter().filter(|(var, _)| is_old(var));
        let by = arguments.chain(updates.iter().copied()).collect();
        let guard = pool.subst(self.found.summaries[call], &by);
        Block { guard, updates, inputs: results.values().map(|var| BlockInput { var: *var, origin: None }).collect() }
    }
    /// Fails if a formula of an activation does not follow from the one before it. A failure is a bug of Scanproof.
    fn verify(&mut self, cx: &mut Ctx<'_>, activation: &Activation<'_>, goal: ExprId) -> Result<(), Stop> {
        let base = activation.base;
        let yes = cx.pool.bool(true);
        let (mut frame, mut before) = (0, yes);
        while frame < activation.steps.len() {
            let entering = activation.calls.iter().copied().find(|call| self.calls[*call].enter == base + frame && frame != 0);
            let (block, next) = match entering {
                Some(call) => (self.summary(&mut cx.pool, call), self.calls[call].leave + 1 - base),
                None => (activation.steps[frame].block.clone(), frame + 1),
            };
            // The frame behind the return belongs to the caller.
            let after = if next == activation.steps.len() { goal } else { self.found.frames[base + next] };
            if !follows(cx, &self.tools.make, before, &block, after)? {
                return Err(Stop::Solver(SolverError(format!("not a tree interpolant: at {}", base + next))));
            }
            (frame, before) = (next, after);
        }
        Ok(())
    }
}

/// Returns the guard of the path of a call, and its values at the return as far as `after` is about them. Both are over the values
/// at entry. `None` if they depend on inputs.
fn executed(
    pool: &mut ExprPool,
    steps: &[Step<'_>],
    call: &NestedCall,
    after: ExprId,
) -> Option<(ExprId, BTreeMap<VarId, ExprId>)> {
    let mut now: BTreeMap<VarId, ExprId> = call.state.iter().map(|(var, old)| (*var, pool.var(*old))).collect();
    let mut guard = pool.bool(true);
    for Step { block, .. } in steps {
        let here = pool.subst(block.guard, &now);
        guard = pool.and(guard, here);
        let values: Vec<(VarId, ExprId)> = block.updates.iter().map(|(var, e)| (*var, pool.subst(*e, &now))).collect();
        now.extend(values);
    }
    let wanted = pool.vars_of(&[after]);
    let values: BTreeMap<VarId, ExprId> =
        call.written.intersection(&wanted).filter_map(|var| Some((*var, *now.get(var)?))).collect();
    let olds: BTreeSet<VarId> = call.state.iter().map(|(_, old)| *old).collect();
    let all: Vec<ExprId> = values.values().copied().chain([guard]).collect();
    pool.vars_of(&all).is_subset(&olds).then_some((guard, values))
}

/// Returns the step that keeps the values at entry.
fn entered(pool: &mut ExprPool, state: &[(VarId, VarId)]) -> Block {
    let mut updates: Vec<(VarId, ExprId)> = state.iter().map(|(var, old)| (*old, pool.var(*var))).collect();
    updates.sort_unstable_by_key(|(var, _)| *var);
    Block { guard: pool.bool(true), updates, inputs: Vec::new() }
}
