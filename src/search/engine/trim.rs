//! Shorter certificates: only the facts that a proof by induction needs, if they are found soon.

use std::collections::BTreeSet;
use std::time::Duration;

use super::houdini;
use super::unroll::{Answer, Start, Unrolling};
use kernel::cfa::pass::System;
use kernel::context::{Ctx, MakeSolver, Stop};
use kernel::expr::ExprId;
use kernel::smt::Frame;

/// Claim of the proof: after `k` cycles through states that satisfy the facts there is no violation in the next one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Proved<'a> {
    pub(crate) system: &'a System,
    pub(crate) facts: &'a [ExprId],
    /// Cycles without a violation before the one in question.
    pub(crate) k: u32,
    /// Cycles after which the facts hold again; at least 1.
    pub(crate) depth: u32,
}

/// Returns the facts that are needed; all of them after a few seconds of search.
pub(crate) fn trimmed(cx: &mut Ctx<'_>, solvers: &MakeSolver, proved: Proved<'_>) -> Result<Vec<ExprId>, Stop> {
    /// Time for a shorter certificate.
    const PATIENCE: Duration = Duration::from_secs(3);
    match needed(&mut cx.within(PATIENCE), solvers, proved) {
        Ok(needed) => Ok(needed),
        Err(Stop::Reason(_)) => Ok(proved.facts.to_vec()),
        Err(stop @ Stop::Solver(_)) => Err(stop),
    }
}

/// Returns a part of the facts from which none can be left out, inductive by itself and enough for the step.
fn needed(cx: &mut Ctx<'_>, solvers: &MakeSolver, proved: Proved<'_>) -> Result<Vec<ExprId>, Stop> {
    let Proved { system, facts, k, depth } = proved;
    let mut step = Unrolling::new(solvers, cx, system, Start::Anywhere)?;
    for _ in 0..k {
        step.step(&cx.pool, system)?;
    }
    let assume = |facts: &[ExprId]| -> Vec<(ExprId, Frame)> {
        let all = (0..=k).flat_map(|frame| facts.iter().map(move |fact| (*fact, frame)));
        all.chain([(system.bad, k)]).collect()
    };
    let assumptions = assume(facts);
    match step.check(cx, &assumptions)? {
        Answer::No => {}
        // Impossible: another solver has just shown the step. All of them are a right answer in any case.
        Answer::Yes => return Ok(facts.to_vec()),
    }
    let core = step.core().into_iter().filter_map(|i| assumptions.get(i));
    let core: BTreeSet<ExprId> = core.map(|(e, _)| *e).filter(|e| facts.contains(e)).collect();
    let mut kept: Vec<ExprId> = houdini::closure(cx, system, solvers, facts, depth, core)?.into_iter().collect();
    let mut i = 0;
    while i < kept.len() {
        let mut fewer = kept.clone();
        fewer.remove(i);
        let enough = step.check(cx, &assume(&fewer))? == Answer::No;
        if enough && houdini::is_inductive(cx, system, solvers, &fewer, depth)? {
            kept = fewer;
        } else {
            i += 1;
        }
    }
    Ok(kept)
}
