//! Images of steps by canonical forms: equal steps with equal states and precisions have one image, whatever their variables.
//!
//! Source: papers/block-abstraction-memoization, §2.4.4: the precision is part of the key, so an image stays true.

use std::hash::Hash;
use std::rc::Rc;

use super::super::form::{Numbered, Steps};
use super::super::names::Names;
use crate::domain::{Reduce, SharedPrecision, Step, StepId};
use kernel::cfa::Block;
use kernel::context::{Ctx, Stop};
use kernel::expr::{ExprPool, FastMap, VarId};

/// Images that were computed, over numbered variables.
pub(in crate::engine::bam) struct Images<S, P> {
    numbered: Numbered,
    steps: Steps,
    known: FastMap<(StepId, P, S), Rc<[S]>>,
    n_states: usize,
}

/// A step in canonical form, with the precision of its image and the renamings.
pub(super) struct Canonical<P> {
    step: StepId,
    prec: P,
    names: Names,
}

/// States that are kept from one iteration to the next.
const MOST_STATES: usize = 200_000;

impl<S: Clone + Eq + Hash, P: SharedPrecision> Images<S, P> {
    pub(super) fn new() -> Images<S, P> {
        Images { numbered: Numbered::default(), steps: Steps::default(), known: FastMap::default(), n_states: 0 }
    }
    /// Returns the canonical form of a step over `vars`, which are in the order of their numbers.
    pub(super) fn canonical(&mut self, pool: &mut ExprPool, block: &Block, vars: &[VarId], prec: &P) -> Canonical<P> {
        let form = self.numbered.step(pool, block, vars);
        let step = self.steps.id(vars.iter().map(|var| pool.var_decl(*var).sort).collect(), form);
        let mut names = Names::new(pool, &mut self.numbered, vars);
        Canonical { step, prec: prec.renamed(pool, &mut names.into), names }
    }
    /// Forgets the images if they are many.
    pub(super) fn next_iteration(&mut self) {
        if MOST_STATES < self.n_states {
            self.known.clear();
            self.n_states = 0;
        }
    }
    /// Returns the image of a state, and whether it had to be computed.
    ///
    /// Stops: cancelled, or a solver failed.
    pub(super) fn of<D: Reduce<State = S, Prec = P>>(
        &mut self,
        cx: &mut Ctx<'_>,
        domain: &mut D,
        canonical: &mut Canonical<P>,
        state: &S,
    ) -> Result<(Vec<S>, bool), Stop> {
        let Canonical { step, prec, names } = canonical;
        let state = domain.renamed(&mut cx.pool, state, &mut names.into)?;
        let key = (*step, prec.clone(), state);
        let known = self.known.get(&key).cloned();
        let is_new = known.is_none();
        let image = match known {
            Some(known) => known,
            None => {
                let image: Rc<[S]> = domain.post(cx, &key.2, Step { id: *step, block: &self.steps.all[*step] }, prec)?.into();
                self.n_states += image.len();
                self.known.insert(key, image.clone());
                image
            }
        };
        let mut named = Vec::with_capacity(image.len());
        for after in image.iter() {
            named.push(domain.renamed(&mut cx.pool, after, &mut names.back)?);
        }
        Ok((named, is_new))
    }
}
