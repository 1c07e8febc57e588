//! Rules for extraction, concatenation and extension.

use crate::expr::node::{BvBin, BvUn, Expr};
use crate::expr::pool::{ExprId, ExprPool};

impl ExprPool {
    #[expect(clippy::wildcard_enum_match_arm, reason = "an operator without a case of its own is not simplified")]
    pub(super) fn simplify_extract(&mut self, high: u16, low: u16, of: ExprId) -> Option<ExprId> {
        let width = self.width(of);
        if low == 0 && high + 1 == width {
            return Some(of);
        }
        let result = high - low + 1;
        match self.expr(of) {
            Expr::Extract { low: inner_low, of: inner, .. } => Some(self.extract(high + inner_low, low + inner_low, inner)),
            Expr::Concat(a, b) => {
                let split = self.width(b);
                if high < split {
                    Some(self.extract(high, low, b))
                } else if split <= low {
                    Some(self.extract(high - split, low - split, a))
                } else {
                    None
                }
            }
            Expr::ZeroExtend(_, a) => {
                let narrow = self.width(a);
                if high < narrow {
                    Some(self.extract(high, low, a))
                } else if narrow <= low {
                    Some(self.bv_const(result, 0))
                } else {
                    let part = self.extract(narrow - 1, low, a);
                    Some(self.zero_extend(result, part))
                }
            }
            Expr::SignExtend(_, a) => {
                let narrow = self.width(a);
                if high < narrow {
                    return Some(self.extract(high, low, a));
                }
                let part = self.extract(narrow - 1, low.min(narrow - 1), a);
                Some(self.sign_extend(result, part))
            }
            // The low bits of these depend on the low bits of the operands only; so a sum computed in a wide
            // format and stored in a narrow one is a narrow sum.
            Expr::BvBin(op @ (BvBin::Add | BvBin::Sub | BvBin::Mul), a, b) if low == 0 => {
                self.extract_operands(op, high, low, a, b)
            }
            Expr::BvBin(op @ (BvBin::And | BvBin::Or | BvBin::Xor), a, b) => self.extract_operands(op, high, low, a, b),
            Expr::BvUn(op @ (BvUn::Neg | BvUn::Not), a)
                if (low == 0 || op == BvUn::Not) && self.extracts_for_free(high, low, a) =>
            {
                let a = self.extract(high, low, a);
                Some(self.bv_un(op, a))
            }
            _ => None,
        }
    }
    /// Returns the operator on the extracted operands, if these extractions add no nodes.
    fn extract_operands(&mut self, op: BvBin, high: u16, low: u16, a: ExprId, b: ExprId) -> Option<ExprId> {
        if !self.extracts_for_free(high, low, a) || !self.extracts_for_free(high, low, b) {
            return None;
        }
        let a = self.extract(high, low, a);
        let b = self.extract(high, low, b);
        Some(self.bv(op, a, b))
    }
    /// Returns whether an extraction from `e` gives an existing part, without a node of its own.
    fn extracts_for_free(&self, high: u16, low: u16, e: ExprId) -> bool {
        if let Expr::ZeroExtend(_, a) | Expr::SignExtend(_, a) = self.expr(e) {
            low == 0 && self.width(a) <= high + 1
        } else {
            self.as_const(e).is_some()
        }
    }
    pub(super) fn simplify_concat(&mut self, a: ExprId, b: ExprId) -> Option<ExprId> {
        if let Some((width, 0)) = self.const_bits(a) {
            let width = width + self.width(b);
            return Some(self.zero_extend(width, b));
        }
        match (self.expr(a), self.expr(b)) {
            (Expr::Extract { high, low: split, of }, Expr::Extract { high: below, low, of: same })
                if of == same && below + 1 == split =>
            {
                Some(self.extract(high, low, of))
            }
            _ => None,
        }
    }
    pub(super) fn simplify_zero_extend(&mut self, width: u16, a: ExprId) -> Option<ExprId> {
        if self.width(a) == width {
            return Some(a);
        }
        if let Expr::ZeroExtend(_, inner) = self.expr(a) { Some(self.zero_extend(width, inner)) } else { None }
    }
    pub(super) fn simplify_sign_extend(&mut self, width: u16, a: ExprId) -> Option<ExprId> {
        if self.width(a) == width {
            return Some(a);
        }
        if let Expr::SignExtend(_, inner) = self.expr(a) {
            Some(self.sign_extend(width, inner))
        } else if let Expr::ZeroExtend(_, inner) = self.expr(a)
            && self.width(inner) < self.width(a)
        {
            // The sign of a strictly wider zero extension is 0.
            Some(self.zero_extend(width, inner))
        } else {
            None
        }
    }
}
