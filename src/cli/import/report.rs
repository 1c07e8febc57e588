//! Report on a set: every file alone for its syntax, the files of each project together for their meaning.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Instant;

use plc_frontend::ast::Item;
use plc_frontend::diagnostic::{Diagnostic, Severity};
use plc_frontend::lang;
use plc_frontend::source::{FileId, Origin, SourceFile, line_col};
use serde::Serialize;

use super::Chosen;
use super::counts::{PouCounts, Runs, percent};
use super::pous::Look;
use super::reasons::{NotResolved, Reason};
use super::sets::{Purpose, SetFile, groups, purpose};
use super::stub_uses::StubUse;

/// A report on all sets.
#[derive(Serialize)]
pub(super) struct Report {
    /// Version of this format; 2.
    format: u32,
    /// Of all sets together.
    pub(super) read_percent: f64,
    /// Of all sets together; files that are no programs do not count.
    pub(super) n_files: usize,
    /// POUs of all sets together.
    #[serde(flatten)]
    pub(super) pous: PouCounts,
    /// One per path.
    pub(super) sets: Vec<SetReport>,
}

impl Listed {
    /// Returns a row about an internal error.
    pub(super) fn internal(name: &str, what: &str) -> Listed {
        Listed { name: name.to_owned(), code: None, line: 1, message: format!("internal error: {what}") }
    }
}

/// A report on one set.
#[derive(Serialize)]
pub(super) struct SetReport {
    /// The path.
    pub(super) set: String,
    /// Files that hold programs.
    pub(super) n_files: usize,
    /// Those that are read without an error, and those that are wrong on purpose and found to be.
    pub(super) n_read: usize,
    /// Those that are wrong on purpose and found to be.
    pub(super) n_wrong_on_purpose: usize,
    /// In percent.
    pub(super) read_percent: f64,
    /// Files that are no programs, which do not count.
    pub(super) no_programs: Vec<String>,
    /// PROGRAMs, FUNCTION_BLOCKs and FUNCTIONs.
    #[serde(flatten)]
    pub(super) pous: PouCounts,
    /// Reasons why POUs are not understood, the most frequent first.
    pub(super) reasons: Vec<Reason>,
    /// Stubs in POUs with statements, the most frequent first.
    pub(super) stubs: Vec<StubUse>,
    /// Those that are wrong on purpose and found to be, with their error.
    pub(super) wrong_on_purpose: Vec<Listed>,
    /// Constructs that are not modelled exactly, with their numbers.
    pub(super) gaps: BTreeMap<String, usize>,
    /// Codes of errors in names and types, and how often.
    pub(super) errors: BTreeMap<&'static str, usize>,
    /// The file that took longest to read, and its milliseconds.
    pub(super) slowest: Option<(String, f64)>,
    /// Files with an error.
    pub(super) not_read: Vec<Listed>,
    /// All other POUs with an error.
    pub(super) not_resolved: Vec<NotResolved>,
    /// Results of the runs, if they were run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) runs: Option<Runs>,
}

/// A file or POU with its first error.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Listed {
    /// The file, or the POU.
    pub(super) name: String,
    /// `P####`; absent if the file could not be opened at all.
    pub(super) code: Option<&'static str>,
    /// 1-based.
    pub(super) line: u32,
    /// The error in a sentence.
    pub(super) message: String,
}

impl Report {
    pub(super) fn new(sets: Vec<SetReport>) -> Report {
        let n_files = sets.iter().map(|s| s.n_files).sum();
        let n_read = sets.iter().map(|s| s.n_read).sum();
        let mut pous = PouCounts::default();
        sets.iter().for_each(|set| pous.add(&set.pous));
        Report { format: 2, read_percent: percent(n_read, n_files), n_files, pous, sets }
    }
}

/// Reads a set.
pub(super) fn of(set: String, files: &[SetFile], chosen: Chosen) -> SetReport {
    let mut report = SetReport {
        set,
        n_files: 0,
        n_read: 0,
        n_wrong_on_purpose: 0,
        read_percent: 0.0,
        no_programs: Vec::new(),
        pous: PouCounts::default(),
        reasons: Vec::new(),
        stubs: Vec::new(),
        wrong_on_purpose: Vec::new(),
        gaps: BTreeMap::new(),
        errors: BTreeMap::new(),
        slowest: None,
        not_read: Vec::new(),
        not_resolved: Vec::new(),
        runs: None,
    };
    for file in files {
        read(file, &mut report);
    }
    let mut look = Look::new(chosen, &mut report);
    for group in groups(files) {
        look.at(files, &group);
    }
    let found = look.causes();
    (report.not_resolved, report.reasons, report.stubs) = (found.unresolved, found.reasons, found.stubs);
    report.read_percent = percent(report.n_read, report.n_files);
    report.pous.n_not_understood = report.not_resolved.len();
    report.pous.n_wrong_on_purpose_pous = report.wrong_on_purpose.len();
    report.pous.n_run_alike = report.runs.as_ref().map(Runs::n_alike);
    report.pous.rate();
    report
}

/// Reads one file alone.
fn read(file: &SetFile, report: &mut SetReport) {
    if let Some(problem) = &file.problem {
        report.n_files += 1;
        report.not_read.push(Listed { name: file.name.clone(), code: None, line: 1, message: problem.clone() });
        return;
    }
    let source = SourceFile::new(file.name.clone(), file.text.clone(), Origin::User);
    let started = Instant::now();
    let parsed = catch_unwind(AssertUnwindSafe(|| lang::parse(FileId(0), &source)));
    let duration_ms = started.elapsed().as_secs_f64() * 1000.0;
    let Ok(parsed) = parsed else {
        report.n_files += 1;
        report.not_read.push(Listed::internal(&file.name, "reading it ended early"));
        return;
    };
    let error = parsed.diagnostics.iter().find(|d| d.severity == Severity::Error);
    let is_no_program = match error {
        Some(error) => is_no_program(error) || is_pasted(error, &parsed.value.items) || lang::is_foreign(&file.name, &file.text),
        None => parsed.value.items.is_empty() && !parsed.value.ignored.is_empty(),
    };
    if is_no_program {
        report.no_programs.push(file.name.clone());
        return;
    }
    report.n_files += 1;
    if report.slowest.as_ref().is_none_or(|(_, longest)| *longest < duration_ms) {
        report.slowest = Some((file.name.clone(), duration_ms));
    }
    match (purpose(&file.name), error) {
        (Purpose::Wrong | Purpose::Maybe, Some(_)) => {
            report.n_wrong_on_purpose += 1;
            report.n_read += 1;
        }
        (Purpose::Wrong, None) => {
            let message = "wrong on purpose, and no error was found".to_owned();
            report.not_read.push(Listed { name: file.name.clone(), code: None, line: 1, message });
        }
        (Purpose::Right | Purpose::WrongInMeaning | Purpose::Maybe, None) => report.n_read += 1,
        (Purpose::Right | Purpose::WrongInMeaning, Some(error)) => {
            let line = line_col(&file.text, error.span().start as usize).line;
            report.not_read.push(Listed {
                name: file.name.clone(),
                code: Some(error.code),
                line,
                message: error.message.clone(),
            });
        }
    }
}

/// Returns whether a file is XML of a kind that no engineering system writes, or has no declaration.
fn is_no_program(error: &Diagnostic) -> bool {
    matches!(error.code, "P0003" | "P0010")
}

/// Returns whether a file holds statements without a declaration that are no whole program: a piece of one, or prose.
fn is_pasted(error: &Diagnostic, items: &[Item]) -> bool {
    let is_unnamed = |item: &Item| matches!(item, Item::Pou(pou) if pou.is_unnamed());
    items.iter().all(is_unnamed) && (error.code == "P1022" || !items.is_empty())
}
