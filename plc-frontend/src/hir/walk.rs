//! The one traversal of the HIR: every statement, expression, place and call of a body, in the order of evaluation.
//!
//! A pass implements [`Visit`], or [`VisitMut`] to change the program, and overrides the methods for the nodes of interest.
//! An overriding method calls the `…_parts` method of its node to go on below it. For one kind of node there are
//! [`stmts`], [`exprs`] and [`exprs_of`].

use super::expr::{CallArgs, Expr, ExprKind};
use super::place::{Elem, Place};
use super::pou::PouId;
use super::stmt::{Assumed, LoopBounds, Stmt, StmtKind};

/// Use that a body makes of a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Its value is read.
    Read,
    /// It is assigned: the target of an assignment or of an output (`=>`), the control variable of a FOR.
    Write,
    /// It is given to a VAR_IN_OUT; the callee may read and write it.
    InOut,
    /// It is the instance that is called.
    Instance,
}

/// Defines the trait twice, for shared and for mutable nodes.
macro_rules! traversal {
    ($(#[$doc:meta])* $Visit:ident, $Body:ty $(, $mutable:tt)?) => {
        $(#[$doc])*
        pub trait $Visit<'h> {
            /// Visits a list of statements.
            fn body(&mut self, body: &'h $($mutable)? $Body) {
                for stmt in body {
                    self.stmt(stmt);
                }
            }
            /// Visits a statement.
            fn stmt(&mut self, stmt: &'h $($mutable)? Stmt) {
                self.stmt_parts(stmt);
            }
            /// Visits an expression.
            fn expr(&mut self, e: &'h $($mutable)? Expr) {
                self.expr_parts(e);
            }
            /// Visits a place.
            fn place(&mut self, place: &'h $($mutable)? Place, _access: Access) {
                self.place_parts(place);
            }
            /// Visits a call of a function, or of an instance, whose place comes before.
            fn call(&mut self, _callee: PouId, args: &'h $($mutable)? CallArgs) {
                self.call_parts(args);
            }

            /// Visits the parts of a statement.
            fn stmt_parts(&mut self, stmt: &'h $($mutable)? Stmt) {
                match &$($mutable)? stmt.kind {
                    StmtKind::Assign { target, value } => {
                        self.expr(value);
                        self.place(target, Access::Write);
                    }
                    StmtKind::If { branches, otherwise } => {
                        for (condition, body) in branches {
                            self.expr(condition);
                            self.body(body);
                        }
                        self.body(otherwise);
                    }
                    StmtKind::Case { selector, arms, otherwise } => {
                        self.expr(selector);
                        for arm in arms {
                            self.body(&$($mutable)? arm.body);
                        }
                        self.body(otherwise);
                    }
                    StmtKind::For { control, bounds, body } => {
                        let LoopBounds { from, to, by } = &$($mutable)? **bounds;
                        self.expr(from);
                        self.expr(to);
                        if let Some(by) = by {
                            self.expr(by);
                        }
                        self.place(control, Access::Write);
                        self.body(body);
                    }
                    StmtKind::While { condition, body } => {
                        self.expr(condition);
                        self.body(body);
                    }
                    StmtKind::Repeat { body, until } => {
                        self.body(body);
                        self.expr(until);
                    }
                    StmtKind::CallInstance { instance, pou, args } => {
                        self.place(instance, Access::Instance);
                        self.call(*pou, args);
                    }
                    StmtKind::Eval(e) | StmtKind::Assert { condition: e, .. } => self.expr(e),
                    // The instances are named, and neither read nor called.
                    StmtKind::Assume(assumed) => {
                        let Assumed { instance: _, condition } = &$($mutable)? **assumed;
                        self.expr(condition);
                    }
                    StmtKind::Exit
                    | StmtKind::Continue
                    | StmtKind::Return
                    | StmtKind::Label(_)
                    | StmtKind::Goto(_)
                    | StmtKind::Gap(_) => {}
                }
            }
            /// Visits the parts of an expression.
            fn expr_parts(&mut self, e: &'h $($mutable)? Expr) {
                match &$($mutable)? e.kind {
                    ExprKind::Literal(_) | ExprKind::Text(_) => {}
                    ExprKind::Read(place) => self.place(place, Access::Read),
                    ExprKind::Unary(_, operand) | ExprKind::Convert(_, operand) => self.expr(operand),
                    ExprKind::Binary(_, left, right) => {
                        self.expr(left);
                        self.expr(right);
                    }
                    ExprKind::Builtin(_, operands) => {
                        for operand in operands {
                            self.expr(operand);
                        }
                    }
                    ExprKind::Call(callee, args) => self.call(*callee, args),
                    ExprKind::Arbitrary { concrete, .. } => {
                        if let Some(concrete) = concrete {
                            self.expr(concrete);
                        }
                    }
                }
            }
            /// Visits the indices of a place.
            fn place_parts(&mut self, place: &'h $($mutable)? Place) {
                for elem in &$($mutable)? place.path {
                    if let Elem::Index(indices) = elem {
                        for index in indices {
                            self.expr(index);
                        }
                    }
                }
            }
            /// Visits the arguments of a call.
            fn call_parts(&mut self, args: &'h $($mutable)? CallArgs) {
                for (_, value) in &$($mutable)? args.inputs {
                    self.expr(value);
                }
                for (_, place) in &$($mutable)? args.in_outs {
                    self.place(place, Access::InOut);
                }
                for (_, place) in &$($mutable)? args.outputs {
                    self.place(place, Access::Write);
                }
            }
        }
    };
}

traversal!(
    /// A pass over a body that changes nothing.
    Visit,
    [Stmt]
);
traversal!(
    /// A pass over a body that changes it.
    VisitMut,
    Vec<Stmt>,
    mut
);

/// Calls `see` with each statement, those around others first.
pub fn stmts<'h>(body: &'h [Stmt], see: impl FnMut(&'h Stmt)) {
    Stmts(see).body(body);
}

/// Calls `see` with each expression of a body, those around others first.
pub fn exprs<'h>(body: &'h [Stmt], see: impl FnMut(&'h Expr)) {
    Exprs(see).body(body);
}

/// Calls `see` with the expression and each one in it, those around others first.
pub fn exprs_of<'h>(e: &'h Expr, see: impl FnMut(&'h Expr)) {
    Exprs(see).expr(e);
}

/// Calls `see` with each place that is assigned or given to a VAR_IN_OUT.
pub fn writes<'h>(body: &'h [Stmt], see: impl FnMut(&'h Place)) {
    Writes(see).body(body);
}

/// Calls `see` with the POU of each call.
pub fn calls(body: &[Stmt], see: impl FnMut(PouId)) {
    Calls(see).body(body);
}

/// Calls `see` with the POU of each call in an expression.
pub fn calls_of(e: &Expr, see: impl FnMut(PouId)) {
    Calls(see).expr(e);
}

impl Expr {
    /// Returns the operands, arguments and indices directly inside of an expression.
    pub(crate) fn operands(&self) -> Vec<&Expr> {
        struct Operands<'h>(Vec<&'h Expr>);
        impl<'h> Visit<'h> for Operands<'h> {
            fn expr(&mut self, e: &'h Expr) {
                self.0.push(e);
            }
        }
        let mut found = Operands(Vec::new());
        found.expr_parts(self);
        found.0
    }
}

struct Stmts<F>(F);

impl<'h, F: FnMut(&'h Stmt)> Visit<'h> for Stmts<F> {
    fn stmt(&mut self, stmt: &'h Stmt) {
        (self.0)(stmt);
        stmt.bodies().into_iter().for_each(|body| self.body(body));
    }
}

struct Exprs<F>(F);

impl<'h, F: FnMut(&'h Expr)> Visit<'h> for Exprs<F> {
    fn expr(&mut self, e: &'h Expr) {
        (self.0)(e);
        self.expr_parts(e);
    }
}

struct Writes<F>(F);

impl<'h, F: FnMut(&'h Place)> Visit<'h> for Writes<F> {
    fn place(&mut self, place: &'h Place, access: Access) {
        self.place_parts(place);
        if matches!(access, Access::Write | Access::InOut) {
            (self.0)(place);
        }
    }
}

struct Calls<F>(F);

impl<'h, F: FnMut(PouId)> Visit<'h> for Calls<F> {
    fn call(&mut self, callee: PouId, args: &'h CallArgs) {
        (self.0)(callee);
        self.call_parts(args);
    }
}

impl Stmt {
    /// Returns the lists of statements directly inside of a statement; an ELSE that is not written is an empty one.
    pub fn bodies(&self) -> Vec<&[Stmt]> {
        match &self.kind {
            StmtKind::If { branches, otherwise } => {
                branches.iter().map(|(_, body)| body.as_slice()).chain([otherwise.as_slice()]).collect()
            }
            StmtKind::Case { arms, otherwise, .. } => {
                arms.iter().map(|arm| arm.body.as_slice()).chain([otherwise.as_slice()]).collect()
            }
            StmtKind::For { body, .. } | StmtKind::While { body, .. } | StmtKind::Repeat { body, .. } => vec![body],
            StmtKind::Assign { .. }
            | StmtKind::Exit
            | StmtKind::Continue
            | StmtKind::Return
            | StmtKind::Label(_)
            | StmtKind::Goto(_)
            | StmtKind::CallInstance { .. }
            | StmtKind::Eval(_)
            | StmtKind::Assert { .. }
            | StmtKind::Assume(_)
            | StmtKind::Gap(_) => Vec::new(),
        }
    }

    /// Returns the lists of statements directly inside of a statement, to change.
    pub(crate) fn bodies_mut(&mut self) -> Vec<&mut Vec<Stmt>> {
        match &mut self.kind {
            StmtKind::If { branches, otherwise } => branches.iter_mut().map(|(_, body)| body).chain([otherwise]).collect(),
            StmtKind::Case { arms, otherwise, .. } => arms.iter_mut().map(|arm| &mut arm.body).chain([otherwise]).collect(),
            StmtKind::For { body, .. } | StmtKind::While { body, .. } | StmtKind::Repeat { body, .. } => vec![body],
            StmtKind::Assign { .. }
            | StmtKind::Exit
            | StmtKind::Continue
            | StmtKind::Return
            | StmtKind::Label(_)
            | StmtKind::Goto(_)
            | StmtKind::CallInstance { .. }
            | StmtKind::Eval(_)
            | StmtKind::Assert { .. }
            | StmtKind::Assume(_)
            | StmtKind::Gap(_) => Vec::new(),
        }
    }
}
