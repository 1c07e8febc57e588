//! `FW_BIN_ITP`, `BW_BIN_ITP`, `MAX_PRUNE`, `MIN_PRUNE`: one interpolant, where the longest feasible prefix ends or the
//! longest feasible suffix begins.
//!
//! The abstract states belong to the path here: `s_i` is an assumption before step i. Without them, a path refined near its end
//! would be refined there again.
//!
//! Source: Hajdu, Micskei, JAR 2020, §2.2.2 (Def. 4), §3.2.1 "Backward Binary Interpolation", §3.2.3.

use super::interpolate::{ItpSource, Wanted, sequence};
use super::path::{Feasibility, Path, Tools, TraceChecker};
use super::refiner::Refinement;
use super::verify::verify_binary;
use crate::domain::{Step, StepId};
use kernel::cfa::Block;
use kernel::context::{Ctx, Stop};
use kernel::expr::ExprId;

/// Steps `from .. to` of the path with its states; `at` is the frame of the interpolant. All count doubled steps: step 2j assumes
/// state j, step 2j + 1 is step j.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Cut {
    from: usize,
    to: usize,
    at: usize,
    /// Frame of the path whose variables the interpolant has.
    frame: usize,
}

/// Returns a formula for each frame: TRUE before the interpolant's frame, FALSE after it. `None` if none was found.
///
/// Cost: a logarithmic number of checks beside the interpolation.
pub(super) fn interpolate(
    cx: &mut Ctx<'_>,
    tools: &mut Tools,
    path: &Path<'_>,
    states: &[ExprId],
    refinement: Refinement,
    source: ItpSource,
) -> Result<Option<Vec<ExprId>>, Stop> {
    let assumes: Vec<Block> = states.iter().map(|&guard| Block { guard, updates: Vec::new(), inputs: Vec::new() }).collect();
    let steps = doubled(path, &assumes);
    let whole = Path::new(&cx.pool, steps.clone());
    let cut = {
        let mut checker = TraceChecker::new(cx, tools, &whole)?;
        let cuts = match refinement {
            Refinement::FwBinItp => [forward(cx, &mut checker)?; 2],
            Refinement::BwBinItp => [backward(cx, &mut checker)?; 2],
            Refinement::MaxPrune | Refinement::MinPrune | Refinement::SeqItp | Refinement::MultiSeq | Refinement::UnsatCore => {
                [forward(cx, &mut checker)?, backward(cx, &mut checker)?]
            }
        };
        let by_frame = |cut: &Cut| cut.frame;
        let chosen = if refinement == Refinement::MinPrune {
            cuts.into_iter().min_by_key(by_frame)
        } else {
            cuts.into_iter().max_by_key(by_frame)
        };
        let Some(cut) = chosen else { return Ok(None) };
        cut
    };
    let part = Path::new(&cx.pool, steps[cut.from..cut.to].to_vec());
    let mut checker = TraceChecker::new(cx, tools, &part)?;
    let core = match checker.check(cx)? {
        Feasibility::Infeasible(core) => core,
        // Another check has shown it infeasible; a solver that contradicts itself is no reason to fail.
        Feasibility::Feasible(_) => return Ok(None),
    };
    let at = cut.at - cut.from;
    let Some(itps) = sequence(cx, tools, &mut checker, core, source, Wanted::Only(at))? else { return Ok(None) };
    let itp = itps[at];
    if cfg!(debug_assertions) {
        verify_binary(cx, &tools.make, &part, at, itp)?;
    }
    let (yes, no) = (cx.pool.bool(true), cx.pool.bool(false));
    let n_frames = path.steps.len() + 1;
    Ok(Some(
        (0..n_frames)
            .map(|i| {
                if i < cut.frame {
                    yes
                } else if i == cut.frame {
                    itp
                } else {
                    no
                }
            })
            .collect(),
    ))
}

/// Returns the path with its states as steps of their own.
fn doubled<'a>(path: &Path<'a>, assumes: &'a [Block]) -> Vec<Step<'a>> {
    let assume = |block: &'a Block| Step { id: StepId::ASSUMPTION, block };
    let mut steps = Vec::with_capacity(2 * path.steps.len() + 1);
    for (step, state) in path.steps.iter().zip(assumes) {
        steps.extend([assume(state), *step]);
    }
    steps.extend(assumes.last().map(assume));
    steps
}

/// Cuts a path from its start: A is the longest feasible prefix up to a state, B the step from it with the next state.
fn forward(cx: &Ctx<'_>, checker: &mut TraceChecker<'_, '_>) -> Result<Cut, Stop> {
    let (mut feasible, mut infeasible) = (0, checker.path.steps.len());
    while feasible + 1 < infeasible {
        let middle = feasible.midpoint(infeasible);
        if checker.is_feasible(cx, 0..middle)? { feasible = middle } else { infeasible = middle }
    }
    // End of the infeasible prefix: a step, or the state after it.
    let frame = (infeasible - 1).saturating_sub(1) / 2;
    Ok(Cut { from: 0, to: infeasible, at: 2 * frame + 1, frame })
}

/// Cuts a path from its end: A is the longest feasible suffix from a state on, B the step to it with the state before.
fn backward(cx: &Ctx<'_>, checker: &mut TraceChecker<'_, '_>) -> Result<Cut, Stop> {
    let n = checker.path.steps.len();
    let (mut infeasible, mut feasible) = (0, n);
    while infeasible + 1 < feasible {
        let middle = infeasible.midpoint(feasible);
        if checker.is_feasible(cx, middle..n)? { feasible = middle } else { infeasible = middle }
    }
    // Begin of the infeasible suffix: a state, or the step from it.
    let before = infeasible / 2;
    Ok(Cut { from: 2 * before, to: n, at: (2 * before + 2).min(n), frame: (before + 1).min(n / 2) })
}
