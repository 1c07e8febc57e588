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

/// A call without an instance may be one of an inherited method, which writes the variables of the block.
#[test]
fn a_call_in_an_heir_of_a_missing_block_is_a_gap() {
    let heir = "FUNCTION_BLOCK Heir EXTENDS FB_Base\nVAR_OUTPUT\n n : INT;\nEND_VAR\nn := 1;\nCyclic();\nEND_FUNCTION_BLOCK\n";
    let loaded = read(&[("main.st", &format!("{}{heir}", main_with("h : Heir;", "h(); i := h.n;")))]);
    assert_eq!(declared(&loaded.value), "FUNCTION_BLOCK FB_Base END_FUNCTION_BLOCK");
    let gaps = loaded.value.ledger.gaps.iter().filter(|gap| gap.treatment == Treatment::Unsupported);
    let gaps: Vec<&str> = gaps.map(|gap| gap.construct.as_str()).collect();
    assert_eq!(gaps, ["`Cyclic`, which may be inherited from `FB_Base`"]);
}
