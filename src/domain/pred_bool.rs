//! `PRED_BOOL`: the strongest Boolean combination of the tracked predicates. States are decision diagrams over the
//! predicates, so coverage is cheap.
//!
//! Source: Hajdu, Micskei, JAR 2020, §2.2.1 "Predicate abstraction".

use std::collections::{BTreeMap, BTreeSet};

use biodivine_lib_bdd::{Bdd, BddPartialValuation, BddVariable, BddVariableSet};

use super::bdd;
use super::step_solver::{self, StepSolvers};
use super::{Domain, Precision, Step, StepId};
use crate::engine::{Ctx, MakeSolver, Stop};
use crate::expr::{ExprId, ExprPool, Subst, Value, VarId};
use crate::smt::{Sat, Solver};
use crate::verdict::Reason;

/// The tracked predicates.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PredPrec {
    /// Bool expressions over the variables of the state.
    pub preds: BTreeSet<ExprId>,
}

impl Precision for PredPrec {
    fn join(&mut self, other: &Self) -> bool {
        let before = self.preds.len();
        self.preds.extend(&other.preds);
        before < self.preds.len()
    }
    fn restrict(&self, pool: &ExprPool, live: &BTreeSet<VarId>) -> Self {
        let is_live = |&&pred: &&ExprId| !pool.vars_of(&[pred]).is_disjoint(live);
        PredPrec { preds: self.preds.iter().filter(is_live).copied().collect() }
    }
    fn size(&self) -> usize {
        self.preds.len()
    }
    fn describe(&self, pool: &ExprPool) -> Vec<String> {
        self.preds.iter().map(|&pred| pool.show(pred)).collect()
    }
}

/// A Boolean combination of predicates.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct PredState(Bdd);

/// The Boolean predicate domain.
pub struct PredBool {
    set: &'static BddVariableSet,
    vars: Vec<BddVariable>,
    preds: Vec<ExprId>,
    index: BTreeMap<ExprId, BddVariable>,
    solvers: StepSolvers,
    /// Predicates after each step, as expressions before it.
    before: BTreeMap<StepId, Subst>,
}

impl PredBool {
    /// Nothing known yet.
    pub fn new(solvers: MakeSolver) -> PredBool {
        let set = bdd::variables();
        PredBool {
            set,
            vars: set.variables(),
            preds: Vec::new(),
            index: BTreeMap::new(),
            solvers: StepSolvers::new(solvers),
            before: BTreeMap::new(),
        }
    }
    /// The variable that stands for `pred`.
    fn variable(&mut self, pred: ExprId) -> Result<BddVariable, Stop> {
        if let Some(&var) = self.index.get(&pred) {
            return Ok(var);
        }
        let Some(&var) = self.vars.get(self.preds.len()) else {
            return Err(Stop::Reason(Reason::Unsupported(format!("more than {} predicates", self.vars.len()))));
        };
        self.preds.push(pred);
        self.index.insert(pred, var);
        Ok(var)
    }
    fn formula(&self, pool: &mut ExprPool, bdd: &Bdd) -> ExprId {
        bdd::to_expr(pool, bdd, |_, var| self.preds[var.to_index()])
    }
    /// The strongest combination of `open` after the step; `true` where the solver gives up.
    fn image(
        &mut self,
        cx: &mut Ctx<'_>,
        state: &PredState,
        step: Step<'_>,
        open: &[(BddVariable, ExprId)],
    ) -> Result<Bdd, Stop> {
        let source = self.formula(&mut cx.pool, &state.0);
        let solver = self.solvers.get(cx, step)?;
        solver.push()?;
        solver.assert(&cx.pool, source, 0)?;
        let minterms = all_sat(cx, solver, open)?;
        solver.pop()?;
        Ok(match minterms {
            Some(minterms) => self.set.mk_dnf(&minterms),
            None => self.set.mk_true(),
        })
    }
}

/// Every combination of `open` that the assertions allow; `None` if the solver gave up.
fn all_sat(
    cx: &mut Ctx<'_>,
    solver: &mut dyn Solver,
    open: &[(BddVariable, ExprId)],
) -> Result<Option<Vec<BddPartialValuation>>, Stop> {
    let mut minterms = Vec::new();
    loop {
        match step_solver::check(cx, solver, &[])? {
            Sat::Unsat => return Ok(Some(minterms)),
            Sat::Unknown(_) => return Ok(None),
            Sat::Sat => {}
        }
        let mut minterm = BddPartialValuation::empty();
        let mut others = Vec::with_capacity(open.len());
        for &(var, e) in open {
            let holds = solver.value(&cx.pool, e, 0)? == Value::Bool(true);
            minterm.set_value(var, holds);
            others.push(if holds { cx.pool.not(e) } else { e });
        }
        minterms.push(minterm);
        if open.is_empty() {
            return Ok(Some(minterms));
        }
        let other = cx.pool.or_all(others);
        solver.assert(&cx.pool, other, 0)?;
    }
}

impl Domain for PredBool {
    type State = PredState;
    type Prec = PredPrec;
    type Shelf = Vec<u32>;

    fn top(&self) -> PredState {
        PredState(self.set.mk_true())
    }
    fn post(&mut self, cx: &mut Ctx<'_>, state: &PredState, step: Step<'_>, prec: &PredPrec) -> Result<Vec<PredState>, Stop> {
        if cx.pool.is_false(step.block.guard) {
            return Ok(Vec::new());
        }
        let mut known = BddPartialValuation::empty();
        let mut open = Vec::new();
        for &pred in &prec.preds {
            let var = self.variable(pred)?;
            let before = self
                .before
                .entry(step.id)
                .or_insert_with(|| Subst::new(step.block.updates.iter().copied().collect()))
                .apply(&mut cx.pool, pred);
            match cx.pool.as_const(before) {
                Some(value) => known.set_value(var, value == Value::Bool(true)),
                None => open.push((var, before)),
            }
        }
        // Nothing to find out and nothing to be infeasible.
        let free = open.is_empty() && state.0.is_true() && cx.pool.is_true(step.block.guard);
        let image = if free { Ok(self.set.mk_true()) } else { self.image(cx, state, step, &open) };
        if image.is_err() {
            self.solvers.forget(step.id);
        }
        let image = image?.and(&self.set.mk_conjunctive_clause(&known));
        Ok(if image.is_false() { Vec::new() } else { vec![PredState(image)] })
    }
    fn leq(&self, a: &PredState, b: &PredState) -> bool {
        a.0.and_not(&b.0).is_false()
    }
    fn shelve(&self, shelf: &mut Vec<u32>, _: &PredState, key: u32) {
        shelf.push(key);
    }
    fn candidates(&self, shelf: &Vec<u32>, _: &PredState) -> Vec<u32> {
        shelf.iter().rev().copied().collect()
    }
    fn to_expr(&self, pool: &mut ExprPool, states: &[&PredState]) -> ExprId {
        let union = states.iter().fold(self.set.mk_false(), |union, state| union.or(&state.0));
        self.formula(pool, &union)
    }
    fn describe(&self, pool: &ExprPool, state: &PredState) -> String {
        if state.0.is_true() {
            return "true".to_owned();
        }
        let cubes: Vec<String> = state
            .0
            .sat_clauses()
            .take(8)
            .map(|cube| {
                let literals: Vec<String> = cube
                    .to_values()
                    .into_iter()
                    .map(|(var, holds)| format!("{}{}", if holds { "" } else { "¬" }, pool.show(self.preds[var.to_index()])))
                    .collect();
                literals.join(" ∧ ")
            })
            .collect();
        cubes.join("\n∨ ")
    }
}
