//! Impact: lazy abstraction with interpolants. New states are TRUE; interpolants of refuted counterexamples strengthen the states
//! on their paths. A state that implies another one at its location is covered and not explored further.
//!
//! Works on the same domain, exploration, graph, blocks and interpolants as CEGAR over predicates, without a precision and
//! without abstraction: a step costs nothing, and coverage costs a query.
//!
//! Source: McMillan, "Lazy Abstraction with Interpolants", CAV 2006, doi:10.1007/11817963_14; as one of a family:
//! papers/unifying-smt-verification (Beyer, Dangl, Wendler), §3.2.4, §3.3, §4.4.

use std::collections::BTreeMap;
use std::time::Instant;

use super::cegar::abstractor::{self, Cpa, StopAt};
use super::cegar::evidence;
use super::configurations::{ForcedCovering, IMPACT};
use super::encoding::{self, BLK, ENCODING, LOOP_BOUND, checked};
use super::{Algorithm, EngineInfo, Iteration, OptionInfo, Pictures, Resumable, Values, words};
use crate::arg::{Arg, Blk, Graph, Mark, NodeId, Search};
use crate::domain::{AbstractionFormula, Domain, PredKind, PredPrec, Predicates, Split};
use crate::refine::{Granularity, ItpSource, LocPrec, Prune, Refinement, Refiner};
use kernel::cfa::pass::Encoding;
use kernel::cfa::{Cfa, LocId};
use kernel::context::{Ctx, MakeSolver, Progress, Stop, count};
use kernel::draw::Picture;
use kernel::expr::ExprPool;
use kernel::verdict::{Reason, Verdict};

mod cover;
mod labels;
#[cfg(test)]
mod tests;

use cover::Unwound;
use labels::Labels;

/// The configuration of one run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ImpactOptions {
    /// Ends of blocks that the search composes; `None` where a step is an edge of the automaton.
    pub blk: Option<Blk>,
    /// The order of exploration.
    pub search: Search,
    /// Strengthening of new states in order to cover them.
    pub forced_covering: ForcedCovering,
    /// Source of interpolants.
    pub itp_source: ItpSource,
}

/// Lazy abstraction with interpolants.
pub struct Impact {
    options: ImpactOptions,
    solvers: MakeSolver,
    pictures: Pictures,
    /// One for each examined counterexample; the last one may still be going on.
    iterations: Vec<Iteration>,
}

const FORCED_COVERING: [(&str, ForcedCovering); 2] = [("on", ForcedCovering::On), ("off", ForcedCovering::Off)];
const ITP_SOURCES: [(&str, ItpSource); 2] = [("WP", ItpSource::Wp), ("SP", ItpSource::Sp)];

/// Row of the engines' table.
pub const INFO: EngineInfo = EngineInfo {
    name: "impact",
    title: "lazy abstraction with interpolants (Impact)",
    source: "McMillan, Lazy Abstraction with Interpolants, CAV 2006; Beyer, Dangl, Wendler, A Unifying View on SMT-Based \
             Software Verification, Journal of Automated Reasoning 2018",
    options: &[
        ENCODING,
        BLK,
        LOOP_BOUND,
        OptionInfo {
            name: "search",
            values: Values::OneOf(&words(&Search::NAMED)),
            default: "BFS",
            help: "Explored first: nodes near the start, far from it, near the error location, or both.",
        },
        OptionInfo {
            name: "fcover",
            values: Values::OneOf(&words(&FORCED_COVERING)),
            default: "on",
            help: "Forced covering: a new state is strengthened if that lets an older one cover it (§3.3).",
        },
        OptionInfo {
            name: "interpolants",
            values: Values::OneOf(&words(&ITP_SOURCES)),
            default: "WP",
            help: "Source of interpolants: weakest preconditions or strongest postconditions over an unsat core.",
        },
    ],
    absent: &[],
    encoding: Encoding::Lbe,
    build: |settings, solvers| {
        let options = ImpactOptions {
            blk: checked(settings)?.blk,
            search: settings.choice("search", &Search::NAMED),
            forced_covering: settings.choice("fcover", &FORCED_COVERING),
            itp_source: settings.choice("interpolants", &ITP_SOURCES),
        };
        Ok(Box::new(Impact::new(options, solvers.clone())))
    },
};

impl Impact {
    /// Returns an engine that has not run.
    pub fn new(options: ImpactOptions, solvers: MakeSolver) -> Resumable<Impact> {
        Resumable::new(Impact { options, solvers, pictures: Pictures::default(), iterations: Vec::new() })
    }
}

/// State between two calls of `run`. It stays consistent at every operation that can stop.
pub struct Unwinding {
    graph: Graph,
    domain: Predicates,
    /// Labels are formulas over the variables of the state.
    arg: Arg<AbstractionFormula>,
    /// Empty for ever.
    prec: LocPrec<PredPrec>,
    labels: Labels,
    n_refuted: usize,
}

impl Unwinding {
    fn new(cx: &mut Ctx<'_>, cfa: &Cfa, options: ImpactOptions, solvers: &MakeSolver) -> Unwinding {
        let refiner = Refiner::new(Refinement::SeqItp, options.itp_source, Prune::Lazy, solvers.clone());
        Unwinding {
            graph: encoding::graph(&mut cx.pool, cfa, options.blk),
            domain: IMPACT.domain(&mut cx.pool, (PredKind::Bool, Split::default()), None, solvers.clone()),
            arg: Arg::default(),
            prec: LocPrec::new(Granularity::default(), PredPrec::default()),
            labels: Labels::new(options.forced_covering, refiner, solvers.clone()),
            n_refuted: 0,
        }
    }
    /// Returns the labels of the active nodes by location.
    fn states(&self, cx: &Ctx<'_>) -> BTreeMap<LocId, Vec<&AbstractionFormula>> {
        // Parents are older than their children.
        let mut active: BTreeMap<NodeId, bool> = BTreeMap::new();
        let mut states: BTreeMap<LocId, Vec<&AbstractionFormula>> = BTreeMap::new();
        for (id, node) in self.arg.nodes() {
            let is_active = match node.mark {
                Mark::Unmarked | Mark::Expanded => {
                    !self.domain.is_false(&cx.pool, &node.state)
                        && node.parent.is_none_or(|parent| active.get(&parent) == Some(&true))
                }
                Mark::Covered(_) | Mark::Pruned => false,
            };
            active.insert(id, is_active);
            if is_active {
                states.entry(node.loc).or_default().push(&node.state);
            }
        }
        states
    }
    /// Returns the graph with its labels.
    fn picture(&self, pool: &ExprPool, most: usize) -> Picture {
        self.arg.picture(self.graph.cfa.error, most, &|node| self.domain.describe(pool, &node.state))
    }
}

impl Algorithm for Impact {
    type State = Unwinding;

    fn begin(&self, cx: &mut Ctx<'_>, cfa: &Cfa) -> Result<Unwinding, Stop> {
        Ok(Unwinding::new(cx, cfa, self.options, &self.solvers))
    }
    /// Stops:     `NoProgress` if a counterexample was refuted and no interpolants were found; `SolverUnknown`; cancelled.
    /// Soundness: `Safe` carries the disjunction of the states at each cut point, which is inductive.
    /// Source:    papers/unifying-smt-verification (Beyer, Dangl, Wendler), Algorithm 4 with the refinement of Impact.
    fn search(&mut self, cx: &mut Ctx<'_>, _: &Cfa, unwinding: &mut Unwinding) -> Result<Verdict, Stop> {
        loop {
            let row = self.row();
            let begin = Instant::now();
            let Unwinding { graph, domain, arg, prec, labels, .. } = unwinding;
            let cpa = Cpa { graph, domain, prec, operators: labels };
            let errors = abstractor::explore(cx, cpa, self.options.search, StopAt::FirstError, arg);
            self.iterations[row].abstraction += begin.elapsed();
            self.iterations[row].n_nodes = unwinding.arg.n_nodes();
            let Some(&error) = errors?.first() else {
                self.draw(&cx.pool, unwinding);
                let states = unwinding.states(cx);
                let Unwinding { graph, domain, .. } = &*unwinding;
                return Ok(evidence::without_error(cx, graph, |pool, loc| {
                    domain.to_expr(pool, states.get(&loc).map_or(&[], Vec::as_slice))
                }));
            };
            self.iterations[row].n_counterexamples = 1;
            if self.pictures == Pictures::Every {
                self.draw(&cx.pool, unwinding);
            }
            let begin = Instant::now();
            let Unwinding { graph, domain, arg, labels, .. } = unwinding;
            let refined = labels.refine(cx, &mut Unwound { graph, domain, arg }, error);
            let concretisation = labels.refiner.take_checking();
            self.iterations[row].concretisation += concretisation;
            self.iterations[row].refinement += begin.elapsed().saturating_sub(concretisation);
            match refined {
                Ok(None) => {
                    unwinding.n_refuted += 1;
                    self.next(cx, unwinding);
                }
                Ok(Some(inputs)) => {
                    self.draw(&cx.pool, unwinding);
                    let nodes = unwinding.arg.path(error).into_iter().map(|id| unwinding.arg.node(id));
                    let path: Vec<_> = nodes.map(|node| (node.loc, node.step)).collect();
                    return Ok(Verdict::Unsafe(evidence::trace(&unwinding.graph, &path, &inputs)));
                }
                Err(Stop::Reason(Reason::NoProgress)) => {
                    self.draw(&cx.pool, unwinding);
                    return Ok(Verdict::Unknown(Reason::NoProgress));
                }
                Err(stop) => return Err(stop),
            }
        }
    }
    fn keep(&mut self, pictures: Pictures) {
        self.pictures = pictures;
    }
    fn explored(&mut self, unwinding: Option<&Unwinding>, pool: &ExprPool) -> Vec<Iteration> {
        // A stopped run has not drawn its last graph yet.
        if let Some(unwinding) = unwinding {
            self.row();
            self.draw(pool, unwinding);
        }
        std::mem::take(&mut self.iterations)
    }
}

impl Impact {
    /// Returns the position of the iteration that is going on.
    fn row(&mut self) -> usize {
        if self.iterations.is_empty() {
            self.iterations.push(Iteration { number: 1, ..Iteration::default() });
        }
        self.iterations.len() - 1
    }
    /// Begins another iteration after a refinement.
    fn next(&mut self, cx: &Ctx<'_>, unwinding: &Unwinding) {
        let (n_nodes, n_refuted) = (unwinding.arg.n_nodes(), unwinding.n_refuted);
        let text = format!("{}, {} refuted", count(n_nodes, "abstract state"), count(n_refuted, "counterexample"));
        (cx.events)(Progress { engine: INFO.name, safe_cycles: None, text });
        let number = self.iterations.len() as u32 + 1;
        self.iterations.push(Iteration { number, ..Iteration::default() });
    }
    /// Keeps a picture of the graph for the iteration that is going on.
    fn draw(&mut self, pool: &ExprPool, unwinding: &Unwinding) {
        let most = self.pictures.most_nodes();
        if let Some(row) = self.iterations.last_mut() {
            row.picture = Some(unwinding.picture(pool, most));
            row.n_nodes = unwinding.arg.n_nodes();
        }
    }
}
