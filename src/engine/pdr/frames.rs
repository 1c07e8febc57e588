//! Frames: over-approximations of what can be reached within k steps, as cubes that cannot; and questions about one step.

use super::super::{Ctx, Stop};
use crate::smt::bitblast::{Bits, Circuit, Fact, Goal, Justifier, StateLit, Step, StepSolver};
use crate::smt::{Interrupt, Unknown};
use crate::verdict::Reason;

/// A conjunction of values of latches, ascending.
pub(super) type Cube = Vec<StateLit>;

/// Whether every state of `b` is one of `a`.
pub(super) fn subsumes(a: &[StateLit], b: &[StateLit]) -> bool {
    let mut rest = b.iter();
    a.len() <= b.len() && a.iter().all(|l| rest.any(|other| other == l))
}

/// Frames `0..=top`. A cube stands at the highest level it is known to be unreachable within; it counts for all lower ones.
pub(super) struct Frames {
    levels: Vec<Level>,
    facts: Vec<Fact>,
    interrupt: Interrupt,
    work: Justifier,
}

struct Level {
    solver: StepSolver,
    cubes: Vec<Cube>,
}

/// Why a cube can be entered.
pub(super) struct Way {
    /// States from all of which the cube is entered by the inputs.
    pub(super) from: Cube,
    /// One of them, in full.
    pub(super) state: Bits,
    pub(super) inputs: Bits,
}

/// Questions for one use after which a solver is made anew.
const SPENT: usize = 2_000;

impl Frames {
    pub(super) fn new(cx: &Ctx<'_>, circuit: &Circuit) -> Frames {
        let interrupt = Interrupt { deadline: None, cancel: cx.interrupt.cancel.clone() };
        let mut frames = Frames { levels: Vec::new(), facts: Vec::new(), interrupt, work: Justifier::default() };
        frames.push(circuit);
        frames
    }
    /// The highest level.
    pub(super) fn top(&self) -> usize {
        self.levels.len() - 1
    }
    /// One level more, which allows every state.
    pub(super) fn push(&mut self, circuit: &Circuit) {
        let solver = self.solver(circuit, self.levels.len());
        self.levels.push(Level { solver, cubes: Vec::new() });
    }
    fn solver(&self, circuit: &Circuit, level: usize) -> StepSolver {
        let mut solver = StepSolver::new(&self.interrupt);
        if level == 0 {
            solver.start(circuit);
        }
        for fact in &self.facts {
            solver.fact(circuit, *fact);
        }
        for cube in self.levels.iter().skip(level.max(1)).flat_map(|level| &level.cubes) {
            solver.block(circuit, cube);
        }
        solver
    }
    /// A fact of all runs.
    pub(super) fn fact(&mut self, circuit: &Circuit, fact: Fact) {
        self.facts.push(fact);
        for level in &mut self.levels {
            level.solver.fact(circuit, fact);
        }
    }
    pub(super) fn facts(&self) -> &[Fact] {
        &self.facts
    }
    /// The cubes at exactly this level.
    pub(super) fn cubes(&self, level: usize) -> &[Cube] {
        self.levels.get(level).map_or(&[], |level| &level.cubes)
    }
    /// The cubes at this level and above.
    pub(super) fn from(&self, level: usize) -> impl Iterator<Item = &Cube> {
        self.levels.iter().skip(level).flat_map(|level| &level.cubes)
    }
    /// Whether the cube is known to be unreachable within `level` steps, without asking anybody.
    pub(super) fn is_blocked(&self, level: usize, cube: &[StateLit]) -> bool {
        self.from(level).any(|known| subsumes(known, cube))
    }
    /// From now on the cube is unreachable within `level` steps.
    pub(super) fn block(&mut self, circuit: &Circuit, level: usize, cube: Cube) {
        for (i, at) in self.levels.iter_mut().enumerate().take(level + 1).skip(1) {
            // Cubes that are part of the new one say nothing any more.
            at.cubes.retain(|known| !subsumes(&cube, known));
            at.solver.block(circuit, &cube);
            if i == level {
                at.cubes.push(cube.clone());
            }
        }
    }
    /// Takes the cubes of a level out, to look at each again.
    pub(super) fn take(&mut self, level: usize) -> Vec<Cube> {
        self.levels.get_mut(level).map(|level| std::mem::take(&mut level.cubes)).unwrap_or_default()
    }
    /// Puts a cube that was taken out back, where it counts still.
    pub(super) fn put(&mut self, level: usize, cube: Cube) {
        if let Some(level) = self.levels.get_mut(level) {
            level.cubes.push(cube);
        }
    }

    /// Whether a violation is possible in the step from a state of frame `level`.
    pub(super) fn bad(&mut self, cx: &Ctx<'_>, circuit: &Circuit, level: usize) -> Result<Option<Way>, Stop> {
        cx.tick()?;
        let solver = &mut self.levels[level].solver;
        match solver.bad(circuit, &[], cx.interrupt.deadline) {
            Step::Yes => {
                let (state, inputs) = solver.model(circuit);
                way(&mut self.work, circuit, Goal::Bad, state, inputs).map(Some)
            }
            Step::No(..) => Ok(None),
            Step::Stopped(why) => Err(stopped(cx, why)),
        }
    }
    /// Whether the cube can be entered from a state of frame `level` outside of it; if not, a part of it that cannot
    /// either and that no initial state lies in. No initial state may lie in the cube.
    pub(super) fn enter(&mut self, cx: &Ctx<'_>, circuit: &Circuit, level: usize, cube: &[StateLit]) -> Result<Entered, Stop> {
        cx.tick()?;
        if SPENT < self.levels[level].solver.n_spent {
            self.levels[level].solver = self.solver(circuit, level);
        }
        let solver = &mut self.levels[level].solver;
        let outside = solver.block_if(circuit, cube);
        let answer = solver.enter(circuit, cube, &[outside], cx.interrupt.deadline);
        let result = match answer {
            Step::Yes => {
                let (state, inputs) = solver.model(circuit);
                way(&mut self.work, circuit, Goal::Into(cube), state, inputs).map(Entered::From)
            }
            Step::No(mut core, _) => {
                if circuit.meets_start(&core) {
                    // Some literal of the cube excludes the initial states, for they do not lie in it.
                    let excludes = cube.iter().find(|l| circuit.latches[l.latch()].initial.is_some_and(|b| b != l.value()));
                    core.extend(excludes);
                    core.sort_unstable();
                }
                Ok(Entered::Never(core))
            }
            Step::Stopped(why) => Err(stopped(cx, why)),
        };
        self.levels[level].solver.release(outside);
        result
    }
}

/// The answer to [`Frames::enter`].
pub(super) enum Entered {
    From(Way),
    Never(Cube),
}

fn way(work: &mut Justifier, circuit: &Circuit, goal: Goal<'_>, state: Bits, inputs: Bits) -> Result<Way, Stop> {
    match circuit.justify(work, goal, |i| state.get(i), |i| inputs.get(i)) {
        Some(from) => Ok(Way { from, state, inputs }),
        None => Err(Stop::Solver(crate::smt::SolverError("a model does not do what was asked for".into()))),
    }
}

pub(super) fn stopped(cx: &Ctx<'_>, why: Unknown) -> Stop {
    match (cx.tick(), why) {
        (Err(stop), _) => stop,
        // The deadline of this slice is over between the solver's look at the clock and ours.
        (Ok(()), Unknown::Limit | Unknown::Interrupted) => Stop::Reason(Reason::Cancelled),
        (Ok(()), Unknown::Incomplete) => Stop::Reason(Reason::SolverUnknown),
    }
}
