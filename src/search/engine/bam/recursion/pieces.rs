//! Refutation of a nested path piece by piece: one piece for each disjunct of the requirement, and equal pieces once.
//!
//! As [`super::super::pieces`] does it for flat paths. A piece has all of a completed call or nothing of it, so that its tree
//! interpolants are those of the path.
//!
//! Source: papers/block-abstraction-memoization, §4.5.4 refutes the path as a whole. The pieces are ours.

use std::collections::BTreeSet;
use std::rc::Rc;

use plc_frontend::ids::Id;

use super::super::form::Numbered;
use super::super::pieces::{Form, Naming, form};
use super::path::NestedPath;
use super::search::Refuted;
use crate::domain::{Step, StepId};
use crate::refine::{Nested, NestedCall, PathIndex, Refiner, Span};
use kernel::cfa::Block;
use kernel::context::{Ctx, Stop};
use kernel::expr::{Expr, ExprId, ExprPool, FastMap, Subst, VarId};
use kernel::verdict::Reason;

/// Key of equal pieces: steps and completed calls over numbered variables.
type NestedForm = (Form, Vec<CallForm>);

/// First and last step, variables with those of their values at entry, and those that are written.
type CallForm = (usize, usize, Vec<(VarId, VarId)>, BTreeSet<VarId>);

/// Canonical pieces that were checked, with their refutations over numbered variables; `None` for those without one.
#[derive(Default)]
pub(super) struct NestedPieces {
    numbered: Numbered,
    known: FastMap<NestedForm, Option<Rc<Refuted>>>,
    /// Pieces that were to be refuted.
    pub(super) asked: u64,
}

impl NestedPieces {
    /// Returns the pieces of a path with their refutations; `None` if some piece was not refuted.
    ///
    /// Cost:  one refutation for each piece that is not equal to one before.
    /// Stops: cancelled, or a solver failed.
    pub(super) fn refute(
        &mut self,
        cx: &mut Ctx<'_>,
        refiner: &mut Refiner,
        path: &NestedPath,
    ) -> Result<Option<Vec<(NestedPath, Refuted)>>, Stop> {
        let steps: Vec<Step<'_>> =
            path.steps.iter().enumerate().map(|(i, (block, _))| Step { id: StepId::new(i), block }).collect();
        let spans = completed(&path.calls);
        let index = PathIndex::new(&cx.pool, &steps, &spans);
        let is_inside = |at: usize| spans.iter().any(|span| span.steps.contains(&at));
        let changes = (0..steps.len()).filter(|at| path.frames[*at].1 != path.frames[at + 1].1);
        // Steps into calls that are open: each part tracks what is true while it runs.
        let entered: Vec<usize> = changes.filter(|at| !is_inside(*at)).collect();
        let mut refutations = Vec::new();
        for goal in index.goals(&mut cx.pool) {
            cx.tick()?;
            let piece = piece(path, index.piece(&mut cx.pool, goal, &entered));
            let Some(refuted) = self.refuted(cx, refiner, &piece)? else { return Ok(None) };
            refutations.push((piece, refuted));
        }
        Ok(Some(refutations))
    }
    /// Returns the number of pieces that a solver had to check.
    pub(super) fn checked(&self) -> u64 {
        self.known.len() as u64
    }
    /// Returns the refutation of a piece over its variables, if it was refuted.
    fn refuted(&mut self, cx: &mut Ctx<'_>, refiner: &mut Refiner, piece: &NestedPath) -> Result<Option<Refuted>, Stop> {
        self.asked += 1;
        let mut naming = Naming::default();
        let step = |(block, _): &(Block, _)| naming.step(&mut cx.pool, &mut self.numbered, block);
        let blocks: Vec<Block> = piece.steps.iter().map(step).collect();
        let mut calls = Vec::with_capacity(piece.calls.len());
        for NestedCall { enter, leave, state, written, recursive } in &piece.calls {
            let mut name = |var: &VarId| {
                let name = naming.name(&mut cx.pool, &mut self.numbered, *var);
                variable(&cx.pool, name)
            };
            let state = state.iter().map(|(var, old)| (name(var), name(old))).collect();
            let written = written.iter().map(name).collect();
            calls.push(NestedCall { enter: *enter, leave: *leave, state, written, recursive: *recursive });
        }
        let call = |call: &NestedCall| (call.enter, call.leave, call.state.clone(), call.written.clone());
        let key: NestedForm = (form(&blocks), calls.iter().map(call).collect());
        let known = match self.known.get(&key) {
            Some(known) => known.clone(),
            None => {
                let refuted = refute(cx, refiner, &blocks, &calls)?.map(Rc::new);
                self.known.insert(key, refuted.clone());
                refuted
            }
        };
        Ok(known.map(|refuted| refuted.renamed(&mut cx.pool, &mut naming.back())))
    }
}

/// Decides a piece. Returns what refutes it, if anything does.
fn refute(cx: &mut Ctx<'_>, refiner: &mut Refiner, blocks: &[Block], calls: &[NestedCall]) -> Result<Option<Refuted>, Stop> {
    let steps = blocks.iter().enumerate().map(|(i, block)| Step { id: StepId::new(i), block }).collect();
    match refiner.explain_nested(cx, steps, calls) {
        Ok(Nested::Infeasible(itps, vars)) => Ok(Some(Refuted::new(itps, vars))),
        Ok(Nested::Feasible(_)) | Err(Stop::Reason(Reason::SolverUnknown)) => Ok(None),
        Err(stop) => Err(stop),
    }
}

/// Returns the completed calls that are in no other one.
fn completed(calls: &[NestedCall]) -> Vec<Span> {
    let mut all: Vec<&NestedCall> = calls.iter().collect();
    all.sort_unstable_by_key(|call| call.enter);
    let mut spans: Vec<Span> = Vec::new();
    for call in all {
        if spans.last().is_none_or(|last| last.steps.end <= call.enter) {
            spans.push(Span { steps: call.enter..call.leave + 1, written: call.written.clone() });
        }
    }
    spans
}

/// Returns a piece as a path of its own.
fn piece(path: &NestedPath, kept: Vec<(usize, Block)>) -> NestedPath {
    let at: Vec<usize> = kept.iter().map(|(at, _)| *at).collect();
    let frames = std::iter::once(path.frames[0]).chain(at.iter().map(|at| path.frames[at + 1])).collect();
    let (mut calls, mut callees) = (Vec::new(), Vec::new());
    for (call, callee) in path.calls.iter().zip(&path.callees) {
        if let (Ok(enter), Ok(leave)) = (at.binary_search(&call.enter), at.binary_search(&call.leave)) {
            calls.push(NestedCall { enter, leave, ..call.clone() });
            callees.push(*callee);
        }
    }
    let steps = kept.into_iter().map(|(at, block)| (block, path.steps[at].1)).collect();
    NestedPath { steps, frames, calls, callees, parts: path.parts.clone() }
}

impl Refuted {
    /// Returns the refutation with other names for its variables.
    fn renamed(&self, pool: &mut ExprPool, by: &mut Subst) -> Refuted {
        let mut all = |formulas: &[ExprId]| formulas.iter().map(|e| by.apply(pool, *e)).collect();
        let (frames, summaries) = (self.frames.as_ref().map(|frames| all(frames)), all(&self.summaries));
        let name = |var: &VarId| by.map().get(var).map_or(*var, |name| variable(pool, *name));
        let vars = self.vars.iter().map(|vars| vars.iter().map(name).collect()).collect();
        Refuted { frames, summaries, vars }
    }
}

/// Returns the variable that an expression is.
fn variable(pool: &ExprPool, name: ExprId) -> VarId {
    let Expr::Var(var) = pool.expr(name) else { unreachable!("a name is a variable") };
    var
}
