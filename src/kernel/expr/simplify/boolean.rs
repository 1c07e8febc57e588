//! Rules for ¬, ∧, ∨ and if-then-else.

use crate::expr::node::{BvCmp, Expr, IntCmp};
use crate::expr::pool::{ExprId, ExprPool};
use crate::expr::sort::Sort;

impl ExprPool {
    pub(super) fn simplify_not(&mut self, a: ExprId) -> Option<ExprId> {
        if let Expr::Not(inner) = self.expr(a) {
            return Some(inner);
        }
        // Comparisons of bit vectors and of integers are total orders.
        if let Expr::BvCmp(op, x, y) = self.expr(a) {
            return Some(self.bv_cmp(negated(op), y, x));
        }
        if let Expr::IntCmp(op, x, y) = self.expr(a) {
            let op = match op {
                IntCmp::Lt => IntCmp::Le,
                IntCmp::Le => IntCmp::Lt,
            };
            return Some(self.int_cmp(op, y, x));
        }
        None
    }
    /// Simplifies ∧ (`or` = false) or its dual ∨ (`or` = true). Constants are folded unless only one operand is one.
    pub(super) fn simplify_connective(&mut self, a: ExprId, b: ExprId, or: bool) -> Option<ExprId> {
        // A constant stands last. A dominant one was folded, so this is the neutral one.
        if self.as_const(b).is_some() || a == b {
            return Some(a);
        }
        if self.are_complements(a, b) {
            return Some(self.bool(or));
        }
        if !or && self.are_different_constants_of_one(a, b) {
            return Some(self.bool(false));
        }
        self.absorb(a, b, or).or_else(|| self.absorb(b, a, or))
    }
    /// Simplifies `a` with the compound `b`.
    fn absorb(&mut self, a: ExprId, b: ExprId, or: bool) -> Option<ExprId> {
        if let Expr::Not(inner) = self.expr(b) {
            return self.absorb_negated(a, inner, or);
        }
        let (same, x, y) = if let Expr::And(x, y) = self.expr(b) {
            (!or, x, y)
        } else if let Expr::Or(x, y) = self.expr(b) {
            (or, x, y)
        } else {
            return None;
        };
        if same {
            // a ∧ (a ∧ y) and a ∧ (¬a ∧ y), and their duals.
            if a == x || a == y {
                return Some(b);
            }
            if self.are_complements(a, x) || self.are_complements(a, y) {
                return Some(self.bool(or));
            }
            return None;
        }
        // a ∧ (a ∨ y), a ∧ (¬a ∨ y), and their duals.
        if a == x || a == y {
            return Some(a);
        }
        let rest = if self.are_complements(a, x) {
            y
        } else if self.are_complements(a, y) {
            x
        } else {
            return None;
        };
        // `rest` is smaller than `b`, but it may itself contain `a`: one more level is simplified, no further.
        Some(self.rebuild_plain(a, rest, or))
    }
    /// Simplifies `a` with ¬inner: a ∧ ¬(x ∧ y) and its dual a ∨ ¬(x ∨ y).
    fn absorb_negated(&mut self, a: ExprId, inner: ExprId, or: bool) -> Option<ExprId> {
        let (x, y) = match (self.expr(inner), or) {
            (Expr::And(x, y), false) | (Expr::Or(x, y), true) => (x, y),
            _ => return None,
        };
        if self.are_complements(a, x) || self.are_complements(a, y) {
            return Some(a);
        }
        let rest = if a == x {
            y
        } else if a == y {
            x
        } else {
            return None;
        };
        let not_rest = self.not(rest);
        Some(self.rebuild_plain(a, not_rest, or))
    }
    /// Returns a ∧ b or a ∨ b after the rules of constant depth only, so that chains of absorption cannot recurse.
    fn rebuild_plain(&mut self, a: ExprId, b: ExprId, or: bool) -> ExprId {
        if a == b {
            return a;
        }
        if self.are_complements(a, b) {
            return self.bool(or);
        }
        let (a, b) = if a < b { (a, b) } else { (b, a) };
        self.intern(if or { Expr::Or(a, b) } else { Expr::And(a, b) }, Sort::Bool)
    }
    pub(super) fn simplify_ite(&mut self, c: ExprId, a: ExprId, b: ExprId) -> Option<ExprId> {
        if self.is_true(c) || a == b {
            return Some(a);
        }
        if self.is_false(c) {
            return Some(b);
        }
        if let Expr::Not(inner) = self.expr(c) {
            return Some(self.ite(inner, b, a));
        }
        // if x = y then x else y, or with x and y swapped.
        if let Expr::Eq(x, y) = self.expr(c)
            && ((x, y) == (a, b) || (y, x) == (a, b))
        {
            return Some(b);
        }
        if self.sort(a) == Sort::Bool {
            return self.simplify_bool_ite(c, a, b);
        }
        // The same condition one level below, or the same branch.
        if let Expr::Ite(inner, x, y) = self.expr(a) {
            if inner == c {
                return Some(self.ite_plain(c, x, b));
            }
            if y == b {
                let both = self.and(c, inner);
                return Some(self.ite_plain(both, x, b));
            }
        }
        if let Expr::Ite(inner, x, y) = self.expr(b) {
            if inner == c {
                return Some(self.ite_plain(c, a, y));
            }
            if x == a {
                let either = self.or(c, inner);
                return Some(self.ite_plain(either, a, y));
            }
        }
        None
    }
    /// Returns the node after the rules of constant depth only, so that chains of branches cannot recurse.
    fn ite_plain(&mut self, c: ExprId, a: ExprId, b: ExprId) -> ExprId {
        let sort = self.sort(a);
        if a == b || self.is_true(c) {
            a
        } else if self.is_false(c) {
            b
        } else if let Expr::Not(inner) = self.expr(c) {
            self.intern(Expr::Ite(inner, b, a), sort)
        } else {
            self.intern(Expr::Ite(c, a, b), sort)
        }
    }
    fn simplify_bool_ite(&mut self, c: ExprId, a: ExprId, b: ExprId) -> Option<ExprId> {
        if self.is_true(a) || a == c {
            return Some(self.or(c, b));
        }
        if self.is_false(a) || self.are_complements(a, c) {
            let not_c = self.not(c);
            return Some(self.and(not_c, b));
        }
        if self.is_true(b) || self.are_complements(b, c) {
            let not_c = self.not(c);
            return Some(self.or(not_c, a));
        }
        if self.is_false(b) || b == c {
            return Some(self.and(c, a));
        }
        if self.are_complements(a, b) {
            return Some(self.eq(c, a));
        }
        None
    }
    /// Returns whether `a` has the form of ¬b.
    pub(super) fn are_complements(&self, a: ExprId, b: ExprId) -> bool {
        match (self.expr(a), self.expr(b)) {
            (Expr::Not(inner), _) if inner == b => true,
            (_, Expr::Not(inner)) if inner == a => true,
            (Expr::BvCmp(op, x, y), Expr::BvCmp(other, u, v)) => other == negated(op) && (x, y) == (v, u),
            _ => false,
        }
    }
    /// Returns whether they are x = k and x = l with different constants.
    fn are_different_constants_of_one(&self, a: ExprId, b: ExprId) -> bool {
        match (self.expr(a), self.expr(b)) {
            (Expr::Eq(x, k), Expr::Eq(y, l)) => x == y && k != l && self.as_const(k).is_some() && self.as_const(l).is_some(),
            _ => false,
        }
    }
}

/// Returns op' such that ¬(x op y) is y op' x.
fn negated(op: BvCmp) -> BvCmp {
    match op {
        BvCmp::Ult => BvCmp::Ule,
        BvCmp::Ule => BvCmp::Ult,
        BvCmp::Slt => BvCmp::Sle,
        BvCmp::Sle => BvCmp::Slt,
    }
}
