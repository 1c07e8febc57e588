//! Controller-dependent behaviour in the text of requirements: a condition of their answers, as in code.

use crate::cli::{Case, text};

const MAIN: &[u8] = b"PROGRAM Main\nVAR_INPUT a : BYTE; n : INT; lo, x, hi : INT; END_VAR\nVAR_OUTPUT q : BOOL; END_VAR\n\
    q := a = 3;\nEND_PROGRAM\n";

#[track_caller]
fn check(specification: &str, n_under: usize, n_proved: usize) {
    let case = Case::new(&[("main.st", MAIN), ("main.yaml", specification.as_bytes())]);
    let found = text(&case.run(&["verify", "main.st", "--req", "main.yaml"]));
    let count = |words: &str| found.lines().filter(|line| line.contains(words)).count();
    assert_eq!(
        (count("under 1 condition "), count("every cycle \u{2014} proved")),
        (n_under, n_proved),
        "{specification}\n{found}"
    );
}

#[test]
fn calls_in_requirements_have_the_conditions_of_the_dialect() {
    let plain = "{ always: q OR NOT q }";
    let shift = "{ always: 'SHL(a, n) = SHL(a, n)' }";
    let limit = "{ always: 'LIMIT(lo, x, hi) = LIMIT(lo, x, hi)' }";
    // Only the requirement with the call has its condition.
    check(&format!("dialect: matiec\nrequirements: [{shift}, {plain}]"), 1, 1);
    check(&format!("dialect: matiec\nrequirements: [{limit}, {plain}]"), 1, 1);
    check(&format!("dialect: codesys\nrequirements: [{shift}, {plain}]"), 1, 1);
    check(&format!("dialect: codesys\nrequirements: [{limit}, {plain}]"), 0, 2);
    // An assumption is about every run.
    check(&format!("dialect: codesys\nassumptions: [{{ expr: 'SHL(a, n) < 4' }}]\nrequirements: [{plain}]"), 1, 0);
}
