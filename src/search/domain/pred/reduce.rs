//! Reduction and expansion of predicate states, factor by factor.

use std::collections::BTreeSet;

use biodivine_lib_bdd::{Bdd, BddVariable};

use super::factors::first;
use super::{Pred, PredPrec, PredState};
use crate::domain::reduce::{Reduce, SharedPrecision};
use kernel::context::Stop;
use kernel::expr::{ExprId, ExprPool, Subst, VarId};

impl SharedPrecision for PredPrec {
    fn items(&self, pool: &ExprPool) -> Vec<(BTreeSet<VarId>, PredPrec)> {
        self.preds.iter().map(|&pred| (pool.vars_of(&[pred]), PredPrec { preds: BTreeSet::from([pred]) })).collect()
    }
    fn renamed(&self, pool: &mut ExprPool, by: &mut Subst) -> PredPrec {
        PredPrec { preds: self.preds.iter().map(|&pred| by.apply(pool, pred)).collect() }
    }
}

impl Reduce for Pred {
    fn divide(&self, pool: &ExprPool, state: &PredState, inside: &BTreeSet<VarId>) -> (PredState, PredState) {
        let touches = |factor: &&Bdd| {
            let vars = |var: BddVariable| pool.vars_of(&[self.preds[var.to_index()]]);
            Pred::support(factor).into_iter().any(|var| !vars(var).is_disjoint(inside))
        };
        let (touched, rest): (Vec<&Bdd>, Vec<&Bdd>) = state.0.iter().partition(touches);
        let state = |factors: Vec<&Bdd>| PredState(factors.into_iter().cloned().collect());
        (state(touched), state(rest))
    }
    fn combine(&self, a: &PredState, b: &PredState) -> PredState {
        let mut factors: Vec<Bdd> = a.0.iter().chain(b.0.iter()).cloned().collect();
        factors.sort_by_cached_key(first);
        debug_assert!(factors.windows(2).all(|pair| first(&pair[0]) != first(&pair[1])));
        PredState(factors.into())
    }
    fn renamed(&mut self, pool: &mut ExprPool, state: &PredState, by: &mut Subst) -> Result<PredState, Stop> {
        let mut factors = Vec::with_capacity(state.0.len());
        for factor in state.0.iter() {
            // The library keeps children before their parents: both terminals first, the root last.
            let mut done: Vec<Bdd> = Vec::with_capacity(factor.size());
            for node in factor.pointers() {
                let renamed = match node.as_bool() {
                    Some(value) => {
                        if value {
                            self.set.mk_true()
                        } else {
                            self.set.mk_false()
                        }
                    }
                    None => {
                        let pred = by.apply(pool, self.preds[factor.var_of(node).to_index()]);
                        let var = self.variable(pred)?;
                        let child = |pointer: biodivine_lib_bdd::BddPointer| &done[pointer.to_index()];
                        let (high, low) = (child(factor.high_link_of(node)), child(factor.low_link_of(node)));
                        Bdd::if_then_else(&self.set.mk_var(var), high, low)
                    }
                };
                done.push(renamed);
            }
            factors.extend(done.pop());
        }
        factors.sort_by_cached_key(first);
        Ok(PredState(factors.into()))
    }
    fn keep(&self, pool: &ExprPool, state: &PredState, is_kept: &dyn Fn(VarId) -> bool) -> PredState {
        let is_gone = |pred: ExprId| !pool.vars_of(&[pred]).iter().any(|&var| is_kept(var));
        let mut parts = Vec::with_capacity(state.0.len());
        for factor in state.0.iter() {
            let gone: Vec<BddVariable> =
                Pred::support(factor).into_iter().filter(|var| is_gone(self.preds[var.to_index()])).collect();
            parts.push(if gone.is_empty() { factor.clone() } else { factor.exists(&gone) });
        }
        self.factored(pool, parts)
    }
    fn tracked(&self, state: &PredState) -> PredPrec {
        PredPrec { preds: state.0.iter().flat_map(Pred::support).map(|var| self.preds[var.to_index()]).collect() }
    }
}
