//! The child's side of a run: reads one assignment, tells the import, decides requirement by requirement.

use std::io::{BufRead, Read, Write};
use std::time::{Duration, Instant};

use super::job::{Job, Task};
use super::part::order;
use super::process::{BACKGROUND, OTHER_SOLVER};
use super::protocol::{Assignment, Line, MAX_LINE_BYTES, decode, encode};
use super::rounds::{MARGIN, rounds};
use super::subject::Subject;
use super::understand::{Understood, understand};
use super::{certificate, limits, sandbox};
use crate::report::format::WantedReport;
use crate::report::outcome::{Outcome, RequirementResult};
use answer::VerdictWord;
use kernel::smt::Interrupt;

/// An assignment longer than this is not one of ours.
const MAX_ASSIGNMENT_BYTES: u64 = 256 << 20;
/// Ranks of workers: requests to a service come first, then reading for a page, then runs, then help with runs.
const NICE_PAGE: i32 = 5;
const NICE_RUN: i32 = 10;
const NICE_HELPER: i32 = 15;
/// Time from its begin after which a worker takes no further assignment. A start costs little beside it.
const MOST_WORK: Duration = Duration::from_secs(5);
/// Most looks at the threads of a run before its worker ends.
const MOST_LOOKS: u32 = 20;
/// Pause between two looks.
const LOOK_AGAIN: Duration = Duration::from_millis(5);
/// Memory behind an assignment up to which a worker takes another one.
const MOST_LEFT_BYTES: u64 = 128 << 20;

/// Returns `scanproof worker`: exits with 0 once every line is out.
pub fn main() -> u8 {
    let Some(assignment) = read_assignment() else {
        return complain("no assignment on standard input: this command is started by the others");
    };
    if std::env::var_os(BACKGROUND).is_some() {
        let _ = rustix::process::nice(nice(&assignment));
    }
    // First, so that it holds for every thread. Where the kernel lacks it, the work goes on: the service has said so in its log.
    let is_asked = matches!(&assignment.job.task, Task::Check(given) if given.solver.is_some());
    if !(is_asked && std::env::var_os(OTHER_SOLVER).is_some()) {
        let _ = sandbox::enter();
    }
    if let Err(e) = limits::apply(&assignment.job.limits, assignment.cpu_s) {
        return complain(&format!("the limits cannot be set: {e}"));
    }
    let work = move || serve(assignment);
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

/// Returns the next assignment; `None` if the parent gives none.
fn read_assignment() -> Option<Assignment> {
    let mut line = String::new();
    std::io::stdin().lock().take(MAX_ASSIGNMENT_BYTES).read_line(&mut line).ok()?;
    decode(&line)
}

/// Returns the rank of an assignment. Certifications are short, and agents work on until their answers are certified. A helper on
/// the cores of the first part of its run has the time that this one leaves.
fn nice(assignment: &Assignment) -> i32 {
    match &assignment.job.task {
        Task::Decide if assignment.part != 0 => NICE_HELPER,
        Task::Verify | Task::Decide => NICE_RUN,
        Task::Certify(_) | Task::Confirm(_) | Task::Understand | Task::Export(_) | Task::Report(_) | Task::Check(_) => NICE_PAGE,
    }
}

fn complain(text: &str) -> u8 {
    let _ = writeln!(std::io::stderr().lock(), "{text}");
    1
}

pub(super) fn say(line: &Line) -> std::io::Result<()> {
    put(&encode(line).map_err(std::io::Error::other)?)
}

fn put(text: &str) -> std::io::Result<()> {
    let mut out = std::io::stdout().lock();
    writeln!(out, "{text}")?;
    out.flush()
}

/// Works on one assignment after the other, as long as the parent keeps this worker and nothing is left behind.
///
/// Processor time that is used counts in the limit of each further assignment, so little of it is used up.
fn serve(mut assignment: Assignment) -> std::io::Result<()> {
    let (begun, threads) = (Instant::now(), limits::n_threads());
    loop {
        let stays = assignment.stays;
        work(assignment)?;
        let is_small = limits::resident_bytes().is_some_and(|bytes| bytes < MOST_LEFT_BYTES);
        if !stays || !is_small || !ends_alone(threads) || MOST_WORK < begun.elapsed() {
            return Ok(());
        }
        let Some(next) = read_assignment() else { return Ok(()) };
        assignment = next;
    }
}

/// Returns whether the threads of a run have ended, so that there are as many as before. They may need a moment on a busy machine.
fn ends_alone(before: Option<usize>) -> bool {
    let is_alone = || limits::n_threads() == before;
    for _ in 0..MOST_LOOKS {
        if is_alone() {
            return true;
        }
        std::thread::sleep(LOOK_AGAIN);
    }
    is_alone()
}

fn work(mut assignment: Assignment) -> std::io::Result<()> {
    let mut started = Instant::now();
    let Understood { outcome, pending, subject } = understand(&assignment.job);
    say(&Line::Understood { outcome: Box::new(outcome.clone()), pending: pending.clone() })?;
    if assignment.reads_ahead {
        // A parent that gives none has ended, or needs this worker no longer.
        let Some(next) = read_assignment() else { return Ok(()) };
        (assignment, started) = (next, Instant::now());
    }
    let assignment = &assignment;
    let job = &assignment.job;
    let deadline = started + Duration::from_millis(assignment.remaining_ms).saturating_sub(MARGIN);
    if let Some(subject) = &subject {
        let interrupt = Interrupt { deadline: Some(deadline), ..Interrupt::default() };
        let written = match &job.task {
            Task::Export(wanted) => Some(super::model::written(subject, wanted, job, &outcome)),
            Task::Report(wanted) => Some(report(subject, wanted, job, &outcome)),
            Task::Check(given) => Some(certificate::checked(subject, given, (job, &outcome), &interrupt)),
            Task::Understand => None,
            Task::Verify | Task::Decide | Task::Certify(_) | Task::Confirm(_) => {
                verify(subject, assignment, &pending, (started, deadline))?;
                None
            }
        };
        if let Some(written) = written {
            say(&Line::Model { written })?;
        }
    }
    say(&Line::Done)
}

/// Returns the text of a report, or one sentence why there is none.
fn report(subject: &Subject, wanted: &WantedReport, job: &Job, outcome: &Outcome) -> Result<String, String> {
    match wanted {
        WantedReport::Certificate(wanted) => certificate::written(subject, wanted, job, outcome),
        WantedReport::Witness(wanted) => certificate::witness(subject, wanted, job, outcome),
        WantedReport::PlcTest(wanted) => super::plc_test::written(subject, wanted),
        WantedReport::Several(all) => {
            let texts: Vec<Result<String, String>> = all.iter().map(|wanted| report(subject, wanted, job, outcome)).collect();
            serde_json::to_string(&texts).map_err(|e| e.to_string())
        }
    }
}

/// Decides the statements that are wanted. Afterwards it tries changes of a program.
fn verify(
    subject: &Subject,
    assignment: &Assignment,
    pending: &[RequirementResult],
    (started, deadline): (Instant, Instant),
) -> std::io::Result<()> {
    let job = &assignment.job;
    let wanted =
        |id: &str| !assignment.skip.iter().any(|done| done == id) && assignment.only.as_deref().is_none_or(|only| only == id);
    let rejected = pending.iter().filter(|row| row.verdict == VerdictWord::NotChecked);
    for row in rejected.filter(|row| wanted(&row.id)) {
        say_result(row)?;
    }
    let statements = subject.statements();
    let is_claimed = |id: &str| !matches!(job.task, Task::Confirm(_)) || job.claim(id).is_some();
    let is_to_do = |id: &str| wanted(id) && is_claimed(id);
    let todo: Vec<usize> = (0..statements.len()).filter(|&i| is_to_do(&statements[i].pending().id)).collect();
    subject.hear(&job.facts);
    let hold = rounds(subject, job, order(todo, assignment.part), started, deadline)?;
    let asked = job.specification.mutants;
    // A caller that wants one answer, or that of an engine, wants nothing else.
    if let Subject::Program(program) = subject
        && !matches!(job.task, Task::Decide | Task::Confirm(_))
        && (asked || (job.task == Task::Verify && assignment.only.is_none() && job.strategy.is_default()))
    {
        super::changes::tried(program, &hold, asked, (started, deadline), &say)?;
    }
    Ok(())
}

/// Says a result; without the steps of its run where the line would be too long for the parent.
pub(super) fn say_result(result: &RequirementResult) -> std::io::Result<()> {
    let text = encode(&Line::Result { result: Box::new(result.clone()) }).map_err(std::io::Error::other)?;
    if text.len() as u64 + 1 < MAX_LINE_BYTES {
        return put(&text);
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
