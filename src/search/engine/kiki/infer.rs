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
use super::row::{Bound, Row, Stage};
use crate::engine::simulate::State;
use crate::engine::unroll::Answer;
use kernel::cfa::pass::System;
use kernel::context::{Ctx, Stop};
use kernel::expr::{BvBin, BvCmp, Evaluator, ExprId, ExprPool, Sort, Value, VarId};
use kernel::smt::{Frame, SolverError};

/// Rounds of one inference before rows that still grow are given up.
const PATIENCE: u32 = 150;

/// Rows that are raised together.
const TOGETHER: usize = 6;

/// A template and the values of its parameters.
pub(super) struct Inference {
    rows: Vec<Parameterised>,
    rounds: u32,
    stage: Stage,
}

/// A row with its parameters as variables, and its conditions over them.
struct Parameterised {
    row: Row,
    /// The parameter, if `on`; ⊥ if not.
    delta: VarId,
    on: VarId,
    /// Conditions: the height is at most the parameter; it is below it; it is at it or beyond.
    holds: ExprId,
    below: ExprId,
    reaches: ExprId,
    /// Least bound of every invariant.
    floor: Bound,
    at: Bound,
    /// TRUE if its value is the best one, or none was found: it is no longer asked about.
    settled: bool,
}

/// Start of the runs whose last state must satisfy the template.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum From {
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
            let delta = pool.new_var(format!("#delta{i}"), Sort::BitVec(row.width));
            let on = pool.new_var(format!("#on{i}"), Sort::Bool);
            let (d, o) = (pool.var(delta), pool.var(on));
            let within = pool.bv_cmp(BvCmp::Ule, row.height, d);
            let strictly = pool.bv_cmp(BvCmp::Ult, row.height, d);
            let beyond = pool.bv_cmp(BvCmp::Ule, d, row.height);
            let (mut holds, mut below, mut reaches) = (pool.and(o, within), pool.and(o, strictly), pool.and(o, beyond));
            if let Some(guard) = row.guard {
                holds = pool.implies(guard, holds);
                below = pool.implies(guard, below);
                reaches = pool.and(guard, reaches);
            }
            all.push(Parameterised { row, delta, on, holds, below, reaches, floor: None, at: None, settled: false });
        }
        let mut inference = Inference { rows: all, rounds: 0, stage: Stage::Whole };
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

    /// Returns the rows that are asked about.
    fn live(&self) -> impl Iterator<Item = (usize, &Parameterised)> {
        self.rows
            .iter()
            .enumerate()
            .filter(|(_, row)| !row.settled && row.row.stage <= self.stage && row.at != Some(row.row.top()))
    }

    fn template(&self, pool: &mut ExprPool) -> ExprId {
        let all: Vec<ExprId> = self.live().map(|(_, row)| row.holds).collect();
        crate::engine::houdini::conjunction(pool, &all)
    }

    /// Returns the condition that the parameters have their values, except those of the rows `free`.
    fn fixed(&self, pool: &mut ExprPool, free: &[usize]) -> Vec<(ExprId, Frame)> {
        let mut given = Vec::new();
        for (i, row) in self.live() {
            if free.contains(&i) {
                continue;
            }
            let (on, delta) = (pool.var(row.on), pool.var(row.delta));
            match row.at {
                None => given.push((pool.not(on), 0)),
                Some(at) => {
                    let at = pool.constant(Value::bv(row.row.width, at));
                    given.extend([(on, 0), (pool.eq(delta, at), 0)]);
                }
            }
        }
        given
    }

    /// Raises rows by Equation 13 until there is no model.
    fn raise(&mut self, cx: &mut Ctx<'_>, system: &System, frames: &mut Frames, from: From, frame: Frame) -> Result<(), Stop> {
        loop {
            let template = self.template(&mut cx.pool);
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
            let searched: Vec<usize> = broken.into_iter().filter(|i| 1 < self.rows[*i].row.width).take(TOGETHER).collect();
            if !searched.is_empty() {
                heights = self.optimise(cx, system, frames, (from, frame), &searched, heights)?;
            }
            let live: Vec<usize> = self.live().map(|(i, _)| i).collect();
            for i in live {
                self.rows[i].at = self.rows[i].at.max(heights[i]);
            }
        }
    }

    /// Returns by Equation 14 the heights of a state that raises the rows `searched`, in sum as far as steps of doubling size
    /// find.
    fn optimise(
        &mut self,
        cx: &mut Ctx<'_>,
        system: &System,
        frames: &mut Frames,
        (from, frame): (From, Frame),
        searched: &[usize],
        mut best: Vec<Bound>,
    ) -> Result<Vec<Bound>, Stop> {
        let pool = &mut cx.pool;
        let mut premise = self.template(pool);
        // Six summands need three bits more.
        let width = searched.iter().map(|i| self.rows[*i].row.width).max().unwrap_or(1) + 3;
        let mut sum = pool.constant(Value::bv(width, 0));
        let mut given = self.fixed(pool, searched);
        let mut ceiling = 0u128;
        for row in searched.iter().map(|i| &self.rows[*i]) {
            premise = pool.and(premise, row.below);
            let (on, delta) = (pool.var(row.on), pool.var(row.delta));
            let wide = pool.zero_extend(width, delta);
            sum = pool.bv(BvBin::Add, sum, wide);
            given.extend([(on, 0), (row.reaches, frame)]);
            if let Some(at) = row.at {
                let at = pool.constant(Value::bv(row.row.width, at));
                given.push((pool.bv_cmp(BvCmp::Ult, at, delta), 0));
            }
            ceiling += row.row.top();
        }
        given.extend(context(frames, from, frame, premise));
        let total = |heights: &[Bound]| searched.iter().filter_map(|i| heights[*i]).sum::<u128>();
        let mut low = total(&best);
        let mut ask = |cx: &mut Ctx<'_>, low: &mut u128, best: &mut Vec<Bound>, from: u128, to: u128| -> Result<bool, Stop> {
            let (a, b) = (cx.pool.constant(Value::bv(width, from)), cx.pool.constant(Value::bv(width, to)));
            let (a, b) = (cx.pool.bv_cmp(BvCmp::Ule, a, sum), cx.pool.bv_cmp(BvCmp::Ule, sum, b));
            let asked: Vec<(ExprId, Frame)> = given.iter().copied().chain([(a, 0), (b, 0)]).collect();
            if let Answer::No = frames.check(cx, &asked)? {
                return Ok(false);
            }
            let state = frames.state(&mut cx.pool, system, frame)?;
            *best = self.heights(&cx.pool, system, &state);
            // The state may be beyond the parameters.
            *low = from.max(total(best)).min(ceiling);
            Ok(true)
        };
        let mut span = 1u128;
        while low < ceiling {
            let first = low.saturating_add(span).min(ceiling);
            let last = low.saturating_add(2 * span - 1).min(ceiling);
            if !ask(cx, &mut low, &mut best, first, last)? {
                let mut high = first - 1;
                while low < high {
                    let middle = low + (high - low).div_ceil(2);
                    if !ask(cx, &mut low, &mut best, middle, high)? {
                        high = middle - 1;
                    }
                }
                break;
            }
            span *= 2;
        }
        Ok(best)
    }

    /// Returns the height of each row in a state; ⊥ where its guard is false.
    fn heights(&self, pool: &ExprPool, system: &System, state: &[Value]) -> Vec<Bound> {
        let mut evaluator = Evaluator::new();
        let env = |var: VarId| system.vars.binary_search(&var).ok().and_then(|i| state.get(i).copied());
        let mut height = |row: &Row| {
            if let Some(guard) = row.guard
                && evaluator.eval(pool, guard, &env) == Some(Value::Bool(false))
            {
                return None;
            }
            // A height that cannot be computed is not bounded.
            Some(evaluator.eval(pool, row.height, &env).and_then(|value| value.as_unsigned()).unwrap_or(row.top()))
        };
        self.rows.iter().map(|row| height(&row.row)).collect()
    }
}

/// Returns the assumptions about the frames before `frame`.
fn context(frames: &Frames, from: From, frame: Frame, premise: ExprId) -> Vec<(ExprId, Frame)> {
    match from {
        From::Start => vec![frames.start()],
        From::Template => (0..frame).map(|before| (premise, before)).collect(),
    }
}
