//! Places of drawn networks: columns from left to right, rows as in the file, and wires in channels between the columns.
//!
//! **Invariant:** wires of different outputs have no piece of a line in common; no wire runs through an element or a label.
//! Elements and labels stand in cells of their own; a wire that passes a column has a cell there too; in a channel each output has
//! a vertical line of its own.

use std::collections::{BTreeMap, BTreeSet};

use super::diagram::{Element, Shape, Wire};
use super::wiring::{Channel, route};

/// Larger networks keep the places of the file.
const MOST: usize = 1_500;
/// Pixels of a character.
const CHARACTER: i32 = 8;
/// Characters of a text that are drawn; the rest stands in its tooltip.
pub(super) const LONGEST: usize = 60;
/// Space between rows.
const BETWEEN: i32 = 14;
/// Height of a label above an element.
const LABEL: i32 = 18;
/// Between two wires that end at one pin.
const APART: i32 = 6;

/// Output of an element: the net that a wire belongs to.
pub(super) type Net = (usize, usize);

/// Content of a cell.
#[derive(Clone, Copy)]
enum Cell {
    Element(usize),
    /// A wire of this net passes.
    Pass(Net),
}

/// A cell of the grid.
struct Placed {
    cell: Cell,
    column: usize,
    row: usize,
}

/// Gives elements and wires their places, if the network is one that can be laid out.
pub(super) fn lay_out(elements: &mut [Element], wires: &mut [Wire]) {
    let is_chart =
        elements.iter().any(|e| matches!(e.shape, Shape::Step | Shape::InitialStep | Shape::Transition | Shape::Action));
    let dangles = |w: &Wire| elements.len() <= w.from.max(w.to);
    if is_chart || MOST < elements.len() + wires.len() || wires.iter().any(dangles) {
        return;
    }
    for (i, element) in elements.iter_mut().enumerate() {
        let fan_in =
            (0..element.inputs.len().max(1)).map(|pin| wires.iter().filter(|w| w.to == i && w.input == pin).count()).max();
        resize(element, fan_in.unwrap_or(0));
    }
    let columns = columns(elements, wires);
    let mut placed = rows(elements, wires, &columns);
    let passes = passes(wires, &columns, &mut placed);
    let n_columns = columns.iter().max().map_or(0, |c| c + 1);
    vertical(elements, &placed);
    let lanes = lanes(elements, &placed);
    // The ends of each wire in each channel that it crosses.
    let mut channels: Vec<Channel> = (0..n_columns + 1).map(|_| Channel::default()).collect();
    let mut arrivals: BTreeMap<(usize, usize), i32> = BTreeMap::new();
    let mut ends = Vec::new();
    for (w, wire) in wires.iter().enumerate() {
        let net = (wire.from, wire.output);
        let nth = arrivals.entry((wire.to, wire.input)).or_insert(0);
        let of = wires.iter().filter(|o| (o.to, o.input) == (wire.to, wire.input)).count() as i32;
        let target = pin(&elements[wire.to], wire.input) + APART * *nth - APART * (of - 1) / 2;
        *nth += 1;
        let is_rail = elements[wire.from].shape == Shape::LeftRail;
        let lane = |column: usize| lanes.get(&(net, column)).copied();
        let back = columns[wire.to] <= columns[wire.from];
        let steps: Vec<usize> = if back { Vec::new() } else { (columns[wire.from]..columns[wire.to]).collect() };
        let mut left = if is_rail {
            passes
                .get(&(net, columns[wire.from] + 1))
                .and_then(|_| lane(columns[wire.from] + 1))
                .filter(|_| 1 < steps.len())
                .unwrap_or(target)
        } else {
            pin(&elements[wire.from], wire.output)
        };
        let mut crossed = Vec::new();
        for column in steps {
            let right = if column + 1 == columns[wire.to] { target } else { lane(column + 1).unwrap_or(target) };
            channels[column].cross(net, left, right);
            crossed.push((column, left, right));
            left = right;
        }
        ends.push((w, net, target, crossed));
    }
    // Feedback: from its output around the bottom of the network, in a lane of its own.
    let lowest = elements.iter().map(|e| e.y + e.height).chain(lanes.values().copied()).max();
    let bottom = lowest.unwrap_or(0) + BETWEEN;
    let mut around: BTreeMap<Net, i32> = BTreeMap::new();
    for (w, net, target, _) in ends.iter().filter(|(_, _, _, crossed)| crossed.is_empty()) {
        let next = bottom + 10 * around.len() as i32;
        let y = *around.entry(*net).or_insert(next);
        channels[columns[net.0]].cross(*net, pin(&elements[net.0], net.1), y);
        let before = columns[wires[*w].to].checked_sub(1);
        if let Some(before) = before {
            channels[before].cross(*net, y, *target);
        }
    }
    channels.iter_mut().for_each(Channel::assign);
    horizontal(elements, &columns, &mut channels);
    for (w, net, target, crossed) in ends {
        let (from, to) = (&elements[wires[w].from], &elements[wires[w].to]);
        let points = if crossed.is_empty() {
            let y = around[&net];
            let before = columns[wires[w].to].checked_sub(1).map(|c| &channels[c]);
            let own = pin(from, net.1);
            before.map_or_else(Vec::new, |before| {
                let mut points = vec![(from.x + from.width, own)];
                channels[columns[net.0]].turn(net, own, y, &mut points);
                before.turn(net, y, target, &mut points);
                points.push((to.x, target));
                points
            })
        } else {
            route(&channels, net, from.x + from.width, to.x, &crossed)
        };
        wires[w].points = points;
    }
}

/// Makes an element as wide as its words and as high as its pins.
pub(super) fn resize(e: &mut Element, fan_in: usize) {
    let chars = |text: &str| CHARACTER * text.chars().count().min(LONGEST + 1) as i32;
    match e.shape {
        Shape::Block => {
            let widest = |names: &[String]| names.iter().map(|n| chars(n)).max().unwrap_or(0);
            // The value of an operand stands behind it.
            let rows = if e.rows.is_empty() { 0 } else { widest(&e.rows) + 14 * CHARACTER };
            e.width = (widest(&e.inputs) + widest(&e.outputs) + 24).max(chars(&e.label) + 16).max(rows);
            e.height = 30 + 20 * e.inputs.len().max(e.outputs.len()).max(e.rows.len()) as i32;
        }
        // The value stands behind the name.
        Shape::Variable => (e.width, e.height) = (chars(&e.mark) + chars(&e.label) + 12 * CHARACTER, 20),
        Shape::Jump | Shape::Return | Shape::Label | Shape::Connector | Shape::Other => {
            (e.width, e.height) = (chars(&e.mark) + chars(&e.label) + 4 * CHARACTER, 20);
        }
        Shape::Contact | Shape::Coil => (e.width, e.height) = (30, 20.max(8 + APART * fan_in as i32)),
        Shape::LeftRail | Shape::RightRail => e.width = 4,
        Shape::Step | Shape::InitialStep | Shape::Transition | Shape::Action => {}
    }
}

/// Returns the height of an operand below the upper edge of its box.
pub(super) fn row(number: usize) -> i32 {
    30 + 20 * number.min(1_000) as i32
}

/// Returns the part of a text that is drawn, and the whole text if it is longer.
pub(super) fn shortened(text: &str) -> (String, Option<String>) {
    match text.char_indices().nth(LONGEST) {
        None => (text.to_owned(), None),
        Some((end, _)) => (format!("{}…", &text[..end]), Some(text.to_owned())),
    }
}

/// Returns the height of a pin.
pub(super) fn pin(e: &Element, number: usize) -> i32 {
    if e.shape == Shape::Block { e.y + 30 + 20 * number.min(1_000) as i32 } else { e.y + e.height / 2 }
}

/// Pixels of the label above an element.
#[expect(clippy::wildcard_enum_match_arm, reason = "other shapes have their labels inside")]
pub(super) fn label_width(e: &Element) -> i32 {
    let text = match e.shape {
        Shape::Contact | Shape::Coil => &e.label,
        Shape::Block => &e.mark,
        _ => return 0,
    };
    CHARACTER * text.chars().count().min(LONGEST + 1) as i32
}

/// Returns the column of each element: behind its sources; an element without sources stands beside its target.
pub(super) fn columns(elements: &[Element], wires: &[Wire]) -> Vec<usize> {
    let is_rail = |i: usize| elements[i].shape == Shape::LeftRail;
    let mut into: Vec<Vec<usize>> = vec![Vec::new(); elements.len()];
    let mut out: Vec<Vec<usize>> = vec![Vec::new(); elements.len()];
    for w in wires {
        into[w.to].push(w.from);
        out[w.from].push(w.to);
    }
    // Depth first; a wire that leads back to an element under way is feedback.
    let mut columns: Vec<Option<usize>> = vec![None; elements.len()];
    let mut under_way: BTreeSet<usize> = BTreeSet::new();
    for start in 0..elements.len() {
        let mut stack = vec![(start, false)];
        while let Some((i, is_done)) = stack.pop() {
            if is_done {
                let before = into[i].iter().filter_map(|from| columns[*from]).max();
                columns[i] = Some(before.map_or(usize::from(!is_rail(i)), |c| c + 1));
                under_way.remove(&i);
            } else if columns[i].is_none() && under_way.insert(i) {
                stack.push((i, true));
                stack.extend(
                    into[i].iter().filter(|from| columns[**from].is_none() && !under_way.contains(from)).map(|f| (*f, false)),
                );
            }
        }
    }
    let mut columns: Vec<usize> = columns.into_iter().map(|c| c.unwrap_or(0)).collect();
    for i in (0..elements.len()).filter(|i| into[*i].is_empty() && !is_rail(*i)) {
        if let Some(next) = out[i].iter().map(|to| columns[*to]).min() {
            columns[i] = next.saturating_sub(1).max(1);
        }
    }
    columns
}

/// Gives each element a row: that of its source, else one for each height in the file; in a column each has its own.
fn rows(elements: &[Element], wires: &[Wire], columns: &[usize]) -> Vec<Placed> {
    let mut order: Vec<usize> = (0..elements.len()).filter(|i| elements[*i].shape != Shape::LeftRail).collect();
    order.sort_by_key(|&i| (elements[i].y, elements[i].x, i));
    let mut placed: Vec<Placed> = Vec::new();
    let mut taken: BTreeSet<(usize, usize)> = BTreeSet::new();
    let (mut row, mut y) = (0, None);
    let mut row_of: BTreeMap<usize, usize> = BTreeMap::new();
    for i in order {
        if y.is_some_and(|y| y != elements[i].y) {
            row = placed.iter().map(|p| p.row + 1).max().unwrap_or(0);
        }
        y = Some(elements[i].y);
        // In the line of its source, if that has one.
        let before = wires.iter().filter(|w| w.to == i).find_map(|w| row_of.get(&w.from));
        let mut own = before.copied().unwrap_or(row);
        while !taken.insert((columns[i], own)) {
            own += 1;
        }
        row_of.insert(i, own);
        placed.push(Placed { cell: Cell::Element(i), column: columns[i], row: own });
    }
    placed
}

/// Gives each net a cell in each column that it passes: in the row of its source if it can.
fn passes(wires: &[Wire], columns: &[usize], placed: &mut Vec<Placed>) -> BTreeSet<(Net, usize)> {
    let mut taken: BTreeSet<(usize, usize)> = placed.iter().map(|p| (p.column, p.row)).collect();
    let row_of =
        |i: usize, placed: &[Placed]| placed.iter().find(|p| matches!(p.cell, Cell::Element(e) if e == i)).map(|p| p.row);
    let mut passes = BTreeSet::new();
    for wire in wires {
        let net = (wire.from, wire.output);
        let near = row_of(wire.from, placed).or_else(|| row_of(wire.to, placed)).unwrap_or(0);
        for column in columns[wire.from] + 1..columns[wire.to] {
            if passes.insert((net, column)) {
                let mut row = near;
                while !taken.insert((column, row)) {
                    row += 1;
                }
                placed.push(Placed { cell: Cell::Pass(net), column, row });
            }
        }
    }
    passes
}

/// Sets the heights of rows: the first pins of a row stand on one line.
fn vertical(elements: &mut [Element], placed: &[Placed]) {
    let mut extent: BTreeMap<usize, (i32, i32)> = BTreeMap::new();
    for p in placed {
        let (above, below) = match p.cell {
            Cell::Element(i) => {
                let e = &elements[i];
                let first = pin(e, 0) - e.y;
                (first + if label_width(e) == 0 { 0 } else { LABEL }, e.height - first)
            }
            Cell::Pass(_) => (4, 4),
        };
        let row = extent.entry(p.row).or_insert((0, 0));
        *row = (row.0.max(above), row.1.max(below));
    }
    let (mut y, mut lines) = (0, BTreeMap::new());
    for (row, (above, below)) in extent {
        y += above;
        lines.insert(row, y);
        y += below + BETWEEN;
    }
    for p in placed {
        if let Cell::Element(i) = p.cell {
            let first = pin(&elements[i], 0) - elements[i].y;
            elements[i].y = lines[&p.row] - first;
        }
    }
    let (top, bottom) = (elements.iter().filter(|e| e.shape != Shape::LeftRail).map(|e| e.y).min().unwrap_or(0), y);
    for rail in elements.iter_mut().filter(|e| e.shape == Shape::LeftRail) {
        (rail.y, rail.height) = (top, (bottom - top - BETWEEN).max(1));
    }
}

/// Returns the heights at which nets pass columns.
fn lanes(elements: &[Element], placed: &[Placed]) -> BTreeMap<(Net, usize), i32> {
    let mut lines: BTreeMap<usize, i32> = BTreeMap::new();
    for p in placed {
        if let Cell::Element(i) = p.cell {
            lines.insert(p.row, pin(&elements[i], 0));
        }
    }
    let below = elements.iter().map(|e| e.y + e.height).max().unwrap_or(0) + BETWEEN;
    let n_rows = lines.keys().max().map_or(0, |r| r + 1);
    let height = |row: usize| lines.get(&row).copied().unwrap_or(below + 12 * (row.saturating_sub(n_rows)) as i32);
    let pass = |p: &Placed| if let Cell::Pass(net) = p.cell { Some(((net, p.column), height(p.row))) } else { None };
    placed.iter().filter_map(pass).collect()
}

/// Places the columns beside each other, with room for the channels between them.
fn horizontal(elements: &mut [Element], columns: &[usize], channels: &mut [Channel]) {
    let mut x = 0;
    for (column, channel) in channels.iter_mut().enumerate() {
        let members: Vec<usize> = (0..elements.len()).filter(|i| columns[*i] == column).collect();
        let width = members.iter().map(|i| elements[*i].width.max(label_width(&elements[*i]))).max().unwrap_or(0);
        for i in members {
            elements[i].x = x + (width - elements[i].width) / 2;
        }
        x += width;
        channel.left = x;
        x += channel.width();
    }
}
