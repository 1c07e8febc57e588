//! Program organisation units and their variables.

use super::stmt::Stmt;
use super::types::TypeId;
use super::value::Value;
use crate::text::source::{Origin, Span};

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
    /// What it is.
    pub kind: PouKind,
    /// The block whose method, property, action or inherited body it is: its first variable then refers to the instance.
    pub member_of: Option<PouId>,
    /// Its variables in declared order; the result of a function is among them.
    pub vars: crate::ids::IndexVec<VarId, Var>,
    /// Its statements.
    pub body: Vec<Stmt>,
    /// What its networks and charts looked like, and those of its actions.
    pub diagrams: Vec<super::Diagram>,
    /// The whole declaration.
    pub span: Span,
    /// Who wrote it.
    pub origin: Origin,
}

impl Pou {
    /// The variable of a member that refers to the instance.
    pub const THIS: VarId = VarId(0);

    /// The variables in the order in which instances hold them: references stand last, so that an instance of
    /// the task, where they are memory, begins like any other.
    pub fn held(&self) -> impl Iterator<Item = (VarId, &Var)> {
        let is_reference = |var: &Var| var.section == Section::InOut;
        let first = self.vars.iter_enumerated().filter(move |(_, var)| !is_reference(var));
        first.chain(self.vars.iter_enumerated().filter(move |(_, var)| is_reference(var)))
    }
}

/// What kind of POU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PouKind {
    /// PROGRAM
    Program,
    /// FUNCTION_BLOCK
    FunctionBlock,
    /// FUNCTION; the variable that holds the result (`None` if it returns nothing).
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
    /// A TIME that grows by itself: every cycle, before any statement, it grows by the cycle's dt and stops
    /// at its largest value, whether or not its instance is called. Assignments set it. Only in our standard
    /// function blocks (`{stopwatch}` before the declaration); TON, TOF and TP measure with it.
    pub stopwatch: bool,
    /// Where it was declared.
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
    /// Not said.
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

/// Where an address is.
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
