//! Implications between two facts about few variables.

use std::collections::BTreeSet;

use super::{Bits, Guess};
use kernel::expr::{BvBin, BvCmp, ExprId, IntCmp, Sort, Value, VarId};

/// A Bool expression over few variables.
pub(super) struct Atom {
    pub(super) e: ExprId,
    vars: Vec<VarId>,
}

impl Guess<'_> {
    /// Returns the formulas for either side of an implication.
    pub(super) fn atoms(&mut self) -> Vec<Atom> {
        /// Distinct values that get equations; more of them get comparisons only.
        const FEW: usize = 12;
        /// Constants per variable.
        const LIMITS: usize = 10;
        let mut atoms = Vec::new();
        let mut wide: Vec<VarId> = Vec::new();
        for (i, var) in self.system.vars.iter().copied().enumerate() {
            let (x, seen) = (self.pool.var(var), self.column(i));
            if seen.len() < 2 || Some(var) == self.system.pc {
                continue;
            }
            match self.pool.sort(x) {
                Sort::Bool => atoms.push(Atom { e: x, vars: vec![var] }),
                sort @ Sort::BitVec(_) => {
                    if seen.len() <= FEW {
                        for value in &seen {
                            let value = self.pool.constant(*value);
                            atoms.push(Atom { e: self.pool.eq(x, value), vars: vec![var] });
                        }
                    }
                    let known: Vec<Value> = self.constants.get(&sort).into_iter().flatten().take(LIMITS).copied().collect();
                    for value in known {
                        let c = self.pool.constant(value);
                        atoms.push(Atom { e: self.pool.eq(x, c), vars: vec![var] });
                        atoms.push(Atom { e: self.pool.bv_cmp(BvCmp::Sle, c, x), vars: vec![var] });
                    }
                    wide.push(var);
                }
                Sort::Int => {
                    let known: Vec<Value> = self.constants.get(&Sort::Int).into_iter().flatten().take(LIMITS).copied().collect();
                    for value in known {
                        let c = self.pool.constant(value);
                        atoms.push(Atom { e: self.pool.eq(x, c), vars: vec![var] });
                        atoms.push(Atom { e: self.pool.int_cmp(IntCmp::Le, c, x), vars: vec![var] });
                    }
                }
                Sort::Float(_) | Sort::Array(..) => {}
            }
        }
        for (n, a) in wide.iter().enumerate() {
            for b in &wide[n + 1..] {
                if self.is_related(*a, *b) {
                    let (x, y) = self.aligned(*a, *b);
                    for (x, y) in [(x, y), (y, x)] {
                        atoms.push(Atom { e: self.pool.bv_cmp(BvCmp::Sle, x, y), vars: vec![*a, *b] });
                    }
                    self.differences((*a, *b), (x, y), &mut atoms);
                }
            }
        }
        let mut seen = BTreeSet::new();
        atoms.retain(|atom| seen.insert(atom.e));
        atoms
    }

    /// Returns two bit vectors at one width. The narrower is read as unsigned: counters of the model are narrow and unsigned.
    fn aligned(&mut self, a: VarId, b: VarId) -> (ExprId, ExprId) {
        let (x, y) = (self.pool.var(a), self.pool.var(b));
        let width = self.pool.width(x).max(self.pool.width(y));
        (self.pool.zero_extend(width, x), self.pool.zero_extend(width, y))
    }

    /// Adds bounds of the difference of two variables where it was always small: counters that run together.
    fn differences(&mut self, vars: (VarId, VarId), (x, y): (ExprId, ExprId), atoms: &mut Vec<Atom>) {
        const FAR: i128 = 8;
        let mut extremes: Option<(i128, i128)> = None;
        for i in 0..self.states.len() {
            let (Some(a), Some(b)) = (self.signed(i, vars.0, x), self.signed(i, vars.1, y)) else { return };
            let (low, high) = extremes.unwrap_or((a - b, a - b));
            extremes = Some((low.min(a - b), high.max(a - b)));
        }
        let Some((low, high)) = extremes else { return };
        let width = self.pool.width(x);
        for (ahead, (x, y)) in [(high, (x, y)), (-low, (y, x))] {
            if -FAR <= ahead && ahead <= FAR && ahead != 0 {
                let by = self.pool.constant(Value::int(width, ahead));
                let limit = self.pool.bv(BvBin::Add, y, by);
                atoms.push(Atom { e: self.pool.bv_cmp(BvCmp::Sle, x, limit), vars: vec![vars.0, vars.1] });
            }
        }
    }

    /// Returns the signed reading of an expression over one variable in a simulated state.
    fn signed(&mut self, state: usize, var: VarId, e: ExprId) -> Option<i128> {
        let at = self.system.vars.binary_search(&var).ok()?;
        let value = self.states[state][at];
        self.pool.eval(e, &|v| (v == var).then_some(value))?.as_signed()
    }

    /// Returns `a → b`, `a → ¬b`, `¬a → b`, `b → a` where no state contradicts it.
    pub(super) fn implications(&mut self, atoms: &[(Atom, Bits)], most: usize) -> Vec<ExprId> {
        let mut found = Vec::new();
        let n_states = self.states.len();
        for (n, (a, a_bits)) in atoms.iter().enumerate() {
            for (b, b_bits) in &atoms[n + 1..] {
                if most <= found.len() {
                    return found;
                }
                let apart = a.vars.iter().all(|v| !b.vars.contains(v)) || a.vars.len() + b.vars.len() == 3;
                if !apart || !a.vars.iter().any(|v| b.vars.iter().any(|w| v == w || self.is_related(*v, *w))) {
                    continue;
                }
                let both = |f: fn(u64, u64) -> u64| -> usize {
                    a_bits.iter().zip(b_bits).map(|(a, b)| f(*a, *b).count_ones() as usize).sum()
                };
                let (only_a, only_b) = (both(|a, b| a & !b), both(|a, b| !a & b));
                let (neither, common) = (n_states - both(|a, b| a | b), both(|a, b| a & b));
                let (not_a, not_b) = (self.pool.not(a.e), self.pool.not(b.e));
                if only_a == 0 {
                    found.push(self.pool.or(not_a, b.e));
                }
                if only_b == 0 {
                    found.push(self.pool.or(not_b, a.e));
                }
                if common == 0 {
                    found.push(self.pool.or(not_a, not_b));
                }
                if neither == 0 {
                    found.push(self.pool.or(a.e, b.e));
                }
            }
        }
        found
    }
}
