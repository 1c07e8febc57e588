//! Statements outside of any POU, as editors and exports of single networks hold them: the body of a program without a name.

use super::member::Members;
use super::parser::Parser;
use super::stmt::{SECTIONS, STARTS};
use crate::ast::{Ident, Item, Pou, PouKind, Section, VarBlock};
use crate::lang::common::token::{Set, Tok};
use crate::text::{Diagnostic, Span};

/// Name of such a program; a second one in the same file has a number.
const UNNAMED: &str = "Unnamed";

impl Parser<'_> {
    /// Returns whether a statement starts here that cannot start a declaration.
    pub(super) fn at_headless_statement(&mut self) -> bool {
        const BEHIND: Set = Set::of(&[Tok::Assign, Tok::LParen, Tok::Dot, Tok::LBracket, Tok::Caret]);
        self.body_language.is_none()
            && (self.at_set(STARTS) || (self.at_any(&[Tok::Word, Tok::Address]) && BEHIND.has(self.peek(1).kind)))
    }

    /// Returns whether a declaration without a keyword starts here.
    pub(super) fn at_next_item(&mut self) -> bool {
        self.at_named_item() || self.at_unsupported_item() || (self.at_word("NAMESPACE") && self.peek(1).kind == Tok::Word)
    }

    /// Reads sections and statements up to the next declaration as a program. Sections alone are reported.
    pub(super) fn headless_program(&mut self, items: &mut Vec<Item>) {
        // Assertions before the first statement belong to the program.
        let first = self.asides.assertions.front().map_or(u32::MAX, |place| place.start);
        let opener = Span { start: self.here().start.min(first), ..self.here() };
        let word = self.kind().spelling();
        let outer = std::mem::take(&mut self.members);
        let mut vars = Vec::new();
        while self.at_set(SECTIONS) && !self.at_any(&[Tok::VarGlobal, Tok::VarConfig, Tok::VarAccess]) {
            vars.extend(self.var_block());
            self.found_again();
            self.skip_attribute();
        }
        if !self.at_headless_statement() {
            self.members = outer;
            if self.is_part {
                items.extend(vars.into_iter().map(|block| Item::Globals(VarBlock { section: Section::Global, ..block })));
                return;
            }
            let message = format!("{word} stands outside of any program");
            let diagnostic = Diagnostic::error("P1022", opener, message, "belongs to no POU");
            self.report(diagnostic.help("put it behind `PROGRAM name`; variables of all programs are declared in VAR_GLOBAL"));
            return;
        }
        self.n_headless += 1;
        let name = if self.n_headless == 1 { UNNAMED.to_owned() } else { format!("{UNNAMED}{}", self.n_headless) };
        let message = format!("these statements stand outside of any POU: they are read as a program of their own, `{name}`");
        let diagnostic = Diagnostic::error("P1022", self.here(), message, "belongs to no POU").warning();
        self.report_always(diagnostic.help("write `PROGRAM name` before them and END_PROGRAM behind them"));
        let was_headless = std::mem::replace(&mut self.is_headless, true);
        let body = self.body();
        self.is_headless = was_headless;
        let Members { methods, properties, actions } = std::mem::replace(&mut self.members, outer);
        vars.append(&mut self.misplaced_vars);
        let name = Ident::new(name, Span { end: opener.start, ..opener });
        let empty = Pou::new(PouKind::Program, name, self.since(opener));
        items.push(Item::Pou(Pou { vars, body, methods, properties, actions, ..empty }));
    }
}
