//! Equal programs are found equal, and a difference is found.

use std::time::Duration;

use plc_frontend::source::SourceSet;
use plc_frontend::{LoadOptions, load};

use super::*;

fn answer(text: &str) -> Answer {
    let mut sources = SourceSet::default();
    sources.add("main.st", text);
    let loaded = load(&sources, &LoadOptions::default());
    assert!(!loaded.has_errors(), "{:#?}\n{text}", loaded.diagnostics);
    compare(&loaded.value.project, &Options { cycles: 50, seed: 7, time: Duration::from_secs(60) })
}

#[test]
fn programs_are_equal_as_far_as_they_are_modelled() {
    let check = |vars: &str, body: &str, expected: &str| {
        let text = format!(
            "PROGRAM Main\nVAR_INPUT\n a : INT; r : REAL; w : DWORD;\nEND_VAR\nVAR\n{vars}\nEND_VAR\n{body}\nEND_PROGRAM\n"
        );
        let found = match answer(&text) {
            Answer::Equal(counts) => format!("equal {} {}", counts.cycles, counts.faults),
            Answer::EqualWithGaps(counts) => format!("gaps {} {}", counts.cycles, counts.faults),
            Answer::StopsAtGap(_, counts) => format!("stops {}", counts.cycles),
            Answer::Different(difference) => format!("different: {}", difference.what),
            Answer::NotLowered(problem) => problem.to_string(),
            Answer::OutOfTime(_) => "time".to_owned(),
        };
        assert_eq!(found, expected, "{text}");
    };
    check("x : INT;", "x := x + a;", "equal 50 0");
    check("x : REAL;", "x := SIN(r) + x * COS(r);", "gaps 50 0");
    check("x : REAL;", "IF a > 0 THEN x := SIN(LN(r)); ELSE x := EXP(SIN(x)); END_IF; x := x + LN(r);", "gaps 50 0");
    check("x : DWORD; y : REAL;", "x := REAL_TO_DWORD(r); y := DWORD_TO_REAL(w XOR x); x := REAL_TO_DWORD(y + r);", "gaps 50 0");
    // A pointer shows that the program is CODESYS's, where the number is converted.
    check("x : DWORD; y : REAL; p : POINTER TO INT;", "y := DWORD_TO_REAL(w); x := REAL_TO_DWORD(y / 2.0);", "equal 50 0");
    check("s : STRING; x : REAL;", "s := REAL_TO_STRING(r); x := SIN(r); s := CONCAT(s, REAL_TO_STRING(x));", "gaps 50 0");
    check("x : INT;", "x := 1 / 0;", "equal 0 50");
    check("x : INT; d : DATE_AND_TIME;", "x := 3; WHILE TRUE DO x := x + 1; END_WHILE;", "equal 0 50");
}

#[test]
fn a_difference_is_seen() {
    let mut sources = SourceSet::default();
    sources.add(
        "main.st",
        "PROGRAM Main\nVAR_INPUT\n a : INT;\nEND_VAR\nVAR\n x : INT; y : REAL;\nEND_VAR\nx := a; y := SIN(y);\nEND_PROGRAM\n",
    );
    let loaded = load(&sources, &LoadOptions::default());
    let project = loaded.value.project;
    let model = build(&project, &ModelOptions::default()).unwrap();
    let mut numbers = Numbers(1);
    let mut run = |model: &crate::cfa::Model| {
        let given = inputs_of(&project, model, 0, &mut numbers);
        Pair::new(&project, model).cycle(&given)
    };
    assert_eq!(run(&model), Ok(End::Complete));
    // The automaton does not take the value of SIN.
    let mut lacking = model.clone();
    let (_, any) = lacking.arbitrary[0];
    lacking.cfa.edges.iter_mut().for_each(|e| {
        if e.op == crate::cfa::Op::Havoc(any) {
            e.op = crate::cfa::Op::Skip;
        }
    });
    assert!(run(&lacking).is_err());
    // An assignment is lost.
    let mut lacking = model.clone();
    let (_, x) = lacking.leaves.iter().find(|(leaf, _)| leaf.name == "Main.x").unwrap().clone();
    lacking.cfa.edges.iter_mut().for_each(|e| {
        if matches!(e.op, crate::cfa::Op::Assign(var, _) if var == x) {
            e.op = crate::cfa::Op::Skip;
        }
    });
    let found = run(&lacking);
    assert!(found.as_ref().is_err_and(|d| d.what.contains("Main.x")), "{found:?}");
    // The automaton misses an end.
    let mut lacking = model;
    let (eoc, error) = (lacking.points.eoc, lacking.cfa.error);
    lacking.cfa.edges.iter_mut().filter(|e| e.source == eoc).for_each(|e| e.target = error);
    assert!(run(&lacking).is_err());
}
