//! The child's side of a run: reads one assignment, says what it understood, decides requirement by requirement.

use std::collections::BTreeSet;
use std::io::{BufRead, Read, Write};
use std::time::{Duration, Instant};

use plc_frontend::source::SourceSet;
use plc_frontend::{LoadOptions, Loaded};

use super::event::Event;
use super::job::{Job, Task};
use super::limits;
use super::protocol::{Assignment, Line, MAX_LINE_BYTES, decode, encode};
use crate::cfa::model::{Model, ModelOptions, build};
use crate::decide::shared::{Attempt, Shared};
use crate::property::automatic::idle_checks;
use crate::property::check::{CHECKS, Watched, by_name};
use crate::property::environment;
use crate::property::rejected::Rejected;
use crate::property::requirements::{Checked, SpecProblem, Stated, requirements};
use crate::report::dependence::Dependence;
use crate::report::environment::environment as environment_of;
use crate::report::import::{import, sources, variables};
use crate::report::outcome::{Outcome, Problem, RequirementResult, VerdictWord};
use crate::report::place::place;
use crate::report::rests_on::rests_on;
use crate::report::words::without_answer;
use crate::smt::Interrupt;

/// An assignment longer than this is not one of ours.
const MAX_ASSIGNMENT_BYTES: u64 = 256 << 20;
/// How long before the supervisor's kill the worker stops by itself, so that its last line gets out.
const MARGIN: Duration = Duration::from_millis(300);

/// `scanproof worker`: exits with 0 once every line is out.
pub fn main() -> u8 {
    let mut line = String::new();
    let read = std::io::stdin().lock().take(MAX_ASSIGNMENT_BYTES).read_line(&mut line);
    let assignment = match (read, decode::<Assignment>(&line)) {
        (Ok(_), Some(assignment)) => assignment,
        (Ok(_) | Err(_), _) => return complain("no assignment on standard input: this command is started by the others"),
    };
    drop(line);
    if let Err(e) = limits::apply(&assignment.job.limits, assignment.cpu_s) {
        return complain(&format!("the limits cannot be set: {e}"));
    }
    let work = move || work(&assignment);
    let thread =
        std::thread::Builder::new().name("worker".into()).stack_size(crate::engine::portfolio::stack_bytes()).spawn(work);
    match thread.map(std::thread::JoinHandle::join) {
        Ok(Ok(Ok(()))) => 0,
        Ok(Ok(Err(e))) => complain(&format!("the parent does not listen: {e}")),
        // The panic's message is on standard error already, and becomes the reason.
        Ok(Err(_)) => 101,
        Err(e) => complain(&format!("no thread: {e}")),
    }
}

fn complain(text: &str) -> u8 {
    let _ = writeln!(std::io::stderr().lock(), "{text}");
    1
}

fn say(line: &Line) -> std::io::Result<()> {
    let text = encode(line).map_err(std::io::Error::other)?;
    let mut out = std::io::stdout().lock();
    writeln!(out, "{text}")?;
    out.flush()
}

fn work(assignment: &Assignment) -> std::io::Result<()> {
    let started = Instant::now();
    let deadline = started + Duration::from_millis(assignment.remaining_ms).saturating_sub(MARGIN);
    let job = &assignment.job;
    if super::theta::is_about_a_model(job) {
        return published(assignment, started, deadline);
    }
    let mut understood = understand(job);
    say(&Line::Understood { outcome: Box::new(understood.outcome.clone()), pending: understood.pending.clone() })?;
    if let (Some(program), Task::Export(wanted)) = (&understood.program, &job.task) {
        say(&Line::Model { written: super::model::written(program, wanted, job) })?;
    }
    if let Some(program) = &understood.program {
        match &job.task {
            Task::Certificate(wanted) => {
                let rests_on = &understood.outcome.rests_on;
                say(&Line::Model { written: super::certificate::written(program, wanted, job, rests_on) })?;
            }
            Task::Check(suspect) => {
                let interrupt = Interrupt { deadline: Some(deadline), ..Interrupt::default() };
                say(&Line::Model { written: super::certificate::checked(program, suspect, job, &interrupt) })?;
            }
            Task::Witness(wanted) => {
                say(&Line::Model { written: super::certificate::witness(program, wanted, job) })?;
            }
            Task::Understand | Task::Verify | Task::Export(_) => {}
        }
    }
    if let Some(program) = &mut understood.program
        && job.task == Task::Verify
    {
        let wanted = |id: &String| !assignment.skip.contains(id) && assignment.only.as_ref().is_none_or(|only| only == id);
        let todo: Vec<usize> = (0..program.stated.checked.len()).filter(|&i| wanted(&program.stated.checked[i].id)).collect();
        for rejected in program.stated.rejected.iter().filter(|rejected| wanted(&rejected.id)) {
            say_result(&not_checked(rejected))?;
        }
        let hold = rounds(program, job, todo, started, deadline)?;
        let asked = job.specification.mutants;
        // Who wants one answer, or an engine's, wants nothing else.
        if asked || (assignment.only.is_none() && job.strategy.is_default()) {
            super::changes::tried(program, &hold, asked, (started, deadline), &say)?;
        }
    }
    say(&Line::Done)
}

/// The same for a published model, about which there is one question.
fn published(assignment: &Assignment, started: Instant, deadline: Instant) -> std::io::Result<()> {
    let job = &assignment.job;
    let (outcome, pending, model) = super::theta::understand(job);
    say(&Line::Understood { outcome: Box::new(outcome.clone()), pending: pending.clone() })?;
    if let (Some(model), Task::Export(wanted)) = (&model, &job.task) {
        say(&Line::Model { written: super::theta::written(model, wanted, job) })?;
    }
    if let Some(model) = &model {
        match &job.task {
            Task::Certificate(wanted) => {
                say(&Line::Model { written: super::certificate::written_of_model(model, wanted, job, &outcome.rests_on) })?;
            }
            Task::Check(suspect) => {
                let interrupt = Interrupt { deadline: Some(deadline), ..Interrupt::default() };
                say(&Line::Model { written: super::certificate::checked_of_model(model, suspect, job, &interrupt) })?;
            }
            Task::Witness(wanted) => {
                say(&Line::Model { written: super::certificate::witness_of_model(model, wanted, job) })?;
            }
            Task::Understand | Task::Verify | Task::Export(_) => {}
        }
    }
    if let (Some(model), [pending]) = (model, pending.as_slice())
        && job.task == Task::Verify
        && !assignment.skip.contains(&pending.id)
        && assignment.only.as_ref().is_none_or(|only| *only == pending.id)
    {
        say(&Line::Started { requirement: pending.id.clone() })?;
        let begun = Instant::now();
        let interrupt = Interrupt { deadline: Some(deadline), ..Interrupt::default() };
        let time = Share { interrupt, share: deadline.saturating_duration_since(begun), attempt: Attempt::First };
        let mut result = super::theta::result(&model, job, &time, &|progress| {
            // A parent that is gone ends the worker at the next result line.
            let _ = say(&Line::Event {
                event: Event::Progress {
                    requirement: pending.id.clone(),
                    engine: progress.engine.to_string(),
                    safe_cycles: progress.safe_cycles,
                    elapsed_ms: started.elapsed().as_millis() as u64,
                    text: progress.text,
                },
            });
        });
        result.duration_ms = begun.elapsed().as_millis() as u64;
        say_result(&result)?;
    }
    say(&Line::Done)
}

/// Decides the requirements of these numbers. What one does not use of its share of the time is there for those after it,
/// and in the end for another attempt at those that ran out of it. Returns the numbers of those that hold.
fn rounds(program: &Program, job: &Job, todo: Vec<usize>, started: Instant, deadline: Instant) -> std::io::Result<Vec<usize>> {
    let mut hold = Vec::new();
    let mut todo: Vec<(usize, Option<RequirementResult>)> = todo.into_iter().map(|i| (i, None)).collect();
    while !todo.is_empty() {
        let n = todo.len();
        let mut again = Vec::new();
        for (nth, (i, before)) in todo.into_iter().enumerate() {
            let checked = &program.stated.checked[i];
            let begun = Instant::now();
            let mut share = deadline.saturating_duration_since(begun) / (n - nth) as u32;
            if before.is_none() && program.shared.knows_facts() {
                share /= FIRST_OF;
            }
            if let Some(before) = before.as_ref().filter(|b| share < worth_it(b)) {
                say_result(before)?;
                continue;
            }
            say(&Line::Started { requirement: checked.id.clone() })?;
            let attempt = if before.is_none() { Attempt::First } else { Attempt::Again };
            let interrupt = Interrupt { deadline: Some(begun + share), ..Interrupt::default() };
            let time = Share { interrupt, share, attempt };
            // A second attempt need not find out a second time that the earlier evidence is none.
            let earlier = if before.is_none() { job.earlier(checked.pattern, &checked.text) } else { None };
            let mut result = super::decide::result(program, checked, (job, earlier), &time, &|progress| {
                // A parent that is gone ends the worker at the next result line.
                let _ = say(&Line::Event {
                    event: Event::Progress {
                        requirement: checked.id.clone(),
                        engine: progress.engine.to_string(),
                        safe_cycles: progress.safe_cycles,
                        elapsed_ms: started.elapsed().as_millis() as u64,
                        text: progress.text,
                    },
                });
            });
            result.duration_ms = begun.elapsed().as_millis() as u64;
            let late = result.verdict == VerdictWord::Unknown && share <= begun.elapsed() + MARGIN;
            if let Some(before) = &before {
                result.safe_cycles = result.safe_cycles.max(before.safe_cycles.filter(|_| late));
            }
            match late {
                true => {
                    say(&Line::Postponed { result: Box::new(result.clone()) })?;
                    again.push((i, Some(result.clone())));
                }
                false => say_result(&result)?,
            }
            if result.verdict == VerdictWord::Holds {
                hold.push(i);
            }
        }
        todo = again;
    }
    Ok(hold)
}

/// The part of its share after which a requirement begins again with what others have shown, if they have: an engine that
/// got nowhere in this time may need no more than that.
const FIRST_OF: u32 = 3;

/// Another attempt needs half as much time again as the one before had.
fn worth_it(before: &RequirementResult) -> Duration {
    Duration::from_millis(before.duration_ms / 2 * 3).max(Duration::from_secs(1))
}

/// The time of one requirement.
pub(super) struct Share {
    /// When to stop.
    pub(super) interrupt: Interrupt,
    /// How long that was when it began.
    pub(super) share: Duration,
    /// Whether it had time before.
    pub(super) attempt: Attempt,
}

/// A line that is too long for the parent would be no answer at all.
fn say_result(result: &RequirementResult) -> std::io::Result<()> {
    let text = encode(&Line::Result { result: Box::new(result.clone()) }).map_err(std::io::Error::other)?;
    if text.len() as u64 + 1 < MAX_LINE_BYTES {
        let mut out = std::io::stdout().lock();
        writeln!(out, "{text}")?;
        return out.flush();
    }
    let mut result = result.clone();
    for cycle in result.counterexample.iter_mut().flat_map(|cex| &mut cex.cycles) {
        cycle.steps.clear();
    }
    result.exploration = None;
    if let Some(cex) = &mut result.counterexample {
        cex.explanation.push("The run is too long to show it statement by statement.".to_string());
    }
    say(&Line::Result { result: Box::new(result) })
}

/// Everything that deciding needs.
pub struct Program {
    /// The program as it was read.
    pub loaded: Loaded,
    /// Its model.
    pub model: Model,
    /// What is stated about it.
    pub stated: Stated,
    /// What its requirements have found for each other.
    pub shared: Shared,
    /// Conditions that an answer may depend on.
    pub dependence: Dependence,
}

struct Understood {
    outcome: Outcome,
    pending: Vec<RequirementResult>,
    /// `None` if something is wrong with the sources or the specification.
    program: Option<Program>,
}

/// Reads the sources and the specification; with an error in either there is nothing to decide.
fn understand(job: &Job) -> Understood {
    let mut set = SourceSet::default();
    for source in &job.sources {
        set.add(source.name.clone(), source.text.clone());
    }
    let options =
        LoadOptions { entry: job.specification.entry.clone(), dialect: job.specification.dialect, ..LoadOptions::default() };
    let mut parsed = plc_frontend::load(&set, &options);
    let mut outcome = Outcome {
        format: 1,
        tool: env!("CARGO_PKG_VERSION").to_string(),
        sources: sources(&set),
        import: import(&parsed.value, &parsed.diagnostics),
        problems: Vec::new(),
        rests_on: Vec::new(),
        environment: Vec::new(),
        checkable: Vec::new(),
        nothing_to_check: Vec::new(),
        results: Vec::new(),
        duration_ms: 0,
    };
    if parsed.has_errors() {
        return Understood { outcome, pending: Vec::new(), program: None };
    }
    let (ranges, wrong) = environment::apply(&job.specification, &mut parsed.value);
    outcome.problems = wrong.iter().map(problem).collect();
    if !outcome.problems.is_empty() {
        return Understood { outcome, pending: Vec::new(), program: None };
    }
    outcome.import.variables = variables(&parsed.value.project);
    let cycle = job.specification.cycle_time(parsed.value.interval_ns);
    let options = ModelOptions { dt_min_ms: cycle.min_ms, dt_max_ms: cycle.max_ms, ..ModelOptions::default() };
    let model = match build(&parsed.value.project, &options) {
        Ok(model) => model,
        Err(e) => {
            outcome.problems.push(Problem {
                pointer: String::new(),
                message: e.to_string(),
                help: None,
                rendered: String::new(),
                column: None,
            });
            return Understood { outcome, pending: Vec::new(), program: None };
        }
    };
    let kinds: Vec<Watched> =
        watched(&model).into_iter().chain([Watched::DoubleWrites, Watched::Statements, Watched::Outputs]).collect();
    outcome.checkable = CHECKS.iter().filter(|c| kinds.contains(&c.kind)).map(|c| c.name.to_string()).collect();
    let mut stated = requirements(&job.specification, &ranges, &mut parsed.value, &kinds);
    if let Some((hidden, why)) = super::behind_gap::checks(&parsed.value, &model) {
        stated.reject_behind_gap(&job.specification, &hidden, &why);
    }
    outcome.nothing_to_check = idle_checks(&job.specification, &stated).map(|check| check.name.to_owned()).collect();
    outcome.problems = stated.problems.iter().map(problem).collect();
    if !outcome.problems.is_empty() {
        // Nothing is verified, so the mistakes in requirements have no results to stand in.
        outcome.problems.extend(stated.rejected.iter().flat_map(|rejected| &rejected.problems).map(problem));
    }
    if !job.strategy.only.is_empty()
        && let Err(message) = stated.keep_only(&job.strategy.only)
    {
        outcome.problems.push(Problem { pointer: String::new(), message, help: None, rendered: String::new(), column: None });
    }
    if !outcome.problems.is_empty() {
        return Understood { outcome, pending: Vec::new(), program: None };
    }
    outcome.environment = environment_of(&parsed.value, &ranges);
    outcome.rests_on = rests_on(&parsed.value, &job.specification, &stated, &outcome.import, &outcome.environment);
    outcome.rests_on.extend(parsed.value.dialect.row().rests_on());
    let pending = rows(&stated, &parsed.value.sources);
    let (dependence, shared) = (Dependence::new(&parsed.value, &model), Shared::new(&model));
    let program = Program { loaded: parsed.value, shared, model, stated, dependence };
    Understood { outcome, pending, program: Some(program) }
}

fn problem(p: &SpecProblem) -> Problem {
    Problem {
        pointer: p.pointer.clone(),
        message: p.message.clone(),
        help: p.help.clone(),
        rendered: p.rendered.clone(),
        column: p.column,
    }
}

/// Returns the kinds of faults and lapses that a model has places for.
pub(super) fn watched(model: &Model) -> Vec<Watched> {
    let faults: BTreeSet<_> = model.faults.iter().map(|f| f.kind).collect();
    faults.into_iter().map(Watched::Fault).chain(model.lapsing.iter().map(|kind| Watched::Lapse(*kind))).collect()
}

/// Returns every requirement before its answer, in order. Those that are rejected have it already.
fn rows(stated: &Stated, sources: &SourceSet) -> Vec<RequirementResult> {
    let mut rows: Vec<RequirementResult> = stated.checked.iter().map(|checked| pending(checked, sources)).collect();
    for rejected in stated.rejected.iter().rev() {
        rows.insert(rejected.at, not_checked(rejected));
    }
    rows
}

/// The result of a requirement that is not stated correctly.
fn not_checked(rejected: &Rejected) -> RequirementResult {
    let meaning = by_name(rejected.pattern).map_or("", |check| check.meaning);
    let row = before_answer(&rejected.id, &rejected.text, meaning, rejected.pattern);
    let row = RequirementResult { problems: rejected.problems.iter().map(problem).collect(), ..row };
    without_answer(row, VerdictWord::NotChecked, &rejected.why)
}

/// A requirement before its answer.
pub fn pending(checked: &Checked, sources: &SourceSet) -> RequirementResult {
    let row = before_answer(&checked.id, &checked.text, &checked.meaning, checked.pattern);
    let row = RequirementResult { place: checked.place.map(|span| place(sources, span)), ..row };
    without_answer(row, VerdictWord::Unknown, "no answer yet")
}

fn before_answer(id: &str, text: &str, meaning: &str, pattern: &str) -> RequirementResult {
    RequirementResult {
        id: id.to_owned(),
        text: text.to_owned(),
        meaning: meaning.to_owned(),
        pattern: pattern.to_owned(),
        place: None,
        verdict: VerdictWord::Unknown,
        headline: String::new(),
        reason: None,
        problems: Vec::new(),
        conditions: Vec::new(),
        frozen: Vec::new(),
        open_gaps: None,
        n_assumptions: 0,
        advice: Vec::new(),
        progress: Vec::new(),
        safe_cycles: None,
        engine: None,
        duration_ms: 0,
        counterexample: None,
        proof: None,
        example: None,
        reused: false,
        evidence: None,
        sensitivity: None,
        exploration: None,
        certificate: None,
    }
}
