//! A proof in the outcome, in short.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use kernel::verdict::Argument;

/// Proof of a requirement, in short.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ProofSummary {
    /// `induction`, `k-induction`, `exhaustion`.
    pub method: String,
    /// For k-induction and exhaustion.
    pub k: Option<u32>,
    /// The invariant at the start of each cycle, in ST syntax; conjuncts over variables of the program, short ones first.
    pub invariant: Vec<String>,
    /// Conjuncts that speak of something the program does not name: inner state of standard blocks, monitors, rounds of loops.
    #[serde(default)]
    pub internal: Vec<String>,
    /// The solver obligations that a fresh solver has discharged on the unreduced model.
    pub obligations: Vec<Obligation>,
}

impl ProofSummary {
    /// Returns a proof without its invariant.
    pub fn new(argument: &Argument, obligations: &[answer::certify::Obligation]) -> ProofSummary {
        let (method, k) = match argument {
            Argument::Inductive(_) => ("induction", None),
            Argument::KInductive { k, .. } => ("k-induction", Some(*k)),
            Argument::Exhaustive { k, .. } => ("exhaustion", Some(*k)),
        };
        let obligation = |o: &answer::certify::Obligation| Obligation {
            name: o.name.to_owned(),
            text: o.text.clone(),
            duration_ms: o.duration_ms,
        };
        let obligations = obligations.iter().map(obligation).collect();
        ProofSummary { method: method.to_owned(), k, invariant: Vec::new(), internal: Vec::new(), obligations }
    }
}

/// One obligation of a proof.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Obligation {
    /// `initiation`, `consecution`, `safety`, `base`, `step`, `end`.
    pub name: String,
    /// Its sentence.
    pub text: String,
    /// Milliseconds the check took.
    pub duration_ms: u64,
}
