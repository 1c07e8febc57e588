//! Namespaces: which declaration a name means.

use crate::resolve::testing::{check, check_run};

const SPACES: &str = "NAMESPACE Plant
NAMESPACE Pumps
TYPE Mode : (Off, On); END_TYPE
FUNCTION_BLOCK Unit
VAR_OUTPUT
 m : Mode; k : INT;
END_VAR
m := Mode#On; k := Half(10);
END_FUNCTION_BLOCK
FUNCTION Half : INT
VAR_INPUT
 i : INT;
END_VAR
Half := i / 2;
END_FUNCTION
END_NAMESPACE
FUNCTION Half : INT
VAR_INPUT
 i : INT;
END_VAR
Half := 1000;
END_FUNCTION
END_NAMESPACE
NAMESPACE Plant.Valves
TYPE Mode : (Closed, Opened, On); END_TYPE
FUNCTION_BLOCK Unit
VAR_OUTPUT
 m : Mode; k : INT;
END_VAR
m := Mode.Opened; k := Half(10) + Pumps.Half(4);
END_FUNCTION_BLOCK
FUNCTION_BLOCK Special EXTENDS Unit
SUPER^(); k := k + Limit(1, 2, 3);
END_FUNCTION_BLOCK
FUNCTION Limit : INT
VAR_INPUT
 mn, in, mx : INT;
END_VAR
Limit := 500;
END_FUNCTION
END_NAMESPACE
";

#[track_caller]
fn runs(head: &str, vars: &str, body: &str, expected: &[i128]) {
    let text = format!("{SPACES}PROGRAM P\n{head}\nVAR\n x, y : INT; {vars}\nEND_VAR\n{body}\nEND_PROGRAM");
    check_run(&text, &["P.x", "P.y"], expected, &[]);
}

#[test]
fn names_mean_what_is_nearest() {
    let full = "a : Plant.Pumps.Unit; b : Plant.Valves.Unit;";
    runs("", full, "a(); b(); x := a.k; y := b.k;", &[5, 1002]);
    runs("USING Plant.Pumps;", "a : Unit; b : Valves.Unit;", "a(); b(); x := a.k + b.k; y := Half(8);", &[1007, 4]);
    runs("USING Plant;", "", "x := Half(8); y := Plant.Pumps.Half(8);", &[1000, 4]);
    runs("", "s : Plant.Valves.Special;", "s(); x := s.k; y := LIMIT(1, 7, 3);", &[1502, 3]);
    runs("USING Plant.Valves;", "b : Unit;", "b(); x := LIMIT(1, 7, 3); IF b.m = Mode#Opened THEN y := 1; END_IF;", &[500, 1]);
    runs(
        "",
        "unit : INT; b : Plant.Valves.Unit;",
        "unit := 3; x := unit; b(); IF b.m = Plant.Valves.Mode.Opened THEN y := 1; END_IF;",
        &[3, 1],
    );
}

#[test]
fn names_of_several_namespaces_are_not_guessed() {
    let check = |head: &str, vars: &str, body: &str, expected: &str| {
        let first = SPACES.lines().count();
        let text = format!("{SPACES}PROGRAM P\n{head}\nVAR\n x : INT; {vars}\nEND_VAR\n{body}\nEND_PROGRAM");
        check(&text, &expected.replace("VARS", &(first + 4).to_string()).replace("BODY", &(first + 6).to_string()));
    };
    check("", "u : Unit;", "", "P2008@VARS:15");
    check("USING Plant.Pumps, Plant.Valves;", "u : Unit;", "", "P2008@VARS:15");
    check("USING Plant.Pumps, Plant;", "", "x := Half(1);", "P2008@BODY:6");
}

#[test]
fn internal_declarations_are_used_inside() {
    let text = |of: &str| {
        format!(
            r"NAMESPACE A
FUNCTION_BLOCK INTERNAL Hidden
VAR_OUTPUT
 k : INT;
END_VAR
k := 1;
END_FUNCTION_BLOCK
FUNCTION_BLOCK Shown
VAR_OUTPUT
 h : Hidden;
END_VAR
h();
END_FUNCTION_BLOCK
END_NAMESPACE
PROGRAM P
VAR
 v : {of};
END_VAR
v();
END_PROGRAM"
        )
    };
    check(&text("A.Shown"), "");
    check(&text("A.Hidden"), "P2030@17:6");
}
