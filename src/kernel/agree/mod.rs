//! The two definitions of the semantics, side by side: a program runs cycle by cycle on the reference interpreter and on its
//! automaton, with the same inputs. After each cycle every variable must have the same value in both.
//!
//! [`inputs`] makes inputs with many extreme values, [`pair`] runs one cycle on both, [`compare`] some runs of a program. The
//! laws of `cfa` and `scanproof import --report --run` use the same comparison. Knows automata and the interpreter; no solver, no
//! requirement.

pub mod inputs;
pub mod pair;

#[cfg(test)]
mod tests;

use std::collections::BTreeSet;
use std::time::Duration;

use plc_frontend::hir::Project;
use plc_frontend::ledger::GapId;

use crate::cfa::{ModelError, ModelOptions, build};
use crate::thread_time::thread_time;
use inputs::{Numbers, inputs_of};
use pair::{Difference, End, Pair};

/// Length of a comparison.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// Cycles in all; a run that ends in a fault is followed by one from the start.
    pub cycles: u32,
    /// Seed of the inputs.
    pub seed: u64,
    /// Processor time of the thread, after which no further cycle starts.
    pub time: Duration,
}

/// Result of a comparison.
#[derive(Clone, Debug)]
pub enum Answer {
    /// All cycles were equal, and the model is exact in them.
    Equal(Counts),
    /// All cycles were equal; values that the model leaves open were those of the interpreter.
    EqualWithGaps(Counts),
    /// Every run ended, equal so far, at something that is not modelled, before enough cycles were complete.
    StopsAtGap(GapId, Counts),
    /// A difference: one of the two is wrong.
    Different(Box<Difference>),
    /// The automaton was not built.
    NotLowered(ModelError),
    /// Equal so far; the time was over, or one cycle is too long to be simulated.
    OutOfTime(Counts),
}

/// Extent of a comparison.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Complete cycles.
    pub cycles: u32,
    /// Cycles that ended in the same fault of an automatic check in both.
    pub faults: u32,
    /// Cycles that ended at the same unmodelled place in both.
    pub gaps: u32,
}

/// Consecutive runs that end at an unmodelled place in their first cycle; more of them show nothing new.
const ENOUGH: u32 = 100;

/// Compares a project without errors.
///
/// Cost:      `options.cycles` cycles in both, and one automaton.
/// Stops:     when the time is over, between two cycles.
/// Soundness: [`Answer::Equal`] is about the executed cycles only.
pub fn compare(project: &Project, options: &Options) -> Answer {
    let started = thread_time();
    let model = match build(project, &ModelOptions::default()) {
        Ok(model) => model,
        Err(problem) => return Answer::NotLowered(problem),
    };
    let mut numbers = Numbers(options.seed);
    let mut counts = Counts::default();
    let mut met = BTreeSet::new();
    let mut last_gap = None;
    let mut pair = Pair::new(project, &model);
    while counts.cycles + counts.faults < options.cycles && counts.gaps < ENOUGH {
        if options.time < thread_time().saturating_sub(started) {
            return Answer::OutOfTime(counts);
        }
        let given = inputs_of(project, &model, pair.n_cycles(), &mut numbers);
        let end = match pair.cycle(&given) {
            Ok(end) => end,
            Err(difference) => return Answer::Different(Box::new(difference)),
        };
        met.extend(pair.met().iter().copied());
        match end {
            End::Complete => {
                counts.cycles += 1;
                continue;
            }
            End::Fault(..) => counts.faults += 1,
            End::Gap(gap) => {
                counts.gaps += 1;
                last_gap = Some(gap);
            }
            End::Excluded => counts.gaps += 1,
            End::TooLong => return Answer::OutOfTime(counts),
        }
        pair.restart();
    }
    match last_gap {
        Some(gap) if counts.cycles + counts.faults < options.cycles => Answer::StopsAtGap(gap, counts),
        None if met.is_empty() => Answer::Equal(counts),
        Some(_) | None => Answer::EqualWithGaps(counts),
    }
}
