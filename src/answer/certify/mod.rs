//! Certification: no verdict leaves without it. A proof is checked by a solver, a violation by the interpreter.
//!
//! [`check_proof`] states a proof as formulas over the unreduced automaton, written as SMT-LIB text, and asks a fresh cvc5
//! through its parser. The same obligations serve inside of a run and for certificates in files ([`crate::certificate`]).
//!
//! **Invariant:** shares nothing with engines and their encodings: no engine, no reduction, no block encoding, no bit-blaster.

mod alone;
mod automaton;
mod certified;
mod constant_places;
mod cut;
mod deciding;
pub(crate) mod divided;
mod effects;
#[cfg(test)]
mod fault;
mod frame;
mod groups;
mod inductive;
mod invariant;
mod k_induction;
mod known;
pub(crate) mod obligations;
mod part_set;
mod parts;
pub(crate) mod predicate;
mod proof;
mod questions;
#[cfg(test)]
mod random_cases;
mod region;
pub(crate) mod script;
mod slice;
mod slice_text;
pub mod smtlib;
mod solver;
pub(crate) mod stated;
mod steps;
pub(crate) mod summary;

pub use certified::{Certified, Evidence};
pub use known::KnownAnswers;
pub(crate) use part_set::PartSet;
pub(crate) use parts::Scope;
pub use proof::{Obligation, Rejected, check_proof};
pub(crate) use proof::{check_divided, check_stated};
pub use solver::Asked;
pub(crate) use solver::failing_state;

/// Reason to refuse a proof or a certificate, as a sentence.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Flaw(pub String);

/// Returns a word, shortened for a message.
pub(crate) fn shorten(word: &str) -> String {
    const LONGEST: usize = 60;
    match word.chars().nth(LONGEST) {
        None => word.to_owned(),
        Some(_) => word.chars().take(LONGEST).chain(['…']).collect(),
    }
}
