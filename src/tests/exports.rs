//! Models for other tools, written by the real binary: what their first lines say.

use super::cli::{scanproof, text};

const PROGRAM: &str = "VAR_GLOBAL Limit : INT := 7; END_VAR\nPROGRAM Ratio\nVAR_EXTERNAL Limit : INT; END_VAR\n\
    VAR_INPUT Total, Parts : INT; END_VAR\nVAR RETAIN Hours : INT; END_VAR\nVAR Share : INT; High : BOOL; END_VAR\n\
    Share := Total / Parts;\nHigh := Limit > 7 AND Hours = Share;\nEND_PROGRAM\n";
const STATED: &str = "start: warm\ninputs: [{ Parts: -5..5 }]\nrequirements: [{ id: limited, never: High }]\n";

/// An answer of another tool is about this environment, and under these conditions.
#[test]
fn headers_name_the_environment_and_the_conditions() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    std::fs::write(folder.join("ratio.st"), PROGRAM).unwrap();
    std::fs::write(folder.join("ratio.yaml"), STATED).unwrap();
    for (format, mark, answer) in [
        ("theta", "//", "the requirement holds under 2 conditions"),
        ("chc", ";", "`sat`: the requirement holds under 2 conditions."),
        ("btor2", ";", "the requirement holds under 2 conditions"),
        ("smv", "--", "the requirement holds under 2 conditions"),
        ("c", "//", "If it cannot: the requirement holds under 2 conditions."),
    ] {
        let output = scanproof(folder, &["export", "ratio.st", "--requirement", "limited", "--format", format]);
        let said = text(&output);
        assert_eq!(output.status.code(), Some(0), "{format}: {said}");
        assert!(said.contains(answer), "{format}: {said}");
        for line in [
            "Start: warm; RETAIN and PERSISTENT variables have any value.",
            "Environment: Total (INT): input, any in every cycle",
            "Environment: Parts (INT): input, stated, any in every cycle, -5..5",
            "Environment: Hours (INT): memory, any at the start, then what the program writes",
            "Environment: Limit (INT): frozen, its initial value 7",
            "Condition, if the requirement holds: no division by zero.",
            "Condition, if the requirement holds: `Limit` keeps its initial value 7.",
        ] {
            assert!(said.lines().any(|said| said == format!("{mark} {line}")), "{format}: {line}: {said}");
        }
    }
}
