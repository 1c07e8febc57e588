//! Verdicts counted: of a finished run from its outcome, of a running one from its events.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::property::pattern::is_possibility;
use crate::report::outcome::{Outcome, RequirementResult, VerdictWord};

/// How many requirements have which verdict.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Tally {
    /// Requirements and checks of the run.
    pub total: usize,
    /// Those with a verdict.
    pub done: usize,
    /// Proved.
    pub holds: usize,
    /// Those of the proved ones that take an automatic check for granted.
    #[serde(default)]
    pub conditional: usize,
    /// Those of the proved ones that ask for what is possible: a run shows it.
    #[serde(default)]
    pub possible: usize,
    /// No violation in the first cycles.
    pub holds_bounded: usize,
    /// Holds only because its condition never happens.
    pub vacuous: usize,
    /// Can be broken.
    pub violated: usize,
    /// Those of the broken ones that ask for what is possible: it is proved that it is not.
    #[serde(default)]
    pub impossible: usize,
    /// Not decided.
    pub unknown: usize,
    /// Depends on something that is not modelled.
    pub not_checked: usize,
    /// Stopped before it was decided.
    pub cancelled: usize,
    /// Internal errors.
    pub error: usize,
}

impl Tally {
    /// Counts these verdicts out of `total`.
    pub fn count(total: usize, words: impl IntoIterator<Item = VerdictWord>) -> Tally {
        let mut tally = Tally { total, ..Tally::default() };
        for word in words {
            tally.done += 1;
            *tally.of_mut(word) += 1;
        }
        tally.total = tally.total.max(tally.done);
        tally
    }

    /// Counts an outcome's verdicts.
    pub fn of_outcome(outcome: &Outcome) -> Tally {
        let n = |word, which: fn(&RequirementResult) -> bool| {
            outcome.results.iter().filter(|r| r.verdict == word && which(r)).count()
        };
        let conditional = n(VerdictWord::Holds, |r| !r.given.is_empty());
        let possible = n(VerdictWord::Holds, |r| is_possibility(&r.pattern));
        let impossible = n(VerdictWord::Violated, |r| is_possibility(&r.pattern));
        Tally {
            conditional,
            possible,
            impossible,
            ..Tally::count(outcome.results.len(), outcome.results.iter().map(|r| r.verdict))
        }
    }

    /// The number with this verdict.
    pub fn of(&self, word: VerdictWord) -> usize {
        let mut copy = *self;
        *copy.of_mut(word)
    }

    fn of_mut(&mut self, word: VerdictWord) -> &mut usize {
        match word {
            VerdictWord::Holds => &mut self.holds,
            VerdictWord::HoldsBounded => &mut self.holds_bounded,
            VerdictWord::Vacuous => &mut self.vacuous,
            VerdictWord::Violated => &mut self.violated,
            VerdictWord::Unknown => &mut self.unknown,
            VerdictWord::NotChecked => &mut self.not_checked,
            VerdictWord::Cancelled => &mut self.cancelled,
            VerdictWord::Error => &mut self.error,
        }
    }
}
