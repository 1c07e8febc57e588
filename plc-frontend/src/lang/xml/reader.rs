//! From text to the tree. Mistakes are reported at their places; the text before and around them is still read.

mod mistakes;

use std::ops::Range;

use quick_xml::Reader;
use quick_xml::events::attributes::AttrError;
use quick_xml::events::{BytesStart, Event};

use super::document::{Document, Node, RawAttribute};
use super::unescape::{FILLER, Wrong, unescape};
use crate::lang::common::findings::Findings;
use crate::text::{Diagnostic, FileId, Parsed, Span};

/// Elements inside of more elements than this are not read.
const DEEPEST: usize = 128;
/// Elements beyond this many are not read.
const MOST_ELEMENTS: usize = 1_000_000;
/// Attributes beyond this many are not read.
const MOST_ATTRIBUTES: usize = 4_000_000;
/// Attributes of one element beyond this many are not read.
const MOST_ATTRIBUTES_OF_ONE: usize = 256;
/// The longest value of an attribute, in bytes.
const LONGEST_VALUE: usize = 1 << 20;
/// Most restarts behind sections without an end: each may cost a look at the whole rest.
const MOST_RESTARTS: usize = 16;

const CDATA: &str = "<![CDATA[";

/// Reads a file. Places are bytes of `text`.
pub(crate) fn read(file: FileId, text: &str) -> Parsed<Document> {
    let plain = text.bytes().map(|b| if b == b'\n' { b } else { FILLER as u8 }).collect();
    let mut builder = Builder {
        file,
        text,
        plain,
        document: Document { file, ..Document::default() },
        open: Vec::new(),
        n_too_deep: 0,
        run: 0..0,
        findings: Findings::default(),
    };
    builder.read_all();
    builder.finish()
}

struct Builder<'t> {
    file: FileId,
    text: &'t str,
    plain: Vec<u8>,
    document: Document,
    /// The elements that have no end yet.
    open: Vec<u32>,
    /// Number of open elements that are too deep to be kept.
    n_too_deep: usize,
    /// Text that is read but not yet unescaped: entities and the text around them are one piece.
    run: Range<usize>,
    findings: Findings,
}

/// Step after an event.
enum Next {
    Event,
    /// Reading goes on with a new reader from this place.
    From(usize),
    Stop,
}

impl<'t> Builder<'t> {
    fn read_all(&mut self) {
        // The reader below does not count the byte order mark in its places.
        let mut start = self.text.len() - self.text.trim_start_matches('\u{feff}').len();
        for _ in 0..MOST_RESTARTS {
            match self.read_from(start) {
                Some(again) => start = again,
                None => return,
            }
        }
        let place = Span::new(self.file, start, start);
        let diagnostic = Diagnostic::error("P0006", place, "too many sections of this file have no end", "not read from here on");
        self.findings.push(diagnostic.help("export the file again"));
    }

    /// Reads to the end, or up to a place from which a new reader must go on.
    fn read_from(&mut self, base: usize) -> Option<usize> {
        let text = self.text.get(base..)?;
        let mut reader = Reader::from_str(text);
        let config = reader.config_mut();
        config.allow_dangling_amp = true;
        config.allow_unmatched_ends = true;
        config.check_end_names = false;
        loop {
            let before = base + reader.buffer_position() as usize;
            let event = reader.read_event();
            let after = base + reader.buffer_position() as usize;
            let next = match event {
                Ok(event) => self.event(event, before..after),
                Err(error) => self.broken(&error, base + reader.error_position() as usize),
            };
            match next {
                Next::Event => {}
                Next::From(start) => return Some(start),
                Next::Stop => return None,
            }
        }
    }

    fn event(&mut self, event: Event<'_>, range: Range<usize>) -> Next {
        if let Event::Text(_) | Event::GeneralRef(_) = event {
            if self.run.end != range.start {
                self.end_run();
                self.run.start = range.start;
            }
            self.run.end = range.end;
            return Next::Event;
        }
        self.end_run();
        match event {
            Event::Start(tag) => return self.start(&tag, range, false),
            Event::Empty(tag) => return self.start(&tag, range, true),
            Event::End(tag) => self.end(tag.name().0, range),
            Event::CData(content) => return self.cdata(&content, range),
            Event::DocType(_) => {
                let message = "this file has a document type definition (DTD)";
                let diagnostic = Diagnostic::error("P0007", self.span(range), message, "not read");
                self.findings.push(diagnostic.help("remove the `<!DOCTYPE …>`; no export of an engineering system needs one"));
            }
            Event::Eof => {
                self.unclosed();
                return Next::Stop;
            }
            Event::Comment(_) | Event::Decl(_) | Event::PI(_) | Event::Text(_) | Event::GeneralRef(_) => {}
        }
        Next::Event
    }

    fn start(&mut self, tag: &BytesStart<'_>, range: Range<usize>, is_empty: bool) -> Next {
        if 0 < self.n_too_deep || DEEPEST <= self.open.len() {
            if self.n_too_deep == 0 {
                let message = format!("elements are nested more than {DEEPEST} levels deep");
                self.refuse("P0008", range, &message, "not read, with all that it holds");
            }
            self.n_too_deep += usize::from(!is_empty);
            return Next::Event;
        }
        let n_nodes = self.document.nodes.len();
        if MOST_ELEMENTS <= n_nodes || MOST_ATTRIBUTES <= self.document.attributes.len() {
            let message = format!("this file has more than {MOST_ELEMENTS} elements or {MOST_ATTRIBUTES} attributes");
            self.refuse("P0008", range, &message, "not read from here on");
            return Next::Stop;
        }
        if self.open.is_empty() && 0 < n_nodes {
            let message = "there is a second outermost element";
            self.refuse("P0006", range.clone(), message, "not read: the file should have ended before this");
        }
        let (start, end) = (range.start as u32, range.end as u32);
        let at = n_nodes as u32;
        let name = self.keep_name(tag.name().0);
        let attributes = self.attributes(tag);
        let parent = self.open.last().copied();
        let node = Node { name, parent, subtree_end: at + 1, attributes, start_tag: start..end, all: start..end, text: None };
        self.document.nodes.push(node);
        if is_empty {
            self.close(at, range.end);
        } else {
            self.open.push(at);
        }
        Next::Event
    }

    fn attributes(&mut self, tag: &BytesStart<'_>) -> Range<u32> {
        let first = self.document.attributes.len();
        let mut iterator = tag.attributes();
        iterator.with_checks(false);
        let start = self.place_of(tag);
        for attribute in iterator {
            match attribute {
                Ok(attribute) => {
                    let at = self.place_of(&attribute.value);
                    let value = at..at + attribute.value.len();
                    let key = self.place_of(attribute.key.0);
                    let key = key..key + attribute.key.0.len();
                    let names = self.document.attributes[first..].iter();
                    let n_others = names.len();
                    if n_others == MOST_ATTRIBUTES_OF_ONE {
                        self.refuse("P0008", key, "this element has too many attributes", "not read from here on");
                        break;
                    }
                    let mut names = names.map(|a| &self.document.names[a.name.start as usize..a.name.end as usize]);
                    if names.any(|n| n == attribute.key.0) {
                        self.refuse("P0006", key, "an attribute is given twice", "ignored: the first one counts");
                    } else if LONGEST_VALUE < value.len() {
                        let message = format!("the value of this attribute is longer than {} MB", LONGEST_VALUE >> 20);
                        self.refuse("P0008", key, &message, "ignored");
                    } else {
                        let name = self.keep_name(attribute.key.0);
                        let value = value.start as u32..value.end as u32;
                        self.document.attributes.push(RawAttribute { name, value });
                    }
                }
                Err(error) => {
                    let (at, message) = match error {
                        AttrError::ExpectedEq(at) => (at, "an attribute has no value"),
                        AttrError::ExpectedValue(at) => (at, "an attribute has no value"),
                        AttrError::UnquotedValue(at) => (at, "the value of an attribute has no quotes"),
                        AttrError::ExpectedQuote(at, _) => (at, "the value of an attribute has no closing quote"),
                        AttrError::Duplicated(at, _) => (at, "an attribute is given twice"),
                    };
                    self.refuse("P0006", start + at..start + at, message, "here");
                }
            }
        }
        first as u32..self.document.attributes.len() as u32
    }

    fn end(&mut self, name: &str, range: Range<usize>) {
        if 0 < self.n_too_deep {
            self.n_too_deep -= 1;
            return;
        }
        let name = name.trim_end();
        let depth = self.open.iter().rposition(|at| self.document.name_of(*at) == name);
        let Some(depth) = depth else {
            let message = format!("`</{name}>` ends nothing that is open");
            self.refuse("P0006", range, &message, "ignored");
            return;
        };
        if depth + 1 < self.open.len()
            && let Some(inner) = self.open.last().copied()
        {
            let tag = self.document.nodes[inner as usize].start_tag.clone();
            let message = format!("`<{}>` has no end", self.document.name_of(inner));
            let opened = Span { file: self.file, start: tag.start, end: tag.end };
            let ended = format!("`</{name}>` ends what is around it");
            let diagnostic = Diagnostic::error("P0006", opened, message, "starts here").label(self.span(range.clone()), ended);
            self.findings.push(diagnostic.help("export the file again, or add the missing end tag"));
        }
        while depth < self.open.len() {
            if let Some(at) = self.open.pop() {
                self.close(at, range.end);
            }
        }
    }

    fn close(&mut self, at: u32, end: usize) {
        let n_nodes = self.document.nodes.len() as u32;
        if let Some(node) = self.document.nodes.get_mut(at as usize) {
            node.subtree_end = n_nodes;
            node.all.end = end as u32;
        }
    }

    fn cdata(&mut self, content: &str, range: Range<usize>) -> Next {
        // A section has lost its end if it holds the end of its own element and then another section.
        if let Some(end) = self.end_tag_in(content)
            && content.get(end..).is_some_and(|rest| rest.contains(CDATA))
        {
            return self.unclosed_cdata(range.start, Some(range.start + CDATA.len() + end));
        }
        let content = range.start + CDATA.len()..range.end.saturating_sub("]]>".len());
        self.keep_text(content.clone());
        if let (Some(from), Some(to)) = (self.text.get(content.clone()), self.plain.get_mut(content.clone())) {
            to.copy_from_slice(from.as_bytes());
            if let Some(at) = from.find(FILLER) {
                let at = content.start + at;
                self.refuse("P0014", at..at + 1, "a control character stands in this text", "no text has this");
            }
        }
        Next::Event
    }

    fn close_all(&mut self) {
        while let Some(at) = self.open.pop() {
            self.close(at, self.text.len());
        }
    }

    /// Unescapes the text that was read since the last markup.
    fn end_run(&mut self) {
        let run = std::mem::replace(&mut self.run, 0..0);
        let Some(text) = self.text.get(run.clone()) else { return };
        if text.trim_ascii().is_empty() {
            return;
        }
        if self.n_too_deep == 0 && self.open.is_empty() {
            self.refuse("P0006", run, "there is text outside of the outermost element", "not read");
            return;
        }
        self.keep_text(run.clone());
        self.unescape(run);
    }

    /// Extends the text of the innermost open element by this range.
    fn keep_text(&mut self, range: Range<usize>) {
        let node = self.open.last().and_then(|at| self.document.nodes.get_mut(*at as usize));
        if let Some(node) = node.filter(|_| self.n_too_deep == 0) {
            let start = node.text.as_ref().map_or(range.start as u32, |t| t.start);
            node.text = Some(start..range.end as u32);
        }
    }

    fn unescape(&mut self, range: Range<usize>) {
        let (Some(from), Some(to)) = (self.text.get(range.clone()), self.plain.get_mut(range.clone())) else { return };
        for (at, length, why) in unescape(from, to) {
            let at = range.start + at;
            let place = at..at + length;
            let word = self.text.get(place.clone()).unwrap_or("");
            let (code, message, help) = match why {
                Wrong::Bare => ("P0014", "`&` starts no entity".to_owned(), "write `&amp;`"),
                Wrong::Unknown => {
                    ("P0007", format!("`{word}` is not declared"), "write the character itself, or its number as `&#…;`")
                }
                Wrong::NoCharacter => ("P0014", "this is not a character of a text".to_owned(), "remove it"),
            };
            self.findings.push(Diagnostic::error(code, self.span(place), message, "here").help(help));
        }
    }

    fn finish(mut self) -> Parsed<Document> {
        self.close_all();
        self.unescape_attributes();
        if self.document.nodes.is_empty() && self.findings.is_empty() {
            self.refuse("P0006", 0..0, "this XML file has no element", "nothing follows");
        }
        self.document.plain = String::from_utf8(self.plain).unwrap_or_else(|_| self.text.to_owned());
        Parsed { value: self.document, diagnostics: self.findings.finish(self.file, self.text) }
    }

    /// Unescapes attribute values, except those of tags inside of a text: there, only the text counts.
    fn unescape_attributes(&mut self) {
        let mut is_inside_text = vec![false; self.document.nodes.len()];
        let mut values = Vec::new();
        for (at, node) in self.document.nodes.iter().enumerate() {
            let parent = node.parent.map(|p| p as usize);
            is_inside_text[at] = parent.is_some_and(|p| {
                is_inside_text[p]
                    || self.document.nodes[p].text.as_ref().is_some_and(|t| t.start < node.all.start && node.all.end < t.end)
            });
            let range = node.attributes.start as usize..node.attributes.end as usize;
            if !is_inside_text[at]
                && let Some(rows) = self.document.attributes.get(range)
            {
                values.extend(rows.iter().map(|a| a.value.start as usize..a.value.end as usize));
            }
        }
        for value in values {
            self.unescape(value);
        }
    }

    fn keep_name(&mut self, name: &str) -> Range<u32> {
        let start = self.document.names.len() as u32;
        self.document.names.push_str(name);
        start..self.document.names.len() as u32
    }

    /// Returns the byte at which a piece of the text starts.
    fn place_of(&self, piece: &str) -> usize {
        (piece.as_ptr() as usize).saturating_sub(self.text.as_ptr() as usize).min(self.text.len())
    }

    fn span(&self, range: Range<usize>) -> Span {
        Span::new(self.file, range.start, range.end)
    }

    fn refuse(&mut self, code: &'static str, range: Range<usize>, message: &str, here: &str) {
        let diagnostic = Diagnostic::error(code, self.span(range), message, here);
        self.findings.push(diagnostic.help("export the file again from the engineering system"));
    }
}
