//! What a body uses, by its syntax alone.

use crate::ast::{self, Arg, Expr, ExprKind, NameElem, Stmt, StmtKind};
use crate::resolve::names::tables::{Key, key};
use crate::text::source::Span;
use std::collections::BTreeSet;

/// Something that code names.
pub(crate) enum Used<'a> {
    Address(&'a str, Span),
    Name(&'a ast::Name),
    /// What a statement calls; the name follows.
    Call(&'a ast::Name),
}

/// The direct addresses in the bodies of `units`, in source order.
pub(crate) fn addresses(units: &[ast::Unit]) -> Vec<(&str, Span)> {
    let mut found = Vec::new();
    for pou in crate::resolve::prepare::declaration_order::pous(units) {
        for body in bodies(pou) {
            stmts(body.stmts(), &mut |used| match used {
                Used::Address(text, span) => found.push((text, span)),
                Used::Name(_) | Used::Call(_) => {}
            });
        }
    }
    found
}

/// The bodies of a POU and of its members.
pub(crate) fn bodies(pou: &ast::Pou) -> impl Iterator<Item = &ast::Body> {
    let halves = pou.properties.iter().flat_map(|p| p.getter.iter().chain(&p.setter));
    let methods = pou.methods.iter().chain(halves).filter_map(|m| m.body.as_ref());
    std::iter::once(&pou.body).chain(methods).chain(pou.actions.iter().map(|a| &a.body))
}

/// The identifiers in statements: first ones and those behind dots.
pub(crate) fn mentions(body: &[Stmt]) -> BTreeSet<Key> {
    let mut found = BTreeSet::new();
    stmts(body, &mut |used| match used {
        Used::Address(..) | Used::Call(_) => {}
        Used::Name(name) => {
            found.insert(key(&name.root.text));
            for elem in &name.path {
                match elem {
                    NameElem::Field(ident) => {
                        found.insert(key(&ident.text));
                    }
                    NameElem::Index(..) | NameElem::Bits { .. } | NameElem::Deref(_) | NameElem::Call(..) => {}
                }
            }
        }
    });
    found
}

/// Visits statements in source order.
pub(crate) fn stmts<'a>(body: &'a [Stmt], found: &mut dyn FnMut(Used<'a>)) {
    for stmt in body {
        match &stmt.kind {
            StmtKind::Assign(target, value) | StmtKind::RefAssign(_, target, value) => {
                expr(target, found);
                expr(value, found);
            }
            StmtKind::If(branches, otherwise) => {
                for (condition, body) in branches {
                    expr(condition, found);
                    stmts(body, found);
                }
                stmts(otherwise, found);
            }
            StmtKind::Case(selector, arms, otherwise) => {
                expr(selector, found);
                for arm in arms {
                    stmts(&arm.body, found);
                }
                stmts(otherwise, found);
            }
            StmtKind::For { control, from, to, by, body } => {
                name(control, found);
                for e in [from, to].into_iter().chain(by) {
                    expr(e, found);
                }
                stmts(body, found);
            }
            StmtKind::While(condition, body) | StmtKind::Repeat(body, condition) => {
                expr(condition, found);
                stmts(body, found);
            }
            StmtKind::Call(callee, arguments) => {
                found(Used::Call(callee));
                name(callee, found);
                args(arguments, found);
            }
            StmtKind::Assert(value, _) | StmtKind::Let(_, value) | StmtKind::Keep(_, value) | StmtKind::Value(value) => {
                expr(value, found);
            }
            StmtKind::Exit
            | StmtKind::Continue
            | StmtKind::Return
            | StmtKind::Empty
            | StmtKind::Label(..)
            | StmtKind::Goto(..)
            | StmtKind::Unsupported(_)
            | StmtKind::Error => {}
        }
    }
}

fn expr<'a>(e: &'a Expr, found: &mut dyn FnMut(Used<'a>)) {
    match &e.kind {
        ExprKind::Address(text) => found(Used::Address(text, e.span)),
        ExprKind::Name(path) => name(path, found),
        ExprKind::Call(callee, arguments) => {
            name(callee, found);
            args(arguments, found);
        }
        ExprKind::Unary(_, a) => expr(a, found),
        ExprKind::Binary(_, a, b) => {
            expr(a, found);
            expr(b, found);
        }
        ExprKind::Literal(..) | ExprKind::Error => {}
    }
}

fn args<'a>(arguments: &'a [Arg], found: &mut dyn FnMut(Used<'a>)) {
    for arg in arguments {
        match arg {
            Arg::Positional(e) | Arg::Input(_, e) | Arg::Output { target: Some(e), .. } => expr(e, found),
            Arg::Output { target: None, .. } => {}
        }
    }
}

fn name<'a>(path: &'a ast::Name, found: &mut dyn FnMut(Used<'a>)) {
    found(Used::Name(path));
    for elem in &path.path {
        match elem {
            NameElem::Index(indices, _) => {
                for e in indices {
                    expr(e, found);
                }
            }
            NameElem::Call(arguments, _) => args(arguments, found),
            NameElem::Field(_) | NameElem::Bits { .. } | NameElem::Deref(_) => {}
        }
    }
}
