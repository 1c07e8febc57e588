//! One step over words, in one incremental solver.
//!
//! The abstraction is implicit. Cimatti and others ask for a step between states that agree on all predicates with the states
//! before and after it. Frames and cubes consist of predicates alone and cannot distinguish such states, so the question about
//! the concrete step is the same. Only the answer is abstract: of the state found, only the predicates' values are kept, and all
//! states that agree on them count as having such a step.
//!
//! A step is a function of state and inputs, so all formulas are over the state before it ([`Time`]). Clauses stay asserted; one
//! switch for each level enables them.

use std::time::{Duration, Instant};

use super::super::frames::{Asked, Cube, Entered, Predecessor, Steps};
use super::predicates::{Predicates, Time};
use crate::engine::unroll::{self, Answer as Decided};
use kernel::cfa::pass::System;
use kernel::context::{Ctx, MakeSolver, Stop};
use kernel::expr::{ExprId, Sort, Value, VarId};
use kernel::smt::bitblast::{Bits, StateLit};
use kernel::smt::{Frame, Sat, Solver, Unknown};

/// Questions about the words of a system.
pub(super) struct WordSteps {
    pub(super) predicates: Predicates,
    /// Facts that hold in all runs.
    pub(super) facts: Vec<ExprId>,
    make: MakeSolver,
    solver: Box<dyn Solver>,
    guard: ExprId,
    bad: ExprId,
    inputs: Vec<VarId>,
    /// By level the assumption that allows only its states; that of level 0 is the initial values.
    switches: Vec<ExprId>,
    n_asked: usize,
    /// Longest time of an answer that the search needed.
    longest: Duration,
    lifting: Lifting,
}

/// Success rate of generalising a state to a cube whose states all take the step.
#[derive(Clone, Copy, Debug, Default)]
struct Lifting {
    n_tried: usize,
    n_done: usize,
}

enum Answer {
    Yes,
    No,
    Undecided,
}

/// Questions after which the solver is made anew, because formulas of past questions stay in it.
const SPENT: usize = if cfg!(test) { 30 } else { 1_500 };

impl WordSteps {
    pub(super) fn new(cx: &mut Ctx<'_>, make: &MakeSolver, system: &System) -> Result<WordSteps, Stop> {
        let mut steps = WordSteps {
            predicates: Predicates::new(&mut cx.pool, system),
            facts: Vec::new(),
            solver: cx.solver(make)?,
            make: make.clone(),
            guard: system.guard,
            bad: system.bad,
            inputs: system.inputs.iter().map(|input| input.var).collect(),
            switches: Vec::new(),
            n_asked: 0,
            longest: Duration::ZERO,
            lifting: Lifting::default(),
        };
        let mut start = Vec::with_capacity(system.initial.len());
        for (var, value) in &system.initial {
            let (x, value) = (cx.pool.var(*var), cx.pool.constant(*value));
            start.push(cx.pool.eq(x, value));
        }
        steps.switches.push(cx.pool.and_all(start));
        Ok(steps)
    }
    /// Adds a fact that holds in all runs.
    pub(super) fn fact(&mut self, cx: &Ctx<'_>, fact: ExprId) -> Result<(), Stop> {
        self.solver.assert(&cx.pool, fact, 0)?;
        self.facts.push(fact);
        Ok(())
    }
    /// Returns the formulas of frame `level`.
    fn frame(&self, level: usize) -> Vec<ExprId> {
        if level == 0 { self.switches[..1].to_vec() } else { self.switches[level..].to_vec() }
    }
    fn literals(&self, cx: &mut Ctx<'_>, cube: &[StateLit], time: Time) -> Vec<ExprId> {
        cube.iter().map(|l| self.predicates.literal(&mut cx.pool, *l, time)).collect()
    }
    fn assert_blocked(&mut self, cx: &mut Ctx<'_>, level: usize, cube: &[StateLit]) -> Result<(), Stop> {
        let inside = self.predicates.cube(&mut cx.pool, cube, Time::Now);
        let outside = cx.pool.not(inside);
        let clause = cx.pool.implies(self.switches[level], outside);
        Ok(self.solver.assert(&cx.pool, clause, 0)?)
    }
    fn ask(&mut self, cx: &Ctx<'_>, assumed: &[ExprId], asked: Asked) -> Result<Answer, Stop> {
        /// Least time for questions that only save time; hard questions get more.
        const LEAST: Duration = Duration::from_millis(200);
        const MOST: Duration = Duration::from_secs(3);
        cx.tick()?;
        self.n_asked += 1;
        let assumed: Vec<(ExprId, Frame)> = assumed.iter().map(|e| (*e, 0)).collect();
        match asked {
            Asked::MustKnow => {
                let begin = Instant::now();
                let answer = unroll::check(cx, &mut *self.solver, &assumed)?;
                self.longest = self.longest.max(begin.elapsed());
                Ok(match answer {
                    Decided::Yes => Answer::Yes,
                    Decided::No => Answer::No,
                })
            }
            Asked::IfEasy => {
                let left = cx.interrupt.deadline.map_or(MOST, |end| end.saturating_duration_since(Instant::now()));
                let limit = (2 * self.longest).clamp(LEAST, MOST).min(left);
                self.solver.limit(Some(limit.as_millis().max(1) as u64));
                match self.solver.check(&cx.pool, &assumed)? {
                    Sat::Sat => Ok(Answer::Yes),
                    Sat::Unsat => Ok(Answer::No),
                    Sat::Unknown(Unknown::Limit | Unknown::Incomplete) => Ok(Answer::Undecided),
                    Sat::Unknown(why @ Unknown::Interrupted) => Err(why.into()),
                }
            }
        }
    }
    /// Returns the part of `cube` whose literals stand in the last core, of assumptions that begin with them at `first`.
    fn core(&self, cube: &[StateLit], first: usize) -> Cube {
        let positions = self.solver.core().into_iter();
        let mut core: Cube = positions.filter_map(|at| cube.get(at.checked_sub(first)?).copied()).collect();
        core.sort_unstable();
        core.dedup();
        core
    }
    /// Returns, after a yes, a cube of the state found: one whose states all take the step with the same inputs, if that is found
    /// soon, otherwise the full cube.
    ///
    /// Both are right: some state of a full cube takes the step, and every state of a smaller one does. So if the predicates
    /// exclude a path step by step, no cubes lead along it.
    fn way(&mut self, cx: &mut Ctx<'_>, goal: ExprId, asked: Asked) -> Result<Predecessor<()>, Stop> {
        let mut values = Vec::with_capacity(self.predicates.len());
        for e in self.predicates.now() {
            values.push(self.solver.value(&cx.pool, e, 0)? == Value::Bool(true));
        }
        let full = Predicates::full(&values);
        let state = Bits::new(values.len(), |i| values[i]);
        let from = match asked {
            Asked::MustKnow if self.lifting.is_worth_it() => self.lift(cx, &full, goal)?,
            Asked::MustKnow | Asked::IfEasy => full,
        };
        Ok(Predecessor { from, state, inputs: () })
    }
    fn lift(&mut self, cx: &mut Ctx<'_>, full: &Cube, goal: ExprId) -> Result<Cube, Stop> {
        let mut assumed = self.literals(cx, full, Time::Now);
        for var in &self.inputs {
            let x = cx.pool.var(*var);
            let value = self.solver.value(&cx.pool, x, 0)?;
            let value = cx.pool.constant(value);
            assumed.push(cx.pool.eq(x, value));
        }
        assumed.push(cx.pool.not(goal));
        Ok(match self.ask(cx, &assumed, Asked::IfEasy)? {
            Answer::No => {
                self.lifting.n_done += 1;
                self.core(full, 0)
            }
            Answer::Yes | Answer::Undecided => full.clone(),
        })
    }
    /// Returns literals of the cube that no initial state has together; none if an initial state lies in the cube.
    fn excluded(&mut self, cx: &mut Ctx<'_>, cube: &[StateLit]) -> Result<Option<Cube>, Stop> {
        if let Some(l) = cube.iter().find(|l| self.predicates.at_start(**l) == Some(false)) {
            return Ok(Some(vec![*l]));
        }
        if cube.iter().all(|l| self.predicates.at_start(*l) == Some(true)) {
            return Ok(None);
        }
        let mut assumed = self.literals(cx, cube, Time::Now);
        assumed.extend(self.frame(0));
        Ok(match self.ask(cx, &assumed, Asked::MustKnow)? {
            Answer::No => Some(self.core(cube, 0)),
            Answer::Yes => None,
            Answer::Undecided => return Err(Unknown::Incomplete.into()),
        })
    }
}

impl Lifting {
    /// Counts an attempt. Returns whether to make it: few are made where they rarely succeed.
    fn is_worth_it(&mut self) -> bool {
        self.n_tried += 1;
        self.n_tried < 16 || self.n_tried < 8 * self.n_done || self.n_tried.is_multiple_of(16)
    }
}

impl Steps for WordSteps {
    type Inputs = ();

    fn rank(&self, _: StateLit) -> u16 {
        0
    }
    fn meets_start(&mut self, cx: &mut Ctx<'_>, cube: &[StateLit]) -> Result<bool, Stop> {
        Ok(self.excluded(cx, cube)?.is_none())
    }
    fn push(&mut self, cx: &mut Ctx<'_>) -> Result<(), Stop> {
        let switch = cx.pool.new_var(format!("#level{}", self.switches.len()), Sort::Bool);
        self.switches.push(cx.pool.var(switch));
        Ok(())
    }
    fn block(&mut self, cx: &mut Ctx<'_>, level: usize, cube: &[StateLit]) -> Result<(), Stop> {
        self.assert_blocked(cx, level, cube)
    }
    fn refresh(&mut self, cx: &mut Ctx<'_>, _: usize, blocked: &[Vec<Cube>]) -> Result<(), Stop> {
        if self.n_asked <= SPENT {
            return Ok(());
        }
        self.solver = cx.solver(&self.make)?;
        self.n_asked = 0;
        for fact in &self.facts {
            self.solver.assert(&cx.pool, *fact, 0)?;
        }
        for (level, cubes) in blocked.iter().enumerate() {
            for cube in cubes {
                self.assert_blocked(cx, level, cube)?;
            }
        }
        Ok(())
    }
    fn bad(&mut self, cx: &mut Ctx<'_>, level: usize) -> Result<Option<Predecessor<()>>, Stop> {
        let mut assumed = self.frame(level);
        assumed.push(self.bad);
        match self.ask(cx, &assumed, Asked::MustKnow)? {
            Answer::Yes => self.way(cx, self.bad, Asked::MustKnow).map(Some),
            Answer::No => Ok(None),
            Answer::Undecided => Err(Unknown::Incomplete.into()),
        }
    }
    fn enter(&mut self, cx: &mut Ctx<'_>, level: usize, cube: &[StateLit], asked: Asked) -> Result<Entered<()>, Stop> {
        let inside = self.predicates.cube(&mut cx.pool, cube, Time::Now);
        let mut assumed = self.frame(level);
        assumed.extend([self.guard, cx.pool.not(inside)]);
        let first = assumed.len();
        assumed.extend(self.literals(cx, cube, Time::After));
        match self.ask(cx, &assumed, asked)? {
            Answer::Undecided => Ok(Entered::Undecided),
            Answer::Yes => {
                let after = self.predicates.cube(&mut cx.pool, cube, Time::After);
                let goal = cx.pool.and(self.guard, after);
                self.way(cx, goal, asked).map(Entered::From)
            }
            Answer::No => {
                let mut core = self.core(cube, first);
                if self.excluded(cx, &core)?.is_none() {
                    // No initial state lies in the cube, so some of its literals exclude them.
                    core.extend(self.excluded(cx, cube)?.into_iter().flatten());
                    core.sort_unstable();
                    core.dedup();
                }
                Ok(Entered::Never(core))
            }
        }
    }
}
