//! The elements of networks: what each part of LAD and FBD does, in elements that all languages share.
//!
//! **Invariant:** every pin that is wired is read, or the network is not modelled.

use super::access::{Unmodelled, scope_of, symbol_text};
use super::flgnet::{Drawing, named_type};
use super::{Reader, bytes, ident};
use crate::ast::{Expr, Name};
use crate::lang::network::Callee;
use crate::lang::network::graph::{Block, Input, Kind, Modifiers, Output, Pin, Storage, Wire};
use crate::lang::st::embedded;
use crate::lang::xml::Element;
use crate::text::key::key;
use crate::text::source::Span;

/// Parts that call a function of the standard: their name, its name, its inputs (`…` counts on), its output.
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

/// Comparisons: power flows through if it flows in and the comparison holds.
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
    /// Adds what a part is.
    pub(super) fn part<'d>(&mut self, drawing: &mut Drawing<'d>, id: u64, part: Element<'d>) -> Result<(), Unmodelled> {
        let span = part.tag_span();
        if part.name() == "Call" {
            return self.call(drawing, id, part);
        }
        let name = part.attribute("Name").ok_or("element without a name")?.text.into_owned();
        let negated: Vec<String> =
            part.children_named("Negated").filter_map(|n| Some(n.attribute("Name")?.text.to_ascii_lowercase())).collect();
        let is_negated = |pin: &str| negated.iter().any(|n| n == pin);
        let known = match name.as_str() {
            "Contact" | "Coil" => &["operand"][..],
            "O" | "A" | "X" => &[],
            _ if negated.is_empty() => &[],
            _ => return Err("negated pin of a kind that is not read"),
        };
        let is_gate = matches!(name.as_str(), "O" | "A" | "X");
        if !is_gate && negated.iter().any(|n| !known.contains(&n.as_str())) {
            return Err("negated pin of a kind that is not read");
        }
        let modifiers = Modifiers { negated: is_negated("operand"), ..Modifiers::default() };
        match name.as_str() {
            "Contact" => {
                let operand = drawing.operand_at(id, "operand")?;
                let operand = self.operand(operand)?;
                let input = drawing.input(self, id, "in", span)?;
                let node = drawing.add(Kind::Contact { operand, modifiers, input }, span);
                drawing.gives(id, "out", node, None);
            }
            "Coil" | "SCoil" | "RCoil" => {
                let storage = match name.as_str() {
                    "SCoil" => Some(Storage::Set),
                    "RCoil" => Some(Storage::Reset),
                    _ => None,
                };
                let operand = drawing.operand_at(id, "operand")?;
                let operand = self.operand(operand)?;
                let input = drawing.input(self, id, "in", span)?;
                let node = drawing.add(Kind::Coil { operand, modifiers: Modifiers { storage, ..modifiers }, input }, span);
                drawing.gives(id, "out", node, None);
            }
            "Not" => {
                let input = drawing.wired(self, id, "in", span)?;
                let node = function(drawing, "NOT", vec![(input, false)], span);
                drawing.gives(id, "out", node, None);
            }
            "O" | "A" | "X" => {
                let inputs = self.counted(drawing, id, &["in1", "in2", "…"], span)?;
                let inputs = inputs.into_iter().map(|(pin, name)| (pin, is_negated(&name))).collect();
                let callee = match name.as_str() {
                    "O" => "OR",
                    "A" => "AND",
                    _ => "XOR",
                };
                let node = function(drawing, callee, inputs, span);
                drawing.gives(id, "out", node, None);
            }
            "PContact" | "NContact" => self.edge(drawing, id, "pre", name == "PContact", span)?,
            "PBox" | "NBox" => {
                let rises = name == "PBox";
                let bit = drawing.operand_at(id, "bit")?;
                let place = self.operand(bit)?;
                let now = drawing.wired(self, id, "in", span)?;
                let before = Pin { wires: Vec::new(), value: Some(place.clone()), span };
                let node = function(drawing, "AND", vec![(now.clone(), !rises), (before, rises)], span);
                drawing.gives(id, "out", node, None);
                drawing.add(Kind::Sink { target: place, modifiers: Modifiers::default(), input: now }, span);
            }
            "Rs" | "Sr" => self.flip_flop(drawing, id, name == "Rs", span)?,
            "Inc" | "Dec" => {
                let operand = drawing.operand_at(id, "operand")?;
                let place = self.operand(operand)?;
                let value = |value| Pin { wires: Vec::new(), value: Some(value), span };
                let inputs = vec![input_of(value(place.clone())), input_of(value(one(span)))];
                let callee = if name == "Inc" { "ADD" } else { "SUB" };
                let node = self.enabled(drawing, id, callee, inputs, "out", span)?;
                let out = Some(ident_of("out", span));
                let input = Pin { wires: vec![Wire { from: node, output: out, span }], value: None, span };
                drawing.add(Kind::Sink { target: place, modifiers: Modifiers::default(), input }, span);
            }
            "Jump" | "JumpNot" => {
                let operand = drawing.operand_at(id, "operand").or_else(|_| drawing.operand_at(id, "label"))?;
                let label = operand.child("Label").and_then(|l| l.attribute("Name")).ok_or("jump without a label")?;
                let input = drawing.input(self, id, "in", span)?;
                let label = ident(label.text.trim(), label.span);
                drawing.add(Kind::Jump { label, negated: name == "JumpNot", input: Some(input) }, span);
            }
            _ => {
                if let Some((_, callee, inputs, output)) = FUNCTIONS.iter().find(|(part, ..)| *part == name) {
                    let inputs = self.counted(drawing, id, inputs, span)?;
                    let inputs = inputs.into_iter().map(|(pin, _)| input_of(pin)).collect();
                    self.enabled(drawing, id, callee, inputs, output, span)?;
                    drawing.written(self, id, output)?;
                    drawing.written(self, id, "eno")?;
                } else if let Some((_, callee)) = COMPARISONS.iter().find(|(part, _)| *part == name) {
                    let inputs = self.counted(drawing, id, &["in1", "in2"], span)?;
                    let mut node = function(drawing, callee, inputs.into_iter().map(|(pin, _)| (pin, false)).collect(), span);
                    if drawing.is_connected(id, "pre") {
                        let power = drawing.input(self, id, "pre", span)?;
                        node = function(drawing, "AND", vec![(power, false), (wire(node, span), false)], span);
                    }
                    drawing.gives(id, "out", node, None);
                } else if let Some((block, inputs, outputs)) = BLOCKS.iter().find(|(part, ..)| *part == name) {
                    self.standard_block(drawing, id, part, block, inputs, outputs)?;
                } else {
                    return Err("network with an instruction that is not modelled");
                }
            }
        }
        for pin in ["out", "q"] {
            let is_function = FUNCTIONS.iter().any(|(part, ..)| *part == name) || BLOCKS.iter().any(|(part, ..)| *part == name);
            if !is_function {
                drawing.written(self, id, pin)?;
            }
        }
        Ok(())
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
            inputs.insert(0, input_of_named("EN", drawing.input(self, id, "en", span)?));
        }
        let outputs = vec![output_of("ENO", span), output_of(output, span)];
        let block = Block { callee: name_of(callee, span), instance: None, inputs, in_outs: Vec::new(), outputs };
        let node = drawing.add(Kind::Block(block), span);
        drawing.gives(id, output, node, Some(ident_of(output, span)));
        drawing.gives(id, "eno", node, Some(ident_of("ENO", span)));
        Ok(node)
    }

    /// Adds a scan for an edge, with the variable that keeps the value of the last scan.
    fn edge(&mut self, drawing: &mut Drawing<'_>, id: u64, power: &str, rises: bool, span: Span) -> Result<(), Unmodelled> {
        let operand = drawing.operand_at(id, "operand")?;
        let now = self.operand(operand)?;
        let bit = drawing.operand_at(id, "bit")?;
        let before = self.operand(bit)?;
        let value = |value: &Expr| Pin { wires: Vec::new(), value: Some(value.clone()), span };
        let mut inputs = vec![(value(&now), !rises), (value(&before), rises)];
        if drawing.is_connected(id, power) {
            inputs.insert(0, (drawing.input(self, id, power, span)?, false));
        }
        let node = function(drawing, "AND", inputs, span);
        drawing.gives(id, "out", node, None);
        drawing.add(Kind::Sink { target: before, modifiers: Modifiers::default(), input: value(&now) }, span);
        Ok(())
    }

    /// Adds `q := s1 OR (NOT r AND q)`, or with a dominant reset `q := NOT r1 AND (s OR q)`.
    fn flip_flop(&mut self, drawing: &mut Drawing<'_>, id: u64, set_dominates: bool, span: Span) -> Result<(), Unmodelled> {
        let operand = drawing.operand_at(id, "operand")?;
        let place = self.operand(operand)?;
        let kept = Pin { wires: Vec::new(), value: Some(place.clone()), span };
        let (set, reset) = if set_dominates { ("s1", "r") } else { ("s", "r1") };
        let set = drawing.input(self, id, set, span)?;
        let reset = drawing.input(self, id, reset, span)?;
        if set.is_open() || reset.is_open() {
            return Err("flip-flop with an open pin");
        }
        let node = if set_dominates {
            let stays = function(drawing, "AND", vec![(reset, true), (kept, false)], span);
            function(drawing, "OR", vec![(set, false), (wire(stays, span), false)], span)
        } else {
            let wanted = function(drawing, "OR", vec![(set, false), (kept, false)], span);
            function(drawing, "AND", vec![(reset, true), (wire(wanted, span), false)], span)
        };
        drawing.gives(id, "q", node, None);
        drawing.add(Kind::Sink { target: place, modifiers: Modifiers::default(), input: wire(node, span) }, span);
        Ok(())
    }

    fn standard_block<'d>(
        &mut self,
        drawing: &mut Drawing<'d>,
        id: u64,
        part: Element<'d>,
        block: &str,
        inputs: &[&str],
        outputs: &[&str],
    ) -> Result<(), Unmodelled> {
        let span = part.tag_span();
        let instance = part.child("Instance").ok_or("timer or counter without an instance")?;
        let instance = self.instance_name(instance)?;
        let mut wired = Vec::new();
        for name in inputs {
            if drawing.is_connected(id, name) {
                wired.push(input_of_named(name, drawing.input(self, id, name, span)?));
            }
        }
        let given = outputs.iter().map(|name| output_of(name, span)).collect();
        let callee = name_of(block, span);
        let block = Block { callee, instance: Some(instance), inputs: wired, in_outs: Vec::new(), outputs: given };
        let node = drawing.add(Kind::Block(block), span);
        for name in outputs {
            drawing.gives(id, name, node, Some(ident_of(name, span)));
        }
        for name in outputs {
            drawing.written(self, id, name)?;
        }
        Ok(())
    }

    /// Adds a call of a block of the program.
    fn call<'d>(&mut self, drawing: &mut Drawing<'d>, id: u64, part: Element<'d>) -> Result<(), Unmodelled> {
        let info = part.child("CallInfo").ok_or("call without a block")?;
        let span = part.tag_span();
        let name = info.attribute("Name").ok_or("call without a block")?;
        let instance = match info.child("Instance") {
            Some(instance) => Some(self.instance_name(instance)?),
            None => None,
        };
        let mut block = Block {
            callee: name_of_ident(ident(name.text.trim(), name.span)),
            instance,
            inputs: Vec::new(),
            in_outs: Vec::new(),
            outputs: vec![output_of("ENO", span)],
        };
        let mut callee = Callee::default();
        if drawing.is_connected(id, "en") {
            block.inputs.push(input_of_named("EN", drawing.input(self, id, "en", span)?));
        }
        let mut written = vec!["eno".to_owned()];
        for parameter in info.children_named("Parameter") {
            let name = parameter.attribute("Name").ok_or("parameter without a name")?;
            let section = parameter.attribute("Section").map_or(String::new(), |s| s.text.into_owned());
            let ty = parameter.attribute("Type").map_or(String::new(), |t| t.text.into_owned());
            let plain = ident(name.text.trim(), name.span);
            match section.as_str() {
                "Input" | "InOut" => {
                    let pin = drawing.input(self, id, &name.text, name.span)?;
                    let input = Input { name: plain.clone(), modifiers: Modifiers::default(), pin };
                    if section == "Input" {
                        callee.inputs.push(plain.text);
                        if !input.pin.is_open() {
                            block.inputs.push(input);
                        }
                    } else {
                        block.in_outs.push(input);
                    }
                }
                "Output" | "Return" => {
                    callee.has_result |= section == "Return";
                    let result = if section == "Return" { ident_of("", name.span) } else { plain.clone() };
                    if section == "Output" {
                        callee.outputs.push((plain.text.clone(), named_type(&ty, name.span)));
                    }
                    block.outputs.push(Output { name: result.clone(), modifiers: Modifiers::default(), target: None });
                    written.push(key(&name.text));
                }
                _ => return Err("parameter of a kind that is not read"),
            }
        }
        drawing.callees.insert(key(&block.callee.root.text), callee);
        let outputs: Vec<_> = block.outputs.iter().map(|o| o.name.clone()).collect();
        let node = drawing.add(Kind::Block(block), span);
        for (pin, output) in written.iter().zip(outputs) {
            drawing.gives(id, pin, node, Some(output));
        }
        for pin in &written {
            drawing.written(self, id, pin)?;
        }
        Ok(())
    }

    /// Reads the name of an instance.
    fn instance_name(&mut self, instance: Element<'_>) -> Result<Name, Unmodelled> {
        let text = symbol_text(instance, &scope_of(instance), &self.locals)?;
        let range = self.overlay.put(bytes(instance.span()), &text).ok_or("operand with a long name")?;
        let parsed = embedded::expression(self.unit.file, &self.overlay.text, range);
        match self.findings.keep(parsed).map(|e| e.kind) {
            Some(crate::ast::ExprKind::Name(name)) => Ok(name),
            Some(_) | None => Err("instance without a name"),
        }
    }
}

/// Adds a function without EN; its inputs come with their negation. Returns the number of its element.
fn function(drawing: &mut Drawing<'_>, callee: &str, inputs: Vec<(Pin, bool)>, span: Span) -> u64 {
    let inputs = inputs.into_iter().map(|(pin, negated)| Input {
        name: ident_of("", span),
        modifiers: Modifiers { negated, ..Modifiers::default() },
        pin,
    });
    let block = Block {
        callee: name_of(callee, span),
        instance: None,
        inputs: inputs.collect(),
        in_outs: Vec::new(),
        outputs: vec![output_of("", span)],
    };
    drawing.add(Kind::Block(block), span)
}

fn wire(from: u64, span: Span) -> Pin {
    Pin { wires: vec![Wire { from, output: None, span }], value: None, span }
}

/// Returns an input of a function, by its position.
fn input_of(pin: Pin) -> Input {
    Input { name: ident_of("", pin.span), modifiers: Modifiers::default(), pin }
}

fn input_of_named(name: &str, pin: Pin) -> Input {
    Input { name: ident_of(name, pin.span), modifiers: Modifiers::default(), pin }
}

fn output_of(name: &str, span: Span) -> Output {
    Output { name: ident_of(name, span), modifiers: Modifiers::default(), target: None }
}

fn ident_of(name: &str, span: Span) -> crate::ast::Ident {
    crate::ast::Ident { text: name.to_owned(), span }
}

fn name_of(name: &str, span: Span) -> Name {
    name_of_ident(ident_of(name, span))
}

fn name_of_ident(root: crate::ast::Ident) -> Name {
    let span = root.span;
    Name { root, path: Vec::new(), span }
}

fn one(span: Span) -> Expr {
    Expr { kind: crate::ast::ExprKind::Literal(None, crate::ast::Literal::Int(1)), span }
}
