//! Certificates on the worker's side: the whole file on request, and its check.

use std::collections::BTreeMap;

use plc_frontend::hir::{self, leaf_at_call};
use plc_frontend::interp::Limits;

use super::decide::goal;
use super::job::{CertificateText, Job};
use super::subject::{Statement, Subject};
use super::theta::Published;
use super::understand::Program;
use crate::export::{self, Naming, Question, Shown};
use crate::report::conditions::{ShownBy, candidates};
use crate::report::format::{WantedCertificate, WantedWitness};
use crate::report::loop_values::loop_values;
use crate::report::outcome::Outcome;
use answer::certificate::{
    Answer, InputCycle, ModelViolation, StoredEvidence, Violation, check_model_run, check_proof, check_violation, invariants,
    kind_of, named, whole,
};
use answer::certify::Asked;
use answer::decide::cone;
use answer::replay::Case;
use kernel::cfa::Model;
use kernel::expr::{Sort, Value, VarId};
use kernel::property::requirements::ResolvedRequirement;
use kernel::smt::Interrupt;

/// Returns the whole certificate, or one sentence why there is none.
pub(super) fn written(subject: &Subject, wanted: &WantedCertificate, job: &Job, outcome: &Outcome) -> Result<String, String> {
    let statement = find(subject, &wanted.requirement)?;
    let mut identity = statement.identity(job, outcome, shown_by(&wanted.evidence));
    identity.conditions = named(&identity.conditions, wanted.conditions.clone());
    let notes = notes(&statement.pending().text, wanted, &outcome.rests_on);
    match (&wanted.evidence, subject) {
        (StoredEvidence::Proof(stated), _) => {
            let (pool, cfa) = statement.automaton()?;
            whole(&identity, &pool, &cfa, stated, &notes).map_err(|flaw| flaw.0)
        }
        (StoredEvidence::Run(cycles), Subject::Program(_)) => {
            serde_json::to_string_pretty(&Violation::new(&identity, &notes, cycles.clone())).map_err(|e| e.to_string())
        }
        (StoredEvidence::ModelRun(run), Subject::Model(_)) => {
            serde_json::to_string_pretty(&ModelViolation::new(&identity, &notes, run.clone())).map_err(|e| e.to_string())
        }
        (StoredEvidence::ModelRun(_), Subject::Program(_)) => Err(OF_A_MODEL.to_owned()),
        (StoredEvidence::Run(_), Subject::Model(_)) => Err(OF_A_PROGRAM.to_owned()),
    }
}

const OF_A_MODEL: &str = "the evidence is a run of a published model, and this is a program";
const OF_A_PROGRAM: &str = "the evidence is the inputs of a program, and this is a published model";

/// Returns the C file of a requirement and the witness of its answer, as JSON with the fields `c` and `yaml`; or why there is
/// none.
pub(super) fn witness(subject: &Subject, wanted: &WantedWitness, job: &Job, outcome: &Outcome) -> Result<String, String> {
    let statement = find(subject, &wanted.requirement)?;
    let mut question = statement.question(job, outcome)?;
    match (&wanted.evidence, statement) {
        (StoredEvidence::Proof(stated), _) => witness_of_proof(&mut question, stated, wanted),
        (StoredEvidence::Run(cycles), Statement::Program(program, requirement)) => {
            let (model, _) = program.instrumented(requirement)?;
            let cycles = values(program, &model, cycles)?;
            witness_about(&mut question, Shown::Run(&cycles), wanted, "")
        }
        (StoredEvidence::ModelRun(run), Statement::Model(Published { model, .. })) => {
            let run = run.execute(&model.process).map_err(|_| "the evidence is no run of this model".to_owned())?;
            witness_about(&mut question, Shown::Havocs(&run.havocs(model)), wanted, "")
        }
        (StoredEvidence::ModelRun(_), Statement::Program(..)) => Err(OF_A_MODEL.to_owned()),
        (StoredEvidence::Run(_), Statement::Model(_)) => Err(OF_A_PROGRAM.to_owned()),
    }
}

fn witness_of_proof(question: &mut Question, stated: &str, wanted: &WantedWitness) -> Result<String, String> {
    let (invariants, n) = invariants(&mut question.pool, &question.cfa, stated).map_err(|flaw| flaw.0)?;
    let left_out = match n {
        0 => String::new(),
        n => format!("{n} parts of the invariants are about floats or arrays and are left out"),
    };
    witness_about(question, Shown::Invariants(&invariants), wanted, &left_out)
}

fn witness_about(question: &mut Question, shown: Shown<'_>, wanted: &WantedWitness, left_out: &str) -> Result<String, String> {
    let naming = Naming { file: &wanted.file, created: &wanted.created, left_out };
    let written = export::witness(question, shown, naming).map_err(|e| e.to_string())?;
    serde_json::to_string(&written).map_err(|e| e.to_string())
}

/// Returns values of each input and of the time step in each cycle.
fn values(program: &Program, model: &Model, cycles: &[InputCycle]) -> Result<Vec<BTreeMap<VarId, Value>>, String> {
    let mut now: BTreeMap<VarId, Value> = BTreeMap::new();
    let value = |var: VarId, value: hir::Value| match (model.pool.var_decl(var).sort, value) {
        (Sort::Bool, hir::Value::Bool(b)) => Some(Value::Bool(b)),
        (Sort::BitVec(width), hir::Value::Int(v)) => Some(Value::int(width, v)),
        (Sort::Float(_), hir::Value::Real(bits)) => Some(Value::f32(f32::from_bits(bits))),
        (Sort::Float(_), hir::Value::LReal(bits)) => Some(Value::f64(f64::from_bits(bits))),
        (_, _) => None,
    };
    let given_at_start = || model.leaves.iter().filter(|(leaf, _)| leaf.is_given(0));
    for (leaf, var) in given_at_start() {
        now.extend(leaf.init.and_then(|init| value(*var, init)).map(|value| (*var, value)));
    }
    let leaves = program.loaded.project.leaves().into_iter().map(|leaf| (leaf.name.clone(), leaf)).collect();
    let mut all = Vec::with_capacity(cycles.len());
    for cycle in cycles {
        let given = cycle.read(&leaves).map_err(|flaw| flaw.0)?;
        if let Some(name) = given.inputs.keys().find(|name| leaf_at_call(name).is_some()) {
            return Err(format!("a witness has one value for all calls of a cycle, and this run has `{name}`"));
        }
        for (leaf, var) in given_at_start() {
            now.extend(given.inputs.get(&leaf.name).and_then(|given| value(*var, *given)).map(|value| (*var, value)));
        }
        let ms = u128::try_from(cycle.dt_ns / 1_000_000).unwrap_or(0);
        now.insert(model.dt, Value::bv(32, ms));
        all.push(now.clone());
    }
    Ok(all)
}

/// Returns the [`Answer`] about a certificate, as JSON; an error is a sentence about the subject.
///
/// Soundness: the conditions that the file has to name are those of the program, whatever the file says.
pub(super) fn checked(
    subject: &Subject,
    given: &CertificateText,
    (job, outcome): (&Job, &Outcome),
    interrupt: &Interrupt,
) -> Result<String, String> {
    let answer = match stated_in(subject, &given.text) {
        Err(why) => Answer::Unfit(why),
        Ok(FileStatement::Proof(statement)) => {
            let (pool, cfa) = statement.automaton()?;
            check_proof(&given.text, &statement.identity(job, outcome, ShownBy::Proof), &pool, &cfa, asked(given), interrupt)
        }
        Ok(FileStatement::Violation(violation, statement @ Statement::Program(program, requirement))) => {
            let assumptions = program.assumptions();
            let options = &program.model.options;
            let limits = Limits { loop_rounds: options.loop_rounds, ..Limits::default() };
            let case = Case { project: &program.loaded.project, limits, assumptions: &assumptions, claim: &requirement.claim };
            let dt_ns = [options.dt_min_ms, options.dt_max_ms].map(|ms| i64::from(ms) * 1_000_000);
            check_violation(&violation, &statement.identity(job, outcome, ShownBy::Run), &case, dt_ns.into())
        }
        Ok(FileStatement::Violation(_, Statement::Model(_))) => Answer::Unfit(OF_A_PROGRAM.to_owned()),
        Ok(FileStatement::ModelRun(published)) => {
            let identity = Statement::Model(published).identity(job, outcome, ShownBy::Run);
            check_model_run(&given.text, &identity, &published.model.process)
        }
    };
    serde_json::to_string(&answer).map_err(|e| e.to_string())
}

/// Statement of a certificate.
enum FileStatement<'s> {
    Proof(Statement<'s>),
    Violation(Box<Violation>, Statement<'s>),
    ModelRun(&'s Published),
}

/// Returns the statement of a certificate; the error says why it is none about this subject.
fn stated_in<'s>(subject: &'s Subject, text: &str) -> Result<FileStatement<'s>, String> {
    if !text.trim_start().starts_with('{') {
        let id = kind_of(text).map_err(|flaw| flaw.0)?;
        return Ok(FileStatement::Proof(find(subject, &id)?));
    }
    if let Subject::Model(published) = subject {
        return Ok(FileStatement::ModelRun(published));
    }
    let violation = Violation::read(text).map_err(|flaw| flaw.0)?;
    let id = violation.requirement().map_err(|flaw| flaw.0)?;
    Ok(FileStatement::Violation(Box::new(violation), find(subject, &id)?))
}

fn asked(given: &CertificateText) -> Asked<'_> {
    given.solver.as_deref().map_or(Asked::Cvc5, Asked::Other)
}

fn find<'s>(subject: &'s Subject, id: &str) -> Result<Statement<'s>, String> {
    subject
        .find(id)
        .map_err(|why| format!("it is about the requirement `{id}`, which is not stated here ({why}); state it with --req FILE"))
}

/// Returns conditions of an answer to a requirement, as far as the program alone says them.
///
/// Soundness: without a cone everything in the program counts.
pub(super) fn conditions(program: &Program, requirement: &ResolvedRequirement, outcome: &Outcome, by: ShownBy) -> Vec<String> {
    let cone = cone(&program.loaded, &program.model, &requirement.claim, &program.assumptions());
    let frozen = program.dependence.frozen(&program.loaded, cone.as_ref());
    let gaps = cone.as_ref().map(|cone| program.dependence.open_gaps(&requirement.id, cone));
    let mut found = candidates(outcome, requirement.pattern, by, frozen, gaps.as_deref());
    found.extend(loop_values(&program.loaded, &goal(&requirement.claim, &program.loaded.project)));
    found.into_iter().map(|condition| condition.text).collect()
}

fn shown_by(evidence: &StoredEvidence) -> ShownBy {
    match evidence {
        StoredEvidence::Proof(_) => ShownBy::Proof,
        StoredEvidence::Run(_) | StoredEvidence::ModelRun(_) => ShownBy::Run,
    }
}

fn notes(text: &str, wanted: &WantedCertificate, rests_on: &[String]) -> Vec<String> {
    let mut notes = vec![text.to_owned()];
    notes.extend(wanted.notes.iter().cloned());
    notes.extend(rests_on.iter().map(|what| format!("rests on: {what}")));
    notes.push(format!("written by scanproof {}", env!("CARGO_PKG_VERSION")));
    notes
}
