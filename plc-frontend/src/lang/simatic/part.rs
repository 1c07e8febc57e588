//! Parts of LAD and FBD as elements of networks, which all languages share.
//!
//! **Invariant:** every pin that is wired is read, or the network is not modelled.

mod call;

use super::access::Unmodelled;
use super::flgnet::Drawing;
use super::{Reader, ident};
use crate::ast::{Expr, ExprKind, Ident, Literal, Name};
use crate::lang::network::graph::{Block, Input, Kind, Modifiers, Output, Pin, Storage};
use crate::lang::xml::Element;
use crate::text::Span;

/// Parts that call a function of the standard: their name, its name, its inputs, its output. After `…`, inputs continue with
/// further numbers.
const FUNCTIONS: &[(&str, &str, &[&str], &str)] = &[
    ("Move", "MOVE", &["in"], "out1"),
    ("Add", "ADD", &["in1", "in2", "…"], "out"),
    ("Sub", "SUB", &["in1", "in2"], "out"),
    ("Mul", "MUL", &["in1", "in2", "…"], "out"),
    ("Div", "DIV", &["in1", "in2"], "out"),
    ("Mod", "MOD", &["in1", "in2"], "out"),
    ("Abs", "ABS", &["in"], "out"),
    ("Min", "MIN", &["in1", "in2", "…"], "out"),
    ("Max", "MAX", &["in1", "in2", "…"], "out"),
];

/// Comparisons: power flows through while it flows in and the comparison holds.
const COMPARISONS: &[(&str, &str)] = &[("Eq", "EQ"), ("Ne", "NE"), ("Gt", "GT"), ("Ge", "GE"), ("Lt", "LT"), ("Le", "LE")];

/// Blocks of the standard: their name, their inputs, their outputs.
const BLOCKS: &[(&str, &[&str], &[&str])] = &[
    ("TON", &["IN", "PT"], &["Q", "ET"]),
    ("TOF", &["IN", "PT"], &["Q", "ET"]),
    ("TP", &["IN", "PT"], &["Q", "ET"]),
    ("CTU", &["CU", "R", "PV"], &["Q", "CV"]),
    ("CTD", &["CD", "LD", "PV"], &["Q", "CV"]),
    ("CTUD", &["CU", "CD", "R", "LD", "PV"], &["QU", "QD", "CV"]),
    ("R_TRIG", &["CLK"], &["Q"]),
    ("F_TRIG", &["CLK"], &["Q"]),
];

impl Reader<'_> {
    /// Adds the elements of a part.
    pub(super) fn part<'d>(&mut self, drawing: &mut Drawing<'d>, id: u64, part: Element<'d>) -> Result<(), Unmodelled> {
        let span = part.tag_span();
        if part.name() == "Call" {
            return self.call(drawing, id, part);
        }
        let name = part.attribute("Name").ok_or("element without a name")?.text.into_owned();
        let negated: Vec<String> =
            part.children_named("Negated").filter_map(|n| Some(n.attribute("Name")?.text.to_ascii_lowercase())).collect();
        let may_be_negated = |pin: &String| match name.as_str() {
            "O" | "A" | "X" => true,
            "Contact" | "Coil" => pin == "operand",
            _ => false,
        };
        if !negated.iter().all(may_be_negated) {
            return Err("negated pin of a kind that is not read");
        }
        match name.as_str() {
            "Contact" | "Coil" | "SCoil" | "RCoil" => self.contact_or_coil(drawing, id, &name, !negated.is_empty(), span)?,
            "Not" => {
                let input = drawing.wired(self, id, "in", span)?;
                let node = function(drawing, "NOT", vec![(input, false)], span);
                drawing.gives(id, "out", node, None);
            }
            "O" | "A" | "X" => {
                let inputs = self.counted(drawing, id, &["in1", "in2", "…"], span)?;
                let inputs = inputs.into_iter().map(|(pin, name)| (pin, negated.contains(&name))).collect();
                let callee = match name.as_str() {
                    "O" => "OR",
                    "A" => "AND",
                    _ => "XOR",
                };
                let node = function(drawing, callee, inputs, span);
                drawing.gives(id, "out", node, None);
            }
            "PContact" | "NContact" => self.edge(drawing, id, name == "PContact", span)?,
            "PBox" | "NBox" => self.edge_of_power(drawing, id, name == "PBox", span)?,
            "Rs" | "Sr" => self.flip_flop(drawing, id, name == "Rs", span)?,
            "Inc" | "Dec" => {
                let place = self.operand_at(drawing, id, "operand")?;
                let inputs = [place.clone(), one(span)].map(|value| input_of("", Pin::of_value(value, span))).into();
                let node = self.enabled(drawing, id, if name == "Inc" { "ADD" } else { "SUB" }, inputs, "out", span)?;
                drawing.sink(place, Pin::of_wire(node, Some(Ident::new("out", span)), span), span);
            }
            "Jump" | "JumpNot" => {
                let operand = drawing.operand_at(id, "operand").or_else(|_| drawing.operand_at(id, "label"))?;
                let label = operand.child("Label").and_then(|l| l.attribute("Name")).ok_or("jump without a label")?;
                let input = drawing.input(self, id, "in", span)?;
                let label = ident(label.text.trim(), label.span);
                drawing.add(Kind::Jump { label, negated: name == "JumpNot", input: Some(input) }, span);
            }
            _ => return self.listed(drawing, id, part, &name),
        }
        drawing.written(self, id, "out")?;
        drawing.written(self, id, "q")
    }

    /// Adds a part that a table of this file lists.
    fn listed<'d>(&mut self, drawing: &mut Drawing<'d>, id: u64, part: Element<'d>, name: &str) -> Result<(), Unmodelled> {
        let span = part.tag_span();
        if let Some((_, callee, inputs, output)) = FUNCTIONS.iter().find(|(part, ..)| *part == name) {
            let inputs = self.counted(drawing, id, inputs, span)?;
            let inputs = inputs.into_iter().map(|(pin, _)| input_of("", pin)).collect();
            self.enabled(drawing, id, callee, inputs, output, span)?;
            drawing.written(self, id, output)?;
            drawing.written(self, id, "eno")
        } else if let Some((_, callee)) = COMPARISONS.iter().find(|(part, _)| *part == name) {
            let inputs = self.counted(drawing, id, &["in1", "in2"], span)?;
            let mut node = function(drawing, callee, inputs.into_iter().map(|(pin, _)| (pin, false)).collect(), span);
            if drawing.is_connected(id, "pre") {
                let power = drawing.input(self, id, "pre", span)?;
                node = function(drawing, "AND", vec![(power, false), (Pin::of_wire(node, None, span), false)], span);
            }
            drawing.gives(id, "out", node, None);
            drawing.written(self, id, "out")?;
            drawing.written(self, id, "q")
        } else if let Some((block, inputs, outputs)) = BLOCKS.iter().find(|(part, ..)| *part == name) {
            self.standard_block(drawing, id, part, block, inputs, outputs)
        } else {
            Err("network with an instruction that is not modelled")
        }
    }

    fn contact_or_coil(
        &mut self,
        drawing: &mut Drawing<'_>,
        id: u64,
        name: &str,
        negated: bool,
        span: Span,
    ) -> Result<(), Unmodelled> {
        let storage = match name {
            "SCoil" => Some(Storage::Set),
            "RCoil" => Some(Storage::Reset),
            _ => None,
        };
        let modifiers = Modifiers { negated, storage, ..Modifiers::default() };
        let operand = self.operand_at(drawing, id, "operand")?;
        let input = drawing.input(self, id, "in", span)?;
        let is_contact = name == "Contact";
        let kind =
            if is_contact { Kind::Contact { operand, modifiers, input } } else { Kind::Coil { operand, modifiers, input } };
        let node = drawing.add(kind, span);
        drawing.gives(id, "out", node, None);
        Ok(())
    }

    /// Reads the operand at a pin of a part.
    fn operand_at(&mut self, drawing: &mut Drawing<'_>, id: u64, pin: &str) -> Result<Expr, Unmodelled> {
        let operand = drawing.operand_at(id, pin)?;
        self.operand(operand)
    }

    /// Returns the inputs of a part, with their names; `…` stands for as many more as are wired.
    fn counted(
        &mut self,
        drawing: &mut Drawing<'_>,
        id: u64,
        names: &[&str],
        span: Span,
    ) -> Result<Vec<(Pin, String)>, Unmodelled> {
        const MOST: usize = 256;
        let mut inputs = Vec::new();
        for name in names.iter().filter(|n| **n != "…") {
            inputs.push((drawing.wired(self, id, name, span)?, (*name).to_owned()));
        }
        if names.contains(&"…") {
            for n in inputs.len() + 1..MOST {
                let name = format!("in{n}");
                if !drawing.is_connected(id, &name) {
                    break;
                }
                inputs.push((drawing.wired(self, id, &name, span)?, name));
            }
        }
        Ok(inputs)
    }

    /// Adds a function with EN and ENO.
    fn enabled(
        &mut self,
        drawing: &mut Drawing<'_>,
        id: u64,
        callee: &str,
        mut inputs: Vec<Input>,
        output: &str,
        span: Span,
    ) -> Result<u64, Unmodelled> {
        if drawing.is_connected(id, "en") {
            inputs.insert(0, input_of("EN", drawing.input(self, id, "en", span)?));
        }
        let outputs = vec![output_of("ENO", span), output_of(output, span)];
        let block = Block { callee: Name::plain(Ident::new(callee, span)), instance: None, inputs, in_outs: Vec::new(), outputs };
        let node = drawing.add(Kind::Block(block), span);
        drawing.gives(id, output, node, Some(Ident::new(output, span)));
        drawing.gives(id, "eno", node, Some(Ident::new("ENO", span)));
        Ok(node)
    }

    /// Adds a scan for an edge of an operand, with the variable that keeps the value of the last scan.
    fn edge(&mut self, drawing: &mut Drawing<'_>, id: u64, rises: bool, span: Span) -> Result<(), Unmodelled> {
        let now = Pin::of_value(self.operand_at(drawing, id, "operand")?, span);
        let before = self.operand_at(drawing, id, "bit")?;
        let mut inputs = vec![(now.clone(), !rises), (Pin::of_value(before.clone(), span), rises)];
        if drawing.is_connected(id, "pre") {
            inputs.insert(0, (drawing.input(self, id, "pre", span)?, false));
        }
        let node = function(drawing, "AND", inputs, span);
        drawing.gives(id, "out", node, None);
        drawing.sink(before, now, span);
        Ok(())
    }

    /// Adds a scan for an edge of the power, with the variable that keeps the value of the last scan.
    fn edge_of_power(&mut self, drawing: &mut Drawing<'_>, id: u64, rises: bool, span: Span) -> Result<(), Unmodelled> {
        let place = self.operand_at(drawing, id, "bit")?;
        let now = drawing.wired(self, id, "in", span)?;
        let before = Pin::of_value(place.clone(), span);
        let node = function(drawing, "AND", vec![(now.clone(), !rises), (before, rises)], span);
        drawing.gives(id, "out", node, None);
        drawing.sink(place, now, span);
        Ok(())
    }

    /// Adds `q := s1 OR (NOT r AND q)`, or with a dominant reset `q := NOT r1 AND (s OR q)`.
    fn flip_flop(&mut self, drawing: &mut Drawing<'_>, id: u64, set_dominates: bool, span: Span) -> Result<(), Unmodelled> {
        let place = self.operand_at(drawing, id, "operand")?;
        let kept = Pin::of_value(place.clone(), span);
        let (set, reset) = if set_dominates { ("s1", "r") } else { ("s", "r1") };
        let set = drawing.input(self, id, set, span)?;
        let reset = drawing.input(self, id, reset, span)?;
        if set.is_open() || reset.is_open() {
            return Err("flip-flop with an open pin");
        }
        let wire = |from: u64| Pin::of_wire(from, None, span);
        let node = if set_dominates {
            let stays = function(drawing, "AND", vec![(reset, true), (kept, false)], span);
            function(drawing, "OR", vec![(set, false), (wire(stays), false)], span)
        } else {
            let wanted = function(drawing, "OR", vec![(set, false), (kept, false)], span);
            function(drawing, "AND", vec![(reset, true), (wire(wanted), false)], span)
        };
        drawing.gives(id, "q", node, None);
        drawing.sink(place, wire(node), span);
        Ok(())
    }
}

/// Adds a function without EN; its inputs come with their negation. Returns the number of its element.
fn function(drawing: &mut Drawing<'_>, callee: &str, inputs: Vec<(Pin, bool)>, span: Span) -> u64 {
    let inputs = inputs.into_iter().map(|(pin, negated)| Input {
        name: Ident::new("", span),
        modifiers: Modifiers { negated, ..Modifiers::default() },
        pin,
    });
    let block = Block {
        callee: Name::plain(Ident::new(callee, span)),
        instance: None,
        inputs: inputs.collect(),
        in_outs: Vec::new(),
        outputs: vec![output_of("", span)],
    };
    drawing.add(Kind::Block(block), span)
}

/// Returns an input of a block; a function's inputs need no names.
fn input_of(name: &str, pin: Pin) -> Input {
    Input { name: Ident::new(name, pin.span), modifiers: Modifiers::default(), pin }
}

fn output_of(name: &str, span: Span) -> Output {
    Output { name: Ident::new(name, span), modifiers: Modifiers::default(), target: None }
}

fn one(span: Span) -> Expr {
    Expr { kind: ExprKind::Literal(None, Literal::Int(1)), span }
}
