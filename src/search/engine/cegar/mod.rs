//! Counterexample-guided abstraction refinement over explicit values, predicates, or both.
//!
//! Measured (`docs/cegar.md`, `perf` over the samples): with single operations most of the time goes into images and coverage,
//! see [`crate::domain`]. With large blocks and predicates it goes into refinement: inputs are eliminated from the preconditions
//! of long counterexamples ([`crate::refine`]). The graph itself costs nothing.
//!
//! Works on any CFA: a pass before makes single edges or large blocks, or the search composes blocks as `blk` says. Source: Hajdu, Micskei, "Efficient Strategies for
//! CEGAR-Based Model Checking", Journal of Automated Reasoning 2020, doi:10.1007/s10817-019-09535-x.

use super::Pictures;
use super::encoding;
use super::resumable::{Algorithm, Resumable};
use kernel::context::{Ctx, MakeSolver, Progress, Stop};
use std::time::Instant;

use crate::arg::{Arg, Graph};

use crate::domain::{Precision, RefutationToPrec};
use crate::refine::{LocPrec, Refined, Refiner};
use kernel::cfa::Cfa;
use kernel::draw::Picture;
use kernel::expr::ExprPool;
use kernel::verdict::{Reason, Verdict};

pub(super) mod abstractor;
mod domains;
pub(super) mod evidence;
mod facts;
mod initial;
mod options;
#[cfg(test)]
pub(crate) mod tests;
mod timeline;

use abstractor::{Cpa, FixedStates, StopAt};
pub use domains::{DOMAINS, DomainInfo, Tracked};
use facts::Facts;
pub use options::{CegarOptions, INFO, InitPrec};
pub use timeline::Iteration;
use timeline::Timeline;

/// Counterexample-guided abstraction refinement.
pub struct Cegar {
    options: CegarOptions,
    solvers: MakeSolver,
    timeline: Timeline,
}

/// State of a run in one of the domains.
pub trait Analysis {
    /// Runs the CEGAR loop from this state on.
    fn run(&mut self, cx: &mut Ctx<'_>, cegar: &mut Cegar) -> Result<Verdict, Stop>;
    /// Returns a picture of the graph, of at most this many nodes.
    fn picture(&self, pool: &ExprPool, most: usize) -> Picture;
}

impl Cegar {
    /// Returns an engine that has not run.
    pub fn new(options: CegarOptions, solvers: MakeSolver) -> Resumable<Cegar> {
        Resumable::new(Cegar { options, solvers, timeline: Timeline::default() })
    }
    fn analysis<D: RefutationToPrec + 'static>(&self, graph: Graph, domain: D, initial: D::Prec) -> Box<dyn Analysis> {
        let CegarOptions { prec_granularity, refinement, itp_source, prune, .. } = self.options;
        Box::new(Refinement {
            graph,
            domain,
            arg: Arg::default(),
            prec: LocPrec::new(prec_granularity, initial),
            refiner: Refiner::new(refinement, itp_source, prune, self.solvers.clone()),
            facts: Facts::default(),
        })
    }
}

impl Resumable<Cegar> {
    /// Returns the iterations so far.
    pub fn timeline(&self) -> &[Iteration] {
        &self.algorithm.timeline.iterations
    }
}

impl Algorithm for Cegar {
    type State = Box<dyn Analysis>;

    fn begin(&self, cx: &mut Ctx<'_>, cfa: &Cfa) -> Result<Box<dyn Analysis>, Stop> {
        let graph = encoding::graph(&mut cx.pool, cfa, self.options.blk);
        Ok((self.options.domain.begin)(self, cx, graph))
    }
    fn search(&mut self, cx: &mut Ctx<'_>, _: &Cfa, analysis: &mut Box<dyn Analysis>) -> Result<Verdict, Stop> {
        analysis.run(cx, self)
    }
    fn keep(&mut self, pictures: Pictures) {
        self.timeline.pictures = pictures;
    }
    fn explored(&mut self, analysis: Option<&Box<dyn Analysis>>, pool: &ExprPool) -> Vec<Iteration> {
        // A stopped run has not drawn its last graph yet.
        if self.timeline.iterations.last().is_some_and(|row| row.picture.is_none())
            && let Some(analysis) = analysis
        {
            let picture = analysis.picture(pool, self.timeline.pictures.most_nodes());
            let row = self.timeline.row();
            row.n_nodes = picture.nodes.len() + picture.n_left_out;
            row.picture = Some(picture);
        }
        std::mem::take(&mut self.timeline.iterations)
    }
}

/// State between two calls of `run`. It stays consistent at every operation that can stop.
struct Refinement<D: RefutationToPrec> {
    graph: Graph,
    domain: D,
    arg: Arg<D::State>,
    prec: LocPrec<D::Prec>,
    refiner: Refiner,
    facts: Facts,
}

impl<D: RefutationToPrec> Analysis for Refinement<D> {
    fn picture(&self, pool: &ExprPool, most: usize) -> Picture {
        self.arg.picture(self.graph.cfa.error, most, &|node| self.domain.describe(pool, &node.state))
    }
    /// Stops:     `NoProgress`, `SolverUnknown`, cancelled.
    /// Source:    Hajdu, Micskei, JAR 2020, Algorithm 3.
    fn run(&mut self, cx: &mut Ctx<'_>, cegar: &mut Cegar) -> Result<Verdict, Stop> {
        let Refinement { graph, domain, arg, prec, refiner, facts } = self;
        let Cegar { options, solvers, timeline } = cegar;
        let most = options.counterexamples.map_or(usize::MAX, |n| n.get() as usize);
        let stop_at = if options.refinement.wants_all() { StopAt::Errors(most) } else { StopAt::FirstError };
        loop {
            let begin = Instant::now();
            let cpa = Cpa { graph, domain, prec, operators: &mut FixedStates };
            let errors = abstractor::explore(cx, cpa, options.search, stop_at, arg);
            let row = timeline.row();
            row.abstraction += begin.elapsed();
            let errors = errors?;
            row.n_nodes = arg.n_nodes();
            row.n_tracked = prec.size();
            row.n_counterexamples = errors.len();
            row.length = errors.iter().map(|&error| arg.node(error).depth).max();
            let most = timeline.pictures.most_nodes();
            let picture = |pool: &ExprPool, arg: &Arg<D::State>, domain: &D| {
                Some(arg.picture(graph.cfa.error, most, &|node| domain.describe(pool, &node.state)))
            };
            if timeline.pictures == Pictures::Every || errors.is_empty() {
                timeline.row().picture = picture(&cx.pool, arg, domain);
            }
            (cx.events)(Progress { engine: INFO.name, safe_cycles: None, text: timeline.row().to_string() });
            if errors.is_empty() {
                return Ok(evidence::complete(cx, graph, domain, arg));
            }
            let begin = Instant::now();
            let refined = refiner.refine(cx, graph, domain, arg, &errors, prec);
            let concretisation = refiner.take_checking();
            timeline.row().concretisation += concretisation;
            timeline.row().refinement += begin.elapsed().saturating_sub(concretisation);
            if matches!(refined, Ok(Refined::Feasible(..)) | Err(Stop::Reason(Reason::NoProgress))) {
                timeline.row().picture = picture(&cx.pool, arg, domain);
            }
            match refined {
                Ok(Refined::Spurious) => {
                    timeline.next();
                    facts.refined(cx, &graph.cfa, solvers, |cx| prec.at(cx, graph, graph.cfa.head).predicates())?;
                }
                Ok(Refined::Feasible(error, inputs)) => {
                    let path: Vec<_> = arg.path(error).into_iter().map(|id| (arg.node(id).loc, arg.node(id).step)).collect();
                    return Ok(Verdict::Unsafe(evidence::trace(graph, &path, &inputs)));
                }
                Err(Stop::Reason(Reason::NoProgress)) => return Ok(Verdict::Unknown(Reason::NoProgress)),
                Err(stop) => return Err(stop),
            }
        }
    }
}
