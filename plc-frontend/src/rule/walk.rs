//! Every statement, expression and written place of a body, in source order.

use crate::hir::{CallArgs, Elem, Expr, ExprKind, Place, Stmt, StmtKind};

/// What a rule wants to see; each method does nothing unless the rule says otherwise.
pub(super) trait Visit {
    /// Before the parts of a statement.
    fn enter(&mut self, _stmt: &Stmt) {}
    /// After the parts of a statement.
    fn leave(&mut self, _stmt: &Stmt) {}
    /// Before the parts of an expression.
    fn expr(&mut self, _e: &Expr) {}
    /// A place that is written: a target, a VAR_IN_OUT argument, an output's target, a control variable.
    fn write(&mut self, _place: &Place) {}
}

/// Visits `body`.
pub(super) fn stmts(body: &[Stmt], visit: &mut impl Visit) {
    for stmt in body {
        visit.enter(stmt);
        parts(stmt, visit);
        visit.leave(stmt);
    }
}

fn parts(stmt: &Stmt, visit: &mut impl Visit) {
    match &stmt.kind {
        StmtKind::Assign { target, value } => {
            expr(value, visit);
            written(target, visit);
        }
        StmtKind::If { branches, otherwise } => {
            for (condition, body) in branches {
                expr(condition, visit);
                stmts(body, visit);
            }
            stmts(otherwise, visit);
        }
        StmtKind::Case { selector, arms, otherwise } => {
            expr(selector, visit);
            for arm in arms {
                stmts(&arm.body, visit);
            }
            stmts(otherwise, visit);
        }
        StmtKind::For { control, from, to, by, body } => {
            for e in [from, to].into_iter().chain(by) {
                expr(e, visit);
            }
            written(control, visit);
            stmts(body, visit);
        }
        StmtKind::While { condition, body } => {
            expr(condition, visit);
            stmts(body, visit);
        }
        StmtKind::Repeat { body, until } => {
            stmts(body, visit);
            expr(until, visit);
        }
        StmtKind::CallInstance { instance, args, .. } => {
            indices(instance, visit);
            arguments(args, visit);
        }
        StmtKind::Eval(e) => expr(e, visit),
        StmtKind::Assert { condition, .. } => expr(condition, visit),
        StmtKind::Exit | StmtKind::Continue | StmtKind::Return | StmtKind::Label(_) | StmtKind::Goto(_) | StmtKind::Gap(_) => {}
    }
}

/// Visits `e` and everything in it.
pub(super) fn expr(e: &Expr, visit: &mut impl Visit) {
    visit.expr(e);
    match &e.kind {
        ExprKind::Literal(_) | ExprKind::Text(_) => {}
        ExprKind::Read(place) => indices(place, visit),
        ExprKind::Unary(_, a) | ExprKind::Convert(_, a) => expr(a, visit),
        ExprKind::Binary(_, a, b) => {
            expr(a, visit);
            expr(b, visit);
        }
        ExprKind::Builtin(_, args) => {
            for a in args {
                expr(a, visit);
            }
        }
        ExprKind::Call(_, args) => arguments(args, visit),
        ExprKind::Arbitrary { concrete, .. } => {
            if let Some(e) = concrete {
                expr(e, visit);
            }
        }
    }
}

fn arguments(args: &CallArgs, visit: &mut impl Visit) {
    for (_, e) in &args.inputs {
        expr(e, visit);
    }
    for (_, place) in args.in_outs.iter().chain(&args.outputs) {
        written(place, visit);
    }
}

fn written(place: &Place, visit: &mut impl Visit) {
    indices(place, visit);
    visit.write(place);
}

fn indices(place: &Place, visit: &mut impl Visit) {
    for elem in &place.path {
        match elem {
            Elem::Index(indices) => {
                for e in indices {
                    expr(e, visit);
                }
            }
            Elem::Field(_) | Elem::Member(_) | Elem::Deref(_) | Elem::Bits { .. } => {}
        }
    }
}
