//! Two domains side by side (a reduced product): each uses the other's state when it computes its successors.
//!
//! Generic, so that any two domains combine without code of their own.

use std::collections::BTreeSet;

use super::pred::split;
use super::{Domain, Expl, ExplPrec, Precision, Pred, PredPrec, Refutation, RefutationToPrec, Step, atoms};
use kernel::context::{Ctx, Stop};
use kernel::expr::{Expr, ExprId, ExprPool, Subst, VarId};

/// The product of two domains: γ((a, b)) = γ(a) ∩ γ(b).
pub struct Pair<A, B> {
    /// The first.
    pub first: A,
    /// The second; it sees the first one's successor when it computes its own.
    pub second: B,
}

/// Precisions of both.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct PairPrec<P, Q> {
    /// The first.
    pub first: P,
    /// The second.
    pub second: Q,
}

impl<P: Precision, Q: Precision> Precision for PairPrec<P, Q> {
    fn join(&mut self, other: &Self) -> bool {
        let first = self.first.join(&other.first);
        self.second.join(&other.second) || first
    }
    fn restrict(&self, pool: &ExprPool, live: &BTreeSet<VarId>) -> Self {
        PairPrec { first: self.first.restrict(pool, live), second: self.second.restrict(pool, live) }
    }
    fn size(&self) -> usize {
        self.first.size() + self.second.size()
    }
    fn predicates(&self) -> Vec<ExprId> {
        [self.first.predicates(), self.second.predicates()].concat()
    }
    fn describe(&self, pool: &ExprPool) -> Vec<String> {
        [self.first.describe(pool), self.second.describe(pool)].concat()
    }
}

impl<A: Domain, B: Domain> Domain for Pair<A, B> {
    type State = (A::State, B::State);
    type Prec = PairPrec<A::Prec, B::Prec>;
    /// Arranged by the first part; the second is compared.
    type Shelf = A::Shelf;

    fn top(&self) -> Self::State {
        (self.first.top(), self.second.top())
    }
    /// Returns each successor in the first domain with those in the second that fit it.
    fn post_under(
        &mut self,
        cx: &mut Ctx<'_>,
        state: &Self::State,
        step: Step<'_>,
        prec: &Self::Prec,
        under: ExprId,
    ) -> Result<Vec<Self::State>, Stop> {
        let known = self.second.to_expr(&mut cx.pool, &[&state.1]);
        let under_second = cx.pool.and(under, known);
        let firsts = self.first.post_under(cx, &state.0, step, &prec.first, under_second)?;
        let known = self.first.to_expr(&mut cx.pool, &[&state.0]);
        let under_first = cx.pool.and(under, known);
        let mut before = Subst::new(step.block.updates.iter().copied().collect());
        let mut pairs = Vec::new();
        for first in firsts {
            // The data states that lead to this very successor.
            let after = self.first.to_expr(&mut cx.pool, &[&first]);
            let leads_there = before.apply(&mut cx.pool, after);
            let under = cx.pool.and(under_first, leads_there);
            for second in self.second.post_under(cx, &state.1, step, &prec.second, under)? {
                pairs.push((first.clone(), second));
            }
        }
        Ok(pairs)
    }
    fn leq(&self, a: &Self::State, b: &Self::State) -> bool {
        self.first.leq(&a.0, &b.0) && self.second.leq(&a.1, &b.1)
    }
    fn shelve(&self, shelf: &mut A::Shelf, state: &Self::State, key: u32) {
        self.first.shelve(shelf, &state.0, key);
    }
    fn candidates(&self, shelf: &A::Shelf, state: &Self::State) -> Vec<u32> {
        self.first.candidates(shelf, &state.0)
    }
    fn to_expr(&self, pool: &mut ExprPool, states: &[&Self::State]) -> ExprId {
        let mut parts = Vec::with_capacity(states.len());
        for state in states {
            let (first, second) = (self.first.to_expr(pool, &[&state.0]), self.second.to_expr(pool, &[&state.1]));
            parts.push(pool.and(first, second));
        }
        pool.or_all(parts)
    }
    fn describe(&self, pool: &ExprPool, state: &Self::State) -> String {
        format!("{}\n{}", self.first.describe(pool, &state.0), self.second.describe(pool, &state.1))
    }
}

/// Values and predicates.
impl RefutationToPrec for Pair<Expl, Pred> {
    /// Returns explicit values for the variables that the interpolants only compare with constants, and predicates for the rest
    /// of the interpolants.
    fn to_prec(&self, pool: &mut ExprPool, refutation: &Refutation) -> Option<Vec<Self::Prec>> {
        let Some(itps) = &refutation.itps else { return self.to_more_prec(pool, refutation) };
        let by_value = valued(pool, itps);
        let mut precs = Vec::with_capacity(itps.len());
        for &itp in itps {
            let vars = pool.vars_of(&[itp]).intersection(&by_value).copied().collect();
            let preds = split(pool, self.second.split, itp);
            let preds = preds.into_iter().filter(|&pred| !pool.vars_of(&[pred]).is_subset(&by_value)).collect();
            precs.push(PairPrec { first: ExplPrec { vars }, second: PredPrec { preds } });
        }
        Some(precs)
    }
    /// Returns the precisions of both domains; each gets the whole refutation.
    fn to_more_prec(&self, pool: &mut ExprPool, refutation: &Refutation) -> Option<Vec<Self::Prec>> {
        let first = self.first.to_more_prec(pool, refutation)?;
        let second = self.second.to_prec(pool, refutation).unwrap_or_else(|| vec![PredPrec::default(); first.len()]);
        Some(first.into_iter().zip(second).map(|(first, second)| PairPrec { first, second }).collect())
    }
}

/// Returns the variables whose only occurrences in atoms are flags and equations with a constant.
fn valued(pool: &mut ExprPool, formulas: &[ExprId]) -> BTreeSet<VarId> {
    let (mut valued, mut compared) = (BTreeSet::new(), BTreeSet::new());
    for &e in formulas {
        for atom in atoms(pool, e) {
            let expr = pool.expr(atom);
            let is_constant = |e| pool.as_const(e).is_some();
            let is_value = matches!(expr, Expr::Var(_)) || matches!(expr, Expr::Eq(a, b) if is_constant(a) || is_constant(b));
            let vars = pool.vars_of(&[atom]);
            if is_value && vars.len() == 1 { valued.extend(vars) } else { compared.extend(vars) }
        }
    }
    valued.difference(&compared).copied().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use kernel::expr::{BvCmp, Sort, Value};

    #[test]
    fn variables_that_are_only_asked_for_values_become_explicit() {
        let mut pool = ExprPool::new();
        let (x, y, z) = (pool.new_var("x", Sort::BitVec(8)), pool.new_var("y", Sort::BitVec(8)), pool.new_var("z", Sort::Bool));
        let (ex, ey, ez) = (pool.var(x), pool.var(y), pool.var(z));
        let three = pool.constant(Value::bv(8, 3));
        let x_is = pool.eq(ex, three);
        let y_is = pool.eq(ey, three);
        let y_below = pool.bv_cmp(BvCmp::Ult, ey, three);
        let both = pool.and_all([x_is, ez, y_is]);
        assert_eq!(valued(&mut pool, &[both]), BTreeSet::from([x, y, z]));
        assert_eq!(valued(&mut pool, &[both, y_below]), BTreeSet::from([x, z]));
    }
}
