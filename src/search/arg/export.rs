//! The graph as a picture.

use std::collections::BTreeSet;

use super::node::{Arg, Mark, Node};
use kernel::cfa::LocId;
use kernel::draw::{self, NodeKind, Picture};

/// Longer states are cut.
const LONGEST: usize = 400;

impl<S> Arg<S> {
    /// Returns the oldest `most` nodes that are not pruned. `label` writes the state; `error` is the error location. Tree edges
    /// lead to children, covered-by edges to the covering node.
    pub fn picture(&self, error: LocId, most: usize, label: &dyn Fn(&Node<S>) -> String) -> Picture {
        let mut picture = Picture { title: "Abstract reachability graph".to_owned(), ..Picture::default() };
        let shown: BTreeSet<u32> = self.nodes().take(most).map(|(id, _)| id.0).collect();
        for (id, node) in self.nodes().take(most) {
            let (kind, covered_by) = match node.mark {
                Mark::Covered(by) => (NodeKind::Covered, Some(by.0)),
                Mark::Unmarked | Mark::Expanded if node.loc == error => (NodeKind::Error, None),
                Mark::Unmarked => (NodeKind::Open, None),
                Mark::Expanded if node.parent.is_none() => (NodeKind::Start, None),
                Mark::Expanded | Mark::Pruned => (NodeKind::Plain, None),
            };
            let mut text = label(node);
            if let Some(by) = covered_by {
                text.push_str(&format!("\ncovered by n{by}"));
            }
            picture.nodes.push(draw::Node { id: id.0, name: format!("{id} at {}", node.loc), text, kind });
            let mut edge = |from: u32, to: u32, covers: bool| {
                if shown.contains(&from) && shown.contains(&to) {
                    picture.edges.push(draw::Edge { from, to, text: String::new(), covers });
                }
            };
            if let Some(parent) = node.parent {
                edge(parent.0, id.0, false);
            }
            if let Some(by) = covered_by {
                edge(id.0, by, true);
            }
        }
        picture.n_left_out = self.n_nodes().saturating_sub(picture.nodes.len());
        picture.within(most, LONGEST)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arg::NodeId;
    use crate::domain::StepId;

    #[test]
    fn tree_edges_lead_on_and_covered_by_edges_to_who_covers() {
        let mut arg = Arg::default();
        let n0 = arg.add_root(LocId(0), StepId(5), "a", 0);
        let n1 = arg.add_child(n0, LocId(0), StepId(1), "c", 0);
        let n2 = arg.add_child(n0, LocId(9), StepId(2), "d", 0);
        arg.expand(n0);
        arg.cover(n1, NodeId(0));
        let picture = arg.picture(LocId(9), 10, &|node| node.state.to_string());
        let nodes: Vec<_> = picture.nodes.iter().map(|node| (node.name.as_str(), node.text.as_str(), node.kind)).collect();
        assert_eq!(
            nodes,
            [
                ("n0 at l0", "a", NodeKind::Start),
                ("n1 at l0", "c\ncovered by n0", NodeKind::Covered),
                ("n2 at l9", "d", NodeKind::Error)
            ]
        );
        let edges: Vec<_> = picture.edges.iter().map(|edge| (edge.from, edge.to, edge.covers)).collect();
        assert_eq!(edges, [(0, 1, false), (1, 0, true), (0, 2, false)]);
        assert_eq!(n2.0, 2);
        let part = arg.picture(LocId(9), 2, &|node| node.state.to_string());
        assert_eq!((part.nodes.len(), part.n_left_out, part.edges.len()), (2, 1, 2));
    }
}
