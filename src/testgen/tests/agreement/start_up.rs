//! Memory and calls before the first cycle, and tests of assertions.

use kernel::cfa::{ModelOptions, Site, SiteKind, build};
use plc_frontend::source::SourceSet;
use plc_frontend::{LoadOptions, load};

use super::{agree, agree_in};

#[test]
fn what_is_not_initialised() {
    assert!(agree_in(
        "main.scl",
        "TYPE \"Pair\"
STRUCT
 x : INT; y : ARRAY [0..1] OF REAL;
END_STRUCT
END_TYPE
FUNCTION \"Half\" : INT
VAR_INPUT
 a : INT;
END_VAR
VAR_TEMP
 t : INT; p : \"Pair\";
END_VAR
BEGIN
IF #a > 3 THEN #t := #a; #p.x := 3; END_IF;
IF #t > #p.x THEN \"Half\" := #t / 2; END_IF;
END_FUNCTION
FUNCTION_BLOCK \"Store\"
VAR_INPUT
 a : INT;
END_VAR
VAR
 k : INT; r : REAL;
END_VAR
VAR_TEMP
 t : INT; p : \"Pair\";
END_VAR
BEGIN
#k := #k + #t + \"Half\"(#a);
#r := #p.y[1];
#t := 0;
END_FUNCTION_BLOCK
DATA_BLOCK \"D\" \"Store\"
BEGIN
END_DATA_BLOCK
ORGANIZATION_BLOCK \"Main\"
VAR_TEMP
 i : INT; j : INT;
END_VAR
BEGIN
\"D\"(a := #j);
FOR #i := 1 TO 3 DO \"D\"(a := \"Half\"(#i + #j)); END_FOR;
END_ORGANIZATION_BLOCK
",
        None
    ));
}

#[test]
fn assertions_that_cannot_be_evaluated_end_no_run() {
    let text = "PROGRAM Main
VAR_INPUT
 a, i : INT;
END_VAR
VAR
 x : INT; l : ARRAY [0..2] OF INT;
END_VAR
//#ASSERT 10 / a < 20 AND l[i] = 0 : both
x := x + 1;
END_PROGRAM
";
    assert!(agree(text));
    let mut sources = SourceSet::default();
    sources.add("main.st", text);
    let model = build(&load(&sources, &LoadOptions::default()).value.project, &ModelOptions::default()).unwrap();
    let is_fault = |site: &Site| matches!(site.kind, SiteKind::Fault(_));
    assert!(!model.sites.iter().any(is_fault), "the comment is no part of the program: {:?}", model.sites);
}

#[test]
fn what_runs_before_the_first_cycle_and_edges() {
    assert!(agree(
        "FUNCTION_BLOCK B
VAR_INPUT
 x : BOOL R_EDGE; y : BOOL F_EDGE;
END_VAR
VAR_OUTPUT
 n : INT;
END_VAR
METHOD FB_init : BOOL
VAR_INPUT
 bInitRetains, bInCopyCode : BOOL; first : INT;
END_VAR
n := n + first;
END_METHOD
METHOD Seen : BOOL
Seen := x OR y;
END_METHOD
IF x THEN n := n + 1; END_IF;
IF y THEN n := n + 10; END_IF;
IF Seen() THEN n := n + 100; END_IF;
END_FUNCTION_BLOCK
FUNCTION_BLOCK D EXTENDS B
SUPER^();
IF x THEN n := n - 1; END_IF;
END_FUNCTION_BLOCK
PROGRAM Main
VAR_INPUT
 a, b : BOOL R_EDGE; c : BOOL;
END_VAR
VAR
 p : B(first := 5); q : ARRAY [0..1] OF D(first := 7); sum : INT;
END_VAR
p(x := a, y := c); q[0](x := c); IF b THEN q[1](x := c, y := c); END_IF;
sum := p.n + q[0].n - q[1].n;
END_PROGRAM
"
    ));
}

#[test]
fn start_up_blocks_set_the_state_before_the_first_cycle() {
    assert!(agree_in(
        "main.scl",
        "DATA_BLOCK \"G\"
VAR
 n : INT; k : ARRAY [0..3] OF INT; first : BOOL;
END_VAR
BEGIN
END_DATA_BLOCK
ORGANIZATION_BLOCK \"OB100\"
VAR_TEMP
 i : INT;
END_VAR
BEGIN
FOR #i := 0 TO 3 DO \"G\".k[#i] := #i * #i; END_FOR;
\"G\".first := NOT %I0.0;
END_ORGANIZATION_BLOCK
ORGANIZATION_BLOCK \"OB1\"
BEGIN
IF %I0.0 AND \"G\".first THEN \"G\".n := \"G\".k[3]; END_IF;
\"G\".k[1] := \"G\".n + 1;
END_ORGANIZATION_BLOCK
",
        None
    ));
}
