//! The schema of OASIS, and the counterexample as it is told.

use super::*;
use crate::report::example::booster;

/// Returns the published schema, which the crate `serde-sarif` holds.
fn schema() -> Value {
    // Packages of other platforms are not there, and no network may be either.
    let platform = format!("{}-unknown-linux-gnu", std::env::consts::ARCH);
    let args = ["metadata", "--format-version", "1", "--offline", "--filter-platform", &platform];
    let metadata = std::process::Command::new(env!("CARGO")).args(args).output();
    let metadata: Value = serde_json::from_slice(&metadata.unwrap().stdout).unwrap();
    let packages = metadata["packages"].as_array().unwrap();
    let sarif = packages.iter().find(|package| package["name"] == "serde-sarif").unwrap();
    let path = std::path::Path::new(sarif["manifest_path"].as_str().unwrap()).with_file_name("src/schema.json");
    // One pattern of the published text, for names of languages, is no regular expression: a bracket is left over.
    let text = std::fs::read_to_string(path).unwrap().replace("[a-zA-Z]{2}]?$", "[a-zA-Z]{2}$");
    serde_json::from_str(&text).unwrap()
}

#[test]
fn logs_keep_the_schema() {
    let validator = jsonschema::validator_for(&schema()).unwrap();
    let mut stopped = booster();
    stopped.results.clear();
    stopped.import.pous.clear();
    stopped.problems.push(crate::report::outcome::Problem::new("/checks/0", "there is no check `x`"));
    let mut nowhere = booster();
    nowhere.import.pous.clear();
    let run = nowhere.results[0].counterexample.as_mut().unwrap();
    run.cycles.iter_mut().for_each(|cycle| cycle.steps.clear());
    for outcome in [booster(), stopped, nowhere] {
        let log = log(&outcome);
        let errors: Vec<String> = validator.iter_errors(&log).map(|e| format!("{e} at {}", e.instance_path())).collect();
        assert!(errors.is_empty(), "{errors:?}\n{log:#}");
    }
    let mut damaged = log(&booster());
    damaged["runs"][0]["results"][0]["kind"] = "perhaps".into();
    assert!(!validator.is_valid(&damaged));
}

#[test]
fn a_counterexample_is_a_flow_of_its_statements() {
    let outcome = booster();
    let run = outcome.results[0].counterexample.as_ref().unwrap();
    let log = log(&outcome);
    let results = &log["runs"][0]["results"];
    assert_eq!((&results[0]["kind"], &results[0]["level"]), (&"fail".into(), &"error".into()));
    assert_eq!((&results[1]["kind"], &results[1]["level"]), (&"pass".into(), &"none".into()));
    let locations = results[0]["codeFlows"][0]["threadFlows"][0]["locations"].as_array().unwrap();
    let steps: usize = run.cycles.iter().map(|cycle| cycle.steps.len()).sum();
    assert_eq!(locations.len(), steps + run.cycles.len());
    let last = locations.last().unwrap();
    assert_eq!(last["executionOrder"], locations.len());
    assert!(last["location"]["message"]["text"].as_str().unwrap().starts_with("cycle 2: "), "{last:#}");
}

#[test]
fn names_of_files_become_relative_addresses() {
    for (name, expected) in [("a b/Main.st", "a%20b/Main.st"), ("C:\\x.st", "C%3A/x.st"), ("Pumpe ü.st", "Pumpe%20%C3%BC.st")] {
        assert_eq!(uri(name), expected);
    }
}
