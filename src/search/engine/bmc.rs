//! Bounded model checking: searches the first cycles for a violation, then the next ones. Finds shortest counterexamples.
//!
//! One solver has all cycles and keeps its answers. The cycles are searched one by one or in blocks that double. Blocks need
//! fewer questions where violations are deep; halving then finds the first violation of the block.
//!
//! The forward condition ends the search where no cycle begins in a new state. The disjunction of the states seen is then an
//! inductive invariant, and the proof. With more than [`MOST_STATES`] states the condition is given up.
//!
//! Source: Biere, Cimatti, Clarke, Zhu, "Symbolic model checking without BDDs", TACAS 1999, doi:10.1007/3-540-49059-0_14; the
//! forward condition: Sheeran, Singh, Stålmarck, FMCAD 2000, doi:10.1007/3-540-40922-X_8 (Algorithm 1).

use super::kinduction::deciding;
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
    forward: Forward,
    solvers: MakeSolver,
}

/// Number of cycles in one question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    One,
    /// Twice as many as before.
    Double,
}

/// Check whether the next cycle begins in a new state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Forward {
    Asked,
    Off,
}

/// Largest number of states in the forward condition; with more the invariant would be too long to be useful.
const MOST_STATES: usize = 256;

const STEPS: [(&str, Step); 2] = [("one", Step::One), ("double", Step::Double)];
const FORWARD: [(&str, Forward); 2] = [("on", Forward::Asked), ("off", Forward::Off)];

/// Row of the engines' table.
pub const INFO: EngineInfo = EngineInfo {
    name: "bmc",
    title: "Bounded model checking (finds violations, proves what has few states)",
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
            help: "The forward condition: ends with a proof when no cycle begins in a new state, if there are at most 256 states.",
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
    reached: Option<Reached>,
}

/// States at the beginnings of cycles, reduced to the variables that the future depends on.
struct Reached {
    vars: Vec<VarId>,
    n_states: usize,
    /// The state is one of them; it is none of them.
    inside: ExprId,
    outside: ExprId,
    /// Number of frames whose states are included, and number of distinct states.
    n_frames: u32,
    n_before: usize,
}

impl Bmc {
    /// Returns an engine that searches the first `bound` cycles one by one.
    pub fn bounded(bound: u32, solvers: MakeSolver) -> Resumable<Bmc> {
        Resumable::new(Bmc { bound: Some(bound), step: Step::One, forward: Forward::Off, solvers })
    }
}

impl Algorithm for Bmc {
    type State = State;

    fn begin(&self, cx: &mut Ctx<'_>, cfa: &Cfa) -> Result<State, Stop> {
        let system = monolithic(&mut cx.pool, cfa);
        let frames = Unrolling::new(&self.solvers, cx, &system, Start::Initial)?;
        let (alive, hit) = (cx.pool.new_var("#alive", Sort::Bool), cx.pool.new_var("#hit", Sort::Bool));
        let reached = match self.forward {
            Forward::Asked => Some(Reached::nothing(&mut cx.pool, &system)),
            Forward::Off => None,
        };
        Ok(State { system, frames, alive, hit, n_good: 0, block: 1, begun: false, reached })
    }
    /// Searches block by block.
    ///
    /// Cost:      one check per block, each harder than the one before; some more for the block with a violation.
    /// Soundness: a trace is a model of the unrolled system and still has to be replayed; `Safe` carries an inductive invariant.
    fn search(&mut self, cx: &mut Ctx<'_>, cfa: &Cfa, state: &mut State) -> Result<Verdict, Stop> {
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
            if let Some(inside) = state.nothing_new(cx, last)? {
                let argument = Argument::Inductive(state.system.per_cut(&mut cx.pool, inside));
                return Ok(Verdict::Safe(Proof { pool: cx.pool.clone(), argument }));
            }
            state.complete(cx, last, violated)?;
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
    /// Returns the states at the beginnings of all cycles, if no cycle up to `last` begins in a new one.
    fn nothing_new(&mut self, cx: &mut Ctx<'_>, last: Frame) -> Result<Option<ExprId>, Stop> {
        let alive = cx.pool.var(self.alive);
        while let Some(reached) = self.reached.as_mut().filter(|reached| reached.n_frames <= last) {
            let frame = reached.n_frames;
            while let Answer::Yes = self.frames.check(cx, &[(alive, frame), (reached.outside, frame)])? {
                if reached.n_states == MOST_STATES {
                    self.reached = None;
                    return Ok(None);
                }
                reached.add(cx, &mut self.frames, frame)?;
            }
            if reached.n_states == reached.n_before {
                return Ok(Some(reached.inside));
            }
            (reached.n_frames, reached.n_before) = (frame + 1, reached.n_states);
        }
        Ok(None)
    }
}

impl Reached {
    fn nothing(pool: &mut ExprPool, system: &System) -> Reached {
        let vars = deciding(pool, system).into_iter().collect();
        Reached { vars, n_states: 0, inside: pool.bool(false), outside: pool.bool(true), n_frames: 0, n_before: 0 }
    }
    /// Adds the state of the solver's model.
    fn add(&mut self, cx: &mut Ctx<'_>, frames: &mut Unrolling, frame: Frame) -> Result<(), Stop> {
        let mut same = Vec::with_capacity(self.vars.len());
        for var in &self.vars {
            let e = cx.pool.var(*var);
            let value = frames.value(&cx.pool, e, frame)?;
            let value = cx.pool.constant(value);
            same.push(cx.pool.eq(e, value));
        }
        let state = cx.pool.and_all(same);
        let other = cx.pool.not(state);
        self.inside = cx.pool.or(self.inside, state);
        self.outside = cx.pool.and(self.outside, other);
        self.n_states += 1;
        Ok(())
    }
}
