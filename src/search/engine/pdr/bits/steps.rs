//! One step as gates, a SAT solver for each frame.

use super::super::frames::{Asked, Cube, Entered, Predecessor, Steps};
use kernel::context::{Ctx, Stop};
use kernel::smt::bitblast::{Bits, Circuit, Fact, Goal, Justifier, StateLit, Step, StepSolver};
use kernel::smt::{Interrupt, SolverError, Unknown};
use kernel::verdict::Reason;

/// Questions about the circuit of a system.
pub(super) struct BitSteps {
    pub(super) circuit: Circuit,
    /// By level.
    solvers: Vec<StepSolver>,
    /// Facts that hold in all runs.
    pub(super) facts: Vec<Fact>,
    interrupt: Interrupt,
    work: Justifier,
}

/// Questions for one use after which a solver is made anew.
const SPENT: usize = 2_000;

impl BitSteps {
    pub(super) fn new(cx: &Ctx<'_>, circuit: Circuit) -> BitSteps {
        let interrupt = cx.interrupt.without_deadline();
        BitSteps { circuit, solvers: Vec::new(), facts: Vec::new(), interrupt, work: Justifier::default() }
    }
    fn solver(&self, level: usize, blocked: &[Vec<Cube>]) -> StepSolver {
        let mut solver = StepSolver::new(&self.interrupt);
        if level == 0 {
            solver.start(&self.circuit);
        }
        for fact in &self.facts {
            solver.fact(&self.circuit, *fact);
        }
        for cube in blocked.iter().skip(level.max(1)).flatten() {
            solver.block(&self.circuit, cube);
        }
        solver
    }
    /// Adds a fact that holds in all runs.
    pub(super) fn fact(&mut self, fact: Fact) {
        self.facts.push(fact);
        for solver in &mut self.solvers {
            solver.fact(&self.circuit, fact);
        }
    }
    fn way(&mut self, goal: Goal<'_>, (state, inputs): (Bits, Bits)) -> Result<Predecessor<Bits>, Stop> {
        match self.circuit.justify(&mut self.work, goal, |i| state.get(i), |i| inputs.get(i)) {
            Some(from) => Ok(Predecessor { from, state, inputs }),
            None => Err(Stop::Solver(SolverError("a model does not do what was asked for".into()))),
        }
    }
}

impl Steps for BitSteps {
    type Inputs = Bits;

    fn rank(&self, l: StateLit) -> u16 {
        self.circuit.latches[l.latch()].bit
    }
    fn meets_start(&mut self, _: &mut Ctx<'_>, cube: &[StateLit]) -> Result<bool, Stop> {
        Ok(self.circuit.meets_start(cube))
    }
    fn push(&mut self, _: &mut Ctx<'_>) -> Result<(), Stop> {
        let solver = self.solver(self.solvers.len(), &[]);
        self.solvers.push(solver);
        Ok(())
    }
    fn block(&mut self, _: &mut Ctx<'_>, level: usize, cube: &[StateLit]) -> Result<(), Stop> {
        for solver in self.solvers.iter_mut().take(level + 1).skip(1) {
            solver.block(&self.circuit, cube);
        }
        Ok(())
    }
    fn refresh(&mut self, _: &mut Ctx<'_>, level: usize, blocked: &[Vec<Cube>]) -> Result<(), Stop> {
        if SPENT < self.solvers[level].n_spent {
            self.solvers[level] = self.solver(level, blocked);
        }
        Ok(())
    }
    fn bad(&mut self, cx: &mut Ctx<'_>, level: usize) -> Result<Option<Predecessor<Bits>>, Stop> {
        let solver = &mut self.solvers[level];
        match solver.bad(&self.circuit, &[], cx.interrupt.deadline) {
            Step::Yes => {
                let model = solver.model(&self.circuit);
                self.way(Goal::Bad, model).map(Some)
            }
            Step::No(..) => Ok(None),
            Step::Stopped(why) => Err(stopped(cx, why)),
        }
    }
    fn enter(&mut self, cx: &mut Ctx<'_>, level: usize, cube: &[StateLit], _: Asked) -> Result<Entered<Bits>, Stop> {
        let solver = &mut self.solvers[level];
        let outside = solver.block_if(&self.circuit, cube);
        let answer = solver.enter(&self.circuit, cube, &[outside], cx.interrupt.deadline);
        let result = match answer {
            Step::Yes => {
                let model = solver.model(&self.circuit);
                self.way(Goal::Into(cube), model).map(Entered::From)
            }
            Step::No(mut core, _) => {
                if self.circuit.meets_start(&core) {
                    // No initial state lies in the cube, so one of its literals excludes them.
                    let latches = &self.circuit.latches;
                    let excludes = cube.iter().find(|l| latches[l.latch()].initial.is_some_and(|b| b != l.value()));
                    core.extend(excludes);
                    core.sort_unstable();
                }
                Ok(Entered::Never(core))
            }
            Step::Stopped(why) => Err(stopped(cx, why)),
        };
        self.solvers[level].release(outside);
        result
    }
}

pub(super) fn stopped(cx: &Ctx<'_>, why: Unknown) -> Stop {
    match (cx.tick(), why) {
        (Err(stop), _) => stop,
        // The deadline of this slice fell between the solver's look at the clock and ours.
        (Ok(()), Unknown::Limit | Unknown::Interrupted) => Stop::Reason(Reason::Cancelled),
        (Ok(()), Unknown::Incomplete) => Stop::Reason(Reason::SolverUnknown),
    }
}
