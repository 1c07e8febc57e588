//! Forms of Siemens SCL that ST does not have: organisation and data blocks, lines between a header and its
//! sections, regions, names in quotes, absolute addresses. They are read only in the flavour of SCL.

use super::data_block::BEHIND_DATA;
use super::parser::Parser;
use super::stmt::{NEXT, SECTIONS};
use crate::ast::{
    Expr, ExprKind, Ident, Initializer, Item, Literal, Name, NameElem, Pou, PouKind, Section, StmtKind, TypeSpec, TypeSpecKind,
    VarBlock, VarDecl,
};
use crate::hir::BinOp;
use crate::lang::common::lexer::Flavour;
use crate::lang::common::organization_blocks::{event_of, number_of};
use crate::lang::common::token::{Set, Tok, identifier};
use crate::text::{Diagnostic, key};

/// First words of lines between a header and its sections, which have no effect on the program.
const HEADER_WORDS: &[&str] = &["VERSION", "AUTHOR", "FAMILY", "NAME", "KNOW_HOW_PROTECT", "READ_ONLY", "UNLINKED", "STANDARD"];

/// Types whose calls name their block: `t.TON(IN := x)`.
const GENERIC: &[&str] = &["IEC_TIMER", "IEC_LTIMER", "IEC_COUNTER", "IEC_DCOUNTER"];
const TIMERS: &[&str] = &["TON", "TOF", "TP", "TONR", "CTU", "CTD", "CTUD"];

/// Siemens' names of standard blocks.
const ALIASES: &[(&str, &str)] =
    &[("TON_TIME", "TON"), ("TOF_TIME", "TOF"), ("TP_TIME", "TP"), ("CTU_INT", "CTU"), ("CTD_INT", "CTD"), ("CTUD_INT", "CTUD")];

/// Short prefixes of literals.
const PREFIXES: &[(&str, &str)] = &[("B", "BYTE"), ("W", "WORD"), ("DW", "DWORD"), ("L", "DINT")];

/// Returns the type that the prefix of a literal names.
pub(super) fn standard_prefix(prefix: Ident) -> Ident {
    match PREFIXES.iter().find(|(short, _)| prefix.text.eq_ignore_ascii_case(short)) {
        Some((_, ty)) => Ident { text: (*ty).to_owned(), ..prefix },
        None => prefix,
    }
}

/// Returns the standard's name of a type.
pub(super) fn standard_name(name: Ident) -> Ident {
    match ALIASES.iter().find(|(alias, _)| name.text.eq_ignore_ascii_case(alias)) {
        Some((_, standard)) => Ident { text: (*standard).to_owned(), ..name },
        None => name,
    }
}

/// Words that start a declaration of a file.
const ITEMS: &[&str] = &["ORGANIZATION_BLOCK", "DATA_BLOCK"];

/// Returns the identifier of `#name`, `"name"` or `name`. In a piece of a file of XML a name without quotes is an identifier already.
pub(super) fn name_of(text: &str, is_piece: bool) -> String {
    let inner = text.strip_prefix('#').unwrap_or(text);
    match inner.strip_prefix('"') {
        Some(quoted) => identifier(quoted.strip_suffix('"').unwrap_or(quoted)),
        None if is_piece => inner.to_owned(),
        None => identifier(inner),
    }
}

impl Parser<'_> {
    pub(super) fn is_scl(&self) -> bool {
        self.flavour == Flavour::Scl
    }

    // -- headers --------------------------------------------------------------------------------

    /// Reads `TITLE = …`, `VERSION : 0.1`, `AUTHOR : x` and their like.
    pub(super) fn header_lines(&mut self) {
        if self.is_scl() {
            while self.header_line() {}
        }
    }

    /// Reads such lines; returns whether `kind` follows.
    pub(super) fn header_lines_up_to(&mut self, kind: Tok) -> bool {
        self.header_lines();
        self.at(kind)
    }

    fn header_line(&mut self) -> bool {
        if self.at_any(&[Tok::NonRetain, Tok::Retain]) {
            self.bump();
            return true;
        }
        if self.at_word("TITLE") && self.peek(1).kind == Tok::Eq {
            self.skip_line();
            return true;
        }
        let is_use = matches!(self.peek(1).kind, Tok::Assign | Tok::Dot | Tok::LBracket | Tok::LParen);
        if is_use || !self.at_any_word(HEADER_WORDS) {
            return false;
        }
        self.bump();
        if self.eat(Tok::Colon) && self.at_any(&[Tok::Word, Tok::Number, Tok::Text]) {
            self.bump();
        }
        self.eat(Tok::Semicolon);
        true
    }

    /// Goes on behind the end of the line, whose words are free.
    fn skip_line(&mut self) {
        let start = self.here().end as usize;
        let rest = self.text.get(start..self.text_end()).unwrap_or("");
        let length = rest.find(['\n', '\r']).unwrap_or(rest.len());
        self.go_on_at(start + length);
    }

    /// Skips BEGIN in front of statements.
    pub(super) fn begin(&mut self) {
        if self.is_scl() && self.at_word("BEGIN") {
            self.bump();
        }
        // STEP 7 writes one per network.
        while self.is_scl() && self.at_word("NETWORK") {
            self.bump();
            self.header_lines();
        }
    }

    // -- sections -------------------------------------------------------------------------------

    /// Reads `CONST x := 5; END_CONST` and `LABEL a; END_LABEL`, if one starts here.
    pub(super) fn scl_section(&mut self, vars: &mut Vec<VarBlock>) -> bool {
        if !self.is_scl() || self.peek(1).kind != Tok::Word {
            return false;
        }
        let start = self.here();
        if self.at_word("LABEL") {
            while !self.at_word("END_LABEL") && !self.at(Tok::End) && !self.at_set(NEXT_SECTION) {
                self.bump();
            }
            self.eat_word("END_LABEL");
            self.eat(Tok::Semicolon);
            return true;
        }
        if !self.at_word("CONST") {
            return false;
        }
        self.bump();
        let mut constants = Vec::new();
        while self.at(Tok::Word) && !self.at_word("END_CONST") {
            constants.extend(self.constant());
            self.recover(NEXT);
        }
        if self.at_word("END_CONST") {
            self.bump();
        } else {
            self.expected("END_CONST", "a section of constants ends with END_CONST");
        }
        self.eat(Tok::Semicolon);
        vars.push(VarBlock { constant: true, ..VarBlock::new(Section::Var, constants, self.since(start)) });
        true
    }

    /// Reads `name := value;` and gives the constant the type of its value.
    fn constant(&mut self) -> Option<VarDecl> {
        let start = self.here();
        let name = self.name("the name of a constant")?;
        if !self.expect(Tok::Assign, "a constant is written `name := value;`") {
            return None;
        }
        let value = self.expression();
        let span = self.since(start);
        self.semicolon("this constant");
        let ty = TypeSpec { kind: self.type_of_constant(&value)?, span: value.span };
        Some(VarDecl { init: Some(Initializer::value(value)), ..VarDecl::new(name, ty, span) })
    }

    fn type_of_constant(&mut self, value: &Expr) -> Option<TypeSpecKind> {
        let name = |text: &str| TypeSpecKind::Name(Ident { text: text.to_owned(), span: value.span });
        let kind = match &value.kind {
            ExprKind::Literal(Some(prefix), _) => Some(TypeSpecKind::Name(prefix.as_ref().clone())),
            ExprKind::Literal(None, literal) => match literal {
                Literal::Bool(_) => Some(name("BOOL")),
                Literal::Int(i) if i16::try_from(*i).is_ok() => Some(name("INT")),
                Literal::Int(_) => Some(name("DINT")),
                Literal::Real(_) => Some(name("REAL")),
                Literal::Duration { long: false, .. } => Some(name("TIME")),
                Literal::Duration { long: true, .. } => Some(name("LTIME")),
                Literal::String { wide, .. } => Some(TypeSpecKind::String { wide: *wide, length: None }),
                Literal::Variant(_) | Literal::Date { .. } | Literal::Opaque(_) => None,
            },
            ExprKind::Unary(_, inner) => return self.type_of_constant(inner),
            ExprKind::Name(_) | ExprKind::Address(_) | ExprKind::Call(..) | ExprKind::Binary(..) | ExprKind::Error => None,
        };
        if kind.is_none() && !self.is_lost() {
            let diagnostic = Diagnostic::error("P1010", value.span, "the type of this constant is not known", "not a literal");
            self.report(diagnostic.help("declare it in `VAR CONSTANT name : type := value; END_VAR`"));
        }
        kind
    }

    // -- statements -----------------------------------------------------------------------------

    /// Skips REGION and END_REGION, which only structure the text; returns whether one stood here.
    pub(super) fn region(&mut self) -> bool {
        if !self.is_scl() {
            return false;
        }
        if self.at(Tok::EndRegion) {
            self.bump();
            self.eat(Tok::Semicolon);
            return true;
        }
        let behind = self.text.get(self.here().end as usize..self.text_end()).unwrap_or("");
        let is_region = self.at_word("REGION") && !behind.trim_start().starts_with(":=");
        if is_region {
            self.skip_line();
        }
        is_region
    }

    /// Reads `target += value`
    pub(super) fn compound(&mut self, target: Expr) -> StmtKind {
        let op = match self.word() {
            "+=" => BinOp::Add,
            "-=" => BinOp::Sub,
            "*=" => BinOp::Mul,
            _ => BinOp::Div,
        };
        self.bump();
        let value = self.expression();
        if self.is_lost() {
            return StmtKind::Error;
        }
        let span = target.span.to(value.span);
        let sum = ExprKind::Binary(op, Box::new(target.clone()), Box::new(value));
        StmtKind::Assign(target, Expr { kind: sum, span })
    }

    /// Makes `timer.TON(IN := x)` a call of the timer, and notes the kind that it names.
    pub(super) fn generic_timer(&mut self, name: &mut Name) {
        let [NameElem::Field(kind)] = name.path.as_slice() else { return };
        let Some(block) = TIMERS.iter().find(|block| self.is_scl() && kind.text.eq_ignore_ascii_case(block)) else { return };
        // A structure may have a part of that name.
        let Some(known) = self.timers.get_mut(&key(&name.root.text)) else { return };
        if *known.get_or_insert(block) != *block {
            let message = format!("`{}` is called as two kinds of timers", name.root.text);
            let diagnostic = Diagnostic::error("P1037", kind.span, message, "another kind than before");
            self.report(diagnostic.help("use a variable of its own for each timer"));
        }
        name.path.clear();
    }

    /// Remembers the variables whose calls will name their block.
    pub(super) fn note_timers(&mut self, vars: &[VarBlock]) {
        let declared = vars.iter().flat_map(|block| &block.vars).filter(|var| is_generic(&var.ty));
        self.timers = declared.map(|var| (key(&var.name.text), None)).collect();
    }

    /// Gives variables of type IEC_TIMER the kind that their calls name.
    pub(super) fn settle_timers(&mut self, vars: &mut [VarBlock]) {
        let timers = std::mem::take(&mut self.timers);
        for var in vars.iter_mut().flat_map(|block| &mut block.vars) {
            if let (true, Some(Some(block))) = (is_generic(&var.ty), timers.get(&key(&var.name.text))) {
                let name = Ident { text: (*block).to_owned(), span: var.ty.span };
                var.ty.kind = TypeSpecKind::Name(name);
            }
        }
    }

    // -- blocks ---------------------------------------------------------------------------------

    pub(super) fn at_scl_item(&self) -> bool {
        self.is_scl() && self.at_any_word(ITEMS)
    }

    pub(super) fn scl_item(&mut self, items: &mut Vec<Item>) {
        if self.at_word("ORGANIZATION_BLOCK") {
            let frame = self.open_frame("ORGANIZATION_BLOCK", Tok::EndOrganizationBlock);
            let block = self.pou_behind(PouKind::Program, frame);
            items.extend(block.map(|block| Item::Pou(self.with_event(block))));
        } else {
            items.extend(self.data_block().map(Item::Globals));
        }
    }
}

impl Parser<'_> {
    /// Returns an organization block with what is known of the event that starts it.
    fn with_event(&self, block: Pou) -> Pou {
        let text = self.text.get(block.span.start as usize..block.span.end as usize).unwrap_or_default();
        let header = text.split("BEGIN").next().unwrap_or_default();
        let title = header.lines().find(|line| line.trim_start().to_ascii_uppercase().starts_with("TITLE"));
        let title = title.and_then(|line| line.split_once('=')).map_or("", |(_, title)| title);
        let event = event_of(&block.name.text, title);
        let number = number_of(&block.name.text);
        block.started_by(event, number)
    }
}

/// Returns whether the calls of a variable of this type name its block.
fn is_generic(ty: &TypeSpec) -> bool {
    matches!(&ty.kind, TypeSpecKind::Name(name) if GENERIC.iter().any(|g| name.text.eq_ignore_ascii_case(g)))
}

/// Tokens that end a list of labels at the latest.
const NEXT_SECTION: Set = SECTIONS.or(BEHIND_DATA);
