//! Pragmas of whole files, in every language whose texts have pragmas.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Range;

use super::LANGUAGES;
use super::common::is_markup;
use super::common::lexer::{Asides, FILLER, Flavour, Lexer};
use super::common::token::Tok;
use super::xml;
use crate::text::{FileId, SourceFile, SourceSet, Span};

/// Pragmas of files that were read before, for resolutions that share the files.
#[derive(Debug, Default)]
pub(crate) struct Pragmas {
    /// By the number of the file.
    known: Vec<Vec<(Span, String)>>,
}

impl Pragmas {
    /// Reads the pragmas of all files. Cost: that of [`pragmas`] for each file.
    pub(crate) fn of(sources: &SourceSet) -> Pragmas {
        Pragmas { known: sources.files.iter_enumerated().map(|(id, file)| pragmas(id, &file.name, &file.text)).collect() }
    }

    /// Returns whether the pragmas of a file are known.
    pub(crate) fn knows(&self, id: FileId) -> bool {
        (id.0 as usize) < self.known.len()
    }

    /// Returns the pragmas of a file; a file without text has none. Files that are not known are read.
    pub(crate) fn in_file(&self, id: FileId, file: &SourceFile) -> Cow<'_, [(Span, String)]> {
        match self.known.get(id.0 as usize) {
            Some(_) if file.text.is_empty() => Cow::Borrowed(&[]),
            Some(known) => Cow::Borrowed(known),
            None => Cow::Owned(pragmas(id, &file.name, &file.text)),
        }
    }
}

/// Returns the pragmas of a file with their words, in the order of the text; comments, strings and drawings have none.
///
/// Cost:      one more reading of the text, if there is a brace in it.
pub(crate) fn pragmas(file: FileId, name: &str, text: &str) -> Vec<(Span, String)> {
    if !text.contains('{') {
        return Vec::new();
    }
    let flavour = LANGUAGES.iter().find(|language| language.owns(name)).map_or(Flavour::Iec, |language| language.flavour);
    let document = is_markup(text).then(|| xml::read(file, text).value);
    let plain = document.as_ref().map_or(text, |document| document.plain());
    let pieces: Vec<Range<usize>> = match document.as_ref().and_then(|document| document.root()) {
        Some(root) => std::iter::once(root).chain(root.descendants()).filter_map(|e| e.text_range()).collect(),
        None => std::iter::once(0..plain.len()).collect(),
    };
    let mut found = BTreeMap::new();
    let mut read_up_to = 0;
    for piece in pieces {
        // The text of an element includes the texts of inner elements.
        if piece.end <= read_up_to {
            continue;
        }
        read_up_to = piece.end;
        if !plain.get(piece.clone()).is_some_and(|text| text.contains('{')) {
            continue;
        }
        let mut lexer = Lexer::new(file, plain, piece.start, piece.end).flavoured(flavour);
        let mut asides = Asides::default();
        while lexer.next(&mut asides).kind != Tok::End {}
        for span in asides.pragmas {
            let words = plain.get(span.start as usize + 1..span.end as usize - 1).unwrap_or("").trim();
            found.insert(span, words.replace(FILLER, ""));
        }
    }
    found.into_iter().collect()
}

/// Most pragmas and comments between a pragma and its declaration.
const MOST_BETWEEN: usize = 256;

/// Returns the beginning of the declaration behind a pragma: behind blanks, comments and other pragmas.
pub(crate) fn declared_behind(text: &str, pragma: Span) -> u32 {
    let mut at = pragma.end as usize;
    for _ in 0..MOST_BETWEEN {
        let Some(rest) = text.get(at..) else { break };
        at += rest.len() - rest.trim_start().len();
        let Some(rest) = text.get(at..) else { break };
        let aside = [("{", "}"), ("(*", "*)"), ("//", "\n")].into_iter().find_map(|(open, close)| {
            let inside = rest.strip_prefix(open)?;
            Some(open.len() + inside.find(close)? + close.len())
        });
        match aside {
            Some(length) => at += length,
            None => break,
        }
    }
    at as u32
}
