//! Measurement of one requirement: the end of its run with the figures of its workers.

use std::path::Path;
use std::time::{Duration, Instant};

use tokio_util::sync::CancellationToken;

use super::event::Event;
use super::job::Job;
use super::process::Usage;
use super::supervisor::{Ended, Measured, measure};
use crate::report::outcome::RequirementResult;

/// Measured run of one requirement.
#[derive(Clone, Debug)]
pub struct Measurement {
    /// Processor time and memory of its workers.
    pub usage: Usage,
    /// Time that passed.
    pub wall: Duration,
    /// Last progress message of the engine.
    pub progress: Option<String>,
    /// The result; `None` if the run ended without one.
    pub result: Option<RequirementResult>,
    /// Reason for a run without a result: even reading needs time and memory.
    pub failure: Option<String>,
}

/// Measures one requirement of a job; `None` if it was stopped.
pub async fn measured(
    program: &Path,
    job: &Job,
    (requirement, cpu_s): (&str, Option<u32>),
    cancel: CancellationToken,
) -> Option<Measurement> {
    let started = Instant::now();
    let mut progress = None;
    let mut on_event = |event| match event {
        Event::Progress { text, .. } => progress = Some(text),
        Event::Verdict { .. } | Event::Log { .. } => {}
    };
    let wanted = Measured { only: Some(requirement), cpu_s };
    let (ended, usage) = measure(program, job, wanted, cancel, &mut on_event).await;
    let wall = started.elapsed();
    let (outcome, failure) = match ended {
        Ended::Succeeded(outcome) => (Some(outcome), None),
        Ended::TimedOut(outcome) => (outcome, Some("time limit".to_owned())),
        Ended::Failed { reason, .. } => (None, Some(reason)),
        Ended::Cancelled(_) => return None,
    };
    let result = outcome.and_then(|outcome| outcome.results.into_iter().find(|result| result.id == requirement));
    Some(Measurement { usage, wall, progress, result, failure })
}
