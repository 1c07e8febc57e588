//! Predicate states: factors in chunks that states have in common.
//!
//! A step of a large program concerns few factors of a state. Its successor copies the chunks of these and the list of chunks; all
//! other chunks are shared.

use std::ops::RangeInclusive;
use std::rc::Rc;

use biodivine_lib_bdd::{Bdd, BddVariable};

/// Part of a state; states of many locations have it in common.
pub(super) type Factor = Rc<Bdd>;

/// A Boolean combination of predicates, as the conjunction of factors.
///
/// **Invariant:** factors have no predicate in common; none is TRUE or FALSE; they stand in the order of their first predicates. So
/// equal states have equal chunks.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct PredState(Rc<[Chunk]>);

/// Factors whose first predicates have neighbouring numbers; at least one.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Chunk {
    number: usize,
    /// Last predicate of all of its factors.
    last: BddVariable,
    factors: Rc<[Factor]>,
}

/// Predicates that may be first in a factor of one chunk. In tests few, so that states have several chunks.
const WIDTH: usize = if cfg!(test) { 2 } else { 32 };

impl PredState {
    /// Returns the state of factors in any order.
    pub(super) fn new(mut factors: Vec<Factor>) -> PredState {
        factors.sort_by_key(|factor| first(factor));
        debug_assert!(factors.windows(2).all(|pair| first(&pair[0]) != first(&pair[1])));
        PredState(factors.chunk_by(|a, b| number(a) == number(b)).map(Chunk::new).collect())
    }
    /// Returns whether the state has no factor.
    pub(super) fn is_true(&self) -> bool {
        self.0.is_empty()
    }
    /// Returns the factors in their order.
    pub(super) fn factors(&self) -> impl Iterator<Item = &Factor> {
        self.0.iter().flat_map(|chunk| chunk.factors.iter())
    }
    /// Returns the factors chunk by chunk.
    pub(super) fn chunks(&self) -> impl Iterator<Item = &[Factor]> {
        self.0.iter().map(|chunk| &*chunk.factors)
    }
    /// Returns whether the state has this factor.
    pub(super) fn contains(&self, factor: &Factor) -> bool {
        let Ok(at) = self.0.binary_search_by_key(&number(factor), |chunk| chunk.number) else { return false };
        let factors = &self.0[at].factors;
        factors.binary_search_by_key(&first(factor), |factor| first(factor)).is_ok_and(|at| factors[at] == *factor)
    }
    /// Returns the factors that are about at least one of these predicates, which are ascending, and the rest.
    ///
    /// Cost: the number of chunks; the factors of those that may be about one.
    pub(super) fn divide(&self, about: &[BddVariable]) -> (PredState, PredState) {
        let may_touch = |predicates: RangeInclusive<BddVariable>| {
            let next = about.partition_point(|pred| pred < predicates.start());
            about.get(next).is_some_and(|pred| pred <= predicates.end())
        };
        let touches = |factor: &&Factor| factor.pointers().skip(2).any(|node| about.binary_search(&factor.var_of(node)).is_ok());
        let (mut part, mut rest) = (Vec::new(), Vec::with_capacity(self.0.len()));
        for chunk in self.0.iter() {
            if !may_touch(first(&chunk.factors[0])..=chunk.last) {
                rest.push(chunk.clone());
                continue;
            }
            let (touched, others): (Vec<&Factor>, Vec<&Factor>) = chunk.factors.iter().partition(touches);
            if touched.is_empty() {
                rest.push(chunk.clone());
                continue;
            }
            for (chunks, factors) in [(&mut part, touched), (&mut rest, others)] {
                let factors: Vec<Factor> = factors.into_iter().cloned().collect();
                if !factors.is_empty() {
                    chunks.push(Chunk::new(&factors));
                }
            }
        }
        (PredState(part.into()), PredState(rest.into()))
    }
    /// Returns the conjunction of states without a common predicate.
    ///
    /// Cost: the number of chunks; the factors of those that both have.
    pub(super) fn and(&self, other: &PredState) -> PredState {
        let mut chunks = Vec::with_capacity(self.0.len() + other.0.len());
        let (mut a, mut b) = (self.0.iter().peekable(), other.0.iter().peekable());
        loop {
            let chunk = match (a.peek(), b.peek()) {
                (Some(x), Some(y)) if x.number == y.number => {
                    let mut factors = [&*x.factors, &*y.factors].concat();
                    factors.sort_by_key(|factor| first(factor));
                    a.next();
                    b.next();
                    chunks.push(Chunk::new(&factors));
                    continue;
                }
                (Some(x), Some(y)) if x.number < y.number => a.next(),
                (_, Some(_)) => b.next(),
                (_, None) => a.next(),
            };
            match chunk {
                Some(chunk) => chunks.push(chunk.clone()),
                None => return PredState(chunks.into()),
            }
        }
    }
}

impl Chunk {
    /// Returns the chunk of factors with one number, in the order of their first predicates.
    fn new(factors: &[Factor]) -> Chunk {
        let predicates = factors.iter().flat_map(|factor| factor.pointers().skip(2).map(|node| factor.var_of(node)));
        let last = predicates.fold(first(&factors[0]), Ord::max);
        Chunk { number: number(&factors[0]), last, factors: factors.into() }
    }
}

/// Returns the first predicate of a factor.
fn first(factor: &Bdd) -> BddVariable {
    factor.var_of(factor.root_pointer())
}

/// Returns the number of a factor's chunk.
fn number(factor: &Bdd) -> usize {
    first(factor).to_index() / WIDTH
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;
    use crate::domain::bdd::variables;

    /// Returns a factor about these predicates: one of them holds.
    fn factor(predicates: &BTreeSet<usize>) -> Factor {
        let vars = variables().variables();
        Rc::new(predicates.iter().fold(variables().mk_false(), |any, pred| any.or(&variables().mk_var(vars[*pred]))))
    }

    proptest! {
        #[test]
        fn parts_are_those_about_the_predicates_and_together_they_are_the_state(
            owners in prop::collection::vec(0..8_usize, 1..24),
            about in prop::collection::btree_set(0..30_usize, 0..6),
        ) {
            // Each predicate belongs to one factor.
            let supports = (0..8).map(|factor| (0..owners.len()).filter(|pred| owners[*pred] == factor).collect());
            let supports: Vec<BTreeSet<usize>> = supports.filter(|support: &BTreeSet<usize>| !support.is_empty()).collect();
            let state = PredState::new(supports.iter().map(factor).collect());
            prop_assert_eq!(state.factors().count(), supports.len());
            let vars = variables().variables();
            let (part, rest) = state.divide(&about.iter().map(|pred| vars[*pred]).collect::<Vec<_>>());
            for support in &supports {
                let is_touched = !support.is_disjoint(&about);
                prop_assert_eq!((part.contains(&factor(support)), rest.contains(&factor(support))), (is_touched, !is_touched));
            }
            prop_assert_eq!((part.and(&rest), rest.and(&part)), (state.clone(), state));
        }
    }
}
