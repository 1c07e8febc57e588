//! One incremental solver per step with the step's guard asserted, for all transfer functions that use solvers.
//!
//! Blocks are functional, so frame 0 is enough: the value of `v` after the step is the value of its update before it.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use super::{Step, StepId};
use kernel::context::{Ctx, MakeSolver, Stop};
use kernel::expr::ExprId;
use kernel::smt::{Frame, Sat, Solver, Unknown};

/// Steps that have a solver of their own. A solver begins with room for a million literals, and automata of single operations
/// have thousands of steps. In tests nearly all of them share one.
const OWN: usize = if cfg!(test) { 2 } else { 64 };

/// Steps after which the shared solver is made anew: each question costs as much as all that it has seen.
const SHARED: usize = if cfg!(test) { 3 } else { 32 };

/// Solvers by step, made when first needed.
pub(super) struct StepSolvers {
    make: MakeSolver,
    by_step: BTreeMap<StepId, Box<dyn Solver>>,
    /// The solver of all other steps, with a scope for the step that used it last.
    shared: Option<(StepId, Box<dyn Solver>)>,
    /// Steps that the shared solver has seen.
    n_seen: usize,
}

impl StepSolvers {
    pub(super) fn new(make: MakeSolver) -> StepSolvers {
        StepSolvers { make, by_step: BTreeMap::new(), shared: None, n_seen: 0 }
    }
    /// Returns the solver of `step`, outside any scope that the caller has opened.
    pub(super) fn get(&mut self, cx: &Ctx<'_>, step: Step<'_>) -> Result<&mut dyn Solver, Stop> {
        let n_own = self.by_step.len();
        match self.by_step.entry(step.id) {
            Entry::Occupied(entry) => Ok(entry.into_mut().as_mut()),
            Entry::Vacant(entry) if n_own < OWN => {
                let mut solver = cx.solver(&self.make)?;
                solver.assert(&cx.pool, step.block.guard, 0)?;
                Ok(entry.insert(solver).as_mut())
            }
            Entry::Vacant(_) => {
                let solver = match self.shared.take() {
                    Some((id, solver)) if id == step.id => solver,
                    Some((_, mut solver)) if self.n_seen < SHARED => {
                        self.n_seen += 1;
                        solver.pop()?;
                        entered(cx, solver, step)?
                    }
                    Some(_) | None => {
                        self.n_seen = 1;
                        entered(cx, cx.solver(&self.make)?, step)?
                    }
                };
                Ok(self.shared.insert((step.id, solver)).1.as_mut())
            }
        }
    }
    /// Forgets the solver of `step`: its scopes are in an unknown state after an error.
    pub(super) fn forget(&mut self, step: StepId) {
        self.by_step.remove(&step);
        self.shared.take_if(|(id, _)| *id == step);
    }
}

/// Opens a scope for `step` and asserts its guard.
fn entered(cx: &Ctx<'_>, mut solver: Box<dyn Solver>, step: Step<'_>) -> Result<Box<dyn Solver>, Stop> {
    solver.push()?;
    solver.assert(&cx.pool, step.block.guard, 0)?;
    Ok(solver)
}

/// Checks in growing slices, with a look at the interrupt in between. `Unknown` remains for incomplete theories only.
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
