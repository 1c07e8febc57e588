//! Reduction and expansion of predicate states, factor by factor.

use std::collections::BTreeSet;
use std::rc::Rc;

use biodivine_lib_bdd::{Bdd, BddVariable};

use super::{Pred, PredPrec, PredState};
use crate::domain::reduce::{Reduce, SharedPrecision};
use kernel::context::Stop;
use kernel::expr::{ExprPool, Subst, VarId};

impl SharedPrecision for PredPrec {
    fn items(&self, pool: &ExprPool) -> Vec<(BTreeSet<VarId>, PredPrec)> {
        self.preds.iter().map(|&pred| (pool.vars_of(&[pred]), PredPrec { preds: BTreeSet::from([pred]) })).collect()
    }
    fn renamed(&self, pool: &mut ExprPool, by: &mut Subst) -> PredPrec {
        PredPrec { preds: self.preds.iter().map(|&pred| by.apply(pool, pred)).collect() }
    }
}

impl Reduce for Pred {
    fn divide(&self, _: &ExprPool, state: &PredState, inside: &BTreeSet<VarId>) -> (PredState, PredState) {
        let mut about: Vec<BddVariable> = inside.iter().filter_map(|var| self.of_var.get(var)).flatten().copied().collect();
        about.sort_unstable();
        state.divide(&about)
    }
    fn combine(&self, a: &PredState, b: &PredState) -> PredState {
        a.and(b)
    }
    fn renamed(&mut self, pool: &mut ExprPool, state: &PredState, by: &mut Subst) -> Result<PredState, Stop> {
        let mut factors = Vec::new();
        for factor in state.factors() {
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
                        let var = self.variable(pool, pred)?;
                        let child = |pointer: biodivine_lib_bdd::BddPointer| &done[pointer.to_index()];
                        let (high, low) = (child(factor.high_link_of(node)), child(factor.low_link_of(node)));
                        Bdd::if_then_else(&self.set.mk_var(var), high, low)
                    }
                };
                done.push(renamed);
            }
            factors.extend(done.pop().map(Rc::new));
        }
        Ok(PredState::new(factors))
    }
    fn keep(&self, _: &ExprPool, state: &PredState, is_kept: &dyn Fn(VarId) -> bool) -> PredState {
        let is_gone = |var: &BddVariable| !self.pred_vars[var.to_index()].iter().any(|&var| is_kept(var));
        let mut parts = Vec::new();
        for factor in state.factors() {
            let gone: Vec<BddVariable> = Pred::support(factor).into_iter().filter(is_gone).collect();
            parts.push(if gone.is_empty() { Bdd::clone(factor) } else { factor.exists(&gone) });
        }
        self.factored(parts)
    }
    fn tracked(&self, state: &PredState) -> PredPrec {
        PredPrec {
            preds: state.factors().flat_map(|factor| Pred::support(factor)).map(|var| self.preds[var.to_index()]).collect(),
        }
    }
}
