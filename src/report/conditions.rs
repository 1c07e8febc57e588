//! Conditions of answers: automatic checks that are not proved, and parts of the program that are not modelled exactly.
//!
//! A fault ends a run, and no answer speaks about the controller after it. So a requirement holds under the condition that no
//! check fails, unless that is proved too.

use std::collections::BTreeSet;

use serde::{Deserialize, Deserializer};

use super::carried::covers;
use super::outcome::{Condition, GapSummary, Outcome, RequirementResult};
use super::words::{headline, headline_so_far};
use answer::VerdictWord;
use kernel::property::check::by_name;
use kernel::property::pattern::is_possibility;

/// Adds to each answer its conditions, and counts them in its headline. Conditions that a result has already stay.
///
/// Soundness: checks that hold may take each other for granted, since the first fault of a run has none before it.
///            Conditions of a check that holds are conditions of every other proof: without them the check may fail.
pub fn apply(outcome: &mut Outcome) {
    for result in &mut outcome.results {
        let own = own(&outcome.import.gaps, result);
        add(result, &own);
    }
    let made = |name: &str| outcome.results.iter().find(|r| r.pattern == name);
    let of_checks: Vec<(String, Vec<Condition>)> =
        outcome.checkable.iter().map(|name| (name.clone(), of_check(made(name), name))).collect();
    for result in &mut outcome.results {
        let others = of_checks.iter().filter(|(name, _)| *name != result.pattern).flat_map(|(_, conditions)| conditions);
        if Rests::of(result).on_checks {
            let others: Vec<Condition> = others.cloned().collect();
            add(result, &others);
        }
        result.conditions.sort_by(|a, b| order(a).cmp(&order(b)));
        result.headline = headline(result);
    }
}

/// Returns a result as it may be shown while the run goes on: with all conditions that it may end with, and its headline. `before`:
/// the results that are there, without conditions of others.
///
/// Soundness: a check that has no answer yet is a condition. So an answer never looks better than it ends.
pub fn so_far(outcome: &Outcome, before: &[RequirementResult], result: &RequirementResult) -> RequirementResult {
    let mut shown = result.clone();
    let gaps = &outcome.import.gaps;
    add(&mut shown, &own(gaps, result));
    if Rests::of(result).on_checks {
        for name in outcome.checkable.iter().filter(|name| **name != result.pattern) {
            let made = before.iter().find(|r| r.pattern == *name).cloned();
            let made = made.map(|mut check| {
                let own = own(gaps, &check);
                add(&mut check, &own);
                check
            });
            add(&mut shown, &of_check(made.as_ref(), name));
        }
    }
    shown.headline = headline_so_far(&shown);
    shown
}

/// Returns the conditions of an answer that do not depend on other answers: variables that keep their values, and gaps.
fn own(gaps: &[GapSummary], result: &RequirementResult) -> Vec<Condition> {
    let rests = Rests::of(result);
    // A run from the initial values is one of the runs that count; a proof speaks of these alone.
    let frozen = result.frozen.clone().into_iter().filter(|_| rests.on_checks);
    let gaps = |treatment| open(gaps, result.open_gaps.as_deref(), treatment);
    let of_all = gaps("assumed").into_iter().filter(|_| rests.on_gaps);
    let of_runs = gaps("assumed_by_runs").into_iter().filter(|_| rests.on_runs);
    frozen.chain(of_all).chain(of_runs).collect()
}

/// Returns the order of conditions in lists: those about the whole program, then by file and place.
fn order(condition: &Condition) -> Option<(&str, u32, u32)> {
    condition.place.as_ref().map(|place| (place.file.as_str(), place.line, place.column))
}

fn add(result: &mut RequirementResult, conditions: &[Condition]) {
    for condition in conditions {
        if !result.conditions.iter().any(|known| known == condition || covers(known, condition)) {
            result.conditions.retain(|known| !covers(condition, known));
            result.conditions.push(condition.clone());
        }
    }
}

/// Kinds of conditions that an answer can rest on.
struct Rests {
    /// Checks that are not proved.
    on_checks: bool,
    /// Gaps that may change any run.
    on_gaps: bool,
    /// Gaps that only take runs away.
    on_runs: bool,
}

impl Rests {
    fn of(result: &RequirementResult) -> Rests {
        let is_possibility = is_possibility(&result.pattern);
        // A run needs no check to be proved; a proof does, also one that something is impossible.
        let by_run = if is_possibility { VerdictWord::Holds } else { VerdictWord::Violated };
        let by_proof = match result.verdict {
            VerdictWord::Holds | VerdictWord::Violated => result.verdict != by_run,
            VerdictWord::HoldsBounded => true,
            // The proof that nothing puts it to the test is about runs without a fault before. Without a proof, no run keeps
            // the assumptions, whatever the program does.
            VerdictWord::Vacuous => result.proof.is_some(),
            VerdictWord::Unknown | VerdictWord::NotChecked | VerdictWord::Cancelled | VerdictWord::Error => false,
        };
        let is_answer = by_proof || result.verdict == by_run || result.verdict == VerdictWord::Vacuous;
        let on_runs = result.verdict == by_run || (is_answer && result.pattern == REPEATABILITY);
        Rests { on_checks: by_proof, on_gaps: is_answer, on_runs }
    }
}

/// Returns the conditions of an answer as far as the program alone says them: all that [`apply`] may add before it is known which
/// checks hold. `frozen` and `gaps`: those in the cone of the requirement.
///
/// Soundness: a check that another certificate proves stands here all the same, so the conditions of that proof need not.
pub fn candidates(
    outcome: &Outcome,
    pattern: &str,
    by: ShownBy,
    frozen: Vec<Condition>,
    gaps: Option<&[usize]>,
) -> Vec<Condition> {
    let by_proof = by == ShownBy::Proof;
    let on_runs = !by_proof || pattern == REPEATABILITY;
    let checks = outcome.checkable.iter().filter(|name| by_proof && *name != pattern);
    let checks = checks.filter_map(|name| by_name(name)?.condition);
    let checks = checks.map(|text| Condition { text: text.to_owned(), detail: None, place: None });
    let of_runs = open(&outcome.import.gaps, gaps, "assumed_by_runs").into_iter().filter(|_| on_runs);
    let of_all = open(&outcome.import.gaps, gaps, "assumed");
    let mut found: Vec<Condition> = Vec::new();
    for condition in frozen.into_iter().filter(|_| by_proof).chain(of_all).chain(of_runs).chain(checks) {
        if !found.iter().any(|known| known.text == condition.text) {
            found.push(condition);
        }
    }
    found
}

/// Kind of evidence for an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ShownBy {
    /// No run gets somewhere.
    Proof,
    /// A run gets there.
    Run,
}

/// Pattern that needs the runs that are left as much as their absence.
const REPEATABILITY: &str = "pattern-repeatability";

/// Returns one condition for each construct of one treatment among the gaps `open`; `None`: among all.
fn open(gaps: &[GapSummary], open: Option<&[usize]>, treatment: &str) -> Vec<Condition> {
    let mut named: BTreeSet<&str> = BTreeSet::new();
    let is_open = |number: usize| open.is_none_or(|open| open.contains(&number));
    let gaps = gaps.iter().enumerate().filter(|(number, gap)| gap.treatment == treatment && is_open(*number));
    gaps.map(|(_, gap)| gap).filter(|gap| named.insert(&gap.construct)).map(of_gap).collect()
}

fn of_gap(gap: &GapSummary) -> Condition {
    Condition { text: gap.construct.clone(), detail: Some(gap.effect.clone()), place: Some(gap.place.clone()) }
}

/// Returns the conditions that a check puts on other proofs: that it does not fail, or its own conditions if it holds.
fn of_check(made: Option<&RequirementResult>, name: &str) -> Vec<Condition> {
    let Some(condition) = by_name(name).and_then(|check| check.condition) else { return Vec::new() };
    let status = match made.map(|r| r.verdict) {
        Some(VerdictWord::Holds) => return made.map(|r| r.conditions.clone()).unwrap_or_default(),
        Some(VerdictWord::Violated) => "can happen",
        Some(VerdictWord::HoldsBounded | VerdictWord::Vacuous | VerdictWord::Unknown | VerdictWord::Error) => "not decided",
        Some(VerdictWord::Cancelled | VerdictWord::NotChecked) | None => "not checked",
    };
    let place = made.and_then(|r| r.counterexample.as_ref()).and_then(|cex| cex.place.clone());
    vec![Condition { text: format!("{condition} ({status})"), detail: None, place }]
}

/// Returns each condition of an outcome once, in their [`order`], with the ids of the requirements whose answers rest on it.
pub fn listed(outcome: &Outcome) -> Vec<(Condition, String)> {
    let mut found: Vec<(Condition, Vec<&str>)> = Vec::new();
    for result in &outcome.results {
        for condition in &result.conditions {
            match found.iter_mut().find(|(known, _)| known == condition) {
                Some((_, ids)) => ids.push(&result.id),
                None => found.push((condition.clone(), vec![&result.id])),
            }
        }
    }
    found.sort_by(|(a, _), (b, _)| order(a).cmp(&order(b)));
    found.into_iter().map(|(condition, ids)| (condition, ids.join(", "))).collect()
}

/// Reads conditions; in outcomes of earlier versions each is a text.
pub(super) fn read<'d, D: Deserializer<'d>>(from: D) -> Result<Vec<Condition>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Stored {
        Condition(Condition),
        Text(String),
    }
    let stored: Vec<Stored> = Deserialize::deserialize(from)?;
    let condition = |stored| match stored {
        Stored::Condition(condition) => condition,
        Stored::Text(text) => Condition { text, detail: None, place: None },
    };
    Ok(stored.into_iter().map(condition).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::example::booster;
    use crate::report::outcome::Place;

    /// Returns an outcome of one requirement that holds.
    fn one_proof() -> Outcome {
        let mut outcome = booster();
        outcome.results.retain(|r| r.verdict == VerdictWord::Holds);
        outcome.results[0].n_assumptions = 0;
        outcome.checkable = vec!["division_by_zero".into()];
        outcome
    }

    fn texts(outcome: &Outcome) -> Vec<&str> {
        outcome.results[0].conditions.iter().map(|condition| condition.text.as_str()).collect()
    }

    #[test]
    fn answers_name_the_checks_that_are_not_proved() {
        use VerdictWord::{Cancelled, Holds, Unknown, Violated};
        let check = |word: Option<VerdictWord>, expected: &[&str], headline: &str| {
            let mut outcome = one_proof();
            let proved = outcome.results[0].clone();
            outcome.results.extend(word.map(|verdict| RequirementResult {
                pattern: "division_by_zero".into(),
                verdict,
                ..proved.clone()
            }));
            apply(&mut outcome);
            apply(&mut outcome);
            assert_eq!((texts(&outcome).as_slice(), outcome.results[0].headline.as_str()), (expected, headline));
        };
        let under = "◩ Holds in every cycle under 1 condition — proved";
        check(Some(Holds), &[], "✔ Holds in every cycle — proved");
        check(Some(Violated), &["no division by zero (can happen)"], under);
        check(Some(Unknown), &["no division by zero (not decided)"], under);
        check(Some(Cancelled), &["no division by zero (not checked)"], under);
        check(None, &["no division by zero (not checked)"], under);
    }

    #[test]
    fn each_check_is_a_condition_of_its_own() {
        let mut outcome = one_proof();
        outcome.checkable = ["division_by_zero", "index_out_of_bounds", "watchdog", "overflow"].map(String::from).into();
        outcome.results.push(RequirementResult { pattern: "watchdog".into(), ..outcome.results[0].clone() });
        apply(&mut outcome);
        assert_eq!(texts(&outcome), ["no division by zero (not checked)", "no index out of bounds (not checked)"]);
        assert_eq!(outcome.results[0].headline, "◩ Holds in every cycle under 2 conditions — proved");
        let rows: Vec<(String, String)> = listed(&outcome).into_iter().map(|(c, ids)| (c.text, ids)).collect();
        assert_eq!(rows[0], ("no division by zero (not checked)".into(), "R2, R2".into()));
        assert_eq!(rows.len(), 2);
    }

    /// A check that can fail stands with the place where it does.
    #[test]
    fn a_check_that_can_fail_has_its_place() {
        let mut outcome = one_proof();
        let mut broken = booster().results.remove(0);
        let place = broken.counterexample.as_ref().unwrap().cycles[0].steps[0].place.clone();
        broken.counterexample.as_mut().unwrap().place = Some(place.clone());
        outcome.results.push(RequirementResult { pattern: "division_by_zero".into(), ..broken });
        apply(&mut outcome);
        assert_eq!(outcome.results[0].conditions[0].place, Some(place));
    }

    #[test]
    fn conditions_stand_in_the_order_of_their_places() {
        let mut outcome = one_proof();
        let place = booster().results.remove(0).counterexample.unwrap().cycles[0].steps[0].place.clone();
        let at = |file: &str, line: u32| Some(Place { file: file.to_owned(), line, ..place.clone() });
        let of = |text: &str, place: Option<Place>| Condition { text: text.to_owned(), detail: None, place };
        outcome.results[0].conditions =
            vec![of("d", at("b.st", 1)), of("c", at("a.st", 10)), of("b", at("a.st", 9)), of("a", None)];
        let listed: Vec<String> = listed(&outcome).into_iter().map(|(condition, _)| condition.text).collect();
        assert_eq!(listed, ["a", "b", "c", "d"]);
        outcome.checkable.clear();
        apply(&mut outcome);
        assert_eq!(texts(&outcome), ["a", "b", "c", "d"]);
    }

    /// With another value of `k` the check fails, and the rest of the run is not known.
    #[test]
    fn conditions_of_a_check_that_holds_are_conditions_of_other_proofs() {
        let mut outcome = one_proof();
        let frozen = Condition { text: "`k` keeps its initial value 5".into(), detail: None, place: None };
        let check = RequirementResult { pattern: "division_by_zero".into(), ..outcome.results[0].clone() };
        outcome.results.push(RequirementResult { frozen: vec![frozen.clone()], ..check });
        let broken = booster().results.remove(0);
        outcome.results.push(broken);
        apply(&mut outcome);
        assert_eq!(outcome.results[0].conditions, [frozen]);
        // A run is not after a fault.
        assert_eq!(outcome.results[2].conditions, []);
    }

    /// No order of the answers makes one look better than it ends.
    #[test]
    fn answers_look_no_better_before_the_end() {
        use VerdictWord::{Holds, Unknown, Violated};
        let frozen = Condition { text: "`k` keeps its initial value 5".into(), detail: None, place: None };
        for word in [Holds, Unknown, Violated] {
            let mut outcome = one_proof();
            let gap = outcome.import.gaps.first().cloned().unwrap();
            outcome.import.gaps = vec![GapSummary { treatment: "assumed".into(), ..gap }];
            let proved = RequirementResult { open_gaps: Some(Vec::new()), ..outcome.results[0].clone() };
            let in_gap = RequirementResult { open_gaps: Some(vec![0]), ..proved.clone() };
            let frozen = vec![frozen.clone()];
            let check = RequirementResult { pattern: "division_by_zero".into(), verdict: word, frozen, ..proved.clone() };
            for order in [[&proved, &in_gap, &check], [&check, &in_gap, &proved]] {
                let results: Vec<RequirementResult> = order.map(Clone::clone).into();
                let shown: Vec<RequirementResult> =
                    (0..results.len()).map(|at| so_far(&outcome, &results[..at], &results[at])).collect();
                outcome.results = results;
                apply(&mut outcome);
                for (shown, end) in shown.iter().zip(&outcome.results) {
                    assert!(end.conditions.is_empty() || !shown.conditions.is_empty(), "{}", shown.headline);
                    assert!(end.conditions.len() <= shown.conditions.len(), "{} {}", shown.headline, end.headline);
                    assert_eq!(shown.headline.contains("so far"), !shown.conditions.is_empty(), "{}", shown.headline);
                }
            }
        }
        let outcome = one_proof();
        let shown = so_far(&outcome, &[], &outcome.results[0]);
        assert_eq!(shown.headline, "◩ Holds in every cycle under 1 condition so far — proved");
    }

    /// Conditions that the worker left open come before those of other answers.
    #[test]
    fn conditions_that_a_result_has_already_stay() {
        let mut outcome = one_proof();
        let text = "not shown: that some run puts it to the test";
        outcome.results[0].conditions = vec![Condition { text: text.into(), detail: None, place: None }];
        apply(&mut outcome);
        assert_eq!(texts(&outcome), [text, "no division by zero (not checked)"]);
    }

    #[test]
    fn what_takes_runs_away_concerns_runs_only() {
        use VerdictWord::{Holds, Unknown, Violated};
        let check = |pattern: &str, word: VerdictWord, expected: usize| {
            let mut outcome = one_proof();
            outcome.results[0] = RequirementResult { pattern: pattern.into(), verdict: word, ..outcome.results[0].clone() };
            let gap = outcome.import.gaps.first().cloned().unwrap();
            outcome.import.gaps = vec![GapSummary { treatment: "assumed_by_runs".into(), ..gap }];
            outcome.checkable = Vec::new();
            apply(&mut outcome);
            assert_eq!(outcome.results[0].conditions.len(), expected, "{pattern} {word:?}");
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
            let mut outcome = one_proof();
            let vacuous = &mut outcome.results[0];
            vacuous.verdict = VerdictWord::Vacuous;
            vacuous.reason = Some("`q` can never be true".into());
            vacuous.proof = vacuous.proof.take().filter(|_| is_proved);
            apply(&mut outcome);
            assert_eq!(outcome.results[0].headline, expected);
        };
        check(true, "⚠ Holds under 1 condition, but only because `q` can never be true");
        // No run keeps the assumptions: no check matters.
        check(false, "⚠ Holds, but only because `q` can never be true");
    }

    #[test]
    fn outcomes_of_earlier_versions_are_read() {
        let mut old = serde_json::to_value(&one_proof().results[0]).unwrap();
        let fields = old.as_object_mut().unwrap();
        fields.remove("conditions");
        fields.insert("given".into(), serde_json::json!(["no integer is divided by zero (not checked)"]));
        let read: RequirementResult = serde_json::from_value(old).unwrap();
        assert_eq!(read.conditions[0].text, "no integer is divided by zero (not checked)");
    }
}
