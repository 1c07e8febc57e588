//! SimaticML: blocks, types and tags of TIA Portal as its Openness interface exports them.
//!
//! In reading order:
//! - [`block`] the contents of a file, [`interface`] sections and members, [`body`] the networks of a block,
//! - [`access`] operands, [`scl`] the words of SCL, [`flgnet`] LAD and FBD, [`part`] their elements.
//!
//! Texts in these files are cut into elements of one word each. An [`Overlay`] puts them together again *in place*: it is a
//! copy of the file of the same length, with white space instead of everything else. So places stay exact.
//! Knows XML, pieces of ST, networks and the AST.

mod access;
mod block;
mod body;
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
use super::common::token::{Spelling, spelling};
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
    Ident { text: plain_name(name), span }
}

/// Returns a name of TIA Portal, which may contain any character, as a name of the standard. Plain names stay;
/// others get a prefix that no plain name is likely to have, and numbers for their characters.
fn plain_name(name: &str) -> String {
    let is_plain_char = |c: char| c.is_alphanumeric() || c == '_';
    let starts_well = name.starts_with(|c: char| c.is_alphabetic() || c == '_');
    let is_keyword = matches!(spelling(name), Spelling::Keyword(_));
    if starts_well && !is_keyword && name.chars().all(is_plain_char) {
        return name.to_owned();
    }
    let mut plain = "q_".to_owned();
    for c in name.chars() {
        match c {
            c if is_plain_char(c) => plain.push(c),
            c => plain.push_str(&format!("_x{:x}_", u32::from(c))),
        }
    }
    plain
}

/// Returns the name from which [`plain_name`] made this one.
fn original_name(plain: &str) -> String {
    let Some(rest) = plain.strip_prefix("q_") else { return plain.to_owned() };
    let mut name = String::new();
    let mut pieces = rest.split("_x");
    name.push_str(pieces.next().unwrap_or(""));
    for piece in pieces {
        let code =
            piece.split_once('_').and_then(|(hex, rest)| Some((char::from_u32(u32::from_str_radix(hex, 16).ok()?)?, rest)));
        match code {
            Some((c, rest)) => {
                name.push(c);
                name.push_str(rest);
            }
            None => {
                name.push_str("_x");
                name.push_str(piece);
            }
        }
    }
    name
}
