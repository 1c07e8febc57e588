//! `pred-split`: the way from an interpolant to predicates.

use std::collections::BTreeSet;

use super::{Pred, PredPrec};
use crate::domain::{Refutation, RefutationToPrec, atoms};
use kernel::expr::{Expr, ExprId, ExprPool};

/// `pred-split`: parts of an interpolant that become predicates.
///
/// Source: Hajdu, Micskei, JAR 2020, §3.1.3.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Split {
    /// Its atoms.
    #[default]
    Atoms,
    /// Its conjuncts.
    Conjuncts,
    /// The whole as one predicate.
    Whole,
}

impl Split {
    /// Words of the option.
    pub const NAMED: [(&str, Split); 3] = [("ATOMS", Split::Atoms), ("CONJUNCTS", Split::Conjuncts), ("WHOLE", Split::Whole)];
}

impl RefutationToPrec for Pred {
    /// Returns the interpolants, split as `pred-split` says (§3.1.3).
    fn to_prec(&self, pool: &mut ExprPool, refutation: &Refutation) -> Option<Vec<PredPrec>> {
        let itps = refutation.itps.as_ref()?;
        Some(itps.iter().map(|&itp| PredPrec { preds: split(pool, self.split, itp) }).collect())
    }
    fn to_more_prec(&self, _: &mut ExprPool, _: &Refutation) -> Option<Vec<PredPrec>> {
        None
    }
}

/// Returns the predicates that an interpolant becomes; none of TRUE and FALSE.
///
/// Source: Hajdu, Micskei, JAR 2020, §3.1.3: atoms, conjuncts, whole.
pub(in crate::domain) fn split(pool: &mut ExprPool, split: Split, itp: ExprId) -> BTreeSet<ExprId> {
    if pool.as_const(itp).is_some() {
        return BTreeSet::new();
    }
    match split {
        Split::Atoms => atoms(pool, itp).into_iter().collect(),
        Split::Conjuncts => pool.conjuncts(itp).into_iter().map(|e| positive(pool, e)).collect(),
        Split::Whole => BTreeSet::from([positive(pool, itp)]),
    }
}

/// Returns the atom of a predicate; a predicate and its negation are one.
fn positive(pool: &ExprPool, e: ExprId) -> ExprId {
    if let Expr::Not(inner) = pool.expr(e) { inner } else { e }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kernel::expr::Sort;

    #[test]
    fn an_interpolant_is_split_as_the_paper_says() {
        // p1 ∧ (p2 ∨ ¬p3)
        let mut pool = ExprPool::new();
        let p: Vec<ExprId> = ["p1", "p2", "p3"]
            .iter()
            .map(|name| {
                let var = pool.new_var(*name, Sort::Bool);
                pool.var(var)
            })
            .collect();
        let not_p3 = pool.not(p[2]);
        let either = pool.or(p[1], not_p3);
        let whole = pool.and(p[0], either);
        let mut check = |how, expected: &[ExprId]| {
            assert_eq!(split(&mut pool, how, whole), expected.iter().copied().collect(), "{how:?}");
        };
        check(Split::Atoms, &p);
        check(Split::Conjuncts, &[p[0], either]);
        check(Split::Whole, &[whole]);
    }
}
