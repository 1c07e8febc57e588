//! Values at the beginning of a cycle that cannot decide: the requirement holds in each cycle whatever they are.

use std::collections::BTreeSet;
use std::time::Duration;

use kernel::cfa::pass::{Dependencies, Encoding, dependencies, monolithic, reduce};
use kernel::cfa::{Cfa, Edge, Model, Op};
use kernel::expr::{ExprId, ExprPool, VarId};
use kernel::property::instrument::Instrumented;
use kernel::smt::{Interrupt, Sat, solver_for};
use kernel::verdict::{Argument, Proof};
use plc_frontend::Loaded;
use plc_frontend::environment::frozen;
use plc_frontend::hir::Leaf;

use crate::certify::Certified;

/// Milliseconds of the question; without an answer the values count.
const PATIENCE: u64 = 5_000;

/// Returns the cone of influence. In programs whose variables others write between two cycles, it has no value of the cycle before
/// if one cycle decides alone.
pub(super) fn depends(loaded: &Loaded, model: &Model, instrumented: &Instrumented) -> Dependencies {
    let cfa = instrumented.strict_cfa();
    let mut depends = dependencies(&instrumented.pool, &cfa);
    if loaded.project.tags_are_outputs && !depends.carried.is_empty() {
        let leaves = loaded.project.leaves();
        let frozen = frozen(&loaded.project, &leaves, loaded.entry_is_chosen);
        let kept: BTreeSet<&str> = frozen.into_iter().map(|at| leaves[at].name.as_str()).collect();
        let keeps = |leaf: &Leaf| leaf.constant || kept.contains(leaf.name.as_str());
        let kept = model.leaves.iter().filter(|(leaf, _)| keeps(leaf)).map(|(_, var)| *var).collect();
        if holds_alone(&instrumented.pool, cfa, &depends.carried, &kept) {
            depends.carried.clear();
        }
    }
    depends
}

/// Returns whether no cycle reaches the error location, whatever values the carried variables have at its beginning. Those in `kept`
/// have their initial values: conditions of their own say so.
///
/// Soundness: then every run is safe in which something else writes the other variables between two cycles. A proof of it is checked
/// as those of engines are.
fn holds_alone(pool: &ExprPool, mut cfa: Cfa, carried: &BTreeSet<VarId>, kept: &BTreeSet<VarId>) -> bool {
    cfa.initial.retain(|var, _| !carried.contains(var) || kept.contains(var));
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
    matches!(answer, Ok(Sat::Unsat)) && is_certified(pool, &cfa)
}

/// Returns whether the checker of proofs, which shares no code with the question above, finds the same.
///
/// The invariant is that variables have their initial values that no edge writes. All others are arbitrary at the head.
fn is_certified(pool: &ExprPool, cfa: &Cfa) -> bool {
    let written = |edge: &Edge| match edge.op {
        Op::Assign(var, _) | Op::Havoc(var) => Some(var),
        Op::Skip | Op::Assume(_) | Op::Block(_) => None,
    };
    let written: BTreeSet<VarId> = cfa.edges.iter().filter_map(written).collect();
    let mut pool_of_proof = pool.clone();
    let same = cfa.initial.iter().filter(|(var, _)| !written.contains(var)).map(|(var, value)| {
        let (var, value) = (pool_of_proof.var(*var), pool_of_proof.constant(value.clone()));
        pool_of_proof.eq(var, value)
    });
    let same: Vec<ExprId> = same.collect();
    let invariant = pool_of_proof.and_all(same);
    let argument = Argument::Inductive([(cfa.head, invariant)].into());
    let interrupt = Interrupt::default().within(Duration::from_millis(PATIENCE));
    Certified::whole_proof(pool, cfa, Proof { pool: pool_of_proof, argument }, &interrupt).is_ok()
}
