//! Drawings of networks: one for each, with the sources of the values on its wires.

use std::collections::{BTreeMap, BTreeSet};

use super::build;
use super::graph::{Block, Kind, Modifiers, Network, Storage};
use super::link::Links;
use crate::ast::unnamed_pin::is_unnamed;
use crate::ast::{Edge, Expr, ExprKind, Literal, NameElem};
use crate::hir::{Carrier, Diagram, DrawnElement, DrawnWire, Shape};
use crate::text::Span;

/// Pixels of a character, and of a row of a block.
const CHARACTER: i32 = 8;
const ROW: i32 = 20;
/// Pixels of a column and a row of the grid, where the file has no positions.
const GRID: (i32, i32) = (140, 60);

/// A sheet that is drawn.
pub(super) struct Sheet<'a> {
    pub(super) network: &'a Network,
    pub(super) links: &'a Links,
    /// Of each output of each element, the source of its value.
    pub(super) carriers: &'a [Vec<Carrier>],
    /// Wires that carry the value of the cycle before.
    pub(super) feedback: &'a BTreeSet<Span>,
    /// The text of a place.
    pub(super) text: &'a dyn Fn(Span) -> String,
}

/// Returns the drawings of a sheet's networks, from top to bottom. Each group holds its elements in the order in which they run.
pub(super) fn draw(sheet: &Sheet<'_>, groups: &[(usize, Vec<usize>)]) -> Vec<Diagram> {
    let mut diagrams = Vec::new();
    let has_places = has_places(sheet.network);
    for (_, members) in groups {
        let mut drawing = Drawing { sheet, index: BTreeMap::new(), elements: Vec::new(), wires: Vec::new() };
        drawing.elements(members, has_places);
        drawing.wires(members);
        drawing.pin_values(members);
        diagrams.push(Diagram { home: None, title: None, elements: drawing.elements, wires: drawing.wires });
    }
    diagrams
}

/// Returns the value of the expression at a place; unknown for expressions without a place of their own.
pub(super) fn expression(span: Span) -> Carrier {
    if span.start < span.end { Carrier::Expression(span) } else { Carrier::Unknown }
}

/// Returns the value of an operand; a NOT behind it has the same place.
fn read(operand: &Expr, modifiers: Modifiers) -> Carrier {
    match (expression(operand.span), modifiers.negated) {
        (Carrier::Expression(span), true) => Carrier::Complement(span),
        (carrier, _) => carrier,
    }
}

/// Removes sources that several elements of a body share: an event of such a source fits all of them.
pub(super) fn forget_shared(diagrams: &mut [Diagram]) {
    let mut users: BTreeMap<(bool, Span), u32> = BTreeMap::new();
    let key = |carrier: &Carrier| match carrier {
        Carrier::Expression(span) | Carrier::Complement(span) => Some((true, *span)),
        Carrier::Written(span) => Some((false, *span)),
        Carrier::Always | Carrier::Hidden(_) | Carrier::State(_) | Carrier::Unknown => None,
    };
    for e in diagrams.iter().flat_map(|d| &d.elements) {
        let (own, output) = (key(&e.operand), key(&e.carrier));
        for key in own.into_iter().chain(output.filter(|o| own != Some(*o))) {
            *users.entry(key).or_default() += 1;
        }
    }
    let forget = |carrier: &mut Carrier| {
        if key(carrier).and_then(|key| users.get(&key)).is_some_and(|n| 1 < *n) {
            *carrier = Carrier::Unknown;
        }
    };
    for diagram in diagrams {
        diagram.elements.iter_mut().flat_map(|e| [&mut e.carrier, &mut e.operand]).for_each(forget);
        diagram.wires.iter_mut().map(|w| &mut w.carrier).for_each(forget);
    }
}

struct Drawing<'a> {
    sheet: &'a Sheet<'a>,
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

    /// Adds the left rail, as high as this network.
    fn rail(&mut self) {
        let top = self.elements.iter().map(|e| e.y).min().unwrap_or(0);
        let bottom = self.elements.iter().map(|e| e.y.saturating_add(e.height)).max().unwrap_or(0);
        let left = self.elements.iter().map(|e| e.x).min().unwrap_or(0);
        let span = self.elements.first().map_or(Span::none(), |e| e.span);
        let powered = |i: usize| matches!(self.sheet.network.nodes[i].kind, Kind::LeftRail);
        let members: Vec<usize> = self.index.keys().copied().collect();
        let rails =
            members.iter().flat_map(|&i| self.sheet.links.into[i].iter().flatten()).map(|l| l.from.node).filter(|&i| powered(i));
        let rails: Vec<usize> = rails.collect();
        if rails.is_empty() {
            return;
        }
        for rail in rails {
            self.index.insert(rail, self.elements.len());
        }
        let (at, size) = ((left.saturating_sub(40), top), (4, bottom.saturating_sub(top).max(1)));
        let rail = DrawnElement::new(Shape::LeftRail, String::new(), at, size, span);
        self.elements.push(DrawnElement { carrier: Carrier::Always, ..rail });
    }

    fn element(&self, i: usize) -> DrawnElement {
        let node = &self.sheet.network.nodes[i];
        let words = |span: Span| (self.sheet.text)(span);
        let (shape, label, mark) = match &node.kind {
            Kind::Contact { operand, modifiers, .. } => (Shape::Contact, words(operand.span), mark(*modifiers)),
            Kind::Coil { operand, modifiers, .. } => (Shape::Coil, words(operand.span), mark(*modifiers)),
            Kind::Source { value: e, modifiers } | Kind::Sink { target: e, modifiers, .. } => {
                (Shape::Variable, words(e.span), mark(*modifiers))
            }
            Kind::Both { place, .. } => (Shape::Variable, words(place.span), String::new()),
            Kind::Block(block) => {
                let instance = block.instance.as_ref().map_or(String::new(), |i| words(i.span));
                (Shape::Block, type_name(block, &words), instance)
            }
            Kind::Connector { name, .. } | Kind::Continuation { name } => (Shape::Connector, name.text.clone(), String::new()),
            Kind::Jump { label, negated, .. } => (Shape::Jump, label.text.clone(), slash(*negated)),
            Kind::Label(label) => (Shape::Label, label.text.clone(), String::new()),
            Kind::Return { negated, .. } => (Shape::Return, "RETURN".to_owned(), slash(*negated)),
            Kind::LeftRail => (Shape::LeftRail, String::new(), String::new()),
            Kind::RightRail(_) => (Shape::RightRail, String::new(), String::new()),
            Kind::Assertions(_) => (Shape::Other, "//#ASSERT".to_owned(), String::new()),
            Kind::Comment(words) => (Shape::Other, words.clone(), String::new()),
            Kind::Unmodelled(words) => (Shape::Other, (*words).to_owned(), String::new()),
        };
        let block = if let Kind::Block(block) = &node.kind { Some(block) } else { None };
        let (inputs, outputs) = block.map(pins).unwrap_or_default();
        #[expect(clippy::wildcard_enum_match_arm, reason = "other shapes are as wide as their labels")]
        let least = match shape {
            Shape::Contact | Shape::Coil => (30, ROW),
            Shape::Block => (60, ROW * (1 + inputs.len().max(outputs.len()).min(1000) as i32)),
            Shape::LeftRail | Shape::RightRail => (4, ROW),
            _ => (CHARACTER * label.chars().count().clamp(2, 60) as i32, ROW),
        };
        let carrier = self.sheet.carriers.get(i).and_then(|outputs| outputs.first()).cloned().unwrap_or(Carrier::Unknown);
        #[expect(clippy::wildcard_enum_match_arm, reason = "other elements show no operand")]
        let operand = match &node.kind {
            Kind::Contact { operand: value, modifiers, .. } | Kind::Source { value, modifiers } => read(value, *modifiers),
            Kind::Coil { operand: target, .. } | Kind::Sink { target, .. } => written(target),
            Kind::Both { place, input, .. } if input.is_open() => expression(place.span),
            Kind::Both { place, .. } => written(place),
            _ => Carrier::Unknown,
        };
        let size = (node.size.0.max(least.0), node.size.1.max(least.1));
        let drawn = DrawnElement::new(shape, label, node.at.unwrap_or((0, 0)), size, node.extent);
        DrawnElement { mark, inputs, outputs, carrier, operand, statement: Some(node.span), ..drawn }
    }

    fn wires(&mut self, members: &[usize]) {
        for &i in members {
            for (input, links) in self.sheet.links.into[i].iter().enumerate() {
                for link in links {
                    let (Some(&from), Some(&to)) = (self.index.get(&link.from.node), self.index.get(&i)) else { continue };
                    let carrier = if self.sheet.feedback.contains(&link.span) {
                        expression(link.span)
                    } else {
                        let outputs = self.sheet.carriers.get(link.from.node);
                        outputs.and_then(|o| o.get(link.from.output)).cloned().unwrap_or(Carrier::Unknown)
                    };
                    self.wires.push(DrawnWire { from, output: link.from.output, to, input, carrier });
                }
            }
        }
    }

    /// Adds values and variables that are written at pins, as elements of their own beside the pin.
    fn pin_values(&mut self, members: &[usize]) {
        const APART: i32 = 20;
        for &i in members {
            let node = &self.sheet.network.nodes[i];
            let Some(&at) = self.index.get(&i) else { continue };
            let (x, y, width, height) = {
                let e = &self.elements[at];
                (e.x, e.y, e.width, e.height)
            };
            let row = |n: usize, of: usize| {
                let (n, of) = (n.min(1_000) as i32, of.min(1_000) as i32);
                y.saturating_add(height.saturating_mul(n + 1) / (of + 1) - ROW / 2)
            };
            let pins = node.kind.pins();
            for (input, pin) in pins.iter().enumerate() {
                let Some(value) = &pin.value else { continue };
                let label = constant(value, (self.sheet.text)(value.span));
                let wide = CHARACTER * label.chars().count().clamp(2, 60) as i32;
                let carrier = if build::is_true(value) { Carrier::Always } else { expression(value.span) };
                let place = (x.saturating_sub(wide + APART), row(input, pins.len()));
                let element = beside(label, place, wide, value.span, carrier.clone());
                self.wires.push(DrawnWire { from: self.elements.len(), output: 0, to: at, input, carrier });
                self.elements.push(element);
            }
            let Kind::Block(block) = &node.kind else { continue };
            let n_outputs = block.outputs.len() + block.in_outs.len();
            for (output, target) in block.outputs.iter().enumerate().filter_map(|(n, o)| Some((n, o.target.as_ref()?))) {
                let label = (self.sheet.text)(target.span);
                let wide = CHARACTER * label.chars().count().clamp(2, 60) as i32;
                let place = (x.saturating_add(width + APART), row(output, n_outputs));
                let mut element = beside(label, place, wide, target.span, Carrier::Unknown);
                element.operand = written(target);
                self.wires.push(DrawnWire { from: at, output, to: self.elements.len(), input: 0, carrier: Carrier::Unknown });
                self.elements.push(element);
            }
        }
    }

    /// Returns a column and a row of each element: columns by distance from elements without inputs, rows in the order of
    /// elements.
    fn grid(&self, members: &[usize]) -> BTreeMap<usize, (i32, i32)> {
        let mut places: BTreeMap<usize, (i32, i32)> = BTreeMap::new();
        let mut used: BTreeMap<i32, i32> = BTreeMap::new();
        for &i in members {
            let before = self.sheet.links.into[i].iter().flatten().filter_map(|l| places.get(&l.from.node));
            let (column, row) = before.fold((0, 0), |(c, r), (column, row)| (c.max(column + 1), r.max(*row)));
            let free = used.entry(column).or_insert(0);
            let row = row.max(*free);
            *free = row + 1;
            places.insert(i, (column, row));
        }
        places
    }
}

/// Returns the type of a block as it is written; if the file has another name for it, the name of the standard.
fn type_name(block: &Block, words: &dyn Fn(Span) -> String) -> String {
    let text = words(block.callee.span);
    if is_written(&text) { text } else { block.callee.root.text.clone() }
}

/// Returns the text of a value at a pin; a constant without a text in the file is written as a number.
fn constant(value: &Expr, text: String) -> String {
    if let (ExprKind::Literal(None, Literal::Int(number)), false) = (&value.kind, is_written(&text)) {
        return number.to_string();
    }
    text
}

/// Returns whether a text belongs to the program, not to the tags around it: their characters are blanks.
fn is_written(text: &str) -> bool {
    !text.is_empty() && !text.contains(char::is_control)
}

/// Returns a variable beside a pin.
fn beside(label: String, at: (i32, i32), width: i32, span: Span, carrier: Carrier) -> DrawnElement {
    let operand = carrier.clone();
    DrawnElement { carrier, operand, ..DrawnElement::new(Shape::Variable, label, at, (width, ROW), span) }
}

/// Returns the value that is written to a variable; unknown for a bit, because a run shows the whole variable.
fn written(target: &Expr) -> Carrier {
    let is_bit = matches!(&target.kind, ExprKind::Name(name) if matches!(name.path.last(), Some(NameElem::Bits { .. })));
    if is_bit || target.span.end <= target.span.start { Carrier::Unknown } else { Carrier::Written(target.span) }
}

/// Returns whether the file has positions of its elements, not one for all.
fn has_places(network: &Network) -> bool {
    let mut places = network.nodes.iter().filter(|n| !matches!(n.kind, Kind::Comment(_))).map(|n| n.at);
    let first = places.next().flatten();
    first.is_some() && places.any(|at| at.is_some() && at != first)
}

fn slash(negated: bool) -> String {
    if negated { "/".to_owned() } else { String::new() }
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

/// Returns names of the inputs and outputs of a block, in-outs last on both sides.
fn pins(block: &Block) -> (Vec<String>, Vec<String>) {
    let bubble = |name: &str, modifiers: Modifiers| {
        let edge = modifiers.edge.map_or("", |edge| if edge == Edge::Rising { "↑" } else { "↓" });
        let name = if is_unnamed(name) { "" } else { name };
        format!("{}{edge}{name}", if modifiers.negated { "○" } else { "" })
    };
    let inputs = block.inputs.iter().chain(&block.in_outs).map(|p| bubble(&p.name.text, p.modifiers));
    let outputs = block.outputs.iter().map(|p| bubble(&p.name.text, p.modifiers));
    let passed = block.in_outs.iter().map(|p| p.name.text.clone());
    (inputs.collect(), outputs.chain(passed).collect())
}
