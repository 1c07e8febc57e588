//! Conditions about code beside the run, as tables.

use crate::hir::Extent;
use crate::isolation::load_isolated;
use crate::resolve::LoadOptions;
use crate::text::{SourceSet, Treatment};

pub(super) const MAIN: &str = "PROGRAM Main\nVAR n : INT; END_VAR\nn := n + 1;\nEND_PROGRAM\n";

/// Returns the beginnings of the conditions about code beside the run, with a star for those about all variables.
pub(super) fn conditions(files: &[(&str, &str)], entry: Option<&str>) -> Vec<String> {
    let mut sources = SourceSet::default();
    for (name, text) in files {
        sources.add(*name, *text);
    }
    let loaded = load_isolated(&sources, &LoadOptions { entry: entry.map(str::to_owned), ..LoadOptions::default() });
    assert!(loaded.value.runs, "{:?}", loaded.diagnostics);
    let project = &loaded.value.project;
    let gaps = loaded.value.ledger.gaps.iter().filter(|gap| gap.treatment == Treatment::Assumed);
    let told = gaps.filter_map(|gap| {
        let star = if *project.beside.get(&gap.span)? == Extent::All { "*" } else { "" };
        Some(format!("{star}{}", gap.construct.split([' ', ',']).next().unwrap_or_default().replace('`', "")))
    });
    told.collect()
}

#[track_caller]
pub(super) fn check(text: &str, entry: Option<&str>, expected: &[&str]) {
    assert_eq!(conditions(&[("main.st", &format!("{MAIN}{text}"))], entry), expected, "{text}");
}

#[test]
fn pous_that_no_file_declares() {
    let other = "PROGRAM Other\nFC_Other(TRUE);\nEND_PROGRAM\n";
    check(other, Some("Main"), &["FC_Other"]);
    check(other, None, &["FC_Other"]);
    let tasks = "CONFIGURATION C\nRESOURCE R ON P\nTASK T(INTERVAL := T#10ms, PRIORITY := 1);\nPROGRAM P1 WITH T : Main;\n\
        END_RESOURCE\nEND_CONFIGURATION\n";
    check(&format!("{other}{tasks}"), None, &[]);
    check(&format!("{other}{tasks}"), Some("Main"), &["FC_Other"]);
    check("PROGRAM Other\nVAR b : FB_Other; END_VAR\nb();\nEND_PROGRAM\n", Some("Main"), &["FB_Other"]);
    // Values before the first cycle.
    check(&format!("PROGRAM Other\nVAR n : INT := FC_Other(1); END_VAR\nEND_PROGRAM\n{tasks}"), None, &["FC_Other"]);
    let block = "FUNCTION_BLOCK B\nMETHOD FB_init : BOOL\nVAR_INPUT bInitRetains, bInCopyCode : BOOL; END_VAR\nFC_Other(TRUE);\n\
        END_METHOD\nEND_FUNCTION_BLOCK\nVAR_GLOBAL b : B; END_VAR\n";
    check(&format!("{block}{tasks}"), None, &["FC_Other"]);
}

#[test]
fn programs_of_tasks_that_no_file_declares() {
    let tasks = "CONFIGURATION C\nRESOURCE R ON P\nTASK T(INTERVAL := T#10ms, PRIORITY := 1);\nPROGRAM P1 WITH T : Main;\n\
        PROGRAM P2 WITH T : Missing;\nEND_RESOURCE\nEND_CONFIGURATION\n";
    check(tasks, Some("Main"), &["Missing"]);
    check(&format!("{tasks}PROGRAM Missing\nEND_PROGRAM\n"), Some("Main"), &["other"]);
}

#[test]
fn bodies_that_are_not_read() {
    let check = |body: &str, entry: Option<&str>, expected: &[&str]| {
        let other = format!(
            "<?xml version=\"1.0\"?><TcPlcObject Version=\"1.1.0.1\"><POU Name=\"O\" Id=\"{{1}}\" SpecialFunc=\"None\">\
             <Declaration><![CDATA[PROGRAM O\nVAR x : BOOL; END_VAR\n]]></Declaration><Implementation>{body}</Implementation>\
             </POU></TcPlcObject>"
        );
        assert_eq!(conditions(&[("Main.st", MAIN), ("O.TcPOU", &other)], entry), expected, "{body}");
    };
    check("<UML><XmlArchive><Data>AAAA</Data></XmlArchive></UML>", Some("Main"), &["O"]);
    check("<UML><XmlArchive><Data>AAAA</Data></XmlArchive></UML>", None, &[]);
    check("<SFC><XmlArchive><Data><o t=\"SFCImplementationObject\"/></Data></XmlArchive></SFC>", Some("Main"), &["O"]);
    check("<New/>", Some("Main"), &["O"]);
    check("<NWL><v n=\"Operand\">\"bFlag\"</v></NWL>", Some("Main"), &[]);
    check("<NWL><v n=\"BoxType\">\"F_Unknown\"</v></NWL>", Some("Main"), &["O"]);
    check("<ST><![CDATA[x := TRUE;]]></ST>", Some("Main"), &[]);
}

#[test]
fn blocks_of_tia_portal_without_their_source() {
    let block = "<?xml version=\"1.0\" encoding=\"utf-8\"?><Document><Engineering version=\"V18\"/><SW.Blocks.FC ID=\"0\"><AttributeList>\
        <IsKnowHowProtected>true</IsKnowHowProtected><Interface><Sections><Section Name=\"Temp\"/></Sections></Interface><Name>FK</Name>\
        <Number>30</Number><ProgrammingLanguage>LAD</ProgrammingLanguage></AttributeList></SW.Blocks.FC></Document>";
    let organization = |name: &str, body: &str| format!("ORGANIZATION_BLOCK \"{name}\"\nBEGIN\n{body}\nEND_ORGANIZATION_BLOCK\n");
    let data = "DATA_BLOCK \"D\"\nVAR g : Bool; END_VAR\nBEGIN\nEND_DATA_BLOCK\n";
    let main = format!("{data}{}", organization("Main", "\"D\".g := FALSE;"));
    let files = [("Main.scl", main.as_str()), ("Main_1.scl", &organization("Main_1", "\"FK\"();")), ("FK.xml", block)];
    assert!(conditions(&files, Some("Main")).contains(&"FK".to_owned()), "{:?}", conditions(&files, Some("Main")));
}

/// A drawing that is not read and names the program may call it at any time.
#[test]
fn drawings_that_name_the_entry() {
    let inputs = |body: &str| {
        let other = format!(
            "<?xml version=\"1.0\"?><TcPlcObject Version=\"1.1.0.1\"><POU Name=\"O\" Id=\"{{1}}\" SpecialFunc=\"None\">\
             <Declaration><![CDATA[PROGRAM O\nVAR x : BOOL; END_VAR\n]]></Declaration><Implementation>{body}</Implementation>\
             </POU></TcPlcObject>"
        );
        let mut sources = SourceSet::default();
        sources.add("Main.st", MAIN);
        sources.add("O.TcPOU", other);
        let loaded = load_isolated(&sources, &LoadOptions { entry: Some("Main".to_owned()), ..LoadOptions::default() });
        assert!(loaded.value.runs, "{:?}", loaded.diagnostics);
        loaded.value.project.environment.into_keys().collect::<Vec<String>>()
    };
    assert_eq!(inputs("<CFC><v n=\"Text\">\"Main\"</v></CFC>"), ["Main.n"]);
    assert_eq!(inputs("<NWL><v n=\"BoxType\">\"Main\"</v></NWL>"), ["Main.n"]);
    assert_eq!(inputs("<NWL><v n=\"Operand\">\"Main.n\"</v></NWL>"), ["Main.n"]);
    assert_eq!(inputs("<NWL><v n=\"Operand\">\"Other\"</v></NWL>"), [""; 0]);
}

#[test]
fn kept_in_outs() {
    let block = "FUNCTION_BLOCK L\nVAR_IN_OUT q : BOOL; END_VAR\nMETHOD W\nq := TRUE;\nEND_METHOD\nEND_FUNCTION_BLOCK\n\
        VAR_GLOBAL l : L; END_VAR\n";
    check(&format!("{block}PROGRAM Bad\nl.W();\nEND_PROGRAM\n"), Some("Main"), &["*Bad"]);
    check(&format!("{block}PROGRAM Good\nVAR x : BOOL; END_VAR\nl(q := x);\nEND_PROGRAM\n"), Some("Main"), &[]);
}

/// A part that is left out may call the entry, or a block that keeps a VAR_IN_OUT.
#[test]
fn texts_that_are_left_out_may_call() {
    let inputs = |text: &str, entry: &str| {
        let mut sources = SourceSet::default();
        sources.add("main.st", format!("{MAIN}{text}"));
        let loaded = load_isolated(&sources, &LoadOptions { entry: Some(entry.to_owned()), ..LoadOptions::default() });
        loaded.value.project.environment.into_keys().collect::<Vec<String>>()
    };
    let other = |body: &str| format!("PROGRAM Other\nVAR x : INT; END_VAR\n{body}\nEND_PROGRAM\n");
    assert_eq!(inputs(&other("x := 1;"), "Main"), [""; 0]);
    assert_eq!(inputs(&other("x := ;"), "Main"), [""; 0]);
    assert_eq!(inputs(&other("Main(); x := ;"), "Main"), ["Main.n"]);
    assert_eq!(inputs(&other("Main.m := 1; x := ;"), "Main"), [""; 0]);
    let block = "FUNCTION_BLOCK B\ng := g + 1;\nEND_FUNCTION_BLOCK\nVAR_GLOBAL g : INT := 0; b : B; END_VAR\n";
    assert_eq!(inputs(&format!("{block}{}", other("b(); x := ;")), "B"), ["g"]);
    assert_eq!(inputs(&format!("{block}{}", other("x := ;")), "B"), [""; 0]);
    let kept = "FUNCTION_BLOCK L\nVAR_IN_OUT q : BOOL; END_VAR\nMETHOD W\nq := TRUE;\nEND_METHOD\nEND_FUNCTION_BLOCK\n\
        PROGRAM Keep\nVAR f : BOOL; END_VAR\nl(q := f);\nEND_PROGRAM\nVAR_GLOBAL l : L; END_VAR\n";
    let found = |body: &str| conditions(&[("main.st", &format!("{kept}{}", other(body)))], Some("Keep"));
    assert_eq!(found("l.W();"), ["*Other"]);
    assert_eq!(found("l.W(); x := ;"), ["*L.W"]);
}

#[test]
fn initial_values_of_other_instances_of_the_entry() {
    let block = "FUNCTION_BLOCK K\nVAR z : INT; END_VAR\nVAR_INPUT i : INT; END_VAR\nz := z;\nEND_FUNCTION_BLOCK\n\
        FUNCTION_BLOCK H EXTENDS K\nEND_FUNCTION_BLOCK\nFUNCTION_BLOCK W\nVAR k : K; END_VAR\nEND_FUNCTION_BLOCK\n\
        TYPE S : STRUCT z : INT; END_STRUCT END_TYPE\n";
    let check = |text: &str, n: usize| {
        let files = [("main.st", &*format!("{MAIN}{block}{text}"))];
        let found = conditions(&files, Some("K"));
        assert_eq!(found.iter().filter(|told| *told == "initial" || *told == "K").count(), n, "{text}: {found:?}");
    };
    let other = |vars: &str| format!("PROGRAM P\nVAR {vars} END_VAR\nEND_PROGRAM\n");
    check(&other("f : K;"), 0);
    check(&other("f : K := (z := 5);"), 1);
    check(&other("f : K := (i := 5);"), 0);
    check(&other("f : H := (z := 5); w : W := (k := (z := 5));"), 2);
    check(&other("f : ARRAY [1..2] OF K := [2((z := 5))]; s : S := (z := 5);"), 1);
    check("VAR_GLOBAL f : K := (z := 5); END_VAR\n", 1);
    check("TYPE T : STRUCT k : K := (z := 5); END_STRUCT END_TYPE\n", 1);
    check(&other("f : K := (z := F_Unk(1));"), 1);
    check(&other("f : W := (k := (z := ));"), 1);
    let scl = "FUNCTION_BLOCK \"K\"\nVAR\n z : Int;\nEND_VAR\nBEGIN\n #z := #z;\nEND_FUNCTION_BLOCK\n\
        DATA_BLOCK \"D\"\n\"K\"\nBEGIN\n z := 5;\nEND_DATA_BLOCK\n";
    assert_eq!(conditions(&[("k.scl", scl)], Some("K")), ["initial"]);
}

#[test]
fn conditional_text() {
    check("PROGRAM P\n{IF defined (X)}\nn := 1;\n{END_IF}\nEND_PROGRAM\n", Some("Main"), &["*conditional"]);
    check("PROGRAM P\n{IF defined (X)}\nn := 1;\n{END_IF}\nEND_PROGRAM\n", None, &["*conditional"]);
    let chosen = |text: &str| check(text, Some("Main"), &["*conditional"]);
    chosen("FUNCTION F : INT\n{IF defined (X)}\ng := 1;\n{END_IF}\nF := 1;\nEND_FUNCTION\nVAR_GLOBAL g : INT; END_VAR\n");
    chosen(
        "FUNCTION_BLOCK B\nMETHOD FB_init : BOOL\nVAR_INPUT bInitRetains, bInCopyCode : BOOL; END_VAR\n{IF defined (X)}\ng := 1;\n\
         {END_IF}\nEND_METHOD\nEND_FUNCTION_BLOCK\nVAR_GLOBAL g : INT; b : B; END_VAR\n",
    );
    chosen("{IF defined (X)}\nVAR_GLOBAL g AT %MW0 : INT; END_VAR\n{END_IF}\n");
    chosen("VAR_GLOBAL\n{IF defined (X)}\ng AT %MW0 : INT;\n{ELSE}\nh AT %MW0 : INT;\n{END_IF}\nEND_VAR\n");
}

#[test]
fn writes_through_addresses_may_lead_past_the_variable() {
    let other = |body: &str| format!("PROGRAM Other\nVAR b : BYTE; p : POINTER TO BYTE; END_VAR\n{body}\nEND_PROGRAM\n");
    check(&other("MEMSET(ADR(b), 1, 50);"), Some("Main"), &["*Other"]);
    check(&other("p := ADR(b); p := p + 2; p^ := 1;"), Some("Main"), &["*Other"]);
    check(&other("b := 1;"), Some("Main"), &[]);
    // Modelled pointers to bytes.
    let bytes =
        |body: &str| format!("PROGRAM Other\nVAR a : ARRAY [0..3] OF BYTE; p : POINTER TO BYTE; END_VAR\n{body}\nEND_PROGRAM\n");
    check(&bytes("p := ADR(a); p := p + 2; p^ := 1;"), Some("Main"), &["*Other"]);
    check(&bytes("p := ADR(a); p[7] := 1;"), Some("Main"), &["*Other"]);
    check(&bytes("p := ADR(a); p := p + 2; a[0] := p^;"), Some("Main"), &[]);
    check(&bytes("p := ADR(a); p := p + 2; p^ := 1;"), None, &[]);
    let function =
        "FUNCTION F : INT\nVAR a : ARRAY [0..3] OF BYTE; p : POINTER TO BYTE; END_VAR\np := ADR(a); p^ := 1;\nEND_FUNCTION\n";
    check(&format!("{function}PROGRAM Other\nVAR x : INT; END_VAR\nx := F();\nEND_PROGRAM\n"), Some("Main"), &["*F"]);
    // Absolute addresses, and words.
    check(&other("p := 16#1000; p^ := 1;"), Some("Main"), &["*Other"]);
    let words = |body: &str| {
        format!(
            "VAR_GLOBAL i : INT; a : ARRAY [0..3] OF INT; END_VAR\nPROGRAM Other\nVAR p : POINTER TO INT; x : DWORD; END_VAR\n{body}\n\
             END_PROGRAM\n"
        )
    };
    check(&words("p := ADR(i); p^ := 1;"), Some("Main"), &[]);
    check(&words("p := ADR(i); p := p + 2; p^ := 1;"), Some("Main"), &["*Other"]);
    check(&words("p := ADR(a[0]); p := p + 2; p^ := 1;"), Some("Main"), &["*Other"]);
    check(&words("p := 16#1000; p^ := 1;"), Some("Main"), &["*Other"]);
    check(&words("p := ADR(i); p := x; p^ := 1;"), Some("Main"), &["*Other"]);
    check(&words("x := ADR(i); p := x + 2; p^ := 1;"), Some("Main"), &["*Other"]);
    check(&words("p := ADR(i); p[2] := 1;"), Some("Main"), &["*Other"]);
}

/// A panel writes variables, and its text tells which ones.
#[test]
fn visualisations() {
    let main = "PROGRAM Main\nVAR a : INT; b : BOOL; c : F; END_VAR\na := a; b := b; c(); g := g;\nEND_PROGRAM\n\
        FUNCTION_BLOCK F\nVAR l : BOOL; END_VAR\nl := l;\nMETHOD M\nl := TRUE;\nEND_METHOD\nEND_FUNCTION_BLOCK\n\
        VAR_GLOBAL g : BOOL := FALSE; END_VAR\n";
    let check = |inside: &str, expected: &[&str]| {
        let visu = format!("<?xml version=\"1.0\"?><TcPlcObject><Visu Name=\"V\" Id=\"{{1}}\">{inside}</Visu></TcPlcObject>");
        let mut sources = SourceSet::default();
        sources.add("main.st", main);
        sources.add("V.TcVIS", visu);
        let loaded = load_isolated(&sources, &LoadOptions { entry: Some("Main".to_owned()), ..LoadOptions::default() });
        assert!(loaded.value.runs, "{:?}", loaded.diagnostics);
        let found: Vec<String> = loaded.value.project.beside.values().map(|extent| format!("{extent:?}")).collect();
        assert_eq!(found, expected, "{inside}");
    };
    check("<o><v>Main.a</v></o>", &["Leaves({\"Main.a\"})"]);
    check("<o><v>Main.c.l</v><v>g</v></o>", &["Leaves({\"Main.c.l\", \"g\"})"]);
    check("<o><v>Main.c</v></o>", &["Leaves({\"Main.c.l\"})"]);
    check("<o/>", &["Nameable"]);
    check("<o><v>Main.a</v><v>Main.c.M()</v></o>", &["Nameable"]);
}

/// An entry that is a block is judged for its own type, not for heirs.
#[test]
fn heirs_of_the_entry() {
    let block = "FUNCTION_BLOCK B\nVAR n : INT; END_VAR\nM(); n := n;\nMETHOD M\nEND_METHOD\nEND_FUNCTION_BLOCK\n";
    let check = |text: &str, expected: &[&str]| check(&format!("{block}{text}"), Some("B"), expected);
    check("FUNCTION_BLOCK H EXTENDS B\nMETHOD M\nn := 7;\nEND_METHOD\nEND_FUNCTION_BLOCK\n", &["*no"]);
    check("FUNCTION_BLOCK H EXTENDS B\nMETHOD M2\nn := 7;\nEND_METHOD\nEND_FUNCTION_BLOCK\n", &[]);
    check(
        "FUNCTION_BLOCK H EXTENDS B\nEND_FUNCTION_BLOCK\nFUNCTION_BLOCK I EXTENDS H\nMETHOD m\nEND_METHOD\nEND_FUNCTION_BLOCK\n",
        &["*no"],
    );
    check("FUNCTION_BLOCK H\nMETHOD M\nEND_METHOD\nEND_FUNCTION_BLOCK\n", &[]);
}

#[test]
fn programs_that_no_task_runs_in_each_cycle() {
    let tasks = |task: &str, program: &str| {
        format!("CONFIGURATION C\nRESOURCE R ON P\nTASK T({task}PRIORITY := 1);\n{program}\nEND_RESOURCE\nEND_CONFIGURATION\n")
    };
    let cyclic = "INTERVAL := T#10ms, ";
    check(&tasks(cyclic, "PROGRAM I WITH T : Main;"), Some("Main"), &[]);
    check(&tasks(cyclic, "PROGRAM I : Main;"), Some("Main"), &["*Main"]);
    check(&tasks("SINGLE := TRUE, ", "PROGRAM I WITH T : Main;"), Some("Main"), &["*Main"]);
    let other = "PROGRAM Other\nEND_PROGRAM\n";
    check(&format!("{}{other}", tasks(cyclic, "PROGRAM I WITH T : Other;")), Some("Main"), &["*Main"]);
    // Another program calls it.
    let calls = "PROGRAM Other\nMain();\nEND_PROGRAM\n";
    check(&format!("{}{calls}", tasks(cyclic, "PROGRAM I WITH T : Other;")), Some("Main"), &[]);
}

/// Reading stops at an error, and what stands behind it may be a call.
#[test]
fn blocks_that_only_left_out_text_calls() {
    let check = |body: &str, expected: &[&str]| {
        let other = format!("PROGRAM Other\nVAR n : INT; t : TON; END_VAR\n{body}\nEND_PROGRAM\n");
        check(&format!("{other}VAR_GLOBAL u : TON; END_VAR\n"), Some("Main"), expected);
    };
    check("n := ] FUnk(); END_IF", &["FUnk"]);
    check("CASE n OF 1 2: FUnk(); END_CASE", &["FUnk"]);
    check("n := n FUnk(1); FUnk();", &["FUnk"]);
    check("n := ] ABS(n); t(IN := TRUE); u(IN := FALSE); (* FUnk() *) IF (n) THEN n := INT_TO_DINT(n); END_IF", &[]);
    check("VAR k : FB_Unk; END_VAR n := ] k();", &["FB_Unk"]);
}

/// A task of higher priority writes in the middle of a cycle.
#[test]
fn programs_of_other_tasks() {
    let check = |of_main: &str, of_other: &str, entry: Option<&str>, expected: &[&str]| {
        let text = format!(
            "PROGRAM Other\ng := g + 1;\nEND_PROGRAM\nVAR_GLOBAL g : INT; END_VAR\nCONFIGURATION C\nRESOURCE R ON P\n\
            TASK A(INTERVAL := T#10ms, PRIORITY := 1);\nTASK B(INTERVAL := T#1ms, PRIORITY := 0);\n\
            PROGRAM I {of_main} : Main;\nPROGRAM J {of_other} : Other;\nEND_RESOURCE\nEND_CONFIGURATION\n"
        );
        check(&text, entry, expected);
    };
    check("WITH A", "WITH B", Some("Main"), &["programs"]);
    check("WITH A", "WITH A", Some("Main"), &["other"]);
    check("WITH A", "WITH B", None, &[]);
}

/// Reading ends at an error, and the text of the body goes on.
#[test]
fn names_behind_an_error_in_a_text_of_xml() {
    let reads = |body: &str| {
        let other = format!(
            "<?xml version=\"1.0\"?>\n<TcPlcObject><POU Name=\"P2\" Id=\"{{1}}\"><Declaration><![CDATA[PROGRAM P2\nVAR a : INT; \
            END_VAR]]></Declaration><Implementation><ST><![CDATA[{body}]]></ST></Implementation></POU></TcPlcObject>"
        );
        let main = "PROGRAM Main\ng := g; h := h;\nEND_PROGRAM\nVAR_GLOBAL g, h : INT; END_VAR\n";
        let mut sources = SourceSet::default();
        sources.add("main.st", main);
        sources.add("P2.TcPOU", other);
        let loaded = load_isolated(&sources, &LoadOptions { entry: Some("Main".to_owned()), ..LoadOptions::default() });
        ["g", "h"].map(|name| loaded.value.project.environment.contains_key(name))
    };
    for body in ["a := 2;\n.g := 5;", ".g := 5;", "a := (1\ng := 5;", "IF a > 0 THEN a := 1; ELSE IF , g := 5; END_IF"] {
        assert_eq!(reads(body), [true, false], "{body}");
    }
    assert_eq!(reads("a := 2;"), [false, false]);
}
