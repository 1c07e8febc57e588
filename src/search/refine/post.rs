//! Interpolant sequences by strongest postconditions over an unsat core.
//!
//! Forward along the path: formulas of the core's guards and assignments over the variables through which they act on later
//! causes. Other variables are projected away exactly.
//!
//! Source: Dietsch, Heizmann, Musa, Nutz, Podelski, "Craig vs. Newton in software model checking", ESEC/FSE 2017.

use std::collections::{BTreeMap, BTreeSet};

use super::core::Core;
use super::eliminate::forall;
use super::interpolate::Wanted;
use super::path::{Path, Tools};
use kernel::context::{Ctx, Stop};
use kernel::expr::{ExprId, Subst, VarId};

/// Returns the sequence; `None` if values could not be projected away within the caps.
///
/// Soundness: each formula is the strongest one over its variables that follows from the core so far, so I_i ∧ step_i
/// ⇒ I_{i+1}; and as the core is infeasible, the last one contradicts the last step.
pub(super) fn postconditions(
    cx: &mut Ctx<'_>,
    tools: &mut Tools,
    path: &Path<'_>,
    core: &Core,
    wanted: Wanted,
) -> Result<Option<Vec<ExprId>>, Stop> {
    let n = path.steps.len();
    let relevant = core.variables(&cx.pool, path);
    let mut itps = vec![cx.pool.bool(true)];
    for i in 0..n.saturating_sub(1) {
        let before = itps[i];
        let after = match wanted {
            Wanted::Only(frame) if frame <= i => Some(before),
            Wanted::Only(_) | Wanted::All => postcondition(cx, tools, path, core, i, before, &relevant[i + 1])?,
        };
        let Some(after) = after else { return Ok(None) };
        itps.push(after);
    }
    if n != 0 {
        itps.push(cx.pool.bool(false));
    }
    Ok(Some(itps))
}

/// Returns the postcondition of step `i` over `relevant`.
fn postcondition(
    cx: &mut Ctx<'_>,
    tools: &mut Tools,
    path: &Path<'_>,
    core: &Core,
    i: usize,
    before: ExprId,
    relevant: &BTreeSet<VarId>,
) -> Result<Option<ExprId>, Stop> {
    let block = path.steps[i].block;
    // Old values of written variables get other names.
    let mut by = BTreeMap::new();
    for &(var, _) in &block.updates {
        let old = tools.selectors.of(&mut cx.pool, var).any;
        by.insert(var, cx.pool.var(old));
    }
    let mut old = Subst::new(by);
    let mut parts = vec![old.apply(&mut cx.pool, before)];
    for guard in core.guards(i) {
        parts.push(old.apply(&mut cx.pool, guard));
    }
    for &(var, e) in block.updates.iter().filter(|(var, _)| relevant.contains(var) && core.keeps(i, *var)) {
        let (new, e) = (cx.pool.var(var), old.apply(&mut cx.pool, e));
        parts.push(cx.pool.eq(new, e));
    }
    let all = cx.pool.and_all(parts);
    let gone: BTreeSet<VarId> = cx.pool.vars_of(&[all]).difference(relevant).copied().collect();
    let never = cx.pool.not(all);
    Ok(forall(cx, &tools.make, never, &gone)?.map(|never| cx.pool.not(never)))
}
