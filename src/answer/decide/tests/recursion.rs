//! Programs whose recursive calls are kept.

use std::collections::BTreeMap;

use super::*;
use kernel::cfa::RecursiveCalls;

/// Decides the first requirement with kept calls; an engine computes with values.
fn decide_kept(program: &str, requirement: &str, engine: Option<&str>) -> Decision {
    let stated = Stated::new(program, &format!("{{dialect: codesys, requirements: [{requirement}]}}"));
    let model = ModelOptions { recursive_calls: RecursiveCalls::Kept, ..ModelOptions::default() };
    let options = engine.map(|_| ("domain".to_owned(), "EXPL".to_owned()));
    decide_about(&stated, &model, 0, engine, &options.into_iter().collect())
}

/// Returns a program that counts to a number by calls.
fn counted(to: u32) -> String {
    format!(
        "FUNCTION F : DINT VAR_INPUT n : DINT; END_VAR IF n > 0 THEN F := F(n - 1) + 1; END_IF; END_FUNCTION
        PROGRAM M VAR_OUTPUT y : DINT; END_VAR y := F({to}); END_PROGRAM"
    )
}

#[test]
fn a_violation_behind_more_calls_than_a_run_may_have_is_no_answer_and_no_mistake() {
    let shallow = decide_kept(&counted(20), "{ never: y = 20 }", Some("bam"));
    assert_eq!(shallow.word, VerdictWord::Violated, "{:?}", shallow.reason);
    let deep = decide_kept(&counted(30), "{ never: y = 30 }", Some("bam"));
    assert_eq!(deep.word, VerdictWord::Unknown, "{:?}", deep.reason);
    assert!(deep.reason.as_ref().is_some_and(|why| why.contains("open at once")), "{:?}", deep.reason);
}

#[test]
fn random_runs_find_violations_behind_many_calls() {
    let program = "FUNCTION Fib : DINT VAR_INPUT n : INT; END_VAR
        IF n < 2 THEN Fib := 1; ELSE Fib := MIN(Fib(n - 1) + Fib(n - 2), 1000); END_IF; END_FUNCTION
        PROGRAM M VAR_INPUT n : INT; stop : BOOL; END_VAR VAR_OUTPUT y : DINT; END_VAR
        IF stop THEN y := 0; ELSE y := Fib(n); END_IF; END_PROGRAM";
    for (requirement, word) in [("{ never: y = 89 }", VerdictWord::Violated), ("{ possible: y = 89 }", VerdictWord::Holds)] {
        let found = decide_kept(program, requirement, None);
        assert_eq!((found.word, found.engine), (word, Some("random")), "{:?}", found.reason);
    }
    // Runs keep the assumptions.
    let stated = Stated::new(
        program,
        "{dialect: codesys, assumptions: [{ text: few, expr: n < 4 }], requirements: [{ never: y = 89 }, { never: y = 3 }]}",
    );
    let model = ModelOptions { recursive_calls: RecursiveCalls::Kept, ..ModelOptions::default() };
    let model = build(&stated.loaded.project, &model).unwrap();
    let (interrupt, solvers) = (Interrupt::default(), default_solvers());
    for (n, is_broken) in [(0, false), (1, true)] {
        let (claim, search) = (&stated.claims[n], Search::new(&interrupt, &solvers));
        let (loaded, assumptions) = (&stated.loaded, stated.assumptions.as_slice());
        let request = Request { loaded, model: &model, claim, assumptions, search, earlier: None, shared: None };
        assert_eq!(hunt::violation(&request).is_some(), is_broken, "{n}");
    }
}

/// Returns a program whose recursive function writes an output, as its caller does.
fn written_by_calls(value: &str) -> String {
    format!(
        "VAR_GLOBAL Lamp AT %QX0.0 : BOOL; END_VAR
        FUNCTION F : DINT VAR_INPUT n : DINT; END_VAR VAR_EXTERNAL Lamp : BOOL; END_VAR
        IF n < 2 THEN F := 1; Lamp := {value}; ELSE F := MIN(F(n - 1) + F(n - 2), 100); END_IF; END_FUNCTION
        PROGRAM M VAR_INPUT n : INT; END_VAR VAR_EXTERNAL Lamp : BOOL; END_VAR VAR_OUTPUT y : DINT; END_VAR
        Lamp := n > 3; y := F(n); END_PROGRAM"
    )
}

#[test]
fn a_monitor_with_memory_inside_of_recursive_calls_proves_nothing() {
    let check = |value: &str, engine: Option<&str>| {
        let stated = Stated::new(&written_by_calls(value), "{dialect: codesys, checks: [double_write]}");
        let model = ModelOptions { recursive_calls: RecursiveCalls::Kept, ..ModelOptions::default() };
        decide_about(&stated, &model, 0, engine, &BTreeMap::new())
    };
    for engine in [None, Some("bam")] {
        let same = check("Lamp AND n > -5", engine);
        let why = same.reason.unwrap_or_default();
        assert!(same.word == VerdictWord::NotChecked && why.contains("a function that calls itself"), "{:?} {why}", same.word);
    }
    // A run shows a violation all the same.
    assert_eq!(check("n > 0", None).word, VerdictWord::Violated);
}
