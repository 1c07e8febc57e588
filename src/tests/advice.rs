//! Advice of undecided requirements, followed: the real binary decides what it could not decide before.

use std::path::Path;
use std::process::Command;

use serde_json::Value;

/// Returns the result of the only requirement.
fn verify(dir: &Path, requirements: &str, limit: &str) -> Value {
    std::fs::write(dir.join("main.yaml"), requirements).unwrap();
    let arguments = ["verify", "--json", "--time-limit", limit];
    let output = Command::new(env!("CARGO_BIN_EXE_scanproof")).args(arguments).arg(dir.join("main.st")).output().unwrap();
    let report: Value = serde_json::from_slice(&output.stdout).unwrap_or_else(|e| panic!("{e}: {output:?}"));
    report["programs"][0]["outcome"]["results"][0].clone()
}

/// Two factors of a product of two large primes: a search among all values takes too long, one among few is done at once.
const FACTORS: &str = "PROGRAM Lock
VAR_INPUT a, b : LINT; END_VAR
VAR_OUTPUT Open : BOOL; END_VAR
Open := a > 1 AND b > 1 AND a < 2000000000 AND b < 2000000000 AND a * b = LINT#999999866000004473;
END_PROGRAM
";

#[test]
fn a_range_that_was_advised_decides_the_requirement() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("main.st"), FACTORS).unwrap();
    let asked = "requirements: [{ never: Open }]\nchecks: []\n";
    let open = verify(dir.path(), asked, "4s");
    assert_eq!(open["verdict"], "unknown", "{open}");
    let steps = open["advice"].as_array().unwrap().iter().filter_map(|advice| advice["step"].as_str());
    let rows: Vec<&str> = steps.filter_map(|step| step.split('`').nth(1)?.strip_prefix("inputs: [")?.strip_suffix(']')).collect();
    assert_eq!(rows, ["a: 0..100", "b: 0..100"], "{open}");
    let time: u64 = open["spent"].as_array().unwrap().iter().map(|row| row["ms"].as_u64().unwrap()).sum();
    assert!(2_000 < time, "{open}");
    let decided = verify(dir.path(), &format!("inputs: [{}]\n{asked}", rows.join(", ")), "60s");
    assert_eq!(decided["verdict"], "holds", "{decided}");
    assert_eq!(decided["advice"], Value::Null, "{decided}");
}

#[test]
fn the_terminal_prints_where_the_time_went_and_what_is_hard() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("main.st"), FACTORS).unwrap();
    std::fs::write(dir.path().join("main.yaml"), "requirements: [{ never: Open }]\nchecks: []\n").unwrap();
    let file = dir.path().join("main.st");
    let output = Command::new(env!("CARGO_BIN_EXE_scanproof")).args(["verify", "--time-limit", "3s"]).arg(file).output().unwrap();
    assert_eq!(output.status.code(), Some(30));
    let text = String::from_utf8_lossy(&output.stdout);
    for words in [
        "Where the time went: search by ",
        "% of the formulas of a cycle: line 4: Open := a > 1 AND",
        "Hard: the product or quotient of two variables on line 4 (",
        "State the range of its operands, or make one of them a constant.",
        "Hard: the input a, which may have any value of its type",
    ] {
        assert!(text.contains(words), "`{words}` is not in\n{text}");
    }
}
