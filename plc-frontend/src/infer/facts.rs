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
    n_calls: usize,
    /// Number of calls that name an input.
    n_given: BTreeMap<Key, usize>,
}

impl Calls {
    /// Notes a call.
    pub(super) fn call(&mut self) {
        self.n_calls += 1;
    }
    /// Notes an input.
    pub(super) fn input(&mut self, name: &str) {
        *self.n_given.entry(key(name)).or_default() += 1;
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
    /// Returns whether all calls give this input.
    pub(super) fn always_gives(&self, name: &Key) -> bool {
        self.n_given.get(name) == Some(&self.n_calls)
    }
    /// Returns whether some call has an argument with this name, behind `:=` or behind `=>`.
    pub(super) fn has(&self, is_input: bool, name: &str) -> bool {
        self.noted.contains(&(is_input, key(name)))
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
    /// Parts that initial values name.
    pub(super) initialised: BTreeSet<Key>,
    /// A block extends it.
    pub(super) has_heirs: bool,
    /// A structure extends it.
    pub(super) is_base_of_structure: bool,
    /// It stands behind IMPLEMENTS, or behind EXTENDS of an interface.
    pub(super) is_interface: bool,
    /// It is the name of a value, and of no type or function.
    pub(super) is_value: bool,
    /// Some statement assigns the whole.
    pub(super) is_written: bool,
    /// Type of the global variable as VAR_EXTERNAL states it, and whether it is CONSTANT.
    pub(super) external: Option<(String, bool)>,
    /// Values stand behind it and a dot: it is an enumeration.
    pub(super) has_values: bool,
    /// A missing name of a constant has this type: it is probably one of its values.
    pub(super) has_named_values: bool,
    /// It stands where only constants may stand: an initial value, a label of CASE.
    pub(super) is_constant: bool,
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
    Interface,
    /// Another name of a type.
    Alias,
    /// Another name of an integer, with values of their own.
    Enumeration,
    /// A type of which nothing is known.
    Opaque,
    /// A global variable or constant.
    Global,
    /// A list of global variables, or the values of an enumeration.
    List,
}

impl Facts {
    /// Returns the kind of declaration that the uses imply.
    pub(super) fn kind(&self) -> Kind {
        if self.is_value {
            let is_instance = self.body.is_some() || !self.methods.is_empty();
            return if self.members.is_empty() || is_instance || self.external.is_some() { Kind::Global } else { Kind::List };
        }
        let named = |prefix: &str| self.spelling.get(..prefix.len()).is_some_and(|head| head.eq_ignore_ascii_case(prefix));
        let is_whole = self.evidence.get(&Part::Whole).is_some_and(|all| !all.is_empty());
        let has_instances = self.body.is_some() || self.has_heirs || self.has_constructor;
        let is_type =
            has_instances || self.is_base_of_structure || !self.members.is_empty() || !self.methods.is_empty() || is_whole;
        if self.function.is_some() && !is_type {
            return Kind::Function;
        }
        // An interface is compared and assigned, an instance is not.
        let is_reference = is_whole && !self.methods.is_empty();
        if self.is_interface || (!has_instances && (is_reference || self.is_named_as_interface())) {
            return Kind::Interface;
        }
        if has_instances || !self.methods.is_empty() || (named("FB_") && !is_whole) {
            return Kind::Block;
        }
        if self.has_values {
            return Kind::Enumeration;
        }
        match (self.is_base_of_structure || !self.members.is_empty(), is_whole) {
            // The members of a UNION share their memory.
            (true, false) if !named("U_") => Kind::Structure,
            (false, true) if !named("U_") && !named("FB_") => Kind::Alias,
            (false, false) if self.has_named_values && !named("U_") => Kind::Enumeration,
            (_, _) => Kind::Opaque,
        }
    }

    /// Returns whether the name is one that programmers give to interfaces: `I_Valve`, `IValve`.
    fn is_named_as_interface(&self) -> bool {
        let bytes = self.spelling.as_bytes();
        match bytes {
            [b'I', b'_', ..] => true,
            [b'I', second, third, ..] => second.is_ascii_uppercase() && third.is_ascii_lowercase(),
            _ => false,
        }
    }
}
