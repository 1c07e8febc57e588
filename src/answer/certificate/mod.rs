//! Certificates: answers that leave a run as files, and their check.
//!
//! A proof leaves as one SMT-LIB file: states, steps, invariants, and the obligations that nothing may satisfy. A violation
//! leaves as the inputs of each cycle; that of a published model as the values that its text leaves open.
//!
//! [`check_proof`] takes from a file only the invariants and the kind of proof. It makes the obligations again from the
//! unreduced automaton ([`crate::certify`]). A violation is executed on the reference interpreter, that of a model in its text.

mod check;
mod conditions;
mod end;
mod express;
mod header;
mod invariants;
mod model_run;
mod operators;
mod reading;
mod sexp;
mod stored;
mod summaries;
#[cfg(test)]
mod tests;
mod value;
mod violation;
mod write;

pub use check::{Answer, check_proof, kind_of};
pub use conditions::named;
pub use express::invariants;
pub use header::{Identity, program_digest, sha256};
pub use model_run::{ModelRun, ModelViolation, StartValue, TakenEdge, check_model_run};
pub(crate) use stored::Guess;
pub use stored::{Question, StoredEvidence};
pub use violation::{InputCycle, Violation, check_violation, stated_value};
pub use write::{stated, whole};

use crate::certify::{Flaw, shorten};
