//! Comparison of the conditions of branches by their form.

use std::collections::BTreeMap;

use crate::expr::{Expr, ExprId, ExprPool, Value};

/// Parts of a condition; a longer one is not divided further.
pub(in crate::cfa) const MOST_CONJUNCTS: usize = 32;

/// Returns whether two conditions are each other's negation.
pub(in crate::cfa) fn complementary(pool: &mut ExprPool, a: ExprId, b: ExprId) -> bool {
    pool.not(a) == b || pool.not(b) == a
}

/// Returns whether at most one of these conditions can hold, by their form.
///
/// They are complements; or all of them fix the same expressions to different constants, as case splits do; or each pair has such
/// a difference (checked only for few).
pub(in crate::cfa) fn exclusive(pool: &mut ExprPool, conditions: &[ExprId]) -> bool {
    const FEW: usize = 24;
    if let [a, b] = conditions
        && complementary(pool, *a, *b)
    {
        return true;
    }
    let fixed: Vec<BTreeMap<ExprId, Value>> = conditions.iter().map(|c| fixed_by(pool, *c)).collect();
    let keys: Vec<ExprId> = fixed.first().map_or(Vec::new(), |f| f.keys().copied().collect());
    let mut rows: Vec<Vec<Value>> = Vec::with_capacity(fixed.len());
    for row in &fixed {
        rows.push(keys.iter().filter_map(|k| row.get(k).copied()).collect());
    }
    let complete = !keys.is_empty() && rows.iter().all(|row| row.len() == keys.len());
    rows.sort_unstable();
    if complete && rows.windows(2).all(|pair| pair[0] != pair[1]) {
        return true;
    }
    if FEW < conditions.len() {
        return false;
    }
    let parts: Vec<Vec<ExprId>> = conditions.iter().map(|c| pool.conjuncts_up_to(*c, MOST_CONJUNCTS)).collect();
    for i in 0..conditions.len() {
        for j in 0..i {
            let differ = fixed[i].iter().any(|(e, value)| fixed[j].get(e).is_some_and(|other| other != value));
            let negated = parts[i].iter().any(|a| parts[j].iter().any(|b| complementary(pool, *a, *b)));
            if !differ && !negated {
                return false;
            }
        }
    }
    true
}

/// Returns expressions that a condition fixes to constants.
fn fixed_by(pool: &ExprPool, condition: ExprId) -> BTreeMap<ExprId, Value> {
    let mut fixed = BTreeMap::new();
    for part in pool.conjuncts_up_to(condition, MOST_CONJUNCTS) {
        if let Expr::Eq(a, b) = pool.expr(part) {
            if let Some(value) = pool.as_const(b) {
                fixed.insert(a, value);
            } else if let Some(value) = pool.as_const(a) {
                fixed.insert(b, value);
            }
        }
    }
    fixed
}
