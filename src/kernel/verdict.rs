//! Verdicts of engines and their evidence, not yet certified.

use std::collections::BTreeMap;

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
    /// k-induction: no error within `k` steps from the start. After `k` steps without an error through states of the invariant,
    /// the next step reaches no error either. A step is one cycle (head to head): the argument also shows that no run comes to a
    /// loop inside of a cycle.
    KInductive {
        /// At least 1.
        k: u32,
        /// TRUE if none was needed.
        invariant: ExprId,
        /// Reason why the invariant holds.
        support: Support,
        /// Paths of `k` steps that count.
        paths: Paths,
    },
}

/// Paths that the step of a k-induction is about.
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
    /// One map per scan cycle (visit of the head).
    pub cycles: Vec<BTreeMap<VarId, Value>>,
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
///
/// Stops: [`Reason::Unsupported`] for k-induction over cycles where a run may come to a loop that the reductions took away.
pub fn lift_proof(lift: &Lift, proof: Proof) -> Result<Proof, Reason> {
    let Proof { mut pool, argument } = proof;
    let argument = match argument {
        Argument::Inductive(invariants) => Argument::Inductive(lift.invariants(&mut pool, &invariants)),
        Argument::KInductive { k, invariant, support, paths } => {
            let Some(head) = lift.only_cut() else {
                return Err(Reason::Unsupported(
                    "k-induction over cycles, where a loop inside of the cycle may never end".into(),
                ));
            };
            let lifted = lift.invariants(&mut pool, &BTreeMap::from([(head, invariant)]));
            Argument::KInductive { k, invariant: lifted.get(&head).copied().unwrap_or(invariant), support, paths }
        }
    };
    Ok(Proof { pool, argument })
}
