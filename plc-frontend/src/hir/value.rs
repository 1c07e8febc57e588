//! Scalar constants.

use super::Project;
use super::types::{IntType, RealType, Type, TypeId};

/// A scalar value. Floats are kept as bits, so that equality is identity of bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Value {
    /// BOOL.
    Bool(bool),
    /// Integers, bit strings (unsigned), enumerations, subranges, TIME (ms) and LTIME (ns).
    Int(i128),
    /// REAL, the bits of the binary32.
    Real(u32),
    /// LREAL, the bits of the binary64.
    LReal(u64),
}

impl Value {
    /// Returns a REAL.
    pub fn real(v: f32) -> Value {
        Value::Real(v.to_bits())
    }
    /// Returns an LREAL.
    pub fn lreal(v: f64) -> Value {
        Value::LReal(v.to_bits())
    }
    /// Returns the truth value of a BOOL.
    pub fn as_bool(self) -> Option<bool> {
        if let Value::Bool(b) = self { Some(b) } else { None }
    }
    /// Returns the integer of an integer-like value.
    pub fn as_int(self) -> Option<i128> {
        if let Value::Int(i) = self { Some(i) } else { None }
    }
    /// Returns the number of a REAL or LREAL; an LREAL holds every REAL exactly.
    pub fn as_float(self) -> Option<f64> {
        match self {
            Value::Real(bits) => Some(f64::from(f32::from_bits(bits))),
            Value::LReal(bits) => Some(f64::from_bits(bits)),
            Value::Bool(_) | Value::Int(_) => None,
        }
    }
    /// Returns `+Inf`, `-Inf` or `NaN`, the word for a float without a literal; `None` for all other values.
    pub fn non_finite(self) -> Option<&'static str> {
        let v = self.as_float()?;
        match (v.is_nan(), v.is_infinite(), v < 0.0) {
            (true, _, _) => Some("NaN"),
            (false, true, false) => Some("+Inf"),
            (false, true, true) => Some("-Inf"),
            (false, false, _) => None,
        }
    }
    /// Returns the float for a word of [`Value::non_finite`], in any case; `None` for other texts.
    pub fn of_non_finite(word: &str, real: RealType) -> Option<Value> {
        let v = match word.to_ascii_lowercase().as_str() {
            "nan" => f32::NAN,
            "+inf" => f32::INFINITY,
            "-inf" => f32::NEG_INFINITY,
            _ => return None,
        };
        Some(match real {
            RealType::Real => Value::real(v),
            RealType::LReal => Value::lreal(v.into()),
        })
    }
}

impl Project {
    /// Returns the least and the largest value of a number without a unit: an integer or a bit string. Names of an enumeration and
    /// limits of a subrange bind no controller.
    pub(crate) fn values_of(&self, ty: TypeId) -> Option<(i128, i128)> {
        match &self.types[ty].ty {
            Type::Int(int) => Some((IntType::min(*int), IntType::max(*int))),
            Type::Bits(bits) => Some((0, (1i128 << bits) - 1)),
            Type::Enum { base, .. } | Type::Subrange { base, .. } => self.values_of(*base),
            Type::Bool
            | Type::Real(_)
            | Type::Time
            | Type::LTime
            | Type::Date(_)
            | Type::Char(_)
            | Type::Array { .. }
            | Type::Struct { .. }
            | Type::FunctionBlock(_)
            | Type::Opaque(_) => None,
        }
    }

    /// Returns the integer format of an integer-like scalar type: integers, bit strings (unsigned), TIME
    /// (32 bits), LTIME (signed 64), enumerations and subranges (their base). `None` for others.
    pub fn int_type(&self, ty: TypeId) -> Option<IntType> {
        match &self.types[ty].ty {
            Type::Int(t) => Some(*t),
            Type::Bits(bits) => Some(IntType { bits: *bits, signed: false }),
            Type::Time => Some(IntType { bits: 32, signed: !self.unsigned_time }),
            Type::LTime => Some(IntType { bits: 64, signed: !self.unsigned_time }),
            Type::Date(date) => Some(IntType { bits: if date.long { 64 } else { 32 }, signed: false }),
            Type::Char(bits) => Some(IntType { bits: *bits, signed: false }),
            Type::Enum { base, .. } | Type::Subrange { base, .. } => self.int_type(*base),
            Type::Bool | Type::Real(_) | Type::Array { .. } | Type::Struct { .. } | Type::FunctionBlock(_) | Type::Opaque(_) => {
                None
            }
        }
    }
    /// Returns whether a result that leaves the range of this type is an anomaly: of integers and times. Bit strings are
    /// shifted and added modulo 2^n on purpose, and points in time are only compared.
    pub fn counts(&self, ty: TypeId) -> bool {
        let ty = &self.types[ty].ty;
        if let Type::Subrange { base, .. } = ty {
            self.counts(*base)
        } else {
            matches!(ty, Type::Int(_) | Type::Time | Type::LTime)
        }
    }
    /// Returns whether a value of this type is a number, or bits that programs read as one.
    pub fn is_number(&self, ty: TypeId) -> bool {
        let ty = &self.types[ty].ty;
        matches!(ty, Type::Int(_) | Type::Bits(_) | Type::Time | Type::LTime | Type::Enum { .. } | Type::Subrange { .. })
    }
    /// Returns the default initial value of a scalar type; `None` for arrays, structures, instances and opaque types.
    pub fn default_value(&self, ty: TypeId) -> Option<Value> {
        match &self.types[ty].ty {
            Type::Bool => Some(Value::Bool(false)),
            Type::Int(_) | Type::Bits(_) | Type::Time | Type::LTime | Type::Date(_) | Type::Char(_) => Some(Value::Int(0)),
            Type::Real(RealType::Real) => Some(Value::real(0.0)),
            Type::Real(RealType::LReal) => Some(Value::lreal(0.0)),
            Type::Enum { variants, .. } => Some(Value::Int(variants.first().map_or(0, |v| v.1))),
            Type::Subrange { low, high, .. } => Some(Value::Int(if *low <= 0 && 0 <= *high { 0 } else { *low })),
            Type::Array { .. } | Type::Struct { .. } | Type::FunctionBlock(_) | Type::Opaque(_) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_for_floats_without_a_literal_are_read_again() {
        for (v, word) in [(f32::INFINITY, "+Inf"), (f32::NEG_INFINITY, "-Inf"), (f32::NAN, "NaN")] {
            for (real, value) in [(RealType::Real, Value::real(v)), (RealType::LReal, Value::lreal(v.into()))] {
                assert_eq!(value.non_finite(), Some(word));
                assert_eq!(Value::of_non_finite(word, real), Some(value));
            }
        }
        for value in [Value::real(-0.0), Value::real(f32::MAX), Value::lreal(f64::MIN), Value::Int(-1), Value::Bool(true)] {
            assert_eq!(value.non_finite(), None);
        }
        assert_eq!(Value::of_non_finite("Infinity", RealType::Real), None);
    }
}
