//! LD and FBD in files.

use super::{body, check, program};

/// Returns an input with wires from the elements `from` (`4`, `4.Q`).
fn point(from: &str) -> String {
    let wires = from.split(',').filter(|w| !w.is_empty()).map(|wire| {
        let (id, output) =
            wire.split_once('.').map_or((wire, String::new()), |(id, o)| (id, format!(" formalParameter=\"{o}\"")));
        format!("<connection refLocalId=\"{id}\"{output}><position x=\"1\" y=\"1\"/></connection>")
    });
    format!("<connectionPointIn><relPosition x=\"0\" y=\"10\"/>{}</connectionPointIn>", wires.collect::<String>())
}

pub(super) fn contact(id: u32, at: (i32, i32), name: &str, from: &str, more: &str) -> String {
    drawn("contact", id, at, more, &format!("{}<connectionPointOut/><variable>{name}</variable>", point(from)))
}

pub(super) fn coil(id: u32, at: (i32, i32), name: &str, from: &str, more: &str) -> String {
    drawn("coil", id, at, more, &format!("{}<connectionPointOut/><variable>{name}</variable>", point(from)))
}

pub(super) fn drawn(kind: &str, id: u32, (x, y): (i32, i32), more: &str, inner: &str) -> String {
    format!("<{kind} localId=\"{id}\" width=\"30\" height=\"20\" {more}><position x=\"{x}\" y=\"{y}\"/>{inner}</{kind}>\n")
}

const RAIL: &str =
    "<leftPowerRail localId=\"1\"><position x=\"0\" y=\"0\"/><connectionPointOut formalParameter=\"\"/></leftPowerRail>\n";

fn variable(name: &str, from: &str, more: &str) -> String {
    format!("<variable formalParameter=\"{name}\" {more}>{}</variable>", point(from))
}

fn output(name: &str) -> String {
    format!("<variable formalParameter=\"{name}\"><connectionPointOut/></variable>")
}

fn block(id: u32, at: (i32, i32), names: &str, inputs: &str, outputs: &str) -> String {
    let variables =
        format!("<inputVariables>{inputs}</inputVariables><inOutVariables/><outputVariables>{outputs}</outputVariables>");
    drawn("block", id, at, names, &variables)
}

fn source(id: u32, at: (i32, i32), text: &str) -> String {
    drawn("inVariable", id, at, "negated=\"false\"", &format!("<connectionPointOut/><expression>{text}</expression>"))
}

fn sink(id: u32, at: (i32, i32), text: &str, from: &str) -> String {
    drawn("outVariable", id, at, "", &format!("{}<expression>{text}</expression>", point(from)))
}

#[test]
fn a_rung_with_every_kind_of_contact_and_coil() {
    let rung = RAIL.to_owned()
        + &contact(2, (10, 0), "a", "1", "negated=\"true\"")
        + &contact(3, (50, 0), "b", "2", "edge=\"rising\"")
        + &coil(4, (90, 0), "x", "3", "storage=\"set\"")
        + &coil(5, (90, 30), "y", "3", "negated=\"true\"")
        + "<comment localId=\"9\" height=\"1\" width=\"1\"><position x=\"0\" y=\"0\"/><content><xhtml:p>a, b</xhtml:p></content></comment>"
        + "<rightPowerRail localId=\"6\"><position x=\"120\" y=\"0\"/>"
        + &point("4")
        + &point("5")
        + "</rightPowerRail>";
    body(
        &program("a:BOOL;b:BOOL;x:BOOL;y:BOOL", &format!("<LD>{rung}</LD>")),
        "__nw1_1 := NOT a;
         __nw1_2c := b;
         __nw1_2cp := __nw1_2c AND NOT __nw1_2cm;
         __nw1_2cm := __nw1_2c;
         __nw1_2 := __nw1_1 AND __nw1_2cp;
         IF __nw1_2 THEN
         x := TRUE;
         END_IF;
         y := NOT __nw1_2;",
    );
}

#[test]
fn blocks_with_enable_and_values_at_their_pins() {
    let diagram = source(1, (0, 0), "a &gt; 3")
        + &source(2, (0, 20), "T#2s")
        + &block(
            3,
            (50, 0),
            "typeName=\"TON\" instanceName=\"t\"",
            &(variable("IN", "1", "negated=\"true\"") + &variable("PT", "2", "")),
            &(output("Q") + &output("ET")),
        )
        + &block(
            4,
            (90, 0),
            "typeName=\"ADD\"",
            &(variable("EN", "3.Q", "") + &variable("In1", "5", "") + &variable("In2", "6", "")),
            &(output("ENO") + &output("")),
        )
        + &source(5, (0, 40), "a")
        + &source(6, (0, 60), "1")
        + &sink(7, (120, 0), "a", "4.")
        + &sink(8, (120, 30), "done", "4.ENO");
    body(
        &program("a:INT;done:BOOL;t:TON", &format!("<FBD>{diagram}</FBD>")),
        "t(IN := NOT (a > 3), PT := T#2s);
         __nw1_2 := t.Q;
         __nw1_3en := __nw1_2;
         IF __nw1_3en THEN
         a := a + 1;
         END_IF;
         done := __nw1_3en;",
    );
    // CODESYS writes variables at the pins themselves.
    let inline = "<block localId=\"1\" typeName=\"MUL\"><position x=\"0\" y=\"0\"/><inputVariables>\
        <variable formalParameter=\"\"><connectionPointIn><expression>a</expression></connectionPointIn></variable>\
        <variable formalParameter=\"\"><connectionPointIn><expression>2</expression></connectionPointIn></variable></inputVariables>\
        <outputVariables><variable formalParameter=\"\"><connectionPointOut><expression>a</expression></connectionPointOut></variable></outputVariables></block>";
    body(&program("a:INT", &format!("<FBD>{inline}</FBD>")), "__nw1_0 := a * 2;\na := __nw1_0;");
}

#[test]
fn titles_are_no_elements_and_unknown_elements_are_gaps() {
    let vendor = |kind: &str| {
        format!(
            "<vendorElement localId=\"7\"><position x=\"0\" y=\"0\"/><alternativeText><xhtml/></alternativeText>\
                 <addData><data name=\"x/fbdelementtype\"><ElementType xmlns=\"\">{kind}</ElementType></data></addData></vendorElement>"
        )
    };
    let rung = |odd: &str| RAIL.to_owned() + odd + &coil(2, (90, 9), "x", "1", "");
    let check = |odd: &str, expected: &str| body(&program("x:BOOL", &format!("<LD>{}</LD>", rung(odd))), expected);
    check(&vendor("networktitle"), "x := TRUE;");
    check(
        &vendor("magic"),
        "; (* gap0: not modelled *)\nx := TRUE;\ngap element of a vendor's own kind\ngap network with parts that are not modelled",
    );
    check(
        "<wire localId=\"8\"><position x=\"0\" y=\"0\"/></wire>",
        "; (* gap0: not modelled *)\nx := TRUE;\ngap element of an unknown kind\ngap network with parts that are not modelled",
    );
}

#[test]
fn instruction_lists_and_several_sheets() {
    let il = "<IL><xhtml>LD a\nAND b\nST x\n</xhtml></IL>";
    body(&program("a:BOOL;b:BOOL;x:BOOL", il), "x := a AND b;");
    let two = "<ST>x := a;</ST></body><body WorksheetName=\"2\"><ST>b := x;</ST>";
    body(&program("a:BOOL;b:BOOL;x:BOOL", two), "x := a;\nb := x;");
}

#[test]
fn mistakes_in_drawings_have_places() {
    let rung = |rung: &str| program("a:BOOL;x:BOOL", &format!("<LD>\n{RAIL}{rung}</LD>"));
    // The rail is in line 6.
    check(&rung(&coil(2, (9, 9), "x", "9", "")), "P1101@7");
    check(&rung(&coil(2, (9, 9), "x", "", "")), "P1103@7");
    check(&rung(&coil(2, (9, 9), "", "1", "")), "P1010@7");
    check(&rung(&coil(2, (9, 9), "zz", "1", "")), "P2001@7");
    check(&rung(&coil(2, (9, 9), "x", "1", "").replace("<position x=\"9\" y=\"9\"/>", "")), "P1109@7 warning");
    check(&rung(&coil(2, (9, 9), "x", "1", "").replace("localId=\"2\"", "")), "P0011@7");
    check(&rung(&coil(2, (9, 9), "x", "1", "").replace("refLocalId=\"1\"", "refLocalId=\"one\"")), "P1103@7 P0011@7");
    check(&rung(&(coil(2, (9, 9), "x", "1", "") + &coil(2, (9, 50), "x", "1", ""))), "P1107@8");
    check(&rung(&block(2, (9, 9), "typeName=\"NoSuchBlock\"", "", "")), "P2003@7");
    check(&rung(&block(2, (9, 9), "typeName=\"TON\" instanceName=\"???\"", "", "")), "P1010@7");
    check(&rung(&block(2, (9, 9), "typeName=\"TON\" instanceName=\"zz\"", "", "")), "P2003@7");
    check(&rung(&block(2, (9, 9), "", "", "")), "P0011@7");
    check(&rung("<jump localId=\"3\" label=\"Nowhere\"><position x=\"0\" y=\"0\"/></jump>"), "P1106@7");
    // The rest of the network is still read.
    let both = rung(&(coil(2, (9, 9), "zz", "1", "") + &coil(3, (9, 50), "x", "1", "")));
    let loaded = super::loaded("main.xml", &both);
    assert!(loaded.value.project.to_st().contains("x := TRUE;"));
}

#[test]
fn every_network_is_in_the_ledger() {
    let odd = drawn("wire", 9, (0, 900), "", "");
    let rungs = RAIL.to_owned()
        + &coil(2, (9, 0), "x", "1", "")
        + &contact(3, (9, 100), "x", "1", "")
        + &coil(4, (50, 100), "a", "3", "")
        + &odd
        + "<comment localId=\"8\"><position x=\"0\" y=\"0\"/></comment>";
    let loaded = super::loaded("main.xml", &program("a:BOOL;x:BOOL", &format!("<LD>{rungs}</LD>")));
    assert!(loaded.diagnostics.is_empty(), "{:?}", loaded.diagnostics);
    let ledger = &loaded.value.ledger;
    let n_gaps = ledger.gaps.iter().filter(|g| g.construct.starts_with("network")).count();
    assert_eq!((ledger.modelled.get("network"), n_gaps), (Some(&2), 1), "{ledger:#?}");
    let drawn: usize = loaded.value.project.pous.iter().map(|p| p.diagrams.len()).sum();
    assert_eq!(drawn, 3);
}

#[test]
fn assertions_in_comments_are_checked_where_they_stand() {
    let comment = |y: i32, words: &str| {
        format!(
            "<comment localId=\"8\"><position x=\"0\" y=\"{y}\"/><content><xhtml:p><![CDATA[{words}]]></xhtml:p></content></comment>"
        )
    };
    let rungs = |comment: &str| {
        RAIL.to_owned() + comment + &coil(2, (9, 0), "x", "1", "") + &coil(3, (9, 100), "a", "1", "negated=\"true\"")
    };
    let asserted = rungs(&comment(50, "//#ASSERT x AND NOT a : between"));
    body(
        &program("a:BOOL;x:BOOL", &format!("<LD>{asserted}</LD>")),
        "x := TRUE;\n//#ASSERT x AND NOT a : between\na := NOT (TRUE);",
    );
    // An assertion that cannot be read is a finding, not a comment.
    let broken = rungs(&comment(50, "//#ASSERT x AND"));
    let loaded = super::loaded("main.xml", &program("a:BOOL;x:BOOL", &format!("<LD>{broken}</LD>")));
    assert!(!loaded.diagnostics.is_empty());
}

#[test]
fn state_charts_are_gaps() {
    let chart = program("n:INT;_State:implicit_state_chart_struct", "<ST></ST>");
    let chart = chart.replace("<dataTypes>", "<dataTypes><dataType name=\"implicit_state_chart_struct\"><baseType><struct><variable name=\"s\"><type><INT/></type></variable></struct></baseType></dataType>");
    body(&chart, "; (* gap0: not modelled *)\ngap body in UML (state chart)");
    body(&program("n:INT", "<ST></ST>"), "");
}
