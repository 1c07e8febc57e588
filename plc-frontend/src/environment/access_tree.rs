//! Accesses below one variable, as a tree of their steps.

use std::collections::{BTreeMap, BTreeSet};

use super::summary::{Mode, Step};
use crate::hir::LeafElem;

/// Accesses below one variable. Each node is a part of it.
#[derive(Debug, Default)]
pub(super) struct AccessTree {
    /// Accesses of this part as a whole.
    here: BTreeSet<Mode>,
    /// Accesses of smaller parts, by the next step.
    below: BTreeMap<Step, AccessTree>,
}

impl AccessTree {
    /// Adds an access.
    pub(super) fn insert(&mut self, steps: &[Step], mode: Mode) {
        let mut node = self;
        for step in steps {
            node = node.below.entry(*step).or_default();
        }
        node.here.insert(mode);
    }

    /// Returns whether an access of this mode leads to the path or to a part around it.
    ///
    /// Cost: logarithmic in the accesses for each step; an array element has two steps, its own and that of any element.
    pub(super) fn covers(&self, path: &[LeafElem], mode: Mode) -> bool {
        self.here.contains(&mode) || self.next(path).any(|(node, rest)| node.covers(rest, mode))
    }

    /// Returns whether an access of this mode leads to exactly this path.
    pub(super) fn ends_at(&self, path: &[LeafElem], mode: Mode) -> bool {
        (path.is_empty() && self.here.contains(&mode)) || self.next(path).any(|(node, rest)| node.ends_at(rest, mode))
    }

    /// Returns the nodes one step further on a path, with the rest of the path.
    fn next<'a>(&'a self, path: &'a [LeafElem]) -> impl Iterator<Item = (&'a AccessTree, &'a [LeafElem])> {
        path.split_first().into_iter().flat_map(move |(elem, rest)| {
            let steps = match elem {
                LeafElem::Field(field) => [Some(Step::Field(*field)), None],
                LeafElem::Member(var) => [Some(Step::Member(*var)), None],
                LeafElem::Index(at) => [Some(Step::Element(*at)), Some(Step::AnyElement)],
            };
            steps.into_iter().flatten().filter_map(move |step| Some((self.below.get(&step)?, rest)))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn step() -> impl Strategy<Value = Step> {
        prop_oneof![(0..2_u32).prop_map(Step::Field), (0..2_u32).prop_map(Step::Element), Just(Step::AnyElement)]
    }

    fn elem() -> impl Strategy<Value = LeafElem> {
        prop_oneof![(0..2_u32).prop_map(LeafElem::Field), (0..2_u32).prop_map(LeafElem::Index)]
    }

    fn mode() -> impl Strategy<Value = Mode> {
        prop_oneof![Just(Mode::Read), Just(Mode::Write), Just(Mode::Run)]
    }

    fn covers(step: Step, elem: LeafElem) -> bool {
        match (step, elem) {
            (Step::Field(a), LeafElem::Field(b)) => a == b,
            (Step::Member(a), LeafElem::Member(b)) => a == b,
            (Step::Element(a), LeafElem::Index(b)) => a == b,
            (Step::AnyElement, LeafElem::Index(_)) => true,
            (Step::Field(_) | Step::Member(_) | Step::Element(_) | Step::AnyElement, _) => false,
        }
    }

    proptest! {
        #[test]
        fn a_tree_covers_what_one_of_its_accesses_covers(
            accesses in proptest::collection::vec((proptest::collection::vec(step(), 0..4), mode()), 0..5),
            path in proptest::collection::vec(elem(), 0..4),
            mode in mode(),
        ) {
            let mut tree = AccessTree::default();
            accesses.iter().for_each(|(steps, mode)| tree.insert(steps, *mode));
            let leads = |steps: &[Step]| {
                steps.len() <= path.len() && steps.iter().zip(&path).all(|(step, elem)| covers(*step, *elem))
            };
            let of_mode = || accesses.iter().filter(|(_, m)| *m == mode).map(|(steps, _)| steps.as_slice());
            prop_assert_eq!(tree.covers(&path, mode), of_mode().any(leads));
            prop_assert_eq!(tree.ends_at(&path, mode), of_mode().any(|steps| steps.len() == path.len() && leads(steps)));
        }
    }
}
