//! Variables that share memory. A scalar without memory of its own is a *view*: it consists of bits of scalars with memory
//! (its *cells*). Reading it reads them, writing it writes them.
//!
//! Cells are BOOLs and integer-like scalars, never REAL and never views: a REAL that shares memory is kept as bits.

use std::collections::BTreeMap;

use super::place::Root;
use super::pou::{PouId, Section, VarId};
use super::project::Project;
use super::types::{Parts, RealType, Type, TypeId, n_elements};
use super::value::Value;

/// Cells of a scalar without memory of its own, from its lowest bit up. `S` names a cell.
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
    /// Number of its bits; a BOOL has one.
    pub width: u8,
}

/// A scalar of a variable of the project.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Scalar {
    /// A global variable or a program instance.
    pub root: Root,
    /// The variable of the program, of a program instance.
    pub member: Option<VarId>,
    /// Its position in the variable, in the order of [`Project::leaves`].
    pub index: u32,
}

/// View in a variable of a POU, by its position there, with cells in other variables of the POU.
pub type LocalView = ((VarId, usize), View<(VarId, usize)>);

impl<S> View<S> {
    /// Returns the number of bits of all parts.
    pub fn width(&self) -> u32 {
        self.parts.iter().map(|part| u32::from(part.width)).sum()
    }
    /// Returns the same view with other names of the cells; `None` if one has no other name.
    pub fn map<T>(&self, name: impl Fn(&S) -> Option<T>) -> Option<View<T>> {
        let parts = self.parts.iter().map(|part| Some(Part { of: name(&part.of)?, low: part.low, width: part.width }));
        Some(View { parts: parts.collect::<Option<_>>()? })
    }
    /// Returns the bits of the view for these values of its cells.
    pub fn gather(&self, mut cell: impl FnMut(&S) -> Value) -> u128 {
        let (mut bits, mut at) = (0, 0);
        for part in &self.parts {
            bits |= (bits_of(cell(&part.of)) >> part.low & mask(part.width)) << at;
            at += u32::from(part.width);
        }
        bits
    }
    /// Returns the new value of each part's cell after a write of these bits.
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

/// Views in a value, by their positions.
type Inside = Vec<(usize, View<usize>)>;

/// Sizes and views of types, each computed once.
struct Within<'p> {
    project: &'p Project,
    known: BTreeMap<TypeId, (usize, Inside)>,
}

impl Within<'_> {
    /// Returns the number of scalars of a type.
    fn of(&mut self, ty: TypeId) -> usize {
        if let Some((size, _)) = self.known.get(&ty) {
            return *size;
        }
        let project = self.project;
        let (mut size, mut views) = (0, Vec::new());
        match project.types[ty].ty.parts() {
            Parts::Elements(dims, elem) => {
                let (n, each) = (n_elements(dims), self.of(elem));
                if self.known.get(&elem).is_some_and(|(_, inside)| !inside.is_empty()) {
                    (0..n).for_each(|_| self.append(elem, &mut size, &mut views));
                }
                size = n.saturating_mul(each);
            }
            Parts::Fields(fields) => {
                fields.iter().for_each(|field| self.append(field.ty, &mut size, &mut views));
                views.extend(project.type_views.get(&ty).into_iter().flatten().cloned());
            }
            Parts::Variables(pou) => {
                let mut starts = BTreeMap::new();
                for (id, var) in project.pous[pou].held() {
                    if matches!(var.section, Section::Input | Section::Output | Section::Local | Section::Global) {
                        starts.insert(id, size);
                        self.append(var.ty, &mut size, &mut views);
                    }
                }
                let at = |(var, index): &(VarId, usize)| Some(starts.get(var)? + index);
                let own = project.local_views.get(&pou).into_iter().flatten();
                views.extend(own.filter_map(|(scalar, view)| Some((at(scalar)?, view.map(at)?))));
            }
            Parts::Scalar => size = 1,
        }
        self.known.insert(ty, (size, views));
        size
    }

    fn append(&mut self, ty: TypeId, size: &mut usize, views: &mut Vec<(usize, View<usize>)>) {
        let (first, more) = (*size, self.of(ty));
        if let Some((_, inside)) = self.known.get(&ty) {
            views.extend(inside.iter().filter_map(|(at, view)| Some((first + at, view.map(|of| Some(first + of))?))));
        }
        *size += more;
    }
}

fn mask(width: u8) -> u128 {
    (1 << width) - 1
}

/// Returns the memory of a value, at least 64 bits of it: integers with their sign.
pub fn bits_of(value: Value) -> u128 {
    match value {
        Value::Bool(b) => u128::from(b),
        Value::Int(i) => i as u128,
        Value::Real(bits) => u128::from(bits),
        Value::LReal(bits) => u128::from(bits),
    }
}

impl Project {
    /// Returns the views in a value of this type, by their positions in the order of leaves.
    pub fn views_in(&self, ty: TypeId) -> Vec<(usize, View<usize>)> {
        if self.type_views.is_empty() && self.local_views.is_empty() {
            return Vec::new();
        }
        let mut within = Within { project: self, known: BTreeMap::new() };
        within.of(ty);
        within.known.remove(&ty).map_or_else(Vec::new, |(_, views)| views)
    }

    /// Returns the views in all variables of a POU: parts of one variable, and whole variables of their own.
    pub fn views_of(&self, pou: PouId) -> Vec<LocalView> {
        if self.type_views.is_empty() && self.local_views.is_empty() {
            return Vec::new();
        }
        let mut views = self.local_views.get(&pou).cloned().unwrap_or_default();
        for (id, var) in self.pous[pou].vars.iter_enumerated() {
            let inside = self.views_in(var.ty).into_iter();
            views.extend(inside.filter_map(|(at, view)| Some(((id, at), view.map(|of| Some((id, *of)))?))));
        }
        views
    }

    /// Returns the value of a scalar type with these bits.
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
    use crate::text::Span;

    #[test]
    fn what_is_written_is_read_and_nothing_else_changes() {
        let mut project = Project::default();
        let mut ty = |ty| project.types.push(TypeDef { name: None, ty, span: Span::none() });
        let cells = [ty(Type::Bool), ty(Type::Bits(7)), ty(Type::Int(IntType { bits: 8, signed: true }))];
        let real = ty(Type::Real(RealType::Real));
        // A view of 15 bits: a flag, seven bits, and the upper seven bits of a SINT.
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
