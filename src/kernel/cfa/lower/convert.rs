//! Conversions between scalar types, bit by bit what [`plc_frontend::hir::Conversion`] lists.

use plc_frontend::hir::{Conversion, DateKind, FaultKind, IntType, Type, TypeId};
use plc_frontend::source::Span;

use super::builder::Builder;
use super::layout::sort_of;
use crate::expr::{BvBin, ExprId, FloatSort, FpCmp, Rounding, Sort, Value};

const NS_PER_MS: i128 = 1_000_000;

impl Builder<'_, '_> {
    /// Returns `value` of type `from` as a value of type `to`; `span` is where it is written.
    pub(super) fn convert(&mut self, how: Conversion, from: TypeId, to: TypeId, span: Span, value: ExprId) -> ExprId {
        match sort_of(self.cx.project, to) {
            Sort::Bool => self.boolean(value),
            Sort::Float(sort) => self.floating(how, from, sort, value),
            Sort::BitVec(_) => match self.pool.sort(value) {
                Sort::Bool => {
                    let width = u16::from(self.int_of(to).bits);
                    let (one, zero) = (self.pool.constant(Value::bv(width, 1)), self.pool.constant(Value::bv(width, 0)));
                    self.pool.ite(value, one, zero)
                }
                Sort::BitVec(_) => self.int_to_int(from, to, value),
                Sort::Float(sort) => self.float_to_int(how, to, sort, span, value),
                sort @ (Sort::Int | Sort::Array(..)) => unreachable!("no program has a {sort}"),
            },
            sort @ (Sort::Int | Sort::Array(..)) => unreachable!("no program has a {sort}"),
        }
    }

    fn boolean(&mut self, value: ExprId) -> ExprId {
        match self.pool.sort(value) {
            Sort::Bool => value,
            sort @ Sort::BitVec(_) => {
                let zero = self.pool.constant(Value::zero(sort));
                self.pool.ne(value, zero)
            }
            sort @ Sort::Float(_) => {
                let zero = self.pool.constant(Value::zero(sort));
                let is_zero = self.pool.fp_cmp(FpCmp::Eq, value, zero);
                self.pool.not(is_zero)
            }
            sort @ (Sort::Int | Sort::Array(..)) => unreachable!("no program has a {sort}"),
        }
    }

    fn floating(&mut self, how: Conversion, from: TypeId, sort: FloatSort, value: ExprId) -> ExprId {
        match self.pool.sort(value) {
            Sort::Bool => {
                let one = self.pool.constant(match sort {
                    FloatSort::F32 => Value::f32(1.0),
                    FloatSort::F64 | FloatSort::Other(_) => Value::f64(1.0),
                });
                let zero = self.pool.constant(Value::zero(Sort::Float(sort)));
                self.pool.ite(value, one, zero)
            }
            Sort::BitVec(_) if how == Conversion::Convert && self.cx.project.types[from].ty == bits_of(sort) => {
                self.pool.bits_to_fp(sort, value)
            }
            Sort::BitVec(_) => {
                let signed = self.int_of(from).signed;
                self.pool.bv_to_fp(signed, sort, value)
            }
            Sort::Float(_) => self.pool.fp_to_fp(sort, value),
            other @ (Sort::Int | Sort::Array(..)) => unreachable!("no program has a {other}"),
        }
    }

    fn int_to_int(&mut self, from: TypeId, to: TypeId, value: ExprId) -> ExprId {
        let (source, target) = (self.int_of(from), self.int_of(to));
        let types = &self.cx.project.types;
        match (&types[from].ty, &types[to].ty) {
            (Type::Time, Type::LTime) => {
                let wide = self.extend(source.signed, 64, value);
                let scale = self.pool.constant(Value::int(64, NS_PER_MS));
                self.pool.bv(BvBin::Mul, wide, scale)
            }
            (Type::LTime, Type::Time) => {
                let scale = self.pool.constant(Value::int(64, NS_PER_MS));
                let ms = self.pool.bv(if source.signed { BvBin::Sdiv } else { BvBin::Udiv }, value, scale);
                self.resize(source, target, ms)
            }
            (Type::Date(a), Type::Date(b)) if a.kind == b.kind && a.long != b.long => {
                let ns = if a.kind == DateKind::TimeOfDay { NS_PER_MS } else { 1_000 * NS_PER_MS };
                let scale = self.pool.constant(Value::int(64, ns));
                let wide = self.pool.zero_extend(64, value);
                let op = if b.long { BvBin::Mul } else { BvBin::Udiv };
                let scaled = self.pool.bv(op, wide, scale);
                self.resize(IntType { bits: 64, signed: false }, target, scaled)
            }
            (_, _) => self.resize(source, target, value),
        }
    }
    fn resize(&mut self, source: IntType, target: IntType, value: ExprId) -> ExprId {
        if target.bits < source.bits {
            self.pool.extract(u16::from(target.bits) - 1, 0, value)
        } else {
            self.extend(source.signed, u16::from(target.bits), value)
        }
    }

    fn float_to_int(&mut self, how: Conversion, to: TypeId, sort: FloatSort, span: Span, value: ExprId) -> ExprId {
        let int = self.int_of(to);
        let width = u16::from(int.bits);
        if how == Conversion::Convert && self.cx.project.types[to].ty == bits_of(sort) {
            // Any bits of this value: the payload of a NaN is not known here.
            let temp = self.arbitrary("bits", Sort::BitVec(width));
            self.graph.float_bits.push(temp);
            let bits = self.pool.var(temp);
            let meant = self.pool.bits_to_fp(sort, bits);
            let same = self.pool.eq(meant, value);
            self.assume(same);
            return bits;
        }
        // Limits are in halves, so that they are whole numbers. Ties go to even numbers: down to `min`, up and away from `max`;
        // or both away.
        let (rounding, low, high) = match how {
            Conversion::Truncate => (Rounding::TowardZero, 2 * (int.min() - 1), 2 * (int.max() + 1)),
            Conversion::Round => (Rounding::NearestAway, 2 * int.min() - 1, 2 * int.max() + 1),
            Conversion::Convert | Conversion::Widen => (Rounding::NearestEven, 2 * int.min() - 1, 2 * int.max() + 1),
        };
        let fits = match how {
            Conversion::Truncate | Conversion::Round => {
                let below = self.pool.constant(at_most(sort, low));
                self.pool.fp_cmp(FpCmp::Lt, below, value)
            }
            Conversion::Convert | Conversion::Widen => {
                let low = self.pool.constant(at_least(sort, low));
                self.pool.fp_cmp(FpCmp::Le, low, value)
            }
        };
        let high = self.pool.constant(at_least(sort, high));
        let below_high = self.pool.fp_cmp(FpCmp::Lt, value, high);
        let fits = self.pool.and(fits, below_high);
        let bad = self.pool.not(fits);
        self.fault(FaultKind::ConversionRange, span, bad);
        self.pool.fp_to_bv(int.signed, width, rounding, value)
    }
}

/// Returns the bit string type of a float format.
pub(super) fn bits_of(sort: FloatSort) -> Type {
    match sort {
        FloatSort::F32 => Type::Bits(32),
        FloatSort::F64 | FloatSort::Other(_) => Type::Bits(64),
    }
}

/// Returns the smallest float that is not below `halves / 2`.
fn at_least(sort: FloatSort, halves: i128) -> Value {
    match sort {
        FloatSort::F32 => {
            let near = halves as f32;
            Value::f32(if (near as i128) < halves { near.next_up() } else { near } / 2.0)
        }
        FloatSort::F64 | FloatSort::Other(_) => {
            let near = halves as f64;
            Value::f64(if (near as i128) < halves { near.next_up() } else { near } / 2.0)
        }
    }
}

/// Returns the largest float that is not above `halves / 2`.
fn at_most(sort: FloatSort, halves: i128) -> Value {
    match sort {
        FloatSort::F32 => {
            let near = halves as f32;
            Value::f32(if halves < (near as i128) { near.next_down() } else { near } / 2.0)
        }
        FloatSort::F64 | FloatSort::Other(_) => {
            let near = halves as f64;
            Value::f64(if halves < (near as i128) { near.next_down() } else { near } / 2.0)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_of_ranges_are_rounded_to_the_right_side() {
        let check = |value: Value, expected: f64| match value {
            Value::F32(bits) => assert_eq!(f64::from(f32::from_bits(bits)), expected),
            Value::F64(bits) => assert_eq!(f64::from_bits(bits), expected),
            Value::Bool(_) | Value::BitVec { .. } | Value::Float(..) | Value::Int(_) | Value::Array(_) => unreachable!(),
        };
        check(at_least(FloatSort::F32, -1), -0.5);
        check(at_least(FloatSort::F32, 2 * 32767 + 1), 32767.5);
        check(at_least(FloatSort::F32, -2 * 2_147_483_648 - 1), -2_147_483_648.0);
        check(at_least(FloatSort::F32, 2 * 2_147_483_647 + 1), 2_147_483_648.0);
        check(at_least(FloatSort::F64, 2 * 2_147_483_647 + 1), 2_147_483_647.5);
        check(at_most(FloatSort::F32, 2 * (-2_147_483_648 - 1)), -2_147_483_904.0);
        check(at_most(FloatSort::F64, -2 * (1i128 << 63) - 2), -9_223_372_036_854_777_856.0);
        check(at_least(FloatSort::F64, 2 * ((1i128 << 63) - 1) + 1), 9_223_372_036_854_775_808.0);
    }
}
