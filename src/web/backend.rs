//! Back ends of the queue: where a run is done. The embedded one starts a worker here, the other asks a fleet.
//!
//! The database is the truth about runs for both: a back end that forgets everything loses none.

use std::sync::Arc;

use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc};
use tokio_util::sync::CancellationToken;
use tracing::warn;

use super::memory::Reservation;
use super::state::AppState;
use crate::fleet::dispatcher::{Fleet, Place, Receipt, Returned};
use crate::run::claim::Claim;
use crate::run::event::Event;
use crate::run::job::{Job, Task};
use crate::run::supervisor::{Ended, certify, supervise};
use crate::store::StoreError;
use crate::store::jobs::StoredJob;

/// Place where runs are done.
pub(super) trait Backend: Clone + Send + Sync + 'static {
    /// Room for one run; given back when it is dropped.
    type Slot: Send + 'static;

    /// Waits for room.
    fn slot(&self) -> impl Future<Output = Self::Slot> + Send;

    /// Takes the next waiting job that fits, with what it needs.
    fn claim(&self, slot: Self::Slot) -> impl Future<Output = Result<Option<(StoredJob, Self::Slot)>, StoreError>> + Send;

    /// Runs a claimed job to its end. Returns with the room that it still takes.
    fn run(
        &self,
        slot: Self::Slot,
        order: Order<'_>,
        events: mpsc::UnboundedSender<Event>,
    ) -> impl Future<Output = (BackendEnd, Option<Self::Slot>)> + Send;

    /// Takes note that the end of a job is stored, and gives its room back.
    fn stored(&self, slot: Self::Slot) -> impl Future<Output = ()> + Send;
}

/// A claimed job, ready to run.
pub(super) struct Order<'j> {
    /// As it is stored.
    pub(super) stored: &'j StoredJob,
    /// Its content.
    pub(super) job: Job,
    /// Stops it.
    pub(super) cancel: CancellationToken,
}

/// End of a run at its back end.
pub(super) enum BackendEnd {
    /// As the supervisor tells it.
    Ended(Ended),
    /// It was begun again and again, and lost; one sentence.
    Interrupted(String),
}

/// Workers of this machine.
#[derive(Clone)]
pub(super) struct Embedded {
    state: AppState,
    slots: Arc<Semaphore>,
    most_wall_s: u32,
}

impl Embedded {
    /// Returns a back end with so many workers, for jobs with a time limit of at most `most_wall_s`.
    pub(super) fn new(state: &AppState, workers: usize, most_wall_s: u32) -> Embedded {
        Embedded { state: state.clone(), slots: Arc::new(Semaphore::new(workers)), most_wall_s }
    }
}

impl Backend for Embedded {
    type Slot = (Option<OwnedSemaphorePermit>, Option<Reservation>);

    async fn slot(&self) -> Self::Slot {
        // The semaphore is never closed.
        (Arc::clone(&self.slots).acquire_owned().await.ok(), None)
    }

    async fn claim(&self, (permit, _): Self::Slot) -> Result<Option<(StoredJob, Self::Slot)>, StoreError> {
        let claimed = self.state.memory.claim(&self.state.store, self.most_wall_s).await?;
        Ok(claimed.map(|(job, memory)| (job, (permit, Some(memory)))))
    }

    async fn run(
        &self,
        slot: Self::Slot,
        Order { job, cancel, .. }: Order<'_>,
        events: mpsc::UnboundedSender<Event>,
    ) -> (BackendEnd, Option<Self::Slot>) {
        let ended = supervise(&self.state.config.program, &job, cancel, &mut |event| {
            // The keeper ends only when this sender does.
            let _ = events.send(event);
        })
        .await;
        (BackendEnd::Ended(ended), Some(slot))
    }

    async fn stored(&self, slot: Self::Slot) {
        drop(slot);
    }
}

/// Agents of a fleet. What they send is certified here.
#[derive(Clone)]
pub(super) struct Distributed {
    state: AppState,
    fleet: Fleet,
    /// Certifications at the same time.
    certifying: Arc<Semaphore>,
    /// Runs that have returned and are not stored yet: agents must not be faster than this machine for long.
    returned: Arc<Semaphore>,
}

/// Room that a run takes: at first at the agents, then here.
#[derive(Default)]
pub(super) struct Room {
    place: Option<Place>,
    returned: Option<OwnedSemaphorePermit>,
    /// Report at the broker; it stays until the end of the run is stored.
    receipt: Option<Receipt>,
}

/// Returned runs for each worker of this machine.
const RETURNED_EACH: usize = 8;

impl Distributed {
    /// Returns the back end of a fleet.
    pub(super) fn new(state: &AppState, fleet: &Fleet) -> Distributed {
        let workers = state.config.workers.max(1);
        Distributed {
            state: state.clone(),
            fleet: fleet.clone(),
            certifying: Arc::new(Semaphore::new(workers)),
            returned: Arc::new(Semaphore::new(workers * RETURNED_EACH)),
        }
    }

    /// Certifies claims with a worker of this machine; what they do not show is decided here.
    async fn certify(&self, order: Order<'_>, agent: &str, claims: Vec<Claim>, events: &mpsc::UnboundedSender<Event>) -> Ended {
        let origin = format!("agent {agent}");
        let claims: Vec<Claim> = claims.into_iter().map(|claim| claim.readable(&origin)).collect();
        let job = Job { task: Task::Certify(claims.clone()), ..order.job };
        let (ended, mut refuted) = certify(&self.state.config.program, &job, order.cancel, &mut |event| {
            let _ = events.send(event);
        })
        .await;
        let outcome = match &ended {
            Ended::Succeeded(outcome) | Ended::TimedOut(Some(outcome)) | Ended::Cancelled(Some(outcome)) => Some(outcome),
            Ended::TimedOut(None) | Ended::Cancelled(None) | Ended::Failed { .. } => None,
        };
        for result in outcome.into_iter().flat_map(|outcome| &outcome.results) {
            let contradicts = claims.iter().any(|claim| claim.requirement == result.id && claim.is_contradicted_by(result));
            if contradicts && !refuted.contains(&result.id) {
                refuted.push(result.id.clone());
            }
        }
        if !refuted.is_empty() {
            let id = &order.stored.id;
            warn!(job.id = %id, "agent {agent} claimed answers of run {id} that its evidence does not show: {}", refuted.join(", "));
            self.fleet.count_refuted(refuted.len());
            if let Err(error) = self.state.store.mark_agent(agent, refuted.len(), id).await {
                warn!("agent {agent} cannot be marked: {error}");
            }
        }
        ended
    }
}

impl Backend for Distributed {
    type Slot = Room;

    async fn slot(&self) -> Self::Slot {
        // No further run goes to the agents while too many wait here.
        drop(self.returned.acquire().await);
        Room { place: Some(self.fleet.place().await), ..Room::default() }
    }

    async fn claim(&self, slot: Self::Slot) -> Result<Option<(StoredJob, Self::Slot)>, StoreError> {
        let claimed = self.state.store.claim_job(u32::MAX, self.fleet.most_memory_mb()).await?;
        Ok(claimed.map(|job| (job, slot)))
    }

    async fn run(
        &self,
        Room { place, .. }: Self::Slot,
        order: Order<'_>,
        events: mpsc::UnboundedSender<Event>,
    ) -> (BackendEnd, Option<Self::Slot>) {
        let heard = |agent: &str| {
            let _ = events.send(Event::Log { text: format!("agent {agent} works on this run") });
        };
        let start = (order.stored.id.as_str(), order.stored.attempts);
        let returned_run = if crate::run::job::is_about_a_model(&order.job) {
            // The evidence about published models is not certified from a result: this machine decides.
            None
        } else {
            Some(self.fleet.run(start, &order.job, &order.cancel, &heard).await)
        };
        let (agent, claims, timed_out, receipt) = match returned_run {
            None => (String::new(), Vec::new(), false, None),
            Some(Returned::Ended { agent, claims, timed_out, receipt }) => (agent, claims, timed_out, Some(receipt)),
            Some(Returned::Interrupted(why)) => return (BackendEnd::Interrupted(why), None),
            Some(Returned::Cancelled) => return (BackendEnd::Ended(Ended::Cancelled(None)), None),
        };
        // The agent is free for the next run.
        drop(place);
        let returned = Arc::clone(&self.returned).acquire_owned().await.ok();
        let _turn = self.certifying.acquire().await;
        let _memory = self.state.memory.reserve(order.stored.memory_mb).await;
        let ended = self.certify(order, &agent, claims, &events).await;
        let ended = match ended {
            Ended::Succeeded(outcome) if timed_out => Ended::TimedOut(Some(outcome)),
            other @ (Ended::Succeeded(_) | Ended::Failed { .. } | Ended::Cancelled(_) | Ended::TimedOut(_)) => other,
        };
        (BackendEnd::Ended(ended), Some(Room { place: None, returned, receipt }))
    }

    async fn stored(&self, room: Self::Slot) {
        if let Some(receipt) = room.receipt {
            receipt.done().await;
        }
        drop(room.returned);
    }
}
