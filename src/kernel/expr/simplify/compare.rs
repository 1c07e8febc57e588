//! Rules for comparisons of bit vectors.

use crate::expr::node::{BvCmp, Expr};
use crate::expr::pool::{ExprId, ExprPool};
use crate::expr::sort::{mask, sign_extend};

/// Returns the order of a comparison: whether it is signed and whether it is strict.
fn parts(op: BvCmp) -> (bool, bool) {
    match op {
        BvCmp::Ult => (false, true),
        BvCmp::Ule => (false, false),
        BvCmp::Slt => (true, true),
        BvCmp::Sle => (true, false),
    }
}

fn from_parts(signed: bool, strict: bool) -> BvCmp {
    match (signed, strict) {
        (false, true) => BvCmp::Ult,
        (false, false) => BvCmp::Ule,
        (true, true) => BvCmp::Slt,
        (true, false) => BvCmp::Sle,
    }
}

impl ExprPool {
    pub(super) fn simplify_bv_cmp(&mut self, op: BvCmp, a: ExprId, b: ExprId) -> Option<ExprId> {
        let (signed, strict) = parts(op);
        if a == b {
            return Some(self.bool(!strict));
        }
        let width = self.width(a);
        let (least, greatest) = if signed { (1u128 << (width - 1), mask(width - 1)) } else { (0, mask(width)) };
        if let Some((_, k)) = self.const_bits(b) {
            match (strict, k) {
                (true, k) if k == least => return Some(self.bool(false)),
                (true, k) if k == greatest => return Some(self.ne(a, b)),
                (false, k) if k == least => return Some(self.eq(a, b)),
                (false, k) if k == greatest => return Some(self.bool(true)),
                _ => {}
            }
        }
        if let Some((_, k)) = self.const_bits(a) {
            match (strict, k) {
                (true, k) if k == greatest => return Some(self.bool(false)),
                (true, k) if k == least => return Some(self.ne(a, b)),
                (false, k) if k == greatest => return Some(self.eq(a, b)),
                (false, k) if k == least => return Some(self.bool(true)),
                _ => {}
            }
        }
        self.narrow(signed, strict, a, b)
    }
    /// Compares the operands of extensions instead of their results.
    fn narrow(&mut self, signed: bool, strict: bool, a: ExprId, b: ExprId) -> Option<ExprId> {
        let (x, x_signed) = self.extended(a).unzip();
        let (y, y_signed) = self.extended(b).unzip();
        let x_signed = x_signed.or(y_signed)?;
        let y_signed = y_signed.or(Some(x_signed))?;
        // Operands of extensions are no extensions of the same kind, so the recursion is bounded. Zero extension keeps the
        // unsigned order and gives non-negative numbers; sign extension keeps both orders.
        if x_signed != y_signed || (!signed && x_signed) {
            return None;
        }
        let below = from_parts(x_signed, strict);
        match (x, y) {
            (Some(x), Some(y)) if self.sort(x) == self.sort(y) => Some(self.bv_cmp(below, x, y)),
            (Some(x), None) => {
                let (width, k) = self.const_bits(b)?;
                let narrow = self.width(x);
                match position(signed, x_signed, width, narrow, k) {
                    Position::Below => Some(self.bool(false)),
                    Position::Above => Some(self.bool(true)),
                    Position::Inside => {
                        let k = self.bv_const(narrow, k);
                        Some(self.bv_cmp(below, x, k))
                    }
                }
            }
            (None, Some(y)) => {
                let (width, k) = self.const_bits(a)?;
                let narrow = self.width(y);
                match position(signed, x_signed, width, narrow, k) {
                    Position::Below => Some(self.bool(true)),
                    Position::Above => Some(self.bool(false)),
                    Position::Inside => {
                        let k = self.bv_const(narrow, k);
                        Some(self.bv_cmp(below, k, y))
                    }
                }
            }
            (Some(_), Some(_)) | (None, None) => None,
        }
    }
    /// Returns the operand of an extension, and whether it is a sign extension.
    fn extended(&self, e: ExprId) -> Option<(ExprId, bool)> {
        if let Expr::ZeroExtend(_, x) = self.expr(e) {
            Some((x, false))
        } else if let Expr::SignExtend(_, x) = self.expr(e) {
            Some((x, true))
        } else {
            None
        }
    }
}

/// Position of a constant relative to all results of an extension.
enum Position {
    Below,
    Inside,
    Above,
}

fn position(signed: bool, sign_extended: bool, width: u16, narrow: u16, k: u128) -> Position {
    if !signed {
        // Unsigned order, zero extension.
        return if mask(narrow) < k { Position::Above } else { Position::Inside };
    }
    let k = sign_extend(width, k);
    // A zero extension is strictly wider than its operand, so its greatest result is non-negative here too.
    let (least, greatest) = if sign_extended {
        (sign_extend(narrow, 1 << (narrow - 1)), mask(narrow - 1) as i128)
    } else {
        (0, mask(narrow) as i128)
    };
    if k < least {
        Position::Below
    } else if greatest < k {
        Position::Above
    } else {
        Position::Inside
    }
}
