//! Accesses of SCL that no declaration describes: `%DB1.DBX0.0`, `"Data".%DBW2`, `%IW64:P`, `"Tag":P`.

use super::parser::Parser;
use crate::ast::StmtKind;
use crate::lang::common::token::Tok;
use crate::text::Span;

/// Words for an access to a data block by numbers.
const ABSOLUTE: &str = "absolute access to a data block";
/// Words for an access past the process image.
pub(crate) const PERIPHERY: &str = "direct access to the periphery (`:P`)";

impl Parser<'_> {
    /// Returns whether an absolute access stands here: `%DB1.DBX0.0`, or behind a point `%DBX0.0`.
    pub(super) fn at_absolute_access(&self) -> bool {
        self.at(Tok::Address) && self.word().get(..3).is_some_and(|start| start.eq_ignore_ascii_case("%DB"))
    }

    /// Returns the words of the access that began at `start` and was read, if it is one of these.
    pub(super) fn unmodelled_access(&mut self, start: Span) -> Option<&'static str> {
        let is_absolute = std::mem::take(&mut self.is_absolute);
        if self.at_periphery(start) {
            self.bump();
            self.bump();
            return Some(PERIPHERY);
        }
        is_absolute.then_some(ABSOLUTE)
    }

    /// Returns whether `:P` stands here, without space, behind an address or a name in quotes.
    fn at_periphery(&mut self, start: Span) -> bool {
        if !self.is_scl() || !self.at(Tok::Colon) {
            return false;
        }
        let (colon, letter) = (self.here(), self.peek(1));
        let text = |from: u32, to: usize| self.text.get(from as usize..to).unwrap_or("");
        let operand = text(start.start, colon.start as usize);
        let is_tag = operand.starts_with(['"', '%']) && !operand.ends_with(char::is_whitespace);
        let letter_text = self.text.get(letter.start as usize..letter.end as usize).unwrap_or("");
        is_tag && letter.kind == Tok::Word && letter.start as usize == colon.end as usize && letter_text.eq_ignore_ascii_case("P")
    }

    /// Reads the value that is assigned to such an access.
    pub(super) fn unmodelled_assignment(&mut self, words: &'static str) -> StmtKind {
        if self.expect(Tok::Assign, "a value is assigned with `:=`") {
            self.expression();
        }
        StmtKind::Unsupported(words.into())
    }

    pub(super) fn absolute_assignment(&mut self) -> StmtKind {
        self.bump();
        self.unmodelled_assignment(ABSOLUTE)
    }
}
