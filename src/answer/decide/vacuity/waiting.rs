//! Conditions that have to last: `for: 1h` is thousands of cycles without an event.
//!
//! Neither unrolling nor random runs get there cheaply. So the search is for a run without the waiting; then its last inputs are
//! repeated. The interpreter decides whether that is enough.

use std::time::{Duration, Instant};

use super::{Example, PATIENCE, Possible, search};
use crate::decide::Request;
use crate::replay::{Case, CycleInputs, Replayed};
use kernel::property::claim::Claim;
use kernel::property::formula::Formula;

/// Result of waiting.
pub(super) enum Waited {
    /// A run, confirmed.
    Shown(Example),
    /// No run was found, and other searches have little hope.
    InVain,
    /// No condition has to last, or not for long.
    Nothing,
}

/// Cycles from which on other searches have little hope.
const LONG: u64 = 100;
/// Cycles of the longest run that is tried.
const MOST_CYCLES: u64 = 2_000_000;
/// Longest time of the interpreter for a run.
const RUN: Duration = Duration::from_secs(5);

/// Searches for a run that comes to the condition and then waits.
///
/// Cost: a search for the condition alone, and one interpreted run.
pub(super) fn shown(request: &Request<'_>, witness: &Claim) -> Waited {
    let Claim::Temporal { when: Some(when), then } = witness else { return Waited::Nothing };
    let (at_once, wait_ms) = without_waiting(when);
    let dt_ms = u64::from(request.model.options.dt_max_ms.max(1));
    let n_cycles = wait_ms.div_ceil(dt_ms);
    if n_cycles < LONG {
        return Waited::Nothing;
    }
    let at_once = Claim::Temporal { when: Some(at_once), then: then.clone() };
    let example = match search(request, &at_once, PATIENCE) {
        Possible::Yes(Some(example)) => example,
        // If it is never true at all, the proof for the longer time is as easy.
        Possible::No => return Waited::Nothing,
        Possible::Yes(None) | Possible::Undecided => return Waited::InVain,
    };
    let dt_ns = i64::from(request.model.options.dt_max_ms) * 1_000_000;
    let longer = |n: u64| {
        let wait = CycleInputs { dt_ns, ..CycleInputs::default() };
        let waiting = std::iter::repeat_n(wait, n as usize);
        example.cycles.iter().cloned().chain(waiting).collect::<Vec<_>>()
    };
    let case = request.case(witness);
    if MOST_CYCLES < n_cycles || !is_affordable(&case, &longer(LONG), n_cycles) {
        return Waited::InVain;
    }
    // One more cycle, because operators measure from the end of a cycle.
    let mut cycles = longer(n_cycles + 2);
    match case.replay(&cycles) {
        Replayed::Violated { cycle, place } => {
            cycles.truncate(cycle + 1);
            Waited::Shown(Example { cycles, place })
        }
        Replayed::Held | Replayed::Ended { .. } | Replayed::Excluded { .. } | Replayed::Unfit(_) => Waited::InVain,
    }
}

/// Estimates from some cycles whether the interpreter runs all of them in its time.
fn is_affordable(case: &Case<'_>, some: &[CycleInputs], n_cycles: u64) -> bool {
    let begun = Instant::now();
    case.replay(some);
    let each = begun.elapsed() / some.len().max(1) as u32;
    each.saturating_mul(n_cycles.min(u64::from(u32::MAX)) as u32) <= RUN
}

/// Returns the condition without durations, and the longest duration; nested operators add up.
fn without_waiting(formula: &Formula) -> (Formula, u64) {
    let two = |a: &Formula, b: &Formula| {
        let ((a, ms_a), (b, ms_b)) = (without_waiting(a), without_waiting(b));
        (Box::new(a), Box::new(b), ms_a.max(ms_b))
    };
    let one = |a: &Formula| {
        let (a, ms) = without_waiting(a);
        (Box::new(a), ms)
    };
    match formula {
        Formula::Now(_) | Formula::Began(_) => (formula.clone(), 0),
        // A negated duration needs no waiting.
        Formula::Not(_) => (formula.clone(), 0),
        Formula::Previous(a) => {
            let (a, ms) = one(a);
            (Formula::Previous(a), ms)
        }
        Formula::Once(a) => {
            let (a, ms) = one(a);
            (Formula::Once(a), ms)
        }
        Formula::And(a, b) => {
            let (a, b, ms) = two(a, b);
            (Formula::And(a, b), ms)
        }
        Formula::Or(a, b) => {
            let (a, b, ms) = two(a, b);
            (Formula::Or(a, b), ms)
        }
        Formula::Since(a, b) => {
            let (a, b, ms) = two(a, b);
            (Formula::Since(a, b), ms)
        }
        Formula::Held(a, wait) => {
            let (a, ms) = without_waiting(a);
            (a, ms + u64::from(*wait))
        }
    }
}
