//! Methods, properties, actions, inheritance: mistakes and their findings.

use crate::resolve::testing::check;

#[test]
fn blocks_extend_blocks() {
    let main = "PROGRAM Main\nEND_PROGRAM\n";
    let check = |source: &str, expected: &str| check(&format!("{main}{source}"), expected);
    check("FUNCTION_BLOCK A EXTENDS B\nEND_FUNCTION_BLOCK\nFUNCTION_BLOCK B\nEND_FUNCTION_BLOCK", "");
    check("FUNCTION_BLOCK A EXTENDS B\nx := 1;\nEND_FUNCTION_BLOCK", "P2002@3:26");
    check("FUNCTION_BLOCK A EXTENDS A\nEND_FUNCTION_BLOCK", "P4101@3:26");
    check(
        "FUNCTION_BLOCK A EXTENDS B\nEND_FUNCTION_BLOCK\nFUNCTION_BLOCK B EXTENDS A\nEND_FUNCTION_BLOCK",
        "P4101@3:26 P4101@5:26",
    );
    check("FUNCTION_BLOCK A EXTENDS Main\nEND_FUNCTION_BLOCK", "P4101@3:26");
    check("FUNCTION_BLOCK A EXTENDS B\nEND_FUNCTION_BLOCK\nFUNCTION_BLOCK FINAL B\nEND_FUNCTION_BLOCK", "P4101@3:26");
    check(
        r"FUNCTION_BLOCK A EXTENDS B
VAR
 x : INT;
END_VAR
END_FUNCTION_BLOCK
FUNCTION_BLOCK B
VAR
 x : INT;
END_VAR
END_FUNCTION_BLOCK",
        "P4002@5:2",
    );
}

#[test]
fn members_are_used_as_what_they_are() {
    let block = r"FUNCTION_BLOCK B
VAR
 v : INT;
END_VAR
METHOD M : INT
VAR_INPUT
 i : INT;
END_VAR
M := i;
END_METHOD
METHOD N
END_METHOD
PROPERTY P : INT
GET
P := v;
END_GET
END_PROPERTY
ACTION A:
v := 1;
END_ACTION
END_FUNCTION_BLOCK
";
    let check = |body: &str, expected: &str| {
        check(&format!("{block}PROGRAM Main\nVAR\n b : B; x : INT;\nEND_VAR\n{body}\nEND_PROGRAM"), expected);
    };
    check("x := b.M(1); b.N(); b.A(); x := b.P;", "");
    check("x := b.M(TRUE);", "P3001@26:10");
    check("x := b.M(1, 2);", "P3011@26:13");
    check("x := b.M(THIS := b);", "P2005@26:10");
    check("x := b.N();", "P2009@26:6");
    check("x := b.M;", "P2009@26:6");
    check("x := b.P();", "P3012@26:6");
    check("b.P := 1;", "P3013@26:1");
    check("b.Q := 1;", "P2004@26:3");
    check("x := THIS^.x;", "");
    check("SUPER^();", "P4105@26:1");
}

#[test]
fn names_stand_behind_namespaces_and_lists() {
    check(
        r"NAMESPACE Plant.Pumps
TYPE Mode : (Off, On); END_TYPE
FUNCTION_BLOCK Pump
VAR_OUTPUT
 m : Mode;
END_VAR
m := Mode#On;
END_FUNCTION_BLOCK
FUNCTION Twice : INT
VAR_INPUT
 i : INT;
END_VAR
Twice := 2 * i;
END_FUNCTION
END_NAMESPACE
USING Plant.Pumps;
PROGRAM Main
VAR
 p : Pump; q : Plant.Pumps.Pump; x : INT; t : Standard.TON;
END_VAR
p(); x := Plant.Pumps.Twice(1); x := Pumps.Twice(Twice(2)); IF p.m = Plant.Pumps.Mode.Off THEN x := 1; END_IF;
t(IN := TRUE);
END_PROGRAM",
        "",
    );
    let mut sources = crate::text::SourceSet::default();
    let list = |qualified: &str, vars: &str| {
        format!(
            r#"<TcPlcObject><GVL Name="G"><Declaration><![CDATA[{qualified}VAR_GLOBAL
{vars}
END_VAR
]]></Declaration></GVL></TcPlcObject>"#
        )
    };
    sources.add("Plain.TcGVL", list("", "x : INT; both : INT;").replace("\"G\"", "\"Plain\"").as_str());
    sources.add("Own.TcGVL", list("{attribute 'qualified_only'}\n", "z : INT;").replace("\"G\"", "\"Own\"").as_str());
    sources.add("More.TcGVL", list("", "both : INT;").replace("\"G\"", "\"More\"").as_str());
    sources.add("main.st", "PROGRAM Main\nx := Plain.x + Own.z + Plain.both + More.both;\nz := 1;\nboth := 1;\nEND_PROGRAM");
    let loaded = crate::load(&sources, &crate::LoadOptions::default());
    let found = crate::resolve::testing::summary(&loaded.value.sources, &loaded.diagnostics, 1);
    assert_eq!(found, "P2001@3:1 P2008@4:1", "{:#?}", loaded.diagnostics);
}

/// CODESYS and TwinCAT look for local names first; a point in front of the name means the list.
#[test]
fn a_local_variable_comes_before_a_list_of_its_name() {
    let mut sources = crate::text::SourceSet::default();
    for (name, var) in [("A", "x"), ("C", "m")] {
        let text = format!(
            "<TcPlcObject><GVL Name=\"{name}\"><Declaration><![CDATA[VAR_GLOBAL\n {var} : INT := 77;\nEND_VAR]]></Declaration></GVL></TcPlcObject>"
        );
        sources.add(format!("{name}.TcGVL"), text);
    }
    let text = r"TYPE T : STRUCT x : INT := 3; END_STRUCT END_TYPE
FUNCTION_BLOCK B
METHOD m : INT
m := 9;
END_METHOD
END_FUNCTION_BLOCK
PROGRAM P
VAR
 A : T; C : B; y, z, v, w : INT;
END_VAR
y := A.x; z := C.m(); v := .A.x; w := .C.m;
END_PROGRAM";
    sources.add("main.st", text);
    let loaded = crate::load(&sources, &crate::LoadOptions::default());
    assert!(!loaded.has_errors(), "{:#?}", loaded.diagnostics);
    let mut machine = crate::interp::Machine::new(&loaded.value.project, crate::interp::Limits::default());
    machine.begin(&std::collections::BTreeMap::new(), 0).unwrap();
    machine.run(&mut crate::interp::Silent).unwrap();
    let value = |name: &str| machine.leaf(name).and_then(crate::hir::Value::as_int);
    assert_eq!(["P.y", "P.z", "P.v", "P.w"].map(value), [Some(3), Some(9), Some(77), Some(77)]);
}

#[test]
fn classes_keep_their_promises() {
    let main = r"INTERFACE I
METHOD M : INT
VAR_INPUT
 i : INT;
END_VAR
END_METHOD
END_INTERFACE
INTERFACE J EXTENDS I
END_INTERFACE
FUNCTION_BLOCK ABSTRACT A IMPLEMENTS J
METHOD ABSTRACT N
END_METHOD
END_FUNCTION_BLOCK
";
    let check = |source: &str, body: &str, expected: &str| {
        check(&format!("{main}{source}\nPROGRAM Main\nVAR\n j : I; x : INT;\n{body}\nEND_PROGRAM"), expected);
    };
    let good = r"FUNCTION_BLOCK B EXTENDS A
METHOD M : INT
VAR_INPUT
 i : INT;
END_VAR
END_METHOD
METHOD N
END_METHOD
END_FUNCTION_BLOCK";
    check(good, "b : B; k : J;\nEND_VAR\nj := b; k := b; j := k; x := j.M(1);", "P4006@15:8 warning");
    check("", "a : A;\nEND_VAR", "P4102@18:1");
    check("FUNCTION_BLOCK B IMPLEMENTS J\nEND_FUNCTION_BLOCK", "END_VAR", "P4103@14:29");
    check("FUNCTION_BLOCK B EXTENDS A\nEND_FUNCTION_BLOCK", "END_VAR", "P4103@14:16");
    check("FUNCTION_BLOCK B IMPLEMENTS K\nEND_FUNCTION_BLOCK", "END_VAR", "P2002@14:29");
    check("FUNCTION_BLOCK B\nEND_FUNCTION_BLOCK", "b : B;\nEND_VAR\nj := b;", "P3001@21:6");
    let other = r"FUNCTION_BLOCK B IMPLEMENTS I
METHOD M : INT
VAR_INPUT
 i : DINT;
END_VAR
M := 1;
END_METHOD
END_FUNCTION_BLOCK";
    check(other, "b : B;\nEND_VAR\nj := b; x := j.M(1);", "P4104@2:1");
}

#[test]
fn structures_extend_structures() {
    let types = |second: &str| {
        format!(
            r"TYPE A : STRUCT x : INT := 3; END_STRUCT; END_TYPE
TYPE B EXTENDS A : STRUCT {second} : BOOL; END_STRUCT; END_TYPE
PROGRAM Main
VAR
 b : B := (x := 4); i : INT;
END_VAR
i := b.x;
END_PROGRAM"
        )
    };
    check(&types("y"), "");
    check(&types("x"), "P4002@2:27");
    check("TYPE B EXTENDS INT : STRUCT y : BOOL; END_STRUCT; END_TYPE\nPROGRAM Main\nEND_PROGRAM", "P4101@1:16");
}

#[test]
fn programs_are_called_and_seen_by_others() {
    check(
        r"PROGRAM Main
Sub(i := 1);
Sub.n := Sub.i;
END_PROGRAM
PROGRAM Sub
VAR_INPUT
 i : INT;
END_VAR
VAR
 n : INT;
END_VAR
n := n + i;
END_PROGRAM",
        "",
    );
    let loaded =
        crate::resolve::testing::loaded("PROGRAM Main\nSub();\nEND_PROGRAM\nPROGRAM Sub\nEND_PROGRAM\nPROGRAM Free\nEND_PROGRAM");
    let project = loaded.value.project;
    let run: Vec<&str> = project.task.runs.iter().map(|id| project.instances[*id].name.as_str()).collect();
    assert_eq!(run, ["Main", "Free"]);
}

#[test]
fn private_and_protected_members_are_not_for_everybody() {
    let check = |inside: &str, heir: &str, main: &str, expected: &str| {
        let source = format!(
            r"FUNCTION_BLOCK B
METHOD PRIVATE Pri : INT
Pri := 1;
END_METHOD
METHOD PROTECTED Pro : INT
Pro := 2;
END_METHOD
METHOD PUBLIC Pub : INT
Pub := Pri() + THIS^.Pro();
END_METHOD
{inside}
END_FUNCTION_BLOCK
FUNCTION_BLOCK D EXTENDS B
VAR
 x : INT;
END_VAR
{heir}
END_FUNCTION_BLOCK
PROGRAM P
VAR
 b : B; d : D; x : INT;
END_VAR
{main}
END_PROGRAM
"
        );
        crate::resolve::testing::check(&source, expected);
    };
    check("Pri();", "x := Pro() + SUPER^.Pro() + Pub();", "x := b.Pub() + d.Pub();", "");
    check("", "x := Pri();", "", "P2030@17:6");
    check("", "", "x := b.Pri();", "P2030@23:8");
    check("", "", "x := d.Pro();", "P2030@23:8");
}
