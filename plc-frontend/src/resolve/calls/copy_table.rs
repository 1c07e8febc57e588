//! POUs with parameters of several types, and their copies.

use crate::ast;
use crate::hir::{PouId, TypeId, VarId};
use std::collections::{BTreeMap, BTreeSet};

/// Types of parameters that depend on the call.
pub(crate) type Types = BTreeMap<VarId, TypeId>;

/// POUs with parameters of several types, and their copies.
#[derive(Debug, Default)]
pub(crate) struct Copies<'a> {
    /// ARRAY [*] parameters of each POU: number of dimensions, type of elements. A method also has the parameters of its block.
    pub(crate) open: BTreeMap<PouId, BTreeMap<VarId, (usize, &'a ast::TypeSpec)>>,
    /// Entries whose ARRAY [*] parameters have the bounds of the smallest arrays: they have a body of their own.
    pub(crate) bounded: BTreeSet<PouId>,
    /// The copies of each POU, by the types of their parameters.
    pub(crate) copies: BTreeMap<(PouId, Types), PouId>,
    /// Original of each copy.
    pub(crate) originals: BTreeMap<PouId, PouId>,
    /// Block of each copy that is the body of a block.
    pub(crate) bodies: BTreeMap<PouId, PouId>,
}
