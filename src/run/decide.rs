//! One requirement to its certified answer: monitor, reductions, engines side by side, certification, report.

use std::collections::BTreeSet;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use plc_frontend::hir::{Expr, ExprKind, Project, Value};
use plc_frontend::interp::Limits;

use super::job::{Job, Strategy};
use super::strategy::{lanes, solvers};
use super::worker::{Program, pending};
use crate::cfa::model::ModelError;
use crate::cfa::pass::{Encoding, reduce};
use crate::engine::Progress;
use crate::engine::portfolio::{Judged, side_by_side};
use crate::property::claim::Claim;
use crate::property::instrument::{Instrumented, instrument};
use crate::property::requirements::Checked;
use crate::report::counterexample::{Violation, tell};
use crate::report::invariant::InvariantPrinter;
use crate::report::names::Names;
use crate::report::outcome::{Obligation, ProofSummary, RequirementResult, VerdictWord};
use crate::report::words::headline;
use crate::smt::Interrupt;
use crate::verdict::inductive::Rejected;
use crate::verdict::lift::inputs;
use crate::verdict::minimise::{Effort, minimise};
use crate::verdict::replay::{Case, Replayed};
use crate::verdict::{Argument, Proof, Reason, Verdict};
use crate::verdict::{Certified, Evidence};

/// At most this long is spent on asking whether a proof is vacuous.
const VACUITY: Duration = Duration::from_secs(10);

/// What the engines and the certifier came to.
struct Decision {
    answer: Result<(&'static str, Certified), Reason>,
    /// Answers that were not certified and engines that failed, for people who look for our bugs.
    complaints: Vec<String>,
    safe_cycles: Option<u32>,
}

/// Decides one requirement.
pub(super) fn decide(
    program: &Program,
    checked: &Checked,
    job: &Job,
    interrupt: &Interrupt,
    events: &(dyn Fn(Progress) + Sync),
) -> RequirementResult {
    let assumptions: Vec<Expr> = program.stated.assumed.iter().map(|a| a.condition.clone()).collect();
    let question = Question { program, claim: &checked.claim, assumptions: &assumptions };
    let mut result = pending(checked);
    let decision = match question.ask(&job.strategy, interrupt, events) {
        Ok(decision) => decision,
        Err(e) => return finish(result, VerdictWord::NotChecked, Some(e.to_string()), 0),
    };
    result.safe_cycles = decision.safe_cycles;
    let n_assumptions = assumptions.len();
    match decision.answer {
        Ok((engine, certified)) => {
            result.engine = Some(engine.to_string());
            match certified.evidence() {
                Evidence::Violated { cycles, place } => {
                    let goal = goal(&checked.claim, &program.loaded.project);
                    let violation = Violation { goal: &goal, place: *place, what: what(&checked.claim) };
                    result.counterexample = Some(tell(&program.loaded.project, &program.loaded.sources, cycles, &violation));
                    result.safe_cycles = Some(cycles.len().saturating_sub(1) as u32);
                    finish(result, VerdictWord::Violated, None, n_assumptions)
                }
                Evidence::Holds { proof, obligations } => {
                    result.safe_cycles = None;
                    result.proof = Some(summary(program, proof, obligations));
                    holds(result, &question, job, interrupt, events)
                }
            }
        }
        Err(reason) => undecided(result, reason, &decision.complaints),
    }
}

/// A proof is worth its word only if nothing is missing in the model and the requirement can be tested at all.
fn holds(
    result: RequirementResult,
    question: &Question<'_>,
    job: &Job,
    interrupt: &Interrupt,
    events: &(dyn Fn(Progress) + Sync),
) -> RequirementResult {
    let program = question.program;
    let n_assumptions = question.assumptions.len();
    if let Some((gap, _)) = program.model.gaps.first() {
        let why = match program.loaded.ledger.gaps.get(gap.0 as usize) {
            Some(gap) => format!("{} on line {} is not supported", gap.construct, program.loaded.sources.line_col(gap.span).line),
            None => "the program has a construct that is not supported".to_string(),
        };
        let mut result = finish(result, VerdictWord::NotChecked, Some(why), n_assumptions);
        result.proof = None;
        return result;
    }
    let left = interrupt.deadline.map_or(VACUITY, |d| d.saturating_duration_since(Instant::now()).min(VACUITY));
    let short = Interrupt { deadline: Some(Instant::now() + left), cancel: interrupt.cancel.clone() };
    let (witness, never) = witness(question.claim, &program.loaded);
    let asked = Question { program, claim: &witness, assumptions: question.assumptions };
    // A violation of the witness claim is an example run in which the requirement is put to the test.
    let answer = match asked.ask(&Strategy::default(), &short, events) {
        Ok(decision) => decision.answer,
        Err(_) => Err(Reason::SolverUnknown),
    };
    let _ = job;
    match answer {
        Ok((_, certified)) => match certified.evidence() {
            Evidence::Violated { .. } => finish(result, VerdictWord::Holds, None, n_assumptions),
            Evidence::Holds { .. } => finish(result, VerdictWord::Vacuous, Some(never), n_assumptions),
        },
        Err(_) => {
            let why = "Whether the requirement is ever put to the test was not decided in time.".to_string();
            finish(result, VerdictWord::Holds, Some(why), n_assumptions)
        }
    }
}

fn undecided(mut result: RequirementResult, reason: Reason, complaints: &[String]) -> RequirementResult {
    let (word, why) = match reason {
        Reason::Time => (VerdictWord::Unknown, "the time for this requirement is over".to_string()),
        Reason::Memory => (VerdictWord::Unknown, "the memory limit".to_string()),
        Reason::Cancelled => (VerdictWord::Cancelled, "stopped".to_string()),
        Reason::Bound => (VerdictWord::HoldsBounded, "the engine's bound was reached".to_string()),
        Reason::NoProgress => (VerdictWord::Unknown, "no engine found a proof or a violation".to_string()),
        Reason::SolverUnknown => (VerdictWord::Unknown, "the solver gave up".to_string()),
        Reason::OverApproximation(what) => {
            (VerdictWord::Unknown, format!("a violation exists only if {what} takes values that it may not take"))
        }
        Reason::Unsupported(what) => (VerdictWord::Unknown, what),
    };
    if complaints.is_empty() {
        return finish(result, word, Some(why), 0);
    }
    // Somebody was wrong: no verdict of this requirement may be relied on.
    result.safe_cycles = None;
    finish(result, VerdictWord::Error, Some(complaints.join("; ")), 0)
}

fn finish(mut result: RequirementResult, word: VerdictWord, why: Option<String>, n_assumptions: usize) -> RequirementResult {
    result.verdict = word;
    result.headline = headline(word, why.as_deref(), result.safe_cycles, n_assumptions);
    result.reason = why;
    result
}

struct Question<'a> {
    program: &'a Program,
    claim: &'a Claim,
    assumptions: &'a [Expr],
}

impl Question<'_> {
    fn ask(
        &self,
        strategy: &Strategy,
        interrupt: &Interrupt,
        events: &(dyn Fn(Progress) + Sync),
    ) -> Result<Decision, ModelError> {
        let (project, model) = (&self.program.loaded.project, &self.program.model);
        let instrumented = instrument(project, model, self.claim, self.assumptions)?;
        let safe = Mutex::new(None::<u32>);
        let watch = |progress: Progress| {
            if let (Some(n), Ok(mut safe)) = (progress.safe_cycles, safe.lock()) {
                *safe = Some(safe.map_or(n, |m| m.max(n)));
            }
            events(progress);
        };
        let complaints = Mutex::new(Vec::new());
        let complain = |text: String| {
            if let Ok(mut list) = complaints.lock() {
                list.push(text);
            }
        };
        let judge = |engine: &'static str, verdict: Verdict| self.judge(engine, verdict, &instrumented, interrupt, &complain);
        let reduced = reduce(&instrumented.pool, &instrumented.cfa, Encoding::Lbe);
        let solvers = solvers(&reduced);
        let ended = side_by_side(interrupt, &watch, lanes(strategy, &instrumented, &reduced, &solvers), &judge);
        for (engine, e) in &ended.failures {
            complain(format!("{engine}: {e}"));
        }
        let safe_cycles = safe.into_inner().unwrap_or_default();
        Ok(Decision { answer: ended.result, complaints: complaints.into_inner().unwrap_or_default(), safe_cycles })
    }

    /// Certifies an answer. What cannot be certified is not believed, and said.
    fn judge(
        &self,
        engine: &'static str,
        verdict: Verdict,
        instrumented: &Instrumented,
        interrupt: &Interrupt,
        complain: &dyn Fn(String),
    ) -> Judged<(&'static str, Certified)> {
        let project = &self.program.loaded.project;
        let model = &self.program.model;
        match verdict {
            Verdict::Safe(proof) => match Certified::proof(&instrumented.pool, &instrumented.cfa, proof, interrupt) {
                Ok(certified) => Judged::Accepted((engine, certified)),
                Err(Rejected::Undecided(..)) => Judged::Refused,
                Err(Rejected::Refuted(obligation)) => {
                    complain(format!("{engine} gave a proof whose {} does not hold", obligation.name));
                    Judged::Refused
                }
                Err(Rejected::Malformed(why)) => {
                    complain(format!("{engine} gave no proof of this model: {why}"));
                    Judged::Refused
                }
                Err(Rejected::Solver(e)) => {
                    complain(format!("the proof of {engine} could not be checked: {e}"));
                    Judged::Refused
                }
            },
            Verdict::Unsafe(trace) => {
                let limits = Limits { loop_rounds: model.options.loop_rounds, ..Limits::default() };
                let case = Case { project, limits, assumptions: self.assumptions, claim: self.claim };
                let cycles = inputs(project, &model.leaves, model.dt, model.options.dt_min_ms, &trace);
                let calm = minimise(&case, &cycles, Effort::default()).unwrap_or(cycles);
                match Certified::violation(&case, calm) {
                    Ok(certified) => Judged::Accepted((engine, certified)),
                    Err(mismatch) => self.mismatch(engine, &mismatch, instrumented, complain),
                }
            }
            Verdict::Unknown(_) => Judged::Refused,
        }
    }

    /// The interpreter does not show what the engine found: an over-approximation, or a bug of ours.
    fn mismatch(
        &self,
        engine: &'static str,
        mismatch: &Replayed,
        instrumented: &Instrumented,
        complain: &dyn Fn(String),
    ) -> Judged<(&'static str, Certified)> {
        if let Some((gap, _)) = instrumented.arbitrary.first() {
            let construct = self.program.loaded.ledger.gaps.get(gap.0 as usize).map(|g| g.construct.clone());
            return Judged::Hopeless(Reason::OverApproximation(construct.unwrap_or_default()));
        }
        complain(format!("{engine} found a violation that the interpreter does not show ({mismatch:?})"));
        Judged::Refused
    }
}

/// The claim whose violation is a run in which `claim` is put to the test, and what it means if there is none.
fn witness(claim: &Claim, loaded: &plc_frontend::Loaded) -> (Claim, String) {
    let project = &loaded.project;
    let text = |e: &Expr| loaded.sources.text(e.span).trim().to_string();
    match claim {
        Claim::Implication { when, .. } => {
            (Claim::Forbidden(when.clone()), format!("`{}` can never be true at the end of a cycle", text(when)))
        }
        Claim::DuringCycle { at_start, then } => (
            Claim::DuringCycle { at_start: at_start.clone(), then: falsity(then) },
            format!("`{}` can never be true at the beginning of a cycle", text(at_start)),
        ),
        Claim::BetweenCycles { after, when, then } => (
            Claim::BetweenCycles { after: after.clone(), when: when.clone(), then: falsity(then) },
            format!("`{}` can never be true in the cycle after `{}`", text(when), text(after)),
        ),
        Claim::Invariant(e) | Claim::Forbidden(e) => (Claim::Invariant(falsity(e)), no_run()),
        Claim::Assert(_) | Claim::NoFault(_) => match bool_type(project) {
            Some(ty) => {
                let e = Expr { kind: ExprKind::Literal(Value::Bool(false)), ty, span: plc_frontend::source::Span::none() };
                (Claim::Invariant(e), no_run())
            }
            // A program without any BOOL: the claim itself is asked again, which never calls it vacuous wrongly.
            None => (Claim::Assert(Vec::new()), no_run()),
        },
    }
}

fn no_run() -> String {
    "no cycle ever comes to its end (are the assumptions contradictory?)".to_string()
}

fn falsity(like: &Expr) -> Expr {
    Expr { kind: ExprKind::Literal(Value::Bool(false)), ty: like.ty, span: like.span }
}

fn bool_type(project: &Project) -> Option<plc_frontend::hir::TypeId> {
    project.types.iter_enumerated().find(|(_, def)| def.ty == plc_frontend::hir::Type::Bool).map(|(id, _)| id)
}

/// The leaves that a claim speaks of.
fn goal(claim: &Claim, project: &Project) -> BTreeSet<String> {
    super::mentions::leaves(&claim.conditions(), project)
}

/// What is wrong where the violation is, as a clause.
fn what(claim: &Claim) -> String {
    match claim {
        Claim::Assert(_) => "the assertion does not hold".to_string(),
        Claim::NoFault(kind) => match kind {
            plc_frontend::hir::FaultKind::DivisionByZero => "the divisor is 0",
            plc_frontend::hir::FaultKind::IndexOutOfBounds => "the index is outside its bounds",
            plc_frontend::hir::FaultKind::ConversionRange => "the value does not fit the integer type",
            plc_frontend::hir::FaultKind::LoopWrap => "the control variable leaves the range of its type",
            plc_frontend::hir::FaultKind::Watchdog => "the loop does not end",
        }
        .to_string(),
        Claim::Implication { .. }
        | Claim::Invariant(_)
        | Claim::Forbidden(_)
        | Claim::DuringCycle { .. }
        | Claim::BetweenCycles { .. } => "the requirement's condition cannot be evaluated".to_string(),
    }
}

fn summary(program: &Program, proof: &Proof, obligations: &[crate::verdict::inductive::Obligation]) -> ProofSummary {
    let names = Names::new(&program.loaded.project);
    let printer = InvariantPrinter { project: &program.loaded.project, leaves: &program.model.leaves, names: &names };
    let (method, k, invariant) = match &proof.argument {
        Argument::Inductive(at) => ("induction", None, at.get(&program.model.cfa.head).copied()),
        Argument::KInductive { k, invariant } => ("k-induction", Some(*k), Some(*invariant)),
    };
    ProofSummary {
        method: method.to_string(),
        k,
        invariant: invariant.map(|e| printer.conjuncts(&proof.pool, e)).unwrap_or_default(),
        obligations: obligations
            .iter()
            .map(|o| Obligation { name: o.name.to_string(), text: o.text.clone(), duration_ms: o.duration_ms })
            .collect(),
    }
}
