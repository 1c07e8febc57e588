//! Recursive calls: abstraction by the fixpoint algorithm, refinement by tree interpolants, proofs by summaries.
//!
//! Works on open automata ([`kernel::cfa::Recursion`]). Blocks are the recursive procedures; other calls are part of the block
//! around them. What is tracked in a procedure is about its own variables and those it shares with callers. Values at entry are
//! variables of their own, so a summary may say `result = argument + 1`.
//!
//! Source: papers/block-abstraction-memoization (Friedberger, 2015), chapter 3 and §4.5.4.

mod alike;
mod evidence;
pub(super) mod explore;
mod frame;
mod images;
pub(super) mod path;
mod pieces;
pub(super) mod program;
pub(super) mod search;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};

use plc_frontend::ids::{Id, IndexVec};

use crate::arg::Graph;
use crate::domain::{Reduce, RefutationToPrec, StepId};
use explore::{Explorer, GraphId};
use kernel::cfa::{Block, Cfa, Recursion};
use kernel::context::{Ctx, MakeSolver, Stop};
use kernel::expr::{ExprId, ExprPool, VarId};
use kernel::verdict::Verdict;
use path::{Activations, NestedPath};
use program::Program;
use search::{Cause, Names, Refuted, SummarySearch};

/// Names of an open automaton: parts have those of the automaton, paths variables of activations.
pub(super) struct OpenNames {
    recursion: Recursion,
    names: Activations,
}

/// Prepares an open automaton.
///
/// Stops: a call whose arguments the reductions have made unreadable.
pub(super) fn search<D: Reduce + RefutationToPrec>(
    cx: &mut Ctx<'_>,
    cfa: &Cfa,
    recursion: &Recursion,
    domain: D,
    solvers: MakeSolver,
) -> Result<SummarySearch<D, OpenNames>, Stop> {
    let graph = Graph::new(&mut cx.pool, cfa);
    let of_edges: Vec<Block> = (0..cfa.edges.len()).map(|edge| graph.step(StepId::new(edge)).block.clone()).collect();
    let blocks: IndexVec<StepId, Block> = of_edges.iter().chain([graph.initial().block]).cloned().collect();
    let program = Program::new(&mut cx.pool, cfa, recursion, &of_edges)?;
    let names = OpenNames { recursion: recursion.clone(), names: Activations::default() };
    Ok(SummarySearch::new(graph, names, (domain, solvers), program, blocks).with_sharing(&mut cx.pool))
}

impl<D: Reduce> Names<D> for OpenNames {
    fn path(&mut self, cx: &mut Ctx<'_>, _: &Graph, explorer: &Explorer<D>, cycle: GraphId) -> Result<NestedPath, Stop> {
        explorer.path(cx, &mut self.names, cycle)
    }
    fn proof(&self, cx: &mut Ctx<'_>, graph: &Graph, explorer: &Explorer<D>, cycle: GraphId) -> Verdict {
        Verdict::Safe(evidence::proof(cx, &graph.cfa, &self.recursion, explorer, cycle))
    }
    fn causes(&self, cx: &mut Ctx<'_>, path: &NestedPath, refuted: Refuted) -> Vec<Cause> {
        let yes = cx.pool.bool(true);
        let mut rows: Vec<Cause> = Vec::new();
        for (i, (part, _)) in path.frames.iter().enumerate() {
            let mut vars = BTreeSet::new();
            for var in &refuted.vars[i] {
                match self.names.original(*var) {
                    // A caller has to remember its variables during a call.
                    Some((var, activation)) => {
                        rows.push(Cause { part: path.parts[activation], formula: yes, vars: BTreeSet::from([var]) });
                    }
                    None => drop(vars.insert(*var)),
                }
            }
            // Values that callers share pass through all activations that are open.
            let formula = refuted.frames.as_ref().map_or(yes, |frames| frames[i]);
            rows.push(Cause { part: *part, formula, vars });
        }
        for (call, formula) in refuted.summaries.iter().enumerate() {
            rows.push(Cause { part: path.callees[call].0, formula: *formula, vars: BTreeSet::new() });
        }
        for row in &mut rows {
            row.formula = original(&mut cx.pool, &|var| Some(self.names.original(var)?.0), row.formula);
        }
        rows
    }
}

/// Returns a formula over the variables of parts in place of those of activations.
pub(super) fn original(pool: &mut ExprPool, back: &dyn Fn(VarId) -> Option<VarId>, e: ExprId) -> ExprId {
    let mut by = BTreeMap::new();
    for var in pool.vars_of(&[e]) {
        if let Some(original) = back(var) {
            by.insert(var, pool.var(original));
        }
    }
    pool.subst(e, &by)
}
