//! Slices of the regions of one automaton, from indices where many are asked for.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use plc_frontend::ids::IndexVec;

use super::super::effects::Effect;
use super::super::region::Region;
use super::{Extent, Goals, Index, Sink, Slice};
use kernel::cfa::{EdgeId, LocId};

/// Slices of a region that are made without an index: as many cost about as much as it does.
const N_SCANS: usize = if cfg!(test) { 0 } else { 8 };

/// Slicer of one automaton.
#[derive(Default)]
pub(in super::super) struct Slicer {
    /// By the places where the region begins and ends.
    regions: RefCell<BTreeMap<(LocId, LocId), Indexed>>,
}

/// Index in the making.
enum Indexed {
    /// After this number of slices.
    Asked(usize),
    Known(Rc<Index>),
    /// It would cost too much.
    Refused,
}

impl Slicer {
    /// Returns the slice of a region for a question with these goals; `None` if no path leads there.
    ///
    /// Cost: that of [`Index::slice`] where all paths pass the last sink; otherwise that of [`Slice::of`].
    pub(in super::super) fn slice<'r>(
        &self,
        region: &'r Region,
        effects: &'r IndexVec<EdgeId, Effect>,
        goals: &Goals,
        extent: Extent,
    ) -> Option<Slice<'r>> {
        let index = place(region, goals).and_then(|place| self.index(region, effects, place, N_SCANS));
        let slice = index.and_then(|index| index.slice(region, effects, goals, extent));
        #[cfg(test)]
        if let Some(slice) = &slice {
            assert_eq!(Some(slice), Slice::of(region, effects, goals, extent).as_ref());
        }
        slice.or_else(|| Slice::of(region, effects, goals, extent))
    }

    /// Returns the narrow slice of the end of the paths with more than `least` locations; `None` if there is none. It begins at a
    /// location that all paths pass, with any values.
    ///
    /// Cost: that of a slice with as many locations. It makes the index.
    pub(in super::super) fn tail<'r>(
        &self,
        region: &'r Region,
        effects: &'r IndexVec<EdgeId, Effect>,
        goals: &Goals,
        least: usize,
    ) -> Option<Slice<'r>> {
        self.index(region, effects, place(region, goals)?, 0)?.tail(region, effects, goals, least)
    }

    /// Returns the index for a next place of a region, unless it has not paid off yet: less than `n_scans` slices were made.
    fn index(&self, region: &Region, effects: &IndexVec<EdgeId, Effect>, place: LocId, n_scans: usize) -> Option<Rc<Index>> {
        let mut regions = self.regions.borrow_mut();
        let indexed = regions.entry((region.place, place)).or_insert(Indexed::Asked(0));
        if let Indexed::Asked(n_slices) = indexed {
            if *n_slices < n_scans {
                *n_slices += 1;
                return None;
            }
            *indexed = Index::of(region, effects, place).map_or(Indexed::Refused, |index| Indexed::Known(Rc::new(index)));
        }
        match indexed {
            Indexed::Known(index) => Some(index.clone()),
            Indexed::Asked(_) | Indexed::Refused => None,
        }
    }
}

/// Returns the next place that paths to these sinks lead to.
fn place(region: &Region, goals: &Goals) -> Option<LocId> {
    match goals.first_key_value()? {
        (Sink::Place(place), _) => Some(*place),
        // Paths to it are paths to a next place, if one leads there at all.
        (Sink::Inner(_), _) => region.next_places().first().copied(),
    }
}
