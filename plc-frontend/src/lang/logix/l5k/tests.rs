//! Text exports with their results, scan by scan.

use std::collections::BTreeMap;

use crate::hir::Value;
use crate::interp::{Limits, Machine, Silent};
use crate::text::{Severity, SourceSet};
use crate::{LoadOptions, Loaded, load};

/// Returns a controller with these components, and a program with these tags and routines.
fn export(components: &str, tags: &str, routines: &str) -> String {
    format!(
        "IE_VER := 2.24;\n\nCONTROLLER C (Description := \"with $\"quotes$\" (and marks;)\",\n  Major := 33)\n{components}\n\
         PROGRAM P (MAIN := \"Main\", MODE := 0, DisableFlag := 0)\nTAG\n a : BOOL (Usage := Input) := 0;\n\
         x : DINT (RADIX := Decimal) := 7;\n{tags}\nEND_TAG\n{routines}\nCHILD_PROGRAMS\nEND_CHILD_PROGRAMS\nEND_PROGRAM\n\
         TASK T (Type := PERIODIC, Rate := 10, Priority := 10)\n  P;\nEND_TASK\nEND_CONTROLLER\n"
    )
}

fn read(text: &str) -> Loaded {
    let mut sources = SourceSet::default();
    sources.add("test.L5K", text);
    let parsed = load(&sources, &LoadOptions::default());
    let errors: Vec<_> = parsed.diagnostics.iter().filter(|d| d.severity == Severity::Error).collect();
    assert!(errors.is_empty(), "{text}\n{errors:#?}");
    parsed.value
}

fn check(text: &str, cycles: &[bool], leaf: &str, expected: &[i128]) {
    let loaded = read(text);
    let mut machine = Machine::new(&loaded.project, Limits::default());
    let mut found = Vec::new();
    for cycle in cycles {
        machine.begin(&BTreeMap::from([("P.a".to_owned(), Value::Bool(*cycle))]), 100_000_000).unwrap();
        machine.run(&mut Silent).unwrap_or_else(|fault| panic!("{text}: {fault:?} {:?}", loaded.ledger));
        found.push(match machine.leaf(&format!("P.{leaf}")) {
            Some(Value::Bool(b)) => i128::from(b),
            Some(Value::Int(i)) => i,
            other => panic!("{leaf}: {other:?} of {:?}", machine.leaves()),
        });
    }
    assert_eq!(found, expected, "{leaf} of {text}");
}

fn rungs(text: &str) -> String {
    format!("ROUTINE Main\n{text}\nEND_ROUTINE\n")
}

#[test]
fn rungs_and_their_comments() {
    let main = rungs("RC: \"The first; rung\"\n\"goes on\";\nN: XIC(a)[MOV(3,x) ,OTE(p) ];\nN: XIO(a)CLR(x);");
    let text = export("", "p : BOOL := 0;", &main);
    check(&text, &[true, false, true], "p", &[1, 0, 1]);
    check(&text, &[true, false, true], "x", &[3, 0, 3]);
    let drawn = read(&text).project.pous.iter().flat_map(|pou| pou.diagrams.clone()).collect::<Vec<_>>();
    let titles: Vec<_> = drawn.iter().filter_map(|diagram| diagram.title.as_deref()).collect();
    assert_eq!(titles, ["Main, rung 0: The first; rung", "Main, rung 1"]);
}

#[test]
fn structured_text_and_data() {
    let routine =
        "ST_ROUTINE Other\n\t'// it counts\n\t'IF a THEN\n\t'  x := x + list[1] + u.n;\n\t'END_IF;\n\t'\nEND_ST_ROUTINE\n";
    let components = "DATATYPE Unit (FamilyType := NoFamily)\nDINT n;\nSINT ZZHost (Hidden := 1);\nBIT on ZZHost : 0 (Radix := Binary);\n\
                      END_DATATYPE\nTAG\n total OF level;\n level : DINT := 4;\nEND_TAG";
    let tags = "list : DINT[3] (RADIX := Decimal) := [1,10,16#64];\nu : Unit := [0,0];\nt : TIMER := [0,200,0];\nr : REAL := 0.00000000e+000;";
    let main = rungs("N: XIC(a)TON(t,?,?);\nN: JSR(Other,0);\nN: XIC(u.on)CLR(x);\nN: MOV(total,level);");
    let text = export(components, tags, &[main, routine.to_owned()].concat());
    check(&text, &[false, true, true], "x", &[7, 17, 27]);
    check(&text, &[true, true, true], "t.DN", &[0, 0, 1]);
    check(&text, &[true], "list[2]", &[100]);
    // Data of structures that is not zero is read by no rule.
    assert!(!format!("{:?}", read(&text).ledger).contains("initial value in a form that is not read"));
    let other = text.replace("u : Unit := [0,0]", "u : Unit := [5,0]");
    assert!(format!("{:?}", read(&other).ledger).contains("initial value in a form that is not read"));
}

#[test]
fn add_on_instructions_of_text_exports() {
    let definition = "ADD_ON_INSTRUCTION_DEFINITION Adder (Description := \"adds\", ExecutePrescan := No, ExecuteEnableInFalse := No)\n\
        PARAMETERS\nEnableIn : BOOL (Usage := Input, Required := No);\n\
        EnableOut : BOOL (Usage := Output, Required := No);\nStep : DINT (Usage := Input, Required := Yes, DefaultData := 0);\n\
        Sum : DINT (Usage := Output, Required := Yes, DefaultData := 5);\nEND_PARAMETERS\nLOCAL_TAGS\nEND_LOCAL_TAGS\n\
        ROUTINE Logic\nN: ADD(Sum,Step,Sum);\nEND_ROUTINE\nEND_ADD_ON_INSTRUCTION_DEFINITION";
    let text = export(definition, "adder : Adder := [1,0,5];", &rungs("N: Adder(adder,2,x);"));
    check(&text, &[false, false], "x", &[7, 9]);
}

/// A structure with an instance inside has data that is not read, also where it is zero.
#[test]
fn data_of_instances_is_a_condition() {
    let parameters = "PARAMETERS\nStep : DINT (Usage := Input, Required := Yes, DefaultData := 5);\nEND_PARAMETERS\n";
    let ends = "ROUTINE Logic\nN: NOP();\nEND_ROUTINE\nEND_ADD_ON_INSTRUCTION_DEFINITION\n";
    let components = format!(
        "DATATYPE Box (FamilyType := NoFamily)\nAdder inner;\nDINT n;\nEND_DATATYPE\n\
         ADD_ON_INSTRUCTION_DEFINITION Adder\n{parameters}LOCAL_TAGS\nEND_LOCAL_TAGS\n{ends}\
         ADD_ON_INSTRUCTION_DEFINITION Outer\n{parameters}LOCAL_TAGS\nbox : Box (DefaultData := [[0,0],0]);\nEND_LOCAL_TAGS\n{ends}"
    );
    let words = "initial values of an Add-On Instruction's tag";
    for tag in ["b : Box := [[0,0],0];", "b : Box[2] := [[[0,0],0],[[0,0],0]];", "b : Adder := [0,0];"] {
        let found = format!("{:?}", read(&export(&components, tag, &rungs("N: NOP();"))).ledger);
        assert_eq!(found.matches(words).count(), 2, "{tag} {found}");
    }
}

#[test]
fn parts_that_are_not_read_are_gaps() {
    let ledger = |components: &str, rest: &str, main: &str| {
        let text = export(components, "p : BOOL := 0;", &[rungs(main), rest.to_owned()].concat());
        format!("{:?}", read(&text).ledger)
    };
    let drawn = "FBD_ROUTINE Other (SheetSize := \"A4\")\nSHEET (Name := \"\")\nIREF (ID := 1, Operand := a)\nEND_IREF\nEND_SHEET\nEND_FBD_ROUTINE\n";
    assert!(ledger("", drawn, "N: JSR(Other,0);").contains("drawn or edited routine"));
    let edited = "ST_ROUTINE Other\nLOGIC (Online_Edit_Type := Orig)\n'x := 1;\nEND_LOGIC\nEND_ST_ROUTINE\n";
    assert!(ledger("", edited, "N: JSR(Other,0);").contains("drawn or edited routine"));
    let encoded = "ENCODED_DATA (EncodedType := ROUTINE, Name := \"Other\", Type := RLL, EncryptionConfig := 2)\nab+/c=\nEND_ENCODED_DATA\n";
    assert!(ledger("", encoded, "N: JSR(Other,0);").contains("source is protected"));
    assert!(ledger("", "", "rN: XIC(a)OTE(p);").contains("pending edits"));
    let encoded = encoded.replace("ROUTINE", "ADD_ON_INSTRUCTION_DEFINITION");
    assert!(ledger(&encoded, "", "N: NOP();").contains("source is protected"));
}

#[test]
fn damaged_text_exports_are_read() {
    let tags = "l : DINT[3] := [1,2,3];\nc OF l[1].2;\ns : STRING := [5,'ab$'c'];\nt : TIMER[2] := [[0,1,2],[3,4,5]];";
    let main = rungs("RC: \"a\";\nN: XIC(a)[OTE(c),NOP()];");
    let whole = export("MODULE m (A := [1,(2)])\nEND_MODULE", tags, &main);
    let any = |text: &str| {
        let mut sources = SourceSet::default();
        sources.add("test.L5K", text);
        load(&sources, &LoadOptions::default())
    };
    for end in (0..whole.len()).step_by(5) {
        any(whole.get(..end).unwrap());
    }
    for (from, to) in (0..whole.len() - 20).step_by(7).zip((0..whole.len() - 20).step_by(11)) {
        any(&[whole.get(..to).unwrap(), whole.get(from..from + 9).unwrap(), whole.get(to..).unwrap()].concat());
    }
    assert!(any("IE_VER := 2.24;\n").diagnostics.iter().any(|d| d.severity == Severity::Error));
}

/// Returns whether something runs, and the codes and bytes of the errors.
fn isolated(text: &str) -> (bool, Vec<(&'static str, u32)>) {
    let mut sources = SourceSet::default();
    sources.add("test.L5K", text);
    let loaded = crate::load_isolated(&sources, &LoadOptions::default());
    let errors = loaded.diagnostics.iter().filter(|d| d.severity == Severity::Error);
    let errors = errors.map(|d| (d.code, d.span().start)).collect();
    (loaded.value.runs, errors)
}

/// Nothing of an export runs if a part of it is missing: statements, programs, or the tasks.
#[test]
fn exports_that_are_cut_off_do_not_run() {
    let st = "ST_ROUTINE Other\n'x := 1;\n'x := 2;\nEND_ST_ROUTINE\n";
    let whole = export("MODULE m (A := 1)\nEND_MODULE\n", "p : BOOL := 0;", &[&rungs("N: XIC(a)OTE(p);"), st].concat());
    assert_eq!(isolated(&whole), (true, vec![]));
    let controller = whole.find("C (").unwrap() as u32;
    let ends = whole.match_indices('\n').map(|(at, _)| at).filter(|at| controller < *at as u32);
    for end in ends.filter(|end| *end < whole.trim_end().len()) {
        let (runs, errors) = isolated(&whole[..end]);
        assert!(!runs && errors.contains(&("P0006", controller)), "{errors:?}\n{}", &whole[..end]);
    }
    // A part in the middle is missing.
    let lines = ["END_MODULE\n", "END_TAG\n", "END_ROUTINE\n", "END_ST_ROUTINE\n", "END_PROGRAM\n", "END_TASK\n", "CONTROLLER C"];
    for line in lines {
        let (runs, errors) = isolated(&whole.replacen(line, "", 1));
        assert!(!runs && errors.iter().any(|(code, _)| code.starts_with("P00")), "{line} {errors:?}");
    }
}

#[test]
fn connections_and_mapped_tags_of_text_exports_are_conditions() {
    let connection = "PARAMETER_CONNECTION (EndPoint1 := \"\\P.x\", EndPoint2 := \"Ct\")\nEND_PARAMETER_CONNECTION\n";
    let text = export("", "", &rungs("N: NOP();"));
    assert!(!format!("{:?}", read(&text).ledger).contains("independent of each other"));
    let connected = text.replace("END_CONTROLLER", &format!("{connection}END_CONTROLLER"));
    let found = format!("{:?}", read(&connected).ledger);
    assert!(found.contains("`\\\\P.x` and `Ct` are independent of each other, though a connection"), "{found}");
    let mapped = text.replace("Major := 33", "Major := 33, SafetyTagMap := \"one=two\"");
    let found = format!("{:?}", read(&mapped).ledger);
    assert!(found.contains("`one` and `two` are independent of each other, though the safety tag map"), "{found}");
}

/// A text export holds a whole controller: without a task, nothing runs.
#[test]
fn a_program_runs_though_nothing_runs_it() {
    let text = export("", "p : BOOL := 0;", &rungs("N: XIC(a)OTE(p);"));
    let (before, task) = text.split_once("TASK T").unwrap();
    let without = format!("{before}END_CONTROLLER\n");
    let inhibited = format!("{before}TASK T{}", task.replace("Rate", "InhibitTask := Yes, Rate"));
    let disabled = text.replace("DisableFlag := 0", "DisableFlag := 1");
    for (text, why) in
        [(without, "no task runs it"), (inhibited, "its task `T` is inhibited"), (disabled, "the export inhibits it")]
    {
        let found = format!("{:?}", read(&text).ledger);
        assert!(found.contains(&format!("`P` runs, though {why}")), "{text}: {found}");
    }
    assert!(!format!("{:?}", read(&text).ledger).contains("runs, though"));
}
