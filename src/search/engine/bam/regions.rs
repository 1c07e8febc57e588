//! Regions of an automaton that become blocks: calls whose ends are left of reductions.
//!
//! The list of calls is a hint only. A region counts if its form in this automaton shows that it can be explored alone: it is
//! entered at one location, and left at one location or at the error location.
//!
//! Source: papers/block-abstraction-memoization, §2.4.1 (In(B), Out(B)).

use std::collections::{BTreeMap, BTreeSet};

use plc_frontend::id_type;
use plc_frontend::ids::IndexVec;

use kernel::cfa::{Cfa, EdgeId, LocId};

id_type!(
    /// A region of an automaton.
    RegionId,
    "r"
);

/// Part of an automaton with one entry and one exit.
#[derive(Clone, Debug)]
pub(super) struct Region {
    /// Position of its call in the automaton's list.
    pub(super) call: usize,
    /// Location where it is entered.
    pub(super) entry: LocId,
    /// Location where it is left; not part of it.
    pub(super) exit: LocId,
}

/// Regions of an automaton, outer ones before inner ones.
#[derive(Clone, Debug)]
pub(super) struct Regions {
    pub(super) all: IndexVec<RegionId, Region>,
    /// Innermost region of each location.
    pub(super) innermost: IndexVec<LocId, Option<RegionId>>,
    /// The regions directly inside of each region and, under `None`, those inside of no other, by entry.
    pub(super) entered: BTreeMap<Option<RegionId>, BTreeMap<LocId, RegionId>>,
}

/// Most regions around each other: exploration goes into each by a call of its own.
const MOST_LEVELS: u32 = 200;

impl Regions {
    /// Returns the regions of the calls of `cfa`.
    ///
    /// Cost: the number of edges for each level of calls.
    pub(super) fn new(cfa: &Cfa) -> Regions {
        let (successors, predecessors) = (cfa.successors(), cfa.predecessors());
        let mut found: Vec<(Vec<LocId>, Region)> = Vec::new();
        let mut ends: BTreeSet<(LocId, LocId)> = BTreeSet::new();
        let present = by_origin(cfa);
        for (call, region) in cfa.calls.iter().enumerate() {
            let (Some(Some(entry)), Some(Some(exit))) = (present.get(&region.entry), present.get(&region.exit)) else { continue };
            if entry == exit || !ends.insert((*entry, *exit)) {
                continue;
            }
            if let Some(inside) = inside(cfa, &successors, &predecessors, *entry, *exit) {
                found.push((inside, Region { call, entry: *entry, exit: *exit }));
            }
        }
        // Outer ones first; of equal size in the order of their calls.
        found.sort_by_key(|(inside, region)| (std::cmp::Reverse(inside.len()), region.call));
        let mut regions =
            Regions { all: IndexVec::new(), innermost: cfa.locs.ids().map(|_| None).collect(), entered: BTreeMap::new() };
        let mut levels: IndexVec<RegionId, u32> = IndexVec::new();
        for (inside, region) in found {
            let parent = regions.innermost[region.entry];
            let level = parent.map_or(0, |parent| levels[parent]) + 1;
            let siblings = regions.entered.entry(parent).or_default();
            // Regions that overlap without one being inside of the other are no blocks.
            let is_nested = inside.iter().all(|loc| regions.innermost[*loc] == parent);
            if !is_nested || MOST_LEVELS < level || siblings.contains_key(&region.entry) {
                continue;
            }
            let entry = region.entry;
            let id = regions.all.push(region);
            levels.push(level);
            siblings.insert(entry, id);
            for loc in inside {
                regions.innermost[loc] = Some(id);
            }
        }
        regions
    }
    /// Returns the region that is entered at `loc` from inside `region`, or from outside of all regions.
    pub(super) fn entered_at(&self, region: Option<RegionId>, loc: LocId) -> Option<RegionId> {
        self.entered.get(&region).and_then(|entered| entered.get(&loc)).copied()
    }
}

/// Returns the location of each origin; `None` where several have it.
fn by_origin(cfa: &Cfa) -> BTreeMap<LocId, Option<LocId>> {
    let mut present: BTreeMap<LocId, Option<LocId>> = BTreeMap::new();
    for (id, loc) in cfa.locs.iter_enumerated() {
        present.entry(loc.origin).and_modify(|other| *other = None).or_insert(Some(id));
    }
    present
}

/// Returns the locations of the region from `entry` to `exit`, ascending; `None` if it is entered elsewhere or never left.
fn inside(
    cfa: &Cfa,
    successors: &IndexVec<LocId, Vec<EdgeId>>,
    predecessors: &IndexVec<LocId, Vec<EdgeId>>,
    entry: LocId,
    exit: LocId,
) -> Option<Vec<LocId>> {
    let mut inside: BTreeSet<LocId> = BTreeSet::from([entry]);
    let mut todo = vec![entry];
    while let Some(loc) = todo.pop() {
        for edge in &successors[loc] {
            let target = cfa.edges[*edge].target;
            if target == cfa.head || target == cfa.init {
                return None;
            }
            if target != exit && target != cfa.error && inside.insert(target) {
                todo.push(target);
            }
        }
    }
    let from_outside = |loc: &LocId| predecessors[*loc].iter().any(|edge| !inside.contains(&cfa.edges[*edge].source));
    let is_block = entry != cfa.head && entry != cfa.init && !inside.iter().any(|loc| *loc != entry && from_outside(loc));
    is_block.then(|| inside.into_iter().collect())
}
