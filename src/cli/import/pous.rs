//! Each POU of a project, resolved with everything that it names, and run.
//!
//! A POU falls into one of four groups by the errors of its part of the program ([`plc_frontend::part`]). Errors in the
//! POUs that it uses count too:
//! - *resolved*: there is no error.
//! - *wrong on purpose*: it stands in a test of wrong programs (`sets::purpose`) and its own text has an error.
//! - *library not there*: every error says that a name is unknown, and no declaration of the project, in whatever scope,
//!   has that name (of a type or function: no POU, type, interface or member); nor is it a name that a system documents as
//!   a part of its language ([`LANGUAGE`]), which would be ours. A name with a library before it that stands nowhere either
//!   is that library's, whatever it is; standard libraries ([`STANDARD`]) would be ours.
//! - *not resolved*: everything else. It is ours, or the program's own mistake: each is listed with its first error.

use std::collections::{BTreeMap, BTreeSet};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

use plc_frontend::ast::Pou;
use plc_frontend::codes::{NO_ENTRY, NO_GLOBAL, UNKNOWN_FUNCTION, UNKNOWN_NAME, UNKNOWN_TYPE};
use plc_frontend::diagnostic::{Diagnostic, Severity};
use plc_frontend::part::{PartId, Parts};
use plc_frontend::source::{SourceSet, line_col};
use plc_frontend::{LoadOptions, Loaded, load};

use super::Chosen;
use super::report::{Listed, Missing, SetReport};
use super::sets::{Purpose, SetFile, purpose};
use kernel::agree::{Answer, Options, compare};

/// Wall-clock time for the runs of one POU.
const TIME: Duration = Duration::from_secs(4);
/// Seed of the inputs: the same runs each time.
const SEED: u64 = 1;

/// Names that a system documents as a part of its language: that one is unknown is never a library's fault.
const LANGUAGE: &str = include_str!("language.txt");

/// Libraries of standard blocks: an unknown name in them is our gap.
const STANDARD: &[&str] = &["standard", "standard64", "iecstandard", "tc2_standard", "tc2_system", "tc2_utilities", "sysutil"];

/// Resolves the files of one program together, and each POU of it.
pub(super) fn look(files: &[SetFile], members: &[usize], chosen: Chosen, report: &mut SetReport) {
    let mut set = SourceSet::default();
    for at in members {
        set.add(files[*at].name.clone(), files[*at].text.clone());
    }
    let options = LoadOptions { most_findings: Some(usize::MAX), dialect: chosen.dialect, ..LoadOptions::default() };
    let Ok((parts, loaded)) = catch_unwind(AssertUnwindSafe(|| (Parts::read(&set), load(&set, &options)))) else {
        report.not_resolved.push(Listed::internal(&files[members[0]].name, "resolving this program ended early"));
        return;
    };
    for gap in &loaded.value.ledger.gaps {
        *report.gaps.entry(gap.construct.clone()).or_default() += 1;
    }
    for error in loaded.diagnostics.iter().filter(|e| is_of_meaning(e)) {
        *report.errors.entry(error.code).or_default() += 1;
    }
    for (id, pou) in parts.pous() {
        report.n_pous += 1;
        let look = catch_unwind(AssertUnwindSafe(|| one(&parts, id, pou, chosen, report)));
        if look.is_err() {
            report.not_resolved.push(Listed::internal(&pou.name.text, "looking at this POU ended early"));
        }
    }
}

fn is_of_meaning(finding: &Diagnostic) -> bool {
    let of_text = finding.code.starts_with("P0") || finding.code.starts_with("P1") || finding.code == NO_ENTRY;
    finding.severity == Severity::Error && !of_text
}

fn one(parts: &Parts, id: PartId, pou: &Pou, chosen: Chosen, report: &mut SetReport) {
    let options = LoadOptions { most_findings: Some(usize::MAX), dialect: chosen.dialect, ..LoadOptions::default() };
    let loaded = parts.alone(id, &options);
    let errors: Vec<&Diagnostic> = loaded.diagnostics.iter().filter(|d| d.severity == Severity::Error).collect();
    let Some(first) = errors.first() else {
        report.n_resolved_pous += 1;
        if let Some(cycles) = chosen.cycles {
            run(&loaded.value, &place(parts, pou), cycles, report);
        }
        return;
    };
    let within = |d: &&&Diagnostic| {
        let at = d.span();
        at.file == pou.span.file && pou.span.start <= at.start && at.start < pou.span.end
    };
    let file = parts.sources().files.get(pou.span.file).map_or("", |f| f.name.as_str());
    match (purpose(file), errors.iter().find(within), missing(parts, &errors)) {
        (Purpose::Wrong | Purpose::WrongInMeaning | Purpose::Maybe, Some(own), _) => {
            report.wrong_on_purpose.push(listed(parts, pou, own));
        }
        (_, _, Some(names)) => {
            for name in &names {
                *report.not_there.entry(name.clone()).or_default() += 1;
            }
            report.missing.push(Missing { name: place(parts, pou), names: names.into_iter().collect() });
        }
        (_, _, None) => {
            // An undeclared name tells less than any other error.
            let telling = errors.iter().find(|e| missing(parts, &[**e]).is_none()).unwrap_or(first);
            report.not_resolved.push(listed(parts, pou, telling));
        }
    }
}

/// Returns the undeclared names, if all errors are about such names.
fn missing(parts: &Parts, errors: &[&Diagnostic]) -> Option<BTreeSet<String>> {
    errors.iter().map(|error| nowhere(parts, error)).collect()
}

/// Returns the name that an error calls unknown, if no declaration of the project has it.
fn nowhere(parts: &Parts, error: &Diagnostic) -> Option<String> {
    if ![UNKNOWN_NAME, UNKNOWN_TYPE, UNKNOWN_FUNCTION, NO_GLOBAL].contains(&error.code) {
        return None;
    }
    let name = error.message.split('`').nth(1)?;
    let last = name.rsplit('.').next().unwrap_or(name).trim().to_ascii_lowercase();
    let is_language = is_of_language(&last) || last.starts_with('%');
    // `Library.TON`: a block of another library than the standard one is its own.
    let library = name.split('.').next().unwrap_or(name).trim().to_ascii_lowercase();
    let is_standard = STANDARD.contains(&library.as_str()) || (library.starts_with("__") && is_of_language(&library));
    if name.contains('.') && !is_standard && !parts.declares(&library) {
        return Some(name.to_owned());
    }
    let is_declared = if error.code == UNKNOWN_TYPE || error.code == UNKNOWN_FUNCTION {
        parts.declares_type_or_member(&last)
    } else {
        parts.declares(&last)
    };
    (!is_language && !is_declared).then(|| name.to_owned())
}

/// Returns whether a name stands in [`LANGUAGE`]; of a name with `__` the beginning counts.
fn is_of_language(name: &str) -> bool {
    let mut words = LANGUAGE.lines().filter(|line| !line.starts_with('#')).flat_map(str::split_whitespace);
    words.any(|word| name == word || (word.starts_with("__") && name.starts_with(word)))
}

/// Returns the file and the name of a POU.
fn place(parts: &Parts, pou: &Pou) -> String {
    let file = parts.sources().files.get(pou.span.file).map_or("", |f| f.name.as_str());
    format!("{file}: {}", pou.name.text)
}

fn listed(parts: &Parts, pou: &Pou, error: &Diagnostic) -> Listed {
    let at = error.span();
    let elsewhere = if at.file == pou.span.file { None } else { parts.sources().files.get(at.file) };
    let line = parts.sources().files.get(at.file).map_or(1, |f| line_col(&f.text, at.start as usize).line);
    let message = match elsewhere {
        Some(file) => format!("{} (in {})", error.message, file.name),
        None => error.message.clone(),
    };
    Listed { name: place(parts, pou), code: Some(error.code), line, message }
}

/// Runs a POU and enters the result.
fn run(loaded: &Loaded, name: &str, cycles: u32, report: &mut SetReport) {
    let runs = report.runs.get_or_insert_default();
    let listed = |message: String| Listed { name: name.to_owned(), code: None, line: 1, message };
    let answer = catch_unwind(AssertUnwindSafe(|| compare(&loaded.project, &Options { cycles, seed: SEED, time: TIME })));
    match answer {
        Ok(Answer::Equal(_)) => runs.n_equal += 1,
        Ok(Answer::EqualWithGaps(_)) => runs.n_equal_with_gaps += 1,
        Ok(Answer::StopsAtGap(gap, counts)) => {
            let construct = loaded.ledger.gaps.get(gap.0 as usize).map_or("", |g| g.construct.as_str());
            runs.stops.push(listed(format!("{construct} (after {} cycles)", counts.cycles + counts.faults)));
        }
        Ok(Answer::Different(difference)) => {
            runs.different.push(listed(format!("cycle {}: {}", difference.cycle + 1, difference.what)));
        }
        Ok(Answer::NotLowered(problem)) => runs.not_lowered.push(listed(problem.to_string())),
        Ok(Answer::OutOfTime(counts)) => {
            runs.out_of_time.push(listed(format!("equal for {} cycles", counts.cycles + counts.faults)));
        }
        Err(_) => runs.different.push(listed("internal error: the run ended early".to_owned())),
    }
}

/// Returns undeclared names, the most needed first.
pub(super) fn most_needed(names: &BTreeMap<String, usize>) -> Vec<(&String, &usize)> {
    let mut names: Vec<(&String, &usize)> = names.iter().collect();
    names.sort_by_key(|(name, n)| (std::cmp::Reverse(**n), (*name).clone()));
    names
}
