//! Answers that leave the tool: certificates and witnesses of the real binary, and what becomes of changed ones.

use std::path::Path;

use super::cli::{scanproof, text};

const PUMP: &str = "PROGRAM Pump\nVAR_INPUT Go, Stop : BOOL; END_VAR\nVAR_OUTPUT Run : BOOL; Starts : INT; END_VAR\n\
    IF Go AND NOT Run AND Starts < 100 THEN Starts := Starts + 1; END_IF;\nRun := (Run OR Go) AND NOT Stop;\nEND_PROGRAM\n";
const STATED: &str = "requirements:\n  - { id: bounded, always: Starts <= 100 }\n  - { id: idle, never: Run }\n";

/// The exit code and all that was printed.
fn check(folder: &Path, certificate: &str, program: &str) -> (i32, String) {
    let output = scanproof(folder, &["check-certificate", certificate, "--program", program, "--req", "pump.yaml"]);
    (output.status.code().unwrap(), text(&output))
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
