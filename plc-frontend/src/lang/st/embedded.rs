//! Pieces of ST inside of other files: declarations, statements and expressions in XML elements.
//!
//! Each function gets the text of the whole file and the range of the piece, so that all places are places in
//! the file. In a text from XML, entities are shortened in place and filled up with [`FILLER`] characters,
//! which are white space. A piece needs no end words: `FUNCTION_BLOCK F VAR … END_VAR` is whole.
//!
//! [`FILLER`]: crate::lang::common::lexer::FILLER

use std::ops::Range;

use super::member::Form;
use super::parser::Parser;
use crate::ast::{Expr, Item, Method, Property, Stmt, TypeSpec, VarBlock};
use crate::lang::common::lexer::Flavour;
use crate::lang::common::token::Tok;
use crate::text::{FileId, Parsed};

/// Reads all declarations of the piece: POUs, TYPE blocks, VAR_GLOBAL blocks, interfaces …
pub(crate) fn items(file: FileId, text: &str, range: Range<usize>) -> Parsed<Vec<Item>> {
    read(file, text, range, |p| p.items())
}

/// Reads the header of a method with its variables; its body stands elsewhere, so it has none.
pub(crate) fn method_declaration(file: FileId, text: &str, range: Range<usize>) -> Parsed<Option<Method>> {
    read(file, text, range, |p| {
        p.skip_attribute();
        p.at_member_word("METHOD").then(|| p.method(Form::Prototype)).flatten()
    })
}

/// Reads the header of a property: `PROPERTY PUBLIC name : type`.
pub(crate) fn property_declaration(file: FileId, text: &str, range: Range<usize>) -> Parsed<Option<Property>> {
    read(file, text, range, |p| {
        p.skip_attribute();
        p.at_member_word("PROPERTY").then(|| p.property(Form::Prototype)).flatten()
    })
}

/// Reads declaration sections, such as those of a property's accessor, behind words for access.
pub(crate) fn var_blocks(file: FileId, text: &str, range: Range<usize>) -> Parsed<Vec<VarBlock>> {
    read(file, text, range, |p| {
        while p.access_word().is_some() {
            p.bump();
        }
        p.eat(Tok::Semicolon);
        p.sections()
    })
}

/// Reads statements, as in the body of a POU.
pub(crate) fn statements(file: FileId, text: &str, range: Range<usize>) -> Parsed<Vec<Stmt>> {
    read(file, text, range, |p| p.statements())
}

/// Reads one expression; `None` for a piece without any text.
pub(crate) fn expression(file: FileId, text: &str, range: Range<usize>) -> Parsed<Option<Expr>> {
    read(file, text, range, |p| (!p.at(Tok::End)).then(|| p.expression()))
}

/// Reads one type; `None` for a piece without any text.
pub(crate) fn type_spec(file: FileId, text: &str, range: Range<usize>) -> Parsed<Option<TypeSpec>> {
    read(file, text, range, |p| (!p.at(Tok::End)).then(|| p.type_spec()))
}

/// Reads statements of Studio 5000.
pub(crate) fn logix_statements(file: FileId, text: &str, range: Range<usize>) -> Parsed<Vec<Stmt>> {
    finished(Parser::flavoured(file, text, within(text, range), Flavour::Logix), text, |p| p.statements())
}

/// Reads an expression of Studio 5000.
pub(crate) fn logix_expression(file: FileId, text: &str, range: Range<usize>) -> Parsed<Option<Expr>> {
    let parser = Parser::flavoured(file, text, within(text, range), Flavour::Logix);
    finished(parser, text, |p| (!p.at(Tok::End)).then(|| p.expression()))
}

/// Reads statements of Siemens SCL.
pub(crate) fn scl_statements(file: FileId, text: &str, range: Range<usize>) -> Parsed<Vec<Stmt>> {
    let parser = Parser::flavoured(file, text, within(text, range), Flavour::Scl);
    finished(parser, text, |p| p.statements())
}

/// Reads the piece with `read`; reports the rest if `read` does not reach the end.
fn read<T>(file: FileId, text: &str, range: Range<usize>, read: impl FnOnce(&mut Parser<'_>) -> T) -> Parsed<T> {
    let range = within(text, range);
    finished(Parser::new(file, text, range.start, range.end), text, read)
}

fn finished<'t, T>(mut parser: Parser<'t>, text: &str, read: impl FnOnce(&mut Parser<'t>) -> T) -> Parsed<T> {
    let file = parser.file;
    parser.is_piece = true;
    let value = read(&mut parser);
    parser.eat(Tok::Semicolon);
    parser.misplaced_assertions();
    if !parser.at(Tok::End) {
        parser.expected("the end of this part of the file", "remove what follows, or move it to the part it belongs to");
    }
    Parsed { value, diagnostics: parser.asides.findings.finish(file, text) }
}

/// Returns the part of `range` inside of the text, with both ends on character boundaries.
fn within(text: &str, range: Range<usize>) -> Range<usize> {
    let boundary = |mut at: usize| {
        at = at.min(text.len());
        while !text.is_char_boundary(at) {
            at -= 1;
        }
        at
    };
    let start = boundary(range.start);
    start..boundary(range.end).max(start)
}
