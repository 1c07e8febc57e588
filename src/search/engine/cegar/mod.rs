//! Counterexample-guided abstraction refinement over explicit values, predicates, or both.
//!
//! Measured (`docs/cegar.md`, `perf` over the samples): with single operations most of the time goes into images and coverage,
//! see [`crate::domain`]; with large blocks and predicates it goes into refinement, where inputs are eliminated from the
//! preconditions of long counterexamples ([`crate::refine`]). The graph itself costs nothing.
//!
//! Works on any CFA: single edges or large blocks, that is a pass before. Source: Hajdu, Micskei, "Efficient Strategies
//! for CEGAR-Based Model Checking", Journal of Automated Reasoning 2020, doi:10.1007/s10817-019-09535-x.

use super::{Engine, Pictures};
use kernel::context::{Ctx, MakeSolver, Progress, Stop};
use std::time::Instant;

use crate::arg::{Arg, Graph};

use crate::domain::{Expl, ExplPrec, Pair, PairPrec, Precision, Pred, PredPrec};
use crate::refine::{LocPrec, Refined, Refiner, RefutationToPrec};
use kernel::cfa::Cfa;
use kernel::draw::Picture;
use kernel::expr::ExprPool;
use kernel::verdict::{Reason, Verdict};

mod abstractor;
pub(super) mod evidence;
mod facts;
mod initial;
mod options;
#[cfg(test)]
pub(crate) mod tests;
mod timeline;

use abstractor::StopAt;
use facts::Facts;
pub use options::{CegarOptions, DomainChoice, INFO, InitPrec};
pub use timeline::Iteration;
use timeline::Timeline;

/// The engine. One value decides one CFA: when it was stopped by its deadline, the next `run` goes on where it was.
pub struct Cegar {
    options: CegarOptions,
    solvers: MakeSolver,
    progress: Option<InDomain>,
    timeline: Timeline,
}

/// A run in one of the domains.
enum InDomain {
    Expl(Box<Refinement<Expl>>),
    Pred(Box<Refinement<Pred>>),
    ExplPred(Box<Refinement<Pair<Expl, Pred>>>),
}

impl Engine for Cegar {
    fn run(&mut self, cx: &mut Ctx<'_>, cfa: &Cfa) -> Result<Verdict, Stop> {
        let mut progress = match self.progress.take() {
            Some(progress) => progress,
            None => self.begin(cx, cfa),
        };
        let result = match &mut progress {
            InDomain::Expl(refinement) => refinement.run(cx, &self.options, &self.solvers, &mut self.timeline),
            InDomain::Pred(refinement) => refinement.run(cx, &self.options, &self.solvers, &mut self.timeline),
            InDomain::ExplPred(refinement) => refinement.run(cx, &self.options, &self.solvers, &mut self.timeline),
        };
        if let Err(Stop::Reason(_)) = result {
            self.progress = Some(progress);
        }
        result
    }
    fn keep(&mut self, pictures: Pictures) {
        self.timeline.pictures = pictures;
    }
    fn explored(&mut self, pool: &ExprPool) -> Vec<Iteration> {
        // A run that was stopped has not drawn its last graph yet.
        if self.timeline.iterations.last().is_some_and(|row| row.picture.is_none())
            && let Some(progress) = &self.progress
        {
            let most = self.timeline.pictures.most_nodes();
            let picture = match progress {
                InDomain::Expl(refinement) => refinement.picture(pool, most),
                InDomain::Pred(refinement) => refinement.picture(pool, most),
                InDomain::ExplPred(refinement) => refinement.picture(pool, most),
            };
            let row = self.timeline.row();
            row.n_nodes = picture.nodes.len() + picture.n_left_out;
            row.picture = Some(picture);
        }
        std::mem::take(&mut self.timeline.iterations)
    }
}

impl Cegar {
    /// Ready to run.
    pub fn new(options: CegarOptions, solvers: MakeSolver) -> Cegar {
        Cegar { options, solvers, progress: None, timeline: Timeline::default() }
    }
    /// Returns the iterations so far.
    pub fn timeline(&self) -> &[Iteration] {
        &self.timeline.iterations
    }
    fn begin(&self, cx: &mut Ctx<'_>, cfa: &Cfa) -> InDomain {
        let graph = Graph::new(&mut cx.pool, cfa);
        match self.options.domain {
            DomainChoice::Expl { max_enum } => {
                let prec = self.initial_values(cx, &graph);
                InDomain::Expl(Box::new(self.refinement(graph, Expl::new(max_enum, self.solvers.clone()), prec)))
            }
            DomainChoice::Pred(kind) => {
                let prec = self.initial_predicates(cx, &graph);
                let domain = Pred::new(kind, self.options.pred_split, self.solvers.clone());
                InDomain::Pred(Box::new(self.refinement(graph, domain, prec)))
            }
            DomainChoice::ExplPred { max_enum, kind } => {
                let prec = PairPrec { first: self.initial_values(cx, &graph), second: self.initial_predicates(cx, &graph) };
                let first = Expl::new(max_enum, self.solvers.clone());
                let second = Pred::new(kind, self.options.pred_split, self.solvers.clone());
                InDomain::ExplPred(Box::new(self.refinement(graph, Pair { first, second }, prec)))
            }
        }
    }
    fn initial_values(&self, cx: &Ctx<'_>, graph: &Graph) -> ExplPrec {
        let vars = match self.options.init_prec {
            InitPrec::Empty => Default::default(),
            InitPrec::AllVars => graph.cfa.vars.iter().copied().collect(),
            InitPrec::AllAssumes => initial::assumed_vars(cx, graph),
        };
        ExplPrec { vars }
    }
    fn initial_predicates(&self, cx: &mut Ctx<'_>, graph: &Graph) -> PredPrec {
        let preds = match self.options.init_prec {
            InitPrec::Empty => Default::default(),
            InitPrec::AllVars => initial::flags(cx, graph),
            InitPrec::AllAssumes => initial::assumed_atoms(cx, graph),
        };
        PredPrec { preds }
    }
    fn refinement<D: RefutationToPrec>(&self, graph: Graph, domain: D, initial: D::Prec) -> Refinement<D> {
        Refinement {
            graph,
            domain,
            arg: Arg::default(),
            prec: LocPrec::new(self.options.prec_granularity, initial),
            refiner: Refiner::new(self.options.refinement, self.options.itp_source, self.options.prune, self.solvers.clone()),
            facts: Facts::default(),
        }
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

impl<D: RefutationToPrec> Refinement<D> {
    fn picture(&self, pool: &ExprPool, most: usize) -> Picture {
        self.arg.picture(self.graph.cfa.error, most, &|node| self.domain.describe(pool, &node.state))
    }
    /// The CEGAR loop.
    ///
    /// Stops:     `NoProgress`, `SolverUnknown`, cancelled.
    /// Source:    Hajdu, Micskei, JAR 2020, Algorithm 3.
    fn run(
        &mut self,
        cx: &mut Ctx<'_>,
        options: &CegarOptions,
        solvers: &MakeSolver,
        timeline: &mut Timeline,
    ) -> Result<Verdict, Stop> {
        /// Of more counterexamples at once than this nobody learns more.
        const ERRORS: usize = 1_000;
        let Refinement { graph, domain, arg, prec, refiner, facts } = self;
        let stop_at = if options.refinement.wants_all() { StopAt::Errors(ERRORS) } else { StopAt::FirstError };
        loop {
            let begin = Instant::now();
            let errors = abstractor::explore(cx, graph, domain, (options.search, stop_at), arg, prec);
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
                return Ok(Verdict::Safe(evidence::proof(cx, graph, domain, arg)));
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
