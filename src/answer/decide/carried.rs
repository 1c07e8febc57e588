//! Values at the beginning of a cycle that cannot decide: the requirement holds in each cycle whatever they are.

use std::collections::BTreeSet;

use kernel::cfa::pass::{Dependencies, Encoding, System, dependencies, monolithic, reduce};
use kernel::cfa::{Cfa, Model};
use kernel::expr::{ExprId, ExprPool, VarId};
use kernel::property::instrument::Instrumented;
use kernel::smt::{Interrupt, Sat, solver_for};
use plc_frontend::Loaded;
use plc_frontend::environment::frozen;
use plc_frontend::hir::{Leaf, Type};

/// Milliseconds of the question; without an answer the values count.
const PATIENCE: u64 = 5_000;

/// Most bits of the import that are looked at.
const MOST_BITS: usize = 32;

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
        // No tag has such a name: the import adds these bits, and nothing outside of the model can write them.
        let is_own = |leaf: &Leaf| leaf.name.contains("__") && loaded.project.types[leaf.ty].ty == Type::Bool;
        let own = model.leaves.iter().filter(|(leaf, _)| is_own(leaf)).map(|(_, var)| *var);
        let own: BTreeSet<VarId> = own.filter(|var| depends.carried.contains(var)).take(MOST_BITS).collect();
        if holds_alone(&instrumented.pool, cfa, &depends.carried, &kept, &own) {
            depends.carried.clear();
        }
    }
    depends
}

/// Returns whether no cycle reaches the error location, whatever values the carried variables have at its beginning. Those in `kept`
/// have their initial values: conditions of their own say so. Bits in `own` that each cycle leaves as they were have them, too.
///
/// Soundness: then every run is safe in which something else writes the other variables between two cycles. Nothing else writes
/// those in `own`.
fn holds_alone(pool: &ExprPool, mut cfa: Cfa, carried: &BTreeSet<VarId>, kept: &BTreeSet<VarId>, own: &BTreeSet<VarId>) -> bool {
    cfa.initial.retain(|var, _| !carried.contains(var) || kept.contains(var) || own.contains(var));
    let mut reduced = reduce(pool, &cfa, Encoding::Lbe);
    let system = monolithic(&mut reduced.pool, &reduced.cfa);
    if system.pc.is_some() {
        // With loops inside the cycle, a step is no cycle.
        return false;
    }
    let pool = &mut reduced.pool;
    if never(pool, &[system.bad]) {
        return true;
    }
    let kept = kept_bits(pool, &system, own);
    !kept.is_empty() && never(pool, &[kept, vec![system.bad]].concat())
}

/// Returns that each of these bits has its initial value, without those that a cycle may change.
///
/// Soundness: a cycle that begins with all of these values ends with them, whatever the other variables are.
fn kept_bits(pool: &mut ExprPool, system: &System, own: &BTreeSet<VarId>) -> Vec<ExprId> {
    let row = |(var, next): &(VarId, ExprId)| Some((*var, *system.initial.get(var)?, *next));
    let rows: Vec<_> = system.next.iter().filter(|(var, _)| own.contains(var)).filter_map(row).collect();
    let mut bits: Vec<(ExprId, ExprId)> = Vec::new();
    for (var, initial, next) in rows {
        let (var, initial) = (pool.var(var), pool.constant(initial));
        let changes = pool.eq(next, initial);
        bits.push((pool.eq(var, initial), pool.not(changes)));
    }
    loop {
        let before: Vec<ExprId> = bits.iter().map(|(is_initial, _)| *is_initial).collect();
        let n_bits = bits.len();
        bits.retain(|(_, changes)| never(pool, &[before.clone(), vec![system.guard, *changes]].concat()));
        if bits.len() == n_bits {
            return before;
        }
    }
}

/// Returns whether no state has all these properties, as far as a solver finds out in time.
fn never(pool: &ExprPool, all: &[ExprId]) -> bool {
    let answer = solver_for(pool, all, &Interrupt::default()).and_then(|mut solver| {
        solver.limit(Some(PATIENCE));
        for e in all {
            solver.assert(pool, *e, 0)?;
        }
        solver.check(pool, &[])
    });
    matches!(answer, Ok(Sat::Unsat))
}
