//! Comparison of two versions: their verdicts by requirement, what these rest on, and their texts.
//!
//! **Invariant:** a verdict is "unchanged" only about the same statement, on the same basis, and with a verdict on both sides.

pub mod text;

use std::collections::BTreeSet;

use answer::VerdictWord;
use serde::Serialize;
use utoipa::ToSchema;

use super::outcome::{Outcome, RequirementResult};
use super::verdict_class::{Colour, VerdictClass};

/// Difference between two versions in one requirement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Change {
    /// Broken now, and not before, under the same statement.
    Broken,
    /// One of both versions has no verdict.
    NoVerdict,
    /// Its statement changed; the verdicts are about different things.
    Restated,
    /// Another verdict under the same statement.
    Changed,
    /// The same verdict, on another basis: other assumptions or conditions.
    OtherBasis,
    /// Only in the older version.
    Removed,
    /// Only in the newer version.
    Added,
    /// Broken before, and now not.
    Mended,
    /// The same verdict under the same statement on the same basis.
    Unchanged,
}

impl Change {
    /// Returns the words on pages.
    pub fn words(self) -> &'static str {
        match self {
            Change::Broken => "broken now",
            Change::NoVerdict => "cannot be compared: a verdict is missing",
            Change::Restated => "the requirement changed",
            Change::Changed => "another verdict",
            Change::OtherBasis => "same verdict, other assumptions or conditions",
            Change::Removed => "no longer stated",
            Change::Added => "stated for the first time",
            Change::Mended => "mended",
            Change::Unchanged => "unchanged",
        }
    }
}

/// Answer of one version.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct Answer {
    /// Number in the run, from 1.
    pub number: usize,
    /// Statement in words.
    pub text: String,
    /// Class of the verdict.
    pub class: VerdictClass,
    /// The verdict in words.
    pub headline: String,
}

/// One requirement in both versions.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct Row {
    /// Id in the newer version, if it is there.
    pub id: String,
    /// The difference.
    pub change: Change,
    /// In the older version.
    pub before: Option<Answer>,
    /// In the newer version.
    pub after: Option<Answer>,
    /// Conditions of one of both answers alone.
    pub conditions: Vec<String>,
}

/// Differences in verdicts and their basis.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, ToSchema)]
pub struct Comparison {
    /// Requirements, the most urgent difference first.
    pub rows: Vec<Row>,
    /// Statements that only one of both versions rests on; empty: the same basis.
    pub basis: Vec<String>,
}

/// Returns the differences between the outcomes of an older and a newer version. `environments` are the stated ones, as text.
pub fn compare(old: &Outcome, new: &Outcome, environments: (&str, &str)) -> Comparison {
    let mut basis = one_sided(&basis_of(old), &basis_of(new));
    if environments.0 != environments.1 && basis.is_empty() {
        basis.push("The environment is stated in other words.".into());
    }
    let mut is_free = vec![true; old.results.len()];
    let mut partner = vec![None; new.results.len()];
    type Match = fn(&RequirementResult, &RequirementResult) -> bool;
    // The same statement under the same id comes first, then the same statement under another id, then the id alone.
    let matches: [Match; 3] = [|o, n| o.id == n.id && is_same_statement(o, n), is_same_statement, |o, n| o.id == n.id];
    for is_match in matches {
        for (n, result) in new.results.iter().enumerate().filter(|(n, _)| partner[*n].is_none()).collect::<Vec<_>>() {
            let found = (0..old.results.len()).find(|o| is_free[*o] && is_match(&old.results[*o], result));
            if let Some(o) = found {
                (is_free[o], partner[n]) = (false, Some(o));
            }
        }
    }
    let mut rows: Vec<Row> = Vec::new();
    for (n, result) in new.results.iter().enumerate() {
        let before = partner[n].map(|o| (o, &old.results[o]));
        rows.push(row(before, Some((n, result)), basis.is_empty()));
    }
    let removed = old.results.iter().enumerate().filter(|(o, _)| is_free[*o]);
    rows.extend(removed.map(|(o, result)| row(Some((o, result)), None, basis.is_empty())));
    rows.sort_by_key(|row| row.change);
    Comparison { rows, basis }
}

/// Returns whether a class counts as broken.
pub fn is_broken(class: VerdictClass) -> bool {
    class.colour() == Colour::Bad && has_verdict(class)
}

/// Returns a text that two results have in common if and only if they are about the same statement.
pub fn statement(result: &RequirementResult) -> String {
    [&result.pattern, &result.meaning, &result.text].map(|part| format!("{}:{part}", part.len())).concat()
}

fn is_same_statement(a: &RequirementResult, b: &RequirementResult) -> bool {
    statement(a) == statement(b)
}

fn has_verdict(class: VerdictClass) -> bool {
    !matches!(class, VerdictClass::NotChecked | VerdictClass::Cancelled | VerdictClass::Error)
}

type Numbered<'a> = (usize, &'a RequirementResult);

fn row(before: Option<Numbered<'_>>, after: Option<Numbered<'_>>, is_same_basis: bool) -> Row {
    let answer = |(n, r): Numbered<'_>| Answer {
        number: n + 1,
        text: r.text.clone(),
        class: VerdictClass::of(r),
        headline: r.headline.clone(),
    };
    let conditions = match (before, after) {
        (Some((_, o)), Some((_, n))) => one_sided(&conditions_of(o), &conditions_of(n)),
        (_, _) => Vec::new(),
    };
    let change = match (before, after) {
        (_, None) => Change::Removed,
        (None, Some(_)) => Change::Added,
        (Some((_, o)), Some((_, n))) => change(o, n, is_same_basis && conditions.is_empty()),
    };
    let id = after.or(before).map(|(_, r)| r.id.clone()).unwrap_or_default();
    Row { id, change, before: before.map(answer), after: after.map(answer), conditions }
}

fn change(old: &RequirementResult, new: &RequirementResult, is_same_basis: bool) -> Change {
    let (before, after) = (VerdictClass::of(old), VerdictClass::of(new));
    match () {
        () if !has_verdict(before) || !has_verdict(after) => Change::NoVerdict,
        () if !is_same_statement(old, new) => Change::Restated,
        () if is_broken(after) && !is_broken(before) => Change::Broken,
        () if is_broken(before) && after.colour() == Colour::Good => Change::Mended,
        () if before != after || old.verdict != new.verdict => Change::Changed,
        // A bounded answer is about these cycles alone.
        () if new.verdict == VerdictWord::HoldsBounded && old.safe_cycles != new.safe_cycles => Change::Changed,
        () if !is_same_basis => Change::OtherBasis,
        () => Change::Unchanged,
    }
}

fn conditions_of(result: &RequirementResult) -> BTreeSet<String> {
    let all = result.conditions.iter().chain(&result.frozen);
    all.map(|c| c.detail.as_ref().map_or(c.text.clone(), |detail| format!("{}: {detail}", c.text))).collect()
}

fn basis_of(outcome: &Outcome) -> BTreeSet<String> {
    let variables = outcome.environment.iter().map(|row| {
        let start = if row.any_start { ", any value at the start" } else { "" };
        let initial = row.initial.as_ref().map(|value| format!(", initially {value}")).unwrap_or_default();
        let range = row.range.as_ref().map(|range| format!(", {range}")).unwrap_or_default();
        format!("{} : {}, {}{range}{start}{initial}", row.variable, row.ty, row.kind.word())
    });
    let tool = format!("Scanproof {}", outcome.tool);
    outcome.rests_on.iter().cloned().chain(variables).chain([tool]).collect()
}

/// Returns what only one of both sets has, with the side.
fn one_sided(old: &BTreeSet<String>, new: &BTreeSet<String>) -> Vec<String> {
    let before = old.difference(new).map(|text| format!("before: {text}"));
    before.chain(new.difference(old).map(|text| format!("now: {text}"))).collect()
}

#[cfg(test)]
mod tests;
