//! The graph as JSON and DOT, for people and for other tools.

use std::fmt::Write as _;

use super::node::{Arg, Mark, Node};

/// What is written on a node.
pub type Label<'a, S> = &'a dyn Fn(&Node<S>) -> String;

/// A graph with labels, ready to be written.
pub struct ArgText<'a, S> {
    /// The graph.
    pub arg: &'a Arg<S>,
    /// The text of a node.
    pub label: Label<'a, S>,
}

impl<S> ArgText<'_, S> {
    /// GraphViz: tree edges solid, covered-by edges dashed.
    pub fn to_dot(&self) -> String {
        let mut dot = String::from("digraph arg {\n  node [shape=box];\n");
        for (id, node) in self.arg.nodes() {
            let label = escape(&(self.label)(node));
            let _ = writeln!(dot, "  {id} [label=\"{id} {}\\n{label}\"];", node.loc);
            if let Some(parent) = node.parent {
                let _ = writeln!(dot, "  {parent} -> {id} [label=\"{}\"];", node.step);
            }
            if let Mark::Covered(by) = node.mark {
                let _ = writeln!(dot, "  {id} -> {by} [style=dashed, constraint=false];");
            }
        }
        dot.push_str("}\n");
        dot
    }
    /// An object with `nodes`: id, loc, state, parent, step, mark, coveredBy.
    pub fn to_json(&self) -> serde_json::Value {
        let nodes: Vec<serde_json::Value> = self
            .arg
            .nodes()
            .map(|(id, node)| {
                let (mark, by) = match node.mark {
                    Mark::Unmarked => ("unmarked", None),
                    Mark::Expanded => ("expanded", None),
                    Mark::Covered(by) => ("covered", Some(by)),
                    Mark::Pruned => ("pruned", None),
                };
                serde_json::json!({
                    "id": id, "loc": node.loc, "state": (self.label)(node), "parent": node.parent,
                    "step": node.step, "mark": mark, "coveredBy": by,
                })
            })
            .collect();
        serde_json::json!({ "nodes": nodes })
    }
}

/// Quotes for a DOT string.
fn escape(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
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
        let n0 = arg.add_root(LocId(0), StepId(5), "a \"b\"", 0);
        let n1 = arg.add_child(n0, LocId(0), StepId(1), "c", 0);
        arg.expand(n0);
        arg.cover(n1, NodeId(0));
        let text = ArgText { arg: &arg, label: &|node| node.state.to_string() };
        assert_eq!(
            text.to_dot(),
            "digraph arg {\n  node [shape=box];\n  n0 [label=\"n0 l0\\na \\\"b\\\"\"];\n  n1 [label=\"n1 l0\\nc\"];\n  \
             n0 -> n1 [label=\"s1\"];\n  n1 -> n0 [style=dashed, constraint=false];\n}\n"
        );
        assert_eq!(
            text.to_json(),
            serde_json::json!({ "nodes": [
                { "id": 0, "loc": 0, "state": "a \"b\"", "parent": null, "step": 5, "mark": "expanded", "coveredBy": null },
                { "id": 1, "loc": 0, "state": "c", "parent": 0, "step": 1, "mark": "covered", "coveredBy": 0 },
            ] })
        );
    }
}
