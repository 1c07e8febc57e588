//! Isolation of errors: a project with errors runs without the parts that are not understood.
//!
//! The resolver leaves out the statements that have errors. Any other error belongs to the smallest part of the syntax tree around
//! it ([`owner`]): a statement, a body, a variable, a type, a member, a POU, the tasks, or the text of a file. The part is left out,
//! and the project is resolved again until there are no such errors. An error that is met again in the same part belongs to the part
//! around it.
//!
//! Soundness: nothing runs past a part that is left out.
//! - A statement or body becomes a statement that is not modelled: no answer goes beyond it.
//! - A variable or type becomes opaque: each use of it is such a statement.
//! - A POU loses its variables and members. So each use of them is an error, which is isolated in its turn. Blocks that extend it
//!   are left out with it, since names that they inherit could find other declarations.
//! - Parts that do not run here may run elsewhere. So variables that their text names are inputs ([`crate::environment::Mentions`]).
//!
//! A syntax error may hide declarations and the ends of statements. So it belongs to a whole body, POU or list of variables. Names
//! that the text may declare do not find other declarations ([`lost`]).
//!
//! Knows the syntax tree and the resolver. **Invariant:** each round leaves out at least one more part, so the rounds end.

mod emptied;
mod hidden_text;
mod home;
mod lost;
mod lost_names;
mod other_programs;
mod owner;
mod reach;
#[cfg(test)]
mod tests;

use crate::dialect::DialectId;
use crate::hir::{Stmt, StmtKind};
use crate::infer::{Completed, complete, is_about_inferred};
use crate::library::DeclaredNames;
use crate::resolve::{Given, LoadOptions, Loaded, MAX_FINDINGS, load_units};
use crate::solution::{Files, parse_all};
use crate::text::{Diagnostic, Inferred, LeftOut, Parsed, Severity, SourceSet, Span, codes};
use emptied::BODY;
use lost_names::lost_in_files;
pub use owner::CUT;
use owner::Isolation;
pub use reach::reachable_gaps;
use std::borrow::Cow;

/// Most rounds. Each one resolves the project again.
const MAX_ROUNDS: usize = 16;

/// Most bytes of text whose syntax trees are kept from round to round.
const MOST_TEXT_TO_KEEP: usize = 8 << 20;

/// Errors about what runs: they belong to no part.
pub const ENTRY: &[&str] = &[codes::NO_ENTRY, codes::UNKNOWN_ENTRY, codes::STATE_SIZE];

/// Reads all files as one program without the parts that have errors. Never fails: mistakes are in the diagnostics.
///
/// Cost: that of [`crate::load`] for a project without errors, else once more for each round.
pub fn load_isolated(sources: &SourceSet, options: &LoadOptions) -> Parsed<Loaded> {
    // Each error counts, so all of them are kept until the end.
    let all = LoadOptions { most_findings: Some(usize::MAX), ..options.clone() };
    let mut loaded = crate::load(sources, &all);
    if loaded.has_errors() {
        loaded = without_errors(sources, &all, Strict::of(loaded));
    }
    if loaded.value.runs && !options.is_alone {
        other_programs::note(sources, options, &mut loaded.value);
    }
    shorten(&mut loaded.diagnostics, options.most_findings.unwrap_or(MAX_FINDINGS));
    loaded
}

/// Findings of the whole project, without the project, which is large.
struct Strict {
    dialect: DialectId,
    diagnostics: Vec<Diagnostic>,
    inferred: Vec<Inferred>,
}

impl Strict {
    fn of(loaded: Parsed<Loaded>) -> Strict {
        let Loaded { dialect, inferred, .. } = loaded.value;
        Strict { dialect, diagnostics: loaded.diagnostics, inferred }
    }

    /// Returns the whole project.
    fn project(self, sources: &SourceSet, options: &LoadOptions) -> Parsed<Loaded> {
        let mut loaded = crate::load(sources, options);
        (loaded.diagnostics, loaded.value.inferred) = (self.diagnostics, self.inferred);
        loaded
    }
}

/// Returns a project that has errors with declarations of its missing names, and without parts that still have errors.
fn without_errors(sources: &SourceSet, options: &LoadOptions, strict: Strict) -> Parsed<Loaded> {
    let lost = lost_in_files(sources, &strict.diagnostics);
    let (sources, strict) = match complete(sources, options, &strict.diagnostics, &lost) {
        Some(Completed { loaded, .. }) if !loaded.has_errors() => return loaded,
        Some(Completed { sources, loaded }) => (Cow::Owned(sources), Strict::of(loaded)),
        None => (Cow::Borrowed(sources), strict),
    };
    isolated(&sources, options, &strict).unwrap_or_else(|| strict.project(&sources, options))
}

/// Keeps the first findings, and the number of the others.
fn shorten(diagnostics: &mut Vec<Diagnostic>, most: usize) {
    let more = diagnostics.len().saturating_sub(most);
    diagnostics.truncate(most);
    if let (true, Some(last)) = (0 < more, diagnostics.last()) {
        let text = format!("{more} more findings are not listed");
        diagnostics.push(Diagnostic::error(codes::TOO_MANY_FINDINGS, last.span(), text, "the last one listed"));
    }
}

/// Returns the project without the parts that have errors. `None`: an error belongs to no part.
///
/// Cost: trees of small projects are kept from round to round. Others are read again in each: two copies of them would be too large.
fn isolated(sources: &SourceSet, options: &LoadOptions, strict: &Strict) -> Option<Parsed<Loaded>> {
    let mut found: Vec<Vec<Diagnostic>> = Vec::new();
    let size: usize = sources.files.iter().map(|file| file.text.len()).sum();
    let kept = (size <= MOST_TEXT_TO_KEEP).then(|| parse_all(sources, options));
    for _ in 0..MAX_ROUNDS {
        let files = kept.clone().unwrap_or_else(|| parse_all(sources, options));
        let Files { mut units, findings, spaces, elsewhere } = files;
        let (syntax, warnings): (Vec<_>, Vec<_>) = findings.into_iter().partition(|d| d.severity == Severity::Error);
        // What is left out stays declared: no declaration of a library takes its place.
        let mut declared = DeclaredNames::of(&units, sources);
        let mut isolation = Isolation::new(sources, options.entry.is_some());
        if !syntax.is_empty() {
            isolation.leave_out(&mut units, &syntax)?;
        }
        for errors in &found {
            isolation.leave_out(&mut units, errors)?;
        }
        declared.extend(isolation.lost_names());
        let mentions = Some(isolation.mentions());
        let given = Given { detected: Some(strict.dialect), mentions, declared, spaces, elsewhere, ..Given::default() };
        let again = load_units(sources.clone(), units, warnings, options, given);
        let errors = errors_of(&again.diagnostics);
        // That nothing runs yet is no error of a part: the user chooses the entry.
        if errors.iter().all(|error| ENTRY.contains(&error.code)) {
            return Some(joined(again, strict, isolation.left_out)).filter(|joined| !runs_nothing(&joined.value));
        }
        found.push(errors);
    }
    None
}

/// Returns whether each program that runs is left out.
fn runs_nothing(loaded: &Loaded) -> bool {
    let is_left_out = |stmt: &Stmt| {
        let StmtKind::Gap(gap) = &stmt.kind else { return false };
        loaded.ledger.gaps.get(gap.0 as usize).is_some_and(|gap| gap.construct == BODY)
    };
    let mut bodies = loaded.project.task.runs.iter().map(|id| &loaded.project.pous[loaded.project.instances[*id].pou].body);
    loaded.runs && bodies.all(|body| body.first().is_some_and(is_left_out))
}

fn errors_of(diagnostics: &[Diagnostic]) -> Vec<Diagnostic> {
    diagnostics.iter().filter(|d| d.severity == Severity::Error).cloned().collect()
}

/// Adds the findings of the whole project to what runs, and the parts that are left out.
fn joined(mut again: Parsed<Loaded>, strict: &Strict, mut left_out: Vec<LeftOut>) -> Parsed<Loaded> {
    left_out.append(&mut again.value.left_out);
    let known = again.diagnostics.clone();
    let is_told = |d: &&Diagnostic| d.severity == Severity::Error || is_about_inferred(d);
    again.diagnostics.extend(strict.diagnostics.iter().filter(is_told).filter(|d| !known.contains(d)).cloned());
    again.diagnostics.sort_by_key(|d| (d.span(), d.code));
    // A part inside of another one tells nothing new.
    left_out.sort_by_key(|part| (part.span.file, part.span.start, std::cmp::Reverse((part.span.end, part.kind))));
    let mut outermost: Vec<LeftOut> = Vec::new();
    for part in left_out {
        if outermost.last().is_none_or(|outer| !holds(outer.span, part.span)) {
            outermost.push(part);
        }
    }
    for gap in again.value.ledger.gaps.iter_mut().filter(|gap| gap.construct == BODY) {
        if let Some(part) = outermost.iter().find(|part| part.span == gap.span) {
            gap.effect = format!("{}; nothing behind it is verified", part.error.message);
        }
    }
    again.value.left_out = outermost;
    again.value.inferred.clone_from(&strict.inferred);
    again
}

/// Returns whether a place begins inside of another one.
fn holds(outer: Span, inner: Span) -> bool {
    outer.file == inner.file && outer.start <= inner.start && inner.start < outer.end.max(outer.start + 1)
}
