//! Declarations that no file has.

use super::source::Span;

/// Type in such a declaration of which nothing is known: each read of a value is a gap.
pub(crate) const UNKNOWN: &str = "ANY";

/// Declaration that is made from the uses of a name that no file declares.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Inferred {
    /// The name, as it is spelled first.
    pub name: String,
    /// The declaration in ST, with its uses in a comment.
    pub text: String,
    /// Places of the name and of its parts.
    pub uses: Vec<Span>,
}
