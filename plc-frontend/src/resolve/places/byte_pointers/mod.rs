//! Pointers of a POU to the bytes of its own strings and byte arrays: `pt := ADR(str); pt^ := 65; pt := pt + 1`.
//!
//! Such a pointer is a number of a target and an offset in bytes. It reaches one byte of its target; all other places are outside:
//! following it there is a violated check, as for the index of an array. A string has one more byte behind its declared length,
//! which is 0. Writing another value there is outside.
//!
//! A pointer is analysed if it is declared in VAR or VAR_TEMP, without a value. Each use that is none of these is a gap:
//! - `pt := ADR(x) + n`, `pt := other - n`, `pt := 0`;
//! - `pt^`, `pt[i]`, and `pt^[i]` for a pointer to an array;
//! - comparisons of such addresses.
//!
//! Bytes behind the end of a string are not known after the string was assigned by its name ([`tails`]).

pub(crate) mod access;
pub(crate) mod addresses;
pub(crate) mod find;
pub(crate) mod tails;
#[cfg(test)]
mod tests;

use crate::ast::{self, NameElem};
use crate::hir::{BinOp, Builtin, Conversion, Elem, Expr, ExprKind, Place, PouId, Project, Root, TypeId, Value, VarId};
use crate::resolve::calls::standard::builtin;
use crate::resolve::exprs::operators::node;
use crate::resolve::names::tables::{Local, Names, key};
use crate::resolve::scope::Scope;
use crate::resolve::types::elementary;
use crate::text::Span;
use std::collections::BTreeMap;

/// Fields of the structure that a pointer is.
const NUMBER: u32 = 0;
const OFFSET: u32 = 1;

/// Analysed pointers of all POUs.
#[derive(Debug, Default)]
pub(crate) struct BytePointers {
    /// The pointers with their groups.
    pointers: BTreeMap<(PouId, VarId), BytePointer>,
    groups: Vec<Group>,
}

/// A pointer.
#[derive(Clone, Debug)]
struct BytePointer {
    group: usize,
    /// Type of the byte behind it.
    view: TypeId,
    /// Bounds of the array that it is declared to point to.
    bounds: Option<(i64, i64)>,
}

/// Pointers that are assigned to each other or compared. They have one type and the same targets.
#[derive(Clone, Debug)]
struct Group {
    owner: PouId,
    /// Structure of a number and an offset.
    ty: TypeId,
    /// Enumeration of the targets; 0 refers to nothing.
    number: TypeId,
    /// Targets, by their numbers from 1.
    rows: Vec<Row>,
}

/// A string or an array of bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Row {
    place: Place,
    /// Index of the first byte.
    low: i64,
    /// Bytes without the end of a string.
    n: i64,
    cell: TypeId,
    is_text: bool,
    /// It may have other names: it is a variable of an instance, or a VAR_IN_OUT.
    is_shared: bool,
}

impl Row {
    /// Returns the number of bytes that can be read.
    fn size(&self) -> i128 {
        i128::from(self.n) + i128::from(self.is_text)
    }
}

impl BytePointers {
    /// Returns whether a variable is an analysed pointer.
    pub(crate) fn holds(&self, owner: PouId, var: VarId) -> bool {
        self.pointers.contains_key(&(owner, var))
    }

    /// Returns the pointer that a name begins with.
    fn named(&self, names: &Names, scope: Scope, name: &ast::Name) -> Option<(VarId, &BytePointer)> {
        let owner = scope.owner.filter(|_| !self.pointers.is_empty())?;
        match names.locals[owner.0 as usize].get(&key(&name.root.text)) {
            Some(Local::Var(var)) => self.pointers.get(&(owner, *var)).map(|pointer| (*var, pointer)),
            Some(Local::Inherent(..) | Local::External(_) | Local::Broken) | None => None,
        }
    }
}

/// An address: number of its target, and offset in bytes modulo 2^64.
#[derive(Clone, Debug)]
struct Address {
    number: Expr,
    offset: Expr,
}

impl Address {
    /// Returns the value of a pointer.
    fn of(group: &Group, var: VarId, span: Span) -> Address {
        let whole = Place::of(Root::Var(var), group.ty, span);
        let part = |field: u32, ty: TypeId| Expr::read(whole.part(Elem::Field(field), ty));
        Address { number: part(NUMBER, group.number), offset: part(OFFSET, elementary::LWORD) }
    }
}

/// Returns the part of a name behind a pointer: the index, if there is one. `None` if it is no byte.
fn followed<'n>(pointer: &BytePointer, name: &'n ast::Name) -> Option<Option<&'n ast::Expr>> {
    match (name.path.as_slice(), pointer.bounds) {
        ([NameElem::Deref(_)], None) => Some(None),
        ([NameElem::Deref(_), NameElem::Index(indices, _)], Some(_)) | ([NameElem::Index(indices, _)], None) => {
            let [index] = indices.as_slice() else { return None };
            Some(Some(index))
        }
        (_, _) => None,
    }
}

/// Returns a number of 64 bits.
fn word(value: i128, span: Span) -> Expr {
    Expr::int(value & i128::from(u64::MAX), elementary::LWORD, span)
}

/// Returns a sum modulo 2^64.
fn plus(e: Expr, value: i128, span: Span) -> Expr {
    if value == 0 { e } else { node(BinOp::Add, e, word(value, span), span) }
}

/// Returns the value of a literal.
fn literal(e: &Expr) -> Option<i128> {
    if let ExprKind::Literal(Value::Int(n)) = e.kind { Some(n) } else { None }
}

/// Returns `IF condition THEN yes ELSE no` as a value; both are evaluated.
fn select(condition: Expr, yes: Expr, no: Expr) -> Expr {
    let (ty, span) = (yes.ty, condition.span);
    builtin(Builtin::Sel, vec![condition, no, yes], ty, span)
}

fn not(e: Expr) -> Expr {
    let span = e.span;
    Expr::unary(crate::hir::UnOp::Not, e, span)
}

impl Project {
    /// Returns the same bits as a value of another type of a byte.
    fn same_byte(&self, e: Expr, ty: TypeId) -> Expr {
        // By way of a bit string, whose conversion loses nothing.
        let as_bits = if e.ty == elementary::BYTE { e } else { e.converted(Conversion::Convert, elementary::BYTE) };
        if ty == elementary::BYTE { as_bits } else { as_bits.converted(Conversion::Convert, ty) }
    }

    /// Returns whether the values of a type are single bytes.
    fn is_byte(&self, ty: TypeId) -> bool {
        let is_plain =
            matches!(self.types[ty].ty, crate::hir::Type::Int(_) | crate::hir::Type::Bits(_) | crate::hir::Type::Char(_));
        is_plain && self.int_type(ty).is_some_and(|int| int.bits == 8)
    }
}
