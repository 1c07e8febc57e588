//! Operators on durations: sum, difference and comparison of two durations; product and quotient with an integer.

use crate::hir::printer::op_name;
use crate::hir::{BinOp, Conversion, Expr, Project};
use crate::resolve::controller::behaviour::Behaviour;
use crate::resolve::exprs::operators::{Class, class, node};
use crate::resolve::findings::{Findings, Res};
use crate::resolve::resolver::Resolver;
use crate::resolve::types::elementary;
use crate::resolve::types::families::{Family, common, family, widened, widens};
use crate::text::{Span, codes};

impl Resolver<'_> {
    /// Resolves an operator with a duration as operand.
    pub(crate) fn apply_time(&mut self, op: BinOp, left: Expr, right: Expr, span: Span) -> Res<Expr> {
        let (l, r) = (family(&self.project, left.ty), family(&self.project, right.ty));
        let number = matches!(class(op), Class::Arithmetic | Class::Comparison);
        if self.dialect.compiles_to_c() && matches!(op, BinOp::Mul | BinOp::Div) {
            self.findings.note_behaviour(self.dialect, Behaviour::TimeProduct, span);
        }
        match (op, l, r) {
            (_, Family::Time, Family::Time) if op.is_comparison() || matches!(op, BinOp::Add | BinOp::Sub) => {
                let ty = common(&self.project, left.ty, right.ty).unwrap_or(elementary::LTIME);
                Ok(node(op, widened(left, ty), widened(right, ty), span))
            }
            (BinOp::Mul, Family::Time, Family::Int) => {
                let ty = left.ty;
                Ok(node(op, left, widened(right, ty), span))
            }
            (BinOp::Mul, Family::Int, Family::Time) => {
                let ty = right.ty;
                Ok(node(op, widened(left, ty), right, span))
            }
            (BinOp::Div, Family::Time, Family::Int) => self.project.divide_time(&mut self.findings, left, right, span),
            (_, Family::Time, _) if number && self.dialect.counts(&self.project, right.ty) => {
                let ty = left.ty;
                Ok(node(op, left, self.project.as_number(right, ty), span))
            }
            (_, _, Family::Time) if number && self.dialect.counts(&self.project, left.ty) => {
                let ty = right.ty;
                Ok(node(op, self.project.as_number(left, ty), right, span))
            }
            (BinOp::Div | BinOp::Mod, Family::Time, Family::Time) if self.dialect.mixes() => {
                let ty = common(&self.project, left.ty, right.ty).unwrap_or(elementary::LTIME);
                let number = match ty {
                    elementary::TIME if self.project.unsigned_time => elementary::UDINT,
                    elementary::TIME => elementary::DINT,
                    _ => elementary::LINT,
                };
                let (left, right) = (widened(left, ty), widened(right, ty));
                Ok(node(op, self.project.as_number(left, number), self.project.as_number(right, number), span))
            }
            (_, _, _) => {
                let a = self.project.type_name(left.ty);
                let help = match (op, l, r) {
                    (BinOp::Mul | BinOp::Div, Family::Time, Family::Real) => {
                        Some(format!("write LREAL_TO_{a}({a}_TO_LREAL(…) {} …)", op_name(op)))
                    }
                    (BinOp::Div | BinOp::Mod, Family::Time, Family::Time) => Some(format!("convert both with {a}_TO_LINT(…)")),
                    (_, Family::Time, Family::Int) => self.project.conversion_help(right.ty, left.ty),
                    (_, Family::Int, Family::Time) => self.project.conversion_help(left.ty, right.ty),
                    (_, _, _) => None,
                };
                Err(self.not_defined(op, &left, &right, span, "not for durations", help))
            }
        }
    }
}

impl Project {
    /// Divides a duration by an integer. The divisor must keep its value. So a divisor that is wider than TIME (32 bits)
    /// makes a LINT division.
    fn divide_time(&self, findings: &mut Findings, left: Expr, right: Expr, span: Span) -> Res<Expr> {
        let ty = left.ty;
        let exact = if ty == elementary::TIME { elementary::DINT } else { elementary::LINT };
        if widens(self, right.ty, exact) {
            return Ok(node(BinOp::Div, left, widened(right, ty), span));
        }
        if !widens(self, right.ty, elementary::LINT) {
            let (a, b) = (self.type_name(ty), self.type_name(right.ty));
            let message = format!("{a} / {b} is not defined: the divisor may be too large");
            let help = Some(format!("convert the divisor with {b}_TO_LINT(…)"));
            return Err(findings.error_with_help(codes::OPERAND_TYPE, right.span, message, format!("of type {b}"), help));
        }
        let left = left.converted(Conversion::Convert, elementary::LINT);
        Ok(node(BinOp::Div, left, widened(right, elementary::LINT), span).converted(Conversion::Convert, ty))
    }
}
