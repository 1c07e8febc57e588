//! Standard functions on values, exactly as `hir::Builtin` lists them.

use super::arith::{binary, lreal, real, unary, wrapped};
use crate::hir::{BinOp, Builtin, FaultKind, IntType, UnOp, Value};

/// Computes a function of its arguments, all evaluated, in order. `int` is the format of an integer-like
/// result, `count` that of the second argument (the shifts' N).
///
/// Fails with `IndexOutOfBounds` only, for MUX. A missing argument gives a meaningless value.
pub fn builtin(f: Builtin, int: Option<IntType>, count: Option<IntType>, args: &[Value]) -> Result<Value, FaultKind> {
    Ok(match (f, args) {
        (Builtin::Abs, [Value::Int(i)]) if *i < 0 => unary(UnOp::Neg, int, Value::Int(*i)),
        (Builtin::Abs, [Value::Int(i)]) => Value::Int(*i),
        (Builtin::Abs, [Value::Real(bits)]) => Value::Real(bits & !(1 << 31)),
        (Builtin::Abs, [Value::LReal(bits)]) => Value::LReal(bits & !(1 << 63)),
        (Builtin::Sqrt, [Value::Real(bits)]) => real(f32::from_bits(*bits).sqrt()),
        (Builtin::Sqrt, [Value::LReal(bits)]) => lreal(f64::from_bits(*bits).sqrt()),
        (Builtin::Min, [first, rest @ ..]) => rest.iter().fold(*first, |a, b| pick(BinOp::Lt, int, a, *b)),
        (Builtin::Max, [first, rest @ ..]) => rest.iter().fold(*first, |a, b| pick(BinOp::Gt, int, a, *b)),
        (Builtin::Limit, [low, v, high]) => pick(BinOp::Lt, int, pick(BinOp::Gt, int, *v, *low), *high),
        (Builtin::Sel | Builtin::Mux, [_, ..]) => args[1 + selected(f, args)?],
        (Builtin::Shl, [Value::Int(v), Value::Int(n)]) => match below_width(int, count, *n) {
            Some(n) => wrapped(int, v << n),
            None => Value::Int(0),
        },
        (Builtin::Shr, [Value::Int(v), Value::Int(n)]) => match below_width(int, count, *n) {
            Some(n) => wrapped(int, unsigned(int, *v) >> n),
            None => Value::Int(0),
        },
        (Builtin::Rol, [Value::Int(v), Value::Int(n)]) => rotated(int, *v, *n),
        (Builtin::Ror, [Value::Int(v), Value::Int(n)]) => rotated(int, *v, -*n),
        (Builtin::IsValid, [v]) => Value::Bool(v.non_finite().is_none()),
        (Builtin::SwapBytes, [Value::Int(v)]) => {
            let bytes = u32::from(format(int).bits / 8);
            let v = unsigned(int, *v) as u64;
            wrapped(int, i128::from(v.swap_bytes() >> (64 - 8 * bytes)))
        }
        (Builtin::IsValidBcd, [Value::Int(v)]) => {
            let v = unsigned(int, *v);
            Value::Bool((0..format(int).bits / 4).all(|digit| v >> (4 * digit) & 15 <= 9))
        }
        (Builtin::FromBcd, [Value::Int(v)]) => {
            wrapped(int, (0..16).rev().fold(0, |sum, digit| sum * 10 + (v >> (4 * digit) & 15)))
        }
        (Builtin::ToBcd, [Value::Int(v)]) => {
            let mut rest = *v as u128;
            let mut digits = 0;
            for digit in 0..format(int).bits / 4 {
                digits |= (rest % 10) << (4 * digit);
                rest /= 10;
            }
            wrapped(int, digits as i128)
        }
        (f, args) => transcendental(f, args),
    })
}

/// Returns the position of the input that SEL or MUX gives, from 0; `args` starts with the selector.
fn selected(f: Builtin, args: &[Value]) -> Result<usize, FaultKind> {
    match args {
        [Value::Bool(g), ..] => Ok(usize::from(*g)),
        [Value::Int(k), inputs @ ..] if 0 <= *k && *k < inputs.len() as i128 => Ok(*k as usize),
        [Value::Int(_), ..] => Err(FaultKind::IndexOutOfBounds),
        args => unreachable!("{f:?} has no meaning for {args:?}"),
    }
}

/// Returns `b` if `b op a`, else `a`.
fn pick(op: BinOp, int: Option<IntType>, a: Value, b: Value) -> Value {
    match binary(op, int, b, a) {
        Ok(Value::Bool(true)) => b,
        Ok(_) | Err(_) => a,
    }
}

/// Returns the shift count read as unsigned, if it is below the width of the shifted value.
fn below_width(int: Option<IntType>, count: Option<IntType>, n: i128) -> Option<u32> {
    let n = unsigned(count, n);
    if n < i128::from(int?.bits) { Some(n as u32) } else { None }
}

fn format(int: Option<IntType>) -> IntType {
    let Some(int) = int else { unreachable!("an integer value has an integer type") };
    int
}

/// Returns the bits of an integer-like value, read as unsigned.
fn unsigned(int: Option<IntType>, v: i128) -> i128 {
    IntType { signed: false, ..format(int) }.wrap(v)
}

/// Rotates to the left by `n` modulo the width.
fn rotated(int: Option<IntType>, v: i128, n: i128) -> Value {
    let width = i128::from(format(int).bits);
    let n = n.rem_euclid(width);
    let v = unsigned(int, v);
    wrapped(int, (v << n) | (v >> (width - n)))
}

/// Computes a function of one or two REAL or LREAL in double precision and rounds the result to their type.
fn transcendental(f: Builtin, args: &[Value]) -> Value {
    let floats: Vec<f64> = args.iter().filter_map(|arg| arg.as_float()).collect();
    let result = match (f, floats.as_slice()) {
        (Builtin::Ln, [v]) => v.ln(),
        (Builtin::Log, [v]) => v.log10(),
        (Builtin::Exp, [v]) => v.exp(),
        (Builtin::Sin, [v]) => v.sin(),
        (Builtin::Cos, [v]) => v.cos(),
        (Builtin::Tan, [v]) => v.tan(),
        (Builtin::Asin, [v]) => v.asin(),
        (Builtin::Acos, [v]) => v.acos(),
        (Builtin::Atan, [v]) => v.atan(),
        (Builtin::Atan2, [a, b]) => a.atan2(*b),
        (Builtin::Expt, [a, b]) => a.powf(*b),
        _ => unreachable!("{f:?} has no meaning for {args:?}"),
    };
    if let Some(Value::Real(_)) = args.first() { real(result as f32) } else { lreal(result) }
}
