//! Calls through references in code beside the run, as tables.

use crate::hir::Reason;
use crate::isolation::load_isolated;
use crate::resolve::LoadOptions;
use crate::text::SourceSet;

const BLOCKS: &str = "FUNCTION_BLOCK Base
METHOD M
VAR_IN_OUT q : INT; END_VAR
END_METHOD
METHOD A
VAR_INPUT p : POINTER TO INT; END_VAR
END_METHOD
METHOD R
VAR_INPUT x : REFERENCE TO INT; END_VAR
END_METHOD
METHOD G
END_METHOD
METHOD O
VAR_OUTPUT y : INT; END_VAR
END_METHOD
END_FUNCTION_BLOCK
FUNCTION_BLOCK D EXTENDS Base IMPLEMENTS I
METHOD M
VAR_IN_OUT q : INT; END_VAR
q := 5;
END_METHOD
METHOD A
VAR_INPUT p : POINTER TO INT; END_VAR
p^ := 5;
END_METHOD
METHOD R
VAR_INPUT x : REFERENCE TO INT; END_VAR
x := 5;
END_METHOD
METHOD G
h := 5;
END_METHOD
METHOD O
VAR_OUTPUT y : INT; END_VAR
y := 5;
END_METHOD
END_FUNCTION_BLOCK
INTERFACE I
METHOD M
VAR_IN_OUT q : INT; END_VAR
END_METHOD
END_INTERFACE
";
const MAIN: &str = "PROGRAM Main
VAR n : INT; END_VAR
n := g + h;
END_PROGRAM
VAR_GLOBAL g : INT := 0; h : INT := 0; END_VAR
";

/// Checks the names of the global variables that a program beside the run may write.
#[track_caller]
fn check(vars: &str, body: &str, others: &str, expected: &[&str]) {
    let mut sources = SourceSet::default();
    sources.add("main.st", format!("{MAIN}{BLOCKS}{others}PROGRAM P2\nVAR {vars} END_VAR\n{body}\nEND_PROGRAM\n"));
    let loaded = load_isolated(&sources, &LoadOptions { entry: Some("Main".to_owned()), ..LoadOptions::default() });
    assert!(loaded.value.runs, "{:?}", loaded.diagnostics);
    let is_written = |reason: &Reason| matches!(reason, Reason::WrittenElsewhere(_) | Reason::Mentioned);
    let environment = &loaded.value.project.environment;
    let found: Vec<&str> = environment.iter().filter(|(_, row)| is_written(&row.reason)).map(|(name, _)| name.as_str()).collect();
    assert_eq!(found, expected, "{vars} {body} {:?}", loaded.diagnostics);
}

/// `D.G` writes `h` in each of these programs.
#[test]
fn calls_through_references_write_their_arguments() {
    let check = |vars: &str, body: &str, expected: &[&str]| check(vars, body, "", expected);
    check("d : D;", "d.M(q := g);", &["g", "h"]);
    check("d : D; p : POINTER TO Base;", "p := ADR(d); p^.M(q := g);", &["g", "h"]);
    check("d : D; r : REFERENCE TO Base;", "r REF= d; r.M(q := g);", &["g", "h"]);
    check("d : D; i : I;", "i := d; i.M(q := g);", &["g", "h"]);
    check("d : D; p : POINTER TO Base;", "p := ADR(d); p^.A(ADR(g));", &["g", "h"]);
    check("d : D; p : POINTER TO Base;", "p := ADR(d); p^.R(g);", &["g", "h"]);
    check("d : D; p : POINTER TO Base;", "p := ADR(d); p^.O(y => g);", &["g", "h"]);
    check("d : D; p : POINTER TO Base; k : INT;", "p := ADR(d); p^.G(); k := g;", &["h"]);
    check("d : ARRAY [0..3] OF D; p : POINTER TO Base; k : INT;", "p := ADR(d[k]); p^.M(q := g);", &["g", "h"]);
    check("d : D; p : POINTER TO Base;", "p := Unknown(ADR(d)); p^.M(q := g);", &["g", "h"]);
}

#[test]
fn calls_through_arguments_write_their_arguments() {
    let block = "FUNCTION_BLOCK F\nVAR_INPUT i : I; END_VAR\ni.M(q := g);\nEND_FUNCTION_BLOCK\n";
    check("f : F; d : D;", "f(i := d);", block, &["g", "h"]);
    let block = "FUNCTION_BLOCK F\nVAR_IN_OUT b : Base; END_VAR\nb.M(q := g);\nEND_FUNCTION_BLOCK\n";
    check("f : F; d : D;", "f(b := d);", block, &["g", "h"]);
    let function =
        "FUNCTION F : BOOL\nVAR_INPUT i : I; END_VAR\nVAR_IN_OUT x : INT; END_VAR\ni.M(q := x);\nF := TRUE;\nEND_FUNCTION\n";
    check("d : D; b : BOOL;", "b := F(i := d, x := g);", function, &["g", "h"]);
}
