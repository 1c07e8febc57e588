//! Needed parts of the invariants of a proof: those that questions about its safety use, those that questions about these use,
//! and so on. They are a proof of their own, and parts outside of it need no question.
//!
//! Soundness: a question that was excluded asserts certain parts, and these become needed. The check ends when each needed part
//! was shown where the proof begins and at the end of each step. So every question that it asked is one of the smaller proof.
//!
//! Source: Ivrii, Gurfinkel, Belov, "Small inductive safe invariants", FMCAD 2014, doi:10.1109/FMCAD.2014.6987603 (parts that safety
//! depends on, and those that they depend on).

use std::collections::{BTreeMap, BTreeSet};

use kernel::cfa::LocId;
use kernel::verdict::{Argument, Proof};

/// Parts of an invariant that a check has to show.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scope {
    /// All.
    All,
    /// Needed ones.
    Needed,
}

/// Parts of invariants, by place and number.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Parts(BTreeMap<LocId, BTreeSet<usize>>);

impl Parts {
    pub(super) fn insert(&mut self, place: LocId, part: usize) -> bool {
        self.0.entry(place).or_default().insert(part)
    }
    /// Adds the parts of `other`. Those that were not there are added to `new`, too.
    ///
    /// Cost: the parts of `other`.
    pub(super) fn extend(&mut self, other: &Parts, new: &mut Parts) {
        for (place, parts) in &other.0 {
            for part in parts.iter().filter(|part| self.insert(*place, **part)) {
                new.insert(*place, *part);
            }
        }
    }
    pub(super) fn is_empty(&self) -> bool {
        self.0.values().all(BTreeSet::is_empty)
    }
    /// Returns the places that have parts.
    pub(super) fn places(&self) -> impl Iterator<Item = LocId> {
        self.0.keys().copied()
    }
    /// Returns the parts of a place, ascending.
    pub(super) fn at(&self, place: LocId) -> impl Iterator<Item = usize> {
        self.0.get(&place).into_iter().flatten().copied()
    }

    /// Leaves out all other parts of the invariants of a proof. Its places stay.
    ///
    /// Soundness: parts have the numbers that [`super::predicate::Predicate::conjuncts`] gives them.
    pub(super) fn restrict(&self, mut proof: Proof) -> Proof {
        let (Argument::Inductive(invariants) | Argument::KInductive { invariants, .. }) = &mut proof.argument else {
            return proof;
        };
        for (place, invariant) in invariants {
            let parts = proof.pool.conjuncts(*invariant);
            let n_kept = self.at(*place).count();
            if n_kept == parts.len() {
                continue;
            }
            let kept: Vec<_> = self.at(*place).filter_map(|part| parts.get(part).copied()).collect();
            let yes = proof.pool.bool(true);
            *invariant = kept.into_iter().reduce(|all, part| proof.pool.and(all, part)).unwrap_or(yes);
        }
        proof
    }
}

#[cfg(test)]
mod tests;
