//! Simpler interpolants: a conjunct of the path's history often makes most of a weakest precondition superfluous.
//!
//! Any formula between what the prefix of the path implies and the weakest precondition of its rest will do. So
//! whole variables, then single atoms are quantified away universally (which strengthens), as long as the prefix still
//! implies the result. Fewer atoms mean a smaller precision.
//!
//! Comparisons of two variables go first where the formula is equivalent without them: `MAX(a, b) < 9` compares `a` with `b`, and
//! means `a < 9 ∧ b < 9`. A comparison that holds on this path by chance would join predicates of blocks that are not related.

use std::collections::{BTreeMap, BTreeSet};

use biodivine_lib_bdd::{Bdd, BddVariable};

use super::core::Core;
use super::path::TraceChecker;
use crate::domain::Skeleton;
use kernel::context::{Ctx, Stop};
use kernel::expr::{ExprId, Sort, VarId};

/// Checks of each kind, each a solver call.
const CHECKS: usize = 32;

/// Returns a formula that implies `e`, is implied by the first `n_steps` steps, and has fewer variables and atoms; with the
/// causes among these steps for it and `beside` if it differs from `e`.
///
/// Cost: at most 32 checks of the prefix, and 32 of the formula alone.
pub(super) fn reduce(
    cx: &mut Ctx<'_>,
    checker: &mut TraceChecker<'_, '_>,
    n_steps: usize,
    e: ExprId,
    beside: ExprId,
) -> Result<(ExprId, Option<Core>), Stop> {
    reduce_first(cx, checker, n_steps, e, beside, &BTreeSet::new())
}

/// Returns a formula as [`reduce`] does, which gives up the variables of `first` before others.
pub(super) fn reduce_first(
    cx: &mut Ctx<'_>,
    checker: &mut TraceChecker<'_, '_>,
    n_steps: usize,
    e: ExprId,
    beside: ExprId,
    first: &BTreeSet<VarId>,
) -> Result<(ExprId, Option<Core>), Stop> {
    let mut skeleton = Skeleton::new();
    let Ok(mut bdd) = skeleton.formula(&mut cx.pool, e) else { return Ok((e, None)) };
    let support = skeleton.support(&bdd);
    if support.len() < 2 {
        return Ok((e, None));
    }
    bdd = without_comparisons(cx, checker, &skeleton, bdd, &support)?;
    let mut core = None;
    let mut n_checks = 0;
    for atoms in attempts(cx, &support, first) {
        if CHECKS <= n_checks {
            break;
        }
        let weaker_support = skeleton.support(&bdd);
        let present: Vec<BddVariable> = atoms.into_iter().filter(|atom| weaker_support.contains_key(atom)).collect();
        // Without any atom only TRUE or FALSE remains.
        if present.is_empty() || present.len() == weaker_support.len() {
            continue;
        }
        let stronger = bdd.for_all(&present);
        if stronger.is_false() {
            continue;
        }
        n_checks += 1;
        let candidate = skeleton.to_expr(&mut cx.pool, &stronger);
        let all = cx.pool.and(beside, candidate);
        if let Some(causes) = checker.prefix_implies(cx, n_steps, all)? {
            bdd = stronger;
            core = Some(causes);
        }
    }
    Ok((skeleton.to_expr(&mut cx.pool, &bdd), core))
}

/// Returns an equivalent formula without comparisons of variables that it can do without.
fn without_comparisons(
    cx: &mut Ctx<'_>,
    checker: &mut TraceChecker<'_, '_>,
    skeleton: &Skeleton,
    mut bdd: Bdd,
    support: &BTreeMap<BddVariable, ExprId>,
) -> Result<Bdd, Stop> {
    let compares = |(_, atom): &(&BddVariable, &ExprId)| 1 < cx.pool.vars_of(&[**atom]).len();
    let comparisons: Vec<BddVariable> = support.iter().filter(compares).map(|(atom, _)| *atom).take(CHECKS).collect();
    for atom in comparisons {
        let stronger = bdd.for_all(&[atom]);
        if stronger.is_false() || stronger == bdd {
            continue;
        }
        let (e, candidate) = (skeleton.to_expr(&mut cx.pool, &bdd), skeleton.to_expr(&mut cx.pool, &stronger));
        let follows = cx.pool.implies(e, candidate);
        if checker.is_valid(cx, follows)? {
            bdd = stronger;
        }
    }
    Ok(bdd)
}

/// Returns the parts to try in order: variables (those of `first`, then wide ones: their atoms cost most), then atoms.
fn attempts(cx: &Ctx<'_>, support: &BTreeMap<BddVariable, ExprId>, first: &BTreeSet<VarId>) -> Vec<Vec<BddVariable>> {
    let mut by_var: BTreeMap<VarId, Vec<BddVariable>> = BTreeMap::new();
    for (&atom, &e) in support {
        for var in cx.pool.vars_of(&[e]) {
            by_var.entry(var).or_default().push(atom);
        }
    }
    let width = |var: VarId| match cx.pool.var_decl(var).sort {
        Sort::Bool => 1,
        Sort::BitVec(width) => width,
        Sort::Float(_) | Sort::Int | Sort::Array(..) => u16::MAX,
    };
    let mut vars: Vec<(VarId, Vec<BddVariable>)> = by_var.into_iter().collect();
    vars.sort_by_key(|(var, _)| (!first.contains(var), std::cmp::Reverse(width(*var)), *var));
    let mut attempts: Vec<Vec<BddVariable>> = vars.into_iter().map(|(_, atoms)| atoms).collect();
    let tried: BTreeSet<BddVariable> = attempts.iter().filter(|atoms| atoms.len() == 1).flatten().copied().collect();
    attempts.extend(support.keys().rev().filter(|atom| !tried.contains(atom)).map(|&atom| vec![atom]));
    attempts
}
