//! Sensitivity of a requirement to small changes of the program, as part of the outcome.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::outcome::Place;

/// Small changes of the program, and their effects on a requirement that holds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Sensitivity {
    /// The result in a sentence.
    pub summary: String,
    /// No change was noticed: the requirement may say nothing about this program.
    pub warning: bool,
    /// A search was made for each change that simulated runs do not notice (`mutants`). Otherwise the question was only
    /// whether it notices any.
    #[serde(default = "yes")]
    pub searched: bool,
    /// Changes that there are of statements that the requirement depends on.
    pub possible: usize,
    /// Those that were tried, in the order of the text.
    pub changes: Vec<ChangeSummary>,
    /// Milliseconds it took.
    pub duration_ms: u64,
}

/// A change that was tried.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ChangeSummary {
    /// Its place.
    pub place: Place,
    /// The change.
    pub what: String,
    /// Fate of the requirement.
    pub fate: ChangeFate,
    /// For `noticed`: cycles of a run of the changed program that violates the requirement.
    pub cycles: Option<usize>,
}

/// Fate of a requirement in a changed program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ChangeFate {
    /// It is violated: a run of the changed program shows it.
    Noticed,
    /// It holds all the same: proved.
    Unaffected,
    /// Not decided in the short time for it.
    Open,
}

fn yes() -> bool {
    true
}

impl Sensitivity {
    /// Makes the sentence about the changes that were tried.
    pub fn new(searched: bool, possible: usize, changes: Vec<ChangeSummary>, duration_ms: u64) -> Sensitivity {
        let n = |fate: ChangeFate| changes.iter().filter(|change| change.fate == fate).count();
        let (noticed, open, total) = (n(ChangeFate::Noticed), n(ChangeFate::Open), changes.len());
        let counted = if total == possible { String::new() } else { format!(" that were tried (of {possible})") };
        // A short look that notices nothing is no warning: programs are deep, or forbid things twice.
        let warning = noticed == 0 && (possible == 0 || searched && 0 < total);
        let summary = match (total, noticed) {
            _ if possible == 0 => {
                "Nothing in the program seems to matter for this requirement: it depends on no statement.".to_owned()
            }
            (0, _) => "There was no time to try changes of the program.".to_owned(),
            (n, 0) if !searched => format!(
                "A short look noticed none of {n} small changes of the program{counted}; a search for each (`mutants`) tells more."
            ),
            (n, k) if !searched => format!("A short look noticed {k} of {n} small changes of the program{counted}."),
            (1, 0) => format!(
                "The one change of the program{counted} would not be noticed: nothing seems to matter for this requirement."
            ),
            (n, 0) => format!(
                "None of {n} changes of the program{counted} would be noticed: nothing seems to matter for this requirement."
            ),
            (1, _) => format!("The one change of the program{counted} would be noticed."),
            (n, k) if n == k => format!("All {n} changes of the program{counted} would be noticed."),
            (n, k) => format!("{k} of {n} changes of the program{counted} would be noticed."),
        };
        let unsure = match open {
            _ if !searched => String::new(),
            0 => String::new(),
            n => format!(" Of {n} it was not decided in the short time for it."),
        };
        Sensitivity { summary: summary + &unsure, warning, searched, possible, changes, duration_ms }
    }

    /// Changes that the requirement does not notice, as far as is known.
    pub fn survivors(&self) -> impl Iterator<Item = &ChangeSummary> {
        self.changes.iter().filter(|change| change.fate != ChangeFate::Noticed)
    }
}

impl ChangeSummary {
    /// Returns its fate in words.
    pub fn words(&self) -> String {
        match (self.fate, self.cycles) {
            (ChangeFate::Noticed, Some(1)) => "noticed in the first cycle".to_owned(),
            (ChangeFate::Noticed, Some(n)) => format!("noticed in cycle {n} of a run"),
            (ChangeFate::Noticed, None) => "noticed".to_owned(),
            (ChangeFate::Unaffected, _) => "makes no difference (proved)".to_owned(),
            (ChangeFate::Open, _) => "not noticed in the short time for it".to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sentence_says_what_came_out() {
        use ChangeFate::{Noticed, Open, Unaffected};
        let check = |possible: usize, fates: &[ChangeFate], warning: bool, expected: &str| {
            let place = Place { source: Some(0), file: "p.st".into(), line: 1, column: 1, end_line: 1, editor: None };
            let change =
                |fate: &ChangeFate| ChangeSummary { place: place.clone(), what: String::new(), fate: *fate, cycles: None };
            let made = Sensitivity::new(true, possible, fates.iter().map(change).collect(), 0);
            assert_eq!((made.summary.as_str(), made.warning), (expected, warning), "{fates:?}");
        };
        check(2, &[Noticed, Noticed], false, "All 2 changes of the program would be noticed.");
        check(9, &[Noticed, Unaffected], false, "1 of 2 changes of the program that were tried (of 9) would be noticed.");
        let open = "1 of 2 changes of the program would be noticed. Of 1 it was not decided in the short time for it.";
        check(2, &[Noticed, Open], false, open);
        let none = "None of 2 changes of the program would be noticed: nothing seems to matter for this requirement.";
        check(2, &[Unaffected, Unaffected], true, none);
        check(0, &[], true, "Nothing in the program seems to matter for this requirement: it depends on no statement.");
        check(5, &[], false, "There was no time to try changes of the program.");
    }
    #[test]
    fn a_short_look_says_less() {
        let place = Place { source: Some(0), file: "p.st".into(), line: 1, column: 1, end_line: 1, editor: None };
        let change = |fate: ChangeFate| ChangeSummary { place: place.clone(), what: String::new(), fate, cycles: None };
        let made = |fates: &[ChangeFate]| Sensitivity::new(false, 9, fates.iter().map(|fate| change(*fate)).collect(), 0);
        let some = made(&[ChangeFate::Open, ChangeFate::Noticed]);
        let sentence = "A short look noticed 1 of 2 small changes of the program that were tried (of 9).";
        assert_eq!((some.summary.as_str(), some.warning), (sentence, false));
        assert!(!made(&[ChangeFate::Open; 9]).warning);
        assert!(Sensitivity::new(false, 0, Vec::new(), 0).warning, "nothing that could be changed matters");
    }
}
