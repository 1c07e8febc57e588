//! One step of a circuit in a SAT solver of its own: decides whether a cube can be entered from states that some clauses allow.

use std::time::Instant;

use super::aig::Lit;
use super::circuit::{Circuit, Fact, StateLit};
use super::cnf::Cnf;
use super::sat::{Answer, Batsat, SatLit, SatSolver};
use crate::smt::{Interrupt, Unknown};

/// Clauses about the state before the step, and the parts of the step that questions needed.
pub struct StepSolver {
    cnf: Cnf<Batsat>,
    /// Number of clauses of past questions, which are satisfied.
    pub n_spent: usize,
}

/// The answer to a question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// There is such a step: ask [`StepSolver::model`].
    Yes,
    /// There is none: these literals of the cube after the step suffice for that, with these guards.
    No(Vec<StateLit>, Vec<Guard>),
    /// Not decided.
    Stopped(Unknown),
}

/// Guard of a clause for one question.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Guard(SatLit);

/// The bits of a model, packed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Bits(Box<[u64]>);

impl Bits {
    /// Returns `n` bits; `bit` gives each by its index.
    pub fn new(n: usize, bit: impl Fn(usize) -> bool) -> Bits {
        let mut words = vec![0u64; n.div_ceil(64)];
        for i in (0..n).filter(|i| bit(*i)) {
            words[i / 64] |= 1 << (i % 64);
        }
        Bits(words.into_boxed_slice())
    }
    /// Returns the bit with this index.
    pub fn get(&self, i: usize) -> bool {
        self.0.get(i / 64).is_some_and(|word| word >> (i % 64) & 1 == 1)
    }
}

impl StepSolver {
    /// Returns a solver without clauses, which stops when `interrupt` is cancelled.
    pub fn new(interrupt: &Interrupt) -> StepSolver {
        StepSolver { cnf: Cnf::new(Batsat::new(interrupt)), n_spent: 0 }
    }
    fn state(&mut self, circuit: &Circuit, l: StateLit) -> SatLit {
        self.cnf.literal(&circuit.blaster.aig, circuit.latches[l.latch()].at.flip_if(!l.value()))
    }
    /// Allows only initial states.
    pub fn start(&mut self, circuit: &Circuit) {
        for (i, latch) in circuit.latches.iter().enumerate() {
            if let Some(value) = latch.initial {
                let l = self.state(circuit, StateLit::new(i, value));
                self.cnf.sat.add(&[l]);
            }
        }
    }
    /// Excludes the states of the cube.
    pub fn block(&mut self, circuit: &Circuit, cube: &[StateLit]) {
        let clause: Vec<SatLit> = cube.iter().map(|l| !self.state(circuit, *l)).collect();
        self.cnf.sat.add(&clause);
    }
    /// Excludes the states of the cube while the returned guard is on.
    pub fn block_if(&mut self, circuit: &Circuit, cube: &[StateLit]) -> Guard {
        let guard = self.cnf.sat.new_var(true);
        let mut clause: Vec<SatLit> = cube.iter().map(|l| !self.state(circuit, *l)).collect();
        clause.push(!guard);
        self.cnf.sat.add(&clause);
        Guard(guard)
    }
    /// Switches the guard off forever.
    pub fn release(&mut self, guard: Guard) {
        self.cnf.sat.add(&[!guard.0]);
        self.n_spent += 1;
    }
    /// Allows only states that satisfy the fact.
    pub fn fact(&mut self, circuit: &Circuit, fact: Fact) {
        self.cnf.assert(&circuit.blaster.aig, fact.0, None);
    }
    /// Returns whether some step is a violation.
    pub fn bad(&mut self, circuit: &Circuit, guards: &[Guard], until: Option<Instant>) -> Step {
        self.ask(circuit, &[(circuit.bad, None)], guards, until)
    }
    /// Returns whether some step leads into the cube.
    pub fn enter(&mut self, circuit: &Circuit, cube: &[StateLit], guards: &[Guard], until: Option<Instant>) -> Step {
        let target = cube.iter().map(|l| (circuit.latches[l.latch()].next.flip_if(!l.value()), Some(*l)));
        let goal: Vec<(Lit, Option<StateLit>)> = [(circuit.guard, None)].into_iter().chain(target).collect();
        self.ask(circuit, &goal, guards, until)
    }
    fn ask(&mut self, circuit: &Circuit, goal: &[(Lit, Option<StateLit>)], guards: &[Guard], until: Option<Instant>) -> Step {
        let mut assumed: Vec<SatLit> = guards.iter().map(|g| g.0).collect();
        let mut origin: Vec<(SatLit, StateLit)> = Vec::new();
        for &(l, of) in goal {
            if l == Lit::FALSE {
                return Step::No(of.into_iter().collect(), Vec::new());
            }
            if l == Lit::TRUE {
                continue;
            }
            let literal = self.cnf.literal(&circuit.blaster.aig, l);
            assumed.push(literal);
            origin.extend(of.map(|of| (literal, of)));
        }
        match self.cnf.sat.solve(&assumed, until) {
            Answer::Sat => Step::Yes,
            Answer::Stopped(why) => Step::Stopped(why),
            Answer::Unsat => {
                let failed = self.cnf.sat.core();
                let mut core: Vec<StateLit> = Vec::new();
                for l in &failed {
                    // Of latches with the same value one is enough.
                    core.extend(origin.iter().find(|(literal, _)| literal == l).map(|(_, of)| *of));
                }
                core.sort_unstable();
                core.dedup();
                Step::No(core, guards.iter().copied().filter(|g| failed.contains(&g.0)).collect())
            }
        }
    }
    /// Returns, after `Yes`, latches and inputs. Bits unknown to the solver are free, and 0.
    pub fn model(&self, circuit: &Circuit) -> (Bits, Bits) {
        let value = |at: Lit| self.cnf.existing(at).is_some_and(|l| self.cnf.sat.model(l));
        let latches = Bits::new(circuit.latches.len(), |i| value(circuit.latches[i].at));
        let inputs = Bits::new(circuit.inputs.len(), |i| value(circuit.inputs[i].at));
        (latches, inputs)
    }
}
