//! IEC types. Aliases are resolved away; two anonymous types of one shape share one id.

use super::leaves::LeafElem;
use super::pou::{Address, Init, PouId};
use super::project::Project;
use crate::text::Span;

crate::id_type!(
    /// A type of the project.
    TypeId,
    "t"
);

/// A row of the type table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TypeDef {
    /// The declared name; `None` for anonymous types. Elementary types carry their IEC name.
    pub name: Option<String>,
    /// Its meaning.
    pub ty: Type,
    /// Its declaration.
    pub span: Span,
}

/// A type: its values and their behaviour.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Type {
    /// BOOL.
    Bool,
    /// SINT … ULINT: two's complement, wrapping at its width.
    Int(IntType),
    /// BYTE (8), WORD (16), DWORD (32), LWORD (64): a bit string; no arithmetic, unsigned when converted.
    Bits(u8),
    /// REAL, LREAL: IEEE 754.
    Real(RealType),
    /// TIME: signed 32-bit milliseconds (wraps), as on the widespread controllers.
    Time,
    /// LTIME: signed 64-bit nanoseconds (wraps).
    LTime,
    /// DATE, TIME_OF_DAY, DATE_AND_TIME and their long forms; see [`DateType`].
    Date(DateType),
    /// CHAR (8), WCHAR (16): a character code, unsigned. Strings are arrays of the two characters that
    /// [`super::Project::text`] knows.
    Char(u8),
    /// Enumeration over an integer type (INT unless declared); values as declared.
    Enum {
        /// The integer type that holds it.
        base: TypeId,
        /// Names and values in declared order; the first is the default.
        variants: Vec<(String, i128)>,
    },
    /// Subrange `base (low..high)`: behaves as `base`, default value `low` if 0 is outside, else 0; not enforced at run time.
    Subrange {
        /// The integer type.
        base: TypeId,
        /// Lowest value.
        low: i128,
        /// Highest value.
        high: i128,
    },
    /// Array with constant bounds, one pair per dimension, both ends included, row-major.
    Array {
        /// `(low, high)` per dimension, `low <= high`.
        dims: Vec<(i64, i64)>,
        /// Type of the elements.
        elem: TypeId,
    },
    /// Structure, by value.
    Struct {
        /// In declared order.
        fields: Vec<Field>,
    },
    /// An instance of a function block: its variables persist.
    FunctionBlock(PouId),
    /// A type that is read but not modelled, by its words; statements that use it are gaps.
    Opaque(String),
}

/// A field of a structure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field {
    /// Its name as declared.
    pub name: String,
    /// Its type.
    pub ty: TypeId,
    /// Its initial value.
    pub init: Init,
    /// AT: each variable of the structure has an input, an output or memory of its own there.
    pub address: Option<Address>,
}

/// Width and sign of an integer type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct IntType {
    /// 8, 16, 32 or 64.
    pub bits: u8,
    /// Two's complement if true.
    pub signed: bool,
}

/// A point in time, unsigned. DATE and DATE_AND_TIME count seconds since 1970-01-01, TIME_OF_DAY milliseconds since
/// midnight, in 32 bits; their long forms count nanoseconds in 64 bits. A DATE is the midnight at which its day starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DateType {
    /// Its content: a day, a time or both.
    pub kind: DateKind,
    /// LDATE, LTIME_OF_DAY, LDATE_AND_TIME.
    pub long: bool,
}

/// Part of a calendar that a point in time names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum DateKind {
    /// A day.
    Date,
    /// A time within any day.
    TimeOfDay,
    /// Both.
    DateAndTime,
}

/// The two IEEE 754 formats.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RealType {
    /// REAL, binary32.
    Real,
    /// LREAL, binary64.
    LReal,
}

/// The values directly inside of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Parts<'t> {
    /// None: a scalar.
    Scalar,
    /// The elements of an array with these dimensions, row-major.
    Elements(&'t [(i64, i64)], TypeId),
    /// The fields of a structure.
    Fields(&'t [Field]),
    /// The variables of an instance of a function block.
    Variables(PouId),
}

impl Type {
    /// Returns the values directly inside of a value of this type.
    pub fn parts(&self) -> Parts<'_> {
        match self {
            Type::Array { dims, elem } => Parts::Elements(dims, *elem),
            Type::Struct { fields } => Parts::Fields(fields),
            Type::FunctionBlock(pou) => Parts::Variables(*pou),
            Type::Bool
            | Type::Int(_)
            | Type::Bits(_)
            | Type::Real(_)
            | Type::Time
            | Type::LTime
            | Type::Date(_)
            | Type::Char(_)
            | Type::Enum { .. }
            | Type::Subrange { .. }
            | Type::Opaque(_) => Parts::Scalar,
        }
    }

    /// Returns whether a value of this type has no parts.
    pub fn is_scalar(&self) -> bool {
        self.parts() == Parts::Scalar
    }
}

/// Returns the type of a part of a value of type `ty`; `None` if it has no such part.
pub fn part_type(project: &Project, ty: TypeId, step: LeafElem) -> Option<TypeId> {
    match (step, project.types[ty].ty.parts()) {
        (LeafElem::Field(field), Parts::Fields(fields)) => fields.get(field as usize).map(|field| field.ty),
        (LeafElem::Member(var), Parts::Variables(pou)) => project.pous[pou].vars.get(var).map(|var| var.ty),
        (LeafElem::Index(_), Parts::Elements(_, elem)) => Some(elem),
        (_, _) => None,
    }
}

/// Returns the number of elements of an array with these dimensions.
pub fn n_elements(dims: &[(i64, i64)]) -> usize {
    dims.iter().map(|(low, high)| (high - low + 1) as usize).product()
}

impl IntType {
    /// Returns the smallest value.
    pub fn min(self) -> i128 {
        if self.signed { -(1i128 << (self.bits - 1)) } else { 0 }
    }
    /// Returns the largest value.
    pub fn max(self) -> i128 {
        if self.signed { (1i128 << (self.bits - 1)) - 1 } else { (1i128 << self.bits) - 1 }
    }
    /// Returns whether a number is a value of this type.
    pub fn holds(self, value: i128) -> bool {
        self.min() <= value && value <= self.max()
    }

    /// Returns `value` modulo 2^bits, read with this sign.
    pub fn wrap(self, value: i128) -> i128 {
        let low = value & ((1i128 << self.bits) - 1);
        if self.signed && low > self.max() { low - (1i128 << self.bits) } else { low }
    }
}
