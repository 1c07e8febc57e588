//! Calls in networks: timers and counters of the standard, blocks of the program.

use super::{PartReader, input_of, output_of};
use crate::ast::{ExprKind, Ident, Name};
use crate::lang::network::Callee;
use crate::lang::network::graph::{Block, Input, Kind, Modifiers, Output};
use crate::lang::simatic::access::{Unmodelled, scope_of, symbol_text};
use crate::lang::simatic::flgnet::named_type;
use crate::lang::simatic::{bytes, ident};
use crate::lang::st::embedded;
use crate::lang::xml::Element;
use crate::text::key;

impl<'d> PartReader<'_, '_, 'd> {
    /// Adds a call of a standard block.
    pub(super) fn standard_block(
        &mut self,
        part: Element<'d>,
        block: &str,
        inputs: &[&str],
        outputs: &[&str],
    ) -> Result<(), Unmodelled> {
        let span = self.span;
        let instance = part.child("Instance").ok_or("timer or counter without an instance")?;
        let instance = self.instance_name(instance)?;
        let mut wired = Vec::new();
        for name in inputs {
            if self.is_connected(name) {
                wired.push(input_of(name, self.input(name, span)?));
            }
        }
        let given = outputs.iter().map(|name| output_of(name, span)).collect();
        let callee = Name::plain(Ident::new(block, span));
        let block = Block { callee, instance: Some(instance), inputs: wired, in_outs: Vec::new(), outputs: given };
        let node = self.drawing.add(Kind::Block(block), span);
        for name in outputs {
            self.gives(name, node, Some(Ident::new(*name, span)));
        }
        self.written(outputs)
    }

    /// Adds a call of a block of the program.
    pub(super) fn call(&mut self, part: Element<'d>) -> Result<(), Unmodelled> {
        let info = part.child("CallInfo").ok_or("call without a block")?;
        let span = self.span;
        let name = info.attribute("Name").ok_or("call without a block")?;
        let instance = match info.child("Instance") {
            Some(instance) => Some(self.instance_name(instance)?),
            None => None,
        };
        let mut block = Block {
            callee: Name::plain(ident(name.text.trim(), name.span)),
            instance,
            inputs: Vec::new(),
            in_outs: Vec::new(),
            outputs: vec![output_of("ENO", span)],
        };
        let mut callee = Callee::default();
        if self.is_connected("en") {
            block.inputs.push(input_of("EN", self.input("en", span)?));
        }
        let mut written = vec!["eno".to_owned()];
        for parameter in info.children_named("Parameter") {
            let name = parameter.attribute("Name").ok_or("parameter without a name")?;
            let section = parameter.attribute("Section").map_or(String::new(), |s| s.text.into_owned());
            let ty = parameter.attribute("Type").map_or(String::new(), |t| t.text.into_owned());
            let plain = ident(name.text.trim(), name.span);
            match section.as_str() {
                "Input" | "InOut" => {
                    let pin = self.input(&name.text, name.span)?;
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
                    let result = if section == "Return" { Ident::new("", name.span) } else { plain.clone() };
                    if section == "Output" {
                        callee.outputs.push((plain.text.clone(), named_type(&ty, name.span)));
                    }
                    block.outputs.push(Output { name: result.clone(), modifiers: Modifiers::default(), target: None });
                    written.push(key(&name.text));
                }
                _ => return Err("parameter of a kind that is not read"),
            }
        }
        self.drawing.callees.insert(key(&block.callee.root.text), callee);
        let outputs: Vec<_> = block.outputs.iter().map(|o| o.name.clone()).collect();
        let node = self.drawing.add(Kind::Block(block), span);
        for (pin, output) in written.iter().zip(outputs) {
            self.gives(pin, node, Some(output));
        }
        self.written(&written)
    }

    /// Reads the name of an instance.
    fn instance_name(&mut self, instance: Element<'_>) -> Result<Name, Unmodelled> {
        let text = symbol_text(instance, &scope_of(instance), &self.reader.locals)?;
        let range = self.reader.overlay.put(bytes(instance.span()), &text).ok_or("operand with a long name")?;
        let parsed = embedded::expression(self.reader.unit.file, &self.reader.overlay.text, range);
        match self.reader.findings.keep(parsed).map(|e| e.kind) {
            Some(ExprKind::Name(name)) => Ok(name),
            Some(_) | None => Err("instance without a name"),
        }
    }
}
