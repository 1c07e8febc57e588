//! Effects of an expression besides its value: calls, faults, anomalies.

use plc_frontend::hir::{BinOp, Builtin, Elem, Expr, ExprKind};

use super::builder::Builder;
use crate::cfa::model::Marks;

impl Builder<'_, '_> {
    /// Returns whether an expression may have effects besides its value.
    pub(super) fn is_eventful(&self, expr: &Expr) -> bool {
        match self.cx.options.marks {
            // Almost every operation may have an anomaly, if it is evaluated.
            Marks::Anomalies(_) => {
                any(expr, &mut |e| !matches!(e.kind, ExprKind::Literal(_) | ExprKind::Read(_))) || is_eventful(expr)
            }
            Marks::None | Marks::Statements | Marks::Coils => is_eventful(expr),
        }
    }
}

/// Returns whether an expression may change variables.
pub(super) fn has_call(expr: &Expr) -> bool {
    any(expr, &mut |e| matches!(e.kind, ExprKind::Call(..)))
}

/// Returns whether the indices of a step may change variables.
pub(super) fn elem_has_call(elem: &Elem) -> bool {
    match elem {
        Elem::Index(indices) => indices.iter().any(has_call),
        Elem::Field(_) | Elem::Member(_) | Elem::Deref(_) | Elem::Bits { .. } => false,
    }
}

/// Returns whether an expression may have effects besides its value: a call, a fault, an arbitrary value.
fn is_eventful(expr: &Expr) -> bool {
    any(expr, &mut |e| match &e.kind {
        ExprKind::Call(..) | ExprKind::Arbitrary { .. } | ExprKind::Builtin(Builtin::Mux, _) => true,
        ExprKind::Binary(BinOp::Div | BinOp::Mod, ..) => true,
        // Only REAL to integer can fail; a look at the types is not worth it here.
        ExprKind::Convert(how, _) => *how != plc_frontend::hir::Conversion::Widen,
        ExprKind::Read(place) => place.path.iter().any(|elem| matches!(elem, Elem::Index(_) | Elem::Deref(_))),
        ExprKind::Literal(_) | ExprKind::Text(_) | ExprKind::Unary(..) | ExprKind::Binary(..) | ExprKind::Builtin(..) => false,
    })
}

/// Returns whether some part of an expression, indices included, satisfies `test`. Chains are walked without recursion to the left.
fn any(expr: &Expr, test: &mut impl FnMut(&Expr) -> bool) -> bool {
    let mut todo = vec![expr];
    while let Some(expr) = todo.pop() {
        if test(expr) {
            return true;
        }
        match &expr.kind {
            ExprKind::Literal(_) | ExprKind::Text(_) => {}
            ExprKind::Read(place) => push_indices(&place.path, &mut todo),
            ExprKind::Unary(_, a) | ExprKind::Convert(_, a) => todo.push(a),
            ExprKind::Binary(_, a, b) => todo.extend([a.as_ref(), b.as_ref()]),
            ExprKind::Builtin(_, args) => todo.extend(args),
            ExprKind::Call(_, args) => {
                todo.extend(args.inputs.iter().map(|(_, e)| e));
                for (_, place) in args.in_outs.iter().chain(&args.outputs) {
                    push_indices(&place.path, &mut todo);
                }
            }
            ExprKind::Arbitrary { concrete, .. } => todo.extend(concrete.as_deref()),
        }
    }
    false
}

fn push_indices<'e>(path: &'e [Elem], todo: &mut Vec<&'e Expr>) {
    for elem in path {
        match elem {
            Elem::Index(indices) => todo.extend(indices),
            Elem::Field(_) | Elem::Member(_) | Elem::Deref(_) | Elem::Bits { .. } => {}
        }
    }
}
