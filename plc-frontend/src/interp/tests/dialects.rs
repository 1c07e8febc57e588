//! Differences of dialects on the same text, checked against `docs/dialects.md`.

use super::cycle;
use crate::dialect::DialectId::{self, Codesys, Iec, Matiec, SiemensClassic, SiemensTia, Twincat};
use crate::hir::{Value, value_to_st};
use crate::interp::{Limits, Machine};
use crate::text::SourceSet;
use crate::{LoadOptions, load};

/// Asserts `x`, in ST, after each of the cycles with these values of the input `n`.
#[track_caller]
fn check_runs(dialect: DialectId, vars: &str, body: &str, inputs: &[i128], expected: &[&str]) {
    let text = format!("PROGRAM Main VAR_INPUT n : INT; END_VAR VAR {vars} END_VAR {body} END_PROGRAM");
    let mut sources = SourceSet::default();
    sources.add("a.st", text.clone());
    let loaded = load(&sources, &LoadOptions { dialect: Some(dialect), ..LoadOptions::default() });
    assert!(loaded.diagnostics.iter().all(|d| d.severity != crate::text::Severity::Error), "{text}: {:#?}", loaded.diagnostics);
    let project = &loaded.value.project;
    let mut machine = Machine::new(project, Limits::default());
    let mut found = Vec::new();
    for n in inputs {
        cycle(&mut machine, &[("n", Value::Int(*n))]).unwrap();
        let leaf = project.leaves().into_iter().find(|leaf| leaf.name == "Main.x");
        found.push(match leaf {
            Some(leaf) => value_to_st(project, leaf.ty, machine.leaf("Main.x").unwrap()),
            // A string: its characters.
            None => (1..)
                .map_while(|i| machine.leaf(&format!("Main.x[{i}]")))
                .map_while(|value| value.as_int().filter(|c| *c != 0))
                .map(|c| char::from(c as u8))
                .collect(),
        });
    }
    assert_eq!(found, expected, "{dialect:?}: {vars} {body}");
}

#[track_caller]
fn check(dialect: DialectId, vars: &str, body: &str, expected: &str) {
    check_runs(dialect, vars, body, &[0], &[expected]);
}

#[test]
fn halves() {
    for dialect in [Codesys, Twincat] {
        for (given, expected) in [("2.5", "3"), ("-2.5", "-3"), ("0.5", "1"), ("-0.5", "-1"), ("2.4", "2"), ("0.49999997", "0")] {
            check(dialect, "x : INT; r : REAL;", &format!("r := {given}; x := REAL_TO_INT(r);"), expected);
            check(dialect, "x : DINT; r : LREAL;", &format!("r := {given}; x := LREAL_TO_DINT(r);"), expected);
        }
        check(dialect, "x : LREAL; r : LREAL := 0.49999999999999994;", "x := LREAL_TO_INT(r);", "0.0");
    }
    for dialect in [Iec, SiemensClassic, SiemensTia] {
        check(dialect, "x : INT; r : REAL := 2.5;", "x := REAL_TO_INT(r);", "2");
    }
}

#[test]
fn shifts() {
    for dialect in [Codesys, Twincat] {
        check(dialect, "x : WORD; b : BYTE := 1;", "x := SHL(b, 9);", "16#0200");
        check(dialect, "x : BYTE; b : BYTE := 16#45;", "x := SHL(b, 2);", "16#14");
        check(dialect, "x : DWORD; d : DWORD := 1; c : INT := 33;", "x := SHL(d, c);", "16#00000002");
        check(dialect, "x : LWORD; d : LWORD := 1; c : INT := 65;", "x := SHL(d, c);", "16#0000000000000002");
        check(dialect, "x : BYTE; b : BYTE := 8; c : INT := -1;", "x := SHL(b, c);", "16#00");
        check(dialect, "x : SINT; s : SINT := -128;", "x := SHR(s, 1);", "-64");
        check(dialect, "x : SINT; s : SINT := -128; c : INT := 20;", "x := SHR(s, c);", "-1");
        check(dialect, "x : BYTE; b : BYTE := 129;", "x := ROL(b, 9);", "16#03");
    }
    check(Iec, "x : DWORD; d : DWORD := 1; c : INT := 33;", "x := SHL(d, c);", "16#00000000");
}

#[test]
fn signs() {
    for dialect in [Codesys, Twincat] {
        for (body, expected) in [
            ("x := u > d;", "FALSE"),
            ("x := u = d;", "TRUE"),
            ("x := z > d;", "TRUE"),
            ("x := z > i;", "TRUE"),
            ("x := l > u;", "FALSE"),
            ("x := UINT#65535 > i;", "TRUE"),
        ] {
            check(
                dialect,
                "x : BOOL; u : UDINT := 4294967295; z : UDINT; d : DINT := -1; i : INT := -1; l : LINT := 5;",
                body,
                expected,
            );
        }
    }
}

#[test]
fn positions_that_a_string_does_not_have() {
    for (body, codesys, iec) in [
        ("x := MID(s, 2, 0);", "", "ab"),
        ("x := MID(s, 2, n);", "", "ab"),
        ("x := MID(s, 4, 2);", "bc", "bc"),
        ("x := DELETE(s, 1, 0);", "abc", "bc"),
        ("x := INSERT(s, 'XY', 5);", "abc", "abcXY"),
        ("x := INSERT(s, 'XY', 3);", "abcXY", "abcXY"),
        ("x := INSERT(s, 'XY', 0);", "XYabc", "XYabc"),
        ("x := INSERT(s, 'XY', -1);", "abc", "XYabc"),
        ("x := REPLACE(s, 'XY', 2, 5);", "abc", "abcXY"),
        ("x := REPLACE(s, 'XY', 5, 2);", "aXY", "aXY"),
        ("x := REPLACE(s, 'XY', 1, 0);", "XYabc", "XYbc"),
        ("x := REPLACE(s, 'XY', 2, 4);", "abcXY", "abcXY"),
    ] {
        check(Codesys, "x : STRING; s : STRING := 'abc';", body, codesys);
        check(Iec, "x : STRING; s : STRING := 'abc';", body, iec);
    }
}

#[test]
fn counters_of_words() {
    let down = "c(CD := n > 0, LOAD := FALSE, PV := 3); x := c.CV;";
    check_runs(Codesys, "x : WORD; c : CTD;", down, &[1, 0, 1], &["16#0000", "16#0000", "16#0000"]);
    check_runs(SiemensTia, "x : INT; c : CTD;", &down.replace("LOAD", "LD"), &[1, 0, 1], &["-1", "-1", "-2"]);
    // A preset above the largest INT is not negative.
    check(Twincat, "x : BOOL; c : CTU;", "c(CU := FALSE, RESET := FALSE, PV := 40000); x := c.Q;", "FALSE");
    let both = "c(CU := n > 0, CD := n < 0, RESET := FALSE, LOAD := FALSE, PV := 3); x := c.CV;";
    check_runs(Codesys, "x : WORD; c : CTUD;", both, &[-1, 0, -1, 1], &["16#0000", "16#0000", "16#0000", "16#0001"]);
    check(Codesys, "x : INT; c : CTU;", "c(CU := TRUE, RESET := FALSE, PV := 3, CV => x);", "1");
    // Both systems' names of the inputs are accepted.
    for dialect in [Iec, Codesys, Twincat, SiemensClassic] {
        check(dialect, "x : BOOL; f : SR;", "f(SET1 := TRUE, RESET := TRUE); x := f.Q1;", "TRUE");
        check(dialect, "x : BOOL; f : SR;", "f(S1 := TRUE, R := TRUE); x := f.S1 AND f.RESET;", "TRUE");
        check(dialect, "x : BOOL; f : RS;", "f(SET := TRUE, RESET1 := TRUE); x := f.Q1;", "FALSE");
    }
}

#[test]
fn times_that_change_while_a_timer_runs() {
    let body = "IF n = 0 THEN p := T#500ms; ELSE p := T#100ms; END_IF; t(IN := TRUE, PT := p); x := t.Q;";
    let inputs = [0, 0, 1, 1, 1, 1];
    check_runs(Iec, "x : BOOL; p : TIME; t : TON;", body, &inputs, &["FALSE", "FALSE", "TRUE", "TRUE", "TRUE", "TRUE"]);
    let latched = ["FALSE", "FALSE", "FALSE", "FALSE", "FALSE", "TRUE"];
    check_runs(SiemensTia, "x : BOOL; p : TIME; t : TON;", body, &inputs, &latched);
    let pulse = body.replace("x := t.Q", "x := NOT t.Q");
    check_runs(SiemensTia, "x : BOOL; p : TIME; t : TP;", &pulse, &inputs, &latched);
    // Both are the same if PT does not change.
    let same = "t(IN := TRUE, PT := T#200ms); x := t.Q;";
    for dialect in [Iec, SiemensTia] {
        check_runs(dialect, "x : BOOL; t : TON;", same, &[0, 0, 0, 0], &["FALSE", "FALSE", "TRUE", "TRUE"]);
    }
}

#[test]
fn long_times_have_no_sign_where_times_have_none() {
    let vars = "x : BOOL; a : LTIME := LTIME#1s; b : LTIME := LTIME#2s;";
    check(Codesys, vars, "x := a - b > b;", "TRUE");
    check(Iec, vars, "x := a - b > b;", "FALSE");
    check(Codesys, "x : TIME; a : LTIME := LTIME#3s;", "x := LTIME_TO_TIME(a);", "T#3s");
}

#[test]
fn opposites_of_smallest_numbers() {
    for (vars, body, expected) in [
        ("x : DINT; i : INT := -32768;", "x := ABS(i);", "32768"),
        ("x : INT; i : SINT := -128;", "x := ABS(i);", "128"),
        ("x : DINT; i : INT := -32768;", "x := -i;", "32768"),
        ("x : INT; i : INT := -32768;", "x := ABS(i);", "-32768"),
    ] {
        check(Codesys, vars, body, expected);
    }
    check(Iec, "x : DINT; i : INT := -32768;", "x := ABS(i);", "-32768");
}

#[test]
fn loops_whose_last_value_or_step_changes() {
    let vars = "x : INT; i, last, stride : INT;";
    let body = "x := 0; last := 9; stride := 1; FOR i := 1 TO last BY stride DO x := x + 1; stride := 3; last := 4; END_FOR;";
    check(Codesys, vars, body, "2");
    check(Twincat, vars, &format!("{body} x := i;"), "7");
    check(Iec, vars, body, "9");
    let body = "x := 0; last := 3; FOR i := 1 TO last DO IF i = 2 THEN last := 5; CONTINUE; END_IF; x := x + i; END_FOR;";
    check(Codesys, vars, body, "13");
    check(Iec, vars, body, "4");
    let down = "x := 0; last := 1; FOR i := 5 TO last BY -2 DO x := x + 1; last := 3; END_FOR;";
    check(Codesys, vars, down, "2");
    check(Codesys, "x : INT; b : BYTE;", "x := 0; FOR b := 0 TO 9 DO x := x + 1; END_FOR;", "10");
    // A variable that the loop writes under another name is read before every round too.
    let by_name = |name: &str| format!("y := 10; x := 0; FOR i := 1 TO {name} DO y := y - 1; x := x + 1; END_FOR;");
    check(Codesys, "x, y, i : INT; p : POINTER TO INT;", &format!("p := ADR(y); {}", by_name("p^")), "5");
    check(Codesys, "x, y, i : INT; r : REFERENCE TO INT;", &format!("r REF= y; {}", by_name("r")), "5");
    let own = "p := ADR(i); x := 0; i := 0; FOR i := 0 TO MIN(p^ + 1, 3) DO x := x + 1; END_FOR;";
    check(Codesys, "x, i : INT; p : POINTER TO INT;", own, "4");
}

#[test]
fn results_of_string_functions() {
    let hundred = "0123456789".repeat(10);
    let body = format!("s := '{hundred}'; x := LEN(CONCAT(s, s, s));");
    check(Codesys, "x : INT; s : STRING[100];", &body, "255");
    check(SiemensTia, "x : INT; s : STRING[100];", &body, "254");
    check(Matiec, "x : INT; s : STRING[100];", &body, "126");
}

#[test]
fn counters_of_matiec_stay_within_their_preset() {
    let both = "c(CU := n > 0, CD := n < 0, R := FALSE, LD := n = 9, PV := 1); x := c.CV;";
    check_runs(Matiec, "x : DINT; c : CTUD_DINT;", both, &[1, 0, 1, -1, 0, -1], &["1", "1", "1", "0", "0", "0"]);
    check_runs(Iec, "x : DINT; c : CTUD_DINT;", both, &[1, 0, 1, -1, 0, -1], &["1", "1", "2", "1", "1", "0"]);
    // A counter above PV stays where it is.
    let up = "c(CU := n > 0, PV := 5 - n); x := c.CV;";
    check_runs(Matiec, "x : INT; c : CTU;", up, &[1, 0, 1, 0, 4, 0, 4], &["1", "1", "2", "2", "2", "2", "2"]);
}

#[test]
fn timers_of_matiec() {
    let on = "t(IN := n > 0, PT := T#200ms); x := t.ET;";
    let rows = ["T#0s", "T#100ms", "T#200ms", "T#200ms", "T#0s", "T#0s"];
    check_runs(Matiec, "x : TIME; t : TON;", on, &[1, 1, 1, 1, 0, 1], &rows);
    let off = "t(IN := n > 0, PT := T#200ms); x := t.Q;";
    check_runs(Matiec, "x : BOOL; t : TOF;", off, &[1, 0, 0, 0, 0], &["TRUE", "TRUE", "TRUE", "FALSE", "FALSE"]);
    // An edge while a pulse runs is lost, and so is one in the call that ends it.
    let pulse = "t(IN := n > 0, PT := T#200ms); x := t.Q;";
    let rows = ["TRUE", "TRUE", "FALSE", "FALSE", "TRUE"];
    check_runs(Matiec, "x : BOOL; t : TP;", pulse, &[1, 0, 1, 0, 1], &rows);
    // A negative PT is over in the next call, and ET shows it.
    check_runs(Matiec, "x : TIME; t : TON;", "t(IN := TRUE, PT := T#-5ms); x := t.ET;", &[0, 0], &["T#0s", "T#-5ms"]);
}

#[test]
fn enable_of_matiec_is_a_variable_of_the_instance() {
    // A call without EN uses the value of the call before.
    let vars = "x : INT; c : CTU;";
    let body = "IF n = 1 THEN c(EN := FALSE); ELSIF n = 2 THEN c(EN := TRUE); END_IF; c(CU := TRUE, PV := 9); c(CU := FALSE); x := c.CV;";
    check_runs(Matiec, vars, body, &[0, 1, 0, 2, 0], &["1", "1", "1", "2", "3"]);
    check_runs(Matiec, "x : BOOL; t : TON;", "t(EN := n > 0, IN := TRUE, ENO => x);", &[0, 1, 0], &["FALSE", "TRUE", "FALSE"]);
}
