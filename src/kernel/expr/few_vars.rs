//! Variables of many expressions that share nodes, as far as an expression has few of them.

use std::collections::BTreeSet;

use super::hash::FastMap;
use super::node::Expr;
use super::pool::{ExprId, ExprPool, VarId};
use super::walk::bottom_up;

/// Wanted variables of expressions of one pool.
///
/// Each rung of a ladder reads the rungs before it. So the variables of each next value alone cost the square of the rungs.
pub struct FewVars<W> {
    is_wanted: W,
    most: usize,
    /// Sets of variables; the first is empty.
    sets: Vec<BTreeSet<VarId>>,
    /// Number of the set of an expression; `None` if it has too many.
    done: FastMap<ExprId, Option<usize>>,
}

impl<W: Fn(VarId) -> bool> FewVars<W> {
    /// Returns a search for the wanted variables, up to `most` of each expression.
    pub fn new(most: usize, is_wanted: W) -> FewVars<W> {
        FewVars { is_wanted, most, sets: vec![BTreeSet::new()], done: FastMap::default() }
    }

    /// Returns the wanted variables of `e`; `None` if they are more than the most. Always with the same pool, which may have grown.
    ///
    /// Cost: each node once for all expressions, times `most`. No recursion.
    pub fn of(&mut self, pool: &ExprPool, e: ExprId) -> Option<&BTreeSet<VarId>> {
        let FewVars { is_wanted, most, sets, done } = self;
        let of_node = |sets: &mut Vec<BTreeSet<VarId>>, _, node: Expr, done: &FastMap<ExprId, Option<usize>>| {
            if let Expr::Var(var) = node {
                return if is_wanted(var) { known(sets, BTreeSet::from([var]), *most) } else { Some(0) };
            }
            let mut largest = 0;
            let mut all: Vec<usize> = node.children().map(|child| done[&child]).collect::<Option<_>>()?;
            all.dedup();
            for set in &all {
                if sets[largest].len() < sets[*set].len() {
                    largest = *set;
                }
            }
            all.retain(|set| *set != largest && !sets[*set].is_subset(&sets[largest]));
            if all.is_empty() {
                return Some(largest);
            }
            let mut union = sets[largest].clone();
            all.iter().for_each(|set| union.extend(&sets[*set]));
            known(sets, union, *most)
        };
        let set = bottom_up(sets, e, done, |_, e| pool.expr(e), of_node)?;
        Some(&self.sets[set])
    }
}

/// Adds a set; `None` if it is too large.
fn known(sets: &mut Vec<BTreeSet<VarId>>, set: BTreeSet<VarId>, most: usize) -> Option<usize> {
    if most < set.len() {
        return None;
    }
    sets.push(set);
    Some(sets.len() - 1)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::expr::random::{Flavour, Random};

    proptest! {
        /// The sets are those of a walk through each expression alone.
        #[test]
        fn variables_are_those_of_each_expression_alone(tape in proptest::collection::vec(any::<u32>(), 0..120), most in 0_usize..6) {
            let mut pool = ExprPool::new();
            let mut random = Random::new(&mut pool, &tape, Flavour::Floats);
            let exprs: Vec<ExprId> = (0..4).map(|_| { let sort = random.sort(); random.expr(sort, 4) }).collect();
            let is_wanted = |var: VarId| !var.to_string().ends_with('1');
            let mut few = FewVars::new(most, is_wanted);
            for e in exprs {
                let all: BTreeSet<VarId> = pool.vars_of(&[e]).into_iter().filter(|var| is_wanted(*var)).collect();
                prop_assert_eq!(few.of(&pool, e), (all.len() <= most).then_some(&all));
            }
        }
    }

    #[test]
    fn nodes_that_are_shared_are_visited_once() {
        let mut pool = ExprPool::new();
        let vars: Vec<VarId> = (0..2000).map(|i| pool.new_var(format!("v{i}"), crate::expr::Sort::Bool)).collect();
        let mut few = FewVars::new(5, |_| true);
        let mut rung = pool.bool(false);
        for (n, var) in vars.into_iter().enumerate() {
            let own = pool.var(var);
            rung = pool.or(rung, own);
            assert_eq!(few.of(&pool, rung).map(BTreeSet::len), (n < 5).then_some(n + 1));
        }
        assert!(few.done.len() < 10_000 && few.sets.len() < 5000);
    }
}
