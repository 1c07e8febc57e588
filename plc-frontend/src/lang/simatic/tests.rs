//! Exports of TIA Portal: their meaning, and the parts that are not modelled.

use std::collections::BTreeMap;

use crate::hir::Value;
use crate::interp::{Limits, Machine, Silent};
use crate::text::{Parsed, Severity, SourceSet};
use crate::{LoadOptions, Loaded, load};

mod absolute;
mod elements;
mod names;
mod repeated;
mod scl;

fn document(inside: &str) -> String {
    format!("<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<Document><Engineering version=\"V18\" />{inside}</Document>")
}

fn block(kind: &str, name: &str, sections: &str, networks: &str) -> String {
    let units: String = networks_of(networks);
    document(&format!(
        "<SW.Blocks.{kind} ID=\"0\"><AttributeList><Interface><Sections>{sections}</Sections></Interface><Name>{name}</Name></AttributeList><ObjectList>{units}</ObjectList></SW.Blocks.{kind}>"
    ))
}

fn networks_of(networks: &str) -> String {
    let unit = |network: &str| {
        format!(
            "<SW.Blocks.CompileUnit><AttributeList><NetworkSource>{network}</NetworkSource></AttributeList></SW.Blocks.CompileUnit>"
        )
    };
    networks.split("~~").filter(|n| !n.is_empty()).map(unit).collect()
}

fn section(name: &str, members: &[(&str, &str)]) -> String {
    let members: String = members.iter().map(|(n, t)| format!("<Member Name=\"{n}\" Datatype=\"{t}\" />")).collect();
    format!("<Section Name=\"{name}\">{members}</Section>")
}

/// Returns `parts` and `wires` in short: operands as `21=name`, `21=#constant`; wires as `rail>26.in`, `21>26.operand`.
fn flgnet(operands: &[(u32, &str)], parts: &str, wires: &[&str]) -> String {
    let operand = |(id, text): &(u32, &str)| match text.strip_prefix('#') {
        Some(value) => format!(
            "<Access Scope=\"LiteralConstant\" UId=\"{id}\"><Constant><ConstantValue>{value}</ConstantValue></Constant></Access>"
        ),
        None => {
            let parts: String = text.split('.').map(|c| format!("<Component Name=\"{c}\" />")).collect();
            format!("<Access Scope=\"LocalVariable\" UId=\"{id}\"><Symbol>{parts}</Symbol></Access>")
        }
    };
    let end = |text: &str| match text.split_once('.') {
        Some((id, pin)) => format!("<NameCon UId=\"{id}\" Name=\"{pin}\" />"),
        None if text == "rail" => "<Powerrail />".to_owned(),
        None => format!("<IdentCon UId=\"{text}\" />"),
    };
    let wire = |wire: &&str| format!("<Wire UId=\"1\">{}</Wire>", wire.split('>').map(end).collect::<String>());
    let operands: String = operands.iter().map(operand).collect();
    let wires: String = wires.iter().map(wire).collect();
    format!("<FlgNet><Parts>{operands}{parts}</Parts><Wires>{wires}</Wires></FlgNet>")
}

fn loaded(files: &[(&str, String)]) -> Parsed<Loaded> {
    let mut sources = SourceSet::default();
    files.iter().for_each(|(name, text)| {
        sources.add(*name, text.clone());
    });
    load(&sources, &LoadOptions::default())
}

/// Returns the values of `watched` at the end of each cycle, with these values of BOOL inputs.
#[track_caller]
fn run(files: &[(&str, String)], cycles: &[&[(&str, bool)]], watched: &[&str]) -> Vec<String> {
    let loaded = loaded(files);
    let errors: Vec<_> = loaded.diagnostics.iter().filter(|d| d.severity == Severity::Error).collect();
    assert!(errors.is_empty(), "{errors:#?}");
    assert!(loaded.value.ledger.gaps.is_empty(), "{:#?}\n{}", loaded.value.ledger.gaps, loaded.value.project.to_st());
    let project = &loaded.value.project;
    let mut machine = Machine::new(project, Limits::default());
    let mut rows = Vec::new();
    for inputs in cycles {
        let inputs: BTreeMap<String, Value> = inputs.iter().map(|(n, v)| (format!("Main.{n}"), Value::Bool(*v))).collect();
        machine.begin(&inputs, 100_000_000).unwrap();
        machine.run(&mut Silent).unwrap();
        let show = |name: &&str| match machine.leaf(&format!("Main.{name}")).or_else(|| machine.leaf(name)) {
            Some(Value::Bool(b)) => i128::from(b).to_string(),
            Some(Value::Int(i)) => i.to_string(),
            other => panic!("{name}: {other:?} {:?}", machine.leaves()),
        };
        rows.push(watched.iter().map(show).collect::<Vec<_>>().join(" "));
    }
    rows
}

/// Returns an organization block with the inputs `a b c`, the outputs `x y` and the counter `n`.
fn main_with(networks: &str) -> String {
    let bools = |names: &[&'static str]| -> Vec<(&'static str, &'static str)> { names.iter().map(|n| (*n, "Bool")).collect() };
    let statics = [("m", "Bool"), ("n", "Int"), ("T1", "TON_TIME"), ("s", "Struct")];
    let sections =
        section("Input", &bools(&["a", "b", "c"])) + &section("Output", &bools(&["x", "y"])) + &section("Static", &statics[..3]);
    block("OB", "Main", &sections, networks)
}

const A: &[(&str, bool)] = &[("a", true)];
const B: &[(&str, bool)] = &[("b", true)];
const NOT_A: &[(&str, bool)] = &[("a", false)];
const NOT_B: &[(&str, bool)] = &[("b", false)];

#[test]
fn ladder() {
    let check = |network: String, cycles: &[&[(&str, bool)]], watched: &[&str], expected: &[&str]| {
        assert_eq!(run(&[("Main.xml", main_with(&network))], cycles, watched), expected, "{network}");
    };
    let contact = |id: u32| format!("<Part Name=\"Contact\" UId=\"{id}\" />");
    let negated = |id: u32| format!("<Part Name=\"Contact\" UId=\"{id}\"><Negated Name=\"operand\" /></Part>");
    let part = |name: &str, id: u32| format!("<Part Name=\"{name}\" UId=\"{id}\" />");
    // a and not b
    let parts = contact(30) + &negated(31) + &part("Coil", 32);
    let wires = ["rail>30.in", "21>30.operand", "30.out>31.in", "22>31.operand", "31.out>32.in", "23>32.operand"];
    let series = flgnet(&[(21, "a"), (22, "b"), (23, "x")], &parts, &wires);
    check(series.clone(), &[&[], A, B, NOT_B], &["x"], &["0", "1", "0", "1"]);
    // (a or b) sets x, c resets it
    let parts = contact(30) + &contact(31) + &part("O", 32) + &part("SCoil", 33);
    let wires =
        ["rail>30.in>31.in", "21>30.operand", "22>31.operand", "30.out>32.in1", "31.out>32.in2", "32.out>33.in", "23>33.operand"];
    let set = flgnet(&[(21, "a"), (22, "b"), (23, "x")], &parts, &wires);
    let parts = contact(30) + &part("RCoil", 31);
    let reset = flgnet(&[(21, "c"), (22, "x")], &parts, &["rail>30.in", "21>30.operand", "30.out>31.in", "22>31.operand"]);
    let c: &[(&str, bool)] = &[("c", true)];
    check(format!("{set}~~{reset}"), &[B, NOT_B, c, A], &["x"], &["1", "1", "0", "0"]);
    // Each rising edge of a counts; the scan stores the last value in m.
    let parts = part("PContact", 30) + &part("Inc", 31);
    let wires = ["rail>30.pre", "21>30.operand", "22>30.bit", "30.out>31.en", "23>31.operand"];
    let edge = flgnet(&[(21, "a"), (22, "m"), (23, "n")], &parts, &wires);
    check(edge, &[A, A, NOT_A, A], &["n", "m"], &["1 1", "1 1", "1 0", "2 1"]);
    let falling = part("NContact", 30) + &part("Inc", 31);
    let falling = flgnet(&[(21, "a"), (22, "m"), (23, "n")], &falling, &wires);
    check(falling, &[A, NOT_A, NOT_A, A, NOT_A], &["n"], &["0", "1", "1", "1", "2"]);
    // The same as boxes: the edge of the power.
    for (name, expected) in [("PBox", ["1", "1", "1", "2", "2"]), ("NBox", ["0", "0", "1", "1", "2"])] {
        let parts = contact(30) + &part(name, 31) + &part("Inc", 32);
        let wires = ["rail>30.in", "21>30.operand", "30.out>31.in", "22>31.bit", "31.out>32.en", "23>32.operand"];
        let network = flgnet(&[(21, "a"), (22, "m"), (23, "n")], &parts, &wires);
        check(network, &[A, A, NOT_A, A, NOT_A], &["n"], &expected);
    }
    // Flip-flops: the dominant input.
    for (name, pins, expected) in [("Rs", ["r", "s1"], ["0", "1", "1", "0"]), ("Sr", ["r1", "s"], ["0", "1", "0", "0"])] {
        let parts = contact(30) + &contact(31) + &part(name, 32) + &part("Coil", 33);
        let (r, s) = (format!("31.out>32.{}", pins[0]), format!("30.out>32.{}", pins[1]));
        let wires =
            ["rail>30.in>31.in", "21>30.operand", "22>31.operand", &r, &s, "23>32.operand", "32.q>33.in", "24>33.operand"];
        let latch = flgnet(&[(21, "a"), (22, "b"), (23, "m"), (24, "x")], &parts, &wires);
        check(latch, &[&[], A, B, NOT_A], &["x"], &expected);
    }
    // A timer, its output compared and moved.
    let parts = contact(30)
        + "<Part Name=\"TON\" UId=\"31\"><Instance Scope=\"LocalVariable\"><Component Name=\"T1\" /></Instance></Part>"
        + &part("Coil", 32);
    let wires = ["rail>30.in", "21>30.operand", "30.out>31.IN", "22>31.PT", "31.Q>32.in", "23>32.operand"];
    let timer = flgnet(&[(21, "a"), (22, "#T#200ms"), (23, "x")], &parts, &wires);
    check(timer, &[A, A, A, NOT_A], &["x"], &["0", "0", "1", "0"]);
    let parts = contact(30) + &part("Move", 31) + &part("Ge", 32) + &part("Coil", 33);
    let wires = [
        "rail>30.in>32.pre",
        "21>30.operand",
        "30.out>31.en",
        "22>31.in",
        "31.out1>23",
        "24>32.in1",
        "25>32.in2",
        "32.out>33.in",
        "26>33.operand",
    ];
    let compare = flgnet(&[(21, "a"), (22, "#7"), (23, "n"), (24, "n"), (25, "#5"), (26, "x")], &parts, &wires);
    check(compare, &[&[], A, NOT_A], &["n", "x"], &["0 0", "7 1", "7 1"]);
}

#[test]
fn data_blocks_types_and_tags() {
    let members = "<Section Name=\"None\"><Member Name=\"Limit\" Datatype=\"Int\"><StartValue>12</StartValue></Member>\
        <Member Name=\"Part\" Datatype=\"Struct\"><Member Name=\"On\" Datatype=\"Bool\"><StartValue>TRUE</StartValue></Member></Member></Section>";
    let of = |kind: &str, name: &str, inside: &str| {
        document(&format!(
            "<{kind} ID=\"0\"><AttributeList><Interface><Sections>{inside}</Sections></Interface><Name>{name}</Name></AttributeList></{kind}>"
        ))
    };
    let udt = of("SW.Types.PlcStruct", "Settings", members);
    let statics = "<Section Name=\"Static\"><Member Name=\"One\" Datatype=\"&quot;Settings&quot;\"/><Member Name=\"Many\" Datatype=\"Array[1..2] of &quot;Settings&quot;\"/></Section>";
    let db = of("SW.Blocks.GlobalDB", "My DB", statics);
    let tag = |name: &str, address: &str| {
        format!(
            "<SW.Tags.PlcTag><AttributeList><DataTypeName>Bool</DataTypeName><LogicalAddress>{address}</LogicalAddress><Name>{name}</Name></AttributeList></SW.Tags.PlcTag>"
        )
    };
    let tags = document(&format!(
        "<SW.Tags.PlcTagTable><AttributeList><Name>Tags</Name></AttributeList><ObjectList>{}{}{}</ObjectList></SW.Tags.PlcTagTable>",
        tag("Start", "%I0.0"),
        tag("AlwaysTRUE", "%M1.2"),
        tag("Clock_2.5Hz", "%M0.2")
    ));
    let main = main_with("");
    let files = [("Main.xml", main), ("Settings.xml", udt), ("DB.xml", db), ("Tags.xml", tags)];
    let watched = ["Myː20ːDB.One.Limit", "Myː20ːDB.Many[2].Part.On", "AlwaysTRUE"];
    assert_eq!(run(&files, &[&[]], &watched), ["12 1 1"]);
    let loaded = loaded(&files);
    let leaves = loaded.value.project.leaves();
    let role = |name: &str| leaves.iter().find(|l| l.name == name).unwrap_or_else(|| panic!("{name}")).role;
    assert_eq!(role("Start"), crate::hir::Role::Input);
    assert_eq!(role("Clock_2ː2eː5Hz"), crate::hir::Role::Input, "the system writes it at any time");
    assert_eq!(loaded.value.ledger.ignored.len(), 2);
}

#[test]
fn tags_at_addresses_of_the_system_have_a_condition() {
    let tag = |name: &str, ty: &str, address: &str| {
        format!(
            "<SW.Tags.PlcTag><AttributeList><DataTypeName>{ty}</DataTypeName><LogicalAddress>{address}</LogicalAddress><Name>{name}</Name></AttributeList></SW.Tags.PlcTag>"
        )
    };
    let check = |system: String, own: String, expected: &[&str]| {
        let tags = document(&format!(
            "<SW.Tags.PlcTagTable><AttributeList><Name>Tags</Name></AttributeList><ObjectList>{system}{own}</ObjectList></SW.Tags.PlcTagTable>"
        ));
        let loaded = loaded(&[("Main.xml", main_with("")), ("Tags.xml", tags)]);
        let gaps: Vec<&str> = loaded.value.ledger.gaps.iter().map(|gap| gap.construct.as_str()).collect();
        assert_eq!(gaps, expected, "{own}");
    };
    let clock = || tag("Clock_Byte", "Byte", "%MB0");
    check(clock(), tag("own", "Bool", "%M0.3"), &["no tag but those of the system is at %MB0"]);
    check(clock(), tag("own", "Bool", "%M1.3"), &[]);
    check(clock(), String::new(), &[]);
    check(tag("AlwaysTRUE", "Bool", "%M1.2"), tag("own", "Word", "%MW0"), &["no tag but those of the system is at %MB1"]);
}

#[test]
fn a_protected_block_is_a_stub_with_its_interface() {
    let sections =
        section("Input", &[("in", "Bool")]) + &section("Output", &[("q", "Int")]) + &section("InOut", &[("io", "Int")]);
    let protected = "<Name>Secret</Name><IsKnowHowProtected ReadOnly=\"true\">true</IsKnowHowProtected>";
    let block = block("FB", "Secret", &sections, "").replace("<Name>Secret</Name>", protected);
    let main = "ORGANIZATION_BLOCK \"Main\"\nBEGIN\n\"DB_S\"(in := TRUE, io := \"n\");\n\"m\" := \"DB_S\".q;\nEND_ORGANIZATION_BLOCK\n\
        DATA_BLOCK \"DB_S\"\n\"Secret\"\nBEGIN\nEND_DATA_BLOCK\n";
    let tag = |name: &str, address: &str| {
        format!(
            "<SW.Tags.PlcTag><AttributeList><DataTypeName>Int</DataTypeName><LogicalAddress>{address}</LogicalAddress><Name>{name}</Name></AttributeList></SW.Tags.PlcTag>"
        )
    };
    let tags = document(&format!(
        "<SW.Tags.PlcTagTable><AttributeList><Name>Tags</Name></AttributeList><ObjectList>{}{}</ObjectList></SW.Tags.PlcTagTable>",
        tag("n", "%MW10"),
        tag("m", "%MW12")
    ));
    let loaded = loaded(&[("Secret.xml", block), ("Main.scl", main.to_owned()), ("tags.xml", tags)]);
    let errors: Vec<_> = loaded.diagnostics.iter().filter(|d| d.severity == Severity::Error).collect();
    assert!(errors.is_empty(), "{errors:#?}");
    let project = &loaded.value.project;
    let written: Vec<&str> = project.at_call.iter().map(|id| project.globals[*id].name.as_str()).collect();
    assert_eq!(written, ["Secret.in (at call)", "Secret.q (at call)", "Secret.io (at call)"]);
    let gaps = |treatment| loaded.value.ledger.gaps.iter().filter(move |gap| gap.treatment == treatment);
    assert_eq!(gaps(crate::text::Treatment::Unsupported).count(), 0, "{:#?}", loaded.value.ledger.gaps);
    let conditions: Vec<&str> = gaps(crate::text::Treatment::Assumed).map(|gap| gap.construct.as_str()).collect();
    assert!(conditions.iter().any(|row| row.contains("`Secret` is know-how-protected: it writes no global")), "{conditions:#?}");
}

#[test]
fn what_is_not_modelled_is_a_gap() {
    let check = |network: &str, words: &str| {
        let loaded = loaded(&[("Main.xml", main_with(network))]);
        let gaps: Vec<&str> = loaded.value.ledger.gaps.iter().map(|g| g.construct.as_str()).collect();
        assert_eq!(gaps, [words], "{network}\n{:#?}", loaded.diagnostics);
    };
    let protected = "<Name>Main</Name><IsKnowHowProtected ReadOnly=\"true\">true</IsKnowHowProtected>";
    let protected = loaded(&[("Main.xml", main_with("").replace("<Name>Main</Name>", protected))]);
    let gaps: Vec<&str> = protected.value.ledger.gaps.iter().map(|gap| gap.construct.as_str()).collect();
    assert_eq!(gaps, ["body of a know-how-protected block"], "{:#?}", protected.diagnostics);
    check("<StatementList />", "network in statement list (STL)");
    check("<Graph />", "sequence in S7-GRAPH");
    check("<Odd />", "network in an unknown language");
    let odd = flgnet(&[(21, "a")], "<Part Name=\"Odd\" UId=\"30\" />", &["rail>30.in"]);
    check(&odd, "network with an instruction that is not modelled");
    let pin = flgnet(&[(21, "a")], "<Part Name=\"Coil\" UId=\"30\" />", &["rail>30.in", "21>30.operand", "rail>30.odd"]);
    check(&pin, "network with a pin that is not read");
    let open = flgnet(
        &[(21, "x")],
        "<Part Name=\"Not\" UId=\"30\" /><Part Name=\"Coil\" UId=\"31\" />",
        &["30.out>31.in", "21>31.operand"],
    );
    check(&open, "element with an open pin");
    let loop_ = flgnet(&[(21, "a")], "<Part Name=\"Contact\" UId=\"30\" />", &["30.out>30.in", "21>30.operand"]);
    check(&loop_, "wire from an element that stands behind");
    let hidden = flgnet(&[(21, "a")], "<Part Name=\"Coil\" UId=\"30\" />", &["rail>30.in", "21>30.operand"]);
    check(&hidden.replace("LocalVariable", "GlobalVariable"), "global variable that has the name of a local one");
    let startup = main_with("").replace("<Name>Main</Name>", "<Name>Main</Name><SecondaryType>Startup</SecondaryType>");
    let loaded = loaded(&[("Main.xml", startup)]);
    assert_eq!(loaded.value.ledger.gaps[0].construct, "`Main` runs in every cycle");
}

#[test]
fn damaged_files_are_errors_and_never_panics() {
    let whole = main_with(&flgnet(
        &[(21, "a"), (22, "x")],
        "<Part Name=\"Contact\" UId=\"30\" /><Part Name=\"Coil\" UId=\"31\" />",
        &["rail>30.in", "21>30.operand", "30.out>31.in", "22>31.operand"],
    ));
    for n in (0..whole.len()).step_by(3) {
        loaded(&[("Main.xml", whole[..n].to_owned())]);
    }
    for (from, to) in [
        ("Name=\"a\"", "Nam=\"a\""),
        ("UId=\"30\"", "UId=\"x\""),
        ("Datatype=\"Bool\"", "Datatype=\"\""),
        ("<Name>Main</Name>", ""),
    ] {
        assert!(whole.contains(from), "{from}");
        let loaded = loaded(&[("Main.xml", whole.replacen(from, to, 1))]);
        let is_told = loaded.has_errors() || !loaded.value.ledger.gaps.is_empty();
        assert!(is_told, "{from} -> {to}: {:#?}", loaded.diagnostics);
    }
}

/// Words are put together over other text of the file: a place there ends at a character boundary.
#[test]
fn findings_stand_at_whole_characters() {
    let parts = "<Part Name=\"Contact\" UId=\"30\" /><Part Name=\"Coil\" UId=\"31\" />";
    let wires = ["rail>30.in", "21>30.operand", "30.out>31.in", "22>31.operand"];
    let written = |operand: &str| main_with(&flgnet(&[(21, operand), (22, "x")], parts, &wires));
    let constant = written("#T#1234567").replace("<Access Scope=\"Lit", "<Access ü=\"ü\" Scope=\"Lit");
    for text in [constant, written(&"启".repeat(23)), written(&"é".repeat(34))] {
        let loaded = loaded(&[("Main.xml", text.clone())]);
        assert!(loaded.has_errors(), "{text}");
        for label in loaded.diagnostics.iter().flat_map(|d| &d.labels) {
            let range = label.span.start as usize..label.span.end as usize;
            assert!(text.get(range).is_some(), "{label:?}");
            assert!(!loaded.value.sources.text(label.span).is_empty(), "{label:?}");
        }
    }
}

#[test]
fn boxes_are_labelled_with_functions_and_constants() {
    let contact = |id: u32| format!("<Part Name=\"Contact\" UId=\"{id}\" />");
    let part = |name: &str, id: u32| format!("<Part Name=\"{name}\" UId=\"{id}\" />");
    let parts = contact(30) + &contact(31) + &part("O", 32) + &part("PBox", 33) + &part("Inc", 34);
    let wires = [
        "rail>30.in>31.in",
        "21>30.operand",
        "22>31.operand",
        "30.out>32.in1",
        "31.out>32.in2",
        "32.out>33.in",
        "23>33.bit",
        "33.out>34.en",
        "24>34.operand",
    ];
    let network = flgnet(&[(21, "a"), (22, "b"), (23, "m"), (24, "n")], &parts, &wires);
    let parsed = loaded(&[("Main.xml", main_with(&network))]);
    let elements = parsed.value.project.pous.iter().flat_map(|p| &p.diagrams).flat_map(|d| &d.elements);
    let mut labels: Vec<&str> = elements.map(|e| e.label.as_str()).filter(|label| !label.is_empty()).collect();
    labels.sort_unstable();
    assert_eq!(labels, ["1", "ADD", "AND", "OR", "a", "b", "m", "m", "n", "n"]);
}
