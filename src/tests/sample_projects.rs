//! The sample projects as folders and as zip archives: each verdict is the one in the table of the project's README.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};

use crate::cli::{assert_valid, json, scanproof, text};

fn projects() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("samples/projects")
}

/// Returns the verdicts in the table of a README: `| id | holds under 2 |`.
fn expected(readme: &str) -> BTreeMap<String, String> {
    let rows = readme.lines().filter_map(|line| line.strip_prefix("| ")?.strip_suffix(" |")?.split_once(" | "));
    rows.filter(|(id, _)| *id != "requirement").map(|(id, verdict)| (id.to_owned(), verdict.to_owned())).collect()
}

/// Adds all files below a folder, with their names inside of it.
fn files(folder: &Path, below: &str, found: &mut Vec<(String, PathBuf)>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let entry = entry.unwrap();
        let name = format!("{below}{}", entry.file_name().to_string_lossy());
        if entry.path().is_dir() {
            files(&entry.path(), &format!("{name}/"), found);
        } else {
            found.push((name, entry.path()));
        }
    }
}

fn packed(folder: &Path) -> Vec<u8> {
    let mut found = Vec::new();
    files(folder, "", &mut found);
    found.sort();
    let mut writer = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    for (name, path) in found {
        writer.start_file(name, zip::write::SimpleFileOptions::default()).unwrap();
        writer.write_all(&std::fs::read(path).unwrap()).unwrap();
    }
    writer.finish().unwrap().into_inner()
}

#[test]
fn each_project_has_the_verdicts_of_its_readme() {
    let mut names: Vec<String> =
        std::fs::read_dir(projects()).unwrap().map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    assert!(6 <= names.len(), "{names:?}");
    let room = tempfile::tempdir().unwrap();
    for name in names {
        let folder = projects().join(&name);
        let expected = expected(&std::fs::read_to_string(folder.join("README.md")).unwrap());
        assert!(5 <= expected.len(), "{name} has no table of verdicts");
        let zip = room.path().join(format!("{name}.zip"));
        std::fs::write(&zip, packed(&folder)).unwrap();
        for path in [folder, zip] {
            let output = scanproof(room.path(), &["verify", "--json", &path.to_string_lossy()]);
            let document = json(&output);
            assert_valid(&document);
            let programs = document["programs"].as_array().unwrap();
            assert_eq!(programs.len(), 1, "{path:?}");
            let outcome = &programs[0]["outcome"];
            // One name is declared in no file, and everything is read.
            assert_eq!(outcome["import"]["inferred"].as_array().map(Vec::len), Some(1), "{path:?}");
            assert_eq!(outcome["import"]["left_out"].as_array().map_or(0, Vec::len), 0, "{path:?}");
            let row = |result: &serde_json::Value| {
                let verdict = result["verdict"].as_str().unwrap();
                let n = result["conditions"].as_array().map_or(0, Vec::len);
                let under = if verdict == "holds" && 0 < n { format!(" under {n}") } else { String::new() };
                (result["id"].as_str().unwrap().to_owned(), format!("{verdict}{under}"))
            };
            let found: BTreeMap<String, String> = outcome["results"].as_array().unwrap().iter().map(row).collect();
            assert_eq!(found, expected, "{path:?}\n{}", text(&output));
        }
    }
}

/// A part of a program in C runs with the other parts in each cycle, in an order that is not known: nothing is verified past it.
#[test]
fn parts_in_other_languages_end_what_is_verified() {
    let list = |files: &[&str]| {
        let files: String = files.iter().map(|file| format!("<File>{file}</File>")).collect();
        format!("<?xml version=\"1.0\"?>\n<?AutomationStudio FileVersion=\"4.9\"?>\n<Program><Files>{files}</Files></Program>\n")
    };
    let check = |listed: &[&str], files: &[(&str, &str)], expected: &str| {
        let room = tempfile::tempdir().unwrap();
        let folder = room.path().join("plant");
        let program = folder.join("Logical/Main");
        std::fs::create_dir_all(&program).unwrap();
        let write = |path: PathBuf, text: &str| std::fs::write(path, text).unwrap();
        write(folder.join("Logical/Global.var"), "VAR gX : INT; END_VAR\n");
        write(folder.join("requirements.yaml"), "requirements: [{ always: n = 0 }]\n");
        write(program.join("IEC.prg"), &list(listed));
        write(program.join("Main.var"), "VAR n : INT; END_VAR\n");
        write(program.join("Main.st"), "PROGRAM _CYCLIC\n\tn := gX;\n\tgX := 0;\nEND_PROGRAM\n");
        files.iter().for_each(|(name, text)| write(program.join(name), text));
        let zip = room.path().join("plant.zip");
        std::fs::write(&zip, packed(&folder)).unwrap();
        for path in [folder, zip] {
            let output = scanproof(room.path(), &["verify", "--json", &path.to_string_lossy()]);
            let document = json(&output);
            let verdict = document["programs"][0]["outcome"]["results"][0]["verdict"].as_str().unwrap_or_default().to_owned();
            assert_eq!(verdict, expected, "{listed:?} {path:?}\n{}", text(&output));
        }
    };
    let own = ["Main.st", "Main.var"];
    let c = ("Sub.c", "extern int gX;\nvoid _CYCLIC ProgramCyclic(void)\n{\n\tgX = 5;\n}\n");
    check(&own, &[], "holds");
    check(&own, &[c], "holds");
    check(&["Main.st", "Main.var", "Sub.c"], &[c], "not_checked");
    check(&["Main.st", "Main.var", "Sub.c"], &[], "not_checked");
    check(&["Main.st", "Main.var", "Sub.ab"], &[("Sub.ab", "PROGRAM _CYCLIC\n\tgX = 5\nEND_PROGRAM\n")], "not_checked");
    check(&["Main.st", "Main.var", "Old.st"], &[("Old.st", "PROGRAM _CYCLIC\n\tgX := 5;\nEND_PROGRAM\n")], "violated");
}
