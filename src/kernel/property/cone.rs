//! Gaps of the model that a question depends on. They limit the meaning of its answer.

use std::collections::BTreeSet;

use plc_frontend::ledger::GapId;

use super::instrument::Instrumented;
use crate::cfa::Op;
use crate::cfa::pass::Reduced;
use crate::cfa::pass::may_reach;
use crate::expr::VarId;

/// Gaps that a question depends on, ascending, each once.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cone {
    /// Unmodelled places that runs may reach: runs are unknown after them, so the requirement is not checked.
    pub gaps: Vec<GapId>,
    /// Over-approximated values that influence the answer: a proof holds, a counterexample needs its replay.
    pub arbitrary: Vec<GapId>,
}

/// Returns the cone of a question. `reduced` is its reduction to single blocks, or to large ones.
///
/// Soundness: no run reaches another gap, and no other arbitrary value can decide whether the error location is reached.
pub fn cone(question: &Instrumented, reduced: &Reduced) -> Cone {
    let reached = may_reach(&question.pool, &question.cfa);
    let gaps: BTreeSet<GapId> = question.gaps.iter().filter(|(_, loc)| reached.contains(loc)).map(|(gap, _)| *gap).collect();
    let mut havocked: BTreeSet<VarId> = BTreeSet::new();
    for edge in reduced.cfa.edges.iter() {
        match &edge.op {
            Op::Havoc(var) => havocked.extend([*var]),
            Op::Block(block) => havocked.extend(block.inputs.iter().filter_map(|input| input.origin)),
            Op::Skip | Op::Assume(_) | Op::Assign(..) => {}
        }
    }
    let arbitrary: BTreeSet<GapId> =
        question.arbitrary.iter().filter(|(_, var)| havocked.contains(var)).map(|(gap, _)| *gap).collect();
    Cone { gaps: gaps.into_iter().collect(), arbitrary: arbitrary.into_iter().collect() }
}
