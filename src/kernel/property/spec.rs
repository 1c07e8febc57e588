//! The requirement file: a user's statements about one program. YAML on disk, JSON in the API, a form on the web.
//!
//! ```yaml
//! entry: Booster              # optional: the program or function block to run
//! cycle: 100ms                # optional: or { min: 5ms, max: 120ms }
//! assumptions:
//!   - text: Start and stop are never pressed together.
//!     expr: NOT (StartCmd AND StopCmd)
//! inputs: [Hmi.*]             # optional: shared with the outside; also parameters, memory, frozen
//! requirements:
//!   - id: R1
//!     text: Pump A must never run while the suction valve is closed.
//!     never: PumpA AND NOT ValveFB
//! checks: [division_by_zero, index_out_of_bounds]
//! ```

use plc_frontend::dialect::DialectId;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::check::{ALL, Check};
pub use super::cycle_time::{CycleTime, CycleTimeText};
use super::shared_variable::{SharedVariable, SharedVariableText};
use super::written_form::{CheckNames, TextOrNumber, maybe_number, one_or_many};

/// Everything a user states about one program.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, expecting = "an object")]
pub struct Specification {
    /// The PROGRAM or FUNCTION_BLOCK to run; all programs if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub entry: Option<String>,
    /// The project to run, where the files hold several; the only one that is no test if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub project: Option<String>,
    /// The dialect of the program: `iec`, `codesys`, `twincat`, `siemens-classic`, `siemens-tia` or `matiec` (OpenPLC, Beremiz);
    /// detected if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    pub dialect: Option<DialectId>,
    /// Time between cycles. If absent: the tick of the tasks of the program's configuration, else 100 ms.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<CycleTimeText>)]
    pub cycle: Option<CycleTime>,
    /// Values of RETAIN and PERSISTENT variables before the first cycle; `cold` if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start: Option<RunStart>,
    /// Moments at which inputs change; `snapshot` if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sampling: Option<Sampling>,
    /// Restarts of the controller between two cycles, in programs of Studio 5000; `never` if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub restarts: Option<Restarts>,
    /// Variables with any value at the start of every cycle.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schema(value_type = Vec<SharedVariableText>)]
    pub inputs: Vec<SharedVariable>,
    /// Variables with any value at the start of the run, constant afterwards.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schema(value_type = Vec<SharedVariableText>)]
    pub parameters: Vec<SharedVariable>,
    /// Variables that keep what the program wrote, for instance a stack in a VAR_IN_OUT of the entry.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schema(value_type = Vec<SharedVariableText>)]
    pub memory: Vec<SharedVariable>,
    /// Variables that keep their initial values.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schema(value_type = Vec<SharedVariableText>)]
    pub frozen: Vec<SharedVariable>,
    /// Assumptions about the inputs at the start of every cycle.
    #[serde(default)]
    pub assumptions: Vec<Assumption>,
    /// Requirements.
    #[serde(default)]
    pub requirements: Vec<Requirement>,
    /// `false` leaves assertions in the program text unchecked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub assertions: Option<bool>,
    /// Automatic checks, by name, or `all`; if absent, those of faults.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "one_or_many")]
    #[schema(value_type = Option<CheckNames>)]
    pub checks: Option<Vec<String>>,
    /// After the answers, small changes of the program are tried, to see which of them each requirement that holds would notice.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub mutants: bool,
}

/// Start of the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum RunStart {
    /// Every variable has its declared initial value.
    Cold,
    /// RETAIN and PERSISTENT variables have any value of their types, the others their initial values.
    Warm,
}

/// Moments at which inputs change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum Sampling {
    /// At the start of each cycle: all reads within a cycle have one value.
    Snapshot,
    /// At any time: each read of a global input within a cycle has a value of its own.
    Asynchronous,
}

/// Restarts of the controller between two cycles.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum Restarts {
    /// There is none.
    Never,
    /// Before any cycle after the first: tags keep their values, and the prescan comes again.
    Any,
}

impl Specification {
    /// Returns whether a check is wanted.
    pub fn wants(&self, check: &Check) -> bool {
        match &self.checks {
            None => check.is_default(),
            Some(names) => names.iter().any(|name| name == ALL || name == check.name),
        }
    }
    /// Returns the time between two cycles of a program whose tasks have this tick, in nanoseconds.
    pub fn cycle_time(&self, interval_ns: Option<i128>) -> CycleTime {
        let interval = interval_ns.and_then(|ns| u32::try_from(ns / 1_000_000).ok()).filter(|ms| 0 < *ms);
        self.cycle.unwrap_or(interval.map_or_else(CycleTime::default, |ms| CycleTime { min_ms: ms, max_ms: ms }))
    }
}

/// An assumption about the inputs at the start of every cycle.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, expecting = "an object")]
pub struct Assumption {
    /// The user's words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// A BOOL expression in ST, read after the inputs are sampled and before the program runs.
    pub expr: String,
}

/// A requirement: an id, words, and exactly one pattern written by its keys.
///
/// | keys | pattern |
/// |---|---|
/// | `if`, `then` | `pattern-implication` |
/// | `always` | `pattern-invariant` |
/// | `never` | `pattern-forbidden` |
/// | `at_start`, `then` | `pattern-statechange-duringcycle` |
/// | `after`, `if`, `then` | `pattern-statechange-betweencycles` |
/// | `if`, `for`, `then` | `pattern-timed-trigger` |
/// | `if`, `earlier` | `pattern-leadsto` |
/// | `if`, `from`, `to` | `pattern-leadsto-trigger` |
/// | `if`, `started` | `pattern-leadsto-earlier` |
/// | `possible` | `pattern-reachability` |
/// | `always_possible` | `pattern-repeatability` (not checked yet) |
/// | `pattern`, `params` | any of them by its id |
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, expecting = "an object")]
pub struct Requirement {
    /// Unique in the file; `R1`, `R2` … if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// The user's words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// Always true at the end of a cycle.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub always: Option<String>,
    /// Impossible at the end of a cycle.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub never: Option<String>,
    /// Condition at the end of the cycle.
    #[serde(default, rename = "if", skip_serializing_if = "Option::is_none")]
    pub if_: Option<String>,
    /// Consequence of `if`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub then: Option<String>,
    /// Condition at the beginning of the cycle (inputs are already new).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at_start: Option<String>,
    /// Condition at the end of the cycle before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<String>,
    /// Time for which `if` has to be true: `500ms`, `5s`, `T#5s`.
    #[serde(default, rename = "for", deserialize_with = "maybe_number", skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<TextOrNumber>)]
    pub for_: Option<String>,
    /// True at the end of an earlier cycle.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub earlier: Option<String>,
    /// True at the end of a cycle, directly before `to`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// True at the end of the cycle after `from`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<String>,
    /// True at the beginning of this or an earlier cycle.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub started: Option<String>,
    /// True at the end of some cycle of some run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub possible: Option<String>,
    /// From every state, true at the end of some cycle of some run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub always_possible: Option<String>,
    /// A pattern by its id, with `params`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pattern: Option<String>,
    /// The pattern's expressions, in the order of its text.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub params: Vec<String>,
}

impl Requirement {
    /// Returns the keys of patterns with their texts, in reading order.
    pub fn keys(&self) -> [(&'static str, &Option<String>); 13] {
        [
            ("always", &self.always),
            ("never", &self.never),
            ("possible", &self.possible),
            ("always_possible", &self.always_possible),
            ("at_start", &self.at_start),
            ("after", &self.after),
            ("if", &self.if_),
            ("for", &self.for_),
            ("from", &self.from),
            ("to", &self.to),
            ("earlier", &self.earlier),
            ("started", &self.started),
            ("then", &self.then),
        ]
    }
    /// Returns the field of a key; `None` if no pattern has such a key.
    pub fn key_mut(&mut self, key: &str) -> Option<&mut Option<String>> {
        Some(match key {
            "always" => &mut self.always,
            "never" => &mut self.never,
            "possible" => &mut self.possible,
            "always_possible" => &mut self.always_possible,
            "at_start" => &mut self.at_start,
            "after" => &mut self.after,
            "if" => &mut self.if_,
            "for" => &mut self.for_,
            "from" => &mut self.from,
            "to" => &mut self.to,
            "earlier" => &mut self.earlier,
            "started" => &mut self.started,
            "then" => &mut self.then,
            _ => return None,
        })
    }
}

/// A requirement file that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}, column {column}: {message}")]
pub struct Unreadable {
    /// Description of the mistake; for an unknown key with the known ones.
    pub message: String,
    /// 1-based.
    pub line: u64,
    /// 1-based.
    pub column: u64,
}

/// Returns the library's message without its place, and without the library's own names.
fn plain(words: &str) -> String {
    let words = words.strip_prefix("error: ").unwrap_or(words);
    let place = |rest: &str| {
        let rest = rest.trim_start_matches(|c: char| c.is_ascii_digit()).strip_prefix(" column ")?;
        rest.trim_start_matches(|c: char| c.is_ascii_digit()).strip_prefix(": ").map(str::to_owned)
    };
    let words = words.strip_prefix("line ").and_then(place).unwrap_or_else(|| words.to_owned());
    if let Some(key) = words.strip_prefix("duplicate mapping key: ").and_then(|rest| rest.split(", ").next()) {
        return format!("the key `{key}` stands here a second time; keep one of them");
    }
    match words.as_str() {
        "expected sequence start" => "a list belongs here: each entry on a line of its own, behind `- `".to_owned(),
        "expected mapping start" => "a key with what belongs to it belongs here, as in `never: A AND B`".to_owned(),
        "expected string scalar" => "a text belongs here, neither a list nor keys".to_owned(),
        _ => words,
    }
}

impl Specification {
    /// Reads a requirement file. An empty one states nothing; JSON is YAML too.
    pub fn from_yaml(text: &str) -> Result<Specification, Unreadable> {
        let is_blank = |l: &str| l.trim_start_matches('\u{feff}').trim().is_empty() || l.trim_start().starts_with('#');
        let only_comments = text.lines().all(is_blank);
        if only_comments {
            return Ok(Specification::default());
        }
        super::yaml::read(text).map_err(|e| {
            let at = e.location();
            let whole = e.to_string();
            // The place stands in its own fields; the library's excerpt is for terminals only.
            let message = plain(whole.lines().next().unwrap_or("this is no YAML"));
            Unreadable { message, line: at.map_or(1, |l| l.line()), column: at.map_or(1, |l| l.column()) }
        })
    }
    /// Returns the specification as a requirement file, for users who keep the result of a form.
    pub fn to_yaml(&self) -> String {
        super::yaml::write(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requirement_files_are_read_and_errors_have_their_place() {
        let check = |text: &str, expected: Result<usize, (u64, &str)>| match (Specification::from_yaml(text), expected) {
            (Ok(spec), Ok(n)) => assert_eq!(spec.requirements.len(), n, "{text}"),
            (Err(e), Err((line, words))) => {
                assert_eq!(e.line, line, "{text}: {e}");
                assert!(e.message.contains(words), "{text}: {e}");
            }
            (got, wanted) => panic!("{text}: {got:?} instead of {wanted:?}"),
        };
        check("", Ok(0));
        check("# nothing yet\n", Ok(0));
        check("requirements:\n  - never: A AND B\n  - if: A\n    then: B\n", Ok(2));
        check("{\"requirements\": [{\"always\": \"A\"}]}", Ok(1));
        check("requirements:\n  - nevr: A\n", Err((2, "nevr")));
        check("requirement:\n  - never: A\n", Err((1, "requirement")));
        check("requirements:\n  - never: [A\n", Err((2, "")));
        check("cycle: soon\n", Err((1, "cycle time")));
        check("cycle: 50\n", Ok(0));
        check("cycle: 5ms..20ms\n", Ok(0));
        check("cycle: { min: 5, max: 20ms }\n", Ok(0));
        check("cycle: 20ms..5ms\n", Err((1, "lower end")));
        check("cycle: 0\n", Err((1, "cycle time")));
        check("cycle: [5ms]\n", Err((1, "cycle: write")));
        check("cycle: 5.5\n", Err((1, "cycle")));
        check("entry: A\nentry: B\n", Err((2, "the key `entry` stands here a second time")));
        check("just text", Err((1, "a key with what belongs to it")));
        check("requirements: 5\n", Err((1, "a list belongs here")));
        check("requirements:\n  never: A\n", Err((2, "a list belongs here")));
        check("requirements: [5]\n", Err((1, "as in `never: A AND B`")));
        check("requirements:\n  - never: { a: b }\n", Err((2, "a text belongs here")));
        check("cycle: { min: 5ms, max: 6ms, mid: 7ms }\n", Err((1, "cycle: write")));
    }

    #[test]
    fn messages_have_no_place_and_no_names_of_the_library() {
        for text in ["cycle: [1]\n", "cycle: soon\n", "a: 1\n", "entry: A\nentry: B\n", "requirements: [{ nevr: A }]\n"] {
            let said = Specification::from_yaml(text).unwrap_err().message;
            assert!(!["error", "line 1", "line 2", "untagged", "Options"].iter().any(|w| said.contains(w)), "{said}");
        }
    }

    #[test]
    fn what_is_written_reads_back() {
        let text = "entry: Main\ncycle: { min: 5ms, max: 2s }\nassumptions:\n  - { text: 'a: b # c', expr: \"X <> 'q'\" }\n\
            requirements:\n  - { id: R1, never: 'A AND B' }\n  - { after: A, if: B, then: C }\n  - { pattern: pattern-invariant, params: [A] }\n\
            checks: [watchdog]\n";
        let spec = Specification::from_yaml(text).unwrap();
        assert_eq!(Specification::from_yaml(&spec.to_yaml()).unwrap(), spec, "{}", spec.to_yaml());
    }
}
