//! Statements as one line each, for comparison.

#![allow(clippy::wildcard_enum_match_arm, reason = "only what networks become is printed")]

use crate::ast::{Arg, Expr, ExprKind, Literal, Name, NameElem, Stmt, StmtKind};
use crate::hir::{BinOp, UnOp};

pub(crate) fn stmts(list: &[Stmt]) -> String {
    list.iter().map(stmt).collect::<Vec<_>>().join("\n")
}

fn stmt(s: &Stmt) -> String {
    match &s.kind {
        StmtKind::Assign(target, value) => format!("{} := {};", expr(target), expr(value)),
        StmtKind::Let(name, value) => format!("let {} := {};", name.text, expr(value)),
        StmtKind::Keep(name, value) => format!("keep {} := {};", name.text, expr(value)),
        StmtKind::If(branches, _) => {
            let body: Vec<String> = branches[0].1.iter().map(stmt).collect();
            format!("IF {} THEN {} END_IF", expr(&branches[0].0), body.join(" "))
        }
        StmtKind::Call(name, arguments) => format!("{}({});", path(name), args(arguments)),
        StmtKind::Return => "RETURN;".into(),
        StmtKind::Goto(label, _) => format!("GOTO {};", label.text),
        StmtKind::Label(label, _) => format!("{}:", label.text),
        StmtKind::Unsupported(words) => format!("<{words}>"),
        StmtKind::Error => "?".into(),
        other => format!("{other:?}"),
    }
}

fn args(list: &[Arg]) -> String {
    let arg = |a: &Arg| match a {
        Arg::Positional(e) => expr(e),
        Arg::Input(name, e) => format!("{} := {}", name.text, expr(e)),
        Arg::Output { name, target, negated } => {
            let target = target.as_ref().map_or(String::new(), expr);
            format!("{}{} => {target}", if *negated { "NOT " } else { "" }, name.text)
        }
    };
    list.iter().map(arg).collect::<Vec<_>>().join(", ")
}

fn path(name: &Name) -> String {
    let elem = |e: &NameElem| match e {
        NameElem::Field(field) => format!(".{}", field.text),
        NameElem::Index(indices, _) => format!("[{}]", indices.iter().map(expr).collect::<Vec<_>>().join(", ")),
        NameElem::Bits { number, .. } => format!(".{number}"),
        NameElem::Deref(_) => "^".into(),
        NameElem::Call(arguments, _) => format!("({})", args(arguments)),
    };
    name.root.text.clone() + &name.path.iter().map(elem).collect::<String>()
}

pub(crate) fn expr(e: &Expr) -> String {
    match &e.kind {
        ExprKind::Literal(_, Literal::Bool(value)) => value.to_string().to_uppercase(),
        ExprKind::Literal(_, Literal::Int(value)) => value.to_string(),
        ExprKind::Literal(_, Literal::Duration { ns, .. }) => format!("T#{}ms", ns / 1_000_000),
        ExprKind::Literal(_, other) => format!("{other:?}"),
        ExprKind::Name(name) => path(name),
        ExprKind::Address(text) => text.clone(),
        ExprKind::Call(name, arguments) => format!("{}({})", path(name), args(arguments)),
        ExprKind::Unary(UnOp::Not, a) => format!("NOT {}", inner(a)),
        ExprKind::Unary(UnOp::Neg, a) => format!("-{}", inner(a)),
        ExprKind::Binary(op, a, b) => {
            let sign = match op {
                BinOp::And => "AND",
                BinOp::Or => "OR",
                BinOp::Add => "+",
                other => return format!("({} {other:?} {})", inner(a), inner(b)),
            };
            format!("{} {sign} {}", inner(a), inner(b))
        }
        ExprKind::Error => "?".into(),
    }
}

fn inner(e: &Expr) -> String {
    match e.kind {
        ExprKind::Binary(..) => format!("({})", expr(e)),
        _ => expr(e),
    }
}
