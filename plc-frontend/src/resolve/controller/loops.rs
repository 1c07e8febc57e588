//! FOR loops that mean different things to different compilers: whose last value or step may change in the body, and whose
//! control variable is used outside of them.

use crate::dialect::{Dialect, Loops};
use crate::hir::{CallArgs, Conversion, Elem, Expr, ExprKind, Place, Root, Stmt, StmtKind, Value};
use crate::resolve::controller::behaviour::Behaviour;
use crate::text::source::Span;
use std::collections::BTreeSet;

/// Behaviours of loops of a body that are not known of every controller.
pub(crate) fn open(stmts: &[Stmt], dialect: &Dialect) -> Vec<(Behaviour, Span)> {
    let mut uses = Uses::default();
    uses.stmts(stmts);
    let used =
        uses.controls.iter().filter(|(root, _)| uses.outside.contains(root)).map(|(_, span)| (Behaviour::LoopVariable, *span));
    let bounds = uses.bounds.iter().filter(|_| dialect.loops == Loops::Once).map(|span| (Behaviour::LoopBound, *span));
    bounds.chain(used).collect()
}

/// Returns whether a FOR may have one round only.
pub(crate) fn may_be_single(from: &Expr, to: &Expr, by: Option<&Expr>) -> bool {
    let number = |e: &Expr| match constant_of(e) {
        Some(Value::Int(i)) => Some(i),
        Some(Value::Bool(_) | Value::Real(_) | Value::LReal(_)) | None => None,
    };
    match (number(from), number(to), by.map_or(Some(1), number)) {
        (Some(from), Some(to), Some(by)) if 0 < by => from <= to && to < from + by,
        (Some(from), Some(to), Some(by)) => to <= from && from + by < to,
        (_, _, _) => true,
    }
}

/// The value of a literal, widened or not.
pub(crate) fn constant_of(e: &Expr) -> Option<Value> {
    match &e.kind {
        ExprKind::Literal(value) => Some(*value),
        ExprKind::Convert(Conversion::Widen, inner) => constant_of(inner),
        ExprKind::Convert(..)
        | ExprKind::Text(_)
        | ExprKind::Read(_)
        | ExprKind::Unary(..)
        | ExprKind::Binary(..)
        | ExprKind::Builtin(..)
        | ExprKind::Call(..)
        | ExprKind::Arbitrary { .. } => None,
    }
}

/// Whether the body of a FOR may change its last value or its step.
pub(crate) fn changes(to: &Expr, by: Option<&Expr>, body: &[Stmt]) -> bool {
    let mut uses = Uses::default();
    uses.stmts(body);
    uses.may_change(to, by)
}

#[derive(Default)]
struct Uses {
    /// Control variables of the loops around.
    around: Vec<Root>,
    /// All control variables with their loops.
    controls: Vec<(Root, Span)>,
    /// What is read or written where it is not the control variable of a loop around.
    outside: BTreeSet<Root>,
    /// What bodies write, and whether they call something.
    written: BTreeSet<Root>,
    calls: bool,
    /// Loops whose last value or step may change.
    bounds: Vec<Span>,
}

impl Uses {
    fn stmts(&mut self, stmts: &[Stmt]) {
        stmts.iter().for_each(|stmt| self.stmt(stmt));
    }

    fn stmt(&mut self, stmt: &Stmt) {
        match &stmt.kind {
            StmtKind::Assign { target, value } => {
                self.expr(value);
                self.write(target);
            }
            StmtKind::If { branches, otherwise } => {
                for (condition, body) in branches {
                    self.expr(condition);
                    self.stmts(body);
                }
                self.stmts(otherwise);
            }
            StmtKind::Case { selector, arms, otherwise } => {
                self.expr(selector);
                arms.iter().for_each(|arm| self.stmts(&arm.body));
                self.stmts(otherwise);
            }
            StmtKind::For { control, from, to, by, body } => {
                [Some(from), Some(to), by.as_ref()].into_iter().flatten().for_each(|e| self.expr(e));
                self.controls.push((control.root, stmt.span));
                self.around.push(control.root);
                // What this body writes; what others do counts for the loops around.
                let before = (std::mem::take(&mut self.written), std::mem::replace(&mut self.calls, false));
                self.stmts(body);
                if self.may_change(to, by.as_ref()) {
                    self.bounds.push(stmt.span);
                }
                self.around.pop();
                self.written.extend(before.0);
                self.written.insert(control.root);
                self.calls |= before.1;
            }
            StmtKind::While { condition, body } | StmtKind::Repeat { body, until: condition } => {
                self.expr(condition);
                self.stmts(body);
            }
            StmtKind::CallInstance { instance, args, .. } => {
                self.calls = true;
                self.write(instance);
                self.args(args);
            }
            StmtKind::Eval(e) => self.expr(e),
            StmtKind::Assert { condition, .. } => self.expr(condition),
            StmtKind::Exit
            | StmtKind::Continue
            | StmtKind::Return
            | StmtKind::Label(_)
            | StmtKind::Goto(_)
            | StmtKind::Gap(_) => {}
        }
    }

    /// Whether what was seen may change a last value or a step.
    fn may_change(&self, to: &Expr, by: Option<&Expr>) -> bool {
        let mut read = Reads::default();
        [Some(to), by].into_iter().flatten().for_each(|e| read.expr(e));
        read.calls || (self.calls && !read.roots.is_empty()) || !read.roots.is_disjoint(&self.written)
    }

    fn args(&mut self, args: &CallArgs) {
        args.inputs.iter().for_each(|(_, e)| self.expr(e));
        args.in_outs.iter().chain(&args.outputs).for_each(|(_, place)| self.write(place));
    }

    fn write(&mut self, place: &Place) {
        self.written.insert(place.root);
        // A reference may lead anywhere.
        self.calls |= place.path.iter().any(|elem| matches!(elem, Elem::Deref(_)));
        let mut read = Reads::default();
        read.place(place);
        self.see(read);
    }

    fn expr(&mut self, e: &Expr) {
        let mut read = Reads::default();
        read.expr(e);
        self.see(read);
    }

    fn see(&mut self, read: Reads) {
        self.calls |= read.calls;
        self.written.extend(read.lent);
        self.outside.extend(read.roots.into_iter().filter(|root| !self.around.contains(root)));
    }
}

/// What an expression reads.
#[derive(Default)]
struct Reads {
    roots: BTreeSet<Root>,
    lent: Vec<Root>,
    calls: bool,
}

impl Reads {
    fn place(&mut self, place: &Place) {
        self.roots.insert(place.root);
        for elem in &place.path {
            if let Elem::Index(indices) = elem {
                indices.iter().for_each(|e| self.expr(e));
            }
        }
    }

    fn expr(&mut self, e: &Expr) {
        match &e.kind {
            ExprKind::Read(place) => self.place(place),
            ExprKind::Unary(_, a) | ExprKind::Convert(_, a) => self.expr(a),
            ExprKind::Binary(_, a, b) => {
                self.expr(a);
                self.expr(b);
            }
            ExprKind::Builtin(_, args) => args.iter().for_each(|e| self.expr(e)),
            ExprKind::Call(_, args) => {
                self.calls = true;
                args.inputs.iter().for_each(|(_, e)| self.expr(e));
                for (_, place) in args.in_outs.iter().chain(&args.outputs) {
                    self.lent.push(place.root);
                    self.place(place);
                }
            }
            ExprKind::Arbitrary { concrete, .. } => concrete.iter().for_each(|e| self.expr(e)),
            ExprKind::Literal(_) | ExprKind::Text(_) => {}
        }
    }
}
