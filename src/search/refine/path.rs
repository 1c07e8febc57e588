//! The trace checker: a path of blocks as one formula with its concrete values or its unsat core.
//!
//! Step `i` leads from frame `i` to frame `i + 1`. Every conjunct of a guard and every update is an assumption of its own: an
//! update that is not assumed gives its variable an arbitrary value. So the core consists of the guards and assignments that make
//! the path infeasible.

use std::collections::{BTreeMap, BTreeSet};

use super::core::{Core, CorePart};
use crate::domain::{Step, check};
use kernel::context::{Ctx, MakeSolver, Stop};
use kernel::expr::{ExprId, ExprPool, Value, VarId};
use kernel::smt::{Frame, Sat, Solver};

/// A path of steps, with the live variables of each frame.
#[derive(Clone, Debug)]
pub struct Path<'a> {
    /// The steps in order.
    pub steps: Vec<Step<'a>>,
    /// `live[i]`: the variables whose value in frame `i` a later step, or a question about the end, reads.
    pub live: Vec<BTreeSet<VarId>>,
}

impl<'a> Path<'a> {
    /// Returns a path, analysed.
    pub fn new(pool: &ExprPool, steps: Vec<Step<'a>>) -> Path<'a> {
        Path::with_end(pool, steps, BTreeSet::new())
    }
    /// Returns a path whose last frame is asked about `read`.
    pub fn with_end(pool: &ExprPool, steps: Vec<Step<'a>>, read: BTreeSet<VarId>) -> Path<'a> {
        let mut live = vec![read];
        for step in steps.iter().rev() {
            let after: &BTreeSet<VarId> = &live[live.len() - 1];
            let written: BTreeSet<VarId> = step.block.updates.iter().map(|(var, _)| *var).collect();
            let mut read = vec![step.block.guard];
            read.extend(step.block.updates.iter().filter(|(var, _)| after.contains(var)).map(|(_, e)| *e));
            let mut before: BTreeSet<VarId> = after.difference(&written).copied().collect();
            before.extend(pool.vars_of(&read));
            for input in &step.block.inputs {
                before.remove(&input.var);
            }
            live.push(before);
        }
        live.reverse();
        Path { steps, live }
    }
}

/// Helper variables for one state variable: a flag for its update, and its value without the update.
#[derive(Clone, Copy, Debug)]
pub(super) struct Selector {
    pub(super) kept: VarId,
    pub(super) any: VarId,
}

/// Helper variables of all paths of one run.
#[derive(Clone, Debug, Default)]
pub(super) struct Selectors(BTreeMap<VarId, Selector>);

impl Selectors {
    pub(super) fn of(&mut self, pool: &mut ExprPool, var: VarId) -> Selector {
        *self.0.entry(var).or_insert_with(|| {
            let decl = pool.var_decl(var).clone();
            Selector {
                kept: pool.new_var(format!("{}#kept", decl.name), kernel::expr::Sort::Bool),
                any: pool.new_var(format!("{}#any", decl.name), decl.sort),
            }
        })
    }
}

/// Solver and caches that refinement keeps from path to path.
pub(super) struct Tools {
    pub(super) make: MakeSolver,
    pub(super) selectors: Selectors,
}

/// Feasibility of a path.
#[derive(Clone, Debug)]
pub enum Feasibility {
    /// It can be executed: for each step the values of its inputs.
    Feasible(Vec<BTreeMap<VarId, Value>>),
    /// It cannot be executed: the causes.
    Infeasible(Core),
}

/// A path in a solver.
pub struct TraceChecker<'p, 'a> {
    /// The path.
    pub path: &'p Path<'a>,
    solver: Box<dyn Solver>,
    parts: Vec<CorePart>,
    assumptions: Vec<(ExprId, Frame)>,
}

impl<'p, 'a> TraceChecker<'p, 'a> {
    /// Puts `path` into a fresh solver.
    pub(super) fn new(cx: &mut Ctx<'_>, tools: &mut Tools, path: &'p Path<'a>) -> Result<Self, Stop> {
        let mut solver = cx.solver(&tools.make)?;
        let mut parts = Vec::new();
        let mut assumptions = Vec::new();
        for (i, step) in path.steps.iter().enumerate() {
            let frame = i as Frame;
            let conjuncts = BTreeSet::from_iter(cx.pool.conjuncts(step.block.guard));
            for conjunct in conjuncts.into_iter().filter(|e| !cx.pool.is_true(*e)) {
                parts.push(CorePart::Guard { step: i, conjunct });
                assumptions.push((conjunct, frame));
            }
            for &var in &path.live[i + 1] {
                let value = match step.block.updates.binary_search_by_key(&var, |(v, _)| *v) {
                    Ok(at) => {
                        let Selector { kept, any } = tools.selectors.of(&mut cx.pool, var);
                        let (kept, any) = (cx.pool.var(kept), cx.pool.var(any));
                        parts.push(CorePart::Update { step: i, var });
                        assumptions.push((kept, frame));
                        cx.pool.ite(kept, step.block.updates[at].1, any)
                    }
                    Err(_) => cx.pool.var(var),
                };
                solver.define(&cx.pool, var, frame + 1, value, frame)?;
            }
        }
        Ok(TraceChecker { path, solver, parts, assumptions })
    }
    /// Checks whether the path can be executed.
    ///
    /// Cost:      one check; if it is infeasible a bounded number more, to make the core smaller.
    /// Stops:     `SolverUnknown`, cancelled.
    /// Source:    core-based generalisation: Dietsch, Heizmann, Musa, Nutz, Podelski, "Craig vs. Newton in
    ///            software model checking", ESEC/FSE 2017.
    pub fn check(&mut self, cx: &mut Ctx<'_>) -> Result<Feasibility, Stop> {
        let all: Vec<usize> = (0..self.parts.len()).collect();
        match self.infeasible_with(cx, &all)? {
            Some(core) => {
                let core = self.shrink(cx, core)?;
                Ok(Feasibility::Infeasible(Core { parts: core.into_iter().map(|i| self.parts[i]).collect() }))
            }
            None => {
                let mut inputs = Vec::with_capacity(self.path.steps.len());
                for (i, step) in self.path.steps.iter().enumerate() {
                    let mut values = BTreeMap::new();
                    for input in &step.block.inputs {
                        // The path does not depend on an input that no formula mentions: zero will do.
                        let e = cx.pool.var(input.var);
                        values.insert(input.var, self.solver.value(&cx.pool, e, i as Frame)?);
                    }
                    inputs.push(values);
                }
                Ok(Feasibility::Feasible(inputs))
            }
        }
    }
    /// Returns whether some of the steps can be executed from any state.
    pub(super) fn is_feasible(&mut self, cx: &Ctx<'_>, steps: std::ops::Range<usize>) -> Result<bool, Stop> {
        let subset: Vec<usize> = (0..self.parts.len()).filter(|&i| steps.contains(&self.parts[i].step())).collect();
        Ok(self.infeasible_with(cx, &subset)?.is_none())
    }
    /// Returns the positions that suffice for infeasibility, if the path is infeasible under the assumptions at `subset`.
    fn infeasible_with(&mut self, cx: &Ctx<'_>, subset: &[usize]) -> Result<Option<Vec<usize>>, Stop> {
        let assumptions: Vec<(ExprId, Frame)> = subset.iter().map(|&i| self.assumptions[i]).collect();
        match check(cx, &mut *self.solver, &assumptions)? {
            Sat::Sat => Ok(None),
            Sat::Unsat => {
                let mut core: Vec<usize> = self.solver.core().into_iter().map(|i| subset[i]).collect();
                core.sort_unstable();
                core.dedup();
                Ok(Some(core))
            }
            Sat::Unknown(why) => Err(why.into()),
        }
    }
    /// Drops parts that are not needed: first halves, then quarters, … then single parts.
    fn shrink(&mut self, cx: &Ctx<'_>, mut core: Vec<usize>) -> Result<Vec<usize>, Stop> {
        /// Each check is a solver call on the whole path; a core need not be minimal.
        const CHECKS: usize = 64;
        let mut checks = 0;
        let mut chunk = core.len() / 2;
        while 0 < chunk && checks < CHECKS {
            let mut at = 0;
            while at < core.len() && checks < CHECKS {
                let mut smaller = core.clone();
                smaller.drain(at..(at + chunk).min(core.len()));
                checks += 1;
                match self.infeasible_with(cx, &smaller) {
                    Ok(Some(better)) => {
                        // Parts before `at` were tried at this size; those that remain keep their order.
                        at = better.iter().filter(|part| core[..at].contains(part)).count();
                        core = better;
                    }
                    Ok(None) => at += chunk,
                    // A check that gives up here costs only generality.
                    Err(Stop::Reason(kernel::verdict::Reason::SolverUnknown)) => at += chunk,
                    Err(stop) => return Err(stop),
                }
            }
            chunk /= 2;
        }
        Ok(core)
    }
    /// Returns the parts that make every execution of the first `n_steps` steps end in states of `e`. `None` if there are none,
    /// or if it was not decided.
    pub(super) fn prefix_implies(&mut self, cx: &mut Ctx<'_>, n_steps: usize, e: ExprId) -> Result<Option<Core>, Stop> {
        let positions: Vec<usize> = (0..self.parts.len()).filter(|&i| self.parts[i].step() < n_steps).collect();
        let mut assumptions: Vec<(ExprId, Frame)> = positions.iter().map(|&i| self.assumptions[i]).collect();
        assumptions.push((cx.pool.not(e), n_steps as Frame));
        match check(cx, &mut *self.solver, &assumptions)? {
            Sat::Unsat => {
                let core: BTreeSet<usize> = self.solver.core().into_iter().collect();
                // The last assumption is not a part of the path.
                let parts = positions.iter().enumerate().filter(|(at, _)| core.contains(at));
                Ok(Some(Core { parts: parts.map(|(_, &i)| self.parts[i]).collect() }))
            }
            Sat::Sat | Sat::Unknown(_) => Ok(None),
        }
    }
    /// Returns whether every state satisfies `e`; FALSE if it was not decided.
    pub(super) fn is_valid(&mut self, cx: &mut Ctx<'_>, e: ExprId) -> Result<bool, Stop> {
        let negation = cx.pool.not(e);
        Ok(matches!(check(cx, &mut *self.solver, &[(negation, 0)])?, Sat::Unsat))
    }
}
