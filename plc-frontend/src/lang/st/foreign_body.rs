//! Bodies in other languages, in files with declarations in ST.

use super::parser::Parser;
use super::stmt::{MEMBER_ENDS, OUTER};
use crate::ast::Stmt;
use crate::lang::BODIES;
use crate::lang::common::token::Set;

/// Keywords that end a body.
const ENDS: Set = MEMBER_ENDS.or(OUTER);

/// Length of the text that is searched for a first statement, in characters.
const LOOKED_AT: usize = 4096;

impl Parser<'_> {
    /// Reads a body in another language, if one starts here.
    pub(super) fn foreign_body(&mut self) -> Option<Vec<Stmt>> {
        let start = self.after_prev().start as usize;
        let end = self.text_end();
        let ahead = self.text.get(self.here().start as usize..end)?;
        // The first statement decides; a bounded look keeps reading linear.
        let ahead = ahead.char_indices().nth(LOOKED_AT).and_then(|(at, _)| ahead.get(..at)).unwrap_or(ahead);
        if self.is_scl() || self.at_set(ENDS) {
            return None;
        }
        let language = self.body_language.or_else(|| BODIES.iter().find(|body| (body.starts)(ahead)))?;
        // Assertions behind the declarations are the list's.
        self.asides.assertions.retain(|place| (place.start as usize) < start);
        let (parsed, behind) = (language.read)(self.file, self.text, start..end, &|tok| ENDS.has(tok));
        self.go_on_at(behind);
        Some(self.asides.findings.keep(parsed))
    }
}
