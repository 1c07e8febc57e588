//! The verdict vocabulary in words: one place for pages, terminal and exports.

use super::outcome::RequirementResult;
use super::verdict_class::VerdictClass;
use answer::VerdictWord;
use kernel::context::count;
use kernel::property::pattern::is_possibility;

/// Returns the sentence on screen for a result: symbol, answer, number of assumptions and conditions.
pub fn headline(result: &RequirementResult) -> String {
    with_conditions(result, "")
}

/// Returns the sentence on screen while the run goes on: its conditions may change.
pub fn headline_so_far(result: &RequirementResult) -> String {
    with_conditions(result, " so far")
}

fn with_conditions(result: &RequirementResult, so_far: &str) -> String {
    let class = VerdictClass::of(result);
    let why = result.reason.as_deref().unwrap_or("the reason is not known");
    let counted = |n: usize, before: &str, noun: &str| match n {
        0 => String::new(),
        n => format!("{before} {}", count(n, noun)),
    };
    let given = counted(result.n_assumptions, ", given", "assumption");
    let mut under = counted(result.conditions.len(), " under", "condition");
    if !under.is_empty() {
        under.push_str(so_far);
    }
    let comma = if given.is_empty() || under.is_empty() { "" } else { "," };
    let rests_on = format!("{given}{comma}{under}");
    let answer = match (result.verdict, result.pattern.as_str()) {
        (VerdictWord::Holds, "unreachable") => format!("Holds in every run{rests_on} — proved"),
        (VerdictWord::Holds, "dead_code") => format!("Can be executed{rests_on}: a run shows it"),
        (VerdictWord::Holds, "output_never_changes") => format!("Can change{rests_on}: a run shows it"),
        (VerdictWord::Holds, pattern) if is_possibility(pattern) => format!("Possible{rests_on}: a run shows it"),
        (VerdictWord::Holds, _) => format!("Holds in every cycle{rests_on} — proved"),
        (VerdictWord::Vacuous, pattern) if is_possibility(pattern) => format!("Nothing is possible: {why}"),
        (VerdictWord::Vacuous, _) if under.is_empty() => format!("Holds, but only because {why}"),
        (VerdictWord::Vacuous, _) => format!("Holds{under}, but only because {why}"),
        (VerdictWord::Violated, "unreachable") => "The error location is reached".to_owned(),
        (VerdictWord::Violated, "dead_code") => format!("Never executed{rests_on} — proved"),
        (VerdictWord::Violated, "output_never_changes") => format!("Never has another value{rests_on} — proved"),
        (VerdictWord::Violated, pattern) if is_possibility(pattern) => format!("Impossible in every run{rests_on} — proved"),
        (VerdictWord::Violated, _) => format!("Can be broken{under}"),
        (VerdictWord::HoldsBounded, _) => match result.safe_cycles {
            Some(n) => format!("No violation in {}{under} — not proved beyond", first_cycles(n)),
            None => format!("No violation found{under} — not proved"),
        },
        (VerdictWord::Unknown, _) => format!("Not decided: {why}"),
        (VerdictWord::NotChecked, _) => format!("Not checked: {why}"),
        (VerdictWord::Cancelled, _) => "Stopped before it was decided".to_owned(),
        (VerdictWord::Error, _) => format!("Internal error: {why}"),
    };
    format!("{} {answer}", class.symbol())
}

/// Returns `the first cycle` or `the first 40 cycles`.
pub fn first_cycles(n: u32) -> String {
    match n {
        1 => "the first cycle".to_owned(),
        n => format!("the first {n} cycles"),
    }
}

/// Returns a sentence with the knowledge about a requirement without an answer.
pub fn known(result: &RequirementResult) -> Option<String> {
    let n = match (result.verdict, result.safe_cycles) {
        (VerdictWord::Unknown | VerdictWord::Cancelled | VerdictWord::HoldsBounded, Some(n @ 1..)) => n,
        _ => return None,
    };
    Some(if is_possibility(&result.pattern) {
        format!("No run gets there in {}, whatever the inputs do.", first_cycles(n))
    } else {
        format!("There is no violation in {}, whatever the inputs do.", first_cycles(n))
    })
}

/// Gives a result an answer without evidence: undecided, not checked, stopped or in error.
pub fn without_answer(mut result: RequirementResult, word: VerdictWord, why: &str) -> RequirementResult {
    result.verdict = word;
    result.reason = Some(why.to_owned());
    result.headline = headline(&result);
    result
}

/// Returns the sentence about an answer that was not searched for.
pub fn reused(result: &RequirementResult) -> Option<&'static str> {
    match (result.reused, &result.counterexample) {
        (false, _) => None,
        (true, None) => Some("As before: the earlier proof was checked again and holds for this program too."),
        (true, Some(_)) => Some("As before: the earlier run was replayed and ends the same way in this program."),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::example::booster;
    use crate::report::outcome::Condition;

    #[test]
    fn headlines_count_assumptions_and_conditions() {
        let check = |pattern: &str, word: VerdictWord, (n_assumptions, n_conditions): (usize, usize), expected: &str| {
            let condition = Condition { text: "several TASKs".into(), detail: None, place: None };
            let result = RequirementResult {
                pattern: pattern.into(),
                verdict: word,
                reason: Some("`q` can never be true".into()),
                safe_cycles: Some(1),
                n_assumptions,
                conditions: vec![condition; n_conditions],
                ..booster().results.remove(0)
            };
            assert_eq!(headline(&result), expected);
        };
        use VerdictWord::{Holds, HoldsBounded, Vacuous, Violated};
        let plain = "pattern-invariant";
        check(plain, Holds, (0, 0), "✔ Holds in every cycle — proved");
        check(plain, Holds, (1, 0), "✔ Holds in every cycle, given 1 assumption — proved");
        check(plain, Holds, (0, 1), "◩ Holds in every cycle under 1 condition — proved");
        check(plain, Holds, (2, 3), "◩ Holds in every cycle, given 2 assumptions, under 3 conditions — proved");
        check(plain, Violated, (2, 0), "✖ Can be broken");
        check(plain, Violated, (0, 1), "✖ Can be broken under 1 condition");
        check(plain, Vacuous, (0, 0), "⚠ Holds, but only because `q` can never be true");
        check(plain, Vacuous, (0, 1), "⚠ Holds under 1 condition, but only because `q` can never be true");
        check(plain, HoldsBounded, (0, 0), "◐ No violation in the first cycle — not proved beyond");
        check(plain, HoldsBounded, (0, 2), "◐ No violation in the first cycle under 2 conditions — not proved beyond");
        check("pattern-reachability", Holds, (0, 0), "✔ Possible: a run shows it");
        check("pattern-reachability", Holds, (1, 1), "◩ Possible, given 1 assumption, under 1 condition: a run shows it");
        check("pattern-reachability", Violated, (0, 0), "✖ Impossible in every run — proved");
        check("pattern-reachability", Violated, (0, 1), "◩ Impossible in every run under 1 condition — proved");
        check("dead_code", Holds, (0, 0), "✔ Can be executed: a run shows it");
        check("dead_code", Violated, (0, 0), "✖ Never executed — proved");
        check("unreachable", Violated, (0, 0), "✖ The error location is reached");
    }
}
