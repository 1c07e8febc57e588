//! Checks a proof of safety on the unreduced automaton. Only `unsat` passes.

use std::time::Instant;

use super::divided::{Divided, Row};
use super::obligations::{fitting, obligations};
use super::parts::Scope;
use super::solver::{Asked, SolverAnswer};
use super::stated::{Kind, Stated};
use super::{Flaw, inductive, steps, summary};
use kernel::cfa::Cfa;
use kernel::expr::ExprPool;
use kernel::smt::Interrupt;
use kernel::verdict::Proof;

/// Solver question whose answer must be `unsat`, with its text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Obligation {
    /// `initiation`, `consecution`, `safety`, `base`, `step`, `end`.
    pub name: &'static str,
    /// Its meaning, as a clause.
    pub text: String,
    /// SMT-LIB 2; unsatisfiable if the obligation holds. Several scripts have `(reset)` between them.
    pub script: String,
    /// Milliseconds of its check.
    pub duration_ms: u64,
}

/// Reason why a proof was not certified.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Rejected {
    /// An obligation does not hold: the proof is wrong.
    Refuted(Obligation),
    /// An obligation (its name) was not decided, with the reason.
    Undecided(&'static str, String),
    /// The time was over before this obligation was decided, or too short for its next question.
    Stopped(&'static str),
    /// The proof does not fit this automaton, with the reason.
    Malformed(String),
}

impl From<Flaw> for Rejected {
    fn from(Flaw(why): Flaw) -> Rejected {
        Rejected::Malformed(why)
    }
}

/// Checks `proof` for `cfa`, whose expressions live in `pool`.
///
/// Cost:      three obligations for inductive invariants; at most four for k-induction, linear in k.
/// Stops:     [`Rejected`]; an undecided obligation is not a proof.
/// Soundness: if it returns obligations, no run of `cfa` reaches its error location (as far as cvc5 is right). With recursive
///            calls: no run of the program, at any depth of calls ([`summary`]).
pub fn check_proof(pool: &ExprPool, cfa: &Cfa, proof: &Proof, interrupt: &Interrupt) -> Result<Vec<Obligation>, Rejected> {
    check_all(pool, cfa, proof, Asked::Cvc5, interrupt)
}

/// Checks a proof with a solver of choice, as [`check_proof`] does.
fn check_all(
    pool: &ExprPool,
    cfa: &Cfa,
    proof: &Proof,
    asked: Asked<'_>,
    interrupt: &Interrupt,
) -> Result<Vec<Obligation>, Rejected> {
    if let Some((closed, rest)) = summary::closed(pool, cfa, proof)? {
        return check_stated(&rest.pool, &closed, &Stated::of(&rest.pool, &closed, &rest)?, asked, interrupt);
    }
    check_stated(pool, cfa, &Stated::of(pool, cfa, proof)?, asked, interrupt)
}

/// Checks a proof as [`check_proof`] does, without the parts of its invariants that it does not need. Returns the smaller proof.
///
/// Proofs that are not divided keep all parts.
///
/// Soundness: the obligations show the proof that is returned, from its own parts only ([`super::parts`]).
pub(super) fn check_needed(
    pool: &ExprPool,
    cfa: &Cfa,
    proof: Proof,
    asked: Asked<'_>,
    interrupt: &Interrupt,
) -> Result<(Proof, Vec<Obligation>), Rejected> {
    if cfa.recursion.is_none() {
        let stated = Stated::of(pool, cfa, &proof)?;
        if let Some(divided) = check_divided(pool, cfa, &stated, Scope::Needed, asked, interrupt) {
            let Divided { rows, needed } = divided?;
            return Ok((needed.restrict(proof), rows.into_iter().map(Row::obligation).collect()));
        }
        let obligations = check_undivided(pool, cfa, &stated, asked, interrupt)?;
        return Ok((proof, obligations));
    }
    let obligations = check_all(pool, cfa, &proof, asked, interrupt)?;
    Ok((proof, obligations))
}

/// Checks a stated proof with a solver of choice, as [`check_proof`] does.
pub(crate) fn check_stated(
    pool: &ExprPool,
    cfa: &Cfa,
    stated: &Stated,
    asked: Asked<'_>,
    interrupt: &Interrupt,
) -> Result<Vec<Obligation>, Rejected> {
    if let Some(divided) = check_divided(pool, cfa, stated, Scope::All, asked, interrupt) {
        return Ok(divided?.rows.into_iter().map(Row::obligation).collect());
    }
    check_undivided(pool, cfa, stated, asked, interrupt)
}

/// Checks a stated proof with one question for each obligation.
fn check_undivided(
    pool: &ExprPool,
    cfa: &Cfa,
    stated: &Stated,
    asked: Asked<'_>,
    interrupt: &Interrupt,
) -> Result<Vec<Obligation>, Rejected> {
    let all = obligations(pool, cfa, stated, interrupt)?;
    let check = |draft| {
        let (start, script) = (Instant::now(), all.script(draft, asked));
        let said = asked.decide(&script, all.sorts, interrupt);
        let duration_ms = start.elapsed().as_millis() as u64;
        let obligation = Obligation { name: draft.name, text: draft.text.clone(), script, duration_ms };
        match said {
            SolverAnswer::Holds => Ok(obligation),
            SolverAnswer::Fails => Err(Rejected::Refuted(obligation)),
            SolverAnswer::Undecided(why) => Err(Rejected::Undecided(draft.name, why)),
        }
    };
    all.drafts.iter().map(check).collect()
}

/// Checks a stated proof in small questions, as [`check_proof`] does; `None` for one that is not divided.
///
/// The rows keep the questions that were asked.
pub(crate) fn check_divided(
    pool: &ExprPool,
    cfa: &Cfa,
    stated: &Stated,
    scope: Scope,
    asked: Asked<'_>,
    interrupt: &Interrupt,
) -> Option<Result<Divided, Rejected>> {
    let automaton = match fitting(pool, cfa, stated) {
        Ok(automaton) => automaton,
        Err(flaw) => return Some(Err(flaw.into())),
    };
    match stated.kind {
        Kind::Inductive => Some(inductive::check(&automaton, stated, scope, asked, interrupt)),
        Kind::KInductive { .. } | Kind::Exhaustive { .. } => steps::check(&automaton, stated, scope, asked, interrupt),
    }
}

#[cfg(test)]
mod laws;
#[cfg(test)]
mod tests;
