//! Sensitivity: small changes of a program whose requirement holds, each with the answer after the change.
//!
//! A run of the changed program on the interpreter shows that a change is noticed; a certified proof shows that it has no effect.
//! Changes that a short search does not decide are open. No answer depends on this.

mod change;
mod runs;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use plc_frontend::Loaded;
use plc_frontend::interp::Limits;
use plc_frontend::source::Span;

pub use change::Change;

use super::{Request, Search, schedule};
use crate::certify::Certified;
use crate::replay::{Case, CycleInputs, Replayed};
use crate::replay::{at_calls, inputs};
use kernel::cfa::model::build;
use kernel::cfa::pass::dependencies;
use kernel::property::instrument::instrument;
use kernel::smt::Interrupt;
use kernel::verdict::Verdict;
use search::engine::portfolio::Judged;

/// Answer to a requirement after a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// It is violated in the last of so many cycles.
    Noticed {
        /// Their number.
        cycles: usize,
    },
    /// It still holds; proved.
    Unaffected,
    /// Not decided in the short time for it.
    Undecided,
}

/// The changes that were tried.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sensitivity {
    /// Number of all changes of statements that the requirement depends on.
    pub possible: usize,
    /// Tried changes, in the order of the text.
    pub tried: Vec<(Change, Fate)>,
}

/// Effort for a requirement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Effort {
    /// Most changes that are tried: evenly chosen where there are more.
    pub changes: usize,
    /// Longest search for each change that no simulated run notices.
    pub search: Duration,
    /// TRUE: a search for each change. FALSE: only until one is noticed, if simulated runs notice none.
    pub all: bool,
}

impl Effort {
    /// Effort for every requirement that holds: enough to see whether it notices any change.
    pub const ANY: Effort = Effort { changes: 20, search: Duration::from_millis(300), all: false };
    /// Effort on request.
    pub const ALL: Effort = Effort { changes: 40, search: Duration::from_secs(1), all: true };
}

/// Number of found runs that are kept, and tried on later changes.
const KEPT: usize = 12;
/// Time after which no further changes are tried unasked, once one is noticed.
const ENOUGH: Duration = Duration::from_millis(50);
/// Limit on a cycle of a changed program, as a multiple of the longest cycle without the change.
const LONGER: u64 = 20;

/// Tries changes of the program until `request.search.interrupt`.
///
/// `None`: the requirement cannot be asked about.
///
/// Cost:      for each change some interpreted cycles; if no run notices it, a model of the program and a search.
/// Soundness: no answer about the program itself follows from it.
pub fn sensitivity(request: &Request<'_>, effort: Effort) -> Option<Sensitivity> {
    let begun = Instant::now();
    let is_noticed = |fate: &Option<Fate>| matches!(fate, Some(Fate::Noticed { .. }));
    let ms = request.model.options.dt_max_ms.max(1);
    let instrumented = instrument(&request.loaded.project, request.model, request.claim, request.assumptions).ok()?;
    let cone = dependencies(&instrumented.pool, &instrumented.cfa).spans;
    let of_interest = |step: Span| {
        let (first, last) = (Span { end: step.start, ..step }, Span { start: step.end, end: step.end, ..step });
        cone.range(first..=last).any(|at| at.end <= step.end)
    };
    let all = change::changes(&request.loaded.project, &request.loaded.sources, &of_interest, ms);
    let possible = all.len();
    let n = possible.min(effort.changes);
    let chosen: BTreeSet<usize> = (0..n).map(|i| i * possible / n).collect();
    let mut runs: Vec<Vec<CycleInputs>> = Vec::new();
    let simulated = runs::simulated(request);
    let mut loaded = request.loaded.clone();
    let mut fates: Vec<Option<Fate>> = vec![None; possible];
    for at in chosen.into_iter().take_while(|_| !request.search.interrupt.is_raised()) {
        loaded.project = all[at].applied(&request.loaded.project, ms);
        fates[at] = Some(match noticed(request, &loaded, &simulated, &mut runs) {
            Some(cycles) => Fate::Noticed { cycles },
            None if effort.all => searched(request, effort.search, &loaded, &mut runs),
            None => Fate::Undecided,
        });
        if !effort.all && ENOUGH < begun.elapsed() && fates.iter().any(is_noticed) {
            break;
        }
    }
    if !effort.all && !fates.iter().any(is_noticed) {
        // From the end, where programs write their outputs.
        for at in (0..possible).rev().take_while(|_| !request.search.interrupt.is_raised()) {
            loaded.project = all[at].applied(&request.loaded.project, ms);
            fates[at] = Some(searched(request, effort.search, &loaded, &mut runs));
            if is_noticed(&fates[at]) {
                break;
            }
        }
    }
    let tried = all.into_iter().zip(fates).filter_map(|(change, fate)| Some((change, fate?))).collect();
    Some(Sensitivity { possible, tried })
}

/// Returns the number of cycles after which a known run violates the requirement in a changed program.
fn noticed(
    request: &Request<'_>,
    changed: &Loaded,
    simulated: &runs::Simulated,
    runs: &mut Vec<Vec<CycleInputs>>,
) -> Option<usize> {
    let case = Case { project: &changed.project, ..request.case(request.claim) };
    for (i, run) in runs.iter().enumerate() {
        if let Some(cycles) = violated(&case, run) {
            // Runs that notice many changes come first.
            let run = runs.remove(i);
            runs.insert(0, run);
            return Some(cycles);
        }
    }
    // A loop that no longer ends costs little.
    let steps = case.limits.steps.min(simulated.longest.saturating_mul(LONGER).max(1000));
    let case = Case { limits: Limits { steps, ..case.limits }, ..case };
    simulated.runs.iter().take_while(|_| !request.search.interrupt.is_raised()).find_map(|run| violated(&case, run))
}

/// Searches for the answer to the requirement in a changed program.
fn searched(request: &Request<'_>, time: Duration, changed: &Loaded, runs: &mut Vec<Vec<CycleInputs>>) -> Fate {
    let case = Case { project: &changed.project, ..request.case(request.claim) };
    let Ok(model) = build(&changed.project, &request.model.options) else { return Fate::Undecided };
    let interrupt = schedule::soon(request.search.interrupt, time);
    let search = Search { interrupt: &interrupt, events: &|_| {}, ..request.search.clone() };
    let Ok(instrumented) = instrument(&changed.project, &model, request.claim, request.assumptions) else {
        return Fate::Undecided;
    };
    let judge = |_: &'static str, verdict: Verdict, interrupt: &Interrupt| match verdict {
        Verdict::Unsafe(trace) => {
            let given = inputs(&changed.project, &model.leaves, model.dt, model.options.dt_min_ms, &trace);
            let given = at_calls(&case, (&model.leaves, &instrumented.at_calls), &trace, given);
            match violated(&case, &given) {
                Some(cycles) => Judged::Accepted((Fate::Noticed { cycles }, given)),
                None => Judged::Refused,
            }
        }
        // A violation may follow after a statement that is not modelled.
        Verdict::Safe(_) if !instrumented.gaps.is_empty() => Judged::Refused,
        Verdict::Safe(proof) => match Certified::proof(&instrumented.pool, &instrumented.cfa, proof, interrupt) {
            Ok(_) => Judged::Accepted((Fate::Unaffected, Vec::new())),
            Err(_) if interrupt.is_raised() => Judged::Stopped,
            Err(_) => Judged::Refused,
        },
        Verdict::Unknown(_) => Judged::Refused,
    };
    let ended = schedule::run(schedule::Strategy::Default, None, &search, (&instrumented.pool, &instrumented.cfa), &judge);
    let Ok((fate, run)) = ended.result else { return Fate::Undecided };
    if let Fate::Noticed { .. } = fate {
        runs.insert(0, run);
        runs.truncate(KEPT);
    }
    fate
}

/// Returns the number of the cycle in which the interpreter finds the violation.
fn violated(case: &Case<'_>, run: &[CycleInputs]) -> Option<usize> {
    match case.replay(run) {
        Replayed::Violated { cycle, .. } => Some(cycle + 1),
        Replayed::Held | Replayed::Ended { .. } | Replayed::Excluded { .. } | Replayed::Unfit(_) => None,
    }
}
