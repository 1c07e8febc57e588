//! Rules of the house that a machine can check. Each rule is a row with an example that it catches.

mod arrows;
mod comments;
mod names;
mod papers;
mod registries;
mod sizes;
#[cfg(test)]
mod tests;

use crate::source::Source;

/// A rule of the house.
pub(crate) struct Rule {
    /// The rule in one sentence.
    pub(crate) text: &'static str,
    /// Returns a line for every place that breaks the rule.
    pub(crate) check: fn(&[Source]) -> Vec<String>,
    /// Files that break the rule once: path, text.
    #[cfg_attr(not(test), expect(dead_code, reason = "read by the test of the rules"))]
    pub(crate) caught: &'static [(&'static str, &'static str)],
}

/// All rules.
pub(crate) const RULES: &[&[Rule]] =
    &[arrows::RULES, comments::RULES, names::RULES, papers::RULES, registries::RULES, sizes::RULES];

/// Returns all places that break a rule.
pub(crate) fn findings(sources: &[Source]) -> Vec<String> {
    let found = |rule: &Rule| -> Vec<String> {
        (rule.check)(sources).into_iter().map(|place| format!("{place}\n    {}", rule.text)).collect()
    };
    RULES.iter().copied().flatten().flat_map(found).collect()
}
