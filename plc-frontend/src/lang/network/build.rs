//! Small pieces of syntax tree.

use crate::ast::{Expr, ExprKind, Ident, Literal, Name, NameElem, Stmt, StmtKind};
use crate::hir::{BinOp, UnOp};
use crate::text::source::Span;

pub(super) fn ident(text: impl Into<String>, span: Span) -> Ident {
    Ident { text: text.into(), span }
}
pub(super) fn variable(name: &Ident) -> Expr {
    let kind = ExprKind::Name(Name { root: name.clone(), path: Vec::new(), span: name.span });
    Expr { kind, span: name.span }
}
/// `instance.part`
pub(super) fn part(instance: &Name, part: &Ident) -> Expr {
    let mut name = instance.clone();
    name.path.push(NameElem::Field(part.clone()));
    Expr { span: name.span, kind: ExprKind::Name(name) }
}
pub(super) fn truth(value: bool, span: Span) -> Expr {
    Expr { kind: ExprKind::Literal(None, Literal::Bool(value)), span }
}
/// What a finding has been reported about.
pub(super) fn broken(span: Span) -> Expr {
    Expr { kind: ExprKind::Error, span }
}
pub(super) fn not(e: Expr) -> Expr {
    Expr { span: e.span, kind: ExprKind::Unary(UnOp::Not, Box::new(e)) }
}
pub(super) fn not_if(negated: bool, e: Expr) -> Expr {
    if negated { not(e) } else { e }
}
pub(super) fn and(a: Expr, b: Expr, span: Span) -> Expr {
    if is_true(&a) { b } else { binary(BinOp::And, a, b, span) }
}
/// OR of all values, in their order; a balanced tree, for there may be many.
pub(super) fn any(mut values: Vec<Expr>, span: Span) -> Option<Expr> {
    while 1 < values.len() {
        let mut pairs = values.into_iter();
        let mut halved = Vec::new();
        while let Some(first) = pairs.next() {
            halved.push(match pairs.next() {
                Some(second) => binary(BinOp::Or, first, second, span),
                None => first,
            });
        }
        values = halved;
    }
    values.pop()
}
fn binary(op: BinOp, a: Expr, b: Expr, span: Span) -> Expr {
    Expr { span, kind: ExprKind::Binary(op, Box::new(a), Box::new(b)) }
}
pub(super) fn is_true(e: &Expr) -> bool {
    matches!(e.kind, ExprKind::Literal(None, Literal::Bool(true)))
}
/// Whether the expression is a literal, with a sign or without: it means the same everywhere, and its type depends on where it stands.
pub(super) fn is_literal(e: &Expr) -> bool {
    match &e.kind {
        ExprKind::Literal(..) => true,
        ExprKind::Unary(_, inner) => matches!(inner.kind, ExprKind::Literal(..)),
        ExprKind::Name(_) | ExprKind::Address(_) | ExprKind::Call(..) | ExprKind::Binary(..) | ExprKind::Error => false,
    }
}
pub(super) fn assign(target: Expr, value: Expr, span: Span) -> Stmt {
    Stmt { kind: StmtKind::Assign(target, value), span }
}
/// `IF condition THEN body END_IF`, or the body alone if the condition is TRUE.
pub(super) fn when(condition: Expr, body: Vec<Stmt>, span: Span) -> Vec<Stmt> {
    if body.is_empty() || is_true(&condition) {
        return body;
    }
    vec![Stmt { kind: StmtKind::If(vec![(condition, body)], Vec::new()), span }]
}
