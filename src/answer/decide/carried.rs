//! Values at the beginning of a cycle that cannot decide: the requirement holds in each cycle whatever they are.

use std::collections::BTreeSet;

use kernel::cfa::pass::{Dependencies, Encoding, dependencies, monolithic, reduce};
use kernel::cfa::{Cfa, Op};
use kernel::expr::{ExprPool, VarId};
use kernel::property::instrument::Instrumented;
use kernel::smt::{Interrupt, Sat, solver_for};
use plc_frontend::hir::Project;

/// Milliseconds of the question; without an answer the values count.
const PATIENCE: u64 = 5_000;

/// Returns the cone of influence. In programs whose variables others write between two cycles, it has no value of the cycle before
/// if one cycle decides alone.
pub(super) fn depends(project: &Project, instrumented: &Instrumented) -> Dependencies {
    let cfa = instrumented.strict_cfa();
    let mut depends = dependencies(&instrumented.pool, &cfa);
    if project.tags_are_outputs && !depends.carried.is_empty() && holds_alone(&instrumented.pool, cfa, &depends.carried) {
        depends.carried.clear();
    }
    depends
}

/// Returns whether no cycle reaches the error location, whatever values the carried variables have at its beginning. Those that
/// no step writes keep their initial values.
///
/// Soundness: then every run is safe in which something else writes these variables between two cycles.
fn holds_alone(pool: &ExprPool, mut cfa: Cfa, carried: &BTreeSet<VarId>) -> bool {
    let mut written: BTreeSet<VarId> = BTreeSet::new();
    for edge in cfa.edges.iter() {
        match &edge.op {
            Op::Assign(var, _) | Op::Havoc(var) => written.extend([*var]),
            Op::Block(block) => written.extend(block.updates.iter().map(|(var, _)| *var)),
            Op::Skip | Op::Assume(_) => {}
        }
    }
    cfa.initial.retain(|var, _| !carried.contains(var) || !written.contains(var));
    let mut reduced = reduce(pool, &cfa, Encoding::Lbe);
    let system = monolithic(&mut reduced.pool, &reduced.cfa);
    if system.pc.is_some() {
        // With loops inside the cycle, a step is no cycle.
        return false;
    }
    let answer = solver_for(&reduced.pool, &[system.bad], &Interrupt::default()).and_then(|mut solver| {
        solver.limit(Some(PATIENCE));
        solver.assert(&reduced.pool, system.bad, 0)?;
        solver.check(&reduced.pool, &[])
    });
    matches!(answer, Ok(Sat::Unsat))
}
