//! One requirement to its result: [`answer::decide`] finds the certified answer, the reports tell it.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use plc_frontend::hir::Project;
use plc_frontend::interp::Limits;

use super::difficulty::{difficulty, told_meanwhile};
use super::job::{Graphs, Job, Task};
use super::rounds::{Basis, Share, Told};
use super::subject::Statement;
use super::understand::Program;
use crate::report::advice::EngineProgress;
use crate::report::cone;
use crate::report::counterexample::{Violation, tell};
use crate::report::effort::{Phase, TimeSpent};
use crate::report::exploration::{Exploration, ExplorationStep, ExploredBlock};
use crate::report::invariant::InvariantPrinter;
use crate::report::loop_values::loop_values;
use crate::report::names::Names;
use crate::report::outcome::{Condition, ProofSummary, RequirementResult};
use crate::report::outside_write::outside_writes;
use crate::report::witness::witness;
use crate::report::words::{headline, without_answer};
use answer::VerdictWord;
use answer::certify::{Certified, Evidence};
use answer::decide::shared::Attempt;
use answer::decide::theta::decide as decide_model;
use answer::decide::{Decision, Request, Search, TimeLimit, Unshown, cone as cone_of, decide};
use kernel::context::{Progress, default_solvers};
use kernel::expr::VarId;
use kernel::property::claim::Claim;
use kernel::property::requirements::ResolvedRequirement;
use kernel::verdict::Proof;
use search::engine::portfolio::Explored;
use search::engine::spent::Spent;
use search::engine::{BlockCounts, Iteration, Pictures};

/// Decides one statement.
pub(super) fn result(
    statement: Statement<'_>,
    (job, basis): (&Job, Basis<'_>),
    time: &Share,
    told: &Told<'_>,
) -> RequirementResult {
    let began = Instant::now();
    let reports: Mutex<BTreeMap<&str, EngineProgress>> = Mutex::default();
    let events = &|progress: Progress| {
        if let Ok(mut reports) = reports.lock() {
            let at_ms = u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX);
            let said = EngineProgress { engine: progress.engine.to_owned(), text: progress.text.clone(), at_ms };
            reports.insert(progress.engine, said);
        }
        (told.progress)(progress);
    };
    let solvers = default_solvers();
    let is_claim = job.task == Task::Decide;
    let search = Search {
        engine: job.strategy.engine.as_deref(),
        options: &job.strategy.options,
        limit: Some(TimeLimit {
            whole_s: f64::from(job.limits.wall_s),
            share_s: time.share.as_secs_f64(),
            is_again: time.attempt == Attempt::Again,
        }),
        events,
        pictures: pictures(job),
        is_patient: matches!(basis, Basis::Claimed(..)),
        is_confirmation: matches!(job.task, Task::Confirm(_)),
        is_claim,
        part: time.part,
        ..Search::new(&time.interrupt, &solvers)
    };
    let earlier = basis.evidence();
    let decision = match statement {
        Statement::Model(published) => decide_model(&published.model, &search),
        Statement::Program(program, requirement) if let Basis::Open(reason) = basis => {
            Ok(open(program, &requirement.claim, reason))
        }
        Statement::Program(program, requirement) => {
            let assumptions = program.assumptions();
            let request = Request {
                earlier: earlier.map(|(evidence, _)| evidence),
                shared: job.strategy.is_default().then_some((&program.shared, time.attempt)),
                ..program.request(requirement, &assumptions, search)
            };
            if is_claim {
                decide(&request)
            } else {
                told_meanwhile(program, (&requirement.claim, &assumptions), told.difficulty, || decide(&request))
            }
        }
    };
    let mut result = statement.pending();
    let decision = match decision {
        Ok(decision) => decision,
        Err(choice) => return without_answer(result, VerdictWord::NotChecked, &choice),
    };
    result.safe_cycles = decision.safe_cycles;
    let certification = u64::try_from(decision.spent.certification_cpu.as_millis()).unwrap_or(u64::MAX);
    result.certification_cpu_ms = Some(certification).filter(|ms| 0 < *ms);
    result.engine = if decision.reused {
        earlier.and_then(|(_, engine)| engine.map(str::to_owned))
    } else {
        decision.engine.map(str::to_string)
    };
    result.reused = decision.reused;
    result.exploration = decision.explored.as_ref().map(exploration);
    let evidence = decision.certified.as_ref().map(Certified::evidence);
    match statement {
        Statement::Model(published) => evidence.into_iter().for_each(|it| super::theta::tell(published, it, &mut result)),
        // The machine that certifies a claim makes the report.
        Statement::Program(..) if is_claim => {}
        Statement::Program(program, requirement) => {
            about_program(program, requirement, &decision, &mut result);
            if decision.word == VerdictWord::Unknown && decision.depends.is_some() {
                result.progress = reports.into_inner().unwrap_or_default().into_values().collect();
            }
        }
    }
    result.certificate = decision.stored;
    result.verdict = decision.word;
    result.reason = decision.reason;
    result.conditions = decision.unshown.into_iter().map(unshown).collect();
    if let Statement::Program(program, requirement) = statement
        && matches!(result.verdict, VerdictWord::Holds | VerdictWord::HoldsBounded | VerdictWord::Violated | VerdictWord::Vacuous)
    {
        result.conditions.extend(loop_values(&program.loaded, &goal(&requirement.claim, &program.loaded.project)));
    }
    result.headline = headline(&result);
    result
}

/// Returns the decision about a requirement for which another machine found no answer. Difficulties are those of the program here.
fn open(program: &Program, claim: &Claim, reason: &str) -> Decision {
    let depends = cone_of(&program.loaded, &program.model, claim, &program.assumptions());
    Decision { word: VerdictWord::Unknown, reason: Some(reason.to_owned()), depends, ..Decision::default() }
}

/// Adds the evidence of an answer about a program to its result, and the conditions that the answer depends on.
fn about_program(program: &Program, requirement: &ResolvedRequirement, decision: &Decision, result: &mut RequirementResult) {
    let (loaded, claim) = (&program.loaded, &requirement.claim);
    let assumptions = program.assumptions();
    result.n_assumptions = assumptions.len();
    if let (Some(depends), VerdictWord::Unknown) = (&decision.depends, decision.word) {
        let found = difficulty(program, depends, &assumptions);
        (result.advice, result.encodings) = (found.advice, found.encodings);
        result.spent = spent(&decision.spent);
    } else if let Some(depends) = &decision.depends {
        result.frozen = program.dependence.frozen(loaded, Some(depends));
        result.open_gaps = Some(program.dependence.open_gaps(&requirement.id, depends));
    }
    if let (Some(depends), VerdictWord::Violated) = (&decision.depends, decision.word) {
        result.cone = Some(cone::digest(loaded, &program.model, depends, &assumptions));
    }
    let goal = goal(claim, &loaded.project);
    match decision.certified.as_ref().map(Certified::evidence) {
        Some(Evidence::Violated { cycles, place }) => {
            let violation = Violation { goal: &goal, place: *place, what: what(claim), n_back: n_back(claim) };
            let mut told = tell(&loaded.project, &loaded.sources, cycles, &violation);
            let limits = Limits { loop_rounds: program.model.options.loop_rounds, ..Limits::default() };
            told.explanation.extend(outside_writes(&loaded.project, cycles, limits));
            result.counterexample = Some(told);
        }
        Some(Evidence::Holds { proof, obligations }) => {
            let cone = decision.depends.as_ref().map(|depends| &depends.vars);
            result.proof = Some(summary(program, proof, obligations, cone));
        }
        Some(Evidence::Reached(_)) | None => {}
    }
    if let Some(run) = &decision.example {
        // Only an assertion has a place; it is reached there.
        let what = what(&Claim::Unreached(Vec::new()));
        let test = Violation { goal: &goal, place: run.place, what, n_back: n_back(claim) };
        result.example = Some(witness(&loaded.project, &loaded.sources, &run.cycles, &test));
    }
}

/// Returns the time of a search as it is published, phases below a millisecond left out.
fn spent(spent: &Spent) -> Vec<TimeSpent> {
    let row = |phase, engine: Option<&&str>, time: Duration| {
        let ms = u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
        TimeSpent { phase, engine: engine.map(|engine| (*engine).to_owned()), ms }
    };
    let of_all = [(Phase::Preparation, spent.preparation), (Phase::Simplification, spent.simplification)];
    let of_all = of_all.into_iter().map(|(phase, time)| row(phase, None, time));
    let search = spent.search.iter().map(|(engine, time)| row(Phase::Search, Some(engine), *time));
    let certification = spent.certification.iter().map(|(engine, time)| row(Phase::Certification, Some(engine), *time));
    of_all.chain(search).chain(certification).filter(|row| 0 < row.ms).collect()
}

/// Returns the condition of an answer for a question that was left open.
fn unshown(question: Unshown) -> Condition {
    let text = match question {
        Unshown::Test => "not shown: that some run puts it to the test",
        Unshown::Run => "not shown: that the assumptions allow a run",
    };
    Condition { text: text.to_owned(), detail: None, place: None }
}

/// Returns the graphs of abstract states that a run keeps.
fn pictures(job: &Job) -> Pictures {
    match job.strategy.graphs {
        Graphs::Last => Pictures::Last,
        Graphs::Every => Pictures::Every,
    }
}

/// Returns the exploration as it is published.
fn exploration(explored: &Explored) -> Exploration {
    let ms = |time: std::time::Duration| time.as_secs_f64() * 1000.0;
    let step = |iteration: &Iteration| ExplorationStep {
        number: iteration.number,
        nodes: iteration.n_nodes,
        tracked: iteration.n_tracked,
        counterexamples: iteration.n_counterexamples,
        length: iteration.length,
        abstract_ms: ms(iteration.abstraction),
        concretise_ms: ms(iteration.concretisation),
        refine_ms: ms(iteration.refinement),
        graph: iteration.picture.clone(),
    };
    let block = |counts: &BlockCounts| ExploredBlock {
        name: counts.name.clone(),
        places: counts.regions,
        entered: counts.asked,
        known: counts.hits,
        images_asked: counts.steps,
        images_computed: counts.images,
    };
    let exploration = Exploration {
        engine: explored.engine.to_string(),
        iterations: explored.iterations.iter().map(step).collect(),
        certify_ms: ms(explored.certification),
        automaton: Some(explored.automaton.clone()),
        blocks: explored.iterations.last().into_iter().flat_map(|last| last.blocks.iter().rev()).map(block).collect(),
        left_out: Vec::new(),
    };
    exploration.within_limits()
}

/// Returns the leaves that a claim speaks of.
pub(super) fn goal(claim: &Claim, project: &Project) -> BTreeSet<String> {
    kernel::property::mentions::leaves(&claim.conditions(), project)
}

/// Returns the number of earlier cycles that a claim looks back at, at most.
fn n_back(claim: &Claim) -> usize {
    match claim {
        Claim::DuringCycle { .. } | Claim::BetweenCycles { .. } => 1,
        Claim::Temporal { when, then } => when.iter().chain([then]).map(|f| f.n_back()).max().unwrap_or(0),
        Claim::Reachable(goal) => goal.n_back(),
        Claim::Implication { .. }
        | Claim::Invariant(_)
        | Claim::Forbidden(_)
        | Claim::Repeatable(_)
        | Claim::Assert(_)
        | Claim::Unreached(_)
        | Claim::Executed(_)
        | Claim::Never(_) => 0,
    }
}

/// Returns the mistake at the place of the violation, as a clause.
fn what(claim: &Claim) -> String {
    match claim {
        Claim::Assert(_) => "the assertion does not hold".to_string(),
        Claim::Unreached(_) => "the assertion is reached".to_string(),
        Claim::Executed(_) => "the statement is executed".to_string(),
        Claim::Never(event) => event.mistake().to_string(),
        Claim::Implication { .. }
        | Claim::Invariant(_)
        | Claim::Forbidden(_)
        | Claim::DuringCycle { .. }
        | Claim::BetweenCycles { .. }
        | Claim::Temporal { .. }
        | Claim::Reachable(_)
        | Claim::Repeatable(_) => "the requirement's condition cannot be evaluated".to_string(),
    }
}

fn summary(
    program: &Program,
    proof: &Proof,
    obligations: &[answer::certify::Obligation],
    cone: Option<&BTreeSet<VarId>>,
) -> ProofSummary {
    let names = Names::new(&program.loaded.project);
    let printer = InvariantPrinter { project: &program.loaded.project, leaves: &program.model.leaves, names: &names };
    let invariant = proof.argument.invariants().find(|(loc, _)| **loc == program.model.cfa.head);
    let printed = invariant.map(|(_, e)| *e).map(|e| printer.conjuncts(&proof.pool, e, cone)).unwrap_or_default();
    let proof = ProofSummary::new(&proof.argument, obligations);
    ProofSummary { invariant: printed.lines, internal: printed.internal, ..proof }
}
