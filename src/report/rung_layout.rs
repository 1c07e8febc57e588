//! Places of drawn rungs: levels of branches below each other, with a bar where they begin and one where they end.
//!
//! **Invariant:** no wire runs through an element. A level without an instruction has a row of its own.

use std::collections::{BTreeMap, BTreeSet};

use super::diagram::{Element, Shape, Wire};
use super::layout::{self, columns, label_width, resize};

/// Larger rungs are laid out like other networks.
const MOST: usize = 1_500;
/// Pixels between columns, and from a column to a bar.
const GAP: i32 = 36;
const TO_BAR: i32 = 10;
/// Space between rows.
const BETWEEN: i32 = 14;
/// Height of a label above an element.
const LABEL: i32 = 18;

/// Gives elements and wires their places if they are those of a rung; returns whether they are.
pub(super) fn lay_out(elements: &mut [Element], wires: &mut [Wire]) -> bool {
    if !is_rung(elements, wires) {
        return false;
    }
    elements.iter_mut().for_each(|element| resize(element, 1));
    let columns = columns(elements, wires);
    let shunts: Vec<Option<i32>> = wires.iter().map(|wire| shunt(elements, wires, wire)).collect();
    let lines = vertical(elements, &shunts);
    let edges = horizontal(elements, &columns);
    for (wire, shunt) in wires.iter_mut().zip(shunts) {
        let (from, to) = (&elements[wire.from], &elements[wire.to]);
        let (mut y1, mut y2) = (layout::pin(from, 0), layout::pin(to, 0));
        let level = shunt.and_then(|row| lines.get(&row).copied());
        if from.shape == Shape::LeftRail {
            // The rail is as high as the rung.
            y1 = level.unwrap_or(y2);
        }
        if to.shape == Shape::RightRail {
            y2 = level.unwrap_or(y1);
        }
        let level = level.unwrap_or(y1.max(y2));
        let (split, join) = (edges[columns[wire.from]].1 + TO_BAR, edges[columns[wire.to]].0 - TO_BAR);
        let (x1, x2) = (from.x + from.width, to.x);
        wire.points = straight(&[(x1, y1), (split, y1), (split, level), (join, level), (join, y2), (x2, y2)]);
    }
    true
}

/// Returns whether a drawing is that of a rung: its rail comes first, and elements are in the order of the text.
fn is_rung(elements: &[Element], wires: &[Wire]) -> bool {
    let is_part = |e: &Element| {
        matches!(e.shape, Shape::Contact | Shape::Coil | Shape::Block) && e.inputs.is_empty() && e.outputs.is_empty()
    };
    let [rail, parts @ ..] = elements else { return false };
    // The right rail, if there is one, comes last.
    let parts = match parts {
        [parts @ .., last] if last.shape == Shape::RightRail => parts,
        parts => parts,
    };
    let is_forward = |wire: &Wire| wire.from < wire.to && wire.to < elements.len();
    let is_small = elements.len() + wires.len() <= MOST;
    is_small && rail.shape == Shape::LeftRail && parts.iter().all(is_part) && wires.iter().all(is_forward)
}

/// Returns the row of a wire beside other elements: a level without an instruction. Rows of elements are even.
fn shunt(elements: &[Element], wires: &[Wire], wire: &Wire) -> Option<i32> {
    let mut before = BTreeSet::from([wire.from]);
    for other in wires.iter().filter(|other| (other.from, other.to) != (wire.from, wire.to)) {
        // Sources of an element come before it in the text.
        if before.contains(&other.from) {
            before.insert(other.to);
        }
    }
    if !before.contains(&wire.to) {
        return None;
    }
    let mut behind = BTreeSet::from([wire.to]);
    for other in wires.iter().rev() {
        if behind.contains(&other.to) {
            behind.insert(other.from);
        }
    }
    let between = before.intersection(&behind).filter(|at| **at != wire.from && **at != wire.to);
    between.map(|at| row(&elements[*at]) + 1).max()
}

fn is_rail(element: &Element) -> bool {
    matches!(element.shape, Shape::LeftRail | Shape::RightRail)
}

fn row(element: &Element) -> i32 {
    element.y.saturating_mul(2)
}

/// Sets the heights of elements; returns the height of the wires of each row.
fn vertical(elements: &mut [Element], shunts: &[Option<i32>]) -> BTreeMap<i32, i32> {
    let mut extent: BTreeMap<i32, (i32, i32)> = shunts.iter().flatten().map(|row| (*row, (4, 4))).collect();
    for e in elements.iter().filter(|e| !is_rail(e)) {
        let first = layout::pin(e, 0) - e.y;
        let above = first + if label_width(e) == 0 { 0 } else { LABEL };
        let row = extent.entry(row(e)).or_insert((0, 0));
        *row = (row.0.max(above), row.1.max(e.height - first));
    }
    let (mut y, mut lines) = (0, BTreeMap::new());
    for (row, (above, below)) in extent {
        y += above;
        lines.insert(row, y);
        y += below + BETWEEN;
    }
    for e in elements.iter_mut().filter(|e| !is_rail(e)) {
        let first = layout::pin(e, 0) - e.y;
        e.y = lines.get(&row(e)).map_or(e.y, |line| line - first);
    }
    for rail in elements.iter_mut().filter(|e| is_rail(e)) {
        (rail.y, rail.height) = (0, (y - BETWEEN).max(1));
    }
    lines
}

/// Places the columns beside each other; returns their edges.
fn horizontal(elements: &mut [Element], columns: &[usize]) -> Vec<(i32, i32)> {
    let (mut edges, mut x) = (Vec::new(), 0);
    for column in 0..columns.iter().max().map_or(0, |last| last + 1) {
        let members: Vec<usize> = (0..elements.len()).filter(|at| columns[*at] == column).collect();
        let width = members.iter().map(|at| elements[*at].width.max(label_width(&elements[*at]))).max().unwrap_or(0);
        for at in members {
            elements[at].x = x + (width - elements[at].width) / 2;
        }
        edges.push((x, x + width));
        x += width + GAP;
    }
    edges
}

/// Returns the corners of a line, without points on straight pieces of it.
fn straight(points: &[(i32, i32)]) -> Vec<(i32, i32)> {
    let mut line: Vec<(i32, i32)> = Vec::new();
    for point in points {
        if let [.., a, b] = line.as_slice()
            && ((a.0 == b.0 && b.0 == point.0) || (a.1 == b.1 && b.1 == point.1))
        {
            line.pop();
        }
        if line.last() != Some(point) {
            line.push(*point);
        }
    }
    line
}
