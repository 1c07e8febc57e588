//! A placed graph as SVG. In a page the page's style sheet gives the colours; a file of its own brings them along.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::layout::{Boxes, Line, Placed, place};
use super::{Edge, Node, Picture, escape_xml};

/// Place where the drawing is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Embedding {
    /// In a page that has our style sheet.
    InPage,
    /// A file of its own.
    Alone,
}

/// Drawing with its elements so far. In a file of its own they have their colours as attributes: the policy of the service
/// blocks style sheets in files.
struct Pen {
    svg: String,
    embedding: Embedding,
}

impl Pen {
    /// Returns the attributes of an element: `line`, `covers`, `tip`, `covers-tip`, `op`, `op-back`, `text`, `name`, `paper`, or a
    /// box by the kind of its node.
    fn look(&self, element: &str) -> &'static str {
        if self.embedding == Embedding::InPage {
            return "";
        }
        match element {
            "paper" | "op-back" => " fill=\"#fff\"",
            "line" => " fill=\"none\" stroke=\"#53616d\"",
            "covers" => " fill=\"none\" stroke=\"#7a4d00\" stroke-dasharray=\"5 3\"",
            "tip" | "op" => " fill=\"#53616d\"",
            "covers-tip" => " fill=\"#7a4d00\"",
            "text" => " fill=\"#17222c\"",
            "name" => " fill=\"#17222c\" font-weight=\"700\"",
            "start" => " fill=\"#fff\" stroke=\"#0a56a8\" stroke-width=\"2\"",
            "head" => " fill=\"#fff\" stroke=\"#0a56a8\" stroke-width=\"2.5\"",
            "observed" => " fill=\"#e6effd\" stroke=\"#53616d\"",
            "error" => " fill=\"#fdeceb\" stroke=\"#b3201b\" stroke-width=\"2.5\"",
            "covered" => " fill=\"#fdf2d9\" stroke=\"#7a4d00\" stroke-dasharray=\"5 3\"",
            "open" => " fill=\"#fff\" stroke=\"#53616d\" stroke-dasharray=\"2 3\"",
            _ => " fill=\"#fff\" stroke=\"#53616d\"",
        }
    }
}

/// Font of a file of its own.
const FONT: &str = " font-family=\"ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace\" font-size=\"12\"";

const CHAR: f64 = 7.3;
const LINE: f64 = 15.0;
const MARGIN: f64 = 14.0;
/// Characters in a line of a box, and lines.
const WRAP: usize = 34;
const MOST_LINES: usize = 5;

/// Returns the drawing of a graph that is not too large.
pub(super) fn draw(picture: &Picture, embedding: Embedding) -> String {
    let index: BTreeMap<u32, usize> = picture.nodes.iter().enumerate().map(|(i, node)| (node.id, i)).collect();
    let texts: Vec<Vec<String>> = picture.nodes.iter().map(lines).collect();
    let mut boxes = Boxes { sizes: texts.iter().map(|text| size(text)).collect(), lines: Vec::new() };
    // The label of an edge has a box of its own between its ends, so that no texts overlap.
    let mut edges: Vec<Drawn<'_>> = Vec::new();
    for edge in &picture.edges {
        let (Some(&from), Some(&to)) = (index.get(&edge.from), index.get(&edge.to)) else { continue };
        let ranks = !edge.covers;
        let words = wrap(&edge.text);
        let parts = if words.is_empty() || edge.covers {
            boxes.lines.push(Line { from, to, ranks });
            vec![boxes.lines.len() - 1]
        } else {
            boxes.sizes.push(size(&words));
            let label = boxes.sizes.len() - 1;
            boxes.lines.push(Line { from, to: label, ranks });
            boxes.lines.push(Line { from: label, to, ranks });
            vec![boxes.lines.len() - 2, boxes.lines.len() - 1]
        };
        edges.push(Drawn { edge, words, parts });
    }
    let placed = place(&boxes);
    let n_side = boxes.lines.iter().filter(|line| goes_back(&placed, line)).count() as f64;
    // Lines that go back need room at the right.
    let width = placed.width + 2.0 * MARGIN + (n_side * 12.0).min(240.0) + if 0.0 < n_side { 16.0 } else { 0.0 };
    let height = placed.height + 2.0 * MARGIN;
    let font = if embedding == Embedding::Alone { FONT } else { "" };
    let svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"graph\" role=\"img\" width=\"{width:.0}\" height=\"{height:.0}\" \
         viewBox=\"{:.0} {:.0} {width:.0} {height:.0}\"{font}>\n<title>{}</title>\n",
        -MARGIN,
        -MARGIN,
        escape_xml(&picture.title)
    );
    let mut pen = Pen { svg, embedding };
    if embedding == Embedding::Alone {
        let look = pen.look("paper");
        let _ = writeln!(
            pen.svg,
            "<rect x=\"{:.0}\" y=\"{:.0}\" width=\"{width:.0}\" height=\"{height:.0}\"{look}/>",
            -MARGIN, -MARGIN
        );
    }
    let mut side = placed.width + 12.0;
    for Drawn { edge, words, parts } in &edges {
        for (i, part) in parts.iter().enumerate() {
            let line = &boxes.lines[*part];
            let is_last = i + 1 == parts.len();
            pen.line_between(&boxes, &placed, *part, edge.covers, is_last, &mut side);
            if !is_last {
                pen.label(words, placed.centres[line.to], boxes.sizes[line.to]);
            }
        }
    }
    for ((node, text), (&centre, &size)) in picture.nodes.iter().zip(&texts).zip(placed.centres.iter().zip(&boxes.sizes)) {
        pen.boxed(node, text, centre, size);
    }
    pen.svg + "</svg>\n"
}

/// An edge with the parts that it is drawn in.
struct Drawn<'p> {
    edge: &'p Edge,
    words: Vec<String>,
    parts: Vec<usize>,
}

fn goes_back(placed: &Placed, line: &Line) -> bool {
    placed.layers[line.to] <= placed.layers[line.from]
}

impl Pen {
    /// Draws a line from the lower edge of one box to the upper edge of another; lines that go back run around at the right.
    fn line_between(&mut self, boxes: &Boxes, placed: &Placed, which: usize, covers: bool, has_tip: bool, side: &mut f64) {
        let line = &boxes.lines[which];
        let ((x1, y1), (x2, y2)) = (placed.centres[line.from], placed.centres[line.to]);
        let ((w1, h1), (w2, h2)) = (boxes.sizes[line.from], boxes.sizes[line.to]);
        let class = if covers { " class=\"covers\"" } else { "" };
        let look = self.look(if covers { "covers" } else { "line" });
        let tip_class = if covers { "covers-tip" } else { "tip" };
        if goes_back(placed, line) {
            let (from, to) = (x1 + w1 / 2.0, x2 + w2 / 2.0);
            let same_row = placed.layers[line.to] == placed.layers[line.from] && line.from != line.to;
            if same_row {
                // Neighbours in a row: an arc above them.
                let (top1, top2) = (y1 - h1 / 2.0, y2 - h2 / 2.0);
                let bow = top1.min(top2) - 16.0;
                let _ = writeln!(
                    self.svg,
                    "<path{class}{look} d=\"M{x1:.1} {top1:.1}C{x1:.1} {bow:.1} {x2:.1} {bow:.1} {x2:.1} {top2:.1}\"/>"
                );
                self.tip(tip_class, (x2, top2), (0.0, 1.0));
                return;
            }
            let out = *side;
            *side += 12.0;
            let (ya, yb) = (y1 + (h1 / 2.0 - 6.0).max(0.0), y2 - (h2 / 2.0 - 6.0).max(0.0));
            let _ = writeln!(
                self.svg,
                "<path{class}{look} d=\"M{from:.1} {ya:.1}C{out:.1} {ya:.1} {out:.1} {ya:.1} {out:.1} {:.1}V{:.1}C{out:.1} {yb:.1} {out:.1} {yb:.1} {to:.1} {yb:.1}\"/>",
                ya - 14.0,
                yb + 14.0
            );
            if has_tip {
                self.tip(tip_class, (to, yb), (-1.0, 0.0));
            }
            return;
        }
        let mut points = vec![(x1, y1 + h1 / 2.0)];
        points.extend(placed.ways[which].iter().copied());
        let end = (x2, y2 - h2 / 2.0);
        points.push(end);
        let mut d = format!("M{:.1} {:.1}", points[0].0, points[0].1);
        for pair in points.windows(2) {
            let ((xa, ya), (xb, yb)) = (pair[0], pair[1]);
            if (xa - xb).abs() < 0.5 {
                let _ = write!(d, "L{xb:.1} {yb:.1}");
            } else {
                let middle = (ya + yb) / 2.0;
                let _ = write!(d, "C{xa:.1} {middle:.1} {xb:.1} {middle:.1} {xb:.1} {yb:.1}");
            }
        }
        let _ = writeln!(self.svg, "<path{class}{look} d=\"{d}\"/>");
        if has_tip {
            self.tip(tip_class, end, (0.0, 1.0));
        }
    }

    /// Draws an arrow's tip at a point, in a direction.
    fn tip(&mut self, class: &str, (x, y): (f64, f64), (dx, dy): (f64, f64)) {
        let (bx, by) = (x - 7.0 * dx, y - 7.0 * dy);
        let (sx, sy) = (3.5 * dy, 3.5 * dx);
        let _ = writeln!(
            self.svg,
            "<path class=\"{class}\"{} d=\"M{x:.1} {y:.1}L{:.1} {:.1}L{:.1} {:.1}Z\"/>",
            self.look(class),
            bx + sx,
            by + sy,
            bx - sx,
            by - sy
        );
    }

    /// Draws the label of an edge.
    fn label(&mut self, words: &[String], (x, y): (f64, f64), (w, h): (f64, f64)) {
        let _ = writeln!(
            self.svg,
            "<rect class=\"op-back\" x=\"{:.1}\" y=\"{:.1}\" width=\"{w:.1}\" height=\"{h:.1}\"{}/>",
            x - w / 2.0,
            y - h / 2.0,
            self.look("op-back")
        );
        for (i, words) in words.iter().enumerate() {
            let top = y - h / 2.0 + 4.0 + LINE * (i as f64 + 0.75);
            let (look, words) = (self.look("op"), escape_xml(words));
            let _ =
                writeln!(self.svg, "<text class=\"op\"{look} x=\"{x:.1}\" y=\"{top:.1}\" text-anchor=\"middle\">{words}</text>");
        }
    }

    fn boxed(&mut self, node: &Node, text: &[String], (x, y): (f64, f64), (w, h): (f64, f64)) {
        let (left, top) = (x - w / 2.0, y - h / 2.0);
        let _ = writeln!(self.svg, "<g class=\"{}\">", node.kind.name());
        let whole = if node.text.is_empty() { node.name.clone() } else { format!("{}: {}", node.name, node.text) };
        let _ = writeln!(self.svg, "<title>{}</title>", escape_xml(&whole));
        let _ = writeln!(
            self.svg,
            "<rect x=\"{left:.1}\" y=\"{top:.1}\" width=\"{w:.1}\" height=\"{h:.1}\" rx=\"5\"{}/>",
            self.look(node.kind.name())
        );
        for (i, words) in text.iter().enumerate() {
            let class = if i == 0 { " class=\"name\"" } else { "" };
            let at = top + 5.0 + LINE * (i as f64 + 0.75);
            let (look, words) = (self.look(if i == 0 { "name" } else { "text" }), escape_xml(words));
            let _ = writeln!(self.svg, "<text{class}{look} x=\"{x:.1}\" y=\"{at:.1}\" text-anchor=\"middle\">{words}</text>");
        }
        self.svg.push_str("</g>\n");
    }
}

/// Returns the name and text of a node, wrapped.
fn lines(node: &Node) -> Vec<String> {
    let mut lines = vec![node.name.clone()];
    lines.extend(wrap(&node.text));
    lines
}

/// Returns lines of a text: at spaces, the last one cut where there is more.
fn wrap(text: &str) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for part in text.lines() {
        let mut line = String::new();
        for word in part.split(' ') {
            let is_full = !line.is_empty() && WRAP < line.chars().count() + 1 + word.chars().count();
            if is_full {
                lines.push(std::mem::take(&mut line));
            }
            if !line.is_empty() {
                line.push(' ');
            }
            // A word that is too long for a line is cut at its end.
            match word.char_indices().nth(WRAP - 1) {
                Some((end, _)) if WRAP < word.chars().count() => line.push_str(&format!("{}…", &word[..end])),
                _ => line.push_str(word),
            }
        }
        if !line.is_empty() {
            lines.push(line);
        }
    }
    if MOST_LINES < lines.len() {
        lines.truncate(MOST_LINES);
        if let Some(last) = lines.last_mut() {
            last.push_str(" …");
        }
    }
    lines
}

fn size(lines: &[String]) -> (f64, f64) {
    let longest = lines.iter().map(|line| line.chars().count()).max().unwrap_or(0);
    ((longest as f64 * CHAR + 14.0).max(34.0), lines.len() as f64 * LINE + 10.0)
}
