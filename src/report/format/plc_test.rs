//! Tests for the controller, written from a run: a program in Structured Text, and a block of TcUnit.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{Content, ReportFormat, WantedReport};
use crate::report::outcome::RequirementResult;
use answer::certificate::StoredEvidence;
use kernel::property::pattern::by_id;

pub(super) const PROGRAM: ReportFormat = ReportFormat {
    name: "st-test",
    title: "test program (ST)",
    media_type: "text/plain; charset=utf-8",
    content: Content::Answer {
        plural: "test programs (ST)",
        wanted: |result, evidence, _| WantedReport::PlcTest(WantedPlcTest::new(result, evidence, TestForm::Program)),
        endings: |_| &["st"],
        files: |text| Ok(vec![text]),
        has: |_, evidence| is_run(evidence),
        for_plc: true,
        hint: Some(
            |_| "Gives these inputs to your program, cycle by cycle, on the controller or its simulation, and watches the requirement.",
        ),
    },
};

pub(super) const TC_UNIT: ReportFormat = ReportFormat {
    name: "tcunit",
    title: "TcUnit test",
    media_type: "application/xml",
    content: Content::Answer {
        plural: "TcUnit tests",
        wanted: |result, evidence, _| WantedReport::PlcTest(WantedPlcTest::new(result, evidence, TestForm::TcUnit)),
        endings: |_| &["TcPOU"],
        files: |text| Ok(vec![text]),
        // An assertion or a check is about places inside of the code, which no test sees from outside.
        has: |result, evidence| is_run(evidence) && by_id(&result.pattern).is_some(),
        for_plc: true,
        hint: Some(
            |_| "A block for TwinCAT projects with TcUnit: it fails while the program breaks the requirement in this run.",
        ),
    },
};

/// Returns whether evidence is a run of a program.
fn is_run(evidence: &StoredEvidence) -> bool {
    matches!(evidence, StoredEvidence::Run(_))
}

/// Form of a test.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum TestForm {
    /// A program in Structured Text.
    Program,
    /// A block of TcUnit.
    TcUnit,
}

/// A wanted test.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct WantedPlcTest {
    /// Id of the requirement.
    pub requirement: String,
    /// Evidence of the result.
    pub evidence: StoredEvidence,
    /// Form.
    pub form: TestForm,
    /// Sentences for the head of the file.
    pub notes: Vec<String>,
}

impl WantedPlcTest {
    fn new(result: &RequirementResult, evidence: StoredEvidence, form: TestForm) -> WantedPlcTest {
        let mut notes =
            vec![format!("Requirement {}: {}", result.id, result.text), result.meaning.clone(), result.headline.clone()];
        notes.extend(result.run().iter().flat_map(|run| run.explanation.iter().cloned()));
        notes.extend(result.conditions.iter().map(|condition| format!("Under the condition: {}", condition.text)));
        notes.push(format!("Written by Scanproof {} from this run.", env!("CARGO_PKG_VERSION")));
        WantedPlcTest { requirement: result.id.clone(), evidence, form, notes }
    }
}
