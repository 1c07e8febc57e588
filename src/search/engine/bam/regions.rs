//! Regions of an automaton that become blocks: calls whose ends are left of reductions, and loops that are kept.
//!
//! The list of calls is a hint only. A region counts if its form in this automaton shows that it can be explored alone: it is
//! entered at one location, and left at one location or at the error location. A loop is entered and left at its head.
//!
//! Source: papers/block-abstraction-memoization, §2.4.1 (In(B), Out(B)).

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use plc_frontend::id_type;
use plc_frontend::ids::IndexVec;

use kernel::cfa::{Cfa, EdgeId, LocId, LocKind};

id_type!(
    /// A region of an automaton.
    RegionId,
    "r"
);

/// `blocks`: regions that are blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Blocks {
    /// Calls.
    Calls,
    /// Loops that are kept inside of the cycle.
    Loops,
    /// Calls and loops.
    Both,
}

impl Blocks {
    /// Words of the option.
    pub const NAMED: [(&str, Blocks); 3] = [("calls", Blocks::Calls), ("loops", Blocks::Loops), ("both", Blocks::Both)];
}

/// Kind of a region.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kind {
    Call,
    Loop,
}

/// Part of an automaton with one entry and one exit.
#[derive(Clone, Debug)]
pub(super) struct Region {
    pub(super) kind: Kind,
    /// Innermost call that it is or is in, by its position in the automaton's list.
    pub(super) call: Option<usize>,
    /// Location where it is entered.
    pub(super) entry: LocId,
    /// Location where it is left: that after a call, which is not part of it; the head of a loop.
    pub(super) exit: LocId,
    /// Region directly around it.
    pub(super) parent: Option<RegionId>,
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
    /// Returns the regions of the calls or loops of `cfa`.
    ///
    /// Cost: the number of edges for each level of calls, and for each loop.
    pub(super) fn new(cfa: &Cfa, blocks: Blocks) -> Regions {
        let (successors, predecessors) = (cfa.successors(), cfa.predecessors());
        let calls = calls(cfa, &successors, &predecessors);
        let mut found: Vec<(Vec<LocId>, Region)> = Vec::new();
        if blocks != Blocks::Calls {
            let mut call_of: IndexVec<LocId, Option<usize>> = cfa.locs.ids().map(|_| None).collect();
            for (inside, region) in &calls {
                inside.iter().for_each(|loc| call_of[*loc] = region.call);
            }
            found.extend(loops(cfa, &successors, &predecessors, &call_of));
        }
        if blocks != Blocks::Loops {
            found.extend(calls);
        }
        // Outer ones first; of equal size calls before loops, in the order of their calls.
        found.sort_by_key(|(inside, region)| (Reverse(inside.len()), region.kind, region.call, region.entry));
        let mut regions =
            Regions { all: IndexVec::new(), innermost: cfa.locs.ids().map(|_| None).collect(), entered: BTreeMap::new() };
        let mut levels: IndexVec<RegionId, u32> = IndexVec::new();
        for (inside, mut region) in found {
            let parent = regions.innermost[region.entry];
            let level = parent.map_or(0, |parent| levels[parent]) + 1;
            let siblings = regions.entered.entry(parent).or_default();
            // Regions that overlap without one being inside of the other are no blocks.
            let is_nested = inside.iter().all(|loc| regions.innermost[*loc] == parent);
            if !is_nested || MOST_LEVELS < level || siblings.contains_key(&region.entry) {
                continue;
            }
            let entry = region.entry;
            region.parent = parent;
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
    /// Returns whether a location is in a region or in one inside of it.
    pub(super) fn contains(&self, region: RegionId, loc: LocId) -> bool {
        let mut at = self.innermost[loc];
        while let Some(inner) = at {
            if inner == region {
                return true;
            }
            at = self.all[inner].parent;
        }
        false
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

type Neighbours = IndexVec<LocId, Vec<EdgeId>>;

/// Returns the regions of calls, each with its locations, outer ones first.
fn calls(cfa: &Cfa, successors: &Neighbours, predecessors: &Neighbours) -> Vec<(Vec<LocId>, Region)> {
    let (mut found, present) = (Vec::new(), by_origin(cfa));
    let mut ends: BTreeSet<(LocId, LocId)> = BTreeSet::new();
    for (call, region) in cfa.calls.iter().enumerate() {
        let (Some(&Some(entry)), Some(&Some(exit))) = (present.get(&region.entry), present.get(&region.exit)) else { continue };
        if entry == exit || !ends.insert((entry, exit)) {
            continue;
        }
        if let Some(inside) = inside(cfa, successors, predecessors, entry, exit) {
            found.push((inside, Region { kind: Kind::Call, call: Some(call), entry, exit, parent: None }));
        }
    }
    found.sort_by_key(|(inside, _)| Reverse(inside.len()));
    found
}

/// Returns the regions of loops, each with its locations.
fn loops(
    cfa: &Cfa,
    successors: &Neighbours,
    predecessors: &Neighbours,
    call_of: &IndexVec<LocId, Option<usize>>,
) -> Vec<(Vec<LocId>, Region)> {
    let heads = cfa.locs.iter_enumerated().filter(|(_, loc)| loc.kind == LocKind::LoopHead).map(|(head, _)| head);
    let region = |head| Region { kind: Kind::Loop, call: call_of[head], entry: head, exit: head, parent: None };
    heads.filter_map(|head| Some((body(cfa, successors, predecessors, head)?, region(head)))).collect()
}

/// Returns the locations of the loop with this head, ascending; `None` if it is left elsewhere, or is no loop.
fn body(cfa: &Cfa, successors: &Neighbours, predecessors: &Neighbours, head: LocId) -> Option<Vec<LocId>> {
    let mut inside: BTreeSet<LocId> = BTreeSet::new();
    for edge in &predecessors[head] {
        // The head dominates the source of an edge that leads back: no way from the start of the run or of a cycle goes around it.
        let mut before: BTreeSet<LocId> = BTreeSet::from([cfa.edges[*edge].source]);
        let mut todo: Vec<LocId> = before.iter().copied().collect();
        let mut is_dominated = true;
        while let Some(loc) = todo.pop() {
            if loc == head {
                continue;
            }
            is_dominated = loc != cfa.init && loc != cfa.head;
            if !is_dominated {
                break;
            }
            let sources = predecessors[loc].iter().map(|edge| cfa.edges[*edge].source);
            todo.extend(sources.filter(|source| before.insert(*source)));
        }
        if is_dominated {
            inside.extend(before);
        }
    }
    if inside.is_empty() {
        return None;
    }
    inside.insert(head);
    let stays = |edge: &EdgeId| cfa.edges[*edge].target == cfa.error || inside.contains(&cfa.edges[*edge].target);
    let is_block = inside.iter().all(|loc| *loc == head || successors[*loc].iter().all(stays));
    is_block.then(|| inside.into_iter().collect())
}

/// Returns the locations of the region from `entry` to `exit`, ascending; `None` if it is entered elsewhere or never left.
fn inside(cfa: &Cfa, successors: &Neighbours, predecessors: &Neighbours, entry: LocId, exit: LocId) -> Option<Vec<LocId>> {
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
