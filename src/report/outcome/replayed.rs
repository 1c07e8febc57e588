//! A replayed run in the outcome, cycle by cycle.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{Place, SharedText};

/// A run, replayed on the reference interpreter: a violation, or an example that reaches a goal.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Counterexample {
    /// Always true: the interpreter shows the same.
    pub confirmed: bool,
    /// The violation (in an example: the event), in sentences.
    pub explanation: Vec<String>,
    /// The cycles; the violation is in the last one.
    pub cycles: Vec<Cycle>,
    /// Names of the variables that are causes, and of those of the requirement; others are background.
    pub relevant: Vec<String>,
    /// Inputs that are causes, cycle by cycle.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub causes: Vec<Cause>,
    /// Names of the variables that the requirement speaks of, as far as they are among the values.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub goal: Vec<String>,
    /// Place of the violation, if it has one in the code.
    pub place: Option<Place>,
}

/// Inputs of one cycle that are causes of the violation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Cause {
    /// Number of the cycle.
    pub cycle: u32,
    /// Canonical names.
    pub inputs: Vec<String>,
}

impl Default for Counterexample {
    /// Returns a confirmed run of no cycles.
    fn default() -> Counterexample {
        let (explanation, cycles, relevant) = (Vec::new(), Vec::new(), Vec::new());
        Counterexample { confirmed: true, explanation, cycles, relevant, causes: Vec::new(), goal: Vec::new(), place: None }
    }
}

/// One scan cycle of a counterexample.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Cycle {
    /// 1-based.
    pub number: u32,
    /// Milliseconds since the cycle before (or since the start).
    pub dt_ms: f64,
    /// Values of inputs at the start, of all others at the end of the cycle; one per interface variable.
    pub values: Vec<NamedValue>,
    /// Executed statements with their values, in execution order.
    pub steps: Vec<Step>,
    /// Values of the networks and charts that ran.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub networks: Vec<crate::report::networks::NetworkRun>,
}

/// A variable's value in ST syntax.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct NamedValue {
    /// Canonical name.
    #[schema(value_type = String)]
    pub name: SharedText,
    /// `TRUE`, `42`, `T#1s500ms`, `Color#Red` …
    #[schema(value_type = String)]
    pub value: SharedText,
    /// Differs from the cycle before (or from the initial value).
    pub changed: bool,
    /// Value at the start of the cycle, given from outside, where the program has changed it since.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    pub given: Option<SharedText>,
}

impl NamedValue {
    /// Returns the value, with the one that was given before it.
    pub fn told(&self) -> String {
        match &self.given {
            Some(given) => format!("given {given}, then {}", self.value),
            None => self.value.to_string(),
        }
    }
}

/// One executed statement.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Step {
    /// The statement.
    pub place: Place,
    /// Values that it read and wrote, in order.
    pub values: Vec<StepValue>,
    /// It is a cause of the violation.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub cause: bool,
}

/// A value read or written by a statement.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct StepValue {
    /// Canonical name.
    pub name: String,
    /// In ST syntax.
    pub value: String,
    /// Written rather than read.
    pub written: bool,
    /// For a value read: the cycle that wrote it, if an earlier one; 0 for the initial value.
    pub from_cycle: Option<u32>,
}
