//! Certificates: answers that leave a run, and the small checker that believes none of them.
//!
//! A proof leaves as one SMT-LIB file: states, steps, invariants, and the obligations that nothing may satisfy. A violation
//! leaves as the inputs of each cycle; that of a published model as what its text leaves open. [`check`] reads a certificate with a reader of its own ([`sexp`], [`terms`]), takes from
//! it only the invariants and the kind of proof, makes the obligations again from the unreduced automaton ([`automaton`],
//! [`obligations`]) and asks a solver that has seen nothing else; a violation is executed on the reference interpreter, that of a model in its text.
//!
//! Shares with the rest of the house what the model is: the front end, its lowering to an automaton, the monitor. **Invariant:**
//! no engine, no domain, no refinement, no bit-blaster, and nothing of the certification inside of a run is used here.

mod automaton;
mod check;
mod conditions;
mod end;
mod express;
mod header;
mod live;
mod model_run;
mod obligations;
mod operators;
mod sexp;
mod solver;
mod terms;
#[cfg(test)]
mod tests;
mod text;
mod value;
mod violation;
mod write;

pub use check::{Answer, check_proof, kind_of};
pub use conditions::named;
pub use express::invariants;
pub use header::{Identity, program_digest};
pub use model_run::{ModelRun, ModelViolation, StartValue, TakenEdge, check_model_run};
pub use solver::Asked;
pub use violation::{Evidence, InputCycle, Violation, check_violation};
pub use write::{stated, whole};

/// What is wrong with a certificate, as a sentence.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Flaw(pub String);
