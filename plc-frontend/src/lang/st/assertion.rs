//! `//#ASSERT condition : name` comments between statements.

use super::parser::Parser;
use crate::ast::{Expr, ExprKind, Ident, Stmt, StmtKind};
use crate::hir::SURVIVED;
use crate::lang::common::token::{Set, Tok};
use crate::text::{Diagnostic, Span};

impl Parser<'_> {
    /// Reads the assertions that stand directly before the current token.
    pub(super) fn assertions(&mut self, list: &mut Vec<Stmt>) {
        let behind = self.after_prev().start;
        let here = self.here().start;
        while let Some(place) = self.asides.assertions.front().copied().filter(|a| a.start < here) {
            self.asides.assertions.pop_front();
            if place.start < behind {
                self.misplaced_assertion(place);
            } else if self.is_code(place) {
                self.read_up_to(place);
                list.push(Stmt { kind: StmtKind::Unsupported("code in C ({{ … }})".into()), span: place });
            } else {
                list.push(self.assertion(place));
            }
        }
    }

    /// Reports the assertions before the current token: none belongs here.
    pub(super) fn misplaced_assertions(&mut self) {
        let here = if self.at(Tok::End) { u32::MAX } else { self.here().start };
        while let Some(place) = self.asides.assertions.front().copied().filter(|a| a.start < here) {
            self.asides.assertions.pop_front();
            self.misplaced_assertion(place);
        }
    }

    /// Returns whether the place is that of code in C, and not of an assertion.
    fn is_code(&self, place: Span) -> bool {
        self.text_of(place).starts_with('{')
    }

    fn misplaced_assertion(&mut self, place: Span) {
        if self.is_code(place) {
            let diagnostic = Diagnostic::error("P1010", place, "code in C stands between statements", "not between statements");
            return self.report_always(diagnostic.help("move it to lines of its own, before or after a statement"));
        }
        let message = "an assertion stands between statements; this one is not checked";
        let diagnostic = Diagnostic::error("P1024", place, message, "not between statements");
        self.report_always(diagnostic.help("move the comment to a line of its own, before or after a statement"));
    }

    /// Reads one; `place` is the rest of the line after `#ASSERT`. Mistakes in it are warnings: the program does not need it.
    fn assertion(&mut self, place: Span) -> Stmt {
        let mut part = self.part(place);
        part.implication = true;
        let start = part.here();
        let condition = part.condition();
        let name = if part.at(Tok::Colon) { part.assertion_name() } else { None };
        part.eat(Tok::Semicolon);
        if !part.at(Tok::End) {
            part.expected("`: name` or the end of the comment", "an assertion is written `//#ASSERT condition : name`");
        }
        self.read_up_to(place);
        let (is_lost, span) = (part.is_lost(), part.since(start));
        self.asides.findings.append(part.asides.findings.warnings());
        let condition = if is_lost { Expr { kind: ExprKind::Error, span } } else { condition };
        Stmt { kind: StmtKind::Assert(condition, name), span }
    }

    /// Reads the word behind the colon; names of requirements may hold dashes and dots.
    fn assertion_name(&mut self) -> Option<Ident> {
        self.bump();
        let start = self.here();
        self.skip_to(Set::of(&[Tok::Semicolon]));
        let span = self.since(start);
        let text = self.text_of(span);
        if text.is_empty() {
            self.expected("a name", "an assertion is written `//#ASSERT condition : name`");
            return None;
        }
        // Printed programs of Logix have these names, which checks decide.
        if SURVIVED.iter().all(|(name, _)| *name != text) && text.chars().any(|c| !(c.is_alphanumeric() || "_-.".contains(c))) {
            let diagnostic = Diagnostic::error("P1010", span, "the name of an assertion is one word", "more than a word");
            self.fail(diagnostic.help("use letters, digits, `_`, `-` and `.`"));
            return None;
        }
        Some(Ident { text: text.to_owned(), span })
    }
}
