//! The verdict vocabulary in words: one place for pages, terminal and exports.

use plc_frontend::hir::{FaultKind, LapseKind};

use super::outcome::{RequirementResult, VerdictWord};
use crate::property::pattern::is_possibility;

/// The sentence on screen for a verdict about a requirement of this pattern.
pub fn headline_of(
    pattern: &str,
    word: VerdictWord,
    why: Option<&str>,
    safe_cycles: Option<u32>,
    n_assumptions: usize,
) -> String {
    let given = match n_assumptions {
        0 => String::new(),
        1 => ", given 1 assumption".into(),
        n => format!(", given {n} assumptions"),
    };
    match word {
        VerdictWord::Holds if is_possibility(pattern) => format!("✔ Possible{given}: a run shows it"),
        VerdictWord::Vacuous if is_possibility(pattern) => format!("⚠ Nothing is possible: {}", why.unwrap_or("no run is left")),
        VerdictWord::Violated if pattern == "dead_code" => format!("✖ Never executed{given} — proved"),
        VerdictWord::Violated if pattern == "output_never_changes" => format!("✖ Never has another value{given} — proved"),
        VerdictWord::Violated if is_possibility(pattern) => format!("✖ Impossible in every run{given} — proved"),
        VerdictWord::Holds
        | VerdictWord::Violated
        | VerdictWord::HoldsBounded
        | VerdictWord::Vacuous
        | VerdictWord::Unknown
        | VerdictWord::NotChecked
        | VerdictWord::Cancelled
        | VerdictWord::Error => headline(word, why, safe_cycles, n_assumptions),
    }
}

/// What is said of an answer that was not searched for.
pub fn reused(result: &RequirementResult) -> Option<&'static str> {
    match (result.reused, &result.counterexample) {
        (false, _) => None,
        (true, None) => Some("As before: the earlier proof was checked again and holds for this version of the program too."),
        (true, Some(_)) => Some("As before: the earlier run was replayed and ends the same way in this version of the program."),
    }
}

/// The sentence on screen for a verdict.
///
/// `why` is the reason of an answer that is none, `safe_cycles` how far no violation exists, `n_assumptions` how many
/// assumptions a proof rests on.
pub fn headline(word: VerdictWord, why: Option<&str>, safe_cycles: Option<u32>, n_assumptions: usize) -> String {
    let why = why.unwrap_or("the reason is not known");
    match word {
        VerdictWord::Holds => match n_assumptions {
            0 => "✔ Holds in every cycle — proved".into(),
            1 => "✔ Holds in every cycle, given 1 assumption — proved".into(),
            n => format!("✔ Holds in every cycle, given {n} assumptions — proved"),
        },
        VerdictWord::HoldsBounded => match safe_cycles {
            Some(n) => format!("◐ No violation in the first {n} cycles — not proved beyond"),
            None => "◐ No violation found — not proved".into(),
        },
        VerdictWord::Vacuous => format!("⚠ Holds, but only because {why}"),
        VerdictWord::Violated => "✖ Can be broken".into(),
        VerdictWord::Unknown => format!("? Not decided: {why}"),
        VerdictWord::NotChecked => format!("– Not checked: {why}"),
        VerdictWord::Cancelled => "Stopped before it was decided".into(),
        VerdictWord::Error => format!("Internal error: {why}"),
    }
}

/// What is wrong where an automatic check fails, as a clause.
pub fn fault(kind: FaultKind) -> &'static str {
    match kind {
        FaultKind::DivisionByZero => "the divisor is 0",
        FaultKind::IndexOutOfBounds => "the index is outside its bounds",
        FaultKind::ConversionRange => "the value does not fit the integer type",
        FaultKind::LoopWrap => "the control variable leaves the range of its type",
        FaultKind::NullReference => "the reference refers to nothing",
        FaultKind::Watchdog => "the loop runs for more than 10,000 rounds",
    }
}

/// What is wrong where a check finds something that runs survive, as a clause.
pub fn lapse(kind: LapseKind) -> &'static str {
    match kind {
        LapseKind::Overflow => "the exact result is out of the range of its type, so it wraps",
        LapseKind::ConversionLoss => "the conversion loses a part of the value",
        LapseKind::Subrange => "the value is outside of the subrange",
    }
}

/// The symbol before the words.
pub fn symbol(word: VerdictWord) -> &'static str {
    match word {
        VerdictWord::Holds => "✔",
        VerdictWord::HoldsBounded => "◐",
        VerdictWord::Vacuous => "⚠",
        VerdictWord::Violated => "✖",
        VerdictWord::Unknown => "?",
        VerdictWord::NotChecked => "–",
        VerdictWord::Cancelled | VerdictWord::Error => "!",
    }
}

/// The exit code of a run with these verdicts: the weakest decides.
///
/// 0 everything holds, 40 something can be broken, 30 something is not decided, 1 internal error, 130 cancelled.
/// Order: an internal error is said before a violation, since then no verdict of the run should be relied on.
pub fn exit_code(words: impl IntoIterator<Item = VerdictWord>) -> u8 {
    let mut code = 0;
    for word in words {
        let (rank, this) = match word {
            VerdictWord::Holds => (0, 0),
            VerdictWord::HoldsBounded | VerdictWord::Vacuous | VerdictWord::Unknown | VerdictWord::NotChecked => (1, 30),
            VerdictWord::Violated => (2, 40),
            VerdictWord::Cancelled => (3, 130),
            VerdictWord::Error => (4, 1),
        };
        let current = match code {
            0 => 0,
            30 => 1,
            40 => 2,
            130 => 3,
            _ => 4,
        };
        if current < rank {
            code = this;
        }
    }
    code
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_weakest_verdict_decides_the_exit_code() {
        use VerdictWord::{Cancelled, Error, Holds, HoldsBounded, NotChecked, Unknown, Vacuous, Violated};
        let check = |words: &[VerdictWord], code: u8| assert_eq!(exit_code(words.iter().copied()), code, "{words:?}");
        check(&[], 0);
        check(&[Holds, Holds], 0);
        check(&[Holds, HoldsBounded], 30);
        check(&[Vacuous], 30);
        check(&[Unknown, Holds], 30);
        check(&[NotChecked], 30);
        check(&[Violated, Unknown, Holds], 40);
        check(&[Violated, Error], 1);
        check(&[Cancelled, Violated], 130);
    }
}
