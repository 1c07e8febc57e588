//! Parts of abstract states: the operators of block-abstraction memoization.
//!
//! A state is divided into what a block may need and the rest; the first part is renamed to the block's variables. After the block,
//! its result is renamed back and combined with the rest.
//!
//! Source: papers/block-abstraction-memoization, §2.4.5 (reduce, expand), §4.4.2 (values), §4.5.3 (predicates).

use std::collections::BTreeSet;
use std::hash::Hash;

use super::{Domain, Expl, ExplPrec, ExplState, Pair, PairPrec, Precision};
use kernel::context::Stop;
use kernel::expr::{Expr, ExprPool, Subst, VarId};

/// Precision whose items can be named for other variables.
pub trait SharedPrecision: Precision + Eq + Hash {
    /// Returns each thing tracked by itself, with its variables.
    fn items(&self, pool: &ExprPool) -> Vec<(BTreeSet<VarId>, Self)>;
    /// Returns the precision with other names for the variables.
    #[must_use]
    fn renamed(&self, pool: &mut ExprPool, by: &mut Subst) -> Self;
}

/// Domain whose states have parts.
///
/// **Law:** for `(part, rest) = divide(state)`, `combine(part, rest)` covers `state`, and nothing in `rest` is about a variable in
/// `inside`. So a block over these variables changes nothing of what `rest` says.
pub trait Reduce: Domain<Prec: SharedPrecision> {
    /// Returns the part about `inside`, with all that is related to it, and the rest.
    fn divide(&self, pool: &ExprPool, state: &Self::State, inside: &BTreeSet<VarId>) -> (Self::State, Self::State);
    /// Returns the state for γ(`a`) ∩ γ(`b`). No thing tracked is in both.
    fn combine(&self, a: &Self::State, b: &Self::State) -> Self::State;
    /// Returns the state with other names for its variables. Different variables have different names.
    fn renamed(&mut self, pool: &mut ExprPool, state: &Self::State, by: &mut Subst) -> Result<Self::State, Stop>;
    /// Returns the state without the things of which no variable is kept.
    fn keep(&self, pool: &ExprPool, state: &Self::State, is_kept: &dyn Fn(VarId) -> bool) -> Self::State;
    /// Returns the things that the state says something about.
    fn tracked(&self, state: &Self::State) -> Self::Prec;
}

/// Returns the new name of a variable.
fn name(pool: &ExprPool, by: &Subst, var: VarId) -> VarId {
    match by.map().get(&var).map(|e| pool.expr(*e)) {
        Some(Expr::Var(name)) => name,
        Some(_) => unreachable!("a name is a variable"),
        None => var,
    }
}

impl SharedPrecision for ExplPrec {
    fn items(&self, _: &ExprPool) -> Vec<(BTreeSet<VarId>, ExplPrec)> {
        self.vars.iter().map(|&var| (BTreeSet::from([var]), ExplPrec { vars: BTreeSet::from([var]) })).collect()
    }
    fn renamed(&self, pool: &mut ExprPool, by: &mut Subst) -> ExplPrec {
        ExplPrec { vars: self.vars.iter().map(|&var| name(pool, by, var)).collect() }
    }
}

impl Reduce for Expl {
    fn divide(&self, _: &ExprPool, state: &ExplState, inside: &BTreeSet<VarId>) -> (ExplState, ExplState) {
        let (part, rest) = state.values().iter().partition(|(var, _)| inside.contains(var));
        (ExplState::new(part), ExplState::new(rest))
    }
    fn combine(&self, a: &ExplState, b: &ExplState) -> ExplState {
        let mut values = [a.values(), b.values()].concat();
        values.sort_unstable_by_key(|(var, _)| *var);
        ExplState::new(values)
    }
    fn renamed(&mut self, pool: &mut ExprPool, state: &ExplState, by: &mut Subst) -> Result<ExplState, Stop> {
        let mut values: Vec<_> = state.values().iter().map(|&(var, value)| (name(pool, by, var), value)).collect();
        values.sort_unstable_by_key(|(var, _)| *var);
        Ok(ExplState::new(values))
    }
    fn keep(&self, _: &ExprPool, state: &ExplState, is_kept: &dyn Fn(VarId) -> bool) -> ExplState {
        ExplState::new(state.values().iter().filter(|(var, _)| is_kept(*var)).copied().collect())
    }
    fn tracked(&self, state: &ExplState) -> ExplPrec {
        ExplPrec { vars: state.values().iter().map(|(var, _)| *var).collect() }
    }
}

impl<P: SharedPrecision, Q: SharedPrecision> SharedPrecision for PairPrec<P, Q> {
    fn items(&self, pool: &ExprPool) -> Vec<(BTreeSet<VarId>, Self)> {
        let first = self.first.items(pool).into_iter().map(|(vars, first)| (vars, PairPrec { first, second: Q::default() }));
        let second = self.second.items(pool).into_iter().map(|(vars, second)| (vars, PairPrec { first: P::default(), second }));
        first.chain(second).collect()
    }
    fn renamed(&self, pool: &mut ExprPool, by: &mut Subst) -> Self {
        PairPrec { first: self.first.renamed(pool, by), second: self.second.renamed(pool, by) }
    }
}

impl<A: Reduce, B: Reduce> Reduce for Pair<A, B> {
    /// Divides the second state first: the values of all variables in its part go into the block, too.
    fn divide(&self, pool: &ExprPool, state: &Self::State, inside: &BTreeSet<VarId>) -> (Self::State, Self::State) {
        let (second, second_rest) = self.second.divide(pool, &state.1, inside);
        let related = self.second.tracked(&second).items(pool).into_iter().flat_map(|(vars, _)| vars);
        let inside = related.chain(inside.iter().copied()).collect();
        let (first, first_rest) = self.first.divide(pool, &state.0, &inside);
        ((first, second), (first_rest, second_rest))
    }
    fn combine(&self, a: &Self::State, b: &Self::State) -> Self::State {
        (self.first.combine(&a.0, &b.0), self.second.combine(&a.1, &b.1))
    }
    fn renamed(&mut self, pool: &mut ExprPool, state: &Self::State, by: &mut Subst) -> Result<Self::State, Stop> {
        Ok((self.first.renamed(pool, &state.0, by)?, self.second.renamed(pool, &state.1, by)?))
    }
    fn keep(&self, pool: &ExprPool, state: &Self::State, is_kept: &dyn Fn(VarId) -> bool) -> Self::State {
        (self.first.keep(pool, &state.0, is_kept), self.second.keep(pool, &state.1, is_kept))
    }
    fn tracked(&self, state: &Self::State) -> Self::Prec {
        PairPrec { first: self.first.tracked(&state.0), second: self.second.tracked(&state.1) }
    }
}
