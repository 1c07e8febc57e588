//! Initial values.

use super::parser::Parser;
use crate::ast::{Expr, Ident, Initializer, InitializerKind, TypeSpec, TypeSpecKind};
use crate::lang::common::token::Tok;
use crate::text::Diagnostic;

impl Parser<'_> {
    /// Reads `:= value`, if it stands here.
    pub(super) fn initial_value(&mut self, ty: &TypeSpec) -> Option<Initializer> {
        if !self.eat_assign() {
            return None;
        }
        let is_array = matches!(ty.kind, TypeSpecKind::Array(..));
        let is_repeated = self.at(Tok::Number) && self.peek(1).kind == Tok::LParen;
        if !is_array || self.at(Tok::LBracket) || (!is_repeated && !self.is_list()) {
            return self.initializer();
        }
        // Older systems write the elements of an array without brackets.
        let start = self.here();
        let elements = self.elements();
        Some(Initializer { kind: InitializerKind::Array(elements), span: self.since(start) })
    }

    /// Returns whether `REF=` stands here.
    pub(super) fn at_reference_assignment(&mut self) -> bool {
        self.at_word("REF") && self.peek(1).kind == Tok::Eq && self.peek(1).start == self.token().end
    }

    /// Reads `REF= variable`, the first target of a reference.
    pub(super) fn initial_reference(&mut self) -> Option<Initializer> {
        self.bump();
        self.bump();
        Some(Initializer::value(self.expression()))
    }

    /// Eats `:=`; also `=` where `:=` is meant, which is a mistake.
    pub(super) fn eat_assign(&mut self) -> bool {
        if self.at(Tok::Eq) && !self.is_lost() {
            let diagnostic = Diagnostic::error("P1016", self.here(), "`=` compares; a value is given with `:=`", "a comparison");
            self.report(diagnostic.help("write `:=`"));
            self.bump();
            return true;
        }
        self.eat(Tok::Assign)
    }

    /// Returns whether one constant is followed by a comma.
    fn is_list(&mut self) -> bool {
        let sign = usize::from(self.at_any(&[Tok::Minus, Tok::Plus]));
        self.peek(sign + 1).kind == Tok::Comma
    }

    fn initializer(&mut self) -> Option<Initializer> {
        let start = self.here();
        let kind = self.deeper(Parser::initializer_kind)?;
        Some(Initializer { kind, span: self.since(start) })
    }

    fn initializer_kind(&mut self) -> InitializerKind {
        let open = self.here();
        if self.eat(Tok::LBracket) {
            let elements = if self.at(Tok::RBracket) { Vec::new() } else { self.elements() };
            self.close(Tok::RBracket, open);
            return InitializerKind::Array(elements);
        }
        if self.at(Tok::LParen) && self.peek(1).kind == Tok::RParen {
            // The initial values that the type states.
            self.bump();
            self.bump();
            return InitializerKind::Struct(Vec::new());
        }
        if self.at(Tok::LParen) && self.peek(1).kind == Tok::Word && self.peek(2).kind == Tok::Assign {
            self.bump();
            let fields = self.fields();
            self.close(Tok::RParen, open);
            return InitializerKind::Struct(fields);
        }
        InitializerKind::Expr(self.expression())
    }

    fn fields(&mut self) -> Vec<(Ident, Initializer)> {
        self.with_commas(|p| {
            let name = p.name("the name of a field")?;
            let is_assigned = p.expect(Tok::Assign, "fields are given as `(name := value, …)`");
            Some((name, is_assigned.then(|| p.initializer())??))
        })
    }

    fn elements(&mut self) -> Vec<(Option<Expr>, Initializer)> {
        self.with_commas(Parser::element)
    }

    /// Reads `value` or `count(value)`.
    fn element(&mut self) -> Option<(Option<Expr>, Initializer)> {
        if !self.at(Tok::Number) || self.peek(1).kind != Tok::LParen {
            return self.initializer().map(|value| (None, value));
        }
        let count = self.literal().node;
        let open = self.here();
        self.bump();
        if self.at(Tok::RParen) {
            self.expected("a value", "a repeated value is written `3(0)`");
            return None;
        }
        let value = self.initializer()?;
        self.close(Tok::RParen, open);
        Some((Some(count), value))
    }
}
