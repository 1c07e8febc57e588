//! Arguments of `bench`.

use super::limits;
use crate::cli::BrokerArgs;
use crate::cli::args::AgentNeedsArgs;
use clap::Args;
use std::path::PathBuf;

/// Suite, configurations, limits and output of `bench`.
#[derive(Args)]
pub struct BenchArgs {
    /// Files and directories: PLC programs with the requirement files beside them, models in Theta's text format (.cfa,
    /// .theta). Every file is a program of its own
    #[arg(required = true, value_name = "SUITE")]
    pub(in crate::cli) suite: Vec<PathBuf>,
    /// Sets of configurations by name, or YAML files of `name: {engine, options}`, separated by commas; `help` lists the sets
    #[arg(long, value_name = "NAMES", default_value = "default")]
    pub(in crate::cli) configs: String,
    /// Time for each run, as it passes: 10s, 2min
    #[arg(long, value_name = "TIME", default_value = "10s", value_parser = limits::time)]
    pub(in crate::cli) time: std::time::Duration,
    /// Processor time for each run, all threads together: what is left when other work disturbs. Give --time some times as much
    #[arg(long, value_name = "TIME", value_parser = limits::time)]
    pub(in crate::cli) cpu: Option<std::time::Duration>,
    /// Memory for each run: 512MiB, 4GiB
    #[arg(long, value_name = "SIZE", default_value = "1GiB", value_parser = limits::memory)]
    pub(in crate::cli) memory: u64,
    /// Repetitions of each case with each configuration
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=100))]
    pub(in crate::cli) repeat: u32,
    /// Runs at the same time; more than one disturb each other. With --broker, certifications at the same time
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=64))]
    pub(in crate::cli) jobs: u32,
    /// Folder of the tables and the page
    #[arg(long, value_name = "DIR", default_value = "scanproof-bench")]
    pub(in crate::cli) out: PathBuf,
    /// CSV file `model,safe` of expected answers; models that it does not name are left out
    #[arg(long, value_name = "FILE")]
    pub(in crate::cli) expect: Option<PathBuf>,
    /// After each answer, write its certificate and check it, outside of the measurement; one that is refused is an error
    #[arg(long)]
    pub(in crate::cli) certificates: bool,
    /// Two configurations to compare case by case: A,B; default: the two that solve most
    #[arg(long, value_name = "A,B")]
    pub(in crate::cli) scatter: Option<String>,
    #[command(flatten)]
    pub(in crate::cli) broker: BrokerArgs,
    #[command(flatten)]
    pub(in crate::cli) agent: AgentNeedsArgs,
    /// Do not show progress
    #[arg(long, short)]
    pub(in crate::cli) quiet: bool,
}
