//! Differences between the answers of a run and the expected ones of its sample.

use std::collections::BTreeMap;

use answer::VerdictWord;
use answer::samples::Expected;

use super::outcome::Outcome;

/// Returns a sentence for every requirement whose answer is not the expected one; a requirement that is not named must hold.
pub fn surprises(expected: &BTreeMap<String, Expected>, outcome: &Outcome) -> Vec<String> {
    let held = Expected { word: VerdictWord::Holds, conditions: 0 };
    let wrong = outcome.results.iter().filter_map(|result| {
        let wanted = expected.get(&result.id).copied().unwrap_or(held);
        let is_expected = wanted.accepts(result.verdict, result.conditions.len());
        (!is_expected).then(|| format!("{}: expected {}, got: {}", result.id, wanted.words(), result.headline))
    });
    let absent = expected.keys().filter(|id| outcome.results.iter().all(|r| r.id != **id));
    wrong.chain(absent.map(|id| format!("{id}: expected, but there is no such requirement"))).collect()
}
