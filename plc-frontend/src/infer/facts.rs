//! Facts about a missing name: its uses, its parts, and the types that the uses imply.

use super::typing::Ty;
use crate::text::{Key, Span, key};
use std::collections::{BTreeMap, BTreeSet};

/// Part of a missing declaration that has a type.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Part {
    /// The whole: a value of the type itself.
    Whole,
    /// Variable of a block, field of a structure.
    Member(Key),
    /// Result of a function or, with its name, of a method.
    Result(Option<Key>),
    /// Input without a name in a call: of the block or function, or of a method; its position.
    At(Option<Key>, usize),
    /// Input or output of a function or method by its name.
    Named(Option<Key>, Key),
}

/// Part of a missing name.
pub(super) type Slot = (Key, Part);

/// Direction in which a value of a known type flows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Flow {
    /// From the part.
    Out,
    /// To the part.
    In,
    /// Beside the part, at the same operator.
    Peer,
}

/// Type that a use implies.
pub(super) type Evidence = (Flow, Ty);

/// Facts about calls of a function, a method, or of the instances of a block.
#[derive(Clone, Debug, Default)]
pub(super) struct Calls {
    /// Names of inputs in the order of their first uses, as spelled.
    pub(super) inputs: Vec<String>,
    /// Names of outputs in the order of their first uses, as spelled.
    pub(super) outputs: Vec<String>,
    /// Most arguments without a name in one call.
    pub(super) n_positional: usize,
    /// Some call stands in an expression.
    pub(super) has_value: bool,
    noted: BTreeSet<(bool, Key)>,
}

impl Calls {
    /// Notes an input.
    pub(super) fn input(&mut self, name: &str) {
        if self.noted.insert((true, key(name))) {
            self.inputs.push(name.to_owned());
        }
    }
    /// Notes an output.
    pub(super) fn output(&mut self, name: &str) {
        if self.noted.insert((false, key(name))) {
            self.outputs.push(name.to_owned());
        }
    }
    /// Returns whether some call has an argument with this name, behind `:=` or behind `=>`.
    pub(super) fn has(&self, is_input: bool, name: &str) -> bool {
        self.noted.contains(&(is_input, key(name)))
    }
    /// Returns whether something could show that the callee ran: an argument, or the result.
    fn can_be_seen(&self) -> bool {
        self.has_value || !self.noted.is_empty() || 0 < self.n_positional
    }
}

/// Facts about one missing name.
#[derive(Clone, Debug, Default)]
pub(super) struct Facts {
    /// The name as it is spelled first.
    pub(super) spelling: String,
    /// Places of the name, and of its parts.
    pub(super) uses: BTreeSet<Span>,
    /// It is called like a function.
    pub(super) function: Option<Calls>,
    /// Its instances are called.
    pub(super) body: Option<Calls>,
    /// Its methods.
    pub(super) methods: BTreeMap<Key, (String, Calls)>,
    /// Parts named with a dot: as spelled, and whether some statement assigns it.
    pub(super) members: BTreeMap<Key, (String, bool)>,
    /// A block extends it.
    pub(super) has_heirs: bool,
    /// A structure extends it.
    pub(super) is_base_of_structure: bool,
    /// Declarations of instances have arguments.
    pub(super) has_constructor: bool,
    /// Types that the uses of its parts imply.
    pub(super) evidence: BTreeMap<Part, BTreeSet<Evidence>>,
}

/// Kind of a missing declaration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Function,
    Block,
    Structure,
    /// Another name of a type.
    Alias,
}

impl Facts {
    /// Returns the kind of declaration that the uses imply.
    pub(super) fn kind(&self) -> Option<Kind> {
        let is_block = self.body.is_some() || !self.methods.is_empty() || self.has_heirs || self.has_constructor;
        let named = |prefix: &str| self.spelling.get(..prefix.len()).is_some_and(|head| head.eq_ignore_ascii_case(prefix));
        let named_block = named("FB_");
        let is_whole = self.evidence.get(&Part::Whole).is_some_and(|all| !all.is_empty());
        let is_type = is_block || self.is_base_of_structure || !self.members.is_empty() || is_whole;
        match (self.function.is_some(), is_type) {
            // The members of a UNION share their memory.
            _ if named("U_") => None,
            (true, true) => None,
            // A call without arguments and result writes something that only the text of the callee can name.
            (true, false) => self.function.as_ref().is_some_and(Calls::can_be_seen).then_some(Kind::Function),
            // An interface or a pointer is compared and assigned, an instance is not.
            (false, _) if is_block => (!is_whole).then_some(Kind::Block),
            (false, _) if named_block && !self.members.is_empty() => (!is_whole).then_some(Kind::Block),
            (false, _) if self.is_base_of_structure || !self.members.is_empty() => (!is_whole).then_some(Kind::Structure),
            (false, _) => (is_whole && !named_block).then_some(Kind::Alias),
        }
    }
}
