//! The repository keeps the rules, and each rule catches its example.

use super::*;
use crate::source::repository;

/// Rules that the code does not keep everywhere yet: `cargo run -p xtask -- tidy` lists the places.
const UNDER_WORK: &[&str] = &["at most 25 words"];

#[test]
fn the_repository_keeps_the_rules() {
    let findings: Vec<String> =
        findings(&repository()).into_iter().filter(|finding| UNDER_WORK.iter().all(|rule| !finding.contains(rule))).collect();
    assert!(findings.is_empty(), "\n{}", findings.join("\n"));
}

#[test]
fn each_rule_catches_its_example() {
    for rule in RULES.iter().copied().flatten() {
        let caught: Vec<Source> =
            rule.caught.iter().map(|(path, text)| Source { path: (*path).to_owned(), text: (*text).to_owned() }).collect();
        let found = (rule.check)(&caught);
        assert_eq!(found.len(), 1, "{}: {found:#?}", rule.text);
    }
}
