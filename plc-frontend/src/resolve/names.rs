//! What a name can stand for. Names compare without case; the declared spelling is kept elsewhere.

use std::collections::{BTreeMap, BTreeSet};

use crate::hir::{GlobalId, Init, InstanceId, PouId, TypeId, VarId};
use crate::source::Span;

/// A name as IEC compares it.
pub(crate) type Key = String;

/// The key of a spelling.
pub(crate) fn key(text: &str) -> Key {
    text.to_lowercase()
}

/// A variable of the project, wherever it is declared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum VarRef {
    Global(GlobalId),
    Local(PouId, VarId),
}

/// A type as a declaration gives it: the initial value belongs to the name, not to the type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Typed {
    pub(crate) ty: TypeId,
    pub(crate) init: Init,
}

/// The progress of something resolved on demand.
#[derive(Clone, Debug)]
pub(crate) enum Slot<T> {
    Waiting,
    /// Being resolved: meeting it again is a cycle.
    Busy,
    Done(T),
    /// A diagnostic says why.
    Broken,
}

/// What a name means inside one POU.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Local {
    Var(VarId),
    External(GlobalId),
    /// VAR_EXTERNAL of a global variable that does not exist; a diagnostic says so.
    Broken,
}

/// Where an enumeration that has a variant of some name was declared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum VariantHome {
    /// By the n-th declared type.
    Type(usize),
    /// By the type of a variable.
    Var(VarRef),
}

/// Something declared under a name, for the rule on duplicates.
#[derive(Clone, Debug)]
pub(crate) struct Declared {
    /// "variable", "POU", "type" …
    pub(crate) kind: &'static str,
    /// Names of one space must differ.
    pub(crate) space: Space,
    pub(crate) name: String,
    pub(crate) span: Span,
}

/// A set of names that must differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Space {
    /// Types and POUs.
    Units,
    /// Global variables.
    Globals,
    /// Variables of one POU.
    Pou(PouId),
    /// Fields or variants of the n-th structure or enumeration met.
    Parts(usize),
}

/// The names of a project. After loading, every slot is `Done` or `Broken`.
#[derive(Clone, Debug, Default)]
pub(crate) struct Names {
    /// Declared types: index into `declared`.
    pub(crate) types: BTreeMap<Key, usize>,
    pub(crate) declared: Vec<Slot<Typed>>,
    pub(crate) pous: BTreeMap<Key, PouId>,
    pub(crate) globals: BTreeMap<Key, GlobalId>,
    pub(crate) instances: BTreeMap<Key, InstanceId>,
    /// Per POU, in the order of their ids.
    pub(crate) locals: Vec<BTreeMap<Key, Local>>,
    pub(crate) variants: BTreeMap<Key, Vec<VariantHome>>,
    /// Variables located at an address, by its canonical spelling.
    pub(crate) addresses: BTreeMap<String, Vec<VarRef>>,
    /// Names of declarations that are read but not modelled: classes, methods, actions …
    pub(crate) unmodelled: BTreeSet<Key>,
    /// Variables whose type could not be resolved, or whose place overlaps another's: why, if it is a gap.
    pub(crate) unusable: BTreeMap<VarRef, Unusable>,
}

/// Why a variable cannot be used.
#[derive(Clone, Debug)]
pub(crate) enum Unusable {
    /// Its declaration is wrong; a diagnostic says so.
    Broken,
    /// It is not modelled: construct and effect of the gap.
    Gap { construct: String, effect: String },
}
