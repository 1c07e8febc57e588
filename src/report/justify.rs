//! Operands that decide a condition: of `a AND b` that is FALSE one FALSE operand is enough.
//!
//! A value that is not known here keeps all operands.

use std::collections::{BTreeMap, BTreeSet};

use plc_frontend::hir::{BinOp, Expr, ExprKind, Place, UnOp, Value};
use plc_frontend::source::Span;

use super::choices::{Activation, Choices};
use super::record::Recording;
use super::seen::{Seen, holds};

/// Returns the reads of a statement before `clock` that its values or its choice depend on, with the values, part by part.
///
/// Of its conditions only those in `only` matter, if there are any. Of several operands that decide, one that is wanted anyway is
/// preferred, then the first.
pub(super) fn reads_that_matter(
    recording: &Recording<'_>,
    parts: &[&Seen],
    only: &BTreeSet<Span>,
    clock: u64,
    is_wanted: &dyn Fn(&str) -> bool,
) -> Vec<(String, Value)> {
    let read = || parts.iter().flat_map(|part| &part.values).filter(|v| !v.written && v.first < clock);
    let all = || read().map(|v| (v.name.clone(), v.value)).collect();
    let Some(seen) = parts.first() else { return Vec::new() };
    let run = recording.activation(seen);
    let choices = recording.choices();
    let Some(exprs) = choices.decisive(run.pou, seen, only) else { return all() };
    let values: BTreeMap<&str, Value> = read().map(|v| (v.name.as_str(), v.value)).collect();
    let mut reads = BTreeMap::new();
    for expr in exprs {
        let operand = Operands { choices, run, values: &values, is_wanted };
        let Some((_, names)) = operand.of(expr) else { return all() };
        reads.extend(names);
    }
    reads.into_iter().collect()
}

/// Reads of an argument of a call, which was written to an input at `at`, or of an output that was written there; `None` if none
/// stands there, or one of its reads is not known.
pub(super) fn reads_of_argument(
    recording: &Recording<'_>,
    seen: &Seen,
    at: Span,
    is_wanted: &dyn Fn(&str) -> bool,
) -> Option<Vec<(String, Value)>> {
    // Writes of a called body into itself have no argument at its place.
    let run = recording.activation(seen);
    let choices = recording.choices();
    if choices.is_output(run.pou, at) {
        // The output is read there, and indices of the place.
        let reads = seen.values.iter().filter(|v| !v.written && holds(at, v.at));
        let reads: Vec<(String, Value)> = reads.map(|v| (v.name.clone(), v.value)).collect();
        return Some(reads).filter(|reads| !reads.is_empty());
    }
    let expr = choices.argument(run.pou, at)?;
    let values: BTreeMap<&str, Value> = seen.values.iter().filter(|v| !v.written).map(|v| (v.name.as_str(), v.value)).collect();
    let operands = Operands { choices, run, values: &values, is_wanted };
    let names = operands.of(expr).map(|(_, names)| names).or_else(|| operands.all(expr))?;
    Some(names.into_iter().collect())
}

type Names = BTreeMap<String, Value>;

struct Operands<'a> {
    choices: &'a Choices<'a>,
    run: &'a Activation,
    values: &'a BTreeMap<&'a str, Value>,
    is_wanted: &'a dyn Fn(&str) -> bool,
}

impl Operands<'_> {
    /// Returns the value and the reads that decide it; `None` if the value is not known here.
    fn of(&self, expr: &Expr) -> Option<(Value, Names)> {
        match &expr.kind {
            ExprKind::Literal(value) => Some((*value, Names::new())),
            ExprKind::Read(place) => self.place(place),
            ExprKind::Unary(UnOp::Not, operand) => match self.of(operand)? {
                (Value::Bool(is), names) => Some((Value::Bool(!is), names)),
                (Value::Int(_) | Value::Real(_) | Value::LReal(_), _) => None,
            },
            ExprKind::Binary(op, left, right) => self.both(*op, self.of(left)?, self.of(right)?),
            ExprKind::Unary(UnOp::Neg, _) | ExprKind::Text(_) | ExprKind::Convert(..) | ExprKind::Builtin(..) => None,
            ExprKind::Call(..) | ExprKind::Arbitrary { .. } => None,
        }
    }

    /// Returns all reads, where each is known.
    fn all(&self, expr: &Expr) -> Option<Names> {
        let of = |operands: &[&Expr]| {
            let all: Option<Vec<Names>> = operands.iter().map(|operand| self.all(operand)).collect();
            Some(all?.into_iter().flatten().collect())
        };
        match &expr.kind {
            ExprKind::Literal(_) | ExprKind::Text(_) => Some(Names::new()),
            ExprKind::Read(place) => Some(self.place(place)?.1),
            ExprKind::Unary(_, operand) | ExprKind::Convert(_, operand) => self.all(operand),
            ExprKind::Binary(_, left, right) => of(&[left, right]),
            ExprKind::Builtin(_, operands) => of(&operands.iter().collect::<Vec<_>>()),
            ExprKind::Call(..) | ExprKind::Arbitrary { .. } => None,
        }
    }

    fn place(&self, place: &Place) -> Option<(Value, Names)> {
        let name = self.choices.place(self.run, place)?;
        let value = *self.values.get(name.as_str())?;
        Some((value, Names::from([(name, value)])))
    }

    fn both(&self, op: BinOp, (left, mut names): (Value, Names), (right, others): (Value, Names)) -> Option<(Value, Names)> {
        let value = match (op, left, right) {
            (BinOp::And | BinOp::Or, Value::Bool(a), Value::Bool(b)) => {
                let decides = op == BinOp::Or;
                let kept = match (a == decides, b == decides) {
                    (true, true) if self.n_new(&others) < self.n_new(&names) => others,
                    (true, _) => names,
                    (false, true) => others,
                    (false, false) => {
                        names.extend(others);
                        names
                    }
                };
                return Some((Value::Bool(if decides { a || b } else { a && b }), kept));
            }
            (BinOp::Eq, a, b) => a == b,
            (BinOp::Ne, a, b) => a != b,
            (BinOp::Lt, Value::Int(a), Value::Int(b)) => a < b,
            (BinOp::Le, Value::Int(a), Value::Int(b)) => a <= b,
            (BinOp::Gt, Value::Int(a), Value::Int(b)) => a > b,
            (BinOp::Ge, Value::Int(a), Value::Int(b)) => a >= b,
            (BinOp::Xor, Value::Bool(a), Value::Bool(b)) => a != b,
            _ => return None,
        };
        if matches!((left, right), (Value::Real(_) | Value::LReal(_), _)) {
            return None;
        }
        names.extend(others);
        Some((Value::Bool(value), names))
    }

    fn n_new(&self, names: &Names) -> usize {
        names.keys().filter(|name| !(self.is_wanted)(name)).count()
    }
}
