//! Declaration sections and the variables in them.

use super::parser::Parser;
use super::stmt::{BEYOND, OUTER, SECTIONS};
use crate::ast::{Access, Edge, Ident, Item, Section, TypeSpecKind, VarBlock, VarDecl};
use crate::hir::{Address, Retain};
use crate::lang::common::address;
use crate::lang::common::lexer::Asides;
use crate::lang::common::token::{Set, Tok};
use crate::text::{Diagnostic, Span};

/// Sections that are read, not modelled.
const OTHER_SECTIONS: &[&str] = &["VAR_GENERIC"];

/// The largest total text of copies: `a, b, c : type` copies the type and the initial value for each name.
const LARGEST_COPIES: usize = 4 << 20;

/// Keywords of declaration sections.
pub(super) const SECTION_WORDS: &[(Tok, Section)] = &[
    (Tok::Var, Section::Var),
    (Tok::VarInput, Section::Input),
    (Tok::VarOutput, Section::Output),
    (Tok::VarInOut, Section::InOut),
    (Tok::VarTemp, Section::Temp),
    (Tok::VarExternal, Section::External),
    (Tok::VarGlobal, Section::Global),
    (Tok::VarStat, Section::Stat),
    (Tok::VarInst, Section::Inst),
    (Tok::VarConfig, Section::Config),
    (Tok::VarAccess, Section::Access),
];

/// End of a list of declarations.
#[derive(Clone, Copy)]
pub(super) struct ListEnd {
    pub(super) end: Tok,
    pub(super) opener: Span,
    pub(super) what: &'static str,
    /// The section that it is.
    pub(super) section: Option<Section>,
}

impl Parser<'_> {
    /// Reads VAR … END_VAR; the current token is its first keyword.
    pub(super) fn var_block(&mut self) -> Option<VarBlock> {
        let start = self.here();
        let section = self.section()?;
        self.bump();
        let (constant, retain, access) = self.qualifiers();
        let vars = self.declarations(ListEnd { end: Tok::EndVar, opener: start, what: "section", section: Some(section) });
        self.eat(Tok::Semicolon);
        Some(VarBlock { section, constant, retain, access, vars, list: None, span: self.since(start) })
    }

    fn section(&self) -> Option<Section> {
        SECTION_WORDS.iter().find(|(tok, _)| self.at(*tok)).map(|(_, section)| *section)
    }

    pub(super) fn qualifiers(&mut self) -> (bool, Retain, Access) {
        let mut constant = false;
        let mut retain = Retain::Unspecified;
        let mut access = Access::Unspecified;
        loop {
            if self.eat(Tok::Constant) {
                constant = true;
            } else if self.eat(Tok::Retain) || self.eat(Tok::Persistent) {
                retain = Retain::Retain;
            } else if self.eat(Tok::NonRetain) {
                retain = Retain::NonRetain;
            } else if let Some(word) = self.access_word().filter(|_| !self.is_declaration_head()) {
                access = word;
                self.bump();
            } else {
                return (constant, retain, access);
            }
        }
    }

    /// Returns whether a name stands here that is being declared.
    fn is_declaration_head(&mut self) -> bool {
        matches!(self.peek(1).kind, Tok::Colon | Tok::Comma | Tok::At)
    }

    /// Reads a section that is not modelled, if one starts here.
    pub(super) fn unsupported_section(&mut self) -> bool {
        let Some(kind) = OTHER_SECTIONS.iter().find(|word| self.word().eq_ignore_ascii_case(word)).copied() else { return false };
        let start = self.here();
        self.skip_to(Set::of(&[Tok::EndVar]).or(OUTER).or(SECTIONS));
        if !self.eat(Tok::EndVar) {
            self.missing_list_end(ListEnd { end: Tok::EndVar, opener: start, what: "section", section: None });
        }
        self.eat(Tok::Semicolon);
        self.aside_items.push(Item::Unsupported(kind, self.since(start)));
        true
    }

    /// Reads declarations up to END_VAR or END_STRUCT.
    pub(super) fn declarations(&mut self, list: ListEnd) -> Vec<VarDecl> {
        let mut vars = Vec::new();
        self.add_declarations(list, &mut vars);
        vars.shrink_to_fit();
        vars
    }

    fn add_declarations(&mut self, list: ListEnd, vars: &mut Vec<VarDecl>) {
        loop {
            self.find_declaration(list.end);
            self.skip_attribute();
            if self.eat(list.end) {
                return;
            }
            let is_outside = self.at_any(&[Tok::End, Tok::EndVar, Tok::EndStruct, Tok::EndUnion]) || self.at_set(BEYOND);
            let by_path = matches!(list.section, Some(Section::Config | Section::Access));
            let is_statement = self.at(Tok::Word) && !by_path && self.looks_like_statement();
            if is_outside || (is_statement && !self.is_closed_later(list.end)) {
                self.missing_list_end(list);
                return;
            }
            if self.eat(Tok::Semicolon) {
                continue;
            }
            if by_path {
                self.path_declaration(vars, list);
            } else {
                self.declaration(vars);
            }
        }
    }

    /// Ends the search for the start of a declaration.
    fn find_declaration(&mut self, end: Tok) {
        self.recover(Set::of(&[Tok::Semicolon, end, Tok::EndVar, Tok::EndStruct, Tok::EndUnion]).or(BEYOND));
    }

    fn missing_list_end(&mut self, list: ListEnd) {
        if self.overflowed {
            return;
        }
        let end = list.end.spelling();
        self.missing_end(list.opener, list.what, end, &format!("write `{end}` behind the last declaration"));
    }

    /// Returns whether the next tokens begin a statement, not a declaration: `x := …`, `x(…`, `x.y`.
    fn looks_like_statement(&mut self) -> bool {
        matches!(self.peek(1).kind, Tok::Assign | Tok::LParen | Tok::Dot | Tok::LBracket | Tok::Caret)
    }

    /// Returns whether `end` follows before any token that cannot stand among declarations.
    fn is_closed_later(&mut self, end: Tok) -> bool {
        let here = self.here().start;
        if let Some(seen) = self.scouted.filter(|seen| seen.end == end && here <= seen.stop) {
            return seen.is_closed;
        }
        let mut scout = self.scout();
        let mut asides = Asides::default();
        let stop = loop {
            let token = scout.next(&mut asides);
            if token.kind == end || token.kind == Tok::End || BEYOND.has(token.kind) {
                break token;
            }
        };
        let is_closed = stop.kind == end;
        self.scouted = Some(Scouted { end, stop: stop.start, is_closed });
        is_closed
    }

    /// Skips `[attribute]` in front of a declaration.
    pub(super) fn skip_attribute(&mut self) {
        while self.at(Tok::LBracket) {
            let open = self.here();
            self.skip_to(Set::of(&[Tok::RBracket, Tok::Semicolon, Tok::EndVar]).or(BEYOND));
            if !self.close(Tok::RBracket, open) {
                self.found_again();
            }
        }
    }

    /// Reads `a, b AT %I* : type := value;`
    fn declaration(&mut self, vars: &mut Vec<VarDecl>) {
        let start = self.here();
        let stopwatch = self.token().stopwatch;
        let mut names = Vec::new();
        // `x AT y : type` of SCL: the bytes of another variable.
        let mut view_of = None;
        loop {
            if self.at(Tok::At) && self.peek(1).kind == Tok::Address {
                // A variable without a name is known by its address.
                self.bump();
                let (name, address) = (self.ident(self.token()), self.location());
                names.push((name, address));
                break;
            }
            let Some(name) = self.name("the name of a variable") else { return };
            if self.is_scl() && self.at(Tok::At) && self.peek(1).kind == Tok::Word {
                self.bump();
                view_of = self.name("the name of the variable whose memory it is");
            }
            let address = if self.eat(Tok::At) { self.location() } else { None };
            names.push((name, address));
            if self.is_lost() || !self.eat(Tok::Comma) {
                break;
            }
        }
        if !self.expect(Tok::Colon, "a variable is declared as `name : type;` or `name : type := value;`") {
            return;
        }
        self.instance_args.clear();
        let mut ty = self.type_spec();
        if self.at(Tok::LBracket) && self.peek(1).kind == Tok::LParen {
            self.arguments_of_elements();
            ty.kind = TypeSpecKind::Opaque("instances with arguments of their own".to_owned());
        }
        let args = std::mem::take(&mut self.instance_args);
        let edge = self.edge();
        let init = if self.at_reference_assignment() { self.initial_reference() } else { self.initial_value(&ty) };
        let end = self.since(start);
        if self.at(Tok::At) {
            self.expected("`;`", "an address stands behind the name: `name AT %IX0.0 : BOOL;`");
        }
        self.end_of_declaration(&ty, end);
        let written = end.end.saturating_sub(ty.span.start) as usize;
        if names.len() > 1 && LARGEST_COPIES / names.len() < written {
            let message = format!("{} variables share one very large type", names.len());
            self.report(Diagnostic::error("P1027", end, message, "each gets a copy").help("declare the type in a TYPE block"));
            names.truncate(1);
        }
        let name = Ident { text: String::new(), span: start };
        push_copies(
            vars,
            names,
            VarDecl { name, address: None, view_of, alias_of: None, ty, edge, args, init, stopwatch, span: end },
        );
    }

    /// Reads `[(a := 1), (a := 2)]` behind the type of an array of instances.
    fn arguments_of_elements(&mut self) {
        let open = self.here();
        self.bump();
        self.with_commas(|p| p.at(Tok::LParen).then(|| p.arguments()));
        self.close(Tok::RBracket, open);
    }

    /// Reads R_EDGE, F_EDGE behind a type.
    fn edge(&mut self) -> Option<Edge> {
        if self.eat_word("R_EDGE") {
            return Some(Edge::Rising);
        }
        self.eat_word("F_EDGE").then_some(Edge::Falling)
    }

    /// Reads the address behind AT.
    pub(super) fn location(&mut self) -> Option<(Address, Span)> {
        let place = self.here();
        if !self.at(Tok::Address) {
            self.expected("an address", "AT is followed by an address such as `%IX0.3`, `%QW4` or `%I*`");
            return None;
        }
        self.bump();
        match address::address(self.text_of(place)) {
            Ok(address) => Some((address, place)),
            Err(wrong) => {
                self.report(Diagnostic::error("P1006", place, wrong.message, "as written").help(wrong.help));
                None
            }
        }
    }

    /// Reads UNION … END_UNION; the current token is UNION.
    pub(super) fn union(&mut self) -> TypeSpecKind {
        let opener = self.here();
        self.bump();
        TypeSpecKind::Union(self.declarations(ListEnd { end: Tok::EndUnion, opener, what: "union", section: None }))
    }

    /// Reads STRUCT … END_STRUCT; the current token is STRUCT.
    pub(super) fn structure(&mut self) -> TypeSpecKind {
        let opener = self.here();
        self.bump();
        let is_overlap = self.at_word("OVERLAP") && !self.is_declaration_head();
        if is_overlap {
            self.bump();
        }
        let fields = self.declarations(ListEnd { end: Tok::EndStruct, opener, what: "structure", section: None });
        if is_overlap { TypeSpecKind::Opaque("STRUCT OVERLAP".to_owned()) } else { TypeSpecKind::Struct(fields) }
    }
}

/// Result of a look ahead for the end of declarations; it holds up to the place where the look stopped.
#[derive(Clone, Copy)]
pub(super) struct Scouted {
    end: Tok,
    stop: u32,
    is_closed: bool,
}

/// Adds one variable per name, all like `like`.
fn push_copies(vars: &mut Vec<VarDecl>, names: Vec<(Ident, Option<(Address, Span)>)>, like: VarDecl) {
    let end = like.span.end;
    let last = names.len().saturating_sub(1);
    let mut rest = Some(like);
    for (i, (name, address)) in names.into_iter().enumerate() {
        let copy = if i == last { rest.take() } else { rest.clone() };
        let Some(copy) = copy else { return };
        let span = Span { end, ..name.span };
        vars.push(VarDecl { name, address, span, ..copy });
    }
}
