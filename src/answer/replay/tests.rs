//! Claims are evaluated from their conditions, cycle by cycle.

use testgen::stated::Stated;

use super::*;

const PROGRAM: &str = "PROGRAM P
    VAR_INPUT a, b : BOOL; n : INT := 1; END_VAR
    VAR_OUTPUT q, r : BOOL; m : INT; END_VAR
    q := a AND NOT b;
    //#ASSERT NOT (a AND b) : both
    m := 100 / n;
    r := a;
    END_PROGRAM";

fn cycle(a: bool, b: bool, n: i128) -> CycleInputs {
    let inputs = [("P.a", Value::Bool(a)), ("P.b", Value::Bool(b)), ("P.n", Value::Int(n))];
    CycleInputs { inputs: inputs.into_iter().map(|(name, v)| (name.to_owned(), v)).collect(), dt_ns: 100_000_000 }
}

#[test]
fn every_pattern_is_evaluated_from_its_conditions() {
    // 0 both inputs FALSE, 1 only a, 2 only b, 3 both; n is 1.
    let check = |yaml: &str, cycles: &[usize], violated_in: Option<usize>| {
        let stated = Stated::new(PROGRAM, &format!("requirements: [{yaml}]"));
        let cycles: Vec<CycleInputs> = cycles.iter().map(|i| cycle(i & 1 == 1, i & 2 == 2, 1)).collect();
        let expected = match violated_in {
            Some(cycle) => Replayed::Violated { cycle, place: None },
            None => Replayed::Held,
        };
        assert_eq!(Case::of(&stated.loaded, &stated.assumptions, &stated.claims[0]).replay(&cycles), expected, "{yaml}");
    };
    check("{ never: q }", &[0, 2, 3], None);
    check("{ never: q }", &[0, 1, 1], Some(1));
    check("{ always: q }", &[1, 1], None);
    check("{ always: q }", &[1, 3], Some(1));
    check("{ if: r, then: q }", &[0, 1, 2], None);
    check("{ if: r, then: q }", &[0, 1, 3], Some(2));
    check("{ at_start: b, then: NOT q }", &[0, 1, 2, 3], None);
    check("{ at_start: a, then: q }", &[0, 1, 3], Some(2));
    // r is the one of the cycle before when the inputs are new.
    check("{ at_start: r, then: q }", &[1, 1], None);
    check("{ at_start: r, then: q }", &[1, 0], Some(1));
    check("{ after: r, if: b, then: q }", &[3, 1, 0, 2], None);
    check("{ after: r, if: b, then: q }", &[1, 2], Some(1));
    check("{ after: TRUE, if: b, then: q }", &[2], None);
    // Formulas about the past. q is TRUE after cycles of kind 1, r after 1 and 3; a cycle takes 100 ms.
    check("{ if: r AND b, earlier: q }", &[1, 3], None);
    check("{ if: r AND b, earlier: q }", &[0, 3], Some(1));
    check("{ if: q, earlier: q }", &[1], Some(0));
    check("{ if: r AND b, from: q, to: NOT q }", &[1, 0, 3], None);
    check("{ if: r AND NOT q, from: q, to: NOT q }", &[1, 3], Some(1));
    check("{ if: q, started: b }", &[2, 1], None);
    check("{ if: q, started: b }", &[0, 1], Some(1));
    check("{ if: r, started: b }", &[3], None);
    check("{ if: r, for: 200ms, then: NOT q }", &[1, 1, 0, 1, 1, 3], None);
    check("{ if: r, for: 200ms, then: NOT q }", &[1, 1, 1], Some(2));
    check("{ if: r, for: 1ms, then: NOT q }", &[1, 1], Some(1));
    check("{ always: 'PREVIOUS(q) --> r' }", &[1, 3, 0], None);
    check("{ always: 'PREVIOUS(q) --> r' }", &[1, 0], Some(1));
    check("{ never: 'PREVIOUS(PREVIOUS(q)) AND q' }", &[1, 0, 0, 1], None);
    check("{ never: 'PREVIOUS(PREVIOUS(q)) AND q' }", &[1, 0, 1], Some(2));
    check("{ never: 'ROSE(r) AND q' }", &[3, 1], None);
    check("{ never: 'ROSE(r) AND q' }", &[1], Some(0));
    check("{ never: FELL(r) }", &[0, 1, 1], None);
    check("{ never: FELL(r) }", &[1, 0], Some(1));
    check("{ always: 'SINCE(NOT q, b) OR NOT ONCE(b)' }", &[2, 0, 0], None);
    check("{ always: 'SINCE(NOT q, b) OR NOT ONCE(b)' }", &[2, 0, 1], Some(2));
    check("{ always: 'HISTORICALLY(NOT q)' }", &[0, 2, 1, 0], Some(2));
    check("{ never: 'HELD(q, T#150ms)' }", &[1, 1, 0, 1], None);
    check("{ never: 'HELD(q, T#150ms) XOR FALSE' }", &[1, 1, 1], Some(2));
    // The run in question.
    check("{ possible: q AND NOT PREVIOUS(r) }", &[3, 0, 1], Some(2));
    check("{ after: TRUE, if: b, then: q }", &[2, 2], Some(1));
}

#[test]
fn places_faults_and_assumptions_count() {
    let replay = |yaml: &str, claim: usize, cycles: &[CycleInputs]| {
        let stated = Stated::new(PROGRAM, yaml);
        let text = |span: Span| stated.loaded.sources.text(span).to_owned();
        match Case::of(&stated.loaded, &stated.assumptions, &stated.claims[claim]).replay(cycles) {
            Replayed::Violated { cycle, place } => format!("violated in {cycle} at {:?}", place.map(text)),
            Replayed::Held => "held".into(),
            Replayed::Ended { cycle, fault } => format!("ended in {cycle} at {}", text(fault.span)),
            Replayed::Excluded { cycle, assumption } => format!("excluded in {cycle} by {assumption}"),
            Replayed::Unfit(bad) => bad.to_string(),
        }
    };
    let (assert, division) = (0, 1);
    assert_eq!(replay("", assert, &[cycle(true, false, 1)]), "held");
    let failed = "violated in 1 at Some(\"NOT (a AND b) : both\")";
    assert_eq!(replay("", assert, &[cycle(true, false, 1), cycle(true, true, 0)]), failed);
    assert_eq!(replay("", division, &[cycle(true, true, 1), cycle(true, true, 0)]), "violated in 1 at Some(\"n\")");
    assert_eq!(replay("requirements: [{ never: q }]", 0, &[cycle(true, false, 0)]), "ended in 0 at n");
    // Inputs that are missing keep their values; a condition that cannot be evaluated is a violation.
    assert_eq!(replay("", division, &[CycleInputs::default()]), "held");
    assert_eq!(
        replay("requirements: [{ never: 1 / m = 7 }]", 0, &[cycle(true, false, 1), cycle(true, false, 1000)]),
        "violated in 1 at Some(\"m\")"
    );
    let given = "assumptions: [{ expr: n > 0 }, { expr: NOT (a AND b) }]";
    assert_eq!(replay(given, assert, &[cycle(true, false, 5), cycle(true, true, 5)]), "excluded in 1 by 1");
    assert_eq!(replay(given, assert, &[cycle(true, true, 0)]), "excluded in 0 by 0");
    let stray = CycleInputs { inputs: BTreeMap::from([("P.q".to_owned(), Value::Bool(true))]), dt_ns: 0 };
    assert_eq!(replay("", assert, &[stray]), BadInput::NotAnInput("P.q".into()).to_string());
}
