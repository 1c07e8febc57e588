//! One run of an agent: its files, its worker, and its end.

use std::collections::BTreeSet;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use tokio::sync::{mpsc, watch};
use tracing::{info, warn};

use super::{AGAIN, Agent, AtWork};
use crate::fleet::broker::report_subject;
use crate::fleet::message::{AnsweredMessage, JobMessage, Report, ReportContent, TextMessage};
use crate::report::outcome::RequirementResult;
use crate::run::claim::{Claim, ClaimContent};
use crate::run::job::{Earlier, Fact, Job, SourceText, Task};
use crate::run::part::{Answered, Part};
use crate::run::supervisor::{Ended, supervise_part};

/// Longest time in which the end of a run is brought to the broker. The server has given it to another agent by then.
const DELIVERY: Duration = Duration::from_secs(3600);
/// Time after which answers are told one by one. Most runs have ended before, and say all at once.
const TELL_AFTER: Duration = Duration::from_millis(500);
/// Time for which an answer waits for the end of the run, which says it too. The last answer travels once then.
const TELL_PAUSE: Duration = Duration::from_millis(50);

/// Does a run. Returns whether nothing of it is left to do.
pub(super) async fn work(agent: &Agent, message: JobMessage, AtWork { cancel, answered, .. }: AtWork) -> bool {
    let (id, attempt, part) = (message.job.clone(), message.attempt, message.part);
    let owner = message.owner.clone();
    let idle = owner.as_deref().map(|owner| agent.idle.of(owner, part != 0));
    let say = async |content: ReportContent, name: String| {
        let report = Report { agent: agent.settings.name.clone(), part, content };
        let subject = report_subject(&id, attempt);
        let body = agent.broker.pack(&subject, &report).await?;
        agent.broker.publish(&subject, &format!("{id}.{attempt}.{part}.{name}"), body).await
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
    let (sender, mut found) = mpsc::unbounded_channel::<Claim>();
    let tell = async {
        tokio::time::sleep(TELL_AFTER).await;
        while let Some(claim) = found.recv().await {
            tokio::time::sleep(TELL_PAUSE).await;
            let mut claims = vec![claim];
            claims.extend(std::iter::from_fn(|| found.try_recv().ok()));
            let content = ReportContent::Claimed { claims };
            while let Err(error) = say(content.clone(), format!("claimed.{}", uuid::Uuid::now_v7())).await {
                warn!(job.id = %id, "answers of run {id} are not at the broker yet: {error}");
                tokio::time::sleep(AGAIN).await;
            }
        }
    };
    let mut on_result = |result: &RequirementResult| {
        // The end of the run has all claims again.
        let _ = Claim::of(result).filter(is_shown).map(|claim| sender.send(claim));
    };
    // What it was given with the run counts from the beginning.
    let known = watch::Sender::new(Answered::default());
    let orders = answered.subscribe();
    let given = orders.borrow().clone();
    learn(agent, &given, &known).await;
    let own = Part { number: part, answered: known.subscribe() };
    let supervised = supervise_part(&agent.settings.program, (&job, idle), own, cancel.clone(), &mut on_result);
    let ended = tokio::select! {
        ended = supervised => ended,
        // These two do not end: the senders are here.
        never = async { tell.await; std::future::pending().await } => never,
        never = async { hear(agent, orders, &known).await; std::future::pending().await } => never,
    };
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
    let claims = outcome.iter().flat_map(|outcome| &outcome.results).filter_map(Claim::of);
    let claims: Vec<Claim> =
        claims.filter(|claim| is_shown(claim) || !known.borrow().requirements.contains(&claim.requirement)).collect();
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

/// Hears of answers of other parts for ever.
async fn hear(agent: &Agent, mut orders: watch::Receiver<AnsweredMessage>, known: &watch::Sender<Answered>) {
    while orders.changed().await.is_ok() {
        let message = orders.borrow_and_update().clone();
        learn(agent, &message, known).await;
    }
}

/// Takes note of answers, with their evidence if it can be read.
async fn learn(agent: &Agent, message: &AnsweredMessage, known: &watch::Sender<Answered>) {
    let is_news = |requirements: &BTreeSet<String>| message.requirements.iter().any(|id| !requirements.contains(id));
    if !is_news(&known.borrow().requirements) {
        return;
    }
    let facts = match &message.facts {
        Some(object) => agent.files.get(&agent.broker, object).await.ok().flatten(),
        None => None,
    };
    let facts: Option<Vec<Fact>> = facts.and_then(|json| serde_json::from_slice(&json).ok());
    known.send_modify(|known| {
        known.requirements.extend(message.requirements.iter().cloned());
        known.facts = facts.unwrap_or_default();
    });
}

fn is_shown(claim: &Claim) -> bool {
    matches!(claim.content, ClaimContent::Shown { .. })
}

/// Returns the job of a message; `None` if an object of it is not in the store.
pub(super) async fn read(agent: &Agent, message: JobMessage) -> Result<Option<Job>, String> {
    let mut sources = Vec::with_capacity(message.sources.len());
    for (name, text) in message.sources {
        let text = match text {
            TextMessage::Here(text) => text,
            TextMessage::Object(object) => {
                let Some(bytes) = agent.files.get(&agent.broker, &object).await? else { return Ok(None) };
                String::from_utf8(bytes).map_err(|error| error.to_string())?
            }
        };
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
