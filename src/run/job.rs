//! What a run is given: it arrives at the worker as one JSON line.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::property::spec::Specification;

/// One verification to do.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Job {
    /// The program.
    pub sources: Vec<SourceText>,
    /// What is stated about it.
    pub specification: Specification,
    /// What to do.
    pub task: Task,
    /// When to give up.
    pub limits: Limits,
    /// How to decide it.
    pub strategy: Strategy,
}

/// A source as it was uploaded.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SourceText {
    /// A label, never a path to open.
    pub name: String,
    /// Its text, decoded.
    pub text: String,
}

/// What a run does.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Task {
    /// Reads the sources and the specification and says what it understood; decides nothing.
    Understand,
    /// Decides every requirement and check.
    Verify,
    /// Writes the model of one requirement for other tools; decides nothing.
    Export(Wanted),
}

/// Which model is to be written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Wanted {
    /// Id of the requirement; absent where there is only one.
    pub requirement: Option<String>,
    /// A name of the table of formats.
    pub format: String,
    /// Whether what cannot influence the answer is left out.
    #[serde(default)]
    pub reduced: bool,
}

/// When a run ends by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Limits {
    /// Wall-clock seconds for the whole run.
    pub wall_s: u32,
    /// Address space of the worker in MiB.
    pub memory_mb: u32,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { wall_s: 600, memory_mb: 4096 }
    }
}

/// Which graphs of abstract states are kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Graphs {
    /// The last one, if it is small enough to be drawn.
    #[default]
    Last,
    /// One for each iteration.
    Every,
}

/// How to decide: an engine by name with its options, or the default.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Strategy {
    /// `default`, or a name of the table of engines.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub engine: Option<String>,
    /// `name → value`, checked against the engine's options.
    #[serde(default)]
    pub options: std::collections::BTreeMap<String, String>,
    /// Which graphs of abstract states become part of the results.
    #[serde(default)]
    pub graphs: Graphs,
}
