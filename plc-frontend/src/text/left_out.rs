//! Parts of a project that are left out because of errors.

use crate::text::diagnostic::Diagnostic;
use crate::text::source::Span;

/// Construct of the gap for a statement that is left out; its effect is the error.
pub(crate) const STATEMENT: &str = "statement with an error";

/// A part of a project that is left out because of an error.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeftOut {
    /// Its kind.
    pub kind: PartKind,
    /// Its name; of a statement or body the name of its POU. Empty for the text of a file.
    pub name: String,
    /// All of it.
    pub span: Span,
    /// The error that it is left out for.
    pub error: Diagnostic,
}

/// Kind of a part that is left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum PartKind {
    /// A statement.
    Statement,
    /// The statements of a POU, method, property or action.
    Body,
    /// A variable.
    Variable,
    /// A TYPE.
    Type,
    /// A method, a property or an action.
    Member,
    /// A POU or an interface.
    Pou,
    /// Tasks and programs of a configuration.
    Tasks,
    /// Text outside of any declaration.
    Text,
}
