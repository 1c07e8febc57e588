//! How much of a set is read: every file alone for its syntax, the files of each project together for what they mean.

use std::collections::{BTreeMap, BTreeSet};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Instant;

use plc_frontend::ast::{Item, Pou};
use plc_frontend::codes::NO_ENTRY;
use plc_frontend::diagnostic::{Diagnostic, Severity};
use plc_frontend::lang;
use plc_frontend::source::{FileId, Origin, SourceFile, SourceSet, line_col};
use plc_frontend::{LoadOptions, load};
use serde::Serialize;

use super::sets::{SetFile, groups};

/// A report on all sets.
#[derive(Serialize)]
pub(super) struct Report {
    /// Version of this format; 1.
    format: u32,
    /// Of all sets together.
    pub(super) read_percent: f64,
    /// Of all sets together; files that are no programs do not count.
    pub(super) n_files: usize,
    /// One per path.
    pub(super) sets: Vec<SetReport>,
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
    pub(super) n_pous: usize,
    /// Those without an error in their names and types.
    pub(super) n_resolved_pous: usize,
    /// What is not modelled exactly, and how often.
    pub(super) gaps: BTreeMap<String, usize>,
    /// Codes of errors in names and types, and how often.
    pub(super) errors: BTreeMap<&'static str, usize>,
    /// The file that took longest to read, and its milliseconds.
    pub(super) slowest: Option<(String, f64)>,
    /// Files with an error.
    pub(super) not_read: Vec<NotRead>,
    /// POUs with an error in their names and types.
    pub(super) not_resolved: Vec<NotRead>,
}

/// A file or POU with its first error.
#[derive(Serialize)]
pub(super) struct NotRead {
    /// The file, or the POU.
    pub(super) name: String,
    /// `P####`; absent if the file could not be opened at all.
    pub(super) code: Option<&'static str>,
    /// 1-based.
    pub(super) line: u32,
    /// What is wrong.
    pub(super) message: String,
}

impl Report {
    pub(super) fn new(sets: Vec<SetReport>) -> Report {
        let n_files = sets.iter().map(|s| s.n_files).sum();
        let n_read = sets.iter().map(|s| s.n_read).sum();
        Report { format: 1, read_percent: percent(n_read, n_files), n_files, sets }
    }
}

/// Reads a set.
pub(super) fn of(set: String, files: &[SetFile]) -> SetReport {
    let mut report = SetReport {
        set,
        n_files: 0,
        n_read: 0,
        n_wrong_on_purpose: 0,
        read_percent: 0.0,
        no_programs: Vec::new(),
        n_pous: 0,
        n_resolved_pous: 0,
        gaps: BTreeMap::new(),
        errors: BTreeMap::new(),
        slowest: None,
        not_read: Vec::new(),
        not_resolved: Vec::new(),
    };
    for file in files {
        read(file, &mut report);
    }
    for (_, members) in groups(files) {
        resolve(files, &members, &mut report);
    }
    report.read_percent = percent(report.n_read, report.n_files);
    report
}

/// One file alone.
fn read(file: &SetFile, report: &mut SetReport) {
    if let Some(problem) = &file.problem {
        report.n_files += 1;
        report.not_read.push(NotRead { name: file.name.clone(), code: None, line: 1, message: problem.clone() });
        return;
    }
    let source = SourceFile { name: file.name.clone(), text: file.text.clone(), origin: Origin::User };
    let started = Instant::now();
    let parsed = catch_unwind(AssertUnwindSafe(|| lang::parse(FileId(0), &source)));
    let duration_ms = started.elapsed().as_secs_f64() * 1000.0;
    let Ok(parsed) = parsed else {
        report.n_files += 1;
        let message = "internal error: reading it ended early".to_owned();
        report.not_read.push(NotRead { name: file.name.clone(), code: None, line: 1, message });
        return;
    };
    let error = parsed.diagnostics.iter().find(|d| d.severity == Severity::Error);
    let is_no_program = match error {
        Some(error) => is_no_program(error) || (error.code == "P1022" && parsed.value.items.is_empty()),
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
            report.not_read.push(NotRead { name: file.name.clone(), code: None, line: 1, message });
        }
        (Purpose::Right | Purpose::Maybe, None) => report.n_read += 1,
        (Purpose::Right, Some(error)) => report.not_read.push(not_read(file.name.clone(), &file.text, error)),
    }
}

/// What a file of a set of test programs is for.
enum Purpose {
    /// To be read.
    Right,
    /// To be found wrong.
    Wrong,
    /// To show mistakes, of which some are mistakes in its syntax.
    Maybe,
}

/// Sets of test programs hold files that are wrong on purpose. In the set of IronPLC their names say so; those with
/// `semantic_error` and `invalid` are wrong in names and types only, so their text must be read. The set of ControlForge
/// has folders of mistakes that an editor should mark.
fn purpose(name: &str) -> Purpose {
    let stem = name.rsplit('/').next().and_then(|last| last.split('.').next()).unwrap_or("");
    if stem.ends_with("syntax_error") || stem == "binary_file" {
        Purpose::Wrong
    } else if ["manual-tests/code-actions/", "manual-tests/diagnostics/"].iter().any(|folder| name.contains(folder)) {
        Purpose::Maybe
    } else {
        Purpose::Right
    }
}

/// An XML file of a kind that no engineering system writes, or a file without any declaration. (Statements without
/// any declaration around them are a piece of a program, pasted: no program either.)
fn is_no_program(error: &Diagnostic) -> bool {
    matches!(error.code, "P0003" | "P0010")
}

/// The files of one program together.
fn resolve(files: &[SetFile], members: &[usize], report: &mut SetReport) {
    let mut set = SourceSet::default();
    for at in members {
        set.add(files[*at].name.clone(), files[*at].text.clone());
    }
    let options = LoadOptions { most_findings: Some(usize::MAX), ..LoadOptions::default() };
    let loaded = catch_unwind(AssertUnwindSafe(|| {
        let pous: Vec<Pou> = set.files.iter_enumerated().flat_map(|(id, file)| pous(lang::parse(id, file).value.items)).collect();
        (pous, load(&set, &options))
    }));
    let Ok((pous, loaded)) = loaded else {
        let message = "internal error: resolving this program ended early".to_owned();
        let name = files[members[0]].name.clone();
        report.not_resolved.push(NotRead { name, code: None, line: 1, message });
        return;
    };
    for gap in &loaded.value.ledger.gaps {
        *report.gaps.entry(gap.construct.clone()).or_default() += 1;
    }
    let errors: Vec<&Diagnostic> = loaded.diagnostics.iter().filter(|d| d.severity == Severity::Error).collect();
    for error in errors.iter().filter(|e| is_of_meaning(e)) {
        *report.errors.entry(error.code).or_default() += 1;
    }
    // That a library has no PROGRAM is no mistake in it.
    let errors_of_pous = errors.iter().enumerate().filter(|(_, e)| e.code != NO_ENTRY);
    let places: BTreeSet<(FileId, u32, usize)> = errors_of_pous.map(|(i, e)| (e.span().file, e.span().start, i)).collect();
    for pou in pous {
        report.n_pous += 1;
        let inside = (pou.span.file, pou.span.start, 0)..(pou.span.file, pou.span.end, 0);
        match places.range(inside).next() {
            None => report.n_resolved_pous += 1,
            Some((file, _, at)) => {
                let text = set.files.get(*file).map_or("", |f| f.text.as_str());
                report.not_resolved.push(not_read(pou.name.text, text, errors[*at]));
            }
        }
    }
}

fn is_of_meaning(error: &Diagnostic) -> bool {
    !error.code.starts_with("P0") && !error.code.starts_with("P1") && error.code != NO_ENTRY
}

fn pous(items: Vec<Item>) -> Vec<Pou> {
    let mut open = items;
    let mut found = Vec::new();
    while let Some(item) = open.pop() {
        match item {
            Item::Pou(pou) => found.push(pou),
            Item::Namespace(namespace) => open.extend(namespace.items),
            Item::Type(_)
            | Item::Globals(_)
            | Item::Interface(_)
            | Item::Configuration(_)
            | Item::Using(_)
            | Item::Unsupported(..) => {}
        }
    }
    found.reverse();
    found
}

fn not_read(name: String, text: &str, error: &Diagnostic) -> NotRead {
    let line = line_col(text, error.span().start as usize).line;
    NotRead { name, code: Some(error.code), line, message: error.message.clone() }
}

fn percent(part: usize, whole: usize) -> f64 {
    if whole == 0 { 100.0 } else { (part as f64 * 1000.0 / whole as f64).floor() / 10.0 }
}
