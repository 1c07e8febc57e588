//! Certificates on the worker's side: what a result keeps of one, the whole file when it is asked for, and the check.

use std::collections::BTreeMap;

use plc_frontend::hir::{self, Expr};
use plc_frontend::interp::Limits;

use super::job::{CertificateText, Job, WantedCertificate, WantedWitness};
use super::theta::{Published, pending};
use super::understand::Program;
use crate::export::{self, Naming, Question, Reductions, Shown};
use crate::report::conditions::{ShownBy, candidates};
use crate::report::outcome::Outcome;
use answer::certificate::{
    Answer, Identity, InputCycle, ModelViolation, StoredEvidence, Violation, check_model_run, check_proof, check_violation,
    invariants, kind_of, named, program_digest, whole,
};
use answer::certify::Asked;
use answer::decide::cone;
use answer::replay::Case;
use kernel::cfa::{Cfa, Model};
use kernel::expr::{ExprPool, Sort, Value, VarId};
use kernel::property::check::unobserved;
use kernel::property::environment;
use kernel::property::instrument::{instrument, model_for};
use kernel::property::requirements::Checked;
use kernel::smt::Interrupt;

/// Returns the whole certificate, or one sentence why there is none.
pub(super) fn written(program: &Program, wanted: &WantedCertificate, job: &Job, outcome: &Outcome) -> Result<String, String> {
    let checked = find(program, &wanted.requirement)?;
    let mut identity = identity(program, checked, job);
    let of_program = conditions(program, checked, outcome, shown_by(&wanted.evidence));
    identity.conditions = named(&of_program, wanted.conditions.clone());
    let notes = notes(&checked.text, wanted, &outcome.rests_on);
    match &wanted.evidence {
        StoredEvidence::Proof(stated) => {
            let (pool, cfa) = question(program, checked)?;
            whole(&identity, &pool, &cfa, stated, &notes).map_err(|flaw| flaw.0)
        }
        StoredEvidence::Run(cycles) => {
            let certificate = Violation::new(&identity, &notes, cycles.clone());
            serde_json::to_string_pretty(&certificate).map_err(|e| e.to_string())
        }
        StoredEvidence::ModelRun(_) => Err(OF_A_MODEL.to_owned()),
    }
}

/// Returns the same for a published model.
pub(super) fn written_of_model(
    published: &Published,
    wanted: &WantedCertificate,
    job: &Job,
    rests_on: &[String],
) -> Result<String, String> {
    let model = &published.model;
    let identity = Identity { conditions: wanted.conditions.clone(), ..identity_of_model(published, job) };
    match &wanted.evidence {
        StoredEvidence::Proof(stated) => {
            let notes = notes(&pending(model).text, wanted, rests_on);
            whole(&identity, &model.pool, &model.cfa, stated, &notes).map_err(|flaw| flaw.0)
        }
        StoredEvidence::ModelRun(run) => {
            let notes = notes(&pending(model).text, wanted, rests_on);
            let certificate = ModelViolation::new(&identity, &notes, run.clone());
            serde_json::to_string_pretty(&certificate).map_err(|e| e.to_string())
        }
        StoredEvidence::Run(_) => Err(OF_A_PROGRAM.to_owned()),
    }
}

const OF_A_MODEL: &str = "the evidence is a run of a published model, and this is a program";
const OF_A_PROGRAM: &str = "the evidence is what a program is given, and this is a published model";

/// Returns the C file of a requirement and the witness of its answer, as JSON with the fields `c` and `yaml`; or why there is
/// none.
pub(super) fn witness(program: &Program, wanted: &WantedWitness, job: &Job, outcome: &Outcome) -> Result<String, String> {
    let checked = find(program, &wanted.requirement)?;
    let assumptions: Vec<Expr> = program.stated.assumed.iter().map(|a| a.condition.clone()).collect();
    let model = model_for(&program.loaded.project, &program.model, &checked.claim).map_err(|e| e.to_string())?;
    let instrumented = instrument(&program.loaded.project, &model, &checked.claim, &assumptions).map_err(|e| e.to_string())?;
    let mut question = Question::new(&instrumented, Reductions::None, super::model::about(program, checked, job, outcome));
    question.is_goal = checked.claim.is_possibility();
    question.conditions = super::model::conditions_of_answers(program, checked, outcome);
    match &wanted.evidence {
        StoredEvidence::Proof(stated) => witness_of_proof(&mut question, stated, wanted),
        StoredEvidence::Run(cycles) => {
            let cycles = values(program, &model, cycles)?;
            witness_about(&mut question, Shown::Run(&cycles), wanted, "")
        }
        StoredEvidence::ModelRun(_) => Err(OF_A_MODEL.to_owned()),
    }
}

/// Returns the same for a published model.
pub(super) fn witness_of_model(published: &Published, wanted: &WantedWitness, job: &Job) -> Result<String, String> {
    let model = &published.model;
    let mut question = super::theta::question(model, job);
    match &wanted.evidence {
        StoredEvidence::Proof(stated) => witness_of_proof(&mut question, stated, wanted),
        StoredEvidence::ModelRun(run) => {
            let run = run.execute(&model.process).map_err(|_| "the evidence is no run of this model".to_owned())?;
            witness_about(&mut question, Shown::Havocs(&run.havocs(model)), wanted, "")
        }
        StoredEvidence::Run(_) => Err(OF_A_PROGRAM.to_owned()),
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
        for (leaf, var) in given_at_start() {
            now.extend(given.inputs.get(&leaf.name).and_then(|given| value(*var, *given)).map(|value| (*var, value)));
        }
        let ms = u128::try_from(cycle.dt_ns / 1_000_000).unwrap_or(0);
        now.insert(model.dt, Value::bv(32, ms));
        all.push(now.clone());
    }
    Ok(all)
}

/// Returns the [`Answer`] about a certificate, as JSON; an error is a sentence about the program.
///
/// Soundness: the conditions that the file has to name are those of the program, whatever the file says.
pub(super) fn checked(
    program: &Program,
    given: &CertificateText,
    (job, outcome): (&Job, &Outcome),
    interrupt: &Interrupt,
) -> Result<String, String> {
    let about = |checked: &Checked, by: ShownBy| {
        let conditions = conditions(program, checked, outcome, by);
        Identity { conditions, ..identity(program, checked, job) }
    };
    let unfit = |why: String| json(&Answer::Unfit(why));
    if given.text.trim_start().starts_with('{') {
        let certificate = match Violation::read(&given.text) {
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
        return json(&check_violation(&certificate, &about(checked, ShownBy::Run), &case, dt_ns));
    }
    let checked = match kind_of(&given.text).map_err(|flaw| flaw.0).and_then(|id| find(program, &id)) {
        Ok(checked) => checked,
        Err(why) => return unfit(why),
    };
    let (pool, cfa) = question(program, checked)?;
    json(&check_proof(&given.text, &about(checked, ShownBy::Proof), &pool, &cfa, asked(given), interrupt))
}

/// Returns the same for a published model.
pub(super) fn checked_of_model(
    published: &Published,
    given: &CertificateText,
    job: &Job,
    interrupt: &Interrupt,
) -> Result<String, String> {
    let (model, identity) = (&published.model, identity_of_model(published, job));
    if given.text.trim_start().starts_with('{') {
        return json(&check_model_run(&given.text, &identity, &model.process));
    }
    json(&check_proof(&given.text, &identity, &model.pool, &model.cfa, asked(given), interrupt))
}

fn asked(given: &CertificateText) -> Asked<'_> {
    given.solver.as_deref().map_or(Asked::Cvc5, Asked::Other)
}

fn json(answer: &Answer) -> Result<String, String> {
    serde_json::to_string(answer).map_err(|e| e.to_string())
}

fn find<'p>(program: &'p Program, id: &str) -> Result<&'p Checked, String> {
    program.stated.find(id).map_err(|why| format!("it is about the requirement `{id}`, which is not stated here: {why}"))
}

/// Returns the unreduced automaton of a requirement, with [`Instrumented::strict_cfa`](kernel::property::instrument::Instrumented::strict_cfa).
fn question(program: &Program, checked: &Checked) -> Result<(ExprPool, Cfa), String> {
    let assumptions: Vec<Expr> = program.stated.assumed.iter().map(|a| a.condition.clone()).collect();
    let project = &program.loaded.project;
    if let Some(why) = unobserved(&checked.claim, project, &program.loaded.sources) {
        return Err(why);
    }
    let model = model_for(project, &program.model, &checked.claim).map_err(|e| e.to_string())?;
    let instrumented = instrument(project, &model, &checked.claim, &assumptions).map_err(|e| e.to_string())?;
    let cfa = instrumented.strict_cfa();
    Ok((instrumented.pool, cfa))
}

/// Returns conditions of an answer to a requirement, as far as the program alone says them.
///
/// Soundness: without a cone everything in the program counts.
pub(super) fn conditions(program: &Program, checked: &Checked, outcome: &Outcome, by: ShownBy) -> Vec<String> {
    let assumptions: Vec<Expr> = program.stated.assumed.iter().map(|a| a.condition.clone()).collect();
    let cone = cone(&program.loaded, &program.model, &checked.claim, &assumptions);
    let frozen = program.dependence.frozen(&program.loaded, cone.as_ref());
    let gaps = cone.as_ref().map(|cone| program.dependence.open_gaps(cone));
    let found = candidates(outcome, checked.pattern, by, frozen, gaps.as_deref());
    found.into_iter().map(|condition| condition.text).collect()
}

fn shown_by(evidence: &StoredEvidence) -> ShownBy {
    match evidence {
        StoredEvidence::Proof(_) => ShownBy::Proof,
        StoredEvidence::Run(_) | StoredEvidence::ModelRun(_) => ShownBy::Run,
    }
}

fn identity(program: &Program, checked: &Checked, job: &Job) -> Identity {
    let options = &program.model.options;
    let mut settings = vec![("cycle", format!("{} ms to {} ms", options.dt_min_ms, options.dt_max_ms))];
    settings.extend(job.specification.entry.iter().map(|entry| ("entry", entry.clone())));
    settings.push(("dialect", program.loaded.dialect.row().name.to_owned()));
    settings.extend(environment::stated(&job.specification).into_iter().map(|row| ("environment", row)));
    settings.extend(job.specification.assumptions.iter().map(|a| ("assumed", a.expr.clone())));
    Identity {
        program: program_digest(job.sources.iter().map(|source| source.text.as_str())),
        requirement: checked.id.clone(),
        means: checked.meaning.clone(),
        settings,
        is_possibility: checked.claim.is_possibility(),
        conditions: Vec::new(),
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
        conditions: Vec::new(),
    }
}

fn notes(text: &str, wanted: &WantedCertificate, rests_on: &[String]) -> Vec<String> {
    let mut notes = vec![text.to_owned()];
    notes.extend(wanted.notes.iter().cloned());
    notes.extend(rests_on.iter().map(|what| format!("rests on: {what}")));
    notes.push(format!("written by scanproof {}", env!("CARGO_PKG_VERSION")));
    notes
}
