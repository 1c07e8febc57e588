//! Shorter certificates: only the facts that a proof by induction needs, if they are found soon.

use std::collections::BTreeSet;
use std::time::Duration;

use super::claims::claims;
use super::houdini;
use super::unroll::{Answer, Start, Unrolling};
use kernel::cfa::pass::System;
use kernel::context::{Ctx, MakeSolver, Stop};
use kernel::expr::{ExprId, VarId};
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
    let mut cx = cx.within(PATIENCE);
    let mut shortest = || match by_claim(&mut cx, solvers, proved)? {
        Some(needed) => Ok(needed),
        None => Ok(needed(&mut cx, solvers, proved)?.unwrap_or_else(|| proved.facts.to_vec())),
    };
    match shortest() {
        Ok(needed) => Ok(needed),
        Err(Stop::Reason(_)) => Ok(proved.facts.to_vec()),
        Err(stop @ Stop::Solver(_)) => Err(stop),
    }
}

/// Returns the facts that the partial claims need, each in its own system; `None` if there are none, or one needs other facts.
///
/// Soundness: each of these sets is inductive by itself and enough for its claim. So is their union for all claims.
fn by_claim(cx: &mut Ctx<'_>, solvers: &MakeSolver, proved: Proved<'_>) -> Result<Option<Vec<ExprId>>, Stop> {
    /// Fewest facts; with fewer, the whole is quick.
    const MANY: usize = 20;
    if proved.facts.len() < MANY {
        return Ok(None);
    }
    let vars_of_facts: Vec<(ExprId, BTreeSet<VarId>)> = proved.facts.iter().map(|e| (*e, cx.pool.vars_of(&[*e]))).collect();
    let mut all = BTreeSet::new();
    let claims = claims(cx, proved.system)?;
    for claim in &claims {
        let is_inside = |vars: &BTreeSet<VarId>| vars.iter().all(|var| claim.vars.binary_search(var).is_ok());
        let own: Vec<ExprId> = vars_of_facts.iter().filter(|(_, vars)| is_inside(vars)).map(|(e, _)| *e).collect();
        let proved = Proved { system: claim, facts: &own, ..proved };
        if !houdini::is_inductive(cx, claim, solvers, &own, proved.depth)? {
            return Ok(None);
        }
        let Some(needed) = needed(cx, solvers, proved)? else { return Ok(None) };
        all.extend(needed);
    }
    Ok((!claims.is_empty()).then(|| all.into_iter().collect()))
}

/// Returns a part of the facts from which none can be left out, inductive by itself and enough for the step; `None` if all of
/// them are not enough. They must be inductive.
fn needed(cx: &mut Ctx<'_>, solvers: &MakeSolver, proved: Proved<'_>) -> Result<Option<Vec<ExprId>>, Stop> {
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
    if step.check(cx, &assumptions)? == Answer::Yes {
        return Ok(None);
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
    Ok(Some(kept))
}
