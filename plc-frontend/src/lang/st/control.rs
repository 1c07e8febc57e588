//! Statements that hold statements: IF, CASE, FOR, WHILE, REPEAT.

use super::parser::{Block, Parser};
use super::stmt::{CLOSERS, ENDS, NEXT, OUTER, STARTS};
use crate::ast::{CaseArm, CaseLabel, LoopBounds, Name, Stmt, StmtKind};
use crate::lang::common::token::{Set, Tok};
use crate::text::{Diagnostic, Span};

const IF: Block = Block { start: Tok::If, awaits: &[Tok::Elsif, Tok::Else, Tok::EndIf], end: Tok::EndIf };
const CASE: Block = Block { start: Tok::Case, awaits: &[Tok::Else, Tok::EndCase], end: Tok::EndCase };
const FOR: Block = Block { start: Tok::For, awaits: &[Tok::EndFor], end: Tok::EndFor };
const WHILE: Block = Block { start: Tok::While, awaits: &[Tok::EndWhile], end: Tok::EndWhile };
const REPEAT: Block = Block { start: Tok::Repeat, awaits: &[Tok::Until, Tok::EndRepeat], end: Tok::EndRepeat };

/// Keywords between the head of a statement and its body.
const HINGES: Set = Set::of(&[Tok::Then, Tok::Do, Tok::Of]);

/// Tokens besides a name that a CASE label can start with.
const VALUES: Set = Set::of(&[Tok::Number, Tok::Typed, Tok::Minus, Tok::Plus, Tok::LParen, Tok::True, Tok::False, Tok::Text]);

impl Parser<'_> {
    pub(super) fn if_statement(&mut self) -> StmtKind {
        let opener = self.here();
        self.open.push(IF);
        let mut branches = Vec::new();
        let mut otherwise = Vec::new();
        let mut else_if = None;
        while self.at_any(&[Tok::If, Tok::Elsif]) {
            self.bump();
            let condition = self.condition();
            self.hinge(Tok::Then, "the condition");
            branches.push((condition, self.statements()));
            if self.at(Tok::Else) {
                let else_word = self.here();
                self.bump();
                else_if = self.at(Tok::If).then(|| else_word.to(self.here()));
                otherwise = self.statements();
            }
            if self.at(Tok::Elsif) && !otherwise.is_empty() {
                let diagnostic = Diagnostic::error("P1010", self.here(), "ELSIF cannot follow ELSE", "behind ELSE");
                self.report(diagnostic.help("move the ELSE branch to the end"));
            }
        }
        match else_if {
            Some(place) if !self.at(Tok::EndIf) => {
                self.open.pop();
                let message = "ELSE IF starts a second IF, which has no END_IF of its own";
                let diagnostic = Diagnostic::error("P1019", place, message, "ELSE IF").label(opener, "the first IF starts here");
                self.unended_statement(diagnostic.help("write `ELSIF` in one word"));
            }
            Some(_) | None => self.end(IF, opener),
        }
        branches.shrink_to_fit();
        StmtKind::If(branches, otherwise)
    }

    /// Reads `RETURN`, or `RETURN(condition)` of CODESYS and TwinCAT, which may assign: `RETURN(busy := step < 3)`.
    pub(super) fn return_statement(&mut self) -> StmtKind {
        let start = self.here();
        self.bump();
        if !self.at(Tok::LParen) {
            return StmtKind::Return;
        }
        let open = self.here();
        self.bump();
        let mut condition = self.tree().node;
        if !self.is_lost() && self.eat(Tok::Assign) {
            let value = self.expression();
            self.chained.push(StmtKind::Assign(condition.clone(), value));
        }
        self.close(Tok::RParen, open);
        if self.is_lost() {
            self.chained.clear();
            return StmtKind::Error;
        }
        condition.span = open.to(condition.span);
        let leave = Stmt { kind: StmtKind::Return, span: self.since(start) };
        StmtKind::If(vec![(condition, vec![leave])], Vec::new())
    }

    pub(super) fn while_statement(&mut self) -> StmtKind {
        let opener = self.here();
        self.bump();
        let condition = self.condition();
        self.hinge(Tok::Do, "the condition");
        let body = self.loop_body(WHILE, opener);
        StmtKind::While(condition, body)
    }

    pub(super) fn repeat_statement(&mut self) -> StmtKind {
        let opener = self.here();
        self.bump();
        self.open.push(REPEAT);
        let body = self.statements();
        if !self.eat(Tok::Until) {
            self.open.pop();
            let diagnostic = Diagnostic::error("P1014", opener, "this REPEAT has no UNTIL", "REPEAT starts here");
            self.unended_statement(diagnostic.help("end the loop with `UNTIL condition END_REPEAT;`"));
            self.eat(Tok::EndRepeat);
            return StmtKind::Error;
        }
        let condition = self.condition();
        if self.is_lost() {
            self.skip_to(NEXT);
            self.found_again();
        }
        self.eat(Tok::Semicolon);
        self.end(REPEAT, opener);
        StmtKind::Repeat(body, condition)
    }

    pub(super) fn for_statement(&mut self) -> StmtKind {
        let opener = self.here();
        self.bump();
        let control = self.control();
        let from = self.expression();
        self.expect(Tok::To, "a FOR loop is written `FOR i := 1 TO 10 DO … END_FOR;`");
        let to = self.expression();
        let by = self.eat(Tok::By).then(|| self.expression());
        self.hinge(Tok::Do, "the head of the loop");
        let body = self.loop_body(FOR, opener);
        match control {
            Some(control) => StmtKind::For { control, bounds: Box::new(LoopBounds { from, to, by }), body },
            None => StmtKind::Error,
        }
    }

    /// Reads `i :=`
    fn control(&mut self) -> Option<Name> {
        if !self.at(Tok::Word) {
            self.expected("the loop's variable", "a FOR loop is written `FOR i := 1 TO 10 DO … END_FOR;`");
            return None;
        }
        let name = self.path().node;
        if !self.eat_assign() {
            self.expect(Tok::Assign, "a FOR loop is written `FOR i := 1 TO 10 DO … END_FOR;`");
        }
        Some(name)
    }

    pub(super) fn case_statement(&mut self) -> StmtKind {
        let opener = self.here();
        self.bump();
        let selector = self.expression();
        self.hinge(Tok::Of, "the selector");
        self.open.push(CASE);
        let mut arms = Vec::new();
        let mut otherwise = Vec::new();
        let mut has_else = false;
        while !self.at(Tok::End) && !self.at_set(OUTER) {
            if self.region() {
                continue;
            }
            if self.at(Tok::Else) && !has_else {
                has_else = true;
                self.bump();
                if self.is_scl() {
                    self.eat(Tok::Colon);
                }
                otherwise = self.statements();
            } else if self.at_set(CLOSERS) {
                break;
            } else {
                if has_else {
                    let diagnostic = Diagnostic::error("P1010", self.here(), "a CASE label cannot follow ELSE", "behind ELSE");
                    self.report(diagnostic.help("move the ELSE branch to the end"));
                }
                arms.push(self.case_arm());
            }
        }
        self.end(CASE, opener);
        StmtKind::Case(selector, arms, otherwise)
    }

    fn case_arm(&mut self) -> CaseArm {
        let start = self.here();
        let labels = self.with_commas(|p| {
            let low = p.expression();
            let high = (!p.is_lost() && p.eat(Tok::DotDot)).then(|| p.expression());
            Some(CaseLabel { low, high })
        });
        let span = self.since(start);
        self.expect(Tok::Colon, "a branch of CASE is written `1, 3..5: statements`");
        CaseArm { labels, body: self.statements(), span }
    }

    /// Returns whether an arm of the innermost CASE starts here.
    pub(super) fn at_case_arm(&mut self) -> bool {
        if self.at_set(VALUES) {
            return self.open.contains(&CASE);
        }
        self.at(Tok::Word) && self.open.last() == Some(&CASE) && self.words_are_label()
    }

    /// Returns whether the words from here on are constants up to a `:`.
    fn words_are_label(&mut self) -> bool {
        const OPERANDS: Set = Set::of(&[Tok::Word, Tok::Number, Tok::Typed]);
        const OPERATORS: Set = Set::of(&[Tok::Dot, Tok::DotDot, Tok::Comma, Tok::Plus, Tok::Minus, Tok::Star, Tok::Slash]);
        /// Longer labels that begin with a name are not recognised: so reading stays linear.
        const LONGEST: usize = 1000;
        let mut previous = self.kind();
        for n in 1..LONGEST {
            let kind = self.peek(n).kind;
            let goes_on = OPERATORS.has(kind) || (OPERANDS.has(kind) && OPERATORS.has(previous));
            if !goes_on {
                return kind == Tok::Colon;
            }
            previous = kind;
        }
        false
    }

    fn loop_body(&mut self, block: Block, opener: Span) -> Vec<Stmt> {
        self.open.push(block);
        let body = self.statements();
        self.end(block, opener);
        body
    }

    /// Ends the innermost open statement, which is `block`.
    fn end(&mut self, block: Block, opener: Span) {
        self.open.pop();
        if self.eat(block.end) {
            return;
        }
        let (start, end) = (block.start.spelling(), block.end.spelling());
        if self.at_set(ENDS) && !self.is_awaited() {
            let message = format!("{} cannot end {start}", self.found());
            let diagnostic =
                Diagnostic::error("P1029", self.here(), message, "the wrong end").label(opener, format!("{start} starts here"));
            self.report(diagnostic.help(format!("write `{end}`")));
            self.bump();
            return;
        }
        let diagnostic = Diagnostic::error("P1014", opener, format!("this {start} has no {end}"), format!("{start} starts here"));
        self.unended_statement(diagnostic.help(format!("write `{end};` where it ends")));
    }

    /// Reports a statement without an end, unless the text is too deep.
    fn unended_statement(&mut self, diagnostic: Diagnostic) {
        if !self.overflowed {
            self.unended(diagnostic);
        }
    }

    /// Reads THEN, DO, OF.
    fn hinge(&mut self, kind: Tok, behind: &str) {
        let word = kind.spelling();
        if self.at(Tok::Semicolon) && self.peek(1).kind == kind {
            let diagnostic = Diagnostic::error("P1010", self.here(), format!("no `;` stands before {word}"), "superfluous");
            self.report(diagnostic.help("remove it"));
            self.bump();
        }
        if !self.is_lost() && !self.at(kind) {
            let starts_label = kind == Tok::Of && self.at_set(VALUES);
            let starts_body = self.at_any(&[Tok::Word, Tok::Semicolon, Tok::End]) || self.at_set(STARTS.or(CLOSERS).or(OUTER));
            if self.at_set(HINGES) {
                let message = format!("{} stands where {word} belongs", self.found());
                let diagnostic = Diagnostic::error("P1013", self.here(), message, "the wrong word");
                self.report(diagnostic.help(format!("write `{word}`")));
                self.bump();
                return;
            } else if starts_body || starts_label {
                let message = format!("{word} is missing after {behind}");
                let diagnostic = Diagnostic::error("P1013", self.after_prev(), message, "here");
                self.report(diagnostic.help(format!("write `{word}`")));
                return;
            }
            self.no_partner();
            self.expected(&format!("`{word}`"), "look for a bracket or an operator too many");
        }
        if self.is_lost() {
            self.skip_to(NEXT.or(Set::of(&[kind])));
            if !self.at(Tok::Semicolon) {
                self.found_again();
            }
        }
        self.eat(kind);
    }
}
