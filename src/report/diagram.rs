//! Networks and charts of drawn programs: as plain data in the outcome, and as SVG, with what is alive in one cycle.
//!
//! Colours come from the style sheet; shapes, words and thick lines say the same without.

use std::collections::BTreeMap;

use askama::Template;
use plc_frontend::Loaded;
use plc_frontend::hir::{self, Carrier};
use plc_frontend::source::Origin;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::outcome::{Cycle, Place};
use super::place::place;

/// A network or chart.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Diagram {
    /// The POU that it is part of.
    pub pou: String,
    /// The action whose body it is, if it is not the POU's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub home: Option<String>,
    /// Where it is.
    pub place: Place,
    /// What is drawn.
    pub elements: Vec<Element>,
    /// Lines between outputs and inputs.
    pub wires: Vec<Wire>,
}

/// An element of a drawing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Element {
    /// What it looks like.
    pub shape: Shape,
    /// Its variable, name or type.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub label: String,
    /// `/`, `P`, `S`, the instance of a block, the qualifier of an action.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub mark: String,
    /// Left edge in pixels, from the drawing's.
    pub x: i32,
    /// Upper edge in pixels, from the drawing's.
    pub y: i32,
    /// In pixels.
    pub width: i32,
    /// In pixels.
    pub height: i32,
    /// Names of the inputs of a block.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub inputs: Vec<String>,
    /// Names of the outputs of a block.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub outputs: Vec<String>,
    /// The variable of the POU that says whether it is alive.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub carrier: Option<String>,
}

/// A line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Wire {
    /// The element it comes from.
    pub from: usize,
    /// Which output of it.
    pub output: usize,
    /// The element it leads to.
    pub to: usize,
    /// Which input of it.
    pub input: usize,
    /// It comes from the rail: always alive.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub always: bool,
    /// The variable of the POU that it carries.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub carrier: Option<String>,
}

/// What an element looks like.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[expect(missing_docs, reason = "named after what they look like")]
pub enum Shape {
    LeftRail,
    RightRail,
    Contact,
    Coil,
    Variable,
    Block,
    Connector,
    Jump,
    Label,
    Return,
    Other,
    Step,
    InitialStep,
    Transition,
    Action,
}

/// More elements than this are not drawn: nobody looks at them, and outcomes stay small.
const MAX_ELEMENTS: usize = 10_000;

/// The drawings of the user's POUs.
pub fn diagrams(loaded: &Loaded) -> Vec<Diagram> {
    let mut left = MAX_ELEMENTS;
    let mut all = Vec::new();
    for pou in loaded.project.pous.iter().filter(|p| p.origin == Origin::User) {
        for diagram in &pou.diagrams {
            let Some(first) = diagram.elements.first() else { continue };
            let Some(rest) = left.checked_sub(diagram.elements.len()) else { return all };
            left = rest;
            // Only the beginning of its first element is where it is.
            let mut place = place(&loaded.sources, first.span);
            place.end_line = place.line;
            all.push(plain(diagram, pou.name.clone(), place));
        }
    }
    all
}

fn plain(diagram: &hir::Diagram, pou: String, place: Place) -> Diagram {
    /// Far away elements stay on the sheet.
    const FAR: i32 = 20_000;
    let stretch = stretch(&diagram.elements);
    let wide = |x: i32| (f64::from(x) * stretch) as i32;
    // Labels are wider than what they belong to; the rail stands left of them.
    let first = |e: &hir::DrawnElement| wide(e.x).saturating_add(e.width / 2).saturating_sub(label_width(e) / 2);
    let labelled = diagram.elements.iter().filter(|e| e.shape != hir::Shape::LeftRail);
    let left = labelled.map(|e| first(e).min(wide(e.x))).min().unwrap_or(0).saturating_sub(24);
    let top = diagram.elements.iter().map(|e| e.y).min().unwrap_or(0);
    let elements = diagram.elements.iter().map(|e| Element {
        shape: shape(e.shape),
        label: e.label.clone(),
        mark: e.mark.clone(),
        x: if e.shape == hir::Shape::LeftRail { 0 } else { wide(e.x).saturating_sub(left).min(FAR) },
        y: e.y.saturating_sub(top).min(FAR),
        width: e.width.clamp(1, FAR),
        height: e.height.clamp(1, FAR),
        inputs: e.inputs.clone(),
        outputs: e.outputs.clone(),
        carrier: e.carrier.clone(),
    });
    let wires = diagram.wires.iter().map(|w| Wire {
        from: w.from,
        output: w.output,
        to: w.to,
        input: w.input,
        always: w.carrier == Carrier::Always,
        carrier: match &w.carrier {
            Carrier::Variable(name) => Some(name.clone()),
            Carrier::Always | Carrier::Unknown => None,
        },
    });
    Diagram { pou, home: diagram.home.clone(), place, elements: elements.collect(), wires: wires.collect() }
}

/// How much wider the drawing has to be for labels that stand beside each other.
fn stretch(elements: &[hir::DrawnElement]) -> f64 {
    const WIDEST: f64 = 2.5;
    let mut row: Vec<&hir::DrawnElement> = elements.iter().filter(|e| 0 < label_width(e)).collect();
    row.sort_by_key(|e| (e.y, e.x));
    let mut stretch: f64 = 1.0;
    for pair in row.windows(2) {
        let [a, b] = pair else { continue };
        let (distance, needed) = (b.x.saturating_sub(a.x), (label_width(a) + label_width(b)) / 2 + 12);
        if a.y == b.y && 0 < distance {
            stretch = stretch.max(f64::from(needed) / f64::from(distance));
        }
    }
    stretch.min(WIDEST)
}

/// Pixels of a label that stands above its element.
fn label_width(e: &hir::DrawnElement) -> i32 {
    const CHARACTER: i32 = 8;
    let text = match e.shape {
        hir::Shape::Contact | hir::Shape::Coil => &e.label,
        hir::Shape::Block => &e.mark,
        hir::Shape::LeftRail
        | hir::Shape::RightRail
        | hir::Shape::Variable
        | hir::Shape::Connector
        | hir::Shape::Jump
        | hir::Shape::Label
        | hir::Shape::Return
        | hir::Shape::Other
        | hir::Shape::Step
        | hir::Shape::InitialStep
        | hir::Shape::Transition
        | hir::Shape::Action => return 0,
    };
    CHARACTER * text.chars().take(80).count() as i32
}

fn shape(shape: hir::Shape) -> Shape {
    match shape {
        hir::Shape::LeftRail => Shape::LeftRail,
        hir::Shape::RightRail => Shape::RightRail,
        hir::Shape::Contact => Shape::Contact,
        hir::Shape::Coil => Shape::Coil,
        hir::Shape::Variable => Shape::Variable,
        hir::Shape::Block => Shape::Block,
        hir::Shape::Connector => Shape::Connector,
        hir::Shape::Jump => Shape::Jump,
        hir::Shape::Label => Shape::Label,
        hir::Shape::Return => Shape::Return,
        hir::Shape::Other => Shape::Other,
        hir::Shape::Step => Shape::Step,
        hir::Shape::InitialStep => Shape::InitialStep,
        hir::Shape::Transition => Shape::Transition,
        hir::Shape::Action => Shape::Action,
    }
}

/// What is known of the variables of one POU at the end of a cycle.
pub struct Live<'a> {
    pou: &'a str,
    /// Names without an instance's name are those of the only one that runs, if it is one of this POU.
    is_entry: bool,
    values: BTreeMap<&'a str, &'a str>,
}

impl<'a> Live<'a> {
    /// The values of a cycle; `runs` are the instances of the task.
    pub fn new(pou: &'a str, runs: &[String], cycle: &'a Cycle) -> Live<'a> {
        let mut values: BTreeMap<&str, &str> = cycle.values.iter().map(|v| (v.name.as_str(), v.value.as_str())).collect();
        // What was seen in the cycle, the last of it: also of variables that do not outlive it.
        for value in cycle.steps.iter().flat_map(|s| &s.values) {
            values.insert(&value.name, &value.value);
        }
        Live { pou, is_entry: runs.iter().any(|run| run == pou), values }
    }

    fn value(&self, carrier: &str) -> Option<&'a str> {
        let of_pou = self.values.get(format!("{}.{carrier}", self.pou).as_str());
        let alone = || self.values.get(carrier).filter(|_| self.is_entry);
        of_pou.or_else(alone).copied()
    }
}

#[derive(Template)]
#[template(path = "report/diagram.svg")]
struct Drawing {
    number: usize,
    width: i32,
    height: i32,
    title: String,
    description: String,
    lines: Vec<Line>,
    boxes: Vec<Drawn>,
}

struct Line {
    points: String,
    class: &'static str,
}

struct Drawn {
    shape: Shape,
    class: &'static str,
    x: i32,
    y: i32,
    width: i32,
    height: i32,
    middle: i32,
    center: i32,
    label: String,
    mark: String,
    /// Text, x, y, whether it ends there.
    pins: Vec<(String, i32, i32, bool)>,
    value: Option<String>,
}

const MARGIN: i32 = 40;

/// A drawing as SVG; `number` tells it from others on the page.
pub fn svg(diagram: &Diagram, live: Option<&Live<'_>>, number: usize) -> String {
    let state = |carrier: Option<&String>| match carrier.and_then(|c| live?.value(c)) {
        Some("TRUE") => "live",
        Some("FALSE") => "dead",
        Some(_) | None => "",
    };
    let boxes: Vec<Drawn> = diagram.elements.iter().map(|e| drawn(e, state(e.carrier.as_ref()), live)).collect();
    let mut lines = Vec::new();
    for wire in &diagram.wires {
        let (Some(from), Some(to)) = (diagram.elements.get(wire.from), diagram.elements.get(wire.to)) else { continue };
        let class = match (live, wire.always) {
            (Some(_), true) => "live",
            _ => state(wire.carrier.as_ref()),
        };
        lines.push(Line { points: path(from, to, wire), class });
    }
    let right = diagram.elements.iter().map(|e| e.x + e.width).max().unwrap_or(0);
    let bottom = diagram.elements.iter().map(|e| e.y + e.height).max().unwrap_or(0);
    let home = diagram.home.as_ref().map_or(String::new(), |home| format!(".{home}"));
    let n_live = lines.iter().filter(|l| l.class == "live").count();
    let words = match live {
        Some(_) => format!("{} elements; {n_live} of {} wires are live.", boxes.len(), lines.len()),
        None => format!("{} elements, {} wires.", boxes.len(), lines.len()),
    };
    let title = format!("{}{home}, line {}", diagram.pou, diagram.place.line);
    let (width, height) = (right + 2 * MARGIN + 60, bottom + 2 * MARGIN);
    let drawing = Drawing { number, width, height, title, description: words, lines, boxes };
    // Writing to a string cannot fail.
    drawing.render().unwrap_or_default()
}

fn drawn(e: &Element, class: &'static str, live: Option<&Live<'_>>) -> Drawn {
    let (x, y) = (e.x + MARGIN, e.y + MARGIN);
    let inputs = (0..e.inputs.len()).map(|i| (e.inputs[i].clone(), x + 4, pin(e, i, e.inputs.len()) + MARGIN + 4, false));
    let outputs =
        (0..e.outputs.len()).map(|i| (e.outputs[i].clone(), x + e.width - 4, pin(e, i, e.outputs.len()) + MARGIN + 4, true));
    let value = e.carrier.as_ref().filter(|_| e.shape == Shape::Variable).and_then(|c| live?.value(c));
    Drawn {
        shape: e.shape,
        class,
        x,
        y,
        width: e.width,
        height: e.height,
        middle: x + e.width / 2,
        center: y + e.height / 2,
        label: e.label.clone(),
        mark: e.mark.clone(),
        pins: inputs.chain(outputs).collect(),
        value: value.map(str::to_string),
    }
}

/// The height at which the `i`-th of `n` pins of an element is.
fn pin(e: &Element, i: usize, n: usize) -> i32 {
    let (i, n) = (i.min(1_000) as i32, n.min(1_000) as i32);
    match e.shape {
        Shape::Block => e.y + e.height * (i + 1) / (n + 1).max(1),
        Shape::LeftRail
        | Shape::RightRail
        | Shape::Contact
        | Shape::Coil
        | Shape::Variable
        | Shape::Connector
        | Shape::Jump
        | Shape::Label
        | Shape::Return
        | Shape::Other
        | Shape::Step
        | Shape::InitialStep
        | Shape::Transition
        | Shape::Action => e.y + e.height / 2,
    }
}

/// Right, down or up, right; in charts from the bottom of one to the top of the other.
fn path(from: &Element, to: &Element, wire: &Wire) -> String {
    let is_chart = |e: &Element| matches!(e.shape, Shape::Step | Shape::InitialStep | Shape::Transition);
    let down = is_chart(from) && to.shape != Shape::Action;
    let points = if down {
        let (x1, y1) = (from.x + from.width / 2, from.y + from.height);
        let (x2, y2) = (to.x + if to.shape == Shape::Jump { 15.min(to.width / 2) } else { to.width / 2 }, to.y);
        let bend = i32::midpoint(y1, y2);
        vec![(x1, y1), (x1, bend), (x2, bend), (x2, y2)]
    } else {
        let (x2, y2) = (to.x, pin(to, wire.input, to.inputs.len().max(1)));
        // The rail is as high as the network.
        let is_rail = from.shape == Shape::LeftRail;
        let y1 = if is_rail { y2 } else { pin(from, wire.output, from.outputs.len().max(1)) };
        let x1 = from.x + from.width;
        let bend = if x1 + 10 < x2 { x2 - 10 } else { i32::midpoint(x1, x2) };
        vec![(x1, y1), (bend, y1), (bend, y2), (x2, y2)]
    };
    let point = |(x, y): &(i32, i32)| format!("{},{}", x + MARGIN, y + MARGIN);
    points.iter().map(point).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
#[path = "diagram_tests.rs"]
mod tests;
