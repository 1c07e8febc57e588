//! Conversions between scalar types, exactly as `hir::Conversion` lists them.

use super::arith::{lreal, real};
use crate::hir::{Conversion, DateKind, FaultKind, IntType, Project, RealType, Type, TypeId, Value};

/// Converts `value` of type `from` to type `to`. Fails with `ConversionRange` only.
#[expect(clippy::wildcard_enum_match_arm, reason = "a type that is not integer-like is unreachable there")]
pub fn convert(project: &Project, how: Conversion, from: TypeId, to: TypeId, value: Value) -> Result<Value, FaultKind> {
    let transfers_bits = how == Conversion::Convert;
    let (source, target) = (&project.types[from].ty, &project.types[to].ty);
    match target {
        Type::Bool => Ok(Value::Bool(match value {
            Value::Bool(b) => b,
            Value::Int(i) => i != 0,
            Value::Real(bits) => f32::from_bits(bits) != 0.0,
            Value::LReal(bits) => f64::from_bits(bits) != 0.0,
        })),
        Type::Real(RealType::Real) => Ok(match value {
            Value::Bool(b) => Value::real(if b { 1.0 } else { 0.0 }),
            Value::Int(i) if transfers_bits && *source == Type::Bits(32) => Value::Real(i as u32),
            Value::Int(i) => Value::real(i as f32),
            Value::Real(bits) => Value::Real(bits),
            Value::LReal(bits) => real(f64::from_bits(bits) as f32),
        }),
        Type::Real(RealType::LReal) => Ok(match value {
            Value::Bool(b) => Value::lreal(if b { 1.0 } else { 0.0 }),
            Value::Int(i) if transfers_bits && *source == Type::Bits(64) => Value::LReal(i as u64),
            Value::Int(i) => Value::lreal(i as f64),
            Value::Real(bits) => lreal(f64::from(f32::from_bits(bits))),
            Value::LReal(bits) => Value::LReal(bits),
        }),
        _ => {
            let Some(int) = project.int_type(to) else { unreachable!("conversions are between scalar types") };
            match value {
                Value::Bool(b) => Ok(Value::Int(i128::from(b))),
                Value::Int(i) => Ok(Value::Int(int.wrap(match (source, target) {
                    (Type::Time, Type::LTime) => i * 1_000_000,
                    (Type::LTime, Type::Time) => i / 1_000_000,
                    (Type::Date(a), Type::Date(b)) if a.kind == b.kind && a.long != b.long => {
                        let ns = if a.kind == DateKind::TimeOfDay { 1_000_000 } else { 1_000_000_000 };
                        if b.long { i * ns } else { i / ns }
                    }
                    _ => i,
                }))),
                Value::Real(bits) if transfers_bits && *target == Type::Bits(32) => Ok(Value::Int(i128::from(bits))),
                Value::LReal(bits) if transfers_bits && *target == Type::Bits(64) => Ok(Value::Int(i128::from(bits))),
                // REAL is exact in LREAL, so both round the same number.
                Value::Real(bits) => rounded(how, int, f64::from(f32::from_bits(bits))),
                Value::LReal(bits) => rounded(how, int, f64::from_bits(bits)),
            }
        }
    }
}

fn rounded(how: Conversion, int: IntType, v: f64) -> Result<Value, FaultKind> {
    let whole = match how {
        Conversion::Truncate => v.trunc(),
        Conversion::Round => v.round(),
        Conversion::Convert | Conversion::Widen => v.round_ties_even(),
    };
    // `as` saturates, and no integer type reaches the ends of i128, so it cannot hide a value out of range.
    let i = whole as i128;
    if !whole.is_nan() && int.holds(i) { Ok(Value::Int(i)) } else { Err(FaultKind::ConversionRange) }
}
