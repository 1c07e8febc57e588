//! `scanproof import`: the imports of programs, without verifying anything.
//!
//! [`sets`] finds files and groups them, [`report`] reads, [`pous`] looks at each POU by itself, [`counts`] counts. [`reasons`] says
//! why POUs are not understood, with the names that are [`lacking`]. [`stubs`] writes inferred declarations. [`table`] and
//! [`report_table`] print.

mod counts;
mod lacking;
mod pous;
mod reasons;
mod report;
mod report_table;
mod sets;
mod stub_uses;
mod stubs;
mod table;

use plc_frontend::dialect::DialectId;
use plc_frontend::{LoadOptions, load_isolated};

use super::print::{json, out};
use super::programs::sources;
use super::{BAD_INPUT, Failure};
use crate::cli::args::dialect;
use crate::report::import::import;
use clap::Args;
use std::path::PathBuf;

/// Arguments of `import`.
#[derive(Args)]
pub struct ImportArgs {
    /// Source files, zip archives or directories; all of one program, or with --report each a set of its own
    #[arg(required = true, value_name = "PATH")]
    pub(in crate::cli) paths: Vec<PathBuf>,
    /// For each path: numbers of files that are read without error and of POUs that are understood, the most frequent reasons why
    /// POUs are not, and unmodelled constructs
    #[arg(long)]
    pub(in crate::cli) report: bool,
    /// With --report: run every resolved POU for CYCLES cycles of random inputs, in the interpreter and in the model. All
    /// variables are compared after each cycle
    #[arg(long, value_name = "CYCLES", requires = "report", num_args = 0..=1, default_missing_value = "100",
          value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub(in crate::cli) run: Option<u32>,
    /// Project to read, where the files hold several; with --report, all are read
    #[arg(long, value_name = "NAME", conflicts_with = "report")]
    pub(in crate::cli) project: Option<String>,
    /// Dialect that the program is written in: iec, codesys, twincat, siemens-classic, siemens-tia, matiec, logix. Constructs that the
    /// dialect lacks are errors then; default: the one that is detected
    #[arg(long, value_name = "NAME", value_parser = dialect)]
    pub(in crate::cli) dialect: Option<DialectId>,
    /// Write the declarations of missing blocks, functions and types, as their uses imply them, into this directory: one file for
    /// each, to correct and to give with the program. Files that exist stay
    #[arg(long, value_name = "DIR", conflicts_with = "report")]
    pub(in crate::cli) stubs: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    pub(in crate::cli) json: bool,
}

/// Options for all sets.
#[derive(Clone, Copy)]
struct Chosen {
    /// Number of cycles that each POU is run; none if absent.
    cycles: Option<u32>,
    /// The dialect of all of them; detected if absent.
    dialect: Option<DialectId>,
}

/// Deep programs need a deep stack; virtual memory.
const STACK_BYTES: usize = 512 << 20;

/// Reads everything that was named.
pub(super) fn run(args: &ImportArgs) -> Result<u8, Failure> {
    let work = || if args.report { report(args) } else { ledger(args) };
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(STACK_BYTES).spawn_scoped(scope, work);
        let thread = thread.map_err(Failure::internal)?;
        thread.join().unwrap_or_else(|_| Err(Failure::internal("reading ended early")))
    })
}

/// Prints the ledger of one program.
fn ledger(args: &ImportArgs) -> Result<u8, Failure> {
    let set = sources(&args.paths)?;
    let options = LoadOptions { project: args.project.clone(), dialect: args.dialect, ..LoadOptions::default() };
    let loaded = load_isolated(&set, &options);
    let import = import(&loaded.value, &loaded.diagnostics);
    let written = args.stubs.as_ref().map(|folder| stubs::write(folder, &import.inferred)).transpose()?;
    if args.json {
        json(&import)?;
    } else {
        table::import(&import);
        written.into_iter().flatten().for_each(|path| out(&format!("wrote {}", path.display())));
    }
    Ok(if import.is_understood() { 0 } else { BAD_INPUT })
}

/// Prints a report on each set.
fn report(args: &ImportArgs) -> Result<u8, Failure> {
    let mut reports = Vec::new();
    for path in &args.paths {
        let chosen = Chosen { cycles: args.run, dialect: args.dialect };
        reports.push(report::of(path.display().to_string(), &sets::files(path)?, chosen));
    }
    let report = report::Report::new(reports);
    if args.json {
        json(&report)?;
    } else {
        report_table::report(&report);
    }
    Ok(0)
}
