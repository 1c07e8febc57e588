//! Places that know constants only: a proof may do better without them.
//!
//! The automaton of an engine lacks loops that cannot matter, and its proof has no invariant there. Lifted, it has a place at the head
//! of such a loop, with the constants that hold there. What the engine knows of other variables is lost at that place. Without the
//! place the loop is passed within a step ([`super::cut`]): variables that it does not write keep their values.
//!
//! Either form may be too weak. So a proof that is refuted is checked again without these places.
//! Soundness: each form is checked as any other proof.

use kernel::cfa::{Cfa, LocId};
use kernel::expr::{Expr, ExprId, ExprPool};
use kernel::verdict::{Argument, Proof};

use super::proof::Rejected;

/// Checks a proof, and if it is refuted, without the places that know constants only. Returns the first reason if both fail.
///
/// Cost: at most twice that of `check`.
pub(super) fn with_and_without<T>(
    cfa: &Cfa,
    proof: &Proof,
    check: impl Fn(&Proof) -> Result<T, Rejected>,
) -> Result<T, Rejected> {
    let first = check(proof);
    if let Err(Rejected::Refuted(_)) = &first
        && let Some(fewer) = without(cfa, proof)
        && let Ok(found) = check(&fewer)
    {
        return Ok(found);
    }
    first
}

/// Returns the proof without these places; `None` if it has none.
fn without(cfa: &Cfa, proof: &Proof) -> Option<Proof> {
    let Argument::Inductive(invariants) = &proof.argument else { return None };
    let pool = &proof.pool;
    let knows_more = |loc: &LocId, invariant: &ExprId| {
        *loc == cfa.head || pool.conjuncts(*invariant).into_iter().any(|part| !is_constant(pool, part))
    };
    let mut kept = invariants.clone();
    kept.retain(|loc, invariant| knows_more(loc, invariant));
    let is_fewer = kept.len() < invariants.len();
    is_fewer.then(|| Proof { pool: pool.clone(), argument: Argument::Inductive(kept) })
}

/// Returns whether a condition gives a variable one value.
fn is_constant(pool: &ExprPool, part: ExprId) -> bool {
    let is_var = |e: ExprId| matches!(pool.expr(e), Expr::Var(_));
    let is_equal = |a: ExprId, b: ExprId| is_var(a) && pool.as_const(b).is_some();
    let part = if let Expr::Not(inner) = pool.expr(part) { inner } else { part };
    pool.is_true(part) || is_var(part) || matches!(pool.expr(part), Expr::Eq(a, b) if is_equal(a, b) || is_equal(b, a))
}
