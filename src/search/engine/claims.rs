//! Partial claims: a requirement that is a conjunction is many small questions, "each of a hundred timers keeps its time".
//!
//! The error condition of a system is a disjunction then. Each disjunct is a question about its own variables and those that they
//! depend on. Partial claims that differ by names only are proved once.
//!
//! **Soundness.** The system of a partial claim has fewer conditions than the whole system, so each step of the whole is one of
//! it. Before the first violation all steps of the whole are good. So facts that are inductive in the small system are inductive
//! in the whole one. The step case of the small system is one of the whole. The conjunction of all facts, with the largest k,
//! is a proof of the whole; certification checks it as any other.

mod alike;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use super::houdini::{self, HoudiniOptions};
use super::parts::{Guards, next_values, part, reads};
use super::trim::{Proved, trimmed};
use super::unroll::{Answer, Start, Unrolling};
use alike::{Class, classes};
use kernel::cfa::pass::System;
use kernel::context::{Ctx, MakeSolver, Stop};
use kernel::expr::{ExprId, ExprPool, Subst, VarId};
use kernel::verdict::Reason;

/// Most disjuncts of an error condition that are considered.
const MOST_GOALS: usize = 1_000;

/// Most nodes of all disjuncts together; the parts of larger ones overlap, and finding their variables takes long.
const MOST_NODES: usize = 300_000;

/// Largest k of a proof of a partial claim.
const MOST_K: u32 = 4;

/// Returns the disjuncts of the error condition; none if it is no disjunction or too large.
///
/// Conditions beside the disjunction belong to each disjunct.
pub(super) fn goals(pool: &mut ExprPool, system: &System) -> Vec<ExprId> {
    let mut common = pool.conjuncts_up_to(system.bad, MOST_GOALS);
    let divided: Vec<Vec<(ExprId, bool)>> = common.iter().map(|e| pool.disjuncts(*e)).collect();
    let Some((at, parts)) = divided.into_iter().enumerate().max_by_key(|(_, parts)| parts.len()) else { return Vec::new() };
    if parts.len() < 2 || MOST_GOALS < parts.len() {
        return Vec::new();
    }
    common.swap_remove(at);
    let common = pool.and_all(common);
    let goal = |(e, holds): (ExprId, bool)| {
        let e = if holds { e } else { pool.not(e) };
        pool.and(common, e)
    };
    let goals: Vec<ExprId> = parts.into_iter().map(goal).collect();
    let mut n_nodes = 0;
    let is_small = goals.iter().all(|goal| {
        n_nodes += pool.size(&[*goal], MOST_NODES);
        n_nodes < MOST_NODES
    });
    if is_small { goals } else { Vec::new() }
}

/// Returns the partial claims of a system, each as the system that it depends on; none if there are fewer than two, if one
/// depends on too many variables, or if there are loops inside of the cycle.
///
/// Disjuncts about the same variables are one partial claim.
/// Cost: one visit of each right-hand side and each disjunct.
pub(super) fn claims(cx: &mut Ctx<'_>, system: &System) -> Result<Vec<System>, Stop> {
    if system.pc.is_some() {
        return Ok(Vec::new());
    }
    let goals = goals(&mut cx.pool, system);
    if goals.is_empty() {
        return Ok(Vec::new());
    }
    let reads = reads(cx, system)?;
    let mut by_cone: BTreeMap<BTreeSet<VarId>, ExprId> = BTreeMap::new();
    for goal in goals {
        cx.tick()?;
        let Some(cone) = reads.cone(cx.pool.vars_of(&[goal])) else { return Ok(Vec::new()) };
        let so_far = by_cone.entry(cone).or_insert_with(|| cx.pool.bool(false));
        *so_far = cx.pool.or(*so_far, goal);
    }
    if by_cone.len() < 2 {
        return Ok(Vec::new());
    }
    let not_guard = cx.pool.not(system.guard);
    let broken = cx.pool.disjuncts(not_guard);
    let conditions: Vec<ExprId> = broken.into_iter().map(|(e, holds)| if holds { cx.pool.not(e) } else { e }).collect();
    let guards = Guards::new(&cx.pool, conditions);
    Ok(by_cone.into_iter().map(|(vars, bad)| claim(&mut cx.pool, system, &guards, &vars, bad)).collect())
}

/// Returns the system of a partial claim. Its steps are good: a good step of the whole breaks no partial claim.
///
/// Conditions about other inputs are left out: they would tell equal claims apart.
fn claim(pool: &mut ExprPool, system: &System, guards: &Guards, vars: &BTreeSet<VarId>, bad: ExprId) -> System {
    let read: Vec<ExprId> = next_values(system, vars).iter().map(|(_, e)| *e).chain([bad]).collect();
    let read = pool.vars_of(&read);
    let in_state = |var: &VarId| system.vars.binary_search(var).is_ok();
    let own = guards.about(pool, |var| if in_state(var) { vars.contains(var) } else { read.contains(var) });
    let good = pool.not(bad);
    let guard = pool.and(own, good);
    part(pool, system, vars, guard, bad)
}

/// Proof of all partial claims of a system, as far as it has come.
pub(super) struct ClaimProofs {
    open: Vec<Class>,
    /// Inductive together, in the whole system.
    facts: Vec<ExprId>,
    k: u32,
}

/// Proof of a conjunction of partial claims.
#[derive(Clone, Debug)]
pub(super) struct Conjunction {
    /// Inductive together.
    pub(super) facts: Vec<ExprId>,
    /// Good cycles before the one in question.
    pub(super) k: u32,
}

impl ClaimProofs {
    /// Returns the beginning of a proof; `None` if the requirement is no conjunction of small partial claims.
    pub(super) fn new(cx: &mut Ctx<'_>, system: &System) -> Result<Option<ClaimProofs>, Stop> {
        let claims = claims(cx, system)?;
        let open = classes(&cx.pool, claims);
        Ok((!open.is_empty()).then(|| ClaimProofs { open, facts: Vec::new(), k: 0 }))
    }

    /// Returns the facts so far.
    pub(super) fn into_facts(self) -> Vec<ExprId> {
        self.facts
    }

    /// Proves claim by claim; `None` once one of them is not proved. A stopped proof goes on with the same claim.
    ///
    /// Cost:      a search for invariants in a small system per class of equal claims.
    /// Soundness: see the module; a violation of a partial claim may be none of the whole, and is no answer.
    pub(super) fn prove_each(&mut self, cx: &mut Ctx<'_>, solvers: &MakeSolver) -> Result<Option<Conjunction>, Stop> {
        while let Some(class) = self.open.last() {
            let Some(proof) = prove_soon(cx, solvers, &class.claim)? else { return Ok(None) };
            self.k = self.k.max(proof.k);
            for names in &class.names {
                let by = names.iter().map(|(from, to)| (*from, cx.pool.var(*to))).collect();
                let mut renamed = Subst::new(by);
                self.facts.extend(proof.facts.iter().map(|fact| renamed.apply(&mut cx.pool, *fact)));
            }
            self.facts.extend(proof.facts);
            self.open.pop();
        }
        let mut seen = BTreeSet::new();
        self.facts.retain(|fact| seen.insert(*fact));
        Ok(Some(Conjunction { facts: self.facts.clone(), k: self.k }))
    }
}

/// Proves one partial claim soon, or gives up.
fn prove_soon(cx: &mut Ctx<'_>, solvers: &MakeSolver, claim: &System) -> Result<Option<Conjunction>, Stop> {
    /// Longest time for a partial claim. Most take milliseconds, and other proofs wait.
    const PATIENCE: Duration = Duration::from_secs(2);
    let whole = cx.interrupt.clone();
    cx.interrupt = whole.within(PATIENCE);
    let proof = prove(cx, solvers, claim);
    cx.interrupt = whole;
    match proof {
        Err(Stop::Reason(Reason::Time | Reason::Cancelled)) if !cx.interrupt.is_raised() => Ok(None),
        other => other,
    }
}

/// Proves one partial claim in its system: without invariants for k ≤ 1, then with guessed ones for k ≤ [`MOST_K`].
fn prove(cx: &mut Ctx<'_>, solvers: &MakeSolver, claim: &System) -> Result<Option<Conjunction>, Stop> {
    if let Some(k) = inductive_after(cx, solvers, claim, &[], 1)? {
        return Ok(Some(Conjunction { facts: Vec::new(), k }));
    }
    let facts = houdini::invariants(cx, claim, solvers, HoudiniOptions::part())?;
    let Some(k) = inductive_after(cx, solvers, claim, &facts, MOST_K)? else { return Ok(None) };
    let facts = trimmed(cx, solvers, Proved { system: claim, facts: &facts, k, depth: 1 })?;
    Ok(Some(Conjunction { facts, k }))
}

/// Returns the least k, up to `most`, after which the facts exclude a violation; `None` also if a run from the start has one.
fn inductive_after(
    cx: &mut Ctx<'_>,
    solvers: &MakeSolver,
    claim: &System,
    facts: &[ExprId],
    most: u32,
) -> Result<Option<u32>, Stop> {
    let mut base = Unrolling::new(solvers, cx, claim, Start::Initial)?;
    let mut step = Unrolling::new(solvers, cx, claim, Start::Anywhere)?;
    let invariant = houdini::conjunction(&mut cx.pool, facts);
    for k in 0..=most {
        while base.last() < k.max(1) {
            let cycle = base.last();
            if base.check(cx, &[(claim.bad, cycle)])? == Answer::Yes {
                return Ok(None);
            }
            base.step(&cx.pool, claim)?;
        }
        step.assert(&cx.pool, invariant, k)?;
        if step.check(cx, &[(claim.bad, k)])? == Answer::No {
            return Ok(Some(k));
        }
        step.step(&cx.pool, claim)?;
    }
    Ok(None)
}
