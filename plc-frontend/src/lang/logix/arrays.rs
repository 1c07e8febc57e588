//! Copies of elements: COP, CPS and FLL between elements of one type.

use super::calls::Scope;
use super::types::{Shape, integer, is_block};
use crate::ast::{Expr, ExprKind, Literal, NameElem, Stmt};
use crate::text::Span;

/// Most elements that one instruction copies as statements.
const MOST: u64 = 256;

impl Scope<'_> {
    /// Returns the statements of a copy or FLL; `None` where it is not modelled.
    pub(super) fn copied(&self, name: &str, operands: (&Expr, &Expr, &Expr), span: Span) -> Option<Vec<Stmt>> {
        let elements = self.elements(name, operands, span);
        if name == "FLL" { elements } else { elements.or_else(|| self.byte_copy(operands, span)) }
    }

    /// Returns why a copy is not modelled.
    pub(super) fn why_not_copied(&self, name: &str, (source, target, length): (&Expr, &Expr, &Expr)) -> String {
        let shape = |e: &Expr| if let ExprKind::Name(name) = &e.kind { self.shapes.of(&self.variables, name) } else { None };
        for (operand, words) in [(source, "source"), (target, "destination")] {
            let Some(shape) = shape(operand) else {
                let is_constant = matches!(operand.kind, ExprKind::Literal(..));
                if name == "FLL" && words == "source" && is_constant {
                    continue;
                }
                return format!("the type of its {words} is not in this export");
            };
            if name != "FLL" && self.shapes.layouts.size(&shape).is_none() {
                return format!("its {words} is of the type {}, whose places in memory are not known exactly", shape.ty);
            }
            if self.is_reference(operand) {
                return format!("its {words} is an InOut parameter, whose length may differ");
            }
        }
        let is_constant = matches!(length.kind, ExprKind::Literal(None, Literal::Int(_)));
        match name {
            "FLL" if !is_constant => "its length changes".to_owned(),
            "FLL" => format!("its destination is no array of numbers of the type of its source, or it fills more than {MOST}"),
            _ if !is_constant => "its length changes, and its operands are not arrays of numbers of one size".to_owned(),
            _ => "it reads or writes beyond an operand, copies to higher places of one tag, or copies too many bytes".to_owned(),
        }
    }

    /// Returns the statements of a copy, an element each; `None` where bytes are copied.
    ///
    /// Soundness: both have elements of one type at constant places. Several elements of one tag may overlap, and so may those of
    /// InOut parameters: these are gaps. Single elements of one type are the same or do not overlap.
    fn elements(&self, name: &str, (source, target, length): (&Expr, &Expr, &Expr), span: Span) -> Option<Vec<Stmt>> {
        let ExprKind::Literal(None, Literal::Int(length)) = length.kind else { return None };
        let length = u64::try_from(length).ok().filter(|length| *length <= MOST)?;
        let place = |e: &Expr| if length == 1 { self.single(e).or_else(|| self.place(e)) } else { self.place(e) };
        if name == "FLL" {
            let to = place(target)?;
            let value = self.as_type(&to.ty, source.clone());
            let is_number = super::operands::class_of(&to.ty).is_some_and(|class| Some(class) == self.class(&value));
            let targets = to.elements(length);
            return (is_number && self.ends(&to, length))
                .then(|| targets.map(|target| Stmt::assign(target, value.clone(), span)).collect());
        }
        let (from, to) = (place(source)?, place(target)?);
        let is_one_tag = from.root() == to.root() && length != 1;
        // A source that ends earlier goes on with the memory behind it.
        let is_enough = from.first.saturating_add(length) <= from.length;
        let is_data = self.shapes.required(&to.ty).is_none() && !is_block(&to.ty);
        // The target's elements come before the rest of a BOOL array's word.
        let is_whole = !to.ty.eq_ignore_ascii_case("BOOL");
        if !from.ty.eq_ignore_ascii_case(&to.ty) || is_one_tag || !is_enough || !is_data || !is_whole || !self.ends(&to, length) {
            return None;
        }
        let pairs = to.elements(length).zip(from.elements(length));
        Some(pairs.map(|(target, source)| Stmt::assign(target, source, span)).collect())
    }

    /// Returns an operand that is one element.
    fn single(&self, e: &Expr) -> Option<Place> {
        let shape = if let ExprKind::Name(name) = &e.kind { self.shapes.of(&self.variables, name)? } else { return None };
        let is_one = shape.dimensions.is_empty() && self.position(e).is_none();
        is_one.then(|| Place { array: e.clone(), first: 0, length: 1, ty: shape.ty, is_array: false })
    }

    /// Returns whether a write of so many elements stays within the array, or the array is a tag of its own.
    ///
    /// Soundness: behind an array that is a member the write goes on with other members, also those of an instruction's instance.
    fn ends(&self, place: &Place, length: u64) -> bool {
        let is_tag = matches!(&place.array.kind, ExprKind::Name(name) if name.path.is_empty());
        (is_tag && !self.is_instruction) || place.first.saturating_add(length) <= place.length
    }

    /// Returns where an operand begins within its array; an operand without an array is an array of one.
    pub(super) fn place(&self, e: &Expr) -> Option<Place> {
        let ExprKind::Name(name) = &e.kind else { return None };
        if self.is_reference(e) {
            return None;
        }
        let shape = self.shapes.of(&self.variables, name)?;
        if let [length] = shape.dimensions.as_slice() {
            return Some(Place { array: e.clone(), first: 0, length: *length, ty: shape.ty, is_array: true });
        }
        let mut array = name.clone();
        if let Some(NameElem::Index(indices, _)) = name.path.last() {
            let [Expr { kind: ExprKind::Literal(None, Literal::Int(first)), .. }] = indices.as_slice() else { return None };
            array.path.pop();
            let Shape { ty, dimensions } = self.shapes.of(&self.variables, &array)?;
            let array = Expr { kind: ExprKind::Name(array), span: e.span };
            return Some(Place { array, first: u64::try_from(*first).ok()?, length: *dimensions.first()?, ty, is_array: true });
        }
        let is_one = shape.dimensions.is_empty();
        is_one.then(|| Place { array: e.clone(), first: 0, length: 1, ty: shape.ty, is_array: false })
    }
}

/// Elements of an array from a place on.
pub(super) struct Place {
    pub(super) array: Expr,
    pub(super) first: u64,
    pub(super) length: u64,
    pub(super) ty: String,
    pub(super) is_array: bool,
}

impl Place {
    /// Returns the elements that an instruction reaches: it stops at the end of the array.
    fn elements(&self, length: u64) -> impl Iterator<Item = Expr> + '_ {
        let end = self.first.saturating_add(length).min(self.length);
        (self.first..end).map(|at| {
            let mut element = self.array.clone();
            if let ExprKind::Name(name) = &mut element.kind
                && self.is_array
            {
                name.path.push(NameElem::Index(vec![integer(i128::from(at), element.span)], element.span));
            }
            element
        })
    }

    pub(super) fn root(&self) -> Option<String> {
        if let ExprKind::Name(name) = &self.array.kind { Some(super::key(&name.root.text)) } else { None }
    }
}
