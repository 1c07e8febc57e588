//! Rules for mathematical integers.

use crate::expr::node::{Expr, IntBin, IntCmp};
use crate::expr::pool::{ExprId, ExprPool};
use crate::expr::sort::Value;

impl ExprPool {
    pub(super) fn simplify_int_neg(&mut self, a: ExprId) -> Option<ExprId> {
        if let Expr::IntNeg(inner) = self.expr(a) { Some(inner) } else { None }
    }
    /// Simplifies an operation. Commutative operators have their constant last. The result of a division by zero is open, but the
    /// same each time.
    pub(super) fn simplify_int(&mut self, op: IntBin, a: ExprId, b: ExprId) -> Option<ExprId> {
        if op == IntBin::Sub && a == b {
            return Some(self.int_const(0));
        }
        let k = self.as_const(b).and_then(Value::as_int)?;
        match (op, k) {
            (IntBin::Add | IntBin::Sub, 0) | (IntBin::Mul | IntBin::Div, 1) => Some(a),
            (IntBin::Mul, -1) => Some(self.int_neg(a)),
            (IntBin::Mod, 1 | -1) => Some(self.int_const(0)),
            // x - k is x + -k, and constants of nested sums are added at once.
            (IntBin::Sub, k) => {
                let minus = self.int_const(k.checked_neg()?);
                Some(self.int(IntBin::Add, a, minus))
            }
            (IntBin::Add, k) => {
                let Expr::IntBin(IntBin::Add, x, y) = self.expr(a) else { return None };
                let sum = self.as_const(y).and_then(Value::as_int)?.checked_add(k)?;
                let sum = self.int_const(sum);
                Some(self.int(IntBin::Add, x, sum))
            }
            // (x mod n) mod n
            (IntBin::Mod, k) => {
                let Expr::IntBin(IntBin::Mod, _, n) = self.expr(a) else { return None };
                (self.as_const(n) == Some(Value::Int(k)) && k != 0).then_some(a)
            }
            (IntBin::Mul | IntBin::Div, _) => None,
        }
    }
    /// Returns the comparison with the constants of both sides on one, if none remains on the other.
    pub(super) fn simplify_int_cmp(&mut self, op: IntCmp, a: ExprId, b: ExprId) -> Option<ExprId> {
        if let Some(k) = self.as_const(b).and_then(Value::as_int) {
            let (x, l) = self.added(a)?;
            let k = self.int_const(k.checked_sub(l)?);
            return Some(self.int_cmp(op, x, k));
        }
        if let Some(k) = self.as_const(a).and_then(Value::as_int) {
            let (x, l) = self.added(b)?;
            let k = self.int_const(k.checked_sub(l)?);
            return Some(self.int_cmp(op, k, x));
        }
        None
    }
    /// Returns a = k as x = l for a part x of a; `None` if there is none.
    pub(super) fn int_equation(&self, a: ExprId, k: i128) -> Option<(ExprId, i128)> {
        if let Expr::IntNeg(x) = self.expr(a) {
            return Some((x, k.checked_neg()?));
        }
        let (x, l) = self.added(a)?;
        Some((x, k.checked_sub(l)?))
    }
    /// Returns the parts of x + k.
    fn added(&self, e: ExprId) -> Option<(ExprId, i128)> {
        let Expr::IntBin(IntBin::Add, x, k) = self.expr(e) else { return None };
        Some((x, self.as_const(k).and_then(Value::as_int)?))
    }
}
