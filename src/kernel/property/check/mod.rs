//! The automatic checks: requirements that need no statement. Each is a row of [`CHECKS`].
//!
//! A check of an [`Event`] adds its row, its event and the monitor over [`Site`](crate::cfa::Site)s in a file of this folder. The
//! replay of its violations is code of its own (`answer`), on purpose.

mod anomalies;
mod constant_output;
mod dead_code;
mod double_write;
mod faults;
mod simulated;

use std::collections::BTreeSet;

use plc_frontend::Loaded;
use plc_frontend::hir::{AnomalyKind, Expr, FaultKind, Project, SURVIVED};
use plc_frontend::source::SourceSet;

use self::simulated::Simulated;
use super::claim::Claim;
use super::monitor::Monitor;
use super::rejected::Rejected;
use super::requirements::{ResolvedRequirement, ResolvedSpecification, SpecProblem};
use super::spec::Specification;
use crate::cfa::{Marks, Model, SiteKind};

/// One automatic check.
#[derive(Debug)]
pub struct Check {
    /// Its name in requirement files: `division_by_zero`.
    pub name: &'static str,
    /// Its subject.
    pub kind: CheckKind,
    /// Sentence that must hold.
    pub text: &'static str,
    /// Condition of other answers without a proof of the check, as a noun phrase; `None` if runs go on after the event.
    pub condition: Option<&'static str>,
    /// Clause about the place of its event in a run; `None` for checks without an event.
    pub mistake: Option<&'static str>,
    /// Precise meaning.
    pub meaning: &'static str,
    /// Returns its requirements for a program; the error is the reason why there are none.
    requirements: fn(&Check, &mut Asked<'_>) -> Result<Vec<ResolvedRequirement>, String>,
}

/// Subject of a check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CheckKind {
    /// Event that no run may have: one requirement.
    Event(Event),
    /// Statements that no run executes: one requirement for each that simulated runs do not execute.
    DeadCode,
    /// Outputs that have one value only: one requirement for each that keeps its value in simulated runs.
    ConstantOutputs,
}

/// Event in a run that a check forbids.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// Fault, which ends the run.
    Fault(FaultKind),
    /// Anomaly, which the run survives.
    Anomaly(AnomalyKind),
    /// Second, different computed value of a BOOL output within one cycle, by another statement.
    DoubleWrite,
}

/// Name for all checks.
pub const ALL: &str = "all";

/// All automatic checks. Default ones come first.
pub const CHECKS: &[Check] = &[
    faults::DIVISION_BY_ZERO,
    faults::INDEX_OUT_OF_BOUNDS,
    faults::CONVERSION_RANGE,
    faults::LOOP_WRAP,
    faults::NULL_REFERENCE,
    faults::WATCHDOG,
    faults::CALL_DEPTH,
    anomalies::OVERFLOW,
    anomalies::CONVERSION_LOSS,
    anomalies::SUBRANGE,
    double_write::ROW,
    dead_code::ROW,
    constant_output::ROW,
];

/// Most requirements of one check for a program. More would remain without an answer.
const MAX_REQUIREMENTS: usize = 300;

impl Event {
    /// Returns the clause about the place of the event in a run.
    pub fn mistake(self) -> &'static str {
        let row = CHECKS.iter().find(|check| check.kind == CheckKind::Event(self));
        row.and_then(|check| check.mistake).unwrap_or_default()
    }
    /// Returns the sites that the model must have.
    pub fn marks(self) -> Marks {
        match self {
            Event::Fault(_) => Marks::None,
            Event::Anomaly(kind) => Marks::Anomalies(kind),
            Event::DoubleWrite => Marks::Coils,
        }
    }
    /// Adds the edges to the error location that are feasible exactly where the event happens.
    pub(super) fn monitor(self, monitor: &mut Monitor<'_, '_>, project: &Project) {
        match self {
            Event::Fault(kind) => faults::monitor(monitor, project, kind),
            Event::Anomaly(kind) => anomalies::monitor(monitor, kind),
            Event::DoubleWrite => double_write::monitor(monitor, project),
        }
    }
}

impl Check {
    /// Returns whether a run shows that one of its requirements is met, and a proof that it is not.
    pub fn is_possibility(&self) -> bool {
        matches!(self.kind, CheckKind::DeadCode | CheckKind::ConstantOutputs)
    }
    /// Returns whether it is made if the specification names no checks. Every other answer needs those of faults.
    pub fn is_default(&self) -> bool {
        matches!(self.kind, CheckKind::Event(Event::Fault(_)))
    }
    /// Returns the id of its only requirement.
    pub fn id(&self) -> String {
        format!("check-{}", self.name)
    }
    /// Returns its rejection.
    pub(super) fn rejected(&self, at: usize, why: String) -> Rejected {
        Rejected { id: self.id(), text: self.text.to_owned(), pattern: self.name, at, why, problems: Vec::new() }
    }
}

/// Returns the check of a name.
pub fn by_name(name: &str) -> Option<&'static Check> {
    CHECKS.iter().find(|c| c.name == name)
}

/// Returns the kinds of checks that apply to a program: its model can have the event, or the check is about the text.
pub fn applicable(model: &Model, project: &Project) -> Vec<CheckKind> {
    let survived: Vec<_> = SURVIVED.iter().map(|(_, kind)| (*kind, project.survived(*kind))).collect();
    let fault = |kind: &SiteKind| match kind {
        SiteKind::Fault(kind) => Some(*kind),
        SiteKind::Assert { id, .. } => survived.iter().find(|(_, ids)| ids.contains(id)).map(|(kind, _)| *kind),
        SiteKind::Anomaly { .. } | SiteKind::Statement | SiteKind::Coil { .. } => None,
    };
    let faults: BTreeSet<FaultKind> = model.sites.iter().filter_map(|site| fault(&site.kind)).collect();
    let events = faults.into_iter().map(Event::Fault).chain(model.anomalies.iter().copied().map(Event::Anomaly));
    let texts = [CheckKind::Event(Event::DoubleWrite), CheckKind::DeadCode, CheckKind::ConstantOutputs];
    events.map(CheckKind::Event).chain(texts).collect()
}

/// Returns whether runs go on behind the events of a check, with the values that the controller has: no other answer rests on it.
///
/// Soundness: the conversions of a dialect whose runs go on stand in functions of ours, which look at the number before. Any other
/// conversion ends the run.
pub fn is_survived(check: &Check, model: &Model, loaded: &Loaded) -> bool {
    let kind = FaultKind::ConversionRange;
    let is_ours = |file| loaded.sources.files.get(file).is_some_and(|file| file.origin.is_ours());
    let mut ends = model.sites.iter().filter(|site| site.kind == SiteKind::Fault(kind));
    check.kind == CheckKind::Event(Event::Fault(kind))
        && !loaded.project.survived(kind).is_empty()
        && ends.all(|site| is_ours(site.span.file))
}

/// Returns the reason, as a sentence, why a lack of violations proves nothing: the monitor does not observe all of them.
///
/// Soundness: `decide`, `export` and certificates ask this one function.
pub fn unobserved(claim: &Claim, project: &Project, sources: &SourceSet) -> Option<String> {
    if *claim != Claim::Never(Event::DoubleWrite) {
        return None;
    }
    double_write::unobserved_write(project).map(|write| write.sentence(sources))
}

/// Returns the named checks that apply to nothing in the program.
pub fn idle_checks<'s>(spec: &'s Specification, stated: &'s ResolvedSpecification) -> impl Iterator<Item = &'static Check> + 's {
    let made = || stated.requirements.iter().map(|c| c.pattern).chain(stated.rejected.iter().map(|r| r.pattern));
    let is_made = move |check: &Check| made().any(|pattern| pattern == check.name);
    CHECKS.iter().filter(move |check| spec.checks.is_some() && spec.wants(check) && !is_made(check))
}

/// Adds the requirements of the checks that are wanted and apply.
pub(super) fn add_checks(
    spec: &Specification,
    applicable: &[CheckKind],
    loaded: &mut Loaded,
    stated: &mut ResolvedSpecification,
) {
    for (i, name) in spec.checks.iter().flatten().enumerate() {
        if by_name(name).is_none() && name != ALL {
            let names: Vec<&str> = CHECKS.iter().map(|c| c.name).collect();
            let help = format!("There are: {}; `all` means all of them.", names.join(", "));
            let message = format!("there is no automatic check `{name}`");
            stated.problems.push(SpecProblem::new(format!("/checks/{i}"), message, Some(help)));
        }
    }
    let mut asked = Asked { loaded, spec, stated, simulated: None };
    for check in CHECKS.iter().filter(|c| spec.wants(c) && applicable.contains(&c.kind)) {
        match (check.requirements)(check, &mut asked) {
            Ok(requirements) => {
                asked.stated.requirements.extend(requirements);
                if let (CheckKind::DeadCode, Some(why)) = (check.kind, dead_code::unmodelled(asked.loaded)) {
                    let rejected = check.rejected(asked.stated.requirements.len(), why);
                    asked.stated.rejected.push(rejected);
                }
            }
            Err(why) => {
                let rejected = check.rejected(asked.stated.requirements.len(), format!("the check cannot be made: {why}"));
                asked.stated.rejected.push(rejected);
            }
        }
    }
}

/// Program whose requirements are made.
struct Asked<'a> {
    loaded: &'a mut Loaded,
    spec: &'a Specification,
    stated: &'a mut ResolvedSpecification,
    simulated: Option<Simulated>,
}

impl Asked<'_> {
    /// Returns the program with the results of simulated runs, which are made once for all checks.
    fn simulated(&mut self) -> (&mut Loaded, &Simulated) {
        let (loaded, spec, stated) = (&*self.loaded, self.spec, &*self.stated);
        let simulated = self.simulated.get_or_insert_with(|| {
            let assumptions: Vec<&Expr> = stated.assumptions.iter().map(|assumed| &assumed.condition).collect();
            simulated::simulate(loaded, &assumptions, spec.cycle_time(loaded.interval_ns))
        });
        (self.loaded, simulated)
    }
}

/// Makes the requirement that the check's event never happens.
fn event_never_happens(check: &Check, _: &mut Asked<'_>) -> Result<Vec<ResolvedRequirement>, String> {
    let CheckKind::Event(event) = check.kind else { return Err("it is no check of an event".to_owned()) };
    let (text, meaning, claim) = (check.text.to_owned(), check.meaning.to_owned(), Claim::Never(event));
    Ok(vec![ResolvedRequirement { id: check.id(), text, meaning, pattern: check.name, claim, place: None }])
}

/// Refuses more requirements of one check than [`MAX_REQUIREMENTS`].
fn too_many(n_requirements: usize) -> Result<(), String> {
    if n_requirements <= MAX_REQUIREMENTS {
        return Ok(());
    }
    Err(format!("it would ask {n_requirements} questions, at most {MAX_REQUIREMENTS} are asked"))
}
