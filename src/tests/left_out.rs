//! Projects with errors: everything that does not depend on one is verified.

use crate::cli::{Case, text};

/// A requirement without a mistake in its cone is decided; another one is not checked, with the place.
#[test]
fn errors_belong_to_parts_of_a_project() {
    let case = Case::new(&[
        ("pump.st", b"PROGRAM Pump\nVAR_INPUT Start, Stop : BOOL; END_VAR\nVAR_OUTPUT Run : BOOL; END_VAR\nRun := (Start OR Run) AND NOT Stop;\nEND_PROGRAM\n"),
        ("mixer.st", b"FUNCTION_BLOCK Mixer\nVAR_OUTPUT On : BOOL; END_VAR\nVAR t : TON; END_VAR\nt(t = 0);\nOn := t.Gone;\nEND_FUNCTION_BLOCK\n"),
        ("all.st", b"PROGRAM All\nVAR m : Mixer; n : INT; END_VAR\nn := 1;\nm();\nEND_PROGRAM\n"),
        ("pump.yaml", b"entry: Pump\nrequirements: [{ never: Run AND Stop }]"),
        ("all.yaml", b"entry: All\nrequirements: [{ always: n = 1 }]"),
    ]);
    let files = ["pump.st", "mixer.st", "all.st"];
    let run = |requirements: &str| case.run(&["verify", files[0], files[1], files[2], "--req", requirements]);
    let pump = run("pump.yaml");
    assert_eq!(pump.status.code(), Some(0), "{}", text(&pump));
    assert!(text(&pump).contains("2 parts left out") && text(&pump).contains("Gone"), "{}", text(&pump));
    let said = text(&pump);
    let at = |words: &str| said.find(words).unwrap_or_else(|| panic!("{words}\n{said}"));
    assert!(at("Holds in every cycle") < at("2 parts left out"), "{said}");
    let all = run("all.yaml");
    assert_eq!(all.status.code(), Some(30), "{}", text(&all));
    assert!(text(&all).contains("Not checked") && text(&all).contains("line 4"), "{}", text(&all));
}
