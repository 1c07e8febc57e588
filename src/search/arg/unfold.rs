//! Adjustable-block encoding: the blocks that begin at a location are composed when the search first expands a state there.
//!
//! A state of the graph is an *abstraction state*. Between two of them lie *intermediate states*: a location, and a path formula
//! from the beginning of the block, which is a set of paths of [`kernel::cfa::compose`]. The operator `blk` decides for each new
//! intermediate state whether the block ends there. The path formula is exact and does not depend on the abstraction formula, so
//! all abstraction states of a location share their intermediate states.
//!
//! Intermediate states of one location are merged before they are expanded: they are taken in the order of the loop nest, in which
//! each edge leads forward. A path that passes a loop again is another intermediate state, with inputs of its own.
//!
//! Source: papers/unifying-smt-verification (Beyer, Dangl, Wendler), §3.1.1, §3.1.3, §3.1.4, §3.1.6; the bound of rounds is the
//! Loop-Bound CPA of §4.1.

#[cfg(test)]
pub(crate) mod tests;

use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZeroU32;

use plc_frontend::ids::IndexVec;

use kernel::cfa::compose::{Composer, LoopNest, Occurrence, Paths, Position};
use kernel::cfa::pass::cut_points;
use kernel::cfa::{Block, Cfa, EdgeId, LocId};
use kernel::context::{Ctx, Stop};
use kernel::expr::{ExprPool, VarId};

/// `blk`: ends of blocks, besides the error location.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Blk {
    /// Cut points of the automaton: loop heads, and calls where the automaton marks them (blk^l and blk^lf).
    CutPoints,
    /// Cut points, and states to which the longest path has this many operations.
    Operations(NonZeroU32),
    /// None (blk^never). A loop is left after this many rounds, so the graph stands for a part of the runs only.
    Never(NonZeroU32),
}

impl Blk {
    /// Returns whether the block ends in an intermediate state to which the longest path has `n_operations`.
    fn ends(self, at_cut_point: bool, n_operations: u32) -> bool {
        match self {
            Blk::CutPoints => at_cut_point,
            Blk::Operations(n) => at_cut_point || n.get() <= n_operations,
            Blk::Never(_) => false,
        }
    }
    /// Returns whether a path may begin one more round of a loop.
    fn allows(self, round: u32) -> bool {
        match self {
            Blk::CutPoints | Blk::Operations(_) => true,
            Blk::Never(rounds) => round <= rounds.get(),
        }
    }
}

/// A block that begins at the location in question.
#[derive(Clone, Debug)]
pub(super) struct Found {
    pub(super) block: Block,
    pub(super) target: LocId,
    /// Number of cycles that begin within the block, the one that begins at `target` not among them.
    pub(super) n_cycles: u32,
}

/// Intermediate state: paths from the beginning of the block to one location.
#[derive(Clone, Debug)]
struct Intermediate {
    loc: LocId,
    occurrence: Occurrence,
    /// Operations of the longest path.
    n_operations: u32,
    /// Merged when the state is expanded.
    paths: Vec<Paths>,
}

/// Composition of the blocks from one location, as far as it got.
#[derive(Clone, Debug)]
struct Unfolding {
    start: LocId,
    /// Intermediate states to be expanded, in topological order.
    waiting: BTreeMap<(Position, LocId, u32), Intermediate>,
    /// Paths that end a block, by cycles within it and target.
    ended: BTreeMap<(u32, LocId), Vec<Paths>>,
    found: Vec<Found>,
}

/// Composes blocks location by location.
#[derive(Clone, Debug)]
pub(super) struct Unfolder {
    blk: Blk,
    cuts: IndexVec<LocId, bool>,
    nest: LoopNest,
    composer: Composer,
    /// Composition that was stopped.
    open: Option<Unfolding>,
}

/// An automaton with its edges by location and the analyses that say which of them matter.
#[derive(Clone, Copy)]
pub(super) struct Analysed<'a> {
    pub(super) cfa: &'a Cfa,
    pub(super) successors: &'a IndexVec<LocId, Vec<EdgeId>>,
    pub(super) distance: &'a IndexVec<LocId, Option<u32>>,
    pub(super) live: &'a IndexVec<LocId, BTreeSet<VarId>>,
}

impl Unfolder {
    pub(super) fn new(pool: &mut ExprPool, cfa: &Cfa, blk: Blk) -> Unfolder {
        let cuts = cut_points(cfa);
        let nest = LoopNest::new(cfa, &cuts);
        Unfolder { blk, cuts, nest, composer: Composer::new(pool, &cfa.vars), open: None }
    }
    /// Returns whether the blocks leave out runs.
    pub(super) fn is_bounded(&self) -> bool {
        matches!(self.blk, Blk::Never(_))
    }
    /// Returns the number of cycles that begin in its block before an input is consumed.
    pub(super) fn cycle_of(&self, input: VarId) -> u32 {
        self.composer.cycle_of(input)
    }
    /// Returns the blocks from `start`, one for each target and number of cycles within it. Those with fewer cycles come first.
    ///
    /// Stops:     cancelled; the next call for `start` goes on.
    /// Soundness: together they stand for all ways from `start` to the next ends of blocks that may still reach the error
    ///            location; with `Blk::Never`, for those with at most so many rounds of each loop.
    pub(super) fn blocks_from(&mut self, cx: &mut Ctx<'_>, automaton: Analysed<'_>, start: LocId) -> Result<Vec<Found>, Stop> {
        let open = self.open.take().filter(|open| open.start == start);
        let mut unfolding = open.unwrap_or_else(|| self.begin(start));
        let result = self.unfold(cx, automaton, &mut unfolding);
        if let Err(stop) = result {
            self.open = Some(unfolding);
            return Err(stop);
        }
        Ok(unfolding.found)
    }
    fn begin(&self, start: LocId) -> Unfolding {
        let rounds = self.nest.start(start);
        let key = (self.nest.position(start, &rounds), start, 0);
        let (occurrence, paths) = (Occurrence { cycle: 0, rounds }, vec![self.composer.start()]);
        let first = Intermediate { loc: start, occurrence, n_operations: 0, paths };
        Unfolding { start, waiting: BTreeMap::from([(key, first)]), ended: BTreeMap::new(), found: Vec::new() }
    }
    fn unfold(&mut self, cx: &mut Ctx<'_>, automaton: Analysed<'_>, unfolding: &mut Unfolding) -> Result<(), Stop> {
        loop {
            cx.tick()?;
            let Some((_, state)) = unfolding.waiting.pop_first() else { break };
            self.expand(&mut cx.pool, automaton, unfolding, state);
        }
        loop {
            cx.tick()?;
            let Some(((n_cycles, target), paths)) = unfolding.ended.pop_first() else { return Ok(()) };
            let Some(paths) = Paths::merged(&mut cx.pool, paths) else { continue };
            let kept = &automaton.live[target];
            if let Some(mut block) = self.composer.block(&mut cx.pool, &paths, |var| kept.contains(&var)) {
                self.composer.find_inputs(&cx.pool, &mut block);
                unfolding.found.push(Found { block, target, n_cycles });
            }
        }
    }
    /// Adds the successors of an intermediate state, each to those of its location and rounds.
    fn expand(&mut self, pool: &mut ExprPool, automaton: Analysed<'_>, unfolding: &mut Unfolding, state: Intermediate) {
        let Analysed { cfa, successors, distance, .. } = automaton;
        let Some(paths) = Paths::merged(pool, state.paths) else { return };
        let (loc, occurrence) = (state.loc, &state.occurrence);
        // No way leads to the error location over the others.
        let edges: Vec<EdgeId> =
            successors[loc].iter().copied().filter(|edge| distance[cfa.edges[*edge].target].is_some()).collect();
        let n_operations = state.n_operations.saturating_add(1);
        for (edge, paths) in self.composer.leave(pool, cfa, (loc, &edges), paths, occurrence) {
            let target = cfa.edges[edge].target;
            let rounds = self.nest.follow(loc, &occurrence.rounds, target);
            if self.nest.is_head(target) && !rounds.last().is_none_or(|round| self.blk.allows(*round)) {
                continue;
            }
            if target == cfa.error || self.blk.ends(self.cuts[target], n_operations) {
                unfolding.ended.entry((occurrence.cycle, target)).or_default().push(paths);
                continue;
            }
            let cycle = occurrence.cycle + u32::from(target == cfa.head);
            let key = (self.nest.position(target, &rounds), target, cycle);
            let next = unfolding.waiting.entry(key).or_insert_with(|| Intermediate {
                loc: target,
                occurrence: Occurrence { cycle, rounds },
                n_operations: 0,
                paths: Vec::new(),
            });
            next.n_operations = next.n_operations.max(n_operations);
            next.paths.push(paths);
        }
    }
}
