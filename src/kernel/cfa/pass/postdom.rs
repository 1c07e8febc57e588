//! Postdominators: locations where the ways on from a location meet again.
//!
//! A way ends at the error location or with the cycle: edges back to the head count as ends, so that the scan cycle is no loop.
//!
//! Source: Cooper, Harvey, Kennedy, "A Simple, Fast Dominance Algorithm", 2001, on the reversed graph.

use plc_frontend::ids::{Id, IndexVec};

use crate::cfa::automaton::{Cfa, LocId};

/// The tree of postdominators.
pub(super) struct Postdominators {
    /// Next location on every way from here; `None` if there is none, or if no end is reached.
    parent: Vec<Option<usize>>,
    /// Distance from the root.
    depth: Vec<u32>,
    /// All nodes, parents before children.
    downwards: Vec<usize>,
}

/// Nodes besides the locations: the end of the cycle, and the end of all ways.
struct Ends {
    cycle: usize,
    all: usize,
}

impl Postdominators {
    /// Computes the tree. Cost: a few passes over the edges.
    pub(super) fn new(cfa: &Cfa) -> Postdominators {
        let n = cfa.locs.len();
        let ends = Ends { cycle: n, all: n + 1 };
        let mut next: Vec<Vec<usize>> = vec![Vec::new(); n + 2];
        for edge in cfa.edges.iter() {
            let target = if edge.target == cfa.head && edge.source != cfa.init { ends.cycle } else { edge.target.index() };
            next[edge.source.index()].push(target);
        }
        next[ends.cycle].push(ends.all);
        next[cfa.error.index()].push(ends.all);
        let order = from_the_end(&next, ends.all);
        let mut number = vec![usize::MAX; n + 2];
        order.iter().enumerate().for_each(|(i, node)| number[*node] = i);

        let mut parent: Vec<Option<usize>> = vec![None; n + 2];
        parent[ends.all] = Some(ends.all);
        let mut changed = true;
        while changed {
            changed = false;
            for node in order.iter().skip(1) {
                let ready = next[*node].iter().copied().filter(|t| parent[*t].is_some());
                let meet = ready.reduce(|a, b| common(&parent, &number, a, b));
                if meet.is_some() && parent[*node] != meet {
                    parent[*node] = meet;
                    changed = true;
                }
            }
        }
        let mut depth = vec![0; n + 2];
        for node in order.iter().skip(1) {
            // Not in order of depth: through a loop, a postdominator may come later in the order.
            let mut up = Vec::new();
            let mut at = *node;
            while depth[at] == 0 && at != ends.all {
                up.push(at);
                match parent[at] {
                    Some(p) => at = p,
                    None => break,
                }
            }
            for below in up.into_iter().rev() {
                depth[below] = parent[below].map_or(0, |p| depth[p] + 1);
            }
        }
        let mut downwards: Vec<usize> = (0..n + 2).collect();
        downwards.sort_by_key(|node| depth[*node]);
        Postdominators { parent, depth, downwards }
    }

    /// Returns for each location the depth of the nearest marked one at or above it in the tree; 0 if there is none.
    pub(super) fn nearest(&self, marked: &IndexVec<LocId, bool>) -> Vec<u32> {
        let mut nearest = vec![0; self.parent.len()];
        for &node in &self.downwards {
            let above = self.parent[node].map_or(0, |p| nearest[p]);
            let own = marked.get(LocId::new(node)).copied().unwrap_or(false);
            nearest[node] = if own { self.depth[node] } else { above };
        }
        nearest
    }
    /// Returns the depth of the location where the ways on from `loc` meet; `None` if they do not.
    pub(super) fn meeting_depth(&self, loc: LocId) -> Option<u32> {
        self.parent[loc.index()].map(|p| self.depth[p])
    }
    /// Returns the location where the ways on from `loc` meet; the head stands for the end of the cycle.
    pub(super) fn meeting(&self, cfa: &Cfa, loc: LocId) -> Option<LocId> {
        let node = self.parent[loc.index()]?;
        if node < cfa.locs.len() {
            Some(LocId::new(node))
        } else if node == cfa.locs.len() {
            Some(cfa.head)
        } else {
            None
        }
    }
}

/// Returns the node where the paths from two nodes to the root meet.
fn common(parent: &[Option<usize>], number: &[usize], mut a: usize, mut b: usize) -> usize {
    while a != b {
        let later = if number[a] < number[b] { &mut b } else { &mut a };
        match parent[*later] {
            Some(up) => *later = up,
            None => return a.min(b),
        }
    }
    a
}

/// Returns all nodes from which `end` is reached, in reverse post-order of the reversed graph: `end` first.
fn from_the_end(next: &[Vec<usize>], end: usize) -> Vec<usize> {
    let mut back: Vec<Vec<usize>> = vec![Vec::new(); next.len()];
    for (node, targets) in next.iter().enumerate() {
        targets.iter().for_each(|t| back[*t].push(node));
    }
    let mut seen = vec![false; next.len()];
    let mut order = Vec::new();
    let mut stack = vec![(end, 0)];
    seen[end] = true;
    while let Some((node, i)) = stack.pop() {
        match back[node].get(i) {
            Some(&before) => {
                stack.push((node, i + 1));
                if !std::mem::replace(&mut seen[before], true) {
                    stack.push((before, 0));
                }
            }
            None => order.push(node),
        }
    }
    order.reverse();
    order
}
