//! SimaticML: blocks, types and tags of TIA Portal as its Openness interface exports them.
//!
//! In reading order:
//! - [`block`] the contents of a file, [`interface`] sections and members, [`elements`] values in arrays, [`body`] the networks of a block,
//! - [`access`] operands, [`scl`] the words of SCL, [`flgnet`] LAD and FBD, [`part`] their elements.
//!
//! Texts in these files are cut into elements of one word each. An [`Overlay`] puts them together again *in place*: it is a
//! copy of the file of the same length, with white space instead of everything else. So places stay exact.
//! Knows XML, pieces of ST, networks and the AST.

mod access;
mod block;
mod body;
mod elements;
mod flgnet;
mod interface;
mod part;
mod scl;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;
use std::ops::Range;

pub(crate) use block::SYSTEM_KEEPS;
pub use block::{SYSTEM_WRITES, is_system_address};

use super::common::findings::Findings;
use super::common::lexer::Flavour;
use super::common::starts_with_tag;
use super::common::token::identifier;
use super::xml::{self, Element};
use super::{Ending, FileRole, Language};
use crate::ast::{Ident, Unit};
use crate::text::{Diagnostic, FileId, Parsed, SourceFile, Span};

/// Exports of TIA Portal.
pub(super) const LANGUAGE: Language = Language {
    name: "SimaticML",
    endings: &[Ending { text: "xml", role: FileRole::Program, dialect: None }],
    flavour: Flavour::Iec,
    accepts: |file| is_export(&file.text),
    is_object: Some(is_export),
    parse,
};

fn is_export(text: &str) -> bool {
    starts_with_tag(text, "<Document") && starts_with_tag(text, "<SW.")
}

fn parse(id: FileId, file: &SourceFile) -> Parsed<Unit> {
    let mut findings = Findings::default();
    let document = findings.keep(xml::read(id, &file.text));
    let mut reader = Reader {
        text: &file.text,
        prefix: None,
        n_of_system: 0,
        locals: BTreeSet::new(),
        overlay: Overlay { text: document.plain().to_owned() },
        unit: Unit::new(id),
        findings,
    };
    if let Some(root) = document.root() {
        reader.document(root);
    }
    Parsed { value: reader.unit, diagnostics: reader.findings.finish(id, &file.text) }
}

/// A file while it is read.
struct Reader<'t> {
    text: &'t str,
    /// The beginning of hidden names, once it is needed.
    prefix: Option<String>,
    /// Tags of the controller's system so far.
    n_of_system: u32,
    /// Names that the current block declares.
    locals: access::Locals,
    overlay: Overlay,
    unit: Unit,
    findings: Findings,
}

impl Reader<'_> {
    fn missing(&mut self, span: Span, message: impl Into<String>) {
        let diagnostic = Diagnostic::error("P0011", span, message, "here");
        self.findings.push(diagnostic.help("export the block again from TIA Portal"));
    }
}

/// A copy of the file in which pieces of ST are put together.
struct Overlay {
    text: String,
}

impl Overlay {
    /// Puts `piece` at the start of `room` and white space behind it; `None` if it is longer than its room.
    fn put(&mut self, room: Range<usize>, piece: &str) -> Option<Range<usize>> {
        let n_spaces = room.len().checked_sub(piece.len())?;
        self.text.get(room.clone())?;
        let end = room.start + piece.len();
        let padded: String = piece.chars().chain(std::iter::repeat_n(' ', n_spaces)).collect();
        let start = room.start;
        self.text.replace_range(room, &padded);
        Some(start..end)
    }
}

/// Returns the part of an object's list of attributes with this name.
fn attribute<'d>(object: Element<'d>, name: &str) -> Option<Element<'d>> {
    object.child("AttributeList").and_then(|list| list.child(name))
}

fn bytes(span: Span) -> Range<usize> {
    span.start as usize..span.end as usize
}

fn ident(name: &str, span: Span) -> Ident {
    Ident { text: identifier(name), span }
}
