//! A circuit executed on concrete values, 64 runs at once: one bit of a machine word per run.

use super::aig::{Gate, Lit};
use super::circuit::{Circuit, Role};

/// The circuit as a list of instructions, with the state of 64 runs.
pub struct Simulation {
    code: Vec<Instruction>,
    /// Value of each instruction in the last step.
    values: Vec<u64>,
    latches: Vec<u64>,
    /// By latch.
    next: Vec<Operand>,
    guard: Operand,
    bad: Operand,
}

/// An instruction's value, perhaps negated: `2 * place`, plus 1 if negated.
type Operand = u32;

#[derive(Clone, Copy)]
enum Instruction {
    False,
    Latch(u32),
    Input(u32),
    And(Operand, Operand),
    Xor(Operand, Operand),
    Mux(Operand, Operand, Operand),
    Maj(Operand, Operand, Operand),
}

/// Results of 64 runs in a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Done {
    /// Runs that can go on.
    pub possible: u64,
    /// Runs with a violation.
    pub bad: u64,
}

impl Simulation {
    /// Makes the list of instructions. Cost: linear in the gates, here and for each step.
    pub fn new(circuit: &Circuit) -> Simulation {
        let aig = &circuit.blaster.aig;
        let roots: Vec<Lit> = circuit.latches.iter().map(|latch| latch.next).chain([circuit.guard, circuit.bad]).collect();
        let mut needed = vec![false; aig.len()];
        roots.iter().for_each(|l| needed[l.node()] = true);
        // Operands are older than their users.
        for node in (0..aig.len()).rev() {
            if !needed[node] {
                continue;
            }
            match aig.gate(node) {
                Gate::False | Gate::Input => {}
                Gate::And(a, b) | Gate::Xor(a, b) => [a, b].iter().for_each(|l| needed[l.node()] = true),
                Gate::Mux(a, b, c) | Gate::Maj(a, b, c) => [a, b, c].iter().for_each(|l| needed[l.node()] = true),
            }
        }
        let mut place: Vec<u32> = vec![0; aig.len()];
        let mut code = Vec::new();
        for node in (0..aig.len()).filter(|node| needed[*node]) {
            let at = |l: Lit| place[l.node()] << 1 | u32::from(l.negated());
            let instruction = match aig.gate(node) {
                Gate::False => Instruction::False,
                Gate::Input => match circuit.role(node) {
                    Some(Role::Latch(i)) => Instruction::Latch(i as u32),
                    Some(Role::Input(i)) => Instruction::Input(i as u32),
                    None => Instruction::False,
                },
                Gate::And(a, b) => Instruction::And(at(a), at(b)),
                Gate::Xor(a, b) => Instruction::Xor(at(a), at(b)),
                Gate::Mux(c, a, b) => Instruction::Mux(at(c), at(a), at(b)),
                Gate::Maj(a, b, c) => Instruction::Maj(at(a), at(b), at(c)),
            };
            place[node] = code.len() as u32;
            code.push(instruction);
        }
        let at = |l: Lit| place[l.node()] << 1 | u32::from(l.negated());
        Simulation {
            values: vec![0; code.len()],
            latches: vec![0; circuit.latches.len()],
            next: circuit.latches.iter().map(|latch| at(latch.next)).collect(),
            guard: at(circuit.guard),
            bad: at(circuit.bad),
            code,
        }
    }
    /// Returns the number of instructions of a step.
    pub fn n_instructions(&self) -> usize {
        self.code.len()
    }
    /// Begins all runs anew, with these values of the latches.
    pub fn start(&mut self, value: impl FnMut(usize) -> u64) {
        self.latches = (0..self.latches.len()).map(value).collect();
    }
    /// Returns the value of a latch in each run, before the step.
    pub fn latch(&self, i: usize) -> u64 {
        self.latches[i]
    }
    /// Computes a step with these inputs without taking it.
    pub fn look(&mut self, inputs: &[u64]) -> Done {
        for i in 0..self.code.len() {
            let of = |operand: Operand| self.values[(operand >> 1) as usize] ^ (operand as u64 & 1).wrapping_neg();
            self.values[i] = match self.code[i] {
                Instruction::False => 0,
                Instruction::Latch(latch) => self.latches[latch as usize],
                Instruction::Input(input) => inputs.get(input as usize).copied().unwrap_or_default(),
                Instruction::And(a, b) => of(a) & of(b),
                Instruction::Xor(a, b) => of(a) ^ of(b),
                Instruction::Mux(c, a, b) => {
                    let (c, a, b) = (of(c), of(a), of(b));
                    c & a | !c & b
                }
                Instruction::Maj(a, b, c) => {
                    let (a, b, c) = (of(a), of(b), of(c));
                    a & b | a & c | b & c
                }
            };
        }
        Done { possible: self.value(self.guard), bad: self.value(self.bad) }
    }
    /// Takes the computed step in the runs of `which`; the others keep their state.
    pub fn go(&mut self, which: u64) {
        for i in 0..self.latches.len() {
            let next = self.value(self.next[i]);
            self.latches[i] = next & which | self.latches[i] & !which;
        }
    }
    fn value(&self, operand: Operand) -> u64 {
        self.values[(operand >> 1) as usize] ^ (operand as u64 & 1).wrapping_neg()
    }
}
