//! The order in which nodes are explored.

use std::collections::BTreeSet;

use super::graph::Graph;
use super::node::{Node, NodeId};

/// How the next node is chosen.
///
/// Source: Hajdu, Micskei, JAR 2020, §3.1.2.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Search {
    /// Least depth first (w_E = 0, w_D = 1).
    #[default]
    Bfs,
    /// Greatest depth first (w_E = 0, w_D = -1).
    Dfs,
    /// Least distance to the error location first (w_E = 1, w_D = 0).
    Err,
}

/// Nodes to be explored.
#[derive(Clone, Debug)]
pub struct Waitlist {
    search: Search,
    nodes: BTreeSet<(i64, i64, NodeId)>,
}

impl Waitlist {
    /// Nothing to do yet.
    pub fn new(search: Search) -> Waitlist {
        Waitlist { search, nodes: BTreeSet::new() }
    }
    /// One more node to explore.
    pub fn push<S>(&mut self, graph: &Graph, id: NodeId, node: &Node<S>) {
        let depth = i64::from(node.depth);
        let age = i64::from(id.0);
        // Where the main criterion does not decide: the older node, except that depth first prefers the newest.
        let key = match self.search {
            Search::Bfs => (depth, age),
            Search::Dfs => (-depth, -age),
            Search::Err => (graph.distance(node.loc).map_or(i64::MAX, i64::from), age),
        };
        self.nodes.insert((key.0, key.1, id));
    }
    /// The next node.
    pub fn pop(&mut self) -> Option<NodeId> {
        self.nodes.pop_first().map(|(_, _, id)| id)
    }
}
