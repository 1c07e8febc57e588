//! Which engines run beside each other, and why.
//!
//! One lane hunts bugs, one proves; two lanes, for the machine has two cores as often as not. Shortest counterexamples read
//! best, so bounded model checking goes before random runs, which find what lies thousands of cycles deep. Among proofs
//! k-induction with guessed invariants reads best (`Count <= 30000`), and PDR decides most. Wall-clock seconds of all
//! requirements of a program, 2 cores shared with other work, limit 8 s; (n) of so many were decided:
//!
//! | program | bits of state | pdr | k-induction | the default, PDR second, turns of 0.5 s |
//! |---|---|---|---|---|
//! | burner/purge | small | 1.3 | 1.1 | 1.9 |
//! | objects/pumps | small | 0.2 | 0.4 | 0.8 |
//! | recipe/select | small | 0.4 | 1.0 | 1.2 |
//! | big/strokes | small | 1.4 | 1.1 | 1.4 |
//! | big/line | middle | 1.9 | 2.4 | 3.3 |
//! | big/protection | middle | 0.6 | 7.8 (0 of 3) | 2.8 |
//! | big/drives | 1,000 | 5.8 | 7.7 (0 of 2) | 8.4 (1 of 2) |
//!
//! On the other sample families the two differ by less than 0.2 s. So: induction first and for a short turn only, PDR next;
//! the other way round where the state is large.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::Request;
use crate::cfa::Cfa;
use crate::cfa::pass::{Encoding, Reduced, reduce};
use crate::engine::exchange::Board;
use crate::engine::features::Features;
use crate::engine::portfolio::{Ended, Judge, Lane, MakeMember, Member, side_by_side};
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

/// A default: what the model must be like for it. The first row that fits counts.
struct Row {
    fits: fn(&Features) -> bool,
    /// Who answers most questions alone.
    first: &'static [Turn],
    /// Who starts beside them after the [`head_start`].
    second: &'static [Turn],
}

/// How long one thread is alone. Most questions are decided by then, and a second thread would only take the processor from
/// them; what is large takes longer in any case.
fn head_start(features: &Features) -> Duration {
    let bits = u32::try_from(features.bools + features.bits).unwrap_or(u32::MAX);
    Duration::from_millis(40) + Duration::from_micros(100) * bits.min(5_000)
}

const SHALLOW: Turn = ("bmc", &[("k", "8"), ("forward", "off")]);
const HUNT: &[Turn] = &[("bmc", &[("forward", "off")]), ("random", &[])];
const INDUCTION: Turn = ("k-induction", &[]);
const BITS: Turn = ("pdr", &[]);
const EXPLICIT: Turn = ("cegar", &[("domain", "EXPL"), ("maxenum", "50")]);
const PREDICATES: Turn = ("cegar", &[("domain", "PRED_BOOL")]);

/// Bits of state from which on guessing invariants is left for later.
const LARGE: usize = 300;

const SCHEDULE: &[Row] = &[
    // Engines that work on bits have nothing to say here, and each question is dear.
    Row { fits: |f| f.beyond_bits, first: &[INDUCTION, EXPLICIT, PREDICATES], second: &[("bmc", &[("forward", "off")])] },
    // With loops inside the cycle k-induction is left with k = 0: then the invariants have to be found.
    Row { fits: |f| 0 < f.loops, first: &[SHALLOW, BITS, INDUCTION, EXPLICIT, PREDICATES], second: HUNT },
    // Products of variables as gates: predicates over words are the better language, and come sooner.
    Row { fits: |f| 0 < f.nonlinear, first: &[SHALLOW, INDUCTION, EXPLICIT, PREDICATES, BITS], second: HUNT },
    // Guessing takes long here, and PDR looks only at what the property needs.
    Row { fits: |f| LARGE < f.bools + f.bits, first: &[SHALLOW, BITS, INDUCTION, EXPLICIT, PREDICATES], second: HUNT },
    // Where induction is quick its invariants read best.
    Row { fits: |_| true, first: &[SHALLOW, INDUCTION, BITS, EXPLICIT, PREDICATES], second: HUNT },
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

/// The default lanes for a model, with when they start.
fn schedule(features: &Features) -> Vec<(Duration, Vec<Choice>)> {
    let choice = |(name, options): &Turn| Choice {
        name,
        options: options.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect(),
    };
    let row = SCHEDULE.iter().find(|row| (row.fits)(features));
    let lanes = row.map(|row| [(Duration::ZERO, row.first), (head_start(features), row.second)]);
    lanes.into_iter().flatten().map(|(after, turns)| (after, turns.iter().map(choice).collect())).collect()
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
        Strategy::Chosen(choice) => vec![(Duration::ZERO, vec![choice])],
    };
    let unreduced = Unreduced { pool, cfa, shared: &shared };
    let make = |choice| member(choice, solvers, pictures, unreduced);
    let lanes =
        choices.into_iter().map(|(after, choices)| Lane { after, members: choices.into_iter().map(make).collect() }).collect();
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

fn member<'a>(choice: Choice, solvers: &'a ChooseSolvers, pictures: Pictures, model: Unreduced<'a>) -> MakeMember<'a> {
    Box::new(move || {
        let info = ENGINES.iter().find(|info| info.name == choice.name);
        let model = match info.map_or(Ok(Encoding::Lbe), |info| encoding::wanted(info, &choice.options))? {
            Encoding::Lbe => model.shared.clone(),
            other @ (Encoding::Sbe | Encoding::Abe(_)) => reduce(model.pool, model.cfa, other),
        };
        let mut engine = configure(ENGINES, choice.name, &choice.options, &solvers(&model.pool, &model.cfa))?;
        engine.keep(pictures);
        Ok(Member { name: choice.name, engine, model, pictures })
    })
}

/// The request's interrupt with a deadline at most this far away.
pub(super) fn soon(interrupt: &Interrupt, time: Duration) -> Interrupt {
    let end = Instant::now() + time;
    Interrupt { deadline: Some(interrupt.deadline.map_or(end, |deadline| deadline.min(end))), cancel: interrupt.cancel.clone() }
}
