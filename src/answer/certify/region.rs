//! Region of a place: the locations and edges that runs pass from there before the next place.

use std::collections::{BTreeMap, BTreeSet};

use super::automaton::Automaton;
use kernel::cfa::{EdgeId, LocId};
use kernel::expr::VarId;

/// End of an edge in a region.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    /// Location of the region, by its number.
    Inner(usize),
    /// A place: another one, or that of the region again.
    Place(LocId),
    /// The error location.
    Error,
}

/// Locations between a place and the next ones, without loops.
#[derive(Clone, Debug)]
pub(super) struct Region {
    /// The place.
    pub(super) place: LocId,
    /// Edges that leave each location. Sources come before targets; the first location is the place.
    pub(super) leaving: Vec<Vec<(EdgeId, End)>>,
    /// Variables that get any value when a path comes to a location.
    pub(super) passed: BTreeMap<usize, BTreeSet<VarId>>,
    next_places: BTreeSet<LocId>,
}

impl Region {
    /// Returns the region of a place.
    ///
    /// Cost: `n log n` in the region; independent of the rest of the automaton.
    pub(super) fn of(automaton: &Automaton<'_>, place: LocId) -> Region {
        let mut inner: BTreeSet<(usize, LocId)> = BTreeSet::new();
        let mut todo = vec![place];
        while let Some(loc) = todo.pop() {
            for (_, target) in automaton.leaving(loc) {
                if let Some(rank) = automaton.rank(target)
                    && inner.insert((rank, target))
                {
                    todo.push(target);
                }
            }
        }
        let locs: Vec<LocId> = std::iter::once(place).chain(inner.into_iter().map(|(_, loc)| loc)).collect();
        let numbers: BTreeMap<LocId, usize> = locs.iter().enumerate().skip(1).map(|(n, loc)| (*loc, n)).collect();
        let end = |target: LocId| match numbers.get(&target) {
            Some(n) => End::Inner(*n),
            None if target == automaton.cfa.error => End::Error,
            None => End::Place(target),
        };
        let leaving = locs.iter().map(|loc| automaton.leaving(*loc).map(|(edge, target)| (edge, end(target))).collect());
        let leaving: Vec<Vec<(EdgeId, End)>> = leaving.collect();
        let passed = numbers.iter().filter_map(|(loc, n)| Some((*n, automaton.passed(*loc)?.clone()))).collect();
        let next = leaving.iter().flatten().filter_map(|(_, end)| if let End::Place(place) = end { Some(*place) } else { None });
        Region { place, passed, next_places: next.collect(), leaving }
    }

    /// Returns the places that runs come to next.
    pub(super) fn next_places(&self) -> &BTreeSet<LocId> {
        &self.next_places
    }

    /// Returns the edges to the error location, each with the number of its source.
    pub(super) fn errors(&self) -> impl Iterator<Item = (usize, EdgeId)> {
        let numbered = self.leaving.iter().enumerate();
        numbered.flat_map(|(n, leaving)| leaving.iter().filter(|(_, end)| *end == End::Error).map(move |(edge, _)| (n, *edge)))
    }
}
