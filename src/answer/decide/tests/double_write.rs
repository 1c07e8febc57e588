//! Double writes, and writes that their monitor cannot see.

use super::*;

#[test]
fn outputs_that_are_written_out_of_sight_are_not_said_to_be_written_once() {
    use VerdictWord::{Holds, NotChecked, Violated};
    let mut wrong = Vec::new();
    let mut check = |vars: &str, body: &str, expected: VerdictWord, words: &str| {
        let program = format!(
            "TYPE S : STRUCT f : BOOL; n : INT; END_STRUCT; END_TYPE
            FUNCTION_BLOCK Through
            VAR_INPUT i : BOOL; END_VAR
            VAR_IN_OUT o : BOOL; END_VAR
            o := i;
            END_FUNCTION_BLOCK
            FUNCTION_BLOCK Outside
            VAR_INPUT i : BOOL; END_VAR
            VAR_EXTERNAL g : BOOL; END_VAR
            g := i;
            END_FUNCTION_BLOCK
            FUNCTION_BLOCK Out
            VAR_INPUT i : BOOL; END_VAR
            VAR_OUTPUT o : BOOL; END_VAR
            o := i;
            END_FUNCTION_BLOCK
            FUNCTION Give : BOOL
            VAR_INPUT i : BOOL; END_VAR
            VAR_IN_OUT o : BOOL; END_VAR
            Give := i;
            o := i;
            END_FUNCTION
            PROGRAM P
            VAR_INPUT a, b : BOOL; n : INT; END_VAR
            {vars}
            {body}
            END_PROGRAM
            CONFIGURATION C
            VAR_GLOBAL g AT %Q9.0 : BOOL; END_VAR
            RESOURCE R ON CPU
            TASK T(INTERVAL := T#10ms, PRIORITY := 1);
            PROGRAM I WITH T : P;
            END_RESOURCE
            END_CONFIGURATION"
        );
        let decision = decide_nth(&Stated::new(&program, "checks: [double_write]"), 0, None);
        let reason = decision.reason.unwrap_or_default();
        let certified = decision.certified.is_some() || decision.stored.is_some();
        if decision.word != expected || !reason.contains(words) || certified == (expected == NotChecked) {
            wrong.push(format!("{vars} {body}: {:?}, {reason}", decision.word));
        }
    };
    // Shared memory.
    let shared = "through memory that variables share";
    check("VAR q AT %Q0.1 : BOOL; p AT %Q0.1 : BOOL; END_VAR", "q := a; p := b;", NotChecked, shared);
    check("VAR q AT %Q0.1 : BOOL; p AT %QB0 : BYTE; END_VAR", "q := a; p.1 := b;", NotChecked, shared);
    // A variable without a statement writes nothing.
    check("VAR q AT %Q0.1 : BOOL; p AT %QB0 : BYTE; END_VAR", "q := a;", Holds, "");
    check("VAR q AT %Q0.1 : BOOL; p AT %QB0 : BYTE; END_VAR", "q := a; q := b;", Violated, "");
    // Jumps: only backward ones repeat statements.
    let outputs = "VAR_OUTPUT q, r : BOOL; END_VAR";
    check(outputs, "IF n > 3 THEN GOTO past; END_IF; q := a; past: r := b;", Holds, "");
    check(outputs, "IF n > 3 THEN GOTO past; END_IF; q := a; past: q := b;", Violated, "");
    check(outputs, "again: q := a AND n > 3; IF n > 3 THEN GOTO again; END_IF; r := b;", NotChecked, "several times");
    // One statement twice.
    let twice = "several times";
    let two = "VAR x, y : Through; END_VAR VAR_OUTPUT q, r : BOOL; END_VAR";
    check(two, "x(i := a, o := q); y(i := b, o := q);", NotChecked, twice);
    check(two, "x(i := a, o := q); q := b;", Violated, "");
    check(two, "x(i := a, o := q); r := b;", Holds, "");
    check(two, "IF Give(a, q) AND Give(b, q) THEN r := TRUE; END_IF;", NotChecked, twice);
    check("VAR x, y : Outside; END_VAR", "x(i := a); y(i := b);", NotChecked, "`g` is written by one statement");
    check("VAR x : Outside; END_VAR VAR_EXTERNAL g : BOOL; END_VAR", "x(i := a); x(i := b);", NotChecked, twice);
    check("VAR x : Outside; END_VAR VAR_EXTERNAL g : BOOL; END_VAR", "x(i := a); g := b;", Violated, "");
    check("VAR k : INT; END_VAR VAR_OUTPUT q : BOOL; END_VAR", "FOR k := 0 TO 3 DO q := n > k; END_FOR;", NotChecked, twice);
    // Parts and wholes.
    check("VAR_OUTPUT q : BYTE; END_VAR", "q.0 := a; q.0 := b;", NotChecked, "`q` is written bit by bit");
    check("VAR_OUTPUT s : S; END_VAR VAR t : S; END_VAR", "s.f := a; t.f := b; s := t;", NotChecked, "`s` is written as a part");
    check("VAR_OUTPUT s : S; END_VAR VAR t : S; END_VAR", "s.f := a; s.f := b;", Violated, "");
    check("VAR_OUTPUT q : ARRAY [0..3] OF BOOL; END_VAR", "q[0] := a; q[0] := b;", NotChecked, "`q` is written through an index");
    check(
        "VAR_OUTPUT q : ARRAY [0..3] OF BOOL; END_VAR VAR x : Through; END_VAR",
        "x(i := a, o := q[n]);",
        NotChecked,
        "VAR_IN_OUT",
    );
    // Outputs of calls.
    check(
        "VAR_OUTPUT q : BOOL; END_VAR VAR t : Out; END_VAR",
        "t(i := a, o => q); q := b;",
        NotChecked,
        "an output of a call (line ",
    );
    check("VAR_OUTPUT q, r : BOOL; END_VAR VAR t : Out; END_VAR", "t(i := a, o => q); r := b;", Holds, "");
    check("VAR_OUTPUT q, r : BOOL; END_VAR VAR t : Out; END_VAR", "t(i := a, o => q); r := a; r := b;", Violated, "");
    // Only outputs have terminals.
    check(
        "VAR q : BYTE; p : ARRAY [0..3] OF BOOL; END_VAR VAR_OUTPUT r : BOOL; END_VAR",
        "q.0 := a; q.0 := b; p[0] := a; r := b;",
        Holds,
        "",
    );
    assert_eq!(wrong, Vec::<String>::new());
}
