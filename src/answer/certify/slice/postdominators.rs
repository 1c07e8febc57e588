//! Postdominators of a region: the locations that all paths to one next place pass.
//!
//! Source: Cooper, Harvey, Kennedy, "A simple, fast dominance algorithm", 2001 (Fig. 3 and 5, on the reversed graph); the branches
//! that a location depends on are those of Ferrante, Ottenstein, Warren, TOPLAS 9(3), 1987, doi:10.1145/24039.24041.

use super::super::region::{End, Region};
use kernel::cfa::{EdgeId, LocId};

/// Tree of postdominators. Its root is the place.
///
/// Locations have *positions* in it: targets of edges come before sources, and the locations below one are a range that begins
/// with it. So the first location of the region is the last one.
#[derive(Debug)]
pub(super) struct PostDominators {
    /// Locations by position. Here the place has the number of locations of the region.
    numbers: Vec<usize>,
    /// Positions of locations; `None` where no path leads to the place.
    positions: Vec<Option<usize>>,
    /// Last position below each one.
    last: Vec<usize>,
    /// Edges that lead to the place, with the positions of their targets.
    leaving: Vec<Vec<(EdgeId, usize)>>,
    /// Positions of the branches where the choice of an edge decides whether a path comes to a location.
    branches: Vec<Vec<usize>>,
}

impl PostDominators {
    /// Returns the tree for a next place of a region; `None` for regions where it would cost too much.
    ///
    /// Cost: linear in the edges, with a bound that only many jumps out of nested branches exceed.
    pub(super) fn of(region: &Region, place: LocId) -> Option<PostDominators> {
        /// Steps for each location.
        const MOST: usize = 64;
        let root = region.leaving.len();
        let mut left = MOST * (root + 1);
        let mut parents: Vec<Option<usize>> = vec![None; root + 1];
        parents[root] = Some(root);
        let (mut below, mut branches) = (vec![Vec::new(); root + 1], vec![Vec::new(); root + 1]);
        for n in (0..root).rev() {
            let targets: Vec<usize> = targets(region, place, n).map(|(_, to)| to).filter(|to| parents[*to].is_some()).collect();
            let mut up = |at: &mut usize| {
                *at = parents[*at].unwrap_or(root);
                left = left.checked_sub(1)?;
                Some(())
            };
            let Some(mut meet) = targets.first().copied() else { continue };
            for mut to in targets.iter().copied() {
                while meet != to {
                    // Postdominators have greater numbers.
                    up(if meet < to { &mut meet } else { &mut to })?;
                }
            }
            for mut to in targets {
                while to != meet {
                    let of: &mut Vec<usize> = &mut branches[to];
                    if of.last() != Some(&n) {
                        of.push(n);
                    }
                    up(&mut to)?;
                }
            }
            parents[n] = Some(meet);
            below[meet].push(n);
        }
        Some(PostDominators::ordered(region, place, &parents, &below, &branches))
    }

    fn ordered(
        region: &Region,
        place: LocId,
        parents: &[Option<usize>],
        below: &[Vec<usize>],
        branches: &[Vec<usize>],
    ) -> PostDominators {
        let (mut numbers, mut positions) = (Vec::new(), vec![None; parents.len()]);
        let mut todo = vec![region.leaving.len()];
        while let Some(n) = todo.pop() {
            positions[n] = Some(numbers.len());
            numbers.push(n);
            // An edge to another subtree leads to one of a greater number, so those come first.
            todo.extend(below[n].iter().rev());
        }
        let mut last: Vec<usize> = (0..numbers.len()).collect();
        for at in (1..numbers.len()).rev() {
            if let Some(parent) = parents[numbers[at]].and_then(|parent| positions[parent]) {
                last[parent] = last[parent].max(last[at]);
            }
        }
        let position = |n: usize| positions[n];
        let leaving = |n: &usize| -> Vec<(EdgeId, usize)> {
            targets(region, place, *n).filter_map(|(edge, to)| Some((edge, position(to)?))).collect()
        };
        let leaving = numbers.iter().map(leaving).collect();
        let branches = numbers.iter().map(|n| branches[*n].iter().filter_map(|n| position(*n)).collect()).collect();
        PostDominators { numbers, positions, last, leaving, branches }
    }

    /// Returns the position of a location; `None` where no path leads from it to the place.
    pub(super) fn position(&self, n: usize) -> Option<usize> {
        self.positions.get(n).copied().flatten()
    }
    /// Returns the location at a position.
    pub(super) fn number(&self, at: usize) -> usize {
        self.numbers[at]
    }
    /// Returns the last position below this one.
    pub(super) fn last(&self, at: usize) -> usize {
        self.last[at]
    }
    /// Returns the edges that leave a location and lead to the place, with the positions of their targets.
    pub(super) fn leaving(&self, at: usize) -> &[(EdgeId, usize)] {
        &self.leaving[at]
    }
    /// Returns the branches where the choice of an edge decides whether a path comes to a location.
    pub(super) fn branches(&self, at: usize) -> &[usize] {
        &self.branches[at]
    }
    /// Returns all positions.
    pub(super) fn positions(&self) -> std::ops::Range<usize> {
        0..self.numbers.len()
    }
}

/// Returns the edges that leave a location for another one, or for the place.
fn targets(region: &Region, place: LocId, n: usize) -> impl Iterator<Item = (EdgeId, usize)> {
    let number = move |end: End| match end {
        End::Inner(to) => Some(to),
        End::Place(to) => (to == place).then_some(region.leaving.len()),
        End::Error => None,
    };
    region.leaving.get(n).into_iter().flatten().filter_map(move |(edge, end)| Some((*edge, number(*end)?)))
}
