//! Observers and drives of single programs, run on the interpreter with the program that they are about.

use std::collections::BTreeMap;

use plc_frontend::hir::Value;
use plc_frontend::interp::{Limits, Machine};
use plc_frontend::source::SourceSet;
use plc_frontend::{LoadOptions, load};

use super::{PlcTest, Recorded, program, tc_unit};
use answer::replay::{Case, CycleInputs, Replayed};
use testgen::stated::Stated;

/// Returns the test of a run and the cycle in which the replay sees the violation, from 1.
fn test_of(text: &str, yaml: &str, cycles: &[CycleInputs]) -> (String, Result<String, String>, Option<usize>) {
    let stated = Stated::new(text, yaml);
    let replayed = Case::of(&stated.loaded, &stated.assumptions, &stated.claims[0]).replay(cycles);
    let seen = if let Replayed::Violated { cycle, .. } = replayed { Some(cycle + 1) } else { None };
    let notes = vec!["It is so (* always *)".to_owned()];
    let recorded = Recorded {
        project: &stated.loaded.project,
        sources: &stated.loaded.sources,
        limits: Limits::default(),
        claim: &stated.claims[0],
        cycles,
        id: "R-1",
        notes: &notes,
    };
    let test = PlcTest::new(&recorded).unwrap();
    (program(&test), tc_unit(&test), seen)
}

/// Runs a program with its test; returns the values of two variables of the test.
fn run(text: &str, test: &str, cycles: &[CycleInputs]) -> (i128, i128) {
    let mut sources = SourceSet::default();
    sources.add("p.st", text);
    sources.add("test.st", test);
    let parsed = load(&sources, &LoadOptions { entry: Some("Test_R_1".to_owned()), ..LoadOptions::default() });
    assert!(!parsed.has_errors(), "{:?}\n{test}", parsed.diagnostics);
    let mut machine = Machine::new(&parsed.value.project, Limits::default());
    for cycle in cycles {
        machine.begin(&BTreeMap::new(), cycle.dt_ns).unwrap();
        machine.run(&mut plc_frontend::interp::Silent).unwrap();
    }
    let value = |name: &str| machine.leaf(&format!("Test_R_1.{name}")).and_then(Value::as_int).unwrap_or(0);
    (value("BrokenInCycle"), value("DiffersInCycle"))
}

/// Returns cycles of 100 ms in which `P.a` and `P.b` have these values.
fn cycles(values: &[(bool, bool)]) -> Vec<CycleInputs> {
    let inputs =
        |(a, b): &(bool, bool)| BTreeMap::from([("P.a".to_owned(), Value::Bool(*a)), ("P.b".to_owned(), Value::Bool(*b))]);
    values.iter().map(|row| CycleInputs { inputs: inputs(row), dt_ns: 100_000_000 }).collect()
}

const PROGRAM: &str = "PROGRAM P\nVAR_INPUT a, b : BOOL; END_VAR\nVAR_OUTPUT q : BOOL; n : INT; END_VAR\nVAR Cycle : INT; END_VAR\n\
    q := a;\nIF b THEN n := n + 1; END_IF;\nCycle := Cycle + 1;\nEND_PROGRAM\n";

#[test]
fn every_kind_of_requirement_is_watched_as_the_replay_does() {
    let requirements = [
        "always: n < 2",
        "never: q AND b",
        "if: q, then: n < 1",
        "never: 'PREVIOUS(q) AND NOT q AND b'",
        "never: 'PREVIOUS(PREVIOUS(q)) AND b'",
        "always: 'NOT b OR PREVIOUS(a)'",
    ];
    // All runs of three cycles.
    for requirement in requirements {
        let yaml = format!("requirements: [{{ {requirement} }}]");
        let mut n_broken = 0;
        for bits in 0..64_u32 {
            let values: Vec<(bool, bool)> = (0..3).map(|at| (bits >> (2 * at) & 1 == 1, bits >> (2 * at + 1) & 1 == 1)).collect();
            let cycles = cycles(&values);
            let (text, _, seen) = test_of(PROGRAM, &yaml, &cycles);
            let (broken, differs) = run(PROGRAM, &text, &cycles);
            assert_eq!(usize::try_from(broken).unwrap(), seen.unwrap_or(0), "{requirement} {values:?}\n{text}");
            assert_eq!(differs, 0, "{text}");
            n_broken += usize::from(seen.is_some());
        }
        assert!(0 < n_broken && n_broken < 64, "{requirement}: {n_broken}");
    }
}

#[test]
fn a_mended_program_passes_and_is_seen_to_differ() {
    let cycles = cycles(&[(false, true), (false, true)]);
    let (text, unit, seen) = test_of(PROGRAM, "requirements: [{ always: n < 2 }]", &cycles);
    assert_eq!(seen, Some(2));
    let mended = PROGRAM.replace("IF b THEN", "IF b AND n < 1 THEN");
    assert_eq!(run(&mended, &text, &cycles), (0, 2), "{text}");
    let unit = unit.unwrap();
    assert!(unit.contains("AssertFalse(Condition := Broken,") && unit.contains("EXTENDS TcUnit.FB_TestSuite"), "{unit}");
    assert!(!unit.contains("Expected_"), "{unit}");
    // No comment ends early.
    assert!(text.starts_with("(* It is so ( * always * ) *)\n"), "{text}");
}

#[test]
fn blocks_and_variables_by_reference_are_driven() {
    let block = "FUNCTION_BLOCK P\nVAR_INPUT a, b : BOOL; END_VAR\nVAR_IN_OUT n : INT; END_VAR\nVAR_OUTPUT q : BOOL; END_VAR\n\
        IF b AND n < 3 THEN n := n + 1; END_IF;\nq := a;\nEND_FUNCTION_BLOCK\n";
    let mut run_of = cycles(&[(false, true), (true, true)]);
    run_of[0].inputs.insert("P.n".to_owned(), Value::Int(1));
    let (text, _, seen) = test_of(block, "requirements: [{ never: q AND n = 3 }]", &run_of);
    assert_eq!(seen, Some(2));
    assert_eq!(run(block, &text, &run_of), (2, 0), "{text}");
}

#[test]
fn inputs_of_the_field_that_keep_their_declared_value_are_given_too() {
    let program = "PROGRAM P\nVAR go AT %IX0.0 : BOOL; hot AT %IX0.1 : BOOL; heat AT %QX0.0 : BOOL; END_VAR\n\
        heat := go AND NOT hot;\nEND_PROGRAM\n";
    let run_of = [CycleInputs { inputs: BTreeMap::from([("P.go".to_owned(), Value::Bool(true))]), dt_ns: 100_000_000 }];
    let (text, _, seen) = test_of(program, "requirements: [{ never: heat }]", &run_of);
    assert_eq!(seen, Some(1));
    // On a controller the field says otherwise.
    let field = BTreeMap::from([("P.hot".to_owned(), Value::Bool(true))]);
    assert!(text.contains("P.hot := "), "{text}");
    let mut sources = SourceSet::default();
    sources.add("p.st", program);
    sources.add("test.st", text.as_str());
    let parsed = load(&sources, &LoadOptions { entry: Some("Test_R_1".to_owned()), ..LoadOptions::default() });
    let mut machine = Machine::new(&parsed.value.project, Limits::default());
    machine.begin(&field, 100_000_000).unwrap();
    machine.run(&mut plc_frontend::interp::Silent).unwrap();
    assert_eq!(machine.leaf("Test_R_1.BrokenInCycle").and_then(Value::as_int), Some(1), "{text}");
}
