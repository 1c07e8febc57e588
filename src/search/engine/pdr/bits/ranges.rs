//! Cubes of bits as formulas over the program's variables.

use std::collections::BTreeMap;

use kernel::expr::{BvCmp, ExprId, ExprPool, Sort, Value, VarId};
use kernel::smt::bitblast::{Circuit, StateLit};

/// Returns the states outside of the cube. The high bits of a word are a range of its values.
pub(in super::super) fn outside(pool: &mut ExprPool, circuit: &Circuit, cube: &[StateLit]) -> ExprId {
    let mut words: BTreeMap<VarId, (u128, u128)> = BTreeMap::new();
    for l in cube {
        let latch = &circuit.latches[l.latch()];
        let (mask, value) = words.entry(latch.var).or_default();
        *mask |= 1 << latch.bit;
        *value |= u128::from(l.value()) << latch.bit;
    }
    let mut any = Vec::new();
    for (var, (mask, value)) in words {
        let inside = word(pool, var, mask, value);
        any.push(pool.not(inside));
    }
    pool.or_all(any)
}

/// Returns the condition that the bits of `mask` of a variable are those of `value`.
fn word(pool: &mut ExprPool, var: VarId, mask: u128, value: u128) -> ExprId {
    let x = pool.var(var);
    let Sort::BitVec(width) = pool.sort(x) else {
        return if value == 1 { x } else { pool.not(x) };
    };
    let all = if width == 128 { u128::MAX } else { (1 << width) - 1 };
    let low = mask.trailing_zeros().min(u32::from(width));
    if mask >> low == all >> low {
        // High bits only are an interval, also of signed values, because the sign is among them.
        let (first, last) = (Value::bv(width, value), Value::bv(width, value | (all & !mask)));
        if first == last {
            let c = pool.constant(first);
            return pool.eq(x, c);
        }
        let (low, high) = (pool.constant(first), pool.constant(last));
        let (above, below) = (pool.bv_cmp(BvCmp::Sle, low, x), pool.bv_cmp(BvCmp::Sle, x, high));
        let sign = 1u128 << (width - 1);
        return if value == sign {
            below
        } else if value | (all & !mask) == sign - 1 {
            above
        } else {
            pool.and(above, below)
        };
    }
    let mut parts = Vec::new();
    let mut bit = 0;
    while bit < width {
        if mask >> bit & 1 == 0 {
            bit += 1;
            continue;
        }
        let first = bit;
        while bit < width && mask >> bit & 1 == 1 {
            bit += 1;
        }
        let run = pool.extract(bit - 1, first, x);
        let c = pool.constant(Value::bv(bit - first, value >> first));
        parts.push(pool.eq(run, c));
    }
    pool.and_all(parts)
}
