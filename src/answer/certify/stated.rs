//! A proof as the checker reads it: the parts of its invariants, each once, and the places of each.
//!
//! The invariants of N places may have N parts each. Most of these are the same parts, so they are kept by number.

use std::collections::BTreeMap;

use super::Flaw;
use super::part_set::PartSet;
use super::predicate::{Predicate, Symbols};
use kernel::cfa::{Cfa, LocId};
use kernel::expr::{ExprId, ExprPool};
use kernel::verdict::{Argument, Paths, Proof, Support};

/// A proof with invariants as text.
#[derive(Clone, Debug)]
pub(crate) struct Stated {
    pub(crate) kind: Kind,
    /// Distinct parts of the invariants.
    pub(crate) parts: Vec<Predicate>,
    /// Parts of the invariant of each place, by number.
    pub(crate) places: BTreeMap<LocId, PartSet>,
}

/// Argument from the invariants to the safety of all runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// They hold at the start, every step keeps them, and no step from them ends in the error location.
    Inductive,
    /// The same for `k` steps.
    KInductive { k: u32, support: Support, paths: Paths },
    /// The first `k` steps do not end in the error location, and no run has more than `k - 1` complete ones.
    Exhaustive { k: u32, paths: Paths },
}

impl Stated {
    /// States a proof about `cfa`, whose expressions live in `pool`.
    ///
    /// Cost:  linear in the distinct parts, and the number of parts of each place.
    /// Stops: an invariant names a variable that is not one of the state.
    pub(crate) fn of(pool: &ExprPool, cfa: &Cfa, proof: &Proof) -> Result<Stated, Flaw> {
        let (kind, invariants) = match &proof.argument {
            Argument::Inductive(invariants) => (Kind::Inductive, invariants),
            Argument::KInductive { k, invariants, support, paths } => {
                (Kind::KInductive { k: *k, support: *support, paths: *paths }, invariants)
            }
            Argument::Exhaustive { k, places, paths } => {
                let kind = Kind::Exhaustive { k: *k, paths: *paths };
                let places = places.iter().map(|place| (*place, PartSet::default()));
                return Ok(Stated { kind, parts: Vec::new(), places: places.collect() });
            }
        };
        let symbols = Symbols::new(pool, &cfa.vars);
        let Numbered { parts, places } = Numbered::of(&proof.pool, invariants);
        let parts = parts.into_iter().map(|part| Predicate::of_expr(&proof.pool, part, &symbols));
        Ok(Stated { kind, parts: parts.collect::<Result<_, Flaw>>()?, places })
    }

    /// Returns the invariant of a place.
    pub(crate) fn invariant(&self, place: LocId) -> Option<Predicate> {
        let parts = self.places.get(&place)?;
        Some(Predicate::all(parts.iter().map(|part| &self.parts[part])))
    }
}

/// Distinct parts of the invariants of a proof, in the order of places.
pub(super) struct Numbered {
    pub(super) parts: Vec<ExprId>,
    pub(super) places: BTreeMap<LocId, PartSet>,
}

impl Numbered {
    /// Numbers the parts.
    pub(super) fn of(pool: &ExprPool, invariants: &BTreeMap<LocId, ExprId>) -> Numbered {
        let (mut parts, mut numbers) = (Vec::new(), BTreeMap::new());
        let mut number = |part: ExprId| {
            *numbers.entry(part).or_insert_with(|| {
                parts.push(part);
                parts.len() - 1
            })
        };
        let of = |(place, e): (&LocId, &ExprId)| (*place, pool.conjuncts(*e).into_iter().map(&mut number).collect());
        let places = invariants.iter().map(of).collect();
        Numbered { parts, places }
    }
}

/// Conjunctions of numbered parts. Those of similar sets share most of their nodes.
pub(crate) struct Conjunctions<'c> {
    parts: &'c [ExprId],
    /// By the first number, the logarithm of the number of bits, and these bits.
    known: BTreeMap<(usize, u32, u64), ExprId>,
}

impl<'c> Conjunctions<'c> {
    pub(crate) fn new(parts: &'c [ExprId]) -> Conjunctions<'c> {
        Conjunctions { parts, known: BTreeMap::new() }
    }
    /// Returns the conjunction of these parts.
    ///
    /// Cost: the 64th part of the numbers, and a logarithm for each difference to earlier sets.
    pub(crate) fn of(&mut self, pool: &mut ExprPool, set: &PartSet) -> ExprId {
        let mut level: Vec<ExprId> =
            set.words().iter().enumerate().map(|(at, word)| self.bits(pool, (at * 64, 6, *word))).collect();
        while 1 < level.len() {
            level = level.chunks(2).map(|pair| pool.and_all(pair.iter().copied())).collect();
        }
        level.first().copied().unwrap_or_else(|| pool.bool(true))
    }
    fn bits(&mut self, pool: &mut ExprPool, key: (usize, u32, u64)) -> ExprId {
        let (first, log, bits) = key;
        if bits == 0 {
            return pool.bool(true);
        }
        if log == 0 {
            return self.parts[first];
        }
        if let Some(known) = self.known.get(&key) {
            return *known;
        }
        let half = 1 << (log - 1);
        let low = self.bits(pool, (first, log - 1, bits & ((1 << half) - 1)));
        let high = self.bits(pool, (first + half, log - 1, bits >> half));
        let both = pool.and(low, high);
        self.known.insert(key, both);
        both
    }
}

#[cfg(test)]
mod tests;
