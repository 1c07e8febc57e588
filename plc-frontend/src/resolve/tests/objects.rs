//! Methods, properties, actions, inheritance: what is found wrong.

use crate::resolve::testing::check;

#[test]
fn blocks_extend_blocks() {
    let main = "PROGRAM Main\nEND_PROGRAM\n";
    let check = |source: &str, expected: &str| check(&format!("{main}{source}"), expected);
    check("FUNCTION_BLOCK A EXTENDS B\nEND_FUNCTION_BLOCK\nFUNCTION_BLOCK B\nEND_FUNCTION_BLOCK", "");
    check("FUNCTION_BLOCK A EXTENDS B\nx := 1;\nEND_FUNCTION_BLOCK", "P2002@3:26");
    check("FUNCTION_BLOCK A EXTENDS A\nEND_FUNCTION_BLOCK", "P4101@3:26");
    check(
        "FUNCTION_BLOCK A EXTENDS B\nEND_FUNCTION_BLOCK\nFUNCTION_BLOCK B EXTENDS A\nEND_FUNCTION_BLOCK",
        "P4101@3:26 P4101@5:26",
    );
    check("FUNCTION_BLOCK A EXTENDS Main\nEND_FUNCTION_BLOCK", "P4101@3:26");
    check("FUNCTION_BLOCK A EXTENDS B\nEND_FUNCTION_BLOCK\nFUNCTION_BLOCK FINAL B\nEND_FUNCTION_BLOCK", "P4101@3:26");
    check(
        "FUNCTION_BLOCK A EXTENDS B\nVAR\n x : INT;\nEND_VAR\nEND_FUNCTION_BLOCK\nFUNCTION_BLOCK B\nVAR\n x : INT;\nEND_VAR\nEND_FUNCTION_BLOCK",
        "P4002@5:2",
    );
}

#[test]
fn members_are_used_as_what_they_are() {
    let block = "FUNCTION_BLOCK B\nVAR\n v : INT;\nEND_VAR\nMETHOD M : INT\nVAR_INPUT\n i : INT;\nEND_VAR\nM := i;\nEND_METHOD\nMETHOD N\nEND_METHOD\nPROPERTY P : INT\nGET\nP := v;\nEND_GET\nEND_PROPERTY\nACTION A:\nv := 1;\nEND_ACTION\nEND_FUNCTION_BLOCK\n";
    let check = |body: &str, expected: &str| {
        check(&format!("{block}PROGRAM Main\nVAR\n b : B; x : INT;\nEND_VAR\n{body}\nEND_PROGRAM"), expected);
    };
    check("x := b.M(1); b.N(); b.A(); x := b.P;", "");
    check("x := b.M(TRUE);", "P3001@26:10");
    check("x := b.M(1, 2);", "P3011@26:13");
    check("x := b.M(THIS := b);", "P2005@26:10");
    check("x := b.N();", "P2009@26:6");
    check("x := b.M;", "P2009@26:6");
    check("x := b.P();", "P3012@26:6");
    check("b.P := 1;", "P3013@26:1");
    check("b.Q := 1;", "P2004@26:3");
    check("x := THIS^.x;", "");
    check("SUPER^();", "P4105@26:1");
}
