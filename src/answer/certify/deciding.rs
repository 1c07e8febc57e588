//! Deciding variables of places, for proofs about paths without repetition: the future of a run depends on these variables.
//!
//! States of a place that agree on its deciding variables have the same ways to the error location, with as many steps. For a
//! proof about shortest paths they are the same state.
//!
//! Each location of a region has *kept* variables; those of a place are its deciding variables. A location is skipped to a later
//! one, its *landing*, under three conditions:
//! 1. Each of its edges that leads to the error location at all lands there.
//! 2. Neither these edges nor the location write a variable that is kept at the landing.
//! 3. It is *passable*: one of these edges has no guard, or two of them have opposite guards.
//!
//! A location that is not skipped keeps what its edges read: all guards, the values of writes that are kept later, and what is
//! kept later without a write.
//!
//! Soundness: let two states agree on the kept variables of a location that is not skipped. An edge that one of them takes is
//! open to the other, with the same inputs. Then they agree on what the edge's landing keeps. On the way there the first one
//! passes skipped locations only. The second one can pass them too, since one edge is always open and there is no loop; it lands
//! at the same location, and no kept variable has changed. By induction it comes to the same place or to the error location, in
//! one step. Variables that get any value (inputs, and those of a loop without a place) may get the same values.
//!
//! Source: Giegerich, Möncke, Wilhelm, "Invariance of approximate semantics with respect to program transformations",
//! GI 1981, doi:10.1007/978-3-662-01089-1_1 (faint variables); the skipping is that of [`super::slice`], with the condition that
//! a location can be passed (Podgurski, Clarke, IEEE TSE 16(9), 1990, doi:10.1109/32.58784: strong control dependence).

use std::collections::{BTreeMap, BTreeSet};

use plc_frontend::ids::IndexVec;

use super::automaton::Automaton;
use super::effects::{Effect, effects};
use super::region::{End, Region};
use kernel::cfa::{EdgeId, LocId};
use kernel::expr::VarId;

type Vars = BTreeSet<VarId>;

/// Returns the deciding variables of each place where a step of a run may begin after the first one.
///
/// Cost: the edges of all regions, for each round in which some place gets a further variable.
pub(super) fn deciding(automaton: &Automaton<'_>) -> BTreeMap<LocId, Vars> {
    let effects = effects(automaton);
    let regions: Vec<Region> = automaton.later_places().into_iter().map(|place| Region::of(automaton, place)).collect();
    let to_error = to_error(&regions);
    let mut kept: BTreeMap<LocId, Vars> = to_error.iter().map(|place| (*place, Vars::new())).collect();
    loop {
        let mut has_more = false;
        for region in regions.iter().filter(|region| to_error.contains(&region.place)) {
            let reads = Reading { automaton, effects: &effects, region, kept: &kept }.begin();
            let here = kept.entry(region.place).or_default();
            let n_before = here.len();
            here.extend(reads);
            has_more |= n_before < here.len();
        }
        if !has_more {
            return kept;
        }
    }
}

/// Returns the places from which some path leads to the error location.
fn to_error(regions: &[Region]) -> BTreeSet<LocId> {
    let begin = regions.iter().filter(|region| region.errors().next().is_some());
    let mut found: BTreeSet<LocId> = begin.map(|region| region.place).collect();
    loop {
        let leads_there = |region: &&Region| !found.contains(&region.place) && !region.next_places().is_disjoint(&found);
        let news: Vec<LocId> = regions.iter().filter(leads_there).map(|region| region.place).collect();
        if news.is_empty() {
            return found;
        }
        found.extend(news);
    }
}

/// Target of an edge, past skipped locations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Landing {
    Inner(usize),
    Place(LocId),
    Error,
}

/// Kept variables of one region, from those of the next places.
struct Reading<'d, 'm> {
    automaton: &'d Automaton<'m>,
    effects: &'d IndexVec<EdgeId, Effect>,
    region: &'d Region,
    /// By place that leads to the error location.
    kept: &'d BTreeMap<LocId, Vars>,
}

impl Reading<'_, '_> {
    /// Returns the variables that are kept where the region begins.
    fn begin(&self) -> Vars {
        let n_locs = self.region.leaving.len();
        let mut landings: Vec<Option<Landing>> = vec![None; n_locs];
        let mut kept: Vec<Vars> = vec![Vars::new(); n_locs];
        for n in (0..n_locs).rev() {
            let landing = |end: End| match end {
                End::Inner(to) => landings[to],
                End::Place(place) => self.kept.contains_key(&place).then_some(Landing::Place(place)),
                End::Error => Some(Landing::Error),
            };
            let edges = self.region.leaving[n].iter().filter_map(|(edge, end)| Some((*edge, landing(*end)?)));
            let edges: Vec<(EdgeId, Landing)> = edges.collect();
            let Some((_, first)) = edges.first() else { continue };
            if self.is_skipped(n, &edges, &kept) {
                landings[n] = Some(*first);
            } else {
                landings[n] = Some(Landing::Inner(n));
                kept[n] = self.reads(n, &edges, &kept);
            }
        }
        match landings.first().copied().flatten() {
            Some(Landing::Inner(n)) => std::mem::take(&mut kept[n]),
            Some(Landing::Place(place)) => self.kept[&place].clone(),
            Some(Landing::Error) | None => Vars::new(),
        }
    }

    fn kept_at<'k>(&'k self, landing: Landing, kept: &'k [Vars]) -> Option<&'k Vars> {
        match landing {
            Landing::Inner(n) => kept.get(n),
            Landing::Place(place) => self.kept.get(&place),
            Landing::Error => None,
        }
    }

    fn is_skipped(&self, n: usize, edges: &[(EdgeId, Landing)], kept: &[Vars]) -> bool {
        let meet_again = edges.windows(2).all(|pair| pair[0].1 == pair[1].1);
        let is_open = edges.iter().any(|(edge, _)| self.effects[*edge].guard.is_empty());
        let mut pairs = edges.iter().enumerate().flat_map(|(i, (a, _))| edges[..i].iter().map(move |(b, _)| (*a, *b)));
        let is_passable = is_open || pairs.any(|(a, b)| self.automaton.are_opposite(a, b));
        let keeps = |landing: Landing, var: &VarId| self.kept_at(landing, kept).is_some_and(|kept| kept.contains(var));
        let passed = || self.region.passed.get(&n).into_iter().flatten();
        let writes = |(edge, landing): &(EdgeId, Landing)| {
            let written = self.effects[*edge].writes.iter().map(|write| &write.var);
            written.chain(passed()).any(|var| keeps(*landing, var))
        };
        meet_again && is_passable && !edges.iter().any(writes)
    }

    /// Returns the variables that the edges of a location read, or their landings keep.
    fn reads(&self, n: usize, edges: &[(EdgeId, Landing)], kept: &[Vars]) -> Vars {
        let mut reads = Vars::new();
        for (edge, landing) in edges {
            let effect = &self.effects[*edge];
            reads.extend(effect.guard.iter().flat_map(|part| part.reads.iter().copied()));
            let Some(later) = self.kept_at(*landing, kept) else { continue };
            let written: Vars = effect.writes.iter().map(|write| write.var).collect();
            let needed = effect.writes.iter().filter(|write| later.contains(&write.var));
            reads.extend(needed.flat_map(|write| write.reads.iter().copied()));
            reads.extend(later.difference(&written).copied());
        }
        if let Some(passed) = self.region.passed.get(&n) {
            reads.retain(|var| !passed.contains(var));
        }
        reads
    }
}

#[cfg(test)]
mod tests;
