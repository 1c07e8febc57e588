//! The abstract reachability graph: its nodes and edges; expanding, covering and pruning.

use plc_frontend::id_type;
use plc_frontend::ids::{Id, IndexVec};

use crate::domain::StepId;
use kernel::cfa::LocId;

id_type!(
    /// A node of an abstract reachability graph.
    NodeId,
    "n"
);

/// State of a node's exploration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    /// Open: some of its successors may not be in the graph yet.
    Unmarked,
    /// All its successors are in the graph.
    Expanded,
    /// Another node at the same location stands for at least the same data states.
    Covered(NodeId),
    /// No longer part of the graph.
    Pruned,
}

/// Abstract state at a location, with the path that led the exploration to it.
#[derive(Clone, Debug)]
pub struct Node<S> {
    /// The location.
    pub loc: LocId,
    /// The abstract data state.
    pub state: S,
    /// The node before; `None` for an initial node.
    pub parent: Option<NodeId>,
    /// The step that led here. For an initial node, it is the step that sets the initial values.
    pub step: StepId,
    /// Number of steps from the initial node.
    pub depth: u32,
    /// State of its exploration.
    pub mark: Mark,
    /// Age of the precision when the state was computed. An older state may be too coarse for the present precision.
    pub epoch: u32,
    children: Vec<NodeId>,
    covers: Vec<NodeId>,
    /// All its successors were added; stays TRUE while the node is covered.
    has_all_children: bool,
}

/// An abstract reachability graph.
///
/// **Invariants:** Without covered-by edges the graph is a forest. A node that covers is not covered when the edge is made, so
/// covered-by edges have no cycles. Either all children by one step are in the graph, or none.
///
/// Source: Hajdu, Micskei, JAR 2020, Def. 3.
#[derive(Clone, Debug)]
pub struct Arg<S> {
    nodes: IndexVec<NodeId, Node<S>>,
    n_live: usize,
}

impl<S> Default for Arg<S> {
    fn default() -> Self {
        Arg { nodes: IndexVec::new(), n_live: 0 }
    }
}

impl<S> Arg<S> {
    /// Returns the node.
    pub fn node(&self, id: NodeId) -> &Node<S> {
        &self.nodes[id]
    }
    /// Returns the number of nodes that are not pruned.
    pub fn n_nodes(&self) -> usize {
        self.n_live
    }
    /// Returns all nodes that are not pruned, oldest first.
    pub fn nodes(&self) -> impl Iterator<Item = (NodeId, &Node<S>)> {
        self.nodes.iter_enumerated().filter(|(_, node)| node.mark != Mark::Pruned)
    }
    /// Returns the children of a node.
    pub fn children(&self, id: NodeId) -> &[NodeId] {
        &self.nodes[id].children
    }
    /// Returns a new initial node.
    pub fn add_root(&mut self, loc: LocId, step: StepId, state: S, epoch: u32) -> NodeId {
        self.add(Node {
            loc,
            state,
            parent: None,
            step,
            depth: 0,
            mark: Mark::Unmarked,
            epoch,
            children: Vec::new(),
            covers: Vec::new(),
            has_all_children: false,
        })
    }
    /// Returns a new successor of `parent`.
    pub fn add_child(&mut self, parent: NodeId, loc: LocId, step: StepId, state: S, epoch: u32) -> NodeId {
        let child = self.add(Node {
            loc,
            state,
            parent: Some(parent),
            step,
            depth: self.nodes[parent].depth + 1,
            mark: Mark::Unmarked,
            epoch,
            children: Vec::new(),
            covers: Vec::new(),
            has_all_children: false,
        });
        self.nodes[parent].children.push(child);
        child
    }
    fn add(&mut self, node: Node<S>) -> NodeId {
        self.n_live += 1;
        self.nodes.push(node)
    }
    /// Returns whether the successors of `id` by `step` are in the graph already.
    pub fn has_child_by(&self, id: NodeId, step: StepId) -> bool {
        self.nodes[id].children.iter().any(|&child| self.nodes[child].step == step)
    }
    /// Marks `id` as expanded: all its successors are in the graph.
    pub fn expand(&mut self, id: NodeId) {
        self.nodes[id].mark = Mark::Expanded;
        self.nodes[id].has_all_children = true;
    }
    /// Covers `id` by a node that stands for all its data states: at the same location, neither covered nor pruned.
    pub fn cover(&mut self, id: NodeId, by: NodeId) {
        debug_assert!(id != by && self.nodes[id].loc == self.nodes[by].loc);
        debug_assert!(matches!(self.nodes[by].mark, Mark::Unmarked | Mark::Expanded));
        self.nodes[id].mark = Mark::Covered(by);
        self.nodes[by].covers.push(id);
    }
    /// Removes the cover of `id`. The node is expanded as far as it was before it was covered.
    pub fn uncover(&mut self, id: NodeId) {
        if let Mark::Covered(by) = self.nodes[id].mark {
            self.nodes[by].covers.retain(|&covered| covered != id);
            self.nodes[id].mark = if self.nodes[id].has_all_children { Mark::Expanded } else { Mark::Unmarked };
        }
    }
    /// Returns the nodes that `id` covers.
    pub fn covers(&self, id: NodeId) -> &[NodeId] {
        &self.nodes[id].covers
    }
    /// Replaces the state of `id`.
    pub fn set_state(&mut self, id: NodeId, state: S) {
        self.nodes[id].state = state;
    }
    /// Returns `id` and everything below it.
    pub fn subtree(&self, id: NodeId) -> Vec<NodeId> {
        let mut all = vec![id];
        let mut i = 0;
        while i < all.len() {
            all.extend_from_slice(&self.nodes[all[i]].children);
            i += 1;
        }
        all
    }
    /// Returns the nodes from an initial one to `id`, both included.
    pub fn path(&self, id: NodeId) -> Vec<NodeId> {
        let mut path = vec![id];
        let mut at = id;
        while let Some(parent) = self.nodes[at].parent {
            path.push(parent);
            at = parent;
        }
        path.reverse();
        path
    }
    /// Removes the subtrees of `id` and of its siblings by the same step. Their parent becomes unmarked, and so do all nodes
    /// that only removed nodes covered. If `id` is an initial node, the graph becomes empty.
    ///
    /// Source: Hajdu, Micskei, JAR 2020, §2.2.2 "Pruning".
    pub fn prune(&mut self, id: NodeId) {
        if self.nodes.len() <= id.index() || self.nodes[id].mark == Mark::Pruned {
            return;
        }
        let Some(parent) = self.nodes[id].parent else {
            self.clear();
            return;
        };
        let step = self.nodes[id].step;
        let children = std::mem::take(&mut self.nodes[parent].children);
        let (pruned, kept): (Vec<NodeId>, Vec<NodeId>) = children.into_iter().partition(|&child| self.nodes[child].step == step);
        self.nodes[parent].children = kept;
        self.nodes[parent].mark = Mark::Unmarked;
        self.nodes[parent].has_all_children = false;
        let mut uncovered = Vec::new();
        let mut todo = pruned;
        while let Some(node) = todo.pop() {
            let node = &mut self.nodes[node];
            node.mark = Mark::Pruned;
            self.n_live -= 1;
            todo.append(&mut node.children);
            uncovered.append(&mut node.covers);
        }
        for node in uncovered {
            // A node that was covered may be pruned itself.
            if matches!(self.nodes[node].mark, Mark::Covered(_)) {
                self.nodes[node].mark = Mark::Unmarked;
            }
        }
    }
    /// Removes everything below `id`, which stands for nothing and so has no successors. They must cover no node.
    ///
    /// Source: papers/unifying-smt-verification (Beyer, Dangl, Wendler), §3.2.4.
    pub fn prune_below(&mut self, id: NodeId) {
        let mut todo = std::mem::take(&mut self.nodes[id].children);
        self.expand(id);
        while let Some(id) = todo.pop() {
            self.uncover(id);
            let node = &mut self.nodes[id];
            node.mark = Mark::Pruned;
            self.n_live -= 1;
            todo.append(&mut node.children);
        }
    }
    /// Removes everything.
    pub fn clear(&mut self) {
        *self = Arg::default();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns a chain n0 → n1 → n2 with n3 beside n1 (another step), all at one location.
    fn sample() -> Arg<u32> {
        let mut arg = Arg::default();
        let n0 = arg.add_root(LocId(0), StepId(9), 0, 0);
        let n1 = arg.add_child(n0, LocId(0), StepId(1), 1, 0);
        let _n2 = arg.add_child(n1, LocId(0), StepId(1), 2, 0);
        let _n3 = arg.add_child(n0, LocId(0), StepId(2), 3, 0);
        arg
    }

    #[test]
    fn a_path_leads_from_the_initial_node() {
        let arg = sample();
        assert_eq!(arg.path(NodeId(2)), [NodeId(0), NodeId(1), NodeId(2)]);
        assert_eq!(arg.node(NodeId(2)).depth, 2);
    }

    #[test]
    fn a_node_that_was_covered_is_expanded_as_far_as_before() {
        let mut arg = sample();
        let twin = arg.add_child(NodeId(0), LocId(0), StepId(3), 4, 0);
        arg.expand(NodeId(1));
        // One of the successors of n0 may be missing; n1 has all of them.
        for (id, mark) in [(NodeId(0), Mark::Unmarked), (NodeId(1), Mark::Expanded)] {
            arg.cover(id, twin);
            arg.uncover(id);
            assert_eq!((arg.node(id).mark, arg.covers(twin)), (mark, [].as_slice()));
        }
    }

    #[test]
    fn pruning_reopens_the_parent_and_what_was_covered() {
        let mut arg = sample();
        arg.expand(NodeId(0));
        arg.expand(NodeId(1));
        arg.cover(NodeId(3), NodeId(2));
        arg.prune(NodeId(1));
        let marks: Vec<(NodeId, Mark)> = arg.nodes().map(|(id, node)| (id, node.mark)).collect();
        assert_eq!(marks, [(NodeId(0), Mark::Unmarked), (NodeId(3), Mark::Unmarked)]);
        assert_eq!(arg.n_nodes(), 2);
        assert!(arg.has_child_by(NodeId(0), StepId(2)));
        assert!(!arg.has_child_by(NodeId(0), StepId(1)));
    }

    #[test]
    fn pruning_takes_siblings_by_the_same_step_with_it() {
        let mut arg = sample();
        let twin = arg.add_child(NodeId(0), LocId(0), StepId(1), 4, 0);
        arg.prune(twin);
        assert_eq!(arg.nodes().map(|(id, _)| id).collect::<Vec<_>>(), [NodeId(0), NodeId(3)]);
    }

    #[test]
    fn pruning_an_initial_node_removes_everything() {
        let mut arg = sample();
        arg.prune(NodeId(0));
        assert_eq!(arg.n_nodes(), 0);
        assert_eq!(arg.nodes().count(), 0);
    }
}
