//! Precision of each location.

use std::collections::BTreeMap;

use crate::arg::Graph;
use crate::domain::Precision;
use kernel::cfa::LocId;
use kernel::context::Ctx;

/// `prec-granularity`: sharing of precision between locations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Granularity {
    /// One precision for all locations.
    #[default]
    Global,
    /// One for each location.
    Local,
}

impl Granularity {
    /// Words of the option.
    pub const NAMED: [(&str, Granularity); 2] = [("GLOBAL", Granularity::Global), ("LOCAL", Granularity::Local)];
}

/// The precision of each location.
#[derive(Clone, Debug)]
pub struct LocPrec<P> {
    granularity: Granularity,
    /// Precision of every location.
    shared: P,
    /// Precision of single locations besides.
    own: BTreeMap<LocId, P>,
    /// Epoch in which the precision of a location last grew.
    grown: BTreeMap<LocId, u32>,
    epoch: u32,
}

impl<P: Precision> LocPrec<P> {
    /// Returns a precision that is `initial` everywhere.
    pub fn new(granularity: Granularity, initial: P) -> LocPrec<P> {
        LocPrec { granularity, shared: initial, own: BTreeMap::new(), grown: BTreeMap::new(), epoch: 0 }
    }
    /// Returns the precision at `loc`, without the parts that cannot matter there.
    pub fn at(&self, cx: &Ctx<'_>, graph: &Graph, loc: LocId) -> P {
        let mut prec = self.shared.clone();
        if let Some(own) = self.own.get(&loc) {
            prec.join(own);
        }
        prec.restrict(&cx.pool, graph.live(&cx.pool, loc))
    }
    /// Adds precisions at the locations of a path; `new[i + 1]` belongs to `locs[i]`. Returns whether anything was new.
    pub(super) fn refine(&mut self, locs: &[LocId], new: &[P]) -> bool {
        let mut grew = false;
        for (&loc, new) in locs.iter().zip(&new[1..]) {
            if new.size() != 0 {
                grew |= self.join(loc, new);
            }
        }
        grew
    }
    /// Begins a new epoch after a refinement, for the states that are computed from now on.
    pub(super) fn next_epoch(&mut self) {
        self.epoch += 1;
    }
    /// Adds a precision at `loc` or everywhere. Returns whether anything was new.
    fn join(&mut self, loc: LocId, more: &P) -> bool {
        let grew = match self.granularity {
            Granularity::Global => self.shared.join(more),
            Granularity::Local => self.own.entry(loc).or_default().join(more),
        };
        if grew {
            self.grown.insert(loc, self.epoch + 1);
        }
        grew
    }
    /// Returns the age of the precision: grows with each refinement.
    pub fn epoch(&self) -> u32 {
        self.epoch
    }
    /// Returns whether a state computed at `loc` in `epoch` is the one that the present precision gives.
    pub(super) fn is_current(&self, loc: LocId, epoch: u32) -> bool {
        let grown = match self.granularity {
            Granularity::Global => self.grown.values().max(),
            Granularity::Local => self.grown.get(&loc),
        };
        grown.is_none_or(|&grown| grown <= epoch)
    }
    /// Returns the number of things tracked, over all locations.
    pub fn size(&self) -> usize {
        self.shared.size() + self.own.values().map(Precision::size).sum::<usize>()
    }
    /// Returns everything tracked anywhere.
    pub fn all(&self) -> P {
        let mut all = self.shared.clone();
        for own in self.own.values() {
            all.join(own);
        }
        all
    }
}
