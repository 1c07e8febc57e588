//! The predicate analysis of all approaches: abstraction formulas as diagrams over predicates, or as formulas.
//!
//! Diagrams make coverage cheap and are strengthened by new predicates only. Formulas are as they were found; a solver decides
//! coverage, and a formula that holds at a state can be added to it.
//!
//! Source: papers/unifying-smt-verification (Beyer, Dangl, Wendler), §3.1.1, §3.1.5, §3.2.4.

use super::entailment::Entailment;
use super::{Pred, PredKind, PredPrec, PredState, Split};
use crate::domain::{Domain, Refutation, RefutationToPrec, Step};
use kernel::context::{Ctx, MakeSolver, Stop};
use kernel::expr::{ExprId, ExprPool};

/// Representation of abstraction formulas.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Representation {
    /// A binary decision diagram over the predicates.
    #[default]
    Bdd,
    /// A formula over the variables.
    Formula,
}

impl Representation {
    /// Words of the option.
    pub const NAMED: [(&str, Representation); 2] = [("BDD", Representation::Bdd), ("SMT", Representation::Formula)];

    /// Returns the word of the option.
    pub const fn word(self) -> &'static str {
        match self {
            Representation::Bdd => Representation::NAMED[0].0,
            Representation::Formula => Representation::NAMED[1].0,
        }
    }
}

/// Abstraction formula of a state.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum AbstractionFormula {
    /// As diagrams.
    Bdd(PredState),
    /// As a formula.
    Formula(ExprId),
}

/// Question that a new state is asked where no predicate is tracked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WithoutPredicates {
    /// Feasibility of the step, as if the predicate FALSE were tracked everywhere.
    Feasibility,
    /// Nothing: the state is TRUE.
    Nothing,
}

/// The predicate analysis.
pub struct Predicates {
    representation: Representation,
    without_predicates: WithoutPredicates,
    pred: Pred,
    entailment: Entailment,
    yes: ExprId,
}

impl Predicates {
    /// Returns the domain without cached answers.
    pub fn new(
        pool: &mut ExprPool,
        (kind, split): (PredKind, Split),
        representation: Representation,
        without_predicates: WithoutPredicates,
        solvers: MakeSolver,
    ) -> Predicates {
        let entailment = Entailment::new(solvers.clone());
        let pred = Pred::new(kind, split, solvers);
        Predicates { representation, without_predicates, pred, entailment, yes: pool.bool(true) }
    }
    /// Returns the formula of a state.
    pub fn formula(&self, pool: &mut ExprPool, state: &AbstractionFormula) -> ExprId {
        match state {
            AbstractionFormula::Bdd(state) => self.pred.to_expr(pool, &[state]),
            AbstractionFormula::Formula(e) => *e,
        }
    }
    /// Returns the state of which `fact` holds as well.
    pub fn strengthened(&self, pool: &mut ExprPool, state: &AbstractionFormula, fact: ExprId) -> AbstractionFormula {
        let formula = self.formula(pool, state);
        AbstractionFormula::Formula(pool.and(formula, fact))
    }
    /// Returns whether the abstraction formula is FALSE by its form.
    pub fn is_false(&self, pool: &ExprPool, state: &AbstractionFormula) -> bool {
        match state {
            // A diagram of a state is never FALSE.
            AbstractionFormula::Bdd(_) => false,
            AbstractionFormula::Formula(e) => pool.is_false(*e),
        }
    }
}

impl Domain for Predicates {
    type State = AbstractionFormula;
    type Prec = PredPrec;
    type Shelf = Vec<u32>;

    fn top(&self) -> AbstractionFormula {
        match self.representation {
            Representation::Bdd => AbstractionFormula::Bdd(self.pred.top()),
            Representation::Formula => AbstractionFormula::Formula(self.yes),
        }
    }
    fn post_under(
        &mut self,
        cx: &mut Ctx<'_>,
        state: &AbstractionFormula,
        step: Step<'_>,
        prec: &PredPrec,
        under: ExprId,
    ) -> Result<Vec<AbstractionFormula>, Stop> {
        if self.without_predicates == WithoutPredicates::Nothing && prec.preds.is_empty() {
            let is_infeasible = cx.pool.is_false(step.block.guard) || cx.pool.is_false(under);
            return Ok(if is_infeasible { Vec::new() } else { vec![self.top()] });
        }
        let states = match state {
            AbstractionFormula::Bdd(state) => self.pred.post_under(cx, state, step, prec, under)?,
            AbstractionFormula::Formula(e) => {
                let under = cx.pool.and(under, *e);
                let top = self.pred.top();
                self.pred.post_under(cx, &top, step, prec, under)?
            }
        };
        Ok(match self.representation {
            Representation::Bdd => states.into_iter().map(AbstractionFormula::Bdd).collect(),
            Representation::Formula => {
                let formula = |state: PredState| AbstractionFormula::Formula(self.pred.to_expr(&mut cx.pool, &[&state]));
                states.into_iter().map(formula).collect()
            }
        })
    }
    fn leq(&self, a: &AbstractionFormula, b: &AbstractionFormula) -> bool {
        match (a, b) {
            (AbstractionFormula::Bdd(a), AbstractionFormula::Bdd(b)) => self.pred.leq(a, b),
            (AbstractionFormula::Formula(a), AbstractionFormula::Formula(b)) => a == b || *b == self.yes,
            (AbstractionFormula::Bdd(_) | AbstractionFormula::Formula(_), _) => false,
        }
    }
    fn is_covered(&mut self, cx: &mut Ctx<'_>, a: &AbstractionFormula, b: &AbstractionFormula) -> Result<bool, Stop> {
        match (a, b) {
            (AbstractionFormula::Formula(a), AbstractionFormula::Formula(b)) => self.entailment.holds(cx, *a, *b),
            (AbstractionFormula::Bdd(_) | AbstractionFormula::Formula(_), _) => Ok(self.leq(a, b)),
        }
    }
    fn shelve(&self, shelf: &mut Vec<u32>, _: &AbstractionFormula, key: u32) {
        shelf.push(key);
    }
    fn candidates(&self, shelf: &Vec<u32>, _: &AbstractionFormula) -> Vec<u32> {
        shelf.iter().rev().copied().collect()
    }
    fn to_expr(&self, pool: &mut ExprPool, states: &[&AbstractionFormula]) -> ExprId {
        let (mut diagrams, mut formulas) = (Vec::new(), Vec::new());
        for state in states {
            match state {
                AbstractionFormula::Bdd(state) => diagrams.push(state),
                AbstractionFormula::Formula(e) => formulas.push(*e),
            }
        }
        let diagrams = self.pred.to_expr(pool, &diagrams);
        pool.or_all([vec![diagrams], formulas].concat())
    }
    fn describe(&self, pool: &ExprPool, state: &AbstractionFormula) -> String {
        match state {
            AbstractionFormula::Bdd(state) => self.pred.describe(pool, state),
            AbstractionFormula::Formula(e) => pool.show(*e),
        }
    }
}

impl RefutationToPrec for Predicates {
    fn to_prec(&self, pool: &mut ExprPool, refutation: &Refutation) -> Option<Vec<PredPrec>> {
        self.pred.to_prec(pool, refutation)
    }
    fn to_more_prec(&self, pool: &mut ExprPool, refutation: &Refutation) -> Option<Vec<PredPrec>> {
        self.pred.to_more_prec(pool, refutation)
    }
}
