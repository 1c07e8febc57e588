//! Visits everything in statements: what is called, what is written.

use plc_frontend::hir::{CallArgs, Elem, Expr, ExprKind, LabelId, Place, PouId, Stmt, StmtKind};

/// Something found.
pub(crate) enum Seen<'a> {
    /// A function or an instance of a function block is called.
    Call(PouId),
    /// A place that is assigned as a whole; by an expression, or by something else (a loop, an output).
    Assigned { place: &'a Place, value: Option<&'a Expr> },
    /// A place that a call may change: VAR_IN_OUT, or the instance itself.
    Referenced(&'a Place),
    /// A jump.
    Jump(LabelId),
    /// An input of a function block that a call assigns.
    Input(PouId, plc_frontend::hir::VarId, &'a Expr),
}

/// Everything in `stmts`, nested statements and expressions included, in no particular order.
pub(crate) fn visit(stmts: &[Stmt], found: &mut impl FnMut(Seen<'_>)) {
    let mut todo: Vec<&Stmt> = stmts.iter().collect();
    let mut exprs: Vec<&Expr> = Vec::new();
    while let Some(stmt) = todo.pop() {
        match &stmt.kind {
            StmtKind::Assign { target, value } => {
                found(Seen::Assigned { place: target, value: Some(value) });
                indices(target, &mut exprs);
                exprs.push(value);
            }
            StmtKind::If { branches, otherwise } => {
                for (condition, body) in branches {
                    exprs.push(condition);
                    todo.extend(body);
                }
                todo.extend(otherwise);
            }
            StmtKind::Case { selector, arms, otherwise } => {
                exprs.push(selector);
                todo.extend(arms.iter().flat_map(|arm| &arm.body).chain(otherwise));
            }
            StmtKind::For { control, from, to, by, body } => {
                found(Seen::Assigned { place: control, value: None });
                exprs.extend([from, to]);
                exprs.extend(by);
                todo.extend(body);
            }
            StmtKind::While { condition: test, body } | StmtKind::Repeat { body, until: test } => {
                exprs.push(test);
                todo.extend(body);
            }
            StmtKind::CallInstance { instance, pou, args } => {
                found(Seen::Call(*pou));
                found(Seen::Referenced(instance));
                indices(instance, &mut exprs);
                for (var, value) in &args.inputs {
                    found(Seen::Input(*pou, *var, value));
                }
                arguments(args, &mut exprs, found);
            }
            StmtKind::Eval(expr) | StmtKind::Assert { condition: expr, .. } => exprs.push(expr),
            StmtKind::Exit | StmtKind::Continue | StmtKind::Return | StmtKind::Label(_) | StmtKind::Gap(_) => {}
            StmtKind::Goto(label) => found(Seen::Jump(*label)),
        }
        while let Some(expr) = exprs.pop() {
            step(expr, &mut exprs, found);
        }
    }
}

/// Everything in one expression.
pub(super) fn visit_expr(expr: &Expr, found: &mut impl FnMut(Seen<'_>)) {
    let mut exprs = vec![expr];
    while let Some(expr) = exprs.pop() {
        step(expr, &mut exprs, found);
    }
}

fn step<'a>(expr: &'a Expr, exprs: &mut Vec<&'a Expr>, found: &mut impl FnMut(Seen<'_>)) {
    match &expr.kind {
        ExprKind::Literal(_) | ExprKind::Text(_) => {}
        ExprKind::Read(place) => indices(place, exprs),
        ExprKind::Unary(_, a) | ExprKind::Convert(_, a) => exprs.push(a),
        ExprKind::Binary(_, a, b) => exprs.extend([a.as_ref(), b.as_ref()]),
        ExprKind::Builtin(_, args) => exprs.extend(args),
        ExprKind::Call(pou, args) => {
            found(Seen::Call(*pou));
            arguments(args, exprs, found);
        }
        ExprKind::Arbitrary { concrete, .. } => exprs.extend(concrete.as_deref()),
    }
}

fn arguments<'a>(args: &'a CallArgs, exprs: &mut Vec<&'a Expr>, found: &mut impl FnMut(Seen<'_>)) {
    exprs.extend(args.inputs.iter().map(|(_, value)| value));
    for (_, place) in &args.in_outs {
        found(Seen::Referenced(place));
        indices(place, exprs);
    }
    for (_, place) in &args.outputs {
        found(Seen::Assigned { place, value: None });
        indices(place, exprs);
    }
}

fn indices<'a>(place: &'a Place, exprs: &mut Vec<&'a Expr>) {
    for elem in &place.path {
        match elem {
            Elem::Index(indices) => exprs.extend(indices),
            Elem::Field(_) | Elem::Member(_) | Elem::Deref(_) | Elem::Bits { .. } => {}
        }
    }
}
