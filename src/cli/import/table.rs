//! Import of one program as a table on a terminal.

use crate::cli::obstacles::left_out;
use crate::cli::print::out;
use crate::report::outcome::Import;
use kernel::context::count;

/// Maximum number of uses that are listed for an inferred declaration.
const USES: usize = 8;

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
        out(&format!("  ⚠ {}: {}: {}", gap.place.pointer(), gap.construct, gap.effect));
    }
    for part in &import.ignored {
        out(&format!("  · {}: {}: {}", part.place.pointer(), part.what, part.why));
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
