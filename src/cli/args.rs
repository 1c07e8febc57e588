//! Arguments that several commands share.

use std::path::PathBuf;

use clap::Args;
use plc_frontend::dialect::{DIALECTS, DialectId};

use crate::run::agent_needs::{AgentNeeds, read_label};
use crate::run::limits::Limits;
use kernel::property::spec::{CycleTime, CycleTimeText, Specification};

/// Agents of a fleet that may do a run.
#[derive(Args, Clone, Debug)]
pub(super) struct AgentNeedsArgs {
    /// Label that the agent has (`scanproof agent --label`); a run waits for one
    #[arg(long, value_name = "NAME", value_parser = read_label)]
    pub(super) label: Option<String>,
    /// Fewest processor cores of the agent's machine
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(super) cores: Option<u32>,
}

impl AgentNeedsArgs {
    /// Returns the needs.
    pub(super) fn needs(&self) -> AgentNeeds {
        AgentNeeds { label: self.label.clone(), cores: self.cores }
    }
}

/// Reading of a program: its entry and its dialect.
#[derive(Args, Clone)]
pub(super) struct ReadingArgs {
    /// PROGRAM or FUNCTION_BLOCK to run; default: all programs
    #[arg(long, value_name = "NAME")]
    pub(super) entry: Option<String>,
    /// Project to run, where the files hold several; default: `project:` of the requirement file, or the only one that is no test
    #[arg(long, value_name = "NAME")]
    pub(super) project: Option<String>,
    /// Dialect that the program is written in: iec, codesys, twincat, siemens-classic, siemens-tia, matiec, logix. Constructs that the
    /// dialect lacks are errors then; default: `dialect:` of the requirement file, or the one that is detected
    #[arg(long, value_name = "NAME", value_parser = dialect)]
    pub(super) dialect: Option<DialectId>,
}

/// Statements about a program: its requirement file, and the rows of it that the command line replaces.
#[derive(Args, Clone)]
pub(super) struct StatementArgs {
    /// Requirement file (YAML); default: the file of the same name with .yaml or .yml, if there is one
    #[arg(long, alias = "requirements", value_name = "FILE")]
    pub(super) req: Option<PathBuf>,
    #[command(flatten)]
    pub(super) reading: ReadingArgs,
    /// Time between cycles, as 100ms or 5ms..120ms
    #[arg(long, value_name = "TIME", value_parser = cycle)]
    pub(super) cycle: Option<CycleTime>,
}

impl StatementArgs {
    /// Replaces the rows of a specification that are given here. The project is chosen before, with the files.
    pub(super) fn apply(&self, specification: &mut Specification) {
        specification.cycle = self.cycle.or(specification.cycle);
        specification.dialect = self.reading.dialect.or(specification.dialect);
        if self.reading.entry.is_some() {
            specification.entry.clone_from(&self.reading.entry);
        }
    }
}

/// Returns the dialect of this name.
pub(super) fn dialect(name: &str) -> Result<DialectId, String> {
    let names = || DIALECTS.iter().map(|row| row.name).collect::<Vec<_>>().join(", ");
    DialectId::named(name).ok_or_else(|| format!("there is no dialect `{name}`; choose one of {}", names()))
}

fn cycle(text: &str) -> Result<CycleTime, String> {
    CycleTime::try_from(CycleTimeText::Exact(text.into()))
}

/// Returns seconds of `30`, `30s`, `5m` or `1h`.
fn seconds(text: &str) -> Result<u32, String> {
    let units = [("min", 60), ("m", 60), ("h", 3600), ("s", 1), ("", 1)];
    let found = units.iter().find_map(|(unit, factor)| Some((text.trim().strip_suffix(unit)?.trim(), factor)));
    let seconds = found.and_then(|(number, factor)| number.parse::<u32>().ok()?.checked_mul(*factor));
    let help = || "write whole seconds, or 30s, 5m or 1h; from 1s to 1000000s".to_owned();
    seconds.filter(|s| (1..=1_000_000).contains(s)).ok_or_else(help)
}

/// Limits of a run.
#[derive(Args, Clone, Copy)]
pub struct LimitArgs {
    /// Wall-clock time for each program: seconds, or 30s, 5m, 1h
    #[arg(long, value_name = "TIME", default_value_t = Limits::default().wall_s, value_parser = seconds)]
    pub(super) time_limit: u32,
    /// Memory of the worker in MB
    #[arg(long, value_name = "MB", default_value_t = Limits::default().memory_mb, value_parser = clap::value_parser!(u32).range(256..=1_000_000))]
    pub(super) memory_limit: u32,
}

impl From<LimitArgs> for Limits {
    fn from(limits: LimitArgs) -> Limits {
        Limits { wall_s: limits.time_limit, memory_mb: limits.memory_limit }
    }
}

#[cfg(test)]
mod tests {
    use super::seconds;

    #[test]
    fn time_limits_have_units_or_are_seconds() {
        let check = |text: &str, expected: Option<u32>| assert_eq!(seconds(text).ok(), expected, "{text}");
        check("30", Some(30));
        check("30s", Some(30));
        check("5m", Some(300));
        check("5min", Some(300));
        check(" 1 h ", Some(3600));
        check("0", None);
        check("1.5h", None);
        check("30ms", None);
        check("-1", None);
        check("", None);
        check("278h", None);
        check("4294967295h", None);
    }
}
