//! Sorts and concrete values.

use std::fmt;

use super::array::ArrayRef;
use super::float::{FloatSort, Format};

/// The sort of an expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Sort {
    /// Truth values.
    Bool,
    /// Bit vectors of 1 to 128 bits.
    BitVec(u16),
    /// IEEE 754 floats.
    Float(FloatSort),
    /// Mathematical integers: no width, no wrapping. PLC programs have none; published models do.
    Int,
    /// Total maps from the first sort to the second.
    Array(Scalar, Scalar),
}

/// A sort that an array may have as its index or its element: any but an array.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Scalar {
    /// Truth values.
    Bool,
    /// Bit vectors.
    BitVec(u16),
    /// Floats.
    Float(FloatSort),
    /// Mathematical integers.
    Int,
}

impl From<Scalar> for Sort {
    fn from(scalar: Scalar) -> Sort {
        match scalar {
            Scalar::Bool => Sort::Bool,
            Scalar::BitVec(width) => Sort::BitVec(width),
            Scalar::Float(float) => Sort::Float(float),
            Scalar::Int => Sort::Int,
        }
    }
}

impl Sort {
    /// Returns the sort as an index or an element of an array; `None` for arrays.
    pub fn scalar(self) -> Option<Scalar> {
        match self {
            Sort::Bool => Some(Scalar::Bool),
            Sort::BitVec(width) => Some(Scalar::BitVec(width)),
            Sort::Float(float) => Some(Scalar::Float(float)),
            Sort::Int => Some(Scalar::Int),
            Sort::Array(..) => None,
        }
    }
    /// Returns whether it is a float of another format than binary32 and binary64, or an array of such.
    pub fn has_odd_floats(self) -> bool {
        match self {
            Sort::Float(FloatSort::Other(_)) => true,
            Sort::Array(index, element) => Sort::from(index).has_odd_floats() || Sort::from(element).has_odd_floats(),
            Sort::Bool | Sort::BitVec(_) | Sort::Float(FloatSort::F32 | FloatSort::F64) | Sort::Int => false,
        }
    }
    /// Returns whether the sort is Bool or a bit vector.
    pub fn is_bits(self) -> bool {
        match self {
            Sort::Bool | Sort::BitVec(_) => true,
            Sort::Float(_) | Sort::Int | Sort::Array(..) => false,
        }
    }
}

/// A concrete value. Equality is identity of bits; NaNs are kept canonical (one NaN per sort, as in SMT-LIB).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Value {
    /// A truth value.
    Bool(bool),
    /// The low `width` bits of `bits`; the others are 0.
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
    /// Bits of a float of another format; NaN has the highest bit of the fraction only.
    Float(Format, u128),
    /// A mathematical integer. One of more than 128 bits has no `Value`: it is unknown, never wrapped.
    Int(i128),
    /// An array: finitely many entries and a default.
    Array(ArrayRef),
}

impl Value {
    /// Returns `bits` modulo 2^width.
    pub fn bv(width: u16, bits: u128) -> Value {
        Value::BitVec { width, bits: bits & mask(width) }
    }
    /// Returns `value` modulo 2^width.
    pub fn int(width: u16, value: i128) -> Value {
        Value::bv(width, value as u128)
    }
    /// Returns a binary32; NaNs become the canonical one.
    pub fn f32(v: f32) -> Value {
        Value::F32(if v.is_nan() { 0x7fc0_0000 } else { v.to_bits() })
    }
    /// Returns a binary64; NaNs become the canonical one.
    pub fn f64(v: f64) -> Value {
        Value::F64(if v.is_nan() { 0x7ff8_0000_0000_0000 } else { v.to_bits() })
    }
    /// Returns the float of a sort with these bits; NaNs become the canonical one.
    pub fn float(sort: FloatSort, bits: u128) -> Value {
        let bits = sort.canonical_bits(bits);
        match sort {
            FloatSort::F32 => Value::F32(bits as u32),
            FloatSort::F64 => Value::F64(bits as u64),
            FloatSort::Other(format) => Value::Float(format, bits),
        }
    }
    /// Returns the canonical form of a value: bits above the width are 0, NaN is the canonical NaN.
    pub fn canonical(self) -> Value {
        match self {
            Value::Bool(_) | Value::Int(_) | Value::Array(_) => self,
            Value::BitVec { width, bits } => Value::bv(width, bits),
            Value::F32(bits) => Value::f32(f32::from_bits(bits)),
            Value::F64(bits) => Value::f64(f64::from_bits(bits)),
            Value::Float(format, bits) => Value::float(FloatSort::Other(format), bits),
        }
    }
    /// Returns its sort.
    pub fn sort(self) -> Sort {
        match self {
            Value::Bool(_) => Sort::Bool,
            Value::BitVec { width, .. } => Sort::BitVec(width),
            Value::F32(_) => Sort::Float(FloatSort::F32),
            Value::F64(_) => Sort::Float(FloatSort::F64),
            Value::Float(format, _) => Sort::Float(FloatSort::Other(format)),
            Value::Int(_) => Sort::Int,
            Value::Array(array) => Sort::Array(array.index_sort(), array.element_sort()),
        }
    }
    /// Returns the zero of a sort: FALSE, 0, +0.0, an array of zeros.
    pub fn zero(sort: Sort) -> Value {
        match sort {
            Sort::Bool => Value::Bool(false),
            Sort::BitVec(width) => Value::BitVec { width, bits: 0 },
            Sort::Float(float) => Value::float(float, 0),
            Sort::Int => Value::Int(0),
            Sort::Array(index, element) => Value::Array(ArrayRef::constant(index, Value::zero(element.into()))),
        }
    }
    /// Returns the truth value of a Bool.
    pub fn as_bool(self) -> Option<bool> {
        if let Value::Bool(b) = self { Some(b) } else { None }
    }
    /// Returns the unsigned reading of a bit vector.
    pub fn as_unsigned(self) -> Option<u128> {
        if let Value::BitVec { bits, .. } = self { Some(bits) } else { None }
    }
    /// Returns the two's complement reading of a bit vector.
    pub fn as_signed(self) -> Option<i128> {
        if let Value::BitVec { width, bits } = self { Some(sign_extend(width, bits)) } else { None }
    }
    /// Returns a mathematical integer.
    pub fn as_int(self) -> Option<i128> {
        if let Value::Int(v) = self { Some(v) } else { None }
    }
    /// Returns the format and the bits of a float.
    pub fn as_float(self) -> Option<(FloatSort, u128)> {
        match self {
            Value::F32(bits) => Some((FloatSort::F32, bits.into())),
            Value::F64(bits) => Some((FloatSort::F64, bits.into())),
            Value::Float(format, bits) => Some((FloatSort::Other(format), bits)),
            Value::Bool(_) | Value::BitVec { .. } | Value::Int(_) | Value::Array(_) => None,
        }
    }
    /// Returns the array of an array value.
    pub fn as_array(self) -> Option<ArrayRef> {
        if let Value::Array(array) = self { Some(array) } else { None }
    }
}

/// Returns `width` ones.
pub(crate) fn mask(width: u16) -> u128 {
    if width >= 128 { u128::MAX } else { (1u128 << width) - 1 }
}

/// Returns the two's complement reading of the low `width` bits.
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
            Sort::Int => write!(f, "Int"),
            Sort::Array(index, element) => write!(f, "(Array {} {})", Sort::from(*index), Sort::from(*element)),
        }
    }
}

/// For people: a number, TRUE or FALSE, `[1 <- 5, default <- 0]`. Bit vectors are read as two's complement.
impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Bool(b) => write!(f, "{b}"),
            Value::BitVec { width, bits } => write!(f, "{}", sign_extend(*width, *bits)),
            Value::F32(bits) => write!(f, "{:?}", f32::from_bits(*bits)),
            Value::F64(bits) => write!(f, "{:?}", f64::from_bits(*bits)),
            Value::Float(format, bits) => FloatSort::Other(*format).write(f, *bits),
            Value::Int(v) => write!(f, "{v}"),
            Value::Array(array) => {
                write!(f, "[")?;
                for (index, element) in array.entries() {
                    write!(f, "{index} <- {element}, ")?;
                }
                write!(f, "default <- {}]", array.default())
            }
        }
    }
}
