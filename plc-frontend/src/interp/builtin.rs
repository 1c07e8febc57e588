//! Standard functions on values, exactly as `hir::Builtin` lists them.

use super::arith::{binary, lreal, real, unary, wrapped};
use crate::hir::{BinOp, Builtin, FaultKind, IntType, UnOp, Value};

/// The function's value for its arguments, all evaluated, in order. `int` is the format of an integer-like
/// result, `count` that of the second argument (the shifts' N).
///
/// Fails with `IndexOutOfBounds` only, for MUX. Without all its arguments no function has a meaning.
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
        (Builtin::Atan2, [Value::Real(a), Value::Real(b)]) => {
            real(f64::from(f32::from_bits(*a)).atan2(f64::from(f32::from_bits(*b))) as f32)
        }
        (Builtin::Atan2, [Value::LReal(a), Value::LReal(b)]) => lreal(f64::from_bits(*a).atan2(f64::from_bits(*b))),
        (Builtin::IsValid, [Value::Real(bits)]) => Value::Bool(f32::from_bits(*bits).is_finite()),
        (Builtin::IsValid, [Value::LReal(bits)]) => Value::Bool(f64::from_bits(*bits).is_finite()),
        (Builtin::SwapBytes, [Value::Int(v)]) => {
            let bytes = u32::from(width(int) / 8);
            let v = unsigned(int, *v) as u64;
            wrapped(int, i128::from(v.swap_bytes() >> (64 - 8 * bytes)))
        }
        (Builtin::IsValidBcd, [Value::Int(v)]) => {
            let v = unsigned(int, *v);
            Value::Bool((0..width(int) / 4).all(|digit| v >> (4 * digit) & 15 <= 9))
        }
        (Builtin::FromBcd, [Value::Int(v)]) => {
            wrapped(int, (0..16).rev().fold(0, |sum, digit| sum * 10 + (v >> (4 * digit) & 15)))
        }
        (Builtin::ToBcd, [Value::Int(v)]) => {
            let mut rest = *v as u128;
            let mut digits = 0;
            for digit in 0..width(int) / 4 {
                digits |= (rest % 10) << (4 * digit);
                rest /= 10;
            }
            wrapped(int, digits as i128)
        }
        (Builtin::Expt, [Value::Real(a), Value::Real(b)]) => {
            real(f64::from(f32::from_bits(*a)).powf(f64::from(f32::from_bits(*b))) as f32)
        }
        (Builtin::Expt, [Value::LReal(a), Value::LReal(b)]) => lreal(f64::from_bits(*a).powf(f64::from_bits(*b))),
        (
            Builtin::Ln
            | Builtin::Log
            | Builtin::Exp
            | Builtin::Sin
            | Builtin::Cos
            | Builtin::Tan
            | Builtin::Asin
            | Builtin::Acos
            | Builtin::Atan,
            [Value::Real(bits)],
        ) => real(transcendental(f, f64::from(f32::from_bits(*bits))) as f32),
        (
            Builtin::Ln
            | Builtin::Log
            | Builtin::Exp
            | Builtin::Sin
            | Builtin::Cos
            | Builtin::Tan
            | Builtin::Asin
            | Builtin::Acos
            | Builtin::Atan,
            [Value::LReal(bits)],
        ) => lreal(transcendental(f, f64::from_bits(*bits))),
        (f, args) => unreachable!("{f:?} has no meaning for {args:?}"),
    })
}

/// Which of the inputs SEL and MUX give, from 0; `args` starts with the selector.
fn selected(f: Builtin, args: &[Value]) -> Result<usize, FaultKind> {
    match args {
        [Value::Bool(g), ..] => Ok(usize::from(*g)),
        [Value::Int(k), inputs @ ..] if 0 <= *k && *k < inputs.len() as i128 => Ok(*k as usize),
        [Value::Int(_), ..] => Err(FaultKind::IndexOutOfBounds),
        args => unreachable!("{f:?} has no meaning for {args:?}"),
    }
}

/// `b` if `b op a`, else `a`.
fn pick(op: BinOp, int: Option<IntType>, a: Value, b: Value) -> Value {
    match binary(op, int, b, a) {
        Ok(Value::Bool(true)) => b,
        Ok(_) | Err(_) => a,
    }
}

/// The shift count read as unsigned, if it is below the width of the shifted value.
fn below_width(int: Option<IntType>, count: Option<IntType>, n: i128) -> Option<u32> {
    let n = unsigned(count, n);
    if n < i128::from(int?.bits) { Some(n as u32) } else { None }
}

/// The bits of an integer-like value, read as unsigned.
fn unsigned(int: Option<IntType>, v: i128) -> i128 {
    match int {
        Some(int) => IntType { signed: false, ..int }.wrap(v),
        None => unreachable!("an integer value has an integer type"),
    }
}

fn width(int: Option<IntType>) -> u8 {
    match int {
        Some(int) => int.bits,
        None => unreachable!("an integer value has an integer type"),
    }
}

/// To the left by `n` modulo the width.
fn rotated(int: Option<IntType>, v: i128, n: i128) -> Value {
    let Some(format) = int else { unreachable!("an integer value has an integer type") };
    let width = i128::from(format.bits);
    let n = n.rem_euclid(width);
    let v = unsigned(int, v);
    wrapped(int, (v << n) | (v >> (width - n)))
}

fn transcendental(f: Builtin, v: f64) -> f64 {
    match f {
        Builtin::Ln => v.ln(),
        Builtin::Log => v.log10(),
        Builtin::Exp => v.exp(),
        Builtin::Sin => v.sin(),
        Builtin::Cos => v.cos(),
        Builtin::Tan => v.tan(),
        Builtin::Asin => v.asin(),
        Builtin::Acos => v.acos(),
        Builtin::Atan => v.atan(),
        Builtin::Abs
        | Builtin::Sqrt
        | Builtin::Min
        | Builtin::Max
        | Builtin::Limit
        | Builtin::Sel
        | Builtin::Mux
        | Builtin::Shl
        | Builtin::Shr
        | Builtin::Rol
        | Builtin::Ror
        | Builtin::Expt
        | Builtin::Atan2
        | Builtin::Clock
        | Builtin::SwapBytes
        | Builtin::IsValid
        | Builtin::IsValidBcd
        | Builtin::FromBcd
        | Builtin::ToBcd
        | Builtin::Len
        | Builtin::Left
        | Builtin::Right
        | Builtin::Mid
        | Builtin::Concat
        | Builtin::Insert
        | Builtin::Delete
        | Builtin::Replace
        | Builtin::Find
        | Builtin::Compare(_) => unreachable!("{f:?} has more than one argument or is exact"),
    }
}
