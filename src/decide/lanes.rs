//! Which engines run beside each other.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::Request;
use crate::cfa::Cfa;
use crate::cfa::pass::{Encoding, reduce};
use crate::engine::exchange::Board;
use crate::engine::portfolio::{Ended, Judge, MakeLane, Member, side_by_side};
use crate::engine::{ChooseSolvers, ENGINES, MakeSolver, Pictures, Progress, configure, encoding};
use crate::expr::ExprPool;
use crate::smt::{BitBlaster, Interrupt};

/// What to run, checked.
pub(super) struct Strategy {
    lanes: Vec<Vec<Choice>>,
}

/// An engine with its options.
struct Choice {
    name: &'static str,
    options: BTreeMap<String, String>,
}

/// The default: who hunts bugs, and who tries to prove, in the order of their turns.
///
/// Most properties of PLC programs are inductive with guessed invariants, so induction goes first; shortest counterexamples
/// read best, so bounded model checking goes before random runs, which find what lies thousands of cycles deep.
const DEFAULT: &[&[Turn]] = &[
    &[("bmc", &[]), ("random", &[])],
    &[
        ("k-induction", &[]),
        ("pdr", &[]),
        ("cegar", &[("domain", "EXPL"), ("maxenum", "50")]),
        ("cegar", &[("domain", "PRED_BOOL")]),
    ],
];

/// An engine and its options.
type Turn = (&'static str, &'static [(&'static str, &'static str)]);

/// What is chosen by name. The error is a sentence about it.
pub(super) fn strategy(engine: Option<&str>, options: &BTreeMap<String, String>) -> Result<Strategy, String> {
    match engine {
        None | Some("default") => match options.keys().next() {
            Some(option) => Err(format!("option `{option}`: the default strategy has no options; choose an engine")),
            None => Ok(default()),
        },
        Some(name) => {
            // Made once to hear what is wrong with it; the lane makes its own on its thread.
            let solvers: MakeSolver = Arc::new(|_, interrupt| Ok(Box::new(BitBlaster::new(interrupt))));
            configure(ENGINES, name, options, &solvers)?;
            let info = ENGINES.iter().find(|info| info.name == name);
            let choice = info.map(|info| Choice { name: info.name, options: options.clone() });
            Ok(Strategy { lanes: vec![choice.into_iter().collect()] })
        }
    }
}

/// The default strategy.
pub(super) fn default() -> Strategy {
    let choice = |(name, options): &Turn| Choice {
        name,
        options: options.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect(),
    };
    Strategy { lanes: DEFAULT.iter().map(|lane| lane.iter().map(choice).collect()).collect() }
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
    let lanes = strategy.lanes.into_iter().map(|choices| lane(choices, solvers, pictures, (pool, cfa))).collect();
    let board = Arc::new(Board::new(pool));
    side_by_side(interrupt, events, &board, lanes, judge)
}

fn lane<'a>(
    choices: Vec<Choice>,
    solvers: &'a ChooseSolvers,
    pictures: Pictures,
    (pool, cfa): (&'a ExprPool, &'a Cfa),
) -> MakeLane<'a> {
    Box::new(move || {
        let mut members = Vec::with_capacity(choices.len());
        for choice in &choices {
            let info = ENGINES.iter().find(|info| info.name == choice.name);
            let encoding = info.map_or(Ok(Encoding::Lbe), |info| encoding::wanted(info, &choice.options))?;
            let model = reduce(pool, cfa, encoding);
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
