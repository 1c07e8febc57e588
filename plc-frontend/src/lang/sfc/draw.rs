//! Drawings of charts: steps from top to bottom on a grid, transitions below them, jumps instead of lines that lead up.

use std::collections::BTreeMap;

use crate::ast::{ActionBody, ActionDecl, Body, Chart, ChartStep, Unit};
use crate::hir::{Carrier, Diagram, DrawnElement, DrawnWire, Shape};
use crate::lang::common::clipped;
use crate::text::{Span, key};

/// Pixels of a step with its actions, and of a step with the transition below.
const CELL: (i32, i32) = (330, 120);
const STEP: (i32, i32) = (110, 40);

/// Draws the charts of a file, before they become statements.
pub(crate) fn draw(unit: &mut Unit, text: &str) {
    for pou in unit.pous_mut() {
        let mut drawn: Vec<Diagram> = Vec::new();
        if let Body::Chart(chart) = &pou.body {
            drawn.extend(diagram(chart, None, text));
        }
        for ActionDecl { name, body, .. } in &pou.actions {
            if let Body::Chart(chart) = body {
                drawn.extend(diagram(chart, Some(name.text.clone()), text));
            }
        }
        drawn.append(&mut pou.diagrams);
        pou.diagrams = drawn;
    }
}

/// Returns the drawing of a chart; `None` for a chart that is too large for a picture.
pub(crate) fn diagram(chart: &Chart, home: Option<String>, text: &str) -> Option<Diagram> {
    const MOST: usize = 2_000;
    let n_lines: usize = chart.transitions.iter().map(|t| t.from.len().saturating_mul(t.to.len())).sum();
    if MOST < chart.steps.len() || MOST < n_lines {
        return None;
    }
    let levels = levels(chart);
    let mut diagram = Diagram { home, title: None, elements: Vec::new(), wires: Vec::new() };
    let mut columns: BTreeMap<usize, i32> = BTreeMap::new();
    let mut index: BTreeMap<String, usize> = BTreeMap::new();
    for (step, level) in chart.steps.iter().zip(&levels) {
        let column = columns.entry(*level).or_insert(0);
        let at = (column.saturating_mul(CELL.0), row(*level));
        *column = column.saturating_add(1);
        index.insert(key(&step.name.text), diagram.elements.len());
        draw_step(&mut diagram, step, at, text);
    }
    let mut below: BTreeMap<usize, i32> = BTreeMap::new();
    for transition in &chart.transitions {
        let from: Vec<usize> = transition.from.iter().filter_map(|n| index.get(&key(&n.text)).copied()).collect();
        let Some(&first) = from.first() else { continue };
        let label = transition.name.as_ref().map_or_else(|| words(text, transition.condition.span), |n| n.text.clone());
        // Transitions of one step stand side by side.
        let beside = below.entry(first).or_insert(0);
        let shift = beside.saturating_mul(CELL.0 / 3);
        *beside = beside.saturating_add(1);
        let (x, y) = (diagram.elements[first].x, diagram.elements[first].y);
        let at = (x.saturating_add(shift).saturating_add(STEP.0 / 2 - 15), y.saturating_add(60));
        let bar = diagram.elements.len();
        diagram.elements.push(DrawnElement::new(Shape::Transition, label, at, (30, 6), transition.span));
        for from in from {
            let carrier = diagram.elements[from].carrier.clone();
            diagram.wires.push(DrawnWire { from, output: 0, to: bar, input: 0, carrier });
        }
        for target in &transition.to {
            let to = index.get(&key(&target.text)).copied().filter(|&to| y < diagram.elements[to].y);
            let to = to.unwrap_or_else(|| {
                let at = (at.0, at.1.saturating_add(26));
                diagram.elements.push(DrawnElement::new(Shape::Jump, target.text.clone(), at, (90, 18), target.span));
                diagram.elements.len() - 1
            });
            diagram.wires.push(DrawnWire { from: bar, output: 0, to, input: 0, carrier: Carrier::Unknown });
        }
    }
    Some(diagram)
}

/// Returns the least number of transitions from the start to each step; 0 for steps that nothing leads to.
fn levels(chart: &Chart) -> Vec<usize> {
    let n = chart.steps.len();
    let number: BTreeMap<String, usize> = chart.steps.iter().enumerate().map(|(i, s)| (key(&s.name.text), i)).collect();
    let find = |name: &str| number.get(&key(name)).copied();
    let mut next: Vec<Vec<usize>> = vec![Vec::new(); n];
    for transition in &chart.transitions {
        let to: Vec<usize> = transition.to.iter().filter_map(|t| find(&t.text)).collect();
        for from in transition.from.iter().filter_map(|f| find(&f.text)) {
            next[from].extend(&to);
        }
    }
    let mut level: Vec<Option<usize>> = chart.steps.iter().map(|s| s.initial.then_some(0)).collect();
    let mut queue: std::collections::VecDeque<usize> = (0..n).filter(|&i| level[i].is_some()).collect();
    while let Some(i) = queue.pop_front() {
        let below = level[i].unwrap_or(0) + 1;
        for &to in &next[i] {
            if level[to].is_none() {
                level[to] = Some(below);
                queue.push_back(to);
            }
        }
    }
    level.into_iter().map(|l| l.unwrap_or(0)).collect()
}

fn row(level: usize) -> i32 {
    i32::try_from(level).unwrap_or(i32::MAX).saturating_mul(CELL.1)
}

fn draw_step(diagram: &mut Diagram, step: &ChartStep, at: (i32, i32), text: &str) {
    let shape = if step.initial { Shape::InitialStep } else { Shape::Step };
    let mut drawn = DrawnElement::new(shape, step.name.text.clone(), at, STEP, step.span);
    let carrier = Carrier::State(format!("{}.X", step.name.text));
    drawn.carrier = carrier.clone();
    let from = diagram.elements.len();
    diagram.elements.push(drawn);
    for (i, action) in (0i32..).zip(&step.actions) {
        let label = match &action.action {
            ActionBody::Named(name) => name.text.clone(),
            ActionBody::Inline(stmts) => stmts.first().map_or(String::new(), |s| words(text, s.span)),
        };
        let time = action.duration.as_ref().map_or(String::new(), |d| format!(" {}", words(text, d.span)));
        let mark = format!("{}{time}", action.qualifier.word());
        let at = (at.0.saturating_add(STEP.0 + 30), at.1.saturating_add(i.saturating_mul(22)));
        let to = diagram.elements.len();
        diagram.elements.push(DrawnElement { mark, ..DrawnElement::new(Shape::Action, label, at, (170, 20), action.span) });
        if i == 0 {
            diagram.wires.push(DrawnWire { from, output: 0, to, input: 0, carrier: carrier.clone() });
        }
    }
}

/// Returns a piece of the file as a label, with markup characters unescaped.
fn words(text: &str, span: Span) -> String {
    const LONGEST: usize = 40;
    let piece = text.get(span.start as usize..span.end as usize).unwrap_or("");
    let near: String = piece.chars().take(4 * LONGEST).collect();
    let plain =
        near.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", "\"").replace("&apos;", "'").replace("&amp;", "&");
    clipped(plain.split_whitespace().collect::<Vec<_>>().join(" "), LONGEST)
}
