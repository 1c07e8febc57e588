//! Networks and charts of drawn programs: as plain data in the outcome, and as SVG with the values of one cycle.
//!
//! Colours come from the style sheet; shapes, words and thick lines say the same without.

use std::collections::{BTreeMap, BTreeSet};

use askama::Template;
use plc_frontend::Loaded;
use plc_frontend::hir::{self, PouId, Project};
use plc_frontend::interp::{Limits, Machine};
use plc_frontend::source::{Origin, Span};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::layout::{self, lay_out};
use super::names::Names;
use super::networks::NetworkRun;
use super::outcome::Place;
use super::place::place;
use super::rung_layout;
use super::stretch::{label_width, stretch};

/// A network or chart.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Diagram {
    /// The POU that it is part of.
    pub pou: String,
    /// The action whose body it is, if it is not the POU's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub home: Option<String>,
    /// Name that the program gives it, such as the number of a rung with its comment.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Its place.
    pub place: Place,
    /// Canonical names of the instances it runs for; of a function, none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub instances: Vec<String>,
    /// Its elements.
    pub elements: Vec<Element>,
    /// Lines between outputs and inputs.
    pub wires: Vec<Wire>,
}

/// An element of a drawing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Element {
    /// Its symbol.
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
    /// 1-based line of its source; 0 if unknown.
    #[serde(default)]
    pub line: u32,
    /// 1-based column of its statement; 0 if unknown.
    #[serde(default)]
    pub column: u32,
    /// Operands that stand in a box, from top to bottom.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rows: Vec<String>,
}

/// A line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Wire {
    /// The element it comes from.
    pub from: usize,
    /// Number of the output, from 0.
    pub output: usize,
    /// The element it leads to.
    pub to: usize,
    /// Number of the input, from 0.
    pub input: usize,
    /// Corners in pixels, from the drawing's; without them it goes the straight way.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub points: Vec<(i32, i32)>,
}

/// Symbol of an element.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[expect(missing_docs, reason = "named after their symbols")]
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

/// Most elements that are drawn; outcomes stay small.
const MAX_ELEMENTS: usize = 10_000;

/// Returns the drawings that are published, each with its POU, in their order.
pub(super) fn drawn(project: &Project) -> impl Iterator<Item = (PouId, &hir::Diagram)> {
    let user = project.pous.iter_enumerated().filter(|(_, p)| p.origin == Origin::User);
    let all = user.flat_map(|(id, pou)| pou.diagrams.iter().filter(|d| !d.elements.is_empty()).map(move |d| (id, d)));
    all.scan(0, |sum, (id, diagram)| {
        *sum += diagram.elements.len();
        (*sum <= MAX_ELEMENTS).then_some((id, diagram))
    })
}

/// Returns the drawings of the user's POUs.
pub fn diagrams(loaded: &Loaded, names: &Names) -> Vec<Diagram> {
    let project = &loaded.project;
    let owners: BTreeSet<PouId> = drawn(project).map(|(pou, _)| pou).collect();
    if owners.is_empty() {
        return Vec::new();
    }
    let mut instances: BTreeMap<PouId, Vec<String>> = BTreeMap::new();
    for ((pou, _), name) in Machine::new(project, Limits::default()).instances(&|pou| owners.contains(&pou)) {
        instances.entry(pou).or_default().push(names.show(&name));
    }
    let all = drawn(project).map(|(pou, diagram)| {
        let start = |span: Span| {
            let place = place(&loaded.sources, span);
            (place.line, place.column)
        };
        // Only the beginning of its first element is where it is.
        let mut at = place(&loaded.sources, diagram.elements.first().map_or(Span::none(), |e| e.span));
        at.end_line = at.line;
        let instances = instances.get(&pou).cloned().unwrap_or_default();
        Diagram { instances, ..plain(diagram, project.pous[pou].name.clone(), at, start) }
    });
    all.collect()
}

fn plain(diagram: &hir::Diagram, pou: String, place: Place, start: impl Fn(Span) -> (u32, u32)) -> Diagram {
    /// Far away elements stay on the sheet.
    const FAR: i32 = 20_000;
    let stretch = stretch(&diagram.elements);
    let wide = |x: i32| (f64::from(x) * stretch) as i32;
    // Labels are wider than their elements; the rail stands left of them.
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
        line: start(e.span).0,
        column: e.statement.map_or(0, |span| start(span).1),
        rows: e.rows.iter().map(|row| row.text.clone()).collect(),
    });
    let wires =
        diagram.wires.iter().map(|w| Wire { from: w.from, output: w.output, to: w.to, input: w.input, points: Vec::new() });
    let (mut elements, mut wires): (Vec<Element>, Vec<Wire>) = (elements.collect(), wires.collect());
    if !rung_layout::lay_out(&mut elements, &mut wires) {
        lay_out(&mut elements, &mut wires);
    }
    let (home, title) = (diagram.home.clone(), diagram.title.clone());
    Diagram { pou, home, title, place, instances: Vec::new(), elements, wires }
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
    broken: bool,
    x: i32,
    y: i32,
    width: i32,
    height: i32,
    middle: i32,
    center: i32,
    label: String,
    /// The whole label, if not all of it is drawn.
    whole: Option<String>,
    mark: String,
    /// Text, x, y, whether it ends there.
    pins: Vec<(String, i32, i32, bool)>,
    /// Operands with their values, the height at which they stand, and the whole text if not all of it is drawn.
    rows: Vec<(String, i32, Option<String>)>,
    value: Option<String>,
}

const MARGIN: i32 = 40;

/// A drawing in a run.
#[derive(Clone, Copy, Debug)]
pub struct View<'a> {
    /// Its values, if it was executed.
    pub run: Option<&'a NetworkRun>,
    /// The element whose write breaks the requirement.
    pub broken: Option<usize>,
    /// Tells it from others on the page.
    pub number: usize,
}

/// Returns a drawing as SVG.
pub fn svg(diagram: &Diagram, view: &View<'_>) -> String {
    let is_laid_out = diagram.wires.iter().any(|w| !w.points.is_empty());
    let wire = |i: usize| view.run.and_then(|run| run.wires.get(i)?.as_deref());
    let boxes: Vec<Drawn> = diagram.elements.iter().enumerate().map(|(i, e)| drawn_element(e, i, view, is_laid_out)).collect();
    let mut lines = Vec::new();
    for (i, w) in diagram.wires.iter().enumerate() {
        let (Some(from), Some(to)) = (diagram.elements.get(w.from), diagram.elements.get(w.to)) else { continue };
        lines.push(Line { points: path(from, to, w), class: state(wire(i)) });
    }
    // Levels of a branch share its bars: power is seen there.
    lines.sort_by_key(|line| line.class == "live");
    let corners = || diagram.wires.iter().flat_map(|w| &w.points);
    let right = diagram.elements.iter().map(|e| e.x + e.width).chain(corners().map(|p| p.0)).max().unwrap_or(0);
    let bottom = diagram.elements.iter().map(|e| e.y + e.height).chain(corners().map(|p| p.1)).max().unwrap_or(0);
    let home = diagram.home.as_ref().map_or(String::new(), |home| format!(".{home}"));
    let n_live = lines.iter().filter(|l| l.class == "live").count();
    let words = match view.run {
        Some(_) => format!("{} elements; {n_live} of {} wires carry TRUE.", boxes.len(), lines.len()),
        None => format!("{} elements, {} wires; no values.", boxes.len(), lines.len()),
    };
    let title = match &diagram.title {
        Some(title) if diagram.place.is_named() => title.clone(),
        _ => format!("{}{home}, line {}", diagram.pou, diagram.place.line),
    };
    let (width, height) = (right + 2 * MARGIN + 60, bottom + 2 * MARGIN);
    let drawing = Drawing { number: view.number, width, height, title, description: words, lines, boxes };
    // Writing to a string cannot fail.
    drawing.render().unwrap_or_default()
}

fn state(value: Option<&str>) -> &'static str {
    match value {
        Some("TRUE") => "live",
        Some("FALSE") => "dead",
        Some(_) | None => "",
    }
}

#[expect(clippy::wildcard_enum_match_arm, reason = "other shapes have no state")]
fn drawn_element(e: &Element, index: usize, view: &View<'_>, is_laid_out: bool) -> Drawn {
    let pin = |e: &Element, i: usize, n: usize| if is_laid_out { layout::pin(e, i) } else { pin(e, i, n) };
    let of = |values: fn(&NetworkRun) -> &Vec<Option<String>>| view.run.and_then(|run| values(run).get(index)?.as_deref());
    let (output, operand) = (of(|run| &run.outputs), of(|run| &run.operands));
    let class = match e.shape {
        // A contact is alive while it is closed, whatever arrives.
        Shape::Contact if e.mark == "/" => state(operand.map(|v| if v == "TRUE" { "FALSE" } else { "TRUE" })),
        Shape::Contact | Shape::Coil | Shape::Variable => state(operand),
        Shape::Step | Shape::InitialStep | Shape::LeftRail => state(output),
        _ => "",
    };
    let (x, y) = (e.x + MARGIN, e.y + MARGIN);
    let inputs = (0..e.inputs.len()).map(|i| (e.inputs[i].clone(), x + 4, pin(e, i, e.inputs.len()) + MARGIN + 4, false));
    let outputs =
        (0..e.outputs.len()).map(|i| (e.outputs[i].clone(), x + e.width - 4, pin(e, i, e.outputs.len()) + MARGIN + 4, true));
    let values = |i: usize| view.run.and_then(|run| run.rows.get(index)?.get(i)?.as_deref());
    let rows = e.rows.iter().enumerate().map(|(i, text)| {
        let value = values(i).filter(|value| !text.ends_with(value)).map_or(String::new(), |value| format!(" = {value}"));
        let (short, whole) = layout::shortened(text);
        (format!("{short}{value}"), y + layout::row(i) + 4, whole.map(|text| format!("{text}{value}")))
    });
    let (label, whole) = layout::shortened(&e.label);
    // Literals need no value beside them.
    let value = operand.filter(|v| *v != e.label).map(str::to_owned);
    Drawn {
        shape: e.shape,
        class,
        broken: view.broken == Some(index),
        x,
        y,
        width: e.width,
        height: e.height,
        middle: x + e.width / 2,
        center: y + e.height / 2,
        label,
        whole,
        mark: e.mark.clone(),
        pins: inputs.chain(outputs).collect(),
        rows: rows.collect(),
        value,
    }
}

/// Returns the height at which the `i`-th of `n` pins of an element is.
fn pin(e: &Element, i: usize, n: usize) -> i32 {
    let (i, n) = (i.min(1_000) as i32, n.min(1_000) as i32);
    if e.shape == Shape::Block { e.y + e.height * (i + 1) / (n + 1).max(1) } else { e.y + e.height / 2 }
}

/// Draws a wire right, down or up, right; in charts from the bottom of one to the top of the other.
fn path(from: &Element, to: &Element, wire: &Wire) -> String {
    let point = |(x, y): &(i32, i32)| format!("{},{}", x + MARGIN, y + MARGIN);
    if !wire.points.is_empty() {
        return wire.points.iter().map(point).collect::<Vec<_>>().join(" ");
    }
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
    points.iter().map(point).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests;
