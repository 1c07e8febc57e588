//! Abstract paths in the program: a path can be executed, or interpolants give the missing predicates.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use super::super::frames::Cube;
use super::predicates::{Predicates, Time, floats, thresholds};
use crate::domain::{Refutation, atoms};
use crate::domain::{Step, StepId};
use crate::engine::concrete::Run;
use crate::refine::{Explained, ItpSource, Prune, Refinement, Refiner};
use kernel::cfa::pass::System;
use kernel::cfa::{Block, BlockInput};
use kernel::context::{Ctx, MakeSolver, Stop};
use kernel::expr::{ExprId, ExprPool, Subst, VarId};
use kernel::verdict::Reason;

/// Result of examining an abstract path.
pub(super) enum Examined {
    /// It can be executed.
    Run(Run),
    /// It cannot be executed; so many predicates are new.
    Spurious(usize),
}

/// A path that takes longer is hard because of floats.
const PATIENCE: Duration = Duration::from_secs(1);

/// Decides abstract paths.
pub(super) struct Examiner {
    refiner: Refiner,
    /// Sets the initial values.
    start: Block,
    /// Time for one path before cheaper predicates are tried first.
    patience: Duration,
}

impl Examiner {
    pub(super) fn new(pool: &mut ExprPool, system: &System, solvers: &MakeSolver) -> Examiner {
        let mut start = Block { guard: pool.bool(true), updates: Vec::new(), inputs: Vec::new() };
        for var in &system.vars {
            let value = match system.initial.get(var) {
                Some(value) => pool.constant(*value),
                None => {
                    let decl = pool.var_decl(*var).clone();
                    let input = pool.new_var(format!("{}#start", decl.name), decl.sort);
                    start.inputs.push(BlockInput { var: input, origin: Some(*var) });
                    pool.var(input)
                }
            };
            start.updates.push((*var, value));
        }
        let refiner = Refiner::new(Refinement::SeqItp, ItpSource::Wp, Prune::Lazy, solvers.clone());
        Examiner { refiner, start, patience: PATIENCE }
    }
    /// Executes the path through these cubes, from an initial state to a violation, or adds predicates that exclude it.
    ///
    /// Stops: `SolverUnknown` if it was not decided; cancelled.
    pub(super) fn examine(
        &mut self,
        cx: &mut Ctx<'_>,
        system: &System,
        predicates: &mut Predicates,
        way: &[Cube],
    ) -> Result<Examined, Stop> {
        let blocks: Vec<Block> =
            way.iter().enumerate().map(|(i, cube)| block(cx, system, predicates, cube, i + 1 == way.len())).collect();
        let all = std::iter::once(&self.start).chain(&blocks);
        let steps: Vec<Step<'_>> = all.map(|block| Step { id: StepId::ASSUMPTION, block }).collect();
        let explained = loop {
            let part = cx.interrupt.within(self.patience);
            let whole = std::mem::replace(&mut cx.interrupt, part);
            let explained = self.refiner.explain(cx, steps.clone());
            cx.interrupt = whole;
            match explained {
                Ok(explained) => break explained,
                Err(Stop::Reason(Reason::Cancelled)) => {
                    cx.tick()?;
                    self.patience = self.patience.saturating_mul(2);
                    let floats = floats(&cx.pool, system);
                    let ranges = thresholds(&mut cx.pool, system, &floats);
                    let n_new = add(&mut cx.pool, predicates, &ranges);
                    if 0 < n_new {
                        return Ok(Examined::Spurious(n_new));
                    }
                }
                Err(stop @ (Stop::Reason(_) | Stop::Solver(_))) => return Err(stop),
            }
        };
        match explained {
            Explained::Feasible(inputs) => {
                let mut inputs = inputs.into_iter();
                let first = inputs.next().unwrap_or_default();
                let start = self.start.inputs.iter().filter_map(|input| Some((input.origin?, *first.get(&input.var)?)));
                Ok(Examined::Run(Run { start: start.collect(), steps: inputs.collect() }))
            }
            Explained::Infeasible(refutation) => Ok(Examined::Spurious(learn(cx, system, predicates, &refutation))),
        }
    }
}

/// Adds the predicates and returns the number of new ones.
fn add(pool: &mut ExprPool, predicates: &mut Predicates, all: &[ExprId]) -> usize {
    all.iter().filter(|e| predicates.add(pool, **e)).count()
}

/// Returns the step from a cube; the last one is a violation.
fn block(cx: &mut Ctx<'_>, system: &System, predicates: &Predicates, cube: &Cube, is_last: bool) -> Block {
    let from = predicates.cube(&mut cx.pool, cube, Time::Now);
    let possible = if is_last { system.bad } else { system.guard };
    let mut block = Block { guard: possible, updates: Vec::new(), inputs: system.inputs.clone() };
    if !is_last {
        block.updates.clone_from(&system.next);
    }
    // If the cube fixes the location, only the steps from there matter.
    let place = system.pc.and_then(|pc| Some((pc, place(cx, system, predicates, cube)?)));
    if let Some((pc, place)) = place {
        let mut here = Subst::new(BTreeMap::from([(pc, place)]));
        block.guard = here.apply(&mut cx.pool, block.guard);
        for (_, e) in &mut block.updates {
            *e = here.apply(&mut cx.pool, *e);
        }
    }
    block.guard = cx.pool.and(from, block.guard);
    block
}

/// Returns the value of the location variable, if the cube fixes it.
fn place(cx: &mut Ctx<'_>, system: &System, predicates: &Predicates, cube: &Cube) -> Option<ExprId> {
    let pc = cx.pool.var(system.pc?);
    let literals: BTreeSet<ExprId> = cube.iter().map(|l| predicates.literal(&mut cx.pool, *l, Time::Now)).collect();
    system.cuts.iter().find_map(|(_, place)| {
        let place = cx.pool.constant(*place);
        let here = cx.pool.eq(pc, place);
        literals.contains(&here).then_some(place)
    })
}

/// Adds the predicates of the refutation. Returns the number of new ones.
///
/// First the atoms of its interpolants, then these as they are, then comparisons with constants of the variables through
/// which the causes act.
fn learn(cx: &mut Ctx<'_>, system: &System, predicates: &mut Predicates, refutation: &Refutation) -> usize {
    /// Atoms of a formula that are predicates each; a formula with more is one predicate.
    const ATOMS: usize = 24;
    let mut n_new = 0;
    let itps: &[ExprId] = refutation.itps.as_deref().unwrap_or_default();
    for itp in itps {
        let atoms = atoms(&mut cx.pool, *itp);
        n_new +=
            if atoms.len() <= ATOMS { add(&mut cx.pool, predicates, &atoms) } else { add(&mut cx.pool, predicates, &[*itp]) };
    }
    if n_new == 0 {
        n_new += add(&mut cx.pool, predicates, itps);
    }
    if n_new == 0 {
        let vars: BTreeSet<VarId> = refutation.vars.iter().flatten().copied().collect();
        let more = thresholds(&mut cx.pool, system, &vars);
        n_new += add(&mut cx.pool, predicates, &more);
    }
    n_new
}
