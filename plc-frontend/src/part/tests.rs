//! Parts of projects, and their runs.

use super::*;
use crate::interp::{Limits, Machine, Silent};

fn parts(files: &[(&str, &str)]) -> Parts {
    let mut sources = SourceSet::default();
    for (name, text) in files {
        sources.add(*name, *text);
    }
    Parts::read(&sources)
}

/// Returns the POUs of the program for one POU, and its errors.
#[track_caller]
fn check(files: &[(&str, &str)], pou: &str, pous: &str, errors: &str) {
    let parts = parts(files);
    let (id, _) = parts.pous().find(|(_, p)| p.name.text == pou).unwrap();
    let loaded = parts.alone(id, &LoadOptions::default());
    let mut names: Vec<&str> = loaded.value.project.pous.iter().map(|p| p.name.as_str()).collect();
    names.sort_unstable();
    let found: Vec<&str> =
        loaded.diagnostics.iter().filter(|d| d.severity == crate::text::Severity::Error).map(|d| d.code).collect();
    assert_eq!((names.join(" ").as_str(), found.join(" ").as_str()), (pous, errors), "{:#?}", loaded.diagnostics);
}

const LIBRARY: &str = "TYPE Mode : (Off, On); END_TYPE
TYPE Broken : STRUCT x : Nowhere; END_STRUCT; END_TYPE
FUNCTION Twice : INT
VAR_INPUT
 a : INT;
END_VAR
Twice := 2 * a;
END_FUNCTION
FUNCTION_BLOCK Counter
VAR
 n : INT; mode : Mode;
END_VAR
METHOD Bump
n := Twice(n) + step;
END_METHOD
Bump();
END_FUNCTION_BLOCK
FUNCTION_BLOCK Lacking
VAR
 x : Broken;
END_VAR
END_FUNCTION_BLOCK
FUNCTION_BLOCK Derived EXTENDS Counter
END_FUNCTION_BLOCK
";

const PROGRAMS: &str = "VAR_GLOBAL
 step : INT := 1; other : Broken;
END_VAR
PROGRAM First
VAR
 c : Counter; other : INT;
END_VAR
other := other + 1;
c();
END_PROGRAM
PROGRAM Second
VAR
 l : Lacking;
END_VAR
l();
END_PROGRAM
PROGRAM Third
x := = 1;
END_PROGRAM
PROGRAM Fourth
VAR_EXTERNAL
 step : INT;
END_VAR
VAR
 b : BOOL;
END_VAR
b := step = 1 AND Mode#On = On;
END_PROGRAM
";

#[test]
fn a_part_has_what_it_names_and_no_more() {
    let files = [("lib.st", LIBRARY), ("main.st", PROGRAMS)];
    // `other` belongs to First; the global one is broken.
    check(&files, "First", "Counter Counter.Bump First Twice", "");
    check(&files, "Second", "Lacking Second", "P2002");
    check(&files, "Third", "Third", "P1010");
    check(&files, "Fourth", "Fourth", "");
    // A caller may call what it inherits.
    check(&files, "Derived", "Counter Counter.Bump Derived Derived.Bump Twice", "");
    check(&files, "Twice", "Twice Twice_alone", "");
    check(&files, "Lacking", "Lacking", "P2002");
}

#[test]
fn names_of_lists_namespaces_and_configurations_are_followed() {
    let spaces = "NAMESPACE A.B
FUNCTION F : INT
F := 1;
END_FUNCTION
END_NAMESPACE
NAMESPACE C
USING A.B;
FUNCTION_BLOCK G
VAR
 x : INT;
END_VAR
x := F();
END_FUNCTION_BLOCK
END_NAMESPACE
CONFIGURATION Plant
VAR_GLOBAL
 speed : INT := 3; bad : Nowhere;
END_VAR
RESOURCE R ON PLC
TASK T (INTERVAL := T#10ms, PRIORITY := 1);
PROGRAM p WITH T : P;
END_RESOURCE
END_CONFIGURATION
PROGRAM P
VAR_EXTERNAL
 speed : INT;
END_VAR
VAR
 x : INT;
END_VAR
x := A.B.F() + speed;
END_PROGRAM
";
    let files = [("a.st", spaces)];
    check(&files, "G", "F G", "");
    check(&files, "P", "F P", "");
}

#[test]
fn a_variable_that_only_its_list_leads_to_comes_with_the_name_of_its_list() {
    let list = |name: &str, attribute: &str| {
        let vars = "VAR_GLOBAL x : INT; mode : (Slow, Fast); END_VAR";
        format!("<TcPlcObject><GVL Name='{name}'><Declaration><![CDATA[{attribute}{vars}]]></Declaration></GVL></TcPlcObject>")
    };
    let only = "{attribute 'qualified_only'}\n";
    let (a, b, c) = (list("A", only), list("B", only), list("C", ""));
    let check = |body: &str, expected: &[&str]| {
        let program = format!("PROGRAM P\nVAR y : INT; END_VAR\n{body}\nEND_PROGRAM");
        let parts = parts(&[("A.TcGVL", &a), ("B.TcGVL", &b), ("C.TcGVL", &c), ("p.st", &program)]);
        let (id, _) = parts.pous().next().unwrap();
        let loaded = parts.alone(id, &LoadOptions::default());
        let names: Vec<&str> = loaded.value.project.globals.iter().map(|global| global.name.as_str()).collect();
        assert_eq!(names, expected, "{body}: {:#?}", loaded.diagnostics);
        assert!(!loaded.has_errors(), "{body}: {:#?}", loaded.diagnostics);
    };
    check("y := A.x;", &["A.x", "x"]);
    check("y := b.X + x;", &["B.x", "x"]);
    check("y := x;", &["x"]);
    check("y := y;", &[]);
}

#[test]
fn what_is_declared_is_known_in_every_scope() {
    let parts = parts(&[("lib.st", LIBRARY), ("main.st", PROGRAMS)]);
    for name in ["N", "counter", "bump", "Off", "other", "step", "x", "First"] {
        assert!(parts.declared().contains(name), "{name}");
    }
    let declared = parts.declared();
    assert!(!declared.contains("Nowhere"));
    assert!(declared.contains_type_or_member("mode") && declared.contains_type_or_member("Bump"));
    assert!(!declared.contains_type_or_member("step") && !declared.contains_type_or_member("Off"));
}

#[test]
fn a_function_runs_with_any_arguments() {
    let text = "FUNCTION Sum : DINT
VAR_INPUT CONSTANT
 n : DINT := 2;
END_VAR
VAR_INPUT
 a : ARRAY [0..Last] OF INT;
END_VAR
VAR_IN_OUT
 list : ARRAY [1..2] OF INT;
END_VAR
VAR_OUTPUT
 first : INT;
END_VAR
VAR CONSTANT
 Last : INT := 1;
END_VAR
list[1] := list[1] + a[0];
first := list[1];
Sum := n * a[1];
END_FUNCTION
FUNCTION Nothing
VAR_INPUT
 into : REFERENCE TO INT;
END_VAR
into := into + 1;
END_FUNCTION
";
    let parts = parts(&[("a.st", text)]);
    let run = |pou: &str, leaf: &str| {
        let (id, _) = parts.pous().find(|(_, p)| p.name.text == pou).unwrap();
        let loaded = parts.alone(id, &LoadOptions::default());
        assert!(!loaded.has_errors(), "{:#?}", loaded.diagnostics);
        let mut machine = Machine::new(&loaded.value.project, Limits::default());
        for _ in 0..3 {
            let inputs = loaded.value.project.leaves().into_iter().filter(|l| l.role == crate::hir::Role::Input);
            let inputs = inputs.map(|l| (l.name, crate::hir::Value::Int(5))).collect();
            machine.begin(&inputs, 0).unwrap();
            machine.run(&mut Silent).unwrap();
        }
        machine.leaf(leaf).and_then(|v| v.as_int())
    };
    assert_eq!(run("Sum", "Sum_alone.Sum_result"), Some(25));
    // VAR_IN_OUT of the entry is new in every cycle.
    assert_eq!(run("Sum", "Sum_alone.first"), Some(10));
    assert_eq!(run("Nothing", "Nothing_alone.into"), Some(6));
}
