//! Scope of an expression: its POU, the names that it may use and its wanted type.

use crate::hir::{PouId, TypeId};
use crate::text::Span;

/// Scope of an expression.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Scope {
    /// The POU whose variables are visible.
    pub(crate) owner: Option<PouId>,
    /// Names that may be used.
    pub(crate) uses: Uses,
}

/// Names that an expression may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Uses {
    /// All names visible in a body.
    Code,
    /// Literals, enumeration values and constants.
    Constant,
    /// Globals and the variables of program instances, inner ones too.
    Condition,
}

/// A call of a standard function besides its arguments.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StandardCall<'n> {
    pub(crate) scope: Scope,
    /// Name of the function, for messages.
    pub(crate) name: &'n str,
    pub(crate) span: Span,
    /// The wanted type of the result.
    pub(crate) want: Want,
}

/// The wanted type of an expression, given by its surroundings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Want {
    /// None: literals get their default type.
    Any,
    /// This one, for expressions that can adapt to it.
    Ty(TypeId),
    /// Not known because of an error: literals pass without complaint.
    Unknown,
}

impl Want {
    /// Returns the type, if there is one.
    pub(crate) fn ty(self) -> Option<TypeId> {
        if let Want::Ty(ty) = self { Some(ty) } else { None }
    }
}
