//! Diagrams with their results, scan by scan, with 100 ms from scan to scan.

use crate::lang::logix::tests::{check_export, export};

/// Tags of blocks: a name, its type and whether the export states the preset 200.
const TAGS: &[(&str, &str)] = &[
    ("sum", "FBD_MATH"),
    ("product", "FBD_MATH"),
    ("same", "FBD_COMPARE"),
    ("words", "FBD_LOGICAL"),
    ("size", "FBD_MATH_ADVANCED"),
    ("limit", "FBD_LIMIT"),
    ("choice", "SELECT"),
    ("all", "FBD_BOOLEAN_AND"),
    ("some", "FBD_BOOLEAN_OR"),
    ("odd", "FBD_BOOLEAN_XOR"),
    ("none", "FBD_BOOLEAN_NOT"),
    ("latch", "DOMINANT_SET"),
    ("unlatch", "DOMINANT_RESET"),
    ("delay", "FBD_TIMER"),
    ("best", "SELECT_ENHANCED"),
];

fn tags() -> String {
    let member = |name: &str, ty: &str, value: &str| {
        format!("<DataValueMember Name=\"{name}\" DataType=\"{ty}\" Radix=\"Decimal\" Value=\"{value}\"/>")
    };
    let tag = |(name, ty): &(&str, &str)| {
        let preset = if *ty == "FBD_TIMER" { member("PRE", "DINT", "200") } else { String::new() };
        let structure = format!("<Structure DataType=\"{ty}\">{}{preset}</Structure>", member("EnableIn", "BOOL", "1"));
        let data = format!("<Data Format=\"Decorated\">{structure}</Data>");
        format!("<Tag Name=\"{name}\" TagType=\"Base\" DataType=\"{ty}\">{data}</Tag>\n")
    };
    TAGS.iter().map(tag).collect()
}

fn refer(kind: &str, id: u32, operand: &str) -> String {
    format!("<{kind} ID=\"{id}\" X=\"0\" Y=\"0\" Operand=\"{operand}\" HideDesc=\"false\"/>\n")
}

fn block(id: u32, ty: &str, tag: &str) -> String {
    format!("<Block Type=\"{ty}\" ID=\"{id}\" X=\"0\" Y=\"0\" Operand=\"{tag}\" VisiblePins=\"\" HideDesc=\"false\"/>\n")
}

/// Returns wires from text: `1.Out-2.In`, with `~` for assumed data.
fn wires(texts: &[&str]) -> String {
    let wire = |text: &&str| {
        let (name, separator) = if text.contains('~') { ("FeedbackWire", '~') } else { ("Wire", '-') };
        let (from, to) = text.split_once(separator).unwrap();
        let end = |text: &str, word: &str| match text.split_once('.') {
            Some((id, pin)) => format!(" {word}ID=\"{id}\" {word}Param=\"{pin}\""),
            None => format!(" {word}ID=\"{text}\""),
        };
        format!("<{name}{}{}/>\n", end(from, "From"), end(to, "To"))
    };
    texts.iter().map(wire).collect()
}

fn of_sheets(sheets: &[String]) -> String {
    let sheet = |(at, text): (usize, &String)| format!("<Sheet Number=\"{}\">{text}</Sheet>", at + 1);
    let sheets: String = sheets.iter().enumerate().map(sheet).collect();
    let routine = format!("<Routine Name=\"Chart\" Type=\"FBD\"><FBDContent SheetSize=\"A4\">{sheets}</FBDContent></Routine>");
    export("JSR(Chart,0);", &routine).replace("<Tags>", &format!("<Tags>{}", tags()))
}

/// Returns a diagram of one block: inputs from operands, an output to a tag.
fn of_block(ty: &str, tag: &str, inputs: &[(&str, &str)], output: (&str, &str)) -> String {
    let mut text = block(0, ty, tag);
    for (id, (operand, pin)) in (1u32..).zip(inputs) {
        text += &refer("IRef", id, operand);
        text += &wires(&[&format!("{id}-0.{pin}")]);
    }
    text += &refer("ORef", 99, output.1);
    text += &wires(&[&format!("0.{}-99", output.0)]);
    of_sheets(&[text])
}

fn ledger(text: &str) -> String {
    let mut sources = crate::text::SourceSet::default();
    sources.add("test.L5X", text);
    format!("{:?}", crate::load(&sources, &crate::LoadOptions::default()).value.ledger)
}

#[test]
fn blocks_compute() {
    let check = |ty: &str, tag: &str, inputs: &[(&str, &str)], output: (&str, &str), expected: i128| {
        check_export(&of_block(ty, tag, inputs, output), &[""], output.1, &[expected]);
    };
    let sources = [("x", "SourceA"), ("y", "SourceB")];
    check("ADD", "sum", &sources, ("Dest", "z"), 10);
    check("SUB", "sum", &sources, ("Dest", "z"), 4);
    check("MUL", "sum", &sources, ("Dest", "z"), 21);
    // Numbers of blocks are REAL: 7 / 3 is rounded in the output reference.
    check("DIV", "sum", &sources, ("Dest", "z"), 2);
    check("ADD", "sum", &[("r", "SourceA"), ("x", "SourceB")], ("Dest", "z"), 10);
    check("EQU", "same", &sources, ("Dest", "p"), 0);
    check("NEQ", "same", &sources, ("Dest", "p"), 1);
    check("LES", "same", &sources, ("Dest", "p"), 0);
    check("GRT", "same", &sources, ("Dest", "p"), 1);
    check("LEQ", "same", &sources, ("Dest", "p"), 0);
    check("GEQ", "same", &sources, ("Dest", "p"), 1);
    check("AND", "words", &sources, ("Dest", "z"), 3);
    check("OR", "words", &sources, ("Dest", "z"), 7);
    check("XOR", "words", &sources, ("Dest", "z"), 4);
    check("NEG", "size", &[("x", "Source")], ("Dest", "z"), -7);
    check("ABS", "size", &[("x", "Source")], ("Dest", "z"), 7);
    check("LIM", "limit", &[("0", "LowLimit"), ("y", "Test"), ("x", "HighLimit")], ("Dest", "p"), 1);
    check("LIM", "limit", &[("x", "LowLimit"), ("5", "Test"), ("y", "HighLimit")], ("Dest", "p"), 0);
    check("LIM", "limit", &[("x", "LowLimit"), ("9", "Test"), ("y", "HighLimit")], ("Dest", "p"), 1);
}

#[test]
fn a_divisor_that_is_zero_is_reported() {
    let mut sources = crate::text::SourceSet::default();
    let text = of_block("DIV", "sum", &[("x", "SourceA"), ("y", "SourceB")], ("Dest", "z"));
    sources.add("test.L5X", text.as_str());
    let loaded = crate::load(&sources, &crate::LoadOptions::default()).value;
    assert!(loaded.project.to_st().contains("zero_divisor"), "{}", loaded.project.to_st());
    assert!(format!("{:?}", loaded.ledger).contains("no divisor is zero"), "{:?}", loaded.ledger);
}

#[test]
fn blocks_of_bits() {
    let cycles = ["", "a", "b", "ab"];
    let check = |ty: &str, tag: &str, inputs: &[(&str, &str)], output: &str, expected: &[i128]| {
        check_export(&of_block(ty, tag, inputs, (output, "p")), &cycles, "p", expected);
    };
    let both = [("a", "In1"), ("b", "In2")];
    // Pins without wires keep the values of the tag: TRUE for BAND, FALSE for BOR.
    check("BAND", "all", &both, "Out", &[0, 0, 0, 1]);
    check("BOR", "some", &both, "Out", &[0, 1, 1, 1]);
    check("BXOR", "odd", &both, "Out", &[0, 1, 1, 0]);
    check("BNOT", "none", &[("a", "In")], "Out", &[1, 0, 1, 0]);
    check("SETD", "latch", &[("a", "Set"), ("b", "Reset")], "Out", &[0, 1, 0, 1]);
    check("RESD", "unlatch", &[("a", "Set"), ("b", "Reset")], "Out", &[0, 1, 0, 0]);
    check("BAND", "all", &[("a", "In1"), ("1", "In2")], "Out", &[0, 1, 0, 1]);
    let choice = of_block("SEL", "choice", &[("x", "In1"), ("y", "In2"), ("a", "SelectorIn")], ("Out", "z"));
    check_export(&choice, &cycles, "z", &[7, 3, 7, 3]);
    // A block that is not enabled keeps its output.
    let held = of_block("BOR", "some", &[("a", "In1"), ("b", "EnableIn")], ("Out", "p"));
    check_export(&held, &["a", "ab", "", "b"], "p", &[0, 1, 1, 0]);
}

#[test]
fn timers_of_diagrams() {
    let text = of_block("TONR", "delay", &[("a", "TimerEnable"), ("b", "Reset")], ("DN", "p"));
    check_export(&text, &["a", "a", "a", "ab", "a", "a", "a"], "p", &[0, 0, 1, 0, 0, 0, 1]);
    check_export(&text, &["a", "a", "a", "ab", "a", "a", "a"], "delay.ACC", &[0, 100, 200, 0, 0, 100, 200]);
    let enabled = of_block("TONR", "delay", &[("a", "TimerEnable"), ("b", "EnableIn")], ("DN", "p"));
    assert!(ledger(&enabled).contains("not always enabled"));
}

#[test]
fn data_flows_from_block_to_block() {
    // The block that stands first in the file executes last; input references are read before output references write.
    let first = [
        block(0, "MUL", "product"),
        block(1, "ADD", "sum"),
        refer("IRef", 2, "x"),
        refer("IRef", 3, "y"),
        refer("ORef", 4, "x"),
        "<OCon ID=\"5\" X=\"0\" Y=\"0\" Name=\"Carry\"/>".to_owned(),
        wires(&["2-1.SourceA", "3-1.SourceB", "1.Dest-0.SourceA", "3-0.SourceB", "0.Dest-4", "1.Dest-5"]),
    ];
    let second = [
        "<ICon ID=\"0\" X=\"0\" Y=\"0\" Name=\"Carry\"/>".to_owned(),
        refer("ORef", 1, "z"),
        refer("IRef", 2, "x"),
        refer("ORef", 3, "y"),
        wires(&["0-1", "2-3"]),
    ];
    let text = of_sheets(&[first.concat(), second.concat()]);
    check_export(&text, &["", ""], "x", &[30, 259]);
    check_export(&text, &["", ""], "z", &[10, 37]);
    check_export(&text, &["", ""], "y", &[7, 30]);
}

#[test]
fn assumed_data_is_that_of_the_scan_before() {
    // A sum that feeds itself, and two blocks in a loop.
    let own = [
        block(0, "ADD", "sum"),
        refer("IRef", 1, "y"),
        refer("ORef", 2, "z"),
        wires(&["1-0.SourceA", "0.Dest~0.SourceB", "0.Dest-2"]),
    ];
    check_export(&of_sheets(&[own.concat()]), &["", "", ""], "z", &[3, 6, 9]);
    let parts = [
        block(0, "ADD", "product"),
        block(1, "ADD", "sum"),
        refer("IRef", 2, "1"),
        refer("ORef", 3, "z"),
        wires(&["0.Dest~1.SourceA", "2-1.SourceB", "1.Dest-0.SourceA", "2-0.SourceB", "0.Dest-3"]),
    ];
    let text = of_sheets(&[parts.concat()]);
    check_export(&text, &["", "", ""], "z", &[2, 4, 6]);
    // Without the mark nothing says which block is first.
    assert!(ledger(&text.replace("FeedbackWire", "Wire")).contains("first block is not marked"));
}

#[test]
fn a_diagram_that_is_not_understood_is_a_gap() {
    let whole = of_block("BOR", "some", &[("a", "In1")], ("Out", "p"));
    assert!(!ledger(&whole).contains("diagram"));
    let rows = [
        ("Type=\"BOR\"", "Type=\"PIDE\"", "instruction PIDE"),
        ("Type=\"BOR\"", "Type=\"ODD\"", "block that is not known"),
        ("Type=\"BOR\"", "Type=\"BAND\"", "of another type"),
        ("ToParam=\"In1\"", "ToParam=\"In9\"", "pin of a diagram"),
        ("FromParam=\"Out\"", "FromParam=\"Odd\"", "pin of a diagram"),
        ("Operand=\"a\"", "Operand=\"x\"", "different types"),
        ("Operand=\"p\"", "Operand=\"some.In2\"", "several parts"),
        ("FromID=\"1\"", "FromID=\"7\"", "cannot join"),
        ("<ORef", "<Function Type=\"ADD\" ID=\"8\"/><ORef", "function of a diagram"),
        ("<ORef", "<JSR ID=\"8\"/><ORef", "call of a routine"),
        ("<ORef", "<ICon ID=\"8\" Name=\"n\"/><Wire FromID=\"8\" ToID=\"0\" ToParam=\"In2\"/><ORef", "without an output"),
        ("<ORef", "<Wire FromID=\"1\" ToID=\"0\" ToParam=\"In1\"/><ORef", "several wires"),
    ];
    for (from, to, words) in rows {
        let text = whole.replace(from, to);
        assert_ne!(text, whole, "{from}");
        assert!(ledger(&text).contains(words), "{words}: {}", ledger(&text));
    }
}

#[test]
fn add_on_instructions_in_diagrams() {
    let parameter = |name: &str, usage: &str| {
        format!(
            "<Parameter Name=\"{name}\" TagType=\"Base\" DataType=\"DINT\" Usage=\"{usage}\" Required=\"true\">\
             <DefaultData Format=\"Decorated\"><DataValue DataType=\"DINT\" Value=\"0\"/></DefaultData></Parameter>"
        )
    };
    let logic = crate::lang::logix::tests::structured("Logic", &["Sum := Sum + Step;"]);
    let definition = format!(
        "<AddOnInstructionDefinitions><AddOnInstructionDefinition Name=\"Adder\"><Parameters>{}{}</Parameters><LocalTags/>\
         <Routines>{logic}</Routines></AddOnInstructionDefinition></AddOnInstructionDefinitions><Programs>",
        parameter("Step", "Input"),
        parameter("Sum", "Output"),
    );
    let parts = [
        refer("IRef", 1, "y"),
        refer("ORef", 2, "z"),
        "<AddOnInstruction Name=\"Adder\" ID=\"0\" X=\"0\" Y=\"0\" Operand=\"adder\" VisiblePins=\"Step Sum\"/>".to_owned(),
        wires(&["1-0.Step", "0.Sum-2"]),
    ];
    let text = of_sheets(&[parts.concat()]).replace("<Programs>", &definition);
    let text = text.replace("<Tags>", "<Tags><Tag Name=\"adder\" TagType=\"Base\" DataType=\"Adder\"/>");
    check_export(&text, &["", "", ""], "z", &[3, 6, 9]);
}

#[test]
fn esel_gives_the_highest_or_the_lowest_number() {
    // Tags of the tests: x is 7, y is 3.
    let numbers = [("x", "In1"), ("y", "In2"), ("9", "In3"), ("-1", "In4")];
    let check = |more: &[(&str, &str)], expected: i128| {
        let inputs: Vec<_> = numbers.iter().chain(more).copied().collect();
        check_export(&of_block("ESEL", "best", &inputs, ("Out", "z")), &[""], "z", &[expected]);
    };
    check(&[("1", "SelectorMode"), ("2", "InsUsed")], 7);
    check(&[("1", "SelectorMode"), ("4", "InsUsed")], 9);
    check(&[("2", "SelectorMode"), ("3", "InsUsed")], 3);
    check(&[("2", "SelectorMode"), ("4", "InsUsed")], -1);
}

/// Returns the export of a PID block, whose value goes to `z`; `data` are members of its tag.
fn pid(data: &str, attributes: &str) -> String {
    let text = [
        format!("<Block Type=\"PIDE\" ID=\"0\" X=\"0\" Y=\"0\" Operand=\"loop\" VisiblePins=\"\"{attributes}/>"),
        refer("IRef", 1, "x"),
        refer("ORef", 2, "z"),
        wires(&["1-0.PV", "0.CVEU-2"]),
    ];
    let data = format!("<Data Format=\"Decorated\"><Structure DataType=\"PID_ENHANCED\">{data}</Structure></Data>");
    let tag = format!("<Tag Name=\"loop\" TagType=\"Base\" DataType=\"PID_ENHANCED\">{data}</Tag>");
    of_sheets(&[text.concat()]).replace("<Tags>", &format!("<Tags>{tag}"))
}

#[test]
fn blocks_without_a_model_are_stubs_of_their_tags() {
    let member = |name: &str, ty: &str, value: &str| {
        format!("<DataValueMember Name=\"{name}\" DataType=\"{ty}\" Radix=\"Float\" Value=\"{value}\"/>")
    };
    let data = [member("EnableIn", "BOOL", "1"), member("PV", "REAL", "0.0"), member("CVEU", "REAL", "2.5")].concat();
    let mut sources = crate::text::SourceSet::default();
    sources.add("test.L5X", pid(&data, ""));
    let loaded = crate::load_isolated(&sources, &crate::LoadOptions::default());
    let ledger_of_stub = format!("{:?}", loaded.value.ledger);
    assert!(!loaded.has_errors() && loaded.value.left_out.is_empty(), "{:#?}", loaded.diagnostics);
    assert!(ledger_of_stub.contains("PID_ENHANCED") && !ledger_of_stub.contains("instruction PIDE"), "{ledger_of_stub}");
    let declared = |file: &crate::text::SourceFile| file.text.contains("FUNCTION_BLOCK PID_ENHANCED");
    assert!(loaded.value.sources.files.iter().any(declared));
    // An autotune writes a second tag, and pins without a type are not known.
    assert!(ledger(&pid(&data, " AutotuneTag=\"tune\"")).contains("instruction PIDE"));
    assert!(ledger(&pid("", "")).contains("pin of a diagram that is not known"));
}
