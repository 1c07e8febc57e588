//! Calls of functions and instances.

use super::show::check_hir_with;
use crate::resolve::testing::check;

const UNITS: &str = "FUNCTION F : INT
VAR_INPUT
 x : INT; y : DINT := 5;
END_VAR
VAR_IN_OUT
 io : INT;
END_VAR
VAR_OUTPUT
 o : INT;
END_VAR
F := x;
END_FUNCTION
FUNCTION NoResult
VAR_INPUT
 x : INT;
END_VAR
END_FUNCTION
FUNCTION_BLOCK Blk
VAR_INPUT
 x : INT; r : REAL;
END_VAR
VAR_OUTPUT
 q : BOOL; n : INT;
END_VAR
VAR_IN_OUT
 io : ARRAY [1..2] OF INT;
END_VAR
VAR
 inner : INT;
END_VAR
END_FUNCTION_BLOCK";
const VARS: &str = "VAR
 i, j : INT; si : SINT; d : DINT; b : BOOL; a : ARRAY [1..2] OF INT; fb : Blk; many : ARRAY [1..3] OF Blk; t : TON; c : CTU;
 s : STRUCT fb : Blk; END_STRUCT;
END_VAR";

#[test]
fn arguments_reach_their_parameters() {
    let check = |body: &str, expected: &str| check_hir_with(UNITS, VARS, body, expected);
    check("i := F(x := si, io := j, o => i);", "i := F(x := widen[INT](si), io <- j, o => i)");
    check("i := F(1, d, j);", "i := F(x := 1:INT, y := d, io <- j)");
    check("F(x := 1, io := a[i], y := i);", "F(x := 1:INT, y := widen[DINT](i), io <- a[i])");
}

#[test]
fn instances_are_called() {
    let check = |body: &str, expected: &str| check_hir_with(UNITS, VARS, body, expected);
    check("fb(x := 1, io := a, q => b);", "fb(x := 1:INT, io <- a, q => b)");
    check("fb(io := a, r := i, n => d);", "fb(r := widen[REAL](i), io <- a); d := widen[DINT](fb.n)");
    check("fb(io := a, NOT q => b);", "fb(io <- a); b := NOT fb.q");
    check("many[i](x := 1, io := a);", "many[i](x := 1:INT, io <- a)");
    check("s.fb(1, 2.5, a);", "s.fb(x := 1:INT, r := 2.5:REAL, io <- a)");
    check("fb(io := a, q => );", "fb(io <- a)");
    check("t(IN := b, PT := T#1s); b := t.Q; t.IN := b;", "t(IN := b, PT := 1000:TIME); b := t.Q; t.IN := b");
    check("t(b, T#5ms);", "t(IN := b, PT := 5:TIME)");
    check("many[1].x := many[i + 1].n;", "many[1:INT].x := many[(i + 1:INT)].n");
    check("NoResult(1);", "NoResult(x := 1:INT)");
}

#[test]
fn wrong_calls_are_refused() {
    let check = |body: &str, expected: &str| {
        let head = format!("PROGRAM Main\n{VARS}\n");
        let lines = head.lines().count();
        let expected = expected.replace("@1:", &format!("@{}:", lines + 1));
        check(&format!("{head}{body}\nEND_PROGRAM\n{UNITS}"), &expected);
    };
    for (body, expected) in [
        ("i := F(1);", "P3011@1:6"),
        ("i := F(x := 1, z := 2, io := j);", "P2005@1:16"),
        ("i := F(x := 1, x := 2, io := j);", "P3011@1:16"),
        ("i := F(1, 2, j, 4, 5);", "P3011@1:17 P3011@1:20"),
        ("i := F(x := 1, io := 5);", "P3013@1:22"),
        ("i := F(x := 1, io := d);", "P3001@1:22"),
        ("i := F(x := 1, io := a[1].3);", "P3011@1:22"),
        ("i := F(x := b, io := j);", "P3001@1:13"),
        ("i := F(x => i, io := j);", "P3011@1:8"),
        ("i := F(o := i, io := j);", "P3011@1:8"),
        ("i := NoResult(1);", "P2009@1:6"),
        ("i := fb(io := a);", "P2009@1:6"),
        ("fb(x := 1);", "P3011@1:1"),
        ("fb(inner := 1, io := a);", "P2005@1:4"),
        ("fb(io := a, q => i);", "P3001@1:18"),
        ("i := fb.inner;", "P2012@1:9"),
        ("i := fb.io[1];", "P2012@1:9"),
        ("b := t.elapsed > T#1s;", "P2012@1:8"),
        ("b := t.QQ;", "P2004@1:8"),
        ("Blk();", "P3012@1:1"),
        ("Main();", "P4001@1:1"),
        ("i();", "P3012@1:1"),
        ("i := nix(1, 2);", "P2003@1:6"),
        ("i := F;", "P2009@1:6"),
        ("i := F(1, x := 2, io := j);", "P3011@1:6 P3011@1:11"),
    ] {
        check(body, expected);
    }
}

#[test]
fn arguments_by_position_stand_behind_those_by_name() {
    // The attribute marks a text of CODESYS.
    let check = |call: &str, expected: &str| {
        let function = "FUNCTION F : INT\nVAR_INPUT\n x : INT; y : BOOL; z : TIME;\nEND_VAR\nF := x;\nEND_FUNCTION\n";
        check(
            &format!("{{attribute 'x'}}\n{function}PROGRAM Main\nVAR\n n : INT;\nEND_VAR\nn := {call};\nEND_PROGRAM"),
            expected,
        );
    };
    for (call, expected) in [
        ("F(x := 1, TRUE, T#1s)", ""),
        ("F(y := TRUE, x := 1, T#1s)", ""),
        ("F(y := TRUE, 1)", ""),
        ("F(z := T#1s, 1, TRUE)", ""),
        ("F(x := 1, z := T#1s, TRUE)", "P3011@12:27"),
        ("F(x := 1, TRUE, T#1s, 4)", "P3011@12:28"),
    ] {
        check(call, expected);
    }
}
