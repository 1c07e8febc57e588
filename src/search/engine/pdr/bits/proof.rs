//! Readable certificate from the clauses of a closed frame: only needed ones, over variables.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use super::super::frames::Cube;
use super::steps::{BitSteps, stopped};
use super::{BitPdr, by_cut, ranges};
use kernel::context::{Ctx, Stop};
use kernel::smt::bitblast::{Step, StepSolver};
use kernel::verdict::{Argument, Proof, Verdict};

/// Returns the verdict once `level` has no cubes: those above it are inductive, together with the facts of others.
pub(super) fn verdict(cx: &mut Ctx<'_>, pdr: &BitPdr, level: usize) -> Result<Verdict, Stop> {
    let steps = &pdr.search.frames.steps;
    let cubes: Vec<Cube> = pdr.search.frames.from(level + 1).cloned().collect();
    let (cubes, facts) = match needed(cx, steps, &cubes) {
        Ok(needed) => needed,
        Err(Stop::Reason(_)) => (cubes, true),
        Err(stop @ Stop::Solver(_)) => return Err(stop),
    };
    let clauses: Vec<_> = cubes.iter().map(|cube| ranges::outside(&mut cx.pool, &steps.circuit, cube)).collect();
    let own = cx.pool.and_all(clauses);
    let mut invariants = pdr.system.per_cut(&mut cx.pool, own);
    if facts {
        for (loc, facts) in by_cut(&pdr.facts) {
            let own = invariants.get(&loc).copied().unwrap_or_else(|| cx.pool.bool(true));
            let all = cx.pool.and_all(facts.into_iter().chain([own]));
            invariants.insert(loc, all);
        }
    }
    let invariants: BTreeMap<_, _> = invariants;
    Ok(Verdict::Safe(Proof { pool: cx.pool.clone(), argument: Argument::Inductive(invariants) }))
}

/// Publishes the cubes that are never reachable: the largest part that is inductive on its own, beside the facts.
///
/// Cost: a few questions per cube.
pub(super) fn publish(cx: &mut Ctx<'_>, pdr: &BitPdr) -> Result<(), Stop> {
    /// Largest number of clauses of a readable certificate.
    const MANY: usize = 300;
    let frames = &pdr.search.frames;
    let circuit = &frames.steps.circuit;
    let mut solver = StepSolver::new(&cx.interrupt.without_deadline());
    for fact in &frames.steps.facts {
        solver.fact(circuit, *fact);
    }
    // Cubes that are blocked for the most steps first.
    let levels = (1..=frames.top()).rev();
    let cubes: Vec<&Cube> = levels.flat_map(|level| frames.cubes(level)).take(MANY).collect();
    let mut kept: Vec<_> = cubes.iter().map(|cube| (*cube, solver.block_if(circuit, cube))).collect();
    loop {
        let before = kept.len();
        let mut i = 0;
        while i < kept.len() {
            cx.tick()?;
            let guards: Vec<_> = kept.iter().map(|(_, guard)| *guard).collect();
            match solver.enter(circuit, kept[i].0, &guards, cx.interrupt.deadline) {
                Step::Yes => drop(kept.remove(i)),
                Step::No(..) => i += 1,
                Step::Stopped(why) => return Err(stopped(cx, why)),
            }
        }
        if kept.len() == before {
            break;
        }
    }
    let facts: Vec<_> = kept.iter().map(|(cube, _)| ranges::outside(&mut cx.pool, circuit, cube)).collect();
    let mut by_cut: BTreeMap<_, Vec<_>> = BTreeMap::new();
    for fact in facts {
        for (loc, here) in pdr.system.per_cut(&mut cx.pool, fact) {
            by_cut.entry(loc).or_default().push(here);
        }
    }
    cx.board.publish(&cx.pool, super::super::INFO.name, &by_cut);
    Ok(())
}

/// Returns a part of the cubes that excludes violations and is inductive: on its own, or if necessary with the facts of others.
fn needed(cx: &Ctx<'_>, steps: &BitSteps, cubes: &[Cube]) -> Result<(Vec<Cube>, bool), Stop> {
    /// Time for a shorter certificate.
    const PATIENCE: Duration = Duration::from_secs(3);
    let until = cx.interrupt.within(PATIENCE).deadline;
    for with_facts in [false, true] {
        if let Some(kept) = closure(cx, steps, cubes, with_facts, until)? {
            let kept = kept.into_iter().filter_map(|i| cubes.get(i)).cloned().collect();
            return Ok((kept, with_facts));
        }
    }
    // Impossible while the frame is closed; all cubes are a right answer in any case.
    Ok((cubes.to_vec(), true))
}

/// Returns the cubes that exclude violations, with those that their own exclusion needs. `None` if the cubes do not suffice.
fn closure(
    cx: &Ctx<'_>,
    steps: &BitSteps,
    cubes: &[Cube],
    with_facts: bool,
    until: Option<Instant>,
) -> Result<Option<BTreeSet<usize>>, Stop> {
    let circuit = &steps.circuit;
    let mut solver = StepSolver::new(&cx.interrupt.without_deadline());
    for fact in steps.facts.iter().filter(|_| with_facts) {
        solver.fact(circuit, *fact);
    }
    let guards: Vec<_> = cubes.iter().map(|cube| solver.block_if(circuit, cube)).collect();
    let mut kept = BTreeSet::new();
    let mut open: Vec<usize> = Vec::new();
    let mut question = solver.bad(circuit, &guards, until);
    loop {
        match question {
            Step::Yes => return Ok(None),
            Step::Stopped(why) => return Err(stopped(cx, why)),
            Step::No(_, core) => {
                for i in core.iter().filter_map(|guard| guards.iter().position(|g| g == guard)) {
                    if kept.insert(i) {
                        open.push(i);
                    }
                }
            }
        }
        let Some(next) = open.pop() else { return Ok(Some(kept)) };
        // Kept cubes first: the solver's cores prefer clauses that propagate first.
        question = solver.enter(circuit, &cubes[next], &guards, until);
    }
}
