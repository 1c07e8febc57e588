//! Paths that continue after calls and properties: their values and their gaps.

use crate::resolve::testing::{check, check_run};

const TYPES: &str = "TYPE Pt : STRUCT x, y : INT; l : ARRAY [1..2] OF INT; END_STRUCT END_TYPE
FUNCTION Make : Pt
VAR_INPUT
 x : INT;
END_VAR
Make.x := x; Make.y := x + 1; Make.l[2] := 10 * x;
END_FUNCTION
FUNCTION_BLOCK Axis
VAR_INPUT
 v : INT;
END_VAR
VAR_OUTPUT
 n : INT;
END_VAR
VAR
 own : Pt;
END_VAR
METHOD Pos : Pt
VAR_INPUT
 d : INT;
END_VAR
n := n + d; Pos.x := n; Pos.l[1] := d;
END_METHOD
METHOD Next : INT
n := n + 1; Next := n;
END_METHOD
PROPERTY Setting : Pt
GET
Setting := own;
END_GET
SET
own := Setting;
END_SET
END_PROPERTY
PROPERTY Level : INT
GET
Level := n;
END_GET
SET
n := Level;
END_SET
END_PROPERTY
n := n + v;
END_FUNCTION_BLOCK
FUNCTION_BLOCK Drive EXTENDS Axis
METHOD Next : INT
n := n + 100; Next := n;
END_METHOD
END_FUNCTION_BLOCK
FUNCTION_BLOCK Machine
VAR
 a : ARRAY [1..2] OF Axis; d : Drive; n_calls : INT;
END_VAR
METHOD Part : REFERENCE TO Axis
VAR_INPUT
 i : INT;
END_VAR
n_calls := n_calls + 1;
IF i = 3 THEN Part REF= d; ELSIF i = 1 THEN Part REF= a[1]; ELSE Part REF= a[2]; END_IF;
END_METHOD
METHOD Pointer : POINTER TO Axis
Pointer := ADR(a[1]);
END_METHOD
PROPERTY First : REFERENCE TO Axis
GET
First REF= a[1];
END_GET
END_PROPERTY
METHOD Twice : INT
Twice := THIS^.First.Next() + First.Next() + THIS^.Part(3).n;
First.n := First.n + 10;
END_METHOD
END_FUNCTION_BLOCK
";

#[track_caller]
fn runs(body: &str, expected: &[i128], gaps: &[&str]) {
    let main = r"PROGRAM P
VAR
 m : Machine; a : Axis; x, y, i : INT; p : Pt; r : REFERENCE TO Axis; q : POINTER TO Machine;
END_VAR
";
    check_run(&format!("{TYPES}{main}{body}\nEND_PROGRAM"), &["P.x", "P.y", "P.m.n_calls"], expected, gaps);
}

#[test]
fn parts_of_results() {
    runs("x := Make(3).y; y := Make(x := 4).l[2];", &[4, 40, 0], &[]);
    runs("x := a.Pos(2).x + a.Pos(d := 1).x; y := a.n;", &[5, 3, 0], &[]);
    runs("i := 1; x := a.Pos(7).l[i] + a.Pos(1).l[a.Next() - 8];", &[8, 0, 0], &[]);
    runs("p.y := 6; a.Setting := p; x := a.Setting.y; y := a.Setting.l[1];", &[6, 0, 0], &[]);
    runs("IF FALSE AND_THEN a.Pos(5).x > 0 THEN x := 1; END_IF; y := a.n;", &[0, 0, 0], &[]);
}

#[test]
fn what_references_refer_to_behind_results() {
    runs("x := m.Part(2).Next() + m.Part(3).Next(); y := m.Part(1).n;", &[101, 0, 3], &[]);
    runs("m.Part(2).Level := 20; x := m.a[2].n; y := m.Part(2).Level;", &[20, 20, 2], &[]);
    runs("m.First.n := 5; x := m.First.n; m.Pointer()^.n := 7; y := m.Pointer()^.Next();", &[5, 8, 0], &[]);
    let assumed = "body called through a reference to a block that others extend: the block's own body runs";
    runs("m.First(v := 3); m.First(v := 4, n => y); x := m.a[1].n;", &[7, 7, 0], &[assumed, assumed]);
    runs("x := m.Twice(); y := m.a[1].n;", &[3, 12, 1], &[]);
    runs("q := ADR(m); x := q^.Twice(); y := q^.First.Setting.x;", &[3, 0, 1], &[]);
    runs("r REF= m.Part(3); x := r.Next(); IF m.First <> 0 THEN y := 1; END_IF;", &[100, 1, 1], &[]);
    runs("x := m.Part(1).Pos(4).l[1];", &[4, 0, 1], &[]);
}

#[test]
fn chains_of_interfaces() {
    let text = r"INTERFACE I
METHOD Add : I
VAR_INPUT
 v : INT;
END_VAR
END_METHOD
PROPERTY Total : INT
GET
END_GET
END_PROPERTY
END_INTERFACE
FUNCTION_BLOCK B IMPLEMENTS I
VAR
 n : INT;
END_VAR
METHOD Add : I
VAR_INPUT
 v : INT;
END_VAR
n := 2 * n + v; Add := THIS^;
END_METHOD
PROPERTY Total : INT
GET
Total := n;
END_GET
END_PROPERTY
END_FUNCTION_BLOCK
PROGRAM P
VAR
 b : B; x : INT;
END_VAR
b.Add(1).Add(2).Add(3);
x := b.Add(4).Total + b.Add(1).Add(b.Total).Total;
END_PROGRAM";
    // Values of `n`: 1, 4, 11 by the first statement; 26 is the first total; then 53, and 2 * 53 + 53 is the second total.
    check_run(text, &["P.x"], &[26 + 159], &[]);
}

#[test]
fn what_is_not_modelled_behind_results() {
    let gap = "use of a call's result as a variable";
    runs("x := 1; Make(1).x := 2; x := 3;", &[1, 0, 0], &[gap]);
    runs("x := 1; r REF= a; m.Part(1); y := 2;", &[1, 2, 1], &[]);
    let text = |body: &str| format!("{TYPES}PROGRAM P\nVAR\n m : Machine; a : Axis; x : INT;\nEND_VAR\n{body}\nEND_PROGRAM");
    let first = (TYPES.lines().count() + 5).to_string();
    let check = |body: &str, expected: &str| check(&text(body), &expected.replace("LINE", &first));
    check("x := Make(1).z;", "P2004@LINE:14");
    check("x := a.Pos(1).Next();", "P2004@LINE:15");
    check("x := m.Pointer().Next();", "P2004@LINE:18");
    check("x := a.Next;", "P2009@LINE:6");
}

#[test]
fn calls_in_calls_are_followed_once() {
    let nested = |shape: &str| (0..40).fold("1".to_owned(), |inner, _| shape.replace('@', &inner));
    for shape in [
        "m.Part(@).n",
        "m.Part(SEL(m.Part(@).n = 0, 1, 2)).n",
        "m.Part(@).Level",
        "m.Part(@).zap",
        "m.Part(@).Zap()",
        "Make(@).y",
    ] {
        let e = nested(shape);
        for body in [format!("x := {e};"), format!("m.Part({e}).n := {e};"), format!("m.Part({e}).Pos({e});")] {
            let text = format!("{TYPES}PROGRAM P\nVAR\n m : Machine; x : INT;\nEND_VAR\n{body}\nEND_PROGRAM");
            // The test only checks that the resolution ends.
            let _found = crate::resolve::testing::findings(&text);
        }
    }
}
