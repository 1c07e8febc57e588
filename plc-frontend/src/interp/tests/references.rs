//! Pointers, references, interfaces.

use super::{check, check_fault};
use crate::hir::FaultKind;

const VARS: &str = "x, y, r : INT; p, q : POINTER TO INT; f : REFERENCE TO INT; a : ARRAY [1..3] OF INT;
s : STRUCT u : INT; v : ARRAY [0..1] OF INT; END_STRUCT; t : REF_TO INT;";

#[test]
fn references_stand_for_variables() {
    let check = |body: &str, expected: i128| check(VARS, body, expected);
    check("p := ADR(x); p^ := 5; r := x;", 5);
    check("x := 3; p := ADR(x); q := p; q^ := q^ + 1; r := x;", 4);
    check("f REF= y; f := 7; r := y;", 7);
    check("f REF= y; f^ := 7; r := f^;", 7);
    check("f REF= a[2]; f := 7; p := ADR(f); p^ := p^ + 1; r := a[2];", 8);
    check("t := REF(s.v[1]); t^ := 9; r := s.v[1];", 9);
    check("p := ADR(x); q := ADR(x); IF p = q THEN r := 1; END_IF;", 1);
    check("p := ADR(x); q := ADR(y); IF p <> q THEN r := 1; END_IF;", 1);
    check("IF p = 0 THEN r := 1; END_IF; p := ADR(x); IF p <> NULL THEN r := r + 1; END_IF;", 2);
    check("IF NOT __ISVALIDREF(f) THEN r := 1; END_IF; f REF= x; IF __ISVALIDREF(f) THEN r := r + 1; END_IF;", 2);
    check("p := ADR(x); p := 0; IF p = NULL THEN r := 3; END_IF;", 3);
}

#[test]
fn a_reference_to_nothing_is_a_fault() {
    check_fault(VARS, "r := p^;", FaultKind::NullReference);
    check_fault(VARS, "f := 1;", FaultKind::NullReference);
    check_fault(VARS, "p := ADR(x); p := NULL; p^ := 1;", FaultKind::NullReference);
}

const BLOCKS: &str = "INTERFACE IShape
METHOD Area : INT
VAR_INPUT
 scale : INT := 1;
END_VAR
END_METHOD
PROPERTY Size : INT
GET
END_GET
SET
END_SET
END_PROPERTY
END_INTERFACE
FUNCTION_BLOCK Square IMPLEMENTS IShape
VAR
 n : INT := 2;
END_VAR
METHOD Area : INT
VAR_INPUT
 scale : INT;
END_VAR
Area := n * n * scale;
END_METHOD
PROPERTY Size : INT
GET
Size := n;
END_GET
SET
n := Size;
END_SET
END_PROPERTY
END_FUNCTION_BLOCK
FUNCTION_BLOCK Cube EXTENDS Square
METHOD Area : INT
VAR_INPUT
 scale : INT;
END_VAR
Area := SUPER^.Area(scale) * 6;
END_METHOD
END_FUNCTION_BLOCK
FUNCTION Sum : INT
VAR_INPUT
 a, b : IShape;
END_VAR
Sum := a.Area() + b.Area(scale := 2);
END_FUNCTION
FUNCTION Add : INT
VAR_INPUT
 into : REFERENCE TO INT; n : INT;
END_VAR
into := into + n;
Add := into;
END_FUNCTION
FUNCTION_BLOCK Holder
VAR_INPUT
 shape : IShape; out : REFERENCE TO INT; ptr : POINTER TO Square;
END_VAR
IF __ISVALIDREF(out) THEN out := out + shape.Size; END_IF;
ptr^.Size := 5;
END_FUNCTION_BLOCK
---
q : Square; c : Cube; i : IShape; r : INT; x : INT; h : Holder; p : POINTER TO Square; qs : ARRAY [1..2] OF Square; pc : REF_TO Cube;
";

#[test]
fn interfaces_call_what_they_refer_to() {
    let check = |body: &str, expected: i128| check(BLOCKS, body, expected);
    check("i := q; r := i.Area();", 4);
    check("i := c; r := i.Area(2);", 48);
    check("r := Sum(q, c);", 52);
    check("i := q; i.Size := 3; r := q.Area(1);", 9);
    check("i := qs[2]; i.Size := i.Size + 1; r := qs[2].Size * 10 + qs[1].Size;", 32);
    check("IF i = 0 THEN r := 1; END_IF; i := q; IF i <> 0 THEN r := r + 1; END_IF;", 2);
    check_fault(BLOCKS, "r := i.Area();", FaultKind::NullReference);
    check_fault(BLOCKS, "i := q; i := 0; r := i.Area();", FaultKind::NullReference);
    // The type of the object decides which method is called, not the type of the pointer.
    check("p := ADR(c); r := p^.Area(1);", 24);
    check("p := ADR(q); r := p^.Area(1);", 4);
}

#[test]
fn an_attempt_gives_nothing_to_what_does_not_suit() {
    let check = |body: &str, expected: i128| check(BLOCKS, body, expected);
    check("i := c; pc ?= i; r := pc^.Area(1);", 24);
    check("pc := ADR(c); i := q; pc ?= i; IF pc = NULL THEN r := 7; END_IF;", 7);
    check("p := ADR(c); pc ?= p; r := pc^.Area(1);", 24);
    check("p := ADR(q); pc := ADR(c); pc ?= p; IF pc = NULL THEN r := 7; END_IF;", 7);
    check("pc := ADR(c); i ?= pc; r := i.Area(1);", 24);
    check("i ?= q; r := i.Area(1);", 4);
    check("pc := ADR(c); pc ?= i; IF pc = NULL THEN r := 7; END_IF;", 7);
    check("pc := ADR(c); pc ?= NULL; IF pc = NULL THEN r := 7; END_IF;", 7);
    check("pc ?= i; IF pc = NULL THEN r := 7; END_IF;", 7);
    check_fault(BLOCKS, "i := q; pc ?= i; r := pc^.Area(1);", FaultKind::NullReference);
}

#[test]
fn references_are_handed_over() {
    let check = |body: &str, expected: i128| check(BLOCKS, body, expected);
    check("x := 3; r := Add(x, 4) + x;", 14);
    check("h(shape := q, out := x, ptr := ADR(c)); h(shape := c); r := x;", 7);
    check("h(shape := q, out REF= x, ptr := ADR(c)); h(shape := c); r := x;", 7);
    check_fault(BLOCKS, "h(shape := q, out := x);", FaultKind::NullReference);
}
