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
mod needed;
mod rows;
#[cfg(test)]
mod tests;

pub use declaration::{Counts, counts};
pub(crate) use names::{DeclaredNames, UsedNames};
pub(crate) use needed::needed;
pub use rows::LIBRARIES;

use crate::dialect::DialectId;

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
    /// Public documentation that the declarations were written from.
    pub documentation: &'static str,
    /// Texts: declarations with an empty line between them, and none inside of them. The first paragraph is a comment.
    pub texts: &'static [&'static str],
}

/// Returns whether programs write this name before the names of a library.
pub(crate) fn is_library(name: &str) -> bool {
    LIBRARIES.iter().flat_map(|row| row.names).any(|known| known.eq_ignore_ascii_case(name))
}
