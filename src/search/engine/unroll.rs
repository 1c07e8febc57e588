//! The scan step unrolled into one incremental solver, for bounded model checking and k-induction.
//!
//! Frame `i` holds the state at the start of step `i` (from 0) and the inputs of that step. A step is a cycle where the head is
//! the only cut point.

use std::collections::BTreeMap;

use kernel::cfa::LocId;
use kernel::cfa::pass::System;
use kernel::context::{Ctx, MakeSolver, Stop};
use kernel::expr::{ExprId, ExprPool, VarId};
use kernel::smt::{Frame, Sat, Solver, Unknown};
use kernel::verdict::Trace;

/// Frames `0 ..= steps` of a system.
pub(crate) struct Unrolling {
    solver: Box<dyn Solver>,
    steps: Frame,
}

/// Meaning of frame 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Start {
    /// An initial state.
    Initial,
    /// Any state; at a start of its own, an initial one.
    Anywhere,
}

impl Unrolling {
    /// Returns the unrolling of frame 0 alone.
    pub(crate) fn new(make: &MakeSolver, cx: &mut Ctx<'_>, system: &System, start: Start) -> Result<Unrolling, Stop> {
        let mut solver = cx.solver(make)?;
        match start {
            Start::Anywhere => {
                let e = system.start_is_initial(&mut cx.pool);
                solver.assert(&cx.pool, e, 0)?;
            }
            Start::Initial => {
                for (var, value) in &system.initial {
                    let value = cx.pool.constant(*value);
                    solver.define(&cx.pool, *var, 0, value, 0)?;
                }
            }
        }
        Ok(Unrolling { solver, steps: 0 })
    }
    /// Returns the last frame.
    pub(crate) fn last(&self) -> Frame {
        self.steps
    }
    /// Completes the step of the last frame, and adds a frame.
    pub(crate) fn step(&mut self, pool: &ExprPool, system: &System) -> Result<(), Stop> {
        self.solver.assert(pool, system.guard, self.steps)?;
        self.advance(pool, system, &[])
    }
    /// Adds a frame, even if the step of the last one is impossible, with further definitions over the last one.
    pub(crate) fn advance(&mut self, pool: &ExprPool, system: &System, more: &[(VarId, ExprId)]) -> Result<(), Stop> {
        let from = self.steps;
        for (var, value) in system.next.iter().chain(more) {
            self.solver.define(pool, *var, from + 1, *value, from)?;
        }
        self.steps += 1;
        Ok(())
    }
    /// Defines `var` as `e` in the last frame.
    pub(crate) fn set(&mut self, pool: &ExprPool, var: VarId, e: ExprId) -> Result<(), Stop> {
        Ok(self.solver.define(pool, var, self.steps, e, self.steps)?)
    }
    /// Keeps the value of `var` from the frame before the last: for variables that no step changes.
    pub(crate) fn carry(&mut self, pool: &mut ExprPool, var: VarId) -> Result<(), Stop> {
        let same = pool.var(var);
        Ok(self.solver.define(pool, var, self.steps, same, self.steps.saturating_sub(1))?)
    }
    /// Defines `copy` in the last frame as `var` in the one before.
    pub(crate) fn remember(&mut self, pool: &mut ExprPool, copy: VarId, var: VarId) -> Result<(), Stop> {
        let was = pool.var(var);
        Ok(self.solver.define(pool, copy, self.steps, was, self.steps.saturating_sub(1))?)
    }
    /// Asserts `e` in a frame.
    pub(crate) fn assert(&mut self, pool: &ExprPool, e: ExprId, frame: Frame) -> Result<(), Stop> {
        Ok(self.solver.assert(pool, e, frame)?)
    }
    /// Checks whether the assumptions are possible. In slices, so that a cancelled run ends soon.
    pub(crate) fn check(&mut self, cx: &Ctx<'_>, assumptions: &[(ExprId, Frame)]) -> Result<Answer, Stop> {
        check(cx, &mut *self.solver, assumptions)
    }
    /// Checks as [`Unrolling::check`] does, while `goes_on` says so between two slices; `None` if it was left.
    pub(crate) fn check_while(
        &mut self,
        cx: &Ctx<'_>,
        assumptions: &[(ExprId, Frame)],
        goes_on: impl Fn() -> bool,
    ) -> Result<Option<Answer>, Stop> {
        check_while(cx, &mut *self.solver, assumptions, goes_on)
    }
    /// Returns, after `Answer::Yes`, the inputs of the cycles up to that of frame `last`; `head` as in the unreduced CFA.
    pub(crate) fn trace(&mut self, pool: &mut ExprPool, system: &System, head: LocId, last: Frame) -> Result<Trace, Stop> {
        let mut trace = Trace::default();
        let head = system.cuts.iter().find(|(loc, _)| *loc == head).map(|(_, at)| *at);
        for frame in 0..=last {
            let at = match system.pc {
                Some(pc) => {
                    let pc = pool.var(pc);
                    Some(self.solver.value(pool, pc, frame)?)
                }
                None => head,
            };
            // A step from another cut point goes on with the cycle.
            if at == head || trace.cycles.is_empty() {
                trace.cycles.push(BTreeMap::new());
            }
            let cycle = trace.cycles.len() - 1;
            for (taken, inputs) in system.taken() {
                if let Some(taken) = taken
                    && self.solver.value(pool, taken, frame)? != kernel::expr::Value::Bool(true)
                {
                    continue;
                }
                for (var, origin) in inputs.iter().filter_map(|input| Some((input.var, input.origin?))) {
                    let e = pool.var(var);
                    trace.take(cycle, origin, self.solver.value(pool, e, frame)?);
                }
            }
        }
        for var in system.vars.iter().filter(|var| !system.initial.contains_key(var)) {
            let e = pool.var(*var);
            trace.start(*var, self.solver.value(pool, e, 0)?);
        }
        Ok(trace)
    }
    /// Returns, after `Answer::No`, the positions of assumptions that suffice for it.
    pub(crate) fn core(&self) -> Vec<usize> {
        self.solver.core()
    }
    /// Returns the value of `e` in a frame, after `Answer::Yes`.
    pub(crate) fn value(&mut self, pool: &ExprPool, e: ExprId, frame: Frame) -> Result<kernel::expr::Value, Stop> {
        Ok(self.solver.value(pool, e, frame)?)
    }
}

/// A decided check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Answer {
    /// There is a model.
    Yes,
    /// There is none.
    No,
}

/// Checks in growing slices, looking at the interrupt in between.
///
/// Stops: cancelled, or the theory is incomplete.
pub(crate) fn check(cx: &Ctx<'_>, solver: &mut dyn Solver, assumptions: &[(ExprId, Frame)]) -> Result<Answer, Stop> {
    loop {
        if let Some(answer) = check_while(cx, solver, assumptions, || true)? {
            return Ok(answer);
        }
    }
}

fn check_while(
    cx: &Ctx<'_>,
    solver: &mut dyn Solver,
    assumptions: &[(ExprId, Frame)],
    goes_on: impl Fn() -> bool,
) -> Result<Option<Answer>, Stop> {
    let mut slice_ms = 200;
    while goes_on() {
        cx.tick()?;
        solver.limit(Some(slice_ms));
        match solver.check(&cx.pool, assumptions)? {
            Sat::Sat => return Ok(Some(Answer::Yes)),
            Sat::Unsat => return Ok(Some(Answer::No)),
            Sat::Unknown(Unknown::Limit) => slice_ms = (slice_ms * 2).min(5_000),
            Sat::Unknown(why @ (Unknown::Interrupted | Unknown::Incomplete)) => return Err(why.into()),
        }
    }
    Ok(None)
}
