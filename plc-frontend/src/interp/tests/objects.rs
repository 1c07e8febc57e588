//! Methods, properties, actions, inheritance.

use super::check;

const COUNTER: &str = "FUNCTION_BLOCK Counter
VAR_INPUT
 step : INT := 1;
END_VAR
VAR_OUTPUT
 n : INT;
END_VAR
VAR
 calls : INT;
END_VAR
VAR CONSTANT
 Limit : INT := 100;
END_VAR
METHOD Add : INT
VAR_INPUT
 inc : INT := 5;
END_VAR
VAR
 seen : INT;
END_VAR
seen := seen + 1;
n := n + inc + seen;
Note();
Add := n;
END_METHOD
METHOD Twice
VAR_OUTPUT
 doubled : INT;
END_VAR
doubled := 2 * THIS^.Add(inc := 1);
END_METHOD
METHOD Kept : INT
VAR_INST
 k : INT := 10;
END_VAR
VAR_STAT
 s : INT;
END_VAR
k := k + 1;
s := s + 1;
Kept := k * 100 + s;
END_METHOD
ACTION Note:
calls := calls + 1;
END_ACTION
PROPERTY Double : INT
GET
Double := 2 * n;
END_GET
SET
n := Double / 2;
END_SET
END_PROPERTY
n := n + step;
Note();
END_FUNCTION_BLOCK
FUNCTION_BLOCK Fast EXTENDS Counter
VAR
 extra : INT;
END_VAR
METHOD Add : INT
VAR_INPUT
 inc : INT;
END_VAR
extra := extra + 1;
Add := SUPER^.Add(inc * 10);
END_METHOD
SUPER^();
extra := extra + 100;
n := n + 1000;
END_FUNCTION_BLOCK
---
c : Counter; d : Counter; f : Fast; r : INT; many : ARRAY [1..3] OF Counter; i : INT;
";

#[test]
fn methods_work_on_their_instance() {
    let check = |body: &str, expected: i128| check(COUNTER, body, expected);
    check("r := c.Add(3);", 4);
    check("c.Add(3); r := c.n;", 4);
    check("c.Add(); r := c.Add();", 12);
    check("d.Add(3); r := c.n;", 0);
    check("c.Twice(doubled => r);", 4);
    check("r := c.Add(1) * 10 + c.Add(1);", 24);
    check("many[2].Add(1); FOR i := 1 TO 3 DO many[i].Add(i); END_FOR; r := many[2].n;", 5);
    check("c.Kept(); c.Kept(); r := d.Kept();", 1103);
}

#[test]
fn properties_and_actions_are_calls() {
    let check = |body: &str, expected: i128| check(COUNTER, body, expected);
    check("c.Double := 14; r := c.n;", 7);
    check("c.Double := 14; r := c.Double + 1;", 15);
    check("c.Double := c.Double + 4; r := c.Double;", 4);
    check("c(); c.Note(); c(step := 4); r := c.n;", 5);
    check("many[i + 2].Double := 8; r := many[2].Double;", 8);
}

#[test]
fn blocks_inherit() {
    let check = |body: &str, expected: i128| check(COUNTER, body, expected);
    check("f(step := 2); r := f.n;", 1002);
    check("r := f.Add(2);", 21);
    // An inherited method calls the overriding one.
    check("f.Twice(doubled => r);", 22);
    check("f.Double := 6; r := f.n;", 3);
    check("f.Kept(); r := c.Kept();", 1102);
}

/// An heir may replace one half of a property: the other one is inherited.
#[test]
fn halves_of_properties_are_inherited() {
    const BLOCKS: &str = "FUNCTION_BLOCK Base
VAR
 raw : INT;
END_VAR
PROPERTY Pos : INT
GET
Pos := raw;
END_GET
SET
raw := Pos;
END_SET
END_PROPERTY
END_FUNCTION_BLOCK
FUNCTION_BLOCK Reads EXTENDS Base
PROPERTY Pos : INT
GET
Pos := raw + 100;
END_GET
END_PROPERTY
END_FUNCTION_BLOCK
FUNCTION_BLOCK Writes EXTENDS Base
PROPERTY Pos : INT
SET
raw := 2 * Pos;
END_SET
END_PROPERTY
END_FUNCTION_BLOCK
FUNCTION_BLOCK Last EXTENDS Reads
END_FUNCTION_BLOCK
---
a : Reads; b : Writes; c : Last; p : REFERENCE TO Base; q : REFERENCE TO Reads; r : INT;
";
    let check = |body: &str, expected: i128| check(BLOCKS, body, expected);
    check("a.Pos := 4; r := a.Pos;", 104);
    check("b.Pos := 4; r := b.Pos;", 8);
    check("c.Pos := 4; r := c.Pos;", 104);
    check("p REF= a; p.Pos := 4; r := p.Pos;", 104);
    check("p REF= b; p.Pos := 4; r := p.Pos;", 8);
    check("q REF= c; q.Pos := 4; r := q.Pos;", 104);
}

#[test]
fn static_variables_of_a_block_exist_once() {
    const BLOCK: &str = "FUNCTION_BLOCK Base
VAR_STAT
 s : INT := 5;
END_VAR
METHOD Up : INT
VAR
 s : INT;
END_VAR
THIS^.s := THIS^.s + 1;
Up := THIS^.s;
END_METHOD
s := s + 10;
END_FUNCTION_BLOCK
FUNCTION_BLOCK Heir EXTENDS Base
s := s + 100;
SUPER^();
END_FUNCTION_BLOCK
FUNCTION_BLOCK Other EXTENDS Heir
END_FUNCTION_BLOCK
---
b : Base; h : Heir; o : Other; r : INT;
";
    let check = |body: &str, expected: i128| check(BLOCK, body, expected);
    check("b.Up(); h.Up(); r := o.Up();", 8);
    check("b(); h(); r := o.Up();", 126);
}

#[test]
fn actions_see_what_lives_in_the_call() {
    const BLOCK: &str = "FUNCTION_BLOCK B
VAR_IN_OUT
 x : INT;
END_VAR
VAR_TEMP
 t : INT := 7;
END_VAR
VAR
 kept : INT;
END_VAR
METHOD Bump : INT
x := x + 1;
Bump := x;
END_METHOD
ACTION Act:
t := t + 1;
x := x + t;
END_ACTION
Act();
Act();
kept := Bump() + t;
x := kept;
END_FUNCTION_BLOCK
---
b : B; r : INT; y : INT;
";
    check(BLOCK, "y := 1; b(x := y); r := y;", 28);
}

#[test]
fn programs_have_actions() {
    let text = r"PROGRAM Main
VAR
 r : INT; i : INT;
END_VAR
ACTION Count:
r := r + i;
i := i + 1;
END_ACTION
FOR i := 1 TO 10 DO Count(); END_FOR;
END_PROGRAM
";
    let project = super::project(text);
    let mut machine = crate::interp::Machine::new(&project, Default::default());
    super::cycle(&mut machine, &[]).unwrap();
    assert_eq!(machine.leaf("Main.r"), Some(crate::hir::Value::Int(25)));
}

#[test]
fn instances_of_methods_are_initialised_with_their_arguments() {
    const BLOCKS: &str = "FUNCTION_BLOCK Scale
VAR
 factor, offset : INT;
END_VAR
METHOD FB_init : BOOL
VAR_INPUT
 bInitRetains, bInCopyCode : BOOL;
 f, o : INT;
END_VAR
factor := f;
offset := o;
END_METHOD
METHOD Scaled : INT
VAR_INPUT
 v : INT;
END_VAR
Scaled := v * factor + offset;
END_METHOD
END_FUNCTION_BLOCK
FUNCTION_BLOCK User
METHOD Run : INT
VAR_INST
 s : Scale(3, -1);
 t : Scale(f := 10, o := 2);
END_VAR
Run := s.Scaled(4) * 100 + t.Scaled(1);
END_METHOD
END_FUNCTION_BLOCK
---
u : User; r : INT;
";
    check(BLOCKS, "r := u.Run();", 1112);
}
