//! From the end of a CEGAR run to its evidence: an invariant per cut point, or the inputs of each cycle.

use std::collections::BTreeMap;

use crate::arg::{Arg, Graph, Mark};
use crate::domain::{Domain, StepId};
use kernel::cfa::{LocId, LocKind};
use kernel::context::Ctx;
use kernel::expr::{ExprId, ExprPool, Value, VarId};
use kernel::verdict::{Argument, Proof, Reason, Trace, Verdict};

/// Returns the answer of a complete graph without error node: the invariant of each cut point is the disjunction of its states.
///
/// A covered node adds nothing to the one that covers it. A cut point that was not reached gets FALSE. A cut point without a way
/// to the error location was not explored and gets none.
pub(super) fn complete<D: Domain>(cx: &mut Ctx<'_>, graph: &Graph, domain: &D, arg: &Arg<D::State>) -> Verdict {
    let mut states: BTreeMap<LocId, Vec<&D::State>> = BTreeMap::new();
    for (_, node) in arg.nodes() {
        if matches!(node.mark, Mark::Unmarked | Mark::Expanded) {
            states.entry(node.loc).or_default().push(&node.state);
        }
    }
    without_error(cx, graph, |pool, loc| domain.to_expr(pool, states.get(&loc).map_or(&[], Vec::as_slice)))
}

/// Returns the answer where no error was found: a proof with the invariant of each cut point.
///
/// Soundness: steps that leave out runs prove nothing. So a graph of such steps gives no proof.
pub(in crate::engine) fn without_error(
    cx: &mut Ctx<'_>,
    graph: &Graph,
    mut holds_at: impl FnMut(&mut ExprPool, LocId) -> ExprId,
) -> Verdict {
    if graph.is_bounded() {
        return Verdict::Unknown(Reason::Bound);
    }
    let mut invariants: BTreeMap<LocId, ExprId> = BTreeMap::new();
    for (id, loc) in graph.cfa.locs.iter_enumerated() {
        let is_cut = match loc.kind {
            LocKind::Head | LocKind::LoopHead => true,
            LocKind::Init | LocKind::CycleBegin | LocKind::CycleEnd | LocKind::Error | LocKind::Inner => false,
            // Every loop through one goes through a head, so its invariant follows.
            LocKind::Call | LocKind::Cut => false,
        };
        if !is_cut || graph.distance(id).is_none() {
            continue;
        }
        let holds = holds_at(&mut cx.pool, id);
        // Locations that stem from one location share its invariant.
        let all = match invariants.get(&loc.origin) {
            Some(&other) => cx.pool.or(other, holds),
            None => holds,
        };
        invariants.insert(loc.origin, all);
    }
    Verdict::Safe(Proof { pool: cx.pool.clone(), argument: Argument::Inductive(invariants) })
}

/// Returns the inputs of a path by cycle. `path`: each step from the initial values on, with the location it leads to.
pub(in crate::engine) fn trace(graph: &Graph, path: &[(LocId, StepId)], inputs: &[BTreeMap<VarId, Value>]) -> Trace {
    let mut start: BTreeMap<VarId, Value> = BTreeMap::new();
    let mut trace = Trace::default();
    for ((target, step), values) in path.iter().zip(inputs) {
        let n_begun = trace.cycles.len();
        trace.cycles.resize(n_begun + graph.n_cycles(*step) as usize, BTreeMap::new());
        for input in &graph.step(*step).block.inputs {
            if let (Some(origin), Some(&value)) = (input.origin, values.get(&input.var)) {
                let at = n_begun + graph.cycle_of(input.var) as usize;
                match at.checked_sub(1).filter(|at| *at < trace.cycles.len()) {
                    Some(at) => trace.take(at, origin, value),
                    None => _ = start.insert(origin, value),
                }
            }
        }
        if *target == graph.cfa.head {
            trace.cycles.push(BTreeMap::new());
        }
    }
    // Arbitrary values before the first cycle are reported with it, unless the cycle overwrites them at its start.
    match trace.cycles.first_mut() {
        Some(first) => {
            for (var, value) in start {
                first.entry(var).or_insert(value);
            }
        }
        None => trace.cycles.push(start),
    }
    trace
}
