//! Programs of Automation Studio beside the one that is read.

use crate::hir::Reason;
use crate::isolation::load_isolated;
use crate::resolve::LoadOptions;
use crate::text::SourceSet;

fn list(files: &str) -> String {
    format!("<?xml version=\"1.0\"?>\n<?AutomationStudio Version=4.12?>\n<Program><Files>{files}</Files></Program>\n")
}

/// Returns the variables of the program `T1` that other parts of the upload may write, and the files that are not compiled.
fn read(others: &[(&str, &str)]) -> (Vec<String>, Vec<String>) {
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
    let mentioned = loaded.value.project.environment.iter().filter(|(_, setting)| setting.reason == Reason::Mentioned);
    let ignored = loaded.value.ledger.ignored.iter().filter(|row| row.what == "file that is not compiled");
    let name = |file| sources.files.get(file).map_or_else(String::new, |file| file.name.clone());
    (mentioned.map(|(name, _)| name.clone()).collect(), ignored.map(|row| name(row.span.file)).collect())
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
