//! Names that a project and its libraries declare both, and names behind those of libraries.

use std::collections::BTreeMap;

use super::{loaded, plcproj, pou};
use crate::interp::{Limits, Machine, Silent};

/// A block and its values in the project and in each library.
fn unit(value: i32) -> String {
    format!(
        "TYPE Mode : (Off := {value}, On := {}); END_TYPE
        VAR_GLOBAL CONSTANT\n Limit : INT := {value};\nEND_VAR
        FUNCTION Twice : INT\nVAR_INPUT\n x : INT;\nEND_VAR\nTwice := x + Limit;\nEND_FUNCTION
        FUNCTION_BLOCK Unit\nVAR_OUTPUT\n y : INT; m : Mode;\nEND_VAR\nm := On; y := Twice(1000) + List.own;\nEND_FUNCTION_BLOCK\n",
        value + 1
    )
}

fn list(value: i32) -> String {
    format!(
        "<TcPlcObject><GVL Name=\"List\"><Declaration><![CDATA[VAR_GLOBAL\n own : INT := {value};\nEND_VAR]]></Declaration></GVL></TcPlcObject>"
    )
}

/// Returns a project with the libraries A and B; A sees B.
fn solution(main: &str, own: &str) -> Vec<(String, String)> {
    let file = |name: &str, text: String| (name.to_owned(), text);
    vec![
        file("App/App.plcproj", plcproj("App", &["MAIN.TcPOU", "own.st"], &["A", "B"])),
        file("App/MAIN.TcPOU", main.to_owned()),
        file("App/own.st", format!("{own}\nTYPE Other : INT; END_TYPE\n")),
        file("A/A.plcproj", plcproj("A", &["a.st", "List.TcGVL"], &["B"])),
        file("A/a.st", format!("{}FUNCTION_BLOCK Heir EXTENDS B.Unit\nSUPER^();\nEND_FUNCTION_BLOCK\n", unit(10))),
        file("A/List.TcGVL", list(100)),
        file("B/B.plcproj", plcproj("B", &["b.st", "List.TcGVL"], &[])),
        file("B/b.st", format!("{}FUNCTION OnlyB : INT\nOnlyB := Limit;\nEND_FUNCTION\n", unit(20))),
        file("B/List.TcGVL", list(200)),
    ]
}

/// Asserts the errors of a program, and the values of its variables `x` and `z` after a cycle.
#[track_caller]
fn check(vars: &str, body: &str, own: &str, expected: Result<(i128, i128), &str>) {
    let main = pou(&format!("PROGRAM MAIN\nVAR\n x, z : INT; {vars}\nEND_VAR"), body);
    let files = solution(&main, own);
    let files: Vec<(&str, &str)> = files.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
    let (read, errors) = loaded(&files, None);
    let values = |read: &crate::Loaded| {
        let mut machine = Machine::new(&read.project, Limits::default());
        machine.begin(&BTreeMap::new(), 0).unwrap();
        machine.run(&mut Silent).unwrap();
        let value = |name: &str| machine.leaf(name).and_then(|value| value.as_int()).unwrap_or(-1);
        (value("MAIN.x"), value("MAIN.z"))
    };
    let found = if errors.is_empty() { Ok(values(&read)) } else { Err(errors.as_str()) };
    assert_eq!(found, expected, "{vars} {body}");
}

/// The meaning of a name behind that of a library is known for code only.
#[test]
fn conditions_cannot_name_libraries() {
    let main = pou("PROGRAM MAIN\nVAR\n x : INT;\nEND_VAR", "x := A.List.own;");
    let files = solution(&main, "");
    let files: Vec<(&str, &str)> = files.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
    let (mut read, errors) = loaded(&files, None);
    assert_eq!(errors, "");
    let mut codes = |text: &str| {
        let parsed = crate::condition(&mut read, "R1", text);
        (parsed.value.is_some(), parsed.diagnostics.iter().map(|finding| finding.code).collect::<Vec<_>>())
    };
    assert_eq!(codes("MAIN.x = 100"), (true, vec![]));
    assert_eq!(codes("A.List.own = 100"), (false, vec![crate::codes::NOT_MODELLED]));
    assert_eq!(codes("MAIN.x = A.own"), (false, vec![crate::codes::NOT_MODELLED]));
}

#[test]
fn a_project_and_its_libraries_see_their_own_names_first() {
    let own = unit(1);
    // The list is one of the libraries only.
    check("u : Unit; a : A.Unit;", "a(); x := a.y; z := Limit;", &own.replace("+ List.own", ""), Ok((1110, 1)));
    check("a : A.Unit; b : B.Unit;", "a(); b(); x := a.y; z := b.y;", "", Ok((1110, 1220)));
    // Inherited code keeps the meaning that it has where it is written.
    check("h : Heir; m : A.Heir;", "h(); m(); x := h.y; z := A.Limit;", &own.replace("+ List.own", ""), Ok((1220, 10)));
    check("", "x := A.Twice(1) + B.Twice(2); z := A.List.own + B.List.own;", "", Ok((33, 300)));
    check("", "x := OnlyB(); z := TO_INT(A.Mode.On) + TO_INT(B.Mode.On);", "", Ok((20, 32)));
    check("", "x := B.OnlyB(); z := A.B.OnlyB();", "", Ok((20, 20)));
    // A variable of the library's name hides the library.
    check("A : B.Unit;", "A(); x := A.y;", "", Ok((1220, 0)));
}

#[test]
fn names_that_may_mean_two_things_are_errors() {
    let several = |name: &str| format!("P2008 several libraries or folders declare `{name}`");
    check("", "x := Limit;", "", Err(&several("Limit")));
    check("", "x := Twice(1);", "", Err(&several("Twice")));
    check("", "x := List.own;", "", Err(&several("List")));
    check("m : A.Mode;", "m := On;", "", Err(&several("On")));
    check("u : Unit;", "u();", "", Err("P2008 several libraries or folders declare `Unit`"));
}

#[test]
fn names_that_a_library_does_not_have_are_errors() {
    check(
        "u : A.Own;",
        "u();",
        "FUNCTION_BLOCK Own\nEND_FUNCTION_BLOCK",
        Err("P2002 there is no type or function block `Own in A`"),
    );
    check("", "x := A.OwnF();", "FUNCTION OwnF : INT\nOwnF := 1;\nEND_FUNCTION", Err("P2003 there is no function `OwnF`"));
    check("", "x := A.mine;", "VAR_GLOBAL\n mine : INT;\nEND_VAR", Err("P2001 there is no variable `mine` here"));
}

/// A library does not see the declarations of the project.
#[test]
fn libraries_do_not_see_the_project() {
    let check = |declaration: &str, use_of_it: &str| {
        let main = pou("PROGRAM MAIN\nVAR\n u : Unit;\nEND_VAR", "u();");
        let app = plcproj("App", &["MAIN.TcPOU", "own.st"], &["L"]);
        let library = plcproj("L", &["l.st"], &[]);
        let block = format!("FUNCTION_BLOCK Unit\nVAR\n x : INT; {use_of_it}\nEND_FUNCTION_BLOCK\n");
        let files = [
            ("App/App.plcproj", app.as_str()),
            ("App/MAIN.TcPOU", &main),
            ("App/own.st", declaration),
            ("L/L.plcproj", &library),
            ("L/l.st", &block),
        ];
        let (_, errors) = loaded(&files, None);
        assert!(errors.starts_with("P200"), "{declaration} {use_of_it}: {errors}");
    };
    check("FUNCTION_BLOCK Own\nEND_FUNCTION_BLOCK", "o : Own;\nEND_VAR\no();");
    check("FUNCTION Own : INT\nOwn := 1;\nEND_FUNCTION", "END_VAR\nx := Own();");
    check("VAR_GLOBAL\n Own : INT;\nEND_VAR", "END_VAR\nx := Own;");
    check("TYPE Own : (Red, Green); END_TYPE", "END_VAR\nx := TO_INT(Red);");
    check("TYPE Own : (Red, Green); END_TYPE", "END_VAR\nx := TO_INT(Own.Red);");
    check("PROGRAM Own\nVAR\n y : INT;\nEND_VAR\nEND_PROGRAM", "END_VAR\nx := Own.y;");
}

/// A project's own block of a standard name is not that of its libraries.
#[test]
fn a_block_of_the_project_does_not_replace_the_standard_one_in_libraries() {
    let own =
        "FUNCTION_BLOCK TON\nVAR_INPUT\n IN : BOOL;\nEND_VAR\nVAR_OUTPUT\n Q : BOOL; n : INT := 7;\nEND_VAR\nEND_FUNCTION_BLOCK";
    let main = pou("PROGRAM MAIN\nVAR\n u : Unit; t : TON; x, z : INT;\nEND_VAR", "u(); t(); x := t.n; z := u.y;");
    let block = "FUNCTION_BLOCK Unit\nVAR_OUTPUT\n y : INT; t : TON;\nEND_VAR\nt(IN := TRUE, PT := T#0s); y := SEL(t.Q, 0, 3);\nEND_FUNCTION_BLOCK\n";
    let (app, library) = (plcproj("App", &["MAIN.TcPOU", "own.st"], &["L"]), plcproj("L", &["l.st"], &[]));
    let files = [
        ("App/App.plcproj", app.as_str()),
        ("App/MAIN.TcPOU", &main),
        ("App/own.st", own),
        ("L/L.plcproj", &library),
        ("L/l.st", block),
    ];
    let (read, errors) = loaded(&files, None);
    assert_eq!(errors, "");
    let mut machine = Machine::new(&read.project, Limits::default());
    machine.begin(&BTreeMap::new(), 0).unwrap();
    machine.run(&mut Silent).unwrap();
    let value = |name: &str| machine.leaf(name).and_then(|value| value.as_int());
    assert_eq!((value("MAIN.x"), value("MAIN.z")), (Some(7), Some(3)));
}

/// A program of a library runs only where code calls it, and keeps its variables.
#[test]
fn programs_of_libraries_are_called() {
    let main = pou("PROGRAM MAIN\nVAR\n u : Unit; x, z : INT;\nEND_VAR", "u(); u(); x := u.y; z := L.Prg.n;");
    let library = "PROGRAM Prg\nVAR\n n : INT;\nEND_VAR\nn := n + 1;\nEND_PROGRAM
        FUNCTION_BLOCK Unit\nVAR_OUTPUT\n y : INT;\nEND_VAR\nPrg(); y := Prg.n;\nEND_FUNCTION_BLOCK\n";
    let (app, list) = (plcproj("App", &["MAIN.TcPOU"], &["L"]), plcproj("L", &["l.st"], &[]));
    let files = [("App/App.plcproj", app.as_str()), ("App/MAIN.TcPOU", &main), ("L/L.plcproj", &list), ("L/l.st", library)];
    let (read, errors) = loaded(&files, None);
    assert_eq!((errors.as_str(), read.project.task.runs.len()), ("", 1));
    let mut machine = Machine::new(&read.project, Limits::default());
    machine.begin(&BTreeMap::new(), 0).unwrap();
    machine.run(&mut Silent).unwrap();
    let value = |name: &str| machine.leaf(name).and_then(|value| value.as_int());
    assert_eq!((value("MAIN.x"), value("MAIN.z")), (Some(2), Some(2)));
}

/// In front of a name, a library of the system has no declaration of the project.
#[test]
fn names_of_system_libraries_are_not_those_of_the_project() {
    let own = "FUNCTION_BLOCK FB_FileOpen\nEND_FUNCTION_BLOCK\nFUNCTION_BLOCK TON\nEND_FUNCTION_BLOCK";
    let unknown = |name: &str| format!("P2002 there is no type or function block `{name}`");
    check("t : FB_FileOpen; k : TON;", "t(); k();", own, Ok((0, 0)));
    check("t : Tc2_System.FB_FileOpen;", "t();", own, Err(&unknown("FB_FileOpen in Tc2_System")));
    check("t : Tc2_Standard.TON;", "t(IN := TRUE, PT := T#0s); x := SEL(t.Q, 0, 1);", own, Ok((1, 0)));
    let main = pou("PROGRAM MAIN\nVAR\n t : Tc2_Standard.TON;\nEND_VAR", "t();");
    let project = plcproj("App", &["MAIN.TcPOU", "own.st"], &[]);
    let files = [("App.plcproj", project.as_str()), ("MAIN.TcPOU", &main), ("own.st", own)];
    assert_eq!(loaded(&files, None).1, unknown("TON in Tc2_Standard"));
}

/// Of loose files, those in the nearest folder are meant.
#[test]
fn loose_files_see_the_nearest_folder_first() {
    let main = "PROGRAM Main\nVAR_OUTPUT\n x, z : INT;\nEND_VAR\nVAR\n a : InA; b : InB;\nEND_VAR\na(); b(); x := a.y; z := b.y;\nEND_PROGRAM";
    let f = |value: i32| format!("FUNCTION F : INT\nF := {value};\nEND_FUNCTION\n");
    let block = |name: &str| format!("FUNCTION_BLOCK {name}\nVAR_OUTPUT\n y : INT;\nEND_VAR\ny := F();\nEND_FUNCTION_BLOCK\n");
    let (a, b, f1, f2) = (block("InA"), block("InB"), f(1), f(2));
    let values = |files: &[(&str, &str)]| {
        let (read, errors) = loaded(files, None);
        let mut machine = Machine::new(&read.project, Limits::default());
        machine.begin(&BTreeMap::new(), 0).unwrap();
        machine.run(&mut Silent).unwrap();
        let value = |name: &str| machine.leaf(name).and_then(|value| value.as_int());
        (errors, value("Main.x"), value("Main.z"))
    };
    let files = [("main.st", main), ("a/x.st", &a), ("a/f.st", &f1), ("b/x.st", &b), ("b/lib/f.st", &f2)];
    assert_eq!(values(&files), (String::new(), Some(1), Some(2)));
    // The same text is one declaration.
    let files = [("main.st", main), ("a/x.st", &a), ("b/x.st", &b), ("c/f.st", &f1), ("d/f.st", &f1)];
    assert_eq!(values(&files), (String::new(), Some(1), Some(1)));
    // Two folders are as near.
    let files = [("main.st", main), ("a/x.st", &a), ("b/x.st", &b), ("c/f.st", &f1), ("d/f.st", &f2)];
    assert!(loaded(&files, None).1.contains("P2008 several libraries or folders declare `F`"));
}

/// A library in front of a type does not hide the type from inference.
#[test]
fn declarations_are_inferred_from_types_of_libraries() {
    let own = "FUNCTION_BLOCK Own\nEND_FUNCTION_BLOCK";
    check("l : Lost;", "l(q := B.OnlyB()); x := l.z + 1;", own, Ok((1, 0)));
}

/// One library of Automation Studio in two packages: equal declarations count once, and an error about others names both places.
#[test]
fn a_library_in_two_packages() {
    let fun = |ty: &str| {
        format!("FUNCTION_BLOCK Blk\nVAR_INPUT\n i : {ty};\nEND_VAR\nVAR_OUTPUT\n o : INT;\nEND_VAR\nEND_FUNCTION_BLOCK\n")
    };
    let body = |n: u32| format!("FUNCTION_BLOCK Blk\no := {n};\nEND_FUNCTION_BLOCK\n");
    let check = |second: (&str, u32), expected: &[&str]| {
        let (one, two) = ((fun("INT"), body(1)), (fun(second.0), body(second.1)));
        let files = [
            ("Logical/P/Lib/IEC.lby", super::STUDIO),
            ("Logical/P/Lib/Lib.fun", &one.0),
            ("Logical/P/Lib/Blk.st", &one.1),
            ("Logical/Q/Lib/IEC.lby", super::STUDIO),
            ("Logical/Q/Lib/Lib.fun", &two.0),
            ("Logical/Q/Lib/Blk.st", &two.1),
            ("Logical/Main/IEC.prg", super::STUDIO),
            ("Logical/Main/Main.var", "VAR\n b : Blk;\nEND_VAR"),
            ("Logical/Main/Main.st", "PROGRAM _CYCLIC\nb(i := 1);\nEND_PROGRAM"),
        ];
        let sources = super::set(&files);
        let loaded = crate::load_isolated(&sources, &crate::LoadOptions::default());
        let errors = loaded.diagnostics.iter().filter(|d| d.severity == crate::text::Severity::Error);
        let places = errors.flat_map(|d| &d.labels).map(|label| sources.files[label.span.file].name.as_str());
        assert_eq!(places.collect::<Vec<_>>(), expected, "{second:?} {:#?}", loaded.diagnostics);
    };
    check(("INT", 1), &[]);
    let both = ["Logical/Main/Main.var", "Logical/P/Lib/Blk.st", "Logical/Q/Lib/Blk.st"];
    check(("INT", 2), &both);
    check(("DINT", 1), &both);
}
