//! Layouts: where members of data types stand in the memory of a controller.
//!
//! After the table "Logix Designer Application Structure Storage" of 1789-UM002K, page 143: numbers stand at multiples of their
//! size, arrays and structures at multiples of 4. Numbers are little endian. Types without an exact layout have none here.

use std::collections::BTreeMap;

use super::types::{STRING, Shape, Shapes, integer, shape_of};
use super::{attribute, ident_of, key};
use crate::ast::{Ident, NameElem};
use crate::lang::xml::Element;
use crate::text::Span;

/// Numbers with an exact layout, and their bytes.
const NUMBERS: &[(&str, u64)] =
    &[("SINT", 1), ("USINT", 1), ("INT", 2), ("UINT", 2), ("DINT", 4), ("UDINT", 4), ("REAL", 4), ("LINT", 8), ("ULINT", 8)];

/// Most cells of one copy.
const MOST_CELLS: usize = 1024;

/// Member of a data type in its declared order; hosts of bits are members, too.
#[derive(Clone, Debug)]
pub(super) struct Field {
    name: String,
    ty: String,
    /// Length of an array; 0 for no array.
    length: u64,
    is_hidden: bool,
    /// Host of a bit and the position in it.
    bit: Option<(String, u64)>,
}

/// Size of a type and the multiple at which it stands, in bytes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Extent {
    pub(super) size: u64,
    align: u64,
}

/// Elementary part of a tag: its path behind the beginning and its first byte.
#[derive(Clone, Debug)]
pub(super) struct Cell {
    pub(super) path: Vec<NameElem>,
    pub(super) at: u64,
    pub(super) kind: Kind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Number(&'static str, u64),
    /// Bit of the byte.
    Bit(u64),
}

/// Data types with their fields, and the extents that are known.
#[derive(Debug, Default)]
pub(super) struct Layouts {
    fields: BTreeMap<String, Vec<Field>>,
    extents: std::cell::RefCell<BTreeMap<String, Option<Extent>>>,
}

impl Layouts {
    /// Adds a data type of the file.
    pub(super) fn data_type(&mut self, element: Element<'_>) {
        let Some(name) = ident_of(element) else { return };
        let field = |member: Element<'_>| {
            let shape = shape_of(member)?;
            let host = attribute(member, "Target").zip(attribute(member, "BitNumber").and_then(|number| number.parse().ok()));
            let length = match shape.dimensions.as_slice() {
                [] => 0,
                [length] => *length,
                _ => return None,
            };
            let is_hidden = attribute(member, "Hidden").as_deref() == Some("true");
            let bit = host.map(|(host, number)| (key(&host), number));
            Some(Field { name: ident_of(member)?.text, ty: key(&shape.ty), length, is_hidden, bit })
        };
        let members = element.children_named("Members").flat_map(Element::children);
        // A type with a member that is not understood has no layout.
        if let Some(fields) = members.map(field).collect() {
            self.fields.insert(key(&name.text), fields);
        }
    }

    /// Adds the type STRING.
    pub(super) fn add_predefined(&mut self) {
        let field = |name: &str, ty: &str, length| Field {
            name: name.to_owned(),
            ty: ty.to_owned(),
            length,
            is_hidden: false,
            bit: None,
        };
        self.fields.insert(STRING.to_owned(), vec![field("LEN", "DINT", 0), field("DATA", "SINT", 82)]);
    }

    /// Returns the extent of one element of a type.
    pub(super) fn extent(&self, ty: &str, depth: u32) -> Option<Extent> {
        /// Deepest nesting of types.
        const DEEPEST: u32 = 32;
        if let Some((_, size)) = number(ty) {
            return Some(Extent { size, align: size });
        }
        let ty = key(ty);
        if let Some(known) = self.extents.borrow().get(&ty) {
            return *known;
        }
        if DEEPEST < depth {
            return None;
        }
        // A type within itself has none.
        self.extents.borrow_mut().insert(ty.clone(), None);
        let extent = self.placed(&ty, depth, &mut |_, _, _| {});
        self.extents.borrow_mut().insert(ty, extent);
        extent
    }

    /// Calls `each` with the fields of a type, their first bytes and sizes; returns the extent of the type.
    fn placed(&self, ty: &str, depth: u32, each: &mut dyn FnMut(&Field, u64, u64)) -> Option<Extent> {
        let (mut at, mut align) = (0_u64, 4_u64);
        for field in self.fields.get(ty)?.iter().filter(|field| field.bit.is_none()) {
            let (size, boundary) = if field.ty == "BOOL" {
                // Bits of an array are packed into words; a BOOL alone has a host.
                (field.length != 0).then(|| (field.length.div_ceil(32).saturating_mul(4), 4))?
            } else {
                let element = self.extent(&field.ty, depth + 1)?;
                let is_aggregate = field.length != 0 || number(&field.ty).is_none();
                let boundary = if is_aggregate { element.align.max(4) } else { element.align };
                (element.size.checked_mul(field.length.max(1))?, boundary)
            };
            at = at.checked_next_multiple_of(boundary)?;
            each(field, at, size);
            align = align.max(boundary);
            at = at.checked_add(size)?;
        }
        Some(Extent { size: at.checked_next_multiple_of(align)?, align })
    }

    /// Returns the bytes of a tag or part with this shape.
    pub(super) fn size(&self, shape: &Shape) -> Option<u64> {
        let element = self.extent(&shape.ty, 0)?.size;
        match shape.dimensions.as_slice() {
            [] => Some(element),
            [length] => element.checked_mul(*length),
            _ => None,
        }
    }

    /// Returns the cells of a shape that have a byte in a range, in the order of their places.
    pub(super) fn cells(&self, shape: &Shape, range: std::ops::Range<u64>, span: Span) -> Option<Vec<Cell>> {
        let mut search = Search { layouts: self, range, cells: Vec::new(), span };
        match shape.dimensions.as_slice() {
            [] => search.element(&shape.ty, Vec::new(), 0, 0)?,
            [length] => search.array(&shape.ty, *length, &[], 0, 0)?,
            _ => return None,
        }
        search.cells.sort_by_key(|cell| cell.at);
        Some(search.cells)
    }
}

/// Search for the cells of a range.
struct Search<'l> {
    layouts: &'l Layouts,
    range: std::ops::Range<u64>,
    cells: Vec<Cell>,
    span: Span,
}

impl Search<'_> {
    fn push(&mut self, path: Vec<NameElem>, at: u64, kind: Kind) -> Option<()> {
        self.cells.push(Cell { path, at, kind });
        (self.cells.len() <= MOST_CELLS).then_some(())
    }

    fn element(&mut self, ty: &str, path: Vec<NameElem>, at: u64, depth: u32) -> Option<()> {
        if let Some((name, size)) = number(ty) {
            let is_inside = at < self.range.end && self.range.start < at + size;
            return if is_inside { self.push(path, at, Kind::Number(name, size)) } else { Some(()) };
        }
        let mut places = Vec::new();
        self.layouts.placed(&key(ty), depth, &mut |field, offset, size| places.push((field.clone(), at + offset, size)))?;
        for (field, at, size) in places {
            if self.range.end <= at || at + size <= self.range.start {
                continue;
            }
            let mut path = path.clone();
            if field.is_hidden {
                self.bits(ty, &field.name, &path, at)?;
                continue;
            }
            path.push(NameElem::Field(Ident::new(field.name.clone(), self.span)));
            match field.length {
                0 => self.element(&field.ty, path, at, depth + 1)?,
                length => self.array(&field.ty, length, &path, at, depth + 1)?,
            }
        }
        Some(())
    }

    /// Adds the bits of a hidden host.
    fn bits(&mut self, ty: &str, host: &str, path: &[NameElem], at: u64) -> Option<()> {
        let layouts = self.layouts;
        for field in layouts.fields.get(&key(ty))? {
            let Some((_, number)) = field.bit.as_ref().filter(|(name, _)| *name == key(host)) else { continue };
            let at = at + number / 8;
            if self.range.contains(&at) {
                let mut path = path.to_vec();
                path.push(NameElem::Field(Ident::new(field.name.clone(), self.span)));
                self.push(path, at, Kind::Bit(number % 8))?;
            }
        }
        Some(())
    }

    fn array(&mut self, ty: &str, length: u64, path: &[NameElem], at: u64, depth: u32) -> Option<()> {
        let is_bits = ty.eq_ignore_ascii_case("BOOL");
        // A byte has eight bits.
        let (size, per) = if is_bits { (1, 8) } else { (self.layouts.extent(ty, depth)?.size, 1) };
        if size == 0 {
            return None;
        }
        let first = self.range.start.saturating_sub(at) / size * per;
        let end = self.range.end.saturating_sub(at).div_ceil(size).saturating_mul(per).min(length);
        for index in first..end {
            let mut path = path.to_vec();
            path.push(NameElem::Index(vec![integer(i128::from(index), self.span)], self.span));
            if is_bits {
                self.push(path, at + index / 8, Kind::Bit(index % 8))?;
            } else {
                self.element(ty, path, at + index * size, depth + 1)?;
            }
        }
        Some(())
    }
}

impl Shapes {
    /// Returns the first byte of a part within its owner, whose shape is given; `None` for other paths than constant ones.
    pub(super) fn offset(&self, owner: &Shape, path: &[NameElem]) -> Option<u64> {
        let (mut shape, mut at) = (owner.clone(), 0_u64);
        for element in path {
            match element {
                NameElem::Index(indices, _) => {
                    let ([index], [length]) = (indices.as_slice(), shape.dimensions.as_slice()) else { return None };
                    let index = u64::try_from(super::calls::number_in(index)?).ok().filter(|index| index < length)?;
                    at = at.checked_add(self.layouts.extent(&shape.ty, 0)?.size.checked_mul(index)?)?;
                    shape.dimensions.clear();
                }
                NameElem::Field(field) if shape.dimensions.is_empty() => {
                    let mut found = None;
                    self.layouts.placed(&key(&shape.ty), 0, &mut |member, offset, _| {
                        if member.name.eq_ignore_ascii_case(&field.text) {
                            found = Some(offset);
                        }
                    })?;
                    at = at.checked_add(found?)?;
                    shape = self.members(&shape.ty)?.get(&key(&field.text))?.clone();
                }
                NameElem::Field(_) | NameElem::Bits { .. } | NameElem::Deref(_) | NameElem::Call(..) => return None,
            }
        }
        Some(at)
    }
}

/// Returns a number type with an exact layout, and its bytes.
pub(super) fn number(ty: &str) -> Option<(&'static str, u64)> {
    NUMBERS.iter().find(|(name, _)| name.eq_ignore_ascii_case(ty)).copied()
}
