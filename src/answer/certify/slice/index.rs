//! Index of a region for its slices: the locations that write a variable, and those with guards that read it.

use std::collections::BTreeMap;

use plc_frontend::ids::IndexVec;

use super::super::effects::{Effect, Part};
use super::super::region::Region;
use super::postdominators::PostDominators;
use super::walk::Walk;
use super::{Extent, Goals, Sink, Slice, Vars};
use kernel::cfa::{EdgeId, LocId};
use kernel::expr::VarId;

/// Positions, ascending.
type Positions = Vec<usize>;

/// Index of the locations from which paths lead to one next place.
#[derive(Debug)]
pub(in super::super) struct Index {
    place: LocId,
    pub(super) tree: PostDominators,
    /// Locations that write a variable, by their edges or as the head of a loop that is passed.
    writers: BTreeMap<VarId, Positions>,
    /// Locations with a lone guard of which some part stays in a narrow slice only if this variable is kept.
    narrow: BTreeMap<VarId, Positions>,
    /// Locations with a lone guard of which some part stays in a wide slice if this variable is kept.
    wide: BTreeMap<VarId, Positions>,
    /// Locations with a lone guard of which some part stays in each narrow slice, and in each wide one.
    always: [Positions; 2],
    /// Locations with a lone guard.
    lone: Positions,
    /// Locations with guards.
    guarded: Positions,
    /// Locations that slices have visited.
    #[cfg(test)]
    pub(super) n_visits: std::cell::Cell<usize>,
}

impl Index {
    /// Returns the index for a next place of a region; `None` for regions where it would cost too much.
    ///
    /// Cost: `n log n` in the edges and their reads.
    pub(in super::super) fn of(region: &Region, effects: &IndexVec<EdgeId, Effect>, place: LocId) -> Option<Index> {
        let tree = PostDominators::of(region, place)?;
        let maps: [BTreeMap<VarId, Positions>; 3] = Default::default();
        let [writers, narrow, wide] = maps;
        let (always, lone, guarded) = Default::default();
        let mut index = Index {
            place,
            tree,
            writers,
            narrow,
            wide,
            always,
            lone,
            guarded,
            #[cfg(test)]
            n_visits: std::cell::Cell::default(),
        };
        let lone = |at: usize| match index.tree.leaving(at) {
            [(edge, _)] => effects[*edge].guard.as_slice(),
            [..] => &[],
        };
        let mut n_guards: BTreeMap<VarId, usize> = BTreeMap::new();
        let parts = index.tree.positions().flat_map(lone);
        parts.flat_map(|part| part.reads.iter().chain(&part.roots)).for_each(|var| *n_guards.entry(*var).or_default() += 1);
        for at in index.tree.positions() {
            index.add(region, effects, at, &n_guards);
        }
        Some(index)
    }

    /// Adds a location.
    fn add(&mut self, region: &Region, effects: &IndexVec<EdgeId, Effect>, at: usize, n_guards: &BTreeMap<VarId, usize>) {
        let leaving = self.tree.leaving(at);
        let passed = region.passed.get(&self.tree.number(at)).into_iter().flatten().copied();
        let written = leaving.iter().flat_map(|(edge, _)| effects[*edge].writes.iter().map(|write| write.var));
        written.chain(passed).for_each(|var| push(self.writers.entry(var).or_default(), at));
        if leaving.iter().any(|(edge, _)| !effects[*edge].guard.is_empty()) {
            push(&mut self.guarded, at);
        }
        let [(edge, _)] = leaving else { return };
        for part in &effects[*edge].guard {
            let Part { reads, roots, link, .. } = part;
            push(&mut self.lone, at);
            // A part stays only if all of these are kept. So one of them is enough, and the rarest one is read here by few.
            let rarest = |vars: &mut dyn Iterator<Item = &VarId>| vars.min_by_key(|var| n_guards.get(var)).copied();
            let narrow = match link {
                // The writes of the link are among those of the location.
                Some(link) => [rarest(&mut link.reads.iter()), None],
                None => [rarest(&mut reads.iter()), rarest(&mut roots.iter())],
            };
            narrow.into_iter().flatten().for_each(|var| push(self.narrow.entry(var).or_default(), at));
            if link.is_none() && reads.is_empty() {
                push(&mut self.always[0], at);
            }
            if roots.is_empty() {
                push(&mut self.always[1], at);
            }
            roots.iter().chain(reads).for_each(|var| push(self.wide.entry(*var).or_default(), at));
        }
    }

    /// Returns lists with all locations that may stay in a slice if they land at one that keeps these variables.
    pub(super) fn lists(&self, kept: &Vars, extent: Extent) -> Vec<&[usize]> {
        let mut lists: Vec<&[usize]> = kept.iter().filter_map(|var| self.writers.get(var)).map(Vec::as_slice).collect();
        match extent {
            Extent::Whole => lists.push(&self.guarded),
            Extent::Lone => lists.push(&self.lone),
            // The last guards stay.
            Extent::Narrow | Extent::Wide if kept.is_empty() => lists.push(&self.lone),
            Extent::Own | Extent::Narrow => {
                lists.extend(kept.iter().filter_map(|var| self.narrow.get(var)).map(Vec::as_slice));
                lists.push(&self.always[0]);
            }
            Extent::Wide => {
                lists.extend(kept.iter().filter_map(|var| self.wide.get(var)).map(Vec::as_slice));
                lists.push(&self.always[1]);
            }
        }
        lists
    }

    /// Returns the slice that [`Slice::of`] returns for these goals. `None`: paths to the place do not all pass the last sink, or
    /// some location between is on no path to the place.
    ///
    /// Cost: the edges and kept variables of the slice, times the logarithm of the region.
    pub(in super::super) fn slice<'r>(
        &self,
        region: &Region,
        effects: &'r IndexVec<EdgeId, Effect>,
        goals: &Goals,
        extent: Extent,
    ) -> Option<Slice<'r>> {
        let (walk, begin) = self.walk(region, effects, goals, extent)?;
        Some(walk.slice(begin))
    }

    /// Returns the end of such a slice, with more than `least` locations; `None` also if no end is as long.
    pub(in super::super) fn tail<'r>(
        &self,
        region: &Region,
        effects: &'r IndexVec<EdgeId, Effect>,
        goals: &Goals,
        least: usize,
    ) -> Option<Slice<'r>> {
        let (walk, begin) = self.walk(region, effects, goals, Extent::Narrow)?;
        walk.tail(begin, least)
    }

    /// Returns a walk with the position where its paths begin.
    fn walk<'w, 'r>(
        &'w self,
        region: &'w Region,
        effects: &'r IndexVec<EdgeId, Effect>,
        goals: &'w Goals,
        extent: Extent,
    ) -> Option<(Walk<'w, 'r>, usize)> {
        let position = |(sink, goal): (&Sink, _)| {
            let at = match sink {
                Sink::Place(to) => (*to == self.place).then_some(0),
                Sink::Inner(n) => self.tree.position(*n),
            };
            Some((at?, (*sink, goal)))
        };
        let sinks: BTreeMap<usize, (Sink, &_)> = goals.iter().map(position).collect::<Option<_>>()?;
        // All paths to the place pass the last sink. So all locations before it lead to it, and none behind it does.
        let (last, begin) = (*sinks.first_key_value()?.0, self.tree.position(0)?);
        (begin <= self.tree.last(last)).then(|| (Walk::new((region, self), effects, sinks, extent), begin))
    }
}

/// Adds a position that may be there.
fn push(positions: &mut Positions, at: usize) {
    if positions.last() != Some(&at) {
        positions.push(at);
    }
}
