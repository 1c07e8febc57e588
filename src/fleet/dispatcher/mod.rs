//! The server's side: gives runs to the broker until they have ended, and hears agents.
//!
//! A run is published again and again until the stream confirms it, and again when nothing is heard of it. The subject of a part
//! of a start holds one message, so publishing twice stores one. Reports are parked until the run asks for them.
//!
//! `course`: one run at the agents, with its parts. `hearing`: broker and agents are heard. `waits`: why nothing is heard of a run.

pub mod course;
mod hearing;
mod waits;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use async_nats::jetstream::message::Acker;
use tokio::sync::{Notify, mpsc};
use tokio_util::sync::CancellationToken;
use tracing::warn;

use super::broker::{Broker, STOP, job_subject, job_subjects};
use super::message::{AnsweredMessage, Build, JobMessage, Report, Stop, Stopped, Work};
use super::objects::Objects;
use super::registry::{Agent, Registry};
use super::settings::BrokerSettings;
use crate::run::agent_needs::AgentNeeds;
use crate::run::job::Job;

/// Time between two looks at the broker.
const LOOK: Duration = Duration::from_secs(2);
/// Time after which a step that failed is tried again.
const AGAIN: Duration = Duration::from_millis(500);
/// State of the broker before the first look at it.
const NOT_YET: &str = "the broker was not reached yet";
/// Most runs that were stopped and are remembered.
const MOST_STOPPED: usize = 10_000;

/// A report, with the right to delete it at the broker.
struct Arrived {
    report: Report,
    acker: Option<Acker>,
}

/// Message to a run that waits.
#[derive(Debug)]
enum Message {
    /// An agent reports.
    Report(Arrived),
    /// The helper of this number gives way to another run.
    GiveWay(u32),
}

/// Start of a run: its id and the number of the start.
type Start = (String, u32);

/// Run that was stopped, or a part of it by start and number.
type StoppedWork = (String, Option<(u32, u32)>);

/// Counters for the metrics.
#[derive(Clone, Copy, Debug, Default)]
pub struct Counts {
    /// Starts of runs at agents beyond the first.
    pub redeliveries: u64,
    /// Reports that no run waits for: late, twice, or of an earlier start.
    pub late: u64,
    /// Messages that were not made with the token of the fleet.
    pub unreadable: u64,
    /// Claims that their evidence did not show.
    pub refuted: u64,
}

/// Handle of the fleet; clones share it.
#[derive(Clone, Debug)]
pub struct Fleet(Arc<Shared>);

/// See [`Fleet`].
#[derive(Debug)]
pub struct Shared {
    own: Build,
    ack_wait: Duration,
    registry: Mutex<Registry>,
    broker: Mutex<Result<Broker, String>>,
    /// Runs that wait for reports.
    waiting: Mutex<BTreeMap<Start, mpsc::UnboundedSender<Message>>>,
    /// Reports with answers that came before their runs asked.
    parked: Mutex<BTreeMap<Start, Vec<Arrived>>>,
    /// Agents that say that they work on one of these have not heard it.
    stopped: Mutex<BTreeSet<StoppedWork>>,
    /// Parts of runs beside their first, in the order in which they were given: their runs, and their numbers there.
    helpers: Mutex<BTreeMap<u64, (mpsc::UnboundedSender<Message>, u32)>>,
    n_helpers_ever: AtomicU64,
    /// Runs that the broker did not take, with the reason.
    refused: Mutex<BTreeMap<Start, String>>,
    objects: Objects,
    /// Runs that no agent works on, and whether one began.
    idle: Mutex<BTreeMap<String, bool>>,
    /// Runs at the broker.
    n_out: AtomicUsize,
    /// Those with needs.
    n_needing: Mutex<BTreeMap<AgentNeeds, usize>>,
    /// End of this service; runs go on at their agents.
    shutdown: CancellationToken,
    changed: Notify,
    counts: [AtomicU64; 4],
}

impl std::fmt::Debug for Arrived {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Arrived({:?})", self.report)
    }
}

/// Place for a run at the broker.
#[derive(Debug)]
pub struct Place(Fleet, AgentNeeds);

impl Place {
    /// Takes note of the needs of its run: runs that few agents take leave places to others.
    pub fn with(mut self, needs: AgentNeeds) -> Place {
        if !needs.is_empty() {
            *lock(&self.0.0.n_needing).entry(needs.clone()).or_default() += 1;
            self.1 = needs;
        }
        self
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        if !self.1.is_empty() {
            let mut n_needing = lock(&self.0.0.n_needing);
            if let Some(n) = n_needing.get_mut(&self.1) {
                *n -= 1;
            }
            n_needing.retain(|_, n| 0 < *n);
        }
        self.0.0.n_out.fetch_sub(1, Ordering::Relaxed);
        self.0.0.changed.notify_waiters();
    }
}

/// Place for a helper at the broker.
#[derive(Debug)]
struct HelperPlace(Fleet, u64);

impl Drop for HelperPlace {
    fn drop(&mut self) {
        lock(&self.0.0.helpers).remove(&self.1);
    }
}

/// Right to delete reports of a run at the broker.
#[derive(Default)]
pub struct Receipt(Vec<Acker>);

impl std::fmt::Debug for Receipt {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Receipt({})", self.0.len())
    }
}

impl Receipt {
    fn add(&mut self, acker: Option<Acker>) {
        self.0.extend(acker);
    }

    /// Deletes the reports: what they say is stored.
    pub async fn done(self) {
        for acker in self.0 {
            if let Err(error) = acker.ack().await {
                warn!("a report stays at the broker: {error}");
            }
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // Each value is whole after every single step, whatever its holder did afterwards.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Fleet {
    /// Returns the fleet of this server, and begins to hear agents until `shutdown`.
    pub fn start(settings: BrokerSettings, shutdown: CancellationToken) -> Fleet {
        let own = Build::own();
        let fleet = Fleet(Arc::new(Shared {
            registry: Mutex::new(Registry::new(own.clone())),
            own,
            ack_wait: settings.ack_wait,
            broker: Mutex::new(Err(NOT_YET.to_owned())),
            waiting: Mutex::default(),
            parked: Mutex::default(),
            stopped: Mutex::default(),
            helpers: Mutex::default(),
            n_helpers_ever: AtomicU64::new(0),
            refused: Mutex::default(),
            idle: Mutex::default(),
            objects: Objects::default(),
            n_out: AtomicUsize::new(0),
            n_needing: Mutex::default(),
            shutdown: shutdown.clone(),
            changed: Notify::new(),
            counts: Default::default(),
        }));
        let hearing = fleet.clone();
        tokio::spawn(async move { shutdown.run_until_cancelled(hearing.hear(settings)).await });
        fleet
    }

    /// Returns the agents by name.
    pub fn agents(&self) -> Vec<Agent> {
        lock(&self.0.registry).agents()
    }

    /// Returns the number of runs at the broker and its agents.
    pub fn n_out(&self) -> usize {
        self.0.n_out.load(Ordering::Relaxed)
    }

    /// Returns why the broker takes no runs; `None` if it does.
    pub fn trouble(&self) -> Option<String> {
        match lock(&self.0.broker).as_ref() {
            Ok(broker) => broker.absence(),
            Err(error) => Some(error.clone()),
        }
    }

    /// Returns why the broker takes no runs, or refuses one that waits; `None` if it takes all.
    ///
    /// A broker without room answers, and says so only to a run.
    pub fn refusal(&self) -> Option<String> {
        let refused = || lock(&self.0.refused).iter().next().map(|((id, _), why)| format!("the broker refuses run {id}: {why}"));
        self.trouble().or_else(refused)
    }

    /// Returns the counters.
    pub fn counts(&self) -> Counts {
        let [redeliveries, late, unreadable, refuted] = [0, 1, 2, 3].map(|i| self.0.counts[i].load(Ordering::Relaxed));
        Counts { redeliveries, late, unreadable, refuted }
    }

    /// Counts claims that their evidence did not show.
    pub fn count_refuted(&self, n: usize) {
        self.count(3, n as u64);
    }

    fn count(&self, which: usize, n: u64) {
        self.0.counts[which].fetch_add(n, Ordering::Relaxed);
    }

    /// Returns whether a run with this memory limit and these needs may go out: an agent takes it, and not too many like it wait.
    pub fn takes(&self, memory_mb: u32, needs: &AgentNeeds) -> bool {
        let window = lock(&self.0.registry).window(|sign| sign.meets(memory_mb, needs));
        let n_out = lock(&self.0.n_needing).get(needs).copied().unwrap_or(0);
        n_out < window
    }

    /// Waits until there is a place for one more run.
    pub async fn place(&self) -> Place {
        loop {
            // The registry is asked first: its lock is not held while counting.
            let window = lock(&self.0.registry).window(|_| true);
            let has_room = |n| (n < window).then_some(n + 1);
            if self.trouble().is_none() && self.0.n_out.fetch_update(Ordering::Relaxed, Ordering::Relaxed, has_room).is_ok() {
                return Place(self.clone(), AgentNeeds::default());
            }
            tokio::select! {
                () = self.0.changed.notified() => {}
                () = tokio::time::sleep(AGAIN) => {}
            }
        }
    }

    /// Returns the number of agents that help with runs.
    pub fn n_helpers(&self) -> usize {
        lock(&self.0.helpers).len()
    }

    /// Returns a place for one more helper with a run, if there is a slot that no run wants.
    fn helper_place(&self, job: &Job, run: &mpsc::UnboundedSender<Message>, part: u32) -> Option<HelperPlace> {
        let slots = lock(&self.0.registry).slots(job.limits.memory_mb, &job.strategy.agent);
        let is_free = self.trouble().is_none() && self.n_out() + self.n_helpers() < slots;
        is_free.then(|| self.add_helper(run, part))
    }

    fn add_helper(&self, run: &mpsc::UnboundedSender<Message>, part: u32) -> HelperPlace {
        let number = self.0.n_helpers_ever.fetch_add(1, Ordering::Relaxed);
        lock(&self.0.helpers).insert(number, (run.clone(), part));
        HelperPlace(self.clone(), number)
    }

    /// Lets helpers give way to runs: the youngest, as many as there are slots too few.
    fn make_room(&self) {
        let slots = lock(&self.0.registry).slots(0, &AgentNeeds::default());
        let helpers = lock(&self.0.helpers);
        let n_too_many = (self.n_out() + helpers.len()).saturating_sub(slots);
        for (run, part) in helpers.values().rev().take(n_too_many) {
            let _ = run.send(Message::GiveWay(*part));
        }
    }

    fn broker(&self) -> Result<Broker, String> {
        lock(&self.0.broker).clone()
    }

    fn works_on(&self, work: &Work) -> bool {
        lock(&self.0.registry).works_on(work)
    }

    /// Stops a run at the agents, or one part of it. An agent that does not hear it is told again at its next sign of life.
    async fn stop(&self, (job, attempt): &Start, part: Option<u32>) {
        {
            let mut stopped = lock(&self.0.stopped);
            if MOST_STOPPED <= stopped.len() {
                // Ids sort by time: the oldest run.
                stopped.pop_first();
            }
            stopped.insert((job.clone(), part.map(|part| (*attempt, part))));
        }
        let Ok(broker) = self.broker() else { return };
        let (subject, what) = match part {
            None => (job_subjects(&self.0.own, job, *attempt), Stopped::All),
            Some(part) => (job_subject(&self.0.own, job, *attempt, part), Stopped::Part(part)),
        };
        let _ = broker.remove(&subject).await;
        let _ = broker.tell(STOP, &Stop { job: job.clone(), what }).await;
    }

    /// Returns which of an agent's work was stopped.
    fn stopped(&self, work: &Work) -> Option<Stopped> {
        let stopped = lock(&self.0.stopped);
        if stopped.contains(&(work.job.clone(), None)) {
            return Some(Stopped::All);
        }
        let part = (work.job.clone(), Some((work.attempt, work.part)));
        stopped.contains(&part).then_some(Stopped::Part(work.part))
    }

    /// Stores a part of a run at the broker, with the objects that it needs. If it `replaces` the message that may be there, no agent
    /// has begun it.
    async fn publish(
        &self,
        work: &Work,
        answered: &AnsweredMessage,
        (job, owner): (&Job, &str),
        replaces: bool,
    ) -> Result<(), String> {
        let broker = self.broker()?;
        let message = self.0.objects.message(&broker, (work, &self.0.own), answered, job, None).await?;
        let message = JobMessage { owner: Some(broker.seal.name(owner.as_bytes())), ..message };
        let subject = job_subject(&self.0.own, &work.job, work.attempt, work.part);
        let body = broker.pack(&subject, &message).await?;
        if replaces {
            broker.remove(&subject).await?;
        }
        // After the window of the broker the subject still holds one message.
        broker.publish(&subject, &uuid::Uuid::now_v7().to_string(), body).await
    }

    /// Returns the starts of runs whose ends wait for their runs.
    pub fn parked(&self) -> Vec<(String, u32)> {
        lock(&self.0.parked).keys().cloned().collect()
    }

    /// Deletes the end of a run that no longer waits for one: it is late, came twice, or is that of an earlier start.
    pub async fn forget(&self, start: &(String, u32)) {
        let parked = lock(&self.0.parked).remove(start).unwrap_or_default();
        self.count(1, parked.len() as u64);
        Receipt(parked.into_iter().filter_map(|arrived| arrived.acker).collect()).done().await;
    }
}
