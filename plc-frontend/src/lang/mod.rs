//! Languages: one folder each, from text to the AST. A new language is one folder and one row of [`LANGUAGES`].
//!
//! In reading order: [`st`] Structured Text, [`scl`] its flavour of Siemens, [`il`] Instruction List; [`plcopen`], [`simatic`],
//! [`twincat`] and [`logix`] files in XML, [`br`] files of B&R Automation Studio. Shared by several languages: [`common`] tokens and literals, [`xml`] elements,
//! [`network`] LD and FBD, [`sfc`] charts. `detection` finds the language of a file, `foreign` knows the files of no language.
//!
//! Knows sources, diagnostics and the AST. Reading never fails: it returns the part it understood and its findings.
//! **Invariant:** shared folders call no language. Languages call each other in one direction only: the readers of XML call
//! `il` and `st`, `scl` and `il` call `st`; `st` finds bodies of other languages in [`BODIES`].

pub(crate) mod br;
pub mod common;
mod detection;
mod foreign;
pub mod il;
pub(crate) mod logix;
mod network;
mod plcopen;
pub(crate) mod pragmas;
mod prose;
mod scl;
pub(crate) mod sfc;
mod simatic;
pub mod st;
mod twincat;
#[allow(dead_code, reason = "each language needs some of it")]
pub(crate) mod xml;

use std::ops::Range;

use crate::ast::{Stmt, Unit};
use crate::dialect::DialectId;
use crate::text::{Diagnostic, FileId, Parsed, SourceFile, SourceSet, Span};
use common::lexer::Flavour;
use common::token::Tok;

pub use br::{is_header, is_mapping, is_task_list};
pub(crate) use common::excluded::{Excluded, normal_folder, normal_path};
pub use common::token::identifier;
pub(crate) use common::token::is_keyword;
pub(crate) use common::{has_ending, is_markup};
pub(crate) use detection::dialects;
pub use detection::{is_object, role};
pub(crate) use foreign::{
    BUS_OF_BEREMIZ, C_CODE, C_ENDINGS, PYTHON_CODE, code_of_beremiz, is_node_of_beremiz, is_package_list, is_settings_of_beremiz,
};
pub use foreign::{holds_no_text, is_foreign, is_ignored, is_panel, is_project_list, refused};
pub(crate) use network::is_enable_name;
pub(crate) use simatic::SYSTEM_KEEPS;
pub use simatic::{SYSTEM_WRITES, is_system_address};
pub use st::{parse_condition, parse_expression};
pub(crate) use twincat::{TWO_CYCLES, compiled, is_of_twincat, is_settings_of_tasks, note_task_times};

/// Row of [`LANGUAGES`]: one language that programs are written in.
#[derive(Clone, Copy)]
pub struct Language {
    /// Name for people.
    pub name: &'static str,
    /// Endings of its files.
    pub endings: &'static [Ending],
    /// Meaning of quotes and `#` in its texts.
    pub flavour: Flavour,
    /// Returns whether a file is written in it, by the ending of its name and by its text.
    pub accepts: fn(&SourceFile) -> bool,
    /// Returns whether a text holds one object of a project, if endings do not tell.
    pub is_object: Option<fn(&str) -> bool>,
    /// Reads a file as far as it can be read.
    pub parse: fn(FileId, &SourceFile) -> Parsed<Unit>,
}

/// Ending of a language's files.
#[derive(Clone, Copy)]
pub struct Ending {
    /// The ending without its dot, in lower case.
    pub text: &'static str,
    /// Part of a program that such a file is.
    pub role: FileRole,
    /// Dialect of the only system that writes such files.
    pub dialect: Option<DialectId>,
}

/// Part of a program that a file is, when a whole folder is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileRole {
    /// A program of its own.
    Program,
    /// One object: a program needs all objects of its folder.
    Object,
    /// A list of the files that make a program.
    Project,
    /// A program only if the user names it: other files have this ending too.
    OnRequest,
}

/// All languages; the first that accepts a file reads it.
pub const LANGUAGES: &[Language] = &[
    twincat::LANGUAGE,
    plcopen::LANGUAGE,
    simatic::LANGUAGE,
    logix::LANGUAGE,
    logix::L5K,
    st::LANGUAGE,
    scl::LANGUAGE,
    il::LANGUAGE,
    br::LANGUAGE,
];

/// Language whose statements may stand as a body between declarations in ST.
pub(crate) struct BodyLanguage {
    /// Returns whether a text begins with its statements.
    pub(crate) starts: fn(&str) -> bool,
    /// Reader of its statements.
    pub(crate) read: ReadBody,
}

/// Reader of statements from a range of a file's text, up to the first token that ends them. Also returns the place of that
/// token.
pub(crate) type ReadBody = fn(FileId, &str, Range<usize>, &dyn Fn(Tok) -> bool) -> (Parsed<Vec<Stmt>>, usize);

/// All languages of bodies except ST.
pub(crate) const BODIES: &[BodyLanguage] = &[il::BODY];

/// The largest text that is read, in bytes: places in it are 32 bits wide, and a controller's program is far smaller.
pub const LARGEST_TEXT: usize = 256 << 20;

/// Text in place of a file whose language is not known and that is too large to be read.
pub const TOO_LARGE: &str = "\0 too large";

/// Reads a file in the language it is written in.
pub fn parse(id: FileId, file: &SourceFile) -> Parsed<Unit> {
    let nothing = |diagnostic| Parsed { value: Unit::new(id), diagnostics: vec![diagnostic] };
    if let Some(kind) = ignored_name(file) {
        return without_meaning(id, kind, "no part of the program");
    }
    if let Some((system, way)) = foreign::refused(&file.name) {
        let message = format!("`{}` is a file of {system} that is not text", file.name);
        let diagnostic = Diagnostic::error("P0009", Span::new(id, 0, 0), message, "not read");
        return nothing(diagnostic.help(way));
    }
    if let Some(language) = br::unread_diagram(file) {
        let message = format!("`{}` is {language}, which is not read", file.name);
        let diagnostic = Diagnostic::error("P0004", Span::new(id, 0, 0), message, "the file starts here");
        return nothing(diagnostic.help("write the part in Structured Text"));
    }
    if let Some(diagnostic) = unreadable(id, &file.text) {
        return nothing(diagnostic);
    }
    if let Some(kind) = foreign::ignored_text(&file.name, &file.text) {
        let why = if kind == C_CODE { "not read" } else { "no part of the program" };
        return without_meaning(id, kind, why);
    }
    match LANGUAGES.iter().find(|language| (language.accepts)(file)) {
        Some(language) => (language.parse)(id, file),
        None => {
            let names: Vec<&str> = LANGUAGES.iter().map(|l| l.name).collect();
            let message = format!("`{}` is not in a language that can be read", file.name);
            let diagnostic = Diagnostic::error("P0004", Span::new(id, 0, 0), message, "the file starts here");
            nothing(diagnostic.help(format!("export the program as text in one of: {}", names.join(", "))))
        }
    }
}

/// Returns the files that lists of engineering systems exclude or miss.
pub(crate) fn excluded(sources: &SourceSet) -> Excluded {
    let mut excluded = Excluded::default();
    twincat::exclude(sources, &mut excluded);
    br::exclude(sources, &mut excluded);
    excluded
}

/// Returns a condition with the names of its system as files of that system are read, of the same length.
///
/// `is_global` tells names behind a backslash that are those of global variables, and of no program.
pub(crate) fn as_read(condition: &str, dialect: DialectId, is_global: impl Fn(&str) -> bool) -> String {
    let is_logix = logix::LANGUAGE.endings.iter().any(|ending| ending.dialect == Some(dialect));
    if is_logix { logix::as_read(condition, is_global) } else { condition.to_owned() }
}

/// Returns whether the name or the text of a file shows that it holds no program.
pub fn is_ignored_file(file: &SourceFile) -> bool {
    ignored_name(file).is_some() || is_ignored_text(file)
}

/// Returns whether the text of a file shows that it holds no program.
pub fn is_ignored_text(file: &SourceFile) -> bool {
    foreign::ignored_text(&file.name, &file.text).is_some()
}

/// Returns the kind of a file whose name shows that it holds no program.
///
/// Soundness: others than Automation Studio write programs into files with the name of a list.
fn ignored_name(file: &SourceFile) -> Option<&'static str> {
    foreign::ignored(&file.name).filter(|_| !foreign::is_program_in_list(file))
}

/// Entry of the ledger about a file that no project compiles.
pub(crate) const NOT_COMPILED: &str = "file that is not compiled";

/// Returns the unit of a file that is no part of the program, with its entry for the ledger.
pub(crate) fn without_meaning(id: FileId, what: &str, why: &str) -> Parsed<Unit> {
    let mut unit = Unit::new(id);
    unit.ignore(Span::new(id, 0, 0), what, why);
    Parsed { value: unit, diagnostics: Vec::new() }
}

/// Returns the finding about a text that no language can read.
fn unreadable(id: FileId, text: &str) -> Option<Diagnostic> {
    if LARGEST_TEXT < text.len() {
        let message = format!("this file is larger than {} MB", LARGEST_TEXT >> 20);
        let diagnostic = Diagnostic::error("P0005", Span::new(id, 0, 0), message, "the file starts here");
        return Some(diagnostic.help("upload the sources of the program only"));
    }
    if text == TOO_LARGE {
        let diagnostic = Diagnostic::error("P0005", Span::new(id, 0, 0), "this file is too large to be read", "not read");
        return Some(diagnostic.help("leave it out if the controller does not run it"));
    }
    let at = text.find('\0').or_else(|| garbage(text))?;
    let diagnostic = Diagnostic::error("P0002", Span::new(id, at, at + 1), "this file is not text", "a byte that no text has");
    Some(diagnostic.help("export the program as text (ST) from the engineering system; project archives cannot be read"))
}

/// Returns the first control character of a text whose beginning is full of them.
fn garbage(text: &str) -> Option<usize> {
    /// Length of the beginning, in characters.
    const LOOKED_AT: usize = 4096;
    /// One control character among this many is allowed.
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
    use crate::text::Origin;

    #[test]
    fn files_are_read_by_the_language_of_their_name_or_text() {
        let check = |name: &str, text: &str, code: Option<&str>| {
            let file = SourceFile::new(name, text, Origin::User);
            let parsed = parse(FileId(0), &file);
            assert_eq!(parsed.diagnostics.first().map(|d| d.code), code, "{name}");
            assert_eq!(parsed.value.items.is_empty(), code.is_some(), "{name}");
        };
        const GOOD: &str = "PROGRAM p END_PROGRAM";
        for name in ["a.st", "A.ST", "a.iecst", "a.exp", "a.txt", "noending", "odd.plc", "dir.d/x"] {
            check(name, GOOD, None);
        }
        check("a.prg", GOOD, None);
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
            let file = SourceFile::new(*name, *text, Origin::Stdlib);
            let parsed = parse(FileId(0), &file);
            assert!(parsed.diagnostics.is_empty(), "{name}: {:?}", parsed.diagnostics);
            assert_eq!(parsed.value.items.len(), 1, "{name}");
        }
    }
}
