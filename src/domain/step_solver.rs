//! One incremental solver per step, with the step's guard asserted: what all solver-backed transfer functions share.
//!
//! Blocks are functional, so everything about a step is said in frame 0: the value of `v` after the step is the
//! value of its update before it.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use super::{Step, StepId};
use crate::engine::{Ctx, MakeSolver, Stop};
use crate::expr::ExprId;
use crate::smt::{Frame, Interrupt, Sat, Solver, Unknown};

/// Solvers by step, made when first needed.
pub(super) struct StepSolvers {
    make: MakeSolver,
    by_step: BTreeMap<StepId, Box<dyn Solver>>,
}

impl StepSolvers {
    pub(super) fn new(make: MakeSolver) -> StepSolvers {
        StepSolvers { make, by_step: BTreeMap::new() }
    }
    /// The solver of `step`, outside any scope.
    pub(super) fn get(&mut self, cx: &Ctx<'_>, step: Step<'_>) -> Result<&mut dyn Solver, Stop> {
        Ok(match self.by_step.entry(step.id) {
            Entry::Occupied(entry) => entry.into_mut(),
            Entry::Vacant(entry) => {
                let mut solver = fresh(cx, &self.make)?;
                solver.assert(&cx.pool, step.block.guard, 0)?;
                entry.insert(solver)
            }
        }
        .as_mut())
    }
    /// Forgets the solver of `step`: its scopes are in an unknown state after an error.
    pub(super) fn forget(&mut self, step: StepId) {
        self.by_step.remove(&step);
    }
}

/// A new solver. It may outlive the slice of time it is made in, so it only knows when it is cancelled; deadlines are
/// looked at between checks.
pub(crate) fn fresh(cx: &Ctx<'_>, make: &MakeSolver) -> Result<Box<dyn Solver>, Stop> {
    let interrupt = Interrupt { deadline: None, cancel: cx.interrupt.cancel.clone() };
    Ok(make(&cx.pool, &interrupt)?)
}

/// A check in growing slices, with a look at the interrupt in between. `Unknown` is left for theories that are incomplete.
///
/// Stops: cancelled, or the time is over.
pub(crate) fn check(cx: &Ctx<'_>, solver: &mut dyn Solver, assumptions: &[(ExprId, Frame)]) -> Result<Sat, Stop> {
    let mut slice_ms = 200;
    loop {
        cx.tick()?;
        solver.limit(Some(slice_ms));
        match solver.check(&cx.pool, assumptions)? {
            Sat::Unknown(Unknown::Limit) => slice_ms = (2 * slice_ms).min(5_000),
            Sat::Unknown(Unknown::Interrupted) => return Err(Unknown::Interrupted.into()),
            answer @ (Sat::Sat | Sat::Unsat | Sat::Unknown(Unknown::Incomplete)) => return Ok(answer),
        }
    }
}
