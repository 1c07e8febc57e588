//! Verdicts of engines and their evidence, not yet certified.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};

use crate::cfa::LocId;
use crate::cfa::pass::Lift;
use crate::expr::{ExprId, ExprPool, Value, VarId};

/// Answer of an engine about one model, not certified.
#[derive(Clone, Debug)]
pub enum Verdict {
    /// The error location cannot be reached: the proof.
    Safe(Proof),
    /// It can be reached: the run.
    Unsafe(Trace),
    /// Not decided.
    Unknown(Reason),
}

/// Evidence for safety, over the variables and locations of the unreduced CFA.
#[derive(Clone, Debug)]
pub struct Proof {
    /// The pool its expressions live in (a descendant of the model's pool: same `VarId`s).
    pub pool: ExprPool,
    /// The argument.
    pub argument: Argument,
}

/// The argument of a proof.
#[derive(Clone, Debug)]
pub enum Argument {
    /// An inductive invariant: a Bool expression per cut point (scan-cycle head and loop heads); TRUE where none is given.
    Inductive(BTreeMap<LocId, ExprId>),
    /// k-induction: no error within `k` steps from the start. After `k` steps without an error through states of the invariants,
    /// the next step reaches no error either. A step leads from one place to the next: from head to head (a cycle) where the head
    /// is the only one. A loop without a place is passed within a step.
    KInductive {
        /// At least 1.
        k: u32,
        /// By place: the head, and heads of loops inside of the cycle. TRUE if none was needed.
        invariants: BTreeMap<LocId, ExprId>,
        /// Reason why the invariants hold.
        support: Support,
        /// Paths of `k` steps that count.
        paths: Paths,
    },
    /// Exhaustion: no error within `k` steps from the start, and no run has more than `k - 1` complete ones. Steps are those of
    /// k-induction.
    Exhaustive {
        /// At least 1.
        k: u32,
        /// The head, and heads of loops inside of the cycle.
        places: BTreeSet<LocId>,
        /// Runs that count.
        paths: Paths,
    },
}

impl Argument {
    /// Returns the invariants by place.
    pub fn invariants(&self) -> impl Iterator<Item = (&LocId, &ExprId)> {
        let invariants = match self {
            Argument::Inductive(invariants) | Argument::KInductive { invariants, .. } => Some(invariants),
            Argument::Exhaustive { .. } => None,
        };
        invariants.into_iter().flatten()
    }
}

/// Paths that a proof counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Paths {
    /// All.
    Any,
    /// Paths without two states of the same future: a shortest path to an error has no such states.
    Simple,
}

/// Reason why the auxiliary invariant of a k-induction holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Support {
    /// It is inductive on its own.
    Alone,
    /// It is k-inductive: it holds in the first `k` states of every run of `k` steps, and after `k` steps without an error
    /// through states that satisfy it.
    Steps,
}

/// A run to the error location: the havocked values of each cycle, from the first on.
///
/// All other values follow from the program. Variables that are missing may have any value.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Trace {
    /// One map per scan cycle (visit of the head): the first value of each variable in it.
    pub cycles: Vec<BTreeMap<VarId, Value>>,
    /// Further values in one cycle, by its number from 0: in later rounds of a loop.
    pub later: BTreeMap<(usize, VarId), Vec<Value>>,
}

impl Trace {
    /// Returns a run in which no variable takes several values in a cycle.
    pub fn of(cycles: Vec<BTreeMap<VarId, Value>>) -> Trace {
        Trace { cycles, later: BTreeMap::new() }
    }
    /// Adds the value of a variable before the first cycle, unless the cycle gives it another one.
    pub fn start(&mut self, var: VarId, value: Value) {
        if let Some(first) = self.cycles.first_mut() {
            first.entry(var).or_insert(value);
        }
    }
    /// Adds a value that a variable takes in a cycle that has begun.
    pub fn take(&mut self, cycle: usize, var: VarId, value: Value) {
        match self.cycles.get_mut(cycle).map(|values| values.entry(var)) {
            Some(Entry::Vacant(first)) => _ = first.insert(value),
            Some(Entry::Occupied(_)) => self.later.entry((cycle, var)).or_default().push(value),
            None => {}
        }
    }
}

/// Reason of a run without a decision.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reason {
    /// The time limit.
    Time,
    /// The memory limit.
    Memory,
    /// It was cancelled.
    Cancelled,
    /// An engine's bound was reached without an answer.
    Bound,
    /// An engine came to its end without an answer: refinement found nothing new to distinguish.
    NoProgress,
    /// An engine gave an answer that was not certified.
    Uncertified,
    /// A solver gave up.
    SolverUnknown,
    /// A counterexample exists only through something the model over-approximates; the words for it.
    OverApproximation(String),
    /// The engine cannot handle something in the model; the words for it.
    Unsupported(String),
}

/// Returns a proof over the reduced CFA as one over the unreduced. Not believed yet: it is checked there.
pub fn lift_proof(lift: &Lift, proof: Proof) -> Proof {
    let Proof { mut pool, argument } = proof;
    let argument = match argument {
        Argument::Inductive(invariants) => Argument::Inductive(lift.invariants(&mut pool, &invariants)),
        Argument::KInductive { k, mut invariants, support, paths } => {
            let lifted = lift.invariants(&mut pool, &invariants);
            // A new place would change the meaning of `k`.
            invariants.retain(|loc, _| lift.cuts.contains(loc));
            invariants.iter_mut().for_each(|(loc, own)| *own = lifted.get(loc).copied().unwrap_or(*own));
            Argument::KInductive { k, invariants, support, paths }
        }
        Argument::Exhaustive { k, mut places, paths } => {
            places.retain(|loc| lift.cuts.contains(loc));
            Argument::Exhaustive { k, places, paths }
        }
    };
    Proof { pool, argument }
}
