//! Which engines run beside each other.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::Request;
use crate::cfa::Cfa;
use crate::cfa::pass::{Encoding, Reduced, reduce};
use crate::engine::exchange::Board;
use crate::engine::features::Features;
use crate::engine::portfolio::{Ended, Judge, MakeLane, Member, side_by_side};
use crate::engine::{ChooseSolvers, ENGINES, MakeSolver, Pictures, Progress, configure, encoding};
use crate::expr::ExprPool;
use crate::smt::{BitBlaster, Interrupt};

/// What to run, checked.
pub(super) enum Strategy {
    /// As the model's features say.
    Default,
    /// One engine.
    Chosen(Choice),
}

/// An engine with its options.
pub(super) struct Choice {
    name: &'static str,
    options: BTreeMap<String, String>,
}

/// A default: what the model must be like for it, and why these engines in this order. The first row that fits counts.
///
/// One lane hunts bugs, one proves. Shortest counterexamples read best, so bounded model checking goes before random runs,
/// which find what lies thousands of cycles deep. Most properties of PLC programs are inductive with guessed invariants, so
/// induction goes first among the proofs; what it cannot do PDR mostly can (see the table in `docs`).
struct Row {
    fits: fn(&Features) -> bool,
    lanes: &'static [&'static [Turn]],
}

const HUNT: &[Turn] = &[("bmc", &[]), ("random", &[])];
const EXPLICIT: Turn = ("cegar", &[("domain", "EXPL"), ("maxenum", "50")]);
const PREDICATES: Turn = ("cegar", &[("domain", "PRED_BOOL")]);

const SCHEDULE: &[Row] = &[
    // Engines that work on bits have nothing to say here, and each question is dear.
    Row { fits: |f| f.beyond_bits, lanes: &[&[("bmc", &[])], &[("k-induction", &[]), EXPLICIT, PREDICATES]] },
    // With loops inside the cycle k-induction is left with k = 0: then the invariants have to be found.
    Row { fits: |f| 0 < f.loops, lanes: &[HUNT, &[("pdr", &[]), ("k-induction", &[]), EXPLICIT, PREDICATES]] },
    // Products of variables as gates: predicates over words are the better language, and come sooner.
    Row { fits: |f| 0 < f.nonlinear, lanes: &[HUNT, &[("k-induction", &[]), EXPLICIT, PREDICATES, ("pdr", &[])]] },
    Row { fits: |_| true, lanes: &[HUNT, &[("k-induction", &[]), ("pdr", &[]), EXPLICIT, PREDICATES]] },
];

/// An engine and its options.
type Turn = (&'static str, &'static [(&'static str, &'static str)]);

/// What is chosen by name. The error is a sentence about it.
pub(super) fn strategy(engine: Option<&str>, options: &BTreeMap<String, String>) -> Result<Strategy, String> {
    match engine {
        None | Some("default") => match options.keys().next() {
            Some(option) => Err(format!("option `{option}`: the default strategy has no options; choose an engine")),
            None => Ok(Strategy::Default),
        },
        Some(name) => {
            // Made once to hear what is wrong with it; the lane makes its own on its thread.
            let solvers: MakeSolver = Arc::new(|_, interrupt| Ok(Box::new(BitBlaster::new(interrupt))));
            configure(ENGINES, name, options, &solvers)?;
            let info = ENGINES.iter().find(|info| info.name == name);
            let chosen = info.map(|info| Strategy::Chosen(Choice { name: info.name, options: options.clone() }));
            chosen.ok_or_else(|| format!("there is no engine `{name}`"))
        }
    }
}

/// The default lanes for a model.
fn schedule(features: &Features) -> Vec<Vec<Choice>> {
    let choice = |(name, options): &Turn| Choice {
        name,
        options: options.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect(),
    };
    let row = SCHEDULE.iter().find(|row| (row.fits)(features));
    row.map(|row| row.lanes.iter().map(|lane| lane.iter().map(choice).collect()).collect()).unwrap_or_default()
}

/// Runs a strategy on the reductions of `cfa`.
pub(super) fn run<T: Send>(
    strategy: Strategy,
    request: &Request<'_>,
    pool: &ExprPool,
    cfa: &Cfa,
    events: &(dyn Fn(Progress) + Sync),
    judge: Judge<'_, T>,
) -> Ended<T> {
    run_on(strategy, request.solvers, request.interrupt, request.pictures, (pool, cfa), events, judge)
}

/// The same for an automaton without a program.
pub(super) fn run_on<T: Send>(
    strategy: Strategy,
    solvers: &ChooseSolvers,
    interrupt: &Interrupt,
    pictures: Pictures,
    (pool, cfa): (&ExprPool, &Cfa),
    events: &(dyn Fn(Progress) + Sync),
    judge: Judge<'_, T>,
) -> Ended<T> {
    // Reduced once for all that want it so: on large programs this takes as long as many an answer.
    let shared = reduce(pool, cfa, Encoding::Lbe);
    let choices = match strategy {
        Strategy::Default => schedule(&Features::of(&shared)),
        Strategy::Chosen(choice) => vec![vec![choice]],
    };
    let unreduced = Unreduced { pool, cfa, shared: &shared };
    let lanes = choices.into_iter().map(|choices| lane(choices, solvers, pictures, unreduced)).collect();
    let board = Arc::new(Board::new(pool));
    side_by_side(interrupt, events, &board, lanes, judge)
}

/// A model, and its reduction that most engines want.
#[derive(Clone, Copy)]
struct Unreduced<'a> {
    pool: &'a ExprPool,
    cfa: &'a Cfa,
    shared: &'a Reduced,
}

fn lane<'a>(choices: Vec<Choice>, solvers: &'a ChooseSolvers, pictures: Pictures, model: Unreduced<'a>) -> MakeLane<'a> {
    Box::new(move || {
        let mut members = Vec::with_capacity(choices.len());
        for choice in &choices {
            let info = ENGINES.iter().find(|info| info.name == choice.name);
            let model = match info.map_or(Ok(Encoding::Lbe), |info| encoding::wanted(info, &choice.options))? {
                Encoding::Lbe => model.shared.clone(),
                other @ (Encoding::Sbe | Encoding::Abe(_)) => reduce(model.pool, model.cfa, other),
            };
            let mut engine = configure(ENGINES, choice.name, &choice.options, &solvers(&model.pool, &model.cfa))?;
            engine.keep(pictures);
            members.push(Member { name: choice.name, engine, model, pictures });
        }
        Ok(members)
    })
}

/// The request's interrupt with a deadline at most this far away.
pub(super) fn soon(interrupt: &Interrupt, time: Duration) -> Interrupt {
    let end = Instant::now() + time;
    Interrupt { deadline: Some(interrupt.deadline.map_or(end, |deadline| deadline.min(end))), cancel: interrupt.cancel.clone() }
}
