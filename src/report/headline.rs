//! The sentence about a whole run: the worst answer first.

use super::tally::Tally;
use super::verdict_class::{Colour, VerdictClass};

/// Returns the sentence with its colour.
pub fn headline(tally: &Tally, has_outcome: bool) -> (Colour, String) {
    let total = tally.total;
    let of = |n: usize, one: &str, many: &str| match (total, n) {
        (1, _) => format!("The requirement {one}"),
        (_, 1) => format!("1 of {total} requirements {one}"),
        (_, n) => format!("{n} of {total} requirements {many}"),
    };
    let Tally { holds, possible, conditional, vacuous, .. } = *tally;
    let met = holds + possible;
    let (class, words) = match tally {
        _ if !has_outcome => return (Colour::Open, "– Nothing was decided".into()),
        Tally { total: 0, .. } => return (Colour::Open, "– There was nothing to check".into()),
        Tally { error: n @ 1.., .. } => (VerdictClass::Error, of(*n, "ended in an internal error", "ended in an internal error")),
        Tally { violated: n @ 1.., .. } => (VerdictClass::Violated, of(*n, "can be broken", "can be broken")),
        Tally { impossible: n @ 1.., .. } => {
            (VerdictClass::Impossible, of(*n, "asks for what is impossible", "ask for what is impossible"))
        }
        Tally { finding: 1, .. } => (VerdictClass::Finding, "1 finding: a part of the program without effect".into()),
        Tally { finding: n @ 1.., .. } => (VerdictClass::Finding, format!("{n} findings: parts of the program without effect")),
        _ if met == total && total == 1 && possible == 1 => {
            (VerdictClass::Possible, "What the requirement asks for is possible: a run shows it".into())
        }
        _ if met == total && total == 1 => (VerdictClass::Holds, "The requirement holds in every cycle — proved".into()),
        _ if met == total && 0 < possible => {
            (VerdictClass::Possible, format!("All {total} requirements are met — proved, or shown by a run"))
        }
        _ if met == total => (VerdictClass::Holds, format!("All {total} requirements hold in every cycle — proved")),
        _ if 0 < vacuous => (VerdictClass::Vacuous, of(vacuous, "can never be put to the test", "can never be put to the test")),
        _ if conditional == total && 1 < total => {
            (VerdictClass::Conditional, format!("All {total} requirements are met only under conditions"))
        }
        _ if met + conditional == total => {
            (VerdictClass::Conditional, of(conditional, "is met only under conditions", "are met only under conditions"))
        }
        _ => {
            let open = of(total - met - conditional, "is not proved", "are not proved");
            let under = match conditional {
                0 => String::new(),
                1 => ", and 1 is met only under conditions".to_owned(),
                n => format!(", and {n} are met only under conditions"),
            };
            (VerdictClass::Unknown, open + &under)
        }
    };
    (class.colour(), format!("{} {words}", class.symbol()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_headline_says_the_worst() {
        let check = |tally: Tally, expected: &str| assert_eq!(headline(&tally, true).1, expected);
        let t = |total| Tally { total, done: total, ..Tally::default() };
        check(Tally { violated: 1, holds: 13, ..t(14) }, "✖ 1 of 14 requirements can be broken");
        check(Tally { violated: 1, ..t(1) }, "✖ The requirement can be broken");
        check(Tally { holds: 3, ..t(3) }, "✔ All 3 requirements hold in every cycle — proved");
        check(Tally { holds: 1, ..t(1) }, "✔ The requirement holds in every cycle — proved");
        check(Tally { unknown: 1, holds: 2, ..t(3) }, "? 1 of 3 requirements is not proved");
        check(Tally { holds_bounded: 2, holds: 2, ..t(4) }, "? 2 of 4 requirements are not proved");
        check(Tally { unknown: 1, ..t(1) }, "? The requirement is not proved");
        check(Tally { vacuous: 1, holds: 2, ..t(3) }, "⚠ 1 of 3 requirements can never be put to the test");
        check(Tally { vacuous: 1, conditional: 2, ..t(3) }, "⚠ 1 of 3 requirements can never be put to the test");
        check(Tally { error: 1, violated: 2, ..t(3) }, "! 1 of 3 requirements ended in an internal error");
        check(Tally { holds: 2, conditional: 1, ..t(3) }, "◩ 1 of 3 requirements is met only under conditions");
        check(Tally { conditional: 3, ..t(3) }, "◩ All 3 requirements are met only under conditions");
        check(Tally { conditional: 1, ..t(1) }, "◩ The requirement is met only under conditions");
        check(
            Tally { conditional: 1, unknown: 1, ..t(2) },
            "? 1 of 2 requirements is not proved, and 1 is met only under conditions",
        );
        check(
            Tally { conditional: 4, not_checked: 1, holds: 1, ..t(6) },
            "? 1 of 6 requirements is not proved, and 4 are met only under conditions",
        );
        check(Tally { impossible: 2, holds: 1, ..t(3) }, "✖ 2 of 3 requirements ask for what is impossible");
        check(Tally { violated: 1, impossible: 2, ..t(3) }, "✖ 1 of 3 requirements can be broken");
        check(Tally { finding: 1, holds: 2, ..t(3) }, "✖ 1 finding: a part of the program without effect");
        check(Tally { holds: 2, possible: 1, ..t(3) }, "✔ All 3 requirements are met — proved, or shown by a run");
        check(Tally { possible: 1, ..t(1) }, "✔ What the requirement asks for is possible: a run shows it");
        check(t(0), "– There was nothing to check");
        assert_eq!(headline(&t(0), false).1, "– Nothing was decided");
    }
}
