//! Statements and places.

use super::show::{check_hir, check_hir_with};
use crate::resolve::testing::{check, check_body, loaded, summary};

const VARS: &str = "VAR
 b : BOOL; i, j : INT; di : DINT; u : UINT; w : WORD; r : REAL; e : (Red, Green, Blue); p : INT (0..9);
 a : ARRAY [0..3] OF INT; m : ARRAY [1..2, -1..1] OF BOOL; s : STRUCT x : INT; y : ARRAY [1..2] OF STRUCT z : BOOL; END_STRUCT; END_STRUCT;
END_VAR
VAR CONSTANT
 C : INT := 3; D : DINT := 70000;
END_VAR";

#[test]
fn statements_keep_their_shape() {
    let check = |body: &str, expected: &str| check_hir(VARS, body, expected);
    check("IF b THEN i := 1; ELSIF i > 2 THEN ; ELSE RETURN; END_IF;", "IF b {i := 1:INT} ELSIF (i > 2:INT) {} ELSE {RETURN}");
    check(
        "CASE i OF 1: i := 2; 2, 4..6, C: ; ELSE EXIT_ := 1; END_CASE;".replace("EXIT_", "i").as_str(),
        "CASE i OF 1..1: {i := 2:INT} 2..2,4..6,3..3: {} ELSE {i := 1:INT}",
    );
    check("CASE e OF Red, Blue: ; Green: ; END_CASE;", "CASE e OF 0..0,2..2: {} 1..1: {} ELSE {}");
    check("CASE w OF 16#FF: ; END_CASE; CASE p OF 1: ; END_CASE;", "CASE w OF 255..255: {} ELSE {}; CASE p OF 1..1: {} ELSE {}");
    check("FOR i := 1 TO 10 BY 2 DO EXIT; END_FOR;", "FOR i := 1:INT TO 10:INT BY 2:INT {EXIT}");
    check("FOR di := i TO D DO CONTINUE; END_FOR;", "FOR di := widen[DINT](i) TO D {CONTINUE}");
    check("FOR i := 10 TO 0 BY -1 DO ; END_FOR;", "FOR i := 10:INT TO 0:INT BY -1:INT {}");
    check("WHILE i < 3 DO i := i + 1; END_WHILE;", "WHILE (i < 3:INT) {i := (i + 1:INT)}");
    check("REPEAT i := i - 1; UNTIL b END_REPEAT;", "REPEAT {i := (i - 1:INT)} b");
    check(
        "//#ASSERT i > 1 --> b : safe\n//#ASSERT b\nRETURN;",
        "ASSERT safe: (NOT (i > 1:INT) OR b); ASSERT assert-2: b; RETURN",
    );
}

#[test]
fn places_are_found() {
    let check = |body: &str, expected: &str| check_hir(VARS, body, expected);
    check("a[i + 1] := a[C];", "a[(i + 1:INT)] := a[C]");
    check("m[1, -1] := m[i, j];", "m[1:INT, -1:INT] := m[i, j]");
    check("s.x := i; b := s.y[di].z;", "s.x := i; b := s.y[di].z");
    check("w.3 := b; b := w.%X15; b := i.0;", "w.3+1 := b; b := w.15+1; b := i.0+1");
    check("s.y[1].z := w.%B1 = 16#FF;", "s.y[1:INT].z := (w.8+8 = 255:BYTE)");
    check("I := J; S.X := A[0];", "i := j; s.x := a[0:INT]");
}

#[test]
fn wrong_statements_are_refused() {
    let check = |body: &str, expected: &str| check_body(VARS, body, expected);
    for (body, expected) in [
        ("IF i THEN ; END_IF;", "P3001@1:4"),
        ("WHILE 1.5 DO ; END_WHILE;", "P3001@1:7"),
        ("CASE r OF 1: ; END_CASE;", "P3004@1:6"),
        ("CASE b OF TRUE: ; END_CASE;", "P3004@1:6"),
        ("CASE i OF 40000: ; END_CASE;", "P3003@1:11"),
        ("CASE i OF Red: ; END_CASE;", "P3001@1:11"),
        ("CASE i OF j: ; END_CASE;", "P3006@1:11"),
        ("CASE i OF 5..1: ; END_CASE;", "P3008@1:11"),
        ("CASE e OF 1: ; END_CASE;", "P3005@1:11"),
        ("FOR r := 1 TO 2 DO ; END_FOR;", "P3004@1:5"),
        ("FOR a[i] := 1 TO 2 DO ; END_FOR;", "P3013@1:5"),
        ("FOR i := 1 TO 40000 DO ; END_FOR;", "P3003@1:15"),
        ("FOR i := 1 TO 2 BY 0 DO ; END_FOR;", "P4009@1:20"),
        ("FOR u := 9 TO 1 BY -1 DO ; END_FOR;", "P3003@1:20"),
        ("a[b] := 1;", "P3009@1:3"),
        ("a[1, 2] := 1;", "P3009@1:2"),
        ("m[1] := b;", "P3009@1:2"),
        ("i[1] := 1;", "P3009@1:2"),
        ("i.x := 1;", "P2004@1:3"),
        ("s.q := 1;", "P2004@1:3"),
        ("w.16 := b;", "P3010@1:3"),
        ("b := r.1;", "P3010@1:8"),
        ("a[w] := 1;", "P3009@1:3"),
    ] {
        check(body, expected);
    }
}

#[test]
fn names_are_looked_up_from_the_inside_out() {
    let before = "VAR_GLOBAL\n g : INT; both : INT; k : INT;\nEND_VAR\nVAR_GLOBAL CONSTANT\n N : INT := 3;\nEND_VAR";
    let vars = "VAR\n both : DINT; a : ARRAY [1..N] OF INT;\nEND_VAR\nVAR_EXTERNAL\n k : INT;\nEND_VAR";
    check_hir_with(
        before,
        vars,
        "g := 1; both := 70000; k := N; a[N] := 0;",
        "@g := 1:INT; both := 70000:DINT; @k := @N; a[@N] := 0:INT",
    );
    check(
        &format!("{before}\nPROGRAM Main\nVAR_EXTERNAL\n g : DINT; h : INT;\nEND_VAR\nh := 1;\nEND_PROGRAM"),
        "P3016@9:6 P2011@9:12",
    );
    check(
        r"PROGRAM A
VAR
 x : INT;
END_VAR
END_PROGRAM
PROGRAM B
VAR
 y : INT;
END_VAR
y := x;
END_PROGRAM",
        "P2001@10:6",
    );
    check("PROGRAM Main\nVAR\n Level : INT;\nEND_VAR\nLevle := 1;\nMain := 2;\nEND_PROGRAM", "P2001@5:1 P3001@6:9");
}

#[test]
fn jumps_find_their_labels() {
    let shape = |body: &str, expected: &str| check_hir(VARS, body, expected);
    shape("GOTO x; i := 1; x: i := 2;", "GOTO label_0; i := 1:INT; label_0:; i := 2:INT");
    shape("IF b THEN GOTO X; y: ; END_IF; x: ;", "IF b {GOTO label_0; label_1:} ELSE {}; label_0:");
    let check = |body: &str, expected: &str| check_body(VARS, body, expected);
    check("GOTO nowhere;", "P4020@1:6");
    check("IF b THEN x: ; END_IF; GOTO x;", "P4020@1:29");
    check("IF b THEN x: ; ELSE GOTO x; END_IF;", "P4020@1:26");
    check("x: ; IF b THEN x: ; END_IF;", "P4002@1:16");
    check("x: ; x: ; GOTO x;", "P4002@1:6");
    check("i: i := 1; GOTO i;", "");
}

#[test]
fn statements_outside_of_any_pou_are_a_program() {
    let read = |source: &str, pous: &[&str], expected: &str| {
        let loaded = loaded(source);
        let found = summary(&loaded.value.sources, &loaded.diagnostics, 1);
        assert_eq!(found, expected, "\n{source}\n{:#?}", loaded.diagnostics);
        let names: Vec<&str> = loaded.value.project.pous.iter().map(|pou| pou.name.as_str()).collect();
        assert_eq!(names, pous, "{source}");
    };
    read("VAR x : INT; END_VAR\nIF x < 3 THEN x := x + 1; END_IF;", &["Unnamed"], "P1022@2:1 warning");
    read("VAR_GLOBAL x : INT; END_VAR\nx := 1;", &["Unnamed"], "P1022@2:1 warning");
    read("VAR_INPUT x : INT; END_VAR VAR y : INT; END_VAR y := x;", &["Unnamed"], "P1022@1:49 warning");
    // A program beside it is a separate one, and sees none of its names.
    read("PROGRAM P VAR x : INT; END_VAR x := 1; END_PROGRAM\nx := 2;", &["P", "Unnamed"], "P1022@2:1 warning P2001@2:1");
    read(
        "VAR x : INT; END_VAR x := 1;\nPROGRAM P END_PROGRAM\nVAR x : INT; END_VAR x := 2;",
        &["Unnamed", "P", "Unnamed2"],
        "P1022@1:22 warning P1022@3:22 warning",
    );
    // Undeclared names stay errors, and so does an end without a program's header.
    read("y := 1;", &["Unnamed"], "P1022@1:1 warning P2001@1:1");
    read("VAR x : INT; END_VAR x := 1;\nEND_PROGRAM", &["Unnamed"], "P1022@1:22 warning P1015@2:1");
    read("PROGARM P\nVAR x : INT; END_VAR\nx := 1;\nEND_PROGRAM", &["Unnamed"], "P1022@1:1 P1022@3:1 warning P1015@4:1");
}

#[test]
fn a_value_that_nobody_takes_does_nothing() {
    let vars = "VAR i : INT; s : STRUCT x : INT; END_STRUCT; a : ARRAY [0..3] OF INT; t : TON; END_VAR";
    check_body(vars, "i; s.x; t.ET; i.0;", "P1033@1:1 warning P1033@1:4 warning P1033@1:9 warning P1033@1:15 warning");
    check_body(vars, "j;", "P1033@1:1 warning P2001@1:1");
    check_body(vars, "t;", "P1033@1:1 warning P2009@1:1");
    check_body(vars, "END;", "P1018@1:1");
    check_hir(vars, "i; s.x; t.ET; s; a;", "");
    // The computation of the value can fail.
    check_hir(vars, "a[i];", "_value := a[i]");
}

#[test]
fn a_property_that_nobody_takes_is_read_all_the_same() {
    let block = "FUNCTION_BLOCK F VAR n : INT; END_VAR METHOD m : INT n := 5; m := n; END_METHOD\n\
        PROPERTY p : INT GET n := n + 1; p := n; END_GET END_PROPERTY END_FUNCTION_BLOCK";
    check_hir_with(block, "VAR f : F; END_VAR", "f.p;", "_value := F.p(THIS <- f)");
}
