//! Findings of the parser, and tokens that must stand at a place.

use super::Parser;
use crate::lang::common::token::Tok;
use crate::text::{Diagnostic, Span};

impl Parser<'_> {
    /// Reports a mistake and goes on as if it were corrected.
    pub(in crate::lang::st) fn report(&mut self, diagnostic: Diagnostic) {
        if !self.lost {
            self.asides.findings.push(diagnostic);
        }
    }
    /// Reports a mistake; the parser is lost behind it.
    pub(in crate::lang::st) fn fail(&mut self, diagnostic: Diagnostic) {
        self.report(diagnostic);
        self.lost = true;
    }
    /// Reports a mistake even when lost: one that does not follow from others.
    pub(in crate::lang::st) fn report_always(&mut self, diagnostic: Diagnostic) {
        self.asides.findings.push(diagnostic);
    }
    pub(in crate::lang::st) fn is_lost(&self) -> bool {
        self.lost
    }
    pub(in crate::lang::st) fn found_again(&mut self) {
        self.lost = false;
    }
    /// Returns the current token's text for messages.
    pub(in crate::lang::st) fn found(&self) -> String {
        const LONGEST: usize = 40;
        let text = self.word();
        if self.at(Tok::End) {
            let is_line = (self.token.end as usize) < self.text.len();
            return if is_line { "the end of the line".to_owned() } else { Tok::End.spelling().to_owned() };
        }
        if text.chars().nth(LONGEST).is_some() {
            return format!("`{}…`", text.chars().take(LONGEST).collect::<String>());
        }
        format!("`{text}`")
    }
    /// Fails because `what` was expected here.
    pub(in crate::lang::st) fn expected(&mut self, what: &str, help: &str) {
        if self.lost {
            return;
        }
        let found = self.found();
        let diagnostic =
            Diagnostic::error("P1010", self.here(), format!("expected {what}, found {found}"), format!("not {what}"));
        self.fail(if help.is_empty() { diagnostic } else { diagnostic.help(help) });
    }
    /// Eats `kind`, or fails because it is missing behind the previous token.
    pub(in crate::lang::st) fn expect(&mut self, kind: Tok, help: &str) -> bool {
        if self.eat(kind) {
            return true;
        }
        if !self.lost {
            let message = format!("expected `{}`, found {}", kind.spelling(), self.found());
            let diagnostic =
                Diagnostic::error("P1010", self.here(), message, format!("`{}` is missing before this", kind.spelling()));
            self.fail(if help.is_empty() { diagnostic } else { diagnostic.help(help) });
        }
        false
    }
    /// Eats the bracket `close`, or fails and shows the bracket at `open` that it belongs to.
    pub(in crate::lang::st) fn close(&mut self, close: Tok, open: Span) -> bool {
        if self.eat(close) {
            return true;
        }
        if !self.lost {
            let message = format!("expected `{}`, found {}", close.spelling(), self.found());
            let diagnostic =
                Diagnostic::error("P1012", self.here(), message, format!("`{}` is missing before this", close.spelling()));
            let opens = format!("`{}` opens here", self.text_of(open));
            self.fail(diagnostic.label(open, opens).help("each bracket needs its partner"));
        }
        false
    }
    /// Fails if a closing bracket stands here that nothing has opened.
    pub(in crate::lang::st) fn no_partner(&mut self) -> bool {
        let is_bracket = self.at_any(&[Tok::RParen, Tok::RBracket]);
        if is_bracket {
            let message = format!("{} has no partner", self.found());
            let diagnostic = Diagnostic::error("P1012", self.here(), message, "closes nothing that is open");
            self.fail(diagnostic.help("remove it, or add the opening bracket"));
        }
        is_bracket
    }
    /// Eats `;`. If the next statement or declaration could start here, the `;` is missing; else something else is wrong.
    pub(in crate::lang::st) fn semicolon(&mut self, behind: &str) {
        if self.lost || self.eat(Tok::Semicolon) || self.no_partner() {
            return;
        }
        let is_word = self.word().starts_with(|c: char| c.is_alphabetic() || c == '_');
        let is_value = self.at_any(&[Tok::True, Tok::False, Tok::Typed, Tok::At, Tok::Not]);
        if (is_word && !is_value) || self.at_any(&[Tok::End, Tok::Address]) {
            let place = self.after_prev();
            self.report(
                Diagnostic::error("P1011", place, format!("`;` is missing after {behind}"), "here").help("end it with `;`"),
            );
            return;
        }
        self.expected("`;`", &format!("{behind} ends before this"));
    }
}
