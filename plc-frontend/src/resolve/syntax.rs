//! What a body uses, by its syntax alone.

use crate::ast::{self, Arg, Expr, ExprKind, NameElem, Stmt, StmtKind};
use crate::source::Span;

/// The direct addresses in the bodies of `units`, in source order.
pub(crate) fn addresses(units: &[ast::Unit]) -> Vec<(&str, Span)> {
    let mut found = Vec::new();
    for item in units.iter().flat_map(|u| &u.items) {
        match item {
            ast::Item::Pou(pou) => stmts(pou.body.stmts(), &mut found),
            ast::Item::Type(_)
            | ast::Item::Globals(_)
            | ast::Item::Interface(_)
            | ast::Item::Configuration(_)
            | ast::Item::Namespace(_)
            | ast::Item::Using(_)
            | ast::Item::Unsupported(..) => {}
        }
    }
    found
}

fn stmts<'a>(body: &'a [Stmt], found: &mut Vec<(&'a str, Span)>) {
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
                name(callee, found);
                args(arguments, found);
            }
            StmtKind::Assert(condition, _) | StmtKind::Let(_, condition) | StmtKind::Keep(_, condition) => expr(condition, found),
            StmtKind::Exit
            | StmtKind::Continue
            | StmtKind::Return
            | StmtKind::Empty
            | StmtKind::Label(_)
            | StmtKind::Goto(_)
            | StmtKind::Unsupported(_)
            | StmtKind::Error => {}
        }
    }
}

fn expr<'a>(e: &'a Expr, found: &mut Vec<(&'a str, Span)>) {
    match &e.kind {
        ExprKind::Address(text) => found.push((text, e.span)),
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

fn args<'a>(arguments: &'a [Arg], found: &mut Vec<(&'a str, Span)>) {
    for arg in arguments {
        match arg {
            Arg::Positional(e) | Arg::Input(_, e) | Arg::Output { target: Some(e), .. } => expr(e, found),
            Arg::Output { target: None, .. } => {}
        }
    }
}

fn name<'a>(path: &'a ast::Name, found: &mut Vec<(&'a str, Span)>) {
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
