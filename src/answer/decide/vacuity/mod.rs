//! Vacuity: requirements that hold only because their condition never becomes true, or because the assumptions allow no run.
//!
//! [`assumptions`] searches for any run, [`calls`] for calls of stubs that return, [`waiting`] for runs in which a condition has to
//! last for long.

pub(super) mod assumptions;
mod calls;
#[cfg(test)]
mod tests;
mod waiting;

use std::time::Duration;

use plc_frontend::hir::{Expr, ExprKind, Value};
use plc_frontend::source::Span;

use super::{Request, Search, schedule};
use crate::certify::Certified;
use crate::replay::{Case, CycleInputs, Replayed};
use crate::replay::{Effort, minimise};
use crate::replay::{at_calls, inputs};
use kernel::property::claim::Claim;
use kernel::property::formula::Formula;
use kernel::property::instrument::instrument;
use kernel::smt::Interrupt;
use kernel::verdict::Verdict;
use search::engine::portfolio::Judged;

/// Possibility of an event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Possible {
    /// It happened on the interpreter, or nothing forbids it. With the run, if the run shows something.
    Yes(Option<Example>),
    /// It was proved impossible.
    No,
    /// Not decided in the short time for it.
    Undecided,
}

/// A run that puts a requirement to the test in its last cycle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Example {
    /// Its inputs.
    pub cycles: Vec<CycleInputs>,
    /// The assertion that is reached, for a requirement that is one.
    pub place: Option<Span>,
}

/// Longest time for a question of vacuity.
const PATIENCE: Duration = Duration::from_secs(20);
/// The same, after a vain search for a run with a condition that has to last.
const LESS_PATIENCE: Duration = Duration::from_secs(3);
/// Effort for making an example short and calm.
const EFFORT: Effort = Effort { replays: 300, time: Duration::from_millis(200) };

/// Returns the claim whose violation is a run that puts the requirement to the test, and the clause for the lack of such a run.
pub(super) fn witness(request: &Request<'_>) -> (Claim, String) {
    let text = |e: &Expr| request.loaded.sources.text(e.span).trim().to_string();
    let no_run = || match request.loaded.project.assumes_of_calls() {
        true => "no cycle ever comes to its end: assumptions about stubs may exclude all values".to_owned(),
        false => "no cycle ever comes to its end".to_owned(),
    };
    match request.claim {
        Claim::Implication { when, then } => (
            Claim::Implication { when: when.clone(), then: falsity(then) },
            format!("`{}` can never be true at the end of a cycle", text(when)),
        ),
        Claim::DuringCycle { at_start, then } => (
            Claim::DuringCycle { at_start: at_start.clone(), then: falsity(then) },
            format!("`{}` can never be true at the beginning of a cycle", text(at_start)),
        ),
        Claim::BetweenCycles { after, when, then } => (
            Claim::BetweenCycles { after: after.clone(), when: when.clone(), then: falsity(then) },
            format!("`{}` can never be true in the cycle after `{}`", text(when), text(after)),
        ),
        Claim::Invariant(e) | Claim::Forbidden(e) => (Claim::Invariant(falsity(e)), no_run()),
        Claim::Temporal { when: Some(when), .. } => {
            let nothing = when.conditions().first().map(|e| Formula::Now(falsity(e)));
            let claim = nothing.map(|then| Claim::Temporal { when: Some(when.clone()), then });
            (claim.unwrap_or_else(|| request.claim.clone()), "what has to come before `then` can never be true".to_owned())
        }
        Claim::Temporal { when: None, then } => match then.conditions().first() {
            Some(e) => (Claim::Invariant(falsity(e)), no_run()),
            None => (request.claim.clone(), no_run()),
        },
        // A run has shown a possibility; an impossible goal has no run for a test.
        Claim::Reachable(_) | Claim::Repeatable(_) | Claim::Executed(_) => (request.claim.clone(), no_run()),
        Claim::Assert(ids) => (Claim::Unreached(ids.clone()), "no run ever comes to where the assertion stands".to_owned()),
        // Assumptions about calls can end each run within its first cycle.
        Claim::Unreached(_) | Claim::Never(_) if request.loaded.project.assumes_of_calls() => {
            let claim = request.assumptions.first().map(|like| Claim::Invariant(falsity(like)));
            (claim.unwrap_or_else(|| request.claim.clone()), no_run())
        }
        // Every run puts them to the test.
        Claim::Unreached(_) | Claim::Never(_) => (request.claim.clone(), no_run()),
    }
}

fn falsity(like: &Expr) -> Expr {
    Expr { kind: ExprKind::Literal(Value::Bool(false)), ..like.clone() }
}

/// Decides whether some run violates the witness, by a run on the interpreter or a certified proof.
pub(super) fn reachable(request: &Request<'_>, witness: &Claim) -> Possible {
    if witness == request.claim {
        // The requirement only says that an event never happens: there is nothing to test.
        return Possible::Yes(None);
    }
    if !has_condition(request.claim) && has_a_cycle(request, witness) {
        return Possible::Yes(None);
    }
    match waiting::shown(request, witness) {
        waiting::Waited::Shown(example) => Possible::Yes(Some(example)),
        waiting::Waited::Nothing => search(request, witness, PATIENCE),
        waiting::Waited::InVain => search(request, witness, LESS_PATIENCE),
    }
}

/// Returns whether the first cycle with the initial values of all inputs violates the witness on the interpreter.
///
/// Most programs end their first cycle, so that no engine has to search for a cycle.
fn has_a_cycle(request: &Request<'_>, witness: &Claim) -> bool {
    let dt_ns = i64::from(request.model.options.dt_max_ms) * 1_000_000;
    let first = CycleInputs { dt_ns, ..CycleInputs::default() };
    matches!(request.case(witness).replay(&[first]), Replayed::Violated { .. })
}

/// Searches for a run, and for a proof that there is none.
fn search(request: &Request<'_>, witness: &Claim, patience: Duration) -> Possible {
    let Ok(instrumented) = instrument(&request.loaded.project, request.model, witness, request.assumptions) else {
        return Possible::Undecided;
    };
    let interrupt = schedule::soon(request.search.interrupt, patience);
    let short = Search { interrupt: &interrupt, events: &|_| {}, ..request.search.clone() };
    let case = request.case(witness);
    let judge = |_: &'static str, verdict: Verdict, interrupt: &Interrupt| match verdict {
        Verdict::Unsafe(trace) => {
            let model = request.model;
            let given = inputs(&request.loaded.project, &model.leaves, model.dt, model.options.dt_min_ms, &trace);
            let given = at_calls(&case, (&model.leaves, &instrumented.at_calls), &trace, given);
            match example(&case, given) {
                Some(example) => Judged::Accepted(Possible::Yes(Some(example).filter(|_| has_condition(request.claim)))),
                None => Judged::Refused,
            }
        }
        Verdict::Safe(proof) => match Certified::proof(&instrumented.pool, &instrumented.cfa, proof, interrupt) {
            Ok(_) => Judged::Accepted(Possible::No),
            Err(_) if interrupt.is_raised() => Judged::Stopped,
            Err(_) => Judged::Refused,
        },
        Verdict::Unknown(_) => Judged::Refused,
    };
    let ended = schedule::run(schedule::Strategy::Default, None, &short, (&instrumented.pool, &instrumented.cfa), &judge);
    ended.result.unwrap_or(Possible::Undecided)
}

/// Returns the run as the interpreter confirms it, short and calm.
fn example(case: &Case<'_>, given: Vec<CycleInputs>) -> Option<Example> {
    let calm = minimise(case, &given, EFFORT).unwrap_or(given);
    match case.replay(&calm) {
        Replayed::Violated { cycle, place } => Some(Example { cycles: calm.into_iter().take(cycle + 1).collect(), place }),
        Replayed::Held | Replayed::Ended { .. } | Replayed::Excluded { .. } | Replayed::Unfit(_) => None,
    }
}

/// Returns whether a requirement has a condition. Without one, every cycle of every run is an example.
fn has_condition(claim: &Claim) -> bool {
    let two_sided = matches!(claim, Claim::Implication { .. } | Claim::DuringCycle { .. } | Claim::BetweenCycles { .. });
    two_sided || matches!(claim, Claim::Temporal { when: Some(_), .. } | Claim::Assert(_))
}
