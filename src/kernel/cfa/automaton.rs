//! The automaton that engines work on: one instance-level CFA, calls inlined.

use std::collections::BTreeMap;
use std::sync::Arc;

use plc_frontend::id_type;
use plc_frontend::ids::IndexVec;
use plc_frontend::source::Span;

use super::block::Block;
use super::call_region::CallRegion;
use super::recursion::Recursion;
use crate::expr::{ExprId, Value, VarId};

id_type!(
    /// A location of a CFA.
    LocId,
    "l"
);
id_type!(
    /// An edge of a CFA.
    EdgeId,
    "edge"
);

/// A control-flow automaton with one error location.
///
/// A run starts at `init` with the `initial` values and follows edges whose operation is feasible. The scan cycle is the loop
/// through `head`: every visit of `head` is the start of one cycle. The inputs of the cycle (the task's inputs and `#dt`) are
/// havocked on edges after it. The question is always whether a run can reach `error`.
///
/// **Invariant:** reductions keep `VarId`s, and every location knows its location in the unreduced CFA. So a trace or an
/// invariant of a reduced CFA is one of the unreduced CFA.
#[derive(Clone, Debug)]
pub struct Cfa {
    /// All locations.
    pub locs: IndexVec<LocId, Loc>,
    /// All edges.
    pub edges: IndexVec<EdgeId, Edge>,
    /// Location at the start of runs; no edge leads to it.
    pub init: LocId,
    /// The head of the scan-cycle loop.
    pub head: LocId,
    /// Location that no run may reach; no edge leaves it.
    pub error: LocId,
    /// The variables of the state, ascending. Block inputs are not among them.
    pub vars: Vec<VarId>,
    /// Their values at the start; a variable without one starts arbitrary.
    pub initial: BTreeMap<VarId, Value>,
    /// Calls that were written out. Reductions keep them as they are, also where nothing is left of a call.
    pub calls: Vec<CallRegion>,
    /// Recursive calls that were not written out, and their procedures; `None` if there are none. Reductions keep them as they are.
    pub recursion: Option<Arc<Recursion>>,
}

/// A location.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loc {
    /// Its kind.
    pub kind: LocKind,
    /// Its location in the unreduced CFA.
    pub origin: LocId,
}

/// Role of a location in the scan cycle.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum LocKind {
    /// Start of the run.
    Init,
    /// Start of each cycle.
    Head,
    /// Beginning-of-cycle observation: inputs are new, no statement has run.
    CycleBegin,
    /// End-of-cycle observation.
    CycleEnd,
    /// Head of a loop inside the cycle (WHILE, REPEAT, FOR that is not unrolled).
    LoopHead,
    /// Before or after a call that was written out.
    Call,
    /// End of a block by adjustable-block encoding, though no loop begins here.
    Cut,
    /// The error location.
    Error,
    /// Anything else.
    Inner,
}

/// An edge.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edge {
    /// From.
    pub source: LocId,
    /// To.
    pub target: LocId,
    /// Its operation.
    pub op: Op,
    /// The statement it stems from.
    pub span: Option<Span>,
}

/// Operation of an edge.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Op {
    /// Nothing.
    Skip,
    /// Feasible only where the Bool expression is true.
    Assume(ExprId),
    /// `var := expr`.
    Assign(VarId, ExprId),
    /// `var` takes an arbitrary value of its sort.
    Havoc(VarId),
    /// Many operations at once (large-block encoding).
    Block(Box<Block>),
}

impl Cfa {
    /// Returns the edges that leave `loc`, in order of creation. Cost: linear; engines index once with [`Cfa::successors`].
    pub fn outgoing(&self, loc: LocId) -> impl Iterator<Item = (EdgeId, &Edge)> {
        self.edges.iter_enumerated().filter(move |(_, edge)| edge.source == loc)
    }
    /// Returns the outgoing edges of every location.
    pub fn successors(&self) -> IndexVec<LocId, Vec<EdgeId>> {
        let mut table: IndexVec<LocId, Vec<EdgeId>> = self.locs.ids().map(|_| Vec::new()).collect();
        for (id, edge) in self.edges.iter_enumerated() {
            table[edge.source].push(id);
        }
        table
    }
    /// Returns the incoming edges of every location.
    pub fn predecessors(&self) -> IndexVec<LocId, Vec<EdgeId>> {
        let mut table: IndexVec<LocId, Vec<EdgeId>> = self.locs.ids().map(|_| Vec::new()).collect();
        for (id, edge) in self.edges.iter_enumerated() {
            table[edge.target].push(id);
        }
        table
    }
}
