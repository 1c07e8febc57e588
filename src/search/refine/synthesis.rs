//! Interpolant sequences by cvc5: each formula is synthesised between the strongest and the weakest possible one.
//!
//! Whole paths are too much for synthesis, single steps are not. So it goes step by step from the start: each formula follows
//! from the one before and the step, and implies the weakest precondition of the rest.

use std::collections::BTreeMap;

use super::path::{Path, Tools};
use kernel::context::{Ctx, Stop};
use kernel::expr::{ExprId, Subst};
use kernel::smt::interpolant;

/// Time limit of one formula; then the weakest one is taken.
const LIMIT_MS: u64 = 1_000;

/// Returns a sequence no weaker than `weakest`, which is one itself.
///
/// Soundness: I_i ∧ step_i ⇒ I_{i+1} by construction, or because I_i implies the weakest formula in its place.
pub(super) fn synthesised(cx: &mut Ctx<'_>, tools: &mut Tools, path: &Path<'_>, weakest: &[ExprId]) -> Result<Vec<ExprId>, Stop> {
    let n = path.steps.len();
    let mut itps = vec![cx.pool.bool(true)];
    for i in 0..n {
        cx.tick()?;
        let wanted = weakest[i + 1];
        let found = if cx.pool.as_const(wanted).is_some() {
            None
        } else {
            let reached = reached(cx, tools, path, i, itps[i]);
            interpolant(&mut cx.pool, reached, wanted, LIMIT_MS, &cx.interrupt)?
        };
        itps.push(found.unwrap_or(wanted));
    }
    Ok(itps)
}

/// Returns the data states after step `i` from those of `before`; old values get other names.
fn reached(cx: &mut Ctx<'_>, tools: &mut Tools, path: &Path<'_>, i: usize, before: ExprId) -> ExprId {
    let block = path.steps[i].block;
    let mut by = BTreeMap::new();
    for &(var, _) in &block.updates {
        let old = tools.selectors.of(&mut cx.pool, var).any;
        by.insert(var, cx.pool.var(old));
    }
    let mut old = Subst::new(by);
    let mut parts = vec![old.apply(&mut cx.pool, before), old.apply(&mut cx.pool, block.guard)];
    for &(var, e) in block.updates.iter().filter(|(var, _)| path.live[i + 1].contains(var)) {
        let (new, e) = (cx.pool.var(var), old.apply(&mut cx.pool, e));
        parts.push(cx.pool.eq(new, e));
    }
    cx.pool.and_all(parts)
}
