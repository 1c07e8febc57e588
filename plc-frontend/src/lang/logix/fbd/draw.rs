//! Drawings of sheets, with the values that replays show.

use std::collections::BTreeMap;

use super::super::program::ACTION;
use super::sheets::{Kind, Node, Sheets};
use crate::ast::{Expr, ExprKind, NameElem};
use crate::hir::{Carrier, Diagram, DrawnElement, DrawnWire, Shape};
use crate::lang::common::clipped;

const ROW: i32 = 20;

/// Most elements of a drawing.
const MOST: usize = 2_000;

/// Returns a drawing of each sheet.
pub(super) fn draw(sheets: &Sheets, home: Option<&str>, text: &str) -> Vec<Diagram> {
    let Some(home) = home.filter(|_| sheets.nodes.len() <= MOST && sheets.wires.len() <= MOST) else { return Vec::new() };
    let n_sheets = sheets.nodes.iter().map(|node| node.sheet + 1).max().unwrap_or(0);
    let mut diagrams = Vec::new();
    for sheet in 0..n_sheets {
        let title = Some(format!("{}, sheet {}", home.trim_end_matches('_').trim_end_matches(ACTION), sheet + 1));
        let mut diagram = Diagram { home: Some(home.to_owned()), title, elements: Vec::new(), wires: Vec::new() };
        let mut index = BTreeMap::new();
        for (at, node) in sheets.nodes.iter().enumerate().filter(|(_, node)| node.sheet == sheet) {
            index.insert(at, diagram.elements.len());
            diagram.elements.push(element(sheets, at, node, text));
        }
        // A wire from another sheet has a connector at its end.
        for wire in &sheets.wires {
            let (Some(&from), Some(&to)) = (index.get(&wire.from.node), index.get(&wire.to)) else { continue };
            let output = position(&diagram.elements[from].outputs, &wire.from.pin);
            let input = position(&diagram.elements[to].inputs, &wire.to_pin);
            let carrier = match &sheets.nodes[wire.from.node].kind {
                Kind::Block(block) if !wire.is_feedback => state(&block.tag, &wire.from.pin),
                Kind::Input(value) => Carrier::Expression(value.span),
                Kind::Block(_) | Kind::Output(_) => Carrier::Unknown,
            };
            diagram.wires.push(DrawnWire { from, output, to, input, carrier });
        }
        if !diagram.elements.is_empty() {
            diagrams.push(diagram);
        }
    }
    diagrams
}

fn element(sheets: &Sheets, at: usize, node: &Node, text: &str) -> DrawnElement {
    let words = |e: &Expr| clipped(text.get(e.span.start as usize..e.span.end as usize).unwrap_or("").to_owned(), 40);
    let wide = |label: &str| 8 * label.chars().count().clamp(2, 60) as i32;
    match &node.kind {
        Kind::Input(value) => {
            let label = words(value);
            let size = (wide(&label), ROW);
            let carrier = Carrier::Expression(value.span);
            let drawn = DrawnElement::new(Shape::Variable, label, node.at, size, node.span);
            DrawnElement { operand: carrier.clone(), carrier, ..drawn }
        }
        Kind::Output(target) => {
            let label = words(target);
            let size = (wide(&label), ROW);
            let is_bit = matches!(&target.kind, ExprKind::Name(name) if matches!(name.path.last(), Some(NameElem::Bits { .. })));
            let operand = if is_bit { Carrier::Unknown } else { Carrier::Written(target.span) };
            DrawnElement { operand, ..DrawnElement::new(Shape::Variable, label, node.at, size, node.span) }
        }
        Kind::Block(block) => {
            let inputs = pins(sheets.wires.iter().filter(|wire| wire.to == at).map(|wire| wire.to_pin.as_str()));
            let outputs = pins(sheets.wires.iter().filter(|wire| wire.from.node == at).map(|wire| wire.from.pin.as_str()));
            let rows = 1 + inputs.len().max(outputs.len()).min(1_000) as i32;
            let drawn = DrawnElement::new(Shape::Block, block.name.clone(), node.at, (110, ROW * rows), block.tag.span);
            let carrier = outputs.first().map_or(Carrier::Unknown, |pin| state(&block.tag, pin));
            DrawnElement { mark: words(&block.tag), inputs, outputs, carrier, statement: Some(node.span), ..drawn }
        }
    }
}

/// Returns the value of a member of a block's tag: it changes only where the block executes.
fn state(tag: &Expr, pin: &str) -> Carrier {
    if let ExprKind::Name(name) = &tag.kind
        && name.path.is_empty()
    {
        Carrier::State(format!("{}.{pin}", name.root.text))
    } else {
        Carrier::Unknown
    }
}

fn pins<'w>(names: impl Iterator<Item = &'w str>) -> Vec<String> {
    let mut pins: Vec<String> = Vec::new();
    for name in names {
        if !pins.iter().any(|pin| pin == name) {
            pins.push(name.to_owned());
        }
    }
    pins
}

fn position(pins: &[String], wanted: &str) -> usize {
    pins.iter().position(|pin| pin == wanted).unwrap_or(0)
}
