//! Arguments of each command.

use std::path::PathBuf;

use clap::Args;
use plc_frontend::dialect::{DIALECTS, DialectId};

use super::bench;
use crate::report::format::names;
use crate::run::job::Limits;
use kernel::property::spec::{CycleTime, CycleTimeText, Specification};

/// Arguments of `verify`.
#[derive(Args)]
pub struct VerifyArgs {
    /// ST files of one program; or directories, in which every ST file is a program of its own, with the requirement
    /// file of the same name (`pump.st`, `pump.yaml`) beside it
    #[arg(required_unless_present = "engine", value_name = "FILE")]
    pub(super) files: Vec<PathBuf>,
    #[command(flatten)]
    pub(super) stated: StatementArgs,
    /// Id of a requirement, assertion or check to decide; may be repeated; default: all of them
    #[arg(long, value_name = "ID")]
    pub(super) requirement: Vec<String>,
    /// Leave out the assertions in the program text. Also `assertions: false` in the requirement file
    #[arg(long)]
    pub(super) no_assertions: bool,
    /// Print one JSON document (see `scanproof schema`) and nothing else
    #[arg(long)]
    pub(super) json: bool,
    #[command(flatten)]
    pub(super) limits: LimitArgs,
    /// Engine to use; default: a strategy that needs no choice. `scanproof verify --engine help` lists them
    #[arg(long, value_name = "NAME")]
    pub(super) engine: Option<String>,
    /// Option of the engine, as name=value; may be repeated
    #[arg(long = "option", value_name = "NAME=VALUE")]
    pub(super) options: Vec<String>,
    /// Write a page there (index.html) with the timeline, the automaton and the graph of each iteration, for engines that
    /// have such graphs (cegar, impact)
    #[arg(long, value_name = "DIR")]
    pub(super) explain: Option<PathBuf>,
    #[arg(long, value_name = "FORMAT=DIR", help = format!("Write reports to a folder, as FORMAT=DIR; may be repeated. Formats: {}", names()))]
    pub(super) report: Vec<String>,
    /// After the answers, search for each requirement that holds which small changes of the program it would notice (whether
    /// it notices any is tried anyway). Also `mutants: true` in the requirement file
    #[arg(long)]
    pub(super) mutants: bool,
    /// Print with each proof the run that puts the requirement to the test
    #[arg(long, short)]
    pub(super) verbose: bool,
    /// Output of an earlier `verify --json`, or report.json of the service: its proofs and runs are tried on the program as
    /// it is now before anything is searched for. Each is certified anew; a FILE that is not there yet is no error
    #[arg(long, value_name = "FILE", conflicts_with = "engine")]
    pub(super) reuse: Option<PathBuf>,
    /// Short for --report certificate=DIR: the certificate of each answer, proofs as SMT-LIB (.smt2), violations as the inputs of each cycle (.json);
    /// `scanproof check-certificate` checks them
    #[arg(long, value_name = "DIR")]
    pub(super) certificates: Option<PathBuf>,
    /// Short for --report witness=DIR: the requirement as a C file, and a witness of its answer (YAML, as validators of SV-COMP
    /// read it)
    #[arg(long, value_name = "DIR")]
    pub(super) witnesses: Option<PathBuf>,
    /// Do not show progress
    #[arg(long, short)]
    pub(super) quiet: bool,
}

/// Reading of a program: its entry and its dialect.
#[derive(Args, Clone)]
pub(super) struct ReadingArgs {
    /// PROGRAM or FUNCTION_BLOCK to run; default: all programs
    #[arg(long, value_name = "NAME")]
    pub(super) entry: Option<String>,
    /// Dialect that the program is written in: iec, codesys, twincat, siemens-classic, siemens-tia, matiec. Constructs that the
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
    /// Replaces the rows of a specification that are given here.
    pub(super) fn apply(&self, specification: &mut Specification) {
        specification.cycle = self.cycle.or(specification.cycle);
        specification.dialect = self.reading.dialect.or(specification.dialect);
        if self.reading.entry.is_some() {
            specification.entry.clone_from(&self.reading.entry);
        }
    }
}

/// Returns the dialect of this name.
fn dialect(name: &str) -> Result<DialectId, String> {
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
    #[arg(long, value_name = "TIME", default_value = "600", value_parser = seconds)]
    pub(super) time_limit: u32,
    /// Memory of the worker in MB
    #[arg(long, value_name = "MB", default_value_t = 4096, value_parser = clap::value_parser!(u32).range(256..=1_000_000))]
    pub(super) memory_limit: u32,
}

impl From<LimitArgs> for Limits {
    fn from(limits: LimitArgs) -> Limits {
        Limits { wall_s: limits.time_limit, memory_mb: limits.memory_limit }
    }
}

/// Arguments of `fmt`.
#[derive(Args)]
pub struct FmtArgs {
    /// Source files, zip archives or directories of one program
    #[arg(required = true, value_name = "PATH")]
    pub(super) paths: Vec<PathBuf>,
    #[command(flatten)]
    pub(super) reading: ReadingArgs,
    /// Print nothing; exit with 3 if the file is not written as it would be printed
    #[arg(long)]
    pub(super) check: bool,
}

/// Arguments of `import`.
#[derive(Args)]
pub struct ImportArgs {
    /// Source files, zip archives or directories; all of one program, or with --report each a set of its own
    #[arg(required = true, value_name = "PATH")]
    pub(super) paths: Vec<PathBuf>,
    /// For each path: how many of its files are read without error, how many POUs are understood, what is not modelled
    #[arg(long)]
    pub(super) report: bool,
    /// With --report: run every resolved POU for so many cycles of random inputs, in the interpreter and in the model. All
    /// variables are compared after each cycle
    #[arg(long, value_name = "CYCLES", requires = "report", num_args = 0..=1, default_missing_value = "100",
          value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub(super) run: Option<u32>,
    /// Dialect that the program is written in: iec, codesys, twincat, siemens-classic, siemens-tia, matiec. Constructs that the
    /// dialect lacks are errors then; default: the one that is detected
    #[arg(long, value_name = "NAME", value_parser = dialect)]
    pub(super) dialect: Option<DialectId>,
    /// Print JSON
    #[arg(long)]
    pub(super) json: bool,
}

/// Arguments of `export`.
#[derive(Args)]
pub struct ExportArgs {
    /// Files of one program
    #[arg(required = true, value_name = "FILE")]
    pub(super) files: Vec<PathBuf>,
    /// Id of the requirement, assertion or automatic check; may be left out where there is only one
    #[arg(long, value_name = "ID")]
    pub(super) requirement: Option<String>,
    /// theta, chc (SMT-LIB Horn clauses), btor2, smv or c
    #[arg(long, value_name = "FORMAT")]
    pub(super) format: String,
    /// Leave out the parts that cannot influence the answer; default: the whole program
    #[arg(long)]
    pub(super) reduced: bool,
    /// Write to this file; default: standard output
    #[arg(long, value_name = "FILE")]
    pub(super) out: Option<PathBuf>,
    #[command(flatten)]
    pub(super) stated: StatementArgs,
    #[command(flatten)]
    pub(super) limits: LimitArgs,
}

/// Arguments of `check-certificate`.
#[derive(Args)]
#[command(after_help = "Exit codes: 0 certified · 40 it does not show what it says · 30 not found out · \
                        3 it is no certificate of this program and requirement, or something cannot be read")]
pub struct CheckCertificateArgs {
    /// The certificate
    #[arg(value_name = "CERTIFICATE")]
    pub(super) certificate: PathBuf,
    /// Files of the program that it is about
    #[arg(long, required = true, num_args = 1.., value_name = "FILE")]
    pub(super) program: Vec<PathBuf>,
    #[command(flatten)]
    pub(super) stated: StatementArgs,
    /// Ask this solver, which reads SMT-LIB from its standard input, as `z3 -in`; default: the cvc5 that is part of this program
    #[arg(long, value_name = "COMMAND")]
    pub(super) solver: Option<String>,
    /// Print JSON
    #[arg(long)]
    pub(super) json: bool,
    #[command(flatten)]
    pub(super) limits: LimitArgs,
}

/// Arguments of `simulate`.
#[derive(Args)]
pub struct SimulateArgs {
    /// Source files of one program
    #[arg(required = true, value_name = "FILE")]
    pub(super) files: Vec<PathBuf>,
    #[command(flatten)]
    pub(super) reading: ReadingArgs,
    /// Number of cycles; default: those of --stimuli, else 10
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub(super) cycles: Option<u32>,
    /// Requirement file (YAML); default: the file of the same name with .yaml or .yml, if there is one. Its environment counts:
    /// `inputs`, `parameters`, `memory`, `frozen`, their ranges and `start`, and `entry`, `dialect` and `cycle`. Requirements and
    /// assumptions are not looked at
    #[arg(long, alias = "requirements", value_name = "FILE")]
    pub(super) req: Option<PathBuf>,
    /// CSV file of inputs: their names, then one row per cycle; empty cells change nothing. A column `time` says when each
    /// cycle starts, in milliseconds or as T#1s200ms
    #[arg(long, value_name = "FILE")]
    pub(super) stimuli: Option<PathBuf>,
    /// Milliseconds between cycles; default: `cycle` of the requirement file (of a range the lower end, with --random any of it),
    /// else 100
    #[arg(long, value_name = "MS", value_parser = clap::value_parser!(u32).range(1..=3_600_000))]
    pub(super) dt: Option<u32>,
    /// From cycle C on the input has this value, as C:NAME=VALUE (an ST literal); may be repeated
    #[arg(long = "set", value_name = "C:NAME=VALUE")]
    pub(super) sets: Vec<String>,
    /// Give every input a random value of its range in every cycle, reproducible by this number; parameters, memory with any start
    /// and, at a warm start, RETAIN variables get one before the first cycle
    #[arg(long, value_name = "SEED")]
    pub(super) random: Option<u64>,
    /// Only these variables; may be repeated
    #[arg(long = "show", value_name = "NAME")]
    pub(super) show: Vec<String>,
    /// CSV instead of a table
    #[arg(long)]
    pub(super) csv: bool,
    /// A value change dump (VCD) for waveform viewers instead of a table
    #[arg(long, conflicts_with = "csv")]
    pub(super) vcd: bool,
    /// Write it to this file instead of printing it
    #[arg(long, value_name = "FILE")]
    pub(super) out: Option<PathBuf>,
}

/// Arguments of `bench`.
#[derive(Args)]
pub struct BenchArgs {
    /// Files and directories: PLC programs with the requirement files beside them, models in Theta's text format (.cfa,
    /// .theta). Every file is a program of its own
    #[arg(required = true, value_name = "SUITE")]
    pub(super) suite: Vec<PathBuf>,
    /// Sets of configurations by name, or YAML files of `name: {engine, options}`, separated by commas; `help` lists the sets
    #[arg(long, value_name = "NAMES", default_value = "default")]
    pub(super) configs: String,
    /// Time for each run, as it passes: 10s, 2min
    #[arg(long, value_name = "TIME", default_value = "10s", value_parser = bench::limits::time)]
    pub(super) time: std::time::Duration,
    /// Processor time for each run, all threads together: what is left when other work disturbs. Give --time some times as much
    #[arg(long, value_name = "TIME", value_parser = bench::limits::time)]
    pub(super) cpu: Option<std::time::Duration>,
    /// Memory for each run: 512MiB, 4GiB
    #[arg(long, value_name = "SIZE", default_value = "1GiB", value_parser = bench::limits::memory)]
    pub(super) memory: u64,
    /// Repetitions of each case with each configuration
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=100))]
    pub(super) repeat: u32,
    /// Runs at the same time; more than one disturb each other
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=64))]
    pub(super) jobs: u32,
    /// Folder of the tables and the page
    #[arg(long, value_name = "DIR", default_value = "scanproof-bench")]
    pub(super) out: PathBuf,
    /// CSV file `model,safe` of expected answers; what it does not name is left out
    #[arg(long, value_name = "FILE")]
    pub(super) expect: Option<PathBuf>,
    /// After each answer, write its certificate and check it, outside of what is measured; one that is refused is an error
    #[arg(long)]
    pub(super) certificates: bool,
    /// Two configurations to compare case by case: A,B; default: the two that solve most
    #[arg(long, value_name = "A,B")]
    pub(super) scatter: Option<String>,
    /// Do not show progress
    #[arg(long, short)]
    pub(super) quiet: bool,
}

/// Arguments of `serve`.
#[derive(Args)]
pub struct ServeArgs {
    /// Address and port; port 0 takes a free one
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:8080", env = "SCANPROOF_LISTEN")]
    pub(super) listen: std::net::SocketAddr,
    /// Folder of the database; made if it does not exist
    #[arg(long, value_name = "DIR", default_value = "scanproof-data", env = "SCANPROOF_DATA")]
    pub(super) data: PathBuf,
    /// Runs at the same time; default: one for each two cores
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=64))]
    pub(super) workers: Option<u32>,
    /// Log as JSON lines
    #[arg(long)]
    pub(super) log_json: bool,
}

/// Arguments of `selftest`.
#[derive(Args)]
pub struct SelftestArgs {
    #[command(flatten)]
    pub(super) limits: LimitArgs,
    /// Only samples whose name contains this
    #[arg(long, value_name = "TEXT")]
    pub(super) only: Option<String>,
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
