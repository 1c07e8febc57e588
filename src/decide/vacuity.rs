//! Whether a requirement holds only because its condition never arises, or because the assumptions allow no run.

use std::time::Duration;

use plc_frontend::hir::{Expr, ExprKind, Value};
use plc_frontend::interp::Limits;

use super::{Request, lanes};
use crate::cfa::pass::{Encoding, reduce};
use crate::cfa::{Edge, Op};
use crate::engine::bmc::Bmc;
use crate::engine::portfolio::Judged;
use crate::engine::{Ctx, Engine, Stop};
use crate::property::claim::Claim;
use crate::property::instrument::{Instrumented, instrument};
use crate::verdict::lift::inputs;
use crate::verdict::replay::{Case, Replayed};
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
    let mut cx = Ctx { pool: reduced.pool, interrupt, events: &|_| {} };
    match first_cycle.run(&mut cx, &reduced.cfa) {
        Ok(Verdict::Unsafe(_)) => Possible::Yes,
        Ok(Verdict::Unknown(Reason::Bound)) => Possible::No,
        Ok(Verdict::Safe(_) | Verdict::Unknown(_)) | Err(Stop::Reason(_) | Stop::Solver(_)) => Possible::Open,
    }
}

/// Whether the condition of an implication can be true: whether `FALSE` can be shown not to follow from it.
pub(super) fn antecedent(request: &Request<'_>) -> Possible {
    let never = |then: &Expr| Expr { kind: ExprKind::Literal(Value::Bool(false)), ..then.clone() };
    let claim = match request.claim {
        Claim::Implication { when, then } => Claim::Implication { when: when.clone(), then: never(then) },
        Claim::DuringCycle { at_start, then } => Claim::DuringCycle { at_start: at_start.clone(), then: never(then) },
        Claim::BetweenCycles { after, when, then } => {
            Claim::BetweenCycles { after: after.clone(), when: when.clone(), then: never(then) }
        }
        Claim::Invariant(_) | Claim::Forbidden(_) | Claim::Assert(_) | Claim::NoFault(_) => return Possible::Yes,
    };
    let Ok(instrumented) = instrument(request.project, request.model, &claim, request.assumptions) else { return Possible::Open };
    let interrupt = lanes::soon(request.interrupt, PATIENCE);
    let short = Request { claim: &claim, interrupt: &interrupt, ..request.clone() };
    let limits = Limits { loop_rounds: request.model.options.loop_rounds, ..Limits::default() };
    let case = Case { project: request.project, limits, assumptions: request.assumptions, claim: &claim };
    let judge = |_: &'static str, verdict: Verdict| match verdict {
        Verdict::Unsafe(trace) => {
            let model = request.model;
            match case.replay(&inputs(request.project, &model.leaves, model.dt, model.options.dt_min_ms, &trace)) {
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
    let ended = lanes::run(lanes::default(), &short, &instrumented.pool, &instrumented.cfa, &|_| {}, &judge);
    ended.result.unwrap_or(Possible::Open)
}
