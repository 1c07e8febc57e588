//! Each declaration alone, and programs that name declarations of libraries.

use super::{Counts, LIBRARIES, counts};
use crate::LoadOptions;
use crate::ast::Item;
use crate::dialect::DialectId;
use crate::hir::Value;
use crate::interp::{Limits, Machine, Silent};
use crate::load;
use crate::resolve::Loaded;
use crate::text::{FileId, Origin, Parsed, Severity, SourceFile, SourceSet, Treatment};
use std::collections::{BTreeMap, BTreeSet};

/// Reads a program, without findings.
#[track_caller]
fn program(text: &str, dialect: DialectId) -> Loaded {
    let loaded = reading(text, dialect);
    assert!(loaded.diagnostics.is_empty(), "\n{text}\n{:#?}", loaded.diagnostics);
    loaded.value
}

fn reading(text: &str, dialect: DialectId) -> Parsed<Loaded> {
    let mut sources = SourceSet::default();
    sources.add("main.st", text);
    load(&sources, &LoadOptions { dialect: Some(dialect), ..LoadOptions::default() })
}

fn item(text: &str) -> Item {
    let file = SourceFile::new("a.st", text, Origin::Library);
    let parsed = crate::lang::parse(FileId(0), &file);
    assert!(parsed.diagnostics.is_empty(), "{text}\n{:#?}", parsed.diagnostics);
    let [item] = <[Item; 1]>::try_from(parsed.value.items).expect(text);
    item
}

#[test]
fn each_paragraph_is_one_declaration_behind_a_comment_on_its_source() {
    for library in LIBRARIES {
        for text in library.texts {
            assert!(text.starts_with("(*") && text.contains("Written from"), "{}: {text}", library.id);
            let head = text.split("\n\n").next().unwrap_or_default();
            assert!(head.ends_with("*)") && !text.contains("\n\n\n"), "{}: {head}", library.id);
        }
        library.declarations().for_each(|text| drop(item(text)));
    }
}

#[test]
fn each_name_has_one_declaration_in_a_dialect() {
    for dialect in crate::dialect::DIALECTS {
        let mut names = BTreeSet::new();
        for library in LIBRARIES.iter().filter(|row| row.dialects.contains(&dialect.id)) {
            for text in library.declarations() {
                let item = item(text);
                let globals = if let Item::Globals(block) = &item { block.vars.as_slice() } else { &[] };
                for name in item.name().into_iter().chain(globals.iter().map(|var| &var.name)) {
                    assert!(names.insert(name.text.to_lowercase()), "{}: {}", library.id, name.text);
                }
            }
        }
    }
}

#[test]
fn each_library_resolves_alone_in_each_of_its_dialects() {
    for library in LIBRARIES {
        for dialect in library.dialects {
            let text = library.texts.concat() + "\n\nPROGRAM Main\nEND_PROGRAM\n";
            let loaded = program(&text, *dialect);
            let stopped = loaded.ledger.gaps.iter().filter(|gap| gap.treatment == Treatment::Unsupported);
            let found: Vec<&str> = stopped.map(|gap| gap.construct.as_str()).collect();
            assert!(found.is_empty(), "{}: {found:#?}", library.id);
            let stubs = loaded.project.stubs.keys().filter(|id| loaded.project.pous[**id].member_of.is_none());
            assert_eq!(stubs.count(), counts(library).stubs, "{}", library.id);
        }
    }
}

/// Asserts the files that a program gets, with the numbers of their declarations, and its errors.
#[track_caller]
fn check(text: &str, dialect: DialectId, files: &[(&str, &str)], errors: &str) {
    let loaded = reading(text, dialect);
    let ours = loaded.value.sources.files.iter().filter(|file| file.origin == Origin::Library);
    let unit = |file: &SourceFile| crate::lang::parse(FileId(0), file).value.items;
    let names = |file: &SourceFile| {
        let of = |item: &Item| {
            let globals = if let Item::Globals(block) = item { block.vars.as_slice() } else { &[] };
            let all = item.name().into_iter().chain(globals.iter().map(|var| &var.name));
            all.map(|name| name.text.clone()).collect::<Vec<_>>()
        };
        unit(file).iter().flat_map(of).collect::<Vec<_>>().join(" ")
    };
    let found: Vec<(String, String)> = ours.map(|file| (file.name.clone(), names(file))).collect();
    let found: Vec<(&str, &str)> = found.iter().map(|(file, names)| (file.as_str(), names.as_str())).collect();
    assert_eq!(found, files, "\n{text}");
    assert_eq!(crate::resolve::testing::summary(&loaded.value.sources, &loaded.diagnostics, 1), errors, "\n{text}");
}

const SYSTEM: &str = "Tc2_System.st";

#[test]
fn a_program_gets_the_declarations_that_it_names() {
    let twincat = DialectId::Twincat;
    let main = |vars: &str, body: &str| format!("PROGRAM Main\nVAR {vars} END_VAR\n{body}\nEND_PROGRAM\n");
    check(&main("a : INT;", "a := 1;"), twincat, &[], "");
    check(&main("a : T_MaxString;", ""), twincat, &[(SYSTEM, "T_MaxString")], "");
    check(&main("a : POINTER TO t_maxstring;", ""), twincat, &[(SYSTEM, "T_MaxString")], "");
    // Types that it uses come with it.
    let close = "T_AmsNetId FB_FileClose";
    check(&main("f : FB_FileClose;", "f();"), twincat, &[(SYSTEM, close)], "");
    check(&main("f : Tc2_System.FB_FileClose;", "f();"), twincat, &[(SYSTEM, close)], "");
    check(
        &main("d : DWORD;", "d := FOPEN_MODEREAD OR Tc2_System.FOPEN_MODETEXT;"),
        twincat,
        &[(SYSTEM, "FOPEN_MODEREAD FOPEN_MODETEXT")],
        "",
    );
    // Values of enumerations, alone and behind their type.
    for value in ["SEEK_CUR", "E_SeekOrigin.SEEK_CUR", "E_SeekOrigin#SEEK_CUR"] {
        check(&main("i : INT;", &format!("i := {value};")), twincat, &[(SYSTEM, "E_SeekOrigin")], "");
    }
    // A list of constants behind two names of libraries.
    let errors = main("r : UDINT;", "r := SysDir.CmpErrors.Errors.ERR_INVALID_HANDLE;");
    check(&errors, twincat, &[("SysFile.st", "Errors")], "");
    // Another system does not have the library.
    check(&main("a : T_MaxString;", ""), DialectId::Codesys, &[], "P2002@2:9");
}

#[test]
fn a_declaration_of_the_program_is_the_one_that_counts() {
    let twincat = DialectId::Twincat;
    let main = |vars: &str, body: &str| format!("PROGRAM Main\nVAR {vars} END_VAR\n{body}\nEND_PROGRAM\n");
    let own = "TYPE T_AmsNetId : STRING(9); END_TYPE\n";
    check(&format!("{}{own}", main("a : T_AmsNetId;", "")), twincat, &[], "");
    // The library's block uses the library's type.
    check(&format!("{}{own}", main("f : FB_FileClose;", "")), twincat, &[], "P2002@2:9");
    let own = "FUNCTION_BLOCK FB_FileClose\nVAR_INPUT x : BOOL; END_VAR\nEND_FUNCTION_BLOCK\n";
    check(&format!("{}{own}", main("f : FB_FileClose;", "f(x := TRUE);")), twincat, &[], "");
    // A variable of any scope has the name of a constant.
    check(&main("i : INT; SEEK_CUR : INT;", "i := SEEK_CUR;"), twincat, &[], "");
    let other = "FUNCTION_BLOCK B\nVAR SEEK_CUR : INT; END_VAR\nEND_FUNCTION_BLOCK\n";
    check(&format!("{}{other}", main("i : INT;", "i := SEEK_CUR;")), twincat, &[], "P2001@3:6");
    // So has a declaration that is read and not modelled.
    let global = "VAR_GLOBAL\n T_MaxString : INT;\nEND_VAR\n";
    check(&format!("{}{global}", main("i : INT;", "i := T_MaxString;")), twincat, &[], "");
}

#[test]
fn a_block_of_a_library_gives_any_values() {
    let main = |vars: &str, body: &str| format!("PROGRAM Main\nVAR {vars} END_VAR\n{body}\nEND_PROGRAM\n");
    let at_call = |text: &str| {
        let loaded = program(text, DialectId::Twincat);
        let names = loaded.project.globals.iter().map(|var| var.name.clone());
        let stopped = loaded.ledger.gaps.iter().any(|gap| gap.treatment == Treatment::Unsupported);
        (names.filter_map(|name| name.strip_suffix(" (at call)").map(str::to_owned)).collect::<Vec<_>>().join(" "), stopped)
    };
    let (given, stopped) = at_call(&main("f : FB_FileGets; s : T_MaxString;", "f(sLine => s);"));
    assert!(given.contains("FB_FileGets.bBusy") && given.contains("FB_FileGets.sLine") && !stopped, "{given}");
    // The memory behind an address without a type is not known: nothing behind the call counts.
    assert!(at_call(&main("f : FB_FileRead; s : STRING(80);", "f(pReadBuff := ADR(s));")).1);
}

#[test]
fn a_project_decides_on_libraries_whose_names_others_have() {
    let program = "PROGRAM Main\nVAR power : MC_Power; axis : AXIS_REF; on : BOOL; END_VAR\n\
                   power(Axis := axis, Enable := TRUE, Status => on);\naxis.ReadStatus();\non := axis.Status.Homed AND axis.NcToPlc.ActPos > 1.0;\n\
                   END_PROGRAM\n";
    let reading = |project: Option<&str>| {
        let mut sources = SourceSet::default();
        sources.add("main.st", program);
        if let Some(reference) = project {
            let item = format!("<PlaceholderReference Include=\"{reference}\" />");
            sources.add("Plc.plcproj", format!("<Project><ItemGroup>{item}</ItemGroup></Project>"));
        }
        load(&sources, &LoadOptions { dialect: Some(DialectId::Twincat), ..LoadOptions::default() })
    };
    assert!(reading(None).has_errors() && reading(Some("Tc3_MC3")).has_errors());
    let loaded = reading(Some("Tc2_MC2"));
    assert!(!loaded.has_errors(), "{:#?}", loaded.diagnostics);
    let gaps = &loaded.value.ledger.gaps;
    assert!(gaps.iter().all(|gap| gap.treatment != Treatment::Unsupported), "{gaps:#?}");
    // The NC writes the actual position at any time.
    let leaves = loaded.value.project.leaves();
    let position = leaves.iter().find(|leaf| leaf.name == "Main.axis.NcToPlc.ActPos").unwrap();
    assert_eq!(position.role, crate::hir::Role::Input);
    let status = leaves.iter().find(|leaf| leaf.name == "Main.axis.Status.Homed").unwrap();
    assert_eq!(status.role, crate::hir::Role::Memory);
}

#[test]
fn actions_of_a_block_of_a_library_are_stubs() {
    let text = "PROGRAM Main\nVAR fifo : FB_MemRingBuffer; n : UDINT; class : __SYSTEM.TYPE_CLASS; END_VAR\nfifo.A_Reset();\n\
                n := fifo.nCount;\nclass := __SYSTEM.TYPE_CLASS.TYPE_INT;\nEND_PROGRAM\n";
    let loaded = program(text, DialectId::Twincat);
    assert!(loaded.project.globals.iter().any(|var| var.name.ends_with(".nCount (at call)")), "{:#?}", loaded.project.globals);
}

#[test]
fn an_unknown_name_of_a_library_leads_to_its_dialect() {
    let check = |vars: &str, body: &str, hint: &str| {
        let loaded = reading(&format!("PROGRAM Main\nVAR {vars} END_VAR\n{body}\nEND_PROGRAM\n"), DialectId::Iec);
        let found = loaded.diagnostics.first().and_then(|d| d.help.as_deref());
        assert_eq!(found, Some(hint), "{:#?}", loaded.diagnostics);
    };
    check("f : FB_FileGets;", "", "the library Tc2_System has it in the dialect twincat");
    check("f : MC_Power;", "", "the library Tc2_MC2 has it in the dialect twincat, if the project or the export lists it");
    check("b : BYTE;", "b := PACK(TRUE);", "the library CODESYS Util has it in the dialect codesys");
}

/// Runs cycles of a program, each with values of inputs and the expected value of `Main.q`.
#[track_caller]
fn check_run(dialect: DialectId, vars: &str, body: &str, cycles: &[(&[(&str, Value)], Value)]) {
    let text = format!("PROGRAM Main\nVAR_INPUT\n{vars}\nEND_VAR\n{body}\nEND_PROGRAM\n");
    let loaded = program(&text, dialect);
    let mut machine = Machine::new(&loaded.project, Limits::default());
    for (inputs, expected) in cycles {
        let inputs: BTreeMap<String, Value> = inputs.iter().map(|(name, value)| (format!("Main.{name}"), *value)).collect();
        machine.begin(&inputs, 0).unwrap();
        machine.run(&mut Silent).unwrap();
        assert_eq!(machine.leaf("Main.q"), Some(*expected), "{inputs:?}\n{text}");
    }
}

#[test]
fn bits_become_a_byte_and_back() {
    let (on, off) = (Value::Bool(true), Value::Bool(false));
    let vars = "a, b : BOOL;\nEND_VAR\nVAR\nq : BYTE;";
    let body = "q := PACK(a, FALSE, FALSE, FALSE, FALSE, FALSE, FALSE, b);";
    let cycles: [(&[(&str, Value)], Value); 3] =
        [(&[("a", on), ("b", off)], Value::Int(1)), (&[("b", on)], Value::Int(129)), (&[("a", off)], Value::Int(128))];
    check_run(DialectId::Codesys, vars, body, &cycles);
    let vars = "a : BYTE;\nEND_VAR\nVAR\nu : UNPACK; q : BOOL;";
    let cycles: [(&[(&str, Value)], Value); 2] = [(&[("a", Value::Int(128))], on), (&[("a", Value::Int(127))], off)];
    check_run(DialectId::Codesys, vars, "u(B := a, B7 => q);", &cycles);
}

#[test]
fn a_hysteresis_changes_beyond_its_band() {
    let (on, off) = (Value::Bool(true), Value::Bool(false));
    let at = |value: f32| Value::Real(value.to_bits());
    let vars = "x : REAL;\nEND_VAR\nVAR\nh : HYSTERESIS; q : BOOL;";
    let body = "h(XIN1 := x, XIN2 := 10.0, EPS := 2.0, Q => q);";
    let inputs = [(11.0, off), (12.0, off), (12.5, on), (9.0, on), (8.0, on), (7.5, off), (11.0, off)];
    let rows: Vec<([(&str, Value); 1], Value)> = inputs.iter().map(|(x, q)| ([("x", at(*x))], *q)).collect();
    let cycles: Vec<(&[(&str, Value)], Value)> = rows.iter().map(|(inputs, q)| (inputs.as_slice(), *q)).collect();
    check_run(DialectId::Matiec, vars, body, &cycles);
}

#[test]
fn the_only_parameter_of_a_function_needs_no_name() {
    let text = "FUNCTION F : INT\nVAR_TEMP now : DTL; n : INT; END_VAR\nn := RD_SYS_T(now);\nn := RD_LOC_T(OUT => now);\n\
                F := n + now.HOUR;\nEND_FUNCTION\n";
    let loaded = reading(text, DialectId::SiemensTia);
    let errors = loaded.diagnostics.iter().filter(|d| d.severity == Severity::Error);
    let errors: Vec<_> = errors.filter(|d| d.code != crate::text::codes::NO_ENTRY).collect();
    assert!(errors.is_empty(), "{errors:#?}");
}

/// The clock gives values of its ranges, and its time of day is exact.
#[test]
fn a_clock_of_siemens_is_no_stub() {
    let text = "PROGRAM P\nVAR now : DTL; n : INT; t, u : TOD; END_VAR\nn := RD_LOC_T(now);\nt := DTL_TO_TOD(now);\n\
                now.HOUR := 13; now.MINUTE := 5; now.SECOND := 7; now.NANOSECOND := 250999999;\nu := DTL_TO_TOD(now);\nEND_PROGRAM\n";
    let loaded = reading(text, DialectId::SiemensTia);
    assert!(!loaded.has_errors(), "{:#?}", loaded.diagnostics);
    let gaps: Vec<&str> = loaded.value.ledger.gaps.iter().map(|gap| gap.construct.as_str()).collect();
    assert_eq!(gaps, ["values of the controller, which the program asks for"]);
    let has_input = |name: &str| loaded.value.project.globals.iter().any(|var| var.name == name && var.address.is_some());
    assert!(["S7_CLOCK_YEAR", "S7_CLOCK_SECOND", "S7_CLOCK_RESULT"].into_iter().all(has_input));
    let vars = "hour : USINT;\nEND_VAR\nVAR\nd : DTL; q : BOOL;";
    let body = "d.HOUR := hour; d.MINUTE := 5; d.SECOND := 7; d.NANOSECOND := 250999999;\nq := DTL_TO_TOD(d) = TOD#13:05:07.250;";
    let [on, off] = [true, false].map(Value::Bool);
    check_run(DialectId::SiemensTia, vars, body, &[(&[("hour", Value::Int(13))], on), (&[("hour", Value::Int(12))], off)]);
}

/// The clock of S7-300 is an input; parts of its value are exact. Days count from Sunday.
#[test]
fn a_clock_of_step_7_is_no_stub() {
    let text = "PROGRAM P\nVAR now : DT; n : INT; t : TOD; END_VAR\nn := READ_CLK(CDT := now);\nt := DT_TOD(IN := now);\nn := DT_DAY(IN := now);\n\
                END_PROGRAM\n";
    for dialect in [DialectId::SiemensTia, DialectId::SiemensClassic] {
        let loaded = reading(text, dialect);
        assert!(!loaded.has_errors() && loaded.value.project.stubs.is_empty(), "{:#?}", loaded.diagnostics);
    }
    let vars = "n : INT;\nEND_VAR\nVAR\nq : BOOL;";
    let body = "q := DT_DAY(IN := DT#2024-02-29-12:00:01) = n AND DT_TOD(IN := DT#2024-02-29-12:00:01) = TOD#12:00:01;";
    let [on, off] = [true, false].map(Value::Bool);
    check_run(DialectId::SiemensTia, vars, body, &[(&[("n", Value::Int(5))], on), (&[("n", Value::Int(4))], off)]);
}

/// Random numbers are in their range.
#[test]
fn random_numbers_are_inputs() {
    let text = "PROGRAM P\nVAR d : DRAND; x : LREAL; END_VAR\nd(Seed := 1);\nx := d.Num;\nEND_PROGRAM\n";
    let loaded = reading(text, DialectId::Twincat);
    assert!(!loaded.has_errors() && loaded.value.project.stubs.is_empty(), "{:#?}", loaded.diagnostics);
}

/// A block of a library that runs elsewhere writes the memory whose address it gets.
#[test]
fn memory_that_others_give_to_a_library_is_an_input() {
    let check = |address: &str| {
        let text = format!(
            "VAR_GLOBAL\n buffer : ARRAY [0..3] OF BYTE := [4(7)];\n one : BYTE := 7;\nEND_VAR\n\
             PROGRAM Good\nVAR q : BOOL; END_VAR\nq := buffer[2] = 7 AND one = 7;\nEND_PROGRAM\n\
             PROGRAM Other\nVAR f : FB_FileRead; END_VAR\nf(pReadBuff := ADR({address}));\nEND_PROGRAM\n"
        );
        let mut sources = SourceSet::default();
        sources.add("main.st", text.as_str());
        let entry = Some("Good".to_owned());
        let loaded = load(&sources, &LoadOptions { dialect: Some(DialectId::Twincat), entry, ..LoadOptions::default() });
        assert!(!loaded.has_errors(), "{:#?}", loaded.diagnostics);
        let is_input = |name: &str| loaded.value.project.environment.keys().any(|key| key.to_lowercase() == name);
        let name = if address == "one" { "one" } else { "buffer[2]" };
        assert!(is_input(name), "{address}: {:?}", loaded.value.project.environment);
    };
    ["one", "buffer", "buffer[2]", "buffer[0]"].into_iter().for_each(check);
}

const DOCUMENT: &str = include_str!("../../../docs/libraries.md");

/// A library that the page does not list, or lists with other numbers, fails the build.
#[test]
fn the_page_lists_each_library() {
    for library in LIBRARIES {
        let dialects: Vec<&str> = library.dialects.iter().map(|id| id.row().name).collect();
        let Counts { types, constants, bodies, stubs } = counts(library);
        let title = library.title;
        let row = format!("| {title} | {} | {types} | {constants} | {bodies} | {stubs} |", dialects.join(", "));
        assert!(DOCUMENT.contains(&row), "docs/libraries.md has no row\n{row}");
        assert!(DOCUMENT.contains(library.documentation), "docs/libraries.md does not name `{}`", library.documentation);
    }
}
