//! Runs that the assumptions allow, their length, and conflicts between assumptions.

use std::collections::BTreeSet;
use std::time::Duration;

use plc_frontend::hir::{Expr, Leaf, Project, Role};

use super::calls;
use crate::decide::{Request, schedule};
use kernel::cfa::model::build;
use kernel::cfa::pass::{Encoding, reduce};
use kernel::cfa::{Cfa, Edge, Loc, LocId, LocKind, Model, Op};
use kernel::context::{Ctx, Stop};
use kernel::expr::{BvBin, ExprPool, Sort, Value};
use kernel::property::claim::Claim;
use kernel::property::instrument::{Instrumented, instrument};
use kernel::property::mentions;
use kernel::smt::Interrupt;
use kernel::verdict::{Reason, Verdict};
use search::engine::Engine;
use search::engine::bmc::Bmc;
use search::engine::features::Features;

/// Runs that the assumptions allow.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::decide) enum AllowedRuns {
    /// Runs of all lengths in question.
    Runs,
    /// No run, or only short ones, with the reason as a clause.
    Nothing(String),
    /// Not decided in the short time for it.
    Undecided,
}

/// Longest time for each question about assumptions.
const PATIENCE: Duration = Duration::from_secs(5);
/// Cycles in question.
pub(super) const CYCLES: u32 = 8;
/// Steps in the longest cycle in question.
const MOST_STEPS: u32 = 6;
/// Most assumptions for a search for conflicts among them.
const MANY: usize = 16;

/// Decides whether the assumptions can hold in a first cycle.
pub(in crate::decide) fn first_cycle(request: &Request<'_>) -> AllowedRuns {
    let interrupt = schedule::soon(request.search.interrupt, PATIENCE);
    let all: Vec<&Expr> = request.assumptions.iter().collect();
    if all.is_empty() {
        return AllowedRuns::Runs;
    }
    match begins(request, &all, 1, &interrupt) {
        Some(true) => AllowedRuns::Runs,
        None => AllowedRuns::Undecided,
        Some(false) => {
            let which = conflict(request, &all, 1, &interrupt);
            let which = which.map(|clause| format!(": {clause} in the first cycle"));
            AllowedRuns::Nothing(format!("the assumptions exclude every run{}", which.unwrap_or_default()))
        }
    }
}

/// Decides whether the assumptions allow runs of some cycles. Inputs are new in every cycle, so only assumptions about other
/// variables can end a run.
///
/// Cost: [`CYCLES`] cycles of bounded model checking, for assumptions about more than inputs.
pub(in crate::decide) fn later_cycles(request: &Request<'_>) -> AllowedRuns {
    let project = &request.loaded.project;
    let all: Vec<&Expr> = request.assumptions.iter().collect();
    let is_free = |leaf: &Leaf| leaf.role == Role::Input || leaf.role == Role::Parameter;
    let inputs: BTreeSet<String> = project.leaves().into_iter().filter(is_free).map(|leaf| leaf.name).collect();
    let later: Vec<&Expr> = all.iter().copied().filter(|assumption| !mentions::is_about_start(assumption, project)).collect();
    let assumes_of_calls = project.assumes_of_calls();
    if !assumes_of_calls && mentions::leaves(&later, project).iter().all(|name| inputs.contains(name)) {
        return AllowedRuns::Runs;
    }
    let interrupt = schedule::soon(request.search.interrupt, PATIENCE);
    if let Some(name) = calls::excluded(request, &interrupt) {
        return AllowedRuns::Nothing(format!("the assumptions exclude all values that calls of `{name}` could give"));
    }
    let ends = |n: u32| begins(request, &all, n, &interrupt) == Some(false);
    // Runs that the program itself ends are no fault of the assumptions.
    if !ends(CYCLES) || !goes_on_without(request, &interrupt) {
        return AllowedRuns::Runs;
    }
    let n = (2..CYCLES).find(|n| ends(*n)).unwrap_or(CYCLES);
    let most = if n == 2 { "one cycle".to_owned() } else { format!("{} cycles", n - 1) };
    let which = conflict(request, &all, n, &interrupt);
    let which = which.map(|clause| format!(": {clause} at the beginning of cycle {n}"));
    AllowedRuns::Nothing(format!("the assumptions leave no run of more than {most}{}", which.unwrap_or_default()))
}

/// Returns whether some run of the program without assumptions has all cycles in question.
fn goes_on_without(request: &Request<'_>, interrupt: &Interrupt) -> bool {
    let project = &request.loaded.project;
    if !project.assumes_of_calls() {
        return begins(request, &[], CYCLES, interrupt) == Some(true);
    }
    let project = project.without_assumptions();
    let Ok(model) = build(&project, &request.model.options) else { return false };
    begins_in((&project, &model), request, &[], CYCLES, interrupt) == Some(true)
}

/// Returns a minimal set of assumptions that cannot hold together, as a clause.
fn conflict(request: &Request<'_>, all: &[&Expr], n: u32, interrupt: &Interrupt) -> Option<String> {
    let mut core = all.to_vec();
    if MANY < core.len() {
        return None;
    }
    let mut at = 0;
    while at < core.len() {
        let mut fewer = core.clone();
        fewer.remove(at);
        match begins(request, &fewer, n, interrupt) {
            Some(false) => core = fewer,
            Some(true) => at += 1,
            None => return None,
        }
    }
    let texts: Vec<String> = core.iter().map(|e| format!("`{}`", request.loaded.sources.text(e.span).trim())).collect();
    match texts.as_slice() {
        [] => None,
        [one] => Some(format!("{one} cannot hold")),
        [front @ .., last] => Some(format!("{} and {last} cannot hold together", front.join(", "))),
    }
}

/// Decides whether some run comes to the beginning of its n-th cycle, with the assumptions true in all n cycles.
fn begins(request: &Request<'_>, assumptions: &[&Expr], n: u32, interrupt: &Interrupt) -> Option<bool> {
    begins_in((&request.loaded.project, request.model), request, assumptions, n, interrupt)
}

/// Decides the same for a program that is not that of the request.
fn begins_in(
    (project, model): (&Project, &Model),
    request: &Request<'_>,
    assumptions: &[&Expr],
    n: u32,
    interrupt: &Interrupt,
) -> Option<bool> {
    let assumptions: Vec<Expr> = assumptions.iter().map(|e| (*e).clone()).collect();
    // Without a claim, no violation ends a run.
    let claim = Claim::Unreached(Vec::new());
    let instrumented = instrument(project, model, &claim, &assumptions).ok()?;
    let Instrumented { mut pool, mut cfa, gaps, .. } = instrumented;
    let (boc, error) = (model.points.boc, cfa.error);
    if n == 1 {
        // Every run ends once the assumptions of its first cycle have held.
        cfa.edges = cfa.edges.iter().filter(|edge| edge.source != boc && edge.target != error).cloned().collect();
        cfa.edges.push(Edge { source: boc, target: error, op: Op::Skip, span: None });
    } else if gaps.is_empty() {
        let mut inner = || {
            let origin = LocId(cfa.locs.len() as u32);
            cfa.locs.push(Loc { kind: LocKind::Inner, origin })
        };
        let (begun, counted) = (inner(), inner());
        let sort = Sort::BitVec(8);
        let count = pool.new_var("#cycles", sort);
        cfa.vars.push(count);
        cfa.initial.insert(count, Value::zero(sort));
        let (now, one) = (pool.var(count), pool.constant(Value::int(8, 1)));
        let more = pool.bv(BvBin::Add, now, one);
        let last = pool.constant(Value::int(8, i128::from(n)));
        let is_there = pool.eq(now, last);
        let not_yet = pool.not(is_there);
        let redirected = |edge: &Edge| if edge.target == boc { Edge { target: begun, ..edge.clone() } } else { edge.clone() };
        cfa.edges = cfa.edges.iter().filter(|edge| edge.target != error).map(redirected).collect();
        // The two ways on exclude each other.
        for (source, target, op) in [
            (begun, counted, Op::Assign(count, more)),
            (counted, error, Op::Assume(is_there)),
            (counted, boc, Op::Assume(not_yet)),
        ] {
            cfa.edges.push(Edge { source, target, op, span: None });
        }
    } else {
        // Here not the assumptions end the runs.
        return None;
    }
    within_cycles(request, &pool, &cfa, n, interrupt)
}

/// Decides whether some run comes to the error location within some cycles.
pub(super) fn within_cycles(request: &Request<'_>, pool: &ExprPool, cfa: &Cfa, n: u32, interrupt: &Interrupt) -> Option<bool> {
    let reduced = reduce(pool, cfa, Encoding::Lbe);
    // Without loops inside a cycle it visits no location twice, so the bound allows for that many cycles.
    let most = reduced.cfa.locs.len() as u32;
    if 0 < Features::of(&reduced).loops || MOST_STEPS < most {
        return None;
    }
    let mut search = Bmc::bounded(n * most, (request.search.solvers)(&reduced.pool, &reduced.cfa));
    let mut cx = Ctx::new(reduced.pool, interrupt.clone(), &|_| {});
    match search.run(&mut cx, &reduced.cfa) {
        Ok(Verdict::Unsafe(_)) => Some(true),
        Ok(Verdict::Unknown(Reason::Bound)) => Some(false),
        Ok(Verdict::Safe(_) | Verdict::Unknown(_)) | Err(Stop::Reason(_) | Stop::Solver(_)) => None,
    }
}
