//! Projects in small trees of files, and programs that are read from them.

mod beremiz;
mod beside_programs;
mod controllers;
mod library_settings;
mod linked_files;
mod names;

use super::*;
use crate::text::Severity;
use crate::{LoadOptions, Loaded, load_isolated};

const MAIN: &str = "PROGRAM Main\nVAR_OUTPUT\n y : BOOL;\nEND_VAR\ny := TRUE;\nEND_PROGRAM\n";
const BLOCK: &str = "FUNCTION_BLOCK Lamp\nVAR_OUTPUT\n on : BOOL;\nEND_VAR\non := TRUE;\nEND_FUNCTION_BLOCK\n";

const STUDIO: &str = "<?xml version=\"1.0\"?>\n<?AutomationStudio FileVersion=\"4.9\"?>\n<Program/>";

fn set(files: &[(&str, &str)]) -> SourceSet {
    let mut sources = SourceSet::default();
    for (name, text) in files {
        sources.add(*name, *text);
    }
    sources
}

/// Returns an object of TwinCAT.
fn pou(declaration: &str, body: &str) -> String {
    let name = declaration.split_whitespace().nth(1).unwrap_or_default();
    format!(
        "<TcPlcObject><POU Name=\"{name}\"><Declaration><![CDATA[{declaration}]]></Declaration>\
         <Implementation><ST><![CDATA[{body}]]></ST></Implementation></POU></TcPlcObject>"
    )
}

/// Returns a project of TwinCAT: its title, its files and the libraries that it references.
fn plcproj(title: &str, files: &[&str], libraries: &[&str]) -> String {
    let compiled: String = files.iter().map(|file| format!("<Compile Include=\"{file}\"/>")).collect();
    let references = libraries.iter().map(|library| format!("<PlaceholderReference Include=\"{library}\"/>"));
    let references: String = references.collect();
    format!(
        "<Project><PropertyGroup><Title>{title}</Title></PropertyGroup><ItemGroup>{compiled}{references}</ItemGroup></Project>"
    )
}

/// Returns each project: its label, the number of its files and of its libraries' files; `*` before a test.
fn projects(sources: &SourceSet) -> String {
    let solution = Solution::of(sources);
    let row = |(at, project): (usize, &Project)| {
        let test = if project.is_test { "*" } else { "" };
        format!("{test}{}:{}+{}", solution.label(at), project.files.len(), solution.library_files(at).len())
    };
    solution.projects().iter().enumerate().map(row).collect::<Vec<_>>().join(" ")
}

#[track_caller]
fn check(files: &[(&str, &str)], expected: &str, choice: Choice) {
    let sources = set(files);
    assert_eq!(projects(&sources), expected);
    assert_eq!(Solution::of(&sources).choose(None), choice);
}

#[test]
fn files_of_systems_list_projects() {
    let main = pou("PROGRAM MAIN\nVAR\n l : FB_Lib;\nEND_VAR", "l();");
    let block = pou("FUNCTION_BLOCK FB_Lib\nVAR_OUTPUT\n y : INT;\nEND_VAR", "y := 1;");
    let (app, test) =
        (plcproj("App", &["MAIN.TcPOU"], &["MyLib, 1.0 (Me)"]), plcproj("T", &["MAIN.TcPOU"], &["mylib", "TcUnit"]));
    let lib = plcproj("MyLib", &["FB_Lib.TcPOU"], &[]);
    let twincat: &[(&str, &str)] = &[
        ("S/App/App.plcproj", &app),
        ("S/App/MAIN.TcPOU", &main),
        ("S/Lib/Lib.plcproj", &lib),
        ("S/Lib/FB_Lib.TcPOU", &block),
        ("S/Lib/TryOut.TcPOU", &main),
        ("S/Verifier/Verifier.plcproj", &test),
        ("S/Verifier/MAIN.TcPOU", &main),
        ("S/README.md", "PROGRAM"),
    ];
    check(twincat, "App:2+3 Lib:3+0 *Verifier:2+3", Choice::One(0));
    // Without the application nothing but the library and its test is left.
    check(&twincat[2..], "Lib:3+0 *Verifier:2+3", Choice::One(0));
    // One project alone is read, whatever it is.
    check(&twincat[5..], "*Verifier:2+0", Choice::One(0));
    // Files beside it are none of it.
    check(&[twincat[0], twincat[1], ("S/Other/x.st", MAIN)], "App:2+0 other files:1+0", Choice::One(0));

    let (root, lib) =
        ("name: \"@me/plant\"\ntype: app\ndependencies:\n  \"@me/lamps\": ^1.0.0\n", "name: \"@me/lamps\"\ntype: lib\n");
    let packages = [
        ("apps/plant/apax.yml", root),
        ("apps/plant/src/Main.st", MAIN),
        ("libs/lamps/apax.yml", lib),
        ("libs/lamps/src/Lamp.st", BLOCK),
        ("libs/lamps/test/LampTest.st", MAIN),
    ];
    check(&packages, "plant:1+1 lamps:1+0 *lamps tests:1+1", Choice::One(0));

    let studio = [
        ("P/Logical/Global.var", "VAR g : INT; END_VAR"),
        ("P/Logical/Libraries/L/IEC.lby", STUDIO),
        ("P/Logical/Libraries/L/L.fun", BLOCK),
        ("P/Logical/Fill/IEC.prg", STUDIO),
        ("P/Logical/Fill/Fill.st", "PROGRAM _CYCLIC\nEND_PROGRAM"),
        ("P/Logical/Pack/IEC.prg", STUDIO),
        ("P/Logical/Pack/Pack.st", "PROGRAM _CYCLIC\nEND_PROGRAM"),
    ];
    let found = projects(&set(&studio));
    assert!(found.starts_with("Fill:") && found.contains(" L:") && found.contains(" Pack:"), "{found}");
    assert!(matches!(Solution::of(&set(&studio)).choose(None), Choice::Several(those) if those.len() == 2), "{found}");
}

/// Each of two projects in one folder has the files that it compiles.
#[test]
fn projects_of_twincat_share_a_folder() {
    let main = |name: &str| pou(&format!("PROGRAM {name}\nVAR\n b : Common;\nEND_VAR"), "b();");
    let common = pou("FUNCTION_BLOCK Common\nVAR\n n : INT;\nEND_VAR", "n := n + 1;");
    let (a, b) = (plcproj("A", &["POUs\\A1.TcPOU", "Common.TcPOU"], &[]), plcproj("B", &["POUs\\B1.TcPOU", "common.TcPOU"], &[]));
    let check_in = |folder: &str| {
        let name = |file: &str| format!("{folder}{file}");
        let (main_a, main_b) = (main("MainA"), main("MainB"));
        let files = [
            (name("A.plcproj"), &a),
            (name("B.plcproj"), &b),
            (name("Common.TcPOU"), &common),
            (name("POUs/A1.TcPOU"), &main_a),
            (name("POUs/B1.TcPOU"), &main_b),
        ];
        let files: Vec<(&str, &str)> = files.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
        check(&files, "A:3+0 B:3+0", Choice::Several(vec![0, 1]));
        for (project, program) in [("A", "MainA"), ("B", "MainB")] {
            let options = LoadOptions { project: Some(project.to_owned()), ..LoadOptions::default() };
            let loaded = load_isolated(&set(&files), &options);
            assert!(!loaded.has_errors(), "{folder} {project}: {:#?}", loaded.diagnostics);
            let running: Vec<&str> = loaded.value.project.instances.iter().map(|instance| instance.name.as_str()).collect();
            assert_eq!(running, [program], "{folder}");
        }
    };
    check_in("");
    check_in("/S/Line/");
}

/// A part of an upload chooses the same project as the whole, with the same files.
#[test]
fn a_project_is_read_alone_as_in_the_whole() {
    let check = |files: &[(&str, &str)], expected: &[(&str, &[usize], Option<&str>)]| {
        let sources = set(files);
        let solution = Solution::of(&sources);
        for (label, numbers, name) in expected {
            let at = (0..solution.projects().len()).find(|at| solution.label(*at) == *label).unwrap();
            let reading = solution.reading(&sources, at).unwrap();
            let found: Vec<usize> = reading.files.iter().map(|id| id.0 as usize).collect();
            assert_eq!((found.as_slice(), reading.name.as_deref()), (*numbers, *name), "{label}");
        }
    };
    let app = "name: app\ndependencies:\n  lamps: 1\n";
    let packages = [
        ("apax.yml", app),
        ("src/Main.st", MAIN),
        ("libs/lamps/apax.yml", "name: lamps\n"),
        ("libs/lamps/src/Lamp.st", BLOCK),
        ("libs/lamps/test/LampTest.st", MAIN),
        ("libs/other/apax.yml", "name: other\n"),
        ("libs/other/src/Main.st", MAIN),
    ];
    check(&packages, &[("app", &[0, 1, 2, 3], Some("app")), ("lamps tests", &[2, 3, 4], Some("lamps tests"))]);
    let studio = [
        ("Logical/Global.var", "VAR g : INT; END_VAR"),
        ("Logical/Fill/IEC.prg", STUDIO),
        ("Logical/Fill/Fill.st", "PROGRAM _CYCLIC\nEND_PROGRAM"),
        ("Logical/Pack/IEC.prg", STUDIO),
        ("Logical/Pack/Pack.st", "PROGRAM _CYCLIC\nEND_PROGRAM"),
    ];
    check(&studio, &[("Fill", &[0, 1, 2, 3, 4], Some("Fill")), ("Pack", &[0, 1, 2, 3, 4], Some("Pack"))]);
    // Folders are projects only beside each other.
    let folders = [("a/Main.scl", MAIN), ("b/Main.scl", MAIN), ("common/Lamp.scl", BLOCK)];
    check(&folders, &[("a", &[0, 1, 2], Some("a")), ("b", &[0, 1, 2], Some("b"))]);
    check(&packages[..2], &[("app", &[0, 1], None)]);
}

/// Files outside of the trees of Automation Studio are none of it.
#[test]
fn projects_of_several_systems_stand_beside_each_other() {
    let files = [
        ("all/studio/Logical/Global.var", "VAR g : INT; END_VAR"),
        ("all/studio/Logical/Fill/IEC.prg", STUDIO),
        ("all/studio/Logical/Fill/Fill.st", "PROGRAM _CYCLIC\nEND_PROGRAM"),
        ("all/packages/apax.yml", "name: plant\n"),
        ("all/packages/src/Main.st", MAIN),
        ("all/alone/main.st", MAIN),
    ];
    check(&files, "plant:1+0 Fill:1+1 shared files:1+0 other files:1+0", Choice::Several(vec![0, 1]));
}

#[test]
fn folders_are_projects_where_programs_have_the_same_names() {
    check(&[("a/main.st", MAIN), ("b/lamp.st", BLOCK)], ":2+0", Choice::One(0));
    // Names of files tell nothing.
    check(&[("a/types.st", BLOCK), ("b/types.st", MAIN)], ":2+0", Choice::One(0));
    let plants = [("PLC_1/Main.scl", MAIN), ("PLC_2/Main.scl", MAIN), ("common/Lamp.scl", BLOCK), ("x.st", BLOCK)];
    check(&plants, ":1+1 PLC_1:1+2 PLC_2:1+2 common:1+1", Choice::Several(vec![1, 2]));
    check(&[("p/app/m.st", MAIN), ("p/app_tests/m.st", MAIN)], "app:1+0 *app_tests:1+0", Choice::One(0));
    // A library beside a program is one of this program only.
    let lines =
        [("A/Main.st", MAIN), ("A/lib/Lamp.st", BLOCK), ("B/x/Main.st", MAIN), ("B/y/Main.st", MAIN), ("B/lib/Lamp.st", BLOCK)];
    check(&lines, "A:2+0 lib:1+0 x:1+1 y:1+1", Choice::Several(vec![0, 2, 3]));
    // Folders above all files tell nothing.
    check(&[("test/a/m.st", MAIN), ("test/b/m.st", MAIN)], "a:1+0 b:1+0", Choice::Several(vec![0, 1]));
    // Texts of one folder are one program: two programs of one name are a mistake.
    check(&[("a/m.st", MAIN), ("a/n.st", MAIN)], "a:2+0", Choice::One(0));
    let export = "<project><pou name=\"Main\" pouType=\"program\"/></project>";
    check(&[("one.xml", export), ("two.xml", export)], "one:1+0 two:1+0", Choice::Several(vec![0, 1]));
    check(&[], "", Choice::All);
}

fn loaded(files: &[(&str, &str)], project: Option<&str>) -> (Loaded, String) {
    let options = LoadOptions { project: project.map(str::to_owned), ..LoadOptions::default() };
    let loaded = load_isolated(&set(files), &options);
    let errors = loaded.diagnostics.iter().filter(|d| d.severity == Severity::Error);
    let errors: Vec<String> = errors.map(|d| format!("{} {}", d.code, d.message)).collect();
    (loaded.value, errors.join("; "))
}

#[test]
fn the_chosen_project_is_read_with_its_libraries() {
    let use_lamp = "PROGRAM Main\nVAR\n l : Lamp;\nEND_VAR\nl();\nEND_PROGRAM\n";
    let lamps = format!("{BLOCK}PROGRAM TryOut\nVAR\n l : Lamp;\nEND_VAR\nl();\nEND_PROGRAM\n");
    let app = "name: app\ndependencies:\n  lamps: 1\n";
    let files: &[(&str, &str)] = &[
        ("app/apax.yml", app),
        ("app/Main.st", use_lamp),
        ("other/apax.yml", "name: other\n"),
        ("other/Main.st", MAIN),
        ("lamps/apax.yml", "name: lamps\n"),
        ("lamps/Lamp.st", &lamps),
    ];
    let pous = |loaded: &Loaded| loaded.project.pous.iter().map(|pou| pou.name.clone()).collect::<Vec<_>>().join(" ");
    let (read, errors) = loaded(files, Some("APP"));
    assert_eq!((errors.as_str(), pous(&read).as_str(), read.runs), ("", "Main Lamp TryOut", true));
    assert!(read.ledger.ignored.iter().any(|i| i.what == "`TryOut` of a library"), "{:?}", read.ledger.ignored);
    let (read, errors) = loaded(files, Some("other"));
    assert_eq!((errors.as_str(), pous(&read).as_str()), ("", "Main"));
    let (read, errors) = loaded(files, None);
    assert!(
        errors.starts_with("P4108 these files hold 2 projects, and one of them runs: `app`, `other`") && !read.runs,
        "{errors}"
    );
    let (read, errors) = loaded(files, Some("nothing"));
    assert!(errors.starts_with("P4109 there is no project `nothing` here") && !read.runs, "{errors}");
    // A library's own declaration of a name is another one.
    let own = "VAR_GLOBAL CONSTANT\n Limit : INT := 1;\nEND_VAR\nPROGRAM Main\nVAR\n l : Lamp; k : Plain; x : INT;\nEND_VAR\n\
               k();\nx := Limit;\nl();\nx := Limit;\nEND_PROGRAM\n";
    let lamp = "VAR_GLOBAL CONSTANT\n Limit : INT := 2;\nEND_VAR\nFUNCTION_BLOCK Lamp\nVAR\n x : INT;\nEND_VAR\nx := limit;\nEND_FUNCTION_BLOCK
        FUNCTION_BLOCK Plain\nVAR\n x : INT;\nEND_VAR\nx := 1;\nEND_FUNCTION_BLOCK\n";
    let files = [("app/apax.yml", app), ("app/Main.st", own), ("lamps/apax.yml", "name: lamps\n"), ("lamps/Lamp.st", lamp)];
    let (read, errors) = loaded(&files, None);
    assert_eq!((errors.as_str(), read.runs, read.left_out.len()), ("", true, 0));
    let constants: Vec<_> = read.project.globals.iter().map(|global| (global.name.as_str(), global.init.clone())).collect();
    let int = |value| crate::hir::Init::Scalar(crate::hir::Value::Int(value));
    assert_eq!(constants, [("Limit", int(1)), ("lamps.Limit", int(2))]);
}

#[test]
fn programs_of_one_controller_share_variables() {
    let program = |body: &str| format!("PROGRAM _CYCLIC\n{body}\nEND_PROGRAM");
    let (fill, pack) = (program("IF Full THEN Count := Count + 1; Own := 1; END_IF"), program("Full := FALSE; Count := 0;"));
    let files = [
        ("Logical/Global.var", "VAR_GLOBAL\n Full : BOOL; Count : INT := 5; Own : INT := 7;\nEND_VAR"),
        ("Logical/Fill/IEC.prg", STUDIO),
        ("Logical/Fill/Fill.st", fill.as_str()),
        ("Logical/Pack/IEC.prg", STUDIO),
        ("Logical/Pack/Pack.st", pack.as_str()),
    ];
    let (read, errors) = loaded(&files, Some("Fill"));
    assert_eq!((errors.as_str(), read.runs), ("", true));
    let set: Vec<&str> = read.project.environment.keys().map(String::as_str).filter(|name| *name != "Own").collect();
    assert_eq!(set, ["Count", "Full"], "{:?}", read.project.environment);
}

/// Variables of a program are its own, and words of comments name nothing.
#[test]
fn libraries_of_automation_studio_may_use_the_names_of_a_programs_variables() {
    let files = [
        ("Logical/Global.var", "VAR (* for the inlet; fill *)\n Full : BOOL;\nEND_VAR"),
        ("Logical/Libraries/L/IEC.lby", STUDIO),
        (
            "Logical/Libraries/L/L.fun",
            "FUNCTION_BLOCK Inlet\nVAR_INPUT\n Low : INT; // not the one of Fill\nEND_VAR\nVAR_OUTPUT\n y : INT;\nEND_VAR\nEND_FUNCTION_BLOCK",
        ),
        ("Logical/Libraries/L/Inlet.st", "FUNCTION_BLOCK Inlet\ny := Low;\nEND_FUNCTION_BLOCK"),
        ("Logical/Fill/IEC.prg", STUDIO),
        ("Logical/Fill/Fill.var", "VAR\n Low : INT; Inlet_0 : Inlet; Seen : BOOL;\nEND_VAR"),
        ("Logical/Fill/Fill.st", "PROGRAM _CYCLIC\nInlet_0(Low := Low); Seen := Full;\nEND_PROGRAM"),
    ];
    let (read, errors) = loaded(&files, None);
    assert_eq!((errors.as_str(), read.runs, read.left_out.len()), ("", true, 0), "{:?}", read.left_out);
    // The library does not see the project's declaration of a name.
    let program = "PROGRAM _CYCLIC\nInlet_0(Low := 1);\nEND_PROGRAM\nFUNCTION Low : INT\nLow := 1;\nEND_FUNCTION";
    let named = [
        files[0],
        files[1],
        files[2],
        files[3],
        files[4],
        ("Logical/Fill/Fill.var", "VAR\n Inlet_0 : Inlet;\nEND_VAR"),
        ("Logical/Fill/Fill.st", program),
    ];
    assert_eq!(loaded(&named, None).1, "");
}

#[test]
fn an_application_of_an_export_is_chosen_by_its_name() {
    let application = |device: &str, program: &str| {
        format!(
            "CONFIGURATION {device}\nTASK T (INTERVAL := T#10ms, PRIORITY := 1);\nPROGRAM i WITH T : {program};\nEND_CONFIGURATION\n"
        )
    };
    let text = format!("{MAIN}{}", application("Filler", "Main"));
    let files = [("a.st", text.as_str())];
    assert_eq!(loaded(&files, Some("filler")).1, "");
    assert!(loaded(&files, Some("Packer")).1.starts_with("P4109"));
}

/// A name behind the name of a missing library is missing like any other one.
#[test]
fn names_of_missing_libraries_are_names_that_no_file_declares() {
    let check = |declaration: &str, body: &str, expected: &str, inferred: &str| {
        let main = pou(&format!("PROGRAM MAIN\nVAR\n {declaration}\nEND_VAR"), body);
        let project = plcproj("App", &["MAIN.TcPOU", "Q.TcPOU"], &["Lost", "Tc2_Standard", "Tc2_Utilities"]);
        let own = pou("FUNCTION_BLOCK Own\nVAR_OUTPUT\n y : INT;\nEND_VAR", "");
        let files = [("App.plcproj", project.as_str()), ("MAIN.TcPOU", &main), ("Q.TcPOU", &own)];
        let (read, errors) = loaded(&files, None);
        let names: Vec<&str> = read.inferred.iter().map(|row| row.name.as_str()).collect();
        assert_eq!((errors.as_str(), names.join(" ").as_str()), (expected, inferred), "{declaration} {body}");
    };
    check("l : Lost.FB_Pump; x : INT;", "l(a := x); x := l.b;", "", "FB_Pump");
    check("x : INT;", "x := Lost.F_Next(x);", "", "F_Next");
    check("x : INT;", "x := Tc2_Utilities.F_Next(x);", "", "F_Next");
    check("x : INT;", "x := Lost.Tc2_Utilities.F_Next(x);", "", "F_Next");
    check("x : INT; t : Tc2_Standard.TON;", "t(IN := Lost.F_On(x));", "", "F_On");
    // A declaration of the project, or of the standard, is not that of the library.
    let unknown = |name: &str| format!("P2002 there is no type or function block `{name}`");
    check("l : Lost.Own;", "l();", "", "Lost_Own");
    check("l : Lost.TON;", "l(IN := TRUE);", "", "Lost_TON");
    check("l : Lost.TON; k : TON;", "l(IN := k.Q); k(IN := l.Q);", "", "Lost_TON");
    check("x : INT;", "x := Lost.ABS(x);", "", "Lost_ABS");
    check("l : Lost.TON; Lost_TON : Own;", "l(IN := TRUE);", &unknown("TON in Lost"), "");
    check("x : Lost.QoS := Lost.QoS.ExactlyOnce;", "x := Lost.QoS.AtMostOnce;", "", "QoS QoS_values");
    // Two libraries have the name.
    let both = format!("{}; {}", unknown("Lost.T"), unknown("Other.T"));
    check("l : Lost.T; k : Other.T; x : INT;", "l(); k();", &both, "");
    // A variable of the name hides the library.
    check("Lost : Own; x : INT;", "x := Lost.y;", "", "");
}

#[test]
fn folders_with_requirements_are_projects() {
    let program = |name: &str| format!("PROGRAM {name}\nEND_PROGRAM\n");
    let (one, two) = (program("One"), program("Two"));
    let files = [("p/a/one.st", one.as_str()), ("p/a/requirements.yaml", ""), ("p/b/two.st", &two)];
    let n_projects = |files: &[(&str, &str)]| {
        let mut sources = SourceSet::default();
        files.iter().for_each(|(name, text)| _ = sources.add(*name, *text));
        Solution::of(&sources).projects().len()
    };
    assert_eq!(n_projects(&files), 1);
    assert_eq!(n_projects(&[files.as_slice(), &[("p/b/requirements.yml", "")]].concat()), 2);
}
