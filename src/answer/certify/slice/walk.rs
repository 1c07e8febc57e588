//! Slice of an indexed region. The walk visits locations that may stay, and no others: sinks, locations that write a variable which
//! their landing keeps, those with a guard that stays there, and the *branches* of locations that stay. A branch of a location is
//! one with an edge behind which all paths pass the location, while not all paths from the branch do.
//!
//! Soundness: let a location be skipped. All its edges have one landing, by the argument below; so (1) holds. Neither they nor
//! the location write a variable that is kept there: the walk visits all such locations, and they stay. So (2) holds.
//!
//! The landing of a skipped location is the first of its postdominators that stays. For let a path from the location meet another
//! location that stays, before. Not all paths from the skipped one pass that one: else it would be a postdominator, and come
//! first. So the path has a last location from which not all paths pass it. That is one of its branches, so it stays, and the path
//! meets it before. By repetition the path would begin at a location that stays.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap};

use plc_frontend::ids::IndexVec;

use super::super::effects::Effect;
use super::super::region::Region;
use super::index::Index;
use super::{Choice, Extent, Sink, Slice, SliceLoc, only};
use kernel::cfa::EdgeId;
use kernel::expr::VarId;

/// Sinks by position.
type Sinks<'g> = BTreeMap<usize, (Sink, &'g BTreeSet<VarId>)>;

/// Walk through a region, from the last sink backwards.
pub(super) struct Walk<'w, 'r> {
    region: &'w Region,
    index: &'w Index,
    effects: &'r IndexVec<EdgeId, Effect>,
    extent: Extent,
    sinks: Sinks<'w>,
    /// Variables that may be kept; `None` for all.
    only: Option<BTreeSet<VarId>>,
    /// Position of the last sink.
    root: usize,
    /// Locations that stay.
    locs: BTreeMap<usize, SliceLoc<'r>>,
    /// Landing of each position from this one to the next entry.
    landings: BTreeMap<usize, usize>,
    /// Sinks and branches that stay, ahead of the walk.
    due: BTreeSet<usize>,
    /// Zones around the position of the walk.
    zones: Vec<Zone<'w>>,
}

impl<'w, 'r> Walk<'w, 'r> {
    /// Begins a walk from the last of these sinks, which all paths pass.
    pub(super) fn new(
        (region, index): (&'w Region, &'w Index),
        effects: &'r IndexVec<EdgeId, Effect>,
        sinks: Sinks<'w>,
        extent: Extent,
    ) -> Walk<'w, 'r> {
        let root = sinks.first_key_value().map_or(0, |(at, _)| *at);
        let due = sinks.keys().copied().collect();
        let only = only(sinks.values().map(|(_, goal)| *goal), extent);
        let (locs, landings, zones) = Default::default();
        Walk { region, index, effects, extent, sinks, only, root, locs, landings, due, zones }
    }

    /// Returns the slice of the paths that begin at this position.
    pub(super) fn slice(mut self, begin: usize) -> Slice<'r> {
        let mut at = None;
        while let Some(next) = self.next(at) {
            self.visit(next);
            at = Some(next);
        }
        let begin = self.landing(begin);
        Slice { locs: self.locs, begin }
    }

    /// Returns the slice of the end of the paths that begin at this position. It begins at a location that stays and that all paths
    /// pass: the last one with at least `least` locations of the slice behind it. `None` if there is none.
    ///
    /// Soundness: what a path does there, it does after it has passed that location in some state.
    pub(super) fn tail(mut self, begin: usize, least: usize) -> Option<Slice<'r>> {
        let mut at = None;
        while let Some(next) = self.next(at) {
            self.visit(next);
            at = Some(next);
            let stays = self.locs.get_key_value(&self.index.tree.number(next)).map(|(n, _)| *n);
            let is_passed = next < begin && begin <= self.index.tree.last(next);
            // Sinks that are left lie before it.
            let has_all = self.sinks.last_key_value().is_none_or(|(last, _)| *last <= next);
            if let Some(begin) = stays
                && is_passed
                && has_all
                && least < self.locs.len()
            {
                return Some(Slice { locs: self.locs, begin });
            }
        }
        None
    }

    /// Returns the next position to visit, after this one.
    fn next(&mut self, at: Option<usize>) -> Option<usize> {
        let Some(mut at) = at else {
            self.due.remove(&self.root);
            return Some(self.root);
        };
        while let Some(zone) = self.zones.last_mut() {
            let next = [zone.next(at), self.due.first().copied()].into_iter().flatten().min();
            if let Some(next) = next.filter(|next| *next <= zone.last) {
                self.due.remove(&next);
                return Some(next);
            }
            at = zone.last;
            self.zones.pop();
        }
        None
    }

    /// Returns the landing of a position that the walk has passed.
    fn landing(&self, at: usize) -> usize {
        let landing = self.landings.range(..=at).next_back().map(|(_, landing)| *landing);
        landing.unwrap_or_else(|| self.index.tree.number(self.root))
    }

    /// Adds a location if it stays.
    fn visit(&mut self, at: usize) {
        #[cfg(test)]
        self.index.n_visits.update(|n| n + 1);
        let (tree, n) = (&self.index.tree, self.index.tree.number(at));
        let leaving = if at == self.root { &[] } else { tree.leaving(at) };
        let leaving: Vec<(EdgeId, usize)> = leaving.iter().map(|(edge, to)| (*edge, self.landing(*to))).collect();
        let (effects, extent, only) = (self.effects, self.extent, self.only.as_ref());
        let choice = Choice { leaving: &leaving, effects, locs: &self.locs, extent, only };
        let Some(loc) = choice.loc(self.region.passed.get(&n), self.sinks.get(&at).copied()) else { return };
        let (last, around) = (tree.last(at), self.landing(at));
        self.landings.insert(at, n);
        self.landings.entry(last + 1).or_insert(around);
        self.due.extend(tree.branches(at));
        self.zones.push(Zone::new(self.index.lists(&loc.kept, self.extent), at, last));
        self.locs.insert(n, loc);
    }
}

/// Positions that land at a location, and those around which they lie. The lists say which of them may stay.
struct Zone<'i> {
    /// Last position.
    last: usize,
    /// Lists by their first positions ahead of the walk.
    heads: BinaryHeap<Reverse<(usize, usize)>>,
    lists: Vec<&'i [usize]>,
}

impl<'i> Zone<'i> {
    fn new(lists: Vec<&'i [usize]>, at: usize, last: usize) -> Zone<'i> {
        let mut zone = Zone { last, heads: BinaryHeap::with_capacity(lists.len()), lists };
        (0..zone.lists.len()).for_each(|list| zone.advance(list, at));
        zone
    }
    /// Moves a list behind a position.
    fn advance(&mut self, list: usize, at: usize) {
        let positions = self.lists[list];
        let ahead = &positions[positions.partition_point(|position| *position <= at)..];
        self.lists[list] = ahead;
        if let Some(first) = ahead.first().filter(|first| **first <= self.last) {
            self.heads.push(Reverse((*first, list)));
        }
    }
    /// Returns the first position of a list behind this one.
    fn next(&mut self, at: usize) -> Option<usize> {
        while let Some(Reverse((first, list))) = self.heads.peek().copied() {
            if at < first {
                return Some(first);
            }
            self.heads.pop();
            self.advance(list, at);
        }
        None
    }
}
