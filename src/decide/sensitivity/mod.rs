//! Would anybody notice? Small changes of a program for which a requirement holds: for each the question whether the
//! requirement would then be violated.
//!
//! A change that is noticed is shown by a run of the changed program on the interpreter; one that makes no difference by a proof
//! about it that is certified like any other. What a short search does not decide is said to be open. No answer changes by this.

mod change;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;
use std::time::Duration;

use plc_frontend::Loaded;
use plc_frontend::source::Span;

pub use change::Change;

use super::{Request, lanes};
use crate::cfa::model::build;
use crate::cfa::pass::influences;
use crate::engine::portfolio::Judged;
use crate::property::instrument::instrument;
use crate::verdict::lift::inputs;
use crate::verdict::replay::{Case, CycleInputs, Replayed};
use crate::verdict::{Certified, Verdict};

/// What becomes of a requirement with a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// It is violated in the last of so many cycles.
    Noticed {
        /// Their number.
        cycles: usize,
    },
    /// It holds all the same; proved.
    Unaffected,
    /// Not decided in the short time for it.
    Open,
}

/// The changes that were tried.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sensitivity {
    /// Changes that there are of statements that the requirement depends on.
    pub possible: usize,
    /// Those that were tried, in the order of the text.
    pub tried: Vec<(Change, Fate)>,
}

/// How much to try.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Effort {
    /// Most changes that are tried: evenly chosen where there are more.
    pub changes: usize,
    /// How long the search for each may take.
    pub each: Duration,
}

impl Default for Effort {
    fn default() -> Effort {
        Effort { changes: 40, each: Duration::from_secs(1) }
    }
}

/// Runs that noticed something are tried with the changes after it; so many are kept.
const KEPT: usize = 12;

/// Tries changes of the program until `request.interrupt`.
///
/// `None`: the requirement cannot be asked about.
///
/// Cost:      for each change a model of the program and a search, unless a run that is known already notices it.
/// Soundness: nothing follows from it for the program as it is.
pub fn sensitivity(request: &Request<'_>, effort: Effort) -> Option<Sensitivity> {
    let ms = request.model.options.dt_max_ms.max(1);
    let instrumented = instrument(&request.loaded.project, request.model, request.claim, request.assumptions).ok()?;
    let cone = influences(&instrumented.pool, &instrumented.cfa);
    let of_interest = |step: Span| {
        let (first, last) = (Span { end: step.start, ..step }, Span { start: step.end, end: step.end, ..step });
        cone.range(first..=last).any(|at| at.end <= step.end)
    };
    let all = change::changes(&request.loaded.project, &request.loaded.sources, &of_interest, ms);
    let possible = all.len();
    let n = possible.min(effort.changes);
    let chosen: BTreeSet<usize> = (0..n).map(|i| i * possible / n).collect();
    let mut runs: Vec<Vec<CycleInputs>> = Vec::new();
    let mut loaded = request.loaded.clone();
    let mut tried = Vec::new();
    for (_, change) in all.into_iter().enumerate().filter(|(i, _)| chosen.contains(i)) {
        if request.interrupt.is_raised() {
            break;
        }
        loaded.project = change.applied(&request.loaded.project, ms);
        let fate = fate(request, effort, &loaded, &mut runs);
        tried.push((change, fate));
    }
    Some(Sensitivity { possible, tried })
}

/// What becomes of the requirement in a changed program.
fn fate(request: &Request<'_>, effort: Effort, changed: &Loaded, runs: &mut Vec<Vec<CycleInputs>>) -> Fate {
    let case = Case { project: &changed.project, ..request.case(request.claim) };
    for (i, run) in runs.iter().enumerate() {
        if let Some(cycles) = violated(&case, run) {
            // What notices much comes first.
            let run = runs.remove(i);
            runs.insert(0, run);
            return Fate::Noticed { cycles };
        }
    }
    let Ok(model) = build(&changed.project, &request.model.options) else { return Fate::Open };
    let interrupt = lanes::soon(request.interrupt, effort.each);
    let request = Request { loaded: changed, model: &model, interrupt: &interrupt, shared: None, ..request.clone() };
    let Ok(instrumented) = instrument(&changed.project, &model, request.claim, request.assumptions) else { return Fate::Open };
    let judge = |_: &'static str, verdict: Verdict| match verdict {
        Verdict::Unsafe(trace) => {
            let given = inputs(&changed.project, &model.leaves, model.dt, model.options.dt_min_ms, &trace);
            match violated(&case, &given) {
                Some(cycles) => Judged::Accepted((Fate::Noticed { cycles }, given)),
                None => Judged::Refused,
            }
        }
        // Behind what is not modelled a violation may hide.
        Verdict::Safe(_) if !instrumented.gaps.is_empty() => Judged::Refused,
        Verdict::Safe(proof) => match Certified::proof(&instrumented.pool, &instrumented.cfa, proof, &interrupt) {
            Ok(_) => Judged::Accepted((Fate::Unaffected, Vec::new())),
            Err(_) => Judged::Refused,
        },
        Verdict::Unknown(_) => Judged::Refused,
    };
    let ended = lanes::run(lanes::Strategy::Default, &request, &instrumented.pool, &instrumented.cfa, &|_| {}, &judge);
    let Ok((fate, run)) = ended.result else { return Fate::Open };
    if let Fate::Noticed { .. } = fate {
        runs.insert(0, run);
        runs.truncate(KEPT);
    }
    fate
}

/// In the how-manieth cycle of a run the interpreter sees the violation.
fn violated(case: &Case<'_>, run: &[CycleInputs]) -> Option<usize> {
    match case.replay(run) {
        Replayed::Violated { cycle, .. } => Some(cycle + 1),
        Replayed::Held | Replayed::Ended { .. } | Replayed::Excluded { .. } | Replayed::Unfit(_) => None,
    }
}
