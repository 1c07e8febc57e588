//! Predicates after a step: without a solver where nothing changes; otherwise by all-SAT or one query per predicate.
//!
//! Independent components have queries of their own ([`super::components`]): ten independent inputs are twenty combinations, not
//! a thousand. Answers are kept, because exploration after a refinement repeats most questions.

use std::collections::BTreeSet;

use biodivine_lib_bdd::{Bdd, BddPartialValuation, BddVariable};

use super::components::Components;
use super::{Factor, Pred, PredKind, PredState};
use crate::domain::step_solver;
use crate::domain::{Step, StepId};
use kernel::context::{Ctx, Stop};
use kernel::expr::{ExprId, Value};
use kernel::smt::{Sat, Solver};

/// A predicate after the step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Target {
    pub(super) var: BddVariable,
    /// Its formula before the step.
    pub(super) before: ExprId,
    /// The step does not touch it.
    pub(super) unchanged: bool,
}

/// Question to a solver.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Question {
    step: StepId,
    source: Vec<Factor>,
    under: ExprId,
    targets: Vec<Target>,
}

/// More answers than this are not kept.
const KEPT: usize = 100_000;

impl Pred {
    /// Returns the strongest combination (or conjunction) of `open` after the step, in parts without common predicates; nothing
    /// where the solver gives up. `None` if the step is infeasible.
    pub(super) fn image(
        &mut self,
        cx: &mut Ctx<'_>,
        state: &PredState,
        step: Step<'_>,
        open: &[Target],
        under: ExprId,
    ) -> Result<Option<Vec<Bdd>>, Stop> {
        let factors: Vec<Factor> = state.factors().cloned().collect();
        // An abstract state stands for some data state, so a step without a condition is feasible.
        let unconditional = cx.pool.is_true(step.block.guard) && cx.pool.is_true(under);
        if !unconditional && self.ask(cx, &factors, step, &[], under)?.is_false() {
            return Ok(None);
        }
        let components = Components::new(cx, self, &factors, step, open, under);
        let mut parts = Vec::with_capacity(components.parts.len());
        for component in components.parts {
            let part = if component.is_free && component.targets.iter().all(|t| t.unchanged && component.source.contains(&t.var))
            {
                // The state already decides these.
                let targets: BTreeSet<BddVariable> = component.targets.iter().map(|t| t.var).collect();
                let dropped: Vec<BddVariable> = component.source.difference(&targets).copied().collect();
                let kept = self.conjunction_of(&component.factors).exists(&dropped);
                if self.kind == PredKind::Cart { self.conjunction(&kept) } else { kept }
            } else {
                self.ask(cx, &component.factors, step, &component.targets, under)?
            };
            parts.push(part);
        }
        Ok(Some(parts))
    }
    /// Returns the literals that a diagram implies.
    fn conjunction(&self, bdd: &Bdd) -> Bdd {
        let mut literals = BddPartialValuation::empty();
        for var in Pred::support(bdd) {
            for value in [true, false] {
                if bdd.select(&[(var, !value)]).is_false() {
                    literals.set_value(var, value);
                }
            }
        }
        self.set.mk_conjunctive_clause(&literals)
    }
    /// Returns the solver's answer, a remembered one if there is one. FALSE iff the step is infeasible.
    fn ask(
        &mut self,
        cx: &mut Ctx<'_>,
        source: &[Factor],
        step: Step<'_>,
        targets: &[Target],
        under: ExprId,
    ) -> Result<Bdd, Stop> {
        let question = Question { step: step.id, source: source.to_vec(), under, targets: targets.to_vec() };
        if let Some(answer) = self.known.get(&question) {
            return Ok(answer.clone());
        }
        let source = self.formulas(&mut cx.pool, source);
        let solver = self.solvers.get(cx, step)?;
        solver.push()?;
        solver.assert(&cx.pool, source, 0)?;
        solver.assert(&cx.pool, under, 0)?;
        let cubes = match self.kind {
            PredKind::Bool | PredKind::Split => all_sat(cx, solver, targets)?,
            PredKind::Cart => cartesian(cx, solver, targets)?,
        };
        solver.pop()?;
        let Some(cubes) = cubes else {
            // Undecided questions are not kept.
            return Ok(self.set.mk_true());
        };
        let answer = self.set.mk_dnf(&cubes);
        if KEPT <= self.known.len() {
            self.known.clear();
        }
        self.known.insert(question, answer.clone());
        Ok(answer)
    }
}

/// Returns whether `target` holds in the solver's model.
fn holds(cx: &Ctx<'_>, solver: &mut dyn Solver, target: &Target) -> Result<bool, Stop> {
    Ok(solver.value(&cx.pool, target.before, 0)? == Value::Bool(true))
}

/// Returns every combination of `targets` that the assertions allow; `None` if the solver gave up.
fn all_sat(cx: &mut Ctx<'_>, solver: &mut dyn Solver, targets: &[Target]) -> Result<Option<Vec<BddPartialValuation>>, Stop> {
    let mut minterms = Vec::new();
    loop {
        match step_solver::check(cx, solver, &[])? {
            Sat::Unsat => return Ok(Some(minterms)),
            Sat::Unknown(_) => return Ok(None),
            Sat::Sat => {}
        }
        let mut minterm = BddPartialValuation::empty();
        let mut others = Vec::with_capacity(targets.len());
        for target in targets {
            let holds = holds(cx, solver, target)?;
            minterm.set_value(target.var, holds);
            others.push(if holds { cx.pool.not(target.before) } else { target.before });
        }
        minterms.push(minterm);
        if targets.is_empty() {
            return Ok(Some(minterms));
        }
        let other = cx.pool.or_all(others);
        solver.assert(&cx.pool, other, 0)?;
    }
}

/// Returns the conjunction of the literals of `targets` that the assertions imply, as one cube; no cube if they contradict each
/// other; `None` if the solver gave up before that was decided.
///
/// Cost: at most 1 + |targets| checks: a literal that some model violates is not asked for.
fn cartesian(cx: &mut Ctx<'_>, solver: &mut dyn Solver, targets: &[Target]) -> Result<Option<Vec<BddPartialValuation>>, Stop> {
    match step_solver::check(cx, solver, &[])? {
        Sat::Unsat => return Ok(Some(Vec::new())),
        Sat::Unknown(_) => return Ok(None),
        Sat::Sat => {}
    }
    let mut candidates: Vec<(Target, bool)> = Vec::with_capacity(targets.len());
    for target in targets {
        candidates.push((*target, holds(cx, solver, target)?));
    }
    let mut cube = BddPartialValuation::empty();
    while let Some((target, value)) = candidates.pop() {
        let opposite = if value { cx.pool.not(target.before) } else { target.before };
        match step_solver::check(cx, solver, &[(opposite, 0)])? {
            Sat::Unsat => cube.set_value(target.var, value),
            Sat::Unknown(_) => {}
            Sat::Sat => {
                let mut kept = Vec::with_capacity(candidates.len());
                for (other, value) in candidates {
                    if holds(cx, solver, &other)? == value {
                        kept.push((other, value));
                    }
                }
                candidates = kept;
            }
        }
    }
    Ok(Some(vec![cube]))
}
