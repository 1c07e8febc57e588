//! Violations told from programs: what the sentences say, what matters, and on which lines it was written.

mod causes;

use std::collections::{BTreeMap, BTreeSet};

use plc_frontend::hir::Value;

use crate::report::counterexample::{Violation, tell};
use crate::report::outcome::{Counterexample, Step};
use answer::replay::{Case, CycleInputs, Replayed};
use testgen::stated::Stated;

/// Tells the violation of a program's first claim under these inputs, which name the leaf and its value.
fn told(program: &str, goal: &[&str], cycles: &[&[(&str, Value)]]) -> Counterexample {
    let yaml = if goal.is_empty() { "" } else { "requirements: [{ never: Trip }]" };
    told_about(program, yaml, goal.iter().map(|name| format!("P.{name}")).collect(), cycles)
}

/// Tells a violation of a requirement about these leaves.
fn told_about(program: &str, yaml: &str, goal: BTreeSet<String>, cycles: &[&[(&str, Value)]]) -> Counterexample {
    let stated = Stated::new(program, yaml);
    let inputs = |cycle: &[(&str, Value)]| cycle.iter().map(|(name, v)| (format!("P.{name}"), *v)).collect::<BTreeMap<_, _>>();
    let cycles: Vec<CycleInputs> = cycles.iter().map(|c| CycleInputs { inputs: inputs(c), dt_ns: 100_000_000 }).collect();
    let Replayed::Violated { place, .. } = Case::of(&stated.loaded, &stated.assumptions, &stated.claims[0]).replay(&cycles)
    else {
        panic!("no violation")
    };
    let what = "it fails".to_string();
    tell(&stated.loaded.project, &stated.loaded.sources, &cycles, &Violation { goal: &goal, place, what, n_back: 0 })
}

/// Returns the values of a line in the last cycle.
fn line(cex: &Counterexample, number: u32) -> Vec<String> {
    let steps = cex.cycles.last().unwrap().steps.iter().filter(|s| s.place.line == number);
    let show = |s: &Step| {
        s.values.iter().map(|v| format!("{}{}{}", v.name, if v.written { ":=" } else { "=" }, v.value)).collect::<Vec<_>>()
    };
    steps.flat_map(show).collect()
}

#[test]
fn an_assertion_tells_its_values_and_where_they_come_from() {
    let program = "PROGRAM P\nVAR_INPUT a : BOOL; END_VAR\nVAR n, i, other : INT; END_VAR\n\
        FOR i := 1 TO 3 DO\n  IF a THEN\n    n := n + 1;\n  END_IF;\nEND_FOR;\nother := other + 1;\n//#ASSERT n <= 3 : three\nn := 0;\nn := other;\nEND_PROGRAM\n";
    let a = ("a", Value::Bool(true));
    let cex = told(program, &[], &[&[a], &[a]]);
    let expected = [
        "In 2 scan cycles (about 200 ms), on line 10 of p.st, it fails (n is 4).",
        "n was written on line 6 in this cycle.",
        "In cycle 2 a is TRUE.",
    ];
    assert_eq!(cex.explanation, expected);
    assert_eq!(cex.relevant, ["a", "i", "n", "other"]);
}

#[test]
fn an_assertion_that_cannot_be_evaluated_is_violated() {
    let program = "PROGRAM P\nVAR_INPUT a : INT := 1; END_VAR\nVAR n : INT; END_VAR\nn := a;\n//#ASSERT 10 / n < 20 : quotient\nn := 7;\nEND_PROGRAM\n";
    let cex = told(program, &[], &[&[("a", Value::Int(0))]]);
    let expected = "In the first scan cycle, on line 5 of p.st, the condition of the assertion cannot be evaluated: the divisor is 0 (n is 0).";
    assert_eq!(cex.explanation[0], expected);
    // The table shows the moment of the failure, not the end of the cycle.
    let n = cex.cycles[0].values.iter().find(|v| v.name == "n").unwrap();
    assert_eq!(n.value, "0");
}

#[test]
fn a_fault_tells_the_values_at_its_place() {
    let program =
        "PROGRAM P\nVAR_INPUT n, m : INT := 1; END_VAR\nVAR k : INT; z : INT; END_VAR\nk := n;\nz := m / (k - 3);\nEND_PROGRAM\n";
    let cex = told(program, &[], &[&[("n", Value::Int(3))]]);
    let expected = [
        "In the first scan cycle, on line 5 of p.st, it fails (k is 3).",
        "k was written on line 4 in this cycle.",
        "In cycle 1 n is 3.",
    ];
    assert_eq!(cex.explanation, expected);
    assert!(cex.relevant.contains(&"n".to_string()) && !cex.relevant.contains(&"z".to_string()), "{:?}", cex.relevant);
}

#[test]
fn floats_without_a_literal_are_words() {
    let program = "PROGRAM P\nVAR_INPUT r : REAL; l : LREAL; END_VAR\nVAR x : REAL; END_VAR\nx := -r;\n//#ASSERT x > -1.0E30\nEND_PROGRAM\n";
    let cex = told(program, &[], &[&[("r", Value::real(f32::INFINITY)), ("l", Value::lreal(f64::NAN))]]);
    let values: Vec<String> = cex.cycles[0].values.iter().map(|v| format!("{}={}", v.name, v.value)).collect();
    assert_eq!(values, ["r=+Inf", "l=NaN", "x=-Inf"]);
    assert!(cex.explanation.iter().all(|line| !line.contains("16#")), "{:?}", cex.explanation);
}

#[test]
fn what_a_call_returns_is_written_where_it_is_assigned() {
    let program = "FUNCTION F : BOOL\nVAR_INPUT x : BOOL; END_VAR\nF := x;\nEND_FUNCTION\n\
        PROGRAM P\nVAR_INPUT a, b, unused : BOOL; END_VAR\nVAR_OUTPUT Trip : BOOL; END_VAR\nVAR t : R_TRIG; END_VAR\n\
        t(CLK := F(a));\nIF b THEN\n  Trip := F(t.Q);\nEND_IF;\nEND_PROGRAM\n";
    let cex = told(program, &["Trip"], &[&[("a", Value::Bool(true)), ("b", Value::Bool(true))]]);
    assert_eq!(cex.explanation[1], "Trip was written on line 11 in this cycle.");
    assert_eq!(cex.relevant, ["Trip", "a", "b", "t.CLK", "t.Q"]);
    assert_eq!(line(&cex, 3), ["F.x=TRUE", "F.F:=TRUE", "F.x=TRUE", "F.F:=TRUE"]);
}

#[test]
fn steps_of_a_loop_stand_at_its_head() {
    let program = "PROGRAM P\nVAR_INPUT a : BOOL; END_VAR\nVAR_OUTPUT Trip : BOOL; END_VAR\nVAR i, n : INT; END_VAR\n\
        FOR i := 0 TO 2 DO\n  n := n + 1;\nEND_FOR;\nWHILE n < 7 DO\n  n := n + 2;\nEND_WHILE;\nTrip := a;\nEND_PROGRAM\n";
    let cex = told(program, &["Trip"], &[&[("a", Value::Bool(true))]]);
    assert_eq!(line(&cex, 5), ["i:=3", "i=3"]);
    assert!(line(&cex, 6).iter().all(|v| v.starts_with('n')), "{:?}", line(&cex, 6));
    assert_eq!(line(&cex, 8), ["n=7"]);
    assert_eq!(cex.relevant, ["Trip", "a"]);
}

#[test]
fn inputs_that_leave_their_subrange_are_named() {
    let program = "PROGRAM P\nVAR_INPUT level : INT (0..100); other : INT (0..9); END_VAR\nVAR n : INT; Trip : BOOL; END_VAR\n\
        n := level;\nTrip := n > 100;\nEND_PROGRAM\n";
    let runs: [&[i128]; 3] = [&[7, 120], &[-1, 101], &[99, 101]];
    for levels in runs {
        let cycles: Vec<[(&str, Value); 2]> =
            levels.iter().map(|n| [("level", Value::Int(*n)), ("other", Value::Int(55))]).collect();
        let cycles: Vec<&[(&str, Value)]> = cycles.iter().map(|c| c.as_slice()).collect();
        let cex = told(program, &["Trip"], &cycles);
        let said = cex.explanation.iter().any(|s| s.contains("level") && s.contains("outside of its subrange 0..100"));
        assert!(said, "{:?}", cex.explanation);
        assert!(!cex.explanation.iter().any(|s| s.contains("more input")), "{:?}", cex.explanation);
    }
    let cex = told(program, &["Trip"], &[&[("level", Value::Int(101)), ("other", Value::Int(5))]]);
    let expected = "level is 101 in cycle 1, outside of its subrange 0..100: nothing checks what comes from outside. \
         The assumption `0 <= level AND level <= 100` leaves such runs out.";
    assert_eq!(cex.explanation.last().map(String::as_str), Some(expected));
}

#[test]
fn inputs_that_cause_it_are_named_with_their_cycles() {
    let program = "PROGRAM P\nVAR_INPUT start, valve, noise : BOOL; END_VAR\nVAR open, Trip, other : BOOL; END_VAR\n\
        Trip := start AND open;\nopen := valve;\nother := noise;\nEND_PROGRAM\n";
    let cycle =
        |start, valve| [("start", Value::Bool(start)), ("valve", Value::Bool(valve)), ("noise", Value::Bool(start != valve))];
    let cex = told(program, &["Trip"], &[&cycle(false, false), &cycle(false, true), &cycle(true, false)]);
    let expected = [
        "In 3 scan cycles (about 300 ms), at the end of cycle 3, Trip is TRUE.",
        "Trip was written on line 4 in this cycle.",
        "In cycle 2 valve rises.",
        "In cycle 3 start rises.",
    ];
    assert_eq!(cex.explanation, expected);
    assert_eq!(cex.relevant, ["Trip", "open", "start", "valve"]);
    let causes: Vec<(u32, String)> = cex.causes.iter().map(|c| (c.cycle, c.inputs.join(" "))).collect();
    assert_eq!(causes, [(2, "valve".to_owned()), (3, "start".to_owned())]);
    let marked = |cycle: usize| cex.cycles[cycle].steps.iter().filter(|s| s.cause).map(|s| s.place.line).collect::<Vec<_>>();
    assert_eq!((marked(0), marked(1), marked(2)), (vec![], vec![5], vec![4]));
}

#[test]
fn timers_that_had_to_run_are_named() {
    let program = "PROGRAM P\nVAR_INPUT c1, noise : BOOL; END_VAR\nVAR t : TON; Trip, other : BOOL; END_VAR\n\
        t(IN := c1, PT := T#300ms);\nTrip := t.Q;\nother := noise;\nEND_PROGRAM\n";
    let cycle = |c1| [("c1", Value::Bool(c1)), ("noise", Value::Bool(!c1))];
    let cex = told(program, &["Trip"], &[&cycle(false), &cycle(true), &cycle(true), &cycle(true), &cycle(true)]);
    let said = |sentence: &str| assert!(cex.explanation.iter().any(|s| s == sentence), "{sentence}: {:?}", cex.explanation);
    said("In cycle 2 c1 rises (until cycle 5).");
    said("c1 is TRUE for 4 cycles (300 ms), so t.Q rises in cycle 5.");
    assert!(!cex.relevant.iter().any(|name| name == "noise" || name == "other"), "{:?}", cex.relevant);
}

#[test]
fn a_requirement_that_looks_back_has_causes_in_earlier_cycles() {
    const IN_ALL: &str = "In cycle 1 a is TRUE (until cycle 3).";
    let program = "PROGRAM P\nVAR_INPUT a : BOOL; END_VAR\nVAR Trip : BOOL; END_VAR\nTrip := a;\nEND_PROGRAM\n";
    let stated = Stated::new(program, "requirements: [{ never: 'PREVIOUS(PREVIOUS(Trip)) AND Trip' }]");
    let cycles: Vec<CycleInputs> = (0..3)
        .map(|_| CycleInputs { inputs: BTreeMap::from([("P.a".to_owned(), Value::Bool(true))]), dt_ns: 100_000_000 })
        .collect();
    let goal = BTreeSet::from(["P.Trip".to_owned()]);
    for (n_back, sentence) in [(0, "In cycle 3 a is TRUE."), (2, IN_ALL), (usize::MAX, IN_ALL)] {
        let violation = Violation { goal: &goal, place: None, what: String::new(), n_back };
        let cex = tell(&stated.loaded.project, &stated.loaded.sources, &cycles, &violation);
        assert!(cex.explanation.iter().any(|s| s == sentence), "{n_back}: {:?}", cex.explanation);
    }
}
