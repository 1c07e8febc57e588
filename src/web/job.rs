//! Jobs as pages and the API see them: a stored row with its JSON read, and how one comes to be.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::error::WebError;
use super::imports;
use super::kept;
use super::memory::LEAST_MB;
use super::state::AppState;
use crate::report::outcome::{Outcome, Problem, RequirementResult};
use crate::report::tally::Tally;
use crate::report::verdict_class::VerdictClass;
use crate::run::agent_needs::AgentNeeds;
use crate::run::engine_choice::validate;
use crate::run::event::Event;
use crate::run::job::Strategy;
use crate::run::limits::Limits;
use crate::store::jobs::{JobState, NewJob, StoredJob};
use crate::store::programs::Program;
use crate::store::queue::{QueueLimits, Queued};
use kernel::property::spec::Specification;

/// A requirement that a run is to decide.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Planned {
    /// Its id.
    pub id: String,
    /// Its sentence.
    pub text: String,
    /// Mistakes in its statement: with one of these it is not checked.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub problems: Vec<Problem>,
}

/// Item of the event stream of a job.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(untagged)]
pub enum JobEvent {
    /// The job is in another state.
    State(StateEvent),
    /// The worker says something.
    Run(Event),
}

/// The job is in another state.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(tag = "event", rename = "state")]
pub struct StateEvent {
    /// The state.
    pub state: JobState,
    /// Reason, unless the state says it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// Order of a run.
#[derive(Clone, Debug)]
pub(super) struct Order {
    pub(super) program: Program,
    pub(super) specification: Specification,
    pub(super) limits: Limits,
    pub(super) strategy: Strategy,
    /// Project that the run is for.
    pub(super) project: Option<String>,
}

/// Returns the needs of a stored strategy.
pub(super) fn agent_needs(strategy: &str) -> AgentNeeds {
    serde_json::from_str::<Strategy>(strategy).map(|strategy| strategy.agent).unwrap_or_default()
}

/// Returns why no agent takes a job that waits, or works on one that began; `None` if one does, or if there is no fleet.
pub(super) fn waits_for_an_agent(state: &AppState, job: &StoredJob) -> Option<String> {
    let fleet = state.fleet.as_ref().filter(|_| !job.state.is_final())?;
    let needs = agent_needs(&job.strategy);
    if job.state != JobState::Queued {
        return fleet.idles(&job.id, job.memory_mb, &needs);
    }
    let is_for_agents = !needs.is_empty() || state.config.quick_s < job.wall_s;
    fleet.lacks(job.memory_mb, &needs).filter(|_| is_for_agents)
}

/// Queues a job after a worker has read the program and the specification. Requirements that are stated wrongly are part of it;
/// they are not checked.
pub(super) async fn queue(state: &AppState, order: Order) -> Result<StoredJob, WebError> {
    if state.shutdown.is_cancelled() {
        return Err(WebError::Draining);
    }
    // Before the program is read, which takes a worker.
    if state.config.max_queued_per_owner <= state.store.queued_of(&super::access::owner()).await? {
        return Err(WebError::ShareFull(state.config.max_queued_per_owner));
    }
    if let Err(message) = validate(&order.strategy) {
        return Err(WebError::Strategy(message));
    }
    if state.fleet.is_none() && !order.strategy.agent.is_empty() {
        return Err(WebError::Strategy("this service has no agents: leave out `agent`".to_owned()));
    }
    let sources = state.store.sources(&order.program.id).await?;
    let understood = imports::specification(state, sources, order.specification.clone(), order.strategy.clone()).await?;
    imports::obstacles(&understood)?;
    imports::something_to_check(&understood)?;
    let plan = |r: RequirementResult| Planned { id: r.id, text: r.text, problems: r.problems };
    let planned: Vec<Planned> = understood.results.into_iter().map(plan).collect();
    let most = state.config.max_limits;
    let most_mb = most.memory_mb.min(state.memory.all_mb()).max(LEAST_MB);
    let owner = super::access::owner();
    let job = NewJob {
        owner,
        program: order.program.id,
        specification: state.store.add_specification(json(&order.specification)?).await?,
        strategy: json(&order.strategy)?,
        wall_s: order.limits.wall_s.clamp(1, most.wall_s),
        memory_mb: order.limits.memory_mb.clamp(LEAST_MB, most_mb),
        planned: json(&planned)?,
        project: order.project,
    };
    let per_owner = state.config.max_queued_per_owner;
    let id = match state.store.add_job(job, QueueLimits { all: state.config.max_queued, per_owner }).await? {
        Queued::Id(id) => id,
        Queued::Full => return Err(WebError::QueueFull),
        Queued::ShareFull => return Err(WebError::ShareFull(per_owner)),
    };
    state.wake.send_modify(|n| *n = n.wrapping_add(1));
    state.announce();
    find(state, &id).await
}

/// Returns the job of that id.
pub(super) async fn find(state: &AppState, id: &str) -> Result<StoredJob, WebError> {
    state.store.job(id).await?.ok_or_else(|| WebError::NotFound(format!("run {id}")))
}

/// Returns the outcome of an ended job, with the reasons for kept counterexamples.
pub(super) async fn outcome(state: &AppState, job: &StoredJob) -> Result<Outcome, WebError> {
    shared_outcome(state, job).await.map(Arc::unwrap_or_clone)
}

/// Returns the same without a copy: a run of a thousand cycles takes a while to copy.
pub(super) async fn shared_outcome(state: &AppState, job: &StoredJob) -> Result<Arc<Outcome>, WebError> {
    match stored_outcome(state, &job.id).await? {
        Some(mut outcome) => {
            kept::annotate(state, &job.id, &mut outcome).await?;
            Ok(outcome)
        }
        None if job.state.is_final() => Err(WebError::NoOutcome(end_sentence(job))),
        None => Err(WebError::NotEnded(state_words(job.state))),
    }
}

/// Returns the outcome of an ended job as it is stored; `None` if it has none.
pub(super) async fn stored_outcome(state: &AppState, id: &str) -> Result<Option<Arc<Outcome>>, WebError> {
    if let Some(outcome) = state.outcomes.get(id) {
        return Ok(Some(outcome));
    }
    let Some(json) = state.store.outcome(id).await? else { return Ok(None) };
    let bytes = json.len();
    // Large outcomes take a tenth of a second; other requests go on meanwhile.
    let read = tokio::task::spawn_blocking(move || read::<Outcome>(&json)).await;
    let outcome = Arc::new(read.map_err(|e| WebError::Internal(e.to_string()))??);
    state.outcomes.keep(id, bytes, Arc::clone(&outcome));
    Ok(Some(outcome))
}

/// Returns one result with its run around it, as soon as it is there: the job, its outcome, and the position of the result.
///
/// While the run goes on, other results are not in the outcome, and the result has all conditions that it may end with.
pub(super) async fn result(
    state: &AppState,
    id: &str,
    position: impl Fn(&[RequirementResult]) -> Result<usize, WebError>,
) -> Result<(StoredJob, Outcome, usize), WebError> {
    let job = find(state, id).await?;
    if !job.state.is_final()
        && let Some(found) = state.so_far.result(id, &position)
    {
        return found.map(|(outcome, at)| (job, outcome, at));
    }
    // It may have ended meanwhile.
    let job = find(state, id).await?;
    let outcome = outcome(state, &job).await?;
    let at = position(&outcome.results)?;
    Ok((job, outcome, at))
}

/// Returns the end of a job in a sentence.
pub(super) fn end_sentence(job: &StoredJob) -> String {
    let reason = job.reason.as_ref().map_or(String::new(), |reason| format!(": {reason}"));
    format!("The run {}{reason}.", state_words(job.state))
}

/// Returns the specification of a job.
pub(super) async fn specification(state: &AppState, job: &StoredJob) -> Result<Specification, WebError> {
    let json = state.store.specification(&job.specification).await?;
    read(&json.ok_or_else(|| WebError::Internal("the job's specification is missing".into()))?)
}

/// Returns the verdicts of a job so far.
pub(super) async fn tally(state: &AppState, job: &StoredJob) -> Result<Tally, WebError> {
    if let Some(stored) = &job.tally {
        let tally: Tally = read(stored)?;
        return if tally.is_consistent() {
            Ok(tally)
        } else {
            outcome(state, job).await.map(|outcome| Tally::of_outcome(&outcome))
        };
    }
    let planned: Vec<Planned> = read(&job.planned)?;
    let classes = if job.state == JobState::Queued { Vec::new() } else { verdicts(state, job).await? };
    Ok(Tally::count(planned.len(), classes))
}

async fn verdicts(state: &AppState, job: &StoredJob) -> Result<Vec<VerdictClass>, WebError> {
    let mut classes = BTreeMap::new();
    for event in events(state, &job.id).await? {
        match event {
            // A new attempt begins from nothing.
            JobEvent::State(_) => classes.clear(),
            JobEvent::Run(event) => {
                classes.extend(event.answer().map(|(requirement, class)| (requirement.to_owned(), class)));
            }
        }
    }
    Ok(classes.into_values().collect())
}

/// Most events that a job may store; see [`super::queue`].
pub(super) const MAX_EVENTS: u32 = 20_000;

/// Returns all events of a job. Those that this version cannot read are left out.
pub(super) async fn events(state: &AppState, job: &str) -> Result<Vec<JobEvent>, WebError> {
    let stored = state.store.events(job, 0, u32::MAX).await?;
    Ok(stored.iter().filter_map(|e| serde_json::from_str(&e.data).ok()).collect())
}

/// Returns a state in words that follow "the run is" or "the run".
pub(super) fn state_words(state: JobState) -> &'static str {
    match state {
        JobState::Queued => "waiting for its turn",
        JobState::Running => "running",
        JobState::Succeeded => "finished",
        JobState::Failed => "failed",
        JobState::Cancelled => "was stopped",
        JobState::TimedOut => "reached its time limit",
        JobState::Interrupted => "was interrupted",
    }
}

/// Reads stored JSON.
pub(super) fn read<T: for<'d> Deserialize<'d>>(json: &str) -> Result<T, WebError> {
    serde_json::from_str(json).map_err(|e| WebError::Internal(format!("stored JSON: {e}")))
}

/// Writes a value as JSON to store.
pub(super) fn json<T: Serialize>(value: &T) -> Result<String, WebError> {
    serde_json::to_string(value).map_err(|e| WebError::Internal(format!("JSON to store: {e}")))
}

/// Returns a stored time as RFC 3339.
pub(super) fn rfc3339(ms: i64) -> String {
    jiff::Timestamp::from_millisecond(ms).map(|t| t.strftime("%Y-%m-%dT%H:%M:%SZ").to_string()).unwrap_or_default()
}
