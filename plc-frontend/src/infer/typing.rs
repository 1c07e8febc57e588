//! Types of variables and of their parts, as declarations state them.

use super::facts::{Part, Slot};
use super::tables::{self, base_key};
use super::uses::Collector;
use super::values::is_value;
use crate::ast::{
    Expr, ExprKind, Ident, InitializerKind, Interface, Literal, Method, NameElem, Pou, Property, TypeSpec, TypeSpecKind, VarDecl,
};
use crate::hir::UnOp;
use crate::resolve::elementary_name;
use crate::text::{Key, key};

/// Most names that stand for one another, and most structures that extend one another.
const DEPTH: usize = 32;

/// Type in a form that any file can state.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Ty {
    /// Of an integer literal without a type.
    Int,
    /// Of a literal with a point and without a type.
    Real,
    /// Elementary or declared, as spelled by its declaration.
    Named(String),
    /// STRING or WSTRING with its length, if one is stated.
    Text(bool, Option<i128>),
    Array(Vec<(i128, i128)>, Box<Ty>),
    Pointer(Box<Ty>),
    Reference(Box<Ty>),
    /// A type without such a form.
    Local,
}

impl Ty {
    pub(super) fn named(name: &str) -> Ty {
        Ty::Named(name.to_owned())
    }
    pub(super) fn is_bool(&self) -> bool {
        matches!(self, Ty::Named(name) if name == "BOOL")
    }
}

/// Type of an expression.
#[derive(Clone, Debug)]
pub(super) enum Found<'a> {
    /// As a declaration states it.
    Spec(&'a TypeSpec),
    Ty(Ty),
    /// An instance of a block, or a program.
    Block(&'a Pou),
    /// A part of a missing declaration.
    Slot(Slot),
    Unknown,
}

/// Structure of a type.
pub(super) enum Shape<'a> {
    Missing(Key),
    Block(&'a Pou),
    Fields(Vec<&'a VarDecl>),
    Interface(&'a Interface),
    Elements(&'a TypeSpec),
    Behind(&'a TypeSpec),
    /// Elements of an array, or the variable behind a reference.
    Inside(Ty),
    Other,
}

/// Place of a name.
#[derive(Clone, Copy, Default)]
pub(super) struct Scope<'a> {
    pub(super) pou: Option<&'a Pou>,
    pub(super) method: Option<&'a Method>,
    pub(super) property: Option<&'a Property>,
}

impl<'a> Collector<'a, '_> {
    /// Returns the type of a variable declared like this.
    pub(super) fn of_spec(&self, spec: &'a TypeSpec) -> Found<'a> {
        match &spec.kind {
            TypeSpecKind::Name(ident) if self.missing.types.contains(&key(&ident.text)) => {
                Found::Slot((key(&ident.text), Part::Whole))
            }
            _ => Found::Spec(spec),
        }
    }

    /// Returns the type of an expression, if it is known.
    pub(super) fn ty(&self, found: &Found<'a>) -> Option<Ty> {
        match found {
            // The value of a reference is that of the variable to which it leads.
            Found::Spec(spec) => Some(match self.ty_of(spec, 0) {
                Ty::Reference(inner) => *inner,
                ty => ty,
            }),
            Found::Ty(ty) => Some(ty.clone()),
            Found::Block(pou) => Some(Ty::named(&pou.name.text)),
            Found::Slot(slot) if is_value(&slot.0) => self.decided.get(slot).cloned(),
            Found::Slot((name, Part::Whole)) => Some(self.decided_or_named(name)),
            Found::Slot(slot) => self.decided.get(slot).cloned(),
            Found::Unknown => None,
        }
    }

    fn decided_or_named(&self, name: &Key) -> Ty {
        let alias = self.decided.get(&(name.clone(), Part::Whole));
        alias.cloned().unwrap_or_else(|| Ty::named(self.spelling(name)))
    }

    fn ty_of(&self, spec: &TypeSpec, depth: usize) -> Ty {
        if DEPTH < depth {
            return Ty::Local;
        }
        match &spec.kind {
            TypeSpecKind::Name(ident) | TypeSpecKind::Subrange(ident, ..) => self.named(ident, depth),
            TypeSpecKind::String { wide, length } => match length.as_deref().map(|length| self.constant(length, 0)) {
                None => Ty::Text(*wide, None),
                Some(Some(length)) => Ty::Text(*wide, Some(length)),
                Some(None) => Ty::Local,
            },
            TypeSpecKind::Array(bounds, elem) => {
                let of = |e: &Expr| self.constant(e, 0);
                let bounds: Option<Vec<_>> = bounds.iter().map(|(low, high)| Some((of(low)?, of(high)?))).collect();
                match (bounds, self.ty_of(elem, depth + 1)) {
                    (Some(bounds), elem) if elem != Ty::Local => Ty::Array(bounds, Box::new(elem)),
                    (_, _) => Ty::Local,
                }
            }
            TypeSpecKind::Pointer(inner) | TypeSpecKind::RefTo(inner) => match self.ty_of(inner, depth + 1) {
                Ty::Local => Ty::Local,
                inner => Ty::Pointer(Box::new(inner)),
            },
            TypeSpecKind::Reference(inner) => match self.ty_of(inner, depth + 1) {
                Ty::Local => Ty::Local,
                inner => Ty::Reference(Box::new(inner)),
            },
            TypeSpecKind::Struct(_)
            | TypeSpecKind::Enum(..)
            | TypeSpecKind::OpenArray(..)
            | TypeSpecKind::Union(_)
            | TypeSpecKind::Opaque(_)
            | TypeSpecKind::Error => Ty::Local,
        }
    }

    /// Returns the value of a literal, or of a constant with one.
    fn constant(&self, e: &Expr, depth: usize) -> Option<i128> {
        let found = match &e.kind {
            ExprKind::Name(name) if depth < DEPTH => match name.path.as_slice() {
                [] => {
                    let wanted = key(&name.root.text);
                    let own = self.scope.pou.and_then(|pou| self.tables.variable(pou, &wanted));
                    own.or_else(|| self.tables.global(&wanted))
                }
                [NameElem::Field(field)] => self.tables.in_list(&key(&name.root.text), &key(&field.text)),
                _ => None,
            },
            _ => return literal(e),
        };
        match &found?.init.as_ref()?.kind {
            InitializerKind::Expr(value) => self.constant(value, depth + 1),
            InitializerKind::Struct(_) | InitializerKind::Array(_) | InitializerKind::Elements(_) => None,
        }
    }

    /// Returns the type of a name: that for which it stands, or itself.
    fn named(&self, ident: &Ident, depth: usize) -> Ty {
        if let Some(name) = elementary_name(&ident.text) {
            return Ty::Named(name.to_owned());
        }
        if ident.text.eq_ignore_ascii_case("STRING") || ident.text.eq_ignore_ascii_case("WSTRING") {
            return Ty::Text(ident.text.len() == 7, None);
        }
        let name = key(&ident.text);
        if self.missing.types.contains(&name) {
            return self.decided_or_named(&name);
        }
        match self.tables.type_decl(&name) {
            Some(decl) => match &decl.ty.kind {
                TypeSpecKind::Struct(_) | TypeSpecKind::Enum(..) | TypeSpecKind::Union(_) => Ty::named(&decl.name.text),
                TypeSpecKind::Opaque(_) | TypeSpecKind::Error => Ty::Local,
                _ => self.ty_of(&decl.ty, depth + 1),
            },
            None if self.tables.pou(&name).is_some() || self.tables.interface(&name).is_some() => Ty::named(&ident.text),
            None => Ty::Local,
        }
    }

    /// Returns the structure of a type.
    pub(super) fn shape(&self, found: &Found<'a>) -> Shape<'a> {
        match found {
            Found::Spec(spec) => self.shape_of(spec, 0),
            Found::Block(pou) => Shape::Block(pou),
            Found::Slot((name, Part::Whole)) => match self.decided.get(&(name.clone(), Part::Whole)) {
                Some(alias) => self.shape_of_ty(alias),
                None => Shape::Missing(name.clone()),
            },
            Found::Slot(slot) => self.decided.get(slot).map_or(Shape::Other, |ty| self.shape_of_ty(ty)),
            Found::Ty(ty) => self.shape_of_ty(ty),
            Found::Unknown => Shape::Other,
        }
    }

    fn shape_of_ty(&self, ty: &Ty) -> Shape<'a> {
        match ty {
            Ty::Named(name) => self.shape_of_name(&key(name), 0),
            Ty::Array(_, inner) | Ty::Pointer(inner) | Ty::Reference(inner) => Shape::Inside((**inner).clone()),
            Ty::Int | Ty::Real | Ty::Text(..) | Ty::Local => Shape::Other,
        }
    }

    fn shape_of(&self, spec: &'a TypeSpec, depth: usize) -> Shape<'a> {
        match &spec.kind {
            TypeSpecKind::Name(ident) => self.shape_of_name(&key(&ident.text), depth),
            TypeSpecKind::Struct(fields) | TypeSpecKind::Union(fields) => Shape::Fields(fields.iter().collect()),
            TypeSpecKind::Array(_, elem) | TypeSpecKind::OpenArray(_, elem) => Shape::Elements(elem),
            TypeSpecKind::Pointer(inner) | TypeSpecKind::RefTo(inner) | TypeSpecKind::Reference(inner) => Shape::Behind(inner),
            TypeSpecKind::Subrange(..)
            | TypeSpecKind::Enum(..)
            | TypeSpecKind::String { .. }
            | TypeSpecKind::Opaque(_)
            | TypeSpecKind::Error => Shape::Other,
        }
    }

    fn shape_of_name(&self, name: &str, depth: usize) -> Shape<'a> {
        if DEPTH < depth {
            return Shape::Other;
        }
        if self.missing.types.contains(name) {
            return Shape::Missing(name.to_owned());
        }
        if let Some(decl) = self.tables.type_decl(name) {
            let own = self.shape_of(&decl.ty, depth + 1);
            let Shape::Fields(mut fields) = own else { return own };
            if let Some(base) = decl.extends.as_ref().and_then(base_key) {
                match self.shape_of_name(&base, depth + 1) {
                    Shape::Fields(inherited) => fields.extend(inherited),
                    _ => return Shape::Other,
                }
            }
            return Shape::Fields(fields);
        }
        match (self.tables.pou(name), self.tables.interface(name)) {
            (Some(pou), _) => Shape::Block(pou),
            (None, Some(interface)) => Shape::Interface(interface),
            (None, None) => Shape::Other,
        }
    }

    /// Returns the type of a name that stands alone.
    pub(super) fn root(&mut self, ident: &Ident) -> Found<'a> {
        let name = key(&ident.text);
        let Scope { pou, method, property } = self.scope;
        if name == "this" {
            return pou.map_or(Found::Unknown, Found::Block);
        }
        if name == "super" {
            let base = pou.and_then(|pou| pou.extends.as_ref()).and_then(base_key);
            return base.map_or(Found::Unknown, |base| match self.tables.pou(&base) {
                Some(base) => Found::Block(base),
                None if self.missing.types.contains(&base) => Found::Slot((base, Part::Whole)),
                None => Found::Unknown,
            });
        }
        if let Some(method) = method {
            if let Some(var) = self.tables.in_blocks(&method.vars, &name) {
                return self.of_spec(&var.ty);
            }
            if let Some(result) = method.result.as_ref().filter(|_| key(&method.name.text) == name) {
                return self.of_spec(result);
            }
        }
        if let Some(property) = property.filter(|property| key(&property.name.text) == name) {
            return self.of_spec(&property.ty);
        }
        if let Some(pou) = pou {
            if let Some(result) = pou.result.as_ref().filter(|_| key(&pou.name.text) == name) {
                return self.of_spec(result);
            }
            if let Some(var) = self.tables.variable(pou, &name) {
                return self.of_spec(&var.ty);
            }
            if let Some(property) = self.tables.property(pou, &name) {
                return self.of_spec(&property.ty);
            }
            if !self.tables.is_whole(pou) {
                return self.inherited(ident);
            }
        }
        if let Some(var) = self.tables.global(&name) {
            return self.of_spec(&var.ty);
        }
        if let Some(program) = self.tables.pou(&name).filter(|pou| !tables::is_function(pou)) {
            return Found::Block(program);
        }
        match self.tables.enumeration_of(&name) {
            Some(of) => Found::Ty(Ty::named(self.tables.type_decl(of).map_or(of, |decl| &decl.name.text))),
            None => Found::Unknown,
        }
    }
}

/// Returns the value of an integer literal with its sign.
fn literal(e: &Expr) -> Option<i128> {
    match &e.kind {
        ExprKind::Literal(None, Literal::Int(value)) => Some(*value),
        ExprKind::Unary(UnOp::Neg, inner) => Some(-literal(inner)?),
        _ => None,
    }
}
