//! Whether a requirement holds only because its condition never arises, or because the assumptions allow no run.

use std::time::Duration;

use plc_frontend::hir::{Expr, ExprKind, Value};

use super::{Request, lanes};
use crate::cfa::pass::{Encoding, reduce};
use crate::cfa::{Edge, Op};
use crate::engine::bmc::Bmc;
use crate::engine::portfolio::Judged;
use crate::engine::{Ctx, Engine, Stop};
use crate::property::claim::Claim;
use crate::property::formula::Formula;
use crate::property::instrument::{Instrumented, instrument};
use crate::verdict::lift::inputs;
use crate::verdict::replay::Replayed;
use crate::verdict::{Certified, Reason, Verdict};

/// Whether something can happen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Possible {
    /// It was seen on the interpreter, or nothing forbids it.
    Yes,
    /// It was proved that it cannot.
    No,
    /// Not decided in the short time for it.
    Open,
}

/// How long a question of vacuity may take.
const PATIENCE: Duration = Duration::from_secs(10);

/// Whether the assumptions can hold in a first cycle.
pub(super) fn assumptions(request: &Request<'_>, instrumented: &Instrumented) -> Possible {
    if request.assumptions.is_empty() {
        return Possible::Yes;
    }
    // Every run ends where the assumptions of its first cycle have held.
    let boc = request.model.points.boc;
    let mut cfa = instrumented.cfa.clone();
    let kept = cfa.edges.iter().filter(|edge| edge.source != boc && edge.target != cfa.error).cloned();
    let end = Edge { source: boc, target: cfa.error, op: Op::Skip, span: None };
    cfa.edges = kept.chain([end]).collect();
    let reduced = reduce(&instrumented.pool, &cfa, Encoding::Lbe);
    let interrupt = lanes::soon(request.interrupt, PATIENCE);
    let mut first_cycle = Bmc { bound: Some(1), solvers: (request.solvers)(&reduced.pool, &reduced.cfa) };
    let mut cx = Ctx::new(reduced.pool, interrupt, &|_| {});
    match first_cycle.run(&mut cx, &reduced.cfa) {
        Ok(Verdict::Unsafe(_)) => Possible::Yes,
        Ok(Verdict::Unknown(Reason::Bound)) => Possible::No,
        Ok(Verdict::Safe(_) | Verdict::Unknown(_)) | Err(Stop::Reason(_) | Stop::Solver(_)) => Possible::Open,
    }
}

/// The claim whose violation is a run in which the requirement is put to the test, and what it means if there is none.
pub(super) fn witness(request: &Request<'_>) -> (Claim, String) {
    let text = |e: &Expr| request.loaded.sources.text(e.span).trim().to_string();
    let no_run = || "no cycle ever comes to its end".to_owned();
    match request.claim {
        Claim::Implication { when, then } => (
            Claim::Implication { when: when.clone(), then: falsity(then) },
            format!("`{}` can never be true at the end of a cycle", text(when)),
        ),
        Claim::DuringCycle { at_start, then } => (
            Claim::DuringCycle { at_start: at_start.clone(), then: falsity(then) },
            format!("`{}` can never be true at the beginning of a cycle", text(at_start)),
        ),
        Claim::BetweenCycles { after, when, then } => (
            Claim::BetweenCycles { after: after.clone(), when: when.clone(), then: falsity(then) },
            format!("`{}` can never be true in the cycle after `{}`", text(when), text(after)),
        ),
        Claim::Invariant(e) | Claim::Forbidden(e) => (Claim::Invariant(falsity(e)), no_run()),
        Claim::Temporal { when: Some(when), .. } => {
            let nothing = when.conditions().first().map(|e| Formula::Now(falsity(e)));
            let claim = nothing.map(|then| Claim::Temporal { when: Some(when.clone()), then });
            (claim.unwrap_or_else(|| request.claim.clone()), "what has to come before `then` can never be true".to_owned())
        }
        Claim::Temporal { when: None, then } => match then.conditions().first() {
            Some(e) => (Claim::Invariant(falsity(e)), no_run()),
            None => (request.claim.clone(), no_run()),
        },
        // What is possible was seen; what is not has no run to be put to the test.
        Claim::Reachable(_) | Claim::Repeatable(_) => (request.claim.clone(), no_run()),
        Claim::Assert(ids) => (Claim::Unreached(ids.clone()), "no run ever comes to where the assertion stands".to_owned()),
        // They are put to the test by every run that is one.
        Claim::Unreached(_) | Claim::NoFault(_) => (request.claim.clone(), no_run()),
    }
}

fn falsity(like: &Expr) -> Expr {
    Expr { kind: ExprKind::Literal(Value::Bool(false)), ..like.clone() }
}

/// Whether some run violates the witness: shown on the interpreter, or excluded by a certified proof.
pub(super) fn reachable(request: &Request<'_>, witness: &Claim) -> Possible {
    if witness == request.claim {
        // Whoever states that something never happens states no more than that.
        return Possible::Yes;
    }
    let Ok(instrumented) = instrument(&request.loaded.project, request.model, witness, request.assumptions) else {
        return Possible::Open;
    };
    let interrupt = lanes::soon(request.interrupt, PATIENCE);
    let short = Request { claim: witness, interrupt: &interrupt, ..request.clone() };
    let case = short.case(witness);
    let judge = |_: &'static str, verdict: Verdict| match verdict {
        Verdict::Unsafe(trace) => {
            let model = request.model;
            match case.replay(&inputs(&request.loaded.project, &model.leaves, model.dt, model.options.dt_min_ms, &trace)) {
                Replayed::Violated { .. } => Judged::Accepted(Possible::Yes),
                Replayed::Held | Replayed::Ended { .. } | Replayed::Excluded { .. } | Replayed::Unfit(_) => Judged::Refused,
            }
        }
        Verdict::Safe(proof) => match Certified::proof(&instrumented.pool, &instrumented.cfa, proof, &interrupt) {
            Ok(_) => Judged::Accepted(Possible::No),
            Err(_) => Judged::Refused,
        },
        Verdict::Unknown(_) => Judged::Refused,
    };
    let ended = lanes::run(lanes::Strategy::Default, &short, &instrumented.pool, &instrumented.cfa, &|_| {}, &judge);
    ended.result.unwrap_or(Possible::Open)
}
