//! Parts of programs in languages of Automation Studio that are not read.

use crate::ast::Stmt;
use crate::lang::has_ending;
use crate::text::{FileId, SourceFile, Span};

/// Endings with their languages. No other text has these endings, except for what [`is_of_linker`] tells.
const LANGUAGES: &[(&str, &str)] = &[
    ("ld", "a ladder diagram of Automation Studio"),
    ("fbd", "a function block diagram of Automation Studio"),
    ("cfc", "a continuous function chart of Automation Studio"),
];

/// Further languages, whose files hold other code, too: they are parts of programs if they have one of [`PARTS`].
const FURTHER: &[(&str, &str)] =
    &[("sfc", "a sequential function chart of Automation Studio"), ("ab", "Automation Basic"), ("c", "C"), ("cpp", "C++")];

/// Words for the parts of a program.
const PARTS: &[&str] = &["_INIT", "_CYCLIC"];

/// Returns the language of a file that holds a diagram of Automation Studio, by its ending.
pub(crate) fn unread_diagram(file: &SourceFile) -> Option<&'static str> {
    let found = LANGUAGES.iter().find(|(ending, _)| has_ending(&file.name, &[ending]));
    found.filter(|_| !is_of_linker(&file.text)).map(|(_, language)| *language)
}

/// Returns the gap in place of a file beside the other parts of a program.
///
/// Soundness: the part runs in each cycle, in an order that is not known, so no run goes past it.
pub(super) fn gap(id: FileId, file: &SourceFile) -> Option<Stmt> {
    let has_part = || {
        file.text.split(|c: char| !(c.is_alphanumeric() || c == '_')).any(|word| PARTS.contains(&word.to_uppercase().as_str()))
    };
    let further =
        || FURTHER.iter().find(|(ending, _)| has_ending(&file.name, &[ending])).filter(|_| has_part()).map(|(_, it)| *it);
    let language = unread_diagram(file).or_else(further)?;
    let words = format!("`{}`, a part of the program in {language}", file.name);
    Some(Stmt::unsupported(words, Span { file: id, start: 0, end: 0 }))
}

/// Returns the gap in place of a file with code that was not given.
///
/// Soundness: as that of [`gap`]. Code of another program runs between two cycles; this one runs within the cycle.
pub(super) fn missing(name: &str, place: Span) -> Stmt {
    Stmt::unsupported(format!("`{name}`, a part of the program that was not given"), place)
}

/// Returns whether a text tells a linker of C where memory is.
fn is_of_linker(text: &str) -> bool {
    ["SECTIONS", "MEMORY"].iter().any(|word| text.contains(word)) && text.contains('{')
}
