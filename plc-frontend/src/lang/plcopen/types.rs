//! Types: references to them and declarations of them.

use super::Reader;
use crate::ast::{AnyBounds, Ident, Item, Name, TypeDecl, TypeSpec, TypeSpecKind};
use crate::lang::st::embedded;
use crate::lang::xml::Element;
use crate::text::Diagnostic;

/// Elements that stand for the elementary type of their name.
pub(super) const ELEMENTARY: &[&str] = &[
    "BOOL",
    "BYTE",
    "WORD",
    "DWORD",
    "LWORD",
    "SINT",
    "INT",
    "DINT",
    "LINT",
    "USINT",
    "UINT",
    "UDINT",
    "ULINT",
    "REAL",
    "LREAL",
    "TIME",
    "LTIME",
    "DATE",
    "LDATE",
    "TOD",
    "LTOD",
    "DT",
    "LDT",
    "CHAR",
    "WCHAR",
    "STRING",
    "WSTRING",
    "TIME_OF_DAY",
    "DATE_AND_TIME",
];

impl<'d> Reader<'d> {
    /// Reads `<dataType name> <baseType/> <initialValue/>`
    pub(super) fn data_type(&mut self, element: Element<'d>) {
        let Some(name) = self.ident(element, "name") else { return };
        if self.plain_text(element, |r, items| r.unit.items.extend(items)) {
            return;
        }
        let (mut ty, mut value, mut extends) = (None, None, None);
        for part in element.children() {
            match part.name() {
                "baseType" => ty = Some(self.type_in(part)),
                "initialValue" => value = Some(part),
                "documentation" => {}
                "addData" => {
                    let inherited = part.descendants().find(|e| e.name() == "Extends");
                    extends = inherited.and_then(|e| self.name_in(e));
                    if inherited.is_none() {
                        self.declaration_data(part);
                    }
                }
                _ => self.unknown(part),
            }
        }
        let init = value.and_then(|value| self.typed_value(value, ty.as_ref()));
        let Some(ty) = ty else { return self.missing(element, "base type") };
        self.unit.items.push(Item::Type(TypeDecl { name, extends, ty, init, span: element.span() }));
    }

    /// Reads the type inside of an element.
    pub(super) fn type_in(&mut self, element: Element<'d>) -> TypeSpec {
        let span = element.span();
        match element.children().find(|part| part.name() != "documentation" && part.name() != "addData") {
            Some(ty) => self.type_spec(ty),
            None => {
                self.missing(element, "type inside");
                TypeSpec::error(span)
            }
        }
    }

    fn type_spec(&mut self, element: Element<'d>) -> TypeSpec {
        let span = element.span();
        let kind = match element.name() {
            "derived" => return self.derived(element),
            "string" | "wstring" => {
                let length = element.filled("length");
                let length = length.map(|v| Box::new(self.expression_of(&v)));
                TypeSpecKind::String { wide: element.name() == "wstring", length }
            }
            "array" => self.array(element),
            "subrangeSigned" | "subrangeUnsigned" => self.subrange(element),
            "enum" => self.enumeration(element),
            "struct" => TypeSpecKind::Struct(element.children_named("variable").filter_map(|v| self.variable(v)).collect()),
            "union" => TypeSpecKind::Union(element.children_named("variable").filter_map(|v| self.variable(v)).collect()),
            "pointer" => TypeSpecKind::Pointer(Box::new(self.base_type(element))),
            "reference" => TypeSpecKind::Reference(Box::new(self.base_type(element))),
            name if ELEMENTARY.contains(&name) => TypeSpecKind::Name(Ident { text: name.to_owned(), span }),
            name => TypeSpecKind::Opaque(format!("a type `{name}`")),
        };
        TypeSpec { kind, span }
    }

    fn base_type(&mut self, element: Element<'d>) -> TypeSpec {
        match element.child("baseType") {
            Some(base) => self.type_in(base),
            None => {
                self.missing(element, "base type");
                TypeSpec::error(element.tag_span())
            }
        }
    }

    fn derived(&mut self, element: Element<'_>) -> TypeSpec {
        let span = element.tag_span();
        if let Some(name) = element.attribute("name") {
            let parsed = embedded::type_spec(self.unit.file, self.plain, name.range.clone());
            if let Some(ty) = self.findings.keep(parsed) {
                return ty;
            }
        }
        self.missing(element, "name");
        TypeSpec::error(span)
    }

    fn array(&mut self, element: Element<'d>) -> TypeSpecKind {
        let mut bounds = Vec::new();
        let mut n_open = 0;
        for dimension in element.children_named("dimension") {
            match (dimension.attribute("lower"), dimension.attribute("upper")) {
                (Some(low), Some(_)) if low.text.trim() == "*" => n_open += 1,
                (Some(low), Some(high)) => bounds.push((self.expression_of(&low), self.expression_of(&high))),
                _ => self.missing(dimension, "bounds"),
            }
        }
        let base = Box::new(self.base_type(element));
        if 0 < n_open && bounds.is_empty() {
            return TypeSpecKind::OpenArray(AnyBounds { n_dims: n_open, smallest: None }, base);
        }
        TypeSpecKind::Array(bounds, base)
    }

    fn subrange(&mut self, element: Element<'d>) -> TypeSpecKind {
        let base = self.base_type(element);
        let range = element.child("range").and_then(|r| Some((r.attribute("lower")?, r.attribute("upper")?)));
        match (base.kind, range) {
            (TypeSpecKind::Name(base), Some((low, high))) => {
                TypeSpecKind::Subrange(base, Box::new((self.expression_of(&low), self.expression_of(&high))))
            }
            (_, Some(_)) => TypeSpecKind::Error,
            (_, None) => {
                self.missing(element, "range");
                TypeSpecKind::Error
            }
        }
    }

    fn enumeration(&mut self, element: Element<'d>) -> TypeSpecKind {
        let mut variants = Vec::new();
        for value in element.child("values").into_iter().flat_map(|v| v.children_named("value")) {
            if let Some(name) = self.ident(value, "name") {
                let number = value.filled("value");
                variants.push((name, number.map(|v| self.expression_of(&v))));
            }
        }
        let base = element.child("baseType").map(|base| self.type_in(base));
        let base = match base.map(|b| b.kind) {
            Some(TypeSpecKind::Name(base)) => Some(base),
            Some(_) | None => None,
        };
        TypeSpecKind::Enum(variants, base)
    }

    /// Reads a name in an element's text: `Library.Block`.
    pub(super) fn name_in(&mut self, element: Element<'_>) -> Option<Name> {
        let range = element.text_range()?;
        let span = element.span();
        self.path(&crate::lang::xml::Value { text: element.text(), range, span })
    }

    /// Reads declarations that stand as text beside the elements (CODESYS: `InterfaceAsPlainText`). The text says more than the
    /// elements. Returns whether it could be read.
    pub(super) fn plain_text(&mut self, element: Element<'d>, take: impl FnOnce(&mut Self, Vec<Item>)) -> bool {
        let data = element.children_named("addData").flat_map(|add| add.children()).flat_map(|data| data.children());
        let Some(text) = data.into_iter().find(|part| part.name() == "InterfaceAsPlainText") else { return false };
        let parsed = embedded::items(self.unit.file, &self.texts, super::inside(text));
        if parsed.has_errors() || parsed.value.is_empty() {
            if let Some(first) = parsed.diagnostics.into_iter().next() {
                let message = format!("the declaration as text cannot be read, so its elements are used: {}", first.message);
                let finding = Diagnostic::error(first.code, first.span(), message, "here");
                self.findings.push(finding.warning());
            }
            return false;
        }
        let items = self.findings.keep(parsed);
        take(self, items);
        true
    }
}
