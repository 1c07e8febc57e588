//! Places: variables and their parts, which are read and assigned.

use super::expr::Expr;
use super::pou::{GlobalId, VarId};
use super::project::InstanceId;
use super::types::TypeId;
use crate::text::Span;

/// A variable or a part of one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The variable.
    pub root: Root,
    /// The steps from there to the part.
    pub path: Vec<Elem>,
    /// The type of the part.
    pub ty: TypeId,
    /// Its place in the text.
    pub span: Span,
}

/// The variable a place starts at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Root {
    /// A variable of the POU the place stands in (of the current instance, for function blocks).
    Var(VarId),
    /// A global variable.
    Global(GlobalId),
    /// The instance whose body this is, as a whole, with its type; only in bodies of function blocks and programs.
    /// Its variables by themselves are [`Root::Var`].
    This(TypeId),
    /// A program instance; only in conditions of requirements and assumptions. The first element is a `Member`.
    Instance(InstanceId),
}

/// One step into a part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Elem {
    /// A field of a structure, by position.
    Field(u32),
    /// A variable of a function block or program instance.
    Member(VarId),
    /// The target of the reference here, seen as this type: one of [`super::Project::references`] of the reference's type.
    /// Without a target of this number and type: [`super::FaultKind::NullReference`] at the place.
    Deref(TypeId),
    /// An array element: one index per dimension, each integer-typed. Outside its bounds: [`super::FaultKind::IndexOutOfBounds`].
    Index(Vec<Expr>),
    /// Bits `offset .. offset + width` of a bit string or integer (`.3`, `.%X3`, `.%B1`); width 1 is a BOOL. It is always the
    /// last element.
    Bits {
        /// Lowest bit.
        offset: u8,
        /// 1, 8, 16 or 32.
        width: u8,
    },
}
