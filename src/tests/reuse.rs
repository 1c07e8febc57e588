//! `--reuse`: yesterday's document beside today's program.

use std::path::Path;

use serde_json::{Value, json};

use super::cli::{assert_valid, json as read, scanproof, text};

const PUMP: &str = "PROGRAM Pump\nVAR_INPUT Go, Stop : BOOL; END_VAR\nVAR_OUTPUT Run : BOOL; Starts : INT; END_VAR\n\
    IF Go AND NOT Run AND Starts < 100 THEN Starts := Starts + 1; END_IF;\nRun := (Run OR Go) AND NOT Stop;\nEND_PROGRAM\n";
const STATED: &str = "requirements:\n  - { id: bounded, always: Starts <= 100 }\n  - { id: idle, never: Run }\n";

/// Writes the program and verifies it: verdicts, and whether each was reused.
fn verify(folder: &Path, program: &str, stated: &str, args: &[&str]) -> (Value, Vec<(String, bool)>) {
    std::fs::write(folder.join("pump.st"), program).unwrap();
    std::fs::write(folder.join("pump.yaml"), stated).unwrap();
    let output = scanproof(folder, &[&["verify", "pump.st", "--json"], args].concat());
    let document = read(&output);
    assert_valid(&document);
    let results = document["programs"][0]["outcome"]["results"].as_array().unwrap_or_else(|| panic!("{}", text(&output))).clone();
    let rows = results.iter().map(|r| (r["verdict"].as_str().unwrap().to_owned(), r["reused"] == json!(true))).collect();
    (document, rows)
}

fn rows(expected: [(&str, bool); 2]) -> Vec<(String, bool)> {
    expected.iter().map(|(word, reused)| ((*word).to_owned(), *reused)).collect()
}

#[test]
fn earlier_answers_are_those_of_the_changed_program_only_where_they_are_true_of_it() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let reuse = ["--reuse", "last.json"];
    let (first, verdicts) = verify(folder, PUMP, STATED, &reuse);
    assert_eq!(verdicts, rows([("holds", false), ("violated", false)]), "a file that is not there yet");
    std::fs::write(folder.join("last.json"), first.to_string()).unwrap();

    let commented = PUMP.replace("Run := (", "(* latch *) Run := (");
    let (second, verdicts) = verify(folder, &commented, STATED, &reuse);
    assert_eq!(verdicts, rows([("holds", true), ("violated", true)]));
    let results = &second["programs"][0]["outcome"]["results"];
    let engine = |document: &Value| document["programs"][0]["outcome"]["results"][0]["engine"].clone();
    assert_eq!(engine(&second), engine(&first));
    assert!(results[0]["proof"]["obligations"].as_array().is_some_and(|o| !o.is_empty()), "{results:#}");
    assert_eq!(results[1]["counterexample"]["confirmed"], true);
    let shown = text(&scanproof(folder, &["verify", "pump.st", "--reuse", "last.json"]));
    assert!(shown.contains("As before: the earlier proof was checked again"), "{shown}");
    assert!(shown.contains("As before: the earlier run was replayed"), "{shown}");

    // The bound is another, and nothing runs any more.
    let changed = PUMP.replace("< 100", "< 101").replace("NOT Stop", "FALSE");
    let (_, verdicts) = verify(folder, &changed, STATED, &reuse);
    assert_eq!(verdicts, rows([("violated", false), ("holds", false)]));
    // The requirements changed places and names.
    let turned = "requirements:\n  - { id: x, never: Run }\n  - { id: y, always: Starts <= 100 }\n";
    let (_, verdicts) = verify(folder, PUMP, turned, &reuse);
    assert_eq!(verdicts, rows([("violated", true), ("holds", true)]));

    // Evidence under the name of the other requirement.
    let mut swapped = first;
    let results = swapped["programs"][0]["outcome"]["results"].as_array_mut().unwrap();
    let (a, b) = (results[0]["certificate"].take(), results[1]["certificate"].take());
    (results[0]["certificate"], results[1]["certificate"]) = (b, a);
    std::fs::write(folder.join("last.json"), swapped.to_string()).unwrap();
    let (_, verdicts) = verify(folder, PUMP, STATED, &reuse);
    assert_eq!(verdicts, rows([("holds", false), ("violated", false)]));
}

#[test]
fn a_file_that_is_no_earlier_document_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    std::fs::write(folder.join("pump.st"), PUMP).unwrap();
    for content in ["", "{", "{}", "[]", "{\"format\":1}"] {
        std::fs::write(folder.join("last.json"), content).unwrap();
        let output = scanproof(folder, &["verify", "pump.st", "--reuse", "last.json"]);
        assert_eq!(output.status.code(), Some(3), "{}", text(&output));
        assert!(text(&output).contains("neither what `verify --json` prints"), "{}", text(&output));
    }
    // An engine that was chosen is to show what it can do.
    let output = scanproof(folder, &["verify", "pump.st", "--engine", "bmc", "--reuse", "last.json"]);
    assert_ne!(output.status.code(), Some(0));
    assert!(text(&output).contains("cannot be used with"), "{}", text(&output));
}
