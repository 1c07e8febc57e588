//! Blocks that no file declares: references to their parts, and blocks that extend them.

use super::tests::{check, declared, main_with, read};
use crate::text::Treatment;

/// Only `REF=` gives a reference; every other use of its name means the variable to which it leads.
#[test]
fn a_reference_implies_the_type_of_its_variable() {
    check(
        "f : FB_X; p : REFERENCE TO INT;",
        "p REF= i; f.Target := p; f(n := p); f.Attach(p);",
        "FUNCTION_BLOCK FB_X VAR_INPUT n : INT; Target : INT; END_VAR METHOD Attach VAR_INPUT in1 : INT; END_VAR END_METHOD END_FUNCTION_BLOCK",
    );
}

#[test]
fn blocks_that_extend_missing_ones_run() {
    let heir =
        "FUNCTION_BLOCK Heir EXTENDS FB_Base\nVAR_OUTPUT\n n : INT;\nEND_VAR\nn := n + 1;\nSUPER^();\nEND_FUNCTION_BLOCK\n";
    let text = format!("{}{heir}", main_with("h : Heir;", "h(); i := h.n;"));
    let loaded = read(&[("main.st", &text)]);
    assert_eq!(declared(&loaded.value), "FUNCTION_BLOCK FB_Base END_FUNCTION_BLOCK");
    let gaps = loaded.value.ledger.gaps.iter().filter(|gap| gap.treatment == Treatment::Unsupported);
    assert_eq!(gaps.map(|gap| gap.construct.as_str()).collect::<Vec<_>>(), Vec::<&str>::new());
    let mut machine = crate::interp::Machine::new(&loaded.value.project, crate::interp::Limits::default());
    machine.begin(&std::collections::BTreeMap::new(), 0).unwrap();
    machine.run(&mut crate::interp::Silent).unwrap();
    assert_eq!(machine.leaf("Main.i"), Some(crate::hir::Value::Int(1)));
}

/// Asserts what a block implies for the missing one that it extends; the program has no gap then.
#[track_caller]
fn check_heir(heir: &str, main: &str, expected: &str) {
    let heir = format!("FUNCTION_BLOCK Heir EXTENDS FB_Base\nVAR_OUTPUT\n n : INT;\nEND_VAR\n{heir}\nEND_FUNCTION_BLOCK\n");
    let loaded = read(&[("main.st", &format!("{}{heir}", main_with("h : Heir; t3 : ARRAY [1..2] OF Heir;", main)))]);
    assert_eq!(declared(&loaded.value), expected, "{heir} {main} {:#?}", loaded.value.ledger.gaps);
    let gaps = loaded.value.ledger.gaps.iter().filter(|gap| gap.treatment == Treatment::Unsupported);
    assert_eq!(gaps.map(|gap| gap.construct.as_str()).collect::<Vec<_>>(), Vec::<&str>::new(), "{heir} {main}");
    assert!(!loaded.has_errors() && loaded.value.left_out.is_empty(), "{heir} {main} {:#?}", loaded.diagnostics);
}

/// A name that the resolution finds nowhere is a member of the missing block. A call writes the variables of that block.
#[test]
fn blocks_inherit_members_of_missing_ones() {
    let base = |inside: &str| format!("FUNCTION_BLOCK FB_Base {inside} END_FUNCTION_BLOCK");
    let method = "METHOD Cyclic END_METHOD";
    check_heir("n := 1; Cyclic();", "h(); i := h.n;", &base(method));
    let variables = "VAR_INPUT Extra : DINT; END_VAR VAR_OUTPUT Raw : INT; END_VAR";
    check_heir("SUPER^(); n := LIMIT(0, Raw, 50);", "h(); h.Extra := 3; i := h.Raw;", &base(variables));
    check_heir(
        "SUPER^(); Extra := 3; n := Raw; IF Raw > n THEN n := Extra; END_IF",
        "h();",
        &base("VAR_INPUT Extra : INT; END_VAR VAR_OUTPUT Raw : INT; END_VAR"),
    );
    // Several times in one statement.
    let level = "VAR_OUTPUT Level : DINT; END_VAR";
    check_heir("SUPER^(); IF Level > 3 AND Level < 5 THEN n := 5; ELSE n := 4; END_IF", "h();", &base(level));
    let level = "VAR_INPUT Level : DINT; END_VAR";
    check_heir("SUPER^(); Level := Level + 1;", "h();", &base(level));
    // Without a call of its body, something else gives the values.
    check_heir("n := Raw;", "h();", &base("PROPERTY Raw : INT GET END_GET END_PROPERTY"));
    check_heir("n := 1;", "h(Top := 3);", &base("VAR_INPUT Top : DINT; END_VAR"));
    let several = "METHOD Read : INT VAR_INPUT in1 : DINT; END_VAR END_METHOD METHOD Reset END_METHOD";
    check_heir("n := Read(3);", "h(); t3[2].Reset();", &base(several));
    // What the program declares is no member.
    check_heir(
        "n := Count; Step();\nACTION Step: n := n + 1; END_ACTION",
        "h(); h.Step();\nEND_PROGRAM\nVAR_GLOBAL Count : INT; END_VAR\nPROGRAM Other",
        "FUNCTION_BLOCK FB_Base END_FUNCTION_BLOCK",
    );
}

/// No statement is dropped: one that uses an unknown name twice is a gap, or means an inherited member.
#[test]
fn statements_with_an_unknown_name_twice_stay() {
    let heir = "FUNCTION_BLOCK Heir EXTENDS FB_Base\nVAR_OUTPUT\n n : INT;\nEND_VAR\nBODY\nEND_FUNCTION_BLOCK\n";
    for body in [
        "n := E_St.a + E_St.b;",
        "CASE n OF E_St.a: n := 1; E_St.b: n := 2; END_CASE",
        "IF GVL_X.a AND GVL_X.b THEN n := 1; END_IF",
        "FOR n := E_St.a TO E_St.b DO ; END_FOR",
    ] {
        let text = format!("{}{}", main_with("h : Heir;", "h();"), heir.replace("BODY", body));
        let loaded = read(&[("main.st", &text)]);
        let project = &loaded.value.project;
        let pou = project.pous.iter().find(|pou| pou.name == "Heir").unwrap();
        assert!(!pou.body.is_empty(), "{body} {:#?}", loaded.value.ledger.gaps);
    }
}
