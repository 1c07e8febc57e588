//! Anomalies: interpreter and automaton report them alike, and as often as expected.

use plc_frontend::hir::AnomalyKind;
use plc_frontend::interp::{Limits, Machine, Recorder};
use plc_frontend::source::{SourceSet, Span};
use plc_frontend::{LoadOptions, load};

use kernel::cfa::{Marks, ModelOptions, build};
use testgen::readings::{CYCLES, Numbers, behave_alike, inputs};

#[derive(Default)]
struct Told(Vec<(AnomalyKind, Span)>);

impl Recorder for Told {
    fn anomaly(&mut self, kind: AnomalyKind, span: Span) {
        self.0.push((kind, span));
    }
}

/// Runs a program for one cycle on its initial values; returns the texts of its anomalies. Runs it many times in both ways.
#[track_caller]
fn anomalies(kind: AnomalyKind, vars: &str, body: &str) -> Vec<String> {
    let text = format!(
        "{LIBRARY}PROGRAM Main\nVAR_INPUT\n a, b : INT; on : BOOL;\nEND_VAR\nVAR\n{vars}\nEND_VAR\n{body}\nEND_PROGRAM\n"
    );
    let mut sources = SourceSet::default();
    sources.add("main.st", text.as_str());
    let loaded = load(&sources, &LoadOptions::default());
    assert!(!loaded.has_errors(), "{:#?}\n{text}", loaded.diagnostics);
    let loaded = loaded.value;
    let model = build(&loaded.project, &ModelOptions { marks: Marks::Anomalies(kind), ..ModelOptions::default() }).unwrap();
    for seed in 0..5 {
        let inputs = inputs(&loaded.project, &model, &mut Numbers(seed));
        assert!(behave_alike(&loaded.project, &model, &inputs, &text) <= CYCLES);
    }
    let mut told = Told::default();
    let mut machine = Machine::new(&loaded.project, Limits::default());
    let _ = machine.run(&mut told);
    let mine = told.0.iter().filter(|(told, _)| *told == kind);
    mine.map(|(_, span)| loaded.sources.text(*span).to_owned()).collect()
}

const LIBRARY: &str = "FUNCTION Twice : INT
VAR_INPUT
 v : INT;
END_VAR
Twice := v * 2;
END_FUNCTION
";

#[test]
fn arithmetic_that_leaves_its_type_overflows() {
    let check = |vars: &str, body: &str, expected: &[&str]| {
        assert_eq!(anomalies(AnomalyKind::Overflow, vars, body), expected, "{vars} {body}");
    };
    check("x : INT := 32767;", "x := x + a;", &[]);
    check("x : INT := 32767;", "x := x + 1;", &["x + 1"]);
    check("x : INT := -32768;", "x := x - 1 + 1;", &["x - 1", "x - 1 + 1"]);
    check("x : INT := -32768;", "x := -x;", &["-x"]);
    check("x : INT := -32768;", "x := ABS(x);", &["ABS(x)"]);
    check("x : INT := -32767;", "x := ABS(x) - ABS(-x);", &[]);
    check("x : INT := -32768; m : INT := -1;", "x := x / m;", &["x / m"]);
    check("x : INT := 182;", "x := x * x;", &["x * x"]);
    check("x : INT := 181;", "x := x * x;", &[]);
    check("x : DINT := 2147483647; y : LINT;", "y := x + 1; y := DINT_TO_LINT(x) + 1;", &["x + 1"]);
    check("x : LINT := 9223372036854775807;", "x := x * x; x := x + 1;", &["x * x"]);
    check("x : ULINT := 18446744073709551615;", "x := x * x;", &["x * x"]);
    check("x : ULINT := 18446744073709551615;", "x := x - 1; x := x + 1; x := x + 1;", &["x + 1"]);
    check("x : USINT; y : USINT := 1;", "x := x - y; y := y + x;", &["x - y", "y + x"]);
    // Shared memory: some of these variables have none of their own.
    let shared = "bit AT %MX0.3 : BOOL; low AT %MB0 : USINT; whole AT %MW0 : UINT := 16#FFFF; twice AT %MW0 : UINT;";
    check(shared, "whole := whole + whole;", &["whole + whole"]);
    check(shared, "low := 255; low := low + low; low := low + 1;", &["low + low"]);
    check(shared, "bit := FALSE; twice := 1; twice := 0 - twice; whole := twice + 0;", &["0 - twice"]);
    check("x : UINT := 3;", "IF x - 5 > 0 THEN x := 0; END_IF;", &["x - 5"]);
    check("x : INT (0..10) := 10;", "x := x + 1;", &[]);
    check("t : TIME := T#24d20h31m23s647ms;", "t := t + T#1ms;", &["t + T#1ms"]);
    check("t : TIME;", "t := t - T#1ms;", &[]);
    // Operations that may wrap, and operations without arithmetic.
    check("x : WORD := 16#FFFF;", "x := SHL(x, 3) OR NOT x;", &[]);
    check("x : INT := 32767;", "IF x > 0 AND_THEN x + 1 > 0 THEN x := 0; END_IF;", &["x + 1"]);
    check("x : INT := 32767;", "IF x < 0 AND_THEN x + 1 > 0 THEN x := 0; END_IF;", &[]);
    check("x : INT := 32767;", "IF x < 0 AND x + 1 > 0 THEN x := 0; END_IF;", &["x + 1"]);
    check("x : INT := 20000;", "x := Twice(x) + Twice(1);", &["v * 2"]);
    check("x : INT := 20000; i : INT;", "FOR i := 1 TO 3 DO x := x + 10000; END_FOR;", &["x + 10000"]);
    check("x : INT := 20000; f : ARRAY [0..3] OF INT;", "f[(x + x) MOD 1] := 1;", &["(x + x)"]);
    check(
        "x : INT := 32760; r : INT;",
        "WHILE x + a < 5 AND r < 9 DO x := x + 5; r := r + 1; END_WHILE; x := x + 8;",
        &["x + 8"],
    );
    // An assertion is no part of the program; a function that it calls is.
    check("x : INT := 32767;", "//#ASSERT x + 1 > 0 : same\nx := 0;", &[]);
    check("x : INT := 32767;", "//#ASSERT Twice(x) > 0 : same\nx := 0;", &["v * 2"]);
    // Blocks of the standard stay inside.
    check("t : TON; c : CTU;", "t(IN := on, PT := T#20d); c(CU := on, PV := a);", &[]);
    check("x : INT := 32767; y : INT;", "IF on THEN RETURN; END_IF; y := x + b; y := x + 1 + y / b;", &["x + 1"]);
}

#[test]
fn conversions_that_do_not_fit_lose() {
    let check = |vars: &str, body: &str, expected: &[&str]| {
        assert_eq!(anomalies(AnomalyKind::ConversionLoss, vars, body), expected, "{vars} {body}");
    };
    check("x : INT := 127; y : SINT;", "y := INT_TO_SINT(x); y := INT_TO_SINT(x + 1);", &["INT_TO_SINT(x + 1)"]);
    check("x : INT := -1; y : UINT;", "y := INT_TO_UINT(x);", &["INT_TO_UINT(x)"]);
    check("x : UINT := 40000; y : INT; z : DINT;", "z := x; y := UINT_TO_INT(x);", &["UINT_TO_INT(x)"]);
    // Bits are kept, or cut off.
    check("x : INT := -1; y : WORD; z : DWORD;", "y := INT_TO_WORD(x); z := INT_TO_DWORD(x); x := WORD_TO_INT(y);", &[]);
    check("x : INT := -1; z : BYTE;", "z := INT_TO_BYTE(x);", &["INT_TO_BYTE(x)"]);
    check("x : INT := -128; z : BYTE;", "z := INT_TO_BYTE(x);", &["INT_TO_BYTE(x)"]);
    check("x : INT := 255; z : BYTE;", "z := INT_TO_BYTE(x);", &[]);
    check("x : LINT := -1; z : DWORD;", "z := LINT_TO_DWORD(x);", &["LINT_TO_DWORD(x)"]);
    check("x : WORD := 16#80; y : SINT;", "y := WORD_TO_SINT(x);", &[]);
    check("x : INT := 256; z : BYTE;", "z := INT_TO_BYTE(x);", &["INT_TO_BYTE(x)"]);
    check(
        "x : DWORD := 16#1_0000; z : WORD; y : INT;",
        "z := DWORD_TO_WORD(x); y := DWORD_TO_INT(x - x);".replace(" - x", " XOR x").as_str(),
        &["DWORD_TO_WORD(x)"],
    );
    // Digits of an integer that REAL keeps.
    check("x : DINT := 16777217; r : REAL;", "r := DINT_TO_REAL(x); r := DINT_TO_REAL(x + 1);", &["DINT_TO_REAL(x)"]);
    check("x : DINT := -16777217; r : REAL; l : LREAL;", "r := DINT_TO_REAL(x); l := x;", &["DINT_TO_REAL(x)"]);
    check("x : DINT := -2147483648; r : REAL;", "r := DINT_TO_REAL(x) + INT_TO_REAL(a);", &[]);
    check("x : LINT := 9007199254740993; r : LREAL;", "r := LINT_TO_LREAL(x - 1) + LINT_TO_LREAL(x);", &["LINT_TO_LREAL(x)"]);
    check("x : ULINT := 18446744073709551615; r : REAL;", "r := ULINT_TO_REAL(x);", &["ULINT_TO_REAL(x)"]);
    check("x : LREAL := 1.0E300; r : REAL;", "r := LREAL_TO_REAL(x); x := 0.1; r := LREAL_TO_REAL(x);", &["LREAL_TO_REAL(x)"]);
    check("x : LREAL := 1.0E300; r : REAL;", "x := x * x; r := LREAL_TO_REAL(x); x := x - x; r := LREAL_TO_REAL(x);", &[]);
    // Others.
    check("x : INT := 2; o : BOOL;", "o := INT_TO_BOOL(x); x := BOOL_TO_INT(o);", &[]);
    check("t : TIME := T#40s; x : INT; y : DINT;", "y := TIME_TO_DINT(t); x := TIME_TO_INT(t);", &["TIME_TO_INT(t)"]);
    check(
        "t : LTIME := LTIME#1us; s : TIME;",
        "s := LTIME_TO_TIME(t); t := s; t := LTIME#30d; s := LTIME_TO_TIME(t);",
        &["LTIME_TO_TIME(t)"],
    );
    check("x : REAL := 0.4; y : INT;", "y := REAL_TO_INT(x); y := TRUNC(x);", &[]);
}

#[test]
fn what_is_assigned_to_a_subrange_is_in_it() {
    let check = |vars: &str, body: &str, expected: &[&str]| {
        assert_eq!(anomalies(AnomalyKind::Subrange, vars, body), expected, "{vars} {body}");
    };
    check("x : INT (0..10) := 10;", "x := x + 1;", &["x + 1"]);
    check("x : INT (0..10) := 10;", "x := x - 11;", &["x - 11"]);
    check("x : INT (0..10); y : INT := 10;", "x := y; y := x; x := MIN(y, 3);", &[]);
    check("x : UINT (5..65535) := 5;", "x := x - 1; x := x - 5;", &["x - 1"]);
    check("x : INT (0..10); y : INT (0..20) := 11;", "x := y;", &["y"]);
    check("x : DINT (0..10); y : INT := 11;", "x := y;", &["y"]);
    check("x : ARRAY [0..3] OF INT (0..10); y : INT := -1;", "x[2] := y;", &["y"]);
    check("x : INT (0..10);", "FOR x := 0 TO 10 DO ; END_FOR;", &[]);
}
