//! Waiting nodes of a graph; the one nearest to the end of the block is next.
//!
//! A way past a conditional call is followed before the way through it. So the first error has few calls on its way, and its
//! refutation is about few. In the order of their arrival, n conditional calls whose results are not known yet gave 2^n states
//! before the first error.
//!
//! Source: papers/block-abstraction-memoization, Algorithm 1 (waitlist), whose order is open.

use std::collections::BTreeSet;

use kernel::expr::FastMap;

/// Nodes by the ranks of their locations; the last one is next.
pub(super) struct Waitlist {
    ranks: FastMap<u32, u32>,
    /// Rank, location and node.
    queue: BTreeSet<(u32, u32, u32)>,
}

impl Waitlist {
    /// Returns an empty list for the locations that `entry` leads to.
    ///
    /// Cost: the size of the block.
    pub(super) fn new(entry: u32, successors: impl Fn(u32) -> Vec<u32>) -> Waitlist {
        let mut order: Vec<u32> = Vec::new();
        let mut seen = BTreeSet::from([entry]);
        let mut stack = vec![(entry, successors(entry))];
        while let Some((loc, todo)) = stack.last_mut() {
            match todo.pop() {
                Some(next) => {
                    if seen.insert(next) {
                        stack.push((next, successors(next)));
                    }
                }
                None => {
                    order.push(*loc);
                    stack.pop();
                }
            }
        }
        let ranks = order.into_iter().rev().zip(0..).collect();
        Waitlist { ranks, queue: BTreeSet::new() }
    }
    /// Adds a node. Nodes of its location that it covers leave the list.
    pub(super) fn add(&mut self, loc: u32, node: u32, covers: impl Fn(u32) -> bool) {
        let rank = self.ranks.get(&loc).copied().unwrap_or(0);
        let here = self.queue.range((rank, loc, 0)..=(rank, loc, u32::MAX));
        let covered: Vec<(u32, u32, u32)> = here.filter(|(_, _, other)| covers(*other)).copied().collect();
        for row in covered {
            self.queue.remove(&row);
        }
        self.queue.insert((rank, loc, node));
    }
    /// Takes the next node.
    pub(super) fn next(&mut self) -> Option<u32> {
        self.queue.pop_last().map(|(_, _, node)| node)
    }
}
