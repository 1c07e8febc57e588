//! Certificates on the worker's side: what a result keeps of one, the whole file when it is asked for, and the check.

use plc_frontend::hir::Expr;
use plc_frontend::interp::Limits;

use super::job::{Job, Suspect, WantedCertificate};
use super::theta::{Published, pending};
use super::worker::Program;
use crate::certificate::{
    Answer, Asked, Evidence, Identity, InputCycle, Violation, check_proof, check_violation, kind_of, program_digest, stated,
    whole,
};
use crate::cfa::{Cfa, Edge, Op};
use crate::expr::ExprPool;
use crate::property::instrument::{instrument, model_for};
use crate::property::requirements::Checked;
use crate::smt::Interrupt;
use crate::verdict::replay::Case;
use crate::verdict::{self, Certified};

/// What a result keeps, so that a certificate can be written when somebody asks for it.
pub(super) fn evidence(program: &Program, checked: &Checked, certified: &Certified) -> Option<Evidence> {
    match certified.evidence() {
        verdict::Evidence::Violated { cycles, .. } => Some(Evidence::Run(cycles.iter().map(InputCycle::of).collect())),
        verdict::Evidence::Holds { proof, .. } => {
            let (pool, cfa) = question(program, checked).ok()?;
            stated(&pool, &cfa, proof).ok().map(Evidence::Proof)
        }
    }
}

/// The whole certificate, or one sentence why there is none.
pub(super) fn written(program: &Program, wanted: &WantedCertificate, job: &Job, rests_on: &[String]) -> Result<String, String> {
    let checked = find(program, &wanted.requirement)?;
    let identity = identity(program, checked, job);
    let notes = notes(&checked.text, wanted, rests_on);
    match &wanted.evidence {
        Evidence::Proof(stated) => {
            let (pool, cfa) = question(program, checked)?;
            whole(&identity, &pool, &cfa, stated, &notes).map_err(|flaw| flaw.0)
        }
        Evidence::Run(cycles) => {
            let certificate = Violation::new(&identity, &notes, cycles.clone());
            serde_json::to_string_pretty(&certificate).map_err(|e| e.to_string())
        }
    }
}

/// The same for a published model.
pub(super) fn written_of_model(
    published: &Published,
    wanted: &WantedCertificate,
    job: &Job,
    rests_on: &[String],
) -> Result<String, String> {
    let model = &published.model;
    let identity = identity_of_model(published, job);
    match &wanted.evidence {
        Evidence::Proof(stated) => {
            let notes = notes(&pending(model).text, wanted, rests_on);
            whole(&identity, &model.pool, &model.cfa, stated, &notes).map_err(|flaw| flaw.0)
        }
        Evidence::Run(_) => Err(NO_RUNS_OF_MODELS.to_owned()),
    }
}

const NO_RUNS_OF_MODELS: &str = "a run of a published model has no certificate yet: it is told edge by edge in the report";

/// The [`Answer`] about a certificate, as JSON; an error is a sentence about the program.
pub(super) fn checked(program: &Program, suspect: &Suspect, job: &Job, interrupt: &Interrupt) -> Result<String, String> {
    let unfit = |why: String| json(&Answer::Unfit(why));
    if suspect.text.trim_start().starts_with('{') {
        let certificate = match Violation::read(&suspect.text) {
            Ok(certificate) => certificate,
            Err(flaw) => return unfit(flaw.0),
        };
        let checked = match certificate.requirement().map_err(|flaw| flaw.0).and_then(|id| find(program, &id)) {
            Ok(checked) => checked,
            Err(why) => return unfit(why),
        };
        let options = &program.model.options;
        let assumptions: Vec<Expr> = program.stated.assumed.iter().map(|a| a.condition.clone()).collect();
        let limits = Limits { loop_rounds: options.loop_rounds, ..Limits::default() };
        let case = Case { project: &program.loaded.project, limits, assumptions: &assumptions, claim: &checked.claim };
        let ns = |ms: u32| i64::from(ms) * 1_000_000;
        let dt_ns = (ns(options.dt_min_ms), ns(options.dt_max_ms));
        return json(&check_violation(&certificate, &identity(program, checked, job), &case, dt_ns));
    }
    let checked = match kind_of(&suspect.text).map_err(|flaw| flaw.0).and_then(|id| find(program, &id)) {
        Ok(checked) => checked,
        Err(why) => return unfit(why),
    };
    let (pool, cfa) = question(program, checked)?;
    json(&check_proof(&suspect.text, &identity(program, checked, job), &pool, &cfa, asked(suspect), interrupt))
}

/// The same for a published model.
pub(super) fn checked_of_model(
    published: &Published,
    suspect: &Suspect,
    job: &Job,
    interrupt: &Interrupt,
) -> Result<String, String> {
    if suspect.text.trim_start().starts_with('{') {
        return json(&Answer::Open(NO_RUNS_OF_MODELS.to_owned()));
    }
    let (model, identity) = (&published.model, identity_of_model(published, job));
    json(&check_proof(&suspect.text, &identity, &model.pool, &model.cfa, asked(suspect), interrupt))
}

fn asked(suspect: &Suspect) -> Asked<'_> {
    suspect.solver.as_deref().map_or(Asked::Cvc5, Asked::Other)
}

fn json(answer: &Answer) -> Result<String, String> {
    serde_json::to_string(answer).map_err(|e| e.to_string())
}

fn find<'p>(program: &'p Program, id: &str) -> Result<&'p Checked, String> {
    let checked = &program.stated.checked;
    let ids = || checked.iter().map(|c| format!("`{}`", c.id)).collect::<Vec<_>>().join(", ");
    let found = checked.iter().find(|c| c.id == id);
    found.ok_or_else(|| format!("it is about the requirement `{id}`, which is not stated here; there are: {}", ids()))
}

/// The unreduced automaton of a requirement. Where something is not modelled a run arrives at the error location as well: a
/// proof has to show that none gets there.
fn question(program: &Program, checked: &Checked) -> Result<(ExprPool, Cfa), String> {
    let assumptions: Vec<Expr> = program.stated.assumed.iter().map(|a| a.condition.clone()).collect();
    let project = &program.loaded.project;
    let model = model_for(project, &program.model, &checked.claim).map_err(|e| e.to_string())?;
    let instrumented = instrument(project, &model, &checked.claim, &assumptions).map_err(|e| e.to_string())?;
    let mut cfa = instrumented.cfa;
    for (_, loc) in &instrumented.gaps {
        cfa.edges.push(Edge { source: *loc, target: cfa.error, op: Op::Skip, span: None });
    }
    Ok((instrumented.pool, cfa))
}

fn identity(program: &Program, checked: &Checked, job: &Job) -> Identity {
    let options = &program.model.options;
    let mut settings = vec![("cycle", format!("{} ms to {} ms", options.dt_min_ms, options.dt_max_ms))];
    settings.extend(job.specification.entry.iter().map(|entry| ("entry", entry.clone())));
    settings.push(("dialect", program.loaded.dialect.row().name.to_owned()));
    settings.extend(job.specification.assumptions.iter().map(|a| ("assumed", a.expr.clone())));
    Identity {
        program: program_digest(job.sources.iter().map(|source| source.text.as_str())),
        requirement: checked.id.clone(),
        means: checked.meaning.clone(),
        settings,
        is_possibility: checked.claim.is_possibility(),
    }
}

fn identity_of_model(published: &Published, job: &Job) -> Identity {
    let pending = pending(&published.model);
    Identity {
        program: program_digest(job.sources.iter().map(|source| source.text.as_str())),
        requirement: pending.id,
        means: pending.meaning,
        settings: Vec::new(),
        is_possibility: false,
    }
}

fn notes(text: &str, wanted: &WantedCertificate, rests_on: &[String]) -> Vec<String> {
    let mut notes = vec![text.to_owned()];
    notes.extend(wanted.notes.iter().cloned());
    notes.extend(rests_on.iter().map(|what| format!("rests on: {what}")));
    notes.push(format!("written by scanproof {}", env!("CARGO_PKG_VERSION")));
    notes
}
