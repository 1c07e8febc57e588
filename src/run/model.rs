//! Models for other tools, written by a worker: only a process has limits.

use std::path::Path;
use std::time::Duration;

use tokio_util::sync::CancellationToken;

use super::death::cause_of_death;
use super::job::{Job, Wanted};
use super::process::Conversation;
use super::protocol::{Assignment, Line, decode};
use super::subject::Subject;
use super::understand::Program;
use crate::export::format;
use crate::report::environment::SharedRow;
use crate::report::outcome::Outcome;
use kernel::property::requirements::ResolvedRequirement;
use kernel::property::spec::RunStart;

/// Result of writing a model.
#[derive(Debug)]
pub enum Written {
    /// The file's text.
    Text(String),
    /// There is none, because; one sentence.
    Refused(String),
    /// The sources or the specification are not understood.
    NotUnderstood(Box<Outcome>),
    /// The worker ended without an answer, because.
    Failed(String),
    /// Stopped by the user.
    Cancelled,
}

/// Lets a worker write the text that `job.task` asks for.
pub async fn model(program: &Path, job: &Job, cancel: CancellationToken) -> Written {
    let limit = Duration::from_secs(u64::from(job.limits.wall_s));
    tokio::select! {
        () = cancel.cancelled() => Written::Cancelled,
        () = tokio::time::sleep(limit) => Written::Failed(format!("it took longer than {} s", job.limits.wall_s)),
        written = ask(program, job, limit) => written,
    }
}

/// Runs one worker; it ends with this future.
async fn ask(program: &Path, job: &Job, limit: Duration) -> Written {
    let assignment = Assignment {
        job: job.clone(),
        skip: Vec::new(),
        part: 0,
        only: None,
        cpu_s: None,
        remaining_ms: limit.as_millis() as u64,
        reads_ahead: false,
        stays: false,
    };
    let mut worker = match Conversation::start(program, &assignment) {
        Ok(worker) => worker,
        Err(e) => return Written::Failed(format!("the worker could not be started: {e}")),
    };
    let mut understood = None;
    while let Some(line) = worker.line().await {
        let said = decode::<Line>(&line);
        if let Some(Line::Model { written }) = said {
            return written.map_or_else(Written::Refused, Written::Text);
        }
        if let Some(Line::Done) = said {
            break;
        }
        if let Some(Line::Understood { outcome, .. }) = said {
            understood = Some(outcome);
        }
    }
    worker.stop();
    match (understood, worker.process.end().await) {
        (Some(outcome), Ok((status, _))) if status.success() => Written::NotUnderstood(outcome),
        (_, Ok((status, _))) => Written::Failed(cause_of_death(status, &worker.complaints().await, job.limits.memory_mb)),
        (_, Err(e)) => Written::Failed(format!("the worker was lost: {e}")),
    }
}

/// Returns the model for another tool: the worker's side. The error is one sentence.
pub(super) fn written(subject: &Subject, wanted: &Wanted, job: &Job, outcome: &Outcome) -> Result<String, String> {
    let format = format(&wanted.format).map_err(|e| e.to_string())?;
    let statement = subject.chosen(wanted.requirement.as_deref())?;
    let question = statement.question(job, outcome)?;
    let mut question = if wanted.reduced { question.reduced() } else { question };
    question.places = statement.places(&question);
    format.write(&mut question).map_err(|e| e.to_string())
}

/// Returns notes for readers of the file.
pub(super) fn about(program: &Program, chosen: &ResolvedRequirement, job: &Job, outcome: &Outcome) -> Vec<String> {
    let names: Vec<&str> = job.sources.iter().map(|s| s.name.as_str()).collect();
    let options = &program.model.options;
    let mut about = vec![
        format!("{}: {}", chosen.id, chosen.text),
        format!("Checked: {}", chosen.meaning),
        format!("Program: {}", names.join(", ")),
        format!("Time between cycles: {} ms to {} ms.", options.dt_min_ms, options.dt_max_ms),
        format!("Written by scanproof {}.", env!("CARGO_PKG_VERSION")),
    ];
    about.push(match job.specification.start {
        Some(RunStart::Warm) => "Start: warm; RETAIN and PERSISTENT variables have any value.".to_owned(),
        Some(RunStart::Cold) | None => {
            "Start: cold; variables have their initial values unless a line below says otherwise.".to_owned()
        }
    });
    let stated = |row: &SharedRow| if row.stated { ", stated" } else { "" };
    let row = |row: &SharedRow| {
        let kind = row.kind.word();
        format!("Environment: {} ({}): {kind}{}, {}", row.variable, row.ty, stated(row), row.values())
    };
    about.extend(outcome.environment.iter().map(row));
    about.extend(program.stated.assumptions.iter().map(|a| format!("Assumed of the inputs in every cycle: {}", a.text)));
    about
}
