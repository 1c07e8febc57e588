//! Reports on sets as tables on a terminal.

use super::counts::{PouCounts, percent};
use super::reasons::Reason;
use super::report::{Listed, Report, SetReport};
use super::stub_uses::StubUse;
use crate::cli::print::out;
use kernel::context::count;

/// Maximum number of kinds of gaps that are listed for a set.
const KINDS: usize = 12;
/// Maximum number of reasons that are listed for a set.
const REASONS: usize = 10;

/// Maximum number of stubs that are listed for a set.
const STUBS: usize = 10;

/// Prints one row for each set, then its details, then one line for all.
pub(super) fn report(report: &Report) {
    let name = |set: &SetReport| set.set.trim_end_matches('/').rsplit('/').next().unwrap_or(&set.set).to_owned();
    let width = report.sets.iter().map(|s| name(s).chars().count()).max().unwrap_or(0).max(3);
    out(&format!(
        "{:width$}  {:>5}  {:>5}  {:>6}  {:>5}  {:>8}  {:>8}  {:>6}  {:>7}  {:>6}  {:>10}  {:>5}  {:>6}  {:>7}  {:>6}",
        "set",
        "files",
        "read",
        "%",
        "POUs",
        "on purp.",
        "resolved",
        "%",
        "w/stubs",
        "%",
        "interfaces",
        "alike",
        "%",
        "not und.",
        "%"
    ));
    for set in &report.sets {
        let name = name(set);
        let (counts, n_read, read_percent) = (&set.pous, set.n_read, set.read_percent);
        out(&format!("{name:width$}  {:>5}  {n_read:>5}  {read_percent:>6.1}  {}", set.n_files, columns(counts)));
    }
    out(LEGEND);
    runs(report, &name, width);
    report.sets.iter().for_each(details);
    totals(report);
}

/// Meaning of the columns about POUs.
const LEGEND: &str = "on purp.: part of a test of wrong programs, and found wrong; resolved: no error in the POU or in anything that \
it uses, and no stubs; w/stubs: the same with stubs, POUs of which only the interface is known; interfaces: those of them of which \
only the interface is in the set, such as code in C; alike: run equally in the \
interpreter and in the model (--run); not und.: not understood, all others; %: share of the POUs that are not wrong on purpose";

/// Returns the columns about POUs.
fn columns(counts: &PouCounts) -> String {
    let n_alike = counts.n_run_alike.map_or("-".to_owned(), |n| n.to_string());
    let alike = counts.run_alike_percent.map_or("-".to_owned(), |percent| format!("{percent:.1}"));
    format!(
        "{:>5}  {:>8}  {:>8}  {:>6.1}  {:>7}  {:>6.1}  {:>10}  {n_alike:>5}  {alike:>6}  {:>8}  {:>6.1}",
        counts.n_pous,
        counts.n_wrong_on_purpose_pous,
        counts.n_resolved_without_stubs,
        counts.resolved_without_stubs_percent,
        counts.n_resolved_with_stubs,
        counts.resolved_with_stubs_percent,
        counts.n_stubs,
        counts.n_not_understood,
        counts.not_understood_percent
    )
}

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
            set.pous.n_resolved(),
            runs.n_equal,
            runs.n_equal_with_gaps,
            runs.stops.len(),
            runs.different.len(),
            runs.not_lowered.len(),
            runs.out_of_time.len(),
            percent(runs.n_alike(), set.pous.n_resolved())
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
    if let Some((file, ms)) = &set.slowest {
        out(&format!("  slowest file: {ms:.1} ms {file}"));
    }
    reasons(set);
    stubs(set);
    rows("wrong on purpose", &set.wrong_on_purpose);
    let ours: Vec<&Listed> = set.not_resolved.iter().filter(|pou| !pou.is_lacking).map(|pou| &pou.error).collect();
    rows("not understood, and not only because of names that nothing declares", ours);
    if let Some(runs) = &set.runs {
        rows("different in interpreter and model", &runs.different);
        rows("not lowered", &runs.not_lowered);
        rows("equal until something that is not modelled", &runs.stops);
        rows("equal until the time was over", &runs.out_of_time);
    }
}

/// Prints the most frequent reasons why POUs are not understood.
fn reasons(set: &SetReport) {
    if set.reasons.is_empty() {
        return;
    }
    let n_reasons = count(set.reasons.len(), "reason");
    out(&format!("  {} not understood, for {n_reasons}:", count(set.pous.n_not_understood, "POU")));
    for Reason { reason, code, n_pous, n_only, is_lacking, place } in set.reasons.iter().take(REASONS) {
        let lacking = if *is_lacking { "; nothing in the upload declares it" } else { "" };
        out(&format!("  {n_pous:>5} ({n_only} for this alone)  {code} {reason} ({place}){lacking}"));
    }
    if REASONS < set.reasons.len() {
        out(&format!("        and {} more", set.reasons.len() - REASONS));
    }
}

/// Prints the stubs that most POUs with statements use: with their code, more is decided without conditions.
fn stubs(set: &SetReport) {
    if set.stubs.is_empty() {
        return;
    }
    let n_users = set.pous.n_resolved_with_stubs - set.pous.n_stubs;
    out(&format!("  {} with statements use {}:", count(n_users, "POU"), count(set.stubs.len(), "stub")));
    for StubUse { name, is_inferred, n_pous, n_only } in set.stubs.iter().take(STUBS) {
        let inferred = if *is_inferred { "; no file declares it" } else { "" };
        out(&format!("  {n_pous:>5} ({n_only} for this alone)  `{name}`{inferred}"));
    }
    if STUBS < set.stubs.len() {
        out(&format!("        and {} more", set.stubs.len() - STUBS));
    }
}

fn rows<'l>(title: &str, rows: impl IntoIterator<Item = &'l Listed>) {
    let mut rows = rows.into_iter().peekable();
    if rows.peek().is_none() {
        return;
    }
    let rows: Vec<&Listed> = rows.collect();
    out(&format!("  {title}: {}", rows.len()));
    for row in rows {
        let code = row.code.map_or(" ".to_owned(), |code| format!("{}: {code} ", row.line));
        out(&format!("    {}:{code}{}", row.name, row.message));
    }
}

/// Prints the lines that scripts read; the last one is about files.
fn totals(report: &Report) {
    let counts = &report.pous;
    let whole = count(counts.n_counted(), "POU");
    let read = format!("read: {:.1} % of {}", report.read_percent, count(report.n_files, "file"));
    if counts.n_counted() == 0 {
        out(&format!("\nno POU was found\n{read}"));
        return;
    }
    out(&format!(
        "\nresolved: {:.1} % of {whole} ({:.1} % without stubs, {:.1} % with stubs); {} wrong on purpose do not count",
        percent(counts.n_resolved(), counts.n_counted()),
        counts.resolved_without_stubs_percent,
        counts.resolved_with_stubs_percent,
        count(counts.n_wrong_on_purpose_pous, "POU")
    ));
    if 0 < counts.n_stubs {
        out(&format!(
            "with statements: {:.1} % of {} resolved without stubs; {} use what no file of the set declares; of {} only the \
             interface is there",
            counts.with_statements_percent,
            count(counts.n_with_statements(), "POU"),
            counts.n_lacking,
            count(counts.n_stubs, "POU")
        ));
    }
    if let (Some(n_alike), Some(alike_percent)) = (counts.n_run_alike, counts.run_alike_percent) {
        let n_different: usize = report.sets.iter().filter_map(|s| s.runs.as_ref()).map(|r| r.different.len()).sum();
        let n_resolved = counts.n_resolved();
        out(&format!(
            "run alike: {alike_percent:.1} % of {whole} ({:.1} % of {n_resolved} resolved), {n_different} different",
            percent(n_alike, n_resolved)
        ));
    }
    out(&format!("not understood: {:.1} % of {whole}", counts.not_understood_percent));
    out(&read);
}

fn first(names: &[String]) -> String {
    const SHOWN: usize = 5;
    let shown = names.iter().take(SHOWN).cloned().collect::<Vec<_>>().join(", ");
    if SHOWN < names.len() { format!("{shown}, …") } else { shown }
}
