//! Values of single variables from a guard: the literals and equalities among its conjuncts.
//!
//! Source: Hajdu, Micskei, JAR 2020, §2.2.1: the heuristic for equality constraints (`[v = 1]`).

use std::collections::BTreeMap;

use kernel::expr::{Evaluator, Expr, ExprId, ExprPool, Value, VarId};

/// Returns the values that are common to all data states with `guard` and `known`. `None` if there is no such state.
///
/// `guard` must not be decided by `known`; the result includes `known`. The evaluator is left cleared.
pub(super) fn learn(
    pool: &ExprPool,
    evaluator: &mut Evaluator,
    guard: ExprId,
    known: &dyn Fn(VarId) -> Option<Value>,
) -> Option<BTreeMap<VarId, Value>> {
    let mut learnt: BTreeMap<VarId, Value> = BTreeMap::new();
    loop {
        let env = |var| known(var).or_else(|| learnt.get(&var).copied());
        let mut new: BTreeMap<VarId, Value> = BTreeMap::new();
        let mut todo = vec![(guard, true)];
        while let Some((e, positive)) = todo.pop() {
            match evaluator.eval(pool, e, &env) {
                Some(value) if value == Value::Bool(positive) => continue,
                Some(_) => {
                    evaluator.clear();
                    return None;
                }
                None => {}
            }
            match (pool.expr(e), positive) {
                (Expr::And(a, b), true) | (Expr::Or(a, b), false) => todo.extend([(a, positive), (b, positive)]),
                (Expr::Not(inner), _) => todo.push((inner, !positive)),
                (Expr::Var(var), _) => {
                    // If two conjuncts disagree, the next round finds the contradiction.
                    new.entry(var).or_insert(Value::Bool(positive));
                }
                (Expr::Eq(a, b), true) => {
                    for (a, b) in [(a, b), (b, a)] {
                        if let (Expr::Var(var), Some(value)) = (pool.expr(a), evaluator.eval(pool, b, &env)) {
                            new.entry(var).or_insert(value);
                        }
                    }
                }
                // Other conjuncts fix no single variable.
                _ => {}
            }
        }
        evaluator.clear();
        if new.is_empty() {
            return Some(learnt);
        }
        learnt.append(&mut new);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kernel::expr::Sort;

    #[test]
    fn literals_and_equalities_are_learnt_through_each_other() {
        let mut pool = ExprPool::new();
        let a = pool.new_var("a", Sort::Bool);
        let x = pool.new_var("x", Sort::BitVec(8));
        let y = pool.new_var("y", Sort::BitVec(8));
        let (ea, ex, ey) = (pool.var(a), pool.var(x), pool.var(y));
        let not_a = pool.not(ea);
        let xy = pool.eq(ex, ey);
        let five = pool.constant(Value::bv(8, 5));
        let y5 = pool.eq(five, ey);
        let guard = pool.and_all([not_a, xy, y5]);
        let learnt = learn(&pool, &mut Evaluator::new(), guard, &|_| None).unwrap();
        let expected = BTreeMap::from([(a, Value::Bool(false)), (x, Value::bv(8, 5)), (y, Value::bv(8, 5))]);
        assert_eq!(learnt, expected);
        let known = |var| (var == x).then_some(Value::bv(8, 6));
        assert_eq!(learn(&pool, &mut Evaluator::new(), guard, &known), None);
    }

    #[test]
    fn a_disjunction_says_nothing_and_its_negation_does() {
        let mut pool = ExprPool::new();
        let a = pool.new_var("a", Sort::Bool);
        let b = pool.new_var("b", Sort::Bool);
        let (ea, eb) = (pool.var(a), pool.var(b));
        let either = pool.or(ea, eb);
        assert_eq!(learn(&pool, &mut Evaluator::new(), either, &|_| None), Some(BTreeMap::new()));
        let neither = pool.not(either);
        let expected = BTreeMap::from([(a, Value::Bool(false)), (b, Value::Bool(false))]);
        assert_eq!(learn(&pool, &mut Evaluator::new(), neither, &|_| None), Some(expected));
    }
}
