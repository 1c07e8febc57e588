//! One run of an agent: its files, its worker, and its end.

use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use tokio_util::sync::CancellationToken;
use tracing::{info, warn};

use super::{AGAIN, Agent};
use crate::fleet::broker::report_subject;
use crate::fleet::message::{JobMessage, Report, ReportContent};
use crate::run::claim::Claim;
use crate::run::job::{Earlier, Job, SourceText, Task};
use crate::run::supervisor::{Ended, supervise};

/// Longest time in which the end of a run is brought to the broker. The server has given it to another agent by then.
const DELIVERY: Duration = Duration::from_secs(3600);

/// Does a run. Returns whether nothing of it is left to do.
pub(super) async fn work(agent: &Agent, message: JobMessage, cancel: CancellationToken) -> bool {
    let (id, attempt) = (message.job.clone(), message.attempt);
    let say = async |content: ReportContent, name: String| {
        let report = Report { agent: agent.settings.name.clone(), content };
        let subject = report_subject(&id, attempt);
        let body = agent.broker.pack(&subject, &report).await?;
        agent.broker.publish(&subject, &format!("{id}.{attempt}.{name}"), body).await
    };
    let job = match read(agent, message).await {
        Ok(Some(job)) => job,
        Ok(None) => {
            // The server sends the files, and the run once more.
            let name = format!("missing.{}", uuid::Uuid::now_v7());
            return say(ReportContent::Missing, name).await.is_ok();
        }
        Err(error) => {
            warn!(job.id = %id, "the files of run {id} cannot be read: {error}");
            return false;
        }
    };
    if let Err(error) = say(ReportContent::Started, format!("started.{}", uuid::Uuid::now_v7())).await {
        warn!(job.id = %id, "the begin of run {id} was not told: {error}");
        return false;
    }
    let begun = Instant::now();
    let ended = supervise(&agent.settings.program, &job, cancel.clone(), &mut |_| {}).await;
    if cancel.is_cancelled() {
        return true;
    }
    let worked_ms = u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX);
    agent.n_ended.fetch_add(1, Ordering::Relaxed);
    agent.worked_ms.fetch_add(worked_ms, Ordering::Relaxed);
    let (outcome, timed_out) = match ended {
        Ended::Succeeded(outcome) => (Some(outcome), false),
        Ended::TimedOut(outcome) | Ended::Cancelled(outcome) => (outcome, true),
        Ended::Failed { reason, .. } => {
            warn!(job.id = %id, "run {id}: {reason}");
            (None, false)
        }
    };
    // The server does itself what has no claim.
    let claims: Vec<Claim> = outcome.iter().flat_map(|outcome| &outcome.results).filter_map(Claim::of).collect();
    info!(job.id = %id, "run {id}: {} claims in {worked_ms} ms", claims.len());
    let content = ReportContent::Ended { claims, timed_out, worked_ms };
    loop {
        match say(content.clone(), "ended".to_owned()).await {
            Ok(()) => return true,
            Err(error) => warn!(job.id = %id, "the end of run {id} is not at the broker yet: {error}"),
        }
        if DELIVERY < begun.elapsed() || cancel.is_cancelled() {
            return false;
        }
        tokio::time::sleep(AGAIN).await;
    }
}

/// Returns the job of a message; `None` if an object of it is not in the store.
async fn read(agent: &Agent, message: JobMessage) -> Result<Option<Job>, String> {
    let mut sources = Vec::with_capacity(message.sources.len());
    for (name, object) in message.sources {
        let Some(bytes) = agent.files.get(&agent.broker, &object).await? else { return Ok(None) };
        let text = String::from_utf8(bytes).map_err(|error| error.to_string())?;
        sources.push(SourceText { name, text });
    }
    let earlier: Vec<Earlier> = match message.earlier {
        None => Vec::new(),
        Some(object) => {
            let Some(bytes) = agent.files.get(&agent.broker, &object).await? else { return Ok(None) };
            serde_json::from_slice(&bytes).map_err(|error| error.to_string())?
        }
    };
    let job = Job::new(sources, message.specification, Task::Decide, message.limits);
    Ok(Some(Job { strategy: message.strategy, earlier, ..job }))
}
