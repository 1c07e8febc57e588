//! Statements, calls and places: their effects and the order of these.

use super::{check, check_fault, cycle, project};
use crate::hir::{AssertId, FaultKind, Value};
use crate::interp::{BadInput, Limits, Machine, Recorder};
use crate::text::Span;
use std::collections::BTreeMap;

#[test]
fn for_loops() {
    let vars = "r : INT; i : INT; n : INT := 3; s : SINT;";
    check(vars, "FOR i := 1 TO 3 DO r := r + i; END_FOR;", 6);
    check(vars, "FOR i := 1 TO 3 DO r := r + 1; END_FOR; r := r * 10 + i;", 34);
    check(vars, "FOR i := 5 TO 1 DO r := 9; END_FOR; r := r * 10 + i;", 5);
    check(vars, "FOR i := 5 TO 0 BY -2 DO r := r * 10 + i; END_FOR; r := r * 10 - i;", 5311);
    // The end is evaluated once.
    check(vars, "FOR i := 1 TO n DO n := 10; r := r + 1; END_FOR;", 3);
    // The body may move the control variable indirectly.
    let pous = "VAR_GLOBAL g : INT; END_VAR FUNCTION Skip : INT g := g + 4; Skip := g; END_FUNCTION --- r : INT;";
    check(pous, "FOR g := 1 TO 10 DO Skip(); r := r + 1; END_FOR;", 2);
    check(vars, "FOR i := 1 TO 9 DO IF i = 4 THEN EXIT; END_IF; r := r + 1; END_FOR; r := r * 10 + i;", 34);
    check(vars, "FOR i := 1 TO 5 DO IF i = 4 THEN CONTINUE; END_IF; r := r + 1; END_FOR; r := r * 10 + i;", 46);
    check(vars, "FOR i := 1 TO 5 DO IF i = 4 THEN RETURN; END_IF; r := r + 1; END_FOR;", 3);
    check(vars, "FOR s := 125 TO 126 DO r := r + 1; END_FOR;", 2);
    check_fault(vars, "FOR s := 125 TO 127 DO r := r + 1; END_FOR;", FaultKind::LoopWrap);
    check_fault(vars, "n := 0; FOR i := 1 TO 5 BY n DO r := r + 1; END_FOR;", FaultKind::LoopWrap);
}

#[test]
fn other_loops_end_or_are_stopped() {
    let vars = "r : INT; d : DINT;";
    check(vars, "WHILE r < 5 DO r := r + 1; END_WHILE;", 5);
    check(vars, "WHILE FALSE DO r := 1; END_WHILE;", 0);
    check(vars, "REPEAT r := r + 1; UNTIL TRUE END_REPEAT;", 1);
    check(vars, "REPEAT r := r + 1; IF r < 3 THEN CONTINUE; END_IF; UNTIL r >= 3 END_REPEAT;", 3);
    check(vars, "WHILE TRUE DO r := r + 1; IF r = 7 THEN EXIT; END_IF; END_WHILE;", 7);
    check(vars, "WHILE d < 10000 DO d := d + 1; r := 4; END_WHILE;", 4);
    check_fault(vars, "WHILE d < 10001 DO d := d + 1; END_WHILE;", FaultKind::Watchdog);
    check_fault(vars, "WHILE TRUE DO ; END_WHILE;", FaultKind::Watchdog);
    check_fault(vars, "REPEAT r := 1; UNTIL FALSE END_REPEAT;", FaultKind::Watchdog);
}

#[test]
fn loops_with_constant_bounds_have_all_their_rounds() {
    let vars = "r : INT; d, e, last : DINT := 20000;";
    check(vars, "FOR d := 1 TO 20000 DO r := r + 1; IF r = 10000 THEN r := 0; END_IF; END_FOR;", 0);
    check(vars, "FOR d := 60000 TO 1 BY -3 DO r := 7; END_FOR; IF d = 0 THEN r := 8; END_IF;", 8);
    check_fault(vars, "last := last + 1; FOR d := 1 TO last DO r := 1; END_FOR;", FaultKind::Watchdog);
    check_fault(vars, "FOR d := 1 TO 2000000 DO r := 1; END_FOR;", FaultKind::Watchdog);
}

#[test]
fn case_takes_the_arm_that_matches() {
    let arms = "CASE x OF 1, 2: r := 1; 3..5: r := 2; -3..-1: r := 3; ELSE r := 9; END_CASE;";
    for (x, expected) in [(1, 1), (2, 1), (3, 2), (5, 2), (6, 9), (-1, 3), (-3, 3), (-4, 9), (0, 9)] {
        check(&format!("r : INT; x : INT := {x};"), arms, expected);
    }
    check("r : INT; x : INT := 7;", "r := 5; CASE x OF 1: r := 1; END_CASE;", 5);
    check("TYPE C : (A, B := 5, D); END_TYPE --- r : INT; x : C := D;", "CASE x OF A: r := 1; C#D: r := 3; END_CASE;", 3);
}

#[test]
fn places() {
    let vars = "r : INT; a : ARRAY [-1..1, 2..3] OF INT := [1, 2, 3, 4, 5, 6]; i : INT; w : WORD; n : SINT;";
    check(vars, "r := a[-1, 2] * 10 + a[1, 3];", 16);
    check(vars, "i := 1; a[i - 1, 3] := 40; r := a[0, 3] + a[0, 2];", 43);
    check_fault(vars, "r := a[i + 2, 2];", FaultKind::IndexOutOfBounds);
    check_fault(vars, "r := a[i, 1 + i];", FaultKind::IndexOutOfBounds);
    check_fault(vars, "i := -2; a[i, 2] := 1;", FaultKind::IndexOutOfBounds);
    // The first index is checked before the second is evaluated.
    check_fault(vars, "r := a[i + 5, 1 / i];", FaultKind::IndexOutOfBounds);
    // The value comes before the target's index.
    check_fault(vars, "a[i + 5, 2] := 1 / i;", FaultKind::DivisionByZero);
    check(vars, "w.15 := TRUE; w.0 := TRUE; r := WORD_TO_INT(w);", -32_767);
    check(vars, "w := 16#FFFF; w.4 := FALSE; r := WORD_TO_INT(w);", -17);
    check(vars, "w.%B1 := 16#12; r := WORD_TO_INT(w);", 0x1200);
    check(vars, "w := 16#3400; r := BYTE_TO_INT(w.%B1);", 0x34);
    check(vars, "n.7 := TRUE; r := n;", -128);
    check(vars, "n := -1; r := BOOL_TO_INT(n.7) + BOOL_TO_INT(n.0);", 2);
}

#[test]
fn aggregates_are_copied_whole() {
    let types = "TYPE P : STRUCT x : INT := 4; y : INT; END_STRUCT; END_TYPE
        FUNCTION Make : P VAR_INPUT a : INT; END_VAR Make.y := a; END_FUNCTION
        FUNCTION Sum : INT VAR_INPUT p : P; END_VAR p.x := p.x + 1; Sum := p.x + p.y; END_FUNCTION
        FUNCTION_BLOCK Count VAR_OUTPUT n : INT; END_VAR n := n + 1; END_FUNCTION_BLOCK ---
        r : INT; p : P; q : P := (y := 7); a : ARRAY [0..1] OF P; b : ARRAY [0..1] OF P; c : Count; d : Count;";
    check(types, "p := q; q.y := 0; r := p.x * 10 + p.y;", 47);
    check(types, "a[1] := q; b := a; r := b[1].y * 10 + b[0].x;", 74);
    check(types, "p := Make(a := 9); r := p.x * 10 + p.y;", 49);
    check(types, "r := Sum(q) * 10 + q.x;", 124);
    check(types, "c(); c(); d(); d := c; c(); r := c.n * 10 + d.n;", 32);
}

#[test]
fn functions_start_anew_and_blocks_remember() {
    let pous = "FUNCTION F : INT VAR_INPUT a : INT := 5; END_VAR VAR t : INT := 2; END_VAR VAR_OUTPUT o : INT; END_VAR
        t := t + a; o := t; F := t * 10; END_FUNCTION
        FUNCTION_BLOCK B VAR_INPUT a : INT; END_VAR VAR_OUTPUT o : INT; END_VAR VAR s : INT; END_VAR VAR_TEMP t : INT := 1; END_VAR
        s := s + a; t := t + s; o := t; END_FUNCTION_BLOCK
        --- r : INT; b : B; c : ARRAY [0..2] OF B; i : INT; o : INT;";
    check(pous, "r := F(a := 1); r := F(a := 1);", 30);
    check(pous, "r := F();", 70);
    check(pous, "r := F(3);", 50);
    check(pous, "r := F(a := 1, o => o); r := r + o;", 33);
    // An input that is not given keeps its last value.
    check(pous, "b(a := 3); b(); r := b.o;", 7);
    check(pous, "b(a := 3, o => r);", 4);
    check(pous, "FOR i := 0 TO 2 DO c[i](a := i); c[i](a := i, o => o); r := r * 10 + o; END_FOR;", 135);
    // Calls of one function inside its own arguments have frames of their own.
    check(pous, "r := F(a := F(a := 1));", 320);
}

#[test]
fn in_outs_are_references() {
    let pous = "FUNCTION Two : INT VAR_IN_OUT x : INT; y : INT; END_VAR x := x + 1; y := y * 10; Two := x; END_FUNCTION
        FUNCTION Fill : BOOL VAR_IN_OUT a : ARRAY [0..2] OF INT; END_VAR VAR i : INT; END_VAR
        FOR i := 0 TO 2 DO a[i] := i + 5; END_FOR; END_FUNCTION
        FUNCTION Outer : INT VAR_IN_OUT z : INT; END_VAR VAR l : INT := 4; END_VAR Outer := Two(x := z, y := l) + l; END_FUNCTION
        FUNCTION_BLOCK Tick VAR_IN_OUT n : INT; END_VAR VAR k : INT; END_VAR k := k + 1; n := n + k; END_FUNCTION_BLOCK
        FUNCTION_BLOCK Run VAR_IN_OUT t : Tick; END_VAR VAR_OUTPUT o : INT; END_VAR t(n := o); END_FUNCTION_BLOCK
        VAR_GLOBAL g : INT; END_VAR
        --- r : INT; v : INT := 3; a : ARRAY [0..2] OF INT; t : Tick; u : Run; i : INT;";
    check(pous, "r := Two(x := v, y := v);", 40);
    check(pous, "Fill(a := a); r := a[0] * 100 + a[2];", 507);
    check(pous, "a[0] := 1; r := Outer(z := a[i]); r := r * 10 + a[0];", 422);
    check(pous, "t(n := v); t(n := v); r := v;", 6);
    check(pous, "t(n := v); u(t := t); u(t := t); r := u.o;", 5);
    // The index of an argument is evaluated once, before the body.
    check(pous, "r := Two(x := i, y := a[i]); r := r * 10 + i;", 11);
    check(pous, "a[1] := 3; r := Two(x := g, y := a[g + 1]); r := a[1];", 30);
}

#[test]
fn side_effects_come_in_source_order() {
    let pous = "VAR_GLOBAL g : INT := 1; END_VAR
        FUNCTION Bump : INT VAR_INPUT k : INT; END_VAR g := g * 10 + k; Bump := g; END_FUNCTION
        FUNCTION Pair : INT VAR_INPUT a : INT; b : INT; END_VAR Pair := a * 2 + b; END_FUNCTION
        --- r : INT; a : ARRAY [0..3] OF INT;";
    check(pous, "r := Bump(1) - Bump(2);", -101);
    check(pous, "r := g + Bump(1);", 12);
    check(pous, "r := Pair(b := Bump(1), a := Bump(2));", 235);
    check(pous, "IF Bump(1) = 0 AND Bump(2) = 0 THEN ; END_IF; r := g;", 112);
    check(pous, "IF Bump(1) = 0 AND_THEN Bump(2) = 0 THEN ; END_IF; r := g;", 11);
    check(pous, "Bump(1); r := g;", 11);
    check(pous, "a[Bump(1) - 120] := Bump(2) - 11; r := a[1];", 1);
}

#[test]
fn inputs_are_checked_and_latched() {
    let project = project(
        "VAR_GLOBAL s AT %IX0.0 : BOOL; q AT %QX0.0 : BOOL; END_VAR
        PROGRAM Main VAR_INPUT a : SINT; END_VAR VAR m : INT; END_VAR m := a; q := s; END_PROGRAM",
    );
    let mut machine = Machine::new(&project, Limits::default());
    let mut begin = |name: &str, value: Value, dt: i64| machine.begin(&BTreeMap::from([(name.to_owned(), value)]), dt);
    assert_eq!(begin("Main.x", Value::Int(1), 0), Err(BadInput::Unknown("Main.x".into())));
    assert_eq!(begin("Main.m", Value::Int(1), 0), Err(BadInput::NotAnInput("Main.m".into())));
    assert_eq!(begin("q", Value::Bool(true), 0), Err(BadInput::NotAnInput("q".into())));
    assert_eq!(begin("Main.a", Value::Int(128), 0), Err(BadInput::WrongType("Main.a".into())));
    assert_eq!(begin("Main.a", Value::Bool(true), 0), Err(BadInput::WrongType("Main.a".into())));
    assert_eq!(begin("Main.a", Value::Int(1), -1), Err(BadInput::NegativeStep(-1)));
    assert_eq!(begin("s", Value::Bool(true), 0), Ok(()));
    cycle(&mut machine, &[("a", Value::Int(-128))]).unwrap();
    cycle(&mut machine, &[]).unwrap();
    assert_eq!(machine.leaf("Main.m"), Some(Value::Int(-128)));
    assert_eq!(machine.leaf("q"), Some(Value::Bool(true)));
    let names: Vec<String> = machine.leaves().into_iter().map(|(name, _)| name).collect();
    assert_eq!(names, ["s", "q", "Main.a", "Main.m"]);
}

#[derive(Default)]
struct Log(Vec<String>);

impl Recorder for Log {
    fn wants_names(&self) -> bool {
        true
    }
    fn read(&mut self, name: &str, _: Span, value: Value) {
        self.0.push(format!("{name} is {value:?}"));
    }
    fn wrote(&mut self, name: &str, _: Span, value: Value) {
        self.0.push(format!("{name} := {value:?}"));
    }
    fn assert(&mut self, id: AssertId, _: Span, held: bool) {
        self.0.push(format!("{id} {held}"));
    }
    fn branch(&mut self, _: Span, taken: bool) {
        self.0.push(format!("branch {taken}"));
    }
}

#[test]
fn a_recorder_sees_canonical_names() {
    let project = project(
        "TYPE P : STRUCT x : INT; END_STRUCT; END_TYPE
        FUNCTION F : INT VAR_IN_OUT v : INT; END_VAR VAR t : ARRAY [1..2] OF P; END_VAR v := 5; t[2].x := v; END_FUNCTION
        PROGRAM Main VAR a : ARRAY [0..1] OF P; w : WORD; END_VAR
        F(v := a[1].x);
        //#ASSERT a[0].x > 0
        IF w.1 THEN RETURN; END_IF;
        w.1 := TRUE;
        END_PROGRAM",
    );
    let mut machine = Machine::new(&project, Limits::default());
    let mut log = Log::default();
    machine.run(&mut log).unwrap();
    let expected = [
        "Main.a[1].x := Int(5)",
        "Main.a[1].x is Int(5)",
        "F.t[2].x := Int(5)",
        "F.F is Int(0)",
        "Main.a[0].x is Int(0)",
        "assert0 false",
        "Main.w is Int(0)",
        "branch false",
        "Main.w := Int(2)",
    ];
    assert_eq!(log.0, expected);
}

#[test]
fn jumps_go_to_labels_of_lists_around() {
    let vars = "r, i : INT; b : BOOL;";
    check(vars, "r := 1; GOTO skip; r := 2; skip: r := r + 10;", 11);
    check(vars, "again: r := r + 1; IF r < 5 THEN GOTO again; END_IF;", 5);
    check(vars, "FOR i := 1 TO 10 DO IF i = 4 THEN GOTO out; END_IF; r := r + i; END_FOR; r := 100; out: r := r + 1;", 7);
    check(vars, "FOR i := 1 TO 3 DO IF i = 2 THEN GOTO next; END_IF; r := r + i; next: r := r + 10; END_FOR;", 34);
    check(vars, "WHILE TRUE DO WHILE TRUE DO r := r + 1; IF r > 4 THEN GOTO done; END_IF; END_WHILE; END_WHILE; done: ;", 5);
    check(vars, "GOTO a; b: r := r * 2; GOTO c; a: r := 3; GOTO b; c: r := r + 1;", 7);
    check(vars, "CASE i OF 0: IF NOT b THEN GOTO out; END_IF; r := 1; END_CASE; r := r + 2; out: r := r + 4;", 4);
    check_fault(vars, "l: GOTO l;", FaultKind::Watchdog);
    check_fault(vars, "FOR i := 0 TO 1 DO ; END_FOR; l: IF NOT b THEN GOTO l; END_IF;", FaultKind::Watchdog);
}
