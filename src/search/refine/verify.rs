//! Check of sequence interpolants with a fresh solver, by substitution alone.

use super::path::Path;
use crate::domain::check;
use kernel::cfa::Block;
use kernel::context::{Ctx, MakeSolver, Stop};
use kernel::expr::{ExprId, Subst};
use kernel::smt::{Frame, Sat, SolverError};

/// Fails if `itp` is not an interpolant of the steps before frame `at` and the steps from there on.
///
/// Source: Hajdu, Micskei, JAR 2020, Def. 4.
pub(super) fn verify_binary(cx: &mut Ctx<'_>, make: &MakeSolver, path: &Path<'_>, at: usize, itp: ExprId) -> Result<(), Stop> {
    let wrong = |what: &str| Err(Stop::Solver(SolverError(format!("not an interpolant: {what}"))));
    if !cx.pool.vars_of(&[itp]).is_subset(&path.live[at]) {
        return wrong("foreign variables");
    }
    let not_itp = cx.pool.not(itp);
    for (claim, steps, what) in [(not_itp, 0..at, "A does not imply it"), (itp, at..path.steps.len(), "it allows B")] {
        let mut solver = cx.solver(make)?;
        for i in steps {
            let step = path.steps[i];
            for var in &path.live[i + 1] {
                let value = match step.block.updates.binary_search_by_key(var, |(v, _)| *v) {
                    Ok(updated) => step.block.updates[updated].1,
                    Err(_) => cx.pool.var(*var),
                };
                solver.define(&cx.pool, *var, i as Frame + 1, value, i as Frame)?;
            }
            solver.assert(&cx.pool, step.block.guard, i as Frame)?;
        }
        solver.assert(&cx.pool, claim, at as Frame)?;
        if check(cx, &mut *solver, &[])? == Sat::Sat {
            return wrong(what);
        }
    }
    Ok(())
}

/// Fails if `itps` is not a sequence interpolant of `path`. A failure is a bug of Scanproof.
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
        if !follows(cx, make, itps[i], step.block, itps[i + 1])? {
            return wrong("step", i);
        }
    }
    Ok(())
}

/// Returns whether `after` follows from `before` and the step between them.
///
/// An undecided check counts as yes: it is no failure, and the proof is certified later in any case.
pub(super) fn follows(cx: &mut Ctx<'_>, make: &MakeSolver, before: ExprId, block: &Block, after: ExprId) -> Result<bool, Stop> {
    let mut solver = cx.solver(make)?;
    let after = Subst::new(block.updates.iter().copied().collect()).apply(&mut cx.pool, after);
    let not_after = cx.pool.not(after);
    for e in [before, block.guard, not_after] {
        solver.assert(&cx.pool, e, 0)?;
    }
    Ok(check(cx, &mut *solver, &[])? != Sat::Sat)
}
