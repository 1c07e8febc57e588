//! Damaged parts of a file: each gives a finding with its byte, and the rest of the file stays a program.

use super::{loaded, project};
use crate::text::Severity;

const REST: &str = "<pou name=\"Rest\" pouType=\"program\"><interface><localVars><variable name=\"r\"><type><INT/></type></variable></localVars>\
                    </interface><body><ST>r := r + 1;</ST></body></pou>";

/// Returns a program `Main` with this content, and a program `Rest`.
fn beside(main: &str) -> String {
    project("", &format!("<pou name=\"Main\" pouType=\"program\">{main}</pou>{REST}"), "")
}

/// Returns such a file in which `Main` has the variables `x : BOOL` and `t : TON` and this diagram.
fn diagram(elements: &str) -> String {
    beside(&format!(
        "<interface><localVars><variable name=\"x\"><type><BOOL/></type></variable><variable name=\"t\"><type><derived name=\"TON\"/>\
         </type></variable></localVars></interface><body><FBD>{elements}</FBD></body>"
    ))
}

/// Asserts that there is a finding of this code at the first `at`, and that `Rest` was read whole.
#[track_caller]
fn check(xml: &str, code: &str, at: &str) {
    let loaded = loaded("main.xml", xml);
    let byte = xml.find(at).unwrap_or_else(|| panic!("{at} in {xml}"));
    let found: Vec<(&str, usize)> = loaded.diagnostics.iter().map(|d| (d.code, d.span().start as usize)).collect();
    assert!(found.contains(&(code, byte)), "{code} at {byte}, not {found:?}\n{xml}");
    assert!(loaded.diagnostics.iter().any(|d| d.severity == Severity::Error), "{found:?}");
    let rest = loaded.value.project.pous.iter().find(|pou| pou.name == "Rest");
    assert_eq!(rest.map(|pou| (pou.vars.len(), pou.body.len())), Some((1, 1)), "{xml}");
}

const EMPTY: &str = "<interface/><body><ST></ST></body>";

#[test]
fn xml_that_is_damaged_or_dangerous() {
    check(&beside("<interface><localVars></interface><body><ST></ST></body>"), "P0006", "<localVars></interface>");
    check(&beside("<interface></localVars></interface><body><ST></ST></body>"), "P0006", "</localVars></interface>");
    check(&beside("<interface/><body><ST><![CDATA[x</ST></body>"), "P0006", "<![CDATA[");
    check(&beside("<interface/><body><ST>&lol;</ST></body>"), "P0007", "&lol;");
    let declared = beside(EMPTY).replacen("<project", "<!DOCTYPE project [<!ENTITY lol 'x'>]>\n<project", 1);
    check(&declared, "P0007", "<!DOCTYPE");
    let deep = format!("{}{}", "<deep>".repeat(200), "</deep>".repeat(200));
    let xml = beside(&format!("<interface/><documentation>{deep}</documentation><body><ST></ST></body>"));
    // Five elements are around it: project, types, pous, pou and documentation.
    let place = xml.find("<deep>").unwrap() + (128 - 5) * "<deep>".len();
    let loaded = loaded("main.xml", &xml);
    assert_eq!(loaded.diagnostics.iter().map(|d| (d.code, d.span().start as usize)).collect::<Vec<_>>(), [("P0008", place)]);
    assert!(loaded.value.project.pous.iter().any(|pou| pou.name == "Rest" && pou.body.len() == 1));
}

#[test]
fn a_file_of_an_unknown_namespace_is_read_and_noted() {
    let xml = beside(EMPTY).replace("http://www.plcopen.org/xml/tc6_0201", "http://example.org/other");
    let loaded = loaded("main.xml", &xml);
    assert!(loaded.diagnostics.is_empty(), "{:?}", loaded.diagnostics);
    let notes: Vec<(usize, &str)> =
        loaded.value.ledger.ignored.iter().map(|note| (note.span.start as usize, note.what.as_str())).collect();
    let (byte, what) = notes[0];
    assert!(xml[byte..].starts_with("http://example.org/other") || xml[byte..].starts_with("<project"), "{notes:?}");
    assert!(what.contains("instead of"), "{what}");
    assert!(loaded.value.project.pous.iter().any(|pou| pou.name == "Rest" && pou.body.len() == 1));
}

#[test]
fn drawings_that_have_no_meaning() {
    let input = |id: u32, pin: &str, from: &str| {
        format!(
            "<block localId=\"{id}\" typeName=\"NOT\"><position x=\"{}\" y=\"0\"/><inputVariables><variable formalParameter=\"{pin}\">\
             <connectionPointIn>{from}</connectionPointIn></variable></inputVariables><inOutVariables/><outputVariables>\
             <variable formalParameter=\"OUT\"><connectionPointOut/></variable></outputVariables></block>",
            id * 90
        )
    };
    let wire = |from: u32| format!("<connection refLocalId=\"{from}\" formalParameter=\"OUT\"/>");
    let source = |id: u32| {
        format!(
            "<inVariable localId=\"{id}\"><position x=\"0\" y=\"{id}\"/><connectionPointOut/><expression>x</expression></inVariable>"
        )
    };
    // A loop without memory.
    let ring = format!("{}{}", input(1, "IN", &wire(2)), input(2, "IN", &wire(1)));
    check(&diagram(&ring), "P1104", "<block localId=\"1\"");
    // Two wires at one pin of a block.
    let both = "<connection refLocalId=\"1\"/><connection refLocalId=\"2\"/>";
    check(&diagram(&format!("{}{}{}", source(1), source(2), input(3, "IN", both))), "P1102", "<connection refLocalId=\"2\"");
    // A block without a known type.
    let unknown = input(3, "IN", "<connection refLocalId=\"1\"/>").replace("NOT", "Nope");
    let xml = diagram(&format!(
        "{}{unknown}<outVariable localId=\"4\"><position x=\"900\" y=\"0\"/><connectionPointIn>{}</connectionPointIn><expression>x</expression></outVariable>",
        source(1),
        wire(3)
    ));
    let found = loaded("main.xml", &xml);
    let block = xml.find("<block").unwrap()..xml.find("</block>").unwrap();
    let errors: Vec<_> = found.diagnostics.iter().filter(|d| d.severity == Severity::Error).collect();
    assert!(!errors.is_empty() && errors.iter().all(|d| block.contains(&(d.span().start as usize))), "{errors:#?}");
    assert!(errors.iter().any(|d| d.message.contains("Nope")), "{errors:#?}");
    assert!(found.value.project.pous.iter().any(|pou| pou.name == "Rest" && pou.body.len() == 1));
    // A wire from nowhere.
    let lost = input(3, "IN", "<connection refLocalId=\"77\"/>");
    check(&diagram(&lost), "P1101", "<connection refLocalId=\"77\"");
}
