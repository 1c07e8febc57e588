//! Block-abstraction memoization: each call is explored once for each state and precision that it is entered with.
//!
//! Blocks are found in the flat, instrumented and reduced automaton: the regions of calls whose form is the same ([`form`]). So
//! monitors, memory views, references and VAR_IN_OUT need no treatment: what differs makes another form. The rest is the paper's:
//! reduce, look up or explore, expand ([`explore`]); the path to an error goes flat through all graphs ([`evidence`]); and a
//! refinement makes a new precision, which is part of the cache's key. Precisions belong to forms ([`sharing`]), so what is learnt
//! in one call holds in all.
//!
//! Source: papers/block-abstraction-memoization (Friedberger, 2015), chapters 2 and 4.

use std::time::Instant;

use super::cegar::{Iteration, evidence as flat};
use super::resumable::{Algorithm, Resumable};
use super::{BlockCounts, Pictures};
use crate::arg::Graph;
use crate::domain::{Expl, Pair, Precision, Pred, PredKind, Reduce, RefutationToPrec, Step};
use crate::refine::{Explained, ItpSource, Prune, Refinement, Refiner};
use kernel::cfa::Cfa;
use kernel::context::{Ctx, MakeSolver, Progress, Stop};
use kernel::expr::ExprPool;
use kernel::verdict::{Reason, Verdict};

mod cache;
mod evidence;
mod explore;
mod form;
mod live;
mod names;
mod options;
mod parts;
mod picture;
mod pieces;
mod program;
mod recursion;
mod regions;
mod sharing;
#[cfg(test)]
mod tests;
mod tree;
mod waitlist;

pub use cache::Counts;
use evidence::FlatPath;
use explore::Explorer;
use form::{Numbered, Steps};
use names::Names;
pub use options::{BamDomain, BamOptions, INFO, Itp};
use pieces::Pieces;
use program::Program;
pub use regions::Blocks;
use regions::Regions;
use sharing::Sharing;

/// Block-abstraction memoization.
pub struct Bam {
    options: BamOptions,
    solvers: MakeSolver,
    iterations: Vec<Iteration>,
    /// Numbers of the run so far.
    counts: Counts,
    blocks: Vec<BlockCounts>,
    pictures: Pictures,
}

/// State of a run in one of the domains.
pub trait Analysis {
    /// Runs the loop of abstraction and refinement from this state on.
    fn run(&mut self, cx: &mut Ctx<'_>, bam: &mut Bam) -> Result<Verdict, Stop>;
}

impl Bam {
    /// Returns an engine that has not run.
    pub fn new(options: BamOptions, solvers: MakeSolver) -> Resumable<Bam> {
        Resumable::new(Bam {
            options,
            solvers,
            iterations: Vec::new(),
            counts: Counts::default(),
            blocks: Vec::new(),
            pictures: Pictures::default(),
        })
    }
    fn analysis<D: Reduce + RefutationToPrec + 'static>(
        &self,
        cx: &mut Ctx<'_>,
        cfa: &Cfa,
        domain: D,
    ) -> Result<Box<dyn Analysis>, Stop> {
        if let Some(recursion) = &cfa.recursion {
            return Ok(Box::new(recursion::search(cx, cfa, recursion, domain, self.solvers.clone())?));
        }
        if self.options.itp == Itp::Tree {
            return Ok(Box::new(tree::search(cx, cfa, domain, self.solvers.clone())));
        }
        let regions = Regions::new(cfa, self.options.blocks);
        let mut numbered = Numbered::default();
        let mut steps = Steps::default();
        let program = Program::new(&mut cx.pool, cfa, &regions, &mut numbered, &mut steps);
        let sharing = Sharing::new(&mut cx.pool, cfa, &program, &mut numbered);
        let BamOptions { cache, reduce, .. } = self.options;
        Ok(Box::new(Search {
            graph: Graph::new(&mut cx.pool, cfa),
            explorer: Explorer::new(program, steps, numbered, domain, cache, reduce),
            sharing,
            pieces: Pieces::new(),
            refiner: Refiner::new(Refinement::SeqItp, ItpSource::default(), Prune::default(), self.solvers.clone()),
        }))
    }
    fn iteration(&mut self) -> &mut Iteration {
        if self.iterations.is_empty() {
            self.next_iteration();
        }
        let last = self.iterations.len() - 1;
        &mut self.iterations[last]
    }
    fn next_iteration(&mut self) {
        let number = self.iterations.len() as u32 + 1;
        if let Some(last) = self.iterations.last_mut() {
            last.blocks = Vec::new();
        }
        self.iterations.push(Iteration { number, ..Iteration::default() });
    }
}

impl Resumable<Bam> {
    /// Returns the numbers of the run so far.
    pub fn counts(&self) -> Counts {
        self.algorithm.counts
    }
    /// Returns the numbers of each block so far, without those of the outermost.
    pub fn blocks(&self) -> &[BlockCounts] {
        self.algorithm.blocks.split_last().map_or(&[], |(_, inner)| inner)
    }
    /// Returns the iterations so far.
    pub fn iterations(&self) -> &[Iteration] {
        &self.algorithm.iterations
    }
}

impl Algorithm for Bam {
    type State = Box<dyn Analysis>;

    fn begin(&self, cx: &mut Ctx<'_>, cfa: &Cfa) -> Result<Box<dyn Analysis>, Stop> {
        let BamOptions { domain, max_enum, pred_split, .. } = self.options;
        let values = || Expl::new(max_enum, self.solvers.clone());
        let predicates = |kind: PredKind| Pred::new(kind, pred_split, self.solvers.clone());
        match domain {
            BamDomain::Values => self.analysis(cx, cfa, values()),
            BamDomain::Predicates(kind) => self.analysis(cx, cfa, predicates(kind)),
            BamDomain::Both(kind) => self.analysis(cx, cfa, Pair { first: values(), second: predicates(kind) }),
        }
    }
    fn search(&mut self, cx: &mut Ctx<'_>, _: &Cfa, analysis: &mut Box<dyn Analysis>) -> Result<Verdict, Stop> {
        analysis.run(cx, self)
    }
    fn keep(&mut self, pictures: Pictures) {
        self.pictures = pictures;
    }
    fn explored(&mut self, _: Option<&Box<dyn Analysis>>, _: &ExprPool) -> Vec<Iteration> {
        std::mem::take(&mut self.iterations)
    }
}

/// Adds the time since `begin` to the checks and refinements of an iteration.
fn add_time(row: &mut Iteration, refiner: &mut Refiner, begin: Instant) {
    let concretisation = refiner.take_checking();
    row.concretisation += concretisation;
    row.refinement += begin.elapsed().saturating_sub(concretisation);
}

/// State between two calls of `run`. A stopped exploration is begun again; the cache has what was explored.
struct Search<D: Reduce> {
    graph: Graph,
    explorer: Explorer<D>,
    sharing: Sharing<D::Prec>,
    pieces: Pieces<D::Prec>,
    refiner: Refiner,
}

impl<D: Reduce + RefutationToPrec> Analysis for Search<D> {
    /// Stops:     `NoProgress`, `SolverUnknown`, cancelled.
    /// Source:    papers/block-abstraction-memoization, Algorithm 2 and §2.4.7.
    fn run(&mut self, cx: &mut Ctx<'_>, bam: &mut Bam) -> Result<Verdict, Stop> {
        loop {
            let begin = Instant::now();
            let main = self.explorer.run(cx, self.sharing.total.clone());
            let blocks = self.explorer.block_counts();
            (bam.counts, bam.blocks) = (self.explorer.cache.counts, blocks.clone());
            let row = bam.iteration();
            row.abstraction += begin.elapsed();
            row.n_nodes = self.explorer.cache.entries.iter().map(|entry| entry.nodes.len()).sum();
            row.n_tracked = self.sharing.size();
            row.blocks = blocks;
            if bam.pictures == Pictures::Every
                || !main.as_ref().is_ok_and(|main| self.explorer.cache.entries[*main].error.is_some())
            {
                let picture = picture::picture(&self.explorer.program, &bam.blocks, bam.pictures.most_nodes());
                bam.iteration().picture = Some(picture);
            }
            let main = main?;
            if self.explorer.cache.entries[main].error.is_none() {
                (cx.events)(Progress { engine: INFO.name, safe_cycles: None, text: bam.iteration().to_string() });
                let states = self.explorer.states_at_cuts(cx, &self.graph.cfa, main)?;
                let Explorer { program, numbered, domain, .. } = &mut self.explorer;
                let mut names = Names::new(&mut cx.pool, numbered, &program.main.vars);
                return Ok(flat::without_error(cx, &self.graph, |pool, loc| {
                    let states: Vec<&D::State> = states.get(&loc).into_iter().flatten().collect();
                    let holds = domain.to_expr(pool, &states);
                    names.back.apply(pool, holds)
                }));
            }
            let mut path = self.explorer.path(&self.graph.cfa, main);
            path.insert(0, (self.graph.cfa.init, self.graph.initial().id));
            let row = bam.iteration();
            (row.n_counterexamples, row.length) = (1, Some(path.len() as u32));
            (cx.events)(Progress { engine: INFO.name, safe_cycles: None, text: row.to_string() });
            if let Some(verdict) = self.refine(cx, bam.iteration(), &path)? {
                return Ok(verdict);
            }
            self.explorer.next_iteration();
            bam.next_iteration();
        }
    }
}

impl<D: Reduce + RefutationToPrec> Search<D> {
    /// Decides the path to an error. Returns the verdict if it is real, or if there is nothing new to track.
    ///
    /// The path is refuted piece by piece; as a whole, where pieces are not refuted or nothing new comes from them.
    fn refine(&mut self, cx: &mut Ctx<'_>, row: &mut Iteration, path: &FlatPath) -> Result<Option<Verdict>, Stop> {
        let begin = Instant::now();
        let refined = self.track_refutation(cx, path);
        add_time(row, &mut self.refiner, begin);
        refined
    }
    fn track_refutation(&mut self, cx: &mut Ctx<'_>, path: &FlatPath) -> Result<Option<Verdict>, Stop> {
        let steps: Vec<Step<'_>> = path.iter().map(|(_, step)| self.graph.step(*step)).collect();
        let Explorer { numbered, domain, cache, .. } = &mut self.explorer;
        if let Some(prec) = self.pieces.refute(cx, numbered, domain, &mut self.refiner, &steps, &mut cache.counts)?
            && self.sharing.learn(&mut cx.pool, numbered, &prec)
        {
            return Ok(None);
        }
        let refutation = match self.refiner.explain(cx, steps)? {
            Explained::Feasible(inputs) => return Ok(Some(Verdict::Unsafe(flat::trace(&self.graph, path, &inputs)))),
            Explained::Infeasible(refutation) => refutation,
        };
        let precs = domain.to_prec(&mut cx.pool, &refutation);
        let mut grew = self.learn(cx, precs.unwrap_or_default());
        if !grew {
            let more = self.explorer.domain.to_more_prec(&mut cx.pool, &refutation);
            grew = self.learn(cx, more.unwrap_or_default());
        }
        Ok((!grew).then_some(Verdict::Unknown(Reason::NoProgress)))
    }
    /// Adds precisions over the automaton's variables. Returns whether anything was new.
    fn learn(&mut self, cx: &mut Ctx<'_>, precs: Vec<D::Prec>) -> bool {
        let mut all = D::Prec::default();
        for prec in precs {
            all.join(&prec);
        }
        self.sharing.learn(&mut cx.pool, &mut self.explorer.numbered, &all)
    }
}
