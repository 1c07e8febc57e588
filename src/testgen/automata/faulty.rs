//! Solvers that fail on purpose, for tests: no failure may lead to a wrong certified answer.

use std::cell::Cell;
use std::rc::Rc;

use kernel::context::MakeSolver;
use kernel::expr::{ExprId, ExprPool, Value, VarId};
use kernel::rng::Rng;
use kernel::smt::{Frame, Interrupt, Sat, Solver, SolverError, Unknown};

/// Kind of failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// Checks are not decided.
    GivesUp,
    /// Some checks run into their limit.
    RunsOut,
    /// Calls fail.
    Fails,
    /// `unsat` where it is `sat`, and the other way round.
    Lies,
    /// `sat` where it is `unsat`.
    SaysSat,
    /// `unsat` where it is `sat`.
    SaysUnsat,
    /// Values that are not the model's.
    Invents,
    /// Cores that do not suffice.
    ForgetsCores,
}

/// Occasions of the fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum When {
    /// At random, one time in so many; with a seed.
    OneIn(usize, u64),
    /// From the nth time on; a failed solver stays failed.
    From(usize),
}

/// A solver with a fault.
pub struct Faulty {
    inner: Box<dyn Solver>,
    fault: Fault,
    when: When,
    rng: Rc<Cell<u64>>,
    /// Occasions so far.
    n: Cell<usize>,
}

impl Faulty {
    pub fn new(inner: Box<dyn Solver>, fault: Fault, when: When) -> Faulty {
        let seed = match when {
            When::OneIn(_, seed) => seed,
            When::From(_) => 0,
        };
        Faulty { inner, fault, when, rng: Rc::new(Cell::new(seed | 1)), n: Cell::new(0) }
    }
    fn shows(&self, fault: Fault) -> bool {
        if self.fault != fault {
            return false;
        }
        self.n.set(self.n.get() + 1);
        match self.when {
            When::From(n) => n <= self.n.get(),
            When::OneIn(every, _) => {
                let mut rng = Rng(self.rng.get());
                let hit = rng.below(every) == 0;
                self.rng.set(rng.0);
                hit
            }
        }
    }
    fn may_fail(&self) -> Result<(), SolverError> {
        if self.shows(Fault::Fails) { Err(SolverError("failed on purpose".into())) } else { Ok(()) }
    }
}

impl Solver for Faulty {
    fn push(&mut self) -> Result<(), SolverError> {
        self.may_fail()?;
        self.inner.push()
    }
    fn pop(&mut self) -> Result<(), SolverError> {
        self.may_fail()?;
        self.inner.pop()
    }
    fn define(&mut self, pool: &ExprPool, var: VarId, to: Frame, e: ExprId, from: Frame) -> Result<(), SolverError> {
        self.may_fail()?;
        self.inner.define(pool, var, to, e, from)
    }
    fn assert(&mut self, pool: &ExprPool, e: ExprId, frame: Frame) -> Result<(), SolverError> {
        self.may_fail()?;
        self.inner.assert(pool, e, frame)
    }
    fn check(&mut self, pool: &ExprPool, assumptions: &[(ExprId, Frame)]) -> Result<Sat, SolverError> {
        self.may_fail()?;
        let answer = self.inner.check(pool, assumptions)?;
        if self.shows(Fault::GivesUp) {
            return Ok(Sat::Unknown(Unknown::Incomplete));
        }
        if self.shows(Fault::RunsOut) {
            return Ok(Sat::Unknown(Unknown::Limit));
        }
        if self.shows(Fault::Lies) {
            return Ok(match answer {
                Sat::Sat => Sat::Unsat,
                Sat::Unsat => Sat::Sat,
                Sat::Unknown(why) => Sat::Unknown(why),
            });
        }
        let lied = match answer {
            Sat::Unsat => self.shows(Fault::SaysSat).then_some(Sat::Sat),
            Sat::Sat => self.shows(Fault::SaysUnsat).then_some(Sat::Unsat),
            Sat::Unknown(_) => None,
        };
        Ok(lied.unwrap_or(answer))
    }
    fn value(&mut self, pool: &ExprPool, e: ExprId, frame: Frame) -> Result<Value, SolverError> {
        self.may_fail()?;
        match self.inner.value(pool, e, frame) {
            Ok(_) if self.shows(Fault::Invents) => Ok(Value::zero(pool.sort(e))),
            Ok(value) => Ok(value),
            // After a lie there is no model to ask.
            Err(_) if matches!(self.fault, Fault::Lies | Fault::SaysSat) => Ok(Value::zero(pool.sort(e))),
            Err(e) => Err(e),
        }
    }
    fn core(&self) -> Vec<usize> {
        let mut core = self.inner.core();
        if self.shows(Fault::ForgetsCores) {
            core.truncate(core.len() / 2);
        }
        core
    }
    fn limit(&mut self, ms: Option<u64>) {
        self.inner.limit(ms);
    }
}

/// Returns faulty solvers around those of `make`.
pub fn faulty(make: MakeSolver, fault: Fault, when: When) -> MakeSolver {
    std::sync::Arc::new(move |pool: &ExprPool, interrupt: &Interrupt| {
        Ok(Box::new(Faulty::new(make(pool, interrupt)?, fault, when)) as Box<dyn Solver>)
    })
}
