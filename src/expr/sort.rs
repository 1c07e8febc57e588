//! Sorts and concrete values.

use std::fmt;

/// The sort of an expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Sort {
    /// Truth values.
    Bool,
    /// Bit vectors of 1 to 128 bits.
    BitVec(u16),
    /// IEEE 754 floats.
    Float(FloatSort),
}

/// The two IEEE 754 formats that PLC programs have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FloatSort {
    /// binary32: 8 exponent bits, 24 significand bits.
    F32,
    /// binary64: 11 exponent bits, 53 significand bits.
    F64,
}

impl FloatSort {
    /// Exponent bits and significand bits (with the hidden one), as SMT-LIB counts them.
    pub fn bits(self) -> (u32, u32) {
        match self {
            FloatSort::F32 => (8, 24),
            FloatSort::F64 => (11, 53),
        }
    }
}

/// A concrete value. Equality is identity of bits; NaNs are kept canonical (one NaN per sort, as in SMT-LIB).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Value {
    /// A truth value.
    Bool(bool),
    /// `width` low bits of `bits`; the others are 0.
    BitVec {
        /// 1 to 128.
        width: u16,
        /// The bits.
        bits: u128,
    },
    /// Bits of a binary32; NaN is 0x7fc00000.
    F32(u32),
    /// Bits of a binary64; NaN is 0x7ff8000000000000.
    F64(u64),
}

impl Value {
    /// `bits` modulo 2^width.
    pub fn bv(width: u16, bits: u128) -> Value {
        Value::BitVec { width, bits: bits & mask(width) }
    }
    /// `value` modulo 2^width.
    pub fn int(width: u16, value: i128) -> Value {
        Value::bv(width, value as u128)
    }
    /// A binary32; NaNs become the canonical one.
    pub fn f32(v: f32) -> Value {
        Value::F32(if v.is_nan() { 0x7fc0_0000 } else { v.to_bits() })
    }
    /// A binary64; NaNs become the canonical one.
    pub fn f64(v: f64) -> Value {
        Value::F64(if v.is_nan() { 0x7ff8_0000_0000_0000 } else { v.to_bits() })
    }
    /// The one form of a value: bits above the width are 0, NaN is the canonical NaN.
    pub fn canonical(self) -> Value {
        match self {
            Value::Bool(_) => self,
            Value::BitVec { width, bits } => Value::bv(width, bits),
            Value::F32(bits) => Value::f32(f32::from_bits(bits)),
            Value::F64(bits) => Value::f64(f64::from_bits(bits)),
        }
    }
    /// Its sort.
    pub fn sort(self) -> Sort {
        match self {
            Value::Bool(_) => Sort::Bool,
            Value::BitVec { width, .. } => Sort::BitVec(width),
            Value::F32(_) => Sort::Float(FloatSort::F32),
            Value::F64(_) => Sort::Float(FloatSort::F64),
        }
    }
    /// The zero of a sort: FALSE, 0, +0.0.
    pub fn zero(sort: Sort) -> Value {
        match sort {
            Sort::Bool => Value::Bool(false),
            Sort::BitVec(width) => Value::BitVec { width, bits: 0 },
            Sort::Float(FloatSort::F32) => Value::F32(0),
            Sort::Float(FloatSort::F64) => Value::F64(0),
        }
    }
    /// The truth value of a Bool.
    pub fn as_bool(self) -> Option<bool> {
        match self {
            Value::Bool(b) => Some(b),
            Value::BitVec { .. } | Value::F32(_) | Value::F64(_) => None,
        }
    }
    /// The unsigned reading of a bit vector.
    pub fn as_unsigned(self) -> Option<u128> {
        match self {
            Value::BitVec { bits, .. } => Some(bits),
            Value::Bool(_) | Value::F32(_) | Value::F64(_) => None,
        }
    }
    /// The two's complement reading of a bit vector.
    pub fn as_signed(self) -> Option<i128> {
        match self {
            Value::BitVec { width, bits } => Some(sign_extend(width, bits)),
            Value::Bool(_) | Value::F32(_) | Value::F64(_) => None,
        }
    }
}

/// `width` ones.
pub(crate) fn mask(width: u16) -> u128 {
    if width >= 128 { u128::MAX } else { (1u128 << width) - 1 }
}

/// The two's complement reading of the low `width` bits.
pub(crate) fn sign_extend(width: u16, bits: u128) -> i128 {
    let shift = 128 - u32::from(width);
    ((bits << shift) as i128) >> shift
}

impl fmt::Display for Sort {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Sort::Bool => write!(f, "Bool"),
            Sort::BitVec(w) => write!(f, "(_ BitVec {w})"),
            Sort::Float(s) => {
                let (e, m) = s.bits();
                write!(f, "(_ FloatingPoint {e} {m})")
            }
        }
    }
}
