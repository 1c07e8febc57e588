//! What an answer takes for granted about the program itself: that no automatic check fails before, and that what stands
//! in no body and is not modelled makes no difference.
//!
//! A fault ends a run, and nothing is claimed about what a controller does after it. So a requirement that holds does so as
//! long as no check fails; unless that is proved too, the answer has to say so in the same breath.

use std::collections::BTreeSet;

use super::outcome::{GapSummary, Outcome, RequirementResult, VerdictWord};
use super::words::headline_of;
use crate::property::check::by_name;
use crate::property::pattern::is_possibility;

/// Adds to every answer which of the program's automatic checks it takes for granted without a proof in this run, and says
/// so in its headline.
///
/// Soundness: checks that hold may take each other for granted, since the first fault of a run has none before it.
pub fn apply(outcome: &mut Outcome, n_assumptions: usize) {
    let gaps = clauses(outcome, "assumed").into_iter().map(|clause| (String::new(), clause));
    let by_runs = clauses(outcome, "assumed_by_runs");
    let checks = outcome.checkable.iter().filter_map(|name| open(outcome, name));
    let open: Vec<(String, String)> = checks.chain(left_out(outcome)).chain(gaps).collect();
    let is_gap = |name: &str| name.is_empty();
    for result in &mut outcome.results {
        let own = result.pattern.as_str();
        // A run needs no check to be proved; a proof does, also one that something is impossible.
        let by_run = if is_possibility(&result.pattern) { VerdictWord::Holds } else { VerdictWord::Violated };
        result.given = match result.verdict {
            word if word == by_run => open.iter().filter(|(name, _)| is_gap(name)).map(|(_, clause)| clause.clone()).collect(),
            VerdictWord::Holds | VerdictWord::HoldsBounded | VerdictWord::Violated => {
                open.iter().filter(|(name, _)| name != own).map(|(_, clause)| clause.clone()).collect()
            }
            // The proof that nothing puts it to the test is about runs without a fault before.
            VerdictWord::Vacuous if result.proof.is_some() => {
                open.iter().filter(|(name, _)| name != own).map(|(_, clause)| clause.clone()).collect()
            }
            // No run keeps the assumptions, whatever the program does.
            VerdictWord::Vacuous => open.iter().filter(|(name, _)| is_gap(name)).map(|(_, clause)| clause.clone()).collect(),
            VerdictWord::Unknown | VerdictWord::NotChecked | VerdictWord::Cancelled | VerdictWord::Error => Vec::new(),
        };
        let has_answer = match result.verdict {
            VerdictWord::Holds | VerdictWord::HoldsBounded | VerdictWord::Violated | VerdictWord::Vacuous => true,
            VerdictWord::Unknown | VerdictWord::NotChecked | VerdictWord::Cancelled | VerdictWord::Error => false,
        };
        // What can always be reached again needs the runs that are left as much as their absence.
        if result.verdict == by_run || (has_answer && result.pattern == "pattern-repeatability") {
            result.given.extend(by_runs.iter().cloned());
        }
        if !result.given.is_empty() {
            result.headline = with_condition(result, n_assumptions);
        }
    }
}

/// What gaps of one treatment mean for answers, each construct once.
fn clauses(outcome: &Outcome, treatment: &str) -> Vec<String> {
    let mut gaps: Vec<&GapSummary> = outcome.import.gaps.iter().filter(|gap| gap.treatment == treatment).collect();
    let mut named: BTreeSet<&str> = BTreeSet::new();
    gaps.retain(|gap| named.insert(&gap.construct));
    let clause = |gap: &GapSummary| {
        let (construct, place) = (&gap.construct, &gap.place);
        format!("what is not modelled makes no difference: {construct} ({}, line {})", place.file, place.line)
    };
    gaps.into_iter().map(clause).collect()
}

/// A check that was made and is not proved: its name, and what is taken for granted with it.
fn open(outcome: &Outcome, name: &str) -> Option<(String, String)> {
    let granted = by_name(name)?.granted?;
    let status = match outcome.results.iter().find(|r| r.pattern == name)?.verdict {
        VerdictWord::Holds => return None,
        VerdictWord::Violated => "that can happen",
        VerdictWord::HoldsBounded
        | VerdictWord::Vacuous
        | VerdictWord::Unknown
        | VerdictWord::NotChecked
        | VerdictWord::Cancelled
        | VerdictWord::Error => "not decided",
    };
    Some((name.to_owned(), format!("{granted} ({status})")))
}

/// What is taken for granted of the checks that apply to the program and were not made: several of them by their names.
fn left_out(outcome: &Outcome) -> Option<(String, String)> {
    let is_made = |name: &str| outcome.results.iter().any(|result| result.pattern == name);
    let checks = outcome.checkable.iter().filter(|name| !is_made(name)).filter_map(|name| by_name(name));
    let checks: Vec<(&str, &str)> = checks.filter_map(|check| Some((check.name, check.granted?))).collect();
    match checks.as_slice() {
        [] => None,
        [(name, granted)] => Some(((*name).to_owned(), format!("{granted} (not checked)"))),
        several => {
            let names: Vec<&str> = several.iter().map(|(name, _)| *name).collect();
            let clause = format!("none of the checks that were not made would fail ({})", names.join(", "));
            Some((names.join(","), clause))
        }
    }
}

fn with_condition(result: &RequirementResult, n_assumptions: usize) -> String {
    let (why, safe) = (result.reason.as_deref(), result.safe_cycles);
    let plain = headline_of(&result.pattern, result.verdict, why, safe, n_assumptions);
    let given = result.given.join(", and ");
    match plain.strip_suffix(" — proved") {
        Some(head) => format!("{head}, as long as {given}"),
        None => format!("{plain}, as long as {given}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::example::booster;
    use crate::report::words::headline;

    #[test]
    fn answers_name_the_checks_they_take_for_granted() {
        use VerdictWord::{Holds, Unknown, Violated};
        let check = |word: Option<VerdictWord>, expected: &str| {
            let mut outcome = booster();
            let mut proved = outcome.results.iter().find(|r| r.verdict == Holds).cloned().unwrap();
            proved.headline = headline(Holds, None, None, 0);
            outcome.results = vec![proved.clone()];
            outcome.results.extend(word.map(|verdict| RequirementResult {
                pattern: "division_by_zero".into(),
                verdict,
                ..proved.clone()
            }));
            outcome.checkable = vec!["division_by_zero".into()];
            apply(&mut outcome, 0);
            apply(&mut outcome, 0);
            assert_eq!(outcome.results[0].headline, expected);
            assert_eq!(outcome.results[0].given.is_empty(), word == Some(Holds));
        };
        check(Some(Holds), "✔ Holds in every cycle — proved");
        check(Some(Violated), "✔ Holds in every cycle, as long as no integer is divided by zero (that can happen)");
        check(Some(Unknown), "✔ Holds in every cycle, as long as no integer is divided by zero (not decided)");
        check(None, "✔ Holds in every cycle, as long as no integer is divided by zero (not checked)");

        let mut outcome = booster();
        outcome.results.retain(|r| r.verdict == Holds);
        outcome.checkable = ["division_by_zero", "index_out_of_bounds", "watchdog", "overflow"].map(String::from).into();
        outcome.results.push(RequirementResult { pattern: "watchdog".into(), ..outcome.results[0].clone() });
        apply(&mut outcome, 0);
        let left_out = "none of the checks that were not made would fail (division_by_zero, index_out_of_bounds)";
        assert_eq!(outcome.results[0].given, [left_out]);
    }

    #[test]
    fn what_takes_runs_away_concerns_runs_only() {
        use VerdictWord::{Holds, Unknown, Violated};
        let check = |pattern: &str, word: VerdictWord, expected: usize| {
            let mut outcome = booster();
            let row = outcome.results.iter().find(|r| r.verdict == Holds).cloned().unwrap();
            outcome.results = vec![RequirementResult { pattern: pattern.into(), verdict: word, ..row }];
            let gap = outcome.import.gaps.first().cloned().unwrap();
            outcome.import.gaps = vec![GapSummary { treatment: "assumed_by_runs".into(), ..gap }];
            outcome.checkable = Vec::new();
            apply(&mut outcome, 0);
            assert_eq!(outcome.results[0].given.len(), expected, "{pattern} {word:?}");
        };
        check("pattern-invariant", Holds, 0);
        check("pattern-invariant", Violated, 1);
        check("pattern-invariant", Unknown, 0);
        check("pattern-reachability", Holds, 1);
        check("pattern-reachability", Violated, 0);
        check("pattern-repeatability", Holds, 1);
        check("pattern-repeatability", Violated, 1);
        check("dead_code", Violated, 0);
    }

    #[test]
    fn a_proof_that_nothing_puts_it_to_the_test_names_them_too() {
        let check = |is_proved: bool, expected: &str| {
            let mut outcome = booster();
            let mut vacuous = outcome.results.iter().find(|r| r.verdict == VerdictWord::Holds).cloned().unwrap();
            vacuous.verdict = VerdictWord::Vacuous;
            vacuous.reason = Some("`q` can never be true".into());
            vacuous.proof = vacuous.proof.filter(|_| is_proved);
            vacuous.headline = headline(VerdictWord::Vacuous, vacuous.reason.as_deref(), None, 0);
            outcome.results = vec![vacuous];
            outcome.checkable = vec!["division_by_zero".into()];
            apply(&mut outcome, 0);
            assert_eq!(outcome.results[0].headline, expected);
        };
        let plain = "⚠ Holds, but only because `q` can never be true";
        check(true, &format!("{plain}, as long as no integer is divided by zero (not checked)"));
        // No run keeps the assumptions: no check matters.
        check(false, plain);
    }
}
