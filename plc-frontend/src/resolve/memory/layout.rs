//! The scalars of a variable as they lie in memory, for variables that share it.
//!
//! A type has a layout only if every controller of the dialect lays it out alike; otherwise there is a reason.

use crate::dialect::{ByteOrder, Packing};
use crate::hir::{AddressSize, Init, Part, Project, RealType, Type, TypeId, Value, View, bits_of, n_elements};
use crate::resolve::resolver::Resolver;
use crate::rule::MAX_WITH_ARRAYS;

/// A scalar in the memory of a variable.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LaidScalar {
    /// Its type.
    pub(crate) ty: TypeId,
    /// Its first bit.
    pub(crate) at: u64,
    /// Number of its bits.
    pub(crate) bits: u32,
    /// Declared initial value.
    pub(crate) init: Option<Value>,
}

impl LaidScalar {
    /// Returns the bit behind its last one.
    pub(crate) fn end(&self) -> u64 {
        self.at + u64::from(self.bits)
    }
    /// Returns whether it can hold any bits: a BOOL that takes a byte cannot, and REAL forgets which NaN it was.
    pub(crate) fn keeps_bits(&self, project: &Project) -> bool {
        if project.types[self.ty].ty == Type::Bool { self.bits == 1 } else { project.int_type(self.ty).is_some() }
    }
    /// Returns the bits it starts with.
    pub(crate) fn initial_bits(&self) -> u128 {
        self.init.map_or(0, bits_of) & ((1 << self.bits) - 1)
    }
    /// Returns the lowest bit of its value in the memory `start .. end`, which is a part of one byte, or whole bytes.
    pub(crate) fn value_bit(&self, (start, end): (u64, u64), order: ByteOrder) -> u64 {
        match order {
            ByteOrder::HighFirst if 8 < self.bits => {
                let (last, within) = (self.end().div_ceil(8) - end.div_ceil(8), start % 8);
                last * 8 + within
            }
            ByteOrder::HighFirst | ByteOrder::LowFirst => start - self.at,
        }
    }
    /// Returns it as a view of these pieces of memory, which cover it: each with the scalar that it is part of.
    pub(crate) fn view<S: Copy>(&self, pieces: &[((u64, u64), Part<S>)], order: ByteOrder) -> View<S> {
        let mut parts: Vec<(u64, Part<S>)> = pieces.iter().map(|(range, part)| (self.value_bit(*range, order), *part)).collect();
        parts.sort_by_key(|(bit, _)| *bit);
        View { parts: parts.into_iter().map(|(_, part)| part).collect() }
    }
}

/// Position of the next scalar, and the scalars before it.
struct Layer<'r, 'd> {
    resolver: &'r Resolver<'d>,
    packing: Packing,
    at: u64,
    laid: Vec<LaidScalar>,
    depth: u32,
}

impl Resolver<'_> {
    /// Returns the scalars of a type in the order of leaves, from bit 0 on, and the bits they take together; or the reason why
    /// that is not known. `place` is the size of a whole variable's address.
    pub(crate) fn layout(&self, ty: TypeId, init: &Init, place: Option<AddressSize>) -> Result<(Vec<LaidScalar>, u64), String> {
        let packing = self.dialect.memory.packing;
        let mut layer = Layer { resolver: self, packing, at: 0, laid: Vec::new(), depth: 0 };
        if self.project.types[ty].ty == Type::Bool {
            let bits = match (place, packing) {
                (Some(AddressSize::Bit), _) | (_, Packing::Siemens) => 1,
                (_, Packing::Bytes) => 8,
                (_, Packing::Unknown) => return Err("how much memory a BOOL takes differs between controllers".to_owned()),
            };
            layer.scalar(ty, bits, init);
        } else {
            layer.value(ty, init)?;
        }
        Ok((layer.laid, layer.at))
    }
}

impl Layer<'_, '_> {
    fn scalar(&mut self, ty: TypeId, bits: u32, init: &Init) {
        let init = init.scalar().or_else(|| self.resolver.project.default_value(ty));
        self.laid.push(LaidScalar { ty, at: self.at, bits, init });
        self.at += u64::from(bits);
    }

    fn value(&mut self, ty: TypeId, init: &Init) -> Result<(), String> {
        self.depth += 1;
        let result = self.inner(ty, init);
        self.depth -= 1;
        result
    }

    fn inner(&mut self, ty: TypeId, init: &Init) -> Result<(), String> {
        let project = &self.resolver.project;
        if self.resolver.names.is_reference(ty) {
            return Err("an address is in it".to_owned());
        }
        if project.text(ty).is_some() {
            return Err("a STRING is in it, of which also the length is in memory".to_owned());
        }
        if MAX_WITH_ARRAYS < self.laid.len() || 100 < self.depth {
            return Err("it is too large".to_owned());
        }
        match &project.types[ty].ty {
            Type::Bool => match self.packing {
                Packing::Siemens => self.scalar(ty, 1, init),
                Packing::Bytes => self.scalar(ty, 8, init),
                Packing::Unknown => return Err("how much memory a BOOL in it takes differs between controllers".to_owned()),
            },
            Type::Date(_) if self.packing == Packing::Siemens => {
                return Err("a date is in it, which is kept otherwise on this controller".to_owned());
            }
            Type::Real(RealType::Real) => self.number(ty, 32, init)?,
            Type::Real(RealType::LReal) => self.number(ty, 64, init)?,
            Type::Int(_) | Type::Bits(_) | Type::Char(_) | Type::Time | Type::LTime | Type::Date(_) => self.integer(ty, init)?,
            Type::Enum { .. } | Type::Subrange { .. } => self.integer(ty, init)?,
            Type::Array { dims, elem } => {
                let n = n_elements(dims);
                let start = self.start();
                for i in 0..n {
                    self.value(*elem, init.part(i).unwrap_or(&Init::Default))?;
                }
                let small = self.at - start < 16 * n as u64;
                if self.packing == Packing::Siemens && 1 < dims.len() && small {
                    return Err("where the rows of an array of several dimensions begin is not known".to_owned());
                }
                self.end(start)?;
            }
            Type::Struct { .. } if project.type_views.contains_key(&ty) => return Err("a UNION is in it".to_owned()),
            Type::Struct { fields } => {
                let start = self.start();
                for (i, field) in fields.iter().enumerate() {
                    self.value(field.ty, init.part(i).unwrap_or(&field.init))?;
                }
                self.end(start)?;
            }
            Type::FunctionBlock(_) => return Err("an instance of a function block is in it".to_owned()),
            Type::Opaque(what) => return Err(format!("{what} is in it")),
        }
        Ok(())
    }

    fn integer(&mut self, ty: TypeId, init: &Init) -> Result<(), String> {
        let bits = self.resolver.project.int_type(ty).map_or(16, |int| int.bits);
        self.number(ty, u32::from(bits), init)
    }

    fn number(&mut self, ty: TypeId, bits: u32, init: &Init) -> Result<(), String> {
        match self.packing {
            Packing::Siemens => self.round_up(if bits == 8 { 8 } else { 16 }),
            // The scalar is aligned already: no controller leaves a gap.
            Packing::Bytes | Packing::Unknown if self.at.is_multiple_of(u64::from(bits)) => {}
            Packing::Bytes | Packing::Unknown => return Err(GAPS.to_owned()),
        }
        self.scalar(ty, bits, init);
        Ok(())
    }

    fn round_up(&mut self, bits: u64) {
        self.at = self.at.div_ceil(bits) * bits;
    }

    fn start(&mut self) -> u64 {
        if self.packing == Packing::Siemens {
            self.round_up(16);
        }
        self.at
    }

    fn end(&mut self, start: u64) -> Result<(), String> {
        match self.packing {
            Packing::Siemens => self.round_up(16),
            Packing::Bytes | Packing::Unknown => {
                let widest = self.laid.iter().rev().take_while(|l| start <= l.at).map(|l| u64::from(l.bits)).max();
                let widest = widest.unwrap_or(1);
                if !start.is_multiple_of(widest) || !self.at.is_multiple_of(widest) {
                    return Err(GAPS.to_owned());
                }
            }
        }
        Ok(())
    }
}

const GAPS: &str = "where its parts begin depends on the alignment, which differs between controllers";
