//! The whole program.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::environment::Setting;
use super::place::Place;
use super::pou::{GlobalId, Pou, PouId, Var};
use super::stmt::{AssertId, SURVIVED, StmtKind};
use super::types::{TypeDef, TypeId};
use super::value::Value;
use super::view::{LocalView, Scalar, View};
use super::walk;
use crate::ids::IndexVec;
use crate::text::{GapId, Span};

crate::id_type!(
    /// A program instance.
    InstanceId,
    "inst"
);

/// A resolved, typed program: flat tables, every reference an id.
///
/// **Invariant:** the call graph (functions and instances) has no cycle; every id is in its table;
/// every expression's type is what its parts imply. Only a project without error diagnostics may be run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Project {
    /// All types.
    pub types: IndexVec<TypeId, TypeDef>,
    /// For each reference type, which is an enumeration, the targets by their numbers. 0 and all numbers that are not listed
    /// refer to nothing.
    pub references: BTreeMap<TypeId, Vec<Target>>,
    /// All POUs, the standard function blocks that are used among them.
    pub pous: IndexVec<PouId, Pou>,
    /// All global variables.
    pub globals: IndexVec<GlobalId, Var>,
    /// Assertions with mistakes, by their gaps. Their conditions count as TRUE: a comment changes no run.
    pub wrong_assertions: BTreeMap<AssertId, GapId>,
    /// Inputs that take a new value whenever an [`super::ExprKind::Arbitrary`] reads them: the content of variables that are
    /// not initialised, and what calls of stubs give. [`crate::hir::name_at_call`] names the values of one cycle.
    pub at_call: BTreeSet<GlobalId>,
    /// POUs of which only the interface is known, with their methods and copies.
    pub stubs: BTreeMap<PouId, Stub>,
    /// Blocks that extend a stub and are none, with their methods.
    pub stub_heirs: BTreeMap<PouId, StubHeir>,
    /// Reads of inputs that change within a cycle, by the names of their variables: the part that is read, and the place in words.
    pub reads: BTreeMap<String, (String, String)>,
    /// Input that is TRUE where the controller restarts at the beginning of a cycle.
    pub restart: Option<GlobalId>,
    /// Global variables whose values no file tells; those that keep their value are true.
    pub unknown_globals: BTreeMap<GlobalId, bool>,
    /// Values of leaves at cold start that differ from their declarations, because code ran before the first cycle.
    pub cold_start: BTreeMap<String, Value>,
    /// Leaves whose values before the first cycle cannot be computed.
    pub not_computed: BTreeSet<String>,
    /// Calls before the first cycle that may write any variable, because they write through references or are not modelled.
    pub unclear_starts: BTreeSet<Span>,
    /// Calls before the first cycle whose writes are those of `not_computed`.
    pub open_starts: BTreeSet<Span>,
    /// Declarations of scalars that start with any value, because their initial values are no constants.
    pub unknown_starts: BTreeSet<Span>,
    /// Programs that do not run in the cycle, because other events start them.
    pub events: BTreeSet<Span>,
    /// Places of code beside the run that may write variables without naming them, and of other initial values of the entry.
    pub beside: BTreeMap<Span, Extent>,
    /// POUs that write through pointers to bytes: outside of the run, nothing checks that the pointers stay inside of their targets.
    pub byte_writers: BTreeSet<PouId>,
    /// POUs that no task reaches, where the tasks are known: a condition says that they do not run.
    pub idle: BTreeSet<PouId>,
    /// Program that runs once before the first cycle and is none of `events`.
    pub start_up: Option<StartUp>,
    /// Leaves that computed code reads before the first cycle, with its place.
    pub start_reads: BTreeMap<String, Span>,
    /// Leaves by name whose part in the environment differs from the default of their section.
    pub environment: BTreeMap<String, Setting>,
    /// Views in variables with addresses: their memory is that of other variables.
    pub views: BTreeMap<Scalar, View<Scalar>>,
    /// Views in values of types (UNION), by their position in the value.
    pub type_views: BTreeMap<TypeId, Vec<(usize, View<usize>)>>,
    /// Views in variables of a POU that are other variables of it, seen as another type.
    pub local_views: BTreeMap<PouId, Vec<LocalView>>,
    /// Initial values of scalars that share memory with variables declared with a value.
    pub shared_initial: BTreeMap<Scalar, Value>,
    /// The instances in the order in which they run. Each program (or the entry function block) is one.
    pub instances: IndexVec<InstanceId, ProgramInstance>,
    /// The task that runs the instances.
    pub task: Task,
    /// TIME has no sign, as in CODESYS and TwinCAT: a difference below zero is a long duration.
    pub unsigned_time: bool,
    /// A conversion of a string takes the number at its beginning, whatever follows, and 0 for a word. So in CODESYS and
    /// TwinCAT.
    pub converts_beginning: bool,
    /// Outputs are not declared as such: any BOOL tag may be one, as in Logix. See [`Project::is_coil_output`].
    pub tags_are_outputs: bool,
}

impl Project {
    /// Returns the assertions that tell of a fault which runs survive.
    pub fn survived(&self, kind: FaultKind) -> Vec<AssertId> {
        let mut ids = BTreeSet::new();
        let is_told = |name: &str| SURVIVED.contains(&(name, kind));
        for pou in self.pous.iter().filter(|_| SURVIVED.iter().any(|(_, told)| *told == kind)) {
            walk::stmts(&pou.body, |stmt| {
                if let StmtKind::Assert { id, name, .. } = &stmt.kind
                    && is_told(name)
                {
                    ids.insert(*id);
                }
            });
        }
        ids.into_iter().collect()
    }

    /// Returns whether code of a stub knows a variable of a block: one of its own, or one that the block inherits from it.
    pub fn is_of_stub(&self, block: PouId, var: &Var) -> bool {
        let is_inside = |outer: &Span| outer.file == var.span.file && outer.start <= var.span.start && var.span.end <= outer.end;
        !self.stub_heirs.get(&block).is_some_and(|heir| heir.own.iter().any(is_inside))
    }
}

/// A block that extends a stub.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StubHeir {
    /// The stub.
    pub base: PouId,
    /// Places of the block and of those between both, whose variables the stub does not know.
    pub own: Vec<Span>,
}

/// Variables that code beside the run may write.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Extent {
    /// Those that other code can name: global ones, memory with an address, and variables of programs.
    Nameable,
    /// Scalars with these names.
    Leaves(BTreeSet<String>),
    /// Those of the entry.
    Entry,
    /// Those that the time between two cycles decides.
    Time,
    /// All.
    All,
}

/// A POU of which only the interface is known: each call gives everything that it may write any value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stub {
    /// Origin of the interface.
    pub interface: Interface,
    /// Ledger's entry of its values.
    pub gap: GapId,
}

/// Origin of a stub's interface.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Interface {
    /// A file declares it.
    Declared,
    /// A file declares it, and the project has the body in a form that is not readable.
    Protected,
    /// It is inferred from the uses of the name.
    Inferred,
    /// The controller gives the value: each call of the function reads an input of its own.
    System,
    /// No manual states the value: each call reads an input of its own, and runs that depend on it have a condition.
    Undefined,
}

impl Interface {
    /// Returns whether the body may be a part of the project: such code can name global variables.
    pub fn may_be_of_project(self) -> bool {
        matches!(self, Interface::Inferred | Interface::Protected)
    }
}

/// A variable that references can refer to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    /// The value of a reference to it.
    pub number: i128,
    /// A global variable or one of a program instance, or a part of one; its indices are literals.
    pub place: Place,
    /// Its own type; for an instance, also the blocks that its block extends.
    pub views: Vec<TypeId>,
}

/// A program that runs every cycle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProgramInstance {
    /// Its name in conditions: the program's name.
    pub name: String,
    /// A PROGRAM, or the FUNCTION_BLOCK chosen as entry.
    pub pou: PouId,
}

/// Program that runs once before the first cycle: a start-up organization block of Siemens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StartUp {
    /// The program.
    pub pou: PouId,
    /// Place that names its event.
    pub span: Span,
}

/// A cyclic task.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Task {
    /// The instances in the order they run.
    pub runs: Vec<InstanceId>,
    /// Tasks that run in some cycles only.
    pub slow: Vec<SlowTask>,
}

/// Task whose interval is several ticks: it counts cycles.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SlowTask {
    /// Its name.
    pub name: String,
    /// It runs in one of this many cycles.
    pub cycles: u32,
}

/// Kind of a fault, an error that ends a run; each kind is an automatic check.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FaultKind {
    /// Integer `/` or MOD by zero.
    DivisionByZero,
    /// Array index outside its bounds, MUX selector outside its inputs.
    IndexOutOfBounds,
    /// REAL value that does not fit the integer type it is converted to.
    ConversionRange,
    /// A FOR loop whose control variable would leave its type's range, or whose step is 0.
    LoopWrap,
    /// A reference that refers to nothing is followed.
    NullReference,
    /// A loop that does not end within the configured number of rounds per entry: the cycle would not end.
    Watchdog,
    /// A function that calls itself is open [`MAX_ACTIVATIONS`] times already when it is called.
    CallDepth,
}

/// Most calls of one function at a time. More exhaust the stack of many controllers.
pub const MAX_ACTIVATIONS: usize = 24;

/// Kind of an anomaly: a defined result that is rarely meant. A run survives it; each kind is an automatic check.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AnomalyKind {
    /// `+`, `-`, `*`, `/` or ABS of integers or times whose exact result is not one of their type: it wraps.
    Overflow,
    /// A conversion that loses a part of the value; rounding to a REAL is no loss unless it was an integer.
    ConversionLoss,
    /// A value outside of the subrange that it is assigned to.
    Subrange,
}

/// A possible place of a fault, for reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FaultSite {
    /// Its kind.
    pub kind: FaultKind,
    /// Its place: the divisor, the index, the converted expression, the loop head.
    pub span: Span,
}
