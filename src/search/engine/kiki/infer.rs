//! The ∃∀ problem: small parameters with which the template is a k-inductive invariant.
//!
//! An upward iteration (Eq. 13): rows are raised while a run from the start, or k steps through states that satisfy the template,
//! leads to a state that breaks them. A search over the sum of their parameters (Eq. 14) finds the new values: a counter to 30
//! 000 costs fifteen questions and not 30 000. Differences from the paper:
//!
//! - A scan that changes nothing satisfies Eq. 14 with parameters of any size (x ≤ δ, x' = x, δ ≤ x'), and nearly every
//!   PLC program can stand still. So the states before must lie strictly below the parameters that are searched for.
//! - The search gallops away from the model it starts with instead of halving the whole range. It stops at the first gap, so it
//!   does not jump to values of unreachable states, and it asks less.
//! - It starts with the states of a simulation, which every invariant must allow, instead of ⊥.
//! - After [`PATIENCE`] rounds, rows that still grow are given up (⊤).
//!
//! None of this makes the result wrong: it ends only when the template is a k-inductive invariant.
//!
//! Source: Brain, Joshi, Kroening, Schrammel, SAS 2015, doi:10.1007/978-3-662-48288-9_9 (§3.4).

use super::frames::Frames;
use super::height::{Kind, Order};
use super::row::{Bound, Row, Stage};
use super::strategy::Strategies;
use crate::engine::houdini::conjunction;
use crate::engine::simulate::State;
use crate::engine::unroll::Answer;
use kernel::cfa::pass::System;
use kernel::context::{Ctx, Stop, count};
use kernel::expr::{Evaluator, ExprId, ExprPool, Sort, Value, VarId};
use kernel::smt::{Frame, SolverError};

/// Rounds of one inference before rows that still grow are given up.
const PATIENCE: u32 = 150;

/// A template and the values of its parameters.
pub(super) struct Inference {
    pub(super) rows: Vec<Parameterised>,
    rounds: u32,
    stage: Stage,
    /// Strategies, if bounds are found by them.
    pub(super) strategies: Option<Strategies>,
}

/// A row with its parameters as variables, and its conditions over them.
pub(super) struct Parameterised {
    pub(super) row: Row,
    /// The parameter, if `on`; ⊥ if not.
    pub(super) delta: VarId,
    pub(super) on: VarId,
    /// Conditions: the height is at most the parameter; it is below it; it is at it or beyond.
    holds: ExprId,
    pub(super) below: ExprId,
    pub(super) reaches: ExprId,
    /// Least bound of every invariant.
    floor: Bound,
    pub(super) at: Bound,
    /// TRUE if its value is the best one, or none was found: it is no longer asked about.
    settled: bool,
}

/// Start of the runs whose last state must satisfy the template.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum From {
    /// In an initial state.
    Start,
    /// In any state, through states that satisfy the template.
    Template,
}

impl Inference {
    /// Returns the rows at the least values that the reachable `states` allow.
    pub(super) fn new(pool: &mut ExprPool, system: &System, rows: Vec<Row>, states: &[State]) -> Inference {
        let mut all = Vec::with_capacity(rows.len());
        for (i, row) in rows.into_iter().enumerate() {
            let delta = pool.new_var(format!("#delta{i}"), row.kind.parameter());
            let on = pool.new_var(format!("#on{i}"), Sort::Bool);
            let (d, o) = (pool.var(delta), pool.var(on));
            let [within, strictly, beyond] =
                [Order::AtMost, Order::Below, Order::Reaches].map(|order| row.compare(pool, order, d));
            let (mut holds, mut below, mut reaches) = (pool.and(o, within), pool.and(o, strictly), pool.and(o, beyond));
            if let Some(guard) = row.guard {
                holds = pool.implies(guard, holds);
                below = pool.implies(guard, below);
                reaches = pool.and(guard, reaches);
            }
            all.push(Parameterised { row, delta, on, holds, below, reaches, floor: None, at: None, settled: false });
        }
        let mut inference = Inference { rows: all, rounds: 0, stage: Stage::Whole, strategies: None };
        for state in states {
            let heights = inference.heights(pool, system, state);
            for (row, height) in inference.rows.iter_mut().zip(heights) {
                row.floor = row.floor.max(height);
            }
        }
        for row in &mut inference.rows {
            row.at = row.floor;
            row.settled = row.floor == Some(row.row.top());
        }
        inference
    }
    /// Returns the variables of the parameters.
    pub(super) fn parameters(&self) -> Vec<VarId> {
        self.rows.iter().flat_map(|row| [row.delta, row.on]).collect()
    }
    /// Returns whether a stage adds no row to the one before.
    pub(super) fn is_done(&self, stage: Stage) -> bool {
        !self.rows.iter().any(|row| !row.settled && row.row.stage == stage)
    }
    /// Raises the parameters until the template allows all initial states, also those that no cycle leaves. Can be called again
    /// after a stop.
    pub(super) fn root(&mut self, cx: &mut Ctx<'_>, system: &System, frames: &mut Frames) -> Result<(), Stop> {
        self.raise(cx, system, frames, From::Start, 0)?;
        for row in self.rows.iter_mut().filter(|row| !row.settled) {
            row.floor = row.at;
            row.settled = row.floor == Some(row.row.top());
        }
        Ok(())
    }
    /// Begins a stage at the lowest values.
    pub(super) fn begin(&mut self, stage: Stage) {
        self.rounds = 0;
        self.stage = stage;
        if let Some(strategies) = &mut self.strategies {
            strategies.clear();
        }
        for row in self.rows.iter_mut().filter(|row| !row.settled) {
            row.at = row.floor;
        }
    }
    /// Raises the parameters until the template is k-inductive: it holds in the first k states of each run of k cycles, and after
    /// k cycles through its states. k is the last frame. Can be called again after a stop.
    pub(super) fn run(&mut self, cx: &mut Ctx<'_>, system: &System, frames: &mut Frames) -> Result<(), Stop> {
        let k = frames.last();
        // The template already allows the initial states. A start of its own is none of the k states.
        for frame in 1..k + system.n_start_steps() {
            self.raise(cx, system, frames, From::Start, frame)?;
        }
        // Raising a row for a step cannot break it at the start.
        self.raise(cx, system, frames, From::Template, k)
    }
    /// Returns the inferred bounds that are not trivial, and settles the rows that cannot improve.
    pub(super) fn facts(&mut self, pool: &mut ExprPool) -> Vec<ExprId> {
        let mut facts = Vec::new();
        let stage = self.stage;
        for row in self.rows.iter_mut().filter(|row| !row.settled && row.row.stage <= stage) {
            let says = row.row.says(pool, row.at);
            if !pool.is_true(says) {
                facts.push(says);
            }
            row.settled = row.at == row.floor;
        }
        facts
    }

    /// Returns the words about strategies, after a comma; empty without them.
    pub(super) fn effort(&self) -> String {
        match &self.strategies {
            None => String::new(),
            Some(own) => {
                let solved = count(own.n_solved as usize, "strategy improvement");
                format!(", {solved}, {} by binary search instead", own.n_left)
            }
        }
    }

    /// Returns the rows that are asked about.
    pub(super) fn live(&self) -> impl Iterator<Item = (usize, &Parameterised)> {
        self.rows
            .iter()
            .enumerate()
            .filter(|(_, row)| !row.settled && row.row.stage <= self.stage && row.at != Some(row.row.top()))
    }

    /// Returns the template with its parameters; those of rows that are not `free` are constants where that is cheaper.
    pub(super) fn template(&self, pool: &mut ExprPool, free: &[usize]) -> ExprId {
        let live: Vec<usize> = self.live().map(|(i, _)| i).collect();
        let mut all = Vec::with_capacity(live.len());
        for i in live {
            let row = &self.rows[i];
            let is_constant = !row.has_bits() && !free.contains(&i);
            all.push(if is_constant { row.row.says(pool, row.at) } else { row.holds });
        }
        conjunction(pool, &all)
    }

    /// Returns the condition that the parameters have their values, except those of the rows `free` and constants.
    pub(super) fn fixed(&self, pool: &mut ExprPool, free: &[usize]) -> Vec<(ExprId, Frame)> {
        let mut given = Vec::new();
        for (i, row) in self.live() {
            if free.contains(&i) || !row.has_bits() {
                continue;
            }
            let (on, delta) = (pool.var(row.on), pool.var(row.delta));
            match row.at {
                None => given.push((pool.not(on), 0)),
                Some(at) => {
                    let at = row.row.kind.constant(pool, at);
                    given.extend([(on, 0), (pool.eq(delta, at), 0)]);
                }
            }
        }
        given
    }

    /// Raises rows by Equation 13 until there is no model.
    fn raise(&mut self, cx: &mut Ctx<'_>, system: &System, frames: &mut Frames, from: From, frame: Frame) -> Result<(), Stop> {
        loop {
            let template = self.template(&mut cx.pool, &[]);
            if cx.pool.is_true(template) {
                return Ok(());
            }
            let broken = cx.pool.not(template);
            let mut asked = context(frames, from, frame, template);
            asked.extend(self.fixed(&mut cx.pool, &[]));
            asked.push((broken, frame));
            if let Answer::No = frames.check(cx, &asked)? {
                return Ok(());
            }
            let state = frames.state(&mut cx.pool, system, frame)?;
            let mut heights = self.heights(&cx.pool, system, &state);
            let broken: Vec<usize> = self.live().filter(|(i, row)| row.at < heights[*i]).map(|(i, _)| i).collect();
            if broken.is_empty() {
                // The iteration would never end.
                return Err(Stop::Solver(SolverError("a model breaks a template that its own values satisfy".into())));
            }
            self.rounds += 1;
            if PATIENCE < self.rounds {
                for i in broken {
                    self.rows[i].at = Some(self.rows[i].row.top());
                }
                continue;
            }
            if self.strategies.is_some() {
                let improved = self.improve(cx, system, frames, (from, frame), &broken, &heights)?;
                if let Some(strategies) = &mut self.strategies {
                    *(if improved { &mut strategies.n_solved } else { &mut strategies.n_left }) += 1;
                }
                if improved {
                    self.join(&heights);
                    continue;
                }
            }
            let searched = self.searched(&broken, &heights);
            if !searched.is_empty() {
                heights = self.optimise(cx, system, frames, (from, frame), &searched, heights)?;
            }
            self.join(&heights);
        }
    }

    /// Raises the rows to the heights of a state.
    fn join(&mut self, heights: &[Bound]) {
        let live: Vec<usize> = self.live().map(|(i, _)| i).collect();
        for i in live {
            self.rows[i].at = self.rows[i].at.max(heights[i]);
        }
    }

    /// Returns the height of each row in a state; ⊥ where its guard is false.
    pub(super) fn heights(&self, pool: &ExprPool, system: &System, state: &[Value]) -> Vec<Bound> {
        let mut evaluator = Evaluator::new();
        let env = |var: VarId| system.vars.binary_search(&var).ok().and_then(|i| state.get(i).copied());
        let mut height = |row: &Row| {
            if let Some(guard) = row.guard
                && evaluator.eval(pool, guard, &env) == Some(Value::Bool(false))
            {
                return None;
            }
            Some(row.height(|term| evaluator.eval(pool, term, &env)))
        };
        self.rows.iter().map(|row| height(&row.row)).collect()
    }
}

impl Parameterised {
    /// Returns whether its parameter is a constraint on bits: then a solver keeps what it learns for other values.
    fn has_bits(&self) -> bool {
        matches!(self.row.kind, Kind::Bits(_))
    }
}

/// Returns the assumptions about the frames before `frame`.
pub(super) fn context(frames: &Frames, from: From, frame: Frame, premise: ExprId) -> Vec<(ExprId, Frame)> {
    match from {
        From::Start => vec![frames.start()],
        From::Template => (0..frame).map(|before| (premise, before)).collect(),
    }
}
