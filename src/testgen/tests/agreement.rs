//! Programs with constructs that random ones lack: each must behave alike in the interpreter and in the CFA, in every cycle and
//! for every input.

use plc_frontend::dialect::DialectId;
use plc_frontend::source::SourceSet;
use plc_frontend::{LoadOptions, Loaded, load};

use kernel::cfa::{ModelOptions, build};
use testgen::readings::{CYCLES, Numbers, behave_alike, inputs};

mod copies;
mod dialects;
mod drawn_routines;
mod references;
mod rungs;
mod start_up;

/// Runs a program several times. Returns whether every run came to its end.
#[track_caller]
fn agree(text: &str) -> bool {
    agree_in("main.st", text, None)
}

/// Does the same for a file of this name, in this dialect.
#[track_caller]
fn agree_in(file: &str, text: &str, dialect: Option<DialectId>) -> bool {
    agree_with(file, text, dialect, |_| {})
}

/// Does the same behind a change of the program.
#[track_caller]
fn agree_with(file: &str, text: &str, dialect: Option<DialectId>, change: impl FnOnce(&mut Loaded)) -> bool {
    let mut sources = SourceSet::default();
    sources.add(file, text);
    let mut parsed = load(&sources, &LoadOptions { dialect, ..LoadOptions::default() });
    assert!(!parsed.has_errors(), "{:#?}\n{text}", parsed.diagnostics);
    change(&mut parsed.value);
    let project = parsed.value.project;
    let model = build(&project, &ModelOptions::default()).unwrap_or_else(|e| panic!("{e}\n{text}"));
    (0..5).all(|seed| {
        let inputs = inputs(&project, &model, &mut Numbers(seed));
        behave_alike(&project, &model, &inputs, text) == CYCLES
    })
}

const BLOCKS: &str = "FUNCTION_BLOCK Base
VAR_INPUT
 gain : INT := 2;
END_VAR
VAR_OUTPUT
 n : INT;
END_VAR
VAR
 i : INT; delay : TON;
END_VAR
METHOD Step : INT
VAR_INPUT
 d : INT := 1;
END_VAR
VAR_INST
 k : INT;
END_VAR
k := k + d;
n := n + Scaled(k);
Step := n;
END_METHOD
METHOD Scaled : INT
VAR_INPUT
 v : INT;
END_VAR
Scaled := v * gain;
END_METHOD
PROPERTY Level : INT
GET
Level := n - i;
END_GET
SET
i := Level;
END_SET
END_PROPERTY
ACTION Loop:
FOR i := 1 TO 3 DO Bump(); END_FOR;
END_ACTION
METHOD Bump
n := n + i;
END_METHOD
Loop();
delay(IN := n > 50, PT := T#300ms);
END_FUNCTION_BLOCK
FUNCTION_BLOCK Derived EXTENDS Base
VAR
 m : INT;
END_VAR
METHOD Scaled : INT
VAR_INPUT
 v : INT;
END_VAR
m := m + 1;
Scaled := SUPER^.Scaled(v) + m;
END_METHOD
IF n > 100 THEN SUPER^(); END_IF;
Step(d := 2);
END_FUNCTION_BLOCK
";

#[test]
fn members_and_inheritance() {
    let check = |vars: &str, body: &str| {
        let text = format!(
            "{BLOCKS}PROGRAM Main\nVAR_INPUT\n a : INT; b : BOOL;\nEND_VAR\nVAR\n x, y : INT;\n{vars}\nEND_VAR\n{body}\nEND_PROGRAM\n"
        );
        assert!(agree(&text), "{text}");
    };
    check("c : Base;", "c(gain := a); x := c.Step(d := x) + c.Level; c.Level := x;");
    check("c : Derived;", "c(gain := a); x := c.Step(); c.Loop();");
    check(
        "c : ARRAY [0..2] OF Derived; k : UINT;",
        "k := (k + 1) MOD 3; c[k](); x := c[k].Step(a); c[2 - k].Level := y; y := c[k].Level;",
    );
    check(
        "c : Base; d : Derived;",
        "IF b THEN c(); x := c.Level; ELSE d(); x := d.Scaled(a); END_IF; d.delay_ := 1;".replace("d.delay_ := 1;", "").as_str(),
    );
}

#[test]
fn actions_share_what_lives_in_the_call() {
    assert!(agree(
        "FUNCTION_BLOCK B
VAR_IN_OUT
 x : INT;
END_VAR
VAR_TEMP
 t : INT := 7;
END_VAR
VAR_INPUT
 a : INT;
END_VAR
METHOD Bump : INT
x := x + a;
Bump := x;
END_METHOD
ACTION Act:
t := t + 1;
x := x + t;
END_ACTION
Act();
IF Bump() > 3 THEN Act(); END_IF;
x := x + t;
END_FUNCTION_BLOCK
PROGRAM Main
VAR_INPUT
 a : INT;
END_VAR
VAR
 b : B; y : INT; i : INT;
END_VAR
ACTION Both:
b(x := y, a := a);
b.a := i;
END_ACTION
FOR i := 1 TO 3 DO Both(); END_FOR;
END_PROGRAM
"
    ));
}

#[test]
fn strings_are_read_before_they_are_written() {
    let check = |body: &str| {
        let text = format!(
            "PROGRAM Main\nVAR_INPUT\n c : BYTE; i : INT;\nEND_VAR\nVAR\n s, t : STRING[6]; n : INT;\nEND_VAR\n{body}\nEND_PROGRAM\n"
        );
        assert!(agree(&text), "{text}");
    };
    check("s := CONCAT('-', s);");
    check("s := 'abc'; IF i > 0 THEN s := CONCAT('x', s); END_IF; s := CONCAT(s, s);");
    check("s := 'abcdef'; s := RIGHT(s, 3); t := s; s := INSERT(s, t, 1);");
    check("s := 'abcdef'; s := MID(s, 3, 2); t := CONCAT(s, t); t := DELETE(t, 2, 1);");
}

/// VAR_INPUT CONSTANT is constant in the body; each call gives it a value.
#[test]
fn constant_inputs_are_given_by_calls() {
    let blocks = "FUNCTION F : INT
VAR_INPUT CONSTANT
 k : INT := 3;
END_VAR
VAR_INPUT
 a : INT;
END_VAR
F := a * k;
END_FUNCTION
FUNCTION_BLOCK B
VAR_INPUT
 go : BOOL;
END_VAR
VAR_INPUT CONSTANT
 limit : TIME := T#500ms; gain : INT := 2;
END_VAR
VAR
 timer : TON; n : INT;
END_VAR
timer(IN := go, PT := limit);
IF timer.Q THEN n := n + gain; END_IF;
END_FUNCTION_BLOCK
";
    let check = |vars: &str, body: &str| {
        let text = format!(
            "{blocks}PROGRAM Main\nVAR_INPUT\n a : INT;\nEND_VAR\nVAR_INPUT CONSTANT\n own : INT := 4;\nEND_VAR\nVAR\n x : INT;\n{vars}\nEND_VAR\n{body}\nEND_PROGRAM\n"
        );
        assert!(agree(&text), "{text}");
    };
    check("", "x := F(a := a, k := x) + F(a := 2) + own;");
    check("b : B;", "b(go := TRUE, limit := T#1s, gain := a);");
    check("b : B; c : B := (gain := 7);", "b(go := TRUE); c(go := a > 0, limit := T#900ms);");
}

#[test]
fn two_references_to_one_variable() {
    assert!(agree(
        "VAR_GLOBAL
 g : INT;
END_VAR
FUNCTION Swap : BOOL
VAR_IN_OUT
 p, q : INT;
END_VAR
VAR
 t : INT;
END_VAR
t := p; p := q + 1; q := t + g;
END_FUNCTION
FUNCTION_BLOCK B
VAR_IN_OUT
 u, v : INT;
END_VAR
VAR
 own : INT;
END_VAR
Swap(p := u, q := v);
Swap(p := u, q := own);
g := g + u;
u := g;
END_FUNCTION_BLOCK
PROGRAM Main
VAR_INPUT
 a : INT;
END_VAR
VAR
 x, y : INT; b : B; l : ARRAY [0..3] OF INT;
END_VAR
x := a;
Swap(p := x, q := x);
Swap(p := x, q := g);
Swap(p := g, q := g);
b(u := x, v := x);
b(u := g, v := y);
b(u := l[x MOD 2 + 1], v := l[y MOD 2 + 1]);
END_PROGRAM
"
    ));
}

#[test]
fn programs_that_others_call_and_read() {
    assert!(agree(
        "PROGRAM Sub
VAR_INPUT
 step : INT := 1;
END_VAR
VAR
 n, i : INT;
END_VAR
ACTION Clear:
n := Main.a;
END_ACTION
FOR i := 1 TO 3 DO n := n + step; Main.back := i; END_FOR;
END_PROGRAM
PROGRAM Main
VAR_INPUT
 a : INT;
END_VAR
VAR
 x, back : INT;
END_VAR
Sub(step := a);
IF Sub.n > 1000 THEN Sub.Clear(); END_IF;
x := Sub.n + back;
Main.x := Main.x + 1;
Other.y := x;
END_PROGRAM
PROGRAM Other
VAR
 y, z : INT;
END_VAR
FOR z := 1 TO 2 DO Main.back := y + Main.back; END_FOR;
END_PROGRAM
"
    ));
}

#[test]
fn tasks_run_when_they_are_due() {
    assert!(agree(
        "PROGRAM Count
VAR_INPUT
 step : INT := 1;
END_VAR
VAR_OUTPUT
 n : INT;
END_VAR
n := n + step;
END_PROGRAM
CONFIGURATION Plant
VAR_GLOBAL
 go : BOOL; total : INT; start AT %IX0.0 : BOOL;
END_VAR
RESOURCE Cpu ON PLC
TASK Slow (INTERVAL := T#30ms, PRIORITY := 2);
TASK Fast (INTERVAL := T#10ms, PRIORITY := 1);
TASK Event (SINGLE := start, PRIORITY := 0);
PROGRAM s WITH Slow : Count (step := 2, n => total);
PROGRAM f WITH Fast : Count;
PROGRAM e WITH Event : Count (step := total);
END_RESOURCE
END_CONFIGURATION
"
    ));
}
