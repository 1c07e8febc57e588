//! Frame rule: a step changes only the parts of a state that its variables or tracked things relate to it.
//!
//! The solver is not asked about the rest of the state. So an image costs as much as its step, however many other facts there are.
//!
//! Source: papers/block-abstraction-memoization, §2.4.5 (reduce, expand), for single steps.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::rc::Rc;

use super::super::names::Groups;
use super::explore::Explorer;
use super::images::Canonical;
use super::program::mentioned;
use crate::domain::{Reduce, SharedPrecision, StepId};
use crate::engine::BlockCounts;
use kernel::context::{Ctx, Stop};
use kernel::expr::{ExprPool, FastMap, VarId};

/// Step, part, and TRUE for the precision of the part's interface.
type FrameKey = (StepId, usize, bool);

/// Parts of states and precisions that steps are about.
pub(super) struct Frames<P> {
    /// Related things tracked in each part.
    groups: Vec<Groups<P>>,
    /// By the step, and the variables that a state relates to its own.
    known: FastMap<(FrameKey, Vec<VarId>), Rc<Frame<P>>>,
}

/// Part of states and of a precision that a step is about.
struct Frame<P> {
    vars: BTreeSet<VarId>,
    canonical: RefCell<Canonical<P>>,
}

impl<P: SharedPrecision> Frames<P> {
    /// Returns frames for `n_parts` parts in which nothing is tracked.
    pub(super) fn none(n_parts: usize) -> Frames<P> {
        Frames { groups: (0..n_parts).map(|_| Groups::of([])).collect(), known: FastMap::default() }
    }

    /// Returns frames for these precisions, one for each part.
    ///
    /// Cost: the size of the precisions.
    pub(super) fn new(pool: &ExprPool, precs: &[P]) -> Frames<P> {
        Frames { groups: precs.iter().map(|prec| Groups::new(pool, prec)).collect(), known: FastMap::default() }
    }
}

impl<D: Reduce> Explorer<D> {
    /// Returns the image of a state.
    ///
    /// Soundness: the rest of the state has no variable that the step reads or writes, so it is true after the step, too. The
    ///            image about an interface has no place for it.
    pub(super) fn image(
        &mut self,
        cx: &mut Ctx<'_>,
        (id, part, is_interface): FrameKey,
        state: &D::State,
    ) -> Result<Vec<D::State>, Stop> {
        let (frame, inside, rest) = self.concerned(&mut cx.pool, (id, part, is_interface), state);
        let (image, is_new) = self.images.of(cx, &mut self.domain, &mut frame.canonical.borrow_mut(), &inside)?;
        self.count_image(part, is_new);
        if is_interface {
            return Ok(image);
        }
        Ok(image.iter().map(|after| self.domain.combine(after, &rest)).collect())
    }

    /// Returns what a step concerns: the frame, the part of the state, and the rest of it.
    ///
    /// A state may relate things that have no variable in common. So the part is closed under related things of both kinds.
    ///
    /// Cost: the size of the part, once for each time that it grows.
    fn concerned(&mut self, pool: &mut ExprPool, key: FrameKey, state: &D::State) -> (Rc<Frame<D::Prec>>, D::State, D::State) {
        let mut frame = self.frame(pool, key, Vec::new());
        loop {
            let (inside, rest) = self.domain.divide(pool, state, &frame.vars);
            let related = self.domain.tracked(&inside).items(pool).into_iter().flat_map(|(vars, _)| vars);
            let vars: BTreeSet<VarId> = related.chain(frame.vars.iter().copied()).collect();
            if vars.len() == frame.vars.len() {
                return (frame, inside, rest);
            }
            frame = self.frame(pool, key, vars.into_iter().collect());
        }
    }

    /// Returns the frame of a step: of its own variables and of `more`, with all that tracked things relate to them. One about an
    /// interface keeps its precision.
    fn frame(&mut self, pool: &mut ExprPool, key: FrameKey, more: Vec<VarId>) -> Rc<Frame<D::Prec>> {
        if let Some(known) = self.frames.known.get(&(key, more.clone())) {
            return known.clone();
        }
        let (id, part, is_interface) = key;
        let mut vars = mentioned(pool, &self.blocks[id]);
        vars.extend(more.iter().copied());
        let prec = if is_interface {
            vars.extend(self.interfaces[part].items(pool).into_iter().flat_map(|(vars, _)| vars));
            self.interfaces[part].clone()
        } else {
            let (all, prec) = self.frames.groups[part].around(&vars, &|_| true);
            vars = all;
            prec
        };
        let order: Vec<VarId> = vars.iter().copied().collect();
        let canonical = self.images.canonical(pool, &self.blocks[id], &order, &prec);
        let frame = Rc::new(Frame { vars, canonical: RefCell::new(canonical) });
        self.frames.known.insert((key, more), frame.clone());
        frame
    }

    /// Returns the numbers of each part. The last one is the cycle.
    pub(super) fn block_counts(&self) -> Vec<BlockCounts> {
        let mut rows: Vec<BlockCounts> = Vec::new();
        for (part, counts) in self.of_parts.iter().enumerate().skip(1).chain(self.of_parts.iter().enumerate().take(1)) {
            let regions = self.program.calls.iter().filter(|call| call.callee == part).count();
            rows.push(BlockCounts { name: self.program.parts[part].name.clone(), regions, ..counts.clone() });
        }
        rows
    }
    /// Counts a block that was entered.
    pub(super) fn count_block(&mut self, part: usize, is_known: bool) {
        self.counts.asked += 1;
        self.counts.hits += u64::from(is_known);
        self.of_parts[part].asked += 1;
        self.of_parts[part].hits += u64::from(is_known);
    }
    /// Counts an image that was asked for.
    fn count_image(&mut self, part: usize, is_new: bool) {
        self.counts.steps += 1;
        self.counts.images += u64::from(is_new);
        self.of_parts[part].steps += 1;
        self.of_parts[part].images += u64::from(is_new);
    }
}
