//! A picture of the graph: as JSON and DOT for other tools, as SVG for people.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::node::{Arg, Mark, Node};

/// A graph with what is written on its nodes, apart from the domain it was made in.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ArgPicture {
    /// Oldest first; ids ascend.
    pub nodes: Vec<PictureNode>,
}

/// A node of a picture.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PictureNode {
    /// Its number.
    pub id: u32,
    /// Number of its location.
    pub loc: u32,
    /// The abstract state.
    pub state: String,
    /// The node before, and the number of the step from it.
    pub parent: Option<u32>,
    /// Number of the step that led here.
    pub step: u32,
    /// What was done with it.
    pub mark: &'static str,
    /// The node that covers it.
    pub covered_by: Option<u32>,
}

impl ArgPicture {
    /// Of the nodes that are not pruned; `label` writes the state.
    pub fn new<S>(arg: &Arg<S>, label: &dyn Fn(&Node<S>) -> String) -> ArgPicture {
        let nodes = arg.nodes().map(|(id, node)| {
            let (mark, covered_by) = match node.mark {
                Mark::Unmarked => ("unmarked", None),
                Mark::Expanded => ("expanded", None),
                Mark::Covered(by) => ("covered", Some(by.0)),
                Mark::Pruned => ("pruned", None),
            };
            let parent = node.parent.map(|parent| parent.0);
            PictureNode { id: id.0, loc: node.loc.0, state: label(node), parent, step: node.step.0, mark, covered_by }
        });
        ArgPicture { nodes: nodes.collect() }
    }
    /// GraphViz: tree edges solid, covered-by edges dashed.
    pub fn to_dot(&self) -> String {
        let mut dot = String::from("digraph arg {\n  node [shape=box];\n");
        for node in &self.nodes {
            let (id, label) = (node.id, escape_dot(&node.state));
            let _ = writeln!(dot, "  n{id} [label=\"n{id} l{}\\n{label}\"];", node.loc);
            if let Some(parent) = node.parent {
                let _ = writeln!(dot, "  n{parent} -> n{id} [label=\"s{}\"];", node.step);
            }
            if let Some(by) = node.covered_by {
                let _ = writeln!(dot, "  n{id} -> n{by} [style=dashed, constraint=false];");
            }
        }
        dot.push_str("}\n");
        dot
    }
    /// An object with `nodes`: id, loc, state, parent, step, mark, coveredBy.
    pub fn to_json(&self) -> serde_json::Value {
        let nodes: Vec<serde_json::Value> = self
            .nodes
            .iter()
            .map(|node| {
                serde_json::json!({
                    "id": node.id, "loc": node.loc, "state": node.state, "parent": node.parent,
                    "step": node.step, "mark": node.mark, "coveredBy": node.covered_by,
                })
            })
            .collect();
        serde_json::json!({ "nodes": nodes })
    }
    /// A drawing: one row per node, indented by depth, so that any tree fits; coverage as dashed arcs at the right.
    ///
    /// Shape: at most 2 000 rows; a last one says how many are missing.
    pub fn to_svg(&self) -> String {
        const ROWS: usize = 2_000;
        const ROW: usize = 24;
        const INDENT: usize = 18;
        let shown = &self.nodes[..self.nodes.len().min(ROWS)];
        let order = self.depth_first(shown);
        let deepest = order.iter().map(|(_, depth)| *depth).max().unwrap_or(0);
        let longest = shown.iter().map(|node| line(node).chars().count()).max().unwrap_or(0);
        let (right, height) = (40 + deepest * INDENT + longest * 7, ROW * (order.len() + 2));
        let mut svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{}\" height=\"{height}\" font-family=\"monospace\" font-size=\"12\" \
             fill=\"none\" stroke=\"currentColor\">\n<title>Abstract reachability graph</title>\n",
            right + 120
        );
        let mut places: BTreeMap<u32, (usize, usize)> = BTreeMap::new();
        for (row, (node, depth)) in order.iter().enumerate() {
            places.insert(node.id, (20 + depth * INDENT, ROW * (row + 1)));
        }
        for (node, _) in &order {
            let (x, y) = places[&node.id];
            let dash = if node.mark == "covered" { " stroke-dasharray=\"3 2\"" } else { "" };
            let _ = writeln!(svg, "<circle cx=\"{x}\" cy=\"{y}\" r=\"5\"{dash}/>");
            let text = escape_xml(&line(node));
            let _ = writeln!(svg, "<text x=\"{}\" y=\"{}\" fill=\"currentColor\" stroke=\"none\">{text}</text>", x + 10, y + 4);
            if let Some((px, py)) = node.parent.and_then(|parent| places.get(&parent)) {
                let _ = writeln!(svg, "<path d=\"M{px} {} V{y} H{}\"/>", py + 5, x - 5);
            }
            if let Some((_, by)) = node.covered_by.and_then(|by| places.get(&by)) {
                let _ = writeln!(
                    svg,
                    "<path d=\"M{right} {y} C{0} {y} {0} {by} {right} {by}\" stroke-dasharray=\"4 3\"/>",
                    right + 80
                );
            }
        }
        if ROWS < self.nodes.len() {
            let y = ROW * (order.len() + 1);
            let _ = writeln!(svg, "<text x=\"20\" y=\"{y}\">{} more</text>", self.nodes.len() - ROWS);
        }
        svg.push_str("</svg>\n");
        svg
    }
    /// Nodes with their depth, each behind its parent.
    fn depth_first<'a>(&self, shown: &'a [PictureNode]) -> Vec<(&'a PictureNode, usize)> {
        let mut children: BTreeMap<Option<u32>, Vec<&PictureNode>> = BTreeMap::new();
        for node in shown {
            children.entry(node.parent).or_default().push(node);
        }
        let mut order = Vec::with_capacity(shown.len());
        let mut todo: Vec<(&PictureNode, usize)> = Vec::new();
        let mut open = |of: Option<u32>, depth: usize, todo: &mut Vec<(&'a PictureNode, usize)>| {
            todo.extend(children.remove(&of).unwrap_or_default().into_iter().rev().map(|node| (node, depth)));
        };
        open(None, 0, &mut todo);
        while let Some((node, depth)) = todo.pop() {
            order.push((node, depth));
            open(Some(node.id), depth + 1, &mut todo);
        }
        order
    }
}

/// A node on one line.
fn line(node: &PictureNode) -> String {
    const LONGEST: usize = 120;
    let state: String = node.state.replace('\n', " ").chars().take(LONGEST).collect();
    format!("n{} l{} {state}", node.id, node.loc)
}

/// Quotes for a DOT string.
fn escape_dot(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
}

/// Text for XML.
fn escape_xml(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arg::NodeId;
    use crate::cfa::LocId;
    use crate::domain::StepId;

    #[test]
    fn tree_edges_are_solid_and_covered_by_edges_dashed() {
        let mut arg = Arg::default();
        let n0 = arg.add_root(LocId(0), StepId(5), "a \"b\" <", 0);
        let n1 = arg.add_child(n0, LocId(0), StepId(1), "c", 0);
        arg.expand(n0);
        arg.cover(n1, NodeId(0));
        let picture = ArgPicture::new(&arg, &|node| node.state.to_string());
        assert_eq!(
            picture.to_dot(),
            "digraph arg {\n  node [shape=box];\n  n0 [label=\"n0 l0\\na \\\"b\\\" <\"];\n  n1 [label=\"n1 l0\\nc\"];\n  \
             n0 -> n1 [label=\"s1\"];\n  n1 -> n0 [style=dashed, constraint=false];\n}\n"
        );
        assert_eq!(
            picture.to_json(),
            serde_json::json!({ "nodes": [
                { "id": 0, "loc": 0, "state": "a \"b\" <", "parent": null, "step": 5, "mark": "expanded", "coveredBy": null },
                { "id": 1, "loc": 0, "state": "c", "parent": 0, "step": 1, "mark": "covered", "coveredBy": 0 },
            ] })
        );
        let svg = picture.to_svg();
        assert!(svg.contains("n0 l0 a \"b\" &lt;</text>") && svg.contains("M20 29 V48 H33"), "{svg}");
    }
}
