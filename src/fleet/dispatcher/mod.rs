//! The server's side: gives runs to the broker until they have ended, and hears agents.
//!
//! A run is published again and again until the stream confirms it, and again when nothing is heard of it. The subject of a start
//! holds one message, so publishing twice stores one. Reports are parked until the run asks for them.

mod hearing;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use async_nats::jetstream::message::Acker;
use tokio::sync::{Notify, mpsc};
use tokio_util::sync::CancellationToken;
use tracing::warn;

use super::broker::{Broker, STOP, job_subject};
use super::message::{Build, JobMessage, Report, ReportContent, Stop};
use super::registry::{Agent, Registry};
use super::settings::BrokerSettings;
use crate::run::claim::Claim;
use crate::run::job::Job;

/// Time between two looks at the broker.
const LOOK: Duration = Duration::from_secs(2);
/// Time after which a step that failed is tried again.
const AGAIN: Duration = Duration::from_millis(500);
/// Starts of a run after which it ends as interrupted: each agent before was lost with it.
const MOST_STARTS: usize = 4;

/// Most runs that were stopped and are remembered.
const MOST_STOPPED: usize = 10_000;

/// A report, with the right to delete it at the broker.
pub struct Arrived {
    report: Report,
    acker: Option<Acker>,
}

/// Start of a run: its id and the number of the start.
type Start = (String, u32);

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
    waiting: Mutex<BTreeMap<Start, mpsc::UnboundedSender<Arrived>>>,
    /// Ends that came before their runs asked.
    parked: Mutex<BTreeMap<Start, Arrived>>,
    /// Runs that were stopped: agents that say that they work on one have not heard it.
    stopped: Mutex<BTreeSet<String>>,
    /// Objects that the broker holds.
    stored: Mutex<BTreeSet<String>>,
    /// Runs at the broker.
    n_out: AtomicUsize,
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
pub struct Place(Fleet);

impl Drop for Place {
    fn drop(&mut self) {
        self.0.0.n_out.fetch_sub(1, Ordering::Relaxed);
        self.0.0.changed.notify_waiters();
    }
}

/// End of a run at the agents.
#[derive(Debug)]
pub enum Returned {
    /// An agent has ended it.
    Ended {
        /// Name of the agent.
        agent: String,
        /// Its claims; none of them is certified yet.
        claims: Vec<Claim>,
        /// The time limit of the run was reached.
        timed_out: bool,
        /// Keeps the report at the broker until the claims are certified.
        receipt: Receipt,
    },
    /// Agents were lost with it again and again.
    Interrupted(String),
    /// It was to be stopped.
    Cancelled,
}

/// Right to delete a report at the broker.
pub struct Receipt(Option<Acker>);

impl std::fmt::Debug for Receipt {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Receipt")
    }
}

impl Receipt {
    /// Deletes the report: what it says is stored.
    pub async fn done(self) {
        if let Some(acker) = self.0
            && let Err(error) = acker.ack().await
        {
            warn!("a report stays at the broker: {error}");
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
            broker: Mutex::new(Err("the broker was not reached yet".to_owned())),
            waiting: Mutex::default(),
            parked: Mutex::default(),
            stopped: Mutex::default(),
            stored: Mutex::default(),
            n_out: AtomicUsize::new(0),
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
        lock(&self.0.broker).as_ref().err().cloned()
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

    /// Returns the memory of the largest slot, in MiB.
    pub fn most_memory_mb(&self) -> u32 {
        lock(&self.0.registry).most_memory_mb()
    }

    /// Waits until there is a place for one more run.
    pub async fn place(&self) -> Place {
        loop {
            // The registry is asked first: its lock is not held while counting.
            let window = lock(&self.0.registry).window();
            let has_room = |n| (n < window).then_some(n + 1);
            if self.trouble().is_none() && self.0.n_out.fetch_update(Ordering::Relaxed, Ordering::Relaxed, has_room).is_ok() {
                return Place(self.clone());
            }
            tokio::select! {
                () = self.0.changed.notified() => {}
                () = tokio::time::sleep(AGAIN) => {}
            }
        }
    }

    fn broker(&self) -> Result<Broker, String> {
        lock(&self.0.broker).clone()
    }

    /// Gives a run to the agents, and returns its end. `heard` is told the agent that begins.
    ///
    /// Stops: `cancel`; at the end of this service the agents go on. Asking for the same start again finds its end.
    pub async fn run(
        &self,
        (id, attempt): (&str, u32),
        job: &Job,
        cancel: &CancellationToken,
        heard: &(dyn Fn(&str) + Sync),
    ) -> Returned {
        let start = (id.to_owned(), attempt);
        let (sender, mut reports) = mpsc::unbounded_channel();
        let parked = {
            lock(&self.0.waiting).insert(start.clone(), sender.clone());
            lock(&self.0.parked).remove(&start)
        };
        let _waiting = Waiting { fleet: self, start: &start };
        if let Some(arrived) = parked {
            let _ = sender.send(arrived);
        }
        let (mut n_starts, mut last_sign, mut is_published) = (0, Instant::now(), false);
        loop {
            let is_quiet = self.0.ack_wait * 2 < last_sign.elapsed();
            if reports.is_empty() && (!is_published || (is_quiet && !self.works_on(&start))) {
                // A broker that was killed may hold a message and give it to no one: a new one takes its place.
                match self.publish(&start, job, is_published).await {
                    Ok(()) => (is_published, last_sign) = (true, Instant::now()),
                    Err(error) => warn!(job.id = %id, "run {id} is not at the broker yet: {error}"),
                }
            }
            let pause = if is_published { LOOK } else { AGAIN };
            let arrived = tokio::select! {
                biased;
                () = cancel.cancelled() => {
                    if !self.0.shutdown.is_cancelled() {
                        self.stop(&start).await;
                    }
                    return Returned::Cancelled;
                }
                Some(arrived) = reports.recv() => arrived,
                () = tokio::time::sleep(pause) => continue,
            };
            last_sign = Instant::now();
            let Arrived { report: Report { agent, content }, acker } = arrived;
            match content {
                ReportContent::Started => {
                    n_starts += 1;
                    if 1 < n_starts {
                        self.count(0, 1);
                    }
                    if MOST_STARTS <= n_starts {
                        self.stop(&start).await;
                        let n = n_starts - 1;
                        return Returned::Interrupted(format!("{n} agents were lost while they worked on this run"));
                    }
                    heard(&agent);
                }
                ReportContent::Missing => {
                    lock(&self.0.stored).clear();
                    is_published = false;
                }
                ReportContent::Ended { claims, timed_out, .. } => {
                    // Ends of the same start that came since say nothing new.
                    while let Ok(Arrived { acker, .. }) = reports.try_recv() {
                        self.count(1, 1);
                        Receipt(acker).done().await;
                    }
                    return Returned::Ended { agent, claims, timed_out, receipt: Receipt(acker) };
                }
            }
        }
    }

    fn works_on(&self, (job, attempt): &Start) -> bool {
        lock(&self.0.registry).works_on(job, *attempt)
    }

    /// Stops a run at the agents. An agent that does not hear it is told again at its next sign of life.
    async fn stop(&self, (job, attempt): &Start) {
        {
            let mut stopped = lock(&self.0.stopped);
            if MOST_STOPPED <= stopped.len() {
                // Ids sort by time: the oldest run.
                stopped.pop_first();
            }
            stopped.insert(job.clone());
        }
        let Ok(broker) = self.broker() else { return };
        let _ = broker.purge(&job_subject(&self.0.own, job, *attempt)).await;
        let _ = broker.tell(STOP, &Stop { job: job.clone() }).await;
    }

    /// Stores a run at the broker, with the objects that it needs. If it `replaces` the message that may be there, no agent has begun it.
    async fn publish(&self, (id, attempt): &Start, job: &Job, replaces: bool) -> Result<(), String> {
        let broker = self.broker()?;
        let mut sources = Vec::with_capacity(job.sources.len());
        for source in &job.sources {
            sources.push((source.name.clone(), self.store(&broker, source.text.as_bytes()).await?));
        }
        let earlier = match job.earlier.as_slice() {
            [] => None,
            earlier => Some(self.store(&broker, &serde_json::to_vec(earlier).map_err(|e| e.to_string())?).await?),
        };
        let message = JobMessage {
            job: id.clone(),
            attempt: *attempt,
            build: self.0.own.clone(),
            sources,
            earlier,
            specification: job.specification.clone(),
            limits: job.limits,
            strategy: job.strategy.clone(),
        };
        let subject = job_subject(&self.0.own, id, *attempt);
        let body = broker.pack(&subject, &message).await?;
        if replaces {
            broker.purge(&subject).await?;
        }
        // After the window of the broker the subject still holds one message.
        broker.publish(&subject, &format!("{id}.{attempt}.{}", uuid::Uuid::now_v7()), body).await
    }

    /// Stores an object once, and returns its name.
    async fn store(&self, broker: &Broker, body: &[u8]) -> Result<String, String> {
        let name = broker.seal.name(body);
        if !lock(&self.0.stored).contains(&name) {
            let sealed = broker.seal.close(&name, body.to_vec()).ok_or("a source cannot be sealed")?;
            broker.put(&name, &sealed).await?;
            lock(&self.0.stored).insert(name.clone());
        }
        Ok(name)
    }

    /// Returns the starts of runs whose ends wait for their runs.
    pub fn parked(&self) -> Vec<(String, u32)> {
        lock(&self.0.parked).keys().cloned().collect()
    }

    /// Deletes the end of a run that no longer waits for one: it is late, came twice, or is that of an earlier start.
    pub async fn forget(&self, start: &(String, u32)) {
        let parked = lock(&self.0.parked).remove(start);
        if let Some(arrived) = parked {
            self.count(1, 1);
            Receipt(arrived.acker).done().await;
        }
    }
}

/// Row of a run that waits for reports; it is removed with this.
struct Waiting<'f> {
    fleet: &'f Fleet,
    start: &'f Start,
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        lock(&self.fleet.0.waiting).remove(self.start);
    }
}
