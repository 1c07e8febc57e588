//! Answers counted by class: of a finished run from its outcome, of a running one from its events.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::outcome::Outcome;
use super::verdict_class::VerdictClass;

/// Number of requirements in each class. Each requirement counts once.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Tally {
    /// Requirements and checks of the run.
    pub total: usize,
    /// Those with a verdict.
    pub done: usize,
    /// Proved without conditions.
    pub holds: usize,
    /// Proved or shown under conditions that are not proved.
    #[serde(default)]
    pub conditional: usize,
    /// A run reaches the goal.
    #[serde(default)]
    pub possible: usize,
    /// No violation in the first cycles.
    pub holds_bounded: usize,
    /// Nothing puts the requirement to the test.
    pub vacuous: usize,
    /// A run breaks the requirement.
    pub violated: usize,
    /// Impossible goals, by proof.
    #[serde(default)]
    pub impossible: usize,
    /// Statements that never run and outputs that never change, by proof.
    #[serde(default)]
    pub finding: usize,
    /// Not decided.
    pub unknown: usize,
    /// Depends on something that is not modelled, or is not stated correctly.
    pub not_checked: usize,
    /// Stopped before it was decided.
    pub cancelled: usize,
    /// Internal errors.
    pub error: usize,
}

impl Tally {
    /// Counts these answers out of `total`.
    pub fn count(total: usize, classes: impl IntoIterator<Item = VerdictClass>) -> Tally {
        let mut tally = Tally { total, ..Tally::default() };
        for class in classes {
            tally.done += 1;
            *tally.of_mut(class) += 1;
        }
        tally.total = tally.total.max(tally.done);
        tally
    }

    /// Counts the answers of an outcome.
    pub fn of_outcome(outcome: &Outcome) -> Tally {
        Tally::count(outcome.results.len(), outcome.results.iter().map(VerdictClass::of))
    }

    /// Returns the number of answers in a class.
    pub fn of(&self, class: VerdictClass) -> usize {
        let mut copy = *self;
        *copy.of_mut(class)
    }

    /// Returns the classes that occur with their numbers, the worst first.
    pub fn present(self) -> impl DoubleEndedIterator<Item = (VerdictClass, usize)> {
        VerdictClass::all().map(move |class| (class, self.of(class))).filter(|(_, n)| 0 < *n)
    }

    /// Checks that each answer counts once. Tallies that earlier versions stored counted some of them twice.
    pub fn is_consistent(&self) -> bool {
        self.present().map(|(_, n)| n).sum::<usize>() == self.done
    }

    fn of_mut(&mut self, class: VerdictClass) -> &mut usize {
        match class {
            VerdictClass::Holds => &mut self.holds,
            VerdictClass::Conditional => &mut self.conditional,
            VerdictClass::Possible => &mut self.possible,
            VerdictClass::HoldsBounded => &mut self.holds_bounded,
            VerdictClass::Vacuous => &mut self.vacuous,
            VerdictClass::Violated => &mut self.violated,
            VerdictClass::Impossible => &mut self.impossible,
            VerdictClass::Finding => &mut self.finding,
            VerdictClass::Unknown => &mut self.unknown,
            VerdictClass::NotChecked => &mut self.not_checked,
            VerdictClass::Cancelled => &mut self.cancelled,
            VerdictClass::Error => &mut self.error,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_answer_counts_once_and_the_worst_comes_first() {
        use VerdictClass::{Conditional, Holds, Violated};
        let tally = Tally::count(5, [Holds, Conditional, Violated, Holds]);
        assert_eq!((tally.total, tally.done, tally.holds, tally.conditional), (5, 4, 2, 1));
        let words: Vec<String> = tally.present().map(|(class, n)| class.counted(n)).collect();
        assert_eq!(words, ["✖ 1 can be broken", "◩ 1 under conditions", "✔ 2 proved"]);
        assert!(tally.is_consistent());
    }

    /// `conditional` was a part of `holds` once.
    #[test]
    fn a_tally_that_counts_twice_is_noticed() {
        let stored = Tally { total: 2, done: 2, holds: 2, conditional: 1, ..Tally::default() };
        assert!(!stored.is_consistent());
    }
}
