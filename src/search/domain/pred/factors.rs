//! Factors of predicate states: diagrams without common predicates whose conjunction is the state.
//!
//! A state over many unrelated predicates needs no large diagram. A step that concerns few of them leaves the other factors as
//! they are.

use std::borrow::Borrow;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use biodivine_lib_bdd::{Bdd, BddPartialValuation, BddVariable};

use super::components::Groups;
use super::{Factor, Pred, PredState};
use crate::domain::bdd;
use kernel::expr::{ExprId, ExprPool, VarId};

impl Pred {
    /// Returns the state of parts without common predicates, none of which is FALSE.
    pub(super) fn factored(&self, parts: Vec<Bdd>) -> PredState {
        PredState::new(parts.into_iter().flat_map(|part| self.factors(part)).map(Rc::new).collect())
    }
    /// Returns the factors of a diagram: the literals that it implies, and its projections to predicates that share variables,
    /// where it is their conjunction.
    fn factors(&self, part: Bdd) -> Vec<Bdd> {
        if part.is_true() {
            return Vec::new();
        }
        let support = Pred::support(&part);
        if support.len() == 1 {
            return vec![part];
        }
        let mut literals = BddPartialValuation::empty();
        for &var in &support {
            for value in [true, false] {
                if part.select(&[(var, !value)]).is_false() {
                    literals.set_value(var, value);
                }
            }
        }
        let mut factors = self.literals(&literals);
        let decided: Vec<BddVariable> = support.iter().copied().filter(|var| literals.get_value(*var).is_some()).collect();
        let rest = part.exists(&decided);
        if rest.is_true() {
            return factors;
        }
        let groups = self.groups(&Pred::support(&rest));
        let projections: Vec<Bdd> = groups.iter().map(|others| rest.exists(others)).collect();
        if 1 < groups.len() && self.conjunction_of(&projections) == rest {
            factors.extend(projections.into_iter().filter(|projection| !projection.is_true()));
        } else {
            factors.push(rest);
        }
        factors
    }
    /// Returns for each group of predicates that share variables the predicates outside of it.
    fn groups(&self, support: &BTreeSet<BddVariable>) -> Vec<Vec<BddVariable>> {
        let vars_of = |var: BddVariable| BTreeSet::from_iter(self.pred_vars[var.to_index()].iter().copied());
        let mut groups = Groups::default();
        support.iter().for_each(|&var| groups.unite(&vars_of(var)));
        let mut by_root: BTreeMap<Option<VarId>, BTreeSet<BddVariable>> = BTreeMap::new();
        for &var in support {
            let root = vars_of(var).first().map(|&var| groups.root(var));
            by_root.entry(root).or_default().insert(var);
        }
        by_root.values().map(|group| support.difference(group).copied().collect()).collect()
    }
    /// Returns the factors of a conjunction of literals.
    pub(super) fn literals(&self, literals: &BddPartialValuation) -> Vec<Bdd> {
        literals.to_values().into_iter().map(|(var, value)| self.set.mk_literal(var, value)).collect()
    }
    /// Returns the diagram of a conjunction. Its size is the product of those of the factors in the worst case.
    pub(super) fn conjunction_of<'f, B: Borrow<Bdd> + 'f>(&self, factors: impl IntoIterator<Item = &'f B>) -> Bdd {
        factors.into_iter().fold(self.set.mk_true(), |all, factor| all.and(factor.borrow()))
    }
    /// Returns whether `a` implies `b`: whether the factors of `a` that share predicates with a factor of `b` imply that.
    pub(super) fn implies(&self, a: &PredState, b: &PredState) -> bool {
        b.factors().all(|factor| {
            // Most factors of states of one location are the same.
            if a.contains(factor) {
                return true;
            }
            let support: Vec<BddVariable> = Pred::support(factor).into_iter().collect();
            let (related, _) = a.divide(&support);
            let mut related = related.factors();
            match (related.next(), related.next()) {
                (None, _) => false,
                (Some(only), None) => bdd::implies(only, factor),
                (Some(one), Some(other)) => bdd::implies(&self.conjunction_of([one, other].into_iter().chain(related)), factor),
            }
        })
    }
    /// Returns the disjunction of states. Factors that all of them have stay apart.
    pub(super) fn union(&self, pool: &mut ExprPool, states: &[&PredState]) -> ExprId {
        let Some(first) = states.first() else { return pool.bool(false) };
        let is_in = |factor: &Factor, states: &[&PredState]| states.iter().all(|state| state.contains(factor));
        let of_chunk = |chunk: &[Factor]| {
            let formulas: Vec<ExprId> =
                chunk.iter().filter(|factor| is_in(factor, &states[1..])).map(|factor| self.formula(pool, factor)).collect();
            pool.and_all(formulas)
        };
        // Chunks that states of several locations share have one conjunction.
        let mut parts: Vec<ExprId> = first.chunks().map(of_chunk).collect();
        if 1 < states.len() {
            let own = |state: &&PredState| -> Vec<Factor> { state.factors().filter(|f| !is_in(f, states)).cloned().collect() };
            let own: Vec<Vec<Factor>> = states.iter().map(own).collect();
            parts.push(self.union_of(pool, &own));
        }
        pool.and_all(parts)
    }
    /// Returns the disjunction of conjunctions: a diagram if there are few predicates.
    fn union_of(&self, pool: &mut ExprPool, states: &[Vec<Factor>]) -> ExprId {
        /// Predicates of a diagram of all states.
        const FEW: usize = 64;
        let support: BTreeSet<BddVariable> = states.iter().flatten().flat_map(|factor| Pred::support(factor)).collect();
        if support.len() <= FEW {
            let diagrams = states.iter().map(|factors| self.conjunction_of(factors));
            let union = diagrams.fold(self.set.mk_false(), |union, state| union.or(&state));
            return self.formula(pool, &union);
        }
        let states: Vec<ExprId> = states.iter().map(|factors| self.formulas(pool, factors)).collect();
        pool.or_all(states)
    }
}
