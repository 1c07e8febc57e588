//! Interpolants by cvc5's synthesis.

use super::read::read;
use super::term::Terms;
use crate::expr::{ExprId, ExprPool, FastMap, Sort};
use crate::smt::{Interrupt, Sat, SolverError, solver_for};

/// Returns an expression over the variables that `a` and `b` share, implied by `a` and implying `b`.
///
/// Shape:     `None` if none was found within about `limit_ms`, or it has an operator that we do not have.
/// Cost:      synthesis; good for a single step, hopeless for many.
/// Soundness: both implications are checked by queries of their own.
pub fn interpolant(
    pool: &mut ExprPool,
    a: ExprId,
    b: ExprId,
    limit_ms: u64,
    interrupt: &Interrupt,
) -> Result<Option<ExprId>, SolverError> {
    let mut plain = true;
    pool.visit(&[a, b], |e| {
        plain &= pool.sort(e).is_bits() || pool.sort(e) == Sort::Int;
        plain
    });
    if interrupt.is_raised() || !plain {
        return Ok(None);
    }
    let mut terms = Terms::new();
    let (premise, conjecture) = (terms.formula(pool, a, 0)?, terms.formula(pool, b, 0)?);
    let shared: Vec<_> = pool.vars_of(&[a]).intersection(&pool.vars_of(&[b])).copied().collect();
    let mut vars = FastMap::default();
    for &var in &shared {
        let e = pool.var(var);
        vars.insert(terms.term(pool, e, 0)?.id(), var);
    }
    let mut solver = cvc5::Solver::new(&terms.manager);
    solver.set_option("produce-interpolants", "true")?;
    solver.set_option("tlimit-per", &limit_ms.max(1).to_string())?;
    solver.assert_formula(premise)?;
    // After a failure of synthesis there is only no result.
    let Ok(Some(found)) = solver.get_interpolant(conjecture) else { return Ok(None) };
    let Some(found) = read(pool, &found, &vars)? else { return Ok(None) };
    if !pool.vars_of(&[found]).iter().all(|var| shared.contains(var)) {
        return Ok(None);
    }
    for (from, to) in [(a, found), (found, b)] {
        let mut solver = solver_for(pool, &[from, to], interrupt)?;
        solver.limit(Some(limit_ms));
        let not_to = pool.not(to);
        solver.assert(pool, from, 0)?;
        match solver.check(pool, &[(not_to, 0)])? {
            Sat::Unsat => {}
            Sat::Sat => return Err(SolverError("what was synthesised is no interpolant".into())),
            Sat::Unknown(_) => return Ok(None),
        }
    }
    Ok(Some(found))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expr::{BvCmp, Value};

    #[test]
    fn what_lies_between_two_formulas_is_found() {
        let mut pool = ExprPool::new();
        let (x, y, z) = (pool.new_var("x", Sort::BitVec(8)), pool.new_var("y", Sort::BitVec(8)), pool.new_var("z", Sort::Bool));
        let (x, y, z) = (pool.var(x), pool.var(y), pool.var(z));
        let (three, nine) = (pool.constant(Value::bv(8, 3)), pool.constant(Value::bv(8, 9)));
        // y = 3 and x = y; x < 9 or z.
        let (y_is, same) = (pool.eq(y, three), pool.eq(x, y));
        let a = pool.and(y_is, same);
        let below = pool.bv_cmp(BvCmp::Ult, x, nine);
        let b = pool.or(below, z);
        let found = interpolant(&mut pool, a, b, 5_000, &Interrupt::default()).unwrap().unwrap();
        assert!(pool.vars_of(&[found]).len() <= 1);
        // There is no interpolant between a formula and one that does not follow from it.
        let never = pool.not(below);
        assert_eq!(interpolant(&mut pool, a, never, 500, &Interrupt::default()), Ok(None));
    }
}
