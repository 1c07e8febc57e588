//! Slice of a region: a part of its paths, written for one question.
//!
//! The question is "can a path from the place to a sink end with such values". It must have the answer "no". A slice may have
//! more paths and more values than the region, never fewer: so "no" for the slice is "no" for the region. Sinks on one way share
//! a slice: a path to a later one passes the others.
//!
//! Each location of the slice has *kept* variables. A location that is no sink is skipped to a later one, its *landing*, if
//! 1. each of its edges that leads to a sink at all lands there, and
//! 2. neither these edges nor the location write a variable that is kept at the landing. (A location writes where a loop without
//!    a place is passed: [`super::cut`].)
//!
//! Each path from the place to a sink has a counterpart in the slice. By (1) the path comes to the landing: an edge that leads
//! to another end of the region is on no path to a sink. By (2) it arrives there with the kept variables unchanged. All other
//! variables have any value at the landing, so writes to them may be dropped. Guards on skipped edges are dropped, which allows
//! more paths. Where an edge is kept, its guard may be dropped in parts, and its writes of kept variables are written out.
//!
//! This holds for every choice of the kept variables. The choice below only decides how often the answer is "no" (cost, not
//! soundness): the kept variables are those that the question reads, backwards through the writes and guards that stay.
//!
//! A slice is made in one of two ways. [`Slice::of`] visits each location, from the sinks backwards, and skips it if (1) and (2)
//! allow that. An [`Index`] of the region leads to the locations where they may not: those that write a kept variable, those
//! with guards that may stay, and the branches that decide which of these a path comes to. The others are not visited. That
//! (1) and (2) hold for them is shown in [`walk`]. Both ways make the same slice; tests compare them wherever a slice is made.
//!
//! Source: Weiser, "Program slicing", ICSE 1981 (backward slices); the skipping of branches that meet again follows
//! Cytron et al., TOPLAS 13(4), 1991, doi:10.1145/115372.115320 (control dependence), from the sink backwards.

mod index;
mod pieces;
mod postdominators;
mod slicer;
#[cfg(test)]
mod tests;
mod walk;

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use plc_frontend::ids::IndexVec;

use super::effects::{Effect, Part};
use super::region::{End, Region};
use index::Index;
use kernel::cfa::{EdgeId, LocId};
use kernel::expr::VarId;
pub(super) use pieces::Piece;
pub(super) use slicer::Slicer;

/// Size of a slice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Extent {
    /// Only variables that the question itself reads are kept: each other one has any value where it is read.
    Own,
    /// A lone guard stays if the question reads all variables already that it is computed from, or reads none. Where it is about
    /// inputs of its edge, one value from these is enough that the question reads.
    Narrow,
    /// A lone guard stays if it shares such a variable with the question, or the question reads none.
    Wide,
    /// All lone guards stay.
    Lone,
    /// All guards stay.
    Whole,
}

/// End of the paths.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Sink {
    /// A place.
    Place(LocId),
    /// A location of the region, by its number.
    Inner(usize),
}

/// Variables, shared among locations.
pub(super) type Vars = Rc<BTreeSet<VarId>>;

/// Sinks with the variables that a question reads there.
pub(super) type Goals = BTreeMap<Sink, BTreeSet<VarId>>;

/// Edge of a slice.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct SliceEdge<'r> {
    pub(super) edge: EdgeId,
    /// Parts of its guard that stay.
    pub(super) guard: Vec<&'r Part>,
    /// Number of its landing.
    pub(super) landing: usize,
}

/// Location of a slice.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct SliceLoc<'r> {
    /// Kept variables.
    pub(super) kept: Vars,
    /// Variables that get any value here, and are read later.
    pub(super) fresh: Vec<VarId>,
    /// Edges that leave it; none at the last sink.
    pub(super) leaving: Vec<SliceEdge<'r>>,
    /// The sink that it is.
    pub(super) sink: Option<Sink>,
}

impl<'r> SliceLoc<'r> {
    /// Makes one from the variables that are read from here on, and those that get any value here.
    fn new(read: Vars, passed: Option<&BTreeSet<VarId>>, leaving: Vec<SliceEdge<'r>>, sink: Option<Sink>) -> SliceLoc<'r> {
        let Some(passed) = passed else { return SliceLoc { kept: read, fresh: Vec::new(), leaving, sink } };
        let (fresh, kept) = (read.intersection(passed).copied().collect(), read.difference(passed).copied().collect());
        SliceLoc { kept: Rc::new(kept), fresh, leaving, sink }
    }
}

/// Slice of a region.
#[derive(Debug, PartialEq)]
pub(super) struct Slice<'r> {
    /// Locations that are not skipped, by their numbers in the region; a sink is the last.
    pub(super) locs: BTreeMap<usize, SliceLoc<'r>>,
    /// Landing of the place.
    pub(super) begin: usize,
}

impl<'r> Slice<'r> {
    /// Returns the slice for a question with these goals; `None` if no path leads there.
    ///
    /// Cost: each edge of the region once, with a search in the kept variables for each of its writes.
    pub(super) fn of(
        region: &'r Region,
        effects: &'r IndexVec<EdgeId, Effect>,
        goals: &Goals,
        extent: Extent,
    ) -> Option<Slice<'r>> {
        let number = |sink: &Sink| match sink {
            Sink::Place(_) => region.leaving.len(),
            Sink::Inner(n) => *n,
        };
        let sinks: BTreeMap<usize, (Sink, &BTreeSet<VarId>)> =
            goals.iter().map(|(sink, goal)| (number(sink), (*sink, goal))).collect();
        let last = *sinks.last_key_value()?.0;
        let only = only(sinks.values().map(|(_, goal)| *goal), extent);
        let (mut locs, mut leaving) = (BTreeMap::new(), Vec::new());
        let mut landings: Vec<Option<usize>> = vec![None; last + 1];
        for n in (0..=last).rev() {
            let landing = |end: End| match end {
                End::Inner(to) => landings.get(to).copied().flatten(),
                End::Place(to) if goals.contains_key(&Sink::Place(to)) => Some(last),
                End::Place(_) | End::Error => None,
            };
            leaving.clear();
            let ends = region.leaving.get(n).into_iter().flatten();
            leaving.extend(ends.filter_map(|(edge, end)| Some((*edge, landing(*end)?))));
            let goal = sinks.get(&n).copied();
            landings[n] = match (goal, leaving.first()) {
                // No path leads from here to a sink.
                (None, None) => None,
                (_, first) => {
                    let choice = Choice { leaving: &leaving, effects, locs: &locs, extent, only: only.as_ref() };
                    match choice.loc(region.passed.get(&n), goal) {
                        None => first.map(|(_, landing)| *landing),
                        Some(loc) => {
                            locs.insert(n, loc);
                            Some(n)
                        }
                    }
                }
            };
        }
        landings[0].map(|begin| Slice { locs, begin })
    }

    /// Returns the kept variables where the paths begin.
    pub(super) fn reads(&self) -> Vars {
        self.locs.get(&self.begin).map(|loc| loc.kept.clone()).unwrap_or_default()
    }
}

/// Choice for a location: it stays with some of its guards, or is skipped.
struct Choice<'c, 'r> {
    /// Edges with their landings.
    leaving: &'c [(EdgeId, usize)],
    effects: &'r IndexVec<EdgeId, Effect>,
    locs: &'c BTreeMap<usize, SliceLoc<'r>>,
    extent: Extent,
    /// Variables that may be kept; `None` for all.
    only: Option<&'c BTreeSet<VarId>>,
}

/// Returns the variables that slices of this extent may keep; `None` for all.
fn only<'g>(goals: impl Iterator<Item = &'g BTreeSet<VarId>>, extent: Extent) -> Option<BTreeSet<VarId>> {
    (extent == Extent::Own).then(|| goals.flatten().copied().collect())
}

impl<'r> Choice<'_, 'r> {
    /// Returns the location if it stays: it is a sink, or its landing cannot stand for it.
    fn loc(&self, passed: Option<&BTreeSet<VarId>>, goal: Option<(Sink, &BTreeSet<VarId>)>) -> Option<SliceLoc<'r>> {
        let is_untouched = self.is_untouched(passed);
        if goal.is_none() && is_untouched && !self.has_guards(is_untouched) {
            return None;
        }
        let edges = self.edges(is_untouched);
        let mut read = read(&edges, self.effects, self.locs);
        if let Some((_, goal)) = goal {
            Rc::make_mut(&mut read).extend(goal.iter().copied());
        }
        if let Some(only) = self.only
            && !read.is_subset(only)
        {
            Rc::make_mut(&mut read).retain(|var| only.contains(var));
        }
        Some(SliceLoc::new(read, passed, edges, goal.map(|(sink, _)| sink)))
    }
    fn kept_at(&self, landing: usize) -> Option<&BTreeSet<VarId>> {
        self.locs.get(&landing).map(|loc| &*loc.kept)
    }
    /// Returns whether all edges land at one location, and neither they nor the location write a variable that is kept there.
    fn is_untouched(&self, passed: Option<&BTreeSet<VarId>>) -> bool {
        let Some((_, landing)) = self.leaving.first() else { return true };
        if self.leaving.iter().any(|(_, other)| other != landing) {
            return false;
        }
        let Some(kept) = self.kept_at(*landing) else { return true };
        let writes = |(edge, _): &(EdgeId, usize)| self.effects[*edge].writes.iter().any(|write| kept.contains(&write.var));
        !self.leaving.iter().any(writes) && !passed.into_iter().flatten().any(|var| kept.contains(var))
    }
    /// Returns whether a part of a guard stays.
    fn stays(&self, part: &Part, landing: usize, is_untouched: bool) -> bool {
        let kept = self.kept_at(landing);
        let reads = |var: &VarId| kept.is_some_and(|kept| kept.contains(var));
        // The last guards before an edge that is always taken to the error location.
        let is_last = kept.is_none_or(BTreeSet::is_empty);
        let is_known = || match &part.link {
            Some(link) => link.writes.iter().any(reads) || (!link.reads.is_empty() && link.reads.iter().all(reads)),
            None => part.reads.iter().all(reads) || (!part.roots.is_empty() && part.roots.iter().all(reads)),
        };
        let is_shared = || part.roots.is_empty() || part.roots.iter().chain(&part.reads).any(reads);
        match (self.leaving, self.extent) {
            ([_], Extent::Own) => is_known(),
            ([_], Extent::Narrow) => is_last || is_known(),
            ([_], Extent::Wide) => is_last || is_shared(),
            ([_], Extent::Lone | Extent::Whole) | ([..], Extent::Whole) => true,
            ([..], Extent::Own | Extent::Narrow | Extent::Wide | Extent::Lone) => !is_untouched,
        }
    }
    fn has_guards(&self, is_untouched: bool) -> bool {
        let stays = |(edge, landing): &(EdgeId, usize)| {
            self.effects[*edge].guard.iter().any(|part| self.stays(part, *landing, is_untouched))
        };
        self.leaving.iter().any(stays)
    }
    fn edges(&self, is_untouched: bool) -> Vec<SliceEdge<'r>> {
        let with_guard = |(edge, landing): &(EdgeId, usize)| {
            let guard = self.effects[*edge].guard.iter().filter(|part| self.stays(part, *landing, is_untouched)).collect();
            SliceEdge { edge: *edge, guard, landing: *landing }
        };
        self.leaving.iter().map(with_guard).collect()
    }
}

/// Returns the variables that the edges of a location read, or their landings keep.
fn read(edges: &[SliceEdge<'_>], effects: &IndexVec<EdgeId, Effect>, locs: &BTreeMap<usize, SliceLoc<'_>>) -> Vars {
    let mut all = BTreeSet::new();
    let mut shared: Option<&Vars> = None;
    for SliceEdge { edge, guard, landing } in edges {
        all.extend(guard.iter().flat_map(|part| part.reads.iter().copied()));
        let Some(later) = locs.get(landing) else { continue };
        let effect = &effects[*edge];
        let written: BTreeSet<VarId> = effect.writes.iter().map(|write| write.var).collect();
        let needed = effect.writes.iter().filter(|write| later.kept.contains(&write.var));
        all.extend(needed.flat_map(|write| write.reads.iter().copied()));
        all.extend(later.kept.iter().filter(|var| !written.contains(var)));
        shared = Some(&later.kept);
    }
    // Neighbours with the same variables share them.
    shared.filter(|vars| ***vars == all).cloned().unwrap_or_else(|| Rc::new(all))
}
