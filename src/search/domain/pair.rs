//! Two domains side by side: what one knows helps the other to compute its successors (a reduced product).
//!
//! Generic, so that any two domains combine without code of their own.

use std::collections::BTreeSet;

use super::{Domain, Precision, Step};
use kernel::context::{Ctx, Stop};
use kernel::expr::{ExprId, ExprPool, Subst, VarId};

/// The product of two domains: γ((a, b)) = γ(a) ∩ γ(b).
pub struct Pair<A, B> {
    /// The first.
    pub first: A,
    /// The second; it sees the first one's successor when it computes its own.
    pub second: B,
}

/// Precisions of both.
#[derive(Clone, Debug, Default, PartialEq)]
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
