//! Pictures of graphs, for people: as layered drawings (SVG) up to some size, as DOT and JSON for other tools at any size.
//!
//! [`layout`] gives positions to boxes and lines, [`svg`] styles. Plain data in, text out; it knows no other module.

mod layout;
mod svg;
#[cfg(test)]
mod tests;

use std::fmt::Write as _;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

pub use svg::Embedding;

/// Largest number of nodes of a readable drawing.
pub const MOST_NODES: usize = 300;

/// A graph with its labels.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Picture {
    /// Title of the drawing.
    pub title: String,
    /// Boxes, in order of creation.
    pub nodes: Vec<Node>,
    /// Lines between them.
    pub edges: Vec<Edge>,
    /// Number of nodes that are left out, because there were too many.
    #[serde(default)]
    pub n_left_out: usize,
}

/// A box.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Node {
    /// Its number.
    pub id: u32,
    /// Its name, short.
    pub name: String,
    /// Label: the state, or the name.
    pub text: String,
    /// Style.
    pub kind: NodeKind,
}

/// Kind of a node; it decides the style.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum NodeKind {
    /// Anything else.
    Plain,
    /// Start of all paths.
    Start,
    /// Head of a loop.
    Head,
    /// A place where requirements are observed.
    Observed,
    /// The error.
    Error,
    /// Covered by another node.
    Covered,
    /// Not explored yet.
    Open,
}

/// A line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Edge {
    /// From.
    pub from: u32,
    /// To.
    pub to: u32,
    /// Label: the operation.
    pub text: String,
    /// TRUE if it means "is covered by" instead of "leads to".
    #[serde(default)]
    pub covers: bool,
}

impl NodeKind {
    /// Returns its name in class attributes, and for people.
    pub fn name(self) -> &'static str {
        match self {
            NodeKind::Plain => "plain",
            NodeKind::Start => "start",
            NodeKind::Head => "head",
            NodeKind::Observed => "observed",
            NodeKind::Error => "error",
            NodeKind::Covered => "covered",
            NodeKind::Open => "open",
        }
    }
}

impl Picture {
    /// Returns a drawing; `None` if there are more than [`MOST_NODES`] nodes, or none.
    ///
    /// Cost: a few sweeps over the lines; bounded by [`MOST_NODES`].
    pub fn to_svg(&self, embedding: Embedding) -> Option<String> {
        let is_fit = !self.nodes.is_empty() && self.nodes.len() <= MOST_NODES && self.n_left_out == 0;
        is_fit.then(|| svg::draw(self, embedding))
    }
    /// Returns the text for Graphviz, with dashed covered-by edges.
    pub fn to_dot(&self) -> String {
        let mut dot = String::from("digraph picture {\n  node [shape=box, fontsize=10];\n  edge [fontsize=9];\n");
        for node in &self.nodes {
            let style = match node.kind {
                NodeKind::Plain => "",
                NodeKind::Start => ", shape=oval",
                NodeKind::Head => ", peripheries=2",
                NodeKind::Observed => ", style=filled, fillcolor=lightgrey",
                NodeKind::Error => ", style=filled, fillcolor=salmon",
                NodeKind::Covered => ", style=dashed",
                NodeKind::Open => ", style=dotted",
            };
            let label = if node.text.is_empty() { node.name.clone() } else { format!("{}\n{}", node.name, node.text) };
            let _ = writeln!(dot, "  n{} [label=\"{}\"{style}];", node.id, escape_dot(&label));
        }
        for edge in &self.edges {
            let covers = if edge.covers { ", style=dashed, constraint=false" } else { "" };
            let _ = writeln!(dot, "  n{} -> n{} [label=\"{}\"{covers}];", edge.from, edge.to, escape_dot(&edge.text));
        }
        dot.push_str("}\n");
        dot
    }
    /// Returns the graph as JSON.
    pub fn to_json(&self) -> serde_json::Value {
        // Plain data: this cannot fail.
        serde_json::to_value(self).unwrap_or_default()
    }
    /// Returns the graph with at most this many nodes (the first ones), and texts of at most this many characters.
    #[must_use]
    pub fn within(mut self, most_nodes: usize, longest: usize) -> Picture {
        if most_nodes < self.nodes.len() {
            self.n_left_out += self.nodes.len() - most_nodes;
            self.nodes.truncate(most_nodes);
            let kept: std::collections::BTreeSet<u32> = self.nodes.iter().map(|node| node.id).collect();
            self.edges.retain(|edge| kept.contains(&edge.from) && kept.contains(&edge.to));
        }
        let texts = self.nodes.iter_mut().map(|node| &mut node.text).chain(self.edges.iter_mut().map(|edge| &mut edge.text));
        for text in texts {
            if let Some((end, _)) = text.char_indices().nth(longest) {
                text.truncate(end);
                text.push('…');
            }
        }
        self
    }
}

/// Quotes for a DOT string.
fn escape_dot(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
}

/// Returns the text for XML. Characters that XML does not have become spaces.
pub fn escape_xml(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            c if c.is_control() && c != '\n' && c != '\t' => out.push(' '),
            c => out.push(c),
        }
    }
    out
}
