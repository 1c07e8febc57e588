//! Bodies in Instruction List, in files whose declarations are ST.

use super::parser::Parser;
use super::stmt::{MEMBER_ENDS, OUTER};
use crate::ast::Stmt;
use crate::lang::common::token::Set;
use crate::lang::il;

/// What ends a list of instructions.
const ENDS: Set = MEMBER_ENDS.or(OUTER);

/// How many characters are looked at.
const LOOKED_AT: usize = 4096;

impl Parser<'_> {
    /// Reads a body in Instruction List, if one starts here.
    pub(super) fn instructions(&mut self) -> Option<Vec<Stmt>> {
        let start = self.after_prev().start as usize;
        let end = self.text_end();
        let ahead = self.text.get(self.here().start as usize..end)?;
        // The first statement decides; a bounded look keeps reading linear.
        let ahead = ahead.char_indices().nth(LOOKED_AT).and_then(|(at, _)| ahead.get(..at)).unwrap_or(ahead);
        if self.is_scl() || self.at_set(ENDS) || !(self.is_il || il::looks_like_il(ahead)) {
            return None;
        }
        // Assertions behind the declarations are the list's.
        self.asides.assertions.retain(|place| (place.start as usize) < start);
        let (parsed, behind) = il::body_before(self.file, self.text, start..end, |tok| ENDS.has(tok));
        parsed.diagnostics.into_iter().for_each(|finding| self.asides.findings.push(finding));
        self.go_on_at(behind);
        Some(parsed.value)
    }
}
