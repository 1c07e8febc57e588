//! Implication between abstraction formulas, decided by a solver. Answers are kept.

use std::collections::BTreeSet;

use crate::domain::check;
use kernel::context::{Ctx, MakeSolver, Stop};
use kernel::expr::{Expr, ExprId, ExprPool, FastMap};
use kernel::smt::{Sat, Solver};

/// More answers than this are not kept.
const KEPT: usize = 100_000;

/// Cache of implications between formulas.
pub(super) struct Entailment {
    make: MakeSolver,
    solver: Option<Box<dyn Solver>>,
    known: FastMap<(ExprId, ExprId), bool>,
}

impl Entailment {
    pub(super) fn new(make: MakeSolver) -> Entailment {
        Entailment { make, solver: None, known: FastMap::default() }
    }
    /// Returns whether `a` implies `b`; `false` if the solver gave up.
    pub(super) fn holds(&mut self, cx: &mut Ctx<'_>, a: ExprId, b: ExprId) -> Result<bool, Stop> {
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
        let mut solver = match self.solver.take() {
            Some(solver) => solver,
            None => cx.solver(&self.make)?,
        };
        let answer = check(cx, &mut *solver, &[(a, 0), (not_b, 0)]);
        self.solver = Some(solver);
        let holds = answer? == Sat::Unsat;
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
