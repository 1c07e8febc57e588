//! Operators on values: pure, exact, bit by bit as `hir::BinOp` and `hir::UnOp` define them.

use std::cmp::Ordering;
use std::ops::{Add, Div, Mul, Sub};

use crate::hir::{BinOp, FaultKind, IntType, UnOp, Value};

/// Computes `a op b` for operands of one type; `int` is the format of integer-like operands.
///
/// Fails with `DivisionByZero` only. Both operands are given: the caller handles short circuits.
pub fn binary(op: BinOp, int: Option<IntType>, a: Value, b: Value) -> Result<Value, FaultKind> {
    match (a, b) {
        (Value::Bool(a), Value::Bool(b)) => Ok(Value::Bool(bools(op, a, b))),
        (Value::Int(a), Value::Int(b)) => ints(op, int, a, b),
        (Value::Real(a), Value::Real(b)) => Ok(floats(op, f32::from_bits(a), f32::from_bits(b), real)),
        (Value::LReal(a), Value::LReal(b)) => Ok(floats(op, f64::from_bits(a), f64::from_bits(b), lreal)),
        (Value::Bool(_) | Value::Int(_) | Value::Real(_) | Value::LReal(_), _) => {
            unreachable!("{op:?} has operands of one type, not {a:?} and {b:?}")
        }
    }
}

/// Computes `op a`; `int` is the format of an integer-like operand.
pub fn unary(op: UnOp, int: Option<IntType>, a: Value) -> Value {
    match (op, a) {
        (UnOp::Not, Value::Bool(a)) => Value::Bool(!a),
        (UnOp::Not, Value::Int(a)) => wrapped(int, !a),
        (UnOp::Neg, Value::Int(a)) => wrapped(int, a.wrapping_neg()),
        (UnOp::Neg, Value::Real(bits)) => Value::Real(bits ^ (1 << 31)),
        (UnOp::Neg, Value::LReal(bits)) => Value::LReal(bits ^ (1 << 63)),
        (UnOp::Neg, Value::Bool(_)) | (UnOp::Not, Value::Real(_) | Value::LReal(_)) => {
            unreachable!("{op:?} has no meaning for {a:?}")
        }
    }
}

/// Returns whether the exact `a op b` lies outside of the numbers of a format; false for all but arithmetic.
#[expect(clippy::wildcard_enum_match_arm, reason = "`ints` lists all operators")]
pub fn leaves_range(op: BinOp, int: IntType, a: i128, b: i128) -> bool {
    let exact = match op {
        BinOp::Add => a.checked_add(b),
        BinOp::Sub => a.checked_sub(b),
        BinOp::Mul => a.checked_mul(b),
        BinOp::Div => a.checked_div(b),
        // A remainder stays in range; the other operators are no arithmetic.
        _ => return false,
    };
    exact.is_none_or(|exact| !int.holds(exact))
}

/// Returns a REAL result: every NaN becomes the quiet one.
pub(super) fn real(v: f32) -> Value {
    if v.is_nan() { Value::Real(0x7fc0_0000) } else { Value::real(v) }
}

/// Returns an LREAL result: every NaN becomes the quiet one.
pub(super) fn lreal(v: f64) -> Value {
    if v.is_nan() { Value::LReal(0x7ff8_0000_0000_0000) } else { Value::lreal(v) }
}

/// Returns an integer-like result.
pub(super) fn wrapped(int: Option<IntType>, v: i128) -> Value {
    match int {
        Some(int) => Value::Int(int.wrap(v)),
        None => unreachable!("an integer value has an integer type"),
    }
}

fn bools(op: BinOp, a: bool, b: bool) -> bool {
    match op {
        BinOp::And | BinOp::AndThen => a && b,
        BinOp::Or | BinOp::OrElse => a || b,
        BinOp::Xor => a != b,
        BinOp::Eq | BinOp::Ne | BinOp::Lt | BinOp::Le | BinOp::Gt | BinOp::Ge => holds(op, Some(a.cmp(&b))),
        BinOp::Add | BinOp::Sub | BinOp::Mul | BinOp::Div | BinOp::Mod => unreachable!("{op:?} of BOOL"),
    }
}

fn ints(op: BinOp, int: Option<IntType>, a: i128, b: i128) -> Result<Value, FaultKind> {
    Ok(match op {
        // Products of 64-bit values may pass i128; modulo 2^128 keeps the low bits.
        BinOp::Add => wrapped(int, a.wrapping_add(b)),
        BinOp::Sub => wrapped(int, a.wrapping_sub(b)),
        BinOp::Mul => wrapped(int, a.wrapping_mul(b)),
        BinOp::Div | BinOp::Mod if b == 0 => return Err(FaultKind::DivisionByZero),
        BinOp::Div => wrapped(int, a / b),
        BinOp::Mod => wrapped(int, a % b),
        BinOp::And => wrapped(int, a & b),
        BinOp::Or => wrapped(int, a | b),
        BinOp::Xor => wrapped(int, a ^ b),
        BinOp::Eq | BinOp::Ne | BinOp::Lt | BinOp::Le | BinOp::Gt | BinOp::Ge => Value::Bool(holds(op, Some(a.cmp(&b)))),
        BinOp::AndThen | BinOp::OrElse => unreachable!("{op:?} of integers"),
    })
}

fn floats<F>(op: BinOp, a: F, b: F, value: fn(F) -> Value) -> Value
where
    F: PartialOrd + Add<Output = F> + Sub<Output = F> + Mul<Output = F> + Div<Output = F>,
{
    match op {
        BinOp::Add => value(a + b),
        BinOp::Sub => value(a - b),
        BinOp::Mul => value(a * b),
        BinOp::Div => value(a / b),
        BinOp::Eq | BinOp::Ne | BinOp::Lt | BinOp::Le | BinOp::Gt | BinOp::Ge => Value::Bool(holds(op, a.partial_cmp(&b))),
        BinOp::Mod | BinOp::And | BinOp::Or | BinOp::Xor | BinOp::AndThen | BinOp::OrElse => unreachable!("{op:?} of REAL"),
    }
}

/// Returns whether a comparison holds for operands in this order; `None` is unordered (NaN).
#[expect(clippy::wildcard_enum_match_arm, reason = "the callers list all operators")]
pub(super) fn holds(op: BinOp, order: Option<Ordering>) -> bool {
    match op {
        BinOp::Eq => order == Some(Ordering::Equal),
        BinOp::Ne => order != Some(Ordering::Equal),
        BinOp::Lt => order == Some(Ordering::Less),
        BinOp::Le => matches!(order, Some(Ordering::Less | Ordering::Equal)),
        BinOp::Gt => order == Some(Ordering::Greater),
        BinOp::Ge => matches!(order, Some(Ordering::Greater | Ordering::Equal)),
        _ => unreachable!("{op:?} is not a comparison"),
    }
}
