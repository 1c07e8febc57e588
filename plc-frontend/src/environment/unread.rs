//! Text that holds the names of what is not modelled.

use std::collections::BTreeMap;
use std::ops::Range;

use crate::lang::is_markup;
use crate::text::{FileId, SourceSet, Span};

/// Elements of XML formats that hold a POU, a routine or a network with all names that it uses.
const UNITS: &[&str] = &["pou", "routine", "encodeddata", "program", "addoninstructiondefinition"];

/// Texts of units of the files, found once for each file.
pub(super) struct Texts<'s> {
    sources: &'s SourceSet,
    units: BTreeMap<FileId, Vec<Unit>>,
}

/// Element of a unit: its bytes, and the begin of its end tag.
struct Unit {
    bytes: Range<usize>,
    end_tag: usize,
}

impl<'s> Texts<'s> {
    pub(super) fn new(sources: &'s SourceSet) -> Self {
        Texts { sources, units: BTreeMap::new() }
    }

    /// Returns the text that names all operands of a statement that is not modelled.
    ///
    /// Soundness: in XML the operands of a box stand beside it, so the text of the whole unit counts; if there is none, that of the
    /// file. Structured text inside of XML names them itself.
    pub(super) fn of_statement(&mut self, span: Span) -> &'s str {
        let sources = self.sources;
        let Some(file) = sources.files.get(span.file).filter(|file| is_markup(&file.text)) else { return sources.text(span) };
        let before = file.text.get(..span.start as usize).unwrap_or_default();
        let is_text = before.rfind("<![CDATA[").is_some_and(|open| before.rfind("]]>").is_none_or(|close| close < open));
        if is_text && span.start < span.end { sources.text(span) } else { self.of_unit(span) }
    }

    /// Returns the text of a POU, with its bodies.
    pub(super) fn of_unit(&mut self, span: Span) -> &'s str {
        match self.sources.files.get(span.file) {
            Some(file) if is_markup(&file.text) => {
                let units = self.units.entry(span.file).or_insert_with(|| units(&file.text));
                unit(&file.text, units, span.start as usize)
            }
            Some(_) | None => self.sources.text(span),
        }
    }
}

/// Returns whether a part of a text is protected by its author: it may name everything.
pub(super) fn is_encoded(text: &str) -> bool {
    ["EncodedData", "ENCODED_DATA"].iter().any(|word| text.contains(word))
}

/// Returns the text of the innermost unit around a position; the whole text without one.
fn unit<'t>(text: &'t str, units: &[Unit], at: usize) -> &'t str {
    let before = units.partition_point(|unit| unit.bytes.start <= at);
    let found = units.get(..before).and_then(|units| units.iter().rev().find(|unit| at < unit.end_tag));
    found.and_then(|unit| text.get(unit.bytes.clone())).unwrap_or(text)
}

/// Returns the units of a text, by their begin. One that does not end reaches to the end of the text.
fn units(text: &str) -> Vec<Unit> {
    let mut found: Vec<Unit> = Vec::new();
    // Elements that are open: the place among the units for those that are one.
    let mut open: Vec<Option<usize>> = Vec::new();
    let mut next = 0;
    while let Some(start) = text.get(next..).and_then(|rest| rest.find('<')).map(|offset| next + offset) {
        let rest = text.get(start..).unwrap_or_default();
        let skip = |opener: &str, closer: &str| {
            rest.starts_with(opener).then(|| rest.find(closer).map_or(text.len(), |end| start + end + closer.len()))
        };
        if let Some(end) = skip("<!--", "-->").or_else(|| skip("<![CDATA[", "]]>")).or_else(|| skip("<?", "?>")) {
            next = end;
            continue;
        }
        let Some(end) = end_of_tag(rest).map(|end| start + end) else { break };
        let inner = text.get(start + 1..end).unwrap_or_default();
        if inner.starts_with('/') {
            if let Some(unit) = open.pop().flatten().and_then(|at| found.get_mut(at)) {
                (unit.bytes.end, unit.end_tag) = (end + 1, start);
            }
        } else if !inner.ends_with('/') {
            let name = inner.split([' ', '\t', '\r', '\n', '>']).next().unwrap_or_default();
            open.push(is_unit(name).then_some(found.len()));
            if is_unit(name) {
                found.push(Unit { bytes: start..text.len(), end_tag: text.len() });
            }
        }
        next = end + 1;
    }
    found
}

/// Returns the position of the `>` that ends a tag; quotes may hide others.
fn end_of_tag(text: &str) -> Option<usize> {
    let mut quote = None;
    for (at, c) in text.char_indices() {
        match (quote, c) {
            (None, '>') => return Some(at),
            (None, '"' | '\'') => quote = Some(c),
            (Some(open), c) if open == c => quote = None,
            (Some(_) | None, _) => {}
        }
    }
    None
}

fn is_unit(name: &str) -> bool {
    let local = name.rsplit(':').next().unwrap_or(name).to_ascii_lowercase();
    UNITS.contains(&local.as_str()) || local.starts_with("sw.blocks.")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_of_xml() {
        let check = |text: &str, expected: &str| {
            let at = text.find('@').unwrap_or(0);
            assert_eq!(unit(text, &units(text), at), expected, "{text}");
        };
        assert!(is_encoded("<Routine><EncodedData>x</EncodedData></Routine>") && !is_encoded("<Routine/>"));
        check("<a><POU n=\"1\">x<b>@</b></POU><POU/></a>", "<POU n=\"1\">x<b>@</b></POU>");
        check("<p:pou><pou><c k=\"@>\"/></pou>d</p:pou>", "<pou><c k=\"@>\"/></pou>");
        check("<a><!-- <pou> --><b>@</b></a>", "<a><!-- <pou> --><b>@</b></a>");
        check("<pou><![CDATA[</pou>]]>@</pou>e", "<pou><![CDATA[</pou>]]>@</pou>");
        check("<x><SW.Blocks.FC>@<y></x>", "<SW.Blocks.FC>@<y></x>");
        check("<program><routine/><routine>x</routine>@</program>", "<program><routine/><routine>x</routine>@</program>");
        check("<program><routine>x</routine></program>@", "<program><routine>x</routine></program>@");
    }
}
