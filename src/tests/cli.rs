//! The command line as a user calls it: the real binary, real files, exit codes, JSON against the published schema.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

/// Runs the binary with these arguments in `folder`.
pub(crate) fn scanproof(folder: &Path, args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_scanproof")).args(args).current_dir(folder).output().unwrap()
}

fn repository() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

pub(crate) fn json(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout).unwrap_or_else(|e| {
        panic!("no JSON ({e}): {}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
    })
}

pub(crate) fn text(output: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

/// Returns the schema as published by `scanproof schema`.
fn schema() -> jsonschema::Validator {
    let output = scanproof(&repository(), &["schema"]);
    assert_eq!(output.status.code(), Some(0));
    jsonschema::validator_for(&json(&output)).unwrap()
}

pub(crate) fn assert_valid(document: &Value) {
    let errors: Vec<String> = schema().iter_errors(document).map(|e| format!("{}: {e}", e.instance_path())).collect();
    assert!(errors.is_empty(), "{}", errors.join("\n"));
}

/// A program in a folder of its own.
pub(crate) struct Case {
    pub(crate) folder: tempfile::TempDir,
}

impl Case {
    pub(crate) fn new(files: &[(&str, &[u8])]) -> Case {
        let folder = tempfile::tempdir().unwrap();
        for (name, bytes) in files {
            std::fs::write(folder.path().join(name), bytes).unwrap();
        }
        Case { folder }
    }
    pub(crate) fn run(&self, args: &[&str]) -> Output {
        scanproof(self.folder.path(), args)
    }
}

pub(crate) const LATCH: &[u8] = b"PROGRAM Latch\nVAR_INPUT Go, Stop : BOOL; END_VAR\nVAR_OUTPUT Run : BOOL; END_VAR\n\
    Run := (Run OR Go) AND NOT Stop;\nEND_PROGRAM\n";

#[test]
fn exit_code_says_what_became_of_the_requirements() {
    let check = |requirement: &str, code: i32| {
        let case = Case::new(&[("p.st", LATCH), ("p.yaml", requirement.as_bytes())]);
        let output = case.run(&["verify", "p.st"]);
        assert_eq!(output.status.code(), Some(code), "{requirement}\n{}", text(&output));
    };
    check("requirements: [{ if: Stop, then: NOT Run }]", 0);
    check("requirements: [{ never: Run }]", 40);
    check("requirements: [{ if: Stop, then: NOT Run }, { never: Run }]", 40);
    check("requirements: [{ if: Go AND NOT Go, then: Run }]", 30);
    check("assumptions: [{ expr: Go AND NOT Go }]\nrequirements: [{ never: Run }]", 30);
    // One that is not stated correctly is not checked; the others are.
    check("requirements: [{ never: Runn }]", 30);
    check("requirements: [{ never: Run, always: Go }]", 30);
    check("requirements: [{ never: Runn }, { never: Run }]", 40);
    check("assumptions: [{ expr: Goo }]\nrequirements: [{ never: Run }]", 3);
    check("requirements: [{ nevr: Run }]", 3);
    // Nothing was checked: nothing holds.
    check("", 30);
}

/// Conditions of a proof stand in its headline and count in the exit code.
#[test]
fn a_proof_with_a_condition_is_no_plain_proof() {
    const DIVIDES: &[u8] = b"PROGRAM P\nVAR_INPUT a, b : INT; END_VAR\nVAR_OUTPUT x : INT; END_VAR\nx := a / b;\nEND_PROGRAM\n";
    const SHARED: &[u8] = b"PROGRAM P\nVAR_EXTERNAL n : INT; END_VAR\nn := 1;\nEND_PROGRAM\nPROGRAM Q\nVAR_EXTERNAL n : INT; END_VAR\n\
        n := 2;\nEND_PROGRAM\nCONFIGURATION C\nVAR_GLOBAL n : INT; END_VAR\nRESOURCE R ON PLC\nTASK Fast(INTERVAL := T#10ms, PRIORITY := 1);\n\
        TASK Slow(INTERVAL := T#100ms, PRIORITY := 2);\nPROGRAM p1 WITH Fast : P;\nPROGRAM q1 WITH Slow : Q;\nEND_RESOURCE\nEND_CONFIGURATION\n";
    let check = |program: &[u8], requirement: &str, code: i32, words: &str| {
        let case = Case::new(&[("p.st", program), ("p.yaml", requirement.as_bytes())]);
        let output = case.run(&["verify", "p.st"]);
        assert_eq!(output.status.code(), Some(code), "{requirement}\n{}", text(&output));
        assert!(text(&output).contains(words), "{requirement}\n{}", text(&output));
    };
    let unchecked = "no division by zero (not checked): for R1";
    check(
        DIVIDES,
        "checks: []\nrequirements: [{ always: b <> 0 OR b = 0 }]",
        30,
        "◩ Holds in every cycle under 1 condition — proved",
    );
    check(DIVIDES, "checks: []\nrequirements: [{ always: b <> 0 }]", 30, unchecked);
    check(DIVIDES, "requirements: [{ always: b <> 0 }]", 40, "no division by zero (can happen) (p.st, line 4): for R1");
    check(DIVIDES, "assumptions: [{ expr: b > 0 }]\nrequirements: [{ always: b <> 0 }]", 0, "given 1 assumption — proved");
    check(SHARED, "requirements: [{ always: n <> 7 }]", 30, "several TASKs (p.st, line 9): for R1");
    // One cycle is the interval of the fastest task.
    check(SHARED, "requirements: [{ always: n <> 7 }]", 30, "exactly 10 ms");
}

#[test]
fn a_requirement_file_may_be_called_yml_and_its_problems_have_lines() {
    let yaml = b"cycle: 50\nrequirements:\n  - id: A\n    never: Runn\n";
    let case = Case::new(&[("p.st", LATCH), ("p.yml", yaml)]);
    let output = case.run(&["verify", "p.st"]);
    assert_eq!(output.status.code(), Some(30), "{}", text(&output));
    assert!(text(&output).contains("– Not checked: there is no variable `Runn`"), "{}", text(&output));
    assert!(text(&output).contains("p.yml, line 4: there is no variable `Runn`"), "{}", text(&output));
    assert_eq!(text(&output).matches("did you mean `Run`?").count(), 1, "{}", text(&output));
}

/// Code behind a statement that is not modelled is never called free of things to check.
#[test]
fn checks_behind_an_unmodelled_statement_are_named() {
    let program =
        b"PROGRAM P\nVAR i, n : INT; x : ARRAY[0..3] OF INT; p : POINTER TO INT; END_VAR\np := p + 4;\nFOR i := 0 TO 5 DO\n\
        x[i] := n;\nEND_FOR;\nEND_PROGRAM\n";
    let output = Case::new(&[("p.st", program)]).run(&["verify", "p.st"]);
    let said = text(&output);
    assert_eq!(output.status.code(), Some(30), "{said}");
    let why = "– Not checked: line 3: arithmetic on a pointer is not modelled, and nothing behind it is looked at";
    for expected in [why, "check-index_out_of_bounds: Every array index", "\n1 requirement: – 1 not checked"] {
        assert!(said.contains(expected), "`{expected}` is not in\n{said}");
    }
    assert!(!said.contains("nothing to check"), "{said}");
    let asked = Case::new(&[("p.st", program), ("p.yaml", b"checks: [division_by_zero, loop_wrap]")]).run(&["verify", "p.st"]);
    assert!(text(&asked).contains("nothing to check"), "{}", text(&asked));
}

/// A statement that never runs is a finding: it is shown, and counted apart.
/// A statement that is not modelled may write a variable that no other statement writes.
#[test]
fn a_variable_that_only_an_unmodelled_statement_writes_is_not_called_unwritten() {
    let program = |write: &str| {
        format!(
            "PROGRAM Main\nVAR_INPUT Go : BOOL; END_VAR\nVAR Off : BOOL; n : INT := 3; x : INT; s : DWORD; END_VAR\n\
             x := n;\nIF Off AND Go THEN\n{write}\nEND_IF\nOff := FALSE;\nEND_PROGRAM\n"
        )
    };
    let found = |write: &str| {
        let yaml = b"requirements: [{ always: x = 3 }]";
        let case = Case::new(&[("p.st", program(write).as_bytes()), ("p.yaml", yaml)]);
        let document = json(&case.run(&["verify", "p.st", "--json"]));
        let outcome = &document["programs"][0]["outcome"];
        let row = outcome["environment"].as_array().unwrap().iter().find(|row| row["variable"] == "n").cloned();
        let why = row.map(|row| row["why"].as_str().unwrap().to_owned());
        let detail = outcome["results"][0]["conditions"][0]["detail"].as_str().map(str::to_owned);
        (why, detail)
    };
    let settled = "Name it under `inputs` or `parameters` if the outside may write it, under `frozen` if not.";
    let (why, detail) = found("s := 1;");
    assert_eq!(why.as_deref(), Some("no statement writes it"));
    assert_eq!(detail, Some(format!("No statement writes it. {settled}")));
    let unmodelled = "no statement that is modelled writes it; line 6 is not modelled";
    for write in ["n := DWORD_TO_INT(ADR(x));", "MEMCPY(ADR(n), ADR(x), 2);"] {
        let (why, detail) = found(write);
        assert_eq!(why.as_deref(), Some(unmodelled), "{write}");
        assert_eq!(detail, Some(format!("N{}. {settled}", &unmodelled[1..])), "{write}");
    }
    // A statement behind it is modelled, and it writes.
    assert_eq!(found("s := ADR(x);\nn := 7;"), (None, None));
}

#[test]
fn dead_code_is_a_finding_with_its_code() {
    let program = b"PROGRAM P\nVAR_INPUT a : BOOL; END_VAR\nVAR_OUTPUT q : BOOL; END_VAR\nq := a;\nIF a AND NOT q THEN\n\
        q := FALSE;\nEND_IF;\nEND_PROGRAM\n";
    let case = Case::new(&[("p.st", program), ("p.yaml", b"checks: [dead_code]\nrequirements: [{ always: q = a }]")]);
    let output = case.run(&["verify", "p.st"]);
    assert_eq!(output.status.code(), Some(40), "{}", text(&output));
    for expected in ["✖ Never executed", "Some run executes line 6: `q := FALSE`", "\n2 requirements: ✔ 1 proved · ✖ 1 finding"]
    {
        assert!(text(&output).contains(expected), "`{expected}` is not in\n{}", text(&output));
    }
    let document = json(&case.run(&["verify", "p.st", "--json"]));
    assert_eq!(document["programs"][0]["outcome"]["results"][1]["place"]["line"], 6);
    assert_eq!(document["tally"]["finding"], 1);
}

/// "Every statement" is not said where statements are left out.
#[test]
fn dead_code_leaves_out_what_is_not_modelled_and_says_so() {
    let program =
        b"PROGRAM P\nVAR_INPUT a : BOOL; END_VAR\nVAR p : POINTER TO INT; x : INT; q : BOOL; END_VAR\nq := a;\np := ADR(x);\n\
        p := p + 4;\nEND_PROGRAM\n";
    let case = Case::new(&[("p.st", program), ("p.yaml", b"checks: [dead_code]")]);
    let output = case.run(&["verify", "p.st"]);
    assert_eq!(output.status.code(), Some(30), "{}", text(&output));
    let why = "line 6: arithmetic on a pointer is not modelled; it and the statements behind it are left out";
    for expected in [why, "check-dead_code: Every statement can be executed.", "\n1 requirement: \u{2013} 1 not checked"] {
        assert!(text(&output).contains(expected), "`{expected}` is not in\n{}", text(&output));
    }
}

#[test]
fn a_large_environment_is_printed_where_it_is_asked_for() {
    let inputs: String = (1..=13).map(|n| format!("g{n} : INT; ")).collect();
    let sum: Vec<String> = (1..=13).map(|n| format!("g{n}")).collect();
    let program =
        format!("VAR_GLOBAL {inputs} END_VAR\nPROGRAM P\nVAR x : INT; END_VAR\nx := {};\nEND_PROGRAM\n", sum.join(" + "));
    let case = Case::new(&[("p.st", program.as_bytes()), ("p.yaml", b"requirements: [{ possible: x = 3 }]")]);
    let brief = text(&case.run(&["verify", "p.st"]));
    let brief_words = brief.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(brief_words.contains("`g1`, `g2`, `g3`, `g4` and 9 more variables are inputs"), "{brief}");
    assert!(brief.contains("Environment: 13 variables; `-v` lists them, and so does `--json`."), "{brief}");
    let full = text(&case.run(&["verify", "p.st", "-v"]));
    assert!(full.contains("\n    g13 (INT): input, any in every cycle; global variable without"), "{full}");
}

#[test]
fn what_is_asked_can_be_chosen() {
    let program =
        b"PROGRAM P\nVAR_INPUT a : BOOL; END_VAR\nVAR_OUTPUT q : BOOL; END_VAR\nq := a;\n//#ASSERT NOT q : off\nEND_PROGRAM\n";
    let yaml = b"requirements: [{ id: A1, never: q }, { id: A2, always: q = a }, { id: A3, never: qq }]";
    let check = |args: &[&str], code: i32, words: &str| {
        let case = Case::new(&[("p.st", program), ("p.yaml", yaml)]);
        let output = case.run(&[&["verify", "p.st"], args].concat());
        assert_eq!(output.status.code(), Some(code), "{args:?}\n{}", text(&output));
        assert!(text(&output).contains(words), "{args:?}\n{}", text(&output));
    };
    check(&[], 40, "\n4 requirements: ✔ 1 proved · – 1 not checked · ✖ 2 can be broken");
    check(&["--no-assertions"], 40, "\n3 requirements: ✔ 1 proved · – 1 not checked · ✖ 1 can be broken");
    check(&["--requirement", "A2"], 0, "\n1 requirement: ✔ 1 proved");
    check(&["--requirement", "A2", "--requirement", "A3"], 30, "\n2 requirements: ✔ 1 proved · – 1 not checked");
    check(&["--requirement", "A22"], 3, "there is no requirement `A22` (there are: `A1`, `A2`, `off`, `A3`); did you mean `A2`?");
    check(&["--requirement", "off", "--no-assertions"], 3, "there is no requirement `off`");
}

#[test]
fn a_report_says_what_it_rests_on_and_counts_in_words() {
    let program = b"PROGRAM P\nVAR_INPUT n : INT; END_VAR\nVAR q, k : INT; END_VAR\nk := n - 3;\nq := 100 / k;\nEND_PROGRAM\n";
    let output = Case::new(&[("p.st", program)]).run(&["verify", "p.st"]);
    let said = text(&output);
    for expected in [
        "In the first scan cycle, on line 5 of p.st, the divisor is 0 (k is 0).",
        "k was written on line 4 in this cycle.",
        "In cycle 1 n is 3.",
        "      n  *3",
        "Rests on: Inputs may take any value",
        "exactly 100 ms",
        "\n1 requirement: ",
    ] {
        assert!(said.contains(expected), "expected `{expected}` in\n{said}");
    }
}

#[test]
fn wrong_command_lines_are_refused_with_one_sentence() {
    let case = Case::new(&[("p.st", LATCH)]);
    for args in [
        &["verify"][..],
        &["verify", "p.st", "--engine", "magic"],
        &["verify", "p.st", "--option", "k"],
        &["verify", "p.st", "--engine", "bmc", "--option", "nonsense=1"],
        &["verify", "p.st", "--engine", "bmc", "--option", "k=3", "--option", "k=4"],
        &["verify", "p.st", "--cycle", "soon"],
        &["verify", "p.st", "--cycle", "20ms..5ms"],
        &["verify", "p.st", "--time-limit", "0"],
        &["simulate", "p.st", "--set", "Go=TRUE"],
        &["simulate", "p.st", "--set", "1:Went=TRUE"],
        &["simulate", "p.st", "--set", "1:Run=TRUE"],
        &["simulate", "p.st", "--set", "1:Go=7"],
        &["simulate", "p.st", "--set", "0:Go=TRUE"],
        &["simulate", "p.st", "--cycles", "3", "--set", "4:Go=TRUE"],
        &["simulate", "p.st", "--show", "Gone"],
        &["frobnicate"],
    ] {
        let output = case.run(args);
        assert_eq!(output.status.code(), Some(2), "{args:?}\n{}", text(&output));
        assert!(!output.stderr.is_empty(), "{args:?}");
    }
}

#[test]
fn bad_input_gets_an_error_with_its_place() {
    let deep = [b"PROGRAM P VAR x : BOOL; END_VAR x := ".to_vec(), vec![b'('; 1 << 20]].concat();
    let check = |bytes: &[u8], expected: &str| {
        let case = Case::new(&[("p.st", bytes)]);
        let output = case.run(&["verify", "p.st", "--json"]);
        let document = json(&output);
        assert_eq!(output.status.code(), Some(3), "{document:#}");
        assert_valid(&document);
        let said = document.to_string();
        assert!(said.contains(expected), "expected `{expected}` in {said:.2000}");
    };
    check(b"", "p.st");
    check(b"\0\xff\xfe\x00garbage\x01\x02", "p.st");
    check(&deep, "\"line\":1");
    check(b"PROGRAM P END_PROGRAM PROGRAM P END_PROGRAM", "P");
    check(b"PROGRAM P VAR x : INT; END_VAR x := ; y := 1; END_PROGRAM", "\"line\":1");
}

#[test]
fn files_that_cannot_be_read_are_named() {
    let case = Case::new(&[("big.st", &vec![b' '; 30 << 20])]);
    for (file, expected) in [("absent.st", "absent.st"), ("big.st", "limit")] {
        let output = case.run(&["verify", file]);
        assert_eq!(output.status.code(), Some(3), "{}", text(&output));
        assert!(text(&output).contains(expected), "{}", text(&output));
    }
    let output = case.run(&["bench", "absent", "--out", "o"]);
    assert_eq!(output.status.code(), Some(3), "{}", text(&output));
    assert!(text(&output).contains("absent: ") && !case.folder.path().join("o").exists(), "{}", text(&output));
}

/// Exit codes and streams of what goes wrong: errors are on standard error, and what is not written is an error.
#[test]
fn errors_have_their_stream_and_their_exit_code() {
    let case = Case::new(&[
        ("p.st", LATCH),
        ("bad.st", b"PROGRAM P\nVAR x : INT; END_VAR\nx := Nonsense + ;\nEND_PROGRAM\n"),
        ("p.yaml", b"assumptions: [{ expr: Goo }]"),
    ]);
    let check = |args: &[&str], code: i32, error: &str| {
        let output = case.run(args);
        let (told, complained) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        assert_eq!(output.status.code(), Some(code), "{args:?}: {told}{complained}");
        assert!(complained.contains(error) && !told.contains(error), "{args:?}: {told}\n--\n{complained}");
    };
    // The name says nothing about who is to blame.
    check(&["verify", "worker.st"], 3, "error: worker.st: No such file");
    check(&["verify", "bad.st"], 3, "Nonsense");
    check(&["verify", "p.st"], 3, "p.yaml, line 1: there is no variable `Goo`");
    check(&["verify", "--engine", "pdr"], 2, "no FILE is given");
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let mut lost = Command::new(env!("CARGO_BIN_EXE_scanproof"));
    lost.args(["verify", "p.st", "--no-assertions", "--json"]).current_dir(case.folder.path()).stdout(full);
    let output = lost.output().unwrap();
    assert_eq!(output.status.code(), Some(1), "{}", text(&output));
    assert!(text(&output).contains("standard output cannot be written"), "{}", text(&output));
}

#[test]
fn time_limits_and_engines_are_told_as_people_write_them() {
    let case = Case::new(&[("p.st", LATCH), ("p.yaml", b"requirements: [{ if: Stop, then: NOT Run }]")]);
    assert_eq!(case.run(&["verify", "p.st", "--time-limit", "1m"]).status.code(), Some(0));
    assert_eq!(case.run(&["verify", "p.st", "--time-limit", "1 day"]).status.code(), Some(2));
    let engines = case.run(&["verify", "--engine", "help"]);
    assert!(engines.status.success() && text(&engines).contains("k-induction"), "{}", text(&engines));
    // Random runs end; nothing was certified or refused.
    let output = case.run(&["verify", "p.st", "--engine", "random", "--option", "runs=1"]);
    assert!(text(&output).contains("`random` came to its end without learning anything more"), "{}", text(&output));
}

#[test]
fn one_file_as_json_is_valid_and_tells_the_counterexample() {
    let output = scanproof(&repository(), &["verify", "samples/pump/booster.st", "--json"]);
    let document = json(&output);
    assert_eq!(output.status.code(), Some(40));
    assert_valid(&document);
    let result = &document["programs"][0]["outcome"]["results"][0];
    assert_eq!(result["verdict"], "violated");
    assert_eq!(result["counterexample"]["confirmed"], true);
    assert_eq!(result["counterexample"]["cycles"].as_array().unwrap().len(), 2);
}

/// A vacuity example of a requirement that holds is told with -v.
#[test]
fn a_proof_comes_with_a_run_that_puts_it_to_the_test() {
    let case = Case::new(&[("p.st", LATCH), ("p.yaml", b"requirements: [{ after: Run, if: Stop, then: NOT Run }]")]);
    let document = json(&case.run(&["verify", "p.st", "--json"]));
    assert_valid(&document);
    let example = &document["programs"][0]["outcome"]["results"][0]["example"];
    assert_eq!(example["cycles"].as_array().unwrap().len(), 2, "{example}");
    let said = text(&case.run(&["verify", "p.st", "-v"]));
    assert!(said.contains("put to the test in cycle 2 of a run:"), "{said}");
    assert!(!text(&case.run(&["verify", "p.st"])).contains("put to the test"));
}

#[test]
fn the_whole_of_samples_comes_out_as_expected_in_one_call() {
    let output = scanproof(&repository(), &["verify", "samples", "--json"]);
    let document = json(&output);
    assert_eq!(output.status.code(), Some(40), "some samples are meant to be broken");
    assert_valid(&document);
    let programs = document["programs"].as_array().unwrap();
    assert!(25 <= programs.len());
    // Projects have their verdicts in a table of their own (`sample_projects`).
    let is_project = |name: &Value| name.as_str().unwrap().starts_with("samples/projects/");
    let (projects, programs): (Vec<&Value>, Vec<&Value>) = programs.iter().partition(|p| is_project(&p["name"]));
    assert!(5 <= projects.len(), "{projects:?}");
    // The second application of a controller has no requirements.
    let is_stated = |p: &&Value| !p["outcome"]["results"][0].is_null();
    assert_eq!(projects.iter().filter(|p| is_stated(p)).count(), projects.len() - 1, "{projects:?}");
    let surprises: Vec<String> = programs
        .into_iter()
        .filter(|p| p["surprises"] != serde_json::json!([]))
        .map(|p| format!("{}: {}", p["name"], p["surprises"]))
        .collect();
    assert!(surprises.is_empty(), "{}", surprises.join("\n"));
}
