//! What was understood, for people on a terminal.

use super::report::{NotRead, Report, SetReport};
use crate::cli::print::out;
use crate::report::outcome::Import;

/// Kinds of gaps that are listed for a set.
const KINDS: usize = 12;

/// The ledger of one program.
pub(super) fn import(import: &Import) {
    out("POUs");
    for pou in &import.pous {
        out(&format!("  {} {}  {}:{}  {} statements", pou.kind, pou.name, pou.place.file, pou.place.line, pou.n_statements));
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
    for finding in &import.diagnostics {
        out(finding.rendered.trim_end());
    }
    let n_errors = import.diagnostics.iter().filter(|d| d.severity == "error").count();
    out(&format!("{n_errors} errors, {} warnings", import.diagnostics.len() - n_errors));
}

/// The sets one below the other, then what is not read, then one line for all.
pub(super) fn report(report: &Report) {
    let name = |set: &SetReport| set.set.trim_end_matches('/').rsplit('/').next().unwrap_or(&set.set).to_owned();
    let width = report.sets.iter().map(|s| name(s).chars().count()).max().unwrap_or(0).max(3);
    out(&format!(
        "{:width$}  {:>5}  {:>5}  {:>6}  {:>5}  {:>8}  {:>6}  {:>5}  slowest file",
        "set", "files", "read", "%", "POUs", "resolved", "%", "gaps"
    ));
    for set in &report.sets {
        let resolved = set.n_resolved_pous as f64 * 100.0 / set.n_pous.max(1) as f64;
        let slowest = set.slowest.as_ref().map_or(String::new(), |(file, ms)| format!("{ms:.1} ms {file}"));
        let n_gaps: usize = set.gaps.values().sum();
        out(&format!(
            "{:width$}  {:>5}  {:>5}  {:>6.1}  {:>5}  {:>8}  {:>6.1}  {:>5}  {slowest}",
            name(set),
            set.n_files,
            set.n_read,
            set.read_percent,
            set.n_pous,
            set.n_resolved_pous,
            resolved,
            n_gaps
        ));
    }
    for set in &report.sets {
        out(&format!("\n{}", set.set));
        if 0 < set.n_wrong_on_purpose {
            out(&format!("  {} files are wrong on purpose and found to be", set.n_wrong_on_purpose));
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
        let rows = |title: &str, rows: &[NotRead]| {
            if !rows.is_empty() {
                out(&format!("  {title}: {}", rows.len()));
            }
            for row in rows {
                let code = row.code.map_or(String::new(), |code| format!("{code} "));
                out(&format!("    {}:{}: {code}{}", row.name, row.line, row.message));
            }
        };
        rows("not read", &set.not_read);
        rows("not resolved", &set.not_resolved);
    }
    out(&format!("\nread: {:.1} % of {} files", report.read_percent, report.n_files));
}

fn first(names: &[String]) -> String {
    const SHOWN: usize = 5;
    let shown = names.iter().take(SHOWN).cloned().collect::<Vec<_>>().join(", ");
    if SHOWN < names.len() { format!("{shown}, …") } else { shown }
}
