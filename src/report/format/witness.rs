//! The requirement as a C file with a witness of its answer, as validators of SV-COMP read it.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{Content, ReportFormat, WantedReport};
use crate::export::Witness;
use answer::certificate::StoredEvidence;

pub(super) const FORMAT: ReportFormat = ReportFormat {
    name: "witness",
    title: "witness",
    media_type: "application/json",
    content: Content::Answer {
        plural: "witnesses",
        wanted: |result, evidence, file| {
            let requirement = result.id.clone();
            WantedReport::Witness(WantedWitness { requirement, evidence, file: file.name, created: file.created })
        },
        endings: |_| &["c", "witness.yml"],
        files: |text| {
            let Witness { c, yaml } = serde_json::from_str(&text).map_err(|e| e.to_string())?;
            Ok(vec![c, yaml])
        },
        has: |_, _| true,
        for_plc: false,
        hint: None,
    },
};

/// A wanted witness.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct WantedWitness {
    /// Id of the requirement.
    pub requirement: String,
    /// Evidence of the result.
    pub evidence: StoredEvidence,
    /// Name of the C file.
    pub file: String,
    /// Its date, as in RFC 3339.
    pub created: String,
}
