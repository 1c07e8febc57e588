//! Expressions, by IEC precedence. A parenthesised expression's bytes include its parentheses.

use super::parser::{LEVEL, Parser, Tree};
use super::unsupported::unsupported_function;
use crate::ast::{Arg, Expr, ExprKind, Ident, Literal, Name};
use crate::hir::{BinOp, UnOp};
use crate::lang::common::lexer::Flavour;
use crate::lang::common::literal::{self, Value};
use crate::lang::common::string;
use crate::lang::common::token::Tok;
use crate::text::{Diagnostic, Span};

/// Operators between operands by strength, weakest first; `-->` is weaker than all, `**` stronger.
const BINARY: &[(Tok, u32, BinOp)] = &[
    (Tok::Or, 1, BinOp::Or),
    (Tok::OrElse, 1, BinOp::OrElse),
    (Tok::Xor, 2, BinOp::Xor),
    (Tok::And, 3, BinOp::And),
    (Tok::Amp, 3, BinOp::And),
    (Tok::AndThen, 3, BinOp::AndThen),
    (Tok::Eq, 4, BinOp::Eq),
    (Tok::Ne, 4, BinOp::Ne),
    (Tok::Lt, 5, BinOp::Lt),
    (Tok::Le, 5, BinOp::Le),
    (Tok::Gt, 5, BinOp::Gt),
    (Tok::Ge, 5, BinOp::Ge),
    (Tok::Plus, 6, BinOp::Add),
    (Tok::Minus, 6, BinOp::Sub),
    (Tok::Star, 7, BinOp::Mul),
    (Tok::Slash, 7, BinOp::Div),
    (Tok::Mod, 7, BinOp::Mod),
];

/// Operators of other languages, with the one that is meant.
const FOREIGN: &[(Tok, Tok)] = &[
    (Tok::EqEq, Tok::Eq),
    (Tok::BangEq, Tok::Ne),
    (Tok::AmpAmp, Tok::And),
    (Tok::PipePipe, Tok::Or),
    (Tok::Percent, Tok::Mod),
    (Tok::Arrow, Tok::Ge),
];

impl Parser<'_> {
    /// Reads an expression; fails if there is none.
    pub(super) fn expression(&mut self) -> Expr {
        self.tree().node
    }

    /// Reads a condition: in it, `:=` is a mistake with one remedy.
    pub(super) fn condition(&mut self) -> Expr {
        let tree = self.tree();
        self.assignment_meant_as_comparison(tree).node
    }

    pub(super) fn tree(&mut self) -> Tree<Expr> {
        let start = self.here();
        let premise = self.operators(1);
        if !self.at(Tok::Implies) || self.is_lost() {
            return premise;
        }
        if !self.implication {
            let message = "`-->` (implies) is allowed in assertions and requirements only";
            let diagnostic = Diagnostic::error("P1025", self.here(), message, "not an operator of Structured Text");
            self.report(diagnostic.help("in a program, write `NOT a OR b` for `a --> b`"));
        }
        self.bump();
        let conclusion = self.deeper(Parser::tree).unwrap_or_else(|| self.no_tree());
        let not_premise = Expr { span: premise.node.span, kind: ExprKind::Unary(UnOp::Not, Box::new(premise.node)) };
        let height = LEVEL + (premise.height + LEVEL).max(conclusion.height);
        self.node(start, height, ExprKind::Binary(BinOp::Or, Box::new(not_premise), Box::new(conclusion.node)))
    }

    fn assignment_meant_as_comparison(&mut self, left: Tree<Expr>) -> Tree<Expr> {
        if !self.at(Tok::Assign) || self.is_lost() {
            return left;
        }
        let start = left.node.span;
        let diagnostic = Diagnostic::error("P1017", self.here(), "`:=` assigns; it cannot stand in a condition", "an assignment");
        if self.is_scl() || self.implication {
            self.report(diagnostic.help("write `=` to compare"));
        } else {
            // CODESYS and TwinCAT take the value of the target.
            self.report(diagnostic.warning().help("write `=` to compare; the assignment is not modelled"));
        }
        self.bump();
        let right = self.tree();
        if !self.is_scl() && !self.implication {
            return self.node(start, LEVEL, ExprKind::Literal(None, Literal::Opaque("assignment inside of an expression")));
        }
        let height = LEVEL + left.height.max(right.height);
        self.node(start, height, ExprKind::Binary(BinOp::Eq, Box::new(left.node), Box::new(right.node)))
    }

    /// Reads operands and the operators that bind at least as strongly as `weakest`.
    fn operators(&mut self, weakest: u32) -> Tree<Expr> {
        let start = self.here();
        let mut left = self.unary(None);
        while let Some((strength, op)) = self.operator().filter(|_| !self.is_lost()) {
            if strength < weakest {
                break;
            }
            self.foreign_operator();
            self.bump();
            let right = self.operators(strength + 1);
            // An operand more is no level more: lists of signals are long, and passes are careful about them.
            let height = (left.height.max(LEVEL) + 1).max(LEVEL + right.height);
            left = self.node(start, height, ExprKind::Binary(op, Box::new(left.node), Box::new(right.node)));
        }
        left
    }

    /// Returns the operator that stands here, if one does.
    fn operator(&self) -> Option<(u32, BinOp)> {
        let kind = FOREIGN.iter().find(|(foreign, _)| self.at(*foreign)).map_or(self.kind(), |(_, meant)| *meant);
        BINARY.iter().find(|(tok, _, _)| *tok == kind).map(|(_, strength, op)| (*strength, *op))
    }

    fn foreign_operator(&mut self) {
        let Some((_, meant)) = FOREIGN.iter().find(|(foreign, _)| self.at(*foreign)) else { return };
        let message = format!("{} is not an operator of Structured Text", self.found());
        let diagnostic = Diagnostic::error("P1018", self.here(), message, "an operator of another language");
        self.report(diagnostic.help(format!("write `{}`", meant.spelling())));
    }

    /// Reads an operand with its signs; `minus` is the sign before it.
    fn unary(&mut self, minus: Option<Span>) -> Tree<Expr> {
        let start = self.here();
        let Some(op) = self.kind_of_sign() else { return self.power(minus) };
        self.bump();
        let minus = match op {
            None => minus,
            Some(UnOp::Neg) => Some(start),
            Some(UnOp::Not) => None,
        };
        let operand = self.deeper(|p| p.unary(minus)).unwrap_or_else(|| self.no_tree());
        match op {
            None => Tree { node: Expr { span: self.since(start), ..operand.node }, ..operand },
            Some(op) => self.node(start, LEVEL + operand.height, ExprKind::Unary(op, Box::new(operand.node))),
        }
    }

    /// Reads a sign or NOT: `Some(None)` is `+`, which changes nothing.
    fn kind_of_sign(&mut self) -> Option<Option<UnOp>> {
        if self.at(Tok::Bang) {
            let (message, here) = ("`!` is not an operator of Structured Text", "an operator of another language");
            self.report(Diagnostic::error("P1018", self.here(), message, here).help("write `NOT`"));
        }
        if self.at_any(&[Tok::Not, Tok::Bang]) {
            Some(Some(UnOp::Not))
        } else if self.at(Tok::Minus) {
            Some(Some(UnOp::Neg))
        } else if self.at(Tok::Plus) {
            Some(None)
        } else {
            None
        }
    }

    /// Reads `a ** b ** c`, from left to right; the exponent may have a sign. Right behind a sign, the call keeps the name `**`:
    /// the resolver decides which operand the sign belongs to.
    fn power(&mut self, minus: Option<Span>) -> Tree<Expr> {
        let start = self.here();
        let mut base = self.operand();
        if let (Some(minus), Tok::Power) = (minus, self.kind()) {
            let message = "`-a ** b` is `(-a) ** b` in the standard, `-(a ** b)` in CODESYS and in Siemens' systems";
            let diagnostic = Diagnostic::error("P1026", minus, message, "read as the dialect says").warning();
            self.report(diagnostic.help("write parentheses: `-(a ** b)` or `(-a) ** b`"));
        }
        while self.at(Tok::Power) && !self.is_lost() {
            let op = self.bump();
            let exponent = self.exponent();
            let span = self.span_of(op);
            let text = if minus.is_some() { crate::ast::SIGNED_POWER } else { "EXPT" };
            let root = Ident { text: text.to_owned(), span };
            let height = LEVEL + base.height.max(exponent.height);
            let args = vec![Arg::Positional(base.node), Arg::Positional(exponent.node)];
            base = self.node(start, height, ExprKind::Call(Box::new(Name { root, path: Vec::new(), span }), args));
        }
        base
    }

    fn exponent(&mut self) -> Tree<Expr> {
        let start = self.here();
        let Some(op) = self.kind_of_sign() else { return self.operand() };
        self.bump();
        let operand = self.deeper(Parser::exponent).unwrap_or_else(|| self.no_tree());
        match op {
            None => operand,
            Some(op) => self.node(start, LEVEL + operand.height, ExprKind::Unary(op, Box::new(operand.node))),
        }
    }

    /// Reads a literal, a variable, a call, or an expression in parentheses.
    fn operand(&mut self) -> Tree<Expr> {
        if self.at_any_word(&["POINTER", "REFERENCE"]) && self.peek(1).kind == Tok::To {
            let start = self.here();
            self.type_spec();
            return self.node(start, LEVEL, ExprKind::Literal(None, Literal::Opaque("type of a pointer as an argument")));
        }
        if self.at(Tok::Word) || self.at_global() {
            return self.name_or_call();
        }
        if self.at(Tok::LParen) {
            return self.parenthesised();
        }
        if self.at_any(&[Tok::Number, Tok::Typed, Tok::Text, Tok::True, Tok::False]) {
            return self.literal();
        }
        if self.at_absolute_access() || self.at(Tok::Address) {
            let start = self.here();
            let kind = if self.at_absolute_access() {
                ExprKind::Literal(None, Literal::Opaque("absolute access to a data block"))
            } else {
                ExprKind::Address(self.word().to_owned())
            };
            self.bump();
            let kind = self.unmodelled_access(start).map_or(kind, |words| ExprKind::Literal(None, Literal::Opaque(words)));
            return self.node(start, LEVEL, kind);
        }
        // AND(a, b): the operators that are functions too.
        if self.at_any(&[Tok::And, Tok::Or, Tok::Xor, Tok::Mod]) && self.peek(1).kind == Tok::LParen {
            return self.name_or_call();
        }
        self.expected("an expression", "a literal, a variable, a call or a parenthesis stands here");
        self.no_tree()
    }

    fn parenthesised(&mut self) -> Tree<Expr> {
        let start = self.here();
        self.bump();
        let inner = self.deeper(|p| {
            let tree = p.tree();
            p.assignment_meant_as_comparison(tree)
        });
        let inner = inner.unwrap_or_else(|| self.no_tree());
        self.close(Tok::RParen, start);
        Tree { node: Expr { span: self.since(start), ..inner.node }, height: inner.height }
    }

    fn name_or_call(&mut self) -> Tree<Expr> {
        let start = self.here();
        let (name, args) = self.use_of_name();
        if let Some(words) = self.unmodelled_access(start) {
            return self.node(start, LEVEL, ExprKind::Literal(None, Literal::Opaque(words)));
        }
        let Some(args) = args else { return self.node(start, LEVEL + name.height, ExprKind::Name(name.node)) };
        if let Some(words) = unsupported_function(&name.node) {
            return self.node(start, LEVEL, ExprKind::Literal(None, Literal::Opaque(words)));
        }
        self.node(start, LEVEL + name.height.max(args.height), ExprKind::Call(Box::new(name.node), args.node))
    }

    pub(super) fn literal(&mut self) -> Tree<Expr> {
        let start = self.here();
        let token = self.bump();
        let text = self.text_of(start);
        let read = if let Some(value) = self.spaced_value(token.kind, text, start) {
            Ok(value)
        } else if token.kind == Tok::Typed {
            self.typed(text, start)
        } else if token.kind == Tok::Number {
            literal::number(text).map(|l| (None, if self.flavour == Flavour::Logix { literal::of_32_bits(text, l) } else { l }))
        } else if token.kind == Tok::Text {
            string::literal(text, self.is_piece).map(|l| (None, l))
        } else {
            Ok((None, Literal::Bool(token.kind == Tok::True)))
        };
        match read {
            Ok((prefix, value)) => self.node(start, LEVEL, ExprKind::Literal(prefix.map(Box::new), value)),
            Err(wrong) => {
                self.malformed(start, wrong);
                self.node(start, LEVEL, ExprKind::Error)
            }
        }
    }

    /// Returns a value of an enumeration with blanks behind the sign, `Mode# Idle`, and takes its name.
    fn spaced_value(&mut self, kind: Tok, text: &str, start: Span) -> Option<(Option<Ident>, Literal)> {
        let prefix = text.strip_suffix('#').filter(|_| kind == Tok::Typed && self.at(Tok::Word))?;
        let span = self.here();
        let name = self.text_of(span).to_owned();
        let Ok(Value::Variant(_)) = literal::typed(prefix, &name, self.is_piece) else { return None };
        self.bump();
        let prefix_span = Span::new(start.file, start.start as usize, start.start as usize + prefix.len());
        let prefix = Ident { text: prefix.to_owned(), span: prefix_span };
        Some((Some(prefix), Literal::Variant(Ident { text: name, span })))
    }

    fn typed(&self, text: &str, start: Span) -> Result<(Option<Ident>, Literal), literal::Malformed> {
        let (prefix, value) = text.split_once('#').unwrap_or((text, ""));
        let place = |from: usize, text: &str| {
            Span::new(start.file, start.start as usize + from, start.start as usize + from + text.len())
        };
        let mut prefix_ident = Ident { text: prefix.to_owned(), span: place(0, prefix) };
        if self.is_scl() {
            prefix_ident = super::scl::standard_prefix(prefix_ident);
        }
        Ok(match literal::typed(prefix, value, self.is_piece)? {
            Value::Literal(literal @ (Literal::Opaque(_) | Literal::Duration { .. } | Literal::Date { .. })) => (None, literal),
            Value::Literal(literal) => (Some(prefix_ident), literal),
            Value::Variant(name) => {
                let variant = Ident { text: name.to_owned(), span: place(prefix.len() + 1, name) };
                (Some(prefix_ident), Literal::Variant(variant))
            }
        })
    }

    pub(super) fn malformed(&mut self, place: Span, wrong: literal::Malformed) {
        self.report(Diagnostic::error("P1005", place, wrong.message, "as written").help(wrong.help));
    }

    /// Returns a node from `start` to the previous token, unless it is too tall.
    fn node(&mut self, start: Span, height: u32, kind: ExprKind) -> Tree<Expr> {
        if self.fits(height) { Tree { node: Expr { kind, span: self.since(start) }, height } } else { self.no_tree() }
    }

    /// Returns the substitute for an expression that could not be read.
    pub(super) fn no_tree(&self) -> Tree<Expr> {
        Tree { node: Expr { kind: ExprKind::Error, span: self.after_prev() }, height: LEVEL }
    }
}
