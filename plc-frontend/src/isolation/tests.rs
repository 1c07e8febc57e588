//! Tests of isolation: parts that are left out, gaps, and inputs that left-out text names.

use super::load_isolated;
use crate::dialect::DialectId;
use crate::hir::Reason;
use crate::resolve::LoadOptions;
use crate::text::{PartKind, SourceSet};

/// Returns the parts that are left out (`kind name@line`), the lines of gaps, and the inputs that left-out text names.
fn summary(files: &[(&str, &str)], entry: Option<&str>) -> (bool, String, String, String) {
    let mut sources = SourceSet::default();
    files.iter().for_each(|(name, text)| {
        sources.add(*name, *text);
    });
    let loaded = load_isolated(&sources, &LoadOptions { entry: entry.map(str::to_owned), ..LoadOptions::default() });
    let value = &loaded.value;
    let line = |span| sources.line_col(span).line;
    let kind = |kind: PartKind| format!("{kind:?}").to_lowercase();
    let parts = value.left_out.iter().map(|part| format!("{} {}@{}", kind(part.kind), part.name, line(part.span)));
    let gaps = value.ledger.gaps.iter().filter(|gap| super::emptied::is_ours(&gap.construct));
    let gaps = gaps.map(|gap| format!("{}@{}", gap.construct.split(' ').next().unwrap_or(""), line(gap.span)));
    let inputs = value.project.environment.iter().filter(|(_, setting)| setting.reason == Reason::Mentioned);
    let inputs = inputs.map(|(name, _)| name.clone());
    let join = |parts: Vec<String>| parts.join(", ");
    (value.runs, join(parts.collect()), join(gaps.collect()), join(inputs.collect()))
}

#[track_caller]
fn check(text: &str, parts: &str, gaps: &str, inputs: &str) {
    let found = summary(&[("main.st", text)], None);
    assert_eq!((found.1.as_str(), found.2.as_str(), found.3.as_str()), (parts, gaps, inputs), "{text}");
    assert!(found.0, "{text}");
}

#[test]
fn an_error_belongs_to_the_smallest_part_around_it() {
    let good = "PROGRAM Good\nEND_PROGRAM\n";
    let program = |body: &str| format!("PROGRAM Main\nVAR a, b : INT; END_VAR\n{body}\nEND_PROGRAM\n");
    let check = |body: &str, parts: &str, gaps: &str| check(&(program(body) + good), parts, gaps, "");
    check("a := 1;\nb := c;\na := 2;", "statement Main@4", "statement@4");
    check("IF a = 1 THEN\nb := c;\nEND_IF;\na := 2;", "statement Main@4", "statement@4");
    check("IF c THEN\nb := 1;\nEND_IF;\na := 2;", "statement Main@3", "statement@3");
    check("a := TRUE;\nb := FALSE;", "statement Main@3, statement Main@4", "statement@3, statement@4");
    check("FOR a := 1 TO 3 DO\na := unknown;\nEND_FOR;", "statement Main@4", "statement@4");
    // A syntax error may hide the ends of statements.
    check("a := 1;\nb := ;\na := 2;", "body Main@3", "body@3");
    check("a := 1;\nIF a = 1 THEN\nb := 1;", "body Main@3", "body@3");
}

#[test]
fn a_wrong_declaration_is_opaque() {
    let good = "PROGRAM Good\nEND_PROGRAM\n";
    let program = |vars: &str, body: &str| format!("PROGRAM Main\nVAR\n{vars}\nEND_VAR\n{body}\nEND_PROGRAM\n");
    let check = |vars: &str, body: &str, parts: &str, gaps: &str| check(&(program(vars, body) + good), parts, gaps, "");
    check("a : INT; f : ARRAY [3..1] OF INT;", "a := 1;", "variable f@3", "");
    check("a : INT; f : ARRAY [3..1] OF INT;", "a := 1;\na := f;\na := 2;", "variable f@3", "");
    check("n : INT := 70000; a : ARRAY[0..n] OF INT;", "", "variable n@3, variable a@3", "");
    // Names that are declared twice have no meaning.
    check("a : INT; a : BOOL;", "a := 1;", "pou Main@1", "body@1");
    // A syntax error may hide a declaration.
    check("a : ; b : INT;", "b := 1;", "pou Main@1", "body@1");
}

#[test]
fn other_programs_run_without_the_parts() {
    let good = "PROGRAM Good\nVAR_OUTPUT q : BOOL; END_VAR\nVAR_EXTERNAL g, h : BOOL; END_VAR\nq := g AND h;\nEND_PROGRAM\n";
    let globals = "VAR_GLOBAL g : BOOL := TRUE; h : BOOL := TRUE; END_VAR\n";
    let bad = "FUNCTION_BLOCK Bad\nVAR_EXTERNAL g : BOOL; END_VAR\nVAR x : ARRAY [3..1] OF INT; END_VAR\ng := FALSE;\nEND_FUNCTION_BLOCK\n";
    check(&format!("{good}{globals}{bad}"), "variable x@9", "", "");
    // Text that is not understood may write the variables that it names.
    let broken = "FUNCTION_BLOCK Bad\nVAR_EXTERNAL g : BOOL; END_VAR\nIF TRUE THEN g := FALSE;\nEND_FUNCTION_BLOCK\n";
    check(&format!("{good}{globals}{broken}"), "body Bad@9", "body@9", "g");
    check(&format!("{good}{globals}rubbish about h and g\n"), "text @7", "", "Good.q, g, h");
    // An heir would inherit names that could mean other things.
    let heir = "FUNCTION_BLOCK Base EXTENDS Good\nVAR l : BOOL; END_VAR\nEND_FUNCTION_BLOCK\nFUNCTION_BLOCK Heir EXTENDS Base\ng := l;\nEND_FUNCTION_BLOCK\n";
    check(&format!("{good}{globals}{heir}"), "pou Base@7, pou Heir@10", "body@7, body@10", "g");
}

#[test]
fn files_and_declarations_of_one_name_are_left_out() {
    let good = "PROGRAM Good\nVAR_OUTPUT q : BOOL; END_VAR\nq := TRUE;\nEND_PROGRAM\n";
    let twice = "FUNCTION F : INT\nF := 1;\nEND_FUNCTION\nFUNCTION F : INT\nF := 2;\nEND_FUNCTION\n";
    check(&format!("{good}{twice}"), "pou F@5, pou F@8", "body@5", "");
    let found = summary(&[("good.st", good), ("other.xyz", "This is no program at all.\n")], None);
    assert_eq!((found.0, found.1.as_str()), (true, "text @1"));
}

#[test]
fn nothing_runs_without_an_entry() {
    assert!(!summary(&[("main.st", "PROGRAM Main\nx := ;\nEND_PROGRAM\n")], None).0);
    assert!(!summary(&[("main.st", "FUNCTION F : INT\nF := x;\nEND_FUNCTION\n")], None).0);
    let tasks = "PROGRAM Main\nEND_PROGRAM\nCONFIGURATION C\nRESOURCE R ON P\nTASK T(INTERVAL := T#10ms, PRIORITY := 1);\n\
                 PROGRAM P1 WITH T : Main;\nPROGRAM P2 WITH T : Missing;\nEND_RESOURCE\nEND_CONFIGURATION\n";
    assert!(summary(&[("main.st", tasks)], None).0);
    assert!(!summary(&[("main.st", &tasks.replace(": Main", ": Absent"))], None).0);
    assert!(summary(&[("main.st", tasks)], Some("Main")).0);
}

#[test]
fn a_project_without_errors_is_read_as_a_whole() {
    check("PROGRAM Main\nVAR a : INT; END_VAR\na := 1;\nEND_PROGRAM\n", "", "", "");
}

/// Code of left-out parts may run elsewhere, and reach more than it names.
#[test]
fn variables_that_left_out_code_may_reach_are_inputs() {
    let good = "PROGRAM Good\nVAR_OUTPUT q : BOOL; END_VAR\nq := g AND h;\nEND_PROGRAM\n";
    let check = |globals: &str, other: &str, inputs: &str| {
        let text = format!("{good}VAR_GLOBAL {globals} END_VAR\n{other}");
        let found = summary(&[("main.st", &text)], Some("Good"));
        assert_eq!(found.3, inputs, "{text}");
    };
    let two = "g : BOOL := TRUE; h : BOOL := TRUE;";
    // Arguments of calls of a block that is not understood.
    let block = "FUNCTION_BLOCK F\nVAR_IN_OUT io : BOOL; END_VAR\nio := missing;\nEND_FUNCTION_BLOCK\n";
    check(two, &format!("{block}PROGRAM B\nVAR f : F; END_VAR\nf(io := g);\nEND_PROGRAM\n"), "g");
    let between = "FUNCTION_BLOCK M\nVAR_IN_OUT io : BOOL; END_VAR\nVAR f : F; END_VAR\nf(io := io);\nEND_FUNCTION_BLOCK\n";
    check(two, &format!("{block}{between}PROGRAM B\nVAR m : M; END_VAR\nm(io := g);\nEND_PROGRAM\n"), "g");
    // The block runs here, too, and the run may pass by its gap.
    let good_too = "FUNCTION_BLOCK U\nVAR_INPUT e : BOOL; END_VAR\nIF e THEN h := missing; END_IF;\nEND_FUNCTION_BLOCK\n\
        PROGRAM Two\nVAR u : U; END_VAR\nVAR_OUTPUT q : BOOL; END_VAR\nu(); q := h;\nEND_PROGRAM\nPROGRAM B\nVAR u : U; END_VAR\nu(e := TRUE);\nEND_PROGRAM\n";
    let text = format!("VAR_GLOBAL {two} END_VAR\n{good_too}");
    assert_eq!(summary(&[("main.st", &text)], Some("Two")).3, "h");
    // References that others set.
    let pointer = "p : POINTER TO BOOL := ADR(g); g : BOOL := TRUE; h : BOOL := TRUE;";
    check(pointer, "PROGRAM B\np^ := missing;\nEND_PROGRAM\n", "g, p");
    // Memory by its address, and under two names.
    let located = "g AT %MX0.0 : BOOL := TRUE; w AT %MW0 : WORD; h : BOOL := TRUE;";
    check(located, "PROGRAM B\nw := missing;\nEND_PROGRAM\n", "__M0_1_15_3, g");
    check("g AT %QX0.0 : BOOL := TRUE; h : BOOL := TRUE;", "PROGRAM B\n%QX0.0 := missing;\nEND_PROGRAM\n", "g");
    // Variables of a program that the entry calls.
    let inner = "PROGRAM Top\nInner();\nEND_PROGRAM\nPROGRAM Inner\nVAR k, l : BOOL; END_VAR\nl := k;\nEND_PROGRAM\nPROGRAM B\nInner.k := missing;\nEND_PROGRAM\n";
    assert_eq!(summary(&[("main.st", inner)], Some("Top")).3, "Inner.k, Inner.l");
    // A file of a system that cannot be read is a condition.
    let text = format!("{good}VAR_GLOBAL {two} END_VAR\n");
    assert_eq!(summary(&[("main.st", &text), ("plant.project", "PK")], Some("Good")).3, "");
    // Files that are cut.
    for cut in ["", "<TcPlcObject><POU Name=\"B\"><Declaration>"] {
        assert_eq!(summary(&[("main.st", &text), ("B.TcPOU", cut)], Some("Good")).3, "Good.q, g, h", "{cut}");
    }
    let inner = "PROGRAM B\nVAR x : BOOL; END_VAR\nIF x THEN\nIF x THEN x := FALSE; END_IF;\n";
    for cut in ["PROGRAM B\nVAR x : BOOL; END_VAR\nIF x THEN\n", inner, "VAR_GLOBAL\n zz : "] {
        assert_eq!(summary(&[("main.st", &text), ("b.st", cut)], Some("Good")).3, "Good.q, g, h", "{cut}");
    }
    let open = "PROGRAM B\nVAR x : BOOL; END_VAR\nx := TRUE;\n";
    assert_eq!(summary(&[("main.st", &text), ("b.st", open)], Some("Good")).3, "Good.q, g, h");
}

/// In XML the operands of a box stand beside it.
#[test]
fn a_body_that_is_not_read_may_write_what_its_unit_names() {
    let pou = |name: &str, declaration: &str, body: &str| {
        format!(
            "<TcPlcObject><POU Name=\"{name}\"><Declaration><![CDATA[PROGRAM {name}\n{declaration}]]></Declaration><Implementation>{body}\
             </Implementation></POU></TcPlcObject>"
        )
    };
    let good = pou("Good", "VAR_OUTPUT q : BOOL; END_VAR\n", "<ST><![CDATA[q := g AND h;]]></ST>");
    let globals = "<TcPlcObject><GVL Name=\"G\"><Declaration><![CDATA[VAR_GLOBAL\ng : BOOL := TRUE; h : BOOL := TRUE;\nEND_VAR\n]]>\
                   </Declaration></GVL></TcPlcObject>";
    let ladder = "<NWL><XmlArchive><Data><o><v n=\"Operand\">\"G.g\"</v></o></Data></XmlArchive></NWL>";
    for (body, inputs) in [(ladder, "g"), ("<ST><![CDATA[h := g;]]></ST>", "h")] {
        let other = pou("Alarms", "", body);
        let files = [("Good.TcPOU", good.as_str()), ("G.TcGVL", globals), ("Alarms.TcPOU", other.as_str())];
        let mut sources = SourceSet::default();
        for (name, text) in files {
            sources.add(name, text);
        }
        let loaded = load_isolated(&sources, &LoadOptions { entry: Some("Good".to_owned()), ..LoadOptions::default() });
        let found: Vec<&str> = loaded.value.project.environment.keys().map(String::as_str).collect();
        assert_eq!(found.join(", "), inputs, "{body}");
    }
}

/// A use of a name that left-out text may declare finds no other declaration.
#[test]
fn lost_declarations_are_not_replaced_by_others() {
    let good =
        "PROGRAM Good\nVAR t : TON; n : INT; END_VAR\nt(IN := TRUE);\nn := MAX(1, 2);\nEND_PROGRAM\nPROGRAM Other\nEND_PROGRAM\n";
    let gaps = |file: &str, text: &str| summary(&[("main.st", good), (file, text)], Some("Good")).2;
    assert_eq!(gaps("a.st", "PROGRAM B\nx := missing;\nEND_PROGRAM\n"), "statement@2");
    let timer = "statement@3, body@1";
    assert_eq!(gaps("TON.TcPOU", "<TcPlcObject><POU Name=\"TON\"><Declaration>"), timer);
    assert_eq!(gaps("a.st", "FUNCTION_BLOK TON\nVAR x : BOOL; END_VAR\n"), timer);
    assert_eq!(
        gaps("a.st", "PROGRAM B\nVAR a : INT; END_VAR\na := ;\n(* no end\nEND_PROGRAM\nFUNCTION_BLOCK TON\nEND_FUNCTION_BLOCK\n"),
        "statement@3, body@1, body@4"
    );
    assert_eq!(gaps("a.st", "FUNCTON MAX : INT\nMAX := 1;\nEND_FUNCTION\n"), "statement@4, body@1, statement@1");
    // Older copies.
    let copies = "PROGRAM Good\nVAR f : F; END_VAR\nf();\nEND_PROGRAM\nFUNCTION_BLOCK F\nEND_FUNCTION_BLOCK\n";
    let found = summary(&[("main.st", copies), ("F.TcPOU", "<TcPlcObject><POU Name=\"F\"><Declaration>")], Some("Good"));
    assert_eq!((found.1.as_str(), found.2.as_str()), ("pou F@5, text @1", "body@5"));
}

/// Texts of other kinds declare nothing, and may write what they name.
#[test]
fn foreign_texts_declare_no_standard_functions() {
    let good = "PROGRAM Good\nVAR t : TON; n, m : INT; END_VAR\nt(IN := TRUE);\nn := MAX(1, 2);\nEND_PROGRAM\n";
    let read = |name: &str, text: &str| {
        let mut sources = SourceSet::default();
        sources.add("main.st", good);
        sources.add(name, text);
        let loaded = load_isolated(&sources, &LoadOptions { entry: Some("Good".to_owned()), ..LoadOptions::default() }).value;
        let written: Vec<&str> = loaded.project.environment.keys().map(String::as_str).collect();
        (summary(&[("main.st", good), (name, text)], Some("Good")).2, written.join(" "))
    };
    let device = "<ISO15745Profile><Text Value=\"the max of it and ton\"/><!-- a max value --></ISO15745Profile>";
    assert_eq!(read("GSDML-x.xml", device), (String::new(), String::new()));
    assert_eq!(read("a.styles", ".button { color: a max; ton time }").0, "");
    assert_eq!(read("max.h", "int max(int a, int b);\nextern max ton;").0, "");
    assert_eq!(read("envPaths", "epicsEnvSet max ton\n").0, "");
    // Code in an unknown language may write a variable.
    assert!(read("a.abc", "let m = the max of 1").1.contains("Good.m"));
    // The text of a program, whatever its name is.
    for text in ["FUNCTON MAX : INT\nMAX := 1;\nEND_FUNCTION\n", "FUNCTION MAX : INT\nMAX := ;\n"] {
        assert!(read("a.abc", text).0.contains("statement@4"), "{text}");
    }
}

/// A syntax error in a member of a text without frames may hide the members behind it.
#[test]
fn members_behind_a_wrong_member_are_left_out() {
    let text = "FUNCTION_BLOCK F\nVAR n : INT; END_VAR\nMETHOD A : INT\nn := ;\nMETHOD B : INT\nn := 1;\nEND_METHOD\nEND_FUNCTION_BLOCK\n\
        PROGRAM Good\nEND_PROGRAM\n";
    let found = summary(&[("main.st", text)], Some("Good"));
    assert_eq!((found.1.as_str(), found.2.as_str()), ("pou F@1", "body@1"));
}

/// Errors that are counted and not listed may be anywhere in the file.
#[test]
fn errors_beyond_the_listed_ones_count() {
    let wrong: String = (0..300).map(|at| format!("PROGRAM P{at}\nVAR a : INT; END_VAR\na := ;\nEND_PROGRAM\n")).collect();
    let text = format!("{wrong}PROGRAM Late\nVAR a : INT; END_VAR\na := ;\nEND_PROGRAM\n");
    let found = summary(&[("main.st", "PROGRAM Good\nEND_PROGRAM\n"), ("many.st", &text)], Some("Good"));
    assert!(found.0);
    let found = summary(&[("main.st", "PROGRAM Good\nEND_PROGRAM\n"), ("many.st", &text)], Some("Late"));
    assert!(!found.0, "{}", found.1);
}

/// Declarations of libraries do not take the place of those that are left out.
#[test]
fn left_out_declarations_are_not_replaced_by_those_of_libraries() {
    let good =
        "PROGRAM Good\nVAR n : INT; f : FB_FileClose; END_VAR\nn := SEEK_CUR;\nf();\nEND_PROGRAM\nPROGRAM Other\nEND_PROGRAM\n";
    // A file of TwinCAT.
    let dut = "<TcPlcObject><DUT Name=\"T\"><Declaration><![CDATA[TYPE T : INT; END_TYPE]]></Declaration></DUT></TcPlcObject>";
    let found = |text: &str| summary(&[("main.st", good), ("T.TcDUT", dut), ("a.st", text)], Some("Good"));
    let gaps = |text: &str| found(text).2;
    let other = "PROGRAM B\nVAR a : INT; END_VAR\n\na := missing;\nEND_PROGRAM\n";
    assert_eq!((gaps(other), found(other).1), ("statement@4".to_owned(), "statement B@4".to_owned()));
    // An enumeration with an error, and text that cannot be read.
    assert_eq!(gaps("TYPE E : (SEEK_CUR := 7, SEEK_X := missing); END_TYPE\n"), "statement@3");
    assert_eq!(gaps("VAR_GLOBL CONSTANT\nSEEK_CUR : INT := 7;\nEND_VAR\n"), "statement@3");
    let unreadable = summary(&[("main.st", good), ("T.TcDUT", dut), ("plant.project", "PK")], Some("Good"));
    assert!(unreadable.1.contains("variable f@2"), "{}", unreadable.1);
    assert!(found("FUNCTION_BLOK FB_FileClose\nEND_FUNCTION_BLOCK\n").1.contains("variable f@2"));
}

/// Other POUs have instances of their own. Text that is left out there does not write the entry.
#[test]
fn parts_of_other_pous_do_not_write_an_entry_that_is_a_block() {
    let base = "FUNCTION_BLOCK Base\nVAR n : INT; END_VAR\nMETHOD Clear : BOOL\nVAR k : INT; END_VAR\nn := 0;\nEND_METHOD\nn := n + 1;\nEND_FUNCTION_BLOCK\n";
    let x = "FUNCTION_BLOCK X EXTENDS Base\nVAR m : INT; END_VAR\nVAR_OUTPUT q : BOOL; END_VAR\nSUPER^();\nm := m + 1;\nq := 3 < m + n;\nEND_FUNCTION_BLOCK\n";
    let main = "PROGRAM MAIN\nVAR f : X; n, m : INT; END_VAR\nf();\nm := TRUE;\nn := n + 1;\nEND_PROGRAM\n";
    let check = |text: &str, expected: &[&str]| {
        let mut sources = SourceSet::default();
        sources.add("a.st", text);
        let options = LoadOptions { entry: Some("X".to_owned()), dialect: Some(DialectId::Codesys), ..LoadOptions::default() };
        let loaded = super::load_isolated(&sources, &options).value;
        assert!(loaded.runs && !loaded.left_out.is_empty(), "{text}");
        let inputs: Vec<&str> = loaded.project.environment.keys().map(String::as_str).collect();
        assert_eq!(inputs, expected, "{text}");
    };
    // The caller of X may call Clear.
    check(&format!("{base}{x}{main}"), &["X.n"]);
    // The lost statement of Clear may write m.
    let other = base.replace("n := 0;\nEND_METHOD", "n := 0;\nk := 'm';\nEND_METHOD");
    check(&format!("{other}{x}{main}"), &["X.m", "X.n"]);
    // An error of the text may hide the end of MAIN.
    check(&format!("{base}{x}{}", main.replace("m := TRUE;", "m := ;")), &["X.m", "X.n"]);
}

/// The command line puts this text in place of a file that it does not read.
#[test]
fn a_file_that_is_too_large_may_write_everything() {
    let program = "VAR_GLOBAL x : INT; END_VAR\nPROGRAM E\nVAR o : INT; END_VAR\no := x; x := 0;\nEND_PROGRAM";
    let found = summary(&[("main.st", program), ("data.blob", crate::lang::TOO_LARGE)], Some("E"));
    assert_eq!((found.0, found.3.as_str()), (true, "E.o, x"));
}

/// The missing part of a file of XML could be statements of the last POU, other POUs, or tasks.
#[test]
fn nothing_of_xml_that_is_damaged_runs() {
    let l5x = "<RSLogix5000Content><Controller Name=\"C\"><Programs><Program Name=\"P\" MainRoutineName=\"Main\"><Tags>\
        <Tag Name=\"a\" TagType=\"Base\" DataType=\"DINT\"/></Tags><Routines><Routine Name=\"Main\" Type=\"ST\"><STContent>\
        <Line Number=\"0\"><![CDATA[a := 1;]]></Line>|<Line Number=\"1\"><![CDATA[a := 2;]]></Line></STContent></Routine>|</Routines>\
        </Program>|</Programs><Tasks><Task Name=\"T\" Type=\"CONTINUOUS\"><ScheduledPrograms>|<ScheduledProgram Name=\"P\"/>\
        </ScheduledPrograms></Task></Tasks></Controller>|</RSLogix5000Content>";
    let plcopen = "<project xmlns=\"http://www.plcopen.org/xml/tc6_0201\"><types><dataTypes/><pous><pou name=\"Main\" pouType=\"program\">\
        <interface><localVars><variable name=\"a\"><type><INT/></type></variable></localVars></interface><body><ST>a := 1;|a := 2;</ST>\
        </body>|</pou>|</pous></types>|<instances><configurations/></instances></project>";
    for (file, text) in [("a.L5X", l5x), ("a.xml", plcopen)] {
        let whole = text.replace('|', "");
        let found = summary(&[(file, &whole)], None);
        assert!(found.0 && found.1.is_empty(), "{file} {}", found.1);
        for (end, _) in text.match_indices('|') {
            let cut = text[..end].replace('|', "");
            assert!(!summary(&[(file, &cut)], None).0, "{cut}");
            // Programs of other files run without it.
            let good = "PROGRAM Good\nVAR_OUTPUT q : BOOL; END_VAR\nq := TRUE;\nEND_PROGRAM\n";
            let found = summary(&[("good.st", good), (file, &cut)], Some("Good"));
            assert_eq!((found.0, found.1.as_str(), found.3.as_str()), (true, "text @1", "Good.q"), "{cut}");
            // So it is where a part in the middle is missing.
            let hole = format!("{cut}{}", &whole[whole.len() - whole.len() / 8..]);
            assert!(!summary(&[(file, &hole)], None).0, "{hole}");
        }
    }
}

/// The POUs of an export of CODESYS stand inside of its application, whose tasks are those of the whole program.
#[test]
fn an_error_of_an_export_belongs_to_its_pou() {
    let pou = |name: &str, body: &str| {
        format!(
            "<data name=\"http://www.3s-software.com/plcopenxml/pou\"><pou name=\"{name}\" pouType=\"program\"><interface><localVars>\n\
             <variable name=\"y\"><type><BOOL/></type></variable></localVars></interface><body><ST>\n\
             <xhtml xmlns=\"http://www.w3.org/1999/xhtml\">{body}</xhtml></ST></body></pou></data>\n"
        )
    };
    let check = |body: &str, parts: &str| {
        let text = format!(
            "<?xml version=\"1.0\"?><project xmlns=\"http://www.plcopen.org/xml/tc6_0200\"><types><dataTypes/><pous/></types><addData>\
             <data name=\"http://www.3s-software.com/plcopenxml/application\"><resource name=\"App\"><task name=\"T\" priority=\"1\">\
             <pouInstance name=\"Main\" typeName=\"\"/></task><addData>\n{}{}</addData></resource></data></addData></project>",
            pou("Main", "y := TRUE;"),
            pou("Other", body)
        );
        let found = summary(&[("plant.xml", &text)], Some("Main"));
        assert_eq!((found.0, found.1.as_str()), (true, parts), "{text}");
    };
    check("y := ;", "body Other@7");
    check("y := a &lt;;", "body Other@7");
    check("y := TRUE; END_IF; y := FALSE;", "body Other@7");
    check("y := TRUE;", "");
}
