//! The repository keeps the rules, and each rule catches its example.

use super::*;
use crate::source::repository;

#[test]
fn the_repository_keeps_the_rules() {
    let findings = findings(&repository());
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
