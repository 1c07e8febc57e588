//! The outcome of one run: the published JSON (`--json`, the API, the database) and its schema.
//!
//! Plain data. Every page and export is rendered from it alone.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use answer::VerdictWord;
use kernel::property::requirements::SpecProblem;
use plc_frontend::codes;

mod place;
mod proof;
mod replayed;
mod shared_text;

pub use place::{EditorLine, Place};
pub use proof::{Obligation, ProofSummary};
pub use replayed::{Cause, Counterexample, Cycle, NamedValue, Step, StepValue};
pub use shared_text::SharedText;

/// Everything that is known after a run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Outcome {
    /// Version of this format; 1.
    pub format: u32,
    /// Version of the tool.
    pub tool: String,
    /// The sources, as they were read.
    pub sources: Vec<Source>,
    /// The program as it was understood.
    pub import: Import,
    /// Mistakes in the specification as a whole. With one of these nothing is verified.
    pub problems: Vec<Problem>,
    /// Assumptions and conventions behind every result of this run, in sentences.
    pub rests_on: Vec<String>,
    /// Variables that the program shares with the outside, and variables that keep their initial values.
    #[serde(default)]
    pub environment: Vec<super::environment::SharedRow>,
    /// Names of the automatic checks that apply to the program, whether they were asked for or not.
    #[serde(default)]
    pub checkable: Vec<String>,
    /// Names of automatic checks that were asked for and find nothing in the program that they apply to.
    #[serde(default)]
    pub nothing_to_check: Vec<String>,
    /// One per requirement, in the order they were stated; automatic checks last.
    pub results: Vec<RequirementResult>,
    /// Wall-clock time of the run in milliseconds.
    pub duration_ms: u64,
}

impl Outcome {
    /// Returns the outcome of sources before anything is decided.
    pub fn without_results(sources: Vec<Source>, import: Import) -> Outcome {
        Outcome { format: 1, tool: env!("CARGO_PKG_VERSION").to_owned(), sources, import, ..Outcome::default() }
    }
}

/// Something wrong with the specification.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Problem {
    /// JSON pointer into the specification: `/requirements/0/never`, `/assumptions/1/expr`, `/checks/0`.
    pub pointer: String,
    /// One sentence.
    pub message: String,
    /// Step to take.
    pub help: Option<String>,
    /// With an excerpt of the expression, as plain text.
    pub rendered: String,
    /// Place in the expression; 1-based, in characters.
    #[serde(default)]
    pub column: Option<u32>,
}

impl Problem {
    /// Returns a problem without help and excerpt.
    pub fn new(pointer: &str, message: impl ToString) -> Problem {
        Problem { pointer: pointer.to_owned(), message: message.to_string(), help: None, rendered: String::new(), column: None }
    }
}

impl From<&SpecProblem> for Problem {
    fn from(p: &SpecProblem) -> Problem {
        Problem {
            pointer: p.pointer.clone(),
            message: p.message.clone(),
            help: p.help.clone(),
            rendered: p.rendered.clone(),
            column: p.column,
        }
    }
}

/// A source text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Source {
    /// The name it came under.
    pub name: String,
    /// SHA-256 of the text, hex.
    pub sha256: String,
    /// The text.
    pub text: String,
}

/// The sources as they were understood.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Import {
    /// The POUs that the user wrote.
    pub pous: Vec<PouSummary>,
    /// Programs and blocks of every cycle, in order.
    pub runs: Vec<String>,
    /// The interface: inputs, outputs, memory; one row per scalar, hidden ones left out.
    pub variables: Vec<VariableSummary>,
    /// Exactly modelled constructs by kind.
    pub modelled: std::collections::BTreeMap<String, usize>,
    /// Constructs that are not modelled exactly.
    pub gaps: Vec<GapSummary>,
    /// Files and parts of files that are no program: nothing in the results depends on them.
    #[serde(default)]
    pub ignored: Vec<IgnoredSummary>,
    /// Networks and charts of drawn POUs.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub diagrams: Vec<super::diagram::Diagram>,
    /// Findings about the sources.
    pub diagnostics: Vec<Finding>,
    /// Parts that are left out because of an error; no answer depends on what they would do.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<super::left_out::LeftOutSummary>,
    /// Declarations that no file has, made from the uses of their names.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub inferred: Vec<super::inferred::InferredSummary>,
    /// Programs and function blocks that can be verified, with what stands in their way.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub entries: Vec<super::left_out::EntrySummary>,
}

impl Import {
    /// Returns the errors that stop everything: they belong to no part that is left out.
    pub fn stops(&self) -> impl Iterator<Item = &Finding> {
        self.diagnostics.iter().filter(|finding| finding.severity == "error" && !finding.left_out)
    }

    /// Returns whether something can be verified: there is no error, or the parts with errors are left out.
    pub fn is_understood(&self) -> bool {
        self.stops().next().is_none()
    }

    /// Returns whether parts are left out, and the rest can be verified.
    pub fn runs_in_part(&self) -> bool {
        self.is_understood() && !self.left_out.is_empty()
    }

    /// Returns whether something can be verified, and errors or names without a declaration stand in the way of the rest.
    pub fn has_obstacles(&self) -> bool {
        let is_complete = self.left_out.is_empty() && self.inferred.is_empty() && self.missing_programs().next().is_none();
        self.is_understood() && !is_complete
    }

    /// Returns the findings about programs of tasks that no file declares.
    pub fn missing_programs(&self) -> impl Iterator<Item = &Finding> {
        self.diagnostics.iter().filter(|finding| finding.code == codes::MISSING_PROGRAM)
    }

    /// Returns whether the upload holds several projects, and none of them is chosen.
    pub fn needs_a_choice(&self) -> bool {
        self.stops().any(|finding| finding.code == codes::SEVERAL_PROJECTS)
    }
}

/// A POU.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct PouSummary {
    /// PROGRAM, FUNCTION_BLOCK or FUNCTION; `member` for a method, property or action of a block.
    pub kind: String,
    /// Its name.
    pub name: String,
    /// Its place.
    pub place: Place,
    /// Number of statements.
    pub n_statements: usize,
}

/// A variable of the interface.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct VariableSummary {
    /// Canonical name.
    pub name: String,
    /// IEC type.
    #[serde(rename = "type")]
    pub ty: String,
    /// input, parameter, output or memory.
    pub role: VariableRole,
    /// Values of an enumeration, as an expression names them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub values: Vec<String>,
}

/// Role of a variable to the outside.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum VariableRole {
    /// Arbitrary at the start of each cycle.
    Input,
    /// Arbitrary at the start of the run, then constant.
    Parameter,
    /// Visible at the end of each cycle.
    Output,
    /// Everything else.
    Memory,
}

/// A construct that is not modelled exactly.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct GapSummary {
    /// The construct.
    pub construct: String,
    /// over_approximated, unsupported, or assumed: a condition of every answer; assumed_by_runs: a condition of answers that a
    /// run shows.
    pub treatment: String,
    /// Consequence for verdicts.
    pub effect: String,
    /// Its place.
    pub place: Place,
}

/// Something that was looked at and is no part of the program.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct IgnoredSummary {
    /// The part.
    pub what: String,
    /// Reason for leaving it out.
    pub why: String,
    /// Its place.
    pub place: Place,
}

/// A finding about the sources.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Finding {
    /// error or warning.
    pub severity: String,
    /// `P####`.
    pub code: String,
    /// One sentence.
    pub message: String,
    /// Step to take.
    pub help: Option<String>,
    /// Its place.
    pub place: Place,
    /// The finding with its source excerpt, as plain text.
    pub rendered: String,
    /// An error of a part that is left out: everything else can be verified.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub left_out: bool,
}

/// Result of one requirement.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct RequirementResult {
    /// Its id: given, or `R1`, `assert-1`, `check-division-by-zero` …
    pub id: String,
    /// The requirement as a sentence with the user's expressions.
    pub text: String,
    /// Precise meaning: the condition and the moment of its check.
    pub meaning: String,
    /// The pattern's or check's name.
    pub pattern: String,
    /// Part of the program text that it is about, if it is about one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<Place>,
    /// The answer.
    pub verdict: VerdictWord,
    /// The sentence on screen: `✔ Holds in every cycle — proved`.
    pub headline: String,
    /// Reason for an answer without evidence; remarks about the answer.
    pub reason: Option<String>,
    /// Mistakes in the statement of the requirement. With one of these it is not checked; the others are.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub problems: Vec<Problem>,
    /// Conditions of the answer that are not proved in this run. Empty: none.
    #[serde(default, alias = "given", deserialize_with = "super::conditions::read")]
    pub conditions: Vec<Condition>,
    /// Number of assumptions that the answer rests on.
    #[serde(default)]
    pub n_assumptions: usize,
    /// For `unknown`: difficulties of the program, each with a step to take.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub advice: Vec<super::advice::Advice>,
    /// For `unknown`: the engines that took part, with their last messages.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub progress: Vec<super::advice::EngineProgress>,
    /// For `unknown`: time by phase and engine.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub spent: Vec<super::effort::TimeSpent>,
    /// For `unknown`: the lines with the largest encodings.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub encodings: Vec<super::effort::LineEncoding>,
    /// Variables in the cone of the answer that keep their initial values, although no CONSTANT and no user says so.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub frozen: Vec<Condition>,
    /// Gaps of the import that are assumed and lie in the cone of the answer, by their positions; absent: all of them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub open_gaps: Option<Vec<usize>>,
    /// Number of cycles from the start in which no violation exists, if the verdict is not `holds`.
    pub safe_cycles: Option<u32>,
    /// The engine that found the answer.
    pub engine: Option<String>,
    /// Wall-clock milliseconds for this requirement.
    pub duration_ms: u64,
    /// Processor milliseconds for the check of proofs and violations that engines gave; absent below one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub certification_cpu_ms: Option<u64>,
    /// For `violated`.
    pub counterexample: Option<Counterexample>,
    /// For `holds`.
    pub proof: Option<ProofSummary>,
    /// For `holds`, if the requirement has a condition or an assertion to reach: a run that puts it to the test in its last
    /// cycle. Of a long run the last cycles.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub example: Option<Counterexample>,
    /// For `violated`: digest of the code that can decide the requirement. Absent if it is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cone: Option<String>,
    /// For `violated`, in the service: the reason with which a project keeps the counterexample. The verdict stays.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kept: Option<KeptReason>,
    /// Reused answer: the evidence for an earlier version of the program was certified for this one.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub reused: bool,
    /// For `holds`, where it was asked for: which small changes of the program the requirement would notice.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sensitivity: Option<super::sensitivity::Sensitivity>,
    /// Graph of abstract states, if an engine explored one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exploration: Option<super::exploration::Exploration>,
    /// Evidence of the answer: the content of its certificate, also tried on later versions of the program.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub certificate: Option<answer::certificate::StoredEvidence>,
}

impl RequirementResult {
    /// Returns a requirement before its answer.
    pub fn before_answer(id: &str, text: &str, meaning: &str, pattern: &str) -> RequirementResult {
        let [id, text, meaning, pattern] = [id, text, meaning, pattern].map(str::to_owned);
        RequirementResult { id, text, meaning, pattern, ..RequirementResult::default() }
    }

    /// Returns the run that the answer shows: a counterexample, or an example that puts a proof to the test.
    pub fn run(&self) -> Option<&Counterexample> {
        self.counterexample.as_ref().or(self.example.as_ref()).filter(|run| !run.cycles.is_empty())
    }
}

/// Reason with which a project keeps a counterexample: the requirement is broken, and its users know.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct KeptReason {
    /// The reason.
    pub reason: String,
    /// The user; empty without accounts.
    pub by: String,
    /// Time, as in RFC 3339.
    pub at: String,
    /// Id of the project.
    pub project: String,
}

/// Condition of an answer: something that is taken for granted without a proof.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Condition {
    /// Noun phrase: `no division by zero (not checked)`.
    pub text: String,
    /// Consequence for the answer, where the text does not say it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
    /// Place in the sources, if it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<Place>,
}
