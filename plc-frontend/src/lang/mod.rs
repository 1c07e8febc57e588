//! Languages: one folder each, from text to the AST. A new language is one folder and one line in [`LANGUAGES`].
//!
//! Knows sources, diagnostics and the AST. Reading never fails: what was understood comes with what was wrong.

pub mod common;
pub mod st;

use crate::ast::Unit;
use crate::diagnostic::{Diagnostic, Parsed};
use crate::source::{FileId, SourceFile, Span};

pub use st::parse_expression;

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
pub const LANGUAGES: &[&dyn Language] = &[&st::StructuredText];

/// The largest text that is read, in bytes: places in it are 32 bits wide, and a controller's program is far smaller.
pub const LARGEST_TEXT: usize = 256 << 20;

/// Reads a file in the language it is written in.
pub fn parse(id: FileId, file: &SourceFile) -> Parsed<Unit> {
    let nothing = |diagnostic| Parsed { value: Unit { file: id, items: Vec::new() }, diagnostics: vec![diagnostic] };
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

/// Why a text cannot be read in any language.
fn unreadable(id: FileId, text: &str) -> Option<Diagnostic> {
    if LARGEST_TEXT < text.len() {
        let message = format!("this file is larger than {} MB", LARGEST_TEXT >> 20);
        let diagnostic = Diagnostic::error("P0005", Span::new(id, 0, 0), message, "the file starts here");
        return Some(diagnostic.help("upload the sources of the program only"));
    }
    let at = text.find('\0')?;
    let diagnostic = Diagnostic::error("P0002", Span::new(id, at, at + 1), "this file is not text", "a zero byte");
    Some(diagnostic.help("export the program as text (ST) from the engineering system; project archives cannot be read"))
}
