//! Scalars that share memory: a scalar without memory of its own consists of bits of others, its cells.
//!
//! Procedures are lowered as if each scalar had its own memory. When they are inlined, a scalar without memory is read from its
//! cells and written as slices into them. Its own variable only holds the value in between.

use std::collections::BTreeMap;

use super::automaton::Op;
use crate::expr::{ExprId, ExprPool, Sort, Subst, Value, VarId};

/// Variables without memory of their own, as slices of others.
#[derive(Clone, Debug, Default)]
pub struct Shared {
    slices: BTreeMap<VarId, Vec<Slice>>,
    /// Value of each of them.
    reads: BTreeMap<VarId, ExprId>,
}

/// Some bits of a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slice {
    /// Bool, or a bit vector.
    pub cell: VarId,
    /// The first bit.
    pub low: u16,
    /// Number of bits; a Bool has one.
    pub width: u16,
}

impl Shared {
    /// Defines `var` by these slices, the lowest bits first. Cells have memory of their own.
    pub(crate) fn add(&mut self, pool: &mut ExprPool, var: VarId, slices: Vec<Slice>) {
        let read = read(pool, var, &slices);
        self.reads.insert(var, read);
        self.slices.insert(var, slices);
    }
    /// Returns whether all variables have memory of their own.
    pub(crate) fn is_empty(&self) -> bool {
        self.slices.is_empty()
    }
    /// Returns the substitution of variables by their cells.
    pub fn subst(&self) -> Subst {
        Subst::new(self.reads.clone())
    }
    /// Returns the operations of `var := value`; `value` reads cells only. `None` if `var` has memory of its own.
    pub(crate) fn assign(&self, pool: &mut ExprPool, var: VarId, value: ExprId) -> Option<Vec<Op>> {
        let slices = self.slices.get(&var)?;
        let mut ops = Vec::new();
        let width = slices.iter().map(|slice| slice.width).sum();
        let bits = match pool.sort(value) {
            Sort::Float(sort) => {
                // Any bits of this value: the payload of a NaN is not known here.
                let bits = pool.new_var(format!("{}#bits", pool.var_decl(var).name), Sort::BitVec(width));
                let now = pool.var(bits);
                let meant = pool.bits_to_fp(sort, now);
                let same = pool.eq(meant, value);
                ops.extend([Op::Havoc(bits), Op::Assume(same)]);
                now
            }
            Sort::Bool | Sort::BitVec(_) if 1 < slices.len() && pool.as_const(value).is_none() => {
                // The value may read cells that the first slices write.
                ops.push(Op::Assign(var, value));
                let held = pool.var(var);
                spelled(pool, width, held)
            }
            Sort::Bool | Sort::BitVec(_) | Sort::Int | Sort::Array(..) => spelled(pool, width, value),
        };
        let mut at = 0;
        for slice in slices {
            let part = extract(pool, bits, at, slice.width);
            let new = slice.replaced(pool, part);
            ops.push(Op::Assign(slice.cell, new));
            at += slice.width;
        }
        Some(ops)
    }
    /// Returns the operations that give `var` any value; `None` if it has memory of its own.
    pub(crate) fn havoc(&self, pool: &mut ExprPool, var: VarId) -> Option<Vec<Op>> {
        let any = match (self.slices.get(&var)?, pool.var_decl(var).sort) {
            (slices, Sort::Float(_)) => {
                let width = slices.iter().map(|slice| slice.width).sum();
                let name = format!("{}#bits", pool.var_decl(var).name);
                pool.new_var(name, Sort::BitVec(width))
            }
            (_, Sort::Bool | Sort::BitVec(_) | Sort::Int | Sort::Array(..)) => var,
        };
        let mut ops = vec![Op::Havoc(any)];
        let value = pool.var(any);
        let value = match (pool.sort(value), pool.var_decl(var).sort) {
            (Sort::BitVec(_), Sort::Float(sort)) => pool.bits_to_fp(sort, value),
            (_, _) => value,
        };
        ops.extend(self.assign(pool, var, value)?);
        Some(ops)
    }
}

impl Slice {
    /// Returns its bits.
    fn read(&self, pool: &mut ExprPool) -> ExprId {
        let cell = pool.var(self.cell);
        let width = match pool.sort(cell) {
            Sort::BitVec(width) => width,
            Sort::Bool | Sort::Float(_) | Sort::Int | Sort::Array(..) => 1,
        };
        let all = spelled(pool, width, cell);
        extract(pool, all, self.low, self.width)
    }
    /// Returns the cell with these bits instead of its own.
    fn replaced(&self, pool: &mut ExprPool, part: ExprId) -> ExprId {
        let cell = pool.var(self.cell);
        let Sort::BitVec(width) = pool.sort(cell) else {
            let one = pool.constant(Value::bv(1, 1));
            return pool.eq(part, one);
        };
        let end = self.low + self.width;
        let mut new = part;
        if 0 < self.low {
            let low = pool.extract(self.low - 1, 0, cell);
            new = pool.concat(new, low);
        }
        if end < width {
            let high = pool.extract(width - 1, end, cell);
            new = pool.concat(high, new);
        }
        new
    }
}

/// Returns the value of a variable.
fn read(pool: &mut ExprPool, var: VarId, slices: &[Slice]) -> ExprId {
    if let ([Slice { cell, .. }], Sort::Bool) = (slices, pool.var_decl(var).sort)
        && pool.var_decl(*cell).sort == Sort::Bool
    {
        return pool.var(*cell);
    }
    let mut bits: Option<ExprId> = None;
    for slice in slices {
        let part = slice.read(pool);
        bits = Some(bits.map_or(part, |low| pool.concat(part, low)));
    }
    let Some(bits) = bits else { unreachable!("a variable is made of something") };
    match pool.var_decl(var).sort {
        Sort::Bool => {
            let zero = pool.constant(Value::zero(pool.sort(bits)));
            pool.ne(bits, zero)
        }
        Sort::Float(sort) => pool.bits_to_fp(sort, bits),
        Sort::BitVec(_) | Sort::Int | Sort::Array(..) => bits,
    }
}

/// Returns a value as bits of this width: FALSE and TRUE as 0 and 1.
fn spelled(pool: &mut ExprPool, width: u16, value: ExprId) -> ExprId {
    if pool.sort(value) != Sort::Bool {
        return value;
    }
    let (one, zero) = (pool.constant(Value::bv(width, 1)), pool.constant(Value::bv(width, 0)));
    pool.ite(value, one, zero)
}

fn extract(pool: &mut ExprPool, bits: ExprId, low: u16, width: u16) -> ExprId {
    if pool.sort(bits) == Sort::BitVec(width) { bits } else { pool.extract(low + width - 1, low, bits) }
}
