//! Texts of the writer: the same program, stable when written again, comments at their places.

use crate::format::format;
use crate::text::SourceSet;
use crate::{LoadOptions, load};

/// Returns the text of a file, read and written.
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

/// Checks that the text of a file does not change when it is written a second time.
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
    unchanged(include_str!("tests/every_form.st"));
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
    let list = r"PROGRAM Main
VAR a, b, q, r : BOOL; END_VAR
LD a
AND b
ST q
ST r
JMPC l
LD b
ST a
l:
LD q
ST b
END_PROGRAM";
    let text = written("a.il", list);
    assert_eq!(written("b.st", &text), text);
    let scl = r#"FUNCTION_BLOCK "My Block"
VAR_INPUT x : Int; END_VAR
VAR t : TON_TIME; n : Int; END_VAR
BEGIN
#t(IN := #x > 3, PT := T#1s);
#n += 1;
END_FUNCTION_BLOCK"#;
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
