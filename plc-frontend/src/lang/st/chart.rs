//! Sequential function charts as text: steps and transitions among the statements of a body.

use super::parser::Parser;
use super::pou::Frame;
use super::stmt::{MEMBER_ENDS, NEXT};
use crate::ast::{
    ActionBlock, ActionBody, Body, Chart, ChartStep, ChartTransition, Expr, ExprKind, Ident, Item, Literal, Qualifier, StmtKind,
};
use crate::lang::common::token::{Set, Tok};
use crate::text::Diagnostic;

/// Words that start a part of a chart; a name follows.
const ELEMENTS: &[&str] = &["TRANSITION", "STEP", "INITIAL_STEP"];

/// Tokens at which reading goes on behind a mistake in a step or transition.
const STOPS: Set = NEXT.or(MEMBER_ENDS);

impl Parser<'_> {
    /// Reads the body of a POU or of one of its members.
    pub(super) fn body(&mut self) -> Body {
        if let Some(instructions) = self.foreign_body() {
            return Body::Statements(instructions);
        }
        let outer = self.chart.take();
        let stmts = self.statements();
        let Some(chart) = std::mem::replace(&mut self.chart, outer) else { return Body::Statements(stmts) };
        if let Some(stray) = stmts.iter().find(|s| !matches!(s.kind, StmtKind::Empty | StmtKind::Error)) {
            let message = "statements stand beside a sequential function chart";
            let diagnostic = Diagnostic::error("P1036", stray.span, message, "runs in no step");
            let diagnostic = diagnostic.label(chart.span, "the chart");
            self.report_always(diagnostic.help("move them into an ACTION of the chart, or into a program of their own"));
        }
        Body::Chart(chart)
    }

    pub(super) fn at_chart_element(&mut self) -> bool {
        if !self.at(Tok::Word) || !self.at_any_word(ELEMENTS) {
            return false;
        }
        if self.peek(1).kind == Tok::LParen && self.at_word("TRANSITION") {
            // A transition without a name.
            let (word, sign) = (self.peek(2), self.peek(3));
            return sign.kind == Tok::Assign && self.text_of(self.span_of(word)).eq_ignore_ascii_case("PRIORITY");
        }
        self.peek(1).kind == Tok::Word
    }

    /// Reads a step or transition, if one starts here.
    pub(super) fn chart_element(&mut self) -> bool {
        if !self.at_chart_element() {
            return false;
        }
        let start = self.here();
        let mut chart = self.chart.take().unwrap_or(Chart { steps: Vec::new(), transitions: Vec::new(), span: start });
        if self.at_word("TRANSITION") {
            chart.transitions.extend(self.transition());
        } else {
            chart.steps.extend(self.step());
        }
        chart.span = chart.span.to(self.since(start));
        self.chart = Some(chart);
        true
    }

    /// Reads `STEP name: action(N); … END_STEP`
    fn step(&mut self) -> Option<ChartStep> {
        let initial = self.at_word("INITIAL_STEP");
        let frame = Frame { word: if initial { "INITIAL_STEP" } else { "STEP" }, end: Tok::EndStep, opener: self.here() };
        self.bump();
        let name = self.name("the name of a step");
        self.eat(Tok::Colon);
        let mut actions = Vec::new();
        while !self.at_set(MEMBER_ENDS) && !self.at(Tok::End) && !self.at_chart_element() && !self.at_member() {
            if self.is_lost() {
                self.skip_to(STOPS);
                self.found_again();
            }
            if self.eat(Tok::Semicolon) {
                continue;
            }
            if !self.at(Tok::Word) {
                if self.at_set(MEMBER_ENDS) || self.at(Tok::End) {
                    break;
                }
                self.expected("an action or END_STEP", "an action of a step is written `action(N);`");
                if self.at_set(STOPS) {
                    break;
                }
                continue;
            }
            actions.extend(self.action_block());
        }
        self.found_again();
        self.end_of_frame(frame);
        Some(ChartStep { name: name?, initial, actions, span: self.since(frame.opener) })
    }

    /// Reads `action(D, T#5s, indicator);`
    fn action_block(&mut self) -> Option<ActionBlock> {
        let start = self.here();
        let name = self.name("the name of an action")?;
        let (mut qualifier, mut is_bare, mut duration) = (Qualifier::NonStored, true, None);
        let open = self.here();
        if self.eat(Tok::LParen) && !self.eat(Tok::RParen) {
            (qualifier, is_bare) = (self.qualifier()?, false);
            if self.eat(Tok::Comma) {
                let place = self.here();
                let value = self.expression();
                if qualifier.is_timed() {
                    duration = Some(value);
                } else {
                    self.aside_items.push(Item::Unsupported("indicator variable of an action", self.since(place)));
                }
            }
            while !self.is_lost() && self.eat(Tok::Comma) {
                let place = self.here();
                self.expression();
                self.aside_items.push(Item::Unsupported("indicator variable of an action", self.since(place)));
            }
            self.close(Tok::RParen, open);
        }
        let span = self.since(start);
        if duration.is_none() && qualifier.is_timed() && !self.is_lost() {
            let diagnostic = Diagnostic::error("P1010", span, "this qualifier needs a time", "without a time");
            self.report(diagnostic.help("write it behind the qualifier: `action(D, T#5s);`"));
        }
        self.semicolon("this action");
        Some(ActionBlock { qualifier, is_bare, duration, action: ActionBody::Named(name), span })
    }

    fn qualifier(&mut self) -> Option<Qualifier> {
        let found = Qualifier::of_word(self.word()).filter(|_| self.at(Tok::Word));
        match found {
            Some(_) => {
                self.bump();
            }
            None => self.expected("a qualifier", "the qualifiers are N, R, S, L, D, P, P0, P1, SD, DS and SL"),
        }
        found
    }

    /// Reads `TRANSITION name (PRIORITY := 1) FROM a TO (b, c) := condition; END_TRANSITION`
    fn transition(&mut self) -> Option<ChartTransition> {
        const FORM: &str = "a transition is written `TRANSITION FROM a TO b := condition; END_TRANSITION`";
        let frame = self.open_frame("TRANSITION", Tok::EndTransition);
        let name = if self.at_word("FROM") || self.at(Tok::LParen) { None } else { self.name("the name of a transition") };
        let priority = self.priority();
        let mut condition = None;
        let (mut from, mut to) = (Vec::new(), Vec::new());
        if self.eat_word("FROM") {
            from = self.steps();
        } else {
            self.expected("FROM", FORM);
        }
        if self.expect(Tok::To, FORM) {
            to = self.steps();
        }
        let behind = self.here();
        if self.eat(Tok::Assign) {
            condition = Some(self.condition());
            self.semicolon("this condition");
        } else if self.eat(Tok::Colon) {
            // An instruction list or a network of another kind.
            while !self.at(Tok::End) && !self.at_set(MEMBER_ENDS) {
                self.bump();
            }
            let kind = ExprKind::Literal(None, Literal::Opaque("condition of a transition in another language"));
            condition = Some(Expr { kind, span: self.since(behind) });
        } else {
            self.expected("`:=`", FORM);
        }
        if self.is_lost() {
            while !self.at(Tok::End) && !self.at_set(STOPS) && !self.at_chart_element() && !self.at_member() {
                self.bump();
            }
            self.eat(Tok::Semicolon);
            self.found_again();
        }
        self.end_of_frame(frame);
        let span = self.since(frame.opener);
        Some(ChartTransition { name, priority, from, to, prelude: Vec::new(), condition: condition?, span })
    }

    /// Reads `(PRIORITY := 1)`
    fn priority(&mut self) -> Option<i128> {
        let open = self.here();
        if self.is_lost() || !self.eat(Tok::LParen) {
            return None;
        }
        if !self.eat_word("PRIORITY") {
            self.expected("PRIORITY", "a priority is written `(PRIORITY := 1)`");
            return None;
        }
        self.expect(Tok::Assign, "a priority is written `(PRIORITY := 1)`");
        let value = self.expression();
        self.close(Tok::RParen, open);
        if let ExprKind::Literal(_, Literal::Int(priority)) = value.kind {
            return Some(priority);
        }
        let diagnostic = Diagnostic::error("P1010", value.span, "a priority is a number", "not a number");
        self.report(diagnostic.help("write a number: 1 goes before 2"));
        None
    }

    /// Reads `a` or `(a, b)`
    fn steps(&mut self) -> Vec<Ident> {
        let open = self.here();
        if !self.eat(Tok::LParen) {
            return self.name("the name of a step").into_iter().collect();
        }
        let steps = self.with_commas(|p| p.name("the name of a step"));
        self.close(Tok::RParen, open);
        steps
    }
}
