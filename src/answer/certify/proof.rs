//! Checks a proof of safety on the unreduced automaton. Only `unsat` passes.

use std::time::Instant;

use super::obligations::{Kind, Stated, fitting, obligations};
use super::solver::{Asked, SolverAnswer};
use super::{Flaw, cycles, inductive, summary};
use kernel::cfa::Cfa;
use kernel::expr::ExprPool;
use kernel::smt::Interrupt;
use kernel::verdict::{Paths, Proof, Support};

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
    if let Some((closed, rest)) = summary::closed(pool, cfa, proof)? {
        return check_stated(&rest.pool, &closed, &Stated::of(&rest.pool, &closed, &rest)?, Asked::Cvc5, interrupt);
    }
    check_stated(pool, cfa, &Stated::of(pool, cfa, proof)?, Asked::Cvc5, interrupt)
}

/// Checks a stated proof with a solver of choice, as [`check_proof`] does.
pub(crate) fn check_stated(
    pool: &ExprPool,
    cfa: &Cfa,
    stated: &Stated,
    asked: Asked<'_>,
    interrupt: &Interrupt,
) -> Result<Vec<Obligation>, Rejected> {
    match stated.kind {
        Kind::Inductive => return inductive::check(&fitting(pool, cfa, stated)?, stated, asked, interrupt),
        Kind::KInductive { k, support: Support::Alone, paths } if 1 <= k => {
            let automaton = fitting(pool, cfa, stated)?;
            if automaton.later_places() == [cfa.head] && cycles::is_cheap(&automaton, k) {
                match cycles::check(&automaton, stated, (k, paths), asked, interrupt) {
                    Err(Rejected::Undecided(..)) if paths == Paths::Simple => {}
                    answer => return answer,
                }
            }
        }
        Kind::KInductive { .. } | Kind::Exhaustive { .. } => {}
    }
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

#[cfg(test)]
mod laws;
#[cfg(test)]
mod tests;
