//! The network of procedures: one control-flow automaton per POU body, with call edges.
//!
//! Variables are scalars: a POU's arrays, structures and instances are flattened in the order of
//! [`plc_frontend::hir::Project::leaves`]. Knows no scan cycle; [`super::inline`] makes the instance-level CFA of it.

use std::collections::{BTreeMap, BTreeSet};

use plc_frontend::hir::{self, AnomalyKind, InstanceId, PouId};
use plc_frontend::id_type;
use plc_frontend::ids::IndexVec;
use plc_frontend::ledger::GapId;
use plc_frontend::source::Span;

use super::automaton::{LocId, LocKind};
use super::share::Shared;
use super::site::Site;
use crate::expr::{ExprId, VarId};

id_type!(
    /// A procedure of a network.
    ProcId,
    "proc"
);

/// A program as procedures that call each other. Only functions call themselves. Expressions live in the
/// pool that was made with it, or in any descendant of that.
#[derive(Clone, Debug)]
pub struct Network {
    /// The scalars of each global variable, flattened.
    pub globals: IndexVec<hir::GlobalId, Vec<VarId>>,
    /// The scalars of each program instance, flattened: the bindings of its procedure's formals.
    pub instances: IndexVec<InstanceId, Vec<VarId>>,
    /// Variables that share the memory of others.
    pub shared: Shared,
    /// One per POU that some instance or some condition reaches.
    pub procedures: IndexVec<ProcId, Procedure>,
}

/// The body of one POU.
///
/// A call binds the formals: the persistent variables of an instance, and VAR_IN_OUT. Two formals may be bound to one variable,
/// so they may alias. All other variables are locals. A local is written before it is read in each activation. Without
/// recursion at most one activation is open at any time, and one variable per local is enough. The parameters, the result and
/// the variables of a function are locals: the caller writes the inputs before the call, and reads the result and outputs after
/// it. Recursive functions have variables of their own for that ([`Procedure::passed`]).
#[derive(Clone, Debug)]
pub struct Procedure {
    /// Its POU.
    pub pou: PouId,
    /// Its name.
    pub name: String,
    /// The scalars of each variable, flattened; formals and locals.
    pub vars: IndexVec<hir::VarId, Vec<VarId>>,
    /// Variables by which the calls of a recursive function pass inputs, outputs and the result. They belong to no call.
    pub passed: BTreeMap<hir::VarId, Vec<VarId>>,
    /// Variables that a call binds, in declared order.
    pub formals: Vec<VarId>,
    /// Variables of the procedure alone: parameters of functions, VAR_TEMP, results of evaluation steps.
    pub locals: Vec<VarId>,
    /// It calls itself, also by way of others: each call that is open has its own locals.
    pub is_recursive: bool,
    /// Control flow.
    pub graph: Graph,
}

/// Locations and edges with one entry and one exit.
#[derive(Clone, Debug)]
pub struct Graph {
    /// Roles of the locations.
    pub locs: IndexVec<LocId, LocKind>,
    /// All edges.
    pub edges: Vec<NetEdge>,
    /// First location of a call.
    pub entry: LocId,
    /// Last location of a call.
    pub exit: LocId,
    /// Dead ends at unmodelled places.
    pub gaps: Vec<(GapId, LocId)>,
    /// Havocked variables that stand for over-approximated values.
    pub arbitrary: Vec<(GapId, VarId)>,
    /// Havocked variables that stand for the bits of a float.
    pub float_bits: Vec<VarId>,
    /// Places that assertions and checks are about.
    pub sites: Vec<Site>,
    /// Kinds of anomalies that can happen, also those without sites.
    pub anomalies: BTreeSet<AnomalyKind>,
    /// FOR loops that stay loops.
    pub whole_loops: BTreeSet<Span>,
}

/// An edge.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NetEdge {
    /// From.
    pub source: LocId,
    /// To.
    pub target: LocId,
    /// Its operation.
    pub op: NetOp,
    /// The statement it stems from.
    pub span: Option<Span>,
}

/// Operation of an edge of a network.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NetOp {
    /// Nothing.
    Skip,
    /// Feasible only where the Bool expression is true.
    Assume(ExprId),
    /// The same, where the call bound `formal` to `meant`; else nothing.
    AssumeOf {
        /// First scalar of the instance, as the procedure has it.
        formal: VarId,
        /// First scalar of the instance that is meant.
        meant: VarId,
        /// The Bool expression.
        condition: ExprId,
    },
    /// `var := expr`.
    Assign(VarId, ExprId),
    /// `var` takes an arbitrary value of its sort.
    Havoc(VarId),
    /// Runs another procedure.
    Call {
        /// Called procedure.
        proc: ProcId,
        /// A variable of the caller for each formal, in their order.
        binding: Vec<VarId>,
        /// Its place.
        span: Span,
        /// Values of the control variables of the unrolled loops around it.
        rounds: Vec<i128>,
    },
}

impl Network {
    /// Returns the procedure of a POU, if the network has one.
    pub fn procedure_of(&self, pou: PouId) -> Option<ProcId> {
        self.procedures.iter_enumerated().find(|(_, p)| p.pou == pou).map(|(id, _)| id)
    }
}

impl Graph {
    /// Returns an entry and an exit that are not connected yet.
    pub fn new() -> Graph {
        let mut locs = IndexVec::new();
        let entry = locs.push(LocKind::Inner);
        let exit = locs.push(LocKind::Inner);
        Graph {
            locs,
            edges: Vec::new(),
            entry,
            exit,
            gaps: Vec::new(),
            arbitrary: Vec::new(),
            float_bits: Vec::new(),
            sites: Vec::new(),
            anomalies: BTreeSet::new(),
            whole_loops: BTreeSet::new(),
        }
    }
}

impl Default for Graph {
    fn default() -> Self {
        Graph::new()
    }
}
