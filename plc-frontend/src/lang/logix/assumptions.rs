//! Rules that no manual settles, at the instructions that rest on them: answers that depend on the instruction name the rule.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};

use crate::text::Span;

/// Most places at which one rule is named; beyond them it is a condition of all answers.
const MOST: usize = 20;

/// Rules with their places.
#[derive(Debug, Default)]
pub(super) struct Assumptions {
    /// Places of each rule; `None` is the whole controller.
    found: RefCell<BTreeMap<&'static str, BTreeSet<Option<Span>>>>,
    /// Instruction or statement that is written.
    place: Cell<Option<Span>>,
}

impl Assumptions {
    /// Begins an instruction or statement; `None` ends it.
    pub(super) fn at(&self, place: Option<Span>) {
        self.place.set(place);
    }

    /// Adds a rule about the values that the present instruction writes.
    pub(super) fn add(&self, words: &'static str) {
        self.found.borrow_mut().entry(words).or_default().insert(self.place.get());
    }

    /// Adds a rule about more than the values that the present instruction writes.
    pub(super) fn add_everywhere(&self, words: &'static str) {
        self.found.borrow_mut().entry(words).or_default().insert(None);
    }

    /// Returns the rules with their places, and forgets them.
    pub(super) fn take(&self) -> Vec<(&'static str, Option<Span>)> {
        let found = std::mem::take(&mut *self.found.borrow_mut());
        let rows = found.into_iter().flat_map(|(words, places)| {
            let is_wide = places.contains(&None) || MOST < places.len();
            let places = if is_wide { BTreeSet::from([None]) } else { places };
            places.into_iter().map(move |place| (words, place))
        });
        rows.collect()
    }
}
