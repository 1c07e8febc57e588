//! Rules for equality.

use crate::expr::node::{BvBin, BvUn, Expr};
use crate::expr::pool::{ExprId, ExprPool};
use crate::expr::sort::{Sort, Value, mask, sign_extend};

impl ExprPool {
    /// Simplifies an equality. A constant stands last; two constants, and an expression with itself, were folded.
    pub(super) fn simplify_eq(&mut self, a: ExprId, b: ExprId) -> Option<ExprId> {
        if a == b {
            return Some(self.bool(true));
        }
        match self.sort(a) {
            Sort::Bool => return self.simplify_bool_eq(a, b),
            Sort::BitVec(_) | Sort::Float(_) | Sort::Int | Sort::Array(..) => {}
        }
        if let Expr::Ite(c, x, y) = self.expr(a) {
            if let Some(simpler) = self.simplify_ite_eq(c, x, y, b) {
                return Some(simpler);
            }
        } else if let Expr::Ite(c, x, y) = self.expr(b)
            && let Some(simpler) = self.simplify_ite_eq(c, x, y, a)
        {
            return Some(simpler);
        }
        if let Some((width, k)) = self.const_bits(b) {
            return self.simplify_eq_const(a, width, k);
        }
        if let Some(Value::Int(k)) = self.as_const(b) {
            let (inner, k) = self.int_equation(a, k)?;
            let k = self.int_const(k);
            return Some(self.eq_plain(inner, k));
        }
        // Injective operators of one form on both sides.
        match (self.expr(a), self.expr(b)) {
            (Expr::ZeroExtend(_, x), Expr::ZeroExtend(_, y))
            | (Expr::SignExtend(_, x), Expr::SignExtend(_, y))
            | (Expr::BvUn(BvUn::Not, x), Expr::BvUn(BvUn::Not, y))
            | (Expr::BvUn(BvUn::Neg, x), Expr::BvUn(BvUn::Neg, y))
                if self.sort(x) == self.sort(y) =>
            {
                Some(self.eq_plain(x, y))
            }
            _ => None,
        }
    }
    fn simplify_bool_eq(&mut self, a: ExprId, b: ExprId) -> Option<ExprId> {
        if self.is_true(b) {
            return Some(a);
        }
        if self.is_false(b) {
            return Some(self.not(a));
        }
        if self.are_complements(a, b) {
            return Some(self.bool(false));
        }
        // Negations move outside: ¬x = ¬y is x = y, ¬x = y is ¬(x = y).
        match (self.expr(a), self.expr(b)) {
            (Expr::Not(x), Expr::Not(y)) => Some(self.eq_plain(x, y)),
            (Expr::Not(x), _) => {
                let eq = self.eq_plain(x, b);
                Some(self.not(eq))
            }
            (_, Expr::Not(y)) => {
                let eq = self.eq_plain(a, y);
                Some(self.not(eq))
            }
            _ => None,
        }
    }
    /// Returns a = b after the rules of constant depth only, so that chains of operators cannot recurse.
    fn eq_plain(&mut self, a: ExprId, b: ExprId) -> ExprId {
        if a == b {
            return self.bool(true);
        }
        if let (Some(x), Some(y)) = (self.as_const(a), self.as_const(b)) {
            return self.bool(x == y);
        }
        let swap = self.as_const(a).is_some() || (b < a && self.as_const(b).is_none());
        let (a, b) = if swap { (b, a) } else { (a, b) };
        // No Bool constant may stay: x = TRUE is x.
        match self.as_const(b) {
            Some(Value::Bool(true)) => a,
            Some(Value::Bool(false)) => self.not(a),
            Some(_) | None => self.intern(Expr::Eq(a, b), Sort::Bool),
        }
    }
    /// Simplifies (if c then x else y) = other, if at most one comparison remains.
    fn simplify_ite_eq(&mut self, c: ExprId, x: ExprId, y: ExprId, other: ExprId) -> Option<ExprId> {
        let different = |p: ExprId| p != other && self.as_const(p).is_some() && self.as_const(other).is_some();
        if x == other {
            let rest = self.eq_plain(y, other);
            Some(self.or(c, rest))
        } else if y == other {
            let rest = self.eq_plain(x, other);
            let not_c = self.not(c);
            Some(self.or(not_c, rest))
        } else if different(x) {
            let rest = self.eq_plain(y, other);
            let not_c = self.not(c);
            Some(self.and(not_c, rest))
        } else if different(y) {
            let rest = self.eq_plain(x, other);
            Some(self.and(c, rest))
        } else {
            None
        }
    }
    /// Simplifies a = k, if the operator of `a` can be undone on k.
    #[expect(clippy::wildcard_enum_match_arm, reason = "an operator without a case of its own is not simplified")]
    fn simplify_eq_const(&mut self, a: ExprId, width: u16, k: u128) -> Option<ExprId> {
        let (inner, k) = match self.expr(a) {
            Expr::BvUn(BvUn::Not, x) => (x, self.bv_const(width, !k)),
            Expr::BvUn(BvUn::Neg, x) => (x, self.bv_const(width, k.wrapping_neg())),
            Expr::BvBin(BvBin::Add, x, y) => {
                let (_, l) = self.const_bits(y)?;
                (x, self.bv_const(width, k.wrapping_sub(l)))
            }
            Expr::BvBin(BvBin::Xor, x, y) => {
                let (_, l) = self.const_bits(y)?;
                (x, self.bv_const(width, k ^ l))
            }
            Expr::BvBin(BvBin::Sub, x, y) if k == 0 => (x, y),
            Expr::ZeroExtend(_, x) => {
                let narrow = self.width(x);
                if mask(narrow) < k {
                    return Some(self.bool(false));
                }
                (x, self.bv_const(narrow, k))
            }
            Expr::SignExtend(_, x) => {
                let narrow = self.width(x);
                if sign_extend(width, k) != sign_extend(narrow, k & mask(narrow)) {
                    return Some(self.bool(false));
                }
                (x, self.bv_const(narrow, k))
            }
            Expr::Concat(x, y) => {
                let low_width = self.width(y);
                let high = self.bv_const(width - low_width, k >> low_width);
                let low = self.bv_const(low_width, k);
                let high = self.eq_plain(x, high);
                let low = self.eq_plain(y, low);
                return Some(self.and(high, low));
            }
            _ => return None,
        };
        Some(self.eq_plain(inner, k))
    }
}
