//! Projects on the command line: directories, archives, `import` and `fmt`, with the real binary.

use std::process::Output;

use super::cli::{assert_valid, json, scanproof, text};

/// Files in a folder of their own.
struct Case {
    folder: tempfile::TempDir,
}

impl Case {
    fn new(files: &[(&str, &[u8])]) -> Case {
        let folder = tempfile::tempdir().unwrap();
        for (name, bytes) in files {
            let path = folder.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, bytes).unwrap();
        }
        Case { folder }
    }
    fn run(&self, args: &[&str]) -> Output {
        scanproof(self.folder.path(), args)
    }
}

const MAIN_POU: &[u8] = b"<?xml version=\"1.0\"?><TcPlcObject><POU Name=\"Main\"><Declaration><![CDATA[PROGRAM Main\nVAR_INPUT Go, Stop : BOOL; \
    END_VAR\nVAR_OUTPUT Run : BOOL; END_VAR]]></Declaration><Implementation><ST><![CDATA[Run := F(Go) AND NOT Stop;]]></ST></Implementation></POU></TcPlcObject>";
const F_POU: &[u8] = b"<TcPlcObject><POU Name=\"F\"><Declaration>FUNCTION F : BOOL VAR_INPUT x : BOOL; END_VAR</Declaration>\
    <Implementation><ST>F := x &amp; TRUE;</ST></Implementation></POU></TcPlcObject>";

fn packed(files: &[(&str, &[u8])]) -> Vec<u8> {
    use std::io::Write;
    let mut writer = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    for (name, bytes) in files {
        writer.start_file(*name, zip::write::SimpleFileOptions::default()).unwrap();
        writer.write_all(bytes).unwrap();
    }
    writer.finish().unwrap().into_inner()
}

#[test]
fn directories_and_archives_are_projects() {
    let requirements = b"requirements:\n- id: R1\n  never: Run AND Stop\n";
    let case =
        Case::new(&[("Main.TcPOU", MAIN_POU), ("F.TcPOU", F_POU), ("requirements.yaml", requirements), ("README.md", b"# Plc")]);
    let output = case.run(&["verify", "--quiet", "."]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output));
    let zip = packed(&[("Plc/Main.TcPOU", MAIN_POU), ("Plc/F.TcPOU", F_POU), ("Plc/README.md", b"# Plc")]);
    let case = Case::new(&[("plc.zip", &zip), ("plc.yaml", requirements), ("cut.zip", &zip[..zip.len() - 9])]);
    let output = case.run(&["verify", "--quiet", "--json", "plc.zip"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output));
    let document = json(&output);
    assert_valid(&document);
    assert_eq!(document["programs"][0]["outcome"]["import"]["ignored"][0]["what"], "document");
    let output = case.run(&["verify", "--quiet", "cut.zip"]);
    assert_eq!(output.status.code(), Some(3));
    assert!(text(&output).contains("damaged zip archive"), "{}", text(&output));
}

/// As in a directory, and said so.
#[test]
fn requirements_inside_of_an_archive_are_used() {
    let broken = b"requirements:\n- { id: off, never: Run }\n";
    let program = b"PROGRAM Main VAR_INPUT Go : BOOL; END_VAR VAR_OUTPUT Run : BOOL; END_VAR Run := Go; END_PROGRAM";
    let zip = packed(&[("Plc/main.st", program), ("Plc/main.yaml", broken), ("Plc/other.yaml", b"requirements: [")]);
    let case = Case::new(&[("plc.zip", &zip)]);
    let output = case.run(&["verify", "plc.zip"]);
    assert_eq!(output.status.code(), Some(40), "{}", text(&output));
    assert!(text(&output).contains("Plc/main.yaml: the requirements inside of the archive are used"), "{}", text(&output));
    assert!(text(&output).contains("off: Run is impossible"), "{}", text(&output));
    let output = case.run(&["simulate", "plc.zip", "--cycles", "1"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output));
    // One beside the archive comes first.
    let case = Case::new(&[("plc.zip", &zip), ("plc.yaml", b"requirements: [{ id: on, possible: Run }]")]);
    let output = case.run(&["verify", "plc.zip"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output));
    // Of several one is used; the others are named. A mistake in it has its place.
    let zip =
        packed(&[("main.st", program), ("main.yaml", broken), ("requirements.yml", b"requirements: [{ id: x, never: Ran }]")]);
    let case = Case::new(&[("plc.zip", &zip)]);
    let said = text(&case.run(&["verify", "plc.zip"]));
    assert!(said.contains("main.yaml: not read, because there is requirements.yml"), "{said}");
    assert!(said.contains("requirements.yml, line 1: there is no variable `Ran` here"), "{said}");
    let zip = packed(&[("main.st", program), ("main.yaml", b"requirements: [")]);
    let case = Case::new(&[("plc.zip", &zip)]);
    let output = case.run(&["verify", "plc.zip"]);
    assert_eq!(output.status.code(), Some(3), "{}", text(&output));
}

#[test]
fn one_project_of_a_solution_is_verified() {
    let object = |declaration: &str, body: &str| {
        let name = declaration.split_whitespace().nth(1).unwrap();
        format!(
            "<TcPlcObject><POU Name=\"{name}\"><Declaration><![CDATA[{declaration}]]></Declaration>\
             <Implementation><ST><![CDATA[{body}]]></ST></Implementation></POU></TcPlcObject>"
        )
    };
    let plcproj = |files: &[&str], library: &str| {
        let compiled: String = files.iter().map(|file| format!("<Compile Include=\"{file}\"/>")).collect();
        format!("<Project>{compiled}<PlaceholderReference Include=\"{library}\"/></Project>")
    };
    let main = |value: &str| {
        object("PROGRAM MAIN\nVAR_OUTPUT Run : BOOL; END_VAR\nVAR l : FB_Lamp; END_VAR", &format!("l(); Run := {value};"))
    };
    let lamp = object("FUNCTION_BLOCK FB_Lamp\nVAR_OUTPUT On : BOOL; END_VAR", "On := TRUE;");
    let (on, off) = (main("l.On"), main("NOT l.On"));
    let (app, lib) = (plcproj(&["MAIN.TcPOU"], "Lamps"), plcproj(&["FB_Lamp.TcPOU"], "Tc2_Standard"));
    let files = [
        ("S/Filler/Filler.plcproj", app.as_bytes()),
        ("S/Filler/MAIN.TcPOU", on.as_bytes()),
        ("S/Packer/Packer.plcproj", app.as_bytes()),
        ("S/Packer/MAIN.TcPOU", off.as_bytes()),
        ("S/Packer_Tests/Packer_Tests.plcproj", app.as_bytes()),
        ("S/Packer_Tests/MAIN.TcPOU", off.as_bytes()),
        ("S/Lamps/Lamps.plcproj", lib.as_bytes()),
        ("S/Lamps/FB_Lamp.TcPOU", lamp.as_bytes()),
        ("S/LICENSE.txt", b"This PROGRAM is free"),
    ];
    let zip = packed(&files);
    let stated = b"requirements: [{ id: on, always: Run }]\nchecks: []\n";
    let case = Case::new(&[
        ("s.zip", &zip),
        ("on.yaml", stated),
        ("packer.yaml", b"project: packer\nrequirements: [{ id: on, always: Run }]\n"),
    ]);
    let verified = |arguments: &[&str]| {
        let output = case.run(&[&["verify", "s.zip"], arguments].concat());
        (output.status.code(), text(&output))
    };
    let (code, words) = verified(&["--req", "on.yaml"]);
    assert!(
        code == Some(3) && words.contains("one of them runs: `Filler`, `Packer`") && words.contains("`Packer_Tests`"),
        "{words}"
    );
    let (code, words) = verified(&["--req", "on.yaml", "--project", "Filler"]);
    assert_eq!(code, Some(0), "{words}");
    for arguments in [["--req", "packer.yaml"].as_slice(), &["--req", "on.yaml", "--project", "S/Packer"]] {
        let (code, words) = verified(arguments);
        assert_eq!(code, Some(40), "{words}");
    }
    // A proof and a run, each with the project in its requirements.
    std::fs::write(
        case.folder.path().join("filler.yaml"),
        "project: Filler\nrequirements: [{ id: on, always: Run }]\nchecks: []\n",
    )
    .unwrap();
    for (stated, other) in [("filler.yaml", "packer.yaml"), ("packer.yaml", "filler.yaml")] {
        let folder = format!("of-{stated}");
        case.run(&["verify", "s.zip", "--req", stated, "--certificates", &folder]);
        let written: Vec<_> =
            std::fs::read_dir(case.folder.path().join(&folder)).unwrap().map(|file| file.unwrap().path()).collect();
        assert_eq!(written.len(), 1, "{written:?}");
        for (stated, expected) in [(stated, [0, 30].as_slice()), (other, &[3])] {
            let output = case.run(&["check-certificate", written[0].to_str().unwrap(), "--program", "s.zip", "--req", stated]);
            let code = output.status.code().unwrap();
            assert!(expected.contains(&code), "{code} {}", text(&output));
        }
    }
    let output = case.run(&["simulate", "s.zip", "--project", "Filler", "--cycles", "1"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output));
    // In a directory all applications are verified; tests and libraries are not.
    let case = Case::new(&files);
    std::fs::write(case.folder.path().join("on.yaml"), stated).unwrap();
    let output = case.run(&["verify", ".", "--req", "on.yaml", "--json"]);
    let document = json(&output);
    let names: Vec<&str> = document["programs"].as_array().unwrap().iter().filter_map(|p| p["name"].as_str()).collect();
    assert_eq!(names, ["./S/Filler", "./S/Packer"], "{document:#}");
    let output = case.run(&["verify", ".", "--req", "on.yaml", "--project", "Filler"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output));
    let document = json(&case.run(&["import", "--report", "--json", "."]));
    assert_eq!((&document["n_pous"], &document["n_resolved_without_stubs"]), (&4.into(), &4.into()), "{document:#}");
}

#[test]
fn requirements_of_a_solution_stand_at_its_root() {
    let stated = |project: &str| format!("{project}requirements: [{{ id: on, always: Run }}]\nchecks: []\n");
    let names = |case: &Case, arguments: &[&str]| {
        let document = json(&case.run(&[&["verify", "--json"], arguments].concat()));
        let row = |program: &serde_json::Value| {
            let results = program["outcome"]["results"].as_array().cloned().unwrap_or_default();
            let verdicts: Vec<String> = results.iter().map(|result| format!("{}", result["verdict"])).collect();
            format!("{} {}", program["name"].as_str().unwrap_or_default(), verdicts.join(","))
        };
        document["programs"].as_array().unwrap().iter().map(row).collect::<Vec<_>>().join("; ").replace('"', "")
    };
    let program = |value: &str| {
        format!(
            "PROGRAM Main\nVAR_EXTERNAL\n Run : BOOL;\nEND_VAR\nVAR\n l : Lamp;\nEND_VAR\nl();\nRun := {value};\nEND_PROGRAM\nCONFIGURATION c\nVAR_GLOBAL\n Run : BOOL;\nEND_VAR\n\
                 TASK t (Interval := T#10ms, Priority := 1);\nPROGRAM i WITH t : Main;\nEND_CONFIGURATION\n"
        )
    };
    let (on, off) = (program("l.on"), program("NOT l.on"));
    let lamp = b"FUNCTION_BLOCK Lamp\nVAR_OUTPUT\n on : BOOL;\nEND_VAR\non := TRUE;\nEND_FUNCTION_BLOCK\n";
    let app = |name: &str| format!("name: \"@plant/{name}\"\ndependencies:\n  \"@plant/lamps\": 1.0.0\n");
    let (fill, pack) = (app("fill"), app("pack"));
    let packages: Vec<(&str, &[u8])> = vec![
        ("w/fill/apax.yml", fill.as_bytes()),
        ("w/fill/src/main.st", on.as_bytes()),
        ("w/pack/apax.yml", pack.as_bytes()),
        ("w/pack/src/main.st", off.as_bytes()),
        ("w/lamps/apax.yml", b"name: \"@plant/lamps\"\n"),
        ("w/lamps/src/lamp.st", lamp),
    ];
    let with = |name: &'static str, text: &str| {
        let case = Case::new(&packages);
        std::fs::write(case.folder.path().join(name), text).unwrap();
        case
    };
    let both = "./w/fill holds; ./w/pack violated";
    assert_eq!(names(&with("requirements.yaml", &stated("")), &["."]), both);
    // The project that the file names is verified, and no other one.
    assert_eq!(names(&with("requirements.yaml", &stated("project: pack\n")), &["."]), "./w/pack violated");
    let case = with("w/requirements.yaml", &stated("project: pack\n"));
    assert_eq!(names(&case, &["."]), "./w/fill ; ./w/pack violated");
    // Another folder of the same name changes nothing.
    std::fs::create_dir(case.folder.path().join("pack")).unwrap();
    std::fs::write(case.folder.path().join("pack/main.st"), "PROGRAM Other\nEND_PROGRAM\n").unwrap();
    assert!(names(&case, &["."]).contains("./w/pack violated"));
    std::fs::remove_dir_all(case.folder.path().join("pack")).unwrap();
    std::fs::write(case.folder.path().join("requirements.yml"), stated("")).unwrap();
    assert_eq!(names(&case, &["."]), both);
    assert_eq!(names(&with("on.yaml", &stated("project: fill\n")), &[".", "--req", "on.yaml"]), "./w/fill holds");
    // One program alone in a folder has the requirements of the folder; of several, none has them.
    let program = b"PROGRAM Main\nVAR_OUTPUT\n Run : BOOL;\nEND_VAR\nRun := TRUE;\nEND_PROGRAM\n";
    let (requirements, settings) = (stated(""), "<?xml version='1.0'?>\n<BeremizRoot URI_location=\"LOCAL://\"/>");
    let files: Vec<(&str, &[u8])> =
        vec![("a/main.st", program), ("b/x/main.st", program), ("requirements.yaml", requirements.as_bytes())];
    assert_eq!(names(&Case::new(&files), &["."]), "./a/main.st ; ./b/x/main.st ");
    assert_eq!(names(&Case::new(&[files[0], files[2]]), &["."]), "./a/main.st holds");
    let plc = "<project xmlns=\"http://www.plcopen.org/xml/tc6_0201\"><types><dataTypes/><pous><pou name=\"Main\" pouType=\"program\">\
               <interface><outputVars><variable name=\"Run\"><type><BOOL/></type></variable></outputVars></interface>\
               <body><ST><xhtml:p xmlns:xhtml=\"http://www.w3.org/1999/xhtml\">Run := TRUE;</xhtml:p></ST></body></pou></pous></types></project>";
    let project = [("fan/beremiz.xml", settings.as_bytes()), ("fan/plc.xml", plc.as_bytes()), files[2]];
    assert_eq!(names(&Case::new(&project), &["."]), "./fan holds");
}

/// Programs of the other applications may write the variables that one reads.
#[test]
fn applications_of_one_controller_are_read_together_in_a_folder() {
    let list: &[u8] = b"<?xml version=\"1.0\"?>\n<?AutomationStudio Version=4.12?>\n<Program/>";
    let files: Vec<(&str, &[u8])> = vec![
        ("p/Logical/Global.var", b"VAR\n Full : BOOL;\n Run : BOOL;\nEND_VAR\n"),
        ("p/Logical/Fill/IEC.prg", list),
        ("p/Logical/Fill/Fill.st", b"PROGRAM _CYCLIC\nRun := NOT Full;\nEND_PROGRAM\n"),
        ("p/Logical/Pack/IEC.prg", list),
        ("p/Logical/Pack/Pack.st", b"PROGRAM _CYCLIC\nFull := TRUE;\nEND_PROGRAM\n"),
        ("p/requirements.yaml", b"project: Fill\nrequirements: [{ id: on, always: Run }]\nchecks: []\n"),
    ];
    let zip = packed(&files);
    let case = Case::new(&files);
    std::fs::write(case.folder.path().join("p.zip"), zip).unwrap();
    for path in ["p", "p.zip"] {
        let output = case.run(&["verify", path]);
        assert_eq!(output.status.code(), Some(40), "{path}: {}", text(&output));
    }
}

#[test]
fn an_import_says_what_is_read() {
    let case = Case::new(&[
        ("Main.TcPOU", MAIN_POU),
        ("F.TcPOU", F_POU),
        ("bad.st", b"PROGRAM p x := ; END_PROGRAM"),
        ("Old.project", b"PK"),
        ("README.md", b"# Plc"),
    ]);
    let output = case.run(&["import", "--report", "."]);
    assert_eq!(output.status.code(), Some(0));
    let words = text(&output);
    assert!(words.ends_with("\nread: 50.0 % of 4 files\n"), "{words}");
    for line in ["bad.st:1: P1010", "Old.project:1: P0009", "1 files are no programs: README.md"] {
        assert!(words.contains(line), "{line}\n{words}");
    }
    let document = json(&case.run(&["import", "--report", "--json", "."]));
    let (set, two) = (&document["sets"][0], &2.into());
    assert_eq!((&set["n_read"], &set["n_resolved_without_stubs"]), (two, two), "{document:#}");
    assert_eq!((&document["format"], &document["n_pous"], &document["n_not_understood"]), (two, &3.into(), &1.into()));
    assert_eq!((&set["reasons"][0]["n_pous"], &set["reasons"][0]["is_lacking"]), (&1.into(), &false.into()), "{document:#}");
    let output = case.run(&["import", "Main.TcPOU", "F.TcPOU"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output));
    assert!(text(&output).contains("PROGRAM Main"), "{}", text(&output));
    let output = case.run(&["import", "Old.project"]);
    assert_eq!(output.status.code(), Some(3));
    assert!(text(&output).contains("Export PLCopenXML"), "{}", text(&output));
}

#[test]
fn a_program_is_printed_as_it_was_understood() {
    let case = Case::new(&[("Main.TcPOU", MAIN_POU), ("F.TcPOU", F_POU)]);
    let output = case.run(&["fmt", "Main.TcPOU", "F.TcPOU"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output));
    assert!(text(&output).contains("Run := F("), "{}", text(&output));
    // What is printed is printed the same way.
    std::fs::write(case.folder.path().join("printed.st"), &output.stdout).unwrap();
    let output = case.run(&["fmt", "--check", "printed.st"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output));
    std::fs::write(case.folder.path().join("crowded.st"), "PROGRAM p VAR a:INT; END_VAR a:=1; END_PROGRAM").unwrap();
    assert_eq!(case.run(&["fmt", "--check", "crowded.st"]).status.code(), Some(40));
}
