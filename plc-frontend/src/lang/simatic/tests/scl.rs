//! Networks in SCL: words that are put together in place.

use super::{A, NOT_A, loaded, main_with, run};

#[test]
fn words_of_scl_are_put_together_in_place() {
    let token = |text: &str| format!("<Token Text=\"{}\" UId=\"1\" />", text.replace('<', "&lt;").replace('>', "&gt;"));
    let name = |name: &str| {
        format!("<Access Scope=\"LocalVariable\" UId=\"2\"><Symbol><Component Name=\"{name}\" UId=\"3\" /></Symbol></Access>")
    };
    let number = |value: &str| {
        format!(
            "<Access Scope=\"LiteralConstant\" UId=\"2\"><Constant><ConstantValue>{value}</ConstantValue></Constant></Access>"
        )
    };
    let comment = "<LineComment UId=\"9\"><Text>// a := END_IF &amp;</Text></LineComment><NewLine UId=\"4\" />";
    let words = token("IF")
        + &name("a")
        + &token("AND")
        + &name("n")
        + &token("<>")
        + &number("3")
        + &token("THEN")
        + comment
        + &name("n")
        + &token(":=")
        + &name("n")
        + "<Blank UId=\"4\" />"
        + &token("+")
        + &number("1")
        + &token(";")
        + &token("END_IF")
        + &token(";");
    let network = format!("<StructuredText>{words}</StructuredText>");
    let rows = run(&[("Main.xml", main_with(&network))], &[A, A, A, A], &["n"]);
    assert_eq!(rows, ["1", "2", "3", "3"]);
    // The instance of a call stands before it.
    let parameter =
        |name: &str, value: String| format!("<Parameter Name=\"{name}\" UId=\"5\"><Blank />{}{value}</Parameter>", token(":="));
    let arguments = parameter("IN", name("a")) + &token(",") + &parameter("PT", number("T#200ms"));
    let call = format!(
        "<Access Scope=\"Call\" UId=\"6\"><Instruction UId=\"7\">{}{arguments}{}</Instruction></Access>",
        token("("),
        token(")")
    );
    let words = name("T1")
        + &call
        + &token(";")
        + &name("x")
        + &token(":=")
        + &name("T1").replace("</Symbol>", "<Token Text=\".\" /><Component Name=\"Q\" /></Symbol>")
        + &token(";");
    let rows = run(&[("Main.xml", main_with(&format!("<StructuredText>{words}</StructuredText>")))], &[A, A, A, NOT_A], &["x"]);
    assert_eq!(rows, ["0", "0", "1", "0"]);
    let words = name("n") + &token("+=") + &number("2") + &token(";");
    let rows = run(&[("Main.xml", main_with(&format!("<StructuredText>{words}</StructuredText>")))], &[A, A], &["n"]);
    assert_eq!(rows, ["2", "4"]);
    let limit = |template: &str| {
        let arguments = parameter("MN", number("2"))
            + &token(",")
            + &parameter("IN", number("9"))
            + &token(",")
            + &parameter("MX", number("7"));
        let call = format!(
            "<Access Scope=\"Call\" UId=\"6\"><Instruction Name=\"LIMIT\" UId=\"7\"><TemplateValue Name=\"{template}\" Type=\"Type\" UId=\"8\">Int</TemplateValue>{}{arguments}{}</Instruction></Access>",
            token("("),
            token(")")
        );
        let words = name("n") + &token(":=") + &call + &token(";");
        main_with(&format!("<StructuredText>{words}</StructuredText>"))
    };
    assert_eq!(run(&[("Main.xml", limit("value_type"))], &[A], &["n"]), ["7"]);
    // The meaning of other templates is not known.
    let gaps = loaded(&[("Main.xml", limit("other"))]).value.ledger.gaps;
    assert!(gaps.iter().any(|gap| gap.construct == "words of SCL that are not read"), "{gaps:#?}");
    // A mistake is reported at its place in the file.
    let wrong = main_with(&network.replacen("Name=\"n\"", "Name=\"nn\"", 1));
    let loaded = loaded(&[("Main.xml", wrong.clone())]);
    let place = &wrong[loaded.diagnostics[0].span().start as usize..];
    assert!(place.starts_with("<Access") && place[..100].contains("\"nn\""), "{}", &place[..100]);
}

/// A region ends with a line, and the words have no lines: all statements behind it were lost.
#[test]
fn regions_in_words_of_scl_hide_nothing() {
    let token = |text: &str| format!("<Token Text=\"{text}\" UId=\"1\" />");
    let name = "<Access Scope=\"LocalVariable\" UId=\"2\"><Symbol><Component Name=\"n\" UId=\"3\" /></Symbol></Access>";
    let number = "<Access Scope=\"LiteralConstant\" UId=\"2\"><Constant><ConstantValue>3</ConstantValue></Constant></Access>";
    let assign = [name, &token(":="), name, &token("+"), number, &token(";")].concat();
    let title = "<Blank UId=\"5\" /><Text UId=\"6\">Processing n := 9;</Text><NewLine UId=\"7\" />";
    let network = |words: &str| main_with(&format!("<StructuredText>{words}</StructuredText>"));
    let region = [token("REGION").as_str(), title, &assign, &token("END_REGION")].concat();
    let words = region.repeat(2) + &assign;
    assert_eq!(run(&[("Main.xml", network(&words))], &[A, A], &["n"]), ["9", "18"]);
    // Words that hide others are gaps.
    for hidden in ["//", "(*", "{"] {
        let gaps = loaded(&[("Main.xml", network(&(token(hidden) + &assign)))]).value.ledger.gaps;
        assert!(gaps.iter().any(|gap| gap.construct == "words of SCL that are not read"), "{hidden}: {gaps:#?}");
    }
}
