//! Frame rule: a step changes only the parts of a state that its variables or tracked things relate to it.
//!
//! The solver is not asked about the rest of the state. So an image costs as much as its step, however many other facts there are.
//!
//! Source: papers/block-abstraction-memoization, §2.4.5 (reduce, expand), for single steps.

use std::collections::BTreeSet;
use std::rc::Rc;

use super::super::names::Groups;
use super::explore::{Explorer, ImageKey};
use super::program::mentioned;
use crate::domain::{Reduce, SharedPrecision, Step, StepId};
use kernel::context::{Ctx, Stop};
use kernel::expr::{ExprPool, FastMap, VarId};

/// Step, part, and TRUE for the precision of the part's interface.
type FrameKey = (StepId, usize, bool);

/// Parts of states and precisions that steps are about.
pub(super) struct Frames<P> {
    /// Related things tracked in each part.
    groups: Vec<Groups<P>>,
    known: FastMap<FrameKey, Rc<Frame<P>>>,
}

/// Part of states and of a precision that a step is about.
struct Frame<P> {
    vars: BTreeSet<VarId>,
    prec: P,
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
    pub(super) fn image(&mut self, cx: &mut Ctx<'_>, key: ImageKey<D::State>) -> Result<Rc<[D::State]>, Stop> {
        let (id, part, is_interface, state) = key;
        let (frame, inside, rest) = self.concerned(&cx.pool, (id, part, is_interface), &state);
        let key = (id, part, is_interface, inside);
        let image = match self.images.get(&key) {
            Some(known) => known.clone(),
            None => {
                let step = Step { id, block: &self.blocks[id] };
                let image: Rc<[D::State]> = self.domain.post(cx, &key.3, step, &frame.prec)?.into();
                self.images.insert(key, image.clone());
                image
            }
        };
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
    fn concerned(&mut self, pool: &ExprPool, key: FrameKey, state: &D::State) -> (Rc<Frame<D::Prec>>, D::State, D::State) {
        let mut frame = self.frame(pool, key);
        loop {
            let (inside, rest) = self.domain.divide(pool, state, &frame.vars);
            let related = self.domain.tracked(&inside).items(pool).into_iter().flat_map(|(vars, _)| vars);
            let vars: BTreeSet<VarId> = related.chain(frame.vars.iter().copied()).collect();
            if vars.len() == frame.vars.len() {
                return (frame, inside, rest);
            }
            frame = Rc::new(self.widened(key, vars, &frame.prec));
        }
    }

    /// Returns the frame of a step, from its variables alone.
    fn frame(&mut self, pool: &ExprPool, key: FrameKey) -> Rc<Frame<D::Prec>> {
        if let Some(known) = self.frames.known.get(&key) {
            return known.clone();
        }
        let (id, part, is_interface) = key;
        let mut vars = mentioned(pool, &self.blocks[id]);
        let interface = &self.interfaces[part];
        if is_interface {
            vars.extend(interface.items(pool).into_iter().flat_map(|(vars, _)| vars));
        }
        let frame = Rc::new(self.widened(key, vars, interface));
        self.frames.known.insert(key, frame.clone());
        frame
    }

    /// Returns the frame of these variables. One about an interface keeps its precision.
    fn widened(&self, (_, part, is_interface): FrameKey, vars: BTreeSet<VarId>, interface: &D::Prec) -> Frame<D::Prec> {
        if is_interface {
            return Frame { vars, prec: interface.clone() };
        }
        let (vars, prec) = self.frames.groups[part].around(&vars, &|_| true);
        Frame { vars, prec }
    }
}
