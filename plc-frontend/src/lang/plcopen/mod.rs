//! PLCopen XML (TC6 2.0 and 2.01): projects in all languages, as CODESYS, OpenPLC, Beremiz and others export them.
//!
//! In reading order:
//! - [`project`] the contents of a file, [`pou`] POUs and their members, [`vars`] and [`types`] declarations,
//! - [`body`] bodies in text and drawings, [`element`] their elements, [`chart`] SFC,
//! - [`config`] tasks, [`device`] channels.
//!
//! Knows XML, pieces of ST, networks and the AST.
//!
//! **Invariant:** an element that is not known is either in the ledger or a finding; none is passed over in silence.

mod body;
mod chart;
mod config;
mod device;
mod element;
mod pou;
mod project;
#[cfg(test)]
mod tests;
mod text_values;
mod types;
mod vars;

use std::collections::{BTreeMap, BTreeSet};

use super::common::findings::Findings;
use super::common::lexer::Flavour;
use super::common::{is_markup, starts_with_tag};
use super::network::{Callee, hidden_prefix};
use super::xml::{self, Element, Value};
use super::{Ending, FileRole, Language};
use crate::ast::{Expr, Ident, Item, Name, NameElem, Stmt, Unit};
use crate::lang::st::embedded;
use crate::text::{Diagnostic, FileId, Parsed, SourceFile, Span};

/// Gap of an element that no version of the format has.
const UNKNOWN_ELEMENT: &str = "element of an unknown kind";

/// PLCopen XML.
pub(super) const LANGUAGE: Language = Language {
    name: "PLCopen XML",
    endings: &[Ending { text: "xml", role: FileRole::Program, dialect: None }],
    flavour: Flavour::Iec,
    accepts: |file| {
        // Other XML files are accepted, too, to be told the expected form.
        let is_xml = LANGUAGE.owns(&file.name) && is_markup(&file.text) && !starts_with_tag(&file.text, "<Document");
        let is_project = ["<project", ":project"].iter().any(|tag| starts_with_tag(&file.text, tag));
        is_xml || (is_project && starts_with_tag(&file.text, NAMESPACE))
    },
    is_object: None,
    parse,
};

/// Byte in texts at the place of markup.
const FILLER: u8 = xml::FILLER as u8;

/// The start of the namespaces of all versions.
const NAMESPACE: &str = "http://www.plcopen.org/xml/tc6";

fn parse(id: FileId, file: &SourceFile) -> Parsed<Unit> {
    let mut findings = Findings::default();
    let document = findings.keep(xml::read(id, &file.text));
    let mut reader = Reader {
        plain: document.plain(),
        texts: texts(&document),
        unit: Unit::new(id),
        findings,
        callees: BTreeMap::new(),
        prefix: hidden_prefix(&file.text),
        doubts: Vec::new(),
        seen_data: BTreeSet::new(),
    };
    if let Some(root) = document.root() {
        reader.root(root);
    }
    Parsed { value: reader.unit, diagnostics: reader.findings.finish(id, &file.text) }
}

/// A file while it is read.
struct Reader<'d> {
    /// The text of the file with its entities replaced in place.
    plain: &'d str,
    /// The same without the values of attributes: a text with statements may extend over further elements.
    texts: String,
    unit: Unit,
    findings: Findings,
    /// The functions and blocks that this file declares.
    callees: BTreeMap<String, Callee>,
    /// The beginning of hidden names.
    prefix: String,
    /// Unknown parts of the body that is read: nothing is verified behind its start.
    doubts: Vec<Stmt>,
    /// Kinds of vendors' data that the ledger has already.
    seen_data: BTreeSet<String>,
}

impl Reader<'_> {
    /// Reports a missing part of an element.
    fn missing(&mut self, element: Element<'_>, what: &str) {
        let message = format!("`<{}>` has no {what}", element.name());
        let finding = Diagnostic::error("P0011", element.tag_span(), message, "in this element");
        self.findings.push(finding.help("mend it in the engineering system and export the project again"));
    }
    /// Enters an element that is not modelled into the ledger.
    fn gap(&mut self, words: &'static str, span: Span) {
        self.unit.items.push(Item::Unsupported(words, span));
    }
    /// Notes a part of a body that may change its meaning.
    fn doubt(&mut self, words: &'static str, span: Span) {
        self.doubts.push(Stmt::unsupported(words, span));
    }
    /// Enters an unknown element into the ledger.
    fn unknown(&mut self, element: Element<'_>) {
        self.gap(UNKNOWN_ELEMENT, element.tag_span());
    }

    /// Reads the attribute `name` as an identifier.
    fn ident(&mut self, element: Element<'_>, name: &str) -> Option<Ident> {
        let value = self.required(element, name)?;
        self.as_ident(&value)
    }

    /// Returns the attribute `name`; reports an empty or missing one.
    fn required<'e>(&mut self, element: Element<'e>, name: &str) -> Option<Value<'e>> {
        let value = element.filled(name);
        if value.is_none() {
            self.missing(element, name);
        }
        value
    }

    fn as_ident(&mut self, value: &Value<'_>) -> Option<Ident> {
        let text = value.text.trim();
        let is_start = |c: char| c.is_alphabetic() || c == '_';
        if text.starts_with(is_start) && text.chars().all(|c| is_start(c) || c.is_alphanumeric()) {
            return Some(Ident { text: text.to_owned(), span: value.span });
        }
        let message = format!("`{text}` is not a name");
        let finding = Diagnostic::error("P1010", value.span, message, "a name was expected");
        self.findings.push(finding.help("a name consists of letters, digits and `_` and does not start with a digit"));
        None
    }

    /// Reads an attribute as a path to a function or type: `Library.Function`; keywords such as AND are allowed.
    fn path(&mut self, value: &Value<'_>) -> Option<Name> {
        let mut parts = Vec::new();
        // Characters that are written as entities take more bytes in the file.
        let is_as_written = value.text.len() == value.range.len();
        let mut at = value.range.start as u32 + (value.text.len() - value.text.trim_start().len()) as u32;
        for part in value.text.trim().split('.') {
            let own = Span { start: at, end: at + part.len() as u32, ..value.span };
            let span = if is_as_written { own } else { value.span };
            parts.push(self.as_ident(&Value { text: part.into(), span, ..value.clone() })?);
            at += part.len() as u32 + 1;
        }
        let mut parts = parts.into_iter();
        let root = parts.next()?;
        Some(Name { root, path: parts.map(NameElem::Field).collect(), span: value.span })
    }

    /// Returns the expression in an element's text or an attribute; reports an empty or wrong one.
    fn expression(&mut self, parsed: Parsed<Option<Expr>>, span: Span) -> Expr {
        match self.findings.keep(parsed) {
            Some(expr) => expr,
            None => {
                let finding = Diagnostic::error("P1010", span, "expected an expression, found nothing", "empty");
                self.findings.push(finding.help("write the variable or value in the engineering system"));
                Expr::error(span)
            }
        }
    }
    fn expression_in(&mut self, element: Element<'_>) -> Expr {
        let range = if is_unset(&element.text()) { 0..0 } else { inside(element) };
        let parsed = embedded::expression(self.unit.file, &self.texts, range);
        self.expression(parsed, element.span())
    }
    fn expression_of(&mut self, value: &Value<'_>) -> Expr {
        let range = if is_unset(&value.text) { 0..0 } else { value.range.clone() };
        let parsed = embedded::expression(self.unit.file, self.plain, range);
        self.expression(parsed, value.span)
    }
}

/// Returns the plain text of a document without the values of attributes, and with an end of line behind each paragraph.
fn texts(document: &xml::Document) -> String {
    let mut bytes = document.plain().as_bytes().to_vec();
    for element in document.root().into_iter().flat_map(|root| std::iter::once(root).chain(root.descendants())) {
        for (_, value) in element.attributes() {
            bytes.get_mut(value.range).into_iter().flatten().for_each(|b| *b = if *b == b'\n' { b'\n' } else { FILLER });
        }
        // A comment ends with its paragraph, even where the file has all of them on one line.
        if matches!(element.name(), "p" | "br" | "div" | "li")
            && let Some(last) = bytes.get_mut((element.span().end as usize).saturating_sub(1)).filter(|b| **b == FILLER)
        {
            *last = b'\n';
        }
    }
    String::from_utf8(bytes).unwrap_or_default()
}

/// Returns the bytes of an element; its tags are filler in the text.
fn inside(element: Element<'_>) -> std::ops::Range<usize> {
    let span = element.span();
    span.start as usize..span.end as usize
}

/// Returns whether a text is the mark of tools for an empty place: `???`.
fn is_unset(text: &str) -> bool {
    text.trim().chars().all(|c| c == '?')
}

/// Returns whether an attribute is `true`.
fn is_true(element: Element<'_>, name: &str) -> bool {
    element.attribute(name).is_some_and(|v| matches!(v.text.trim(), "true" | "1" | "TRUE" | "True"))
}
