//! Rows of the table: their detection, and the constructs they forbid.

use super::*;
use crate::text::SourceSet;
use crate::{LoadOptions, load};

#[test]
fn rows_are_found_by_id_and_name() {
    for row in DIALECTS {
        assert_eq!(row.id.row().name, row.name);
        assert_eq!(DialectId::named(&row.name.to_uppercase()), Some(row.id));
    }
    assert_eq!(DialectId::named("basic"), None);
    assert_eq!(DIALECTS[0].id, DialectId::default());
}

#[test]
fn results_say_what_they_rest_on() {
    assert!(DialectId::Iec.row().rests_on().unwrap().contains("at the width of their operands"));
    let words = DialectId::Twincat.row().rests_on().unwrap();
    assert!(words.contains("TwinCAT 3") && words.contains("32 bits") && words.contains("80 characters"), "{words}");
}

#[test]
fn dialects_are_detected() {
    let check = |name: &str, text: &str, expected: DialectId| {
        let mut sources = SourceSet::default();
        sources.add(name, text);
        assert_eq!(load(&sources, &LoadOptions::default()).value.dialect, expected, "{name}: {text}");
    };
    check("a.st", "PROGRAM p END_PROGRAM", DialectId::Iec);
    check("a.st", "(* a pointer to nothing *) PROGRAM p VAR reference : INT; END_VAR END_PROGRAM", DialectId::Iec);
    check("a.exp", "PROGRAM p END_PROGRAM", DialectId::Codesys);
    check("a.st", "{attribute 'qualified_only'} VAR_GLOBAL END_VAR", DialectId::Codesys);
    check("a.st", "FUNCTION_BLOCK f PROPERTY p : INT END_PROPERTY END_FUNCTION_BLOCK", DialectId::Codesys);
    check("a.st", "TYPE x : STRUCT y : POINTER TO INT; END_STRUCT END_TYPE", DialectId::Codesys);
    check("a.scl", "", DialectId::SiemensTia);
    check("a.awl", "", DialectId::SiemensClassic);
    check("A.TCPOU", "", DialectId::Twincat);
    check("a.st", "PROGRAM p END_PROGRAM\n(*DBG:#include \"iec_std_lib.h\"*)", DialectId::Matiec);
    let header = |attributes: &str| format!("<project xmlns=\"http://www.plcopen.org/xml/tc6_0201\" {attributes}/></project>");
    check("plc.xml", &header("><fileHeader companyName=\"Unknown\" productName=\"Unnamed\""), DialectId::Matiec);
    check("plc.xml", &header("xmlns:ns1=\"http://www.plcopen.org/xml/tc6_0201\"><types"), DialectId::Matiec);
    check("plc.xml", &header("><fileHeader companyName=\"\" productName=\"Unnamed\""), DialectId::Iec);
}

/// Files of other kinds in an archive, and the order of files, decide nothing; files of several systems are named.
#[test]
fn only_files_with_declarations_tell_the_dialect() {
    let check = |files: &[(&str, &str)], expected: DialectId, n_named: usize| {
        for turned in [false, true] {
            let mut sources = SourceSet::default();
            let mut files = files.to_vec();
            if turned {
                files.reverse();
            }
            for (name, text) in &files {
                sources.add(*name, *text);
            }
            let loaded = load(&sources, &LoadOptions::default()).value;
            let named = loaded.ledger.gaps.iter().filter(|gap| gap.construct.contains("read by the rules of")).count();
            assert_eq!((loaded.dialect, named), (expected, n_named), "{files:?}");
        }
    };
    let main = ("main.st", "PROGRAM p VAR x : INT; END_VAR x := 1; END_PROGRAM");
    let block = ("b.scl", "FUNCTION_BLOCK \"B\" VAR x : Int; END_VAR BEGIN #x := 1; END_FUNCTION_BLOCK");
    let exp = ("c.exp", "FUNCTION F : INT F := 1; END_FUNCTION");
    check(&[("Thumbs.db", "x"), main], DialectId::Iec, 0);
    check(&[("records.db", "record(ai, \"x\") { }"), main], DialectId::Iec, 0);
    check(&[block, main], DialectId::SiemensTia, 0);
    // A block that nothing calls cannot change an answer.
    let others = [exp, ("d.exp", "FUNCTION G : INT G := 1; END_FUNCTION")];
    check(&[block, others[0], others[1], main], DialectId::Codesys, 0);
    let user = ("main.st", "PROGRAM p VAR b : B; END_VAR b(); END_PROGRAM");
    check(&[block, others[0], others[1], user], DialectId::Codesys, 1);
    // Several files are one condition.
    let second = ("e.scl", "FUNCTION \"H\" : Int BEGIN #H := 1; END_FUNCTION");
    let user = ("main.st", "PROGRAM p VAR b : B; x : INT; END_VAR b(); x := H(); END_PROGRAM");
    let more = [("f.exp", "FUNCTION K : INT K := 1; END_FUNCTION"), ("g.exp", "FUNCTION L : INT L := 1; END_FUNCTION")];
    check(&[block, second, others[0], others[1], more[0], more[1], user], DialectId::Codesys, 1);
}

/// SIMATIC AX writes plain ST: its package list above the files tells the system.
#[test]
fn sources_below_a_package_list_are_those_of_ax() {
    let check = |files: &[(&str, &str)], expected: DialectId, n_named: usize| {
        let mut sources = SourceSet::default();
        files.iter().for_each(|(name, text)| _ = sources.add(*name, *text));
        let loaded = load(&sources, &LoadOptions::default()).value;
        let named = loaded.ledger.gaps.iter().filter(|gap| gap.construct.contains("by the rules of")).count();
        assert_eq!((loaded.dialect, named), (expected, n_named), "{files:?}");
    };
    let main = "PROGRAM p VAR x : INT; END_VAR x := 1; END_PROGRAM";
    let (list, block) = ("name: \"@plant/mixer\"\n", "FUNCTION f : INT f := 1; END_FUNCTION");
    check(&[("apax.yml", list), ("src/main.st", main)], DialectId::SiemensTia, 0);
    check(&[("w\\src\\main.st", main), ("W/apax.yml", list)], DialectId::SiemensTia, 0);
    check(&[("src/main.ST", main), ("apax.yaml", list), ("src/f.scl", block)], DialectId::SiemensTia, 0);
    check(&[("a/apax.yml", list), ("b/main.st", main)], DialectId::Iec, 0);
    check(&[("notes/apax.yml.txt", list), ("notes/main.st", main)], DialectId::Iec, 0);
    // What another system marks as its own stays its own.
    check(&[("apax.yml", list), ("src/main.st", &format!("{{attribute 'x'}}\n{main}"))], DialectId::Codesys, 0);
}

#[test]
fn lines_that_openplc_appends_are_comments_whatever_they_hold() {
    let attached =
        "(*DBG:/*-----*)\n(*DBG: * (*found in) * PLC*)\n(*DBG:extern void (*fn)(int);*)\n(*FILE:blocks.cpp int (*p);*)\n";
    let text = format!("PROGRAM p VAR x : INT; END_VAR x := 1; END_PROGRAM\n{attached}FUNCTION f : INT f := 2; END_FUNCTION\n");
    let mut sources = SourceSet::default();
    sources.add("a.st", text);
    let loaded = load(&sources, &LoadOptions::default());
    assert!(loaded.diagnostics.iter().all(|d| d.severity != crate::text::Severity::Error), "{:?}", loaded.diagnostics);
    assert_eq!(loaded.value.dialect, DialectId::Matiec);
    assert!(loaded.value.project.pous.iter().any(|pou| pou.name == "f"));
    // In these texts comments nest, or the line does not end with the comment: no debugger wrote them.
    for open in ["  (*DBG:(*x*)", "(*DBG: (* *) x"] {
        let mut sources = SourceSet::default();
        sources.add("a.st", format!("PROGRAM p END_PROGRAM\n{open}\n"));
        assert!(load(&sources, &LoadOptions::default()).has_errors(), "{open}");
    }
}

#[test]
fn a_chosen_dialect_forbids() {
    let check = |dialect: Option<DialectId>, text: &str, words: &[&str]| {
        let mut sources = SourceSet::default();
        sources.add("a.st", text);
        let parsed = load(&sources, &LoadOptions { dialect, ..LoadOptions::default() });
        let found = parsed.diagnostics.iter().filter(|d| d.code == crate::text::codes::NOT_IN_DIALECT);
        let found: Vec<&str> = found.map(|d| parsed.value.sources.text(d.span())).collect();
        assert_eq!(found, words, "{text}");
    };
    let text = "PROGRAM p VAR q : POINTER TO INT; END_VAR a: x := 1; END_PROGRAM";
    check(Some(DialectId::Iec), text, &["POINTER TO INT", "a:"]);
    check(Some(DialectId::Codesys), text, &[]);
    check(None, text, &[]);
    check(Some(DialectId::SiemensClassic), "FUNCTION_BLOCK f METHOD m END_METHOD END_FUNCTION_BLOCK", &["m"]);
    check(Some(DialectId::Codesys), "NAMESPACE n VAR_GLOBAL x : REF_TO INT; END_VAR END_NAMESPACE", &["n", "REF_TO INT"]);
    check(Some(DialectId::Iec), "PROGRAM p x := a AND_THEN b; END_PROGRAM", &["a AND_THEN b"]);
    check(Some(DialectId::Iec), "PROGRAM p x; END_PROGRAM", &["x"]);
    check(Some(DialectId::Codesys), "PROGRAM p x; END_PROGRAM", &[]);
    // Jumps in lists of instructions belong to the standard.
    check(Some(DialectId::Iec), "PROGRAM p VAR x : BOOL; END_VAR\n LD x\n JMPC a\n ST x\n a: LD x\n END_PROGRAM", &[]);
}
