//! The tables of names. Names compare without case; the declared spelling is kept elsewhere.

use crate::ast;
use crate::hir::{GlobalId, Init, InstanceId, PouId, TypeId, VarId};
use crate::resolve::names::guesses::Guesses;
use crate::resolve::names::spaces::Spaces;
pub(crate) use crate::rule::{Declared, NameSet};
use crate::text::Span;
pub(crate) use crate::text::key::{Key, key};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// A variable of the project, wherever it is declared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum VarRef {
    Global(GlobalId),
    Local(PouId, VarId),
}

/// A declared type: the initial value belongs to its name, not to the type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Typed {
    pub(crate) ty: TypeId,
    pub(crate) init: Init,
}

/// The progress of something resolved on demand.
#[derive(Clone, Debug)]
pub(crate) enum Slot<T> {
    Waiting,
    /// Resolution is in progress: a further use is a cycle.
    Busy,
    Done(T),
    /// A reported mistake prevents it.
    Broken,
}

/// Meaning of a name inside one POU.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Local {
    Var(VarId),
    External(GlobalId),
    /// A variable of the block that the method, property or action belongs to, in the current instance.
    Inherent(PouId, VarId),
    /// VAR_EXTERNAL of a missing global variable, which is reported.
    Broken,
}

/// Full names, by the place and the spelling of their uses.
pub(crate) type FullNames = BTreeMap<(Span, Key), String>;

/// Meanings of names that several namespaces or libraries declare.
#[derive(Clone, Debug, Default)]
pub(crate) struct Meanings {
    /// Of POUs, types and interfaces.
    pub(crate) units: FullNames,
    /// Of variables, lists of variables and values of enumerations.
    pub(crate) values: FullNames,
    /// Names of values that several libraries declare.
    pub(crate) contested: BTreeSet<Key>,
}

/// An input with an edge.
#[derive(Clone, Copy, Debug)]
pub(crate) struct EdgeInput {
    /// Variable that the body sees.
    pub(crate) seen: VarId,
    /// Its value in the call before.
    pub(crate) last: VarId,
    pub(crate) edge: ast::Edge,
}

/// A form of reference.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum RefKind {
    /// POINTER TO, REF_TO
    Pointer,
    /// REFERENCE TO
    Reference,
    /// The type is an interface.
    Interface,
}

/// Type of references.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RefType {
    pub(crate) kind: RefKind,
    /// Type of the targets; `None` for interfaces.
    pub(crate) pointee: Option<TypeId>,
    /// The number of the interface.
    pub(crate) interface: Option<usize>,
}

/// Inheritance of a POU.
#[derive(Clone, Debug, Default)]
pub(crate) struct Class {
    /// The block itself, then the blocks that it EXTENDS, up to the root.
    pub(crate) chain: Vec<PouId>,
    /// ABSTRACT
    pub(crate) is_abstract: bool,
}

/// A method, half of a property, an action or an inherited body, as a POU of its own for one block.
///
/// Its first variable is the instance, by reference. Inherited code is resolved again for each heir, so every call has one
/// target.
#[derive(Clone, Debug)]
pub(crate) struct Member {
    /// The block of the instance it runs on.
    pub(crate) block: PouId,
    /// The block that declares it: where SUPER starts.
    pub(crate) definer: PouId,
    /// Variables that exist in the call of the block's body, and the references through which the member sees them.
    pub(crate) lent: BTreeMap<VarId, VarId>,
}

impl Member {
    /// The variable that refers to the instance.
    pub(crate) const THIS: VarId = crate::hir::Pou::THIS;
    /// Returns whether a variable cannot be named by an argument.
    pub(crate) fn hides(&self, var: VarId) -> bool {
        var == Member::THIS || self.lent.values().any(|lent| *lent == var)
    }
}

/// Declaration of an enumeration that has a value of some name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum VariantHome {
    /// By the n-th declared type.
    Type(usize),
    /// By the type of a variable.
    Var(VarRef),
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
    /// Full names of declarations that several namespaces or libraries have.
    pub(crate) meanings: Meanings,
    /// The project and its libraries.
    pub(crate) libraries: Arc<Spaces>,
    /// Parts of the names of namespaces.
    pub(crate) spaces: BTreeSet<Key>,
    /// Named lists of global variables; `list.x` is in `globals`; with the number of each.
    pub(crate) lists: BTreeMap<Key, usize>,
    /// Targets of aliases, by the name of a global one, and by `program.alias`.
    pub(crate) aliases: BTreeMap<Key, ast::Name>,
    /// Names of global variables that stand in several lists: such a name alone is ambiguous.
    pub(crate) ambiguous: BTreeMap<Key, Vec<String>>,
    /// Per declared POU, in the order of their ids.
    pub(crate) classes: Vec<Class>,
    /// Interfaces: their numbers.
    pub(crate) interfaces: BTreeMap<Key, usize>,
    /// Types of references.
    pub(crate) references: BTreeMap<TypeId, RefType>,
    /// Types with named values: enumerations that are numbers of their base type.
    pub(crate) named_values: BTreeSet<TypeId>,
    /// POUs that call a method through a reference, which is their first variable.
    pub(crate) dispatchers: BTreeSet<PouId>,
    /// The POUs that are members of others.
    pub(crate) members: BTreeMap<PouId, Member>,
    /// Variables located at an address, by its canonical spelling.
    pub(crate) addresses: BTreeMap<String, Vec<VarRef>>,
    /// Names of declarations that are read but not modelled: classes, methods, actions …
    pub(crate) unmodelled: BTreeSet<Key>,
    /// Blocks that others extend.
    pub(crate) extended: BTreeSet<PouId>,
    /// Inputs with R_EDGE or F_EDGE.
    pub(crate) edges: BTreeMap<(PouId, VarId), EdgeInput>,
    /// Declarations that no file of the project has.
    pub(crate) guesses: Guesses,
    /// Variables without a type, or whose place overlaps another's.
    pub(crate) unusable: BTreeMap<VarRef, Unusable>,
}

/// Reason why a variable cannot be used.
#[derive(Clone, Debug)]
pub(crate) enum Unusable {
    /// Its declaration has a reported mistake.
    Broken,
    /// It is not modelled: construct and effect of the gap.
    Gap { construct: String, effect: String },
}

impl Names {
    /// Returns the name of a declaration or use: with its namespaces if the name alone has several meanings.
    pub(crate) fn full(&self, ident: &ast::Ident) -> String {
        noted(&self.meanings.units, ident).map_or_else(|| without_point(&ident.text).to_owned(), Clone::clone)
    }

    /// Returns the name of a variable, list or enumeration value: with its library if the name alone has several meanings.
    pub(crate) fn full_value(&self, ident: &ast::Ident) -> String {
        noted(&self.meanings.values, ident).map_or_else(|| without_point(&ident.text).to_owned(), Clone::clone)
    }

    /// Returns the key of the global variable, list or enumeration value that a name means at its place.
    pub(crate) fn meant_value(&self, ident: &ast::Ident) -> Key {
        noted(&self.meanings.values, ident).map_or_else(|| key(without_point(&ident.text)), |full| key(full))
    }

    /// Returns the key of the POU, type or interface that a name means at its place.
    pub(crate) fn meant(&self, ident: &ast::Ident) -> Key {
        key(&self.full(ident))
    }

    /// Returns the full names of a name that several libraries declare, as words.
    pub(crate) fn several(&self, ident: &ast::Ident) -> Option<&str> {
        let found = [&self.meanings.values, &self.meanings.units].into_iter().filter_map(|names| noted(names, ident));
        found.map(String::as_str).find(|full| full.contains(" or "))
    }

    /// Returns the meaning of a name inside a POU; a member sees its own variables first, then those of its block.
    pub(crate) fn local(&self, owner: Option<PouId>, name: &str) -> Option<Local> {
        let owner = owner?;
        if let Some(&own) = self.locals[owner.0 as usize].get(name) {
            return Some(match own {
                Local::Var(id) => Local::Var(self.seen(owner, id)),
                Local::External(_) | Local::Inherent(..) | Local::Broken => own,
            });
        }
        let member = self.members.get(&owner)?;
        Some(match *self.locals[member.block.0 as usize].get(name)? {
            Local::Var(id) => match member.lent.get(&id) {
                Some(&lent) => Local::Var(lent),
                None => Local::Inherent(member.block, self.seen(member.block, id)),
            },
            outer @ (Local::External(_) | Local::Inherent(..) | Local::Broken) => outer,
        })
    }

    /// Returns the variable that a block's body sees instead of this one: for an input with an edge, the edge.
    pub(crate) fn seen(&self, pou: PouId, id: VarId) -> VarId {
        self.edges.get(&(pou, id)).map_or(id, |edge| edge.seen)
    }

    /// Returns a block and the blocks that it extends, up to the root.
    pub(crate) fn chain(&self, block: PouId) -> &[PouId] {
        self.classes.get(block.0 as usize).map_or(&[], |class| class.chain.as_slice())
    }

    /// Returns the block whose variables a POU sees: its own, or the block that it is a member of.
    pub(crate) fn block_of(&self, owner: PouId) -> PouId {
        self.members.get(&owner).map_or(owner, |member| member.block)
    }
}

/// Returns a name without the point in front of it: `.n` is the global `n`. Tables of local names have no such name.
fn without_point(name: &str) -> &str {
    name.strip_prefix('.').unwrap_or(name)
}

/// Returns the full name of an identifier.
pub(crate) fn noted<'n>(names: &'n FullNames, ident: &ast::Ident) -> Option<&'n String> {
    if names.is_empty() { None } else { names.get(&(ident.span, key(&ident.text))) }
}
