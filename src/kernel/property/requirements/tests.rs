//! Specifications, resolved against a program.

use plc_frontend::LoadOptions;
use plc_frontend::hir::FaultKind;
use plc_frontend::source::SourceSet;

use super::*;
use crate::property::check::{CHECKS, CheckKind, Event, idle_checks};

const PROGRAM: &str = "PROGRAM P\nVAR_INPUT a, b : BOOL; n : INT; END_VAR\nVAR_OUTPUT q : BOOL; END_VAR\n\
    q := a;\n//#ASSERT q --> a : same\n//#ASSERT TRUE : same\nEND_PROGRAM\n";

fn stated(yaml: &str) -> ResolvedSpecification {
    let mut set = SourceSet::default();
    set.add("p.st", PROGRAM);
    let parsed = plc_frontend::load(&set, &LoadOptions::default());
    assert!(parsed.diagnostics.is_empty(), "{:?}", parsed.diagnostics);
    let mut loaded = parsed.value;
    requirements(
        &Specification::from_yaml(yaml).unwrap(),
        &[],
        &mut loaded,
        &[CheckKind::Event(Event::Fault(FaultKind::DivisionByZero))],
    )
}

#[test]
fn keys_make_patterns_and_assertions_and_checks_follow() {
    let check = |yaml: &str, expected: &[&str]| {
        let stated = stated(yaml);
        assert!(stated.problems.is_empty() && stated.rejected.is_empty(), "{yaml}: {stated:?}");
        let got: Vec<String> = stated.requirements.iter().map(|c| format!("{} {}", c.id, c.pattern)).collect();
        let always = ["same assertion", "check-division_by_zero division_by_zero"];
        assert_eq!(got, [expected, &always].concat(), "{yaml}");
    };
    check("", &[]);
    check("requirements: [{ never: q }]", &["R1 pattern-forbidden"]);
    check("requirements: [{ id: R2, never: q }, { never: a }]", &["R2 pattern-forbidden", "R3 pattern-forbidden"]);
    check("requirements: [{ never: a }, { id: R1, never: q }]", &["R2 pattern-forbidden", "R1 pattern-forbidden"]);
    check("requirements: [{ id: x, always: q OR NOT q }]", &["x pattern-invariant"]);
    check("requirements: [{ then: q, if: a }]", &["R1 pattern-implication"]);
    check("requirements: [{ at_start: a, then: q }]", &["R1 pattern-statechange-duringcycle"]);
    check("requirements: [{ after: a, if: b, then: q }]", &["R1 pattern-statechange-betweencycles"]);
    check("requirements: [{ pattern: implication, params: [a, q] }]", &["R1 pattern-implication"]);
}

#[test]
fn checks_that_were_asked_for_in_vain_are_named() {
    let check = |yaml: &str, expected: &[&str]| {
        let stated = stated(yaml);
        let spec = Specification::from_yaml(yaml).unwrap();
        let names: Vec<&str> = idle_checks(&spec, &stated).map(|check| check.name).collect();
        assert_eq!(names, expected, "{yaml}");
    };
    check("", &[]);
    check("checks: []", &[]);
    check("checks: [division_by_zero]", &[]);
    check("checks: [subrange, division_by_zero, overflow]", &["overflow", "subrange"]);
    check("checks: all", &CHECKS.iter().map(|check| check.name).skip(1).collect::<Vec<_>>());
}

#[test]
fn every_problem_is_reported_with_its_pointer() {
    let check = |yaml: &str, expected: &[(&str, &str)]| {
        let stated = stated(yaml);
        let problems: Vec<&SpecProblem> =
            stated.rejected.iter().flat_map(|rejected| &rejected.problems).chain(&stated.problems).collect();
        assert_eq!(problems.len(), expected.len(), "{yaml}: {problems:?}");
        for (problem, (pointer, words)) in problems.iter().zip(expected) {
            assert_eq!(problem.pointer, *pointer, "{yaml}");
            assert!(problem.message.contains(words), "{yaml}: {}", problem.message);
        }
    };
    check("requirements: [{ never: qq }, { always: aa }]", &[("/requirements/0/never", "qq"), ("/requirements/1/always", "aa")]);
    check("requirements: [{ never: n }]", &[("/requirements/0/never", "")]);
    check("requirements: [{ never: 'q AND' }]", &[("/requirements/0/never", "")]);
    check("requirements: [{ never: q, always: a }]", &[("/requirements/0/always", "do not make a pattern")]);
    check("requirements: [{ if: q }]", &[("/requirements/0/if", "does not make a pattern")]);
    check("requirements: [{ id: R }]", &[("/requirements/0", "what must hold")]);
    check("requirements: [{ pattern: magic, params: [q] }]", &[("/requirements/0/pattern", "magic")]);
    check("requirements: [{ pattern: implication, params: [q] }]", &[("/requirements/0/params", "2 expressions")]);
    check("requirements: [{ params: [q] }]", &[("/requirements/0/params", "needs")]);
    check("requirements: [{ if: q, for: soon, then: q }]", &[("/requirements/0/for", "not a time")]);
    for time in ["500", "'500'", "0"] {
        check(&format!("requirements: [{{ if: q, for: {time}, then: q }}]"), &[("/requirements/0/for", "has no unit")]);
    }
    for time in ["T#500ms", "500ms", "1h", "T#1m30s", "1m 30s", "24h"] {
        check(&format!("requirements: [{{ if: q, for: {time}, then: q }}]"), &[]);
    }
    for time in ["0ms", "25h", "T#1ns", "-5s", "q"] {
        check(&format!("requirements: [{{ if: q, for: {time}, then: q }}]"), &[("/requirements/0/for", "not a time")]);
    }
    check("requirements: [{ if: 'ONCE(q)', for: 5s, then: 'HELD(a, T#1s500ms) XOR FELL(b)' }]", &[]);
    check("requirements: [{ at_start: 'ONCE(q)', then: q }]", &[("/requirements/0/at_start", "looks back")]);
    check("requirements: [{ if: q, started: ROSE(q) }]", &[("/requirements/0/started", "looks back")]);
    check("assumptions: [{ expr: ROSE(a) }]", &[("/assumptions/0/expr", "cannot look back")]);
    check("requirements: [{ never: 'ONCE(qq) AND q' }]", &[("/requirements/0/never", "qq")]);
    check("requirements: [{ never: 'ONCE(q, a)' }]", &[("/requirements/0/never", "other operands")]);
    check("requirements: [{ never: 'HELD(q, n)' }]", &[("/requirements/0/never", "not a duration")]);
    check("requirements: [{ never: 'n + PREVIOUS(q) > 3' }]", &[("/requirements/0/never", "not a condition")]);
    let nested = "ROSE(".repeat(30) + "q" + &")".repeat(30);
    check(&format!("requirements: [{{ never: '{nested}' }}]"), &[("/requirements/0/never", "too many places")]);
    check("requirements: [{ id: \"a\\nb\", never: q }]", &[("/requirements/0/id", "line break")]);
    check("requirements: [{ id: \"a\\tb\", never: q }]", &[("/requirements/0/id", "control character")]);
    check("requirements: [{ id: ' a', never: q }]", &[("/requirements/0/id", "space")]);
    check("requirements: [{ never: q }, { id: '', never: q }]", &[("/requirements/1/id", "is empty")]);
    check("requirements: [{ id: same, never: q }]", &[("/requirements", "same")]);
    check("requirements: [{ id: a, never: q }, { id: a, never: a }]", &[("/requirements/1/id", "another requirement")]);
    check("assumptions: [{ expr: q }, { expr: a OR q }]", &[("/assumptions/0/expr", "no input")]);
    check("assumptions: [{ expr: zz }]\nchecks: [none]", &[("/assumptions/0/expr", "zz"), ("/checks/0", "none")]);
}

/// Other requirements are checked, each under its id in a file without mistakes.
#[test]
fn a_requirement_that_is_not_stated_correctly_costs_the_others_nothing() {
    let yaml = "requirements: [{ never: q }, { never: qq }, { id: X, always: a }, { id: X, text: Twice., always: a }]";
    let mut stated = stated(yaml);
    let ids = |stated: &ResolvedSpecification| {
        let checked: Vec<String> = stated.requirements.iter().map(|c| c.id.clone()).collect();
        let rejected: Vec<(usize, String, String)> =
            stated.rejected.iter().map(|r| (r.at, r.id.clone(), r.text.clone())).collect();
        (checked, rejected)
    };
    let row = |at, id: &str, text: &str| (at, id.to_owned(), text.to_owned());
    let names = |ids: &[&str]| ids.iter().map(|id| (*id).to_owned()).collect::<Vec<_>>();
    let all = names(&["R1", "X", "same", "check-division_by_zero"]);
    assert_eq!(ids(&stated), (all, vec![row(1, "R2", "never: qq"), row(2, "R4", "Twice.")]));
    assert!(stated.find("R2").unwrap_err().contains("`R2` cannot be checked: there is no variable `qq`"));
    let unknown = stated.keep_only(&["X".into(), "R22".into()]).unwrap_err();
    assert!(crate::property::rejected::unknown("never: q", &["R1"]).contains("or on the command line `--never`"));
    assert!(unknown.contains("there is no requirement `R22`") && unknown.ends_with("did you mean `R2`?"), "{unknown}");
    stated.keep_only(&["X".into(), "R2".into()]).unwrap();
    assert_eq!(ids(&stated), (names(&["X"]), vec![row(0, "R2", "never: qq")]));
}

#[test]
fn assertions_of_the_source_can_be_left_out() {
    let ids = |yaml: &str| stated(yaml).requirements.into_iter().map(|c| c.id).collect::<Vec<_>>();
    assert_eq!(ids("assertions: false"), ["check-division_by_zero"]);
    assert_eq!(ids("assertions: true"), ["same", "check-division_by_zero"]);
}

#[test]
fn each_event_of_a_check_has_a_clause_for_its_place() {
    for check in CHECKS {
        let is_event = matches!(check.kind, CheckKind::Event(_));
        assert_eq!(check.mistake.is_some(), is_event, "{}", check.name);
    }
    assert_eq!(Event::DoubleWrite.mistake(), "the output is written again, with another value");
}
