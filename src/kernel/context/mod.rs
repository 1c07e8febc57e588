//! Budget, solvers and progress that every long computation carries.

pub mod exchange;
mod progress;
mod solvers;
mod stop;

use std::sync::Arc;
use std::time::Duration;

pub use progress::{Progress, count};
pub use solvers::{ChooseSolvers, MakeSolver, default_solvers};
pub use stop::{Stop, unsupported};

use crate::expr::ExprPool;
use crate::smt::{Interrupt, Solver};
use crate::verdict::Reason;

/// Expressions, budget, progress and lemmas of a long computation.
pub struct Ctx<'a> {
    /// The expressions; engines own their copy.
    pub pool: ExprPool,
    /// End of the computation.
    pub interrupt: Interrupt,
    /// Receiver of progress.
    pub events: &'a (dyn Fn(Progress) + Sync),
    /// Lemmas of engines that run side by side.
    pub board: Arc<exchange::Board>,
}

impl<'a> Ctx<'a> {
    /// Returns the context of an engine that runs alone: its board is empty and stays so.
    pub fn new(pool: ExprPool, interrupt: Interrupt, events: &'a (dyn Fn(Progress) + Sync)) -> Ctx<'a> {
        Ctx { pool, interrupt, events, board: Arc::default() }
    }
    /// Returns the context of a part of the work that may take at most `time`. It has a pool of its own.
    pub fn within(&self, time: Duration) -> Ctx<'a> {
        let (pool, interrupt) = (self.pool.clone(), self.interrupt.within(time));
        Ctx { pool, interrupt, events: self.events, board: self.board.clone() }
    }
    /// Makes a solver that may outlive the present slice of time: it stops when the run is cancelled, not at the deadline.
    pub fn solver(&self, make: &MakeSolver) -> Result<Box<dyn Solver>, Stop> {
        Ok(make(&self.pool, &self.interrupt.without_deadline())?)
    }
    /// Checks at the head of every unbounded loop whether the run must stop: then `Err`.
    pub fn tick(&self) -> Result<(), Stop> {
        if self.interrupt.is_raised() { Err(Stop::Reason(Reason::Cancelled)) } else { Ok(()) }
    }
}
