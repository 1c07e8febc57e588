//! Predicate abstraction: `PRED_BOOL`, `PRED_CART`, `PRED_SPLIT`. States are decision diagrams over the predicates, so
//! coverage is cheap.
//!
//! The three differ in the last step only: the strongest Boolean combination of the tracked predicates, the strongest
//! conjunction, or the combination split into a state for each of its cubes.
//!
//! Measured (`perf`, locks and conveyors, single operations): a third of the time went into diagrams for `a ∧ ¬b` in coverage.
//! Most of those answers are no, so two walks from root to leaf come first (`bdd::implies`). The rest is the SAT search of
//! `image`. `cargo bench --bench hot` has images and coverage each alone.
//!
//! Source: Hajdu, Micskei, JAR 2020, §2.2.1 "Predicate abstraction", §3.1.3 "Splitting Predicates".

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use biodivine_lib_bdd::{Bdd, BddPartialValuation, BddVariable, BddVariableSet};

use super::bdd;
use super::step_solver::StepSolvers;
use super::{Domain, Precision, Step, StepId};
use kernel::context::{Ctx, MakeSolver, Stop};
use kernel::expr::{ExprId, ExprPool, FastMap, Subst, Value, VarId};
use kernel::verdict::Reason;

mod abstraction;
mod components;
mod entailment;
mod factors;
mod image;
mod reduce;
mod split;
mod state;

pub use abstraction::{AbstractionFormula, Predicates, Representation, WithoutPredicates};
pub use split::Split;
pub(super) use split::split;
use state::Factor;
pub use state::PredState;

/// Combinations of predicates that are states.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PredKind {
    /// Any Boolean combination.
    Bool,
    /// Conjunctions of literals.
    Cart,
    /// Conjunctions of literals, as many states as it takes.
    Split,
}

impl PredKind {
    /// Kinds under the names of the paper.
    pub const ALL: &[(&str, PredKind)] =
        &[("PRED_BOOL", PredKind::Bool), ("PRED_CART", PredKind::Cart), ("PRED_SPLIT", PredKind::Split)];
}

/// The tracked predicates.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
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
    fn predicates(&self) -> Vec<ExprId> {
        self.preds.iter().copied().collect()
    }
    fn describe(&self, pool: &ExprPool) -> Vec<String> {
        self.preds.iter().map(|&pred| pool.show(pred)).collect()
    }
}

/// The predicate domain.
pub struct Pred {
    kind: PredKind,
    /// Splitting of interpolants into predicates.
    pub split: Split,
    set: &'static BddVariableSet,
    vars: Vec<BddVariable>,
    preds: Vec<ExprId>,
    /// Variables of each of them.
    pred_vars: Vec<Box<[VarId]>>,
    /// Predicates about each variable, ascending.
    of_var: FastMap<VarId, Vec<BddVariable>>,
    index: BTreeMap<ExprId, BddVariable>,
    solvers: StepSolvers,
    /// Predicates after each step, as expressions before it.
    before: BTreeMap<StepId, Subst>,
    /// Cache of the solver's answers.
    known: FastMap<image::Question, Bdd>,
}

/// Part of the image that needs no solver.
struct PartialImage {
    /// Predicates that the step decides.
    known: BddPartialValuation,
    /// The others, as expressions before the step.
    open: Vec<image::Target>,
}

impl Pred {
    /// Returns the domain without cached answers.
    pub fn new(kind: PredKind, split: Split, solvers: MakeSolver) -> Pred {
        let set = bdd::variables();
        Pred {
            kind,
            split,
            set,
            vars: set.variables(),
            preds: Vec::new(),
            pred_vars: Vec::new(),
            of_var: FastMap::default(),
            index: BTreeMap::new(),
            solvers: StepSolvers::new(solvers),
            before: BTreeMap::new(),
            known: FastMap::default(),
        }
    }
    /// Returns the variable that stands for `pred`.
    fn variable(&mut self, pool: &ExprPool, pred: ExprId) -> Result<BddVariable, Stop> {
        if let Some(&var) = self.index.get(&pred) {
            return Ok(var);
        }
        let Some(&var) = self.vars.get(self.preds.len()) else {
            return Err(Stop::Reason(Reason::Unsupported(format!("more than {} predicates", self.vars.len()))));
        };
        self.preds.push(pred);
        let about: Box<[VarId]> = pool.vars_of(&[pred]).into_iter().collect();
        about.iter().for_each(|about| self.of_var.entry(*about).or_default().push(var));
        self.pred_vars.push(about);
        self.index.insert(pred, var);
        Ok(var)
    }
    fn formula(&self, pool: &mut ExprPool, bdd: &Bdd) -> ExprId {
        bdd::to_expr(pool, bdd, |_, var| self.preds[var.to_index()])
    }
    fn formulas(&self, pool: &mut ExprPool, factors: &[Factor]) -> ExprId {
        let parts: Vec<ExprId> = factors.iter().map(|factor| self.formula(pool, factor)).collect();
        pool.and_all(parts)
    }
    /// Returns the predicates on which a diagram depends, ascending.
    fn support(bdd: &Bdd) -> BTreeSet<BddVariable> {
        bdd.pointers().skip(2).map(|node| bdd.var_of(node)).collect()
    }
    /// Returns the values of the predicates of `prec` after the step that substitution alone gives.
    fn substitute(&mut self, cx: &mut Ctx<'_>, step: Step<'_>, prec: &PredPrec) -> Result<PartialImage, Stop> {
        let (mut known, mut open) = (BddPartialValuation::empty(), Vec::new());
        for &pred in &prec.preds {
            let var = self.variable(&cx.pool, pred)?;
            let before = self
                .before
                .entry(step.id)
                .or_insert_with(|| Subst::new(step.block.updates.iter().copied().collect()))
                .apply(&mut cx.pool, pred);
            match cx.pool.as_const(before) {
                Some(value) => known.set_value(var, value == Value::Bool(true)),
                None => open.push(image::Target { var, before, unchanged: before == pred }),
            }
        }
        Ok(PartialImage { known, open })
    }
    /// Returns the states of an image, given by parts that have no predicate in common.
    fn states(&self, cx: &Ctx<'_>, parts: Vec<Bdd>, open: &[image::Target]) -> Result<Vec<PredState>, Stop> {
        if parts.iter().any(Bdd::is_false) {
            return Ok(Vec::new());
        }
        let image = self.factored(parts);
        match self.kind {
            PredKind::Bool | PredKind::Cart => Ok(vec![image]),
            PredKind::Split => self.split_up(cx, &image, open),
        }
    }
    /// Returns one state for each combination of the predicates of `open`.
    ///
    /// Cost:  as many states as combinations, which may be two to the number of predicates.
    /// Stops: cancelled, also between two states of many.
    fn split_up(&self, cx: &Ctx<'_>, image: &PredState, open: &[image::Target]) -> Result<Vec<PredState>, Stop> {
        let mut states = Vec::new();
        for cube in self.conjunction_of(image.factors()).sat_clauses() {
            // Predicates that the cube leaves open, each with both values.
            let free: Vec<BddVariable> =
                open.iter().map(|target| target.var).filter(|&var| cube.get_value(var).is_none()).collect();
            let mut values = vec![false; free.len()];
            loop {
                cx.tick()?;
                let mut finer = cube.clone();
                free.iter().zip(&values).for_each(|(&var, &value)| finer.set_value(var, value));
                states.push(PredState::new(self.literals(&finer).into_iter().map(Rc::new).collect()));
                // Counts in binary; the combination after the last one is the first.
                let carry = values.iter().position(|value| !value);
                values.iter_mut().take(carry.map_or(free.len(), |at| at + 1)).for_each(|value| *value = !*value);
                if carry.is_none() {
                    break;
                }
            }
        }
        Ok(states)
    }
}

impl Domain for Pred {
    type State = PredState;
    type Prec = PredPrec;
    type Shelf = Vec<u32>;

    fn top(&self) -> PredState {
        PredState::new(Vec::new())
    }
    fn post_under(
        &mut self,
        cx: &mut Ctx<'_>,
        state: &PredState,
        step: Step<'_>,
        prec: &PredPrec,
        under: ExprId,
    ) -> Result<Vec<PredState>, Stop> {
        if cx.pool.is_false(step.block.guard) || cx.pool.is_false(under) {
            return Ok(Vec::new());
        }
        let PartialImage { known, open } = self.substitute(cx, step, prec)?;
        let image = self.image(cx, state, step, &open, under);
        if image.is_err() {
            // After an error its scopes are in an unknown state.
            self.solvers.forget(step.id);
        }
        match image? {
            Some(mut parts) => {
                parts.extend(self.literals(&known));
                self.states(cx, parts, &open)
            }
            None => Ok(Vec::new()),
        }
    }
    fn leq(&self, a: &PredState, b: &PredState) -> bool {
        self.implies(a, b)
    }
    fn shelve(&self, shelf: &mut Vec<u32>, _: &PredState, key: u32) {
        shelf.push(key);
    }
    fn candidates(&self, shelf: &Vec<u32>, _: &PredState) -> Vec<u32> {
        shelf.iter().rev().copied().collect()
    }
    fn to_expr(&self, pool: &mut ExprPool, states: &[&PredState]) -> ExprId {
        self.union(pool, states)
    }
    fn describe(&self, pool: &ExprPool, state: &PredState) -> String {
        if state.is_true() {
            return "true".to_owned();
        }
        let literal = |(var, holds): (BddVariable, bool)| {
            format!("{}{}", if holds { "" } else { "¬" }, pool.show(self.preds[var.to_index()]))
        };
        let cubes: Vec<String> = self
            .conjunction_of(state.factors())
            .sat_clauses()
            .take(8)
            .map(|cube| cube.to_values().into_iter().map(literal).collect::<Vec<_>>().join(" ∧ "))
            .collect();
        cubes.join("\n∨ ")
    }
}
