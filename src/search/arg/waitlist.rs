//! The order of exploration.

use std::collections::BTreeSet;

use super::graph::Graph;
use super::node::{Node, NodeId};

/// Order of the waitlist: the least w_D · depth + w_E · distance to the error location first.
///
/// Source: Hajdu, Micskei, JAR 2020, §3.1.2; the names of the weights §4.1.3.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Search {
    /// w_D: weight of the depth in the graph; negative for depth first.
    pub depth: i32,
    /// w_E: weight of the distance to the error location in the automaton.
    pub error: i32,
}

impl Search {
    /// Least depth first.
    pub const BFS: Search = Search { depth: 1, error: 0 };
    /// Greatest depth first.
    pub const DFS: Search = Search { depth: -1, error: 0 };
    /// Least distance to the error location first.
    pub const ERR: Search = Search { depth: 0, error: 1 };
    /// Both, biased towards the depth.
    pub const ERR_DFS: Search = Search { depth: 2, error: 1 };
    /// Both, biased towards the distance.
    pub const DFS_ERR: Search = Search { depth: 1, error: 2 };
    /// Orders with a name.
    pub const NAMED: [(&str, Search); 5] = [
        ("BFS", Search::BFS),
        ("DFS", Search::DFS),
        ("ERR", Search::ERR),
        ("ERR_DFS", Search::ERR_DFS),
        ("DFS_ERR", Search::DFS_ERR),
    ];
}

impl Default for Search {
    fn default() -> Search {
        Search::BFS
    }
}

/// Nodes to be explored.
#[derive(Clone, Debug)]
pub struct Waitlist {
    search: Search,
    nodes: BTreeSet<(i64, i64, NodeId)>,
}

impl Waitlist {
    /// Returns an empty list.
    pub fn new(search: Search) -> Waitlist {
        Waitlist { search, nodes: BTreeSet::new() }
    }
    /// Adds a node to explore.
    pub fn push<S>(&mut self, graph: &Graph, id: NodeId, node: &Node<S>) {
        let depth = i64::from(self.search.depth) * i64::from(node.depth);
        // Nodes without a way to the error location come last.
        let error = match graph.distance(node.loc) {
            Some(distance) => i64::from(self.search.error) * i64::from(distance),
            None => i64::from(i32::MAX),
        };
        let age = i64::from(id.0);
        // At equal weights the older node comes first; depth-first search prefers the newest.
        let age = if self.search.depth < 0 { -age } else { age };
        self.nodes.insert((depth.saturating_add(error), age, id));
    }
    /// Returns the next node.
    pub fn pop(&mut self) -> Option<NodeId> {
        self.nodes.pop_first().map(|(_, _, id)| id)
    }
}
