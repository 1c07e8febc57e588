//! Decides a published model: engines side by side, certification.

use std::sync::atomic::{AtomicBool, Ordering};

use super::mistakes::{Mistakes, Says};
use super::{Decision, Search, answered, reasons, schedule, searched};
use crate::certificate::{ModelRun, StoredEvidence};
use crate::certify::{Certified, Evidence};
use kernel::smt::Interrupt;
use kernel::theta::Model;
use kernel::theta::replay::NoRun;
use kernel::verdict::Verdict;
use search::engine::portfolio::Judged;

/// Decides whether a model reaches its error location. The error is a sentence about the choice of engine or options.
///
/// Cost:      until `search.interrupt`.
/// Soundness: `holds` and `violated` are certified; where engines contradict each other the answer is `error`.
pub fn decide(model: &Model, search: &Search<'_>) -> Result<Decision, String> {
    let strategy = schedule::chosen(search)?;
    let Model { pool, cfa, .. } = model;
    let mistakes = Mistakes::default();
    let (open, vague) = (AtomicBool::new(false), AtomicBool::new(false));
    let judge = |engine: &'static str, verdict: Verdict, interrupt: &Interrupt| match verdict {
        Verdict::Safe(proof) => mistakes.proof(engine, (pool, cfa), proof, interrupt),
        Verdict::Unsafe(trace) => match Certified::reached(model, &trace) {
            Ok(certified) => Judged::Accepted((engine, certified)),
            // A value that the model leaves open: the solver's choice for it shows nothing.
            Err(NoRun::Open) => {
                open.store(true, Ordering::Relaxed);
                Judged::Refused
            }
            // The hints do not tell every choice in a loop inside of a loop.
            Err(NoRun::TooLong | NoRun::Vague) => {
                vague.store(true, Ordering::Relaxed);
                Judged::Refused
            }
            Err(NoRun::NotFound) => mistakes.add(engine, Says::Unsafe, "its violation is not found in the model".to_owned()),
        },
        Verdict::Unknown(_) => Judged::Refused,
    };
    let (ended, rounds) = searched(search, |search| schedule::run(strategy, None, search, (pool, cfa), &judge));
    let closed = mistakes.close(ended.result.as_ref().ok().map(|(_, certified)| certified));
    let mut decision = answered(ended, closed, |reason| {
        let mut text = reasons::reason(reason, search);
        if open.into_inner() {
            text = "the violation that was found needs a value that the model leaves open: an integer divided by zero, \
                    one of more than 128 bits, or a float that no bit vector holds"
                .to_owned();
        }
        if vague.into_inner() {
            text.push_str("; a violation was found and could not be confirmed: what a loop inside of a loop chose is not known");
        }
        match rounds {
            None => {}
            Some(1) => text.push_str("; no violation in the first round of its outermost loop"),
            Some(n) => text.push_str(&format!("; no violation in the first {n} rounds of its outermost loop")),
        }
        (reasons::without_answer(reason), text)
    });
    decision.stored = decision.certified.as_ref().and_then(|certified| match certified.evidence() {
        Evidence::Reached(run) => ModelRun::of(&model.process, run).map(StoredEvidence::ModelRun),
        Evidence::Holds { .. } | Evidence::Violated { .. } => StoredEvidence::of(certified, pool, cfa),
    });
    Ok(decision)
}
