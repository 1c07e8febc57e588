//! Impact: lazy abstraction with interpolants. New states are TRUE; interpolants of refuted counterexamples strengthen the states
//! on their paths. A state that implies another one at its location is covered and not explored further.
//!
//! Works on the same graph, the same blocks and the same refinement as CEGAR over predicates, without a precision and
//! without abstraction: a step costs nothing, and coverage costs a query.
//!
//! Source: McMillan, "Lazy Abstraction with Interpolants", CAV 2006, doi:10.1007/11817963_14; as one of a family:
//! papers/unifying-smt-verification (Beyer, Dangl, Wendler), §3.2.4, §3.3, §4.4.

use std::time::Instant;

use super::cegar::evidence;
use super::encoding::{BLK, ENCODING, LOOP_BOUND, checked};
use super::{Algorithm, EngineInfo, Iteration, OptionInfo, Pictures, Resumable, Values, words};
use crate::arg::{Blk, Search};
use crate::refine::ItpSource;
use kernel::cfa::Cfa;
use kernel::cfa::pass::Encoding;
use kernel::context::{Ctx, MakeSolver, Progress, Stop, count};
use kernel::draw::Picture;
use kernel::expr::ExprPool;
use kernel::verdict::{Reason, Verdict};

mod cover;
#[cfg(test)]
mod tests;
mod unwinding;

use unwinding::{Found, Unwinding};

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

/// `fcover`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ForcedCovering {
    /// Never.
    Off,
    /// A state is strengthened with an older one that holds after every execution of the path from their nearest common ancestor.
    On,
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

impl Algorithm for Impact {
    type State = Unwinding;

    fn begin(&self, cx: &mut Ctx<'_>, cfa: &Cfa) -> Result<Unwinding, Stop> {
        Unwinding::new(cx, cfa, self.options, &self.solvers)
    }
    /// Stops:     `NoProgress` if a counterexample was refuted and no interpolants were found; `SolverUnknown`; cancelled.
    /// Soundness: `Safe` carries the disjunction of the states at each cut point, which is inductive.
    fn search(&mut self, cx: &mut Ctx<'_>, _: &Cfa, unwinding: &mut Unwinding) -> Result<Verdict, Stop> {
        let (iterations, pictures) = (&mut self.iterations, self.pictures);
        let mut begin = Instant::now();
        let found = unwinding.run(cx, &mut |cx, unwinding| {
            iterations.push(iteration(unwinding, iterations.len(), std::mem::replace(&mut begin, Instant::now())));
            if let (Pictures::Every, Some(row)) = (pictures, iterations.last_mut()) {
                row.picture = Some(picture(&cx.pool, unwinding, pictures.most_nodes()));
            }
            let text = format!(
                "{}, {} refuted",
                count(unwinding.arg.n_nodes(), "abstract state"),
                count(unwinding.n_refuted, "counterexample")
            );
            (cx.events)(Progress { engine: INFO.name, safe_cycles: None, text });
        });
        let mut row = iteration(unwinding, self.iterations.len(), begin);
        row.picture = Some(picture(&cx.pool, unwinding, self.pictures.most_nodes()));
        row.n_counterexamples = usize::from(matches!(found, Ok(Found::Error(..))));
        self.iterations.push(row);
        match found {
            Ok(Found::Nothing) => {
                let states = unwinding.states(cx);
                Ok(evidence::without_error(cx, &unwinding.graph, |pool, loc| {
                    let here = states.get(&loc).into_iter().flatten().copied();
                    pool.or_all(here.collect::<Vec<_>>())
                }))
            }
            Ok(Found::Error(error, inputs)) => {
                let path: Vec<_> = unwinding.arg.path(error).into_iter().map(|id| unwinding.arg.node(id)).collect();
                let path: Vec<_> = path.into_iter().map(|node| (node.loc, node.step)).collect();
                Ok(Verdict::Unsafe(evidence::trace(&unwinding.graph, &path, &inputs)))
            }
            Err(Stop::Reason(Reason::NoProgress)) => Ok(Verdict::Unknown(Reason::NoProgress)),
            Err(stop) => Err(stop),
        }
    }
    fn keep(&mut self, pictures: Pictures) {
        self.pictures = pictures;
    }
    fn explored(&mut self, _: Option<&Unwinding>, _: &ExprPool) -> Vec<Iteration> {
        std::mem::take(&mut self.iterations)
    }
}

/// Returns the iteration since `begin`, for the report.
fn iteration(unwinding: &mut Unwinding, n_before: usize, begin: Instant) -> Iteration {
    let (concretisation, refinement) = unwinding.take_times();
    Iteration {
        number: n_before as u32 + 1,
        n_nodes: unwinding.arg.n_nodes(),
        n_counterexamples: 1,
        abstraction: begin.elapsed().saturating_sub(concretisation + refinement),
        concretisation,
        refinement,
        ..Iteration::default()
    }
}

/// Returns the unwinding with its labels.
fn picture(pool: &ExprPool, unwinding: &Unwinding, most: usize) -> Picture {
    unwinding.arg.picture(unwinding.graph.cfa.error, most, &|node| pool.show(node.state))
}
