//! Needed parts of the invariants of a proof: those that questions about its safety use, those that questions about these use,
//! and so on. They are a proof of their own, and parts outside of it need no question.
//!
//! Soundness: a question that was excluded asserts certain parts, and these become needed. The check ends when each needed part
//! was shown where the proof begins and at the end of each step. So every question that it asked is one of the smaller proof.
//!
//! Source: Ivrii, Gurfinkel, Belov, "Small inductive safe invariants", FMCAD 2014, doi:10.1109/FMCAD.2014.6987603 (parts that safety
//! depends on, and those that they depend on).

use std::collections::BTreeMap;

use super::part_set::PartSet;
use super::stated::{Conjunctions, Numbered};
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
pub(crate) struct Parts(BTreeMap<LocId, PartSet>);

impl Parts {
    pub(super) fn new(places: BTreeMap<LocId, PartSet>) -> Parts {
        Parts(places)
    }
    pub(super) fn insert(&mut self, place: LocId, part: usize) -> bool {
        self.0.entry(place).or_default().insert(part)
    }
    /// Adds the parts of `other`. Those that were not there are added to `new`, too.
    ///
    /// Cost: the parts of `other`.
    pub(super) fn extend(&mut self, other: &Parts, new: &mut Parts) {
        other.0.iter().for_each(|(place, parts)| self.extend_at(*place, parts, new));
    }
    /// Adds parts of one place, as [`Self::extend`] does.
    pub(super) fn extend_at(&mut self, place: LocId, parts: &PartSet, new: &mut Parts) {
        let missing = self.0.entry(place).or_default().extend(parts);
        if !missing.is_empty() {
            new.0.entry(place).or_default().extend(&missing);
        }
    }
    pub(super) fn is_empty(&self) -> bool {
        self.0.values().all(PartSet::is_empty)
    }
    /// Returns the places that have parts.
    pub(super) fn places(&self) -> impl Iterator<Item = LocId> {
        self.0.keys().copied()
    }
    /// Returns the parts of a place.
    pub(super) fn at(&self, place: LocId) -> Option<&PartSet> {
        self.0.get(&place)
    }

    /// Leaves out all other parts of the invariants of a proof. Its places stay.
    ///
    /// Soundness: parts have the numbers of [`Numbered`].
    pub(super) fn restrict(&self, mut proof: Proof) -> Proof {
        let (Argument::Inductive(invariants) | Argument::KInductive { invariants, .. }) = &mut proof.argument else {
            return proof;
        };
        let Numbered { parts, places } = Numbered::of(&proof.pool, invariants);
        let (mut conjunctions, none) = (Conjunctions::new(&parts), PartSet::default());
        for (place, all) in &places {
            let kept = self.at(*place).unwrap_or(&none);
            if kept != all {
                invariants.insert(*place, conjunctions.of(&mut proof.pool, kept));
            }
        }
        proof
    }
}

#[cfg(test)]
mod tests;
