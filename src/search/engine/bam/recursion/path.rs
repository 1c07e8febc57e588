//! Nested paths: the way to an error through the graphs of all open and completed calls, flat.
//!
//! Each activation has variables of its own for what no caller shares. So equal names of different activations do not collide.
//!
//! Source: papers/block-abstraction-memoization, §4.5.4 (identifiers of recursive procedures, Algorithms 13 and 14).

use std::collections::BTreeMap;

use plc_frontend::ids::Id;

use super::explore::{Explorer, GraphId, Hop, Through};
use crate::domain::{Reduce, StepId};
use crate::refine::NestedCall;
use kernel::cfa::{Block, BlockInput, LocId};
use kernel::context::{Ctx, Stop};
use kernel::expr::{ExprId, ExprPool, FastMap, VarId};
use kernel::verdict::Reason;

/// Most steps of a path.
pub(in crate::engine::bam) const MOST_STEPS: usize = 50_000;

/// Variables of activations beyond the first one that is open, kept from path to path.
#[derive(Default)]
pub(super) struct Activations {
    /// By the variable of the part, and the activation.
    own: FastMap<(VarId, usize), VarId>,
    originals: FastMap<VarId, (VarId, usize)>,
}

/// A nested path, flat.
pub(in crate::engine::bam) struct NestedPath {
    /// Its steps, each with the location of the automaton that it leads to, if it is an edge.
    pub(in crate::engine::bam) steps: Vec<(Block, Option<LocId>)>,
    /// Part and activation of each frame.
    pub(in crate::engine::bam) frames: Vec<(usize, usize)>,
    /// Completed calls, each with the part of the callee and its activation.
    pub(in crate::engine::bam) calls: Vec<NestedCall>,
    pub(in crate::engine::bam) callees: Vec<(usize, usize)>,
    /// Part of each activation.
    pub(in crate::engine::bam) parts: Vec<usize>,
}

impl Activations {
    /// Returns the variable that an activation has in place of `var`.
    fn of(&mut self, pool: &mut ExprPool, var: VarId, activation: usize) -> VarId {
        let Activations { own, originals } = self;
        *own.entry((var, activation)).or_insert_with(|| {
            let decl = pool.var_decl(var).clone();
            let new = pool.new_var(format!("{} (call {activation})", decl.name), decl.sort);
            originals.insert(new, (var, activation));
            new
        })
    }
    /// Returns the part's variable for one of an activation, with the activation.
    pub(super) fn original(&self, var: VarId) -> Option<(VarId, usize)> {
        self.originals.get(&var).copied()
    }
}

impl<D: Reduce> Explorer<D> {
    /// Returns the path to the error of a graph, from the step that sets the initial values on.
    ///
    /// Stops: it is too long.
    pub(super) fn path(&self, cx: &mut Ctx<'_>, names: &mut Activations, cycle: GraphId) -> Result<NestedPath, Stop> {
        let mut path =
            NestedPath { steps: Vec::new(), frames: vec![(0, 0)], calls: Vec::new(), callees: Vec::new(), parts: vec![0] };
        path.steps.push((self.blocks[self.initial].clone(), None));
        path.frames.push((0, 0));
        self.add(cx, names, &mut path, Through { graph: cycle, exit: None }, 0)?;
        Ok(path)
    }
    /// Adds the way through a graph.
    fn add(
        &self,
        cx: &mut Ctx<'_>,
        names: &mut Activations,
        path: &mut NestedPath,
        way: Through,
        activation: usize,
    ) -> Result<(), Stop> {
        cx.tick()?;
        let graph = &self.graphs[way.graph];
        let mut hops: Vec<Hop> = Vec::new();
        let mut last = match way.exit {
            Some(exit) => graph.nodes[graph.exits[exit].1 as usize].from,
            None => graph.error,
        };
        while let Some(hop) = last {
            hops.push(hop);
            last = graph.nodes[hop.node as usize].from;
        }
        for hop in hops.into_iter().rev() {
            if MOST_STEPS < path.steps.len() {
                return Err(Stop::Reason(Reason::Bound));
            }
            let (Some(call), Some(through)) = (hop.step.call, hop.through) else {
                let block = &self.blocks[StepId::new(hop.step.edge.index())];
                let block = self.renamed(&mut cx.pool, names, block, (graph.part, activation), (graph.part, activation));
                path.steps.push((block, Some(hop.step.target)));
                path.frames.push((graph.part, activation));
                continue;
            };
            let (callee, inner) = (self.program.calls[call].callee, path.parts.len());
            path.parts.push(callee);
            let enter = path.steps.len();
            let block = &self.program.calls[call].enter;
            let block = self.renamed(&mut cx.pool, names, block, (graph.part, activation), (callee, inner));
            path.steps.push((block, None));
            path.frames.push((callee, inner));
            self.add(cx, names, path, through, inner)?;
            if through.exit.is_none() {
                return Ok(());
            }
            let Some((_, leave)) = &self.program.parts[callee].exit else { unreachable!("a call that returns has an exit") };
            let block = self.renamed(&mut cx.pool, names, leave, (callee, inner), (callee, inner));
            let state = self.program.parts[callee].state.iter();
            let state = state.map(|(var, old)| (*var, names.of(&mut cx.pool, *old, inner))).collect();
            let written = self.program.written(call);
            path.calls.push(NestedCall { enter, leave: path.steps.len(), state, written, recursive: true });
            path.callees.push((callee, inner));
            path.steps.push((block, None));
            path.frames.push((graph.part, activation));
        }
        Ok(())
    }
    /// Returns a step with the variables of activations: `from` has those that it reads, `to` those that it writes.
    fn renamed(
        &self,
        pool: &mut ExprPool,
        names: &mut Activations,
        block: &Block,
        from: (usize, usize),
        to: (usize, usize),
    ) -> Block {
        let mut name = |pool: &mut ExprPool, var: VarId, (part, activation): (usize, usize)| {
            if self.program.parts[part].own.contains(&var) { names.of(pool, var, activation) } else { var }
        };
        let roots: Vec<ExprId> = block.updates.iter().map(|(_, e)| *e).chain([block.guard]).collect();
        let mut by = BTreeMap::new();
        for var in pool.vars_of(&roots) {
            let new = name(pool, var, from);
            if new != var {
                by.insert(var, pool.var(new));
            }
        }
        let inputs: Vec<BlockInput> = block.inputs.clone();
        let mut updates: Vec<(VarId, ExprId)> =
            block.updates.iter().map(|(var, e)| (name(pool, *var, to), pool.subst(*e, &by))).collect();
        updates.sort_unstable_by_key(|(var, _)| *var);
        Block { guard: pool.subst(block.guard, &by), updates, inputs }
    }
}
