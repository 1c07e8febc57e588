//! Drawings: from the program to the outcome to SVG.

use plc_frontend::source::SourceSet;
use plc_frontend::{LoadOptions, load};

use super::*;

const LADDER: &str = r#"<project xmlns="http://www.plcopen.org/xml/tc6_0201"><types><dataTypes/><pous>
<pou name="Main" pouType="program"><interface><inputVars><variable name="a"><type><BOOL/></type></variable></inputVars>
<localVars><variable name="x"><type><BOOL/></type></variable></localVars></interface><body><LD>
<leftPowerRail localId="1"><position x="0" y="0"/></leftPowerRail>
<contact localId="2" negated="true" width="30" height="20"><position x="100" y="10"/><connectionPointIn><connection refLocalId="1"/></connectionPointIn><variable>a</variable></contact>
<coil localId="3" storage="set"><position x="200" y="10"/><connectionPointIn><connection refLocalId="2"/></connectionPointIn><variable>x</variable></coil>
</LD></body></pou></pous></types></project>"#;

fn diagrams_of(name: &str, text: &str) -> Vec<Diagram> {
    let mut sources = SourceSet::default();
    sources.add(name, text);
    let loaded = load(&sources, &LoadOptions::default());
    assert!(loaded.diagnostics.is_empty(), "{:?}", loaded.diagnostics);
    diagrams(&loaded.value, &Names::new(&loaded.value.project))
}

#[test]
fn a_rung_is_drawn_and_its_live_wires_are_marked() {
    let all = diagrams_of("main.xml", LADDER);
    let [diagram] = all.as_slice() else { panic!("{all:?}") };
    assert_eq!((diagram.pou.as_str(), diagram.elements.len(), diagram.wires.len()), ("Main", 3, 2));
    let [contact, coil, rail] = diagram.elements.as_slice() else { panic!("{diagram:?}") };
    assert_eq!((contact.shape, contact.label.as_str(), contact.mark.as_str()), (Shape::Contact, "a", "/"));
    assert_eq!((coil.shape, coil.mark.as_str(), rail.shape), (Shape::Coil, "S", Shape::LeftRail));
    let quiet = svg(diagram, &View { run: None, broken: None, number: 0 });
    assert!(!quiet.contains("live") && quiet.contains(">a</text>"), "{quiet}");
    for (value, n_live) in [("TRUE", 2), ("FALSE", 1)] {
        let wires = vec![Some("TRUE".to_owned()), Some(value.to_owned())];
        let wires = if diagram.wires[0].to == 0 { wires } else { wires.into_iter().rev().collect() };
        let (outputs, operands) = (vec![None; 3], vec![None; 3]);
        let run = NetworkRun { diagram: 0, instance: "Main".into(), times: 1, outputs, operands, wires, rows: Vec::new() };
        let drawing = svg(diagram, &View { run: Some(&run), broken: Some(1), number: 0 });
        assert_eq!(drawing.matches("wire live").count(), n_live, "{drawing}");
        assert_eq!(drawing.matches("✖").count(), 1, "{drawing}");
    }
}

#[test]
fn labels_cannot_break_out_of_the_drawing() {
    let text = LADDER.replace("<variable>a</variable>", "<variable>(a &lt; TRUE)</variable>");
    let all = diagrams_of("main.xml", &text);
    let drawing = svg(&all[0], &View { run: None, broken: None, number: 0 });
    assert!(drawing.contains("(a &#60; TRUE)") || drawing.contains("(a &lt; TRUE)"), "{drawing}");
}

#[test]
fn outcomes_without_drawings_are_read() {
    let all = diagrams_of("main.st", "PROGRAM Main VAR x : BOOL; END_VAR x := TRUE; END_PROGRAM");
    assert!(all.is_empty());
    let diagram = &diagrams_of("main.xml", LADDER)[0];
    let text = serde_json::to_string(diagram).unwrap();
    assert_eq!(&serde_json::from_str::<Diagram>(&text).unwrap(), diagram);
}

/// Returns an export of Studio 5000 with one rung.
fn rung(text: &str) -> String {
    let tags: String =
        ["a", "b", "c", "q"].map(|name| format!("<Tag Name=\"{name}\" TagType=\"Base\" DataType=\"BOOL\"/>")).concat();
    let parameter = |name: &str, usage: &str| {
        let is_own = !name.starts_with("Enable");
        format!("<Parameter Name=\"{name}\" TagType=\"Base\" DataType=\"BOOL\" Usage=\"{usage}\" Required=\"{is_own}\"/>")
    };
    let enables = parameter("EnableIn", "Input") + &parameter("EnableOut", "Output");
    let logic = |name: &str, text: &str| {
        format!(
            "<Routines><Routine Name=\"{name}\" Type=\"RLL\"><RLLContent><Rung Number=\"0\" Type=\"N\"><Text><![CDATA[{text}]]></Text>\
             </Rung></RLLContent></Routine></Routines>"
        )
    };
    format!(
        "<RSLogix5000Content><Controller Use=\"Target\" Name=\"C\"><AddOnInstructionDefinitions><AddOnInstructionDefinition \
         Name=\"Motor\"><Parameters>{enables}{}{}</Parameters>{}</AddOnInstructionDefinition></AddOnInstructionDefinitions><Programs><Program \
         Name=\"P\" MainRoutineName=\"Main\"><Tags>{tags}<Tag Name=\"m\" TagType=\"Base\" DataType=\"Motor\"/></Tags>{}</Program>\
         </Programs></Controller></RSLogix5000Content>",
        parameter("Start", "Input"),
        parameter("Run", "Output"),
        logic("Logic", "XIC(Start)OTE(Run);"),
        logic("Main", text)
    )
}

#[test]
fn branches_of_a_rung_have_a_bar_at_each_end() {
    let all = diagrams_of("p.L5X", &rung("XIC(a)[XIC(b),XIC(c),]OTE(q);"));
    let [.., diagram] = all.as_slice() else { panic!("{all:?}") };
    let [rail, a, b, c, q, right] = diagram.elements.as_slice() else { panic!("{diagram:?}") };
    let wire = |from: &Element, to: &Element| {
        let place = |e: &Element| diagram.elements.iter().position(|other| other == e).unwrap();
        let found = diagram.wires.iter().find(|wire| (wire.from, wire.to) == (place(from), place(to)));
        found.unwrap().points.clone()
    };
    // The first level is a straight line, also from the rail.
    for (from, to) in [(rail, a), (a, b), (b, q), (q, right)] {
        assert_eq!(wire(from, to).len(), 2, "{:?}", wire(from, to));
    }
    let (down, up, empty) = (wire(a, c), wire(c, q), wire(a, q));
    assert_eq!((down.len(), up.len(), empty.len()), (4, 4, 6), "{diagram:?}");
    assert_eq!((down[1].0, up[1].0), (empty[1].0, empty[3].0), "levels share their bars");
    assert!(c.y + c.height < empty[2].1, "a level without an instruction runs below the others: {empty:?}");
    assert!(rail.y <= a.y && empty[2].1 <= rail.y + rail.height, "{rail:?}");
    assert_eq!((right.shape, right.y, right.height), (Shape::RightRail, rail.y, rail.height));
    // Each level of an output branch ends at the rail.
    let all = diagrams_of("p.L5X", &rung("XIC(a)[OTE(b),OTE(c)];"));
    let [.., diagram] = all.as_slice() else { panic!("{all:?}") };
    let to_rail = diagram.wires.iter().filter(|wire| diagram.elements[wire.to].shape == Shape::RightRail);
    assert!(to_rail.clone().all(|wire| wire.points.len() == 2) && to_rail.count() == 2, "{diagram:?}");
}

#[test]
fn operands_of_stacks_have_their_names() {
    let tags = "<Tag Name=\"n\" TagType=\"Base\" DataType=\"DINT\"/><Tag Name=\"list\" TagType=\"Base\" DataType=\"DINT\" \
                Dimensions=\"4\"/><Tag Name=\"ctl\" TagType=\"Base\" DataType=\"CONTROL\"/><Tag Name=\"m\"";
    let all = diagrams_of("p.L5X", &rung("XIC(a)FFL(n,list[0],ctl,?,?);").replacen("<Tag Name=\"m\"", tags, 1));
    let [.., diagram] = all.as_slice() else { panic!("{all:?}") };
    let stack = diagram.elements.iter().find(|e| e.shape == Shape::Block).unwrap();
    assert_eq!(stack.rows.join(", "), "Source n, FIFO list[0], Control ctl, LEN, POS");
}

#[test]
fn boxes_of_add_on_instructions_name_their_parameters() {
    let all = diagrams_of("p.L5X", &rung("Motor(m,a,q)XIC(S:FS)OTE(b);"));
    let [.., diagram] = all.as_slice() else { panic!("{all:?}") };
    let motor = diagram.elements.iter().find(|e| e.shape == Shape::Block).unwrap();
    assert_eq!((motor.label.as_str(), motor.rows.join(", ").as_str()), ("Motor", "m, Start a, Run q"));
    assert!(diagram.elements.iter().any(|e| e.label == "S:FS"), "{diagram:?}");
}

#[test]
fn a_long_label_is_whole_in_its_tooltip() {
    let name = "Conveyor_Line_3_Infeed_Photo_Eye".to_owned() + &"_Blocked_Debounced_Latch".repeat(2);
    let all = diagrams_of("p.L5X", &rung(&format!("XIC({name})OTE(b);")).replace("\"q\"", &format!("\"{name}\"")));
    let [.., diagram] = all.as_slice() else { panic!("{all:?}") };
    let drawing = svg(diagram, &View { run: None, broken: None, number: 0 });
    assert!(drawing.contains(&format!("<title>{name}</title>")), "{drawing}");
    assert!(!drawing.contains(&format!("{name}</text>")), "{drawing}");
}
