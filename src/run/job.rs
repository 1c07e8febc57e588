//! Task of a run: it arrives at the worker as one JSON line.

use serde::{Deserialize, Deserializer, Serialize};
use utoipa::ToSchema;

use super::agent_needs::AgentNeeds;
use super::claim::Claim;
use super::limits::Limits;
use crate::report::format::WantedReport;
use crate::report::outcome::{Outcome, RequirementResult};
use answer::certificate::StoredEvidence;
use kernel::property::spec::Specification;

/// One verification to do.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Job {
    /// The program.
    pub sources: Vec<SourceText>,
    /// Its specification.
    pub specification: Specification,
    /// Task.
    pub task: Task,
    /// When to give up.
    pub limits: Limits,
    /// Strategy.
    pub strategy: Strategy,
    /// Evidence for answers about an earlier version of the program.
    #[serde(default, skip_serializing_if = "Vec::is_empty", deserialize_with = "readable")]
    pub earlier: Vec<Earlier>,
    /// Evidence of other machines for answers about this program.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub facts: Vec<Fact>,
}

/// Evidence of another machine for the answer to a requirement. It helps with others, and is never believed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Fact {
    /// Id of the requirement.
    pub requirement: String,
    /// The evidence.
    pub evidence: StoredEvidence,
}

impl Job {
    /// Returns a job with the default strategy and nothing from earlier runs.
    pub fn new(sources: Vec<SourceText>, specification: Specification, task: Task, limits: Limits) -> Job {
        Job { sources, specification, task, limits, strategy: Strategy::default(), earlier: Vec::new(), facts: Vec::new() }
    }

    /// Returns the job without earlier evidence, if that is wanted, and without claims about these requirements.
    pub(super) fn without(&self, earlier: bool, claims: &[String]) -> Job {
        let mut job = self.clone();
        if earlier {
            job.earlier.clear();
            job.facts.clear();
        }
        if let Task::Certify(all) | Task::Confirm(all) = &mut job.task {
            all.retain(|claim| !claims.contains(&claim.requirement));
        }
        job
    }

    /// Returns whether a worker that has understood the other job has understood this one. It has the same limits then.
    pub(super) fn is_understood_like(&self, other: &Job) -> bool {
        (&self.sources, &self.specification, &self.strategy, &self.limits)
            == (&other.sources, &other.specification, &other.strategy, &other.limits)
    }

    /// Returns the claim about a requirement, if there is one.
    pub fn claim(&self, id: &str) -> Option<&Claim> {
        let (Task::Certify(claims) | Task::Confirm(claims)) = &self.task else { return None };
        claims.iter().find(|claim| claim.requirement == id)
    }

    /// Returns the earlier evidence for a requirement; none where an engine is chosen to work alone.
    pub fn earlier(&self, pattern: &str, text: &str) -> Option<&Earlier> {
        let wanted = self.strategy.is_default() && !self.strategy.anew;
        self.earlier.iter().filter(|_| wanted).find(|earlier| earlier.pattern == pattern && earlier.text == text)
    }
}

impl Strategy {
    /// Returns whether no engine is chosen to work alone.
    pub fn is_default(&self) -> bool {
        self.engine.as_deref().is_none_or(|engine| engine == "default")
    }
}

/// Evidence for an earlier answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Earlier {
    /// The pattern's or check's name.
    pub pattern: String,
    /// Text of the requirement.
    pub text: String,
    /// The engine that found the answer.
    pub engine: Option<String>,
    /// The evidence; tried, never believed.
    pub evidence: StoredEvidence,
}

/// Reads earlier evidence, without that in the form of a release before.
fn readable<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<Earlier>, D::Error> {
    let rows = Vec::<serde_json::Value>::deserialize(from)?;
    Ok(rows.into_iter().filter_map(|row| serde_json::from_value(row).ok()).collect())
}

/// Returns the evidence in an outcome.
pub fn evidence(outcome: Outcome) -> Vec<Earlier> {
    let earlier =
        |r: RequirementResult| Some(Earlier { pattern: r.pattern, text: r.text, engine: r.engine, evidence: r.certificate? });
    outcome.results.into_iter().filter_map(earlier).collect()
}

/// A source as it was uploaded.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SourceText {
    /// A label, never a path to open.
    pub name: String,
    /// Its text, decoded.
    pub text: String,
}

/// Returns whether a job is about a published model, not about a program.
pub fn is_about_a_model(job: &Job) -> bool {
    super::theta::is_about_a_model(job)
}

/// Task of a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Task {
    /// Reads the sources and the specification and tells the import; decides nothing.
    Understand,
    /// Decides every requirement and check.
    Verify,
    /// Decides them for another machine, which certifies the answers; small changes of the program are left to it.
    Decide,
    /// Certifies claims of another machine; what they do not show is decided here.
    Certify(Vec<Claim>),
    /// Certifies claims of another machine, and decides nothing else.
    Confirm(Vec<Claim>),
    /// Writes the model of one requirement for other tools; decides nothing.
    Export(Wanted),
    /// Writes a report about one answer; decides nothing.
    Report(WantedReport),
    /// Checks a certificate.
    Check(CertificateText),
}

impl Task {
    /// Returns whether requirements are decided.
    pub fn is_run(&self) -> bool {
        matches!(self, Task::Verify | Task::Decide | Task::Certify(_) | Task::Confirm(_))
    }
}

/// A certificate that is to be checked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct CertificateText {
    /// Its text.
    pub text: String,
    /// Command of another solver than our cvc5. Only the caller of the checker names it.
    pub solver: Option<String>,
}

/// A wanted model.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Wanted {
    /// Id of the requirement; absent where there is only one.
    pub requirement: Option<String>,
    /// A name of the table of formats.
    pub format: String,
    /// Leaves out everything that cannot influence the answer.
    #[serde(default)]
    pub reduced: bool,
}

/// Graphs of abstract states that are kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Graphs {
    /// The last one, if it is small enough to be drawn.
    #[default]
    Last,
    /// One for each iteration.
    Every,
}

/// Strategy: an engine by name with its options, or the default.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, expecting = "an object")]
pub struct Strategy {
    /// `default`, or a name of the table of engines.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(schema_with = super::engine_choice::engine_schema)]
    pub engine: Option<String>,
    /// `name → value`, checked against the engine's options.
    #[serde(default)]
    #[schema(schema_with = super::engine_choice::options_schema)]
    pub options: std::collections::BTreeMap<String, String>,
    /// Graphs of abstract states in the results.
    #[serde(default)]
    pub graphs: Graphs,
    /// Ids of the requirements to decide; all of them if empty.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub only: Vec<String>,
    /// Searches for every answer anew, though an earlier version of the program has answers.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub anew: bool,
    /// Agents of a fleet that may do the run; all of them if absent.
    #[serde(default, skip_serializing_if = "AgentNeeds::is_empty")]
    pub agent: AgentNeeds,
}
