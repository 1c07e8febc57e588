//! Imports as tables on a terminal.

use super::pous::most_needed;
use super::report::{Listed, Report, Runs, SetReport, percent};
use crate::cli::print::{left_out, out};
use crate::report::outcome::Import;
use kernel::context::count;

/// Maximum number of kinds of gaps that are listed for a set.
const KINDS: usize = 12;
/// Maximum number of uses that are listed for an inferred declaration.
const USES: usize = 8;
/// Maximum number of missing names that are listed for a set.
const NAMES: usize = 40;

/// Prints the ledger of one program.
pub(super) fn import(import: &Import) {
    out("POUs");
    for pou in &import.pous {
        let statements = count(pou.n_statements, "statement");
        out(&format!("  {} {}  {}:{}  {statements}", pou.kind, pou.name, pou.place.file, pou.place.line));
    }
    if !import.runs.is_empty() {
        out(&format!("runs every cycle: {}", import.runs.join(", ")));
    }
    let modelled: Vec<String> = import.modelled.iter().map(|(kind, n)| format!("{n} × {kind}")).collect();
    out(&format!("modelled exactly: {}", if modelled.is_empty() { "nothing".to_owned() } else { modelled.join(", ") }));
    out(&format!("not modelled exactly: {}", import.gaps.len()));
    for gap in &import.gaps {
        out(&format!("  ⚠ {}:{}: {}: {}", gap.place.file, gap.place.line, gap.construct, gap.effect));
    }
    for part in &import.ignored {
        out(&format!("  · {}:{}: {}: {}", part.place.file, part.place.line, part.what, part.why));
    }
    inferred(import);
    left_out(import);
    for entry in &import.entries {
        let way = match &entry.first_gap {
            Some(place) => {
                format!("up to {} not modelled, the first in {}:{}", count(entry.n_gaps, "statement"), place.file, place.line)
            }
            None => "understood as a whole".to_owned(),
        };
        out(&format!("  entry {} {}: {way}", entry.kind, entry.name));
    }
    for finding in import.diagnostics.iter().filter(|finding| !finding.left_out) {
        out(finding.rendered.trim_end());
    }
    let n_errors = import.diagnostics.iter().filter(|d| d.severity == "error").count();
    out(&format!("{}, {}", count(n_errors, "error"), count(import.diagnostics.len() - n_errors, "warning")));
}

/// Prints the declarations that uses imply.
fn inferred(import: &Import) {
    for row in &import.inferred {
        let uses: Vec<String> = row.uses.iter().take(USES).map(|place| format!("{}:{}", place.file, place.line)).collect();
        let more = if USES < row.uses.len() { ", …" } else { "" };
        out(&format!("  ⚠ {}: no file declares it; its declaration is taken from its uses: {}{more}", row.name, uses.join(", ")));
    }
    if !import.inferred.is_empty() {
        out("  --stubs DIR writes these declarations as files, to correct and to give with the program");
    }
}

/// Prints one row for each set, then its details, then one line for all.
pub(super) fn report(report: &Report) {
    let name = |set: &SetReport| set.set.trim_end_matches('/').rsplit('/').next().unwrap_or(&set.set).to_owned();
    let width = report.sets.iter().map(|s| name(s).chars().count()).max().unwrap_or(0).max(3);
    out(&format!(
        "{:width$}  {:>5}  {:>5}  {:>6}  {:>5}  {:>7}  {:>8}  {:>8}  {:>6}  {:>5}  slowest file",
        "set", "files", "read", "%", "POUs", "lacking", "on purp.", "resolved", "%", "gaps"
    ));
    for set in &report.sets {
        let slowest = set.slowest.as_ref().map_or(String::new(), |(file, ms)| format!("{ms:.1} ms {file}"));
        let n_gaps: usize = set.gaps.values().sum();
        out(&format!(
            "{:width$}  {:>5}  {:>5}  {:>6.1}  {:>5}  {:>7}  {:>8}  {:>8}  {:>6.1}  {:>5}  {slowest}",
            name(set),
            set.n_files,
            set.n_read,
            set.read_percent,
            set.n_pous,
            set.missing.len(),
            set.wrong_on_purpose.len(),
            set.n_resolved_pous,
            set.resolved_percent,
            n_gaps
        ));
    }
    out(LEGEND);
    runs(report, &name, width);
    report.sets.iter().for_each(details);
    totals(report);
}

/// Meaning of the columns about POUs.
const LEGEND: &str = "lacking: every error is an unknown name, and nothing in the project has that name (a library is missing); \
on purp.: part of a test of wrong programs, and found wrong; resolved: no error in the POU or in anything that it uses; \
%: share of the POUs that neither lack a name nor are wrong on purpose";

/// Prints the results of running POUs.
fn runs(report: &Report, name: &dyn Fn(&SetReport) -> String, width: usize) {
    if report.sets.iter().all(|s| s.runs.is_none()) {
        return;
    }
    out(&format!(
        "\n{:width$}  {:>8}  {:>5}  {:>9}  {:>5}  {:>9}  {:>11}  {:>4}  {:>6}",
        "set", "resolved", "equal", "with gaps", "stops", "different", "not lowered", "time", "%"
    ));
    for set in &report.sets {
        let Some(runs) = &set.runs else { continue };
        out(&format!(
            "{:width$}  {:>8}  {:>5}  {:>9}  {:>5}  {:>9}  {:>11}  {:>4}  {:>6.1}",
            name(set),
            set.n_resolved_pous,
            runs.n_equal,
            runs.n_equal_with_gaps,
            runs.stops.len(),
            runs.different.len(),
            runs.not_lowered.len(),
            runs.out_of_time.len(),
            percent(runs.n_alike(), set.n_resolved_pous)
        ));
    }
    out("equal: after each cycle of random inputs every variable is the same in the interpreter and in the model; with gaps: \
         equal, but gaps of the model took the interpreter's values; stops: equal until something that is not modelled");
}

/// Prints the details of a set.
fn details(set: &SetReport) {
    out(&format!("\n{}", set.set));
    if 0 < set.n_wrong_on_purpose {
        out(&format!("  {} files are wrong on purpose and found wrong", set.n_wrong_on_purpose));
    }
    if !set.no_programs.is_empty() {
        out(&format!("  {} files are no programs: {}", set.no_programs.len(), first(&set.no_programs)));
    }
    let mut gaps: Vec<(&String, &usize)> = set.gaps.iter().collect();
    gaps.sort_by_key(|(kind, n)| (std::cmp::Reverse(**n), (*kind).clone()));
    for (kind, n) in gaps.iter().take(KINDS) {
        out(&format!("  ⚠ {n} × {kind}"));
    }
    if KINDS < gaps.len() {
        out(&format!("  ⚠ and {} other kinds", gaps.len() - KINDS));
    }
    for (code, n) in &set.errors {
        let title = plc_frontend::codes::explain(code).map_or("", |(title, _)| title);
        out(&format!("  {code} × {n}: {title}"));
    }
    rows("not read", &set.not_read);
    if !set.missing.is_empty() {
        let names: Vec<String> = most_needed(&set.not_there).into_iter().map(|(name, n)| format!("{name} ({n})")).collect();
        let n = names.len();
        let named = names.into_iter().take(NAMES).collect::<Vec<_>>().join(", ");
        let more = if NAMES < n { format!(" and {} more", n - NAMES) } else { String::new() };
        out(&format!("  {} POUs lack {n} names that nothing here declares: {named}{more}", set.missing.len()));
    }
    rows("wrong on purpose", &set.wrong_on_purpose);
    rows("not resolved", &set.not_resolved);
    if let Some(runs) = &set.runs {
        rows("different in interpreter and model", &runs.different);
        rows("not lowered", &runs.not_lowered);
        rows("equal until something that is not modelled", &runs.stops);
        rows("equal until the time was over", &runs.out_of_time);
    }
}

fn rows(title: &str, rows: &[Listed]) {
    if !rows.is_empty() {
        out(&format!("  {title}: {}", rows.len()));
    }
    for row in rows {
        let code = row.code.map_or(" ".to_owned(), |code| format!("{}: {code} ", row.line));
        out(&format!("    {}:{code}{}", row.name, row.message));
    }
}

/// Prints the lines that scripts read; the last one is about files.
fn totals(report: &Report) {
    let sum = |count: &dyn Fn(&SetReport) -> usize| report.sets.iter().map(count).sum::<usize>();
    let (n_pous, n_resolved) = (sum(&|s| s.n_pous), sum(&|s| s.n_resolved_pous));
    let n_with_libraries = sum(&SetReport::n_with_libraries);
    out(&format!(
        "\nresolved: {:.1} % of {n_with_libraries} POUs whose libraries are there ({:.1} % of all {n_pous})",
        percent(n_resolved, n_with_libraries),
        percent(n_resolved, n_pous)
    ));
    if report.sets.iter().any(|s| s.runs.is_some()) {
        let of = |count: &dyn Fn(&Runs) -> usize| sum(&|s| s.runs.as_ref().map_or(0, count));
        let (n_alike, n_different) = (of(&Runs::n_alike), of(&|r| r.different.len()));
        out(&format!(
            "run alike: {:.1} % of {n_resolved} resolved POUs ({:.1} % of all {n_pous}), {n_different} different",
            percent(n_alike, n_resolved),
            percent(n_alike, n_pous)
        ));
    }
    out(&format!("read: {:.1} % of {} files", report.read_percent, report.n_files));
}

fn first(names: &[String]) -> String {
    const SHOWN: usize = 5;
    let shown = names.iter().take(SHOWN).cloned().collect::<Vec<_>>().join(", ");
    if SHOWN < names.len() { format!("{shown}, …") } else { shown }
}
