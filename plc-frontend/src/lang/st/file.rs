//! Files and the declarations in them; namespaces and interfaces.

use super::member::{Form, Members};
use super::parser::Parser;
use super::pou::{Frame, POUS};
use super::stmt::{CLOSERS, OUTER, SECTIONS};
use crate::ast::{Ident, Interface, Item, Name, Namespace, Pou, PouKind};
use crate::lang::common::token::{Set, Tok};
use crate::text::{Diagnostic, Span};

/// Words that start a declaration of a file; a name follows.
const NAMED_ITEMS: &[&str] = &["CLASS", "INTERFACE", "USING", "CONFIGURATION", "RESOURCE"];

/// Most levels of namespaces; a deeper one counts as the one around it.
const DEEPEST_NAMESPACE: usize = 32;

/// A namespace whose end is not read yet.
struct OpenNamespace {
    /// `None` if it is too deep to be one of its own.
    name: Option<Name>,
    opener: Span,
    /// Declarations before it, in the namespace around it.
    around: Vec<Item>,
}

impl Parser<'_> {
    /// Reads all declarations of the file.
    pub(super) fn items(&mut self) -> Vec<Item> {
        let mut items = Vec::new();
        let mut open: Vec<OpenNamespace> = Vec::new();
        while !self.at(Tok::End) {
            self.found_again();
            self.overflowed = false;
            self.skip_attribute();
            if self.at_word("NAMESPACE") && self.peek(1).kind == Tok::Word {
                self.open_namespace(&mut open, &mut items);
            } else if self.at(Tok::EndNamespace) && !open.is_empty() {
                self.bump();
                self.eat(Tok::Semicolon);
                self.close_namespace(&mut open, &mut items);
            } else {
                self.item(&mut items);
                items.append(&mut self.aside_items);
            }
            self.misplaced_assertions();
        }
        if let Some(namespace) = open.last() {
            let frame = Frame { word: "NAMESPACE", end: Tok::EndNamespace, opener: namespace.opener };
            self.end_of_frame(frame);
        }
        while !open.is_empty() {
            self.close_namespace(&mut open, &mut items);
        }
        self.misplaced_assertions();
        items
    }

    fn open_namespace(&mut self, open: &mut Vec<OpenNamespace>, items: &mut Vec<Item>) {
        let opener = self.here();
        self.bump();
        self.modifiers();
        let name = self.at(Tok::Word).then(|| self.path().node);
        self.eat(Tok::Semicolon);
        let is_too_deep = DEEPEST_NAMESPACE <= open.len();
        if open.len() == DEEPEST_NAMESPACE {
            let message = format!("namespaces are nested more than {DEEPEST_NAMESPACE} levels deep");
            let diagnostic = Diagnostic::error("P1020", opener, message, "one level too many");
            self.report(diagnostic.help("write `NAMESPACE a.b.c` instead of namespaces inside of each other"));
        }
        let around = if is_too_deep { Vec::new() } else { std::mem::take(items) };
        open.push(OpenNamespace { name: name.filter(|_| !is_too_deep), opener, around });
    }

    fn close_namespace(&mut self, open: &mut Vec<OpenNamespace>, items: &mut Vec<Item>) {
        let Some(namespace) = open.pop() else { return };
        let Some(name) = namespace.name else { return };
        let span = self.since(namespace.opener);
        let inside = std::mem::replace(items, namespace.around);
        items.push(Item::Namespace(Namespace { name, items: inside, span }));
    }

    fn item(&mut self, items: &mut Vec<Item>) {
        if self.eat(Tok::Semicolon) || self.at(Tok::End) {
            return;
        }
        self.is_first_item = items.iter().all(|item| matches!(item, Item::Using(_)));
        if let Some((_, end, kind)) = POUS.iter().find(|(start, _, _)| self.at(*start)) {
            items.extend(self.pou(*kind, *end).map(Item::Pou));
        } else if self.at(Tok::Type) {
            self.type_block(items);
        } else if self.at(Tok::VarGlobal) {
            items.extend(self.var_block().map(Item::Globals));
        } else if self.at_any(&[Tok::VarConfig, Tok::VarAccess]) {
            items.extend(self.lone_section().map(Item::Configuration));
        } else if self.at_set(SECTIONS) {
            self.headless_program(items);
        } else if self.at_member() {
            self.detached_member(items);
        } else if self.at_scl_item() {
            self.scl_item(items);
        } else if self.unsupported_section() || self.named_item(items) || self.unsupported_item() {
            // Read.
        } else if self.at_headless_statement() {
            self.headless_program(items);
        } else {
            self.stray_token();
        }
    }

    /// Reads declarations whose first word is no keyword.
    fn named_item(&mut self, items: &mut Vec<Item>) -> bool {
        if !self.at_named_item() {
            return false;
        }
        if self.at_word("CLASS") {
            items.extend(self.class().map(Item::Pou));
        } else if self.at_word("INTERFACE") {
            items.extend(self.interface().map(Item::Interface));
        } else if self.at_word("CONFIGURATION") {
            items.extend(self.configuration().map(Item::Configuration));
        } else if self.at_word("RESOURCE") {
            items.extend(self.lone_resource().map(Item::Configuration));
        } else {
            self.using();
        }
        true
    }

    pub(super) fn at_named_item(&mut self) -> bool {
        self.at(Tok::Word) && self.peek(1).kind == Tok::Word && self.at_any_word(NAMED_ITEMS)
    }

    /// Reads `USING a.b, c;`
    pub(super) fn using(&mut self) {
        self.bump();
        let names = self.paths();
        self.aside_items.extend(names.into_iter().map(Item::Using));
        self.semicolon("USING");
    }

    /// Reads INTERFACE … END_INTERFACE.
    pub(super) fn interface(&mut self) -> Option<Interface> {
        let frame = self.open_frame("INTERFACE", Tok::EndInterface);
        self.modifiers();
        let name = self.name("the name of an interface");
        let (extends, mut also) = self.inheritance();
        self.end_of_header();
        let outer = std::mem::take(&mut self.members);
        loop {
            self.skip_attribute();
            if self.at_member() && self.at_word("METHOD") {
                let method = self.method(Form::Prototype);
                self.members.methods.extend(method);
            } else if self.at_member() && self.at_word("PROPERTY") {
                let property = self.property(Form::Prototype);
                self.members.properties.extend(property);
            } else if !self.eat(Tok::Semicolon) {
                break;
            }
            self.found_again();
        }
        let Members { methods, properties, .. } = std::mem::replace(&mut self.members, outer);
        if !self.at(Tok::EndInterface) && !self.at(Tok::End) && !self.at_set(OUTER) {
            self.expected("METHOD, PROPERTY or END_INTERFACE", "an interface holds prototypes of methods and properties");
            while !self.at(Tok::End) && !self.at_set(OUTER) {
                self.bump();
            }
            self.found_again();
        }
        self.end_of_frame(frame);
        also.splice(0..0, extends);
        Some(Interface { name: name?, extends: also, methods, properties, span: self.since(frame.opener) })
    }

    /// Reads a method, property or action outside of any POU: some systems write them behind their POU.
    fn detached_member(&mut self, items: &mut Vec<Item>) {
        let start = self.here();
        let outer = std::mem::take(&mut self.members);
        self.member();
        let members = std::mem::replace(&mut self.members, outer);
        let misplaced_vars = std::mem::take(&mut self.misplaced_vars);
        let span = self.since(start);
        match items.iter_mut().rev().find(|item| !matches!(item, Item::Unsupported(..))) {
            Some(Item::Pou(pou)) => {
                pou.vars.extend(misplaced_vars);
                attach(pou, members, span);
            }
            Some(_) | None if self.is_part => {
                let mut pou = Pou::new(PouKind::Program, Ident::new("", start), span);
                attach(&mut pou, members, span);
                items.push(Item::Pou(pou));
            }
            Some(_) | None => {
                let diagnostic = Diagnostic::error("P1022", start, "this stands outside of any program", "belongs to no POU");
                self.report_always(diagnostic.help("write it behind the PROGRAM or FUNCTION_BLOCK that it belongs to"));
            }
        }
    }

    /// Reports a token that starts no declaration, and skips to the next one.
    fn stray_token(&mut self) {
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
        const STOPS: Set = OUTER.or(SECTIONS);
        while !self.at(Tok::End)
            && !self.at_set(STOPS)
            && !self.at_member()
            && !self.at_named_item()
            && !self.at_unsupported_item()
            && !self.at_scl_item()
        {
            self.bump();
        }
    }
}

fn attach(pou: &mut Pou, members: Members, span: Span) {
    pou.methods.extend(members.methods);
    pou.properties.extend(members.properties);
    pou.actions.extend(members.actions);
    pou.span = pou.span.to(span);
}
