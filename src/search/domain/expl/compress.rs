//! Many explicit states as one compact formula: a decision diagram over the variables, with equal parts shared and
//! runs of values as intervals.

use std::collections::{BTreeMap, BTreeSet};

use super::ExplState;
use kernel::expr::{BvCmp, ExprId, ExprPool, Value, VarId};

/// Returns the disjunction of `states`.
///
/// Cost: n·log n in the number of states for each variable.
pub(super) fn union(pool: &mut ExprPool, states: &[&ExplState]) -> ExprId {
    let mut shapes: BTreeMap<Vec<VarId>, BTreeSet<Vec<Value>>> = BTreeMap::new();
    for state in states {
        let vars = state.values().iter().map(|(var, _)| *var).collect();
        let values = state.values().iter().map(|(_, value)| *value).collect();
        shapes.entry(vars).or_default().insert(values);
    }
    let mut parts = Vec::new();
    for (vars, rows) in &shapes {
        let rows: Vec<&[Value]> = rows.iter().map(Vec::as_slice).collect();
        parts.push(diagram(pool, vars, &rows));
    }
    pool.or_all(parts)
}

/// Returns the disjunction of `rows` (ascending), each a value for each of `vars`. Recursion is as deep as there are variables.
fn diagram(pool: &mut ExprPool, vars: &[VarId], rows: &[&[Value]]) -> ExprId {
    let Some((&var, rest)) = vars.split_first() else {
        return pool.bool(!rows.is_empty());
    };
    // Remaining conditions with the values of `var` that lead to them; equal ones are equal expressions.
    let mut remainders: BTreeMap<ExprId, Vec<Value>> = BTreeMap::new();
    for group in rows.chunk_by(|a, b| a[0] == b[0]) {
        let tails: Vec<&[Value]> = group.iter().map(|row| &row[1..]).collect();
        let remainder = diagram(pool, rest, &tails);
        remainders.entry(remainder).or_default().push(group[0][0]);
    }
    let mut parts = Vec::new();
    for (remainder, values) in remainders {
        let among = one_of(pool, var, &values);
        parts.push(pool.and(among, remainder));
    }
    pool.or_all(parts)
}

/// Returns the condition that `var` has one of `values` (ascending, not empty).
fn one_of(pool: &mut ExprPool, var: VarId, values: &[Value]) -> ExprId {
    let e = pool.var(var);
    if values.len() == 2 && values[0].as_bool().is_some() {
        return pool.bool(true);
    }
    let mut parts = Vec::new();
    for run in values.chunk_by(|a, b| matches!((a.as_unsigned(), b.as_unsigned()), (Some(a), Some(b)) if b - a == 1)) {
        let (first, last) = (pool.constant(run[0]), pool.constant(run[run.len() - 1]));
        parts.push(if run.len() == 1 {
            pool.eq(e, first)
        } else {
            let low = pool.bv_cmp(BvCmp::Ule, first, e);
            let high = pool.bv_cmp(BvCmp::Ule, e, last);
            pool.and(low, high)
        });
    }
    pool.or_all(parts)
}

#[cfg(test)]
mod tests {
    use super::*;
    use kernel::expr::Sort;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_formula_holds_exactly_in_the_states(rows in prop::collection::vec((any::<bool>(), 0u128..8, 0u128..8, any::<bool>()), 0..40)) {
            let mut pool = ExprPool::new();
            let a = pool.new_var("a", Sort::Bool);
            let x = pool.new_var("x", Sort::BitVec(3));
            let y = pool.new_var("y", Sort::BitVec(3));
            let states: Vec<ExplState> = rows
                .iter()
                .map(|&(va, vx, vy, knows_y)| {
                    let mut values = vec![(a, Value::Bool(va)), (x, Value::bv(3, vx))];
                    if knows_y {
                        values.push((y, Value::bv(3, vy)));
                    }
                    ExplState::new(values)
                })
                .collect();
            let e = union(&mut pool, &states.iter().collect::<Vec<_>>());
            for va in [false, true] {
                for vx in 0..8 {
                    for vy in 0..8 {
                        let env = |var| Some(if var == a { Value::Bool(va) } else if var == x { Value::bv(3, vx) } else { Value::bv(3, vy) });
                        let expected = states.iter().any(|s| s.values().iter().all(|&(var, value)| env(var) == Some(value)));
                        prop_assert_eq!(pool.eval(e, &env), Some(Value::Bool(expected)));
                    }
                }
            }
        }
    }

    #[test]
    fn runs_of_values_are_intervals() {
        let mut pool = ExprPool::new();
        let x = pool.new_var("x", Sort::BitVec(8));
        let states: Vec<ExplState> = (3..90).map(|v| ExplState::new(vec![(x, Value::bv(8, v))])).collect();
        let e = union(&mut pool, &states.iter().collect::<Vec<_>>());
        assert!(pool.size(&[e], 100) < 10);
    }
}
