//! Source texts, places in them, and the arithmetic from bytes to lines.

use serde::{Deserialize, Serialize};

use super::lines::{LineCounts, ends};
use crate::ids::IndexVec;
pub use crate::text::decode::{TextProblem, decode};
pub use crate::text::export_places::{is_export, place_in_export};

crate::id_type!(
    /// A source file of a [`SourceSet`].
    FileId,
    "file"
);

/// A byte range `start..end` of one file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Span {
    /// The file.
    pub file: FileId,
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

impl Span {
    /// Returns the bytes `start..end` of `file`.
    pub fn new(file: FileId, start: usize, end: usize) -> Span {
        Span { file, start: start as u32, end: end as u32 }
    }
    /// Returns the smallest span that holds both; `self`'s file wins.
    pub fn to(self, other: Span) -> Span {
        Span { file: self.file, start: self.start.min(other.start), end: self.end.max(other.end) }
    }
    /// Returns the empty span at the start of the first file: the place of things that no source holds.
    pub fn none() -> Span {
        Span { file: FileId(0), start: 0, end: 0 }
    }
}

/// Author of a file: only lines of the user's files are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Origin {
    /// Uploaded by the user.
    User,
    /// Ours: the standard function blocks.
    Stdlib,
    /// Ours: declarations of a well-known library.
    Library,
    /// Ours: declarations of names that no file declares, made from their uses.
    Inferred,
    /// A condition of a requirement or an assumption.
    Condition,
}

impl Origin {
    /// Returns whether the file is a part of the product: users do not see inside of its blocks.
    pub fn is_ours(self) -> bool {
        matches!(self, Origin::Stdlib | Origin::Library)
    }
}

/// One source text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SourceFile {
    /// The name it was uploaded under: a label, never a path to open.
    pub name: String,
    /// Its text; input in other encodings was decoded, with a diagnostic.
    pub text: String,
    /// Its author.
    pub origin: Origin,
    /// Its lines.
    #[serde(skip)]
    lines: LineCounts,
}

impl SourceFile {
    /// Returns a text under a name.
    pub fn new(name: impl Into<String>, text: impl Into<String>, origin: Origin) -> SourceFile {
        SourceFile { name: name.into(), text: text.into(), origin, lines: LineCounts::default() }
    }
}

/// All source texts of a project.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SourceSet {
    /// The files in the order given; order never changes the meaning.
    pub files: IndexVec<FileId, SourceFile>,
}

/// A place for people: 1-based line and column (in characters).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct LineCol {
    /// 1-based line.
    pub line: u32,
    /// 1-based column, counted in characters.
    pub column: u32,
}

impl SourceSet {
    /// Adds a user's file.
    pub fn add(&mut self, name: impl Into<String>, text: impl Into<String>) -> FileId {
        self.files.push(SourceFile::new(name, text, Origin::User))
    }
    /// Returns line and column of the start of `span`; (1, 1) for a file that is not in the set.
    pub fn line_col(&self, span: Span) -> LineCol {
        match self.files.get(span.file) {
            Some(file) => {
                let offset = file.text.floor_char_boundary(span.start as usize);
                placed(&file.text, offset, file.lines.before(&file.text, offset))
            }
            None => LineCol { line: 1, column: 1 },
        }
    }
    /// Returns the line of the start of `span` in words: `line 12`, or `rung 3 of P.Main` in an export of Studio 5000.
    pub fn line_words(&self, span: Span) -> String {
        let file = self.files.get(span.file).filter(|file| is_export(&file.name));
        let named = file.and_then(|file| place_in_export(&file.text, span.start as usize));
        named.unwrap_or_else(|| format!("line {}", self.line_col(span).line))
    }
    /// Returns the text of `span` in whole characters, empty if it is not in the set.
    pub fn text(&self, span: Span) -> &str {
        let span = self.whole_characters(span);
        self.files.get(span.file).and_then(|f| f.text.get(span.start as usize..span.end as usize)).unwrap_or("")
    }
    /// Returns the smallest span around `span` that begins and ends between characters of its file.
    ///
    /// Readers of XML join words over other text of the same file, so a word may end inside of a character.
    pub fn whole_characters(&self, span: Span) -> Span {
        let Some(text) = self.files.get(span.file).map(|f| f.text.as_str()) else { return span };
        Span::new(span.file, text.floor_char_boundary(span.start as usize), text.ceil_char_boundary(span.end as usize))
    }
}

/// Returns line and column of the byte `offset` in `text`.
pub fn line_col(text: &str, offset: usize) -> LineCol {
    let offset = text.floor_char_boundary(offset);
    placed(text, offset, ends(&text.as_bytes()[..offset]))
}

/// Returns the place of an offset that has this many line ends before it.
fn placed(text: &str, offset: usize, n_ends: u32) -> LineCol {
    let column = text[..offset].rsplit('\n').next().map_or(0, |l| l.chars().count()) as u32 + 1;
    LineCol { line: n_ends + 1, column }
}
