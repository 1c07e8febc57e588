//! Quantifier elimination: an equivalent of "there are values of some variables" without these variables.

use std::collections::BTreeMap;

use cvc5::Kind;

use super::read::read;
use super::term::Terms;
use crate::expr::{Expr, ExprId, ExprPool, FastMap, Sort, Value, VarId};
use crate::smt::{Interrupt, Sat, SolverError, solver_for};

/// Largest graph that our own rules may make.
const LARGEST: usize = 20_000;

/// Returns an expression without the variables `exists` that holds where `body` holds for some values of them.
///
/// Shape:     `None` if that did not succeed within about `limit_ms`, twice.
/// Cost:           equations are solved and truth values split first; cvc5 eliminates the remaining variables, if there is no
///            float.
/// Soundness: a query of its own checks that `body` implies the result. For the other direction our own rules are exact; the rest
///            is cvc5's claim.
pub fn eliminate(
    pool: &mut ExprPool,
    exists: &[VarId],
    body: ExprId,
    limit_ms: u64,
    interrupt: &Interrupt,
) -> Result<Option<ExprId>, SolverError> {
    let (mut result, left) = solve_and_split(pool, exists, body);
    if !left.is_empty() {
        let Some(eliminated) = ask(pool, &left, result, limit_ms, interrupt)? else { return Ok(None) };
        result = eliminated;
    }
    if pool.vars_of(&[result]).iter().any(|var| exists.contains(var)) {
        return Ok(None);
    }
    let mut solver = solver_for(pool, &[body, result], interrupt)?;
    solver.limit(Some(limit_ms));
    let not_result = pool.not(result);
    solver.assert(pool, body, 0)?;
    match solver.check(pool, &[(not_result, 0)])? {
        Sat::Unsat => Ok(Some(result)),
        Sat::Sat => Err(SolverError("what was eliminated does not follow".into())),
        Sat::Unknown(_) => Ok(None),
    }
}

/// Applies the exact rules. Returns the remaining body, and its remaining variables.
fn solve_and_split(pool: &mut ExprPool, exists: &[VarId], mut body: ExprId) -> (ExprId, Vec<VarId>) {
    let mut left: Vec<VarId> = exists.to_vec();
    loop {
        let present = pool.vars_of(&[body]);
        left.retain(|var| present.contains(var));
        let solved = equation(pool, &left, body).map(|(var, e)| {
            let mut by = BTreeMap::new();
            by.insert(var, e);
            pool.subst(body, &by)
        });
        let simpler = solved.or_else(|| {
            let &var = left.iter().find(|&&var| pool.var_decl(var).sort == Sort::Bool)?;
            let mut halves = [true, false].map(|value| {
                let value = pool.constant(Value::Bool(value));
                pool.subst(body, &BTreeMap::from([(var, value)]))
            });
            halves.sort();
            let both = pool.or(halves[0], halves[1]);
            (pool.size(&[both], LARGEST) < LARGEST).then_some(both)
        });
        match simpler {
            Some(simpler) => body = simpler,
            None => return (body, left),
        }
    }
}

/// Returns an equation among the conjuncts of `body` that defines one of `vars`.
fn equation(pool: &ExprPool, vars: &[VarId], body: ExprId) -> Option<(VarId, ExprId)> {
    pool.conjuncts(body).into_iter().find_map(|e| {
        let Expr::Eq(a, b) = pool.expr(e) else { return None };
        [(a, b), (b, a)].into_iter().find_map(|(var, is)| {
            let Expr::Var(var) = pool.expr(var) else { return None };
            (vars.contains(&var) && !pool.vars_of(&[is]).contains(&var)).then_some((var, is))
        })
    })
}

fn ask(
    pool: &mut ExprPool,
    exists: &[VarId],
    body: ExprId,
    limit_ms: u64,
    interrupt: &Interrupt,
) -> Result<Option<ExprId>, SolverError> {
    let Some(logic) = logic(pool, body) else { return Ok(None) };
    if interrupt.is_raised() {
        return Ok(None);
    }
    let mut terms = Terms::new();
    let mut bound = Vec::new();
    for &var in exists {
        bound.push(terms.bind(pool, var, 0)?);
    }
    let matrix = terms.formula(pool, body, 0)?;
    let mut vars = FastMap::default();
    for var in pool.vars_of(&[body]) {
        if !exists.contains(&var) {
            let var_expr = pool.var(var);
            vars.insert(terms.term(pool, var_expr, 0)?.id(), var);
        }
    }
    let list = terms.manager.mk_term(Kind::VariableList, &bound)?;
    let question = terms.manager.mk_term(Kind::Exists, &[list, matrix])?;
    let mut solver = cvc5::Solver::new(&terms.manager);
    solver.set_option("tlimit-per", &limit_ms.max(1).to_string())?;
    solver.set_logic(logic)?;
    let Ok(answer) = solver.get_quantifier_elimination(question) else { return Ok(None) };
    // A formula that it cannot handle only has no result. After its time it answers with a formula that still has a quantifier,
    // which cannot be read.
    read(pool, &answer, &vars)
}

/// Returns the logic of a body with bit vectors or integers; `None` for both, or anything else.
fn logic(pool: &ExprPool, body: ExprId) -> Option<&'static str> {
    let (mut vectors, mut integers, mut others) = (false, false, false);
    pool.visit(&[body], |e| {
        match pool.sort(e) {
            Sort::Bool => {}
            Sort::BitVec(_) => vectors = true,
            Sort::Int => integers = true,
            Sort::Float(_) | Sort::Array(..) => others = true,
        }
        !others
    });
    match (vectors, integers) {
        _ if others => None,
        (true, true) => None,
        (_, false) => Some("BV"),
        (false, true) => Some("LIA"),
    }
}
