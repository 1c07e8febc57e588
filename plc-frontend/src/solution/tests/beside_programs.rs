//! Programs of Automation Studio beside the one that is read.

use crate::hir::{Extent, Reason};
use crate::isolation::load_isolated;
use crate::resolve::{LoadOptions, Loaded};
use crate::text::SourceSet;

fn list(files: &str) -> String {
    format!("<?xml version=\"1.0\"?>\n<?AutomationStudio Version=4.12?>\n<Program><Files>{files}</Files></Program>\n")
}

/// Returns the variables of the program `T1` that other parts of the upload may write, and the files that are not compiled.
fn read(others: &[(&str, &str)]) -> (Vec<String>, Vec<String>) {
    let (sources, loaded) = load(others);
    let mentioned = loaded.project.environment.iter().filter(|(_, setting)| setting.reason == Reason::Mentioned);
    let ignored = loaded.ledger.ignored.iter().filter(|row| row.what == "file that is not compiled");
    let name = |file| sources.files.get(file).map_or_else(String::new, |file| file.name.clone());
    (mentioned.map(|(name, _)| name.clone()).collect(), ignored.map(|row| name(row.span.file)).collect())
}

fn load(others: &[(&str, &str)]) -> (SourceSet, Loaded) {
    let mut sources = SourceSet::default();
    sources.add("Logical/T1/IEC.prg", list("<File>Cyclic.st</File><File>T1.var</File>"));
    sources.add(
        "Logical/T1/Cyclic.st",
        "PROGRAM _CYCLIC\n\tn := 1 - n;\n\tLamp := gF;\n\tIF n = 7 THEN gF := Flag; END_IF;\nEND_PROGRAM\n",
    );
    sources.add("Logical/T1/T1.var", "VAR\n\tLamp, Flag : BOOL;\n\tn : INT;\nEND_VAR\n");
    sources.add("Logical/Global.var", "VAR\n\tgF : BOOL;\nEND_VAR\n");
    sources.add("Logical/T2/IEC.prg", list("<File>Cyclic.st</File><File>\\Logical\\Common\\X.st</File>"));
    sources.add("Logical/T2/Cyclic.st", "PROGRAM _CYCLIC\n\tX1;\nEND_PROGRAM\n");
    for (name, text) in others {
        sources.add(*name, *text);
    }
    let options = LoadOptions { project: Some("T1".to_owned()), entry: Some("T1".to_owned()), ..LoadOptions::default() };
    let loaded = load_isolated(&sources, &options);
    assert!(loaded.value.runs, "{:#?}", loaded.diagnostics);
    (sources, loaded.value)
}

/// Checks the beginnings of the conditions about code beside the program, with a star for those about all variables.
#[track_caller]
fn check_conditions(others: &[(&str, &str)], expected: &[&str]) {
    let (_, loaded) = load(others);
    let told = loaded.ledger.gaps.iter().filter_map(|gap| {
        let star = if *loaded.project.beside.get(&gap.span)? == Extent::All { "*" } else { "" };
        Some(format!("{star}{}", gap.construct.split([' ', ',']).next().unwrap_or_default().replace('`', "")))
    });
    assert_eq!(told.collect::<Vec<_>>(), expected, "{others:?}");
}

#[test]
fn files_that_only_another_program_compiles() {
    let (mentioned, ignored) = read(&[("Logical/Common/X.st", "ACTION X1:\n\tgF := TRUE;\nEND_ACTION\n")]);
    assert_eq!(mentioned, ["gF"]);
    assert_eq!(ignored, ["Logical/T2/Cyclic.st", "Logical/Common/X.st"]);
    let (mentioned, _) = read(&[("Logical/Common/X.st", "ACTION X1:\n\tgOther := TRUE;\nEND_ACTION\n")]);
    assert!(mentioned.is_empty(), "{mentioned:?}");
}

#[test]
fn variables_that_are_mapped_to_inputs() {
    let check = |name: &str, text: &str, expected: &[&str]| {
        let other = ("Logical/Common/X.st", "ACTION X1:\nEND_ACTION\n");
        let (mentioned, ignored) = read(&[other, (name, text)]);
        assert_eq!(mentioned, expected, "{text}");
        assert!(ignored.contains(&name.to_owned()), "{ignored:?}");
    };
    let lines = |lines: &str| format!("VAR_CONFIG\n{lines}\nEND_VAR\n");
    check("Physical/C/PLC1/IoMap.iom", &lines("\t::gF AT %IX.\"DI\".Input1;"), &["gF"]);
    check("Physical/C/PLC1/IoMap.iom", &lines("\tT1:Flag AT %IX.IF6.ST2.Input1;"), &["T1.Flag"]);
    check("Physical/C/PLC1/IoMap.iom", &lines("\t::gF AT %QX.\"DO\".Output1;"), &[]);
    check("Physical/C/PLC1/PvMap.vvm", "VAR_CONFIG\n\t::gF CONNECTS ::gOther\nEND_VAR\n", &["gF"]);
}

#[test]
fn blocks_that_only_another_program_calls() {
    let check = |text: &str, expected: &[&str]| check_conditions(&[("Logical/Common/X.st", text)], expected);
    let action = |body: &str| format!("ACTION X1:\n{body}\nEND_ACTION\n");
    check(&action("Other := ABS(1); IF (Other) THEN Other := NOT(TRUE); END_IF"), &[]);
    check(&action("FUnk();"), &["FUnk"]);
    check(&action("FUnk(); x := ;"), &["FUnk"]);
    check(&action("(* FUnk(); *) // FUnk()\nOther := 'FUnk()';"), &[]);
    check(&action("Other := FUnk (1) + FUnk2(1);"), &["FUnk"]);
    check(&action("Lib.FUnk();"), &["Lib"]);
    check(&format!("FUNCTION Known : BOOL\nEND_FUNCTION\n{}", action("Known();")), &[]);
    let files = |vars: &'static str, body: &str| [("Logical/Common/X.st", action(body)), ("Logical/T2/T2.var", vars.to_owned())];
    let check = |vars: &'static str, body: &str, expected: &[&str]| {
        let files = files(vars, body);
        check_conditions(&[(files[0].0, &files[0].1), (files[1].0, &files[1].1)], expected);
    };
    check("VAR\n f : TON;\nEND_VAR\n", "f(IN := TRUE);", &[]);
    check("VAR\n f : FB_Unk;\nEND_VAR\n", "f(x := TRUE);", &["FB_Unk"]);
    check("VAR\n p : REFERENCE TO BOOL;\n d : BOOL;\nEND_VAR\n", "p ACCESS ADR(d);", &["*another"]);
}

#[test]
fn programs_that_several_tasks_run() {
    let tasks = |second: &str| {
        format!(
            "<?xml version=\"1.0\"?>\n<?AutomationStudio Version=4.9?>\n<SwConfiguration><TaskClass Name=\"Cyclic#1\">\
             <Task Name=\"T1\" Source=\"T1.prg\"/></TaskClass><TaskClass Name=\"Cyclic#2\">{second}</TaskClass></SwConfiguration>"
        )
    };
    let other = ("Logical/Common/X.st", "ACTION X1:\nEND_ACTION\n");
    let check = |second: &str, expected: &[&str]| {
        check_conditions(&[other, ("Physical/C/PLC1/Cpu.sw", &tasks(second))], expected);
    };
    check("<Task Name=\"T2\" Source=\"T2.prg\"/>", &["programs"]);
    check("<Task Name=\"Again\" Source=\"Folder.T1.prg\"/>", &["*T1"]);
    check("<Task Name=\"T9\" Source=\"T9.prg\"/>", &["T9"]);
    let lists_t9 = tasks("<Task Name=\"T9\" Source=\"T9.prg\"/>");
    check_conditions(&[other, ("Physical/C/Cpu.sw", &lists_t9), ("Logical/T9/notes.md", "A program that is not here.")], &["T9"]);
    check_conditions(&[other, ("Physical/C/Cpu.sw", &tasks("")), ("Physical/D/Cpu.sw", &tasks(""))], &[]);
}
