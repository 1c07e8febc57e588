//! Random function block diagrams with every kind of block that has a law, over all of its types.

use super::Numbers;
use super::random::{Sheet, from_output, into};

/// Letters of pins: B BOOL, N one of the number types of the network, I INT, T TIME, W WORD, D BOOL at a divisor's place.
struct Block {
    ty: &'static str,
    /// Name of its instance; empty for a function.
    instance: &'static str,
    inputs: &'static [(&'static str, char)],
    outputs: &'static [(&'static str, char)],
}

const fn function(ty: &'static str, inputs: &'static [(&'static str, char)], output: char) -> Block {
    let outputs: &[(&str, char)] = match output {
        'B' => &[("OUT", 'B')],
        'W' => &[("OUT", 'W')],
        'T' => &[("OUT", 'T')],
        _ => &[("OUT", 'N')],
    };
    Block { ty, instance: "", inputs, outputs }
}

const TWO: &[(&str, char)] = &[("IN1", 'N'), ("IN2", 'N')];
const DIVIDED: &[(&str, char)] = &[("IN1", 'I'), ("IN2", 'D')];
const WORDS: &[(&str, char)] = &[("IN1", 'W'), ("IN2", 'W')];
const BITS: &[(&str, char)] = &[("IN1", 'B'), ("IN2", 'B'), ("IN3", 'B')];
const TIMER: &[(&str, char)] = &[("IN", 'B'), ("PT", 'T')];
const TIMED: &[(&str, char)] = &[("Q", 'B'), ("ET", 'T')];
const COUNTED: &[(&str, char)] = &[("Q", 'B'), ("CV", 'I')];

const BLOCKS: &[Block] = &[
    function("ADD", TWO, 'N'),
    function("ADD", &[("IN1", 'N'), ("IN2", 'N'), ("IN3", 'N')], 'N'),
    function("ADD", &[("IN1", 'T'), ("IN2", 'T')], 'T'),
    function("SUB", TWO, 'N'),
    function("SUB", &[("IN1", 'T'), ("IN2", 'T')], 'T'),
    function("MUL", TWO, 'N'),
    Block { ty: "DIV", instance: "", inputs: DIVIDED, outputs: &[("OUT", 'I')] },
    Block { ty: "MOD", instance: "", inputs: DIVIDED, outputs: &[("OUT", 'I')] },
    function("ABS", &[("IN", 'N')], 'N'),
    function("MIN", TWO, 'N'),
    function("MAX", TWO, 'N'),
    function("LIMIT", &[("MN", 'N'), ("IN", 'N'), ("MX", 'N')], 'N'),
    function("SEL", &[("G", 'B'), ("IN0", 'N'), ("IN1", 'N')], 'N'),
    function("SEL", &[("G", 'B'), ("IN0", 'T'), ("IN1", 'T')], 'T'),
    function("MUX", &[("K", 'K'), ("IN0", 'N'), ("IN1", 'N'), ("IN2", 'N')], 'N'),
    function("MOVE", &[("IN", 'N')], 'N'),
    function("GT", TWO, 'B'),
    function("GE", TWO, 'B'),
    function("LT", TWO, 'B'),
    function("LE", TWO, 'B'),
    function("EQ", TWO, 'B'),
    function("NE", &[("IN1", 'T'), ("IN2", 'T')], 'B'),
    function("AND", BITS, 'B'),
    function("OR", BITS, 'B'),
    function("XOR", BITS, 'B'),
    function("AND", WORDS, 'W'),
    function("OR", WORDS, 'W'),
    function("XOR", WORDS, 'W'),
    function("NOT", &[("IN", 'B')], 'B'),
    function("NOT", &[("IN", 'W')], 'W'),
    Block { ty: "TON", instance: "ton", inputs: TIMER, outputs: TIMED },
    Block { ty: "TOF", instance: "tof", inputs: TIMER, outputs: TIMED },
    Block { ty: "TP", instance: "tp", inputs: TIMER, outputs: TIMED },
    Block { ty: "CTU", instance: "ctu", inputs: &[("CU", 'B'), ("R", 'B'), ("PV", 'I')], outputs: COUNTED },
    Block { ty: "CTD", instance: "ctd", inputs: &[("CD", 'B'), ("LD", 'B'), ("PV", 'I')], outputs: COUNTED },
    Block {
        ty: "CTUD",
        instance: "ctud",
        inputs: &[("CU", 'B'), ("CD", 'B'), ("R", 'B'), ("LD", 'B'), ("PV", 'I')],
        outputs: &[("QU", 'B'), ("QD", 'B'), ("CV", 'I')],
    },
    Block { ty: "R_TRIG", instance: "rise", inputs: &[("CLK", 'B')], outputs: &[("Q", 'B')] },
    Block { ty: "F_TRIG", instance: "fall", inputs: &[("CLK", 'B')], outputs: &[("Q", 'B')] },
    Block { ty: "SR", instance: "sr", inputs: &[("S1", 'B'), ("R", 'B')], outputs: &[("Q1", 'B')] },
    Block { ty: "RS", instance: "rs", inputs: &[("S", 'B'), ("R1", 'B')], outputs: &[("Q1", 'B')] },
];

/// Number types: their letter, type, and names of an input and an output variable.
const NUMBERS: [(char, &str); 5] = [('i', "INT"), ('u', "USINT"), ('d', "DINT"), ('e', "UINT"), ('r', "REAL")];

/// Returns the kinds of blocks.
pub(super) fn all() -> impl Iterator<Item = &'static str> {
    BLOCKS.iter().map(|block| block.ty)
}

/// Returns a program with networks of one to three blocks each; an instance is called once.
pub(super) fn program(numbers: &mut Numbers) -> String {
    let variable = |name: &str, ty: &str| {
        let ty = if BLOCKS.iter().any(|b| b.ty == ty) { format!(r#"<derived name="{ty}"/>"#) } else { format!("<{ty}/>") };
        format!(r#"<variable name="{name}"><type>{ty}</type></variable>"#)
    };
    let mut declared: [String; 2] = Default::default();
    for (side, end) in [("in", 0), ("out", 1)] {
        let all = NUMBERS.into_iter().chain([('t', "TIME"), ('w', "WORD"), ('b', "BOOL"), ('c', "BOOL")]);
        declared[end] = all.map(|(letter, ty)| variable(&format!("{side}_{letter}"), ty)).collect();
    }
    let instances: String = BLOCKS.iter().filter(|b| !b.instance.is_empty()).map(|b| variable(b.instance, b.ty)).collect();
    let mut sheet = Sheet::new(numbers);
    let mut left: Vec<&Block> = BLOCKS.iter().collect();
    for _ in 0..12 {
        let block = left.swap_remove(sheet.numbers.below(left.len()));
        network(&mut sheet, block);
    }
    format!(
        r#"<project xmlns="http://www.plcopen.org/xml/tc6_0201"><types><dataTypes/><pous>
<pou name="Main" pouType="program"><interface><inputVars>{}</inputVars><localVars>{}{instances}</localVars></interface><body><FBD>{}</FBD></body></pou>
</pous></types></project>"#,
        declared[0], declared[1], sheet.text
    )
}

fn network(sheet: &mut Sheet<'_>, block: &Block) {
    sheet.y += 120;
    let (number, _) = NUMBERS[sheet.numbers.below(NUMBERS.len())];
    let mut inputs = Vec::new();
    if sheet.numbers.below(4) == 0 {
        inputs.push(("EN", into(&[bit(sheet)])));
    }
    // Operands that are all constants have no type.
    let mut is_typed = !block.instance.is_empty();
    for (name, letter) in block.inputs {
        // An open pin keeps its initial value.
        let is_open = !block.instance.is_empty() && sheet.numbers.below(8) == 0;
        if !is_open {
            let from = source(sheet, *letter, number, is_typed);
            is_typed |= !matches!(letter, 'B' | 'K');
            inputs.push((*name, into(&[from])));
        }
    }
    let mut outputs: Vec<&str> = block.outputs.iter().map(|(name, _)| *name).collect();
    let enabled = inputs.iter().any(|(name, _)| *name == "EN");
    if enabled {
        outputs.insert(0, "ENO");
    }
    sheet.has_edges = block.inputs.iter().all(|(_, letter)| *letter == 'B');
    let made = sheet.block(block.ty, block.instance, &inputs, &outputs, 400);
    if enabled && sheet.numbers.below(2) == 0 {
        sink(sheet, from_output(made, "ENO"), "out_c");
    }
    for (name, letter) in block.outputs {
        let wire = from_output(made, name);
        if *letter == 'B' && sheet.numbers.below(2) == 0 {
            let other = bit(sheet);
            let gate = sheet.one_of(&["AND", "OR", "XOR"]);
            sheet.has_edges = true;
            let next = sheet.block(gate, "", &[("IN1", wire), ("IN2", into(&[other]))], &["OUT"], 600);
            sink(sheet, from_output(next, "OUT"), "out_b");
        } else {
            let end = match letter {
                'B' => "out_b".to_owned(),
                'N' => format!("out_{number}"),
                letter => format!("out_{}", letter.to_ascii_lowercase()),
            };
            sink(sheet, wire, &end);
        }
    }
}

fn sink(sheet: &mut Sheet<'_>, wire: String, name: &str) {
    sheet.y += 9;
    sheet.element("outVariable", "", &format!("{wire}<expression>{name}</expression>"), 900);
}

fn bit(sheet: &mut Sheet<'_>) -> u32 {
    sheet.y += 9;
    let name = sheet.one_of(&["in_b", "in_c", "out_b", "out_c"]);
    let negated = sheet.flag(5, r#"negated="true""#);
    sheet.element("inVariable", negated, &format!("<expression>{name}</expression>"), 0)
}

/// Returns a variable or constant of a type.
fn source(sheet: &mut Sheet<'_>, letter: char, number: char, is_typed: bool) -> u32 {
    if letter == 'B' {
        return bit(sheet);
    }
    sheet.y += 9;
    let side = sheet.one_of(&["in", "in", "out"]);
    let is_constant = is_typed && sheet.numbers.below(4) == 0;
    let small = sheet.numbers.below(7);
    let text = match letter {
        // Division by zero ends the run: rarely.
        'D' if sheet.numbers.below(6) != 0 => (small + 1).to_string(),
        'K' if sheet.numbers.below(3) != 0 => (small % 3).to_string(),
        'I' | 'D' | 'K' if is_constant => small.to_string(),
        'I' | 'D' | 'K' => format!("{side}_i"),
        'T' if is_constant => format!("T#{}ms", 100 * small),
        'T' => format!("{side}_t"),
        'W' if is_constant => format!("16#{small:02X}{small:02X}"),
        'W' => format!("{side}_w"),
        _ if is_constant && number == 'r' => format!("{small}.5"),
        _ if is_constant => small.to_string(),
        _ => format!("{side}_{number}"),
    };
    sheet.element("inVariable", "", &format!("<expression>{text}</expression>"), 0)
}
