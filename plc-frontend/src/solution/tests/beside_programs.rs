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
    // No task runs the program that is chosen.
    let unlisted = tasks("").replace("T1.prg", "T2.prg");
    check_conditions(&[other, ("Physical/C/Cpu.sw", &unlisted)], &["*T1", "programs"]);
    check_conditions(&[other, ("Physical/C/Cpu.sw", &unlisted), ("Physical/D/Cpu.sw", &tasks(""))], &["programs"]);
    let empty = unlisted.replace("<Task Name=\"T1\" Source=\"T2.prg\"/>", "");
    check_conditions(&[other, ("Physical/C/Cpu.sw", &empty)], &["*T1"]);
}

/// The controller checks no index, and a write beside an array changes another variable.
#[test]
fn indices_that_another_program_computes() {
    let check = |vars: &str, body: &str, expected: &[&str]| {
        let code = format!("ACTION X1:\nEND_ACTION\nPROGRAM _CYCLIC\nVAR {vars} END_VAR\n{body}\nEND_PROGRAM\n");
        check_conditions(&[("Logical/Common/X.st", &code)], expected);
    };
    let array = " a : ARRAY [0..3] OF INT; i, k : INT;";
    check(array, "a[i] := 1;", &["*T2"]);
    check(array, "a[i + 1] := 1;", &["*T2"]);
    check(array, "a[3] := 1; k := a[i];", &[]);
    check(array, "FOR i := 0 TO 3 DO a[i] := 1; END_FOR", &[]);
    check(array, "FOR i := 0 TO 4 DO a[i] := 1; END_FOR", &["*T2"]);
    check(array, "IF i >= 0 AND i <= 3 THEN a[i] := 1; END_IF", &[]);
    // Parts that are left out.
    check(array, "a[i] := missing;", &["*T2"]);
    check(array, "k := missing;", &[]);
    check(array, "a[i] := ;", &["*T2"]);
}

/// Code in C with a part that was not given can write any variable.
#[test]
fn code_in_c_with_a_missing_part() {
    let check = |text: &str, others: &[(&str, &str)], expected: &[&str]| {
        let mut files = vec![("Logical/Common/X.st", "ACTION X1:\nEND_ACTION\n"), ("Logical/T2/help.c", text)];
        files.extend(others);
        check_conditions(&files, expected);
    };
    check("#include <bur/plctypes.h>\nvoid help(void) { own = 1; }", &[], &[]);
    check("void hide(void);\nvoid help(void) { hide(); }", &[], &["hide"]);
    check("void hide(void);\nvoid help(void) { hide(); }", &[("Logical/T2/hide.c", "void hide(void) { own = 1; }")], &[]);
    check("#include \"own.h\"\nvoid help(void) { SET_IT; }", &[], &["*own.h"]);
    let header = ("Logical/Common/own.h", "#define SET_IT gF = 1");
    check("#include \"own.h\"\nvoid help(void) { SET_IT; }", &[header], &[]);
    let names = |others: &[(&str, &str)]| read(others).0;
    let c = ("Logical/T2/help.c", "#include \"own.h\"\nvoid help(void) { SET_IT; }");
    let x = ("Logical/Common/X.st", "ACTION X1:\nEND_ACTION\n");
    assert!(names(&[x, c, header]).contains(&"gF".to_owned()));
    // A library in C that is whole names nothing else.
    let library = |text: &'static str| names(&[x, ("Logical/Lib/DoIt.c", text)]);
    assert_eq!(library("int DoIt(int i) { return i; }"), [""; 0]);
    assert!(library("int DoIt(int i) { return i;").contains(&"gF".to_owned()));
    assert!(library("int DoIt(int i) { return i; } /* gN").contains(&"gF".to_owned()));
    // No list names the header.
    assert_eq!(names(&[x, c]), [""; 0]);
    assert_eq!(names(&[x, c, ("Logical/T2/own.h", "#define SET_IT gF = 1")]), ["gF"]);
    assert!(names(&[x, c, ("Logical/T1/own.h", "#define SET_IT gF = 1")]).contains(&"gF".to_owned()));
}

/// Files of panels and recipes name variables that an operator writes.
#[test]
fn panels_and_recipes() {
    let x = ("Logical/Common/X.st", "ACTION X1:\nEND_ACTION\n");
    let check = |name: &str, text: &str, expected: &[&str]| {
        let (_, loaded) = load(&[x, (name, text)]);
        let told: Vec<String> = loaded.project.beside.values().map(|extent| format!("{extent:?}")).collect();
        assert_eq!(told, expected, "{name}: {text}");
    };
    let binding = |mode: &str| {
        format!(
            "<?xml version=\"1.0\"?>\n<BindingsSet><Bindings><Binding mode=\"{mode}\"><Source xsi:type=\"opcUa\" \
             refId=\"::AsGlobalPV:gF\"/></Binding><Binding mode=\"twoWay\"><Source refId=\"::T1:n\"/></Binding></Bindings></BindingsSet>"
        )
    };
    check("Physical/C/PLC1/mappView/P.binding", &binding("twoWay"), &["Leaves({\"T1.n\", \"gF\"})"]);
    check("Physical/C/PLC1/mappView/P.binding", &binding("oneWay"), &["Leaves({\"T1.n\"})"]);
    let points = "<?xml version=\"1.0\"?>\n<?AutomationStudio Version=\"4.9\"?>\n<DataSource><DataPoints><DataPoint Name=\"gF\"/>\
                  </DataPoints></DataSource>";
    check("Logical/VCShared/DataSources/DataSource.dso", points, &["Leaves({\"gF\"})"]);
    check("Logical/T2/T2.var", "VAR\n r : MpRecipeRegPar;\nEND_VAR\n", &["Nameable"]);
    check("Logical/Libraries/MpRecipe/MpRecipe.fun", "FUNCTION_BLOCK MpRecipeRegPar\nEND_FUNCTION_BLOCK\n", &[]);
}

/// A name that another program only reads is not written there.
#[test]
fn names_that_another_program_only_reads() {
    let check = |body: &str, expected: &[&str]| {
        let text = format!("ACTION X1:\n{body}\nEND_ACTION\n");
        let (mentioned, _) = read(&[("Logical/Common/X.st", &text)]);
        assert_eq!(mentioned, expected, "{body}");
    };
    check("Other := gF;", &[]);
    check("IF gF AND T1.Flag THEN Other := 1; END_IF", &[]);
    check("gF := Other;", &["gF"]);
    check("Other := Call(gF);", &["gF"]);
    check("Other := gF; Call(ADR(gF));", &["gF"]);
    let x = ("Logical/Common/X.st", "ACTION X1:\nEND_ACTION\n");
    let c = |text: &str| read(&[x, ("Logical/T2/help.c", text)]).0;
    assert_eq!(c("void help(void) { if (gF) own = 1; }"), [""; 0]);
    assert_eq!(c("void help(void) { if (gF) own = 1; gF = 0; }"), ["gF"]);
}

/// Headers hold no text of controllers. Those that code includes count.
#[test]
fn headers_of_code_in_c() {
    let x = ("Logical/Common/X.st", "ACTION X1:\nEND_ACTION\n");
    let header = |name: &'static str| (name, "#define SET_IT gF = 1");
    let c = |include: &str| format!("#include \"{include}\"\nvoid help(void) {{ SET_IT; }}");
    let errors = |files: &[(&str, &str)]| load(files).1.left_out.len();
    let names = |files: &[(&str, &str)]| read(files).0;
    let in_tree = c("../own.h");
    for name in ["Logical/own.h", "Logical/T1/own.h", "own.h"] {
        let files = [x, header(name), ("Logical/T2/help.c", in_tree.as_str())];
        assert_eq!(names(&files), ["gF"], "{name}");
        assert_eq!(errors(&files), 0, "{name}");
    }
    assert_eq!(names(&[x, header("Logical/own.h")]), [""; 0]);
}

/// The code of a library runs in calls only.
#[test]
fn binaries_of_libraries() {
    let x = ("Logical/Common/X.st", "ACTION X1:\nEND_ACTION\n");
    let list = ("Logical/L/Binary.lby", "<?xml version=\"1.0\"?>\n<?AutomationStudio Version=4.12?>\n<Library/>\n");
    let interface = ("Logical/L/L.fun", "FUNCTION DoIt : INT\nVAR_INPUT i : INT; END_VAR\nEND_FUNCTION\n");
    let binary = ("Logical/L/SG4/L.br", "\0\u{1}gF(x)");
    let check = |files: &[(&str, &str)], expected: &[&str]| {
        check_conditions(files, expected);
        assert_eq!(read(files).0, [""; 0], "{files:?}");
    };
    check(&[x, list, interface, binary, ("Logical/L/SG4/libL.a", "!<arch>\ngF")], &[]);
    check(&[x, list, binary], &["*L.br"]);
    check(&[x, ("Logical/T9/T9.br", "\0")], &["*T9.br"]);
}

/// Uploads of one folder hold the declarations of the project beside those of the program.
#[test]
fn declarations_of_the_project_in_the_folder_of_its_program() {
    let check = |folder: &str, more: &[(&str, &str)], expected: &[&str]| {
        let mut sources = SourceSet::default();
        let mut add = |name: &str, text: &str| _ = sources.add(format!("{folder}{name}"), text);
        add("IEC.prg", &list("<File>Cyclic.st</File><File>T1.var</File>"));
        add("Cyclic.st", "PROGRAM _CYCLIC\n\tLamp := gF;\nEND_PROGRAM\n");
        add("T1.var", "VAR\n\tLamp : BOOL;\nEND_VAR\n");
        add("Global.var", "VAR\n\tgF : BOOL := TRUE;\nEND_VAR\n");
        more.iter().for_each(|(name, text)| add(name, text));
        let loaded = load_isolated(&sources, &LoadOptions::default()).value;
        let inferred: Vec<&str> = loaded.inferred.iter().map(|row| row.name.as_str()).collect();
        assert_eq!(inferred, expected, "{folder}");
        let is_global = loaded.project.globals.iter().any(|var| var.name == "gF");
        assert!(is_global, "{folder}");
    };
    check("", &[], &[]);
    check("Logical/T1/", &[], &[]);
    check("Logical/T1/", &[("../Other.typ", "")], &["gF"]);
}

/// A program in C is none to choose. What it writes is seen all the same.
#[test]
fn a_program_in_c_is_no_application() {
    let in_c = list("<File>Main.c</File>").replace("<Program>", "<Program SubType=\"ANSIC\">");
    let others = [
        ("Logical/Common/X.st", "ACTION X1:\nEND_ACTION\n"),
        ("Logical/C1/ANSIC.prg", in_c.as_str()),
        ("Logical/C1/Main.c", "void _CYCLIC ProgramCyclic(void)\n{\n gF = 1;\n}\n"),
    ];
    let (sources, _) = load(&others);
    let solution = crate::solution::Solution::of(&sources);
    let programs: Vec<String> =
        solution.projects().iter().enumerate().filter(|(_, it)| it.has_program).map(|(at, _)| solution.label(at)).collect();
    assert_eq!(programs, ["T1", "T2"]);
    assert_eq!(read(&others).0, ["gF"]);
}

/// Macros that join words make names that no text has.
#[test]
fn macros_of_c_that_make_names() {
    let x = ("Logical/Common/X.st", "ACTION X1:\nEND_ACTION\n");
    let check = |code: &str, expected: &[&str]| check_conditions(&[x, ("Logical/T2/help.c", code)], expected);
    check("#define G(n) g##n\nvoid help(void) { G(F) = 1; }", &["macros"]);
    let header = ("Logical/own.h", "#define G(n) g##n");
    check_conditions(&[x, header, ("Logical/T2/help.c", "#include \"own.h\"\nvoid help(void) { G(F) = 1; }")], &["macros"]);
    check("/* #### */\n#define G(n) #n\nvoid help(void) { G(F); }", &[]);
}

/// No code but its program runs the first part: not a function of C with the word `_INIT`, nor a file that was not given.
#[test]
fn the_first_part_of_a_program_beside_code_in_c() {
    let check = |files: &[(&str, &str)], expected: &[&str]| {
        let mut sources = SourceSet::default();
        sources.add("Logical/Ctrl/IEC.prg", list("<File>Cyclic.st</File><File>Ctrl.var</File>"));
        sources.add(
            "Logical/Ctrl/Cyclic.st",
            "PROGRAM _INIT\n\tlow := 2;\nEND_PROGRAM\nPROGRAM _CYCLIC\n\tx := low;\n\tgF := TRUE;\nEND_PROGRAM\n",
        );
        sources.add("Logical/Ctrl/Ctrl.var", "VAR\n\tlow, x : INT;\nEND_VAR\n");
        sources.add("Logical/Global.var", "VAR\n\tgF : BOOL;\nEND_VAR\n");
        sources.add("Logical/C1/ANSIC.prg", list("<File>Main.c</File>").replace("<Program>", "<Program SubType=\"ANSIC\">"));
        files.iter().for_each(|(name, text)| _ = sources.add(*name, *text));
        let options = LoadOptions { project: Some("Ctrl".to_owned()), ..LoadOptions::default() };
        let loaded = load_isolated(&sources, &options).value;
        assert!(loaded.project.globals.iter().any(|var| var.name == "gF") && loaded.inferred.is_empty(), "{files:?}");
        let written: Vec<&str> = loaded.project.environment.keys().map(String::as_str).collect();
        assert_eq!(written, expected, "{files:?}");
    };
    check(
        &[("Logical/C1/Main.c", "void _INIT ProgramInit(void)\n{\n}\nvoid _CYCLIC ProgramCyclic(void)\n{\n gF = 1;\n}\n")],
        &["gF"],
    );
    // A file that was not given may write all that it could name, but `__initialised` has no name.
    let all = ["Ctrl.low", "Ctrl.x", "gF"];
    check(&[("Logical/C1/C1.var", "VAR\n\tk : INT;\nEND_VAR\n")], &all);
    check(&[], &all);
}
