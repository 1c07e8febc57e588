//! Bounded model checking: searches the first cycles for a violation, then the next ones. Finds shortest counterexamples.
//!
//! One solver has all cycles and keeps its answers. The cycles are searched one by one or in blocks that double. Blocks need
//! fewer questions where violations are deep; halving then finds the first violation of the block.
//!
//! The forward condition ([`super::forward`]) ends the search with a proof.
//!
//! Source: Biere, Cimatti, Clarke, Zhu, "Symbolic model checking without BDDs", TACAS 1999, doi:10.1007/3-540-49059-0_14.

use super::forward::{FORWARD, Forward, ForwardChoice};
use super::unroll::{Answer, Start, Unrolling};
use super::{Algorithm, EngineInfo, OptionInfo, Resumable, Values, words};
use kernel::cfa::Cfa;
use kernel::cfa::pass::{Encoding, System, monolithic};
use kernel::context::{Ctx, MakeSolver, Progress, Stop, count};
use kernel::expr::{ExprId, ExprPool, Sort, Value, VarId};
use kernel::smt::Frame;
use kernel::verdict::{Argument, Proof, Reason, Trace, Verdict};

/// Bounded model checking.
pub struct Bmc {
    /// Number of cycles to search; `None` for no bound.
    bound: Option<u32>,
    step: Step,
    forward: ForwardChoice,
    solvers: MakeSolver,
}

/// Number of cycles in one question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    One,
    /// Twice as many as before.
    Double,
}

const STEPS: [(&str, Step); 2] = [("one", Step::One), ("double", Step::Double)];

/// Row of the engines' table.
pub const INFO: EngineInfo = EngineInfo {
    name: "bmc",
    title: "Bounded model checking (finds violations, proves what has few states or short runs)",
    source: "Biere, Cimatti, Clarke, Zhu, Symbolic model checking without BDDs, TACAS 1999",
    options: &[
        OptionInfo {
            name: "k",
            values: Values::Number { low: 1, high: 1_000_000, words: &["none"] },
            default: "none",
            help: "Cycles to look at (with a loop inside the cycle: steps between loop heads).",
        },
        OptionInfo {
            name: "step",
            values: Values::OneOf(&words(&STEPS)),
            default: "one",
            help: "Cycles in one question: one, or each time twice as many as before. The counterexample is a shortest one in \
                   both cases.",
        },
        OptionInfo {
            name: "forward",
            values: Values::OneOf(&words(&FORWARD)),
            default: "on",
            help: "The forward condition ends the search with a proof: no run has more steps (`end`), none without a repeated \
                   state (`simple`), no step leads to a new state, of at most 256 (`states`), or all of these (`on`).",
        },
    ],
    absent: &[],
    encoding: Encoding::Lbe,
    build: |settings, solvers| {
        let (step, forward) = (settings.choice("step", &STEPS), settings.choice("forward", &FORWARD));
        Ok(Box::new(Resumable::new(Bmc { bound: settings.number("k"), step, forward, solvers: solvers.clone() })))
    },
};

/// State between two calls of `run`.
pub struct State {
    system: System,
    frames: Unrolling,
    /// Bool variables of a block: all its cycles so far were completed; there was a violation before the present one.
    alive: VarId,
    hit: VarId,
    /// The cycles before this one are good, and completed.
    n_good: u32,
    /// Number of cycles in question.
    block: u32,
    /// TRUE if frame `n_good` has been made the beginning of a block.
    begun: bool,
    forward: Forward,
}

impl Bmc {
    /// Returns an engine that searches the first `bound` cycles one by one.
    pub fn bounded(bound: u32, solvers: MakeSolver) -> Resumable<Bmc> {
        Resumable::new(Bmc { bound: Some(bound), step: Step::One, forward: ForwardChoice::Off, solvers })
    }
}

impl Algorithm for Bmc {
    type State = State;

    fn begin(&self, cx: &mut Ctx<'_>, cfa: &Cfa) -> Result<State, Stop> {
        let system = monolithic(&mut cx.pool, cfa);
        let frames = Unrolling::new(&self.solvers, cx, &system, Start::Initial)?;
        let (alive, hit) = (cx.pool.new_var("#alive", Sort::Bool), cx.pool.new_var("#hit", Sort::Bool));
        let forward = Forward::new(&mut cx.pool, &system, self.forward);
        Ok(State { system, frames, alive, hit, n_good: 0, block: 1, begun: false, forward })
    }
    /// Searches block by block.
    ///
    /// Cost:      one check per block, each harder than the one before; some more for the block with a violation.
    /// Soundness: a trace is a model of the unrolled system and still has to be replayed; `Safe` carries an inductive
    ///            invariant, or the number of steps after which all runs end.
    fn search(&mut self, cx: &mut Ctx<'_>, cfa: &Cfa, state: &mut State) -> Result<Verdict, Stop> {
        if self.forward != ForwardChoice::Off && cx.pool.is_false(state.system.bad) {
            let yes = cx.pool.bool(true);
            let argument = Argument::Inductive(state.system.per_cut(&mut cx.pool, yes));
            return Ok(Verdict::Safe(Proof { pool: cx.pool.clone(), argument }));
        }
        loop {
            let left = self.bound.map_or(u32::MAX, |bound| bound.saturating_sub(state.n_good));
            if left == 0 {
                return Ok(Verdict::Unknown(Reason::Bound));
            }
            let last = state.n_good.saturating_add(state.block.min(left) - 1);
            state.unroll(&mut cx.pool, last)?;
            let violated = state.violated_by(&mut cx.pool);
            match state.frames.check(cx, &[(violated, last)])? {
                Answer::Yes => return Ok(Verdict::Unsafe(state.shortest(cx, cfa, last)?)),
                Answer::No => {}
            }
            // With a loop inside the cycle, several steps make one cycle.
            let (safe_cycles, unit) = match state.system.pc {
                None => (Some(last + 1), "cycle"),
                Some(_) => (None, "step"),
            };
            let text = match last {
                0 => format!("no violation in the first {unit}"),
                _ => format!("no violation in the first {}", count(last as usize + 1, unit)),
            };
            (cx.events)(Progress { engine: INFO.name, safe_cycles, text });
            let alive = cx.pool.var(state.alive);
            if let Some(inside) = state.forward.nothing_new(cx, &mut state.frames, alive, last)? {
                let argument = Argument::Inductive(state.system.per_cut(&mut cx.pool, inside));
                return Ok(Verdict::Safe(Proof { pool: cx.pool.clone(), argument }));
            }
            state.complete(cx, last, violated)?;
            if let Some(argument) = state.forward.exhausted(cx, &state.system, &mut state.frames)? {
                return Ok(Verdict::Safe(Proof { pool: cx.pool.clone(), argument }));
            }
            state.block = match self.step {
                Step::One => 1,
                Step::Double => state.block.saturating_mul(2),
            };
        }
    }
}

impl State {
    /// Adds frames up to the last one of the block. Its cycles need not be possible: a violation ends a run.
    fn unroll(&mut self, pool: &mut ExprPool, last: Frame) -> Result<(), Stop> {
        let alive = pool.var(self.alive);
        if !self.begun {
            let (yes, no) = (pool.bool(true), pool.bool(false));
            self.frames.set(pool, self.alive, yes)?;
            self.frames.set(pool, self.hit, no)?;
            self.begun = true;
        }
        let goes_on = pool.and(alive, self.system.guard);
        let violated = self.violated_by(pool);
        while self.frames.last() < last {
            self.frames.advance(pool, &self.system, &[(self.alive, goes_on), (self.hit, violated)])?;
            self.forward.extend(pool, &mut self.frames)?;
        }
        Ok(())
    }
    /// Returns the condition on a frame that a cycle of the block has a violation, at the latest the one that begins there.
    fn violated_by(&self, pool: &mut ExprPool) -> ExprId {
        let (alive, hit) = (pool.var(self.alive), pool.var(self.hit));
        let now = pool.and(alive, self.system.bad);
        pool.or(hit, now)
    }
    /// Asserts that all cycles of the block are good and completed.
    fn complete(&mut self, cx: &mut Ctx<'_>, last: Frame, violated: ExprId) -> Result<(), Stop> {
        // The check has just shown it; as an assertion it saves work in later checks.
        let good = cx.pool.not(violated);
        self.frames.assert(&cx.pool, good, last)?;
        let alive = cx.pool.var(self.alive);
        self.frames.assert(&cx.pool, alive, last)?;
        self.frames.step(&cx.pool, &self.system)?;
        self.forward.extend(&mut cx.pool, &mut self.frames)?;
        (self.n_good, self.begun) = (last + 1, false);
        Ok(())
    }
    /// Returns a shortest violation of a block in which the solver has just found one. If time ends the search, returns the known
    /// one.
    fn shortest(&mut self, cx: &mut Ctx<'_>, cfa: &Cfa, last: Frame) -> Result<Trace, Stop> {
        let violated = self.violated_by(&mut cx.pool);
        let head = cfa.locs[cfa.head].origin;
        let (mut low, mut high) = (self.n_good, last);
        loop {
            // The last answer was a violation by cycle `high`.
            while low < high && self.is_true(cx, violated, high - 1)? {
                high -= 1;
            }
            let known = self.frames.trace(&mut cx.pool, &self.system, head, high)?;
            loop {
                if low == high {
                    return Ok(known);
                }
                let middle = low + (high - low) / 2;
                match self.frames.check(cx, &[(violated, middle)]) {
                    Ok(Answer::Yes) => {
                        high = middle;
                        break;
                    }
                    Ok(Answer::No) => low = middle + 1,
                    Err(Stop::Reason(_)) => return Ok(known),
                    Err(stop @ Stop::Solver(_)) => return Err(stop),
                }
            }
        }
    }
    fn is_true(&mut self, cx: &Ctx<'_>, e: ExprId, frame: Frame) -> Result<bool, Stop> {
        Ok(self.frames.value(&cx.pool, e, frame)? == Value::Bool(true))
    }
}
