//! What networks look like: one drawing for each, with the variables that carry its wires.

use std::collections::BTreeMap;

use super::graph::{Block, Kind, Modifiers, Network, Storage};
use super::link::Links;
use crate::ast::Edge;
use crate::hir::{Carrier, Diagram, DrawnElement, DrawnWire, Shape};
use crate::source::Span;

/// Pixels of a character, and of a row of a block.
const CHARACTER: i32 = 8;
const ROW: i32 = 20;
/// Pixels of a column and a row of the grid, where the file has no positions.
const GRID: (i32, i32) = (140, 60);

/// The drawings of a sheet's networks, from top to bottom. `order` holds what runs, in its order; `text` is the text of a place.
pub(super) fn draw(
    network: &Network,
    links: &Links,
    groups: &[(usize, Vec<usize>)],
    carriers: &[Vec<Option<String>>],
    text: &dyn Fn(Span) -> String,
) -> Vec<Diagram> {
    let mut diagrams = Vec::new();
    let has_places = has_places(network);
    for (_, members) in groups {
        let mut drawing =
            Drawing { network, links, carriers, text, index: BTreeMap::new(), elements: Vec::new(), wires: Vec::new() };
        drawing.elements(members, has_places);
        drawing.wires(members);
        diagrams.push(Diagram { home: None, elements: drawing.elements, wires: drawing.wires });
    }
    diagrams
}

struct Drawing<'a> {
    network: &'a Network,
    links: &'a Links,
    carriers: &'a [Vec<Option<String>>],
    text: &'a dyn Fn(Span) -> String,
    /// Element of the network → element of the drawing.
    index: BTreeMap<usize, usize>,
    elements: Vec<DrawnElement>,
    wires: Vec<DrawnWire>,
}

impl Drawing<'_> {
    fn elements(&mut self, members: &[usize], has_places: bool) {
        let grid = if has_places { BTreeMap::new() } else { self.grid(members) };
        for &i in members {
            let mut element = self.element(i);
            if let Some((column, row)) = grid.get(&i) {
                (element.x, element.y) = (column * GRID.0, row * GRID.1);
            }
            self.index.insert(i, self.elements.len());
            self.elements.push(element);
        }
        self.rail();
    }

    /// The left rail of this network: as high as it.
    fn rail(&mut self) {
        let top = self.elements.iter().map(|e| e.y).min().unwrap_or(0);
        let bottom = self.elements.iter().map(|e| e.y.saturating_add(e.height)).max().unwrap_or(0);
        let left = self.elements.iter().map(|e| e.x).min().unwrap_or(0);
        let span = self.elements.first().map_or(Span::none(), |e| e.span);
        let powered = |i: usize| matches!(self.network.nodes[i].kind, Kind::LeftRail);
        let members: Vec<usize> = self.index.keys().copied().collect();
        let rails =
            members.iter().flat_map(|&i| self.links.into[i].iter().flatten()).map(|l| l.from.node).filter(|&i| powered(i));
        let rails: Vec<usize> = rails.collect();
        if rails.is_empty() {
            return;
        }
        for rail in rails {
            self.index.insert(rail, self.elements.len());
        }
        self.elements.push(DrawnElement {
            shape: Shape::LeftRail,
            label: String::new(),
            mark: String::new(),
            x: left.saturating_sub(40),
            y: top,
            width: 4,
            height: bottom.saturating_sub(top).max(1),
            inputs: Vec::new(),
            outputs: Vec::new(),
            carrier: None,
            span,
        });
    }

    fn element(&self, i: usize) -> DrawnElement {
        let node = &self.network.nodes[i];
        let words = |span: Span| (self.text)(span);
        let (shape, label, mark) = match &node.kind {
            Kind::Contact { operand, modifiers, .. } => (Shape::Contact, words(operand.span), mark(*modifiers)),
            Kind::Coil { operand, modifiers, .. } => (Shape::Coil, words(operand.span), mark(*modifiers)),
            Kind::Source { value: e, modifiers } | Kind::Sink { target: e, modifiers, .. } => {
                (Shape::Variable, words(e.span), mark(*modifiers))
            }
            Kind::Both { place, .. } => (Shape::Variable, words(place.span), String::new()),
            Kind::Block(block) => {
                let instance = block.instance.as_ref().map_or(String::new(), |i| words(i.span));
                (Shape::Block, words(block.callee.span), instance)
            }
            Kind::Connector { name, .. } | Kind::Continuation { name } => (Shape::Connector, name.text.clone(), String::new()),
            Kind::Jump { label, .. } => (Shape::Jump, label.text.clone(), String::new()),
            Kind::Label(label) => (Shape::Label, label.text.clone(), String::new()),
            Kind::Return { .. } => (Shape::Return, "RETURN".to_owned(), String::new()),
            Kind::LeftRail => (Shape::LeftRail, String::new(), String::new()),
            Kind::RightRail(_) => (Shape::RightRail, String::new(), String::new()),
            Kind::Assertions(_) => (Shape::Other, "//#ASSERT".to_owned(), String::new()),
            Kind::Comment(words) => (Shape::Other, words.clone(), String::new()),
            Kind::Unmodelled(words) => (Shape::Other, (*words).to_owned(), String::new()),
        };
        let block = if let Kind::Block(block) = &node.kind { Some(block) } else { None };
        let (inputs, outputs) = block.map(pins).unwrap_or_default();
        let least = match shape {
            Shape::Contact | Shape::Coil => (30, ROW),
            Shape::Block => (60, ROW * (1 + inputs.len().max(outputs.len()).min(1000) as i32)),
            Shape::LeftRail | Shape::RightRail => (4, ROW),
            Shape::Variable
            | Shape::Connector
            | Shape::Jump
            | Shape::Label
            | Shape::Return
            | Shape::Other
            | Shape::Step
            | Shape::InitialStep
            | Shape::Transition
            | Shape::Action => (CHARACTER * label.chars().count().clamp(2, 60) as i32, ROW),
        };
        let (x, y) = node.at.unwrap_or((0, 0));
        let carrier = self.carriers.get(i).and_then(|outputs| outputs.first()).cloned().flatten();
        let (width, height) = (node.size.0.max(least.0), node.size.1.max(least.1));
        DrawnElement { shape, label, mark, x, y, width, height, inputs, outputs, carrier, span: node.extent }
    }

    fn wires(&mut self, members: &[usize]) {
        for &i in members {
            for (input, links) in self.links.into[i].iter().enumerate() {
                for link in links {
                    let (Some(&from), Some(&to)) = (self.index.get(&link.from.node), self.index.get(&i)) else { continue };
                    let carrier = if matches!(self.network.nodes[link.from.node].kind, Kind::LeftRail) {
                        Carrier::Always
                    } else {
                        let name = self.carriers.get(link.from.node).and_then(|outputs| outputs.get(link.from.output));
                        name.cloned().flatten().map_or(Carrier::Unknown, Carrier::Variable)
                    };
                    self.wires.push(DrawnWire { from, output: link.from.output, to, input, carrier });
                }
            }
        }
    }

    /// Columns by distance from what needs nothing, rows in the order of the elements.
    fn grid(&self, members: &[usize]) -> BTreeMap<usize, (i32, i32)> {
        let mut places: BTreeMap<usize, (i32, i32)> = BTreeMap::new();
        let mut used: BTreeMap<i32, i32> = BTreeMap::new();
        for &i in members {
            let before = self.links.into[i].iter().flatten().filter_map(|l| places.get(&l.from.node));
            let (column, row) = before.fold((0, 0), |(c, r), (column, row)| (c.max(column + 1), r.max(*row)));
            let free = used.entry(column).or_insert(0);
            let row = row.max(*free);
            *free = row + 1;
            places.insert(i, (column, row));
        }
        places
    }
}

/// Whether the file says where its elements are: not all at one place.
fn has_places(network: &Network) -> bool {
    let mut places = network.nodes.iter().filter(|n| !matches!(n.kind, Kind::Comment(_))).map(|n| n.at);
    let first = places.next().flatten();
    first.is_some() && places.any(|at| at.is_some() && at != first)
}

fn mark(modifiers: Modifiers) -> String {
    let edge = match modifiers.edge {
        Some(Edge::Rising) => "P",
        Some(Edge::Falling) => "N",
        None => "",
    };
    let storage = match modifiers.storage {
        Some(Storage::Set) => "S",
        Some(Storage::Reset) => "R",
        None => "",
    };
    format!("{}{edge}{storage}", if modifiers.negated { "/" } else { "" })
}

/// Names of the inputs and outputs of a block, in-outs last on both sides.
fn pins(block: &Block) -> (Vec<String>, Vec<String>) {
    let bubble = |name: &str, modifiers: Modifiers| format!("{}{name}", if modifiers.negated { "○" } else { "" });
    let inputs = block.inputs.iter().chain(&block.in_outs).map(|p| bubble(&p.name.text, p.modifiers));
    let outputs = block.outputs.iter().map(|p| bubble(&p.name.text, p.modifiers));
    let passed = block.in_outs.iter().map(|p| p.name.text.clone());
    (inputs.collect(), outputs.chain(passed).collect())
}
