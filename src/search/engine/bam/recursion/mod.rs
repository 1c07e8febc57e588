//! Recursive calls: abstraction by the fixpoint algorithm, refinement by tree interpolants, proofs by summaries.
//!
//! Works on open automata ([`kernel::cfa::Recursion`]). Blocks are the recursive procedures; other calls are part of the block
//! around them. What is tracked in a procedure is about its own variables and those it shares with callers. Values at entry are
//! variables of their own, so a summary may say `result = argument + 1`.
//!
//! Source: papers/block-abstraction-memoization (Friedberger, 2015), chapter 3 and §4.5.4.

mod evidence;
mod explore;
mod path;
mod program;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};
use std::time::Instant;

use plc_frontend::ids::{Id, IndexVec};

use super::options::INFO;
use super::{Analysis, Bam};
use crate::arg::Graph;
use crate::domain::{Reduce, Refutation, RefutationToPrec, Step, StepId};
use crate::refine::{ItpSource, Nested, Prune, Refinement, Refiner};
use explore::Explorer;
use kernel::cfa::{Block, Cfa, Recursion};
use kernel::context::{Ctx, MakeSolver, Progress, Stop};
use kernel::expr::{ExprId, ExprPool, VarId};
use kernel::verdict::{Reason, Verdict};
use path::{Activations, NestedPath};
use program::Program;

/// State between two calls of `run`.
pub(super) struct RecursiveSearch<D: Reduce> {
    graph: Graph,
    recursion: Recursion,
    explorer: Explorer<D>,
    names: Activations,
    refiner: Refiner,
}

impl<D: Reduce + RefutationToPrec> RecursiveSearch<D> {
    /// Prepares an open automaton.
    ///
    /// Stops: a call whose arguments the reductions have made unreadable.
    pub(super) fn new(
        cx: &mut Ctx<'_>,
        cfa: &Cfa,
        recursion: &Recursion,
        domain: D,
        solvers: MakeSolver,
    ) -> Result<RecursiveSearch<D>, Stop> {
        let graph = Graph::new(&mut cx.pool, cfa);
        let of_edges: Vec<Block> = (0..cfa.edges.len()).map(|edge| graph.step(StepId::new(edge)).block.clone()).collect();
        let blocks: IndexVec<StepId, Block> = of_edges.iter().chain([graph.initial().block]).cloned().collect();
        let program = Program::new(&mut cx.pool, cfa, recursion, &of_edges)?;
        Ok(RecursiveSearch {
            graph,
            recursion: recursion.clone(),
            explorer: Explorer::new(domain, program, blocks),
            names: Activations::default(),
            refiner: Refiner::new(Refinement::SeqItp, ItpSource::default(), Prune::default(), solvers),
        })
    }
    /// Adds what refutes a path to the parts that its frames belong to. Returns whether any of it was new.
    fn learn(&mut self, cx: &mut Ctx<'_>, path: &NestedPath, refuted: Refuted) -> bool {
        let originals = self.names.originals();
        let mut rows: Vec<(usize, ExprId, BTreeSet<VarId>)> = Vec::new();
        for (i, (part, _)) in path.frames.iter().enumerate() {
            let mut here = BTreeSet::new();
            for var in &refuted.vars[i] {
                match originals.get(var) {
                    // A caller has to remember its variables during a call.
                    Some((var, activation)) => {
                        let yes = cx.pool.bool(true);
                        rows.push((path.parts[*activation], yes, BTreeSet::from([*var])));
                    }
                    None => drop(here.insert(*var)),
                }
            }
            // Values that callers share pass through all activations that are open.
            let formula = refuted.frames.as_ref().map_or_else(|| cx.pool.bool(true), |frames| frames[i]);
            rows.push((*part, formula, here));
        }
        for (call, formula) in refuted.summaries.iter().enumerate() {
            rows.push((path.callees[call].0, *formula, BTreeSet::new()));
        }
        let back: BTreeMap<VarId, VarId> = originals.iter().map(|(own, (var, _))| (*own, *var)).collect();
        let itps = rows.iter().map(|(_, formula, _)| original(&mut cx.pool, &back, *formula)).collect();
        let itps = refuted.frames.is_some().then_some(itps);
        let refutation = Refutation { itps, vars: rows.iter().map(|(_, _, vars)| vars.clone()).collect() };
        let mut grew = false;
        for more in [false, true] {
            let domain = &self.explorer.domain;
            let precs =
                if more { domain.to_more_prec(&mut cx.pool, &refutation) } else { domain.to_prec(&mut cx.pool, &refutation) };
            for ((part, ..), prec) in rows.iter().zip(precs.unwrap_or_default()) {
                grew |= self.explorer.track(*part, &prec);
            }
            if grew {
                break;
            }
        }
        grew
    }
}

/// Refutation of a nested path.
struct Refuted {
    frames: Option<Vec<ExprId>>,
    summaries: Vec<ExprId>,
    vars: Vec<BTreeSet<VarId>>,
}

/// Returns a formula over the variables of parts in place of those of activations.
fn original(pool: &mut ExprPool, back: &BTreeMap<VarId, VarId>, e: ExprId) -> ExprId {
    let mut by = BTreeMap::new();
    for var in pool.vars_of(&[e]) {
        if let Some(original) = back.get(&var) {
            by.insert(var, pool.var(*original));
        }
    }
    pool.subst(e, &by)
}

impl<D: Reduce + RefutationToPrec> Analysis for RecursiveSearch<D> {
    /// Stops:     `NoProgress`, `Bound` (too many open blocks), `SolverUnknown`, cancelled.
    /// Source:    papers/block-abstraction-memoization, Algorithms 2 and 10.
    fn run(&mut self, cx: &mut Ctx<'_>, bam: &mut Bam) -> Result<Verdict, Stop> {
        loop {
            let begin = Instant::now();
            let cycle = self.explorer.fixpoint(cx);
            let row = bam.iteration();
            row.abstraction += begin.elapsed();
            row.n_nodes = self.explorer.graphs.iter().map(|graph| graph.nodes.len()).sum();
            row.n_tracked = self.explorer.precs.iter().map(crate::domain::Precision::size).sum();
            let cycle = cycle?;
            if self.explorer.graphs[cycle].error.is_none() {
                (cx.events)(Progress { engine: INFO.name, safe_cycles: None, text: bam.iteration().to_string() });
                return Ok(Verdict::Safe(self.proof(cx, cycle)));
            }
            let path = self.explorer.path(cx, &mut self.names, cycle)?;
            let row = bam.iteration();
            (row.n_counterexamples, row.length) = (1, Some(path.steps.len() as u32));
            (cx.events)(Progress { engine: INFO.name, safe_cycles: None, text: row.to_string() });
            let begin = Instant::now();
            let steps = path.steps.iter().enumerate().map(|(i, (block, _))| Step { id: StepId(i as u32), block }).collect();
            let explained = self.refiner.explain_nested(cx, steps, &path.calls);
            let concretisation = self.refiner.take_checking();
            let row = bam.iteration();
            row.concretisation += concretisation;
            row.refinement += begin.elapsed().saturating_sub(concretisation);
            let refuted = match explained? {
                Nested::Feasible(inputs) => return Ok(Verdict::Unsafe(evidence::trace(&self.graph.cfa, &path, &inputs))),
                Nested::Infeasible(Some(itps), vars) => Refuted { frames: Some(itps.frames), summaries: itps.summaries, vars },
                Nested::Infeasible(None, vars) => Refuted { frames: None, summaries: Vec::new(), vars },
            };
            if !self.learn(cx, &path, refuted) {
                return Ok(Verdict::Unknown(Reason::NoProgress));
            }
            self.explorer.next_iteration(cx);
            bam.next_iteration();
        }
    }
}
