//! Structured Text: hand-written recursive descent, tolerant of errors.
//!
//! In reading order:
//! - [`file`] files, namespaces and interfaces, [`pou`] POUs, [`headless`] statements without a POU, [`member`] members,
//! - [`decl`] sections and variables, [`types`], [`initial_value`], [`config`] configurations,
//! - [`scl`] and [`data_block`] forms of SCL, [`chart`] sequential function charts, [`foreign_body`] bodies in other languages,
//! - [`stmt`] statements, [`control`] IF to REPEAT, [`expr`] and [`path`], [`assertion`] comments,
//! - [`unsupported`] and [`unmodelled_access`] forms that are read and not modelled, [`embedded`] pieces of ST in other files,
//! - [`writer`] the way back, from the tree to a text; [`parser`] the machinery below all of them.
//!
//! Knows the AST; resolves no name and checks no type.

mod access;
mod assertion;
mod chart;
mod config;
mod control;
mod data_block;
mod decl;
pub(crate) mod embedded;
mod expr;
mod file;
mod foreign_body;
mod generic;
mod headless;
mod initial_value;

mod member;
mod parser;
mod path;
mod pou;
pub(super) mod scl;
mod stmt;
mod types;
mod unmodelled_access;
mod unsupported;
pub(crate) mod writer;

#[cfg(test)]
mod tests;

use self::parser::Parser;
pub(crate) use self::unmodelled_access::PERIPHERY;
use super::common::lexer::Flavour;
use super::common::token::Tok;
use super::{BodyLanguage, Ending, FileRole, Language};
use crate::ast;
use crate::dialect::DialectId;
use crate::text::{Diagnostic, FileId, Parsed, Span};

/// Structured Text. Files with an ending of no language are read as ST, too, if they are text.
pub(crate) const LANGUAGE: Language = Language {
    name: "Structured Text",
    endings: &[
        Ending { text: "st", role: FileRole::Program, dialect: None },
        Ending { text: "iecst", role: FileRole::Program, dialect: None },
        Ending { text: "exp", role: FileRole::OnRequest, dialect: Some(DialectId::Codesys) },
        Ending { text: "txt", role: FileRole::OnRequest, dialect: None },
    ],
    flavour: Flavour::Iec,
    accepts: |file| {
        let is_text = !file.text.contains('\0') && !file.text.trim_start().starts_with('<');
        let is_other = super::detection::is_unknown(&file.name) || super::foreign::is_program_in_list(file);
        LANGUAGE.owns(&file.name) || (is_other && is_text)
    },
    is_object: None,
    parse: |id, file| unit(id, &file.text),
};

fn unit(file: FileId, text: &str) -> Parsed<ast::Unit> {
    whole(Parser::new(file, text, 0, text.len()))
}

/// Reads a file in which all bodies are in another language.
pub(super) fn with_bodies(file: FileId, text: &str, language: &'static BodyLanguage) -> Parsed<ast::Unit> {
    let mut parser = Parser::new(file, text, 0, text.len());
    parser.body_language = Some(language);
    whole(parser)
}

/// Reads a file that is a part of a program. Variables outside of any POU are global; actions outside of any POU belong to a program
/// with an empty name.
pub(super) fn part(file: FileId, text: &str) -> Parsed<ast::Unit> {
    let mut parser = Parser::new(file, text, 0, text.len());
    parser.is_part = true;
    whole(parser)
}

/// Reads a file of SCL.
pub(super) fn scl_unit(file: FileId, text: &str) -> Parsed<ast::Unit> {
    whole(Parser::flavoured(file, text, 0..text.len(), Flavour::Scl))
}

fn whole(mut parser: Parser<'_>) -> Parsed<ast::Unit> {
    let (file, text) = (parser.file, parser.text);
    let is_blank = parser.at(Tok::End);
    let items = parser.items();
    let mut findings = parser.asides.findings;
    if is_blank && items.is_empty() && findings.is_empty() && !parser.is_part {
        let start = Span::new(file, 0, 0);
        let diagnostic = Diagnostic::error("P0003", start, "this file contains no program", "nothing is declared from here on");
        findings.push(diagnostic.help("upload the source that holds `PROGRAM name … END_PROGRAM`"));
    }
    Parsed { value: ast::Unit { items, ..ast::Unit::new(file) }, diagnostics: findings.finish(file, text) }
}

/// Reads a text that must be one expression, such as the condition of a requirement; `-->` is allowed.
pub fn parse_expression(file: FileId, text: &str) -> Parsed<Option<ast::Expr>> {
    expression(file, text, Flavour::Iec)
}

/// Reads an expression about a program of this dialect. For Siemens `"name"` and `#name` are names.
pub fn parse_condition(file: FileId, text: &str, dialect: DialectId) -> Parsed<Option<ast::Expr>> {
    let flavour = if dialect == DialectId::Logix {
        Flavour::Logix
    } else if dialect.row().quotes_names {
        Flavour::Scl
    } else {
        Flavour::Iec
    };
    expression(file, text, flavour)
}

fn expression(file: FileId, text: &str, flavour: Flavour) -> Parsed<Option<ast::Expr>> {
    if let Some(diagnostic) = super::unreadable(file, text) {
        return Parsed { value: None, diagnostics: vec![diagnostic] };
    }
    let mut parser = Parser::flavoured(file, text, 0..text.len(), flavour);
    parser.implication = true;
    let expr = parser.condition();
    if !parser.at(Tok::End) {
        parser.expected("an operator or the end", "a condition is one expression, without `;`");
    }
    let is_sound = parser.asides.findings.is_empty();
    let diagnostics = parser.asides.findings.finish(file, text);
    Parsed { value: is_sound.then_some(expr), diagnostics }
}
