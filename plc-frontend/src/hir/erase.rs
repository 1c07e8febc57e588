//! Forgets where a program was written, so that two texts of one program can be compared.

use super::expr::{CallArgs, Expr, ExprKind};
use super::place::{Elem, Place};
use super::pou::Var;
use super::project::Project;
use super::stmt::{Stmt, StmtKind};
use crate::text::ledger::GapId;
use crate::text::source::Span;

impl Project {
    /// The same program without places, and without the statements that are not modelled (they are known
    /// only by their place).
    pub fn erase_spans(mut self) -> Project {
        for def in self.types.iter_mut() {
            def.span = Span::none();
        }
        self.references.values_mut().flatten().for_each(|target| place(&mut target.place));
        self.globals.iter_mut().for_each(var);
        for pou in self.pous.iter_mut() {
            pou.span = Span::none();
            // Drawings are places on paper, not meaning.
            pou.diagrams.clear();
            pou.vars.iter_mut().for_each(var);
            block(&mut pou.body);
        }
        self
    }
}

impl Expr {
    /// The same expression without places.
    pub fn erase_spans(mut self) -> Expr {
        expr(&mut self);
        self
    }
}

fn var(var: &mut Var) {
    var.span = Span::none();
}

fn block(stmts: &mut Vec<Stmt>) {
    stmts.retain(|stmt| match stmt.kind {
        StmtKind::Gap(_) => false,
        StmtKind::Assign { .. }
        | StmtKind::If { .. }
        | StmtKind::Case { .. }
        | StmtKind::For { .. }
        | StmtKind::While { .. }
        | StmtKind::Repeat { .. }
        | StmtKind::Exit
        | StmtKind::Continue
        | StmtKind::Return
        | StmtKind::Label(_)
        | StmtKind::Goto(_)
        | StmtKind::CallInstance { .. }
        | StmtKind::Eval(_)
        | StmtKind::Assert { .. } => true,
    });
    for stmt in stmts {
        stmt.span = Span::none();
        match &mut stmt.kind {
            StmtKind::Assign { target, value } => {
                place(target);
                expr(value);
            }
            StmtKind::If { branches, otherwise } => {
                for (condition, body) in branches {
                    expr(condition);
                    block(body);
                }
                block(otherwise);
            }
            StmtKind::Case { selector, arms, otherwise } => {
                expr(selector);
                for arm in arms {
                    arm.span = Span::none();
                    block(&mut arm.body);
                }
                block(otherwise);
            }
            StmtKind::For { control, from, to, by, body } => {
                place(control);
                expr(from);
                expr(to);
                by.iter_mut().for_each(expr);
                block(body);
            }
            StmtKind::While { condition, body } | StmtKind::Repeat { body, until: condition } => {
                expr(condition);
                block(body);
            }
            StmtKind::CallInstance { instance, pou: _, args } => {
                place(instance);
                call(args);
            }
            StmtKind::Eval(value) | StmtKind::Assert { condition: value, .. } => expr(value),
            StmtKind::Exit
            | StmtKind::Continue
            | StmtKind::Return
            | StmtKind::Label(_)
            | StmtKind::Goto(_)
            | StmtKind::Gap(_) => {}
        }
    }
}

fn call(args: &mut CallArgs) {
    args.inputs.iter_mut().for_each(|(_, value)| expr(value));
    args.in_outs.iter_mut().for_each(|(_, target)| place(target));
    args.outputs.iter_mut().for_each(|(_, target)| place(target));
}

fn place(place: &mut Place) {
    place.span = Span::none();
    for elem in &mut place.path {
        match elem {
            Elem::Index(indices) => indices.iter_mut().for_each(expr),
            Elem::Field(_) | Elem::Member(_) | Elem::Deref(_) | Elem::Bits { .. } => {}
        }
    }
}

fn expr(e: &mut Expr) {
    e.span = Span::none();
    match &mut e.kind {
        ExprKind::Literal(_) | ExprKind::Text(_) => {}
        ExprKind::Read(target) => place(target),
        ExprKind::Unary(_, operand) | ExprKind::Convert(_, operand) => expr(operand),
        ExprKind::Binary(_, left, right) => {
            expr(left);
            expr(right);
        }
        ExprKind::Builtin(_, args) => args.iter_mut().for_each(expr),
        ExprKind::Call(_, args) => call(args),
        ExprKind::Arbitrary { gap, concrete } => {
            *gap = GapId(0);
            concrete.iter_mut().for_each(|inner| expr(inner));
        }
    }
}
