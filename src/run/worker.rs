//! The child's side of a run: reads one assignment, says what it understood, decides requirement by requirement.

use std::io::{BufRead, Read, Write};
use std::time::{Duration, Instant};

use super::event::Event;
use super::job::Task;
use super::limits;
use super::protocol::{Assignment, Line, MAX_LINE_BYTES, decode, encode};
use super::rounds::{MARGIN, Share, rounds};
use super::understand::{not_checked, understand};
use crate::report::outcome::RequirementResult;
use answer::decide::shared::Attempt;
use kernel::smt::Interrupt;

/// An assignment longer than this is not one of ours.
const MAX_ASSIGNMENT_BYTES: u64 = 256 << 20;
/// Returns `scanproof worker`: exits with 0 once every line is out.
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
        std::thread::Builder::new().name("worker".into()).stack_size(search::engine::portfolio::stack_bytes()).spawn(work);
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

pub(super) fn say(line: &Line) -> std::io::Result<()> {
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
        say(&Line::Model { written: super::model::written(program, wanted, job, &understood.outcome) })?;
    }
    if let Some(program) = &understood.program {
        match &job.task {
            Task::Certificate(wanted) => {
                say(&Line::Model { written: super::certificate::written(program, wanted, job, &understood.outcome) })?;
            }
            Task::Check(given) => {
                let interrupt = Interrupt { deadline: Some(deadline), ..Interrupt::default() };
                say(&Line::Model {
                    written: super::certificate::checked(program, given, (job, &understood.outcome), &interrupt),
                })?;
            }
            Task::Witness(wanted) => {
                say(&Line::Model { written: super::certificate::witness(program, wanted, job, &understood.outcome) })?;
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

/// Returns the same for a published model, about which there is one question.
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
            Task::Check(given) => {
                let interrupt = Interrupt { deadline: Some(deadline), ..Interrupt::default() };
                say(&Line::Model { written: super::certificate::checked_of_model(model, given, job, &interrupt) })?;
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

/// Returns a line that is too long for the parent would be no answer at all.
pub(super) fn say_result(result: &RequirementResult) -> std::io::Result<()> {
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
