//! Programs and blocks of B&R, from several files.

use crate::text::{Severity, SourceSet};
use crate::{LoadOptions, Loaded, load};

fn loaded(files: &[(&str, &str)]) -> Loaded {
    let mut sources = SourceSet::default();
    files.iter().for_each(|(name, text)| {
        sources.add(*name, *text);
    });
    let parsed = load(&sources, &LoadOptions::default());
    assert!(!parsed.has_errors(), "{:#?}", parsed.diagnostics);
    parsed.value
}

const TYPES: &str = "TYPE\n\tCommand_typ : STRUCT\n\t\tType : USINT; (*kind*)\n\t\tAction : UDINT;\n\tEND_STRUCT;\nEND_TYPE\n";
const VARIABLES: &str = "VAR\n\tcommand : Command_typ;\n\ttotal : UDINT;\nEND_VAR\nVAR CONSTANT\n\tMOST : USINT := 3;\nEND_VAR\n";
const CYCLIC: &str =
    "PROGRAM _CYCLIC\n\tNext;\n\tcommand.Type := MIN(command.Type + 1, MOST);\n\tgTotal := total;\nEND_PROGRAM\n";
const INIT: &str = "PROGRAM _INIT\n\tcommand.Type := 1;\n\tIF TRUE THEN RETURN; END_IF;\n\ttotal := 7;\nEND_PROGRAM\n";

#[test]
fn the_parts_of_a_folder_are_one_program() {
    let loaded = loaded(&[
        ("P/Logical/Global.var", "VAR\n\tgTotal : UDINT;\nEND_VAR\n"),
        ("P/Logical/Motor/IEC.prg", "<?xml version=\"1.0\"?><Program><Files/></Program>"),
        ("P/Logical/Motor/Motor.typ", TYPES),
        ("P/Logical/Motor/Motor.var", VARIABLES),
        ("P/Logical/Motor/Cyclic.st", CYCLIC),
        ("P/Logical/Motor/Init.st", INIT),
        ("P/Logical/Motor/Exit.st", "PROGRAM _EXIT\nEND_PROGRAM\n"),
        ("P/Logical/Motor/Actions.st", "ACTION Next:\n\ttotal := total + 1;\nEND_ACTION\n"),
    ]);
    let mut machine = crate::interp::Machine::new(&loaded.project, crate::interp::Limits::default());
    let mut values = Vec::new();
    for _ in 0..3 {
        machine.begin(&std::collections::BTreeMap::new(), 0).unwrap();
        machine.run(&mut crate::interp::Silent).unwrap();
        values.push(["Motor.command.Type", "Motor.total", "gTotal"].map(|name| machine.leaf(name).unwrap().as_int().unwrap()));
    }
    assert_eq!(values, [[2, 1, 1], [3, 2, 2], [3, 3, 3]]);
    let noted: Vec<&str> = loaded.ledger.gaps.iter().map(|gap| gap.construct.as_str()).collect();
    assert_eq!(noted, ["`_INIT` of `Motor`"]);
    assert!(loaded.ledger.ignored.iter().any(|part| part.what == "PROGRAM _EXIT"));
}

#[test]
fn an_interface_gets_its_statements() {
    let interface = "FUNCTION_BLOCK Ramp\n\tVAR_INPUT\n\t\tTarget : INT;\n\tEND_VAR\n\tVAR_OUTPUT\n\t\tValue : INT;\n\tEND_VAR\nEND_FUNCTION_BLOCK\n\
        FUNCTION Twice : INT\n\tVAR_INPUT\n\t\tx : INT;\n\tEND_VAR\nEND_FUNCTION\n\
        FUNCTION_BLOCK InC\n\tVAR_OUTPUT\n\t\tq : BOOL;\n\tEND_VAR\nEND_FUNCTION_BLOCK\n";
    let body = "FUNCTION_BLOCK Ramp\n\tIF Value < Target THEN Value := Value + 1; END_IF;\nEND_FUNCTION_BLOCK\n\
        FUNCTION Twice\n\tTwice := 2 * x;\nEND_FUNCTION\n";
    let program = "PROGRAM _CYCLIC\n\tramp(Target := Twice(2));\n\tc();\nEND_PROGRAM\n";
    let loaded = loaded(&[
        ("Logical/Libraries/Lib/Lib.fun", interface),
        ("Logical/Libraries/Lib/code/Ramp.st", body),
        ("Logical/Main/Main.var", "VAR\n\tramp : Ramp;\n\tc : InC;\nEND_VAR\n"),
        ("Logical/Main/Main.st", program),
    ]);
    let bodies: Vec<(&str, bool)> = loaded
        .project
        .pous
        .iter()
        .map(|pou| (pou.name.as_str(), loaded.project.stubs.values().count() == 1 && !pou.body.is_empty()))
        .collect();
    assert_eq!(bodies, [("InC", true), ("Ramp", true), ("Twice", true), ("Main", true)]);
}

#[test]
fn references_get_the_variable_at_an_address() {
    let loaded = loaded(&[
        ("Main/Main.var", "VAR\n\tr : REFERENCE TO INT;\n\ta, b : INT;\n\tn : UDINT;\nEND_VAR\n"),
        ("Main/Main.st", "PROGRAM _CYCLIC\n\tr ACCESS ADR(a);\n\tr := 5;\n\tr ACCESS n;\nEND_PROGRAM\n"),
    ]);
    let gaps: Vec<&str> = loaded.ledger.gaps.iter().map(|gap| gap.construct.as_str()).collect();
    assert_eq!(gaps, ["ACCESS of an address that is computed"]);
}

/// Errors in the files of a program belong to its parts.
#[test]
fn a_part_of_a_program_with_an_error_is_left_out() {
    let mut sources = SourceSet::default();
    sources.add("Main/Main.var", "VAR\n\tm : ARRAY [3..1] OF INT;\n\tn : INT;\nEND_VAR\n");
    sources.add("Main/Main.st", "PROGRAM _CYCLIC\n\tn := 1;\n\tNext;\nEND_PROGRAM\n");
    sources.add("Main/Actions.st", "ACTION Next:\n\tn := 2;\n\tn := missing;\nEND_ACTION\n");
    let loaded = crate::load_isolated(&sources, &LoadOptions::default());
    let parts: Vec<String> = loaded.value.left_out.iter().map(|part| format!("{:?} {}", part.kind, part.name)).collect();
    assert_eq!((loaded.value.runs, parts.join(", ")), (true, "Variable m, Statement Main.Next".to_owned()));
}

#[test]
fn declarations_of_operators_add_nothing() {
    let operators = "{REDUND_OK} FUNCTION AND : ANY\n\tVAR_INPUT\n\t\tINx : ANY;\n\tEND_VAR\nEND_FUNCTION\n";
    let main = "PROGRAM _CYCLIC\n\tVAR a, b : BOOL; END_VAR\n\ta := AND(a, b);\nEND_PROGRAM\n";
    let loaded = loaded(&[("P/operator.fun", operators), ("P/Main/Cyclic.st", main)]);
    assert!(loaded.project.pous.iter().all(|pou| pou.name != "AND"));
}

/// The library `operator` of Automation Studio declares the standard functions. They keep their meaning.
#[test]
fn declared_operators_are_the_standard_functions() {
    let function = |head: &str, inputs: &str| format!("FUNCTION {head}\n\tVAR_INPUT\n\t\t{inputs}\n\tEND_VAR\nEND_FUNCTION\n");
    let library = [
        function("MAX : ANY", "IN1 : ANY; IN2 : ANY;"),
        function("SEL : ANY", "G : BOOL; IN0 : ANY; IN1 : ANY;"),
        function("LIMIT : ANY", "MN : ANY; IN : ANY; MX : ANY;"),
        function("GE : BOOL", "IN1 : ANY; IN2 : ANY;"),
        // Another function of a user, and one whose type is another one than in the standard.
        function("MIN : INT", "IN1 : INT; IN2 : INT;"),
        function("TRUNC : INT", "IN : ANY_REAL;"),
    ];
    let main = "PROGRAM _CYCLIC\n\tVAR a, b, c, d : INT; e : BOOL; END_VAR\n\ta := MAX(3, 5);\n\tb := SEL(G := TRUE, IN0 := 1, IN1 := a);\n\
        \tc := LIMIT(MN := 0, IN := b, MX := 4);\n\te := GE(c, 4);\n\td := MIN(c, 1);\nEND_PROGRAM\n";
    let loaded = loaded(&[("P/Libraries/operator/operator.fun", &library.concat()), ("P/Main/Cyclic.st", main)]);
    let stubs: Vec<&str> = loaded.project.stubs.keys().map(|id| loaded.project.pous[*id].name.as_str()).collect();
    assert_eq!(stubs, ["MIN", "TRUNC"]);
    assert_eq!(loaded.ledger.ignored.iter().filter(|part| part.what == "declaration of a standard function").count(), 4);
    let mut machine = crate::interp::Machine::new(&loaded.project, crate::interp::Limits::default());
    machine.begin(&std::collections::BTreeMap::new(), 0).unwrap();
    machine.run(&mut crate::interp::Silent).unwrap();
    let values = ["Main.a", "Main.b", "Main.c"].map(|name| machine.leaf(name).unwrap().as_int().unwrap());
    assert_eq!((values, machine.leaf("Main.e").unwrap().as_bool()), ([5, 5, 4], Some(true)));
}

fn program_list(files: &[&str]) -> String {
    let files: String = files.iter().map(|file| format!("<File>{file}</File>")).collect();
    format!("<?xml version=\"1.0\"?><?AutomationStudio FileVersion=\"4.9\"?><Program><Files>{files}</Files></Program>")
}

#[test]
fn only_listed_files_are_compiled() {
    let check_list = |list: &str, files: &[(&str, &str)], expected: (&str, i128)| {
        let mut sources = SourceSet::default();
        sources.add("P/Logical/Main/IEC.prg", list);
        sources.add("P/Logical/Main/Main.var", "VAR n : INT; END_VAR");
        sources.add("P/Logical/Main/Main.st", "PROGRAM _CYCLIC n := n + 1; END_PROGRAM");
        files.iter().for_each(|(name, text)| {
            sources.add(*name, *text);
        });
        let parsed = load(&sources, &LoadOptions::default());
        let codes: Vec<&str> = parsed.diagnostics.iter().filter(|d| d.severity == Severity::Error).map(|d| d.code).collect();
        let isolated = crate::isolation::load_isolated(&sources, &LoadOptions::default()).value.project;
        let mut machine = crate::interp::Machine::new(&isolated, crate::interp::Limits::default());
        machine.begin(&std::collections::BTreeMap::new(), 0).unwrap();
        // No run goes past a part that is not there.
        let ended = machine.run(&mut crate::interp::Silent);
        let n = machine.leaf("Main.n").and_then(|value| value.as_int()).filter(|_| ended.is_ok()).unwrap_or(-1);
        assert_eq!((codes.join(" ").as_str(), n), expected, "{list} {files:?}");
    };
    let check =
        |listed: &[&str], files: &[(&str, &str)], expected: (&str, i128)| check_list(&program_list(listed), files, expected);
    let old = ("P/Logical/Main/Old.st", "PROGRAM _CYCLIC n := n + 10; END_PROGRAM");
    let own = ["Main.var", "Main.st"];
    check(&own, &[], ("", 1));
    check(&own, &[old], ("", 1));
    check(&own, &[("P/Logical/Main/Note.xyz", "a ; b"), ("P/Logical/Main/Sub/Old.st", "TYPE t : INT; END_TYPE")], ("", 1));
    check(&["main.VAR", "MAIN.st", "Old.st"], &[old], ("", 11));
    check(&["Main.var", "Main.st", "Lost.st"], &[old], ("P0013", -1));
    check(&["Main.var", "Main.st", "Lost.typ"], &[old], ("P0013", 1));
    check(&["Main.var", "Main.st", "Lost.c", "Picture.png"], &[], ("P0013", -1));
    // An empty list says nothing.
    check(&[], &[], ("", 1));
    // Neither does one that is cut: the name of the other file may be lost.
    let cut = program_list(&["Main.var", "Main.st", "Old.st"]);
    check_list(cut.split("<File>Old").next().unwrap(), &[old], ("", 11));
}

/// Uploads may have no folders.
#[test]
fn nothing_runs_past_a_part_that_was_not_given() {
    let check = |listed: &[&str], folder: &str, expected: bool| {
        let mut sources = SourceSet::default();
        sources.add(format!("{folder}IEC.prg"), program_list(listed));
        sources.add(format!("{folder}Main.st"), "PROGRAM _CYCLIC VAR n : INT; END_VAR n := n + 1; END_PROGRAM");
        let isolated = crate::isolation::load_isolated(&sources, &LoadOptions::default()).value;
        let gaps = &isolated.ledger.gaps;
        assert_eq!(
            gaps.iter().any(|gap| gap.construct.contains("that was not given")),
            expected,
            "{listed:?} {folder}: {gaps:?}"
        );
    };
    for folder in ["", "P/Logical/Main/"] {
        check(&["Main.st"], folder, false);
        check(&["Main.st", "Sub.c"], folder, true);
        check(&["Main.st", "Sub.typ"], folder, false);
    }
}

/// Lists of B&R's samples of mapp Motion name files of other folders so. Each program has actions and variables of its own.
#[test]
fn programs_compile_files_of_other_folders_by_reference() {
    let list = |own: &str| {
        let own: String = own.split(' ').map(|file| format!("<File>{file}</File>")).collect();
        let other = "<File Reference=\"true\">\\Logical\\Common\\Common.st</File>\
            <File Description=\"Local variables\" Private=\"true\" Reference=\"true\">\\Logical\\Common\\Common.var</File>";
        format!("<?xml version=\"1.0\"?><?AutomationStudio FileVersion=\"4.9\"?><Program><Files>{own}{other}</Files></Program>")
    };
    let files = |common: &'static str| {
        vec![
            ("P/Logical/A/IEC.prg", list("A.st")),
            ("P/Logical/A/A.st", "PROGRAM _CYCLIC\n\tNext;\nEND_PROGRAM\n".to_owned()),
            ("P/Logical/B/IEC.prg", list("B.st")),
            ("P/Logical/B/B.st", "PROGRAM _CYCLIC\n\tNext;\n\tNext;\nEND_PROGRAM\n".to_owned()),
            ("P/Logical/Common/Common.st", common.to_owned()),
            ("P/Logical/Common/Common.var", "VAR\n\ttotal : INT;\nEND_VAR\n".to_owned()),
        ]
    };
    let run = |files: &[(&str, String)], project: &str| {
        let mut sources = SourceSet::default();
        files.iter().for_each(|(name, text)| {
            sources.add(*name, text.as_str());
        });
        let options = LoadOptions { project: Some(project.to_owned()), ..LoadOptions::default() };
        let parsed = load(&sources, &options);
        assert!(!parsed.has_errors(), "{:#?}", parsed.diagnostics);
        let mut machine = crate::interp::Machine::new(&parsed.value.project, crate::interp::Limits::default());
        machine.begin(&std::collections::BTreeMap::new(), 0).unwrap();
        machine.run(&mut crate::interp::Silent).unwrap();
        let values = machine.leaves().into_iter().filter_map(|(name, value)| Some(format!("{name}={}", value.as_int()?)));
        values.collect::<Vec<_>>()
    };
    let action = "ACTION Next:\n\ttotal := total + 1;\nEND_ACTION\n";
    assert_eq!(run(&files(action), "A"), ["A.total=1"]);
    assert_eq!(run(&files(action), "B"), ["B.total=2"]);
    // Code of each cycle runs in both programs.
    let cyclic = "ACTION Next:\n\ttotal := total + 1;\nEND_ACTION\nPROGRAM _CYCLIC\n\ttotal := total + 10;\nEND_PROGRAM\n";
    assert_eq!(run(&files(cyclic), "A"), ["A.total=11"]);
    assert_eq!(run(&files(cyclic), "B"), ["B.total=12"]);
}

/// C tells names apart by the case of letters, and so do libraries that are written in it.
#[test]
fn types_may_differ_in_the_case_of_letters() {
    let types =
        "TYPE\n\tlogRead : STRUCT\n\t\ta : INT;\n\tEND_STRUCT;\n\tlogREAD : STRUCT\n\t\tb : INT;\n\tEND_STRUCT;\nEND_TYPE\n";
    let block = "FUNCTION_BLOCK LogRead\n\tVAR_OUTPUT\n\t\tc : INT;\n\tEND_VAR\nEND_FUNCTION_BLOCK\n";
    let main =
        "PROGRAM P\nVAR\n x : logRead; y : logREAD; z : LogRead;\nEND_VAR\nx.a := 1; y.b := 2; z(); x.a := z.c;\nEND_PROGRAM\n";
    let project = loaded(&[("L/l.typ", types), ("L/l.fun", block), ("m.st", main)]).project;
    assert!(project.pous.iter().any(|pou| pou.name == "LogRead"));
    // In other letters none of them is meant.
    let mut sources = SourceSet::default();
    [("L/l.typ", types), ("L/l.fun", block), ("m.st", &main.replace("y : logREAD", "y : LOGREAD"))].iter().for_each(
        |(name, text)| {
            sources.add(*name, *text);
        },
    );
    assert!(load(&sources, &LoadOptions::default()).has_errors());
    // Structured text has no such names.
    let mut sources = SourceSet::default();
    sources.add("l.st", types);
    assert!(load(&sources, &LoadOptions::default()).has_errors());
}

/// Diagrams are parts of a program that run in each cycle.
#[test]
fn parts_in_languages_that_are_not_read_are_gaps() {
    let main = "PROGRAM _CYCLIC\n\tn := n + 1;\nEND_PROGRAM\n";
    let gaps = |name: &str, text: &str| {
        let mut sources = SourceSet::default();
        let var = "VAR\n\tn : INT;\nEND_VAR\n";
        [("P/Main.st", main), ("P/P.var", var), (name, text)].iter().for_each(|(name, text)| {
            sources.add(*name, *text);
        });
        let loaded = crate::load_isolated(&sources, &LoadOptions::default()).value;
        let gaps: Vec<String> = loaded.ledger.gaps.iter().map(|gap| gap.construct.clone()).collect();
        assert!(loaded.left_out.iter().any(|part| part.error.message.contains(name)) || !name.ends_with("ld"), "{name}");
        gaps.join("; ")
    };
    assert!(gaps("P/Main.ld", "LADDER").contains("`P/Main.ld`, a part of the program in a ladder diagram"));
    assert!(gaps("P/Main.ld", "<?AutomationStudio Version=4?>\n<Ladder/>").contains("`P/Main.ld`"));
    assert!(gaps("P/Main.c", "void _CYCLIC ProgramCyclic(void) { n = 7; }").contains("a part of the program in C"));
    assert_eq!(gaps("P/help.c", "int twice(int a) { return 2 * a; }"), "");
    assert_eq!(gaps("Q/Main.ld", "LADDER"), "");
}
