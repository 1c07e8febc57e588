//! Answers that leave the tool: certificates and witnesses of the real binary, and what becomes of changed ones.

use std::path::Path;

use super::cli::{scanproof, text};

const PUMP: &str = "PROGRAM Pump\nVAR_INPUT Go, Stop : BOOL; END_VAR\nVAR_OUTPUT Run : BOOL; Starts : INT; END_VAR\n\
    IF Go AND NOT Run AND Starts < 100 THEN Starts := Starts + 1; END_IF;\nRun := (Run OR Go) AND NOT Stop;\nEND_PROGRAM\n";
const STATED: &str = "requirements:\n  - { id: bounded, always: Starts <= 100 }\n  - { id: idle, never: Run }\n";

/// Returns the exit code and all that was printed.
fn check(folder: &Path, certificate: &str, program: &str) -> (i32, String) {
    let output = scanproof(folder, &["check-certificate", certificate, "--program", program, "--req", "pump.yaml"]);
    (output.status.code().unwrap(), text(&output))
}

/// Another solver is another program: a worker that checks with it may start it, as nothing else.
#[test]
fn another_solver_can_check_a_proof() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    std::fs::write(folder.join("pump.st"), PUMP).unwrap();
    std::fs::write(folder.join("pump.yaml"), STATED).unwrap();
    scanproof(folder, &["verify", "pump.st", "--certificates", "out"]);
    let check = |answer: &str, expected: i32| {
        let script = folder.join("solver.sh");
        std::fs::write(&script, format!("cat > /dev/null\necho {answer}\n")).unwrap();
        let command = format!("sh {}", script.display());
        let args =
            ["check-certificate", "out/pump.bounded.smt2", "--program", "pump.st", "--req", "pump.yaml", "--solver", &command];
        let output = scanproof(folder, &args);
        assert_eq!(output.status.code(), Some(expected), "{answer}: {}", text(&output));
    };
    check("unsat", 0);
    check("sat", 40);
    check("unknown", 30);
}

#[test]
fn certificates_are_those_of_one_program_and_of_what_they_say() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let write = |name: &str, content: &str| std::fs::write(folder.join(name), content).unwrap();
    write("pump.st", PUMP);
    write("pump.yaml", STATED);
    let output = scanproof(folder, &["verify", "pump.st", "--certificates", "out", "--witnesses", "out"]);
    assert_eq!(output.status.code(), Some(40), "{}", text(&output));
    let mut written: Vec<String> =
        std::fs::read_dir(folder.join("out")).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    written.sort();
    let proof = std::fs::read_to_string(folder.join("out/pump.bounded.smt2")).unwrap();
    let run = std::fs::read_to_string(folder.join("out/pump.idle.json")).unwrap();
    assert!(written.iter().any(|name| name.ends_with(".c")), "{written:?}");

    for certificate in ["out/pump.bounded.smt2", "out/pump.idle.json"] {
        let (code, said) = check(folder, certificate, "pump.st");
        assert_eq!(code, 0, "{said}");
        assert!(said.contains("certified"), "{said}");
    }
    // Another program, another requirement, cut, and not one at all.
    write("other.st", &PUMP.replace("< 100", "< 101"));
    let crossed = proof.replace("; requirement: bounded", "; requirement: idle");
    let reversed = proof.replace("; answer: the requirement holds", "; answer: the requirement is violated");
    assert!(crossed != proof && reversed != proof);
    for (certificate, program) in [
        (proof.as_str(), "other.st"),
        (&crossed, "pump.st"),
        (&reversed, "pump.st"),
        (&proof[..proof.len() / 3], "pump.st"),
        ("", "pump.st"),
        (&run[..20], "pump.st"),
    ] {
        write("changed", certificate);
        let (code, said) = check(folder, "changed", program);
        assert!(code == 3 || code == 40, "{code} {said}");
    }
    // What is given in the last cycle no longer switches the pump on.
    let changed = run.replace("TRUE", "FALSE");
    assert_ne!(changed, run);
    write("changed.json", &changed);
    let (code, said) = check(folder, "changed.json", "pump.st");
    assert_ne!(code, 0, "{said}");
}

const RATIO: &str = "VAR_GLOBAL Limit : INT := 7; END_VAR\nPROGRAM Ratio\nVAR_EXTERNAL Limit : INT; END_VAR\n\
    VAR_INPUT Total, Parts : INT; END_VAR\nVAR Share : INT; High, Odd : BOOL; END_VAR\n\
    Share := Total / Parts;\nHigh := Limit > 7;\nOdd := Parts = 0;\nEND_PROGRAM\n";
const ASKED: &str = "requirements:\n  - { id: divided, never: Odd }\n  - { id: limited, never: High }\n  - { id: high, possible: High }\n\
    \x20 - { id: tested, if: Odd, then: High }\n";

/// `verify` gives these answers under conditions. Their certificates say the same, whatever the file leaves out.
#[test]
fn certificates_are_under_the_conditions_of_their_answers() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let write = |name: &str, content: &str| std::fs::write(folder.join(name), content).unwrap();
    write("ratio.st", RATIO);
    write("ratio.yaml", ASKED);
    let output = scanproof(folder, &["verify", "ratio.st", "--certificates", "out"]);
    assert_eq!(output.status.code(), Some(40), "{}", text(&output));
    let check = |certificate: &str| {
        let output = scanproof(folder, &["check-certificate", certificate, "--program", "ratio.st"]);
        (output.status.code().unwrap(), text(&output))
    };
    let division = "condition: no division by zero";
    let limit = "condition: `Limit` keeps its initial value 7";
    for (id, conditions, answer) in [
        ("divided", &[division][..], "the requirement holds under 1 condition: no run that keeps it violates it"),
        ("limited", &[limit, division], "the requirement holds under 2 conditions: no run that keeps them violates it"),
        ("high", &[limit, division], "is impossible under 2 conditions: no run that keeps them gets there"),
    ] {
        let certificate = std::fs::read_to_string(folder.join(format!("out/ratio.{id}.smt2"))).unwrap();
        let (code, said) = check(&format!("out/ratio.{id}.smt2"));
        assert_eq!(code, 30, "{id}: {said}");
        assert!(said.contains(answer), "{id}: {said}");
        for condition in conditions {
            assert!(said.contains(condition), "{id}: {said}");
            // Without the condition, with the number of lines that it then has, and with the answer that would then be right.
            let line = certificate.lines().find(|line| line.contains(condition)).unwrap();
            let left = certificate.replacen(&format!("{line}\n"), "", 1);
            let n = certificate.lines().count() - 1;
            let left = left.replace(&format!("; end: {n} lines"), &format!("; end: {} lines", n - 1));
            let under = format!(" under {} condition", conditions.len());
            for changed in [left.clone(), left.replace(&under, " under 0 condition")] {
                write("changed.smt2", &changed);
                let (code, said) = check("changed.smt2");
                assert_eq!(code, 40, "{id}: {said}");
                assert!(said.contains(&format!("leaves out a {condition}")), "{id}: {said}");
            }
        }
    }
    // What the file says of a condition is not repeated.
    let certificate = std::fs::read_to_string(folder.join("out/ratio.divided.smt2")).unwrap();
    assert!(certificate.contains("; condition: no division by zero (can happen)\n"), "{certificate}");
    write("changed.smt2", &certificate.replace("(can happen)", "(proved)"));
    let (code, said) = check("changed.smt2");
    assert!(code == 30 && !said.contains("proved"), "{said}");
    // A requirement that nothing puts to the test holds under the condition that something does.
    let (code, said) = check("out/ratio.tested.smt2");
    assert!(code == 30 && said.contains("condition: some run puts the requirement to the test (none does)"), "{said}");
}

#[test]
fn violations_of_published_models_have_certificates_and_witnesses() {
    let model = "var g : bv[8]\nmain process steps {\n  var x : bv[8]\n  init loc Start\n  loc Loop\n  error loc Seven\n\
        Start -> Loop { x := 8'd0 }\n  Loop -> Loop { x := x bvadd 8'd2 }\n  Loop -> Loop { havoc g x := x bvadd g }\n\
        Loop -> Seven { assume x = 8'd77 }\n}\n";
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let write = |name: &str, content: &str| std::fs::write(folder.join(name), content).unwrap();
    write("steps.cfa", model);
    let output = scanproof(folder, &["verify", "steps.cfa", "--certificates", "out", "--witnesses", "out"]);
    assert_eq!(output.status.code(), Some(40), "{}", text(&output));
    let run = std::fs::read_to_string(folder.join("out/steps.error-location.json")).unwrap();
    let witness = std::fs::read_to_string(folder.join("out/steps.error-location.witness.yml")).unwrap();
    assert!(witness.contains("violation_sequence") && witness.contains("\"target\""), "{witness}");
    let check = |certificate: &str, model: &str| {
        let output = scanproof(folder, &["check-certificate", certificate, "--program", model]);
        (output.status.code().unwrap(), text(&output))
    };
    let (code, said) = check("out/steps.error-location.json", "steps.cfa");
    assert_eq!(code, 0, "{said}");
    assert!(said.contains("it arrives at Seven after"), "{said}");

    // The value of the first `havoc` by one more; another model; half of it.
    let at = run.find("\"havoc\"").unwrap();
    let bits = at + run[at..].find("(_ bv").unwrap() + 5;
    let end = bits + run[bits..].find(' ').unwrap();
    let other = (run[bits..end].parse::<u32>().unwrap() + 1) % 256;
    write("changed.json", &format!("{}{other}{}", &run[..bits], &run[end..]));
    assert_eq!(check("changed.json", "steps.cfa").0, 40, "{run}");
    write("other.cfa", &model.replace("8'd77", "8'd79"));
    assert_eq!(check("out/steps.error-location.json", "other.cfa").0, 3);
    write("changed.json", &run[..run.len() / 2]);
    assert_eq!(check("changed.json", "steps.cfa").0, 3);
}

#[test]
fn the_certificate_of_every_answer_about_a_sample_is_accepted() {
    for (only, expected) in [("theta", "certificates: 6 of 6 accepted\n"), ("pump", "accepted\n")] {
        let output = scanproof(Path::new("."), &["selftest", "--only", only]);
        assert_eq!(output.status.code(), Some(0), "{}", text(&output));
        assert!(text(&output).contains(expected), "{}", text(&output));
    }
}
