//! Operands with absolute addresses, and those that are read past the process image.

use super::{loaded, main_with};

/// Checks the operand in `x := operand;`: as ST, or its gap.
#[track_caller]
fn check(operand: &str, expected: &str) {
    let token = |text: &str| format!("<Token Text=\"{text}\" UId=\"1\" />");
    let target = "<Access Scope=\"LocalVariable\" UId=\"2\"><Symbol><Component Name=\"x\" /></Symbol></Access>";
    let network = format!("<StructuredText>{target}{}{operand}{}</StructuredText>", token(":="), token(";"));
    let loaded = loaded(&[("Main.xml", main_with(&network))]);
    let text = loaded.value.project.to_st();
    let gaps: Vec<&str> = loaded.value.ledger.gaps.iter().map(|gap| gap.construct.as_str()).collect();
    assert!(text.contains(expected) || gaps.contains(&expected), "{operand}: {gaps:?} {:?}\n{text}", loaded.diagnostics);
}

#[test]
fn operands_past_the_process_image_are_gaps() {
    let part = |attributes: &str| {
        format!("<Access Scope=\"LocalVariable\" UId=\"3\"><Symbol><Component Name=\"a\" {attributes}/></Symbol></Access>")
    };
    check(&part(""), "x := a");
    check(&part("SimpleAccessModifier=\"None\" AccessModifier=\"None\" "), "x := a");
    check(&part("SimpleAccessModifier=\"Periphery\" "), "direct access to the periphery (`:P`)");
    check(&part("SimpleAccessModifier=\"QualityInformation\" "), "direct access to the periphery (`:P`)");
    check(&part("AccessModifier=\"Reference\" "), "operand behind a reference");
}

#[test]
fn absolute_addresses_are_variables() {
    let address = |inside: &str| format!("<Access Scope=\"Address\" UId=\"3\"><Address {inside} /></Access>");
    check(&address("Area=\"Input\" Type=\"Bool\" BitOffset=\"19\""), "%IX2.3");
    check(&address("Area=\"Memory\" Type=\"Bool\" BitOffset=\"0\""), "%MX0.0");
    check(&address("Area=\"DB\" Type=\"Bool\" BlockNumber=\"1\" BitOffset=\"0\""), "absolute access to a data block");
    check(&address("Area=\"PeripheryInput\" Type=\"Word\" BitOffset=\"0\""), "direct access to the periphery (`:P`)");
    check(&address("Area=\"Memory\" Type=\"Int\" BitOffset=\"16\""), "operand with an absolute address");
    check(&address("Area=\"Timer\" Type=\"Timer\" BitOffset=\"1\""), "operand with an absolute address");
}
