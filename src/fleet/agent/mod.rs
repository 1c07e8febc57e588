//! An agent: takes runs from the broker, does them as the service does, and sends what they show.
//!
//! `files`: sources by hash, kept on the disk. `work`: one run. `cell`: one measurement of a bench.

mod cell;
mod files;
mod work;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use async_nats::jetstream::AckKind;
use async_nats::jetstream::consumer::PullConsumer;
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio_stream::StreamExt as _;
use tokio_util::sync::CancellationToken;
use tracing::{info, warn};

use self::files::Files;
use super::binary::Binary;
use super::broker::{Broker, STOP};
use super::cell::CellOrder;
use super::message::{AnsweredMessage, Build, JobMessage, SignOfLife, Stop, Stopped, Work};
use super::registry::SIGN_EVERY;
use super::settings::BrokerSettings;
use crate::run::idle::IdleWorkers;

/// Time after which a step that failed is tried again.
const AGAIN: Duration = Duration::from_millis(500);
/// Time between two looks at a connection that is not there.
const SOON: Duration = Duration::from_millis(50);
/// Time for which one request for a run is open at the broker.
const PULL: Duration = Duration::from_secs(10);
/// Time after which a message of another token goes to another agent.
const PASS_ON: Duration = Duration::from_secs(2);
/// Time after which a run that does not fit goes to another agent: this one pauses for longer.
const PASS_ON_SOON: Duration = Duration::from_millis(50);
/// Warning of an agent whose token is not that of the service.
const OTHER_TOKEN: &str =
    "the service has another token: it cannot read this agent (setting `fleet-token`, file of SCANPROOF_FLEET_TOKEN_FILE)";
/// Longest time for the last sign of life.
const FAREWELL: Duration = Duration::from_secs(2);

/// Settings of an agent.
#[derive(Clone, Debug)]
pub struct AgentSettings {
    /// Its name, unlike those of all others.
    pub name: String,
    /// The broker.
    pub broker: BrokerSettings,
    /// The binary that is started as `<program> worker`.
    pub program: PathBuf,
    /// Runs at the same time.
    pub slots: u32,
    /// Memory of one run, in MiB.
    pub memory_mb: u32,
    /// Folder of the files that it keeps.
    pub cache: PathBuf,
    /// Most bytes of those files.
    pub cache_bytes: u64,
    /// Its build; tests have others.
    pub build: Build,
    /// Fingerprint of its program.
    pub binary: String,
    /// Labels that runs may ask for.
    pub labels: Vec<String>,
}

/// Part of a run at work, as orders reach it.
#[derive(Clone)]
struct AtWork {
    cancel: CancellationToken,
    /// Requirements that are answered.
    answered: watch::Sender<AnsweredMessage>,
    /// Most others at work at the same time.
    beside: Arc<AtomicU32>,
}

/// Returns the number of processor cores.
fn cores() -> u32 {
    std::thread::available_parallelism().map_or(1, |n| u32::try_from(n.get()).unwrap_or(u32::MAX))
}

/// State that all slots share.
struct Agent {
    settings: AgentSettings,
    broker: Broker,
    binary: Binary,
    files: Files,
    idle: IdleWorkers,
    jobs: Mutex<BTreeMap<Work, AtWork>>,
    n_ended: AtomicU64,
    worked_ms: AtomicU64,
    /// Last reason why it takes no runs, which the log has.
    told: Mutex<String>,
    /// No further run is taken.
    drain: CancellationToken,
}

impl Agent {
    fn jobs(&self) -> MutexGuard<'_, BTreeMap<Work, AtWork>> {
        // The map is whole after every single step, whatever its holder did afterwards.
        self.jobs.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn sign(&self) -> SignOfLife {
        let settings = &self.settings;
        SignOfLife {
            agent: settings.name.clone(),
            build: settings.build.clone(),
            slots: settings.slots,
            jobs: self.jobs().keys().cloned().collect(),
            cores: cores(),
            memory_mb: settings.memory_mb,
            is_draining: self.drain.is_cancelled(),
            n_ended: self.n_ended.load(Ordering::Relaxed),
            worked_ms: self.worked_ms.load(Ordering::Relaxed),
            binary: self.binary.fingerprint().to_owned(),
            labels: settings.labels.clone(),
        }
    }

    async fn say_sign(&self) {
        let subject = format!("scanproof.agent.{}", self.settings.name);
        if let Err(error) = self.broker.tell(&subject, &self.sign()).await {
            warn!("no sign of life was sent: {error}");
        }
        if let Some(words) = self.broker.lacks_right() {
            self.tell_once(&words);
        }
    }

    /// Says signs of life for ever.
    async fn live(&self) {
        loop {
            self.say_sign().await;
            self.idle.end_old();
            tokio::time::sleep(SIGN_EVERY).await;
        }
    }

    /// Stops runs that the server stops.
    async fn obey(&self) {
        loop {
            if let Ok(mut orders) = self.broker.client.subscribe(STOP).await {
                while let Some(message) = orders.next().await {
                    if let Some(stop) = self.broker.heard(&message) {
                        self.stop(&stop);
                    }
                }
            }
            tokio::time::sleep(AGAIN).await;
        }
    }

    fn stop(&self, stop: &Stop) {
        for (_, at_work) in self.jobs().iter().filter(|(work, _)| stop.is_about(work)) {
            match &stop.what {
                Stopped::All | Stopped::Part(_) => at_work.cancel.cancel(),
                Stopped::Answered(answered) => drop(at_work.answered.send_replace(answered.clone())),
            }
        }
    }

    /// Takes one run after the other until it drains.
    async fn slot(self: Arc<Self>) {
        while !self.drain.is_cancelled() {
            if self.broker.absence().is_some() {
                if let Some(words) = self.broker.absence_with_file() {
                    self.tell_once(&words);
                }
                tokio::time::sleep(SOON).await;
                continue;
            }
            let found = tokio::select! {
                () = self.drain.cancelled() => break,
                found = self.broker.job_consumer(&self.settings.build) => found,
            };
            match found {
                Ok(consumer) => {
                    let is_strange = self.broker.is_of_another_token(&consumer);
                    if is_strange || self.broker.lacks_right().is_none() {
                        self.tell_once(if is_strange { OTHER_TOKEN } else { "" });
                    }
                    if let Err(error) = self.take(&consumer).await {
                        let error = self.broker.absence_with_file().unwrap_or(error);
                        warn!("no run was taken: {error}");
                        self.pause().await;
                    }
                }
                Err(error) => {
                    if self.broker.absence().is_none() {
                        self.tell_once(&format!("no service of this build gives runs to this broker: {error}"));
                    }
                    self.pause().await;
                }
            }
        }
    }

    /// Writes a reason into the log unless it is the last one.
    fn tell_once(&self, reason: &str) {
        let mut told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        if *told != reason {
            reason.clone_into(&mut told);
            if !reason.is_empty() {
                warn!("{reason}");
            }
        }
    }

    async fn pause(&self) {
        tokio::select! {
            () = self.drain.cancelled() => {}
            () = tokio::time::sleep(AGAIN) => {}
        }
    }

    /// Waits for runs and does them. Returns without an error when the broker has had none for some time, or when it drains.
    async fn take(&self, consumer: &PullConsumer) -> Result<(), String> {
        let ack_wait = consumer.cached_info().config.ack_wait;
        loop {
            let batch = consumer.batch().max_messages(1).expires(PULL).messages().await.map_err(|error| error.to_string())?;
            let mut batch = std::pin::pin!(batch);
            let message = tokio::select! {
                () = self.drain.cancelled() => return Ok(()),
                message = batch.next() => message,
                // A broker that was restarted knows nothing of this request.
                () = tokio::time::sleep(PULL * 2) => return Ok(()),
            };
            let Some(message) = message else { return Ok(()) };
            let message = message.map_err(|error| error.to_string())?;
            let (message, acker) = message.split();
            let subject = message.subject.to_string();
            let Some(job) = self.broker.unpack::<JobMessage>(&subject, &message.payload).await? else {
                warn!("a run was not made with the token of this fleet");
                let _ = acker.ack_with(AckKind::Nak(Some(PASS_ON))).await;
                continue;
            };
            if !self.takes(&job) {
                let _ = acker.ack_with(AckKind::Nak(Some(PASS_ON_SOON))).await;
                self.pause().await;
                continue;
            }
            self.one(job, &acker, ack_wait).await;
        }
    }

    /// Returns whether a run is one for this agent.
    fn takes(&self, job: &JobMessage) -> bool {
        let is_measurable = |order: &CellOrder| !order.binary.is_empty() && order.binary == self.binary.fingerprint();
        job.build == self.settings.build
            && job.limits.memory_mb <= self.settings.memory_mb
            && job.strategy.agent.is_met_by(cores(), &self.settings.labels)
            && job.cell.as_ref().is_none_or(is_measurable)
    }

    /// Takes note of a run at work. Each knows how many others there were.
    fn begin(&self, work: Work, at_work: AtWork) {
        let mut jobs = self.jobs();
        jobs.insert(work, at_work);
        let n_others = u32::try_from(jobs.len() - 1).unwrap_or(u32::MAX);
        for other in jobs.values() {
            other.beside.fetch_max(n_others, Ordering::Relaxed);
        }
    }

    /// Does a run or a cell. Returns whether nothing of it is left to do.
    async fn done(&self, mut job: JobMessage, at_work: AtWork) -> bool {
        match job.cell.take() {
            Some(order) => cell::measure(self, job, order, at_work).await,
            None => work::work(self, job, at_work).await,
        }
    }

    /// Does one run with signs of life, and acknowledges it when its end is at the broker.
    async fn one(&self, job: JobMessage, acker: &async_nats::jetstream::message::Acker, ack_wait: Duration) {
        let work = Work { job: job.job.clone(), attempt: job.attempt, part: job.part };
        let answered = watch::Sender::new(job.answered.clone());
        let at_work = AtWork { cancel: CancellationToken::new(), answered, beside: Arc::default() };
        if self.jobs().contains_key(&work) {
            // Another slot works on it: it was delivered twice.
            let _ = acker.ack().await;
            return;
        }
        self.begin(work.clone(), at_work.clone());
        self.say_sign().await;
        let alive = async {
            loop {
                tokio::time::sleep(ack_wait / 4).await;
                let _ = acker.ack_with(AckKind::Progress).await;
            }
        };
        let ended = tokio::select! {
            ended = self.done(job, at_work) => ended,
            () = alive => false,
        };
        self.jobs().remove(&work);
        let kind = if ended { AckKind::Ack } else { AckKind::Nak(Some(AGAIN)) };
        if let Err(error) = acker.double_ack_with(kind).await {
            let id = &work.job;
            warn!(job.id = %id, "run {id} stays at the broker, and may be done again: {error}");
        }
        self.say_sign().await;
    }
}

/// Works until `drain`; then ends the runs at work and returns. The error is one sentence.
pub async fn run(settings: AgentSettings, drain: CancellationToken) -> Result<(), String> {
    let files = Files::open(settings.cache.clone(), settings.cache_bytes)
        .map_err(|error| format!("{}: {error}", settings.cache.display()))?;
    let binary = Binary::new(&settings.program, &settings.binary);
    // A broker that is absent keeps no agent from its end.
    let broker = tokio::select! {
        () = drain.cancelled() => return Ok(()),
        broker = Broker::connect(&settings.broker, &settings.name) => broker?,
    };
    let n_slots = settings.slots.max(1);
    info!("agent {} takes runs from {}, {n_slots} at the same time", settings.name, settings.broker.url);
    let agent = Arc::new(Agent {
        settings,
        broker,
        binary,
        files,
        idle: IdleWorkers::new(n_slots as usize),
        jobs: Mutex::default(),
        n_ended: AtomicU64::new(0),
        worked_ms: AtomicU64::new(0),
        told: Mutex::default(),
        drain,
    });
    let mut slots = JoinSet::new();
    for _ in 0..n_slots {
        slots.spawn(Arc::clone(&agent).slot());
    }
    tokio::select! {
        () = async { while slots.join_next().await.is_some() {} } => {}
        () = async { tokio::join!(agent.live(), agent.obey()); } => {}
    }
    let farewell = async {
        agent.say_sign().await;
        let _ = agent.broker.client.flush().await;
    };
    let _ = tokio::time::timeout(FAREWELL, farewell).await;
    Ok(())
}
