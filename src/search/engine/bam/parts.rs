//! Independent parts of a step: guards, updates and tracked things without common variables.
//!
//! The step that begins a run sets the values of a hundred instances. The one at the end of a cycle assumes the bound of each.
//! Every part has an image of its own, and equal parts have one. The image of the step is that of all its parts.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use super::cache::PrecId;
use super::explore::Explorer;
use super::form::BlockId;
use super::names::{Groups, Names};
use crate::domain::{Precision, Reduce, SharedPrecision, StepId};
use kernel::cfa::{Block, BlockInput};
use kernel::context::{Ctx, Stop};
use kernel::expr::{ExprId, ExprPool, VarId};

/// Part of a step, as a step of its own.
pub(super) struct Part {
    step: StepId,
    prec: PrecId,
    /// Its variables among those of the step.
    vars: BTreeSet<VarId>,
    /// Renamings between both.
    names: RefCell<Names>,
}

/// Smallest thing that a part is made of.
enum Piece<P> {
    Guard(ExprId),
    Update(VarId, ExprId),
    Tracked(P),
}

impl<D: Reduce> Explorer<D> {
    /// Returns the image of a state by the images of the step's parts; `None` if the step or the state is not divided, or if a part
    /// has several images: a domain limits how many there are together.
    ///
    /// Cost:      an image for each different part, and a look-up for each part.
    /// Stops:     cancelled, or a solver failed.
    /// Soundness: parts have no variable in common, and the state relates none of them. So runs over the step are all combinations
    ///            of those over its parts.
    pub(super) fn image_by_parts(
        &mut self,
        cx: &mut Ctx<'_>,
        (block, id): (BlockId, StepId),
        prec: PrecId,
        state: &D::State,
    ) -> Result<Option<Vec<D::State>>, Stop> {
        let parts = match self.parts.get(&(id, prec)) {
            Some(parts) => parts.clone(),
            None => {
                let parts: Rc<[Part]> = self.divide_step(&mut cx.pool, id, prec).into();
                self.parts.insert((id, prec), parts.clone());
                parts
            }
        };
        if parts.len() < 2 {
            return Ok(None);
        }
        let mut rest = state.clone();
        let mut after = Vec::with_capacity(parts.len());
        for part in parts.iter() {
            let (inside, others) = self.domain.divide(&cx.pool, &rest, &part.vars);
            let tracked = self.domain.tracked(&inside).items(&cx.pool);
            if tracked.iter().any(|(vars, _)| !vars.is_subset(&part.vars)) {
                return Ok(None);
            }
            rest = others;
            let inside = self.domain.renamed(&mut cx.pool, &inside, &mut part.names.borrow_mut().into)?;
            let image = self.image(cx, (block, part.step), part.prec, inside)?;
            match &*image {
                [] => return Ok(Some(Vec::new())),
                [only] => after.push(self.domain.renamed(&mut cx.pool, only, &mut part.names.borrow_mut().back)?),
                [_, _, ..] => return Ok(None),
            }
        }
        Ok(Some(vec![self.combined(after)]))
    }
    /// Returns the parts of a step that say something about tracked things or its feasibility.
    ///
    /// Cost: the size of the step and of the precision.
    fn divide_step(&mut self, pool: &mut ExprPool, id: StepId, prec: PrecId) -> Vec<Part> {
        let step = self.steps.all[id].clone();
        let guards = pool.conjuncts(step.guard).into_iter().map(|guard| (pool.vars_of(&[guard]), Piece::Guard(guard)));
        let updates = step.updates.iter().map(|&(var, value)| {
            let mut vars = pool.vars_of(&[value]);
            vars.insert(var);
            (vars, Piece::Update(var, value))
        });
        let tracked = self.cache.precs[prec].items(pool).into_iter().map(|(vars, item)| (vars, Piece::Tracked(item)));
        let pieces: Vec<_> = guards.chain(updates).chain(tracked).collect();
        if pieces.iter().any(|(vars, piece)| vars.is_empty() && matches!(piece, Piece::Guard(guard) if !pool.is_true(*guard))) {
            return Vec::new();
        }
        let pieces = pieces.into_iter().filter(|(vars, _)| !vars.is_empty());
        let inputs: BTreeMap<VarId, BlockInput> = step.inputs.iter().map(|input| (input.var, *input)).collect();
        let mut parts = Vec::new();
        for (vars, pieces) in Groups::of(pieces).into_all() {
            let (mut guard, mut updates, mut prec) = (Vec::new(), Vec::new(), D::Prec::default());
            for piece in pieces {
                match piece {
                    Piece::Guard(e) => guard.push(e),
                    Piece::Update(var, e) => updates.push((var, e)),
                    Piece::Tracked(item) => drop(prec.join(&item)),
                }
            }
            if guard.is_empty() && prec.size() == 0 {
                continue;
            }
            let inputs = vars.iter().filter_map(|var| inputs.get(var).copied()).collect();
            let part = Block { guard: pool.and_all(guard), updates, inputs };
            let order: Vec<VarId> = vars.into_iter().filter(|var| self.numbered.number(*var).is_some()).collect();
            let part = self.numbered.step(pool, &part, &order);
            let step = self.steps.id(order.iter().map(|var| pool.var_decl(*var).sort).collect(), part);
            let mut names = Names::new(pool, &mut self.numbered, &order);
            let prec = self.cache.prec_id(prec.renamed(pool, &mut names.into));
            parts.push(Part { step, prec, vars: order.into_iter().collect(), names: RefCell::new(names) });
        }
        parts
    }
    /// Returns the state of all parts. Halves are combined, so that no part is copied more than log n times.
    fn combined(&self, mut parts: Vec<D::State>) -> D::State {
        while 1 < parts.len() {
            let both = |pair: &[D::State]| match pair {
                [a, b] => self.domain.combine(a, b),
                others => others[0].clone(),
            };
            parts = parts.chunks(2).map(both).collect();
        }
        parts.pop().unwrap_or_else(|| self.domain.top())
    }
}
