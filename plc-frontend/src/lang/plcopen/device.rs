//! Channels of devices (CODESYS): variables that are declared by mapping them to a channel.

use super::Reader;
use super::types::ELEMENTARY;
use crate::ast::{Ident, Item, Section, TypeSpec, VarBlock, VarDecl};
use crate::hir::{Address, AddressArea, AddressSize};
use crate::lang::xml::Element;
use crate::text::Diagnostic;

impl<'d> Reader<'d> {
    /// Reads the variables of a device's channels: inputs and outputs without a known address.
    pub(super) fn device(&mut self, device: Element<'d>) {
        for parameter in device.descendants().filter(|e| e.name() == "Parameter") {
            let Some(mapping) = parameter.child("Mapping") else { continue };
            let channel = parameter.child("Attributes").and_then(|a| a.attribute("channel"));
            let area = match channel.as_ref().map(|c| c.text.trim()) {
                Some("input") => Some(AddressArea::Input),
                Some("output") => Some(AddressArea::Output),
                Some(_) | None => None,
            };
            let ty = parameter.attribute("type").map(|t| t.text.rsplit(':').next().unwrap_or("").to_ascii_uppercase());
            let bits: Vec<Element<'d>> = mapping.descendants().filter(|e| e.name() == "Element").collect();
            if bits.is_empty() {
                self.channel(mapping, area, ty.as_deref().unwrap_or(""));
            }
            for bit in bits {
                let is_bit = bit.attribute("name").is_some_and(|n| n.text.to_ascii_uppercase().starts_with("BIT"));
                self.channel(bit, area, if is_bit { "BOOL" } else { "" });
            }
        }
    }

    fn channel(&mut self, element: Element<'d>, area: Option<AddressArea>, ty: &str) {
        let text = element.text();
        let name = text.trim();
        if name.is_empty() {
            return;
        }
        let span = element.span();
        let is_name = name.chars().all(|c| c.is_alphanumeric() || c == '_');
        let (Some(area), true, true) = (area, is_name, ELEMENTARY.contains(&ty)) else {
            // As memory, an input would always have its initial value.
            let message = format!("`{name}` is mapped to a channel of a device in a way that is not read");
            let finding = Diagnostic::error("P1006", span, message, "an input or output");
            self.findings.push(finding.help("map the channel to a new variable, or declare the variable with AT %I* or AT %Q*"));
            return;
        };
        let ty = TypeSpec::named(ty, span);
        let address = Address { area, size: AddressSize::Bit, path: Vec::new() };
        let var = VarDecl { address: Some((address, span)), ..VarDecl::new(Ident::new(name, span), ty, span) };
        self.unit.items.push(Item::Globals(VarBlock::new(Section::Global, vec![var], span)));
    }
}
