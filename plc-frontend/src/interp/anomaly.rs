//! Anomalies (overflow, lossy conversion, subrange): reported to the recorder; execution continues.

use super::arith::leaves_range;
use super::exec::Exec;
use crate::hir::{AnomalyKind, BinOp, Conversion, Expr, Project, RealType, Type, TypeId, Value};
use crate::text::Span;

impl Exec<'_, '_> {
    /// Reports an anomaly in a statement of the program, or in a function that a condition calls.
    fn anomaly(&mut self, kind: AnomalyKind, span: Span) {
        if self.muted != Some(self.frames.len()) {
            self.recorder.anomaly(kind, span);
        }
    }

    /// Reports an overflow of `a op b`, computed by `expr`. A division by zero has ended the run before.
    pub(super) fn computed(&mut self, expr: &Expr, op: BinOp, a: Value, b: Value) {
        let project = self.machine.project;
        let (Value::Int(a), Value::Int(b), Some(int)) = (a, b, project.int_type(expr.ty)) else { return };
        if project.counts(expr.ty) && leaves_range(op, int, a, b) {
            self.anomaly(AnomalyKind::Overflow, expr.span);
        }
    }

    /// Reports the loss in the conversion of `before`, of type `from`, to `after` by `expr`.
    pub(super) fn converted(&mut self, how: Conversion, from: TypeId, expr: &Expr, before: Value, after: Value) {
        let project = self.machine.project;
        if loses(project, how, from, expr.ty, before) {
            let is_overflow =
                expr.cuts_what_was_computed() && project.int_type(from).is_some() && project.int_type(expr.ty).is_some();
            self.anomaly(if is_overflow { AnomalyKind::Overflow } else { AnomalyKind::ConversionLoss }, expr.span);
        }
        if let (Type::Subrange { low, high, .. }, Value::Int(after)) = (&project.types[expr.ty].ty, after)
            && (after < *low || *high < after)
        {
            self.anomaly(AnomalyKind::Subrange, expr.span);
        }
    }
}

/// Returns whether a conversion loses a part of the value.
fn loses(project: &Project, how: Conversion, from: TypeId, to: TypeId, value: Value) -> bool {
    let (source, target) = (&project.types[from].ty, &project.types[to].ty);
    let transfers_bits = how == Conversion::Convert;
    match (value, target) {
        (Value::Int(_), Type::Real(RealType::Real)) if transfers_bits && *source == Type::Bits(32) => false,
        (Value::Int(_), Type::Real(RealType::LReal)) if transfers_bits && *source == Type::Bits(64) => false,
        (Value::Int(i), Type::Real(RealType::Real)) => project.is_number(from) && i as f32 as i128 != i,
        (Value::Int(i), Type::Real(RealType::LReal)) => project.is_number(from) && i as f64 as i128 != i,
        (Value::LReal(bits), Type::Real(RealType::Real)) => {
            let v = f64::from_bits(bits);
            v.is_finite() && (v as f32).is_infinite()
        }
        (Value::Int(i), _) if project.is_number(from) && project.is_number(to) => {
            let Some(int) = project.int_type(to) else { return false };
            let exact = match (source, target) {
                (Type::Time, Type::LTime) => i * 1_000_000,
                (Type::LTime, Type::Time) => i / 1_000_000,
                _ => i,
            };
            if matches!(source, Type::Bits(_)) || matches!(target, Type::Bits(_)) {
                // The bits of -1 and of 16#FFFF are the same; as a BYTE it loses eight of them.
                let Some(before) = project.int_type(from) else { return false };
                return int.bits < before.bits && exact >> int.bits != 0;
            }
            !int.holds(exact)
        }
        _ => false,
    }
}
