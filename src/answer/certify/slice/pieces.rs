//! Pieces of a slice to which many edges lead: each ends with some of these edges, and begins as late as it can.
//!
//! A step of a machine with hundreds of states has hundreds of arrivals at its end. One question about all of them takes much
//! longer than as many short questions, each about few states.
//!
//! Soundness: each path of the slice ends with one of its last edges, which belongs to some piece. It passes the location where
//! that piece begins, since all paths to the last edges of the piece do ([`Dominators`]). From there on it takes edges of the
//! piece only: the piece has every edge from which one of its last edges can be reached.
//!
//! Variables have any value where a piece begins. *Unchanged* variables have the values of the beginning of the slice there. They
//! are kept there; and no location on the paths to it lets them have any value, and no edge there writes them. So they are kept
//! on the whole way: a location keeps all that a landing keeps, except for what the edge writes or the location sets.
//!
//! Source: Cooper, Harvey, Kennedy, "A simple, fast dominance algorithm", 2001 (dominators by numbers in topological order).

use std::collections::{BTreeMap, BTreeSet};

use plc_frontend::ids::IndexVec;

use super::super::effects::Effect;
use super::{Slice, SliceEdge, SliceLoc, Vars, read};
use kernel::cfa::EdgeId;
use kernel::expr::VarId;

/// Last edges of a piece.
const MOST: usize = if cfg!(test) { 1 } else { 32 };
/// Dominators before the paths to the last edges: their guards say in which state a path comes there.
const CONTEXT: usize = if cfg!(test) { 2 } else { 8 };

/// Piece of a slice.
pub(in super::super) struct Piece<'r> {
    pub(in super::super) slice: Slice<'r>,
    /// Variables that have the values of the beginning of the slice where the piece begins.
    pub(in super::super) unchanged: BTreeSet<VarId>,
}

impl<'r> Slice<'r> {
    /// Returns the pieces of a slice with one sink; empty if few edges lead there, or if pieces are as long as the slice.
    ///
    /// Cost: a small multiple of the slice.
    pub(in super::super) fn pieces(&self, effects: &'r IndexVec<EdgeId, Effect>) -> Vec<Piece<'r>> {
        let Some((last, _)) = self.locs.last_key_value() else { return Vec::new() };
        let n_sinks = self.locs.values().filter(|loc| loc.sink.is_some()).count();
        let is_last = |edge: &&SliceEdge<'_>| edge.landing == *last;
        let n_last: usize = self.locs.values().map(|loc| loc.leaving.iter().filter(is_last).count()).sum();
        if n_sinks != 1 || n_last <= 2 * MOST {
            return Vec::new();
        }
        let dominators = Dominators::of(self);
        let reached = self.locs.iter().filter(|(n, _)| dominators.before.contains_key(n));
        let last_edges = reached.flat_map(|(n, loc)| {
            let numbered = loc.leaving.iter().enumerate();
            numbered.filter(|(_, edge)| is_last(edge)).map(|(at, _)| (*n, at))
        });
        let last_edges: Vec<(usize, usize)> = last_edges.collect();
        // Pieces that overlap much are no gain.
        let mut left = if cfg!(test) { usize::MAX } else { 2 * self.locs.len() };
        let mut changes = Changes { slice: self, effects, dominators: &dominators, known: None };
        let mut pieces = Vec::with_capacity(last_edges.len() / MOST + 1);
        for last_edges in last_edges.chunks(MOST) {
            let sources = last_edges.iter().map(|(source, _)| *source);
            let Some(common) = sources.reduce(|a, b| dominators.common(a, b)) else { return Vec::new() };
            let begin = (0..CONTEXT).fold(common, |loc, _| dominators.before.get(&loc).copied().unwrap_or(loc));
            let on_way = dominators.between(begin, last_edges.iter().map(|(source, _)| *source));
            let Some(rest) = left.checked_sub(on_way.len()) else { return Vec::new() };
            left = rest;
            let slice = self.piece(effects, begin, &on_way, &last_edges.iter().copied().collect());
            let changed = changes.before(begin);
            let unchanged = slice.reads().iter().filter(|var| !changed.contains(var)).copied().collect();
            pieces.push(Piece { slice, unchanged });
        }
        pieces
    }

    /// Returns the piece with these locations and last edges.
    fn piece(
        &self,
        effects: &'r IndexVec<EdgeId, Effect>,
        begin: usize,
        on_way: &BTreeSet<usize>,
        last_edges: &BTreeSet<(usize, usize)>,
    ) -> Slice<'r> {
        let mut locs: BTreeMap<usize, SliceLoc<'r>> =
            self.locs.last_key_value().map(|(n, loc)| (*n, loc.clone())).into_iter().collect();
        for n in on_way.iter().rev() {
            let Some(loc) = self.locs.get(n) else { continue };
            let stays = |at: usize, edge: &SliceEdge<'_>| on_way.contains(&edge.landing) || last_edges.contains(&(*n, at));
            let leaving = loc.leaving.iter().enumerate().filter(|(at, edge)| stays(*at, edge)).map(|(_, edge)| edge.clone());
            let leaving: Vec<SliceEdge<'r>> = leaving.collect();
            let reads = read(&leaving, effects, &locs);
            // Other branches read more.
            let kept = Vars::new(reads.intersection(&loc.kept).copied().collect());
            let fresh = loc.fresh.iter().filter(|var| reads.contains(var)).copied().collect();
            locs.insert(*n, SliceLoc { kept, fresh, leaving, sink: loc.sink });
        }
        Slice { locs, begin }
    }
}

/// Dominators of the locations of a slice: those that all paths from its beginning pass.
struct Dominators {
    /// The last dominator of each location before the location itself. That of the beginning is itself.
    before: BTreeMap<usize, usize>,
    /// Locations from which edges lead to each location.
    into: BTreeMap<usize, Vec<usize>>,
}

impl Dominators {
    fn of(slice: &Slice<'_>) -> Dominators {
        let mut dominators = Dominators { before: BTreeMap::from([(slice.begin, slice.begin)]), into: BTreeMap::new() };
        // Sources have smaller numbers than landings.
        for (n, loc) in slice.locs.range(slice.begin..) {
            if !dominators.before.contains_key(n) {
                continue;
            }
            for edge in &loc.leaving {
                let known = dominators.before.get(&edge.landing).map_or(*n, |known| dominators.common(*known, *n));
                dominators.before.insert(edge.landing, known);
                dominators.into.entry(edge.landing).or_default().push(*n);
            }
        }
        dominators
    }
    /// Returns the last location that all paths to both of these pass.
    fn common(&self, mut a: usize, mut b: usize) -> usize {
        while a != b {
            let later = if a < b { &mut b } else { &mut a };
            *later = self.before.get(later).copied().unwrap_or_default();
        }
        a
    }
    /// Returns the locations on paths from a location to these, which it dominates; with all of them.
    fn between(&self, begin: usize, ends: impl Iterator<Item = usize>) -> BTreeSet<usize> {
        let mut todo: Vec<usize> = ends.collect();
        let mut all: BTreeSet<usize> = todo.iter().copied().chain([begin]).collect();
        while let Some(n) = todo.pop() {
            if n != begin {
                todo.extend(self.into.get(&n).into_iter().flatten().copied().filter(|source| all.insert(*source)));
            }
        }
        all
    }
}

/// Changes of variables on the paths to locations.
struct Changes<'c, 'r> {
    slice: &'c Slice<'r>,
    effects: &'c IndexVec<EdgeId, Effect>,
    dominators: &'c Dominators,
    /// The last location that was asked about, and its changes.
    known: Option<(usize, BTreeSet<VarId>)>,
}

impl Changes<'_, '_> {
    /// Returns the variables that some path to a location changes.
    ///
    /// Cost: the paths from the location of the last call, if that one dominates this one.
    fn before(&mut self, loc: usize) -> &BTreeSet<VarId> {
        let (from, mut changed) = match self.known.take() {
            Some((known, changed)) if self.dominators.common(known, loc) == known => (known, changed),
            Some(_) | None => (self.slice.begin, BTreeSet::new()),
        };
        let on_way = self.dominators.between(from, std::iter::once(loc));
        for n in on_way.iter().filter(|n| **n != loc) {
            let Some(passed) = self.slice.locs.get(n) else { continue };
            changed.extend(&passed.fresh);
            for edge in passed.leaving.iter().filter(|edge| on_way.contains(&edge.landing)) {
                changed.extend(self.effects[edge.edge].writes.iter().map(|write| write.var));
            }
        }
        &self.known.insert((loc, changed)).1
    }
}

#[cfg(test)]
mod tests;
