//! Rules for floats: only those that hold for NaN, both zeros and the infinities too.

use crate::expr::float::FloatSort;
use crate::expr::node::{Expr, FpBin, FpCmp, FpTest, FpUn};
use crate::expr::pool::{ExprId, ExprPool};
use crate::expr::sort::Value;

/// Neutral constants of some operators.
enum Neutral {
    /// +0.0
    Zero,
    /// -0.0
    NegativeZero,
    /// 1.0
    One,
}

fn neutral(v: Value) -> Option<Neutral> {
    if matches!(v, Value::F32(0) | Value::F64(0)) {
        return Some(Neutral::Zero);
    }
    if matches!(v, Value::F32(0x8000_0000) | Value::F64(0x8000_0000_0000_0000)) {
        return Some(Neutral::NegativeZero);
    }
    let is_one = matches!(v, Value::F32(0x3f80_0000) | Value::F64(0x3ff0_0000_0000_0000));
    is_one.then_some(Neutral::One)
}

impl ExprPool {
    pub(super) fn simplify_fp_un(&mut self, op: FpUn, a: ExprId) -> Option<ExprId> {
        match (op, self.expr(a)) {
            (FpUn::Neg, Expr::FpUn(FpUn::Neg, inner)) => Some(inner),
            (FpUn::Abs, Expr::FpUn(FpUn::Neg, inner)) => Some(self.fp_un(FpUn::Abs, inner)),
            (FpUn::Abs, Expr::FpUn(FpUn::Abs, _)) => Some(a),
            _ => None,
        }
    }
    pub(super) fn simplify_fp(&mut self, op: FpBin, a: ExprId, b: ExprId) -> Option<ExprId> {
        // In every rounding mode: the result is exact. Commutative operators have their constant last. x + +0 is not x: -0 + +0 is +0. x - x is not 0: NaN and infinities.
        match (op, neutral(self.as_const(b)?)?) {
            (FpBin::Add, Neutral::NegativeZero)
            | (FpBin::Sub, Neutral::Zero)
            | (FpBin::Mul, Neutral::One)
            | (FpBin::Div, Neutral::One) => Some(a),
            _ => None,
        }
    }
    pub(super) fn simplify_fp_cmp(&mut self, op: FpCmp, a: ExprId, b: ExprId) -> Option<ExprId> {
        if [a, b].iter().any(|&e| self.as_const(e).and_then(Value::as_float).is_some_and(|(sort, bits)| sort.is_nan(bits))) {
            return Some(self.bool(false));
        }
        if a != b {
            return None;
        }
        match op {
            FpCmp::Lt => Some(self.bool(false)),
            FpCmp::Eq | FpCmp::Le => {
                let nan = self.fp_test(FpTest::IsNan, a);
                Some(self.not(nan))
            }
        }
    }
    pub(super) fn simplify_fp_test(&mut self, op: FpTest, a: ExprId) -> Option<ExprId> {
        if let Expr::FpUn(FpUn::Neg | FpUn::Abs, inner) = self.expr(a) {
            return Some(self.fp_test(op, inner));
        }
        if let Expr::BvToFp { of, sort, .. } = self.expr(a) {
            // Only the widest integers overflow a binary32; smaller ones may overflow a small format.
            let fits = self.width(of) <= 64
                && match sort {
                    FloatSort::F32 | FloatSort::F64 => true,
                    FloatSort::Other(_) => false,
                };
            return match op {
                FpTest::IsNan => Some(self.bool(false)),
                FpTest::IsInfinite if fits => Some(self.bool(false)),
                FpTest::IsInfinite => None,
            };
        }
        None
    }
    pub(super) fn simplify_fp_to_fp(&mut self, sort: FloatSort, a: ExprId) -> Option<ExprId> {
        if self.float(a) == sort {
            return Some(a);
        }
        // Widening loses nothing, so narrowing again gives the same.
        match (sort, self.expr(a)) {
            (FloatSort::F32, Expr::FpToFp(FloatSort::F64, _, inner)) if self.float(inner) == sort => Some(inner),
            _ => None,
        }
    }
}
