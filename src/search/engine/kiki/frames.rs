//! The incremental solver of kIkI: the scan unrolled from any state, with assumptions for each question.
//!
//! Three kinds of variables are no part of the program: the flag that frame 0 is an initial state, and two parameters of each
//! template row. Parameters are carried from frame to frame, which costs no clause.

use std::collections::BTreeMap;

use crate::engine::unroll::{Answer, Start, Unrolling};
use kernel::cfa::pass::System;
use kernel::context::{Ctx, MakeSolver, Stop};
use kernel::expr::{ExprId, ExprPool, Sort, Value, VarId};
use kernel::smt::Frame;
use kernel::verdict::Trace;

/// Frames from 0 to the last, facts that hold in all of them, and the parameters.
pub(super) struct Frames {
    unrolling: Unrolling,
    /// Bool: frame 0 is an initial state.
    start: ExprId,
    parameters: Vec<VarId>,
    /// Facts that hold in every frame of a run from the start.
    known: Vec<ExprId>,
}

impl Frames {
    pub(super) fn new(cx: &mut Ctx<'_>, system: &System, solvers: &MakeSolver, parameters: Vec<VarId>) -> Result<Frames, Stop> {
        let mut unrolling = Unrolling::new(solvers, cx, system, Start::Anywhere)?;
        let start = cx.pool.new_var("#start", Sort::Bool);
        let start = cx.pool.var(start);
        for (var, value) in &system.initial {
            let (x, value) = (cx.pool.var(*var), cx.pool.constant(*value));
            let is = cx.pool.eq(x, value);
            let then = cx.pool.implies(start, is);
            unrolling.assert(&cx.pool, then, 0)?;
        }
        Ok(Frames { unrolling, start, parameters, known: Vec::new() })
    }
    pub(super) fn last(&self) -> Frame {
        self.unrolling.last()
    }
    /// Returns the assumption that frame 0 is an initial state.
    pub(super) fn start(&self) -> (ExprId, Frame) {
        (self.start, 0)
    }
    /// Adds a frame, in which the known facts hold too.
    pub(super) fn step(&mut self, pool: &mut ExprPool, system: &System) -> Result<(), Stop> {
        self.unrolling.step(pool, system)?;
        for var in &self.parameters {
            self.unrolling.carry(pool, *var)?;
        }
        let last = self.last();
        for fact in &self.known {
            self.unrolling.assert(pool, *fact, last)?;
        }
        Ok(())
    }
    /// Adds a fact to all frames.
    pub(super) fn learn(&mut self, pool: &ExprPool, fact: ExprId) -> Result<(), Stop> {
        for frame in 0..=self.last() {
            self.unrolling.assert(pool, fact, frame)?;
        }
        self.known.push(fact);
        Ok(())
    }
    pub(super) fn check(&mut self, cx: &Ctx<'_>, assumptions: &[(ExprId, Frame)]) -> Result<Answer, Stop> {
        self.unrolling.check(cx, assumptions)
    }
    /// Returns, after a yes, the state of a frame in the order of the system's variables.
    pub(super) fn state(&mut self, pool: &mut ExprPool, system: &System, frame: Frame) -> Result<Vec<Value>, Stop> {
        let mut state = Vec::with_capacity(system.vars.len());
        for var in &system.vars {
            let e = pool.var(*var);
            state.push(self.unrolling.value(pool, e, frame)?);
        }
        Ok(state)
    }
    /// Returns the facts that were added.
    pub(super) fn known(&self) -> &[ExprId] {
        &self.known
    }
    /// Returns, after a yes, the values of a frame: those of the state and of the inputs.
    pub(super) fn valuation(
        &mut self,
        pool: &mut ExprPool,
        system: &System,
        frame: Frame,
    ) -> Result<BTreeMap<VarId, Value>, Stop> {
        let vars = system.vars.iter().copied().chain(system.inputs.iter().map(|input| input.var));
        let mut values = BTreeMap::new();
        for var in vars {
            let e = pool.var(var);
            values.insert(var, self.unrolling.value(pool, e, frame)?);
        }
        Ok(values)
    }
    /// Returns, after a yes from the start, the inputs of all cycles.
    pub(super) fn trace(&mut self, pool: &mut ExprPool, system: &System, head: kernel::cfa::LocId) -> Result<Trace, Stop> {
        let last = self.unrolling.last();
        self.unrolling.trace(pool, system, head, last)
    }
}
