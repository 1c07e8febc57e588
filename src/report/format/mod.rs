//! Formats of reports: each is a file of this folder and a row of [`REPORTS`].
//!
//! Command line, API and pages read the table. A format of a job or of its cycles needs the outcome alone. A worker writes the
//! formats of an answer, since they need the program.

mod certificate;
mod csv;
mod html;
mod json;
mod junit;
mod plc_test;
mod sarif;
mod vcd;
mod witness;
mod zip;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::outcome::{Counterexample, Outcome, RequirementResult};
use answer::certificate::StoredEvidence;
pub use certificate::WantedCertificate;
pub use plc_test::{TestForm, WantedPlcTest};
pub use witness::WantedWitness;
pub use zip::{Part, archive, parts};

/// Format of a report.
pub struct ReportFormat {
    /// Name on the command line and in addresses.
    pub name: &'static str,
    /// Title for people.
    pub title: &'static str,
    /// Media type of its text.
    pub media_type: &'static str,
    /// Subject and writer.
    pub content: Content,
}

/// Subject of a report, with its writer.
pub enum Content {
    /// A run.
    Run {
        /// Ending of its file and of its address.
        ending: &'static str,
        /// Renders the outcome. The error is one sentence.
        render: fn(&Outcome) -> Result<String, String>,
    },
    /// The run of an answer: a counterexample, or an example that puts a proof to the test.
    Cycles {
        /// Ending of its file and of its address.
        ending: &'static str,
        /// Words beside the link on a page.
        hint: &'static str,
        /// Renders a run of the outcome. The error is one sentence.
        render: fn(&Outcome, &Counterexample) -> Result<String, String>,
    },
    /// A run with all other reports: an archive of [`parts`].
    Everything {
        /// Ending of its file and of its address.
        ending: &'static str,
    },
    /// The answer to one requirement.
    Answer {
        /// Title of several.
        plural: &'static str,
        /// Returns the task of the worker that writes the text.
        wanted: fn(&RequirementResult, StoredEvidence, FileName) -> WantedReport,
        /// Returns the endings of the files in the text.
        endings: fn(&StoredEvidence) -> &'static [&'static str],
        /// Divides the text into its files. The error is one sentence.
        files: fn(String) -> Result<Vec<String>, String>,
        /// Returns whether there is one for this requirement and evidence.
        has: fn(&RequirementResult, &StoredEvidence) -> bool,
        /// Runs on the controller; the others are for other verifiers.
        for_plc: bool,
        /// Explains the link on a page; without it there is no link.
        hint: Option<fn(&StoredEvidence) -> &'static str>,
    },
}

/// Name and date of a file that is about to be written.
#[derive(Clone, Debug)]
pub struct FileName {
    /// Its name, without a folder.
    pub name: String,
    /// Date, as in RFC 3339.
    pub created: String,
}

/// Report that a worker writes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum WantedReport {
    /// A certificate.
    Certificate(WantedCertificate),
    /// A C file with a witness.
    Witness(WantedWitness),
    /// A test for the controller.
    PlcTest(WantedPlcTest),
    /// Several reports: the text is a list of their texts, or of the reasons why there is none.
    Several(Vec<WantedReport>),
}

/// All formats.
pub const REPORTS: &[ReportFormat] = &[
    html::FORMAT,
    json::FORMAT,
    sarif::FORMAT,
    junit::FORMAT,
    plc_test::PROGRAM,
    plc_test::TC_UNIT,
    csv::FORMAT,
    vcd::FORMAT,
    certificate::FORMAT,
    witness::FORMAT,
    zip::FORMAT,
];

/// Returns the format of a name. The error is one sentence that lists the names.
pub fn format(name: &str) -> Result<&'static ReportFormat, String> {
    REPORTS.iter().find(|f| f.name == name).ok_or_else(|| format!("there is no report `{name}`; there are {}", names()))
}

/// Returns the names of all formats: `json`, `certificate` …
pub fn names() -> String {
    REPORTS.iter().map(|format| format!("`{}`", format.name)).collect::<Vec<_>>().join(", ")
}

impl ReportFormat {
    /// Returns the ending of a report about a run; `None` for other formats.
    pub fn ending_of_run(&self) -> Option<&'static str> {
        match self.content {
            Content::Run { ending, .. } | Content::Everything { ending } => Some(ending),
            Content::Cycles { .. } | Content::Answer { .. } => None,
        }
    }

    /// Returns the ending of a report about the run of an answer, and the words beside its link; `None` for other formats.
    pub fn of_cycles(&self) -> Option<(&'static str, &'static str)> {
        match self.content {
            Content::Cycles { ending, hint, .. } => Some((ending, hint)),
            Content::Run { .. } | Content::Everything { .. } | Content::Answer { .. } => None,
        }
    }

    /// Returns whether the report runs on the controller.
    pub fn is_for_plc(&self) -> bool {
        matches!(self.content, Content::Answer { for_plc: true, .. })
    }

    /// Returns the words beside the link to the report about an answer; `None` if there is no such report or no link.
    pub fn hint(&self, result: &RequirementResult) -> Option<&'static str> {
        match self.content {
            Content::Run { .. } | Content::Everything { .. } | Content::Cycles { .. } => None,
            Content::Answer { hint, has, .. } => {
                let evidence = result.certificate.as_ref().filter(|evidence| has(result, evidence))?;
                Some(hint?(evidence))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::example::booster;

    #[test]
    fn each_format_has_its_own_name_and_a_writer() {
        for row in REPORTS {
            assert_eq!(REPORTS.iter().filter(|other| other.name == row.name).count(), 1);
            match row.content {
                Content::Run { ending, render } => {
                    assert_eq!(REPORTS.iter().filter(|other| other.ending_of_run() == Some(ending)).count(), 1);
                    assert!(!render(&booster()).unwrap().is_empty(), "{}", row.name);
                }
                Content::Cycles { ending, render, .. } => {
                    assert_eq!(
                        REPORTS.iter().filter(|other| other.of_cycles().is_some_and(|(other, _)| other == ending)).count(),
                        1
                    );
                    let outcome = booster();
                    assert!(!render(&outcome, outcome.results[0].run().unwrap()).unwrap().is_empty(), "{}", row.name);
                }
                Content::Everything { ending } => assert_eq!(row.ending_of_run(), Some(ending)),
                Content::Answer { endings, .. } => {
                    assert!(!endings(&StoredEvidence::Run(Vec::new())).is_empty());
                    assert_eq!(row.hint(&booster().results[0]), None, "an answer without evidence");
                }
            }
        }
        assert!(format("xls").is_err_and(|e| e.contains("`json`")));
    }
}
