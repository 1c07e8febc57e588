//! Conditions about indices in code beside the run, as tables.

use super::beside_tests::{MAIN, check, conditions};

/// Nothing checks the indices of code that runs elsewhere.
#[test]
fn indices_beside_an_array() {
    let check = |body: &str, expected: &[&str]| {
        let other = format!(
            "PROGRAM Other\nVAR a : ARRAY [0..3] OF INT; i, k : INT; u : USINT; b : ARRAY [0..255] OF INT; c : ARRAY [200..255] OF INT; t : ARRAY [0..3] OF TON; \
             END_VAR\n{body}\nEND_PROGRAM\n"
        );
        check(&other, Some("Main"), expected);
    };
    check("i := i + 1; a[i] := 5;", &["*Other"]);
    check("a[3] := 5; k := a[i];", &[]);
    check("FOR i := 0 TO 3 DO a[i] := 5; END_FOR", &[]);
    check("FOR i := 3 TO 0 BY -1 DO a[i] := 5; END_FOR", &[]);
    check("FOR i := 0 TO 4 DO a[i] := 5; END_FOR", &["*Other"]);
    check("FOR u := 0 TO 254 DO b[u] := 5; END_FOR", &[]);
    check("FOR u := 200 TO 255 DO c[u] := 5; END_FOR", &["*Other"]);
    check("FOR i := 0 TO k DO a[i] := 5; END_FOR", &["*Other"]);
    check("FOR i := 0 TO 3 DO a[i] := 5; i := i + k; END_FOR", &["*Other"]);
    check("FOR i := 0 TO 3 DO a[i] := 5; END_FOR a[i] := 5;", &["*Other"]);
    check("IF 0 <= i AND i < 4 THEN a[i] := 5; END_IF", &[]);
    check("IF i < 4 THEN a[i] := 5; END_IF", &["*Other"]);
    check("IF i < 0 OR i > 3 THEN RETURN; END_IF a[i] := 5;", &[]);
    check("IF i < 0 OR i > 3 THEN i := 0; END_IF a[i] := 5;", &[]);
    check("IF i < 0 OR i > 3 THEN i := 0; END_IF i := i + 1; a[i] := 5;", &["*Other"]);
    check("a[LIMIT(0, i, 3)] := 5; a[MAX(0, MIN(i, 3))] := 5; b[u] := 1;", &[]);
    check("WHILE 0 <= i AND i <= 3 DO a[i] := 5; i := i + 1; END_WHILE", &[]);
    check("WHILE 0 <= i AND i <= 3 DO i := i + 1; a[i] := 5; END_WHILE", &["*Other"]);
    check("CASE i OF 0..2: a[i] := 5; a[i + 1] := 6; END_CASE", &[]);
    check("t[i](IN := TRUE);", &["*Other"]);
}

/// The value that keeps an index inside may change in between.
#[test]
fn indices_that_other_code_changes() {
    let check = |text: &str, expected: &[&str]| check(text, Some("Main"), expected);
    let other =
        "PROGRAM Other\nVAR a : ARRAY [0..3] OF INT; i : INT; END_VAR\nIF 0 <= i AND i < 4 THEN a[i] := 5; END_IF\nEND_PROGRAM\n";
    check(other, &[]);
    check(&format!("{other}PROGRAM Third\nOther.i := 7;\nEND_PROGRAM\n"), &["*Other"]);
    let block = |call: &str| {
        format!(
            "FUNCTION_BLOCK B\nVAR a : ARRAY [0..3] OF INT; i : INT; END_VAR\nFOR i := 0 TO 3 DO {call} a[i] := 5; END_FOR\nMETHOD M\n\
             i := 7;\nEND_METHOD\nEND_FUNCTION_BLOCK\nVAR_GLOBAL b : B; END_VAR\nPROGRAM Other\nb();\nEND_PROGRAM\n"
        )
    };
    check(&block("M();"), &["*B"]);
    // A call in the condition that keeps the index inside.
    let condition = |bump: &str| {
        format!(
            "FUNCTION Bump : BOOL\nVAR_IN_OUT n : INT; END_VAR\nn := n + 9;\nBump := TRUE;\nEND_FUNCTION\nPROGRAM Other\n\
             VAR a : ARRAY [0..3] OF INT; i, k : INT; END_VAR\nIF 0 <= i AND i <= 3 AND Bump(n := {bump}) THEN a[i] := 5; END_IF\nEND_PROGRAM\n"
        )
    };
    check(&condition("k"), &[]);
    check(&condition("i"), &["*Other"]);
    // An array of any length.
    let open = |body: &str| {
        format!(
            "FUNCTION F : BOOL\nVAR_IN_OUT a : ARRAY [*] OF INT; END_VAR\nVAR_INPUT n : INT; END_VAR\nVAR i : DINT; END_VAR\n{body}\n\
             END_FUNCTION\nPROGRAM Other\nVAR x : ARRAY [0..3] OF INT; k : INT; END_VAR\nF(a := x, n := k);\nEND_PROGRAM\n"
        )
    };
    assert!(!conditions(&[("main.st", &format!("{MAIN}{}", open("a[n] := 5;")))], Some("Main")).is_empty());
    check(&open("FOR i := LOWER_BOUND(a, 1) TO UPPER_BOUND(a, 1) DO a[i] := 5; END_FOR"), &[]);
}

/// Text that is left out, and statements that are not modelled.
#[test]
fn indices_in_what_is_not_understood() {
    let check = |body: &str, expected: &[&str]| {
        let other = format!(
            "PROGRAM Other\nVAR CONSTANT LAST : INT := 2; END_VAR\nVAR a : ARRAY [0..3] OF INT; i : INT; END_VAR\n{body}\nEND_PROGRAM\n"
        );
        check(&other, Some("Main"), expected);
    };
    check("a[i] := missing;", &["*Other"]);
    check("a[LAST] := missing; i := missing + a[i];", &[]);
    check("a[i] := ;", &["*Other"]);
    check("a[2] := ;", &[]);
}

/// A CONSTANT has one value.
#[test]
fn constants_as_bounds() {
    let check = |body: &str, expected: &[&str]| {
        let other = format!(
            "VAR_GLOBAL CONSTANT GN : INT := 3; END_VAR\nVAR_GLOBAL gv : INT := 3; END_VAR\nPROGRAM Other\nVAR CONSTANT N : INT := 3; END_VAR\n\
             VAR a : ARRAY [0..GN] OF INT; i : INT; END_VAR\n{body}\nEND_PROGRAM\n"
        );
        check(&other, Some("Main"), expected);
    };
    check("FOR i := 0 TO N DO a[i] := 5; END_FOR", &[]);
    check("FOR i := 0 TO GN DO a[i] := 5; END_FOR", &[]);
    check("FOR i := 0 TO GN + 1 DO a[i] := 5; END_FOR", &["*Other"]);
    check("FOR i := 0 TO gv DO a[i] := 5; END_FOR", &["*Other"]);
    check("IF 0 <= i AND i <= N THEN a[i] := 5; END_IF", &[]);
    check("a[N] := 1; a[GN - 1] := 2;", &[]);
}

/// A function may write behind a string that is shorter than its VAR_IN_OUT.
#[test]
fn strings_of_another_length() {
    let check = |ty: &str, expected: &[&str]| {
        let text = format!(
            "FUNCTION F : BOOL\nVAR_IN_OUT s : STRING; END_VAR\ns := 'a text'; F := TRUE;\nEND_FUNCTION\nPROGRAM Other\n\
             VAR t : {ty}; b : BOOL; END_VAR\nb := F(s := t);\nEND_PROGRAM\n"
        );
        check(&text, Some("Main"), expected);
    };
    check("STRING", &[]);
    check("STRING(5)", &["*Other"]);
}
