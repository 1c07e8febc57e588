//! Languages: one folder each, from text to the AST. A new language is one folder and one line in [`LANGUAGES`].
//!
//! Knows sources, diagnostics and the AST. Reading never fails: what was understood comes with what was wrong.

pub mod common;
pub mod il;
mod network;
mod other;
mod plcopen;
mod scl;
pub(crate) mod sfc;
mod simatic;
pub mod st;
mod twincat;
#[allow(dead_code, reason = "each language needs some of it")]
pub(crate) mod xml;

use crate::ast::Unit;
use crate::text::diagnostic::{Diagnostic, Parsed};
use crate::text::ledger::Ignored;
use crate::text::source::{FileId, SourceFile, Span};

pub(crate) use network::is_enable_name;
pub use other::{is_ignored, refused};
pub use st::{parse_condition, parse_expression};
pub(crate) use twincat::excluded;

/// A language that programs are written in.
pub trait Language: Sync {
    /// Its name for people.
    fn name(&self) -> &'static str;
    /// Whether the file is written in it, by the ending of its name or by its text.
    fn accepts(&self, file: &SourceFile) -> bool;
    /// Reads the file as far as it can be read.
    fn parse(&self, id: FileId, file: &SourceFile) -> Parsed<Unit>;
}

/// All languages; the first that accepts a file reads it.
pub const LANGUAGES: &[&dyn Language] =
    &[&twincat::TwinCat, &plcopen::PlcOpen, &simatic::SimaticMl, &st::StructuredText, &scl::Scl, &il::InstructionList];

/// The largest text that is read, in bytes: places in it are 32 bits wide, and a controller's program is far smaller.
pub const LARGEST_TEXT: usize = 256 << 20;

/// Reads a file in the language it is written in.
pub fn parse(id: FileId, file: &SourceFile) -> Parsed<Unit> {
    let nothing =
        |diagnostic| Parsed { value: Unit { file: id, items: Vec::new(), ignored: Vec::new() }, diagnostics: vec![diagnostic] };
    if let Some(what) = other::ignored(&file.name) {
        return without_meaning(id, what, "no part of the program");
    }
    if let Some((system, way)) = other::refused(&file.name) {
        let message = format!("`{}` is a file of {system} that is not text", file.name);
        let diagnostic = Diagnostic::error("P0009", Span::new(id, 0, 0), message, "not read");
        return nothing(diagnostic.help(way));
    }
    if let Some(diagnostic) = unreadable(id, &file.text) {
        return nothing(diagnostic);
    }
    match LANGUAGES.iter().find(|language| language.accepts(file)) {
        Some(language) => language.parse(id, file),
        None => {
            let names: Vec<&str> = LANGUAGES.iter().map(|l| l.name()).collect();
            let message = format!("`{}` is not in a language that can be read", file.name);
            let diagnostic = Diagnostic::error("P0004", Span::new(id, 0, 0), message, "the file starts here");
            nothing(diagnostic.help(format!("export the program as text in one of: {}", names.join(", "))))
        }
    }
}

/// A file that is no program, for the ledger.
pub(crate) fn without_meaning(id: FileId, what: &str, why: &str) -> Parsed<Unit> {
    let ignored = Ignored { span: Span::new(id, 0, 0), what: what.to_owned(), why: why.to_owned() };
    Parsed { value: Unit { file: id, items: Vec::new(), ignored: vec![ignored] }, diagnostics: Vec::new() }
}

/// Whether the name ends with `.` and one of these, in any case.
pub(crate) fn has_ending(name: &str, endings: &[&str]) -> bool {
    let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending);
    endings.iter().any(|e| ending.eq_ignore_ascii_case(e))
}

/// Whether the text starts like XML, and `tag` stands near its start.
pub(crate) fn starts_with_tag(text: &str, tag: &str) -> bool {
    /// Behind a declaration, comments and what a tool says of itself, in bytes.
    const NEAR: usize = 64 << 10;
    let text = text.trim_start_matches('\u{feff}').trim_start();
    let mut near = text.len().min(NEAR);
    while !text.is_char_boundary(near) {
        near -= 1;
    }
    text.starts_with('<') && text[..near].contains(tag)
}

/// Why a text cannot be read in any language.
fn unreadable(id: FileId, text: &str) -> Option<Diagnostic> {
    if LARGEST_TEXT < text.len() {
        let message = format!("this file is larger than {} MB", LARGEST_TEXT >> 20);
        let diagnostic = Diagnostic::error("P0005", Span::new(id, 0, 0), message, "the file starts here");
        return Some(diagnostic.help("upload the sources of the program only"));
    }
    let at = text.find('\0').or_else(|| garbage(text))?;
    let diagnostic = Diagnostic::error("P0002", Span::new(id, at, at + 1), "this file is not text", "a byte that no text has");
    Some(diagnostic.help("export the program as text (ST) from the engineering system; project archives cannot be read"))
}

/// The first control character of a text whose beginning is full of them.
fn garbage(text: &str) -> Option<usize> {
    /// How many characters are looked at, and how many of them may be control characters.
    const LOOKED_AT: usize = 4096;
    const ALLOWED: usize = 50;
    let is_control = |c: char| c.is_ascii_control() && !c.is_ascii_whitespace() && !matches!(c, '\u{b}' | '\u{1a}');
    let beginning = text.chars().take(LOOKED_AT);
    let n_controls = beginning.clone().filter(|c| is_control(*c)).count();
    let is_garbage = beginning.count() < n_controls * ALLOWED;
    if is_garbage { text.find(is_control) } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::source::Origin;

    #[test]
    fn files_are_read_by_the_language_of_their_name_or_text() {
        let check = |name: &str, text: &str, code: Option<&str>| {
            let file = SourceFile { name: name.into(), text: text.into(), origin: Origin::User };
            let parsed = parse(FileId(0), &file);
            assert_eq!(parsed.diagnostics.first().map(|d| d.code), code, "{name}");
            assert_eq!(parsed.value.items.is_empty(), code.is_some(), "{name}");
        };
        const GOOD: &str = "PROGRAM p END_PROGRAM";
        for name in ["a.st", "A.ST", "a.iecst", "a.exp", "a.txt", "noending", "odd.plc", "dir.d/x"] {
            check(name, GOOD, None);
        }
        check("a.xml", GOOD, Some("P0004"));
        check("a.TcPOU", GOOD, Some("P0006"));
        check("a.project", GOOD, Some("P0009"));
        check("odd", "<project/>", Some("P0004"));
        check("a.st", "", Some("P0003"));
        check("a.st", " (* only words *) // here\n", Some("P0003"));
        check("a.st", "PROGRAM p \0 END_PROGRAM", Some("P0002"));
        check("a.st", "PK\u{3}\u{4}\u{14}\u{6}xx\u{8}", Some("P0002"));
        check("a.st", "PROGRAM p END_PROGRAM\u{1a}", None);
    }

    #[test]
    fn the_standard_function_blocks_are_read() {
        for (name, text) in crate::stdlib::SOURCES {
            let file = SourceFile { name: (*name).into(), text: (*text).into(), origin: Origin::Stdlib };
            let parsed = parse(FileId(0), &file);
            assert!(parsed.diagnostics.is_empty(), "{name}: {:?}", parsed.diagnostics);
            assert_eq!(parsed.value.items.len(), 1, "{name}");
        }
    }
}
