//! Variables that share memory. A scalar that has no storage of its own is a *view*: it is put together from bits of
//! scalars that have (its *cells*). Reading it reads them, writing it writes them.
//!
//! Cells are BOOLs and integer-like scalars, never REAL and never views themselves: what a REAL at a place of bits holds is
//! kept as bits, whoever wrote it.

use super::place::Root;
use super::pou::VarId;
use super::project::Project;
use super::types::{RealType, Type, TypeId};
use super::value::Value;

/// What a scalar without storage of its own is made of, from its lowest bit up. `S` says which scalar a cell is.
///
/// The widths add up to the width of the scalar, except for BOOL: it is TRUE if any bit of its parts is set, and FALSE and
/// TRUE are written as 0 and 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct View<S> {
    /// The cells, the one with the lowest bits first.
    pub parts: Vec<Part<S>>,
}

/// Some bits of a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part<S> {
    /// The cell.
    pub of: S,
    /// Its first bit.
    pub low: u8,
    /// How many; all of a BOOL is one.
    pub width: u8,
}

/// A scalar of a variable of the project.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Scalar {
    /// A global variable or a program instance.
    pub root: Root,
    /// The variable of the program, if it is one of an instance's.
    pub member: Option<VarId>,
    /// Its position in the variable, in the order of [`Project::leaves`].
    pub index: u32,
}

impl<S> View<S> {
    /// The bits of all parts.
    pub fn width(&self) -> u32 {
        self.parts.iter().map(|part| u32::from(part.width)).sum()
    }
    /// The same bits of scalars that are named otherwise; `None` if one has no other name.
    pub fn map<T>(&self, name: impl Fn(&S) -> Option<T>) -> Option<View<T>> {
        let parts = self.parts.iter().map(|part| Some(Part { of: name(&part.of)?, low: part.low, width: part.width }));
        Some(View { parts: parts.collect::<Option<_>>()? })
    }
    /// What it holds while its cells have these values.
    pub fn gather(&self, mut cell: impl FnMut(&S) -> Value) -> u128 {
        let (mut bits, mut at) = (0, 0);
        for part in &self.parts {
            bits |= (bits_of(cell(&part.of)) >> part.low & mask(part.width)) << at;
            at += u32::from(part.width);
        }
        bits
    }
    /// For each part, what its cell is to hold after these bits were written.
    pub fn scatter(&self, bits: u128, mut cell: impl FnMut(&S) -> (TypeId, Value), project: &Project) -> Vec<Value> {
        let mut at = 0;
        let mut values = Vec::with_capacity(self.parts.len());
        for part in &self.parts {
            let (ty, before) = cell(&part.of);
            let hole = mask(part.width) << part.low;
            let new = bits_of(before) & !hole | (bits >> at << part.low) & hole;
            values.push(project.of_bits(ty, new));
            at += u32::from(part.width);
        }
        values
    }
}

fn mask(width: u8) -> u128 {
    (1 << width) - 1
}

/// A value as it lies in memory, at least 64 bits of it: integers with their sign.
pub fn bits_of(value: Value) -> u128 {
    match value {
        Value::Bool(b) => u128::from(b),
        Value::Int(i) => i as u128,
        Value::Real(bits) => u128::from(bits),
        Value::LReal(bits) => u128::from(bits),
    }
}

impl Project {
    /// The value of a scalar type that has these bits.
    pub fn of_bits(&self, ty: TypeId, bits: u128) -> Value {
        match (&self.types[ty].ty, self.int_type(ty)) {
            (Type::Real(RealType::Real), _) => Value::Real(bits as u32),
            (Type::Real(RealType::LReal), _) => Value::LReal(bits as u64),
            (_, Some(int)) => Value::Int(int.wrap(bits as i128)),
            (_, None) => Value::Bool(bits != 0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hir::{IntType, TypeDef};
    use crate::source::Span;

    #[test]
    fn what_is_written_is_read_and_nothing_else_changes() {
        let mut project = Project::default();
        let mut ty = |ty| project.types.push(TypeDef { name: None, ty, span: Span::none() });
        let cells = [ty(Type::Bool), ty(Type::Bits(7)), ty(Type::Int(IntType { bits: 8, signed: true }))];
        let real = ty(Type::Real(RealType::Real));
        // A word whose low byte is a flag and seven bits, and its high byte a SINT; the last part leaves a bit of it out.
        let part = |of, low, width| Part { of, low, width };
        let view = View { parts: vec![part(0usize, 0, 1), part(1, 0, 7), part(2, 1, 7)] };
        assert_eq!(view.width(), 15);
        let mut memory = [Value::Bool(false), Value::Int(0), Value::Int(-1)];
        for bits in [0u128, 1, 0x2A5F, 0x7FFF, 0x4000] {
            let now = memory;
            let values = view.scatter(bits, |c| (cells[*c], now[*c]), &project);
            memory.copy_from_slice(&values);
            assert_eq!(view.gather(|c| memory[*c]), bits);
            assert_eq!(bits_of(memory[2]) & 1, 1);
        }
        assert_eq!(memory, [Value::Bool(false), Value::Int(0), Value::Int(-127)]);
        assert_eq!(project.of_bits(real, bits_of(Value::real(-1.5))), Value::real(-1.5));
    }
}
