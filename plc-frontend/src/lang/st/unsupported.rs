//! Declarations that are recognised and read to their end, but not modelled.

use super::parser::Parser;
use super::stmt::{MEMBER_ENDS, OUTER};
use crate::ast::{Item, Stmt, StmtKind};
use crate::diagnostic::Diagnostic;
use crate::lang::common::token::Tok;
use crate::source::Span;

/// Declarations of a file: their first word, their last word.
const ITEMS: &[(&str, &str)] =
    &[("CONFIGURATION", "END_CONFIGURATION"), ("RESOURCE", "END_RESOURCE"), ("LIBRARY", "END_LIBRARY")];

/// Parts of a chart, which stands where statements do.
const CHART: &[(&str, &str)] = &[("TRANSITION", "END_TRANSITION"), ("STEP", "END_STEP"), ("INITIAL_STEP", "END_STEP")];

impl Parser<'_> {
    /// The row of `table` whose declaration starts here: its word is followed by a name.
    fn declaration_of(&mut self, table: &'static [(&'static str, &'static str)]) -> Option<(&'static str, &'static str)> {
        if !self.at(Tok::Word) || self.peek(1).kind != Tok::Word {
            return None;
        }
        table.iter().find(|(word, _)| self.at_word(word)).copied()
    }

    pub(super) fn at_unsupported_item(&mut self) -> bool {
        [ITEMS, CHART].into_iter().any(|table| self.declaration_of(table).is_some())
    }

    /// Reads a declaration of the file that is not modelled, if one starts here.
    pub(super) fn unsupported_item(&mut self) -> bool {
        let Some((word, end)) = self.declaration_of(ITEMS) else { return false };
        let start = self.here();
        self.skip_to_word(end);
        self.eat(Tok::Semicolon);
        let span = self.since(start);
        self.aside_items.push(Item::Unsupported(word, span));
        true
    }

    /// Reads a part of a sequential function chart, if one starts here: a statement, because it runs with the body.
    pub(super) fn chart_element(&mut self) -> Option<Stmt> {
        let (_, end) = self.declaration_of(CHART)?;
        let span = self.part_of_pou(end);
        Some(Stmt { kind: StmtKind::Unsupported("sequential function chart"), span })
    }

    fn part_of_pou(&mut self, end: &'static str) -> Span {
        let start = self.here();
        self.bump();
        while !self.at(Tok::End) && (!self.at_set(OUTER) || self.at_set(MEMBER_ENDS)) && !self.at_text(end) {
            self.bump();
        }
        self.end_word(end, start);
        let span = self.since(start);
        self.eat(Tok::Semicolon);
        span
    }

    /// Skips what starts here to its end word, over others of its kind inside.
    pub(super) fn skip_to_word(&mut self, end: &'static str) {
        let start = self.here();
        let word = end.trim_start_matches("END_");
        let mut inside = 0_usize;
        while !self.at(Tok::End) {
            if self.at_text(word) {
                inside += 1;
            } else if self.at_text(end) {
                inside = inside.saturating_sub(1);
                if inside == 0 {
                    break;
                }
            }
            self.bump();
        }
        self.end_word(end, start);
    }

    fn end_word(&mut self, end: &'static str, start: Span) {
        if self.at_text(end) {
            self.bump();
            return;
        }
        let word = end.trim_start_matches("END_");
        let diagnostic = Diagnostic::error("P1014", start, format!("this {word} has no {end}"), format!("{word} starts here"));
        let found = format!("expected before {}", self.found());
        self.report_always(diagnostic.label(self.here(), found).help(format!("write `{end}` where it ends")));
    }
}
