//! Claims: answers of another machine, as far as this one takes note of them.
//!
//! **Invariant:** a claim is never believed. Its evidence is certified from the sources of this machine, and the answer is the one
//! that the evidence shows. Everything else of a result is made here anew: conditions, class, counterexample, advice.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::report::outcome::RequirementResult;
use answer::VerdictWord;
use answer::certificate::StoredEvidence;

/// Most characters of a reason that are kept.
const MOST_REASON: usize = 500;

/// Claim about one requirement.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Claim {
    /// Id of the requirement.
    pub requirement: String,
    /// Its content.
    pub content: ClaimContent,
}

/// Content of a claim.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ClaimContent {
    /// An answer with its evidence.
    Shown {
        /// The word that the other machine says; it decides nothing.
        word: VerdictWord,
        /// The evidence.
        evidence: StoredEvidence,
        /// Name of the engine that found it.
        engine: Option<String>,
    },
    /// No answer was found.
    Open {
        /// Reason, for people.
        reason: String,
    },
}

impl Claim {
    /// Returns the claim of a result. Without a claim the requirement is decided again: an answer without evidence says nothing.
    pub fn of(result: &RequirementResult) -> Option<Claim> {
        let reason = || result.reason.clone().unwrap_or_default();
        let content = match (result.verdict, result.certificate.clone()) {
            (VerdictWord::Holds | VerdictWord::Violated | VerdictWord::Vacuous, Some(evidence)) => {
                ClaimContent::Shown { word: result.verdict, evidence, engine: result.engine.clone() }
            }
            (VerdictWord::Unknown | VerdictWord::Cancelled | VerdictWord::Error, _) => ClaimContent::Open { reason: reason() },
            (VerdictWord::Holds | VerdictWord::HoldsBounded | VerdictWord::Violated | VerdictWord::Vacuous, _)
            | (VerdictWord::NotChecked, _) => return None,
        };
        Some(Claim { requirement: result.id.clone(), content })
    }

    /// Returns the claim with texts that can be shown: of bounded length, on one line, and with their origin.
    pub fn readable(self, origin: &str) -> Claim {
        let content = match self.content {
            ClaimContent::Shown { word, evidence, engine } => {
                let known = |name: &String| search::engine::ENGINES.iter().any(|row| row.name == name);
                ClaimContent::Shown { word, evidence, engine: engine.filter(known) }
            }
            ClaimContent::Open { reason } => {
                let line = reason.chars().map(|c| if c.is_control() { ' ' } else { c }).take(MOST_REASON);
                ClaimContent::Open { reason: format!("{origin} found no answer: {}", line.collect::<String>()) }
            }
        };
        Claim { content, ..self }
    }

    /// Returns whether a result contradicts the claimed word. A proof may be vacuous: that is looked for with little time.
    pub fn is_contradicted_by(&self, result: &RequirementResult) -> bool {
        let ClaimContent::Shown { word, .. } = &self.content else { return false };
        let is_violated = |word: VerdictWord| word == VerdictWord::Violated;
        result.verdict.is_answer() && is_violated(*word) != is_violated(result.verdict)
    }
}
