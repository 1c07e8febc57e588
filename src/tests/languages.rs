//! One program in several languages: the same verdicts, and the same runs on the same stimuli.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use super::cli::scanproof;

/// Stem of the samples, its inputs (all BOOL but `Level`), its outputs.
const PROGRAMS: &[(&str, &[&str], &[&str])] = &[
    ("interlock", &["Forward", "Backward", "Stop", "Thermal"], &["K1", "K2"]),
    ("two_hand", &["Left", "Right"], &["Enable", "Late"]),
    ("batch", &["Bottle", "NewBatch", "Run"], &["Filler", "Done", "Count.CV"]),
    ("traffic", &["Request"], &["NorthGreen", "NorthYellow", "EastGreen", "EastYellow"]),
    ("tank", &["Level", "Fault1", "Fault2"], &["Pump1", "Pump2"]),
];

fn samples() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("samples/languages")
}

/// Returns all versions of a program.
fn versions(stem: &str) -> Vec<String> {
    let names = std::fs::read_dir(samples()).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<String> = names.filter(|name| name.split('.').next() == Some(stem) && !name.ends_with(".yaml")).collect();
    names.sort();
    names
}

/// Returns inputs that stay for a while: most programs need that to get anywhere.
fn stimuli(inputs: &[&str], n_rows: u64) -> String {
    let mut text = format!("time,{}\n", inputs.join(","));
    let mut random = 0x9e37_79b9_7f4a_7c15_u64;
    let mut values = vec![0; inputs.len()];
    for row in 0..n_rows {
        write!(text, "{}", 100 + row * 100).unwrap();
        for (input, value) in inputs.iter().zip(&mut values) {
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            if random.is_multiple_of(3) {
                *value = if *input == "Level" { (random >> 20) % 1001 } else { (random >> 20) % 2 };
            }
            write!(text, ",{value}").unwrap();
        }
        text.push('\n');
    }
    text
}

#[test]
fn versions_of_a_program_run_alike() {
    let folder = tempfile::tempdir().unwrap();
    for (stem, inputs, outputs) in PROGRAMS {
        let versions = versions(stem);
        assert!(3 <= versions.len(), "{versions:?}");
        let file = folder.path().join("stimuli.csv");
        std::fs::write(&file, stimuli(inputs, 300)).unwrap();
        let mut runs: BTreeMap<String, Vec<&str>> = BTreeMap::new();
        for version in &versions {
            let mut args = vec!["simulate", version, "--csv", "--stimuli", file.to_str().unwrap()];
            args.extend(outputs.iter().flat_map(|output| ["--show", output]));
            let output = scanproof(&samples(), &args);
            assert_eq!(output.status.code(), Some(0), "{version}: {}", String::from_utf8_lossy(&output.stderr));
            // The order of the columns is that of the declarations.
            runs.entry(by_name(&String::from_utf8(output.stdout).unwrap(), outputs)).or_default().push(version);
        }
        assert_eq!(runs.len(), 1, "{stem} runs in different ways: {:?}", runs.values());
        let (run, _) = runs.first_key_value().unwrap();
        assert_eq!(run.lines().count(), 300, "{stem}");
        // A run in which nothing happens compares nothing.
        assert!(3 <= run.lines().collect::<BTreeSet<_>>().len(), "{stem}");
    }
}

/// Returns the columns of `names`, in this order.
fn by_name(csv: &str, names: &[&str]) -> String {
    let mut lines = csv.lines();
    let head: Vec<&str> = lines.next().unwrap().split(',').collect();
    let columns: Vec<usize> = names.iter().map(|name| head.iter().position(|h| h == name).unwrap()).collect();
    let row = |line: &str| {
        let cells: Vec<&str> = line.split(',').collect();
        columns.iter().map(|&n| cells[n]).collect::<Vec<_>>().join(" ")
    };
    lines.map(row).collect::<Vec<_>>().join("\n")
}

#[test]
fn versions_of_a_program_have_the_same_verdicts() {
    for (stem, _, _) in PROGRAMS {
        for version in versions(stem) {
            let output = scanproof(&samples(), &["verify", &version, "--json"]);
            let document: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
            let program = &document["programs"][0];
            assert_eq!(program["surprises"], serde_json::json!([]), "{version}");
            let results = program["outcome"]["results"].as_array().unwrap();
            // The header of a version names all requirements, so this compares versions too.
            assert!(3 <= results.len(), "{version}");
        }
    }
}
