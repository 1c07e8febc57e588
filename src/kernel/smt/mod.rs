//! Solvers of formulas: one trait, two solvers, three answers.
//!
//! This module uses [`crate::expr`] only. Formulas are expressions placed in a *frame*: the variable `v` in
//! frame `i` is `v@i`, the value of `v` after `i` steps. **Invariant:** `Unknown` is never read
//! as an answer; a solver's failure is a [`SolverError`] and never a verdict.

mod script;

pub use script::{Mode, decide_script, run_script, values_script};

pub mod bitblast;
mod cvc5;
mod frames;
#[cfg(test)]
mod laws;

pub use self::cvc5::{Cvc5, cvc5_version, eliminate, interpolant};
pub use bitblast::BitBlaster;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crate::expr::{ExprId, ExprPool, Value, VarId};

/// Number of steps taken; frame 0 is the start.
pub type Frame = u32;

/// Answer of a solver to a check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Sat {
    /// There is a model; ask [`Solver::value`].
    Sat,
    /// There is none; ask [`Solver::core`].
    Unsat,
    /// Not decided, with the reason.
    Unknown(Unknown),
}

/// Reason of a check without a decision.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unknown {
    /// The check's own limit was reached.
    Limit,
    /// The run was cancelled or its time is over.
    Interrupted,
    /// The solver gave up (incomplete theory).
    Incomplete,
}

/// A failure of a solver: a bug or a machine failure, never the user's mistake.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("solver: {0}")]
pub struct SolverError(pub String);

/// End of work: a wall-clock deadline, and a flag that other threads may raise.
#[derive(Clone, Debug, Default)]
pub struct Interrupt {
    /// No work after this instant.
    pub deadline: Option<Instant>,
    /// Flag that is raised when the answer is no longer needed.
    pub cancel: Arc<AtomicBool>,
}

impl Interrupt {
    /// Returns the interrupt for a part of the work. It is raised with this interrupt, and at the latest `time` from now.
    pub fn within(&self, time: Duration) -> Interrupt {
        let end = Instant::now().checked_add(time);
        Interrupt { deadline: self.deadline.into_iter().chain(end).min(), cancel: self.cancel.clone() }
    }
    /// Returns the interrupt without its deadline, for a solver that outlives its slice of time. The deadline is then checked
    /// between questions.
    pub fn without_deadline(&self) -> Interrupt {
        Interrupt { deadline: None, cancel: self.cancel.clone() }
    }
    /// Returns whether work must stop now.
    pub fn is_raised(&self) -> bool {
        self.cancel.load(Ordering::Relaxed) || self.deadline.is_some_and(|d| d <= Instant::now())
    }
}

/// Incremental solver for expressions in frames. All expressions are from one pool, or from a clone that only grew.
pub trait Solver {
    /// Opens a scope: assertions and definitions made after it end with [`Solver::pop`].
    fn push(&mut self) -> Result<(), SolverError>;
    /// Closes the innermost scope.
    fn pop(&mut self) -> Result<(), SolverError>;
    /// Defines `var` in frame `to` as the value of `e` in frame `from`. `var@to` must not have been mentioned before in an open
    /// scope. For assignments from step to step this is cheaper than an asserted equality.
    fn define(&mut self, pool: &ExprPool, var: VarId, to: Frame, e: ExprId, from: Frame) -> Result<(), SolverError>;
    /// Asserts the Bool `e` in `frame`.
    fn assert(&mut self, pool: &ExprPool, e: ExprId, frame: Frame) -> Result<(), SolverError>;
    /// Returns whether all assertions hold together with the `assumptions` (for this check only).
    fn check(&mut self, pool: &ExprPool, assumptions: &[(ExprId, Frame)]) -> Result<Sat, SolverError>;
    /// Returns, after `Sat`, the value of `e` in `frame` in the model. A variable unknown to the solver has its sort's zero.
    fn value(&mut self, pool: &ExprPool, e: ExprId, frame: Frame) -> Result<Value, SolverError>;
    /// Returns, after `Unsat`, the positions of assumptions of the last check that suffice for it (not necessarily minimal).
    fn core(&self) -> Vec<usize>;
    /// Limits each following check to about `ms` milliseconds of solver time; `None` for no limit of its own.
    fn limit(&mut self, ms: Option<u64>);
}

/// Returns the solver for formulas over `exprs`: the bit-blaster if it can decide all of them, otherwise cvc5.
pub fn solver_for(pool: &ExprPool, exprs: &[ExprId], interrupt: &Interrupt) -> Result<Box<dyn Solver>, SolverError> {
    if bitblast::supports(pool, exprs) { Ok(Box::new(BitBlaster::new(interrupt))) } else { Ok(Box::new(Cvc5::new(interrupt)?)) }
}
