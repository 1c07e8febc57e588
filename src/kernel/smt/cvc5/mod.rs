//! cvc5 as a [`Solver`]: for all that the bit-blaster refuses, and as a second opinion on the rest.
//!
//! Its terms and lifetimes never leave this folder. Our pool checks sorts, so an error of its interface is always our bug.

mod eliminate;
#[cfg(test)]
mod elimination_laws;
mod interpolate;
mod kinds;
mod read;
mod term;

pub use eliminate::eliminate;
pub use interpolate::interpolant;

use std::time::{Duration, Instant};

use cvc5::{Term, UnknownExplanation};

use self::term::{Terms, value_of};
use super::frames::Last;
use super::{Frame, Interrupt, Sat, Solver, SolverError, Unknown};
use crate::expr::{ExprId, ExprPool, Value, VarId};

/// Returns the version of the library that is linked.
pub fn cvc5_version() -> String {
    let manager = cvc5::TermManager::new();
    cvc5::Solver::new(&manager).version()
}

/// Decides all sorts.
///
/// Cost:      each expression becomes a term once per frame; a fresh cvc5 after every few hundred checks.
/// Stops:     at the limit of the check; at the interrupt within the current slice (100 ms at first, 2 s at most).
/// Soundness: float-to-integer outside the range, which SMT-LIB leaves open, has our evaluator's value.
pub struct Cvc5 {
    interrupt: Interrupt,
    limit: Option<Duration>,
    engine: Engine,
    /// Theories of the engine.
    needs: Needs,
    /// Assertions and definitions, scope by scope, for a fresh engine. The first scope is never closed.
    scopes: Vec<Vec<Action>>,
    last: Last,
    checks: u32,
    /// Checks after which the engine is renewed.
    lifetime: u32,
}

/// One cvc5 with its terms.
struct Engine {
    terms: Terms,
    solver: cvc5::Solver,
}

/// Theories that an engine needs besides bit vectors and the floats of programs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Needs {
    /// Integers and arrays.
    unbounded: bool,
    /// Floats of other formats.
    odd_floats: bool,
}

#[derive(Clone, Copy)]
enum Action {
    Assert(ExprId, Frame),
    Define(VarId, Frame, ExprId, Frame),
}

/// A long-lived cvc5 slows down; a fresh one costs about 3 ms.
const CHECKS_PER_ENGINE: u32 = 300;
const FIRST_SLICE: Duration = Duration::from_millis(100);
const LONGEST_SLICE: Duration = Duration::from_secs(2);

impl Engine {
    fn new(needs: Needs) -> Result<Engine, SolverError> {
        let terms = Terms::new();
        let mut solver = cvc5::Solver::new(&terms.manager);
        for (option, value) in [("incremental", "true"), ("produce-models", "true"), ("produce-unsat-assumptions", "true")] {
            solver.set_option(option, value)?;
        }
        // cvc5 calls both experimental; the laws compare them with the evaluator.
        if needs.unbounded {
            solver.set_option("arrays-exp", "true")?;
        }
        if needs.odd_floats {
            solver.set_option("fp-exp", "true")?;
        }
        solver.set_logic(if needs.unbounded { "QF_ALL" } else { "QF_BVFP" })?;
        Ok(Engine { terms, solver })
    }
    fn act(&mut self, pool: &ExprPool, action: Action) -> Result<(), SolverError> {
        match action {
            Action::Assert(e, frame) => {
                let term = self.terms.formula(pool, e, frame)?;
                self.terms.frames.read(e, frame);
                self.solver.assert_formula(term)?;
            }
            Action::Define(var, to, e, from) => {
                if let Some(equality) = self.terms.define(pool, var, to, e, from)? {
                    self.solver.assert_formula(equality)?;
                }
            }
        }
        Ok(())
    }
    fn push(&mut self) -> Result<(), SolverError> {
        self.terms.frames.push();
        Ok(self.solver.push(1)?)
    }
}

impl Cvc5 {
    /// Returns a solver without assertions, which stops when `interrupt` is raised.
    pub fn new(interrupt: &Interrupt) -> Result<Cvc5, SolverError> {
        Ok(Cvc5 {
            interrupt: interrupt.clone(),
            limit: None,
            engine: Engine::new(Needs::default())?,
            needs: Needs::default(),
            scopes: vec![Vec::new()],
            last: Last::Nothing,
            checks: 0,
            lifetime: CHECKS_PER_ENGINE,
        })
    }
    /// Returns one whose engine is renewed before every check.
    #[cfg(any(test, feature = "testing"))]
    pub fn short_lived(interrupt: &Interrupt) -> Result<Cvc5, SolverError> {
        Ok(Cvc5 { lifetime: 0, ..Cvc5::new(interrupt)? })
    }
    /// Renews the engine if the pool needs further theories.
    fn suit(&mut self, pool: &ExprPool) -> Result<(), SolverError> {
        let needs = Needs { unbounded: pool.has_unbounded(), odd_floats: pool.has_odd_floats() };
        if needs != self.needs {
            self.needs = needs;
            self.renew(pool)?;
        }
        Ok(())
    }
    fn record(&mut self, pool: &ExprPool, action: Action) -> Result<(), SolverError> {
        self.suit(pool)?;
        self.engine.act(pool, action)?;
        let scope = self.scopes.last_mut().ok_or_else(|| SolverError("no scope is open".into()))?;
        scope.push(action);
        Ok(())
    }
    /// Repeats all definitions and assertions in a fresh engine.
    fn renew(&mut self, pool: &ExprPool) -> Result<(), SolverError> {
        let mut engine = Engine::new(self.needs)?;
        for (depth, scope) in self.scopes.iter().enumerate() {
            if 0 < depth {
                engine.push()?;
            }
            for &action in scope {
                engine.act(pool, action)?;
            }
        }
        self.engine = engine;
        self.checks = 0;
        Ok(())
    }
    /// Checks in slices, because cvc5 cannot be interrupted.
    fn check_in_slices(&mut self, assumptions: &[Term]) -> Result<Sat, SolverError> {
        let until = self.limit.map(|limit| Instant::now() + limit);
        let mut slice = FIRST_SLICE;
        loop {
            if self.interrupt.is_raised() {
                return Ok(Sat::Unknown(Unknown::Interrupted));
            }
            let now = Instant::now();
            let left = [until, self.interrupt.deadline].into_iter().flatten().map(|end| end.saturating_duration_since(now)).min();
            // 0 would mean no limit.
            let ms = slice.min(left.unwrap_or(slice)).as_millis().max(1);
            self.engine.solver.set_option("tlimit-per", &ms.to_string())?;
            let answer = if assumptions.is_empty() {
                self.engine.solver.check_sat()?
            } else {
                self.engine.solver.check_sat_assuming(assumptions)?
            };
            if answer.is_sat() {
                return Ok(Sat::Sat);
            }
            if answer.is_unsat() {
                return Ok(Sat::Unsat);
            }
            match answer.unknown_explanation() {
                UnknownExplanation::Timeout | UnknownExplanation::Resourceout | UnknownExplanation::Interrupted => {}
                UnknownExplanation::RequiresFullCheck
                | UnknownExplanation::Incomplete
                | UnknownExplanation::Memout
                | UnknownExplanation::Unsupported
                | UnknownExplanation::Other
                | UnknownExplanation::RequiresCheckAgain
                | UnknownExplanation::UnknownReason
                | UnknownExplanation::Last => return Ok(Sat::Unknown(Unknown::Incomplete)),
            }
            if until.is_some_and(|until| until <= Instant::now()) {
                let interrupted = self.interrupt.is_raised();
                return Ok(Sat::Unknown(if interrupted { Unknown::Interrupted } else { Unknown::Limit }));
            }
            slice = (2 * slice).min(LONGEST_SLICE);
        }
    }
}

impl Solver for Cvc5 {
    fn push(&mut self) -> Result<(), SolverError> {
        self.engine.push()?;
        self.scopes.push(Vec::new());
        Ok(())
    }
    fn pop(&mut self) -> Result<(), SolverError> {
        if !self.engine.terms.frames.pop() {
            return Err(SolverError("pop without push".into()));
        }
        self.scopes.pop();
        Ok(self.engine.solver.pop(1)?)
    }
    fn define(&mut self, pool: &ExprPool, var: VarId, to: Frame, e: ExprId, from: Frame) -> Result<(), SolverError> {
        if pool.var_decl(var).sort != pool.sort(e) {
            return Err(SolverError(format!("definition of {var} of another sort")));
        }
        self.record(pool, Action::Define(var, to, e, from))
    }
    fn assert(&mut self, pool: &ExprPool, e: ExprId, frame: Frame) -> Result<(), SolverError> {
        self.record(pool, Action::Assert(e, frame))
    }
    fn check(&mut self, pool: &ExprPool, assumptions: &[(ExprId, Frame)]) -> Result<Sat, SolverError> {
        self.last = Last::Nothing;
        self.checks += 1;
        self.suit(pool)?;
        if self.lifetime < self.checks {
            self.renew(pool)?;
        }
        let mut terms = Vec::with_capacity(assumptions.len());
        for &(e, frame) in assumptions {
            terms.push(self.engine.terms.formula(pool, e, frame)?);
        }
        let answer = self.check_in_slices(&terms)?;
        self.last = match answer {
            Sat::Sat => Last::Sat,
            Sat::Unknown(_) => Last::Nothing,
            Sat::Unsat if terms.is_empty() => Last::Unsat(Vec::new()),
            Sat::Unsat => {
                let mut failed: Vec<u64> = self.engine.solver.get_unsat_assumptions()?.iter().map(Term::id).collect();
                // Of equal assumptions one is enough.
                let mut core = Vec::new();
                for (i, term) in terms.iter().enumerate() {
                    if let Some(at) = failed.iter().position(|&id| id == term.id()) {
                        failed.swap_remove(at);
                        core.push(i);
                    }
                }
                Last::Unsat(core)
            }
        };
        Ok(answer)
    }
    fn value(&mut self, pool: &ExprPool, e: ExprId, frame: Frame) -> Result<Value, SolverError> {
        self.last.has_model()?;
        let term = self.engine.terms.term(pool, e, frame)?;
        let value = self.engine.solver.get_value(term)?;
        value_of(&value, pool.sort(e))
    }
    fn core(&self) -> Vec<usize> {
        self.last.core()
    }
    fn limit(&mut self, ms: Option<u64>) {
        self.limit = ms.map(Duration::from_millis);
    }
}
