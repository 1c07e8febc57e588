//! The queue: takes waiting jobs from the database, a few at a time, and stores the events of their workers.

use std::time::Duration;

use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tracing::{error, info, warn};

use super::backend::{Backend, BackendEnd, Distributed, Embedded, Order};
use super::error::WebError;
use super::imports::texts;
use super::job::{MAX_EVENTS, json, read, specification, stored_outcome};
use super::project::verdicts;
use super::state::AppState;
use crate::fleet::dispatcher::Fleet;
use crate::report::outcome::Outcome;
use crate::report::tally::Tally;
use crate::run::event::Event;
use crate::run::job::{Earlier, Job, Strategy, Task, evidence};
use crate::run::limits::Limits;
use crate::run::supervisor::Ended;
use crate::store::jobs::{JobEnd, JobState, StoredJob};
use crate::store::now_ms;

/// Time after which the database is read again without a call.
const LOOK_AGAIN: Duration = Duration::from_secs(5);
/// Events are stored together, this often.
const FLUSH: Duration = Duration::from_millis(150);

/// Runs jobs until the service ends. Jobs that run then stay `running` in the database, and the next start queues them again.
///
/// Short jobs have a worker of their own on this machine, so that they do not wait for long ones.
pub(super) async fn run(state: AppState) {
    let tasks = TaskTracker::new();
    let quick = Embedded::new(&state, 1, state.config.quick_s);
    match &state.fleet {
        None => {
            let all = Embedded::new(&state, state.config.workers.max(1), u32::MAX);
            tokio::join!(lane(&state, &tasks, all), lane(&state, &tasks, quick));
        }
        Some(fleet) => {
            let all = Distributed::new(&state, fleet);
            tokio::join!(lane(&state, &tasks, all), lane(&state, &tasks, quick), forget(&state, fleet));
        }
    }
    tasks.close();
    tasks.wait().await;
}

/// Deletes reports of agents that no run waits for, now and then.
async fn forget(state: &AppState, fleet: &Fleet) {
    while state.shutdown.run_until_cancelled(tokio::time::sleep(LOOK_AGAIN)).await.is_some() {
        for start in fleet.parked() {
            let (id, attempt) = &start;
            let is_wanted = match state.store.job(id).await {
                Ok(Some(job)) if job.state == JobState::Queued => job.attempts < *attempt,
                Ok(Some(job)) if job.state == JobState::Running => job.attempts <= *attempt,
                Ok(_) => false,
                // Nothing is known: it stays.
                Err(_) => true,
            };
            if !is_wanted {
                fleet.forget(&start).await;
            }
        }
    }
}

/// Gives waiting jobs to a back end, as many at the same time as it has room for.
async fn lane<B: Backend>(state: &AppState, tasks: &TaskTracker, backend: B) {
    let mut calls = state.wake.subscribe();
    loop {
        let slot = tokio::select! {
            () = state.shutdown.cancelled() => break,
            slot = backend.slot() => slot,
        };
        // A job that is queued from here on is seen by the look, or by the call after it.
        calls.borrow_and_update();
        match backend.claim(slot).await {
            Ok(Some((job, slot))) => {
                state.announce();
                let (state, backend) = (state.clone(), backend.clone());
                tasks.spawn(async move {
                    one(state.clone(), backend, slot, job).await;
                    // Another lane may wait for the memory.
                    state.wake.send_modify(|n| *n = n.wrapping_add(1));
                });
            }
            Ok(None) => {
                tokio::select! {
                    () = state.shutdown.cancelled() => break,
                    _ = calls.changed() => {}
                    () = tokio::time::sleep(LOOK_AGAIN) => {}
                }
            }
            Err(error) => {
                error!("the queue cannot claim a job: {error}");
                tokio::time::sleep(LOOK_AGAIN).await;
            }
        }
    }
}

/// Runs one job to its end. The job never stays `running`, unless the service ends.
async fn one<B: Backend>(state: AppState, backend: B, slot: B::Slot, job: StoredJob) {
    let id = job.id.clone();
    let cancel = state.shutdown.child_token();
    state.so_far.forget(&id);
    state.running().insert(id.clone(), cancel.clone());
    let work = tokio::spawn(work(state.clone(), backend.clone(), slot, job, cancel));
    let (ended, slot) = match work.await {
        Ok((ended, slot)) => (Ok(ended), slot),
        Err(error) => (Err(error), None),
    };
    state.running().remove(&id);
    if state.shutdown.is_cancelled() {
        return;
    }
    let end = match ended {
        Ok(Ok(end)) => end,
        Ok(Err(e)) => failed(format!("internal error: {}", e.for_the_log().unwrap_or_else(|| e.to_string()))),
        Err(e) => failed(format!("internal error: {e}")),
    };
    info!(job.id = %id, "run {id}: {}", end.state.name());
    let tally: Option<Tally> = end.tally.as_deref().and_then(|json| serde_json::from_str(json).ok());
    state.metrics.job(end.state, end.worked_ms.map(|(began, ended)| ended - began), tally);
    let is_large = end.outcome.as_ref().is_some_and(|json| LARGE < json.len());
    store_end(&state, &id, end).await;
    state.so_far.forget(&id);
    if is_large {
        // The first look at its page finds it in memory.
        let (state, id) = (state.clone(), id.clone());
        tokio::spawn(async move { stored_outcome(&state, &id).await.map(drop) });
    }
    // At the end of the service it may not be stored: the next one asks the back end again.
    if let Some(slot) = slot.filter(|_| !state.shutdown.is_cancelled()) {
        backend.stored(slot).await;
    }
    state.announce();
}

/// Bytes of an outcome from which on it is read ahead.
const LARGE: usize = 1 << 20;

/// Time between two tries to store the end of a run.
const STORE_AGAIN: Duration = if cfg!(test) { Duration::from_millis(200) } else { Duration::from_secs(5) };

/// Stores the end of a run. While the database takes no writes, as on a full disk, it tries again: the run has its answer.
///
/// The worker's place stays taken meanwhile, so no other run begins whose answer could not be stored either.
pub(super) async fn store_end(state: &AppState, id: &str, end: JobEnd) {
    while let Err(e) = state.store.finish_job(id, end.clone()).await {
        error!(job.id = %id, "the end of run {id} cannot be stored, and is tried again: {e}");
        tokio::select! {
            () = tokio::time::sleep(STORE_AGAIN) => {}
            // The next start queues it again.
            () = state.shutdown.cancelled() => return,
        }
    }
}

/// Returns the end of a job, and the room that it takes until that is stored.
async fn work<B: Backend>(
    state: AppState,
    backend: B,
    slot: B::Slot,
    stored: StoredJob,
    cancel: CancellationToken,
) -> (Result<JobEnd, WebError>, Option<B::Slot>) {
    let job = match read_job(&state, &stored, &cancel).await {
        Ok(job) => job,
        Err(error) => return (Err(error), Some(slot)),
    };
    let (sender, receiver) = mpsc::unbounded_channel();
    let keeper = tokio::spawn(keep_events(state.clone(), stored.id.clone(), receiver));
    let started_ms = now_ms();
    let (ended, slot) = backend.run(slot, Order { stored: &stored, job, cancel }, sender).await;
    let worked_ms = Some((started_ms, now_ms()));
    let end = match keeper.await {
        Ok(events) => end(ended, events).map(|end| JobEnd { worked_ms, ..end }),
        Err(error) => Err(WebError::Internal(error.to_string())),
    };
    (end, slot)
}

/// Returns a stored job with its content.
async fn read_job(state: &AppState, stored: &StoredJob, cancel: &CancellationToken) -> Result<Job, WebError> {
    // Asked for between the claim and the entry in the table of running jobs.
    if state.store.job(&stored.id).await?.is_some_and(|j| j.cancel) {
        cancel.cancel();
    }
    let strategy = read(&stored.strategy)?;
    let limits = Limits { wall_s: stored.wall_s, memory_mb: stored.memory_mb };
    let sources = texts(state.store.sources(&stored.program).await?);
    let earlier = earlier(state, stored, &strategy).await?;
    Ok(Job { strategy, earlier, ..Job::new(sources, specification(state, stored).await?, Task::Verify, limits) })
}

/// Returns the evidence of the last run of the same project; else that of the last program with the same name.
async fn earlier(state: &AppState, job: &StoredJob, strategy: &Strategy) -> Result<Vec<Earlier>, WebError> {
    if strategy.anew {
        return Ok(Vec::new());
    }
    let last = match state.store.outcome_before_in_project(&job.id).await? {
        Some(last) => Some(last),
        None => state.store.outcome_before(&job.id, &job.label).await?,
    };
    // The outcome of another version may have no evidence that this one reads.
    let outcome: Option<Outcome> = last.and_then(|json| serde_json::from_str(&json).ok());
    Ok(outcome.map(evidence).unwrap_or_default())
}

/// Stores events as they come, and returns those that are left when the worker ends.
async fn keep_events(state: AppState, job: String, mut events: mpsc::UnboundedReceiver<Event>) -> Vec<String> {
    let mut stored = 0;
    let mut waiting = Vec::new();
    while let Some(event) = events.recv().await {
        waiting.push(event);
        let flush = tokio::time::sleep(FLUSH);
        tokio::pin!(flush);
        let is_open = loop {
            tokio::select! {
                () = &mut flush => break true,
                event = events.recv() => match event {
                    Some(event) => waiting.push(event),
                    None => break false,
                },
            }
        };
        if !is_open {
            break;
        }
        let batch = condense(std::mem::take(&mut waiting), MAX_EVENTS.saturating_sub(stored) as usize);
        if batch.is_empty() {
            continue;
        }
        stored += batch.len() as u32;
        match state.store.add_events(&job, batch).await {
            Ok(()) => state.announce(),
            Err(e) => warn!(job.id = %job, "events of run {job} cannot be stored: {e}"),
        }
    }
    condense(waiting, MAX_EVENTS.saturating_sub(stored) as usize)
}

/// Keeps the last progress of each requirement, at most `room` progress and log lines, and every verdict.
fn condense(events: Vec<Event>, mut room: usize) -> Vec<String> {
    let mut kept = Vec::new();
    let mut told = std::collections::BTreeSet::new();
    for event in events.iter().rev() {
        let keep = match event {
            Event::Progress { requirement, .. } => told.insert(requirement.clone()) && 0 < room,
            Event::Log { .. } => 0 < room,
            Event::Verdict { .. } => true,
        };
        if keep {
            room = room.saturating_sub(1);
            kept.extend(serde_json::to_string(event));
        }
    }
    kept.reverse();
    kept
}

fn end(ended: BackendEnd, events: Vec<String>) -> Result<JobEnd, WebError> {
    let whole = |state, reason: Option<String>, outcome: Option<Box<Outcome>>| -> Result<JobEnd, WebError> {
        let tally = outcome.as_deref().map(|o| json(&Tally::of_outcome(o))).transpose()?;
        let verdicts = outcome.as_deref().map(verdicts).unwrap_or_default();
        let outcome = outcome.as_deref().map(json).transpose()?;
        Ok(JobEnd { state, reason, outcome, tally, verdicts, events, worked_ms: None })
    };
    let ended = match ended {
        BackendEnd::Ended(ended) => ended,
        BackendEnd::Interrupted(why) => return whole(JobState::Interrupted, Some(why), None),
    };
    match ended {
        Ended::Succeeded(outcome) => whole(JobState::Succeeded, None, Some(outcome)),
        Ended::Failed { reason, .. } => whole(JobState::Failed, Some(reason), None),
        Ended::Cancelled(outcome) => whole(JobState::Cancelled, None, outcome),
        Ended::TimedOut(outcome) => whole(JobState::TimedOut, None, outcome),
    }
}

fn failed(reason: String) -> JobEnd {
    let (verdicts, events) = (Vec::new(), Vec::new());
    JobEnd { state: JobState::Failed, reason: Some(reason), outcome: None, tally: None, verdicts, events, worked_ms: None }
}

#[cfg(test)]
mod tests {
    use super::*;
    use answer::VerdictWord;

    fn progress(requirement: &str, n: u64) -> Event {
        Event::Progress {
            requirement: requirement.into(),
            engine: "bmc".into(),
            safe_cycles: None,
            elapsed_ms: n,
            text: String::new(),
        }
    }

    #[test]
    fn a_flood_of_progress_leaves_the_last_of_each_and_every_verdict() {
        let verdict = Event::Verdict {
            requirement: "a".into(),
            verdict: VerdictWord::Holds,
            class: None,
            headline: String::new(),
            duration_ms: 1,
        };
        let flood = vec![progress("a", 1), progress("b", 2), progress("a", 3), verdict, Event::Log { text: "x".into() }];
        let kinds = |room| {
            let kept: Vec<Event> = condense(flood.clone(), room).iter().map(|e| serde_json::from_str(e).unwrap()).collect();
            kept.iter()
                .map(|e| match e {
                    Event::Progress { requirement, elapsed_ms, .. } => format!("{requirement}{elapsed_ms}"),
                    Event::Verdict { .. } => "verdict".into(),
                    Event::Log { .. } => "log".into(),
                })
                .collect::<Vec<_>>()
        };
        assert_eq!(kinds(10), ["b2", "a3", "verdict", "log"]);
        assert_eq!(kinds(0), ["verdict"]);
    }
}
