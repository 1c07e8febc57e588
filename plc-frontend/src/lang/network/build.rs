//! Small pieces of syntax tree that only networks need.

use crate::ast::build::{self, binary, not};
use crate::ast::{Expr, ExprKind, Ident, Literal, Name, NameElem, Stmt};
use crate::hir::BinOp;
use crate::text::Span;

pub(super) fn variable(name: &Ident) -> Expr {
    Expr::variable(name.clone())
}
/// Returns `instance.part`.
pub(super) fn part(instance: &Name, part: &Ident) -> Expr {
    let mut name = instance.clone();
    name.path.push(NameElem::Field(part.clone()));
    Expr { span: name.span, kind: ExprKind::Name(name) }
}
pub(super) fn not_if(negated: bool, e: Expr) -> Expr {
    if negated { not(e) } else { e }
}
pub(super) fn and(a: Expr, b: Expr, span: Span) -> Expr {
    if is_true(&a) { b } else { binary(BinOp::And, a, b, span) }
}
/// Joins values by OR, in their order; `None` without values.
pub(super) fn any(values: Vec<Expr>, span: Span) -> Option<Expr> {
    build::joined(BinOp::Or, values, |_| span)
}
pub(super) fn is_true(e: &Expr) -> bool {
    matches!(e.kind, ExprKind::Literal(None, Literal::Bool(true)))
}
/// Returns whether an expression is a literal, with a sign or without. A literal means the same everywhere, and its type depends
/// on its place.
pub(super) fn is_literal(e: &Expr) -> bool {
    let operand = if let ExprKind::Unary(_, inner) = &e.kind { inner } else { e };
    matches!(operand.kind, ExprKind::Literal(..))
}
/// Returns `IF condition THEN body END_IF`, or the body alone if the condition is TRUE.
pub(super) fn when(condition: Expr, body: Vec<Stmt>, span: Span) -> Vec<Stmt> {
    if body.is_empty() || is_true(&condition) {
        return body;
    }
    vec![Stmt::when(condition, body, span)]
}
