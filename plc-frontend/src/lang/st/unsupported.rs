//! Declarations that are recognised and read to their end, but not modelled.

use super::parser::Parser;
use super::stmt::OUTER;
use crate::ast::{Arg, Expr, ExprKind, Item, Literal, Name, Stmt, StmtKind};
use crate::lang::common::token::Tok;
use crate::text::Span;

/// Functions that no model can have, in the user's words.
const FUNCTIONS: &[(&str, &str)] = &[
    ("__NEW", "dynamic memory (__NEW)"),
    ("__DELETE", "dynamic memory (__DELETE)"),
    ("__QUERYINTERFACE", "query of an interface (__QUERYINTERFACE)"),
    ("__QUERYPOINTER", "query of a pointer (__QUERYPOINTER)"),
    ("__POUNAME", "name of the POU (__POUNAME)"),
    ("__POSITION", "place in the text (__POSITION)"),
    ("__VARINFO", "description of a variable (__VARINFO)"),
];

/// Statement that stands for one that is not modelled, with the words of the ledger: `__NOT_MODELLED('instruction SRT')`.
pub(crate) const NOT_MODELLED: &str = "__NOT_MODELLED";

/// Returns the words of a call that stands for a statement that is not modelled.
pub(super) fn not_modelled(name: &Name, args: &[Arg]) -> Option<String> {
    let [Arg::Positional(Expr { kind: ExprKind::Literal(None, Literal::String { chars, .. }), .. })] = args else { return None };
    let is_it = name.path.is_empty() && name.root.text.eq_ignore_ascii_case(NOT_MODELLED);
    is_it.then(|| String::from_utf16_lossy(chars))
}

/// Returns the user's words for a call of `name` that is read and not modelled.
pub(super) fn unsupported_function(name: &Name) -> Option<&'static str> {
    if !name.path.is_empty() || !name.root.text.starts_with("__") {
        return None;
    }
    FUNCTIONS.iter().find(|(function, _)| name.root.text.eq_ignore_ascii_case(function)).map(|(_, words)| *words)
}

impl Parser<'_> {
    /// Reads `__TRY … __ENDTRY`, if it starts here.
    pub(super) fn try_statement(&mut self) -> Option<Stmt> {
        if !self.at_word("__TRY") {
            return None;
        }
        let start = self.here();
        let mut n_inner = 0;
        self.bump();
        while !self.at(Tok::End) && !self.at_set(OUTER) && (0 < n_inner || !self.at_word("__ENDTRY")) {
            n_inner += usize::from(self.at_word("__TRY"));
            n_inner -= usize::from(self.at_word("__ENDTRY"));
            self.bump();
        }
        self.end_word("__ENDTRY", start);
        let span = self.since(start);
        self.eat(Tok::Semicolon);
        Some(Stmt { kind: StmtKind::Unsupported("exception handling (__TRY)".into()), span })
    }

    /// Reads a library of declarations without bodies, if one starts here.
    pub(super) fn unsupported_item(&mut self) -> bool {
        if !self.at_unsupported_item() {
            return false;
        }
        let start = self.here();
        while !self.at(Tok::End) && !self.at_word("END_LIBRARY") {
            self.bump();
        }
        self.end_word("END_LIBRARY", start);
        self.eat(Tok::Semicolon);
        self.aside_items.push(Item::Unsupported("LIBRARY", self.since(start)));
        true
    }

    pub(super) fn at_unsupported_item(&mut self) -> bool {
        self.at_word("LIBRARY") && self.peek(1).kind == Tok::Word
    }

    fn end_word(&mut self, end: &'static str, start: Span) {
        if self.eat_word(end) {
            return;
        }
        let word = end.trim_start_matches("END_").replace("__ENDTRY", "__TRY");
        self.missing_end(start, &word, end, &format!("write `{end}` where it ends"));
    }
}
