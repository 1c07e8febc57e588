//! Arithmetic whose result depends on the width of registers.
//!
//! CODESYS and TwinCAT compute at the width of the controller's registers, which is 32 bits or 64; the C code of MATIEC
//! computes narrower operands at 32. The lowest bits of sums, differences and products are the same at every width. So a
//! result that is cut to its width before anything depends on it is the same on every controller. So is one that cannot leave
//! its width.

use crate::hir::walk::{Access, Visit};
use crate::hir::{
    BinOp, Builtin, CallArgs, Conversion, Expr, ExprKind, IntType, LoopBounds, Place, PouId, Project, Root, Stmt, StmtKind, Type,
    TypeId, UnOp, Value,
};
use crate::text::source::Span;

/// Returns the places of a POU whose result differs between arithmetic at this many bits and at more.
///
/// If a controller may not keep the lowest bits of a result that does not fit, its stored results count, too.
pub(crate) fn width_dependent(project: &Project, id: PouId, narrow: u8, keeps_low_bits: bool) -> Vec<Span> {
    let mut search = Search { project, id, narrow, keeps_low_bits, found: Vec::new() };
    search.body(&project.pous[id].body);
    search.found
}

struct Search<'p> {
    project: &'p Project,
    id: PouId,
    keeps_low_bits: bool,
    /// Number of bits of a narrow register.
    narrow: u8,
    found: Vec<Span>,
}

impl<'h> Visit<'h> for Search<'_> {
    fn stmt(&mut self, stmt: &'h Stmt) {
        if let StmtKind::Assign { target, value } = &stmt.kind {
            let keeps_low_bits = self.keeps_low_bits;
            self.keeps_low_bits |= self.is_hidden(target);
            self.stored(value);
            self.keeps_low_bits = keeps_low_bits;
            self.place(target, Access::Write);
        } else if let StmtKind::For { control, bounds, body } = &stmt.kind {
            let LoopBounds { from, to, by } = &**bounds;
            self.place(control, Access::Write);
            self.stored(from);
            self.expr(to);
            by.iter().for_each(|by| self.expr(by));
            self.body(body);
        } else if let StmtKind::Eval(e) = &stmt.kind {
            self.value(e, true);
        } else {
            self.stmt_parts(stmt);
        }
    }

    fn expr(&mut self, e: &'h Expr) {
        self.value(e, false);
    }

    fn call(&mut self, _callee: PouId, args: &'h CallArgs) {
        args.inputs.iter().for_each(|(_, e)| self.stored(e));
        args.in_outs.iter().chain(&args.outputs).for_each(|(_, place)| self.place_parts(place));
    }
}

impl Search<'_> {
    /// Visits a value that a variable of its type keeps.
    fn stored(&mut self, e: &Expr) {
        let cut = self.format(e.ty).is_some_and(|format| format.bits <= self.narrow);
        self.value(e, cut && self.keeps_low_bits);
    }

    /// Returns whether a place is a variable of the import, which counts within limits. No tag has two underscores in a row.
    fn is_hidden(&self, place: &Place) -> bool {
        let Root::Var(var) = place.root else { return false };
        self.project.pous[self.id].vars[var].name.contains("__")
    }

    /// Visits an expression; `cut` if only its lowest bits count.
    fn value(&mut self, e: &Expr, cut: bool) {
        match &e.kind {
            ExprKind::Binary(op @ (BinOp::Add | BinOp::Sub | BinOp::Mul), a, b) => {
                self.judge(e, cut, exact(*op, self.range(a), self.range(b)));
                self.value(a, cut);
                self.value(b, cut);
            }
            ExprKind::Unary(UnOp::Neg, a) => {
                self.judge(e, cut, exact(BinOp::Sub, Some((0, 0)), self.range(a)));
                self.value(a, cut);
            }
            ExprKind::Builtin(Builtin::Abs, args) if !self.keeps_low_bits => {
                for arg in args {
                    self.judge(e, cut, exact(BinOp::Sub, Some((0, 0)), self.range(arg)));
                    self.value(arg, cut);
                }
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
                self.value(a, cut);
            }
            ExprKind::Binary(op @ (BinOp::And | BinOp::Or | BinOp::Xor), a, b) => {
                let masked = |e: &Expr| {
                    *op == BinOp::And && matches!(e.kind, ExprKind::Literal(Value::Int(i)) if 0 <= i && i < 1 << self.narrow)
                };
                let cut = cut || masked(a) || masked(b);
                self.value(a, cut);
                self.value(b, cut);
            }
            ExprKind::Convert(how, a) => {
                let cut = match (self.format(e.ty), &self.project.types[a.ty].ty) {
                    // An explicit conversion cuts.
                    (Some(to), _) if self.format(a.ty).is_some() => to.bits <= self.narrow && (*how != Conversion::Widen || cut),
                    // The bits of a REAL.
                    (None, Type::Bits(bits)) if *bits == self.narrow => *how == Conversion::Convert,
                    (_, _) => false,
                };
                self.value(a, cut);
            }
            ExprKind::Builtin(Builtin::Shl, args) => {
                for (n, arg) in args.iter().enumerate() {
                    self.value(arg, cut && n == 0);
                }
            }
            ExprKind::Binary(..)
            | ExprKind::Builtin(..)
            | ExprKind::Call(..)
            | ExprKind::Read(_)
            | ExprKind::Arbitrary { .. }
            | ExprKind::Literal(_)
            | ExprKind::Text(_) => self.expr_parts(e),
        }
    }

    /// Notes an operation of the narrow width whose exact result may leave it; the outermost one stands for its operands.
    fn judge(&mut self, e: &Expr, cut: bool, exact: Option<(i128, i128)>) {
        let Some(format) = self.format(e.ty).filter(|format| format.bits == self.narrow) else { return };
        let leaves = exact.is_none_or(|(low, high)| low < format.min() || format.max() < high);
        let is_inside = |outer: &Span| outer.file == e.span.file && outer.start <= e.span.start && e.span.end <= outer.end;
        if !cut && leaves && !self.found.last().is_some_and(is_inside) {
            self.found.push(e.span);
        }
    }

    fn format(&self, ty: TypeId) -> Option<IntType> {
        self.project.int_type(ty)
    }

    /// Returns the range of an integer expression.
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

/// Returns the range of the exact results of `+`, `-` or `*` on ranges; `None` for other operators.
#[expect(clippy::wildcard_enum_match_arm, reason = "no other operator has bits that a wider register changes")]
fn exact(op: BinOp, a: Option<(i128, i128)>, b: Option<(i128, i128)>) -> Option<(i128, i128)> {
    let ((a0, a1), (b0, b1)) = (a?, b?);
    let apply = |a: i128, b: i128| match op {
        BinOp::Add => a.checked_add(b),
        BinOp::Sub => a.checked_sub(b),
        BinOp::Mul => a.checked_mul(b),
        _ => None,
    };
    let results = [apply(a0, b0)?, apply(a0, b1)?, apply(a1, b0)?, apply(a1, b1)?];
    Some((results.into_iter().min()?, results.into_iter().max()?))
}
