//! The position in the text: looks at tokens, takes them, and reports what was expected.

use plc_frontend::diagnostic::Diagnostic;
use plc_frontend::source::Span;

use super::lex::{Kind, Token};
use super::parse::Parser;

/// Most reported findings.
const MOST_FINDINGS: usize = 50;

impl<'a> Parser<'a, '_> {
    pub(super) fn token(&self) -> Token<'a> {
        // The last token is the end, and the position stays there.
        self.tokens[self.at.min(self.tokens.len() - 1)]
    }
    pub(super) fn peek(&self) -> Kind<'a> {
        self.token().kind
    }
    pub(super) fn peek_behind(&self, n: usize) -> Kind<'a> {
        self.tokens[(self.at + n).min(self.tokens.len() - 1)].kind
    }
    /// Returns the next word or symbol; empty for anything else.
    pub(super) fn text(&self) -> &'a str {
        match self.peek() {
            Kind::Word(text) => text,
            Kind::Symbol(text) => text,
            Kind::Number(_) | Kind::Bits(..) | Kind::End => "",
        }
    }
    pub(super) fn here(&self) -> Span {
        self.token().span
    }
    /// Returns the span from the beginning of `start` to the end of the last token.
    pub(super) fn since(&self, start: Span) -> Span {
        start.to(self.tokens[self.at.saturating_sub(1).min(self.tokens.len() - 1)].span)
    }
    pub(super) fn next(&mut self) -> Token<'a> {
        let token = self.token();
        self.at += 1;
        token
    }
    pub(super) fn eat_word(&mut self, word: &str) -> bool {
        let found = self.peek() == Kind::Word(word);
        self.at += usize::from(found);
        found
    }
    pub(super) fn eat(&mut self, symbol: &'static str) -> bool {
        let found = self.peek() == Kind::Symbol(symbol);
        self.at += usize::from(found);
        found
    }
    pub(super) fn report(&mut self, finding: Diagnostic) {
        if self.findings.len() < MOST_FINDINGS {
            self.findings.push(finding);
        }
    }
    pub(super) fn expected(&mut self, what: &str) {
        let finding = Diagnostic::error("P6002", self.here(), format!("{what} is expected"), "here");
        self.report(finding);
    }
    pub(super) fn has_errors(&self) -> bool {
        !self.findings.is_empty()
    }
    pub(super) fn expect(&mut self, symbol: &'static str) -> Option<()> {
        if self.eat(symbol) {
            return Some(());
        }
        self.expected(&format!("`{symbol}`"));
        None
    }
    pub(super) fn expect_word(&mut self, word: &str) -> Option<()> {
        if self.eat_word(word) {
            return Some(());
        }
        self.expected(&format!("`{word}`"));
        None
    }
    pub(super) fn name(&mut self, of: &str) -> Option<(&'a str, Span)> {
        let token = self.token();
        if let Kind::Word(name) = token.kind {
            self.at += 1;
            return Some((name, token.span));
        }
        self.expected(&format!("the name of {of}"));
        None
    }
    pub(super) fn number(&mut self, of: &str) -> Option<u32> {
        let token = self.token();
        if let Kind::Number(digits) = token.kind {
            self.at += 1;
            // Numbers of bits: the caller refuses larger ones.
            return Some(digits.parse().unwrap_or(u32::MAX));
        }
        self.expected(of);
        None
    }
    /// Skips to the next of these words, or the end of the text.
    pub(super) fn skip(&mut self, to: &[&str]) {
        self.at += 1;
        while !matches!(self.peek(), Kind::End) && !matches!(self.peek(), Kind::Word(word) if to.contains(&word)) {
            self.at += 1;
        }
    }
    /// Reports a construct of Theta that is not supported.
    pub(super) fn refuse(&mut self, span: Span, what: &str, help: &str) {
        let finding = Diagnostic::error("P6005", span, format!("{what} cannot be verified yet"), "this");
        self.report(finding.help(help));
    }
}
