//! Each POU of a project, resolved with everything that it names, and run.
//!
//! A POU falls into one of four groups by the errors of its part of the program ([`plc_frontend::part`]). Errors in the
//! POUs that it uses count too:
//! - *resolved without stubs*: there is no error, and no POU of which only the interface is known.
//! - *resolved with stubs*: there is no error, and the loader knows stubs in the part.
//! - *wrong on purpose*: it stands in a test of wrong programs (`sets::purpose`) and its own text has an error.
//! - *not understood*: everything else, with its reasons ([`super::reasons`]).

use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

use plc_frontend::ast::Pou;
use plc_frontend::codes::NO_ENTRY;
use plc_frontend::diagnostic::{Diagnostic, Severity};
use plc_frontend::part::{Declared, PartId, Parts};
use plc_frontend::source::{Origin, SourceSet, Span, line_col};
use plc_frontend::{LoadOptions, Loaded, load_isolated};

use super::Chosen;
use super::lacking::UnknownName;
use super::reasons::{Cause, NotResolved, PouIndex, Reason, Unresolved, reasons};
use super::report::{Listed, SetReport};
use super::sets::{Group, Purpose, SetFile, purpose};
use super::stub_uses::{StubUse, StubUses};
use kernel::agree::{Answer, Options, compare};

/// Processor time for the runs of one POU.
const TIME: Duration = Duration::from_secs(10);
/// End of the constructs that stand for left-out parts.
const WITH_AN_ERROR: &str = "with an error";
/// Seed of the inputs: the same runs each time.
const SEED: u64 = 1;

/// Look at all projects of a set.
pub(super) struct Look<'r> {
    chosen: Chosen,
    report: &'r mut SetReport,
    /// Names that any project of the set declares.
    declared: Declared,
    unresolved: Vec<Unresolved>,
    stubs: StubUses,
}

/// Findings of the look.
pub(super) struct Found {
    /// POUs that are not understood.
    pub(super) unresolved: Vec<NotResolved>,
    /// All reasons, the most frequent first.
    pub(super) reasons: Vec<Reason>,
    /// All stubs that POUs with statements use, the most frequent first.
    pub(super) stubs: Vec<StubUse>,
}

/// A POU of a project.
struct One<'p> {
    parts: &'p Parts,
    index: &'p PouIndex<'p>,
    id: PartId,
    pou: &'p Pou,
}

impl<'r> Look<'r> {
    pub(super) fn new(chosen: Chosen, report: &'r mut SetReport) -> Look<'r> {
        Look { chosen, report, declared: Declared::default(), unresolved: Vec::new(), stubs: StubUses::default() }
    }

    /// Resolves the files of one program together, and each POU of it.
    pub(super) fn at(&mut self, files: &[SetFile], group: &Group) {
        let mut set = SourceSet::default();
        for at in &group.members {
            set.add(files[*at].name.clone(), files[*at].text.clone());
        }
        let options = LoadOptions { project: group.project.clone(), ..self.options() };
        let read = || {
            let loaded = load_isolated(&set, &options);
            (Parts::of_project(&texts(&loaded.value), options.project.as_deref()), loaded)
        };
        let Ok((parts, loaded)) = catch_unwind(AssertUnwindSafe(read)) else {
            let name = group.members.first().map_or("", |at| files[*at].name.as_str());
            self.internal(name, "resolving this program ended early");
            return;
        };
        // Statements of left-out parts are counted as errors already.
        for gap in loaded.value.ledger.gaps.iter().filter(|gap| !gap.construct.ends_with(WITH_AN_ERROR)) {
            *self.report.gaps.entry(gap.construct.clone()).or_default() += 1;
        }
        for error in loaded.diagnostics.iter().filter(|e| is_of_meaning(e)) {
            *self.report.errors.entry(error.code).or_default() += 1;
        }
        drop(loaded);
        self.declared.extend(parts.declared());
        let index = PouIndex::new(&parts);
        for (id, pou) in parts.pous().filter(|(_, pou)| (pou.span.file.0 as usize) < group.n_own) {
            self.report.pous.n_pous += 1;
            let one = One { parts: &parts, index: &index, id, pou };
            if catch_unwind(AssertUnwindSafe(|| self.one(&one))).is_err() {
                self.internal(&pou.name.text, "looking at this POU ended early");
            }
        }
    }

    /// Returns what was found.
    pub(super) fn causes(self) -> Found {
        let (unresolved, reasons) = reasons(self.unresolved, &self.declared);
        Found { unresolved, reasons, stubs: self.stubs.rows() }
    }

    fn options(&self) -> LoadOptions {
        LoadOptions { most_findings: Some(usize::MAX), dialect: self.chosen.dialect, is_alone: true, ..LoadOptions::default() }
    }

    fn internal(&mut self, name: &str, what: &str) {
        let listed = Listed::internal(name, what);
        self.unresolved.push(Unresolved { causes: vec![Cause { unknown: None, place: name.to_owned(), listed }] });
    }

    fn one(&mut self, one: &One<'_>) {
        let loaded = one.parts.alone(one.id, &self.options());
        let errors: Vec<&Diagnostic> = loaded.diagnostics.iter().filter(|d| d.severity == Severity::Error).collect();
        if errors.is_empty() {
            self.resolved(one, &loaded.value);
            return;
        }
        let own = errors.iter().find(|d| holds(one.pou.span, d.span()));
        if let (Purpose::Wrong | Purpose::WrongInMeaning | Purpose::Maybe, Some(own)) = (purpose(file(one.parts, one.pou)), own) {
            self.report.wrong_on_purpose.push(listed(one, own));
            return;
        }
        let mut seen = BTreeSet::new();
        let mut causes = Vec::new();
        for error in one.index.roots(&errors) {
            if seen.insert((error.code, error.message.as_str())) {
                let unknown = UnknownName::of(error);
                causes.push(Cause { unknown, listed: listed(one, error), place: place_of(one.parts, error) });
            }
        }
        self.unresolved.push(Unresolved { causes });
    }

    fn resolved(&mut self, one: &One<'_>, loaded: &Loaded) {
        let stubs = &loaded.project.stubs;
        let counts = &mut self.report.pous;
        if stubs.is_empty() {
            counts.n_resolved_without_stubs += 1;
        } else {
            counts.n_resolved_with_stubs += 1;
            let is_stub = stubs.keys().any(|id| loaded.project.pous[*id].span == one.pou.span);
            counts.n_stubs += usize::from(is_stub);
            if !is_stub {
                counts.n_lacking += usize::from(self.stubs.add(&loaded.project));
            }
        }
        if let Some(cycles) = self.chosen.cycles {
            run(loaded, &name(one), cycles, self.report);
        }
    }
}

/// Returns the texts that the POUs are parts of: the user's, and those that the loader infers for missing declarations.
pub(super) fn texts(loaded: &Loaded) -> SourceSet {
    let mut set = SourceSet::default();
    for file in loaded.sources.files.iter().filter(|file| matches!(file.origin, Origin::User | Origin::Inferred)) {
        set.files.push(file.clone());
    }
    set
}

fn is_of_meaning(finding: &Diagnostic) -> bool {
    let of_text = finding.code.starts_with("P0") || finding.code.starts_with("P1") || finding.code == NO_ENTRY;
    finding.severity == Severity::Error && !of_text
}

fn holds(outer: Span, inner: Span) -> bool {
    inner.file == outer.file && outer.start <= inner.start && inner.start < outer.end
}

fn file<'p>(parts: &'p Parts, pou: &Pou) -> &'p str {
    parts.sources().files.get(pou.span.file).map_or("", |f| f.name.as_str())
}

/// Returns the file and the name of a POU.
fn name(one: &One<'_>) -> String {
    format!("{}: {}", file(one.parts, one.pou), one.pou.name.text)
}

/// Returns the file and line of an error.
fn place_of(parts: &Parts, error: &Diagnostic) -> String {
    let at = error.span();
    let file = parts.sources().files.get(at.file);
    file.map_or_else(String::new, |file| format!("{}:{}", file.name, line_col(&file.text, at.start as usize).line))
}

fn listed(one: &One<'_>, error: &Diagnostic) -> Listed {
    let at = error.span();
    let files = &one.parts.sources().files;
    let elsewhere = if at.file == one.pou.span.file { None } else { files.get(at.file) };
    let line = files.get(at.file).map_or(1, |f| line_col(&f.text, at.start as usize).line);
    let message = match elsewhere {
        Some(file) => format!("{} (in {})", error.message, file.name),
        None => error.message.clone(),
    };
    Listed { name: name(one), code: Some(error.code), line, message }
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
