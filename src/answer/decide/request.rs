//! Request for a decision: the question, and the search for its answer.

use std::collections::BTreeMap;

use plc_frontend::Loaded;
use plc_frontend::hir::Expr;
use plc_frontend::interp::Limits;

use super::shared::{Attempt, Shared};
use crate::certificate::StoredEvidence;
use crate::replay::Case;
use kernel::cfa::model::Model;
use kernel::context::{ChooseSolvers, Progress};
use kernel::property::claim::Claim;
use kernel::smt::Interrupt;
use search::engine::Pictures;

/// One requirement of one program.
#[derive(Clone)]
pub struct Request<'a> {
    /// The program, with its gaps.
    pub loaded: &'a Loaded,
    /// Its model.
    pub model: &'a Model,
    /// The claim.
    pub claim: &'a Claim,
    /// Assumptions at the beginning of every cycle.
    pub assumptions: &'a [Expr],
    /// The search for an answer.
    pub search: Search<'a>,
    /// Evidence for the answer to the same question about an earlier version of the program; tried first.
    pub earlier: Option<&'a StoredEvidence>,
    /// Findings about other requirements of the run, and the number of the attempt.
    pub shared: Option<(&'a Shared, Attempt)>,
}

impl<'a> Request<'a> {
    /// Returns the case that replays a claim about this program.
    pub(super) fn case(&self, claim: &'a Claim) -> Case<'a> {
        let limits = Limits { loop_rounds: self.model.options.loop_rounds, ..Limits::default() };
        Case { project: &self.loaded.project, limits, assumptions: self.assumptions, claim }
    }
    /// Returns the least and the greatest time between cycles, in nanoseconds.
    pub(super) fn dt_ns(&self) -> (i64, i64) {
        let options = &self.model.options;
        (i64::from(options.dt_min_ms) * 1_000_000, i64::from(options.dt_max_ms) * 1_000_000)
    }
}

/// Search for an answer: engines, limits, listeners.
#[derive(Clone)]
pub struct Search<'a> {
    /// `default` or absent: the portfolio; else a name of [`search::engine::ENGINES`].
    pub engine: Option<&'a str>,
    /// The engine's options.
    pub options: &'a BTreeMap<String, String>,
    /// End of the search.
    pub interrupt: &'a Interrupt,
    /// Time limit, as a reason tells it.
    pub limit: Option<TimeLimit>,
    /// Listener to progress.
    pub events: &'a (dyn Fn(Progress) + Sync),
    /// Source of solvers.
    pub solvers: &'a ChooseSolvers,
    /// Graphs of abstract states that are kept for people.
    pub pictures: Pictures,
    /// Earlier evidence has all of the time: it is that of an answer to this very question.
    pub is_patient: bool,
    /// Nothing is searched: the earlier evidence shows the answer, or there is none.
    pub is_confirmation: bool,
    /// The answer is a claim for another machine, which puts it to the test.
    pub is_claim: bool,
    /// Part of a run that several machines search: the engines begin at its [`super::part::place`].
    pub part: u32,
}

static NO_OPTIONS: BTreeMap<String, String> = BTreeMap::new();

impl<'a> Search<'a> {
    /// Returns the search by the default strategy.
    pub fn new(interrupt: &'a Interrupt, solvers: &'a ChooseSolvers) -> Search<'a> {
        let (events, pictures) = (&|_: Progress| {}, Pictures::Last);
        Search {
            engine: None,
            options: &NO_OPTIONS,
            interrupt,
            limit: None,
            events,
            solvers,
            pictures,
            is_patient: false,
            is_confirmation: false,
            is_claim: false,
            part: 0,
        }
    }
}

/// Time limit of a run, and the share of it for one requirement, in seconds.
#[derive(Clone, Copy, Debug)]
pub struct TimeLimit {
    /// The limit of the run.
    pub whole_s: f64,
    /// Share of the requirement.
    pub share_s: f64,
    /// An attempt before has used up a share.
    pub is_again: bool,
}
