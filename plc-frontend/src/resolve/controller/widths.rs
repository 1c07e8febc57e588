//! Arithmetic whose result another width would change: CODESYS and TwinCAT compute at the width of the controller's registers,
//! which is 32 bits or 64; the C code of MATIEC computes what is narrower than 32 bits at 32.
//!
//! The lowest bits of sums, differences and products are the same at every width. So what is cut to its width before anything
//! depends on it is the same on every controller, and so is what cannot leave its width.

use crate::hir::{
    BinOp, Builtin, CallArgs, Conversion, Elem, Expr, ExprKind, IntType, Place, Project, Stmt, StmtKind, Type, TypeId, UnOp,
    Value,
};
use crate::text::source::Span;

/// Places in statements where it makes a difference whether arithmetic is done at this many bits or at more.
pub(crate) fn matters(project: &Project, stmts: &[Stmt], narrow: u8) -> Vec<Span> {
    let mut look = Look { project, narrow, found: Vec::new() };
    look.stmts(stmts);
    look.found
}

struct Look<'p> {
    project: &'p Project,
    /// The bits of a narrow register.
    narrow: u8,
    found: Vec<Span>,
}

impl Look<'_> {
    fn stmts(&mut self, stmts: &[Stmt]) {
        stmts.iter().for_each(|stmt| self.stmt(stmt));
    }

    fn stmt(&mut self, stmt: &Stmt) {
        match &stmt.kind {
            StmtKind::Assign { target, value } => {
                self.stored(value);
                self.place(target);
            }
            StmtKind::If { branches, otherwise } => {
                for (condition, body) in branches {
                    self.expr(condition, false);
                    self.stmts(body);
                }
                self.stmts(otherwise);
            }
            StmtKind::Case { selector, arms, otherwise } => {
                self.expr(selector, false);
                arms.iter().for_each(|arm| self.stmts(&arm.body));
                self.stmts(otherwise);
            }
            StmtKind::For { control, from, to, by, body } => {
                self.place(control);
                self.stored(from);
                self.expr(to, false);
                by.iter().for_each(|by| self.expr(by, false));
                self.stmts(body);
            }
            StmtKind::While { condition, body } | StmtKind::Repeat { body, until: condition } => {
                self.expr(condition, false);
                self.stmts(body);
            }
            StmtKind::CallInstance { instance, args, .. } => {
                self.place(instance);
                self.args(args);
            }
            StmtKind::Eval(e) => self.expr(e, true),
            StmtKind::Assert { condition, .. } => self.expr(condition, false),
            StmtKind::Exit
            | StmtKind::Continue
            | StmtKind::Return
            | StmtKind::Label(_)
            | StmtKind::Goto(_)
            | StmtKind::Gap(_) => {}
        }
    }

    fn args(&mut self, args: &CallArgs) {
        args.inputs.iter().for_each(|(_, e)| self.stored(e));
        args.in_outs.iter().chain(&args.outputs).for_each(|(_, place)| self.place(place));
    }

    fn place(&mut self, place: &Place) {
        for elem in &place.path {
            if let Elem::Index(indices) = elem {
                indices.iter().for_each(|e| self.expr(e, false));
            }
        }
    }

    /// A value that a variable of its type keeps.
    fn stored(&mut self, e: &Expr) {
        let cut = self.format(e.ty).is_some_and(|format| format.bits <= self.narrow);
        self.expr(e, cut);
    }

    /// An expression; `cut` if only its lowest bits count.
    fn expr(&mut self, e: &Expr, cut: bool) {
        match &e.kind {
            ExprKind::Binary(op @ (BinOp::Add | BinOp::Sub | BinOp::Mul), a, b) => {
                self.judge(e, cut, exact(*op, self.range(a), self.range(b)));
                self.expr(a, cut);
                self.expr(b, cut);
            }
            ExprKind::Unary(UnOp::Neg, a) => {
                self.judge(e, cut, exact(BinOp::Sub, Some((0, 0)), self.range(a)));
                self.expr(a, cut);
            }
            ExprKind::Unary(UnOp::Not, a) => {
                // Bits that a wider register has besides are set.
                if let Type::Bits(bits) = self.project.types[e.ty].ty
                    && bits == self.narrow
                    && bits < 32
                    && !cut
                {
                    self.found.push(e.span);
                }
                self.expr(a, cut);
            }
            ExprKind::Binary(op @ (BinOp::And | BinOp::Or | BinOp::Xor), a, b) => {
                let masked = |e: &Expr| {
                    *op == BinOp::And && matches!(e.kind, ExprKind::Literal(Value::Int(i)) if 0 <= i && i < 1 << self.narrow)
                };
                let cut = cut || masked(a) || masked(b);
                self.expr(a, cut);
                self.expr(b, cut);
            }
            ExprKind::Binary(_, a, b) => {
                self.expr(a, false);
                self.expr(b, false);
            }
            ExprKind::Convert(how, a) => {
                let cut = match (self.format(e.ty), &self.project.types[a.ty].ty) {
                    // A conversion that is written cuts.
                    (Some(to), _) if self.format(a.ty).is_some() => to.bits <= self.narrow && (*how != Conversion::Widen || cut),
                    // The bits of a REAL.
                    (None, Type::Bits(bits)) if *bits == self.narrow => *how == Conversion::Convert,
                    (_, _) => false,
                };
                self.expr(a, cut);
            }
            ExprKind::Builtin(Builtin::Shl, args) => {
                for (n, arg) in args.iter().enumerate() {
                    self.expr(arg, cut && n == 0);
                }
            }
            ExprKind::Builtin(_, args) => args.iter().for_each(|arg| self.expr(arg, false)),
            ExprKind::Call(_, args) => self.args(args),
            ExprKind::Read(place) => self.place(place),
            ExprKind::Arbitrary { concrete, .. } => concrete.iter().for_each(|e| self.expr(e, false)),
            ExprKind::Literal(_) | ExprKind::Text(_) => {}
        }
    }

    fn judge(&mut self, e: &Expr, cut: bool, exact: Option<(i128, i128)>) {
        let Some(format) = self.format(e.ty).filter(|format| format.bits == self.narrow) else { return };
        let leaves = exact.is_none_or(|(low, high)| low < format.min() || format.max() < high);
        if !cut && leaves {
            // The outermost one stands for what it is made of.
            if !self
                .found
                .last()
                .is_some_and(|outer| outer.file == e.span.file && outer.start <= e.span.start && e.span.end <= outer.end)
            {
                self.found.push(e.span);
            }
        }
    }

    fn format(&self, ty: TypeId) -> Option<IntType> {
        self.project.int_type(ty)
    }

    /// The numbers that an expression may be.
    fn range(&self, e: &Expr) -> Option<(i128, i128)> {
        let format = self.format(e.ty)?;
        let all = (format.min(), format.max());
        let within = |range: Option<(i128, i128)>| range.filter(|(low, high)| all.0 <= *low && *high <= all.1).unwrap_or(all);
        Some(match &e.kind {
            ExprKind::Literal(Value::Int(i)) => within(Some((*i, *i))),
            ExprKind::Binary(op @ (BinOp::Add | BinOp::Sub | BinOp::Mul), a, b) => {
                within(exact(*op, self.range(a), self.range(b)))
            }
            ExprKind::Binary(op @ (BinOp::Div | BinOp::Mod), a, b) => match (self.range(a), &b.kind) {
                (Some((low, high)), ExprKind::Literal(Value::Int(by))) if 0 < *by && *op == BinOp::Div => (low / by, high / by),
                (Some((low, high)), ExprKind::Literal(Value::Int(by))) if 0 < *by => {
                    (low.max(1 - by).min(0), high.min(by - 1).max(0))
                }
                (_, _) => all,
            },
            ExprKind::Convert(_, a) => match self.format(a.ty) {
                Some(_) => within(self.range(a)),
                None => all,
            },
            ExprKind::Literal(_)
            | ExprKind::Text(_)
            | ExprKind::Read(_)
            | ExprKind::Unary(..)
            | ExprKind::Binary(..)
            | ExprKind::Builtin(..)
            | ExprKind::Call(..)
            | ExprKind::Arbitrary { .. } => all,
        })
    }
}

/// The exact results of an operator on ranges.
fn exact(op: BinOp, a: Option<(i128, i128)>, b: Option<(i128, i128)>) -> Option<(i128, i128)> {
    let ((a0, a1), (b0, b1)) = (a?, b?);
    let all = |f: fn(i128, i128) -> Option<i128>| {
        let results: Option<Vec<i128>> = [(a0, b0), (a0, b1), (a1, b0), (a1, b1)].into_iter().map(|(a, b)| f(a, b)).collect();
        let results = results?;
        Some((results.iter().copied().min()?, results.iter().copied().max()?))
    };
    match op {
        BinOp::Add => all(i128::checked_add),
        BinOp::Sub => all(i128::checked_sub),
        BinOp::Mul => all(i128::checked_mul),
        BinOp::Div
        | BinOp::Mod
        | BinOp::And
        | BinOp::Or
        | BinOp::Xor
        | BinOp::AndThen
        | BinOp::OrElse
        | BinOp::Eq
        | BinOp::Ne
        | BinOp::Lt
        | BinOp::Le
        | BinOp::Gt
        | BinOp::Ge => None,
    }
}
