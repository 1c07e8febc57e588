//! Small pieces of syntax tree that the lowering of charts is made of.

use crate::ast::{
    Access, Arg, Expr, ExprKind, Ident, Initializer, InitializerKind, Literal, Name, NameElem, Section, Stmt, StmtKind, TypeSpec,
    TypeSpecKind, VarBlock, VarDecl,
};
use crate::hir::{BinOp, Retain, UnOp};
use crate::text::source::Span;

pub(super) fn ident(text: &str, span: Span) -> Ident {
    Ident { text: text.to_owned(), span }
}

fn expr(kind: ExprKind, span: Span) -> Expr {
    Expr { kind, span }
}

pub(super) fn variable(text: &str, span: Span) -> Expr {
    expr(ExprKind::Name(Name { root: ident(text, span), path: Vec::new(), span }), span)
}

/// `of.part`
pub(super) fn part(of: &str, part: &str, span: Span) -> Expr {
    let path = vec![NameElem::Field(ident(part, span))];
    expr(ExprKind::Name(Name { root: ident(of, span), path, span }), span)
}

pub(super) fn truth(value: bool, span: Span) -> Expr {
    expr(ExprKind::Literal(None, Literal::Bool(value)), span)
}

pub(super) fn zero_time(span: Span) -> Expr {
    expr(ExprKind::Literal(None, Literal::Duration { ns: 0, long: false }), span)
}

pub(super) fn not(operand: Expr) -> Expr {
    let span = operand.span;
    expr(ExprKind::Unary(UnOp::Not, Box::new(operand)), span)
}

pub(super) fn binary(op: BinOp, left: Expr, right: Expr) -> Expr {
    let span = left.span;
    expr(ExprKind::Binary(op, Box::new(left), Box::new(right)), span)
}

pub(super) fn and(left: Expr, right: Expr) -> Expr {
    binary(BinOp::And, left, right)
}

/// All of `operands` joined by `op`, as a tree without depth; `None` of none.
pub(super) fn joined(op: BinOp, mut operands: Vec<Expr>) -> Option<Expr> {
    while 1 < operands.len() {
        let mut pairs = Vec::with_capacity(operands.len().div_ceil(2));
        let mut rest = operands.into_iter();
        while let Some(left) = rest.next() {
            let span = left.span;
            pairs.push(match rest.next() {
                Some(right) => expr(ExprKind::Binary(op, Box::new(left), Box::new(right)), span),
                None => left,
            });
        }
        operands = pairs;
    }
    operands.pop()
}

pub(super) fn assign(target: Expr, value: Expr, span: Span) -> Stmt {
    Stmt { kind: StmtKind::Assign(target, value), span }
}

pub(super) fn when(condition: Expr, body: Vec<Stmt>, span: Span) -> Stmt {
    Stmt { kind: StmtKind::If(vec![(condition, body)], Vec::new()), span }
}

pub(super) fn choose(condition: Expr, body: Vec<Stmt>, otherwise: Vec<Stmt>, span: Span) -> Stmt {
    Stmt { kind: StmtKind::If(vec![(condition, body)], otherwise), span }
}

pub(super) fn call(name: &str, args: Vec<Arg>, span: Span) -> Stmt {
    Stmt { kind: StmtKind::Call(Name { root: ident(name, span), path: Vec::new(), span }, args), span }
}

pub(super) fn unsupported(words: &'static str, span: Span) -> Stmt {
    Stmt { kind: StmtKind::Unsupported(words), span }
}

pub(super) fn declared(name: &Ident, ty: &str) -> VarDecl {
    let span = name.span;
    VarDecl {
        name: name.clone(),
        address: None,
        view_of: None,
        ty: TypeSpec { kind: TypeSpecKind::Name(ident(ty, span)), span },
        edge: None,
        args: Vec::new(),
        init: None,
        stopwatch: false,
        span,
    }
}

/// `(part := TRUE)`
pub(super) fn with_true(part: &str, span: Span) -> Initializer {
    let value = Initializer { kind: InitializerKind::Expr(truth(true, span)), span };
    Initializer { kind: InitializerKind::Struct(vec![(ident(part, span), value)]), span }
}

pub(super) fn block(section: Section, vars: Vec<VarDecl>, span: Span) -> VarBlock {
    VarBlock { section, constant: false, retain: Retain::Unspecified, access: Access::Unspecified, list: None, vars, span }
}
