//! Parts of LAD and FBD as elements of networks, which all languages share.
//!
//! **Invariant:** every pin that is wired is read, or the network is not modelled.

mod call;

use super::access::Unmodelled;
use super::flgnet::{Begin, Drawing, RAIL};
use super::{Reader, ident};
use crate::ast::{Expr, ExprKind, Ident, Literal, Name};
use crate::lang::network::graph::{Block, Input, Kind, Modifiers, Output, Pin, Storage, Wire};
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

/// A part while it is read: with the file, its network, its number and its place.
pub(super) struct PartReader<'r, 'f, 'd> {
    pub(super) reader: &'r mut Reader<'f>,
    pub(super) drawing: &'r mut Drawing<'d>,
    pub(super) id: u64,
    pub(super) span: Span,
}

impl<'d> PartReader<'_, '_, 'd> {
    /// Adds the elements of a part.
    pub(super) fn part(&mut self, part: Element<'d>) -> Result<(), Unmodelled> {
        let span = self.span;
        if part.name() == "Call" {
            return self.call(part);
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
            "Contact" | "Coil" | "SCoil" | "RCoil" => self.contact_or_coil(&name, !negated.is_empty())?,
            "Not" => {
                let input = self.wired("in")?;
                let node = self.function("NOT", vec![(input, false)]);
                self.gives("out", node, None);
            }
            "O" | "A" | "X" => {
                let inputs = self.counted(&["in1", "in2", "…"])?;
                let inputs = inputs.into_iter().map(|(pin, name)| (pin, negated.contains(&name))).collect();
                let callee = match name.as_str() {
                    "O" => "OR",
                    "A" => "AND",
                    _ => "XOR",
                };
                let node = self.function(callee, inputs);
                self.gives("out", node, None);
            }
            "PContact" | "NContact" => self.edge(name == "PContact")?,
            "PBox" | "NBox" => self.edge_of_power(name == "PBox")?,
            "Rs" | "Sr" => self.flip_flop(name == "Rs")?,
            "Inc" | "Dec" => {
                let place = self.operand("operand")?;
                let inputs = [place.clone(), one(span)].map(|value| input_of("", Pin::of_value(value, span))).into();
                let node = self.enabled(if name == "Inc" { "ADD" } else { "SUB" }, inputs, "out")?;
                self.drawing.sink(place, Pin::of_wire(node, Some(Ident::new("out", span)), span), span);
            }
            "Jump" | "JumpNot" => {
                let operand =
                    self.drawing.operand_at(self.id, "operand").or_else(|_| self.drawing.operand_at(self.id, "label"))?;
                let label = operand.child("Label").and_then(|l| l.attribute("Name")).ok_or("jump without a label")?;
                let input = self.input("in", span)?;
                let label = ident(label.text.trim(), label.span);
                self.drawing.add(Kind::Jump { label, negated: name == "JumpNot", input: Some(input) }, span);
            }
            _ => return self.listed(part, &name),
        }
        self.written(&["out", "q"])
    }

    /// Adds a part that a table of this file lists.
    fn listed(&mut self, part: Element<'d>, name: &str) -> Result<(), Unmodelled> {
        let span = self.span;
        if let Some((_, callee, inputs, output)) = FUNCTIONS.iter().find(|(part, ..)| *part == name) {
            let inputs = self.counted(inputs)?;
            let inputs = inputs.into_iter().map(|(pin, _)| input_of("", pin)).collect();
            self.enabled(callee, inputs, output)?;
            self.written(&[*output, "eno"])
        } else if let Some((_, callee)) = COMPARISONS.iter().find(|(part, _)| *part == name) {
            let inputs = self.counted(&["in1", "in2"])?;
            let mut node = self.function(callee, inputs.into_iter().map(|(pin, _)| (pin, false)).collect());
            if self.is_connected("pre") {
                let power = self.input("pre", span)?;
                node = self.function("AND", vec![(power, false), (Pin::of_wire(node, None, span), false)]);
            }
            self.gives("out", node, None);
            self.written(&["out", "q"])
        } else if let Some((block, inputs, outputs)) = BLOCKS.iter().find(|(part, ..)| *part == name) {
            self.standard_block(part, block, inputs, outputs)
        } else {
            Err("network with an instruction that is not modelled")
        }
    }

    fn contact_or_coil(&mut self, name: &str, negated: bool) -> Result<(), Unmodelled> {
        let span = self.span;
        let storage = match name {
            "SCoil" => Some(Storage::Set),
            "RCoil" => Some(Storage::Reset),
            _ => None,
        };
        let modifiers = Modifiers { negated, storage, ..Modifiers::default() };
        let operand = self.operand("operand")?;
        let input = self.input("in", span)?;
        let is_contact = name == "Contact";
        let kind =
            if is_contact { Kind::Contact { operand, modifiers, input } } else { Kind::Coil { operand, modifiers, input } };
        let node = self.drawing.add(kind, span);
        self.gives("out", node, None);
        Ok(())
    }

    /// Reads the operand at a pin.
    fn operand(&mut self, pin: &str) -> Result<Expr, Unmodelled> {
        let operand = self.drawing.operand_at(self.id, pin)?;
        self.reader.operand(operand)
    }

    /// Returns the input at a pin.
    fn input(&mut self, name: &str, span: Span) -> Result<Pin, Unmodelled> {
        let key = (self.id, name.to_ascii_lowercase());
        self.drawing.seen.insert(key.clone());
        let mut pin = Pin::open(span);
        match self.drawing.arrives.get(&key).cloned() {
            None => {}
            Some((Begin::Rail, span)) => pin.wires.push(Wire { from: RAIL, output: None, span }),
            Some((Begin::Operand(operand), _)) => {
                let operand = self.drawing.operands.get(&operand).copied().ok_or("wire from an operand that does not exist")?;
                pin.value = Some(self.reader.operand(operand)?);
            }
            Some((Begin::Pin(from), span)) => {
                // Parts stand in the order in which they run; a wire back is a loop.
                let (from, output) = self.drawing.outputs.get(&from).cloned().ok_or("wire from an element that stands behind")?;
                pin.wires.push(Wire { from, output, span });
            }
        }
        Ok(pin)
    }

    /// Returns an input that must be connected.
    fn wired(&mut self, name: &str) -> Result<Pin, Unmodelled> {
        let pin = self.input(name, self.span)?;
        if pin.is_open() { Err("element with an open pin") } else { Ok(pin) }
    }

    /// Returns whether a wire ends or begins at the pin.
    fn is_connected(&self, name: &str) -> bool {
        let key = (self.id, name.to_ascii_lowercase());
        self.drawing.arrives.contains_key(&key) || self.drawing.leaves.contains_key(&key)
    }

    /// Connects a pin to this output of an element.
    fn gives(&mut self, name: &str, element: u64, output: Option<Ident>) {
        let key = (self.id, name.to_ascii_lowercase());
        self.drawing.seen.insert(key.clone());
        self.drawing.outputs.insert(key, (element, output));
    }

    /// Writes the operands that are wired to these outputs.
    fn written<S: AsRef<str>>(&mut self, names: &[S]) -> Result<(), Unmodelled> {
        for name in names {
            let key = (self.id, name.as_ref().to_ascii_lowercase());
            let Some((from, output)) = self.drawing.outputs.get(&key).cloned() else { continue };
            for (operand, span) in self.drawing.leaves.get(&key).cloned().unwrap_or_default() {
                let operand = self.drawing.operands.get(&operand).copied().ok_or("wire to an operand that does not exist")?;
                let target: Expr = self.reader.operand(operand)?;
                self.drawing.sink(target, Pin::of_wire(from, output.clone(), span), operand.tag_span());
            }
        }
        Ok(())
    }

    /// Returns the inputs of a part, with their names; `…` stands for as many more as are wired.
    fn counted(&mut self, names: &[&str]) -> Result<Vec<(Pin, String)>, Unmodelled> {
        const MOST: usize = 256;
        let mut inputs = Vec::new();
        for name in names.iter().filter(|n| **n != "…") {
            inputs.push((self.wired(name)?, (*name).to_owned()));
        }
        if names.contains(&"…") {
            for n in inputs.len() + 1..MOST {
                let name = format!("in{n}");
                if !self.is_connected(&name) {
                    break;
                }
                inputs.push((self.wired(&name)?, name));
            }
        }
        Ok(inputs)
    }

    /// Adds a function with EN and ENO.
    fn enabled(&mut self, callee: &str, mut inputs: Vec<Input>, output: &str) -> Result<u64, Unmodelled> {
        let span = self.span;
        if self.is_connected("en") {
            inputs.insert(0, input_of("EN", self.input("en", span)?));
        }
        let outputs = vec![output_of("ENO", span), output_of(output, span)];
        let block = Block { callee: Name::plain(Ident::new(callee, span)), instance: None, inputs, in_outs: Vec::new(), outputs };
        let node = self.drawing.add(Kind::Block(block), span);
        self.gives(output, node, Some(Ident::new(output, span)));
        self.gives("eno", node, Some(Ident::new("ENO", span)));
        Ok(node)
    }

    /// Adds a scan for an edge of an operand, with the variable that keeps the value of the last scan.
    fn edge(&mut self, rises: bool) -> Result<(), Unmodelled> {
        let span = self.span;
        let now = Pin::of_value(self.operand("operand")?, span);
        let before = self.operand("bit")?;
        let mut inputs = vec![(now.clone(), !rises), (Pin::of_value(before.clone(), span), rises)];
        if self.is_connected("pre") {
            inputs.insert(0, (self.input("pre", span)?, false));
        }
        let node = self.function("AND", inputs);
        self.gives("out", node, None);
        self.drawing.sink(before, now, span);
        Ok(())
    }

    /// Adds a scan for an edge of the power, with the variable that keeps the value of the last scan.
    fn edge_of_power(&mut self, rises: bool) -> Result<(), Unmodelled> {
        let span = self.span;
        let place = self.operand("bit")?;
        let now = self.wired("in")?;
        let before = Pin::of_value(place.clone(), span);
        let node = self.function("AND", vec![(now.clone(), !rises), (before, rises)]);
        self.gives("out", node, None);
        self.drawing.sink(place, now, span);
        Ok(())
    }

    /// Adds `q := s1 OR (NOT r AND q)`, or with a dominant reset `q := NOT r1 AND (s OR q)`.
    fn flip_flop(&mut self, set_dominates: bool) -> Result<(), Unmodelled> {
        let span = self.span;
        let place = self.operand("operand")?;
        let kept = Pin::of_value(place.clone(), span);
        let (set, reset) = if set_dominates { ("s1", "r") } else { ("s", "r1") };
        let set = self.input(set, span)?;
        let reset = self.input(reset, span)?;
        if set.is_open() || reset.is_open() {
            return Err("flip-flop with an open pin");
        }
        let wire = |from: u64| Pin::of_wire(from, None, span);
        let node = if set_dominates {
            let stays = self.function("AND", vec![(reset, true), (kept, false)]);
            self.function("OR", vec![(set, false), (wire(stays), false)])
        } else {
            let wanted = self.function("OR", vec![(set, false), (kept, false)]);
            self.function("AND", vec![(reset, true), (wire(wanted), false)])
        };
        self.gives("q", node, None);
        self.drawing.sink(place, wire(node), span);
        Ok(())
    }

    /// Adds a function without EN; its inputs come with their negation. Returns the number of its element.
    fn function(&mut self, callee: &str, inputs: Vec<(Pin, bool)>) -> u64 {
        let span = self.span;
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
        self.drawing.add(Kind::Block(block), span)
    }
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
