//! `scanproof import`: what is understood of programs, without verifying anything.
//!
//! [`sets`] finds files and groups them, [`report`] reads and counts, [`pous`] looks at each POU by itself, [`table`] prints.

mod pous;
mod report;
mod sets;
mod table;

use plc_frontend::dialect::DialectId;
use plc_frontend::source::SourceSet;
use plc_frontend::{LoadOptions, load};

use super::print::{complain, out};
use super::programs::sources;
use super::{BAD_INPUT, INTERNAL, ImportArgs};
use crate::report::import::import;

/// How sets are looked at.
#[derive(Clone, Copy)]
struct Chosen {
    /// So many are run of each POU that can be run.
    cycles: Option<u32>,
    /// The dialect of all of them; detected if absent.
    dialect: Option<DialectId>,
}

/// Deep programs need a deep stack; virtual memory.
const STACK_BYTES: usize = 512 << 20;

/// Reads everything that was named.
pub(super) fn run(args: &ImportArgs) -> u8 {
    let work = || if args.report { report(args) } else { ledger(args) };
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(STACK_BYTES).spawn_scoped(scope, work);
        match thread.map(std::thread::ScopedJoinHandle::join) {
            Ok(Ok(code)) => code,
            Ok(Err(_)) | Err(_) => INTERNAL,
        }
    })
}

/// What became of one program.
fn ledger(args: &ImportArgs) -> u8 {
    let texts = match sources(&args.paths) {
        Ok(texts) => texts,
        Err(problem) => {
            complain(&format!("error: {}", problem.0));
            return BAD_INPUT;
        }
    };
    let mut set = SourceSet::default();
    for text in texts {
        set.add(text.name, text.text);
    }
    let loaded = load(&set, &LoadOptions { dialect: args.dialect, ..LoadOptions::default() });
    let import = import(&loaded.value, &loaded.diagnostics);
    if args.json {
        match serde_json::to_string_pretty(&import) {
            Ok(text) => out(&text),
            Err(e) => {
                complain(&format!("internal error: {e}"));
                return INTERNAL;
            }
        }
    } else {
        table::import(&import);
    }
    if loaded.has_errors() { BAD_INPUT } else { 0 }
}

/// How much of each set is read.
fn report(args: &ImportArgs) -> u8 {
    let mut reports = Vec::new();
    for path in &args.paths {
        match sets::files(path) {
            Ok(files) => {
                reports.push(report::of(path.display().to_string(), &files, Chosen { cycles: args.run, dialect: args.dialect }))
            }
            Err(problem) => {
                complain(&format!("error: {}", problem.0));
                return BAD_INPUT;
            }
        }
    }
    let report = report::Report::new(reports);
    if args.json {
        match serde_json::to_string_pretty(&report) {
            Ok(text) => out(&text),
            Err(e) => {
                complain(&format!("internal error: {e}"));
                return INTERNAL;
            }
        }
    } else {
        table::report(&report);
    }
    0
}
