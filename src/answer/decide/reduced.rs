//! Proofs about paths without repetition that are right of the reduced automaton, but too weak for the unreduced one.
//!
//! The unreduced automaton can have more states that differ, and more paths without repetition. A refusal there does not show
//! that the engine is wrong. The same proof about the reduced automaton shows whether it is.

use std::collections::BTreeMap;
use std::time::Duration;

use super::schedule::soon;
use crate::certify::{Rejected, check_proof};
use kernel::cfa::pass::{Encoding, Reduced, reduce};
use kernel::cfa::{Cfa, LocId};
use kernel::expr::{ExprId, ExprPool};
use kernel::smt::Interrupt;
use kernel::verdict::{Argument, Paths, Proof};

/// Longest time for the check.
const LIMIT: Duration = Duration::from_secs(5);

/// Returns whether a refused proof is about paths without repetition, and right of the reduced automaton. Where the interrupt ends
/// the check, nothing is known against the proof.
///
/// Parts of invariants about variables that the reduction removes are left out.
///
/// Cost:      a reduction and a certification, for a proof that was refused.
/// Soundness: decides the kind of message only; the proof stays refused.
pub(super) fn is_right(pool: &ExprPool, cfa: &Cfa, proof: &Proof, why: &Rejected, interrupt: &Interrupt) -> bool {
    let Argument::KInductive { k, invariants, support, paths: Paths::Simple } = &proof.argument else { return false };
    let Rejected::Refuted(obligation) = why else { return false };
    if obligation.name != "step" {
        return false;
    }
    let reduced = reduce(pool, cfa, Encoding::Lbe);
    let mut of_proof = proof.pool.clone();
    let invariants = on_reduced(&mut of_proof, invariants, &reduced);
    let argument = Argument::KInductive { k: *k, invariants, support: *support, paths: Paths::Simple };
    let proof = Proof { pool: of_proof, argument };
    check_proof(&reduced.pool, &reduced.cfa, &proof, &soon(interrupt, LIMIT)).is_ok() || interrupt.is_raised()
}

/// Returns the invariants of places that the reduced automaton has, about its variables.
fn on_reduced(pool: &mut ExprPool, invariants: &BTreeMap<LocId, ExprId>, reduced: &Reduced) -> BTreeMap<LocId, ExprId> {
    let vars = &reduced.cfa.vars;
    let mut found = BTreeMap::new();
    for (here, loc) in reduced.cfa.locs.iter_enumerated() {
        let Some(invariant) = invariants.get(&loc.origin) else { continue };
        let mut parts = pool.conjuncts(*invariant);
        parts.retain(|part| pool.vars_of(&[*part]).iter().all(|var| vars.contains(var)));
        found.insert(here, pool.and_all(parts));
    }
    found
}

#[cfg(test)]
mod tests;
