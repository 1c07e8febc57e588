//! Messages of a fleet, as JSON that is sealed.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::cell::CellOrder;
use crate::run::agent_needs::AgentNeeds;
use crate::run::claim::Claim;
use crate::run::job::Strategy;
use crate::run::limits::Limits;
use kernel::property::spec::Specification;

/// Build of a program: runs are given to agents that answer as the server itself would.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Build {
    /// Version of the messages.
    pub protocol: u32,
    /// Version of the tool.
    pub version: String,
    /// Solvers with their versions.
    pub solvers: String,
}

impl Build {
    /// Returns the build of this program.
    pub fn own() -> Build {
        Build {
            protocol: 4,
            version: env!("CARGO_PKG_VERSION").to_owned(),
            solvers: format!("cvc5 {}", kernel::smt::cvc5_version()),
        }
    }

    /// Returns its name in subjects: a hash.
    pub fn name(&self) -> String {
        let all = format!("{} {} {}", self.protocol, self.version, self.solvers);
        answer::certificate::sha256(&all)[..12].to_owned()
    }
}

/// A run for an agent.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct JobMessage {
    /// Id of the run.
    pub job: String,
    /// Number of its start.
    pub attempt: u32,
    /// Part of it: 0 is the whole run, others help with it.
    pub part: u32,
    /// Requirements that are answered already.
    pub answered: AnsweredMessage,
    /// Build that may answer it.
    pub build: Build,
    /// Names of the sources, with their texts.
    pub sources: Vec<(String, TextMessage)>,
    /// Object with the evidence of earlier runs; none if there is none.
    pub earlier: Option<String>,
    /// The specification.
    pub specification: Specification,
    /// Limits.
    pub limits: Limits,
    /// Strategy.
    pub strategy: Strategy,
    /// Mark of the user who ordered it, if there is one: a worker does runs of one mark only.
    #[serde(default)]
    pub owner: Option<String>,
    /// Order to measure one requirement; the message is a cell of a bench then.
    pub cell: Option<CellOrder>,
}

/// Text in a message.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TextMessage {
    /// The text itself.
    Here(String),
    /// The object that holds it.
    Object(String),
}

/// Message of an agent about a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// Name of the agent.
    pub agent: String,
    /// Part of the run.
    pub part: u32,
    /// Its content.
    pub content: ReportContent,
}

/// Content of a report.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReportContent {
    /// It begins.
    Started,
    /// Objects of it are not in the store.
    Missing,
    /// Answers with evidence so far.
    Claimed {
        /// Those that were not told before.
        claims: Vec<Claim>,
    },
    /// It has ended.
    Ended {
        /// Answers with evidence, and requirements without.
        claims: Vec<Claim>,
        /// The time limit of the run was reached.
        timed_out: bool,
        /// Time of the work, in milliseconds.
        worked_ms: u64,
    },
}

/// Sign of life of an agent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SignOfLife {
    /// Name of the agent.
    pub agent: String,
    /// Its build.
    pub build: Build,
    /// Runs that it does at the same time.
    pub slots: u32,
    /// Runs at work.
    pub jobs: Vec<Work>,
    /// Processor cores.
    pub cores: u32,
    /// Memory of one run, in MiB.
    pub memory_mb: u32,
    /// It takes no further runs.
    pub is_draining: bool,
    /// Runs that it has ended since it began.
    pub n_ended: u64,
    /// Time of their work, in milliseconds.
    pub worked_ms: u64,
    /// Fingerprint of its program; empty if the file has changed since it began, or before protocol 4.
    #[serde(default)]
    pub binary: String,
    /// Its labels.
    #[serde(default)]
    pub labels: Vec<String>,
}

impl SignOfLife {
    /// Returns whether it takes runs with this memory limit and these needs.
    pub fn meets(&self, memory_mb: u32, needs: &AgentNeeds) -> bool {
        memory_mb <= self.memory_mb && needs.is_met_by(self.cores, &self.labels)
    }
}

/// Part of a run at work.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Work {
    /// Id of the run.
    pub job: String,
    /// Number of its start.
    pub attempt: u32,
    /// Part of it.
    pub part: u32,
}

impl Work {
    /// Returns whether it is a cell of a bench.
    pub fn is_cell(&self) -> bool {
        self.job.starts_with(super::cell::CAMPAIGN)
    }
}

/// Order to stop work on a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stop {
    /// Id of the run.
    pub job: String,
    /// Work that stops.
    pub what: Stopped,
}

impl Stop {
    /// Returns whether it is an order for this part of a run.
    pub(super) fn is_about(&self, work: &Work) -> bool {
        let is_part = match self.what {
            Stopped::All | Stopped::Answered(_) => true,
            Stopped::Part(part) => part == work.part,
        };
        self.job == work.job && is_part
    }
}

/// Work that stops.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stopped {
    /// All of it.
    All,
    /// One part.
    Part(u32),
    /// Search for answers that are there.
    Answered(AnsweredMessage),
}

/// Requirements of a run with certified answers.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AnsweredMessage {
    /// Ids of the requirements.
    pub requirements: Vec<String>,
    /// Object with the evidence; none if there is none.
    pub facts: Option<String>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_agent_of_an_earlier_release_is_known_as_one_of_another_build() {
        let json = r#"{"agent":"old","build":{"protocol":3,"version":"0.1.0","solvers":"cvc5 1.3.0"},"slots":2,
            "jobs":[{"job":"j","attempt":1,"part":0}],"cores":4,"memory_mb":4096,"is_draining":false,"n_ended":7,"worked_ms":9}"#;
        let sign: SignOfLife = serde_json::from_str(json).unwrap();
        assert_eq!((sign.agent.as_str(), sign.binary.as_str(), sign.labels.len()), ("old", "", 0));
        assert_ne!(sign.build.name(), Build::own().name());
    }

    #[test]
    fn cells_are_told_from_runs() {
        let work = |job: &str| Work { job: job.to_owned(), attempt: 1, part: 0 };
        assert!(work("bench-01a22877-8afd-71c9-916f-940c1e696215").is_cell());
        assert!(!work("01a22877-8afd-71c9-916f-940c1e696215").is_cell());
    }
}
