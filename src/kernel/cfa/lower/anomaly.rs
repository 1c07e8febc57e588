//! Conditions of anomalies, as bit vectors.
//!
//! Only models with `LowerOptions::anomalies` have them, so other models pay nothing.

use plc_frontend::hir::{AnomalyKind, BinOp, Conversion, Expr, IntType, Type, TypeId};

use super::builder::Builder;
use super::convert::bits_of;
use crate::expr::{BvBin, BvCmp, BvUn, ExprId, FloatSort, FpCmp, Sort, Value};

impl Builder<'_, '_> {
    /// Adds the anomaly of `a op b`, computed by `expr`.
    pub(super) fn computed(&mut self, expr: &Expr, op: BinOp, a: ExprId, b: ExprId) {
        let project = self.cx.project;
        let Sort::BitVec(width) = self.pool.sort(a) else { return };
        if !project.counts(expr.ty) {
            return;
        }
        let signed = self.int_of(expr.ty).signed;
        #[expect(clippy::wildcard_enum_match_arm, reason = "no other operator computes a number beyond its operands' width")]
        let exact = match op {
            BinOp::Add => Some((width + 1, BvBin::Add)),
            BinOp::Sub => Some((width + 1, BvBin::Sub)),
            BinOp::Mul => Some((2 * width, BvBin::Mul)),
            // Only the smallest number by -1 overflows.
            BinOp::Div if signed => None,
            _ => return,
        };
        self.anomaly(AnomalyKind::Overflow, expr.span, |builder| match exact {
            // At its own width: a division is the most expensive circuit, and the program already has this one.
            None => {
                let smallest = builder.pool.constant(Value::bv(width, 1 << (width - 1)));
                let minus_one = builder.pool.constant(Value::int(width, -1));
                let (dividend, divisor) = (builder.pool.eq(a, smallest), builder.pool.eq(b, minus_one));
                builder.pool.and(dividend, divisor)
            }
            Some((wide, op)) => {
                let (a, b) = (builder.extend(signed, wide, a), builder.extend(signed, wide, b));
                let exact = builder.pool.bv(op, a, b);
                builder.does_not_fit(signed, width, exact)
            }
        });
    }
    /// Adds the anomaly of `-x`, computed by `expr`.
    pub(super) fn negated(&mut self, expr: &Expr, x: ExprId) {
        let zero = match self.pool.sort(x) {
            sort @ Sort::BitVec(_) => self.pool.constant(Value::zero(sort)),
            Sort::Bool | Sort::Float(_) | Sort::Int | Sort::Array(..) => return,
        };
        self.computed(expr, BinOp::Sub, zero, x);
    }
    /// Adds the anomaly of `before`, of type `from`, converted by `expr` to `after`.
    pub(super) fn converted(&mut self, how: Conversion, from: TypeId, expr: &Expr, before: ExprId, after: ExprId) {
        let project = self.cx.project;
        let (source, target) = (&project.types[from].ty, &project.types[expr.ty].ty);
        match (self.pool.sort(before), self.pool.sort(after)) {
            (Sort::BitVec(width), Sort::Float(format)) if project.is_number(from) => {
                let digits = match format {
                    FloatSort::F32 => 24,
                    FloatSort::F64 | FloatSort::Other(_) => 53,
                };
                let transfers_bits = how == Conversion::Convert && *source == bits_of(format);
                let signed = self.int_of(from).signed;
                if !transfers_bits && digits + u16::from(signed) < width {
                    self.anomaly(AnomalyKind::ConversionLoss, expr.span, |b| b.has_more_digits(signed, width, digits, before));
                }
            }
            (Sort::Float(FloatSort::F64), Sort::Float(FloatSort::F32)) => {
                self.anomaly(AnomalyKind::ConversionLoss, expr.span, |b| {
                    let (was, is) = (b.is_infinite(FloatSort::F64, before), b.is_infinite(FloatSort::F32, after));
                    let finite = b.pool.not(was);
                    b.pool.and(finite, is)
                });
            }
            (Sort::BitVec(_), Sort::BitVec(_)) if project.is_number(from) && project.is_number(expr.ty) => {
                let (from, to) = (self.int_of(from), self.int_of(expr.ty));
                let in_ms = matches!((source, target), (Type::LTime, Type::Time));
                let in_ns = matches!((source, target), (Type::Time, Type::LTime));
                let (low, high) = match (source, target) {
                    // The bits that are cut off are 0 iff the number fits; below zero, the sign is among them.
                    (Type::Bits(_), _) | (_, Type::Bits(_)) if to.bits < from.bits => (0, IntType { signed: false, ..to }.max()),
                    // All bits are kept.
                    (Type::Bits(_), _) | (_, Type::Bits(_)) => (from.min(), from.max()),
                    _ => (to.min(), to.max()),
                };
                let is_overflow = expr.cuts_what_was_computed();
                let kind = if is_overflow { AnomalyKind::Overflow } else { AnomalyKind::ConversionLoss };
                if !in_ns && (from.min() < low || high < from.max()) {
                    self.anomaly(kind, expr.span, |b| {
                        let mut exact = before;
                        if in_ms {
                            let scale = b.pool.constant(Value::int(64, 1_000_000));
                            exact = b.pool.bv(if from.signed { BvBin::Sdiv } else { BvBin::Udiv }, exact, scale);
                        }
                        b.outside(exact, from, low, high)
                    });
                }
            }
            (Sort::Bool | Sort::BitVec(_) | Sort::Float(_) | Sort::Int | Sort::Array(..), _) => {}
        }
        if let Type::Subrange { low, high, .. } = target {
            let int = self.int_of(expr.ty);
            self.anomaly(AnomalyKind::Subrange, expr.span, |b| b.outside(after, int, *low, *high));
        }
    }
    /// Returns whether an integer has more binary digits than a float keeps. For some k, it is at least 2^k, and a digit that
    /// numbers of that size lose is set.
    fn has_more_digits(&mut self, signed: bool, width: u16, digits: u16, x: ExprId) -> ExprId {
        let zero = self.pool.constant(Value::bv(width, 0));
        let mut size = x;
        if signed {
            let (negative, minus) = (self.pool.bv_cmp(BvCmp::Slt, x, zero), self.pool.bv_un(BvUn::Neg, x));
            size = self.pool.ite(negative, minus, x);
        }
        let mut any = self.pool.bool(false);
        for k in digits..width {
            let (high, low) = (self.pool.extract(width - 1, k, size), self.pool.extract(k - digits, 0, size));
            let (no_high, no_low) = (Value::bv(width - k, 0), Value::bv(k - digits + 1, 0));
            let (no_high, no_low) = (self.pool.constant(no_high), self.pool.constant(no_low));
            let (large, cut) = (self.pool.ne(high, no_high), self.pool.ne(low, no_low));
            let loses = self.pool.and(large, cut);
            any = self.pool.or(any, loses);
        }
        any
    }
    fn is_infinite(&mut self, format: FloatSort, x: ExprId) -> ExprId {
        let (up, down) = match format {
            FloatSort::F32 => (Value::f32(f32::INFINITY), Value::f32(f32::NEG_INFINITY)),
            FloatSort::F64 | FloatSort::Other(_) => (Value::f64(f64::INFINITY), Value::f64(f64::NEG_INFINITY)),
        };
        let (up, down) = (self.pool.constant(up), self.pool.constant(down));
        let (up, down) = (self.pool.fp_cmp(FpCmp::Eq, x, up), self.pool.fp_cmp(FpCmp::Eq, x, down));
        self.pool.or(up, down)
    }
    /// Returns whether a wider number does not fit into `width` bits.
    fn does_not_fit(&mut self, signed: bool, width: u16, exact: ExprId) -> ExprId {
        let wide = match self.pool.sort(exact) {
            Sort::BitVec(wide) => wide,
            Sort::Bool | Sort::Float(_) | Sort::Int | Sort::Array(..) => unreachable!("an exact result is a bit vector"),
        };
        let kept = self.pool.extract(width - 1, 0, exact);
        let again = self.extend(signed, wide, kept);
        self.pool.ne(again, exact)
    }
}
