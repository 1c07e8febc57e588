//! SFC in files, and the charts it is read into.

use super::drawings::{contact, drawn};
use super::{body, check, loaded, program};
use crate::ast::{ActionBody, Body, Item};
use crate::lang::network::tests::print::{expr, stmts};
use crate::text::{FileId, Origin, SourceFile};

fn enter(from: &str) -> String {
    let wires: String =
        from.split(',').filter(|w| !w.is_empty()).map(|id| format!("<connection refLocalId=\"{id}\"/>")).collect();
    format!("<connectionPointIn>{wires}</connectionPointIn>")
}

fn step(id: u32, name: &str, from: &str) -> String {
    let initial = if from.is_empty() { "initialStep=\"true\"" } else { "" };
    drawn(
        "step",
        id,
        (0, 0),
        &format!("name=\"{name}\" {initial}"),
        &(enter(from) + "<connectionPointOut formalParameter=\"\"/>"),
    )
}

/// Returns a transition with a condition in ST in place.
fn transition(id: u32, x: i32, from: &str, condition: &str) -> String {
    let condition =
        format!("<condition><inline name=\"\"><ST><xhtml:p><![CDATA[{condition}]]></xhtml:p></ST></inline></condition>");
    drawn("transition", id, (x, 0), "", &(enter(from) + &condition))
}

fn joint(kind: &str, id: u32, from: &[&str]) -> String {
    drawn(kind, id, (0, 0), "", &from.iter().map(|f| enter(f)).collect::<String>())
}

fn jump(id: u32, target: &str, from: &str) -> String {
    drawn("jumpStep", id, (0, 0), &format!("targetName=\"{target}\""), &enter(from))
}

fn actions(id: u32, step: u32, list: &str) -> String {
    drawn("actionBlock", id, (0, 0), "", &(enter(&step.to_string()) + list))
}

/// Asserts the chart of the first POU, with one step or transition a line.
#[track_caller]
fn same(xml: &str, expected: &str) {
    let file = SourceFile::new("a.xml", xml, Origin::User);
    let parsed = crate::lang::parse(FileId(0), &file);
    assert!(parsed.diagnostics.is_empty(), "{:#?}", parsed.diagnostics);
    let Some(Item::Pou(pou)) = parsed.value.items.first() else { panic!("no POU") };
    let Body::Chart(chart) = &pou.body else { panic!("no chart") };
    let mut found = String::new();
    for step in &chart.steps {
        found += &format!("{}{}", step.name.text, if step.initial { "!" } else { "" });
        for action in &step.actions {
            let time = action.duration.as_ref().map_or(String::new(), |d| format!(" {}", expr(d)));
            let what = match &action.action {
                ActionBody::Named(name) => name.text.clone(),
                ActionBody::Inline(list) => format!("{{{}}}", stmts(list)),
            };
            found += &format!(" [{:?}{time} {what}]", action.qualifier);
        }
        found.push('\n');
    }
    let names = |list: &[crate::ast::Ident]| list.iter().map(|n| n.text.as_str()).collect::<Vec<_>>().join("+");
    for t in &chart.transitions {
        found += &format!("{} -> {}: {}{}\n", names(&t.from), names(&t.to), stmts(&t.prelude), expr(&t.condition));
    }
    let trim = |s: &str| s.lines().map(str::trim).filter(|l| !l.is_empty()).collect::<Vec<_>>().join("\n");
    assert_eq!(trim(&found), trim(expected), "\n{xml}");
}

#[test]
fn steps_transitions_and_jumps() {
    let chart = step(1, "Init", "")
        + &transition(2, 0, "1", "a")
        + &step(3, "Run", "2")
        + &transition(4, 0, "3", ":= b AND NOT a;")
        + &jump(5, "Init", "4");
    same(
        &program("a:BOOL;b:BOOL", &format!("<SFC>{chart}</SFC>")),
        "Init!
         Run
         Init -> Run: a
         Run -> Init: b AND NOT a",
    );
}

#[test]
fn divergences_and_convergences() {
    // A choice of two branches; the right one is a simultaneous sequence. The left one is tested first, though it is later in the
    // file.
    let chart = step(1, "Init", "")
        + &joint("selectionDivergence", 2, &["1"])
        + &transition(3, 90, "2", "b")
        + &transition(4, 10, "2", "a")
        + &step(5, "L", "4")
        + &joint("simultaneousDivergence", 6, &["3"])
        + &step(7, "R1", "6")
        + &step(8, "R2", "6")
        + &joint("simultaneousConvergence", 9, &["7", "8"])
        + &transition(10, 90, "9", "TRUE")
        + &transition(11, 10, "5", "b")
        + &joint("selectionConvergence", 12, &["11", "10"])
        + &jump(13, "Init", "12");
    same(
        &program("a:BOOL;b:BOOL", &format!("<SFC>{chart}</SFC>")),
        "Init!
         L
         R1
         R2
         Init -> L: a
         L -> Init: b
         Init -> R1+R2: b
         R1+R2 -> Init: TRUE",
    );
}

#[test]
fn action_blocks_with_qualifiers_times_and_statements() {
    let list = "<action localId=\"20\" qualifier=\"S\"><relPosition x=\"0\" y=\"0\"/><reference name=\"x\"/></action>\
                <action localId=\"21\" qualifier=\"D\" duration=\"T#2s\"><reference name=\"y\"/></action>\
                <action localId=\"22\"><reference name=\"Act\"/></action>\
                <action localId=\"23\" qualifier=\"P1\"><inline name=\"\"><ST><xhtml:p>n := 2;</xhtml:p></ST></inline></action>";
    let chart = step(1, "Init", "")
        + &actions(9, 1, list)
        + &transition(2, 0, "1", "x")
        + &step(3, "Run", "2")
        + &transition(4, 0, "3", "y")
        + &jump(5, "Init", "4");
    let xml = program("x:BOOL;y:BOOL;n:INT", &format!("<SFC>{chart}</SFC>"));
    let xml = xml.replace("<body>", "<actions><action name=\"Act\"><body><ST>n := 1;</ST></body></action></actions><body>");
    // The action keeps its own body.
    let xml = xml.replacen(
        "<action name=\"Act\"><actions><action name=\"Act\"><body><ST>n := 1;</ST></body></action></actions>",
        "<action name=\"Act\">",
        1,
    );
    same(
        &xml,
        "Init! [Set x] [Delayed T#2000ms y] [NonStored Act] [PulseRising {n := 2;}]
         Run
         Init -> Run: x
         Run -> Init: y",
    );
}

#[test]
fn conditions_by_name_by_wire_and_by_network() {
    let chart = |condition: &str| {
        let transition = drawn("transition", 2, (0, 0), "", &(enter("1") + &format!("<condition>{condition}</condition>")));
        step(1, "Init", "") + &transition + &jump(5, "Init", "2")
    };
    let text = "Init!
Init -> Init: a";
    let xml = |chart: String| program("a:BOOL;b:BOOL", &format!("<SFC>{chart}</SFC>"));
    same(&xml(chart("<reference name=\"a\"/>")), text);
    let wired = chart(&enter("7")) + &drawn("inVariable", 7, (0, 0), "", "<connectionPointOut/><expression>a</expression>");
    same(&xml(wired), text);
    let negated = chart(&enter("7")).replace("<condition>", "<condition negated=\"true\">");
    let negated = negated + &drawn("inVariable", 7, (0, 0), "", "<connectionPointOut/><expression>a</expression>");
    same(&xml(negated), "Init!\nInit -> Init: NOT a");
    // Rungs: a coil that is not drawn stands for the condition.
    let rail = "<leftPowerRail localId=\"6\"><position x=\"0\" y=\"0\"/></leftPowerRail>";
    let rungs =
        chart(&enter("7,8")) + rail + &contact(7, (0, 0), "a", "6", "") + &contact(8, (0, 9), "b", "6", "negated=\"true\"");
    let loaded = loaded("main.xml", &xml(rungs));
    assert!(loaded.diagnostics.is_empty(), "{:?}", loaded.diagnostics);
    let text = loaded.value.project.to_st();
    assert!(
        text.contains("__nw1_1 := a;") && text.contains("__nw1_2 := NOT b;") && text.contains("__nw1_3 := __nw1_1 OR __nw1_2;"),
        "{text}"
    );
    // A transition of the POU with a body of its own, as an expression and as an assignment.
    for condition in ["a", ":= a;", "T := a;"] {
        let named = xml(chart("<reference name=\"T\"/>"));
        let body =
            format!("<transitions><transition name=\"T\"><body><ST>{condition}</ST></body></transition></transitions><body>");
        let named = named.replacen("<body>", &body, 1);
        let loaded = super::loaded("main.xml", &named);
        assert!(loaded.diagnostics.is_empty(), "{condition}: {:?}", loaded.diagnostics);
    }
}

#[test]
fn what_charts_cannot_say_is_a_gap_or_a_finding() {
    let xml = |chart: String| program("a:BOOL", &format!("<SFC>\n{chart}</SFC>"));
    let macro_step = "<macroStep localId=\"9\" name=\"M\"><position x=\"0\" y=\"0\"/></macroStep>";
    body(&xml(step(1, "Init", "") + macro_step), "; (* gap0: not modelled *)\ngap chart with a macro step");
    let good = |rest: String| xml(step(1, "Init", "") + &transition(2, 0, "1", "a") + &jump(3, "Init", "2") + &rest);
    check(&good(String::new()), "");
    check(&good(transition(4, 0, "9", "a")), "P0011@9 P1101@9");
    check(&good(transition(4, 0, "1", "a")), "P0011@9");
    check(&good(step(4, "S", "1")), "P4063@9 warning P1101@9");
    check(&good(actions(4, 8, "")), "P0011@9");
    check(&good(actions(4, 1, "<action qualifier=\"Q\"><reference name=\"a\"/></action>")), "P1010@9");
    check(&good(actions(4, 1, "<action qualifier=\"N\"/>")), "P0011@9");
    check(&good(step(4, "S", "5") + &transition(5, 0, "1,4", "a")), "P4063@9 warning P0011@10");
    check(&good(transition(4, 0, "1", "") + &jump(5, "Init", "4")), "P1010@9");
}

#[test]
fn charts_are_drawn_from_top_to_bottom() {
    let list = "<action localId=\"20\" qualifier=\"D\" duration=\"T#2s\"><reference name=\"a\"/></action>";
    let chart = step(1, "Init", "")
        + &actions(9, 1, list)
        + &transition(2, 0, "1", "a AND b")
        + &step(3, "Run", "2")
        + &transition(4, 0, "3", "b")
        + &jump(5, "Init", "4");
    let loaded = loaded("main.xml", &program("a:BOOL;b:BOOL", &format!("<SFC>{chart}</SFC>")));
    let diagrams = &loaded.value.project.pous.iter().find(|p| p.name == "Main").unwrap().diagrams;
    let rows: Vec<String> =
        diagrams[0].elements.iter().map(|e| format!("{:?} {}{} @{}", e.shape, e.mark, e.label, e.y)).collect();
    let expected = [
        "InitialStep Init @0",
        "Action D T#2sa @0",
        "Step Run @120",
        "Transition a AND b @60",
        "Transition b @180",
        "Jump Init @206",
    ];
    assert_eq!(rows, expected);
    let wires: Vec<(usize, usize)> = diagrams[0].wires.iter().map(|w| (w.from, w.to)).collect();
    assert_eq!(wires, [(0, 1), (0, 3), (3, 2), (2, 4), (4, 5)]);
    assert_eq!(loaded.value.ledger.modelled.get("chart"), Some(&1));
}
