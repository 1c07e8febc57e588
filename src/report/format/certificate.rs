//! The certificate of an answer: a proof in SMT-LIB, or the inputs of a violation as JSON.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{Content, ReportFormat, WantedReport};
use crate::report::outcome::RequirementResult;
use answer::VerdictWord;
use answer::certificate::StoredEvidence;

pub(super) const FORMAT: ReportFormat = ReportFormat {
    name: "certificate",
    title: "certificate",
    media_type: "text/plain; charset=utf-8",
    content: Content::Answer {
        plural: "certificates",
        wanted: |result, evidence, _| WantedReport::Certificate(WantedCertificate::new(result, evidence)),
        endings: |evidence| match evidence {
            StoredEvidence::Proof(_) => &["smt2"],
            StoredEvidence::Run(_) | StoredEvidence::ModelRun(_) => &["json"],
        },
        files: |text| Ok(vec![text]),
        has: |_, _| true,
        for_plc: false,
        hint: Some(|evidence| match evidence {
            StoredEvidence::Proof(_) => {
                "The proof in SMT-LIB: any solver can check it; `scanproof check-certificate` checks that it is about this program."
            }
            StoredEvidence::Run(_) | StoredEvidence::ModelRun(_) => {
                "The inputs of each cycle: `scanproof check-certificate` runs the program with them."
            }
        }),
    },
};

/// A wanted certificate.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct WantedCertificate {
    /// Id of the requirement.
    pub requirement: String,
    /// Evidence of the result.
    pub evidence: StoredEvidence,
    /// Conditions of the answer.
    #[serde(default)]
    pub conditions: Vec<String>,
    /// Sentences for people.
    pub notes: Vec<String>,
}

impl WantedCertificate {
    /// Returns the certificate of a result.
    pub fn new(result: &RequirementResult, evidence: StoredEvidence) -> WantedCertificate {
        let is_vacuous = result.verdict == VerdictWord::Vacuous;
        let tested = is_vacuous.then(|| "some run puts the requirement to the test (none does)".to_owned());
        let conditions = result.conditions.iter().map(|condition| condition.text.clone()).chain(tested).collect();
        WantedCertificate { requirement: result.id.clone(), evidence, conditions, notes: vec![result.headline.clone()] }
    }
}
