//! Search by summaries of calls: abstraction by the fixpoint algorithm, refinement by tree interpolants.
//!
//! Source: papers/block-abstraction-memoization, Algorithms 2 and 10, §4.5.4.

use std::collections::BTreeSet;
use std::time::Instant;

use plc_frontend::ids::IndexVec;

use super::super::options::INFO;
use super::super::{Analysis, Bam, Iteration, add_time};
use super::evidence;
use super::explore::{Explorer, GraphId};
use super::path::NestedPath;
use super::pieces::NestedPieces;
use super::program::Program;
use crate::arg::Graph;
use crate::domain::{Reduce, Refutation, RefutationToPrec, Step, StepId};
use crate::refine::{ItpSource, Nested, Prune, Refinement, Refiner, TreeItps};
use kernel::cfa::Block;
use kernel::context::{Ctx, MakeSolver, Progress, Stop};
use kernel::expr::{ExprId, ExprPool, VarId};
use kernel::verdict::{Reason, Verdict};

/// Names of an automaton and of its parts: paths and proofs are about the automaton, precisions about the parts.
pub(in crate::engine::bam) trait Names<D: Reduce> {
    /// Returns the path to the error of a graph, from the step that sets the initial values on.
    ///
    /// Stops: it is too long.
    fn path(&mut self, cx: &mut Ctx<'_>, graph: &Graph, explorer: &Explorer<D>, cycle: GraphId) -> Result<NestedPath, Stop>;
    /// Returns the proof of a fixpoint without error.
    fn proof(&self, cx: &mut Ctx<'_>, graph: &Graph, explorer: &Explorer<D>, cycle: GraphId) -> Verdict;
    /// Returns the causes of a refuted path by parts.
    fn causes(&self, cx: &mut Ctx<'_>, path: &NestedPath, refuted: Refuted) -> Vec<Cause>;
}

/// Refutation of a nested path.
pub(in crate::engine::bam) struct Refuted {
    /// Interpolants of its frames, unless elimination gave up.
    pub(in crate::engine::bam) frames: Option<Vec<ExprId>>,
    /// Interpolants of its completed calls.
    pub(in crate::engine::bam) summaries: Vec<ExprId>,
    /// Variables of the causes at each frame.
    pub(in crate::engine::bam) vars: Vec<BTreeSet<VarId>>,
}

impl Refuted {
    /// Returns a refutation; `None`: elimination gave up.
    pub(super) fn new(itps: Option<TreeItps>, vars: Vec<BTreeSet<VarId>>) -> Refuted {
        match itps {
            Some(itps) => Refuted { frames: Some(itps.frames), summaries: itps.summaries, vars },
            None => Refuted { frames: None, summaries: Vec::new(), vars },
        }
    }
}

/// Part of a refutation that one part tracks, over its variables.
pub(in crate::engine::bam) struct Cause {
    pub(in crate::engine::bam) part: usize,
    pub(in crate::engine::bam) formula: ExprId,
    pub(in crate::engine::bam) vars: BTreeSet<VarId>,
}

/// State between two calls of `run`.
pub(in crate::engine::bam) struct SummarySearch<D: Reduce, N> {
    graph: Graph,
    names: N,
    explorer: Explorer<D>,
    refiner: Refiner,
    /// Refutations of pieces; `None`: paths are refuted as a whole.
    pieces: Option<NestedPieces>,
}

impl<D: Reduce + RefutationToPrec, N: Names<D>> SummarySearch<D, N> {
    /// Returns a search that tracks nothing. `blocks` are those of the edges of parts, and the initial step last.
    pub(in crate::engine::bam) fn new(
        graph: Graph,
        names: N,
        (domain, solvers): (D, MakeSolver),
        program: Program,
        blocks: IndexVec<StepId, Block>,
    ) -> SummarySearch<D, N> {
        let refiner = Refiner::new(Refinement::SeqItp, ItpSource::default(), Prune::default(), solvers);
        SummarySearch { graph, names, explorer: Explorer::new(domain, program, blocks), refiner, pieces: None }
    }
    /// Returns the search that refutes paths by pieces and tracks what it learns for all alike variables.
    pub(super) fn with_sharing(mut self, pool: &mut ExprPool) -> SummarySearch<D, N> {
        self.explorer.share(pool);
        self.pieces = Some(NestedPieces::default());
        self
    }
    /// Decides the path to an error. Returns the verdict if it is real, or if there is nothing new to track.
    ///
    /// The path is refuted piece by piece; as a whole, where pieces are not refuted or nothing new comes from them.
    fn refine(&mut self, cx: &mut Ctx<'_>, row: &mut Iteration, path: &NestedPath) -> Result<Option<Verdict>, Stop> {
        let begin = Instant::now();
        let refined = self.track_refutation(cx, path);
        add_time(row, &mut self.refiner, begin);
        refined
    }
    fn track_refutation(&mut self, cx: &mut Ctx<'_>, path: &NestedPath) -> Result<Option<Verdict>, Stop> {
        if self.learn_pieces(cx, path)? {
            return Ok(None);
        }
        let steps = path.steps.iter().enumerate().map(|(i, (block, _))| Step { id: StepId(i as u32), block }).collect();
        let refuted = match self.refiner.explain_nested(cx, steps, &path.calls)? {
            Nested::Feasible(inputs) => return Ok(Some(Verdict::Unsafe(evidence::trace(&self.graph.cfa, path, &inputs)))),
            Nested::Infeasible(itps, vars) => Refuted::new(itps, vars),
        };
        let grew = self.learn(cx, path, refuted, &[false, true]);
        Ok((!grew).then_some(Verdict::Unknown(Reason::NoProgress)))
    }
    /// Adds what refutes the pieces of a path. Returns whether any of it was new; if not, the path is to be decided as a whole.
    ///
    /// Stops: cancelled, or a solver failed.
    fn learn_pieces(&mut self, cx: &mut Ctx<'_>, path: &NestedPath) -> Result<bool, Stop> {
        let Some(pieces) = &mut self.pieces else { return Ok(false) };
        let Some(refutations) = pieces.refute(cx, &mut self.refiner, path)? else { return Ok(false) };
        let mut grew = false;
        for (piece, refuted) in refutations {
            grew |= self.learn(cx, &piece, refuted, &[false]);
        }
        Ok(grew)
    }
    /// Adds what refutes a path to the parts that its frames belong to. Returns whether any of it was new.
    ///
    /// `amounts`: less or more of it, until something is new.
    fn learn(&mut self, cx: &mut Ctx<'_>, path: &NestedPath, refuted: Refuted, amounts: &[bool]) -> bool {
        let has_itps = refuted.frames.is_some();
        let causes = self.names.causes(cx, path, refuted);
        let itps = has_itps.then(|| causes.iter().map(|cause| cause.formula).collect());
        let refutation = Refutation { itps, vars: causes.iter().map(|cause| cause.vars.clone()).collect() };
        let mut grew = false;
        for &more in amounts {
            let domain = &self.explorer.domain;
            let precs =
                if more { domain.to_more_prec(&mut cx.pool, &refutation) } else { domain.to_prec(&mut cx.pool, &refutation) };
            for (cause, prec) in causes.iter().zip(precs.unwrap_or_default()) {
                grew |= self.explorer.track(&mut cx.pool, cause.part, &prec);
            }
            if grew {
                break;
            }
        }
        grew
    }
}

impl<D: Reduce + RefutationToPrec, N: Names<D>> Analysis for SummarySearch<D, N> {
    /// Stops:     `NoProgress`, `Bound` (too many open blocks), `SolverUnknown`, cancelled.
    /// Source:    papers/block-abstraction-memoization, Algorithms 2 and 10.
    fn run(&mut self, cx: &mut Ctx<'_>, bam: &mut Bam) -> Result<Verdict, Stop> {
        loop {
            let begin = Instant::now();
            let cycle = self.explorer.fixpoint(cx);
            let row = bam.iteration();
            row.abstraction += begin.elapsed();
            row.n_nodes = self.explorer.graphs.iter().map(|graph| graph.nodes.len()).sum();
            row.n_tracked = self.explorer.n_tracked();
            row.blocks = self.explorer.block_counts();
            bam.counts = self.explorer.counts;
            if let Some(pieces) = &self.pieces {
                (bam.counts.pieces, bam.counts.refuted) = (pieces.asked, pieces.checked());
            }
            let cycle = cycle?;
            if self.explorer.graphs[cycle].error.is_none() {
                (cx.events)(Progress { engine: INFO.name, safe_cycles: None, text: bam.iteration().to_string() });
                return Ok(self.names.proof(cx, &self.graph, &self.explorer, cycle));
            }
            let path = self.names.path(cx, &self.graph, &self.explorer, cycle)?;
            let row = bam.iteration();
            (row.n_counterexamples, row.length) = (1, Some(path.steps.len() as u32));
            (cx.events)(Progress { engine: INFO.name, safe_cycles: None, text: row.to_string() });
            if let Some(verdict) = self.refine(cx, bam.iteration(), &path)? {
                return Ok(verdict);
            }
            self.explorer.next_iteration(cx);
            bam.next_iteration();
        }
    }
}
