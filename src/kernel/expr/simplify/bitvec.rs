//! Rules for bit vector arithmetic, bitwise operators and shifts.

use crate::expr::node::{BvBin, BvUn, Expr};
use crate::expr::pool::{ExprId, ExprPool};
use crate::expr::sort::{Sort, mask};

impl ExprPool {
    pub(super) fn simplify_bv_un(&mut self, op: BvUn, a: ExprId) -> Option<ExprId> {
        match (op, self.expr(a)) {
            (BvUn::Neg, Expr::BvUn(BvUn::Neg, inner)) | (BvUn::Not, Expr::BvUn(BvUn::Not, inner)) => Some(inner),
            (BvUn::Neg, Expr::BvBin(BvBin::Sub, x, y)) => Some(self.bv_plain(BvBin::Sub, y, x)),
            _ => None,
        }
    }
    pub(super) fn simplify_bv(&mut self, op: BvBin, a: ExprId, b: ExprId) -> Option<ExprId> {
        let width = self.width(a);
        if let Some((_, k)) = self.const_bits(b) {
            return self.simplify_bv_const(op, a, b, width, k);
        }
        if a == b {
            if matches!(op, BvBin::Sub | BvBin::Xor) {
                return Some(self.bv_const(width, 0));
            }
            if matches!(op, BvBin::And | BvBin::Or) {
                return Some(a);
            }
        }
        #[expect(clippy::wildcard_enum_match_arm, reason = "an operator without a rule stays")]
        match op {
            BvBin::Sub => self.simplify_sub(a, b),
            BvBin::Add => self.simplify_add(a, b),
            BvBin::And | BvBin::Or | BvBin::Xor if self.are_flipped(a, b) => {
                Some(self.bv_const(width, if op == BvBin::And { 0 } else { mask(width) }))
            }
            BvBin::Shl | BvBin::Lshr | BvBin::Ashr if self.const_bits(a).is_some_and(|(_, k)| k == 0) => Some(a),
            _ => None,
        }
    }
    fn simplify_sub(&mut self, a: ExprId, b: ExprId) -> Option<ExprId> {
        if self.const_bits(a).is_some_and(|(_, k)| k == 0) {
            return Some(self.bv_un(BvUn::Neg, b));
        }
        match (self.expr(a), self.expr(b)) {
            (_, Expr::BvUn(BvUn::Neg, y)) => Some(self.bv_plain(BvBin::Add, a, y)),
            // (x + y) - x
            (Expr::BvBin(BvBin::Add, x, y), _) if x == b => Some(y),
            (Expr::BvBin(BvBin::Add, x, y), _) if y == b => Some(x),
            _ => None,
        }
    }
    fn simplify_add(&mut self, a: ExprId, b: ExprId) -> Option<ExprId> {
        match (self.expr(a), self.expr(b)) {
            (Expr::BvUn(BvUn::Neg, x), _) if x == b => Some(self.zero_like(b)),
            (_, Expr::BvUn(BvUn::Neg, y)) if y == a => Some(self.zero_like(a)),
            (Expr::BvUn(BvUn::Neg, x), _) => Some(self.bv_plain(BvBin::Sub, b, x)),
            (_, Expr::BvUn(BvUn::Neg, y)) => Some(self.bv_plain(BvBin::Sub, a, y)),
            // (x - y) + y
            (Expr::BvBin(BvBin::Sub, x, y), _) if y == b => Some(x),
            (_, Expr::BvBin(BvBin::Sub, x, y)) if y == a => Some(x),
            (Expr::BvBin(BvBin::Mul, ..), _) => self.dividend(a, b),
            (_, Expr::BvBin(BvBin::Mul, ..)) => self.dividend(b, a),
            _ => None,
        }
    }
    /// Returns x for `(x / y) * y` and `x % y`, whose sum it is, also where y is 0 or the quotient wraps.
    fn dividend(&self, product: ExprId, rest: ExprId) -> Option<ExprId> {
        let (Expr::BvBin(BvBin::Mul, p, q), Expr::BvBin(rem, x, y)) = (self.expr(product), self.expr(rest)) else {
            return None;
        };
        let div = match rem {
            BvBin::Urem => BvBin::Udiv,
            BvBin::Srem => BvBin::Sdiv,
            BvBin::Add
            | BvBin::Sub
            | BvBin::Mul
            | BvBin::Udiv
            | BvBin::Sdiv
            | BvBin::And
            | BvBin::Or
            | BvBin::Xor
            | BvBin::Shl
            | BvBin::Lshr
            | BvBin::Ashr => return None,
        };
        let is_quotient = |e: ExprId| matches!(self.expr(e), Expr::BvBin(op, a, b) if (op, a, b) == (div, x, y));
        ((is_quotient(p) && q == y) || (is_quotient(q) && p == y)).then_some(x)
    }
    fn zero_like(&mut self, e: ExprId) -> ExprId {
        let width = self.width(e);
        self.bv_const(width, 0)
    }
    /// Returns `a op k`.
    fn simplify_bv_const(&mut self, op: BvBin, a: ExprId, b: ExprId, width: u16, k: u128) -> Option<ExprId> {
        let ones = mask(width);
        match op {
            BvBin::Add | BvBin::Or | BvBin::Xor | BvBin::Shl | BvBin::Lshr | BvBin::Ashr if k == 0 => Some(a),
            BvBin::Mul | BvBin::Udiv | BvBin::Sdiv if k == 1 => Some(a),
            // One bit: 1 is also -1, so this rule comes before that of signed division.
            BvBin::Mul | BvBin::Sdiv if k == ones => Some(self.bv_un(BvUn::Neg, a)),
            BvBin::Mul | BvBin::And if k == 0 => Some(b),
            BvBin::Or if k == ones => Some(b),
            BvBin::And if k == ones => Some(a),
            BvBin::Xor if k == ones => Some(self.bv_un(BvUn::Not, a)),
            // Subtraction of a constant is addition, so that x + 1 - 1 is x.
            BvBin::Sub => {
                let negated = self.bv_const(width, k.wrapping_neg());
                Some(self.bv(BvBin::Add, a, negated))
            }
            BvBin::Udiv if k == 0 => Some(self.bv_const(width, ones)),
            BvBin::Udiv if k.is_power_of_two() => {
                let shift = self.bv_const(width, u128::from(k.trailing_zeros()));
                Some(self.bv(BvBin::Lshr, a, shift))
            }
            BvBin::Urem | BvBin::Srem if k == 0 => Some(a),
            BvBin::Urem if k.is_power_of_two() => {
                let low = self.bv_const(width, k - 1);
                Some(self.bv(BvBin::And, a, low))
            }
            BvBin::Srem if k == 1 || k == ones => Some(self.bv_const(width, 0)),
            BvBin::Shl | BvBin::Lshr if u128::from(width) <= k => Some(self.bv_const(width, 0)),
            BvBin::Ashr if u128::from(width) <= k => {
                let all = self.bv_const(width, u128::from(width - 1));
                // At a width of one bit the shift would be by 0.
                Some(self.bv_plain_shift(a, all))
            }
            BvBin::Add | BvBin::Mul | BvBin::And | BvBin::Or | BvBin::Xor => self.simplify_nested(op, a, width, k),
            BvBin::Udiv | BvBin::Urem | BvBin::Sdiv | BvBin::Srem | BvBin::Shl | BvBin::Lshr | BvBin::Ashr => None,
        }
    }
    /// Simplifies (x op l) op k with two constants.
    fn simplify_nested(&mut self, op: BvBin, a: ExprId, width: u16, k: u128) -> Option<ExprId> {
        let Expr::BvBin(inner, x, y) = self.expr(a) else { return None };
        if inner != op {
            return None;
        }
        let (_, l) = self.const_bits(y)?;
        let both = match op {
            BvBin::Add => k.wrapping_add(l),
            BvBin::Mul => k.wrapping_mul(l),
            BvBin::And => k & l,
            BvBin::Or => k | l,
            BvBin::Xor => k ^ l,
            BvBin::Sub | BvBin::Udiv | BvBin::Urem | BvBin::Sdiv | BvBin::Srem | BvBin::Shl | BvBin::Lshr | BvBin::Ashr => {
                return None;
            }
        };
        let both = self.bv_const(width, both);
        Some(self.bv(op, x, both))
    }
    fn bv_plain_shift(&mut self, a: ExprId, by: ExprId) -> ExprId {
        if self.width(a) == 1 { a } else { self.intern(Expr::BvBin(BvBin::Ashr, a, by), Sort::BitVec(self.width(a))) }
    }
    /// Returns the node after folding `x - x` only, so that chains of operators cannot recurse.
    fn bv_plain(&mut self, op: BvBin, a: ExprId, b: ExprId) -> ExprId {
        let sort = self.sort(a);
        if op == BvBin::Sub && a == b {
            return self.zero_like(a);
        }
        let (a, b) = if op == BvBin::Add && b < a { (b, a) } else { (a, b) };
        self.intern(Expr::BvBin(op, a, b), sort)
    }
    /// Returns whether `a` has the form of `b` with all bits flipped.
    fn are_flipped(&self, a: ExprId, b: ExprId) -> bool {
        match (self.expr(a), self.expr(b)) {
            (Expr::BvUn(BvUn::Not, x), _) if x == b => true,
            (_, Expr::BvUn(BvUn::Not, y)) => y == a,
            _ => false,
        }
    }
}
