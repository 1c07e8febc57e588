//! Texts that are written again: the same program, the same text the second time, the comments at their places.

use crate::format::format;
use crate::text::source::SourceSet;
use crate::{LoadOptions, load};

/// The text of a file, written again.
#[track_caller]
fn written(name: &str, text: &str) -> String {
    let mut sources = SourceSet::default();
    sources.add(name, text);
    let options = LoadOptions::default();
    let parsed = load(&sources, &options);
    assert!(!parsed.has_errors(), "{text}\n{:#?}", parsed.diagnostics);
    match format(&sources, &options, &parsed.value) {
        Ok(formatted) => formatted.text,
        Err(obstacle) => panic!("{text}\n{obstacle:?}"),
    }
}

/// Once, and a second time without a change.
#[track_caller]
fn check(text: &str) -> String {
    let first = written("a.st", text);
    let second = written("b.st", &first);
    assert_eq!(first, second, "{text}");
    first
}

#[track_caller]
fn unchanged(text: &str) {
    assert_eq!(check(text), text);
}

#[test]
fn every_form_has_a_text() {
    unchanged(
        "TYPE
    Colour : (Red, Green := 5, Blue) INT;
    Percent : INT (0..100) := 50;
    Row : ARRAY [1..3, -1..0] OF Percent;
    Point : STRUCT
        x : INT := 16#04;
        c : Colour := Colour#Blue;
    END_STRUCT;
    Wide EXTENDS Point : STRUCT
        s : STRING[8] := 'it$'s';
        w : WSTRING[4] := \"ab\";
    END_STRUCT;
END_TYPE

VAR_GLOBAL CONSTANT
    N : INT := 7;
    day : DATE := D#2024-02-29;
    noon : TIME_OF_DAY := TOD#12:00:00;
    stamp : DATE_AND_TIME := DT#2024-02-29-12:00:00;
END_VAR

VAR_GLOBAL RETAIN
    b AT %MX1.3 : BOOL;
    AT %IX1.1 : BOOL;
END_VAR

INTERFACE ICount
    METHOD Next : INT
    VAR_INPUT
        much : INT;
    END_VAR
    END_METHOD
    PROPERTY Value : INT
        GET
        END_GET
    END_PROPERTY
END_INTERFACE

FUNCTION_BLOCK ABSTRACT Base IMPLEMENTS ICount
VAR PROTECTED
    n : INT;
END_VAR
    METHOD PUBLIC Next : INT
    VAR_INPUT
        much : INT;
    END_VAR
        n := n + much;
        Next := n;
    END_METHOD
    PROPERTY PUBLIC Value : INT
        GET
            Value := n;
        END_GET
        SET
            n := Value;
        END_SET
    END_PROPERTY
END_FUNCTION_BLOCK

FUNCTION_BLOCK FINAL Heir EXTENDS Base
VAR_STAT
    calls : INT;
END_VAR
    METHOD PUBLIC OVERRIDE Next : INT
    VAR_INPUT
        much : INT;
    END_VAR
        Next := SUPER^.Next(much := 2 * much) + THIS^.n;
    END_METHOD
    ACTION Reset:
        n := 0;
    END_ACTION
    calls := calls + 1;
END_FUNCTION_BLOCK

FUNCTION Twice : INT
VAR_INPUT
    x : INT;
END_VAR
    Twice := 2 * x;
END_FUNCTION

PROGRAM Main
VAR_INPUT
    go : BOOL;
    x : INT;
END_VAR
VAR
    h : Heir;
    r : REFERENCE TO INT REF= x2;
    p : POINTER TO INT;
    i : ICount;
    t : TON := (PT := T#1s500ms);
    x2 : INT;
    a : ARRAY [0..3] OF INT := [1, 2(7), 9];
    w : WORD;
    y : REAL := 1.5e3;
END_VAR
    p := ADR(x2);
    i := h;
    x2 := i.Next(much := x) + p^ + r;
    h.Reset();
    h.Value := x2;
    t(IN := go, Q => w.3);
    a[x MOD 4] := Twice(x := (x + 1) * 2);
    w.%B1 := BYTE#16#0F;
    y := y ** 2.0 + (y - 1.0) / -2.0;
    IF go AND NOT (x > 3 OR x < -5) THEN
        //#ASSERT x2 > 0 : positive
        x2 := 1;
    ELSIF go XOR b THEN
        ;
    ELSE
        RETURN;
    END_IF;
    CASE x OF
        0:
            ;
        1, 3..5:
            x2 := 0;
        N:
            x2 := 1;
    ELSE
        x2 := 2;
    END_CASE;
    FOR x2 := 0 TO 3 BY 1 DO
        EXIT;
    END_FOR;
    WHILE x2 > 9 DO
        x2 := x2 - 1;
    END_WHILE;
    REPEAT
        x2 := x2 + 1;
    UNTIL x2 > 3
    END_REPEAT;
    IF b THEN
        GOTO out;
    END_IF;
    x2 := 7;
    out:
END_PROGRAM

CONFIGURATION Plc
    VAR_GLOBAL
        speed : INT;
    END_VAR
    RESOURCE Cpu ON PLC
        TASK Fast (INTERVAL := T#10ms, PRIORITY := 1);
        PROGRAM One WITH Fast : Main;
    END_RESOURCE
END_CONFIGURATION
",
    );
}

#[test]
fn charts_are_written_as_charts() {
    unchanged(
        "PROGRAM Main
VAR_INPUT
    go : BOOL;
END_VAR
VAR_OUTPUT
    lamp : BOOL;
    n : INT;
END_VAR
    ACTION Count:
        n := n + 1;
    END_ACTION
    INITIAL_STEP Idle:
    END_STEP
    STEP Busy:
        lamp(N);
        Count(D, T#1s);
    END_STEP
    TRANSITION start (PRIORITY := 1) FROM Idle TO Busy := go AND n < 3;
    END_TRANSITION
    TRANSITION FROM Busy TO Idle := NOT go;
    END_TRANSITION
END_PROGRAM
",
    );
}

#[test]
fn comments_and_pragmas_stay_beside_what_they_stood_beside() {
    unchanged(
        "// A header.
(* of two
   comments *)
{attribute 'hide'}
PROGRAM Main // main
VAR
    // before
    a : INT; (* behind *)
END_VAR
    a := 1; // one
    // two
    IF a > 1 THEN
        // inside
        a := 2;
        // last
    END_IF;
    // end
END_PROGRAM

// after
",
    );
    let text = "PROGRAM p VAR a:INT;b:BOOL;END_VAR a:=(* x *)1+// y\n2 (* z *);IF b // c\nTHEN (* d *) a:=2;END_IF;END_PROGRAM";
    let text = check(text);
    for comment in ["(* x *)", "// y", "(* z *)", "// c", "(* d *)"] {
        assert_eq!(text.matches(comment).count(), 1, "{comment}\n{text}");
    }
}

#[test]
fn empty_statements_stay_only_where_nothing_else_stands() {
    let text = check(
        "FUNCTION_BLOCK f VAR a : INT; END_VAR ACTION b: ; END_ACTION ;; a := 1;; IF a > 1 THEN ;; END_IF; END_FUNCTION_BLOCK",
    );
    assert_eq!(text.matches("\n            ;\n").count() + text.matches("\n        ;\n").count(), 1, "{text}");
}

#[test]
fn other_languages_become_text_that_loads() {
    let list =
        "PROGRAM Main\nVAR a, b, q, r : BOOL; END_VAR\nLD a\nAND b\nST q\nST r\nJMPC l\nLD b\nST a\nl:\nLD q\nST b\nEND_PROGRAM";
    let text = written("a.il", list);
    assert_eq!(written("b.st", &text), text);
    let scl = "FUNCTION_BLOCK \"My Block\"\nVAR_INPUT x : Int; END_VAR\nVAR t : TON_TIME; n : Int; END_VAR\nBEGIN\n#t(IN := #x > 3, PT := T#1s);\n#n += 1;\nEND_FUNCTION_BLOCK";
    let text = written("a.scl", scl);
    assert_eq!(written("b.st", &text), text);
}

#[test]
fn what_no_text_can_say_is_said() {
    let check = |name: &str, text: &str, words: &str| {
        let mut sources = SourceSet::default();
        sources.add(name, text);
        let options = LoadOptions::default();
        let parsed = load(&sources, &options);
        let obstacle = format(&sources, &options, &parsed.value).map(|f| f.text).unwrap_err();
        assert!(obstacle.what.contains(words), "{obstacle:?}");
    };
    let list = "<TcPlcObject><GVL Name='Own'><Declaration><![CDATA[{attribute 'qualified_only'}\nVAR_GLOBAL a : INT; END_VAR]]></Declaration></GVL></TcPlcObject>";
    check("Own.TcGVL", list, "a named list of global variables");
}
