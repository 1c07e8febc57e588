//! Types as written, and TYPE blocks.

use super::parser::Parser;
use super::stmt::BEYOND;
use crate::ast::{AnyBounds, Arg, Expr, ExprKind, Ident, Item, TypeDecl, TypeSpec, TypeSpecKind};
use crate::lang::common::token::{Set, Tok};
use crate::text::{Diagnostic, Span};

/// Types that an enumeration may be stored in: `INT (Red, Green)`.
const BASES: &[&str] = &["SINT", "INT", "DINT", "LINT", "USINT", "UINT", "UDINT", "ULINT", "BYTE", "WORD", "DWORD", "LWORD"];

impl Parser<'_> {
    /// Reads TYPE … END_TYPE; the current token is TYPE.
    pub(super) fn type_block(&mut self, items: &mut Vec<Item>) {
        let opener = self.here();
        self.bump();
        loop {
            self.recover(Set::of(&[Tok::Semicolon]).or(BEYOND));
            self.skip_attribute();
            if self.eat(Tok::EndType) {
                self.eat(Tok::Semicolon);
                return;
            }
            if self.eat(Tok::Semicolon) {
                continue;
            }
            if self.at(Tok::End) || self.at_set(BEYOND) {
                return self.missing_end(opener, "TYPE", "END_TYPE", "write `END_TYPE` behind the last declaration");
            }
            self.type_declaration(items);
        }
    }

    /// Reads `name : type := value;`
    fn type_declaration(&mut self, items: &mut Vec<Item>) {
        let start = self.here();
        while self.peek(1).kind == Tok::Word && (self.access_word().is_some() || self.at_any_word(&["ABSTRACT", "FINAL"])) {
            self.bump();
        }
        let Some(name) = self.name("the name of a type") else { return };
        let (extends, _) = self.inheritance();
        self.one_base(&extends);
        let is_scl_structure = self.is_scl() && self.header_lines_up_to(Tok::Struct);
        if !is_scl_structure && !self.expect(Tok::Colon, "a type is declared as `name : type;`") {
            return;
        }
        let ty = self.type_spec();
        if !std::mem::take(&mut self.instance_args).is_empty() {
            let message = "a type has no arguments; its instances have";
            self.report(Diagnostic::error("P1010", ty.span, message, "arguments").help("give them where a variable is declared"));
        }
        let init = self.initial_value(&ty);
        let span = self.since(start);
        self.end_of_declaration(&ty, span);
        items.push(Item::Type(TypeDecl { name, extends: extends.into_iter().next(), ty, init, span }));
    }

    /// Eats the semicolon behind a declaration; many systems write none behind END_STRUCT.
    pub(super) fn end_of_declaration(&mut self, ty: &TypeSpec, written: Span) {
        let last_word = self.text_of(written).rsplit(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or("");
        let ends_itself = ["END_STRUCT", "END_UNION"].iter().any(|word| last_word.eq_ignore_ascii_case(word));
        if ends_itself || matches!(ty.kind, TypeSpecKind::Struct(_) | TypeSpecKind::Union(_)) {
            self.eat(Tok::Semicolon);
        } else {
            self.semicolon("this declaration");
        }
    }

    /// Reads a type.
    pub(super) fn type_spec(&mut self) -> TypeSpec {
        let start = self.here();
        let kind = self.deeper(Parser::type_kind).unwrap_or(TypeSpecKind::Error);
        TypeSpec { kind, span: self.since(start) }
    }

    fn type_kind(&mut self) -> TypeSpecKind {
        if self.at(Tok::Array) {
            return self.array();
        }
        if self.at(Tok::Struct) {
            return self.structure();
        }
        if self.at(Tok::LParen) {
            return self.enumeration();
        }
        if self.at_word("UNION") && self.peek(1).kind != Tok::Semicolon {
            return self.union();
        }
        if self.at_any_word(&["POINTER", "REFERENCE"]) && self.peek(1).kind == Tok::To {
            let is_pointer = self.at_word("POINTER");
            self.bump();
            self.bump();
            let target = Box::new(self.type_spec());
            return if is_pointer { TypeSpecKind::Pointer(target) } else { TypeSpecKind::Reference(target) };
        }
        if self.eat_word("REF_TO") {
            return TypeSpecKind::RefTo(Box::new(self.type_spec()));
        }
        let Some(mut name) = self.type_name() else { return TypeSpecKind::Error };
        if self.is_scl() {
            name = super::scl::standard_name(name);
        }
        let wide = name.text.eq_ignore_ascii_case("WSTRING");
        if wide || name.text.eq_ignore_ascii_case("STRING") {
            return TypeSpecKind::String { wide, length: self.length() };
        }
        if self.generic_arguments() {
            if self.at(Tok::LParen) {
                self.arguments();
            }
            return TypeSpecKind::Opaque(format!("`{}` with generic constants", name.text));
        }
        if self.at(Tok::LParen) { self.narrowed(name) } else { TypeSpecKind::Name(name) }
    }

    /// Reads `INT`, `Library.Type`.
    fn type_name(&mut self) -> Option<Ident> {
        let start = self.here();
        let mut name = self.name("a type")?;
        while self.at(Tok::Dot) {
            self.bump();
            let part = self.name("a type")?;
            name = Ident { text: format!("{}.{}", name.text, part.text), span: self.since(start) };
        }
        Some(name)
    }

    /// Reads the length of a string.
    fn length(&mut self) -> Option<Box<Expr>> {
        let open = self.here();
        let close = if self.at(Tok::LBracket) { Tok::RBracket } else { Tok::RParen };
        if !self.eat(Tok::LBracket) && !self.eat(Tok::LParen) {
            return None;
        }
        let length = self.expression();
        self.close(close, open);
        Some(Box::new(length))
    }

    /// Reads `ARRAY [0..9, 1..3] OF type`
    fn array(&mut self) -> TypeSpecKind {
        const FORM: &str = "an array is written `ARRAY [0..9] OF INT`";
        self.bump();
        let open = self.here();
        if !self.expect(Tok::LBracket, FORM) {
            return TypeSpecKind::Error;
        }
        let mut bounds = Vec::new();
        let mut n_open = 0;
        self.with_commas(|p| {
            if p.eat(Tok::Star) {
                n_open += 1;
                return Some(());
            }
            let low = p.expression();
            p.expect(Tok::DotDot, "write the first and the last index: `ARRAY [0..9] OF INT`");
            let high = if p.is_lost() { p.no_tree().node } else { p.expression() };
            bounds.push((low, high));
            Some(())
        });
        self.close(Tok::RBracket, open);
        if !self.at(Tok::Of) && self.at(Tok::Word) && !self.is_lost() {
            let place = self.after_prev();
            self.report(Diagnostic::error("P1013", place, "OF is missing after the bounds", "here").help(FORM));
        } else {
            self.expect(Tok::Of, FORM);
        }
        if self.is_lost() {
            return TypeSpecKind::Error;
        }
        let element = self.type_spec();
        if 0 < n_open && !bounds.is_empty() {
            let place = element.span;
            let diagnostic = Diagnostic::error("P1010", place, "all dimensions of an array are open, or none", "some are open");
            self.report(diagnostic.help("write `ARRAY [*, *] OF INT`, or give all bounds"));
        }
        if 0 < n_open {
            return TypeSpecKind::OpenArray(AnyBounds { n_dims: n_open + bounds.len(), smallest: None }, Box::new(element));
        }
        TypeSpecKind::Array(bounds, Box::new(element))
    }

    /// Reads `(Red, Green := 5) INT`; the current token is the parenthesis.
    fn enumeration(&mut self) -> TypeSpecKind {
        let open = self.here();
        self.bump();
        let variants = self.variants(Vec::new(), open);
        let base = if self.at(Tok::Word) && !self.at_any_word(&["R_EDGE", "F_EDGE"]) { self.type_name() } else { None };
        TypeSpecKind::Enum(variants, base)
    }

    /// Reads the rest of an enumeration's list, with its closing parenthesis.
    fn variants(&mut self, mut variants: Vec<(Ident, Option<Expr>)>, open: Span) -> Vec<(Ident, Option<Expr>)> {
        variants.extend(self.with_commas(|p| {
            let name = p.name("the name of a value")?;
            Some((name, p.assigned_constant()))
        }));
        self.close(Tok::RParen, open);
        variants
    }

    fn assigned_constant(&mut self) -> Option<Expr> {
        self.eat_assign().then(|| self.expression())
    }

    /// Reads the parentheses behind a type's name: bounds, values, or arguments of an instance.
    fn narrowed(&mut self, name: Ident) -> TypeSpecKind {
        if !BASES.iter().any(|base| name.text.eq_ignore_ascii_case(base)) && self.has_arguments() {
            self.instance_args = self.arguments().node;
            return TypeSpecKind::Name(name);
        }
        let open = self.here();
        self.bump();
        let first = self.expression();
        if self.eat(Tok::DotDot) {
            let last = self.expression();
            self.close(Tok::RParen, open);
            return TypeSpecKind::Subrange(name, Box::new((first, last)));
        }
        let is_base = BASES.iter().any(|base| name.text.eq_ignore_ascii_case(base));
        if !is_base && !self.is_lost() && self.at_any(&[Tok::Comma, Tok::RParen]) {
            return self.positional_arguments(name, first, open);
        }
        let ExprKind::Name(variant) = first.kind else {
            self.expected("`..`", "a range is written `INT (0..100)`");
            return TypeSpecKind::Error;
        };
        let value = self.assigned_constant();
        let variants = vec![(variant.root, value)];
        if self.eat(Tok::Comma) {
            return TypeSpecKind::Enum(self.variants(variants, open), Some(name));
        }
        self.close(Tok::RParen, open);
        TypeSpecKind::Enum(variants, Some(name))
    }

    /// Reads the rest of `Block(1, x)`.
    fn positional_arguments(&mut self, name: Ident, first: Expr, open: Span) -> TypeSpecKind {
        self.instance_args = vec![Arg::Positional(first)];
        while !self.is_lost() && self.eat(Tok::Comma) {
            let value = self.expression();
            self.instance_args.push(Arg::Positional(value));
        }
        self.close(Tok::RParen, open);
        TypeSpecKind::Name(name)
    }

    /// Returns whether arguments stand in the parentheses, not bounds: `()`, `(name := …`.
    fn has_arguments(&mut self) -> bool {
        self.peek(1).kind == Tok::RParen || (self.peek(1).kind == Tok::Word && self.peek(2).kind == Tok::Assign)
    }
}
