//! Statements that begin with a name, lists of statements, and recovery between them.

use super::decl::SECTION_WORDS;
use super::parser::Parser;
use super::unsupported::{not_modelled, unsupported_function};
use crate::ast::{Arg, Expr, ExprKind, Literal, Name, Notation, RefAssign, Stmt, StmtKind};
use crate::lang::common::token::{Set, Tok};
use crate::text::{Diagnostic, Span};

type Read = fn(&mut Parser<'_>) -> StmtKind;

/// Keywords that start a statement, and how to read it.
const STATEMENTS: &[(Tok, Read)] = &[
    (Tok::If, |p| p.if_statement()),
    (Tok::Case, |p| p.case_statement()),
    (Tok::For, |p| p.for_statement()),
    (Tok::While, |p| p.while_statement()),
    (Tok::Repeat, |p| p.repeat_statement()),
    (Tok::Exit, |p| p.word_statement(StmtKind::Exit)),
    (Tok::Continue, |p| p.word_statement(StmtKind::Continue)),
    (Tok::Return, |p| p.return_statement()),
];

/// Keywords that start a statement which holds statements.
const OPENS: Set = Set::of(&[Tok::If, Tok::Case, Tok::For, Tok::While, Tok::Repeat]);
/// Keywords that start a statement.
pub(super) const STARTS: Set = Set::of(&[Tok::Exit, Tok::Continue, Tok::Return]).or(OPENS);
/// Keywords that end a list of statements inside a statement.
pub(super) const CLOSERS: Set = Set::of(&[Tok::Else, Tok::Elsif, Tok::Until]).or(ENDS);
/// Keywords that end a statement.
pub(super) const ENDS: Set = Set::of(&[Tok::EndIf, Tok::EndCase, Tok::EndFor, Tok::EndWhile, Tok::EndRepeat]);
/// Keywords that can stand only outside of statements.
pub(super) const OUTER: Set = Set::of(&[
    Tok::Program,
    Tok::EndProgram,
    Tok::Function,
    Tok::EndFunction,
    Tok::FunctionBlock,
    Tok::EndFunctionBlock,
    Tok::Type,
    Tok::EndType,
    Tok::EndClass,
    Tok::EndInterface,
    Tok::EndNamespace,
    Tok::EndConfiguration,
    Tok::EndResource,
    Tok::EndOrganizationBlock,
    Tok::EndDataBlock,
])
.or(MEMBER_ENDS);
/// Keywords that end a part of a POU.
pub(super) const MEMBER_ENDS: Set = Set::of(&[
    Tok::EndMethod,
    Tok::EndProperty,
    Tok::EndGet,
    Tok::EndSet,
    Tok::EndAction,
    Tok::EndActions,
    Tok::EndStep,
    Tok::EndTransition,
]);
/// Keywords that start a declaration section.
pub(super) const SECTIONS: Set = Set::of_rows(SECTION_WORDS);

/// Tokens that cannot stand among declarations.
pub(super) const BEYOND: Set = STARTS.or(OUTER).or(SECTIONS);
/// Tokens at which reading goes on behind a mistake in a statement.
pub(super) const NEXT: Set = Set::of(&[Tok::Semicolon]).or(CLOSERS).or(BEYOND);

/// Words of assignments, directly before `=`.
const OTHER_ASSIGNMENTS: &[(&str, RefAssign)] = &[("S", RefAssign::Set), ("R", RefAssign::Reset), ("REF", RefAssign::Reference)];

impl Parser<'_> {
    /// Reads statements up to a keyword that some open construct waits for.
    pub(super) fn statements(&mut self) -> Vec<Stmt> {
        let mut list = Vec::new();
        self.add_statements(&mut list);
        // Trees are kept for long, and most lists are short.
        list.shrink_to_fit();
        list
    }

    fn add_statements(&mut self, list: &mut Vec<Stmt>) {
        loop {
            self.find_again();
            self.assertions(list);
            if self.region() {
                continue;
            }
            if self.at_set(MEMBER_ENDS) && !self.in_member {
                self.stray_closer();
                continue;
            }
            if self.at_scl_item() || (self.is_headless && self.at_next_item()) {
                return;
            }
            if self.at(Tok::End) || self.at_set(OUTER) || self.at_awaited_closer() || self.at_case_arm() {
                return;
            }
            if self.at_set(CLOSERS) {
                self.stray_closer();
            } else if self.at_set(SECTIONS) || self.at(Tok::EndVar) {
                self.misplaced_section();
            } else if self.chart_element() {
                continue;
            } else if let Some(statement) = self.try_statement() {
                list.push(statement);
            } else if self.in_member && self.at_member() {
                return;
            } else if !self.member() {
                let statement = self.statement();
                let span = statement.span;
                list.extend(self.chained.drain(..).map(|kind| Stmt { kind, span }));
                list.push(statement);
            }
        }
    }

    /// Ends the search for the start of a statement.
    fn find_again(&mut self) {
        self.recover(NEXT.or(Set::of(&[Tok::EndVar])));
    }

    fn statement(&mut self) -> Stmt {
        let start = self.here();
        if self.eat(Tok::Semicolon) {
            return Stmt { kind: StmtKind::Empty, span: start };
        }
        let word = self.kind();
        let read = STATEMENTS.iter().find(|(tok, _)| *tok == word).map(|(_, read)| read);
        let kind = match read {
            Some(read) => self.deeper(read).unwrap_or_else(|| {
                self.skip_block();
                StmtKind::Error
            }),
            None if self.at_any(&[Tok::Word, Tok::Address]) || self.at_global() => self.named_statement(),
            None => {
                self.unexpected();
                StmtKind::Error
            }
        };
        let span = self.since(start);
        // Many systems need no semicolon behind END_IF and the like; behind a label there is none.
        let ends_itself = OPENS.has(word) || matches!(kind, StmtKind::Label(..));
        if !ends_itself && !matches!(kind, StmtKind::Error) {
            self.semicolon("this statement");
        } else if !self.is_lost() {
            self.eat(Tok::Semicolon);
        }
        Stmt { kind, span }
    }

    fn word_statement(&mut self, kind: StmtKind) -> StmtKind {
        self.bump();
        kind
    }

    /// Reports a token that starts no statement.
    fn unexpected(&mut self) {
        if !self.no_partner() {
            self.expected("a statement", "a statement starts with a variable, a call, or a word like IF");
        }
        if !self.at(Tok::Semicolon) {
            self.bump();
        }
    }

    fn named_statement(&mut self) -> StmtKind {
        if self.at_any_word(&["GOTO", "JMP"]) && self.peek(1).kind == Tok::Word {
            self.bump();
            let label = self.bump();
            return StmtKind::Goto(self.ident(label), Notation::StructuredText);
        }
        if self.at_absolute_access() {
            return self.absolute_assignment();
        }
        let start = self.here();
        let target = if self.at(Tok::Word) || self.at_global() {
            let (name, args) = self.use_of_name();
            if let Some(words) = self.unmodelled_access(start) {
                return self.unmodelled_assignment(words);
            }
            if let Some(args) = args {
                return self.call_statement(name.node, args.node);
            }
            Expr { kind: ExprKind::Name(name.node), span: self.since(start) }
        } else {
            self.expression()
        };
        if self.is_lost() {
            return StmtKind::Error;
        }
        if let ExprKind::Literal(None, Literal::Opaque(words)) = target.kind {
            return self.unmodelled_assignment(words);
        }
        self.behind_target(target)
    }

    fn call_statement(&mut self, mut name: Name, args: Vec<Arg>) -> StmtKind {
        if self.is_lost() {
            return StmtKind::Error;
        }
        if self.at(Tok::Assign) {
            let place = name.span;
            let diagnostic = Diagnostic::error("P1032", place, "the result of a call cannot be assigned", "a call");
            self.fail(diagnostic.help("assign a variable, or a part of what the call returns"));
            return StmtKind::Error;
        }
        if let Some(words) = not_modelled(&name, &args) {
            return StmtKind::Unsupported(words.into());
        }
        self.generic_timer(&mut name);
        match unsupported_function(&name) {
            Some(words) => StmtKind::Unsupported(words.into()),
            None => StmtKind::Call(name, args),
        }
    }

    fn behind_target(&mut self, target: Expr) -> StmtKind {
        let op = self.here();
        if self.eat(Tok::Assign) {
            return self.assigned(target);
        }
        if self.at_any(&[Tok::Eq, Tok::EqEq]) {
            let diagnostic =
                Diagnostic::error("P1016", op, format!("{} compares; this statement does nothing", self.found()), "a comparison");
            self.report(diagnostic.help("write `:=` to assign"));
            self.bump();
            return self.assigned(target);
        }
        if self.at(Tok::Compound) {
            if self.is_scl() {
                return self.compound(target);
            }
            let sign = self.word().trim_end_matches('=');
            let words = self.text_of(target.span);
            let diagnostic = Diagnostic::error(
                "P1018",
                op,
                format!("`{sign}=` is not an operator of Structured Text"),
                "an operator of another language",
            );
            self.report(diagnostic.help(format!("write `{words} := {words} {sign} …`")));
            self.bump();
            self.expression();
            return StmtKind::Error;
        }
        if let Some(how) = self.other_assignment() {
            let value = self.expression();
            return if self.is_lost() { StmtKind::Error } else { StmtKind::RefAssign(how, target, value) };
        }
        if self.at_word("ACCESS") {
            return self.access(target);
        }
        if let (true, ExprKind::Name(name)) = (self.at(Tok::Colon), &target.kind)
            && name.path.is_empty()
        {
            self.bump();
            return StmtKind::Label(name.root.clone(), Notation::StructuredText);
        }
        if self.at(Tok::Semicolon) && !self.is_word_of_another_language(target.span) {
            let words = self.text_of(target.span);
            let message = format!("`{words}` alone does nothing");
            let diagnostic = Diagnostic::error("P1033", target.span, message, "neither assigned nor called").warning();
            self.report(diagnostic.help(format!("write `{words} := …;` to assign or `{words}(…);` to call")));
            return StmtKind::Value(target);
        }
        self.not_a_statement(target.span);
        StmtKind::Error
    }

    fn assigned(&mut self, target: Expr) -> StmtKind {
        let value = self.expression();
        if self.is_lost() {
            return StmtKind::Error;
        }
        // `a := b := c`: first `b := c`, then `a := b`.
        let mut targets = vec![target];
        let mut value = value;
        while self.eat(Tok::Assign) {
            targets.push(value);
            value = self.expression();
            if self.is_lost() {
                return StmtKind::Error;
            }
        }
        while let Some(target) = targets.pop() {
            if targets.is_empty() {
                return StmtKind::Assign(target, value);
            }
            self.chained.push(StmtKind::Assign(target.clone(), value));
            value = target;
        }
        StmtKind::Error
    }

    /// Eats `S=`, `R=`, `REF=` or `?=`.
    fn other_assignment(&mut self) -> Option<RefAssign> {
        if self.eat(Tok::TryAssign) {
            return Some(RefAssign::Attempt);
        }
        let (_, how) = OTHER_ASSIGNMENTS.iter().find(|(word, _)| self.at_word(word))?;
        let next = self.peek(1);
        if next.kind != Tok::Eq || next.start != self.token().end {
            return None;
        }
        self.bump();
        self.bump();
        Some(*how)
    }

    fn is_word_of_another_language(&self, place: Span) -> bool {
        let words = self.text_of(place);
        words.eq_ignore_ascii_case("END") || words.eq_ignore_ascii_case("BREAK")
    }

    /// Reports a variable alone, with the statement that is probably meant.
    fn not_a_statement(&mut self, place: Span) {
        let words = self.text_of(place);
        if self.is_word_of_another_language(place) {
            let meant = if words.eq_ignore_ascii_case("BREAK") { "EXIT" } else { "the full word: END_IF, END_FOR …" };
            let diagnostic = Diagnostic::error("P1018", place, format!("`{words}` is not a word of Structured Text"), "here");
            self.fail(diagnostic.help(format!("write {meant}")));
            return;
        }
        let message = format!("`{words}` alone is not a statement");
        let diagnostic = Diagnostic::error("P1033", place, message, "neither assigned nor called");
        self.fail(diagnostic.help(format!("write `{words} := …;` to assign or `{words}(…);` to call")));
        self.found_again_on_new_line();
    }

    /// Goes on at the next token if it stands on a new line and may start a statement.
    fn found_again_on_new_line(&mut self) {
        let gap = Span { end: self.here().start, ..self.after_prev() };
        if self.at(Tok::Word) && self.text_of(gap).contains('\n') {
            self.found_again();
        }
    }

    /// Reports END_IF without IF and the like.
    fn stray_closer(&mut self) {
        let word = self.kind().spelling();
        let diagnostic =
            Diagnostic::error("P1015", self.here(), format!("this {word} belongs to no open statement"), "nothing to end here");
        self.report(diagnostic.help("remove it, or add the start of the statement it ends"));
        let was = self.bump();
        if was.kind == Tok::Elsif || was.kind == Tok::Until {
            self.expression();
            self.eat(Tok::Then);
        }
        self.eat(Tok::Semicolon);
    }

    /// Returns whether an open statement goes on or ends here, with the right or the wrong word.
    fn at_awaited_closer(&self) -> bool {
        self.is_awaited() || (self.at_set(ENDS) && !self.open.is_empty())
    }
    /// Returns whether an open statement waits for this keyword.
    pub(super) fn is_awaited(&self) -> bool {
        self.at_set(CLOSERS) && self.open.iter().rev().any(|block| block.awaits.contains(&self.kind()))
    }

    /// Reads VAR among statements, and reports it.
    fn misplaced_section(&mut self) {
        let start = self.here();
        if self.at(Tok::EndVar) {
            self.report(
                Diagnostic::error("P1015", start, "this END_VAR ends no declarations", "nothing to end here").help("remove it"),
            );
            self.bump();
            self.eat(Tok::Semicolon);
            return;
        }
        let diagnostic =
            Diagnostic::error("P1023", start, "declarations stand before all statements", "after the first statement");
        self.report(diagnostic.help("move this section up"));
        let section = self.var_block();
        self.misplaced_vars.extend(section);
    }

    /// Skips a statement that is too deep, with all that stands in it.
    fn skip_block(&mut self) {
        let mut inside = 0_usize;
        while !self.at(Tok::End) && !self.at_set(OUTER) {
            if self.at_set(OPENS) {
                inside += 1;
            } else if self.at_set(ENDS) {
                inside = inside.saturating_sub(1);
            }
            self.bump();
            if inside == 0 {
                return;
            }
        }
    }
}
