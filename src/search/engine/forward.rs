//! The forward condition: runs from the start come to an end, so that no violation is left behind the steps that were searched.
//!
//! The plain condition is that no run completes the steps so far: all loops are unrolled. Runs of a program with a scan cycle
//! never end, so it decides only published models that end and requirements whose assumptions end every run. Two conditions hold
//! for programs too: no run completes the steps so far without a repeated state, and no step leads to a state that was not seen.
//!
//! Sources: Beyer, Dangl, Wendler, JAR 2018 (papers/unifying-smt-verification, §4.1 and Algorithm 3, lines 12–14): the plain
//! condition. Sheeran, Singh, Stålmarck, FMCAD 2000, doi:10.1007/3-540-40922-X_8 (Algorithm 1): paths without repetition.

use super::kinduction::{Distinct, deciding};
use super::unroll::{Answer, Unrolling};
use kernel::cfa::pass::System;
use kernel::context::{Ctx, Stop};
use kernel::expr::{ExprId, ExprPool, VarId};
use kernel::smt::Frame;
use kernel::verdict::{Argument, Paths};

/// Form of the forward condition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ForwardChoice {
    /// States first. If there are too many, the others, paths without repetition while they are short.
    Both,
    /// No run completes the steps so far.
    End,
    /// Nor without a repeated state.
    Simple,
    /// No step leads to a state that was not seen.
    States,
    Off,
}

/// All forms with their words.
pub(super) const FORWARD: [(&str, ForwardChoice); 5] = [
    ("on", ForwardChoice::Both),
    ("end", ForwardChoice::End),
    ("simple", ForwardChoice::Simple),
    ("states", ForwardChoice::States),
    ("off", ForwardChoice::Off),
];

/// Largest number of states that are listed; with more the invariant would be too long to be useful.
const MOST_STATES: usize = 256;
/// Most steps for which [`ForwardChoice::Both`] asks about paths without repetition: the question grows with their square.
const MOST_STEPS: Frame = 16;

/// Forward condition of an unrolling from the start.
pub(super) struct Forward {
    choice: ForwardChoice,
    distinct: Option<Distinct>,
    reached: Option<Reached>,
}

impl Forward {
    pub(super) fn new(pool: &mut ExprPool, system: &System, choice: ForwardChoice) -> Forward {
        let (is_simple, has_states) = match choice {
            ForwardChoice::Both => (true, true),
            ForwardChoice::Simple => (true, false),
            ForwardChoice::States => (false, true),
            ForwardChoice::End | ForwardChoice::Off => (false, false),
        };
        Forward {
            choice,
            distinct: is_simple.then(|| Distinct::new(pool, system)),
            reached: has_states.then(|| Reached::nothing(pool, system)),
        }
    }
    /// Notes that a frame was added.
    pub(super) fn extend(&mut self, pool: &mut ExprPool, frames: &mut Unrolling) -> Result<(), Stop> {
        if self.choice == ForwardChoice::Both && MOST_STEPS < frames.last() {
            self.distinct = None;
        }
        match &mut self.distinct {
            Some(distinct) => distinct.extend(pool, frames),
            None => Ok(()),
        }
    }
    /// Returns a proof if no run completes the steps of `frames`, which asserts that all of them are good and completed.
    ///
    /// Cost:      one or two checks; with paths without repetition, of a size that is quadratic in the steps.
    /// Soundness: a later violation needs these steps before it, and a shortest one repeats no state.
    pub(super) fn exhausted(&self, cx: &Ctx<'_>, system: &System, frames: &mut Unrolling) -> Result<Option<Argument>, Stop> {
        // A list of states is the better proof.
        if matches!(self.choice, ForwardChoice::Off | ForwardChoice::States) || self.reached.is_some() {
            return Ok(None);
        }
        let mut paths = None;
        if frames.check(cx, &[])? == Answer::No {
            paths = Some(Paths::Any);
        } else if let Some(distinct) = &self.distinct {
            let asked: Vec<_> = distinct.assumptions().collect();
            if frames.check(cx, &asked)? == Answer::No {
                paths = Some(Paths::Simple);
            }
        }
        // Certificates do not count the step from a start of its own.
        let k = frames.last().saturating_sub(system.n_start_steps()).max(1);
        let places = || system.cuts.iter().map(|(place, _)| *place).collect();
        Ok(paths.map(|paths| Argument::Exhaustive { k, places: places(), paths }))
    }
    /// Returns the states at the beginnings of all steps, if no step up to `last` begins in a new one. `alive`: a state of a run.
    pub(super) fn nothing_new(
        &mut self,
        cx: &mut Ctx<'_>,
        frames: &mut Unrolling,
        alive: ExprId,
        last: Frame,
    ) -> Result<Option<ExprId>, Stop> {
        while let Some(reached) = self.reached.as_mut().filter(|reached| reached.n_frames <= last) {
            let frame = reached.n_frames;
            while let Answer::Yes = frames.check(cx, &[(alive, frame), (reached.outside, frame)])? {
                if reached.n_states == MOST_STATES {
                    self.reached = None;
                    return Ok(None);
                }
                reached.add(cx, frames, frame)?;
            }
            if reached.n_states == reached.n_before {
                return Ok(Some(reached.inside));
            }
            (reached.n_frames, reached.n_before) = (frame + 1, reached.n_states);
        }
        Ok(None)
    }
}

/// States at the beginnings of cycles, reduced to the variables that the future depends on.
struct Reached {
    vars: Vec<VarId>,
    n_states: usize,
    /// The state is one of them; it is none of them.
    inside: ExprId,
    outside: ExprId,
    /// Number of frames whose states are included, and number of distinct states.
    n_frames: u32,
    n_before: usize,
}

impl Reached {
    fn nothing(pool: &mut ExprPool, system: &System) -> Reached {
        let vars = deciding(pool, system).into_iter().collect();
        Reached { vars, n_states: 0, inside: pool.bool(false), outside: pool.bool(true), n_frames: 0, n_before: 0 }
    }
    /// Adds the state of the solver's model.
    fn add(&mut self, cx: &mut Ctx<'_>, frames: &mut Unrolling, frame: Frame) -> Result<(), Stop> {
        let mut same = Vec::with_capacity(self.vars.len());
        for var in &self.vars {
            let e = cx.pool.var(*var);
            let value = frames.value(&cx.pool, e, frame)?;
            let value = cx.pool.constant(value);
            same.push(cx.pool.eq(e, value));
        }
        let state = cx.pool.and_all(same);
        let other = cx.pool.not(state);
        self.inside = cx.pool.or(self.inside, state);
        self.outside = cx.pool.and(self.outside, other);
        self.n_states += 1;
        Ok(())
    }
}
