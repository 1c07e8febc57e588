//! Members of POUs: methods, properties, actions.

use super::parser::Parser;
use super::pou::Frame;
use super::stmt::{MEMBER_ENDS, SECTIONS};
use crate::ast::{ActionDecl, Body, Ident, Method, Property, TypeSpec, TypeSpecKind, VarBlock};
use crate::lang::common::token::{Set, Tok};
use crate::text::Diagnostic;

/// Words that start a part of a POU; a name follows.
const MEMBERS: &[&str] = &["METHOD", "PROPERTY", "ACTION"];

/// The members of a POU or interface, as far as they are read.
#[derive(Default)]
pub(super) struct Members {
    pub(super) methods: Vec<Method>,
    pub(super) properties: Vec<Property>,
    pub(super) actions: Vec<ActionDecl>,
}

/// Form of a method: with or without a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// In a POU.
    Whole,
    /// In an interface.
    Prototype,
}

impl Parser<'_> {
    pub(super) fn at_member(&mut self) -> bool {
        self.at(Tok::Word) && self.at_any_word(MEMBERS) && (self.peek(1).kind == Tok::Word || self.is_keyword_named())
    }

    /// Returns whether a keyword with a type stands where a name is missing: `METHOD Do : BOOL`.
    fn is_keyword_named(&mut self) -> bool {
        let next = self.peek(1);
        let span = self.span_of(next);
        self.text_of(span).starts_with(|c: char| c.is_ascii_alphabetic()) && self.peek(2).kind == Tok::Colon
    }

    /// Returns whether a member with this first word stands here.
    pub(super) fn at_member_word(&mut self, word: &str) -> bool {
        self.at_member() && self.at_word(word)
    }

    /// Reads a member of the POU, if one starts here.
    pub(super) fn member(&mut self) -> bool {
        if !self.at_member() {
            return false;
        }
        if self.at_word("METHOD") {
            let method = self.method(Form::Whole);
            self.members.methods.extend(method);
        } else if self.at_word("PROPERTY") {
            let property = self.property(Form::Whole);
            self.members.properties.extend(property);
        } else {
            let action = self.action();
            self.members.actions.extend(action);
        }
        true
    }

    /// Reads `METHOD PUBLIC name : type … END_METHOD`; the current token is METHOD.
    pub(super) fn method(&mut self, form: Form) -> Option<Method> {
        let frame = self.open_frame("METHOD", Tok::EndMethod);
        let modifiers = self.modifiers();
        let name = self.name("the name of a method");
        let result = (!self.is_lost() && self.eat(Tok::Colon)).then(|| self.type_spec());
        self.end_of_header();
        let (vars, body) = self.member_contents(form);
        self.end_of_member(frame, form);
        Some(Method { name: name?, modifiers, result, vars, body, span: self.since(frame.opener) })
    }

    /// Reads `PROPERTY PUBLIC name : type GET … END_GET SET … END_SET END_PROPERTY`; the current token is PROPERTY.
    pub(super) fn property(&mut self, form: Form) -> Option<Property> {
        let frame = self.open_frame("PROPERTY", Tok::EndProperty);
        let modifiers = self.modifiers();
        let name = self.name("the name of a property");
        let ty = if self.expect(Tok::Colon, "a property is written `PROPERTY name : type`") {
            self.type_spec()
        } else {
            TypeSpec { kind: TypeSpecKind::Error, span: self.after_prev() }
        };
        self.end_of_header();
        let (mut getter, mut setter) = (None, None);
        loop {
            let modifiers_start = self.here();
            let modifiers = self.modifiers();
            let is_getter = self.at_word("GET");
            if !is_getter && !self.at_word("SET") {
                break;
            }
            let word = self.here();
            self.bump();
            self.eat(Tok::Semicolon);
            let end = if is_getter { Tok::EndGet } else { Tok::EndSet };
            let frame = Frame { word: if is_getter { "GET" } else { "SET" }, end, opener: word };
            let (vars, body) = self.member_contents(form);
            if form == Form::Whole || self.at(end) {
                self.end_of_member(frame, form);
            }
            let Some(name) = &name else { continue };
            let name = Ident { text: name.text.clone(), span: word };
            let method = Method { name, modifiers, result: None, vars, body, span: self.since(modifiers_start) };
            let slot = if is_getter { &mut getter } else { &mut setter };
            if slot.is_some() {
                let message = format!("this property has two {}s", frame.word);
                self.report(Diagnostic::error("P1010", word, message, "the second").help("remove one of them"));
            }
            *slot = Some(method);
        }
        self.end_of_member(frame, form);
        Some(Property { name: name?, modifiers, ty, getter, setter, span: self.since(frame.opener) })
    }

    /// Reads `ACTION name: … END_ACTION`; the current token is ACTION.
    pub(super) fn action(&mut self) -> Option<ActionDecl> {
        let frame = self.open_frame("ACTION", Tok::EndAction);
        self.modifiers();
        let name = self.name("the name of an action");
        self.eat(Tok::Colon);
        self.end_of_header();
        let body = self.member_body();
        self.end_of_member(frame, Form::Whole);
        Some(ActionDecl { name: name?, body, span: self.since(frame.opener) })
    }

    /// Reads declaration sections of a member, and its body.
    fn member_contents(&mut self, form: Form) -> (Vec<VarBlock>, Option<Body>) {
        let mut vars = self.sections();
        if form == Form::Prototype
            && (self.at_any(&[Tok::End, Tok::EndMethod, Tok::EndGet, Tok::EndSet]) || self.ends_prototype())
        {
            return (vars, None);
        }
        let place = self.here();
        let misplaced = std::mem::take(&mut self.misplaced_vars);
        let body = self.member_body();
        vars.append(&mut std::mem::replace(&mut self.misplaced_vars, misplaced));
        if form == Form::Prototype && !body.stmts().is_empty() {
            let message = "a method of an interface has no statements";
            let diagnostic = Diagnostic::error("P1010", place, message, "statements of a prototype");
            self.report(diagnostic.help("move them to the function block that implements the interface"));
        }
        (vars, Some(body).filter(|_| form == Form::Whole))
    }

    /// Reads the statements of a member; the next member ends them.
    fn member_body(&mut self) -> Body {
        let was_inside = std::mem::replace(&mut self.in_member, true);
        let open = std::mem::take(&mut self.open);
        let body = self.body();
        self.open = open;
        self.in_member = was_inside;
        body
    }

    /// Returns whether the next part of an interface starts here, or its end.
    fn ends_prototype(&mut self) -> bool {
        const ENDS: Set = Set::of(&[Tok::EndProperty, Tok::EndInterface]);
        self.at_set(ENDS) || self.at_member() || self.at_any_word(&["GET", "SET"])
    }

    /// Reads the sections that stand here.
    pub(super) fn sections(&mut self) -> Vec<VarBlock> {
        let mut vars = Vec::new();
        while self.at_set(SECTIONS) || self.unsupported_section() {
            if self.at_set(SECTIONS) {
                vars.extend(self.var_block());
            }
        }
        vars
    }

    /// Reads the last word of a member; prototypes may have none.
    fn end_of_member(&mut self, frame: Frame, form: Form) {
        if !self.at(frame.end) && form == Form::Prototype && self.ends_prototype() {
            return;
        }
        let is_around = self.at(Tok::EndProperty) && (frame.end == Tok::EndGet || frame.end == Tok::EndSet);
        if !self.at(frame.end) && self.at_set(MEMBER_ENDS) && !is_around {
            self.wrong_end(frame);
        } else {
            self.end_of_frame(frame);
        }
    }
}
