//! Trees of files that are not XML, with the elements that XML of the same system has.

use std::collections::BTreeMap;
use std::ops::Range;

use super::document::{Document, Node, RawAttribute};
use crate::text::FileId;

/// A document while it is built.
///
/// Values that the file does not hold stand behind its end in the plain text; they have no place in the file.
pub(crate) struct Builder {
    document: Document,
    words: BTreeMap<String, Range<u32>>,
    names: BTreeMap<String, Range<u32>>,
    open: Vec<u32>,
}

impl Builder {
    /// Returns a builder for a file; `plain` is its text, of the same length.
    pub(crate) fn new(file: FileId, plain: String) -> Builder {
        let document = Document { file, plain, ..Document::default() };
        Builder { document, words: BTreeMap::new(), names: BTreeMap::new(), open: Vec::new() }
    }

    /// Opens an element whose beginning stands at a range of the file.
    pub(crate) fn open(&mut self, name: &str, at: &Range<usize>) {
        let name = self.name(name);
        let tag = narrow(at);
        let first = narrow_at(self.document.attributes.len());
        let parent = self.open.last().copied();
        self.open.push(narrow_at(self.document.nodes.len()));
        let (subtree_end, attributes) = (0, first..first);
        self.document.nodes.push(Node { name, parent, subtree_end, attributes, start_tag: tag.clone(), all: tag, text: None });
    }

    /// Adds an attribute to the element that was opened last, before any child.
    pub(crate) fn attribute(&mut self, name: &str, value: &Range<usize>) {
        let (name, value) = (self.name(name), narrow(value));
        self.push(RawAttribute { name, value });
    }

    /// Adds an attribute whose value the file does not hold.
    pub(crate) fn word(&mut self, name: &str, value: &str) {
        let name = self.name(name);
        let next = narrow_at(self.document.plain.len());
        let value = match self.words.get(value) {
            Some(range) => range.clone(),
            None => {
                self.document.plain.push_str(value);
                let range = next..narrow_at(self.document.plain.len());
                self.words.insert(value.to_owned(), range.clone());
                range
            }
        };
        self.push(RawAttribute { name, value });
    }

    fn push(&mut self, attribute: RawAttribute) {
        let Some(node) = self.open.last().and_then(|at| self.document.nodes.get_mut(*at as usize)) else { return };
        // Attributes stand together, so none may follow a child.
        if node.attributes.end as usize == self.document.attributes.len() {
            node.attributes.end += 1;
            self.document.attributes.push(attribute);
        }
    }

    /// Gives the open element its text.
    pub(crate) fn text(&mut self, range: &Range<usize>) {
        if let Some(node) = self.open.last().and_then(|at| self.document.nodes.get_mut(*at as usize)) {
            node.text = Some(narrow(range)).filter(|range| range.start < range.end);
        }
    }

    /// Closes the open element, which ends at a place of the file.
    pub(crate) fn close(&mut self, end: usize) {
        let n_nodes = narrow_at(self.document.nodes.len());
        if let Some(node) = self.open.pop().and_then(|at| self.document.nodes.get_mut(at as usize)) {
            node.subtree_end = n_nodes;
            node.all.end = node.all.end.max(narrow_at(end));
        }
    }

    /// Returns the document; elements that are still open end with the file.
    pub(crate) fn finish(mut self) -> Document {
        while !self.open.is_empty() {
            self.close(0);
        }
        self.document
    }

    fn name(&mut self, name: &str) -> Range<u32> {
        if let Some(range) = self.names.get(name) {
            return range.clone();
        }
        let start = narrow_at(self.document.names.len());
        self.document.names.push_str(name);
        let range = start..narrow_at(self.document.names.len());
        self.names.insert(name.to_owned(), range.clone());
        range
    }
}

fn narrow(range: &Range<usize>) -> Range<u32> {
    narrow_at(range.start)..narrow_at(range.end)
}

/// Files are shorter than 4 GB: see [`crate::lang::LARGEST_TEXT`].
fn narrow_at(at: usize) -> u32 {
    u32::try_from(at).unwrap_or(u32::MAX)
}
