//! Files and the declarations in them: PROGRAM, FUNCTION_BLOCK, FUNCTION.

use super::decl::ACCESS;
use super::parser::Parser;
use super::stmt::{CLOSERS, NEXT, OUTER, SECTIONS};
use crate::ast::{Body, Ident, Item, Modifiers, Pou, PouKind};
use crate::diagnostic::Diagnostic;
use crate::lang::common::token::{Set, Tok};
use crate::source::Span;

/// Starts and ends of POUs.
const POUS: &[(Tok, Tok, PouKind)] = &[
    (Tok::Program, Tok::EndProgram, PouKind::Program),
    (Tok::FunctionBlock, Tok::EndFunctionBlock, PouKind::FunctionBlock),
    (Tok::Function, Tok::EndFunction, PouKind::Function),
];

/// Where a new declaration of the file starts.
const POU_STARTS: Set = Set::of(&[Tok::Program, Tok::FunctionBlock, Tok::Function, Tok::Type]);

impl Parser<'_> {
    /// All declarations of the file.
    pub(super) fn items(&mut self) -> Vec<Item> {
        let mut items = Vec::new();
        while !self.at(Tok::End) {
            self.found_again();
            self.overflowed = false;
            self.skip_attribute();
            self.item(&mut items);
            items.append(&mut self.aside_items);
            self.misplaced_assertions();
        }
        self.misplaced_assertions();
        items
    }

    fn item(&mut self, items: &mut Vec<Item>) {
        if self.eat(Tok::Semicolon) || self.at(Tok::End) {
            return;
        }
        if let Some((_, end, kind)) = POUS.iter().find(|(start, _, _)| self.at(*start)) {
            items.extend(self.pou(*kind, *end));
        } else if self.at(Tok::Type) {
            self.type_block(items);
        } else if self.at(Tok::VarGlobal) {
            items.extend(self.var_block().map(Item::Globals));
        } else if self.at_set(SECTIONS) {
            let word = self.kind().spelling();
            let diagnostic =
                Diagnostic::error("P1022", self.here(), format!("{word} stands outside of any program"), "belongs to no POU");
            self.report(diagnostic.help("put it behind `PROGRAM name`; variables of all programs are declared in VAR_GLOBAL"));
            self.var_block();
        } else if !self.unsupported_section() && !self.unsupported_item() && !self.unsupported_member() {
            self.stray();
        }
    }

    /// Anything else: skipped to the next declaration, one finding.
    fn stray(&mut self) {
        let place = self.here();
        let found = self.found();
        let diagnostic = if self.at_set(OUTER) || self.at(Tok::EndVar) || self.at_set(CLOSERS) {
            Diagnostic::error("P1015", place, format!("{found} ends nothing that is open"), "nothing to end here")
                .help("remove it, or add the start of what it ends")
        } else {
            Diagnostic::error("P1022", place, format!("{found} stands outside of any program"), "belongs to no POU")
                .help("statements belong into `PROGRAM name … END_PROGRAM`, FUNCTION_BLOCK or FUNCTION")
        };
        self.fail(diagnostic);
        self.bump();
        while !self.at(Tok::End) && !self.at_set(OUTER) && !self.at_set(SECTIONS) && !self.at_unsupported_item() {
            self.bump();
        }
    }

    fn pou(&mut self, kind: PouKind, end: Tok) -> Option<Item> {
        let opener = self.here();
        let word = self.kind().spelling();
        self.bump();
        let name = self.pou_name(opener);
        let result = (kind == PouKind::Function && self.eat(Tok::Colon)).then(|| self.type_spec());
        let inherits = self.inheritance();
        if self.is_lost() {
            self.skip_to(NEXT);
            self.found_again();
        }
        self.eat(Tok::Semicolon);
        let mut vars = Vec::new();
        while self.at_set(SECTIONS) || self.unsupported_section() || self.unsupported_member() {
            if self.at_set(SECTIONS) {
                vars.extend(self.var_block());
            }
        }
        let body = self.statements();
        vars.append(&mut self.late_vars);
        self.end_of_pou((word, end), opener);
        let span = self.since(opener);
        if inherits {
            return Some(Item::Unsupported("FUNCTION_BLOCK with EXTENDS", span));
        }
        Some(Item::Pou(Pou {
            kind,
            name: name?,
            modifiers: Modifiers::default(),
            extends: None,
            implements: Vec::new(),
            result,
            vars,
            body: Body::Statements(body),
            methods: Vec::new(),
            properties: Vec::new(),
            actions: Vec::new(),
            span,
        }))
    }

    /// The name behind PROGRAM, behind words that say who may use it.
    fn pou_name(&mut self, opener: Span) -> Option<Ident> {
        while self.at_any_word(ACCESS) || self.at_any_word(&["ABSTRACT", "FINAL"]) {
            if self.peek(1).kind != Tok::Word {
                break;
            }
            self.bump();
        }
        let is_on_its_line = !self.text_of(Span { end: self.here().start, ..opener }).contains('\n');
        if self.at(Tok::Word) && !is_on_its_line {
            let place = self.after_prev();
            self.report(Diagnostic::error("P1010", place, "the name is missing", "here").help("write `PROGRAM name`"));
            return None;
        }
        self.name("a name")
    }

    /// EXTENDS and IMPLEMENTS; whether anything is inherited.
    fn inheritance(&mut self) -> bool {
        let mut inherits = false;
        while self.at_any_word(&["EXTENDS", "IMPLEMENTS"]) && self.peek(1).kind == Tok::Word {
            let start = self.here();
            let is_extends = self.at_word("EXTENDS");
            self.bump();
            while self.at(Tok::Word) {
                self.path();
                if !self.eat(Tok::Comma) {
                    break;
                }
            }
            inherits |= is_extends;
            if !is_extends {
                self.aside_items.push(Item::Unsupported("IMPLEMENTS", self.since(start)));
            }
        }
        inherits
    }

    fn end_of_pou(&mut self, (word, end): (&str, Tok), opener: Span) {
        if self.eat(end) {
            return;
        }
        let help = format!("write `{}` where it ends", end.spelling());
        if self.at(Tok::End) || self.at_set(POU_STARTS) {
            let message = format!("this {word} has no {}", end.spelling());
            let diagnostic = Diagnostic::error("P1014", opener, message, format!("{word} starts here"));
            let found = format!("expected before {}", self.found());
            self.report_always(diagnostic.label(self.here(), found).help(help));
        } else {
            let diagnostic =
                Diagnostic::error("P1029", self.here(), format!("{} cannot end {word}", self.found()), "the wrong end");
            self.report_always(diagnostic.label(opener, format!("{word} starts here")).help(help));
            self.bump();
        }
    }
}
