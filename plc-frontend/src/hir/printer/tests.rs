//! Tests: load(print(load(text))) equals load(text), on every sample and on the corners of the language.

use std::path::{Path, PathBuf};

use crate::hir::{Project, expr_to_st};
use crate::text::SourceSet;
use crate::{LoadOptions, condition, load};

fn loaded(text: &str) -> Project {
    let mut sources = SourceSet::default();
    sources.add("test.st", text);
    let parsed = load(&sources, &LoadOptions::default());
    let errors: Vec<_> = parsed.diagnostics.iter().filter(|d| d.severity == crate::text::Severity::Error).collect();
    assert!(errors.is_empty(), "{text}\n{errors:#?}");
    parsed.value.project
}

fn check(text: &str) {
    let first = loaded(text);
    let printed = first.to_st();
    let second = loaded(&printed);
    assert_eq!(first.erase_spans(), second.erase_spans(), "{text}\n=>\n{printed}");
}

/// Checks a program with these declarations and statements.
fn check_body(declarations: &str, body: &str) {
    let (before, vars) = declarations.split_once("---").unwrap_or(("", declarations));
    check(&format!("{before}\nPROGRAM Main\nVAR\n{vars}\nEND_VAR\n{body}\nEND_PROGRAM\n"));
}

fn samples(dir: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        // Files of projects are no programs of their own.
        if path.is_dir() && !path.ends_with("samples/projects") {
            samples(&path, found);
        } else if path.extension().is_some_and(|ext| ext == "st") {
            found.push(path);
        }
    }
}

#[test]
fn samples_print_to_what_they_were() {
    let mut found = Vec::new();
    samples(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../samples"), &mut found);
    assert!(found.len() >= 25, "{found:?}");
    for path in found {
        let text = std::fs::read_to_string(&path).unwrap();
        // Samples for another dialect are left out.
        let requirements = std::fs::read_to_string(path.with_extension("yaml")).unwrap_or_default();
        if !requirements.starts_with("dialect:") && loaded(&text).prints() {
            check(&text);
        }
    }
}

#[test]
fn operators_keep_their_tree() {
    let vars = "a : INT; b : INT; c : INT; d : DINT; p : BOOL; q : BOOL; r : BOOL; x : REAL; y : LREAL; w : WORD; t : TIME;";
    for body in [
        "a := a - b - c;",
        "a := a - (b - c);",
        "a := a - (b + c) * 2 MOD (a / b / c);",
        "a := -(-a) - -b;",
        "a := -5; a := - 5; a := -(INT#5); a := INT#-5;",
        "a := 2 + 3 * a;",
        "a := (2 + 3) * a;",
        "d := a + 100000;",
        "d := a + b;",
        "d := a + (b + d);",
        "d := 70000 + 1;",
        "p := p OR q AND r XOR p;",
        "p := (p OR q) AND (r XOR p);",
        "p := p AND_THEN (q OR_ELSE r) AND q;",
        "p := NOT (p AND q) = NOT r;",
        "p := a = b = p;",
        "p := (a < b) = (b < c) AND a <> 3;",
        "p := NOT NOT p;",
        "x := 1.5 * x + 2;",
        "x := -1.5; x := -(1.5) * x; x := x * -0.0;",
        "y := x + 0.1; y := 0.1 + x; x := x / 3;",
        "x := INT_TO_REAL(a) * 1.0e10; a := REAL_TO_INT(x); a := REAL_TRUNC_INT(x);",
        "w := w AND 16#FF OR SHL(w, 3); w := NOT w XOR WORD#1;",
        "w.3 := w.%B1 = 16#10; w.%X15 := TRUE; p := d.31;",
        "t := t + T#1s * 3 - T#500ms / a; t := -t; t := T#-5ms;",
        "a := MIN(a, 3, b); a := LIMIT(0, a + 1, 9); a := SEL(p, a, 2); a := MUX(a, 1, 2, b);",
        "d := MAX(a, d); x := SQRT(ABS(x)); x := x ** 2.0;",
        "x := SIN(x) + EXP(LN(x));",
        "p := w > 16#0F; p := t <= T#1h; p := d >= 3 * a;",
    ] {
        check_body(vars, body);
    }
}

#[test]
fn declarations_and_calls_keep_their_meaning() {
    check(
        "TYPE
            Colour : (Red, Green := 5, Blue);
            Wide : (Low := -3, High := 70000) DINT;
            Percent : INT (0..100) := 50;
            Row : ARRAY [1..3, -1..0] OF Percent;
            Point : STRUCT x : INT := 4; c : Colour := Blue; pos : Row; END_STRUCT;
            Alias : Point := (x := 9);
        END_TYPE
        VAR_GLOBAL CONSTANT N : INT := 3; END_VAR
        VAR_GLOBAL AT %IX1.1 : BOOL; END_VAR
        VAR_GLOBAL RETAIN
            p : Point := (c := Green, pos := [1, 2(7)]);
            b AT %MX1.3 : BOOL; lamp AT %QX0.0 : BOOL; level AT %IW4 : INT;
        END_VAR
        FUNCTION F : REAL VAR_INPUT a : REAL := 1.5; END_VAR VAR_IN_OUT p : Point; END_VAR VAR_OUTPUT o : INT; END_VAR
            F := a * 2; o := p.x; p.c := Red; END_FUNCTION
        FUNCTION_BLOCK B VAR_INPUT i : INT; END_VAR VAR_OUTPUT o : BOOL; END_VAR VAR t : TON := (PT := T#1s); END_VAR
            t(IN := i > 3, Q => o); END_FUNCTION_BLOCK
        PROGRAM Main
        VAR_INPUT in : Percent; END_VAR
        VAR RETAIN n : INT := 3; END_VAR
        VAR
            q : Alias; blocks : ARRAY [0..2] OF B := [(i := 2), 2((i := 3))]; mode : (Off, On); w : Wide := High;
            nan : REAL := 0.0; small : LREAL := 1.0e-300; mask : LWORD := 16#FFFF_FFFF_FFFF_FFFF; lt : LTIME := LTIME#1us;
            m : ARRAY [0..3] OF BOOL := [TRUE, 3(FALSE)]; i : INT; x : REAL;
        END_VAR
        VAR_TEMP s : INT := 5; END_VAR
            x := F(p := p, o => s); x := F(a := 2, p := q, o => q.x);
            F(p := q);
            FOR i := 0 TO N - 1 BY 1 DO blocks[i](i := i, o => m[i + 1]); END_FOR;
            FOR i := 2 TO 0 BY -1 DO IF m[i] THEN EXIT; ELSIF i = 1 THEN CONTINUE; ELSE RETURN; END_IF; END_FOR;
            CASE in OF 0: ; 1, 3..5: s := 1; ELSE s := 2; s := 3; END_CASE;
            CASE w OF Wide#Low: s := 1; High: s := 2; END_CASE;
            CASE mode OF Off: mode := On; On: mode := Off; END_CASE;
            //#ASSERT p.x > 3 --> lamp
            //#ASSERT NOT lamp : never_on
            WHILE s > 0 DO s := s - 1; END_WHILE;
            REPEAT s := s + 1; UNTIL s >= 3 END_REPEAT;
            p := q; q.pos[2, -1] := in; in := 5;
        END_PROGRAM",
    );
}

#[test]
fn conditions_print_to_what_they_were() {
    let mut sources = SourceSet::default();
    sources.add(
        "test.st",
        "VAR_GLOBAL g : INT; END_VAR
        PROGRAM Main VAR_INPUT a : INT; END_VAR VAR t : TON; m : ARRAY [0..2] OF BOOL; END_VAR t(IN := a > g, PT := T#1s); m[0] := t.Q; END_PROGRAM",
    );
    let mut program = load(&sources, &LoadOptions::default()).value;
    let mut check = |text: &str| {
        let first = condition(&mut program, "r", text);
        assert!(first.diagnostics.is_empty(), "{text}: {:#?}", first.diagnostics);
        let first = first.value.unwrap();
        let printed = expr_to_st(&program.project, &first);
        let second = condition(&mut program, "r", &printed).value.unwrap();
        assert_eq!(first.erase_spans(), second.erase_spans(), "{text} => {printed}");
        printed
    };
    assert_eq!(check("Main.a > 3 AND g <= INT#5"), "Main.a > 3 AND g <= 5");
    assert_eq!(check("Main.t.ET < T#500ms --> NOT Main.m[1]"), "NOT (Main.t.ET < T#500ms) OR NOT Main.m[1]");
    check("Main.m[0] = Main.t.Q");
}
