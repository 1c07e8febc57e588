//! Objects and projects of TwinCAT, whole and damaged.

use crate::ast::{Body, Item, StmtKind, Unit};
use crate::text::{FileId, Origin, Parsed, Severity, SourceFile, SourceSet, Span, decode};
use crate::{LoadOptions, load};

fn parsed(name: &str, text: &str) -> Parsed<Unit> {
    let file = SourceFile::new(name, text, Origin::User);
    crate::lang::parse(FileId(0), &file)
}

fn object(inside: &str) -> String {
    format!("<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<TcPlcObject Version=\"1.1.0.1\">\n{inside}\n</TcPlcObject>")
}

fn pou(declaration: &str, rest: &str) -> String {
    object(&format!("<POU Name=\"x\" SpecialFunc=\"None\"><Declaration><![CDATA[{declaration}]]></Declaration>{rest}</POU>"))
}

fn st(body: &str) -> String {
    format!("<Implementation><ST><![CDATA[{body}]]></ST></Implementation>")
}

fn body(b: &Body) -> String {
    let word = |kind: &StmtKind| {
        if let StmtKind::Unsupported(words) = kind {
            words.to_string()
        } else {
            if matches!(kind, StmtKind::Error) { "error" } else { "." }.to_owned()
        }
    };
    b.stmts().iter().map(|s| word(&s.kind)).collect()
}

/// Returns one word for each item: its kind, its name, its members, and one dot for each statement.
fn outline(unit: &Unit) -> String {
    let method = |m: &crate::ast::Method| format!("{}{}", m.name.text, m.body.as_ref().map_or("-".to_owned(), body));
    let item = |i: &Item| match i {
        Item::Pou(p) => {
            let n_vars: usize = p.vars.iter().map(|b| b.vars.len()).sum();
            let methods: Vec<String> = p.methods.iter().map(method).collect();
            let actions: Vec<String> = p.actions.iter().map(|a| format!("{}{}", a.name.text, body(&a.body))).collect();
            let properties: Vec<String> = p
                .properties
                .iter()
                .map(|p| {
                    format!(
                        "{} get{} set{}",
                        p.name.text,
                        p.getter.as_ref().map_or(String::new(), method),
                        p.setter.as_ref().map_or(String::new(), method)
                    )
                })
                .collect();
            format!("{:?} {} {n_vars} [{}] {methods:?} {properties:?} {actions:?}", p.kind, p.name.text, body(&p.body))
        }
        Item::Type(t) => format!("type {}", t.name.text),
        Item::Globals(g) => {
            let list = g
                .list
                .as_ref()
                .map_or(String::new(), |l| format!(" in {}{}", l.name.text, if l.qualified_only { "!" } else { "" }));
            format!("globals {}{list}", g.vars.len())
        }
        Item::Interface(i) => {
            let methods: Vec<String> = i.methods.iter().map(method).collect();
            format!("interface {} {methods:?} {}", i.name.text, i.properties.len())
        }
        Item::Unsupported(words, _) => format!("unsupported {words}"),
        Item::Configuration(_) | Item::Namespace(_) | Item::Using(_) => "other".to_owned(),
    };
    unit.items.iter().map(item).collect::<Vec<_>>().join("; ")
}

#[track_caller]
fn check(name: &str, text: &str, expected: &str, codes: &str) {
    let parsed = parsed(name, text);
    // Returns the code of a finding, and the beginning of the text at its place.
    let place = |span: Span| text[span.start as usize..span.end as usize].chars().take(12).collect::<String>();
    let found: Vec<String> = parsed.diagnostics.iter().map(|d| format!("{} {}", d.code, place(d.span()))).collect();
    assert_eq!(
        (outline(&parsed.value).as_str(), found.join(", ").as_str()),
        (expected, codes),
        "{text}\n{:#?}",
        parsed.diagnostics
    );
}

#[test]
fn objects() {
    let f = pou("FUNCTION_BLOCK F\nVAR_INPUT a : INT; END_VAR\nVAR b, c : INT; END_VAR", &st("b := a;\nc := b;"));
    check("F.TcPOU", &f, "FunctionBlock F 3 [..] [] [] []", "");
    check("F.xml", &f, "FunctionBlock F 3 [..] [] [] []", "");
    check("\u{feff}F.TcPOU", &format!("\u{feff}{f}"), "FunctionBlock F 3 [..] [] [] []", "");
    let members = st("act(); m();")
        + "<Method Name='m'><Declaration><![CDATA[METHOD PUBLIC m : BOOL\nVAR_INPUT x : INT; END_VAR\n]]></Declaration>"
        + &st("m := x < 1 AND 2 > x;")
        + "</Method><Action Name='act'>"
        + &st("a := 1;")
        + "</Action><Folder Name='f'/><Property Name='p'><Declaration><![CDATA[PROPERTY p : INT]]></Declaration><Get Name='Get'>"
        + "<Declaration><![CDATA[PRIVATE VAR t : INT; END_VAR]]></Declaration>"
        + &st("t := a; p := t;")
        + "</Get><Set Name='Set'><Declaration><![CDATA[]]></Declaration>"
        + &st("a := p;")
        + "</Set></Property>";
    let f = pou("{attribute 'x'}\nFUNCTION_BLOCK F EXTENDS G IMPLEMENTS I\nVAR a : INT; END_VAR", &members);
    check("F.TcPOU", &f, "FunctionBlock F 1 [..] [\"m.\"] [\"p getp.. setp.\"] [\"act.\"]", "");
    let escaped = object(
        "<POU Name='x'><Declaration>FUNCTION f : BOOL VAR_INPUT a : INT; END_VAR</Declaration><Implementation><ST>f := a &lt;&gt; 1 &amp; a &gt;= 2;</ST></Implementation></POU>",
    );
    check("f.TcPOU", &escaped, "Function f 1 [.] [] [] []", "");
    let gvl = r"<GVL Name='Pumps'><Declaration><![CDATA[{attribute 'qualified_only'}
VAR_GLOBAL
 a : INT; b : INT;
END_VAR
VAR_GLOBAL CONSTANT c : INT := 1; END_VAR]]></Declaration></GVL>";
    check("Pumps.TcGVL", &object(gvl), "globals 2 in Pumps!; globals 1 in Pumps!", "");
    check("Pumps.TcGVL", &object(&gvl.replace("qualified_only", "strict")), "globals 2 in Pumps; globals 1 in Pumps", "");
    let dut = "<DUT Name='T'><Declaration><![CDATA[TYPE T :\nSTRUCT a : INT; END_STRUCT\nEND_TYPE]]></Declaration></DUT>";
    check("T.TcDUT", &object(dut), "type T", "");
    let itf = "<Itf Name='I'><Declaration><![CDATA[INTERFACE I]]></Declaration><Method Name='m'><Declaration><![CDATA[METHOD m : BOOL]]></Declaration></Method><Property Name='p'><Declaration><![CDATA[PROPERTY p : INT]]></Declaration><Get Name='Get'><Declaration><![CDATA[]]></Declaration></Get></Property></Itf>";
    check("I.TcIO", &object(itf), "interface I [\"m-\"] 1", "");
}

#[test]
fn drawn_bodies_are_gaps() {
    let cfc = pou("PROGRAM p", "<Implementation><CFC><XmlArchive><Data><o/></Data></XmlArchive></CFC></Implementation>");
    check("p.TcPOU", &cfc, "Program p 0 [continuous function chart (CFC) that is not complete] [] [] []", "");
    let odd = pou("PROGRAM p", "<Implementation><Odd/></Implementation>");
    check("p.TcPOU", &odd, "Program p 0 [body in an unknown language] [] [] []", "");
    let special = pou("FUNCTION f : INT", &st("f := 1;")).replace("SpecialFunc=\"None\"", "SpecialFunc=\"CheckDivInt32\"");
    let expected = "Function f 0 [.] [] [] []; unsupported function that TwinCAT calls before each operation of a kind";
    check("f.TcPOU", &special, expected, "");
    let mut sources = SourceSet::default();
    sources.add("p.TcPOU", cfc);
    let loaded = load(&sources, &LoadOptions::default());
    assert_eq!(loaded.value.ledger.gaps.len(), 1, "{:#?}", loaded.value.ledger);
}

#[test]
fn damaged_objects_deliver_the_rest() {
    check("a.TcPOU", "", "", "P0006 ");
    check("a.TcPOU", "PROGRAM p END_PROGRAM", "", "P0006 PROGRAM p EN");
    check("a.TcPOU", "<Other/>", "", "P0010 <Other/>");
    check("a.TcPOU", &object(""), "", "P0003 <TcPlcObject");
    check("a.TcPOU", &pou("PROGRAM p", ""), "Program p 0 [] [] [] []", "P0011 <POU Name=\"x");
    check("a.TcPOU", &object("<POU Name='x'/>"), "", "P0011 <POU Name='x");
    check("a.TcPOU", &pou("", &st("")), "", "P0011 <POU Name=\"x");
    check("a.TcPOU", &pou("TYPE t : INT; END_TYPE", &st("")), "type t", "P0011 <POU Name=\"x");
    let no_body = "<Method Name='m'><Declaration><![CDATA[METHOD m]]></Declaration></Method>";
    let expected = "FunctionBlock F 0 [] [\"m-\"] [] []";
    check("a.TcPOU", &pou("FUNCTION_BLOCK F", &(st("") + no_body)), expected, "P0011 <Method Name");
    let two = object(&"<DUT Name='t'><Declaration>TYPE t : INT; END_TYPE</Declaration></DUT>".repeat(2));
    check("a.TcDUT", &two, "type t; type t", "P0012 <DUT Name='t");
    // A section without an end loses only its own part.
    let cut = pou("PROGRAM p VAR a : INT; END_VAR", &st("a := 1;")).replacen("]]>", "", 1);
    check("a.TcPOU", &cut, "Program p 1 [.] [] [] []", "P0006 <![CDATA[");
    // The file is cut off.
    let whole = pou("PROGRAM p VAR a : INT; END_VAR", &st("a := 1;"));
    let half = &whole[..whole.find("</Declaration>").unwrap()];
    check("a.TcPOU", half, "Program p 1 [] [] [] []", "P0011 <POU Name=\"x, P0006 <Declaration");
    for n in 0..whole.len() {
        parsed("a.TcPOU", &whole[..n]);
    }
    // A mistake in the text is reported at its place in the file.
    let wrong = pou("PROGRAM p VAR a : INT; END_VAR", &st("a := &lt;;"));
    let parsed = parsed("a.TcPOU", &wrong);
    assert_eq!(parsed.diagnostics[0].span().start as usize, wrong.find("&lt;;").unwrap(), "{:#?}", parsed.diagnostics);
}

#[test]
fn encodings() {
    let text = pou("FUNCTION_BLOCK F VAR größe : INT; END_VAR", &st("größe := 1;"));
    let utf16: Vec<u8> = "\u{feff}".encode_utf16().chain(text.encode_utf16()).flat_map(|unit| unit.to_le_bytes()).collect();
    let (decoded, problems) = decode(&utf16);
    assert!(problems.is_empty());
    check("F.TcPOU", &decoded, "FunctionBlock F 1 [.] [] [] []", "");
    let latin: Vec<u8> = text.chars().map(|c| c as u32 as u8).collect();
    check("F.TcPOU", &decode(&latin).0, "FunctionBlock F 1 [.] [] [] []", "");
}

const PROJECT: &str = r#"<Project xmlns="http://schemas.microsoft.com/developer/msbuild/2003"><ItemGroup>
<Compile Include="POUs\Main.TcPOU"><SubType>Code</SubType></Compile>
<Compile Include="POUs\Old.TcPOU"><ExcludeFromBuild>true</ExcludeFromBuild></Compile>
<Compile Include="Vis\Vis.TcVIS"/>
<PlaceholderReference Include="Tc2_Standard"><DefaultResolution>Tc2_Standard, * (Beckhoff)</DefaultResolution></PlaceholderReference>
</ItemGroup></Project>"#;

#[test]
fn projects_say_what_is_compiled() {
    let program = |name: &str| pou(&format!("PROGRAM {name} VAR a : INT; END_VAR"), &st("a := 1;"));
    let mut files = vec![
        ("Plc/Plc.plcproj", PROJECT.to_owned()),
        ("Plc/POUs/MAIN.TcPOU", program("Main")),
        ("Plc/POUs/Old.TcPOU", program("Old")),
        ("Plc/POUs/Stray.TcPOU", program("Stray")),
        ("Other/Beside.TcPOU", program("Beside")),
        ("README.md", "# Plc".to_owned()),
        ("picture.png", "\0\0\0".to_owned()),
    ];
    let read = |files: &[(&str, String)]| {
        let mut sources = SourceSet::default();
        files.iter().for_each(|(name, text)| {
            sources.add(*name, text.clone());
        });
        let loaded = load(&sources, &LoadOptions::default());
        let errors: Vec<_> = loaded.diagnostics.iter().filter(|d| d.severity == Severity::Error).map(|d| d.code).collect();
        let project = &loaded.value.project;
        let mut runs: Vec<String> = project.task.runs.iter().map(|i| project.instances[*i].name.clone()).collect();
        runs.sort();
        let ignored: Vec<String> = loaded.value.ledger.ignored.iter().map(|i| format!("{}: {}", i.what, i.why)).collect();
        (runs.join(" "), errors.join(" "), ignored)
    };
    let (runs, errors, mut ignored) = read(&files);
    assert_eq!((runs.as_str(), errors.as_str()), ("Main", ""));
    files.reverse();
    let (runs, errors, mut reversed) = read(&files);
    assert_eq!((runs.as_str(), errors.as_str()), ("Main", ""));
    ignored.sort();
    reversed.sort();
    assert_eq!(ignored, reversed, "the order of files makes no difference");
    let expected = [
        "document: no part of the program",
        "file `POUs\\Old.TcPOU`: excluded from the build by the project",
        "file that is not compiled: `Plc/Plc.plcproj` does not compile it",
        "file that is not compiled: `Plc/Plc.plcproj` does not compile it",
        "file that is not compiled: it is no part of the project `Plc`, which runs",
        "picture: no part of the program",
        "reference to the library Tc2_Standard: its standard blocks and those of docs/libraries.md are known; upload the sources of what else is used",
    ];
    assert_eq!(ignored, expected);
    // Uploads have no folders.
    let flat = vec![("Plc.plcproj", PROJECT.to_owned()), ("Main.TcPOU", program("Main")), ("Old.TcPOU", program("Old"))];
    assert_eq!(read(&flat).0, "Main");
    // Compiled files must be among the sources.
    assert_eq!(read(&[("Plc/Plc.plcproj", PROJECT.to_owned()), ("a.st", "PROGRAM p END_PROGRAM".to_owned())]).1, "P0013");
    assert_eq!(read(&[("README.md", String::new())]).1, "P0003");
}

#[test]
fn tasks_say_what_runs() {
    let run = |task: &str| {
        let mut sources = SourceSet::default();
        let program = |name: &str, body: &str| pou(&format!("PROGRAM {name} VAR n : INT; END_VAR"), &st(body));
        sources.add("Main.TcPOU", program("Main", "n := n + 1; Sub();"));
        sources.add("Sub.TcPOU", program("Sub", "n := n + 1;"));
        sources.add("Old.TcPOU", program("Old", "n := n + 1;"));
        sources.add("PlcTask.TcTTO", object(task));
        let loaded = load(&sources, &LoadOptions::default());
        let errors: Vec<_> = loaded.diagnostics.iter().filter(|d| d.severity == Severity::Error).map(|d| d.code).collect();
        let project = &loaded.value.project;
        let mut machine = crate::interp::Machine::new(project, crate::interp::Limits::default());
        for _ in 0..3 {
            machine.begin(&std::collections::BTreeMap::new(), 10_000_000).unwrap();
            machine.run(&mut crate::interp::Silent).unwrap();
        }
        let n = |name: &str| machine.leaf(name).and_then(|v| v.as_int());
        ((n("Main.n"), n("Sub.n"), n("Old.n")), errors.join(" "))
    };
    let calls = "<PouCall><Name>Main</Name></PouCall>";
    let task = format!("<Task Name='PlcTask' Id='1'><CycleTime>10000</CycleTime><Priority>20</Priority>{calls}</Task>");
    let (counts, errors) = run(&task);
    assert_eq!(errors, "");
    assert_eq!((counts.0, counts.1), (Some(3), Some(3)));
    assert!(matches!(counts.2, None | Some(0)), "no task runs it: {counts:?}");
    assert_eq!(run(&task.replace("10000", "often")).1, "P0011");
    assert_eq!(run("<Task Name='Idle'><CycleTime>10000</CycleTime></Task>").0, (Some(3), Some(3), Some(3)));
}

/// A task may call an action, or a program of a library.
#[test]
fn tasks_call_actions_and_programs_of_libraries() {
    let check = |name: &str, expected: &[&str], inputs: &[&str]| {
        let mut sources = SourceSet::default();
        let action = "<Action Name='Act' Id='2'><Implementation><ST><![CDATA[k := k + 1;]]></ST></Implementation></Action>";
        let main = pou("PROGRAM Main VAR n, k : INT; END_VAR", &st("n := n + 1;"));
        sources.add("Main.TcPOU", main.replace("</POU>", &format!("{action}</POU>")));
        let task = |task: &str, program: &str| {
            let call = format!("<PouCall><Name>{program}</Name></PouCall>");
            object(&format!("<Task Name='{task}' Id='1'><CycleTime>10000</CycleTime><Priority>20</Priority>{call}</Task>"))
        };
        sources.add("A.TcTTO", task("A", "Main"));
        sources.add("B.TcTTO", task("B", name));
        let loaded = load(&sources, &LoadOptions::default());
        assert!(loaded.value.runs, "{name}: {:?}", loaded.diagnostics);
        let gaps = loaded.value.ledger.gaps.iter().filter(|gap| loaded.value.project.beside.contains_key(&gap.span));
        let gaps: Vec<&str> = gaps.map(|gap| gap.construct.split(',').next().unwrap_or_default()).collect();
        let inputs_found: Vec<&String> = loaded.value.project.environment.keys().collect();
        assert_eq!(
            (gaps, inputs_found.iter().map(|name| name.as_str()).collect()),
            (expected.to_vec(), inputs.to_vec()),
            "{name}"
        );
    };
    check("VisuElems.Visu_Prg", &["`VisuElems.Visu_Prg`"], &[]);
    check("Main.Act", &["`Main.Act`"], &["Main.k"]);
}

#[test]
fn tasks_run_by_their_priorities() {
    let check = |a: &str, b: &str, expected: &[i128], conditions: &[&str]| {
        let mut sources = SourceSet::default();
        let program = |name: &str, body: &str| pou(&format!("PROGRAM {name} VAR n : INT; END_VAR"), &st(body));
        let globals = object("<GVL Name='G'><Declaration><![CDATA[VAR_GLOBAL last : INT; END_VAR]]></Declaration></GVL>");
        sources.add("G.TcGVL", globals);
        sources.add("First.TcPOU", program("First", "n := last; last := 1;"));
        sources.add("Second.TcPOU", program("Second", "n := last; last := 2;"));
        let task = |name: &str, priority: &str, program: &str| {
            let call = format!("<PouCall><Name>{program}</Name></PouCall>");
            object(&format!("<Task Name='{name}' Id='1'><CycleTime>10000</CycleTime>{priority}{call}</Task>"))
        };
        sources.add("A.TcTTO", task("A", a, "First"));
        sources.add("B.TcTTO", task("B", b, "Second"));
        let loaded = load(&sources, &LoadOptions::default());
        let project = &loaded.value.project;
        let mut machine = crate::interp::Machine::new(project, crate::interp::Limits::default());
        machine.begin(&std::collections::BTreeMap::new(), 10_000_000).unwrap();
        machine.run(&mut crate::interp::Silent).unwrap();
        let n = |name: &str| machine.leaf(name).and_then(|v| v.as_int());
        assert_eq!([n("First.n"), n("Second.n")].into_iter().flatten().collect::<Vec<_>>(), expected, "{a} {b}");
        let gaps: Vec<&str> = loaded.value.ledger.gaps.iter().map(|gap| gap.construct.as_str()).collect();
        assert_eq!(gaps, conditions, "{a} {b}");
    };
    let of = |number: u32| format!("<Priority>{number}</Priority>");
    check(&of(10), &of(20), &[0, 1], &["several TASKs"]);
    check(&of(20), &of(10), &[2, 0], &["several TASKs"]);
    let unclear = ["several TASKs", "order of TASKs without a priority of their own"];
    check(&of(20), &of(20), &[0, 1], &unclear);
    check("", &of(20), &[0, 1], &unclear);
    check(&of(20), "", &[2, 0], &unclear);
}
