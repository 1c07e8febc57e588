//! PROGRAM, FUNCTION_BLOCK, FUNCTION, CLASS: headers, contents and ends.

use super::member::Members;
use super::parser::Parser;
use super::stmt::{NEXT, SECTIONS};
use crate::ast::{Access, Assumed, Body, Ident, Modifiers, Name, Pou, PouKind, Stmt, StmtKind, TypeSpec, TypeSpecKind, VarBlock};
use crate::lang::common::pragma;
use crate::lang::common::token::{Set, Tok};
use crate::text::{Diagnostic, Span};

/// Starts and ends of POUs.
pub(super) const POUS: &[(Tok, Tok, PouKind)] = &[
    (Tok::Program, Tok::EndProgram, PouKind::Program),
    (Tok::FunctionBlock, Tok::EndFunctionBlock, PouKind::FunctionBlock),
    (Tok::Function, Tok::EndFunction, PouKind::Function),
];

/// Tokens that start a new declaration of the file, or end the one around the POU.
const BEHIND_POU: Set = Set::of(&[Tok::Program, Tok::FunctionBlock, Tok::Function, Tok::Type, Tok::EndNamespace]);

/// Words for the access to a declaration.
pub(super) const ACCESS: &[(&str, Access)] =
    &[("PUBLIC", Access::Public), ("PROTECTED", Access::Protected), ("PRIVATE", Access::Private), ("INTERNAL", Access::Internal)];

/// Operators that are functions, too.
const OPERATORS: &[Tok] = &[Tok::And, Tok::Or, Tok::Xor, Tok::Not, Tok::Mod];

/// Parts of a POU between its header and its end.
#[derive(Default)]
pub(super) struct Contents {
    pub(super) vars: Vec<VarBlock>,
    pub(super) body: Option<Body>,
}

/// A construct with a body and an end of its own: its word, its last word.
#[derive(Clone, Copy)]
pub(super) struct Frame {
    pub(super) word: &'static str,
    pub(super) end: Tok,
    pub(super) opener: Span,
}

/// Returns the assumption about a POU that ends with its file.
fn complete(name: &Ident) -> Assumed {
    let reason = "it has no end of its own, so statements may be missing behind its last one";
    Assumed {
        is_cut: true,
        about: Vec::new(),
        condition: format!("the text of `{}` is complete", name.text),
        reason,
        span: name.span,
    }
}

impl Parser<'_> {
    /// Reads a POU; the current token is its first keyword.
    pub(super) fn pou(&mut self, kind: PouKind, end: Tok) -> Option<Pou> {
        let frame = Frame { word: self.kind().spelling(), end, opener: self.here() };
        self.bump();
        let pou = self.pou_behind(kind, frame)?;
        // Automation Studio declares the operators, too; their meaning is known.
        let is_operator = OPERATORS.iter().any(|tok| pou.name.text.eq_ignore_ascii_case(tok.spelling()));
        (!is_operator).then_some(pou)
    }

    /// Reads `CLASS name … END_CLASS`: a function block without a body.
    pub(super) fn class(&mut self) -> Option<Pou> {
        let frame = self.open_frame("CLASS", Tok::EndClass);
        self.pou_behind(PouKind::FunctionBlock, frame)
    }

    pub(super) fn pou_behind(&mut self, kind: PouKind, frame: Frame) -> Option<Pou> {
        let modifiers = self.modifiers();
        let name = self.pou_name(frame);
        let generic = self.generic_constants();
        let result = self.result(kind);
        let (extends, implements) = self.inheritance();
        self.one_base(&extends);
        self.end_of_header();
        let outer = std::mem::take(&mut self.members);
        let mut contents = self.contents();
        contents.vars.splice(0..0, generic);
        self.settle_timers(&mut contents.vars);
        let members = std::mem::replace(&mut self.members, outer);
        let mut assumed = Vec::new();
        if self.is_ended_by_file(frame) {
            assumed.extend(name.as_ref().map(complete));
            self.ended_by_file(frame, &mut contents);
        } else {
            self.end_of_pou(frame);
        }
        let Members { methods, properties, actions } = members;
        Some(Pou {
            modifiers,
            extends: extends.into_iter().next(),
            implements,
            result,
            vars: contents.vars,
            body: contents.body.unwrap_or_else(Body::empty),
            methods,
            properties,
            actions,
            optimized: self.optimized(frame.opener),
            assumed,
            ..Pou::new(kind, name?, self.since(frame.opener))
        })
    }

    /// Returns the value of `{ S7_Optimized_Access := … }` inside of the POU that started at `opener`.
    fn optimized(&self, opener: Span) -> Option<bool> {
        let inside = self.asides.pragmas.iter().rev().take_while(|span| opener.start <= span.start);
        let values = inside.filter_map(|span| {
            let words = self.text.get(span.start as usize + 1..span.end as usize - 1)?;
            pragma::value_of(words, "S7_Optimized_Access").map(|value| value.eq_ignore_ascii_case("TRUE"))
        });
        // The last value counts: it is the one behind the header.
        values.last()
    }

    /// Reads `: type` behind the name of a function.
    fn result(&mut self, kind: PouKind) -> Option<TypeSpec> {
        if kind != PouKind::Function || !self.eat(Tok::Colon) {
            return None;
        }
        let ty = self.type_spec();
        let is_void = matches!(&ty.kind, TypeSpecKind::Name(name) if name.text.eq_ignore_ascii_case("VOID"));
        Some(ty).filter(|_| !(is_void && self.is_scl()))
    }

    /// Reads the optional text behind a header, after mistakes too.
    pub(super) fn end_of_header(&mut self) {
        if self.is_lost() {
            self.skip_to(NEXT);
            self.found_again();
        }
        self.eat(Tok::Semicolon);
        self.header_lines();
    }

    /// Reads sections, members and statements, up to the end of the POU.
    fn contents(&mut self) -> Contents {
        let mut vars = Vec::new();
        loop {
            if self.at_set(SECTIONS) {
                vars.extend(self.var_block());
            } else if self.at_word("USING") && self.peek(1).kind == Tok::Word {
                // Inside of a POU it is valid for everything around the POU.
                self.using();
            } else if !self.unsupported_section() && !self.member() && !self.scl_section(&mut vars) {
                break;
            }
        }
        if self.is_scl() {
            self.note_timers(&vars);
        }
        self.begin();
        let body = self.body();
        vars.append(&mut self.misplaced_vars);
        Contents { vars, body: Some(body) }
    }

    /// Reads PUBLIC, ABSTRACT … in front of a name; the last word before another token is the name.
    pub(super) fn modifiers(&mut self) -> Modifiers {
        let mut modifiers = Modifiers::default();
        while self.at(Tok::Word) && self.peek(1).kind == Tok::Word {
            if let Some(access) = self.access_word() {
                modifiers.access = access;
            } else if self.at_word("ABSTRACT") {
                modifiers.is_abstract = true;
            } else if self.at_word("FINAL") {
                modifiers.is_final = true;
            } else if self.at_word("OVERRIDE") {
                modifiers.is_override = true;
            } else {
                break;
            }
            self.bump();
        }
        modifiers
    }

    /// Returns the access that the current word gives.
    pub(super) fn access_word(&self) -> Option<Access> {
        ACCESS.iter().find(|(word, _)| self.at_word(word)).map(|(_, access)| *access)
    }

    /// Reads the name of a POU; the start of a statement on the next line is no name.
    fn pou_name(&mut self, frame: Frame) -> Option<Ident> {
        const USES: Set = Set::of(&[Tok::Assign, Tok::LParen, Tok::Dot, Tok::LBracket, Tok::Caret]);
        let is_on_its_line = !self.text_of(Span { end: self.here().start, ..frame.opener }).contains('\n');
        if self.at(Tok::Word) && !is_on_its_line && USES.has(self.peek(1).kind) {
            let place = self.after_prev();
            let help = format!("write `{} name`", frame.word);
            self.report(Diagnostic::error("P1010", place, "the name is missing", "here").help(help));
            return None;
        }
        if self.at_any(OPERATORS) && self.peek(1).kind == Tok::Colon {
            let token = self.bump();
            return Some(self.ident(token));
        }
        self.name("a name")
    }

    /// Reports a second base: blocks and structures inherit from one other at most.
    pub(super) fn one_base(&mut self, extends: &[Name]) {
        if let Some(second) = extends.get(1) {
            let diagnostic = Diagnostic::error("P1010", second.span, "only one other can be extended", "the second");
            self.report(diagnostic.help("keep one; interfaces are named behind IMPLEMENTS"));
        }
    }

    /// Reads paths with commas between them.
    pub(super) fn paths(&mut self) -> Vec<Name> {
        self.with_commas(|p| p.at(Tok::Word).then(|| p.path().node))
    }

    /// Reads EXTENDS and IMPLEMENTS.
    pub(super) fn inheritance(&mut self) -> (Vec<Name>, Vec<Name>) {
        let (mut extends, mut implements) = (Vec::new(), Vec::new());
        while self.at_any_word(&["EXTENDS", "IMPLEMENTS"]) && self.peek(1).kind == Tok::Word {
            let list = if self.at_word("EXTENDS") { &mut extends } else { &mut implements };
            self.bump();
            list.extend(self.with_commas(|p| {
                let base = p.at(Tok::Word).then(|| p.path().node)?;
                p.generic_arguments();
                Some(base)
            }));
        }
        (extends, implements)
    }

    /// Eats the first word of a construct.
    pub(super) fn open_frame(&mut self, word: &'static str, end: Tok) -> Frame {
        let opener = self.here();
        self.bump();
        Frame { word, end, opener }
    }

    /// Returns whether the end of the file ends this POU: it is the only one of the file, and nothing in the file is wrong.
    fn is_ended_by_file(&self, frame: Frame) -> bool {
        let may_lack = self.is_first_item && !self.is_piece && !self.is_scl() && frame.end != Tok::EndClass;
        may_lack && self.at(Tok::End) && !self.is_lost() && !self.asides.findings.has_errors()
    }

    /// Ends a POU at the end of its file, as CODESYS writes the texts of POUs.
    ///
    /// Soundness: a body without any statement may be one that the file lost, so it is a gap.
    fn ended_by_file(&mut self, frame: Frame, contents: &mut Contents) {
        let end = frame.end.spelling();
        let message = format!("this {} has no {end}: it ends with the file", frame.word);
        let diagnostic = Diagnostic::error("P1014", frame.opener, message, format!("{} starts here", frame.word)).warning();
        self.report_always(
            diagnostic.help(format!("write `{end}` behind its last statement, and see that nothing is missing there")),
        );
        if contents.body.as_ref().is_none_or(|body| body.stmts().is_empty() && matches!(body, Body::Statements(_))) {
            let kind = StmtKind::Unsupported("body without statements and without an end".into());
            contents.body = Some(Body::Statements(vec![Stmt { kind, span: self.after_prev() }]));
        }
    }

    fn end_of_pou(&mut self, frame: Frame) {
        if self.at(frame.end) || self.at(Tok::End) || self.at_set(BEHIND_POU) || self.at_scl_item() {
            self.end_of_frame(frame);
        } else {
            self.wrong_end(frame);
        }
    }

    /// Reports that the current word ends another construct, and eats it.
    pub(super) fn wrong_end(&mut self, frame: Frame) {
        let message = format!("{} cannot end {}", self.found(), frame.word);
        let diagnostic = Diagnostic::error("P1029", self.here(), message, "the wrong end");
        let diagnostic = diagnostic.label(frame.opener, format!("{} starts here", frame.word));
        self.report_always(diagnostic.help(format!("write `{}` where it ends", frame.end.spelling())));
        self.bump();
        self.eat(Tok::Semicolon);
    }

    /// Eats the last word of a construct, or reports that it is missing. Pieces of a program need none.
    pub(super) fn end_of_frame(&mut self, frame: Frame) {
        let end = frame.end.spelling();
        let is_ended = self.eat(frame.end) || (self.is_piece && self.at(Tok::End));
        if !is_ended {
            self.missing_end(frame.opener, frame.word, end, &format!("write `{end}` where it ends"));
        }
        self.eat(Tok::Semicolon);
    }

    /// Reports that the construct at `opener` has no end, and shows the place before which its end was expected.
    pub(super) fn missing_end(&mut self, opener: Span, word: &str, end: &str, help: &str) {
        let message = format!("this {word} has no {end}");
        let starts = if word.starts_with(|c: char| c.is_lowercase()) { format!("the {word}") } else { word.to_owned() };
        let diagnostic = Diagnostic::error("P1014", opener, message, format!("{starts} starts here"));
        self.unended(diagnostic.help(help));
    }

    /// Reports a construct without an end, with the place before which its end was expected.
    pub(super) fn unended(&mut self, diagnostic: Diagnostic) {
        let found = format!("expected before {}", self.found());
        self.report_always(diagnostic.label(self.here(), found));
    }
}
