//! The class of an answer for people. Symbol, colour, count and exit code follow from it, everywhere.
//!
//! [`super::words::headline`] adds the sentence. Pages, terminal, run lists and JSON know no other rule.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::outcome::RequirementResult;
use answer::VerdictWord;
use kernel::property::pattern::is_possibility;

/// Class of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum VerdictClass {
    /// Internal error.
    Error,
    /// A run breaks the requirement.
    Violated,
    /// Impossibility of the goal of the requirement, by proof.
    Impossible,
    /// Part of the program without any effect, by proof: a statement that never runs, an output that never changes.
    Finding,
    /// Nothing puts the requirement to the test.
    Vacuous,
    /// Proved or shown under conditions that are not proved themselves.
    Conditional,
    /// Not decided.
    Unknown,
    /// Depends on something that is not modelled, or is not stated correctly.
    NotChecked,
    /// Stopped before it was decided.
    Cancelled,
    /// No violation in the first cycles.
    HoldsBounded,
    /// A run reaches the requirement's goal.
    Possible,
    /// Proved without conditions.
    Holds,
}

/// Presentation of one class.
struct ClassRow {
    class: VerdictClass,
    /// Class of the colour in pages.
    colour: Colour,
    symbol: &'static str,
    /// Words behind a number.
    counted: &'static str,
    exit_code: u8,
}

/// Colour of an answer. It never stands alone: the symbol and the words say the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Colour {
    /// Green.
    Good,
    /// Amber.
    Warn,
    /// Red.
    Bad,
    /// Grey.
    Open,
}

use VerdictClass::{
    Cancelled, Conditional, Error, Finding, Holds, HoldsBounded, Impossible, NotChecked, Possible, Unknown, Vacuous, Violated,
};

const fn row(class: VerdictClass, colour: Colour, symbol: &'static str, counted: &'static str, exit_code: u8) -> ClassRow {
    ClassRow { class, colour, symbol, counted, exit_code }
}

/// All classes, the worst first.
const ROWS: &[ClassRow] = &[
    row(Error, Colour::Bad, "!", "internal error", 1),
    row(Violated, Colour::Bad, "✖", "can be broken", 40),
    row(Impossible, Colour::Bad, "✖", "impossible", 40),
    row(Finding, Colour::Bad, "✖", "finding", 40),
    row(Vacuous, Colour::Warn, "⚠", "vacuous", 30),
    row(Conditional, Colour::Warn, "◩", "under conditions", 30),
    row(Unknown, Colour::Open, "?", "not decided", 30),
    row(NotChecked, Colour::Open, "–", "not checked", 30),
    row(Cancelled, Colour::Open, "!", "stopped", 130),
    row(HoldsBounded, Colour::Open, "◐", "bounded", 30),
    row(Possible, Colour::Good, "✔", "possible", 0),
    row(Holds, Colour::Good, "✔", "proved", 0),
];

impl VerdictClass {
    /// Returns the class of a result.
    ///
    /// Soundness: an answer that rests on a condition is never in a class of unconditional ones. A violation stays one: its
    ///            run was replayed.
    pub fn of(result: &RequirementResult) -> VerdictClass {
        let is_possibility = is_possibility(&result.pattern);
        let is_conditional = !result.conditions.is_empty();
        let is_check = || kernel::property::check::by_name(&result.pattern).is_some();
        match (result.verdict, is_possibility, is_conditional) {
            (VerdictWord::Holds, _, true) | (VerdictWord::Violated, true, true) => Conditional,
            (VerdictWord::Holds, true, false) => Possible,
            (VerdictWord::Violated, true, false) if is_check() => Finding,
            (VerdictWord::Violated, true, false) => Impossible,
            (word, _, _) => VerdictClass::of_word(word),
        }
    }

    /// Returns the class of a bare verdict, where nothing else is known of the result.
    pub fn of_word(word: VerdictWord) -> VerdictClass {
        match word {
            VerdictWord::Holds => Holds,
            VerdictWord::HoldsBounded => HoldsBounded,
            VerdictWord::Vacuous => Vacuous,
            VerdictWord::Violated => Violated,
            VerdictWord::Unknown => Unknown,
            VerdictWord::NotChecked => NotChecked,
            VerdictWord::Cancelled => Cancelled,
            VerdictWord::Error => Error,
        }
    }

    /// Returns all classes, the worst first.
    pub fn all() -> impl DoubleEndedIterator<Item = VerdictClass> {
        ROWS.iter().map(|row| row.class)
    }

    /// Returns the colour.
    pub fn colour(self) -> Colour {
        self.row().colour
    }

    /// Returns the symbol before the words.
    pub fn symbol(self) -> &'static str {
        self.row().symbol
    }

    /// Returns `✔ 3 proved`.
    pub fn counted(self, n: usize) -> String {
        let row = self.row();
        let plural = if n != 1 && (self == Finding || self == Error) { "s" } else { "" };
        format!("{} {n} {}{plural}", row.symbol, row.counted)
    }

    /// Returns the exit code of a run in which every answer is of this class.
    pub fn exit_code(self) -> u8 {
        self.row().exit_code
    }

    /// Returns the name in JSON and addresses.
    pub fn name(self) -> String {
        serde_json::to_value(self).ok().and_then(|v| v.as_str().map(str::to_string)).unwrap_or_default()
    }

    fn row(self) -> &'static ClassRow {
        &ROWS[self as usize]
    }
}

impl Colour {
    /// Returns the class in style sheets.
    pub fn css(self) -> &'static str {
        match self {
            Colour::Good => "good",
            Colour::Warn => "warn",
            Colour::Bad => "bad",
            Colour::Open => "open",
        }
    }
}

/// Returns the exit code of a run with these answers: the worst decides.
///
/// 0 everything holds, 40 something can be broken, 30 something is not decided or rests on conditions, 1 internal error,
/// 130 stopped. An internal error counts most: no verdict of such a run should be relied on.
pub fn exit_code(classes: impl IntoIterator<Item = VerdictClass>) -> u8 {
    const WORST_FIRST: [u8; 4] = [1, 130, 40, 30];
    let codes: Vec<u8> = classes.into_iter().map(VerdictClass::exit_code).collect();
    WORST_FIRST.into_iter().find(|code| codes.contains(code)).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::example::booster;
    use crate::report::outcome::Condition;

    #[test]
    fn each_class_has_its_row() {
        for (i, row) in ROWS.iter().enumerate() {
            assert_eq!(row.class as usize, i, "{:?}", row.class);
        }
    }

    /// A verdict's class is the worst that its conditions allow: the table of the verdict vocabulary.
    #[test]
    fn classes_follow_from_verdict_pattern_and_conditions() {
        let check = |pattern: &str, word: VerdictWord, n_conditions: usize, expected: VerdictClass| {
            let condition = Condition { text: "several TASKs".into(), detail: None, place: None };
            let result = RequirementResult {
                pattern: pattern.into(),
                verdict: word,
                conditions: vec![condition; n_conditions],
                ..booster().results.remove(0)
            };
            assert_eq!(VerdictClass::of(&result), expected, "{pattern} {word:?} {n_conditions}");
        };
        check("pattern-invariant", VerdictWord::Holds, 0, Holds);
        check("pattern-invariant", VerdictWord::Holds, 2, Conditional);
        check("pattern-invariant", VerdictWord::Violated, 0, Violated);
        check("pattern-invariant", VerdictWord::Violated, 1, Violated);
        check("pattern-invariant", VerdictWord::HoldsBounded, 1, HoldsBounded);
        check("pattern-invariant", VerdictWord::Vacuous, 0, Vacuous);
        check("pattern-reachability", VerdictWord::Holds, 0, Possible);
        check("pattern-reachability", VerdictWord::Holds, 1, Conditional);
        check("pattern-reachability", VerdictWord::Violated, 0, Impossible);
        check("pattern-reachability", VerdictWord::Violated, 1, Conditional);
        check("dead_code", VerdictWord::Violated, 0, Finding);
        check("division_by_zero", VerdictWord::Violated, 0, Violated);
    }

    #[test]
    fn only_unconditional_answers_are_green() {
        for class in VerdictClass::all() {
            let is_green = class.colour() == Colour::Good;
            assert_eq!(is_green, class.exit_code() == 0, "{class:?}");
            assert_eq!(is_green, class.symbol() == "✔", "{class:?}");
        }
    }

    #[test]
    fn the_worst_answer_decides_the_exit_code() {
        let check = |classes: &[VerdictClass], code: u8| assert_eq!(exit_code(classes.iter().copied()), code, "{classes:?}");
        check(&[], 0);
        check(&[Holds, Possible], 0);
        check(&[Holds, HoldsBounded], 30);
        check(&[Holds, Conditional], 30);
        check(&[Vacuous], 30);
        check(&[Unknown, Holds], 30);
        check(&[NotChecked], 30);
        check(&[Violated, Unknown, Holds], 40);
        check(&[Finding, Conditional], 40);
        check(&[Violated, Error], 1);
        check(&[Cancelled, Violated], 130);
        check(&[Cancelled, Error], 1);
    }
}
