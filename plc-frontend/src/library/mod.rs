//! Declarations of well-known libraries, written in Structured Text from their public documentation.
//!
//! A program names types, constants, functions and blocks of libraries that no upload holds. [`LIBRARIES`] has a row for each
//! library. Only declarations that a program needs are added to it ([`needed`]), and none that the program declares itself.
//! Functions and blocks of which only the interface is documented are stubs, `{attribute 'stub'}`.
//!
//! Soundness: a section, type or value that the documentation does not state is left out, never guessed.
//!
//! Knows the AST and the readers of languages, not the resolver.

mod declaration;
mod names;
mod rows;
mod selection;
#[cfg(test)]
mod tests;

pub use declaration::{Counts, counts};
pub(crate) use names::{DeclaredNames, UsedNames};
pub use rows::LIBRARIES;
pub(crate) use selection::needed;

use crate::dialect::DialectId;
use crate::text::{Key, key};
use std::collections::BTreeSet;

/// A library of which declarations are known.
pub struct Library {
    /// Name of its file among the sources, without an ending.
    pub id: &'static str,
    /// Name for people.
    pub title: &'static str,
    /// Names that programs write before a name of the library, `Tc2_System.FB_FileOpen`.
    pub names: &'static [&'static str],
    /// Dialects whose programs use it.
    pub dialects: &'static [DialectId],
    /// Only projects that list it as a reference have it: other libraries have its names, too.
    pub is_referenced: bool,
    /// Public documentation that the declarations were written from.
    pub documentation: &'static str,
    /// Texts: declarations with an empty line between them, and none inside of them. The first paragraph is a comment.
    pub texts: &'static [&'static str],
}

/// Libraries whose declarations a program may have.
pub(crate) struct Available(Vec<bool>);

impl Available {
    /// Returns the libraries of a dialect; those that need a reference only if the project has it.
    pub(crate) fn of(dialect: DialectId, references: &BTreeSet<Key>) -> Available {
        let is_listed = |row: &Library| references.contains(&key(row.id));
        let is_available = |row: &Library| row.dialects.contains(&dialect) && (!row.is_referenced || is_listed(row));
        Available(LIBRARIES.iter().map(is_available).collect())
    }

    fn has(&self, library: usize) -> bool {
        self.0.get(library).is_some_and(|is_available| *is_available)
    }
}

/// Returns the library that declares a name, with its dialects, as a hint for people.
pub(crate) fn hint(name: &str) -> Option<String> {
    let library = LIBRARIES.get(declaration::library_of(name)?)?;
    let dialects: Vec<&str> = library.dialects.iter().map(|dialect| dialect.row().name).collect();
    let project = if library.is_referenced { ", if the project or the export lists it" } else { "" };
    Some(format!("the library {} has it in the dialect {}{project}", library.title, dialects.join(" or ")))
}

/// Returns whether programs write this name before the names of a library.
pub(crate) fn is_library(name: &str) -> bool {
    LIBRARIES.iter().flat_map(|row| row.names).any(|known| known.eq_ignore_ascii_case(name))
}

/// Returns whether a library of this name has the blocks of the standard.
pub(crate) fn is_standard_library(name: &str) -> bool {
    let standard = LIBRARIES.iter().find(|row| row.id == "Standard");
    standard.is_some_and(|row| row.names.iter().any(|known| known.eq_ignore_ascii_case(name)))
}
