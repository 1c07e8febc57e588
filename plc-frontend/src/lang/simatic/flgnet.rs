//! LAD and FBD: parts and the wires between their pins become a network.

use std::collections::BTreeMap;

use super::access::Unmodelled;
use super::part::PartReader;
use super::{Reader, ident};
use crate::ast::{Expr, Ident, TypeSpec, TypeSpecKind};
use crate::lang::network::Callee;
use crate::lang::network::graph::{Kind, Language, Modifiers, Network, Node, Pin};
use crate::lang::xml::Element;
use crate::text::Span;

/// A network with the declarations of the blocks that it calls.
pub(super) struct DrawnNetwork {
    pub(super) network: Network,
    pub(super) callees: BTreeMap<String, Callee>,
}

/// The pin of a part: its number and name in lower case.
pub(super) type PinKey = (u64, String);

/// Start of a wire.
#[derive(Clone)]
pub(super) enum Begin {
    Rail,
    Operand(u64),
    Pin(PinKey),
}

/// A network under construction.
#[derive(Default)]
pub(super) struct Drawing<'d> {
    pub(super) operands: BTreeMap<u64, Element<'d>>,
    /// Start of the wire that ends at a pin.
    pub(super) arrives: BTreeMap<PinKey, (Begin, Span)>,
    /// Operands that a pin is wired to as their source.
    pub(super) leaves: BTreeMap<PinKey, Vec<(u64, Span)>>,
    /// Element and output behind a pin of a part.
    pub(super) outputs: BTreeMap<PinKey, (u64, Option<Ident>)>,
    pub(super) nodes: Vec<Node>,
    pub(super) callees: BTreeMap<String, Callee>,
    /// The next number of an element that is not in the file.
    pub(super) next: u64,
    /// Pins that were read; the others are reported.
    pub(super) seen: std::collections::BTreeSet<PinKey>,
}

/// The number of the element that stands for the power rail; numbers of parts are small.
pub(super) const RAIL: u64 = u64::MAX;

impl Reader<'_> {
    /// Reads a network; the error is a part of it that is not modelled.
    pub(super) fn flgnet(&mut self, net: Element<'_>) -> Result<DrawnNetwork, Unmodelled> {
        let mut drawing = Drawing { next: 1 << 40, ..Drawing::default() };
        let mut parts = Vec::new();
        for element in net.child("Parts").into_iter().flat_map(|p| p.children()) {
            let id = number(element, "UId").ok_or("element without a number")?;
            match element.name() {
                "Access" => {
                    drawing.operands.insert(id, element);
                }
                "Part" | "Call" => parts.push((id, element)),
                _ => return Err("element of a network of a kind that is not read"),
            }
        }
        for wire in net.child("Wires").into_iter().flat_map(|w| w.children()) {
            drawing.wire(wire)?;
        }
        drawing.nodes.push(Node { order: Some(0), ..Node::new(RAIL, Kind::LeftRail, net.tag_span()) });
        for label in net.child("Labels").into_iter().flat_map(|l| l.children()) {
            let label = label.child("Label").unwrap_or(label);
            let name = label.attribute("Name").ok_or("label without a name")?;
            drawing.add(Kind::Label(ident(name.text.trim(), name.span)), label.tag_span());
        }
        for (id, part) in &parts {
            PartReader { reader: self, drawing: &mut drawing, id: *id, span: part.tag_span() }.part(*part)?;
        }
        // An operand that is written comes after the part that writes it.
        let known: Vec<PinKey> = drawing.arrives.keys().chain(drawing.leaves.keys()).cloned().collect();
        if known.iter().any(|key| !drawing.seen.contains(key)) {
            return Err("network with a pin that is not read");
        }
        for (at, node) in drawing.nodes.iter_mut().enumerate() {
            node.order = Some(at as u32);
            node.at = Some((0, at as i32));
        }
        let network = Network { language: Language::Ladder, nodes: drawing.nodes };
        Ok(DrawnNetwork { network, callees: drawing.callees })
    }
}

impl<'d> Drawing<'d> {
    fn wire(&mut self, wire: Element<'d>) -> Result<(), Unmodelled> {
        let span = wire.tag_span();
        let mut begin = None;
        for end in wire.children() {
            let key = || -> Result<PinKey, Unmodelled> {
                let name = end.attribute("Name").ok_or("wire to a pin without a name")?;
                Ok((number(end, "UId").ok_or("wire without a number")?, name.text.trim().to_ascii_lowercase()))
            };
            let here = match end.name() {
                "Powerrail" => Begin::Rail,
                "IdentCon" => Begin::Operand(number(end, "UId").ok_or("wire without a number")?),
                "NameCon" => Begin::Pin(key()?),
                // A symbol without a connection.
                "OpenCon" | "Openbranch" => continue,
                _ => return Err("wire of a kind that is not read"),
            };
            let Some(from) = &begin else {
                begin = Some(here);
                continue;
            };
            match (from, here) {
                (_, Begin::Rail) => return Err("wire that leads to the power rail"),
                (Begin::Pin(from), Begin::Operand(operand)) => {
                    self.leaves.entry(from.clone()).or_default().push((operand, span));
                }
                (Begin::Rail | Begin::Operand(_), Begin::Operand(_)) => return Err("wire between operands"),
                (from, Begin::Pin(pin)) => {
                    if self.arrives.insert(pin, (from.clone(), span)).is_some() {
                        return Err("pin with two wires");
                    }
                }
            }
        }
        // A wire with one end is an open pin.
        Ok(())
    }

    /// Adds an element and returns its number.
    pub(super) fn add(&mut self, kind: Kind, span: Span) -> u64 {
        self.next += 1;
        self.nodes.push(Node::new(self.next, kind, span));
        self.next
    }

    /// Adds the writing of a variable.
    pub(super) fn sink(&mut self, target: Expr, input: Pin, span: Span) {
        self.add(Kind::Sink { target, modifiers: Modifiers::default(), input }, span);
    }

    /// Returns the operand at a pin for a variable, such as that of a contact.
    pub(super) fn operand_at(&mut self, part: u64, name: &str) -> Result<Element<'d>, Unmodelled> {
        let key = (part, name.to_ascii_lowercase());
        self.seen.insert(key.clone());
        let written = self.leaves.get(&key).and_then(|ends| ends.first()).map(|(operand, _)| *operand);
        let read = match self.arrives.get(&key) {
            Some((Begin::Operand(operand), _)) => Some(*operand),
            Some((Begin::Rail | Begin::Pin(_), _)) | None => None,
        };
        let operand = read.or(written).ok_or("element without an operand")?;
        self.operands.get(&operand).copied().ok_or("wire from an operand that does not exist")
    }
}

/// Returns an attribute as a number.
pub(super) fn number(element: Element<'_>, name: &str) -> Option<u64> {
    element.attribute(name).and_then(|n| n.text.trim().parse().ok())
}

/// Returns a type by its name in a parameter of a call.
pub(super) fn named_type(name: &str, span: Span) -> TypeSpec {
    TypeSpec { kind: TypeSpecKind::Name(ident(name.trim_matches('"'), span)), span }
}
