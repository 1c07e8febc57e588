//! Elimination of variables that an equality decides: ∀x. x = t → e is e with t in place of x.
//!
//! Calls make such formulas: the values at entry are equal to terms over the caller's variables. Constant offsets are moved to the
//! other side, which is exact for bit vectors: x + c = t is x = t - c.

use std::collections::{BTreeMap, BTreeSet};

use biodivine_lib_bdd::Bdd;

use crate::domain::{Skeleton, TooBig};
use kernel::expr::{BvBin, Expr, ExprId, ExprPool, VarId};

/// Returns a diagram that is equivalent under ∀ `vars`, without those variables that an equality decides.
///
/// Cost: one diagram for each such variable.
pub(super) fn resolved(
    pool: &mut ExprPool,
    skeleton: &mut Skeleton,
    mut bdd: Bdd,
    vars: &BTreeSet<VarId>,
) -> Result<Bdd, TooBig> {
    'next: loop {
        for (atom, e) in skeleton.support(&bdd) {
            let Expr::Eq(a, b) = pool.expr(e) else { continue };
            // Where the equality does not hold, the formula does.
            if let (Some((var, value)), true) = (solved(pool, a, b, vars), bdd.restrict(&[(atom, false)]).is_true()) {
                let rest = skeleton.to_expr(pool, &bdd.restrict(&[(atom, true)]));
                let rest = pool.subst(rest, &BTreeMap::from([(var, value)]));
                bdd = skeleton.formula(pool, rest)?;
                continue 'next;
            }
        }
        return Ok(bdd);
    }
}

/// Returns a variable of `vars` and its value, if one side of an equality is that variable up to a constant. The other side must not
/// have it.
fn solved(pool: &mut ExprPool, a: ExprId, b: ExprId, vars: &BTreeSet<VarId>) -> Option<(VarId, ExprId)> {
    for (mut side, mut value) in [(a, b), (b, a)] {
        loop {
            let expr = pool.expr(side);
            if let Expr::Var(var) = expr {
                if vars.contains(&var) && !pool.vars_of(&[value]).contains(&var) {
                    return Some((var, value));
                }
                break;
            }
            let Expr::BvBin(op @ (BvBin::Add | BvBin::Sub), left, right) = expr else { break };
            let (inner, offset) = match (op, pool.as_const(left).is_some(), pool.as_const(right).is_some()) {
                (_, false, true) => (left, right),
                (BvBin::Add, true, false) => (right, left),
                (_, _, _) => break,
            };
            let back = if op == BvBin::Add { BvBin::Sub } else { BvBin::Add };
            (side, value) = (inner, pool.bv(back, value, offset));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use kernel::expr::{BvCmp, Sort, Value};

    #[test]
    fn an_equality_decides_its_variable_and_nothing_else() {
        let mut pool = ExprPool::new();
        let vars: Vec<VarId> = ["x", "y"].map(|name| pool.new_var(name, Sort::BitVec(8))).into();
        let [x, y] = [pool.var(vars[0]), pool.var(vars[1])];
        let three = pool.constant(Value::bv(8, 3));
        let less = pool.bv(BvBin::Sub, x, three);
        let (is_less, small) = (pool.eq(less, y), pool.bv_cmp(BvCmp::Ult, x, three));
        let e = pool.implies(is_less, small);
        // x - 3 = y → x < 3, for all x: y + 3 < 3.
        let more = pool.bv(BvBin::Add, y, three);
        let expected = pool.bv_cmp(BvCmp::Ult, more, three);
        let only_x = BTreeSet::from([vars[0]]);
        let resolved = |pool: &mut ExprPool, e, vars: &BTreeSet<VarId>| {
            let mut skeleton = Skeleton::new();
            let bdd = skeleton.formula(pool, e).ok().unwrap();
            let bdd = super::resolved(pool, &mut skeleton, bdd, vars).ok().unwrap();
            skeleton.to_expr(pool, &bdd)
        };
        let resolved_e = resolved(&mut pool, e, &only_x);
        assert!(pool.vars_of(&[resolved_e]).is_subset(&BTreeSet::from([vars[1]])));
        for value in 0..=255 {
            let by = [(vars[1], pool.constant(Value::bv(8, value)))].into_iter().collect();
            assert_eq!(pool.subst(resolved_e, &by), pool.subst(expected, &by), "{value}");
        }
        // A conclusion, a variable on both sides, and another variable are left alone.
        let conclusion = pool.implies(small, is_less);
        let sum = pool.bv(BvBin::Add, x, y);
        let both = pool.eq(x, sum);
        let both = pool.implies(both, small);
        for e in [conclusion, both] {
            let same = resolved(&mut pool, e, &only_x);
            assert!(pool.vars_of(&[same]).contains(&vars[0]));
        }
        let same = resolved(&mut pool, e, &BTreeSet::new());
        assert!(pool.vars_of(&[same]).contains(&vars[0]));
    }
}
