//! Simplification while building: each rule looks at a node and at most two levels of operands, takes constant time, and holds
//! for all values. No rule makes the graph larger, except by a constant number of nodes.
//!
//! Soundness: the laws compare every constructor with the plain node under the evaluator.

mod array;
mod bitvec;
mod boolean;
mod compare;
mod equality;
mod float;
mod integer;
mod structure;

use super::node::{BvBin, Expr, FpBin, FpCmp, IntBin};
use super::pool::{ExprId, ExprPool};
use super::semantics::apply;
use super::sort::{Sort, Value};

impl ExprPool {
    /// Returns the simplest known expression equal to the node.
    pub(super) fn simplify(&mut self, expr: Expr, sort: Sort) -> ExprId {
        if let Some(value) = self.fold(expr) {
            return self.constant(value);
        }
        let expr = self.ordered(expr);
        let simpler = match expr {
            Expr::Const(_) | Expr::Var(_) => None,
            Expr::Not(a) => self.simplify_not(a),
            Expr::And(a, b) => self.simplify_connective(a, b, false),
            Expr::Or(a, b) => self.simplify_connective(a, b, true),
            Expr::Eq(a, b) => self.simplify_eq(a, b),
            Expr::Ite(c, a, b) => self.simplify_ite(c, a, b),
            Expr::BvUn(op, a) => self.simplify_bv_un(op, a),
            Expr::BvBin(op, a, b) => self.simplify_bv(op, a, b),
            Expr::BvCmp(op, a, b) => self.simplify_bv_cmp(op, a, b),
            Expr::Extract { high, low, of } => self.simplify_extract(high, low, of),
            Expr::Concat(a, b) => self.simplify_concat(a, b),
            Expr::ZeroExtend(width, a) => self.simplify_zero_extend(width, a),
            Expr::SignExtend(width, a) => self.simplify_sign_extend(width, a),
            Expr::FpUn(op, a) => self.simplify_fp_un(op, a),
            Expr::FpBin(op, _, a, b) => self.simplify_fp(op, a, b),
            Expr::FpCmp(op, a, b) => self.simplify_fp_cmp(op, a, b),
            Expr::FpTest(op, a) => self.simplify_fp_test(op, a),
            Expr::FpToFp(sort, _, a) => self.simplify_fp_to_fp(sort, a),
            Expr::IntNeg(a) => self.simplify_int_neg(a),
            Expr::IntBin(op, a, b) => self.simplify_int(op, a, b),
            Expr::IntCmp(op, a, b) => self.simplify_int_cmp(op, a, b),
            Expr::Select(a, i) => self.simplify_select(a, i),
            Expr::Store(a, i, v) => self.simplify_store(a, i, v),
            Expr::BvToFp { .. } | Expr::FpToBv { .. } | Expr::BitsToFp(..) => None,
        };
        simpler.unwrap_or_else(|| self.intern(expr, sort))
    }
    /// Returns the value of a node that its constant operands decide.
    fn fold(&self, expr: Expr) -> Option<Value> {
        let operands = expr.operands().map(|operand| operand.and_then(|e| self.as_const(e)));
        if operands == [None; 3] {
            return None;
        }
        apply(expr, operands)
    }
    /// Orders commutative operands: a constant last, otherwise by id.
    #[expect(clippy::wildcard_enum_match_arm, reason = "an operator without a case of its own is not simplified")]
    fn ordered(&self, expr: Expr) -> Expr {
        let swap = |a: ExprId, b: ExprId| (self.as_const(a).is_some(), a) > (self.as_const(b).is_some(), b);
        match expr {
            Expr::And(a, b) if swap(a, b) => Expr::And(b, a),
            Expr::Or(a, b) if swap(a, b) => Expr::Or(b, a),
            Expr::Eq(a, b) if swap(a, b) => Expr::Eq(b, a),
            Expr::BvBin(op @ (BvBin::Add | BvBin::Mul | BvBin::And | BvBin::Or | BvBin::Xor), a, b) if swap(a, b) => {
                Expr::BvBin(op, b, a)
            }
            Expr::FpBin(op @ (FpBin::Add | FpBin::Mul), rounding, a, b) if swap(a, b) => Expr::FpBin(op, rounding, b, a),
            Expr::IntBin(op @ (IntBin::Add | IntBin::Mul), a, b) if swap(a, b) => Expr::IntBin(op, b, a),
            Expr::FpCmp(FpCmp::Eq, a, b) if swap(a, b) => Expr::FpCmp(FpCmp::Eq, b, a),
            _ => expr,
        }
    }
    /// Returns the width and bits of a constant bit vector.
    fn const_bits(&self, e: ExprId) -> Option<(u16, u128)> {
        if let Value::BitVec { width, bits } = self.as_const(e)? { Some((width, bits)) } else { None }
    }
    /// Returns a constant bit vector, `bits` modulo 2^width.
    fn bv_const(&mut self, width: u16, bits: u128) -> ExprId {
        self.constant(Value::bv(width, bits))
    }
}
