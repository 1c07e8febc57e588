//! Program organisation units and their variables.

use super::stmt::Stmt;
use super::types::TypeId;
use super::value::Value;
use crate::text::{Origin, Span};

crate::id_type!(
    /// A PROGRAM, FUNCTION_BLOCK or FUNCTION of the project.
    PouId,
    "pou"
);
crate::id_type!(
    /// A variable of one POU.
    VarId,
    "v"
);
crate::id_type!(
    /// A global variable of the project.
    GlobalId,
    "g"
);

/// A program organisation unit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pou {
    /// Its name as declared.
    pub name: String,
    /// PROGRAM, FUNCTION_BLOCK or FUNCTION.
    pub kind: PouKind,
    /// The block of a method, property, action or inherited body; the first variable then refers to the instance.
    pub member_of: Option<PouId>,
    /// A member that code outside of its block, or the system, may call in each cycle: neither PRIVATE nor PROTECTED.
    pub is_public: bool,
    /// Its variables in declared order; the result of a function is among them.
    pub vars: crate::ids::IndexVec<VarId, Var>,
    /// Its statements.
    pub body: Vec<Stmt>,
    /// Drawings of its networks and charts, and of those of its actions.
    pub diagrams: Vec<super::Diagram>,
    /// The whole declaration.
    pub span: Span,
    /// Its author: the user or the standard library.
    pub origin: Origin,
}

impl Pou {
    /// The variable of a member that refers to the instance.
    pub const THIS: VarId = VarId(0);
    /// Name of the input of a call through a reference that holds the reference.
    pub(crate) const TARGET: &str = "TARGET";

    /// Returns the variables in the order in which instances hold them. References stand last: in an instance of the task, the
    /// target is memory with an initial value like any other.
    pub fn held(&self) -> impl Iterator<Item = (VarId, &Var)> {
        let is_reference = |var: &Var| var.section == Section::InOut;
        let first = self.vars.iter_enumerated().filter(move |(_, var)| !is_reference(var));
        first.chain(self.vars.iter_enumerated().filter(move |(_, var)| is_reference(var)))
    }
}

/// Kind of a POU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PouKind {
    /// PROGRAM
    Program,
    /// FUNCTION_BLOCK
    FunctionBlock,
    /// FUNCTION with the variable that holds the result; `None` if it returns nothing.
    Function(Option<VarId>),
}

/// A variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Var {
    /// Its name as declared.
    pub name: String,
    /// Its type.
    pub ty: TypeId,
    /// The section it was declared in.
    pub section: Section,
    /// Its initial value.
    pub init: Init,
    /// CONSTANT: never assigned.
    pub constant: bool,
    /// RETAIN, NON_RETAIN or neither.
    pub retain: Retain,
    /// AT.
    pub address: Option<Address>,
    /// A TIME that grows by the cycle's dt in every cycle, before any statement, and stops at its largest value. It grows
    /// in instances that are not called, too. Assignments set it. Only in our standard function blocks (`{stopwatch}` before
    /// the declaration); TON, TOF and TP measure with it.
    pub stopwatch: bool,
    /// Its declaration.
    pub span: Span,
}

/// Declaration section.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Section {
    /// VAR_INPUT: of the entry program, an arbitrary value at the start of each cycle.
    Input,
    /// VAR_OUTPUT
    Output,
    /// VAR_IN_OUT: by reference; of the entry program, memory.
    InOut,
    /// VAR: persists in programs and function blocks, is initialised at each call in functions.
    Local,
    /// VAR_TEMP: initialised at each call.
    Temp,
    /// The result of a function.
    Result,
    /// VAR_GLOBAL
    Global,
}

/// Retentive memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Retain {
    /// Neither is written.
    Unspecified,
    /// RETAIN (or PERSISTENT).
    Retain,
    /// NON_RETAIN
    NonRetain,
}

/// An initial value, resolved and converted to the variable's type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Init {
    /// The type's default.
    Default,
    /// A scalar.
    Scalar(Value),
    /// Elements of an array, row-major, all of them.
    Array(Vec<Init>),
    /// All fields of a structure, in order.
    Struct(Vec<Init>),
    /// Some variables of a function block instance; the others have their declared initial values.
    Instance(Vec<(VarId, Init)>),
}

impl Init {
    /// Returns the value of a scalar, if one is given.
    pub fn scalar(&self) -> Option<Value> {
        if let Init::Scalar(value) = self { Some(*value) } else { None }
    }
    /// Returns the element or field at a position, if one is given.
    pub fn part(&self, at: usize) -> Option<&Init> {
        if let Init::Array(parts) | Init::Struct(parts) = self {
            parts.get(at).filter(|part| **part != Init::Default)
        } else {
            None
        }
    }
    /// Returns the variable of an instance, if one is given.
    pub fn variable(&self, id: VarId) -> Option<&Init> {
        let Init::Instance(given) = self else { return None };
        given.iter().find(|(var, _)| *var == id).map(|(_, init)| init)
    }
}

/// A direct address `%IX0.3`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Address {
    /// I, Q or M.
    pub area: AddressArea,
    /// X, B, W, D or L.
    pub size: AddressSize,
    /// The numbers between the dots. Empty for an incomplete address (`%I*`).
    pub path: Vec<u32>,
}

/// Memory area of an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum AddressArea {
    /// Process inputs: arbitrary at the start of each cycle.
    Input,
    /// Process outputs.
    Output,
    /// Memory.
    Memory,
}

/// The unit of an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum AddressSize {
    /// X or nothing.
    Bit,
    /// B
    Byte,
    /// W
    Word,
    /// D
    DWord,
    /// L
    LWord,
}

impl AddressSize {
    /// Returns the bits of the unit.
    pub fn bits(self) -> u32 {
        match self {
            AddressSize::Bit => 1,
            AddressSize::Byte => 8,
            AddressSize::Word => 16,
            AddressSize::DWord => 32,
            AddressSize::LWord => 64,
        }
    }
}
