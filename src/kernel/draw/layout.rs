//! Layers from top to bottom, few crossings, straight columns: the method of Sugiyama, Tagawa and Toda (1981), with
//! coordinates by least squares under the distances that boxes need.

use std::collections::VecDeque;

/// Boxes with their sizes, and the lines between them.
pub(super) struct Boxes {
    /// Width and height of each.
    pub(super) sizes: Vec<(f64, f64)>,
    /// Lines; those without ranks do not push their ends down.
    pub(super) lines: Vec<Line>,
}

/// A line between two boxes.
#[derive(Clone, Copy)]
pub(super) struct Line {
    pub(super) from: usize,
    pub(super) to: usize,
    /// TRUE if its end belongs below its beginning.
    pub(super) ranks: bool,
}

/// Positions of boxes and lines.
pub(super) struct Placed {
    /// Centres.
    pub(super) centres: Vec<(f64, f64)>,
    /// The layer of each box.
    pub(super) layers: Vec<usize>,
    /// For each line the points between its ends, from top to bottom; empty for lines that go back or have no ranks.
    pub(super) ways: Vec<Vec<(f64, f64)>>,
    pub(super) width: f64,
    pub(super) height: f64,
}

const BETWEEN: f64 = 22.0;
const BELOW: f64 = 30.0;
const SWEEPS: usize = 12;
/// Most bends of lines in the layers between their ends; further lines go straight.
const MOST_BENDS: usize = 4_000;

/// Places everything.
pub(super) fn place(boxes: &Boxes) -> Placed {
    let n = boxes.sizes.len();
    let back = back_lines(boxes);
    let layers = layers(boxes, &back);
    let n_layers = layers.iter().max().map_or(0, |layer| layer + 1);

    // A line through several layers bends in each of them: a box without a size.
    let mut sizes = boxes.sizes.clone();
    let mut layer_of = layers.clone();
    let mut links: Vec<(usize, usize)> = Vec::new();
    let mut bends: Vec<Vec<usize>> = vec![Vec::new(); boxes.lines.len()];
    for (i, line) in boxes.lines.iter().enumerate().filter(|(i, line)| line.ranks && !back[*i] && line.from != line.to) {
        let mut from = line.from;
        for layer in layers[line.from] + 1..layers[line.to] {
            if n + MOST_BENDS <= sizes.len() {
                break;
            }
            sizes.push((2.0, 2.0));
            layer_of.push(layer);
            let bend = sizes.len() - 1;
            bends[i].push(bend);
            links.push((from, bend));
            from = bend;
        }
        links.push((from, line.to));
    }
    let mut rows: Vec<Vec<usize>> = vec![Vec::new(); n_layers];
    for (id, layer) in layer_of.iter().enumerate() {
        rows[*layer].push(id);
    }
    let (mut above, mut below) = (vec![Vec::new(); sizes.len()], vec![Vec::new(); sizes.len()]);
    for (from, to) in links {
        below[from].push(to);
        above[to].push(from);
    }
    order(&mut rows, &above, &below);
    let x = columns(&rows, &sizes, &above, &below);

    let heights: Vec<f64> = rows.iter().map(|row| row.iter().map(|id| sizes[*id].1).fold(0.0, f64::max)).collect();
    let mut tops = Vec::with_capacity(n_layers);
    let mut y = 0.0;
    for height in &heights {
        tops.push(y);
        y += height + BELOW;
    }
    let centre = |id: usize| (x[id], tops[layer_of[id]] + heights[layer_of[id]] / 2.0);
    let width = rows.iter().flatten().map(|id| x[*id] + sizes[*id].0 / 2.0).fold(0.0, f64::max);
    let way = |bends: &Vec<usize>| {
        let span = |id: &usize| {
            let (x, _) = centre(*id);
            let layer = layer_of[*id];
            [(x, tops[layer]), (x, tops[layer] + heights[layer])]
        };
        bends.iter().flat_map(span).collect()
    };
    Placed {
        centres: (0..n).map(centre).collect(),
        ways: bends.iter().map(way).collect(),
        layers,
        width,
        height: (y - BELOW).max(0.0),
    }
}

/// Returns the lines that close a loop, by a search in depth from the first boxes on. No recursion.
fn back_lines(boxes: &Boxes) -> Vec<bool> {
    let n = boxes.sizes.len();
    let mut leaving: Vec<Vec<usize>> = vec![Vec::new(); n];
    for (i, line) in boxes.lines.iter().enumerate().filter(|(_, line)| line.ranks) {
        leaving[line.from].push(i);
    }
    #[derive(Clone, Copy, PartialEq)]
    enum Seen {
        No,
        Open,
        Done,
    }
    let (mut seen, mut back) = (vec![Seen::No; n], vec![false; boxes.lines.len()]);
    for root in 0..n {
        if seen[root] != Seen::No {
            continue;
        }
        seen[root] = Seen::Open;
        let mut stack = vec![(root, 0)];
        while let Some((at, next)) = stack.last_mut() {
            let Some(&line) = leaving[*at].get(*next) else {
                seen[*at] = Seen::Done;
                stack.pop();
                continue;
            };
            *next += 1;
            let to = boxes.lines[line].to;
            match seen[to] {
                Seen::No => {
                    seen[to] = Seen::Open;
                    stack.push((to, 0));
                }
                Seen::Open => back[line] = true,
                Seen::Done => {}
            }
        }
    }
    back
}

/// Returns the longest way to each box.
fn layers(boxes: &Boxes, back: &[bool]) -> Vec<usize> {
    let n = boxes.sizes.len();
    let (mut entering, mut leaving) = (vec![0usize; n], vec![Vec::new(); n]);
    for (_, line) in boxes.lines.iter().enumerate().filter(|(i, line)| line.ranks && !back[*i]) {
        entering[line.to] += 1;
        leaving[line.from].push(line.to);
    }
    let mut layer = vec![0; n];
    let mut ready: VecDeque<usize> = (0..n).filter(|id| entering[*id] == 0).collect();
    while let Some(at) = ready.pop_front() {
        for &to in &leaving[at] {
            layer[to] = layer[to].max(layer[at] + 1);
            entering[to] -= 1;
            if entering[to] == 0 {
                ready.push_back(to);
            }
        }
    }
    layer
}

/// Sorts each layer by the positions of its neighbours, up and down in turns.
fn order(rows: &mut [Vec<usize>], above: &[Vec<usize>], below: &[Vec<usize>]) {
    let mut position = vec![0.0; above.len()];
    let note = |row: &[usize], position: &mut [f64]| {
        for (i, id) in row.iter().enumerate() {
            position[*id] = i as f64 / row.len() as f64;
        }
    };
    rows.iter().for_each(|row| note(row, &mut position));
    for sweep in 0..SWEEPS {
        let down = sweep % 2 == 0;
        let n = rows.len();
        for step in 0..n {
            let row = &mut rows[if down { step } else { n - 1 - step }];
            let neighbours = if down { above } else { below };
            let mut keyed: Vec<(f64, usize)> = row
                .iter()
                .map(|id| {
                    let of = &neighbours[*id];
                    let mean = of.iter().map(|other| position[*other]).sum::<f64>() / of.len().max(1) as f64;
                    (if of.is_empty() { position[*id] } else { mean }, *id)
                })
                .collect();
            keyed.sort_by(|a, b| a.0.total_cmp(&b.0));
            *row = keyed.into_iter().map(|(_, id)| id).collect();
            note(row, &mut position);
        }
    }
}

/// Returns horizontal centres: near the neighbours, in the order of the row, without overlaps.
fn columns(rows: &[Vec<usize>], sizes: &[(f64, f64)], above: &[Vec<usize>], below: &[Vec<usize>]) -> Vec<f64> {
    let mut x = vec![0.0; sizes.len()];
    for row in rows {
        let mut at = 0.0;
        for id in row {
            x[*id] = at + sizes[*id].0 / 2.0;
            at += sizes[*id].0 + BETWEEN;
        }
    }
    for sweep in 0..SWEEPS {
        let down = sweep % 2 == 0;
        let n = rows.len();
        for step in 0..n {
            let row = &rows[if down { step } else { n - 1 - step }];
            // In the end children stand below their parents: the last sweep goes up and looks both ways.
            let wanted = |id: usize| {
                let mut of: Vec<usize> = if down { above[id].clone() } else { below[id].clone() };
                if of.is_empty() || sweep + 1 == SWEEPS {
                    of = above[id].iter().chain(&below[id]).copied().collect();
                }
                match of.len() {
                    0 => x[id],
                    n => of.iter().map(|other| x[*other]).sum::<f64>() / n as f64,
                }
            };
            let wishes: Vec<f64> = row.iter().map(|id| wanted(*id)).collect();
            let placed = spread(row, sizes, &wishes);
            row.iter().zip(placed).for_each(|(id, at)| x[*id] = at);
        }
    }
    let left = rows.iter().flatten().map(|id| x[*id] - sizes[*id].0 / 2.0).fold(f64::INFINITY, f64::min);
    x.iter_mut().for_each(|x| *x -= if left.is_finite() { left } else { 0.0 });
    x
}

/// Returns the positions nearest to the wishes (least squares) without overlaps: neighbours with conflicting wishes move
/// together.
fn spread(row: &[usize], sizes: &[(f64, f64)], wishes: &[f64]) -> Vec<f64> {
    // Distances from the first of the row, without gaps.
    let mut offsets = Vec::with_capacity(row.len());
    let mut at = 0.0;
    for (i, id) in row.iter().enumerate() {
        if let Some(before) = i.checked_sub(1) {
            at += (sizes[row[before]].0 + sizes[*id].0) / 2.0 + BETWEEN;
        }
        offsets.push(at);
    }
    // Groups: sum of the members' wishes for the first one's position, and the number of members.
    let mut groups: Vec<(f64, usize)> = Vec::new();
    for (wish, offset) in wishes.iter().zip(&offsets) {
        groups.push((wish - offset, 1));
        while let [.., (sum_a, n_a), (sum_b, n_b)] = groups.as_slice()
            && sum_b / *n_b as f64 <= sum_a / *n_a as f64
        {
            let merged = (sum_a + sum_b, n_a + n_b);
            groups.pop();
            groups.pop();
            groups.push(merged);
        }
    }
    let starts = groups.iter().flat_map(|(sum, n)| std::iter::repeat_n(sum / *n as f64, *n));
    starts.zip(&offsets).map(|(start, offset)| start + offset).collect()
}
