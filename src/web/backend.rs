//! Back ends of the queue: where a run is done. The embedded one starts a worker here, the other asks a fleet.
//!
//! The database is the truth about runs for both: a back end that forgets everything loses none.

use std::sync::Arc;

use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc};
use tokio_util::sync::CancellationToken;

use super::api::jobs::planned;
use super::job::agent_needs;
use super::memory::Reservation;
use super::merge::Merge;
use super::state::AppState;
use crate::fleet::dispatcher::course::{Step, Wanted};
use crate::fleet::dispatcher::{Fleet, Place, Receipt};
use crate::run::event::Event;
use crate::run::job::{Job, is_about_a_model};
use crate::run::supervisor::{Ended, supervise_telling};
use crate::store::StoreError;
use crate::store::jobs::StoredJob;
use crate::store::queue::{Candidate, Fit};

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
        Order { stored, job, cancel }: Order<'_>,
        events: mpsc::UnboundedSender<Event>,
    ) -> (BackendEnd, Option<Self::Slot>) {
        let mut on_event = |event| {
            // The keeper ends only when this sender does.
            let _ = events.send(event);
        };
        let mut on_news = self.state.so_far.listener(&stored.id);
        let ended = supervise_telling(&self.state.config.program, &job, cancel, &mut on_event, &mut on_news).await;
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
    /// Workers that wait for claims.
    standbys: Arc<Semaphore>,
    /// Runs that have returned and are not stored yet: agents must not be faster than this machine for long.
    returned: Arc<Semaphore>,
}

/// Room that a run takes: at first at the agents, then here.
#[derive(Default)]
pub(super) struct Room {
    place: Option<Place>,
    returned: Option<OwnedSemaphorePermit>,
    /// Reports at the broker; they stay until the end of the run is stored.
    receipt: Option<Receipt>,
}

/// Returned runs for each worker of this machine.
const RETURNED_EACH: usize = 8;
/// Workers that wait for claims at the same time. They only read programs, and do not count in the budget of memory.
const MOST_STANDBYS: usize = 2;
/// Orders of engines that are worth an agent each.
const ORDERS: usize = 4;

impl Distributed {
    /// Returns the back end of a fleet.
    pub(super) fn new(state: &AppState, fleet: &Fleet) -> Distributed {
        let workers = state.config.workers.max(1);
        Distributed {
            state: state.clone(),
            fleet: fleet.clone(),
            certifying: Arc::new(Semaphore::new(workers)),
            standbys: Arc::new(Semaphore::new(workers.min(MOST_STANDBYS))),
            returned: Arc::new(Semaphore::new(workers * RETURNED_EACH)),
        }
    }

    /// Asks the agents, and certifies what they send.
    async fn ask(
        &self,
        place: Option<Place>,
        order: &Order<'_>,
        events: &mpsc::UnboundedSender<Event>,
    ) -> (BackendEnd, Option<Room>) {
        let (stored, job) = (order.stored, &order.job);
        let heard = |agent: &str, helps: bool| {
            let works = if helps { "helps with" } else { "works on" };
            let _ = events.send(Event::Log { text: format!("agent {agent} {works} this run") });
        };
        let (id, attempt, cancel) = (stored.id.as_str(), stored.attempts, &order.cancel);
        let most_helpers = most_helpers(stored, job);
        let mut course =
            self.fleet.course(Wanted { id, attempt, job, owner: &stored.owner, most_helpers, cancel, heard: &heard });
        let mut merge = Merge::new(&self.state, &self.fleet, order, events);
        let ended = loop {
            match course.next().await {
                Step::Begun => merge.stand_by(&self.standbys),
                Step::Claimed { agent, claims } => {
                    let _turn = self.certifying.acquire().await;
                    let _memory = self.state.memory.reserve(stored.memory_mb).await;
                    if let Some(ended) = merge.confirm(&agent, claims).await {
                        break BackendEnd::Ended(ended);
                    }
                    course.answered(merge.answered(), &merge.facts()).await;
                }
                Step::Ended { agent, claims, timed_out } => {
                    // The agent is free for the next run.
                    drop(place);
                    let returned = Arc::clone(&self.returned).acquire_owned().await.ok();
                    let receipt = course.end().await;
                    let _turn = self.certifying.acquire().await;
                    let _memory = self.state.memory.reserve(stored.memory_mb).await;
                    let ended = match merge.certify(&agent, claims).await {
                        Ended::Succeeded(outcome) if timed_out => Ended::TimedOut(Some(outcome)),
                        other @ (Ended::Succeeded(_) | Ended::Failed { .. } | Ended::Cancelled(_) | Ended::TimedOut(_)) => other,
                    };
                    return (BackendEnd::Ended(ended), Some(Room { place: None, returned, receipt: Some(receipt) }));
                }
                Step::Interrupted(why) => break BackendEnd::Interrupted(why),
                Step::Cancelled => break BackendEnd::Ended(Ended::Cancelled(None)),
            }
        };
        (ended, Some(Room { receipt: Some(course.end().await), ..Room::default() }))
    }
}

/// Returns the number of agents that may help with a run.
///
/// Each requirement is work for one; engines of the default strategy are work for some more. Changes of the program are tried once
/// all answers are there, by the machine that has them.
fn most_helpers(stored: &StoredJob, job: &Job) -> usize {
    if job.specification.mutants {
        return 0;
    }
    let n_requirements = planned(stored).map_or(1, |planned| planned.len());
    let n_orders = if job.strategy.is_default() { ORDERS } else { 1 };
    (n_requirements + n_orders).saturating_sub(2)
}

impl Backend for Distributed {
    type Slot = Room;

    async fn slot(&self) -> Self::Slot {
        // No further run goes to the agents while too many wait here.
        drop(self.returned.acquire().await);
        Room { place: Some(self.fleet.place().await), ..Room::default() }
    }

    async fn claim(&self, slot: Self::Slot) -> Result<Option<(StoredJob, Self::Slot)>, StoreError> {
        let fleet = self.fleet.clone();
        // A run that no agent takes stops no other.
        let takes = move |job: &Candidate| fleet.takes(job.memory_mb, &agent_needs(&job.strategy));
        let fit = move |job: &Candidate| if takes(job) { Fit::Now } else { Fit::Elsewhere };
        let claimed = self.state.store.claim_job_that(u32::MAX, fit).await?;
        Ok(claimed.map(|job| {
            let place = slot.place.map(|place| place.with(agent_needs(&job.strategy)));
            (job, Room { place, ..slot })
        }))
    }

    async fn run(
        &self,
        Room { place, .. }: Self::Slot,
        order: Order<'_>,
        events: mpsc::UnboundedSender<Event>,
    ) -> (BackendEnd, Option<Self::Slot>) {
        if is_about_a_model(&order.job) {
            // The evidence about published models is not certified from a result: this machine decides.
            drop(place);
            let returned = Arc::clone(&self.returned).acquire_owned().await.ok();
            let _turn = self.certifying.acquire().await;
            let _memory = self.state.memory.reserve(order.stored.memory_mb).await;
            let ended = Merge::new(&self.state, &self.fleet, &order, &events).certify("", Vec::new()).await;
            return (BackendEnd::Ended(ended), Some(Room { place: None, returned, receipt: None }));
        }
        self.ask(place, &order, &events).await
    }

    async fn stored(&self, room: Self::Slot) {
        if let Some(receipt) = room.receipt {
            receipt.done().await;
        }
        drop(room.returned);
    }
}
