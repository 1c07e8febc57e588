//! Programs in ST with known answers: the whole way from the claim to the certified answer.

mod double_write;
mod instances;
mod loops;
mod recursion;

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use super::*;
use kernel::cfa::model::{ModelOptions, build};
use kernel::context::default_solvers;
use kernel::smt::Interrupt;
use testgen::stated::Stated;

/// Decides the first claim of a requirement file.
pub(in crate::decide) fn decide_first(program: &str, yaml: &str, engine: Option<&str>) -> Decision {
    decide_nth(&Stated::new(program, yaml), 0, engine)
}

/// Decides the first claim of a requirement file by an engine with options.
pub(in crate::decide) fn decide_with(
    program: &str,
    yaml: &str,
    engine: Option<&str>,
    options: &BTreeMap<String, String>,
) -> Decision {
    decide_by(&Stated::new(program, yaml), 0, engine, options)
}

fn decide_nth(stated: &Stated, n: usize, engine: Option<&str>) -> Decision {
    decide_by(stated, n, engine, &BTreeMap::new())
}

fn decide_by(stated: &Stated, n: usize, engine: Option<&str>, options: &BTreeMap<String, String>) -> Decision {
    decide_about(stated, &ModelOptions::default(), n, engine, options)
}

fn decide_about(
    stated: &Stated,
    model: &ModelOptions,
    n: usize,
    engine: Option<&str>,
    options: &BTreeMap<String, String>,
) -> Decision {
    let model = build(&stated.loaded.project, model).unwrap();
    let interrupt = Interrupt { deadline: Some(Instant::now() + Duration::from_secs(60)), ..Interrupt::default() };
    let solvers = default_solvers();
    let request = Request {
        loaded: &stated.loaded,
        model: &model,
        claim: &stated.claims[n],
        assumptions: &stated.assumptions,
        search: Search { engine, options, ..Search::new(&interrupt, &solvers) },
        earlier: None,
        shared: None,
    };
    decide(&request).unwrap()
}

#[test]
fn programs_get_the_answer_that_is_true_of_them() {
    use VerdictWord::{Holds, Vacuous, Violated};
    let motor = "PROGRAM M
        VAR_INPUT fwd, bwd, stop : BOOL; END_VAR
        VAR_OUTPUT left, right : BOOL; END_VAR
        IF stop THEN left := FALSE; right := FALSE;
        ELSIF fwd AND NOT right THEN left := TRUE;
        ELSIF bwd AND NOT left THEN right := TRUE; END_IF;
        END_PROGRAM";
    let timer = "PROGRAM T
        VAR_INPUT on : BOOL; END_VAR
        VAR_OUTPUT q : BOOL; END_VAR
        VAR t : TON; n : INT; END_VAR
        t(IN := on, PT := T#500ms); q := t.Q;
        IF on THEN IF n < 1000 THEN n := n + 1; END_IF; ELSE n := 0; END_IF;
        END_PROGRAM";
    let division = "PROGRAM D
        VAR_INPUT a : INT; END_VAR
        VAR_OUTPUT b : INT; END_VAR
        IF a > 3 THEN b := 100 / (a - 4); END_IF;
        END_PROGRAM";
    let search = "PROGRAM S
        VAR_INPUT key : INT; END_VAR
        VAR data : ARRAY[1..5] OF INT := [3, 1, 4, 1, 5]; i, found : INT; END_VAR
        i := 1; found := 0;
        WHILE i <= 5 AND found = 0 DO IF data[i] = key THEN found := i; END_IF; i := i + 1; END_WHILE;
        END_PROGRAM";
    let check = |program: &str, yaml: &str, expected: VerdictWord| {
        let decision = decide_first(program, yaml, None);

        assert_eq!(decision.word, expected, "{yaml}: {:?}", decision.reason);
        let cycles = match decision.certified.as_ref().map(Certified::evidence) {
            Some(Evidence::Violated { cycles, .. }) => Some(cycles.len()),
            Some(Evidence::Holds { obligations, .. }) => {
                assert!(3 <= obligations.len());
                None
            }
            Some(Evidence::Reached(_)) | None => None,
        };
        assert_eq!(cycles.is_some(), expected == Violated, "{yaml}");
        cycles
    };
    let one = |requirement: &str| format!("requirements: [{requirement}]");
    check(motor, &one("{ never: left AND right }"), Holds);
    assert_eq!(check(motor, &one("{ always: left OR NOT fwd }"), Violated), Some(1));
    check(motor, &one("{ if: left AND right, then: stop }"), Vacuous);
    check(motor, &one("{ at_start: stop, then: NOT left }"), Holds);
    check(motor, &one("{ after: left, if: right, then: stop }"), Vacuous);
    check(motor, &format!("assumptions: [{{ expr: fwd }}, {{ expr: NOT fwd }}]\n{}", one("{ never: left }")), Vacuous);
    check(motor, &format!("assumptions: [{{ expr: NOT fwd }}]\n{}", one("{ never: left }")), Holds);
    check(timer, &one("{ if: q, then: n >= 5 }"), Holds);
    check(timer, &one("{ if: q, then: on }"), Holds);
    assert_eq!(check(timer, &one("{ never: q }"), Violated), Some(6));
    assert_eq!(check(division, "checks: [division_by_zero]", Violated), Some(1));
    check(division, "assumptions: [{ expr: a <> 4 }]\nchecks: [division_by_zero]", Holds);
    check(search, &one("{ always: found >= 0 AND found <= 5 }"), Holds);
    assert_eq!(check(search, &one("{ never: found = 5 }"), Violated), Some(1));
}

#[test]
fn what_ends_no_run_is_decided_too() {
    use VerdictWord::{Holds, Violated};
    let check = |body: &str, name: &str, expected: &[VerdictWord]| {
        let program = format!(
            "PROGRAM P\nVAR_INPUT a : INT; on : BOOL; END_VAR\nVAR_OUTPUT q, r : BOOL; n : INT (0..9); END_VAR
            VAR x : INT; y : SINT; z : BYTE; w : WORD; END_VAR\n{body}\nEND_PROGRAM"
        );
        let stated = Stated::new(&program, &format!("checks: [{name}]\nassumptions: [{{ expr: a >= -100 }}]"));
        let words = (0..stated.claims.len()).map(|nth| {
            let decision = decide_nth(&stated, nth, None);
            assert!(decision.certified.is_some(), "{body}: {:?}", decision.reason);
            decision.word
        });
        assert_eq!(words.collect::<Vec<_>>(), expected, "{name}: {body}");
    };
    check("x := MIN(a, 100); x := x * 300; q := x > 0;", "overflow", &[Holds]);
    check("x := MIN(a, 110); x := x * 300; q := x > 0;", "overflow", &[Violated]);
    // It happens in a later cycle; the statements before do not end the run.
    check("IF on THEN x := x + 1000; END_IF; y := INT_TO_SINT(x);", "overflow", &[Violated]);
    check("IF on AND x < 2000 THEN x := x + 1000; END_IF; y := INT_TO_SINT(x);", "overflow", &[Holds]);
    check("IF on AND x < 2000 THEN x := x + 1000; END_IF; y := INT_TO_SINT(x);", "conversion_loss", &[Violated]);
    check("y := INT_TO_SINT(MIN(a, 127));", "conversion_loss", &[Holds]);
    check("z := INT_TO_BYTE(a);", "conversion_loss", &[Violated]);
    check("z := INT_TO_BYTE(LIMIT(-1, a, 5));", "conversion_loss", &[Violated]);
    check("z := INT_TO_BYTE(LIMIT(0, a, 255)); w := INT_TO_WORD(a);", "conversion_loss", &[Holds]);
    check("q := on; q := a > 3; r := on;", "double_write", &[Violated]);
    check("IF a > 3 THEN q := on; ELSE q := NOT on; END_IF; r := on AND a > 3;", "double_write", &[Holds]);
    // No coil has a computed value: there is nothing to check.
    check("q := FALSE; IF on THEN q := TRUE; END_IF; IF a > 3 THEN q := FALSE; END_IF;", "double_write", &[]);
    // A constant between two coils, and the same value twice.
    check("q := on; q := TRUE; q := NOT on;", "double_write", &[Violated]);
    check("q := on; q := NOT NOT on; r := q; q := r AND on;", "double_write", &[Holds]);
    // The computed values count, not a constant that overwrites them.
    check("q := on OR NOT on; q := FALSE; q := on AND NOT on;", "double_write", &[Violated]);
    check("q := on AND NOT on; q := TRUE; q := a > 3 AND NOT (a > 3);", "double_write", &[Holds]);
    check("n := LIMIT(0, a, 9);", "subrange", &[Holds]);
    check("n := MIN(a, 9);", "subrange", &[Violated]);
    check("IF on THEN q := TRUE; ELSE r := TRUE; END_IF;", "dead_code", &[Holds]);
    // A statement that few runs come to, and two that none does.
    check("IF a = 12345 THEN q := TRUE; END_IF;", "dead_code", &[Holds]);
    check("IF a < -100 THEN q := TRUE; r := TRUE; END_IF;", "dead_code", &[Violated]);
    check("IF on THEN RETURN; q := TRUE; END_IF; r := TRUE;", "dead_code", &[Violated]);
    check("q := on; r := NOT on; n := LIMIT(0, a, 9);", "output_never_changes", &[Holds]);
    check("q := on; r := a = 12345; n := 3;", "output_never_changes", &[Holds, Violated]);
}

#[test]
fn what_assignments_cut_is_an_overflow_where_it_was_just_computed() {
    use VerdictWord::{Holds, Violated};
    let check = |body: &str, overflow: VerdictWord, loss: VerdictWord| {
        // With a UNION the program is CODESYS's.
        let program = format!(
            "TYPE U : UNION a : INT; b : WORD; END_UNION; END_TYPE\nPROGRAM P
            VAR_INPUT i, j, k : INT; b : BYTE; d : DINT; END_VAR
            VAR x : INT; y : BYTE; w : WORD; dw : DWORD; END_VAR\n{body}\nEND_PROGRAM"
        );
        let given = "assumptions: [{ expr: 'k >= 30000 AND i >= 0 AND j >= 0' }]";
        let stated = Stated::new(&program, &format!("checks: [overflow, conversion_loss]\n{given}"));
        let words = [0, 1].map(|nth| decide_nth(&stated, nth, None).word);
        assert_eq!(words, [overflow, loss], "{body}");
    };
    check("x := i + 1;", Violated, Holds);
    check("y := b + 1;", Violated, Holds);
    check("y := -i;", Violated, Holds);
    check("x := i * j / 2;", Violated, Holds);
    check("dw := dw + 1;", Holds, Holds);
    // Intermediate results have 32 bits.
    check("IF i < 30000 AND j < 30000 THEN x := i + j - k; END_IF;", Holds, Holds);
    check("IF i < 30000 THEN x := i * 2 / 2; END_IF;", Holds, Holds);
    check("IF i < 30000 THEN x := i * 2 - k; END_IF;", Holds, Holds);
    // A value that was not just computed.
    check("y := i;", Holds, Violated);
    check("x := d;", Holds, Violated);
    check("IF i < 1000 THEN y := INT_TO_BYTE(i + 1); END_IF;", Holds, Violated);
    check("w := i; x := b;", Holds, Holds);
}

#[test]
fn a_string_is_one_output() {
    use VerdictWord::{Holds, Violated};
    let check = |body: &str, expected: &[VerdictWord]| {
        let program = format!(
            "PROGRAM P\nVAR_INPUT on : BOOL; END_VAR\nVAR_OUTPUT s : STRING[12]; w : WSTRING[3]; END_VAR\n{body}\nEND_PROGRAM"
        );
        let stated = Stated::new(&program, "checks: [output_never_changes]");
        let words: Vec<_> = (0..stated.claims.len()).map(|nth| decide_nth(&stated, nth, None).word).collect();
        assert_eq!(words, expected, "{body}");
    };
    let w = "IF on THEN w := \"a\"; ELSE w := \"\"; END_IF;";
    check(&format!("IF on THEN s := 'hi'; ELSE s := 'lo'; END_IF; {w}"), &[Holds]);
    check(&format!("s := 'it$'s'; {w}"), &[Violated]);
    check("IF on THEN s := 'hi'; END_IF;", &[Violated]);
    // Characters behind the end of a string are no part of it.
    check(&format!("s := 'long text'; s[1] := CHAR#'$00'; IF on THEN s[3] := CHAR#'A'; END_IF; {w}"), &[Violated]);
    check("s := 'hi'; w := \"hi\";", &[Violated, Violated]);
}

#[test]
fn assertions_that_no_run_comes_to_are_said_to_be_so() {
    use VerdictWord::{Holds, Vacuous, Violated};
    let program = |line: &str| {
        format!(
            "PROGRAM P\nVAR_INPUT a : INT; END_VAR\nVAR_OUTPUT q : BOOL; END_VAR\n{line}\nEND_PROGRAM
            FUNCTION_BLOCK Unused\nVAR n : INT; END_VAR\nn := n + 1;\n//#ASSERT FALSE : x\nEND_FUNCTION_BLOCK"
        )
    };
    let check = |line: &str, expected: VerdictWord| {
        let stated = Stated::new(&program(line), "");
        let ids = stated.claims.iter().position(|c| matches!(c, Claim::Assert(_))).unwrap();
        let decision = decide_nth(&stated, ids, None);
        assert_eq!(decision.word, expected, "{line}: {:?}", decision.reason);
        assert_eq!(decision.reason.is_some_and(|r| r.contains("ever comes to")), expected == Vacuous, "{line}");
    };
    check("q := a > 3;\n//#ASSERT q --> a > 2 : y", Holds);
    check("q := a > 3;\n//#ASSERT q --> a > 5 : y", Violated);
    check("IF a > 5 AND a < 3 THEN\n//#ASSERT FALSE : y\nq := TRUE; END_IF;", Vacuous);
    check("RETURN;\n//#ASSERT 1 = 2 : y", Vacuous);
    check("IF a > 5 THEN\n//#ASSERT a > 4 : y\nq := TRUE; END_IF;", Holds);
    // No statement calls the block of the assertion.
    check("q := TRUE;", Vacuous);
}

#[test]
fn what_is_not_modelled_is_said() {
    use VerdictWord::{Holds, NotChecked, Unknown, Violated};
    let program = "PROGRAM P
        VAR_INPUT x : REAL; on : BOOL; END_VAR
        VAR_OUTPUT y : REAL; q, r : BOOL; END_VAR
        VAR n : INT; END_VAR
        q := on;
        y := SIN(x);
        IF on AND NOT q THEN n := MEMCMP(n, n, 1); END_IF;
        END_PROGRAM";
    let stopped = "PROGRAM P
        VAR_INPUT on : BOOL; END_VAR
        VAR_OUTPUT q, r : BOOL; END_VAR
        VAR n : INT; END_VAR
        q := on;
        IF on THEN r := TRUE; n := MEMCMP(n, n, 1); END_IF;
        q := FALSE;
        END_PROGRAM";
    let check = |program: &str, requirement: &str, expected: VerdictWord, words: &str| {
        let decision = decide_first(program, &format!("requirements: [{requirement}]"), None);
        let reason = decision.reason.unwrap_or_default();
        assert_eq!(decision.word, expected, "{requirement}: {reason}");
        assert!(reason.contains(words), "{requirement}: {reason}");
    };
    // The statement without a model is never reached, and the proof shows it.
    check(program, "{ always: q = on }", Holds, "");
    check(program, "{ never: q }", Violated, "");
    check(program, "{ never: y > 2.0 }", Unknown, "SIN on line 6");
    check(stopped, "{ never: q }", NotChecked, "line 6 is not supported");
    check(stopped, "{ always: on }", Violated, "");
}

#[test]
fn choices_without_meaning_are_refused_in_one_sentence() {
    let check = |engine: Option<&str>, options: &[(&str, &str)], words: &str| {
        let options = options.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        let refused = validate(engine, &options).unwrap_err();
        assert!(refused.contains(words), "{refused}");
    };
    assert_eq!(validate(None, &BTreeMap::new()), Ok(()));
    assert_eq!(validate(Some("default"), &BTreeMap::new()), Ok(()));
    check(None, &[("k", "3")], "option `k`");
    check(Some("bmc"), &[("k", "x")], "option `k`");
    check(Some("magic"), &[], "`magic`");
}

#[test]
fn what_is_not_initialised_may_hold_anything() {
    let check = |body: &str, yaml: &str, expected: VerdictWord, reason: &str| {
        let program = format!(
            "FUNCTION \"Twice\" : INT
            VAR_INPUT a : INT; END_VAR
            BEGIN
            IF #a > 0 THEN \"Twice\" := #a * 2; END_IF;
            END_FUNCTION
            FUNCTION_BLOCK \"F\"
            VAR_INPUT a : INT; END_VAR
            VAR_OUTPUT q, r : INT; END_VAR
            VAR_TEMP t : INT; END_VAR
            BEGIN
            {body}
            END_FUNCTION_BLOCK
            DATA_BLOCK \"D\" \"F\"
            BEGIN
            END_DATA_BLOCK
            ORGANIZATION_BLOCK \"Main\"
            BEGIN
            \"D\"(a := 0);
            END_ORGANIZATION_BLOCK"
        );
        let stated = Stated::of("p.scl", &program, &format!("requirements: [{yaml}]"));
        let decision = decide_nth(&stated, 0, None);
        assert_eq!(decision.word, expected, "{body}: {:?}", decision.reason);
        let told = decision.reason.unwrap_or_default();
        assert!(told.contains(reason), "{body}: {told}");
    };
    check("#q := #t;", "{ never: D.q > 5 }", VerdictWord::Violated, "");
    check("#t := 3; #q := #t;", "{ never: D.q > 5 }", VerdictWord::Holds, "");
    check("#t := #a; IF #t > 0 THEN #q := 1; END_IF; #q := \"Twice\"(#a);", "{ never: D.q = 7 }", VerdictWord::Violated, "");
    check("IF \"Twice\"(1) = 2 THEN #q := 1; END_IF;", "{ never: D.q <> 1 }", VerdictWord::Holds, "");
    // Two calls find different garbage.
    let two = "#q := \"Twice\"(#a); #r := \"Twice\"(#a);";
    check(two, "{ never: D.q <> D.r }", VerdictWord::Violated, "");
}

#[test]
fn an_assertion_that_cannot_be_evaluated_is_violated() {
    let check = |condition: &str, expected: VerdictWord| {
        let program = format!(
            "PROGRAM P\nVAR_INPUT a : INT; END_VAR\nVAR n : INT; END_VAR\n//#ASSERT {condition} : quotient\nn := 1;\nEND_PROGRAM\n"
        );
        let stated = Stated::new(&program, "");
        let decision = decide_nth(&stated, 0, None);
        assert_eq!(decision.word, expected, "{condition}: {:?}", decision.reason);
    };
    check("100 / a <= 100", VerdictWord::Violated);
    check("a = 0 OR_ELSE 100 / a <= 100", VerdictWord::Holds);
}
