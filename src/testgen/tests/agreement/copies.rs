//! Programs whose blocks and functions are resolved more than once, or whose paths continue behind calls: each must behave alike
//! in the interpreter and in the CFA.

use super::agree;

#[test]
fn blocks_of_several_types() {
    assert!(agree(
        "FUNCTION_BLOCK Total
VAR_IN_OUT
 a : ARRAY [*] OF INT;
END_VAR
VAR_INPUT
 gain : INT := 1; up : BOOL R_EDGE;
END_VAR
VAR_OUTPUT
 sum : INT; n : UINT;
END_VAR
VAR
 i : DINT;
END_VAR
VAR_TEMP
 part : INT;
END_VAR
METHOD First : INT
First := a[LOWER_BOUND(a, 1)];
a[UPPER_BOUND(a, 1)] := sum;
END_METHOD
METHOD Any : INT
VAR_IN_OUT
 l : ARRAY [*, *] OF INT;
END_VAR
l[LOWER_BOUND(l, 1), UPPER_BOUND(l, 2)] := gain; Any := l[LOWER_BOUND(l, 1), LOWER_BOUND(l, 2)];
END_METHOD
IF up THEN n := n + 1; END_IF;
FOR i := LOWER_BOUND(a, 1) TO UPPER_BOUND(a, 1) DO part := part + a[i] * gain; END_FOR;
sum := part + First();
END_FUNCTION_BLOCK
FUNCTION_BLOCK More EXTENDS Total
METHOD First : INT
First := SUPER^.First() * 3 + 1;
END_METHOD
SUPER^();
END_FUNCTION_BLOCK
PROGRAM Main
VAR_INPUT
 i : UINT; v : INT; b : BOOL;
END_VAR
VAR
 t : Total; d : ARRAY [0..1] OF More; s : ARRAY [1..2] OF INT; u : ARRAY [-1..1] OF INT; m : ARRAY [0..1, 5..6] OF INT; x, j : INT;
END_VAR
t(a := s, gain := v, up := b, sum => x); t(u, sum => s[1 + i MOD 2]);
j := UINT_TO_INT(i MOD 2);
d[j](a := s, gain := j + 1, up := NOT b, sum => j); d[i MOD 2](u);
x := x + t.Any(m) + d[1].Any(l := m) + d[0].n;
END_PROGRAM
"
    ));
}

#[test]
fn paths_behind_calls() {
    assert!(agree(
        "TYPE Pt : STRUCT x : INT; l : ARRAY [0..1] OF INT; END_STRUCT END_TYPE
FUNCTION Make : Pt
VAR_INPUT
 x : INT;
END_VAR
Make.x := x; Make.l[1] := 10 * x;
END_FUNCTION
FUNCTION_BLOCK Axis
VAR_INPUT
 v : INT;
END_VAR
VAR_OUTPUT
 n : INT;
END_VAR
METHOD Pos : Pt
VAR_INPUT
 d : INT;
END_VAR
n := n + d; Pos.x := n; Pos.l[0] := d;
END_METHOD
METHOD Next : INT
n := n + 1; Next := n;
END_METHOD
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
 a : Axis; d : Drive; n_calls : UINT;
END_VAR
PROPERTY Choice : REFERENCE TO Axis
GET
IF n_calls MOD 2 = 0 THEN Choice REF= d; ELSE Choice REF= a; END_IF;
END_GET
END_PROPERTY
METHOD Part : REFERENCE TO Axis
VAR_INPUT
 i : UINT;
END_VAR
n_calls := n_calls + 1;
IF i MOD 2 = 0 THEN Part REF= d; ELSE Part REF= a; END_IF;
END_METHOD
END_FUNCTION_BLOCK
PROGRAM Main
VAR_INPUT
 i : UINT; v : INT; b : BOOL;
END_VAR
VAR
 m : Machine; x, y : INT;
END_VAR
x := m.Part(i).Next() + m.Part(i + 1).Pos(v).l[i MOD 2] + Make(v).l[m.Part(0).Level MOD 2 * 0 + 1];
m.Part(i).n := x; m.Choice(v := y, n => y);
IF b AND_THEN m.Part(i).Pos(1).x > v THEN m.Part(i).Level := m.Part(1).Level + 1; END_IF;
END_PROGRAM
"
    ));
}

#[test]
fn functions_of_several_types() {
    assert!(agree(
        "FUNCTION_BLOCK B
VAR_OUTPUT
 n : INT;
END_VAR
METHOD Step : INT
n := n + 1; Step := n;
END_METHOD
END_FUNCTION_BLOCK
FUNCTION_BLOCK D EXTENDS B
METHOD Step : INT
n := n + 10; Step := SUPER^.Step();
END_METHOD
END_FUNCTION_BLOCK
FUNCTION Run : INT
VAR_IN_OUT
 b : B; a : ARRAY [*] OF INT;
END_VAR
VAR
 i : DINT;
END_VAR
FOR i := LOWER_BOUND(a, 1) TO UPPER_BOUND(a, 1) DO a[i] := a[i] + b.Step(); END_FOR;
Run := b.n;
END_FUNCTION
PROGRAM Main
VAR_INPUT
 i : UINT;
END_VAR
VAR
 b : B; d : ARRAY [0..1] OF D; s : ARRAY [1..2] OF INT; t : ARRAY [-1..1] OF INT; x : INT;
END_VAR
x := Run(b, s); x := x + Run(d[i MOD 2], t) + Run(a := s, b := d[1]);
END_PROGRAM
"
    ));
}
