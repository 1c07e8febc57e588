//! A transition system as gates: one bit of state is a latch, one bit of an arbitrary value an input.
//!
//! For engines that work on bits (PDR, random runs). Only latches that can influence `guard` or `bad`
//! over any number of steps are kept.

use std::collections::BTreeMap;

use super::aig::{Gate, Lit};
use super::blast::Blaster;
use crate::expr::{ExprId, ExprPool, FastMap, Sort, Value, VarId};
use crate::smt::SolverError;

/// Parts of a circuit: those of the scan step as one relation.
pub struct Parts<'a> {
    /// The value of each variable of the state after a step.
    pub next: &'a [(VarId, ExprId)],
    /// Values at the start; variables without one start arbitrary.
    pub initial: &'a BTreeMap<VarId, Value>,
    /// Arbitrary values of each step.
    pub inputs: &'a [VarId],
    /// Bool: a step is possible.
    pub guard: ExprId,
    /// Bool: the step is a violation.
    pub bad: ExprId,
}

/// The circuit.
pub struct Circuit {
    pub(super) blaster: Blaster,
    /// State bits.
    pub latches: Vec<Latch>,
    /// Free bits of each step.
    pub inputs: Vec<Input>,
    /// Latch or input of a node.
    role: FastMap<usize, Role>,
    pub(super) guard: Lit,
    pub(super) bad: Lit,
}

/// One bit of state.
#[derive(Clone, Copy, Debug)]
pub struct Latch {
    /// Its variable.
    pub var: VarId,
    /// Its bit; 0 is the lowest.
    pub bit: u16,
    /// Its value at the start; `None` for any.
    pub initial: Option<bool>,
    pub(super) at: Lit,
    pub(super) next: Lit,
}

/// One bit of an arbitrary value.
#[derive(Clone, Copy, Debug)]
pub struct Input {
    /// Its variable.
    pub var: VarId,
    /// Its bit; 0 is the lowest.
    pub bit: u16,
    pub(super) at: Lit,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    Latch(usize),
    Input(usize),
}

/// A latch with a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct StateLit(u32);

impl StateLit {
    /// Returns the literal for this value of a latch.
    pub fn new(latch: usize, value: bool) -> StateLit {
        StateLit((latch as u32) << 1 | u32::from(value))
    }
    /// Returns the number of the latch.
    pub fn latch(self) -> usize {
        (self.0 >> 1) as usize
    }
    /// Returns the value of the latch.
    pub fn value(self) -> bool {
        self.0 & 1 == 1
    }
}

/// A Bool expression over the state, as a gate.
#[derive(Clone, Copy, Debug)]
pub struct Fact(pub(super) Lit);

fn width(sort: Sort) -> usize {
    match sort {
        Sort::BitVec(width) => usize::from(width),
        // Other sorts than bits are refused later.
        Sort::Bool | Sort::Float(_) | Sort::Int | Sort::Array(..) => 1,
    }
}

fn bit_of(value: Value, bit: usize) -> Option<bool> {
    if let Value::Bool(b) = value { Some(b) } else { value.as_unsigned().map(|bits| bits >> bit & 1 == 1) }
}

impl Circuit {
    /// Makes the circuit. Fails where something is neither Bool nor bit vector.
    pub fn new(pool: &mut ExprPool, parts: &Parts<'_>) -> Result<Circuit, SolverError> {
        let mut blaster = Blaster::new();
        let (guard, bad) = (blaster.bit(pool, parts.guard, 0)?, blaster.bit(pool, parts.bad, 0)?);
        // Bits of the state and of inputs, by node.
        let mut state: FastMap<usize, (usize, usize)> = FastMap::default();
        let mut here = Vec::new();
        for (i, (var, _)) in parts.next.iter().enumerate() {
            let e = pool.var(*var);
            let bits = blaster.bits(pool, e, 0)?.to_vec();
            state.extend(bits.iter().enumerate().map(|(bit, l)| (l.node(), (i, bit))));
            here.push(bits);
        }
        let mut free: FastMap<usize, (VarId, usize)> = FastMap::default();
        for var in parts.inputs {
            let e = pool.var(*var);
            free.extend(blaster.bits(pool, e, 0)?.iter().enumerate().map(|(bit, l)| (l.node(), (*var, bit))));
        }
        let mut circuit = Circuit { blaster, latches: Vec::new(), inputs: Vec::new(), role: FastMap::default(), guard, bad };
        let mut nexts: BTreeMap<usize, Vec<Lit>> = BTreeMap::new();
        let mut seen = vec![false; circuit.blaster.aig.len()];
        let mut open = vec![guard.node(), bad.node()];
        while let Some(node) = open.pop() {
            if seen.len() <= node {
                seen.resize(circuit.blaster.aig.len(), false);
            }
            if std::mem::replace(&mut seen[node], true) {
                continue;
            }
            match circuit.blaster.aig.gate(node) {
                Gate::False => {}
                Gate::And(a, b) | Gate::Xor(a, b) => open.extend([a.node(), b.node()]),
                Gate::Mux(a, b, c) | Gate::Maj(a, b, c) => open.extend([a.node(), b.node(), c.node()]),
                Gate::Input => match (state.get(&node), free.get(&node)) {
                    (Some((i, bit)), _) => {
                        let (var, next) = parts.next[*i];
                        if let std::collections::btree_map::Entry::Vacant(entry) = nexts.entry(*i) {
                            entry.insert(circuit.blaster.bits(pool, next, 0)?.to_vec());
                        }
                        let next = nexts[i][*bit];
                        let initial = parts.initial.get(&var).and_then(|value| bit_of(*value, *bit));
                        circuit.latches.push(Latch { var, bit: *bit as u16, initial, at: here[*i][*bit], next });
                        open.push(next.node());
                    }
                    (None, Some((var, bit))) => {
                        circuit.inputs.push(Input { var: *var, bit: *bit as u16, at: Lit::of_node(node) });
                    }
                    (None, None) => return Err(SolverError("a step reads a variable that nothing gives a value".into())),
                },
            }
        }
        circuit.latches.sort_by_key(|latch| (latch.var, latch.bit));
        circuit.inputs.sort_by_key(|input| (input.var, input.bit));
        for (i, latch) in circuit.latches.iter().enumerate() {
            circuit.role.insert(latch.at.node(), Role::Latch(i));
        }
        for (i, input) in circuit.inputs.iter().enumerate() {
            circuit.role.insert(input.at.node(), Role::Input(i));
        }
        Ok(circuit)
    }
    pub(super) fn role(&self, node: usize) -> Option<Role> {
        self.role.get(&node).copied()
    }
    /// Returns a Bool expression over the state as a gate; `None` if it contains anything but latches.
    pub fn fact(&mut self, pool: &ExprPool, e: ExprId) -> Result<Option<Fact>, SolverError> {
        let l = self.blaster.bit(pool, e, 0)?;
        let (mut open, mut seen) = (vec![l.node()], crate::expr::FastSet::default());
        while let Some(node) = open.pop() {
            if !seen.insert(node) {
                continue;
            }
            match self.blaster.aig.gate(node) {
                Gate::False => {}
                Gate::And(a, b) | Gate::Xor(a, b) => open.extend([a.node(), b.node()]),
                Gate::Mux(a, b, c) | Gate::Maj(a, b, c) => open.extend([a.node(), b.node(), c.node()]),
                Gate::Input => match self.role(node) {
                    Some(Role::Latch(_)) => {}
                    Some(Role::Input(_)) | None => return Ok(None),
                },
            }
        }
        Ok(Some(Fact(l)))
    }
    /// Returns whether some initial state lies in a cube.
    pub fn meets_start(&self, cube: &[StateLit]) -> bool {
        cube.iter().all(|l| self.latches[l.latch()].initial.is_none_or(|b| b == l.value()))
    }
    /// Returns the values of all variables from a list of bits; `bit` gives each by its position.
    pub fn words(
        pool: &ExprPool,
        bits: impl Iterator<Item = (VarId, u16)>,
        value: impl Fn(usize) -> bool,
    ) -> BTreeMap<VarId, Value> {
        let mut words: BTreeMap<VarId, u128> = BTreeMap::new();
        for (i, (var, bit)) in bits.enumerate() {
            *words.entry(var).or_default() |= u128::from(value(i)) << bit;
        }
        let value = |(var, bits): (VarId, u128)| {
            let sort = pool.var_decl(var).sort;
            let value = if sort == Sort::Bool { Value::Bool(bits & 1 == 1) } else { Value::bv(width(sort) as u16, bits) };
            (var, value)
        };
        words.into_iter().map(value).collect()
    }
}
