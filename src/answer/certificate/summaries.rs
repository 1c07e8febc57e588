//! Proofs about programs whose recursive calls are kept. A file has the summary of each function: the `precondition` of its calls,
//! and the `relation` between a call's results and its arguments.
//!
//! Obligations are about the automaton that the summaries close ([`crate::certify::summary`]).
//!
//! Soundness: a summary is closed over as the expression that was read. Obligations ask for the same expression, so no summary
//!            is believed, whatever the file says.

use std::borrow::Cow;

use super::Flaw;
use super::express::with_expressions;
use crate::certify::stated::Stated;
use crate::certify::summary;
use kernel::cfa::Cfa;
use kernel::expr::ExprPool;

/// A proof without summaries, and its automaton.
pub(super) struct Closed<'a> {
    pub(super) pool: Cow<'a, ExprPool>,
    pub(super) cfa: Cow<'a, Cfa>,
    pub(super) stated: Cow<'a, Stated>,
}

/// Closes an automaton by the summaries of a proof. An automaton without recursive calls stays as it is.
///
/// Cost:  linear in the automaton and the summaries.
/// Stops: see [`summary::closed`]; a summary has an operator that no expression has.
pub(super) fn closed<'a>(pool: &'a ExprPool, cfa: &'a Cfa, stated: &'a Stated) -> Result<Closed<'a>, Flaw> {
    let same = Closed { pool: Cow::Borrowed(pool), cfa: Cow::Borrowed(cfa), stated: Cow::Borrowed(stated) };
    if cfa.recursion.is_none() {
        return Ok(same);
    }
    let Some((cfa, rest)) = summary::closed(pool, cfa, &with_expressions(pool, cfa, stated)?)? else { return Ok(same) };
    let stated = Stated::of(&rest.pool, &cfa, &rest)?;
    Ok(Closed { pool: Cow::Owned(rest.pool), cfa: Cow::Owned(cfa), stated: Cow::Owned(stated) })
}

#[cfg(test)]
mod tests;
