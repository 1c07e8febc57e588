//! Copies of bytes: COP and CPS between tags of different types (1756-RM003N, pages 370 and 371).
//!
//! Soundness: a copy has the bytes of its length times the size of the target's elements. It stops at the end of the target's tag.
//! What it reads behind the source is unknown: a gap. Sources are read before targets are written, where both may overlap.
//! Of a copy to higher places of one tag no manual says which bytes it reads, so that is a gap.

use super::bytes::{self, Source};
use super::calls::{Scope, number_in};
use super::layout::{Cell, Kind, number};
use super::operands::Class;
use super::types::{Shape, integer};
use crate::ast::build::binary;
use crate::ast::{Expr, ExprKind, Ident, Literal, Name, NameElem, Stmt, StmtKind};
use crate::hir::BinOp;
use crate::text::Span;

/// Most bytes of a copy.
const MOST_BYTES: u64 = 1024;

/// Words for bytes that a copy reads or writes and that no manual speaks of.
const LIMITS: &str = "COP beyond the end of its source or target";

/// Words for bits that no member has.
const PADDING: &str = "bytes and bits of structures that no member has: they are zero where COP reads them";

/// Words for parameters that may be one tag.
const DIFFERENT: &str = "InOut parameters between which COP copies bytes: they are different tags";

/// Operand at a constant place: a part of a tag, from a byte on.
struct Area {
    base: Expr,
    shape: Shape,
    at: u64,
    /// Bytes of the base.
    end: u64,
    /// The base is a whole tag, so that writes end with it.
    is_tag: bool,
}

/// Operand that is an element of an array of numbers at any place; a number without an array is an array of one.
struct Row {
    array: Expr,
    is_array: bool,
    index: Expr,
    kind: (&'static str, u64),
    length: Expr,
}

enum Place {
    Area(Area),
    Row(Row),
}

impl Scope<'_> {
    /// Returns the statements of a copy of bytes; `None` where a layout is not exact.
    pub(super) fn byte_copy(&self, (source, target, length): (&Expr, &Expr, &Expr), span: Span) -> Option<Vec<Stmt>> {
        let mut stmts = Vec::new();
        let [source, target] = [(source, "source"), (target, "target")].map(|(e, name)| self.fixed(e, name, &mut stmts));
        let (source, target) = (source?, target?);
        let is_apart = self.is_apart_of(&source, &target);
        let element = self.shapes.of(&self.variables, name_of(&target)?)?;
        let size = self.shapes.layouts.extent(&element.ty, 0)?.size;
        let Some(length) = number_in(length) else {
            if self.class(length) != Some(Class::Integer) {
                return None;
            }
            let (from, to) = (self.row(&source, span)?, self.row(&target, span)?);
            stmts.extend(self.loop_copy(&from, &to, length, is_apart, span)?);
            return Some(stmts);
        };
        let n_bytes = u64::try_from(length).ok()?.checked_mul(size).filter(|n| *n <= MOST_BYTES)?;
        let to = self.place_in_memory(&target, span)?;
        let from = self.place_in_memory(&source, span)?;
        let n_bytes = match &to {
            Place::Area(area) if area.is_tag => n_bytes.min(area.end.checked_sub(area.at)?),
            Place::Area(area) if area.end < area.at.checked_add(n_bytes)? => return None,
            Place::Area(_) | Place::Row(_) => n_bytes,
        };
        if !is_apart && !is_downward(&from, &to, n_bytes) {
            return None;
        }
        let targets = self.targets(&to, n_bytes, span, &mut stmts)?;
        let sources = self.sources(&from, n_bytes, span, &mut stmts)?;
        let mut is_padded = false;
        let mut writes = Vec::new();
        for (at, target) in targets.into_iter().enumerate() {
            let value = bytes::value(target.kind, target.at, &sources, &mut is_padded, span);
            if is_apart {
                stmts.push(Stmt::assign(target.value, value, span));
            } else {
                let kept = Ident::new(format!("_copy__{at}"), span);
                stmts.push(Stmt { kind: StmtKind::Let(kept.clone(), value), span });
                writes.push(Stmt::assign(target.value, Expr::variable(kept), span));
            }
        }
        stmts.extend(writes);
        if is_padded {
            self.assume(PADDING);
        }
        Some(stmts)
    }

    /// Keeps the variable indices of an operand in hidden variables: the copy does not change them.
    fn fixed(&self, e: &Expr, operand: &str, stmts: &mut Vec<Stmt>) -> Option<Expr> {
        let mut fixed = e.clone();
        let ExprKind::Name(name) = &mut fixed.kind else { return None };
        for (at, element) in name.path.iter_mut().enumerate() {
            let NameElem::Index(indices, span) = element else { continue };
            for index in indices.iter_mut().filter(|index| number_in(index).is_none()) {
                if self.class(index) != Some(Class::Integer) {
                    return None;
                }
                let kept = Ident::new(format!("_copy__{operand}{at}"), *span);
                let value = std::mem::replace(index, Expr::variable(kept.clone()));
                let zero =
                    Expr { kind: ExprKind::Literal(Some(Box::new(Ident::new("DINT", *span))), Literal::Int(0)), span: *span };
                let value = binary(BinOp::Add, value, zero, *span);
                stmts.push(Stmt { kind: StmtKind::Let(kept, value), span: *span });
            }
        }
        Some(fixed)
    }

    fn place_in_memory(&self, e: &Expr, span: Span) -> Option<Place> {
        let is_variable = |index: &Expr| number_in(index).is_none();
        let last = name_of(e)?.path.last();
        // An element at a variable place may be followed by others.
        if matches!(last, Some(NameElem::Index(indices, _)) if indices.iter().any(is_variable))
            && let Some(row) = self.row(e, span)
        {
            return Some(Place::Row(row));
        }
        self.area(e).map(Place::Area)
    }

    /// Returns an operand as a part of the largest thing that has a layout and contains it at a constant place.
    fn area(&self, e: &Expr) -> Option<Area> {
        let name = name_of(e)?;
        (0..=name.path.len()).find_map(|split| {
            let base = Name { root: name.root.clone(), path: name.path.get(..split)?.to_vec(), ..name.clone() };
            let shape = self.shapes.of(&self.variables, &base)?;
            let end = self.shapes.layouts.size(&shape)?;
            let at = self.shapes.offset(&shape, name.path.get(split..)?)?;
            let base = Expr { kind: ExprKind::Name(base), span: e.span };
            let is_tag = split == 0 && !self.is_instruction && !self.is_reference(e);
            Some(Area { base, shape, at, end, is_tag })
        })
    }

    fn row(&self, e: &Expr, span: Span) -> Option<Row> {
        let name = name_of(e)?;
        let whole = self.shapes.of(&self.variables, name)?;
        let kind = number(&whole.ty)?;
        let one = || Row { array: e.clone(), is_array: false, index: integer(0, span), kind, length: integer(1, span) };
        let row = |array: &Name, index: Expr, length: u64| {
            let array = Expr { kind: ExprKind::Name(array.clone()), span: e.span };
            let is_open = self.is_reference(e) && name_of(&array).is_some_and(|array| array.path.is_empty());
            let length = if is_open {
                // Only the call knows it.
                let last = super::operands::call_at("UPPER_BOUND", vec![array.clone(), integer(1, span)], span);
                binary(BinOp::Add, last, integer(1, span), span)
            } else {
                integer(i128::from(length), span)
            };
            Row { array, is_array: true, index, kind, length }
        };
        match (whole.dimensions.as_slice(), name.path.last()) {
            ([length], _) => Some(row(name, integer(0, span), *length)),
            ([], Some(NameElem::Index(indices, _))) => {
                let mut array = name.clone();
                array.path.pop();
                let shape = self.shapes.of(&self.variables, &array)?;
                let ([index], [length]) = (indices.as_slice(), shape.dimensions.as_slice()) else { return None };
                Some(row(&array, index.clone(), *length))
            }
            ([], _) => Some(one()),
            _ => None,
        }
    }

    /// Returns whether two operands are certain to have no byte in common.
    fn is_apart_of(&self, source: &Expr, target: &Expr) -> bool {
        let (Some(from), Some(to)) = (name_of(source), name_of(target)) else { return false };
        if super::key(&from.root.text) == super::key(&to.root.text) {
            return false;
        }
        if self.is_reference(source) && self.is_reference(target) {
            self.shapes.assumed.add_everywhere(DIFFERENT);
        }
        true
    }

    /// Returns the elementary parts that a copy writes, with their places from the first byte of the copy on.
    fn targets(&self, to: &Place, n_bytes: u64, span: Span, stmts: &mut Vec<Stmt>) -> Option<Vec<Source>> {
        let parts = self.parts(to, n_bytes, span, stmts)?;
        let is_whole = |part: &Source| !matches!(part.kind, Kind::Number(_, size) if n_bytes < part.at + size);
        parts.iter().all(is_whole).then_some(parts)
    }

    fn sources(&self, from: &Place, n_bytes: u64, span: Span, stmts: &mut Vec<Stmt>) -> Option<Vec<Source>> {
        match from {
            Place::Area(area) if area.end < area.at.checked_add(n_bytes)? => None,
            Place::Area(_) | Place::Row(_) => self.parts(from, n_bytes, span, stmts),
        }
    }

    fn parts(&self, place: &Place, n_bytes: u64, span: Span, stmts: &mut Vec<Stmt>) -> Option<Vec<Source>> {
        match place {
            Place::Area(area) => {
                let cells = self.shapes.layouts.cells(&area.shape, area.at..area.at.checked_add(n_bytes)?, span)?;
                let part = |cell: Cell| {
                    let mut value = area.base.clone();
                    let ExprKind::Name(name) = &mut value.kind else { return None };
                    name.path.extend(cell.path);
                    Some(Source { value, at: cell.at.checked_sub(area.at)?, kind: cell.kind })
                };
                cells.into_iter().map(part).collect()
            }
            Place::Row(row) => {
                let size = row.kind.1;
                let n_elements = n_bytes.div_ceil(size);
                stmts.extend(row.guards(&integer(i128::from(n_elements), span), span));
                let part = |at: u64| Source {
                    value: row.element(integer(i128::from(at), span), span),
                    at: at * size,
                    kind: Kind::Number(row.kind.0, size),
                };
                Some((0..n_elements).map(part).collect())
            }
        }
    }

    /// Returns the statements of a copy whose length is a tag: numbers of one size, one by one.
    fn loop_copy(&self, from: &Row, to: &Row, length: &Expr, is_apart: bool, span: Span) -> Option<Vec<Stmt>> {
        if from.kind.1 != to.kind.1 {
            return None;
        }
        let hidden = |name: &str| Expr::variable(Ident::new(name, span));
        let dint =
            |number| Expr { kind: ExprKind::Literal(Some(Box::new(Ident::new("DINT", span))), Literal::Int(number)), span };
        let (count, at) = (hidden("_copy__count"), hidden("_copy__at"));
        let keep = |e: &Expr, value: Expr| Some(Stmt { kind: StmtKind::Let(name_of(e)?.root.clone(), value), span });
        let mut stmts = vec![keep(&count, binary(BinOp::Add, length.clone(), dint(0), span))?];
        let is_negative = binary(BinOp::Lt, count.clone(), integer(0, span), span);
        stmts.push(Stmt::when(is_negative, vec![Stmt::unsupported(LIMITS, span)], span));
        stmts.extend(from.guards(&count, span));
        stmts.extend(to.guards(&count, span));
        if !is_apart {
            if !is_same_array(&from.array, &to.array) || from.kind.0 != to.kind.0 {
                return None;
            }
            let is_upward = binary(BinOp::Lt, from.index.clone(), to.index.clone(), span);
            stmts.push(Stmt::when(is_upward, vec![Stmt::unsupported(LIMITS, span)], span));
        }
        let source = [Source { value: from.element(at.clone(), span), at: 0, kind: Kind::Number(from.kind.0, from.kind.1) }];
        let value = bytes::value(Kind::Number(to.kind.0, to.kind.1), 0, &source, &mut false, span);
        let write = Stmt::assign(to.element(at.clone(), span), value, span);
        let next = keep(&at, binary(BinOp::Add, at.clone(), integer(1, span), span))?;
        let is_inside = binary(BinOp::Lt, at.clone(), count, span);
        stmts.push(keep(&at, dint(0))?);
        stmts.push(Stmt { kind: StmtKind::While(is_inside, vec![write, next]), span });
        Some(stmts)
    }
}

impl Row {
    /// Returns the element behind the first one.
    fn element(&self, at: Expr, span: Span) -> Expr {
        let mut element = self.array.clone();
        if let ExprKind::Name(name) = &mut element.kind
            && self.is_array
        {
            let index = match (number_in(&self.index), number_in(&at)) {
                (Some(index), Some(at)) => integer(index.saturating_add(at), span),
                (Some(0), None) => at,
                (None, Some(0)) => self.index.clone(),
                _ => binary(BinOp::Add, self.index.clone(), at, span),
            };
            name.path.push(NameElem::Index(vec![index], span));
        }
        element
    }

    /// Returns statements that look at the first element, whose index may be outside, and the gap where the array ends earlier.
    fn guards(&self, count: &Expr, span: Span) -> Vec<Stmt> {
        let first = Stmt { kind: StmtKind::Let(Ident::new("_copy__first", span), self.element(integer(0, span), span)), span };
        let rest = binary(BinOp::Sub, self.length.clone(), self.index.clone(), span);
        let is_beyond = binary(BinOp::Gt, count.clone(), rest, span);
        vec![first, Stmt::when(is_beyond, vec![Stmt::unsupported(LIMITS, span)], span)]
    }
}

/// Returns whether a copy within one tag is to lower or equal places.
fn is_downward(from: &Place, to: &Place, n_bytes: u64) -> bool {
    let (Place::Area(from), Place::Area(to)) = (from, to) else { return false };
    let is_one = is_same_array(&from.base, &to.base);
    is_one && (to.at <= from.at || from.at.saturating_add(n_bytes) <= to.at)
}

/// Returns whether two operands have the same path with constant indices.
fn is_same_array(left: &Expr, right: &Expr) -> bool {
    let (Some(left), Some(right)) = (name_of(left), name_of(right)) else { return false };
    let is_same = |pair: (&NameElem, &NameElem)| match pair {
        (NameElem::Field(a), NameElem::Field(b)) => super::key(&a.text) == super::key(&b.text),
        (NameElem::Index(a, _), NameElem::Index(b, _)) => {
            let (a, b): (Vec<_>, Vec<_>) = (a.iter().map(number_in).collect(), b.iter().map(number_in).collect());
            a == b && a.iter().all(Option::is_some)
        }
        _ => false,
    };
    super::key(&left.root.text) == super::key(&right.root.text)
        && left.path.len() == right.path.len()
        && left.path.iter().zip(&right.path).all(is_same)
}

fn name_of(e: &Expr) -> Option<&Name> {
    super::calls::name_in(e)
}
