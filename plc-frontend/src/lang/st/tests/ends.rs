//! POUs that end with their file.

use crate::hir::StmtKind;
use crate::resolve::testing::{check, loaded};

#[test]
fn the_only_pou_of_a_file_ends_with_the_file() {
    let main = "PROGRAM Main\nVAR x : INT; END_VAR\nIF x = 0 THEN x := 3; END_IF";
    check(main, "P1014@1:1 warning");
    // CODESYS writes such texts; elsewhere statements are missing, so there is a gap behind the last one.
    let loaded = loaded(main).value;
    let gaps: Vec<&str> = loaded.ledger.gaps.iter().map(|gap| gap.construct.as_str()).collect();
    assert_eq!(gaps.first(), Some(&"the text of `Main` is complete"));
    assert!(gaps.len() == 2 && gaps[1].starts_with("file without END_PROGRAM"), "{gaps:?}");
    let body = &loaded.project.pous.iter().find(|pou| pou.name == "Main").unwrap().body;
    assert!(matches!(body.last().unwrap().kind, StmtKind::Gap(_)), "{body:?}");
    check(&format!("{main}\nEND_PROGRAM"), "");
}

#[test]
fn an_end_that_something_may_stand_before_is_missed() {
    check("PROGRAM Main\nVAR x : INT; END_VAR\nIF x = 0 THEN x := 3;", "P1014@1:1 P1014@3:1");
    check("PROGRAM Main\nVAR x : INT; END_VAR\nx := 3", "P1014@1:1 P1011@3:7");
    check("FUNCTION F : INT\nF := 1;\nEND_FUNCTION\nPROGRAM Main\nVAR x : INT; END_VAR\nx := F();", "P1014@4:1");
    check("CLASS C\nMETHOD m : INT\nm := 1;\nEND_METHOD\n", "P1014@1:1");
}

#[test]
fn a_body_without_statements_may_be_lost() {
    let loaded = loaded("PROGRAM Main\nVAR x : INT; END_VAR\n");
    assert!(!loaded.has_errors(), "{:#?}", loaded.diagnostics);
    let gaps: Vec<&str> = loaded.value.ledger.gaps.iter().map(|gap| gap.construct.as_str()).collect();
    assert!(gaps.contains(&"body without statements and without an end"), "{gaps:?}");
}
