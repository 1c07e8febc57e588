//! Where something happens that is defined and rarely meant: the conditions, as bit vectors.
//!
//! Only a model that was asked for them has them (`LowerOptions::lapses`), so they cost others nothing.

use plc_frontend::hir::{BinOp, Expr, LapseKind};

use super::builder::Builder;
use crate::expr::{BvBin, ExprId, Sort, Value};

impl Builder<'_, '_> {
    /// An overflow if `a op b`, which `expr` computes, leaves its type.
    pub(super) fn within_range(&mut self, expr: &Expr, op: BinOp, a: ExprId, b: ExprId) {
        let project = self.cx.project;
        let width = match (self.pool.sort(a), project.counts(expr.ty)) {
            (Sort::BitVec(width), true) => width,
            (Sort::Bool | Sort::BitVec(_) | Sort::Float(_) | Sort::Int | Sort::Array(..), _) => return,
        };
        let signed = self.int_of(expr.ty).signed;
        let (wide, op) = match op {
            BinOp::Add => (width + 1, BvBin::Add),
            BinOp::Sub => (width + 1, BvBin::Sub),
            BinOp::Mul => (2 * width, BvBin::Mul),
            // The smallest number by -1.
            BinOp::Div if signed => (width + 1, BvBin::Sdiv),
            BinOp::Div
            | BinOp::Mod
            | BinOp::And
            | BinOp::Or
            | BinOp::Xor
            | BinOp::AndThen
            | BinOp::OrElse
            | BinOp::Eq
            | BinOp::Ne
            | BinOp::Lt
            | BinOp::Le
            | BinOp::Gt
            | BinOp::Ge => return,
        };
        self.lapse(LapseKind::Overflow, expr.span, |builder| match op {
            // At its own width: a division is the dearest circuit, and the program has this one already.
            BvBin::Sdiv => {
                let smallest = builder.pool.constant(Value::bv(width, 1 << (width - 1)));
                let minus_one = builder.pool.constant(Value::int(width, -1));
                let (dividend, divisor) = (builder.pool.eq(a, smallest), builder.pool.eq(b, minus_one));
                builder.pool.and(dividend, divisor)
            }
            _ => {
                let (a, b) = (builder.extend(signed, wide, a), builder.extend(signed, wide, b));
                let exact = builder.pool.bv(op, a, b);
                builder.does_not_fit(signed, width, exact)
            }
        });
    }
    /// An overflow if `-x`, which `expr` computes, leaves its type.
    pub(super) fn negation_within_range(&mut self, expr: &Expr, x: ExprId) {
        let zero = match self.pool.sort(x) {
            sort @ Sort::BitVec(_) => self.pool.constant(Value::zero(sort)),
            Sort::Bool | Sort::Float(_) | Sort::Int | Sort::Array(..) => return,
        };
        self.within_range(expr, BinOp::Sub, zero, x);
    }
    /// Whether a wider number is none of `width` bits.
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
