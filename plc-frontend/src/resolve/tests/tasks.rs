//! Configurations: what is found wrong, and what is noted.

use crate::resolve::testing::{check, loaded};

const PROGRAM: &str = "PROGRAM P\nVAR_INPUT\n i : INT;\nEND_VAR\nEND_PROGRAM\n";

#[test]
fn tasks_and_programs_are_checked() {
    let check = |inner: &str, expected: &str| {
        check(&format!("{PROGRAM}CONFIGURATION C\nRESOURCE R ON cpu\n{inner}\nEND_RESOURCE\nEND_CONFIGURATION"), expected);
    };
    check("TASK t (INTERVAL := T#1s, PRIORITY := 1);\nPROGRAM p1 WITH t : P (i := 1 + 1);", "");
    check("PROGRAM p1 WITH t : P;", "P4106@8:17");
    check("PROGRAM p1 : Q;", "P2002@8:14");
    check("TASK t (PERIOD := T#1s);\nPROGRAM p1 WITH t : P;", "P4106@8:9");
    check("TASK t (INTERVAL := 5, PRIORITY := 1);\nPROGRAM p1 WITH t : P;", "P3005@8:21");
    check("PROGRAM p1 : P (i := TRUE, j := 1);", "P3001@8:22 P2005@8:28");
    check("PROGRAM p1 : P;\nPROGRAM P1 : P;", "P4002@9:9");
}

#[test]
fn what_is_not_exact_is_in_the_ledger() {
    let gaps = |inner: &str| -> Vec<String> {
        let text = format!("{PROGRAM}PROGRAM Idle\nEND_PROGRAM\nCONFIGURATION C\n{inner}\nEND_CONFIGURATION");
        let loaded = loaded(&text);
        assert!(!loaded.has_errors(), "{:#?}", loaded.diagnostics);
        loaded.value.ledger.gaps.iter().map(|gap| gap.construct.clone()).collect()
    };
    let two = |a: &str, b: &str| {
        format!(
            "RESOURCE R ON cpu\nTASK a ({a});\nTASK b ({b});\nPROGRAM p WITH a : P;\nPROGRAM q WITH b : P;\nPROGRAM i : Idle;\nEND_RESOURCE"
        )
    };
    assert_eq!(gaps(&two("INTERVAL := T#10ms", "INTERVAL := T#10ms")), ["several TASKs"]);
    assert_eq!(
        gaps(&two("INTERVAL := T#10ms", "INTERVAL := T#15ms")),
        ["several TASKs", "interval that is no multiple of the fastest task's"]
    );
    assert_eq!(gaps("RESOURCE R ON cpu\nPROGRAM p : P;\nEND_RESOURCE"), ["PROGRAM `Idle` in no task"]);
}
