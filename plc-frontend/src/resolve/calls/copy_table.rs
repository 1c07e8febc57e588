//! POUs with parameters of several types, and their copies.

use crate::ast;
use crate::hir::{PouId, TypeId, VarId};
use std::collections::BTreeMap;

/// Types of parameters that depend on the call.
pub(crate) type Types = BTreeMap<VarId, TypeId>;

/// POUs with parameters of several types, and their copies.
#[derive(Debug, Default)]
pub(crate) struct Copies<'a> {
    /// ARRAY [*] parameters of each POU: number of dimensions, type of elements. A method has those of its block, too.
    pub(crate) open: BTreeMap<PouId, BTreeMap<VarId, (usize, &'a ast::TypeSpec)>>,
    /// The copies of each POU, by the types of their parameters.
    pub(crate) copies: BTreeMap<(PouId, Types), PouId>,
    /// Original of each copy.
    pub(crate) originals: BTreeMap<PouId, PouId>,
    /// Copies that are bodies of blocks, with these blocks.
    pub(crate) bodies: BTreeMap<PouId, PouId>,
}
