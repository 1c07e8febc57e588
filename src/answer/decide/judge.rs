//! Certifies the answers of engines about a program. No answer is believed.

use std::collections::BTreeSet;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use plc_frontend::hir::FaultKind;
use plc_frontend::interp::FaultEnd;
use plc_frontend::ledger::GapId;

use super::Request;
use super::mistakes::{Mistakes, Says};
use crate::certify::Certified;
use crate::replay::NanBits;
use crate::replay::{Case, CycleInputs, Replayed};
use crate::replay::{Effort, at_calls, inputs, minimise};
use kernel::cfa::Cfa;
use kernel::cfa::pass::{Encoding, reduce};
use kernel::property::instrument::Instrumented;
use kernel::smt::Interrupt;
use kernel::verdict::{Reason, Trace, Verdict};
use search::engine::portfolio::Judged;

/// A certified answer with the name of its engine.
pub(super) type Answer = (&'static str, Certified);

/// Judge of the answers about one CFA.
pub(super) struct Judge<'a> {
    request: &'a Request<'a>,
    instrumented: &'a Instrumented,
    cfa: &'a Cfa,
    case: Case<'a>,
    pub(super) mistakes: Mistakes,
    gap: AtomicBool,
    /// TRUE if a violation was behind more open calls than a run may have.
    too_deep: AtomicBool,
    /// Places where an unconfirmed violation turned NaN into bits.
    nan_bits: Mutex<NanBits>,
}

impl<'a> Judge<'a> {
    pub(super) fn new(request: &'a Request<'a>, instrumented: &'a Instrumented, cfa: &'a Cfa, case: Case<'a>) -> Judge<'a> {
        Judge {
            request,
            instrumented,
            cfa,
            case,
            mistakes: Mistakes::default(),
            gap: AtomicBool::new(false),
            too_deep: AtomicBool::new(false),
            nan_bits: Mutex::default(),
        }
    }

    /// Certifies an answer; otherwise returns the consequence for the run.
    pub(super) fn judge(&self, engine: &'static str, verdict: Verdict, interrupt: &Interrupt) -> Judged<Answer> {
        match verdict {
            Verdict::Safe(proof) => self.mistakes.proof(engine, (&self.instrumented.pool, self.cfa), proof, interrupt),
            Verdict::Unsafe(trace) => self.trace(engine, &trace),
            Verdict::Unknown(_) => Judged::Refused,
        }
    }

    fn trace(&self, engine: &'static str, trace: &Trace) -> Judged<Answer> {
        let (project, model) = (&self.request.loaded.project, self.request.model);
        let cycles = inputs(project, &model.leaves, model.dt, model.options.dt_min_ms, trace);
        let cycles = at_calls(&self.case, (&model.leaves, &self.instrumented.at_calls), trace, cycles);
        let found = self.case.replay(&cycles);
        let gap = match &found {
            Replayed::Violated { .. } => {
                let calm = minimise(&self.case, &cycles, Effort::default()).unwrap_or(cycles);
                return match Certified::violation(&self.case, calm) {
                    Ok(certified) => Judged::Accepted((engine, certified)),
                    Err(other) => {
                        self.mistakes.add(engine, Says::Unsafe, format!("its violation replays differently: {other:?}"))
                    }
                };
            }
            Replayed::Ended { fault, .. } => match fault.kind {
                // A call in some rounds of a loop, or in a recursion, may have got the value of another one.
                FaultEnd::Excluded => None,
                FaultEnd::Unsupported(gap) => Some(gap),
                // The interpreter's own limit shows nothing about the program.
                FaultEnd::Exhausted => return Judged::Refused,
                // An automaton that keeps recursive calls has runs with any number of them.
                FaultEnd::Check(FaultKind::CallDepth) if self.cfa.recursion.is_some() => {
                    self.too_deep.store(true, Ordering::Relaxed);
                    return Judged::Refused;
                }
                FaultEnd::Check(_) => None,
            },
            Replayed::Held | Replayed::Excluded { .. } | Replayed::Unfit(_) => None,
        };
        let inexact: BTreeSet<GapId> = gap.into_iter().chain(self.over_approximated()).collect();
        if inexact.is_empty() {
            let met = if self.instrumented.float_bits.is_empty() { NanBits::default() } else { self.case.nan_bits(&cycles) };
            if !met.is_empty()
                && let Ok(mut nan_bits) = self.nan_bits.lock()
            {
                *nan_bits = met;
                return Judged::Hopeless(Reason::OverApproximation("the bits of NaN".to_owned()));
            }
            return self.mistakes.add(
                engine,
                Says::Unsafe,
                format!("its violation is not confirmed: {found:?} for {}", show(&cycles)),
            );
        }
        if gap.is_some_and(|gap| self.instrumented.gaps.iter().any(|(of, _)| *of == gap)) {
            self.gap.store(true, Ordering::Relaxed);
        }
        let words: BTreeSet<String> = inexact.iter().filter_map(|gap| self.words(*gap)).collect();
        Judged::Hopeless(Reason::OverApproximation(words.into_iter().collect::<Vec<_>>().join(", ")))
    }

    /// Returns the name of a gap, with its line.
    fn words(&self, gap: GapId) -> Option<String> {
        let gap = self.request.loaded.ledger.gaps.get(gap.0 as usize)?;
        Some(format!("{} on {}", gap.construct, self.request.loaded.sources.line_words(gap.span)))
    }

    /// Returns the gaps whose arbitrary values can influence the answer.
    fn over_approximated(&self) -> Vec<GapId> {
        if self.instrumented.arbitrary.is_empty() {
            return Vec::new();
        }
        let reduced = reduce(&self.instrumented.pool, self.cfa, Encoding::Sbe);
        let relevant: BTreeSet<_> = reduced.cfa.vars.iter().collect();
        self.instrumented.arbitrary.iter().filter(|(_, var)| relevant.contains(var)).map(|(gap, _)| *gap).collect()
    }

    /// Returns whether a counterexample ended at a statement without a model.
    pub(super) fn reached_a_gap(&self) -> bool {
        self.gap.load(Ordering::Relaxed)
    }

    /// Returns whether a violation was behind more open calls than a run may have.
    pub(super) fn went_too_deep(&self) -> bool {
        self.too_deep.load(Ordering::Relaxed)
    }

    /// Returns the places at which an unconfirmed violation turned NaN into bits.
    pub(super) fn nan_bits(&self) -> NanBits {
        self.nan_bits.lock().map(|met| met.clone()).unwrap_or_default()
    }
}

pub(super) fn show(cycles: &[CycleInputs]) -> String {
    let cycle = |(i, cycle): (usize, &CycleInputs)| {
        let inputs: Vec<String> = cycle.inputs.iter().map(|(name, value)| format!("{name} := {value:?}")).collect();
        format!("cycle {}: {} after {} ns", i + 1, inputs.join(", "), cycle.dt_ns)
    };
    cycles.iter().enumerate().map(cycle).collect::<Vec<_>>().join("; ")
}
