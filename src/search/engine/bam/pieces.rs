//! Refutation of a path piece by piece: one piece for each disjunct of the requirement, and equal pieces once.
//!
//! A piece of a path through a hundred calls concerns few of them. With its variables numbered, the pieces for equal calls are one
//! canonical piece, and the refutation of that one serves all of them.
//!
//! Source: Friedberger, 2015, §2.4.7 has one refinement for the flat path. The pieces are ours: the same idea as for blocks,
//! applied to refutations.

use std::collections::BTreeMap;

use plc_frontend::ids::Id;

use super::cache::Counts;
use super::form::Numbered;
use crate::domain::{Precision, RefutationToPrec, SharedPrecision, Step, StepId};
use crate::refine::{Explained, PathIndex, Refiner};
use kernel::cfa::{Block, BlockInput};
use kernel::context::{Ctx, Stop};
use kernel::expr::{ExprId, ExprPool, FastMap, Subst, VarId};
use kernel::verdict::Reason;

/// A piece over numbered variables.
pub(super) type Form = Vec<(ExprId, Vec<(VarId, ExprId)>)>;

/// Canonical pieces that were checked, with what is to be tracked; `None` for those that were not refuted.
pub(super) struct Pieces<P> {
    known: FastMap<Form, Option<P>>,
}

impl<P: SharedPrecision> Pieces<P> {
    pub(super) fn new() -> Pieces<P> {
        Pieces { known: FastMap::default() }
    }
    /// Returns what refutes the path piece by piece, over its variables; `None` if some piece was not refuted.
    ///
    /// Cost:  one refutation for each piece that is not equal to one before.
    /// Stops: cancelled, or a solver failed.
    pub(super) fn refute<D: RefutationToPrec<Prec = P>>(
        &mut self,
        cx: &mut Ctx<'_>,
        numbered: &mut Numbered,
        domain: &D,
        refiner: &mut Refiner,
        steps: &[Step<'_>],
        counts: &mut Counts,
    ) -> Result<Option<P>, Stop> {
        let index = PathIndex::new(&cx.pool, steps, &[]);
        let mut all = P::default();
        for goal in index.goals(&mut cx.pool) {
            cx.tick()?;
            let mut naming = Naming::default();
            let piece = index.piece(&mut cx.pool, goal, &[]);
            let blocks: Vec<Block> = piece.iter().map(|(_, block)| naming.step(&mut cx.pool, numbered, block)).collect();
            let form: Form = form(&blocks);
            let mut back = naming.back();
            counts.pieces += 1;
            if !self.known.contains_key(&form) {
                counts.refuted += 1;
                let prec = precision(cx, domain, refiner, &blocks)?;
                self.known.insert(form.clone(), prec);
            }
            match &self.known[&form] {
                Some(prec) => {
                    all.join(&prec.renamed(&mut cx.pool, &mut back));
                }
                None => return Ok(None),
            }
        }
        Ok(Some(all))
    }
}

/// Returns what is to be tracked to refute a path; `None` if it was not refuted.
fn precision<D: RefutationToPrec>(
    cx: &mut Ctx<'_>,
    domain: &D,
    refiner: &mut Refiner,
    blocks: &[Block],
) -> Result<Option<D::Prec>, Stop> {
    let steps = blocks.iter().enumerate().map(|(i, block)| Step { id: StepId::new(i), block }).collect();
    let refutation = match refiner.explain(cx, steps) {
        Ok(Explained::Infeasible(refutation)) => refutation,
        Ok(Explained::Feasible(_)) | Err(Stop::Reason(Reason::SolverUnknown)) => return Ok(None),
        Err(stop) => return Err(stop),
    };
    let precs = domain.to_prec(&mut cx.pool, &refutation);
    Ok(precs.map(|precs| {
        let mut all = D::Prec::default();
        for prec in &precs {
            all.join(prec);
        }
        all
    }))
}

/// Numbers of the variables of a piece, in the order of the path. Within a step it is the order of their ids, which is that of
/// their declarations.
#[derive(Default)]
pub(super) struct Naming {
    names: BTreeMap<VarId, ExprId>,
    back: BTreeMap<VarId, ExprId>,
}

impl Naming {
    /// Returns the numbered variable for a variable.
    pub(super) fn name(&mut self, pool: &mut ExprPool, numbered: &mut Numbered, var: VarId) -> ExprId {
        let number = self.names.len() as u32;
        let Naming { names, back } = self;
        *names.entry(var).or_insert_with(|| {
            let sort = pool.var_decl(var).sort;
            let name = numbered.var(pool, number, sort);
            back.insert(name, pool.var(var));
            pool.var(name)
        })
    }
    /// Returns a step over numbered variables.
    pub(super) fn step(&mut self, pool: &mut ExprPool, numbered: &mut Numbered, block: &Block) -> Block {
        let roots: Vec<ExprId> = block.updates.iter().map(|(_, e)| *e).chain([block.guard]).collect();
        let mut vars = pool.vars_of(&roots);
        vars.extend(block.updates.iter().map(|(var, _)| *var));
        let mut by: BTreeMap<VarId, ExprId> = BTreeMap::new();
        let mut inputs = Vec::with_capacity(block.inputs.len());
        for input in &block.inputs {
            let sort = pool.var_decl(input.var).sort;
            let var = numbered.input(pool, inputs.len() as u32, sort);
            by.insert(input.var, pool.var(var));
            inputs.push(BlockInput { var, origin: None });
        }
        for var in vars {
            by.entry(var).or_insert_with(|| self.name(pool, numbered, var));
        }
        let mut subst = Subst::new(by);
        let mut updates: Vec<(VarId, ExprId)> = Vec::with_capacity(block.updates.len());
        for &(var, e) in &block.updates {
            let name = subst.map()[&var];
            updates.extend(pool.vars_of(&[name]).first().map(|name| (*name, subst.apply(pool, e))));
        }
        updates.sort_unstable();
        Block { guard: subst.apply(pool, block.guard), updates, inputs }
    }
    /// Returns the way back to the variables of the piece.
    pub(super) fn back(self) -> Subst {
        Subst::new(self.back)
    }
}

/// Returns steps as a key of equal pieces.
pub(super) fn form(blocks: &[Block]) -> Form {
    blocks.iter().map(|block| (block.guard, block.updates.clone())).collect()
}
