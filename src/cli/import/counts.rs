//! Numbers of POUs, with percentages of all POUs that are not wrong on purpose.

use serde::Serialize;

use super::report::Listed;

/// PROGRAMs, FUNCTION_BLOCKs and FUNCTIONs. Methods and properties count as parts of their block.
///
/// Each POU is resolved (without or with stubs), not understood, or wrong on purpose.
#[derive(Clone, Debug, Default, Serialize)]
pub(super) struct PouCounts {
    /// All of them.
    pub(super) n_pous: usize,
    /// Parts of tests of wrong programs that were found wrong: not in the denominator of the percentages.
    pub(super) n_wrong_on_purpose_pous: usize,
    /// Without an error, neither in themselves nor in POUs that they use, and without stubs among these.
    pub(super) n_resolved_without_stubs: usize,
    /// Without an error, and with stubs: POUs of which only the interface is known.
    pub(super) n_resolved_with_stubs: usize,
    /// Those with stubs that are stubs themselves: only their interface is in the set.
    pub(super) n_stubs: usize,
    /// Those with stubs and statements where no file of the set declares one of the stubs.
    pub(super) n_lacking: usize,
    /// Equal in the interpreter and in the model in all cycles; absent if they were not run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) n_run_alike: Option<usize>,
    /// All others.
    pub(super) n_not_understood: usize,
    /// In percent.
    pub(super) resolved_without_stubs_percent: f64,
    /// Resolved without stubs, in percent of those that are no stubs themselves.
    pub(super) with_statements_percent: f64,
    /// In percent.
    pub(super) resolved_with_stubs_percent: f64,
    /// In percent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) run_alike_percent: Option<f64>,
    /// In percent, rounded up.
    pub(super) not_understood_percent: f64,
}

impl PouCounts {
    /// Returns the denominator of the percentages.
    pub(super) fn n_counted(&self) -> usize {
        self.n_pous - self.n_wrong_on_purpose_pous
    }

    /// Returns the number of POUs of which more than the interface is there.
    pub(super) fn n_with_statements(&self) -> usize {
        self.n_counted() - self.n_stubs
    }

    /// Returns the number of POUs without an error.
    pub(super) fn n_resolved(&self) -> usize {
        self.n_resolved_without_stubs + self.n_resolved_with_stubs
    }

    /// Adds the numbers of another set.
    pub(super) fn add(&mut self, other: &PouCounts) {
        self.n_pous += other.n_pous;
        self.n_wrong_on_purpose_pous += other.n_wrong_on_purpose_pous;
        self.n_resolved_without_stubs += other.n_resolved_without_stubs;
        self.n_resolved_with_stubs += other.n_resolved_with_stubs;
        self.n_stubs += other.n_stubs;
        self.n_lacking += other.n_lacking;
        self.n_not_understood += other.n_not_understood;
        if let Some(n_alike) = other.n_run_alike {
            *self.n_run_alike.get_or_insert_default() += n_alike;
        }
        self.rate();
    }

    /// Computes the percentages.
    pub(super) fn rate(&mut self) {
        let whole = self.n_counted();
        self.resolved_without_stubs_percent = percent(self.n_resolved_without_stubs, whole);
        self.with_statements_percent = percent(self.n_resolved_without_stubs, self.n_with_statements());
        self.resolved_with_stubs_percent = percent(self.n_resolved_with_stubs, whole);
        self.run_alike_percent = self.n_run_alike.map(|n| percent(n, whole));
        let not_understood = if whole == 0 { 0.0 } else { self.n_not_understood as f64 * 1000.0 / whole as f64 };
        self.not_understood_percent = not_understood.ceil() / 10.0;
    }
}

/// POUs that were run cycle by cycle in the interpreter and in the automaton; each resolved one is counted once.
#[derive(Default, Serialize)]
pub(super) struct Runs {
    /// All variables were equal after each cycle.
    pub(super) n_equal: usize,
    /// The same, with values that the model leaves open and that were taken from the interpreter.
    pub(super) n_equal_with_gaps: usize,
    /// Equal until something that is not modelled, before all cycles were run.
    pub(super) stops: Vec<Listed>,
    /// Not equal.
    pub(super) different: Vec<Listed>,
    /// Without an automaton.
    pub(super) not_lowered: Vec<Listed>,
    /// Equal as far as the time went.
    pub(super) out_of_time: Vec<Listed>,
}

impl Runs {
    /// Returns the number of POUs with all cycles equal.
    pub(super) fn n_alike(&self) -> usize {
        self.n_equal + self.n_equal_with_gaps
    }
}

/// Returns percent with one decimal, rounded down; of nothing, 0.
pub(super) fn percent(part: usize, whole: usize) -> f64 {
    if whole == 0 { 0.0 } else { (part as f64 * 1000.0 / whole as f64).floor() / 10.0 }
}

#[test]
fn percentages_are_of_all_pous_that_are_not_wrong_on_purpose() {
    let mut counts = PouCounts {
        n_pous: 2001,
        n_wrong_on_purpose_pous: 1,
        n_resolved_without_stubs: 1998,
        n_resolved_with_stubs: 1,
        n_not_understood: 1,
        ..PouCounts::default()
    };
    counts.rate();
    let percentages = |c: &PouCounts| (c.resolved_without_stubs_percent, c.resolved_with_stubs_percent, c.not_understood_percent);
    assert_eq!(percentages(&counts), (99.9, 0.0, 0.1));
    let mut nothing = PouCounts::default();
    nothing.rate();
    assert_eq!(percentages(&nothing), (0.0, 0.0, 0.0));
    counts.add(&PouCounts { n_pous: 2000, n_not_understood: 2000, n_run_alike: Some(4), ..PouCounts::default() });
    assert_eq!((counts.n_counted(), counts.n_run_alike, counts.run_alike_percent), (4000, Some(4), Some(0.1)));
    assert_eq!(percentages(&counts), (49.9, 0.0, 50.1));
    counts.add(&PouCounts { n_pous: 1000, n_resolved_with_stubs: 1000, n_stubs: 1000, ..PouCounts::default() });
    assert_eq!(
        (counts.n_with_statements(), counts.resolved_without_stubs_percent, counts.with_statements_percent),
        (4000, 39.9, 49.9)
    );
}
