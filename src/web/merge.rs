//! Merge of what several agents claim about one run: the first claim that is certified is the answer.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc};
use tracing::warn;

use super::backend::Order;
use super::state::AppState;
use crate::fleet::dispatcher::Fleet;
use crate::report::outcome::RequirementResult;
use crate::run::claim::Claim;
use crate::run::event::Event;
use crate::run::job::{Fact, Job, Task};
use crate::run::part::Confirmed;
use crate::run::standby::Standby;
use crate::run::supervisor::{Ended, certify};

/// Time for which a worker waits for claims. Afterwards its memory is worth more than the time that it saves.
const STANDBY: Duration = Duration::from_secs(10);

/// Worker that waits for claims, with its place; empty before there is one and after it was used.
type Waiting = Arc<Mutex<Option<(Standby, OwnedSemaphorePermit)>>>;

/// Answers of a run so far.
pub(super) struct Merge<'o> {
    state: &'o AppState,
    fleet: &'o Fleet,
    order: &'o Order<'o>,
    events: &'o mpsc::UnboundedSender<Event>,
    /// Certified results.
    shown: Vec<RequirementResult>,
    /// Agents with requirements about which they claimed what their evidence does not show.
    refuted: BTreeSet<(String, String)>,
    waiting: Waiting,
}

impl<'o> Merge<'o> {
    pub(super) fn new(
        state: &'o AppState,
        fleet: &'o Fleet,
        order: &'o Order<'o>,
        events: &'o mpsc::UnboundedSender<Event>,
    ) -> Merge<'o> {
        Merge { state, fleet, order, events, shown: Vec::new(), refuted: BTreeSet::new(), waiting: Waiting::default() }
    }

    /// Starts a worker that reads the program while an agent works, if there is a place for one.
    pub(super) fn stand_by(&mut self, places: &Arc<Semaphore>) {
        let Ok(place) = Arc::clone(places).try_acquire_owned() else { return };
        let standby = Standby::start(&self.state.config.program, &self.order.job);
        *self.waiting.lock().unwrap_or_else(PoisonError::into_inner) = standby.map(|standby| (standby, place));
        let waiting = Arc::downgrade(&self.waiting);
        tokio::spawn(async move {
            tokio::time::sleep(STANDBY).await;
            drop(waiting.upgrade().and_then(|waiting| take(&waiting)));
        });
    }

    /// Returns the requirements with an answer.
    pub(super) fn answered(&self) -> Vec<String> {
        self.shown.iter().map(|result| result.id.clone()).collect()
    }

    /// Returns the evidence of the answers.
    pub(super) fn facts(&self) -> Vec<Fact> {
        let fact = |result: &RequirementResult| {
            let evidence = result.certificate.clone()?;
            Some(Fact { requirement: result.id.clone(), evidence })
        };
        self.shown.iter().filter_map(fact).collect()
    }

    /// Certifies claims of an agent that works on, and decides nothing else. Returns the end of the run if nothing is left to do.
    pub(super) async fn confirm(&mut self, agent: &str, claims: Vec<Claim>) -> Option<Ended> {
        let claims = self.news(agent, claims).await;
        if claims.is_empty() {
            return None;
        }
        let Confirmed { ended, shown, is_whole, .. } = self.worker(agent, claims, Task::Confirm).await;
        self.shown = shown;
        Some(ended).filter(|ended| is_whole && matches!(ended, Ended::Succeeded(_)))
    }

    /// Certifies the claims of the agent that has ended the run. What they do not show is decided here.
    pub(super) async fn certify(&mut self, agent: &str, claims: Vec<Claim>) -> Ended {
        let claims = self.news(agent, claims).await;
        self.worker(agent, claims, Task::Certify).await.ended
    }

    /// Returns the claims about requirements without an answer. Those that contradict an answer count as refuted.
    async fn news(&mut self, agent: &str, mut claims: Vec<Claim>) -> Vec<Claim> {
        let contradicts =
            |claim: &Claim| self.shown.iter().any(|result| result.id == claim.requirement && claim.is_contradicted_by(result));
        let false_ones = claims.iter().filter(|claim| contradicts(claim)).map(|claim| claim.requirement.clone()).collect();
        self.mark(agent, false_ones).await;
        claims.retain(|claim| {
            let key = (agent.to_owned(), claim.requirement.clone());
            !self.refuted.contains(&key) && self.shown.iter().all(|result| result.id != claim.requirement)
        });
        claims
    }

    /// Certifies claims with a worker of this machine.
    async fn worker(&mut self, agent: &str, claims: Vec<Claim>, task: fn(Vec<Claim>) -> Task) -> Confirmed {
        let origin = format!("agent {agent}");
        let claims: Vec<Claim> = claims.into_iter().map(|claim| claim.readable(&origin)).collect();
        let Order { job, cancel, .. } = self.order;
        let job = Job { task: task(claims.clone()), ..job.clone() };
        let before = self.shown.clone();
        let events = self.events;
        let standby = take(&self.waiting);
        let mut on_event = |event| {
            let _ = events.send(event);
        };
        let mut on_news = self.state.so_far.listener(&self.order.stored.id);
        let program = &self.state.config.program;
        let confirmed = certify(program, &job, (before, standby), cancel.clone(), &mut on_event, &mut on_news).await;
        let mut refuted: BTreeSet<String> = confirmed.refuted.iter().cloned().collect();
        let outcome = match &confirmed.ended {
            Ended::Succeeded(outcome) | Ended::TimedOut(Some(outcome)) | Ended::Cancelled(Some(outcome)) => Some(outcome),
            Ended::TimedOut(None) | Ended::Cancelled(None) | Ended::Failed { .. } => None,
        };
        for result in outcome.into_iter().flat_map(|outcome| &outcome.results) {
            if claims.iter().any(|claim| claim.requirement == result.id && claim.is_contradicted_by(result)) {
                refuted.insert(result.id.clone());
            }
        }
        self.mark(agent, refuted).await;
        confirmed
    }

    /// Marks an agent that claimed answers which its evidence does not show.
    async fn mark(&mut self, agent: &str, refuted: BTreeSet<String>) {
        let is_new = |id: &String| self.refuted.insert((agent.to_owned(), id.clone()));
        let refuted: Vec<String> = refuted.into_iter().filter(is_new).collect();
        if refuted.is_empty() {
            return;
        }
        let id = &self.order.stored.id;
        warn!(job.id = %id, "agent {agent} claimed answers of run {id} that its evidence does not show: {}", refuted.join(", "));
        self.fleet.count_refuted(refuted.len());
        if let Err(error) = self.state.store.mark_agent(agent, refuted.len(), id).await {
            warn!("agent {agent} cannot be marked: {error}");
        }
    }
}

/// Takes the worker that waits, and gives its place back.
fn take(waiting: &Mutex<Option<(Standby, OwnedSemaphorePermit)>>) -> Option<Standby> {
    waiting.lock().unwrap_or_else(PoisonError::into_inner).take().map(|(standby, _)| standby)
}
