//! Small pieces of syntax tree that only charts need.

use crate::ast::build;
use crate::ast::{
    Arg, Expr, ExprKind, Ident, Initializer, InitializerKind, Literal, Name, NameElem, Stmt, StmtKind, TypeSpec, VarDecl,
};
use crate::hir::BinOp;
use crate::text::Span;

pub(super) fn variable(text: &str, span: Span) -> Expr {
    Expr::variable(Ident::new(text, span))
}

/// Returns `of.part`.
pub(super) fn part(of: &str, part: &str, span: Span) -> Expr {
    let path = vec![NameElem::Field(Ident::new(part, span))];
    Expr { kind: ExprKind::Name(Name { root: Ident::new(of, span), path, span }), span }
}

pub(super) fn zero_time(span: Span) -> Expr {
    Expr { kind: ExprKind::Literal(None, Literal::Duration { ns: 0, long: false }), span }
}

/// Returns `left op right`, at the place of the left operand.
pub(super) fn binary(op: BinOp, left: Expr, right: Expr) -> Expr {
    let span = left.span;
    build::binary(op, left, right, span)
}

pub(super) fn and(left: Expr, right: Expr) -> Expr {
    binary(BinOp::And, left, right)
}

/// Joins operands by `op`; `None` without operands.
pub(super) fn joined(op: BinOp, operands: Vec<Expr>) -> Option<Expr> {
    build::joined(op, operands, |left| left.span)
}

/// Returns `name := TRUE;` or `name := FALSE;`
pub(super) fn set(name: &str, value: bool, span: Span) -> Stmt {
    Stmt::assign(variable(name, span), Expr::truth(value, span), span)
}

pub(super) fn choose(condition: Expr, body: Vec<Stmt>, otherwise: Vec<Stmt>, span: Span) -> Stmt {
    Stmt { kind: StmtKind::If(vec![(condition, body)], otherwise), span }
}

pub(super) fn call(name: &str, args: Vec<Arg>, span: Span) -> Stmt {
    Stmt { kind: StmtKind::Call(Name::plain(Ident::new(name, span)), args), span }
}

pub(super) fn declared(name: &Ident, ty: &str) -> VarDecl {
    VarDecl::new(name.clone(), TypeSpec::named(ty, name.span), name.span)
}

/// Returns `(part := TRUE)`.
pub(super) fn with_true(part: &str, span: Span) -> Initializer {
    let fields = vec![(Ident::new(part, span), Initializer::value(Expr::truth(true, span)))];
    Initializer { kind: InitializerKind::Struct(fields), span }
}
