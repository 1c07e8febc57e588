//! Values at the beginning of a cycle that cannot decide: the requirement holds in each cycle whatever they are.

use std::collections::BTreeSet;
use std::time::Duration;

use kernel::cfa::pass::{Dependencies, Encoding, System, dependencies, monolithic, reduce};
use kernel::cfa::{Cfa, Edge, Model, Op};
use kernel::expr::{ExprId, ExprPool, VarId};
use kernel::property::instrument::Instrumented;
use kernel::smt::{Interrupt, Sat, solver_for};
use kernel::verdict::{Argument, Proof};
use plc_frontend::Loaded;
use plc_frontend::environment::frozen;
use plc_frontend::hir::{Leaf, Type};

use crate::certify::Certified;

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
/// those in `own`. A proof of it is checked as those of engines are.
fn holds_alone(pool: &ExprPool, mut cfa: Cfa, carried: &BTreeSet<VarId>, kept: &BTreeSet<VarId>, own: &BTreeSet<VarId>) -> bool {
    cfa.initial.retain(|var, _| !carried.contains(var) || kept.contains(var) || own.contains(var));
    let mut reduced = reduce(pool, &cfa, Encoding::Lbe);
    let system = monolithic(&mut reduced.pool, &reduced.cfa);
    if system.pc.is_some() {
        // With loops inside the cycle, a step is no cycle.
        return false;
    }
    let reduced = &mut reduced.pool;
    if never(reduced, &[system.bad]) {
        return is_certified(pool, &cfa, &BTreeSet::new());
    }
    let (vars, bits): (BTreeSet<VarId>, Vec<ExprId>) = kept_bits(reduced, &system, own).into_iter().unzip();
    !bits.is_empty() && never(reduced, &[bits, vec![system.bad]].concat()) && is_certified(pool, &cfa, &vars)
}

/// Returns bits that keep their initial values, each with the expression that says so.
///
/// Soundness: a cycle that begins with all of these values ends with them, whatever the other variables are.
fn kept_bits(pool: &mut ExprPool, system: &System, own: &BTreeSet<VarId>) -> Vec<(VarId, ExprId)> {
    let row = |(var, next): &(VarId, ExprId)| Some((*var, *system.initial.get(var)?, *next));
    let rows: Vec<_> = system.next.iter().filter(|(var, _)| own.contains(var)).filter_map(row).collect();
    let mut bits: Vec<(VarId, ExprId, ExprId)> = Vec::new();
    for (var, initial, next) in rows {
        let (at_head, initial) = (pool.var(var), pool.constant(initial));
        let keeps = pool.eq(next, initial);
        bits.push((var, pool.eq(at_head, initial), pool.not(keeps)));
    }
    loop {
        let before: Vec<ExprId> = bits.iter().map(|(_, is_initial, _)| *is_initial).collect();
        let n_bits = bits.len();
        bits.retain(|(_, _, changes)| never(pool, &[before.clone(), vec![system.guard, *changes]].concat()));
        if bits.len() == n_bits {
            return bits.into_iter().map(|(var, is_initial, _)| (var, is_initial)).collect();
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

/// Returns whether the checker of proofs, which shares no code with the questions above, finds the same.
///
/// The invariant: variables that no edge writes, and those in `kept`, have their initial values. All others are arbitrary at the head.
fn is_certified(pool: &ExprPool, cfa: &Cfa, kept: &BTreeSet<VarId>) -> bool {
    let written = |edge: &Edge| match edge.op {
        Op::Assign(var, _) | Op::Havoc(var) => Some(var),
        Op::Skip | Op::Assume(_) | Op::Block(_) => None,
    };
    let written: BTreeSet<VarId> = cfa.edges.iter().filter_map(written).collect();
    let mut pool_of_proof = pool.clone();
    let keeps = |var: &VarId| kept.contains(var) || !written.contains(var);
    let same = cfa.initial.iter().filter(|(var, _)| keeps(var)).map(|(var, value)| {
        let (var, value) = (pool_of_proof.var(*var), pool_of_proof.constant(*value));
        pool_of_proof.eq(var, value)
    });
    let same: Vec<ExprId> = same.collect();
    let invariant = pool_of_proof.and_all(same);
    let argument = Argument::Inductive([(cfa.head, invariant)].into());
    let interrupt = Interrupt::default().within(Duration::from_millis(PATIENCE));
    Certified::whole_proof(pool, cfa, Proof { pool: pool_of_proof, argument }, &interrupt).is_ok()
}
