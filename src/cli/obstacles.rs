//! Obstacles to answers: parts that are left out, findings, gaps, and files that are no part of the program.

use super::print::{Detail, complain, mistake, out};
use super::programs::RequirementFile;
use super::text::{count, indent};
use crate::report::outcome::{Import, Outcome};

/// Maximum number of parts shown that are left out.
const MOST_PARTS: usize = 20;
/// Maximum number of files shown that are no part of the program for the same reason, unless `-v` asks for all.
const MOST_ALIKE: usize = 2;

/// Prints all of it, the most important first.
pub(super) fn print(outcome: &Outcome, stated_in: Option<&RequirementFile>, detail: Detail) {
    findings(outcome, stated_in, detail);
    for (i, gap) in outcome.import.gaps.iter().enumerate() {
        if i == 0 && !outcome.results.is_empty() {
            out("  Not modelled exactly, or taken for granted:");
        }
        out(&format!("  ⚠ {}: {}: {}", gap.place.pointer(), gap.construct, gap.effect));
    }
    ignored(&outcome.import, detail);
}

/// Prints the parts of a project that are left out because of errors.
pub(super) fn left_out(import: &Import) {
    if import.left_out.is_empty() {
        return;
    }
    out(&format!("  {} left out because of errors (-v shows them in full):", count(import.left_out.len(), "part")));
    for part in import.left_out.iter().take(MOST_PARTS) {
        let place = part.place.pointer();
        out(&format!("    {place}: {} `{}`: {}", part.kind_words(), part.name, part.message).replace(" ``", ""));
    }
    if MOST_PARTS < import.left_out.len() {
        out(&format!("    and {} more", import.left_out.len() - MOST_PARTS));
    }
}

fn findings(outcome: &Outcome, stated_in: Option<&RequirementFile>, detail: Detail) {
    left_out(&outcome.import);
    // The parts that are left out name their errors.
    let is_brief = matches!(detail, Detail::Brief);
    for finding in &outcome.import.diagnostics {
        match finding.severity.as_str() {
            "error" if is_brief && finding.left_out => {}
            "error" => complain(&indent(&finding.rendered)),
            _ => out(&indent(&finding.rendered)),
        }
    }
    for problem in &outcome.problems {
        mistake(problem, stated_in, "  ").iter().for_each(|line| complain(line));
    }
}

/// Prints what is no part of the program; files with one reason share a line.
fn ignored(import: &Import, detail: Detail) {
    let mut rows: Vec<(&str, &str, Vec<String>)> = Vec::new();
    for part in &import.ignored {
        let place = part.place.pointer();
        match rows.iter_mut().find(|(what, why, _)| (*what, *why) == (part.what.as_str(), part.why.as_str())) {
            Some((.., places)) => places.push(place),
            None => rows.push((&part.what, &part.why, vec![place])),
        }
    }
    for (what, why, places) in rows {
        let n_shown = match detail {
            Detail::Brief if MOST_ALIKE < places.len() => 1,
            Detail::Brief | Detail::Full => places.len(),
        };
        for (i, place) in places.iter().take(n_shown).enumerate() {
            let others = places.len() - n_shown;
            let more = if i == 0 && 0 < others { format!(" and {others} more places") } else { String::new() };
            out(&format!("  · {place}{more}: {what}: {why}"));
        }
    }
}
