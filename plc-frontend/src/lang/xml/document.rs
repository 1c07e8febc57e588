//! Tree of an XML file: a flat list in the order of the file, without recursion.

use std::borrow::Cow;
use std::ops::Range;

use super::unescape::without_filler;
use crate::text::{FileId, Span};

/// The elements of a file, as far as it could be read.
#[derive(Clone, Debug)]
pub(crate) struct Document {
    pub(super) file: FileId,
    /// The file with its texts and attribute values unescaped in place; everything else is filler and line ends.
    pub(super) plain: String,
    /// Names of elements and attributes, concatenated.
    pub(super) names: String,
    /// Elements in the order of their start tags, so that a subtree is a range.
    pub(super) nodes: Vec<Node>,
    pub(super) attributes: Vec<RawAttribute>,
}

/// One element.
#[derive(Clone, Debug)]
pub(super) struct Node {
    /// Name with its prefix, in [`Document::names`].
    pub(super) name: Range<u32>,
    pub(super) parent: Option<u32>,
    /// Index of the element after the last one inside.
    pub(super) subtree_end: u32,
    pub(super) attributes: Range<u32>,
    pub(super) start_tag: Range<u32>,
    /// Bytes of the whole element, with its end tag.
    pub(super) all: Range<u32>,
    /// Bytes from its first text to the end of its last text.
    pub(super) text: Option<Range<u32>>,
}

/// An attribute.
#[derive(Clone, Debug)]
pub(super) struct RawAttribute {
    pub(super) name: Range<u32>,
    /// Bytes of the value, between the quotes.
    pub(super) value: Range<u32>,
}

/// An element of a document.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Element<'d> {
    document: &'d Document,
    at: u32,
}

/// A value of an attribute.
#[derive(Clone, Debug)]
pub(crate) struct Value<'d> {
    /// Unescaped text.
    pub(crate) text: Cow<'d, str>,
    /// Its bytes in [`Document::plain`], between the quotes.
    pub(crate) range: Range<usize>,
    /// Its place.
    pub(crate) span: Span,
}

impl Default for Document {
    fn default() -> Document {
        let (plain, names) = (String::new(), String::new());
        Document { file: FileId(0), plain, names, nodes: Vec::new(), attributes: Vec::new() }
    }
}

impl Document {
    /// Returns the outermost element; the first, if there are several.
    pub(crate) fn root(&self) -> Option<Element<'_>> {
        (!self.nodes.is_empty()).then_some(Element { document: self, at: 0 })
    }
    /// Returns the file with texts and attribute values unescaped in place. Its length stays the same: shortened entities are
    /// padded with [`super::FILLER`]. The filler replaces all markup, too.
    pub(crate) fn plain(&self) -> &str {
        &self.plain
    }
    /// Returns the file it was read from.
    pub(crate) fn file(&self) -> FileId {
        self.file
    }
    fn name(&self, range: &Range<u32>) -> &str {
        self.names.get(bytes(range)).unwrap_or("")
    }
    /// Returns the name of the element `at`, as written.
    pub(super) fn name_of(&self, at: u32) -> &str {
        self.nodes.get(at as usize).map_or("", |node| self.name(&node.name))
    }
}

impl<'d> Element<'d> {
    fn node(self) -> &'d Node {
        &self.document.nodes[self.at as usize]
    }
    /// Returns the document it belongs to.
    pub(crate) fn document(self) -> &'d Document {
        self.document
    }
    /// Returns its name without a prefix.
    pub(crate) fn name(self) -> &'d str {
        local(self.qualified_name())
    }
    /// Returns its name as written.
    pub(crate) fn qualified_name(self) -> &'d str {
        self.document.name(&self.node().name)
    }
    /// Returns the namespace of its prefix; without a prefix, the default namespace.
    pub(crate) fn namespace(self) -> Option<Cow<'d, str>> {
        let declaration = match self.qualified_name().split_once(':') {
            Some((prefix, _)) => format!("xmlns:{prefix}"),
            None => "xmlns".to_owned(),
        };
        std::iter::successors(Some(self), |e| e.parent()).find_map(|e| e.qualified_attribute(&declaration)).map(|v| v.text)
    }
    /// Returns its start tag.
    pub(crate) fn tag_span(self) -> Span {
        self.span_of(&self.node().start_tag)
    }
    /// Returns the place of the whole element.
    pub(crate) fn span(self) -> Span {
        self.span_of(&self.node().all)
    }
    /// Returns the element around it.
    pub(crate) fn parent(self) -> Option<Element<'d>> {
        self.node().parent.map(|at| Element { at, ..self })
    }
    /// Returns the elements directly inside.
    pub(crate) fn children(self) -> impl Iterator<Item = Element<'d>> {
        let end = self.node().subtree_end;
        let first = (self.at + 1 < end).then_some(Element { at: self.at + 1, ..self });
        std::iter::successors(first, move |e| {
            let at = e.node().subtree_end;
            (at < end).then_some(Element { at, ..*e })
        })
    }
    /// Returns the elements directly inside with this name, without a prefix.
    pub(crate) fn children_named(self, name: &str) -> impl Iterator<Item = Element<'d>> {
        self.children().filter(move |e| e.name() == name)
    }
    /// Returns the first element directly inside with this name.
    pub(crate) fn child(self, name: &str) -> Option<Element<'d>> {
        self.children().find(|e| e.name() == name)
    }
    /// Returns all elements inside, in the order of the file.
    pub(crate) fn descendants(self) -> impl Iterator<Item = Element<'d>> {
        (self.at + 1..self.node().subtree_end).map(move |at| Element { at, ..self })
    }
    /// Returns the attribute with this name, without a prefix.
    pub(crate) fn attribute(self, name: &str) -> Option<Value<'d>> {
        self.attributes().find(|(n, _)| local(n) == name && !n.starts_with("xmlns")).map(|(_, value)| value)
    }
    fn qualified_attribute(self, name: &str) -> Option<Value<'d>> {
        self.attributes().find(|(n, _)| *n == name).map(|(_, value)| value)
    }
    /// Returns all attributes with their names as written.
    pub(crate) fn attributes(self) -> impl Iterator<Item = (&'d str, Value<'d>)> {
        let rows = self.document.attributes.get(bytes(&self.node().attributes)).unwrap_or_default();
        rows.iter().map(move |raw| {
            let range = bytes(&raw.value);
            let text = without_filler(self.document.plain.get(range.clone()).unwrap_or(""));
            (self.document.name(&raw.name), Value { text, range, span: self.span_of(&raw.value) })
        })
    }
    /// Returns the bytes of its own text in [`Document::plain`], from the first to the last; `None` if there is only white space.
    pub(crate) fn text_range(self) -> Option<Range<usize>> {
        self.node().text.as_ref().map(bytes)
    }
    /// Returns its own text, unescaped. The text of elements between its first and its last text is included.
    pub(crate) fn text(self) -> Cow<'d, str> {
        self.text_range().and_then(|range| self.document.plain.get(range)).map_or(Cow::Borrowed(""), without_filler)
    }
    /// Returns the attribute with this name, if its value is more than white space.
    pub(crate) fn filled(self, name: &str) -> Option<Value<'d>> {
        self.attribute(name).filter(|value| !value.text.trim().is_empty())
    }
    /// Returns the attribute with this name, parsed as a number or another type.
    pub(crate) fn parsed<T: std::str::FromStr>(self, name: &str) -> Option<T> {
        self.attribute(name)?.text.trim().parse().ok()
    }
    /// Returns the place of its own text.
    pub(crate) fn text_span(self) -> Option<Span> {
        let range = self.text_range()?;
        Some(Span::new(self.document.file, range.start, range.end))
    }
    fn span_of(self, range: &Range<u32>) -> Span {
        Span { file: self.document.file, start: range.start, end: range.end }
    }
}

fn bytes(range: &Range<u32>) -> Range<usize> {
    range.start as usize..range.end as usize
}

fn local(name: &str) -> &str {
    name.rsplit_once(':').map_or(name, |(_, local)| local)
}
