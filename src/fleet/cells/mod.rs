//! The bench's side of cells: gives them to the broker until they have ended, and hears agents.
//!
//! Cells wait in the queue of runs. So many are at the broker as agents have slots, and one more for each: runs of a service come
//! in between. `hearing`: broker and agents are heard.

mod hearing;

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::{Notify, mpsc};
use tokio_util::sync::CancellationToken;

use super::broker::{Broker, STOP, job_subject};
use super::cell::{CAMPAIGN, CellContent, CellOrder, CellReport, Figures};
use super::message::{AnsweredMessage, Build, SignOfLife, Stop, Stopped, Work};
use super::objects::Objects;
use super::registry::{AgentState, Registry};
use super::settings::BrokerSettings;
use crate::run::agent_needs::AgentNeeds;
use crate::run::job::Job;

/// Starts of a cell after which it ends without figures: each agent before was lost with it.
const MOST_STARTS: usize = 4;
/// Time after which a step that failed is tried again.
const AGAIN: Duration = Duration::from_millis(500);
/// Longest wait for the broker at the end of a campaign.
const END: Duration = Duration::from_secs(5);

/// Campaign at the agents of a fleet; clones share it.
#[derive(Clone, Debug)]
pub struct Cells(Arc<Shared>);

/// See [`Cells`].
#[derive(Debug)]
struct Shared {
    own: Build,
    campaign: String,
    binary: String,
    memory_mb: u32,
    needs: AgentNeeds,
    ack_wait: Duration,
    registry: Mutex<Registry>,
    broker: Mutex<Result<Broker, String>>,
    objects: Objects,
    /// Cells that wait for reports.
    waiting: Mutex<BTreeMap<u32, mpsc::UnboundedSender<CellReport>>>,
    n_out: AtomicUsize,
    changed: Notify,
    hearing: CancellationToken,
}

impl Drop for Shared {
    fn drop(&mut self) {
        self.hearing.cancel();
    }
}

/// Place for a cell at the broker.
#[derive(Debug)]
pub struct CellPlace(Cells);

impl Drop for CellPlace {
    fn drop(&mut self) {
        self.0.0.n_out.fetch_sub(1, Ordering::Relaxed);
        self.0.0.changed.notify_waiters();
    }
}

/// End of a cell at the agents.
#[derive(Debug)]
pub enum CellEnd {
    /// An agent has measured it; nothing of its answer is certified yet.
    Measured(String, Box<Figures>),
    /// There are no figures, for this reason.
    Lost(String),
}

/// Removes a cell that no longer waits.
struct Waits<'c>(&'c Cells, u32);

impl Drop for Waits<'_> {
    fn drop(&mut self) {
        lock(&self.0.0.waiting).remove(&self.1);
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // Each value is whole after every single step, whatever its holder did afterwards.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Cells {
    /// Begins a campaign of cells with a memory limit and needs, by the program with this fingerprint.
    pub fn start(settings: BrokerSettings, binary: String, (memory_mb, needs): (u32, AgentNeeds)) -> Cells {
        let (own, hearing) = (Build::own(), CancellationToken::new());
        let shared = Arc::new(Shared {
            registry: Mutex::new(Registry::new(own.clone())),
            own,
            campaign: format!("{CAMPAIGN}{}", uuid::Uuid::now_v7()),
            binary,
            memory_mb,
            needs,
            ack_wait: settings.ack_wait,
            broker: Mutex::new(Err("the broker was not reached yet".to_owned())),
            objects: Objects::default(),
            waiting: Mutex::default(),
            n_out: AtomicUsize::new(0),
            changed: Notify::new(),
            hearing: hearing.clone(),
        });
        // The task holds no share: it ends with the last handle.
        let weak = Arc::downgrade(&shared);
        tokio::spawn(async move { hearing.run_until_cancelled(hearing::hear(weak, settings)).await });
        Cells(shared)
    }

    /// Returns why an agent takes no cell of this campaign; `None` if it takes them.
    fn unfit(&self, sign: &SignOfLife) -> Option<&'static str> {
        match () {
            () if sign.binary != self.0.binary => Some("another program file"),
            () if sign.memory_mb < self.0.memory_mb => Some("less memory for a run"),
            () if !sign.meets(self.0.memory_mb, &self.0.needs) => Some("other labels or fewer cores"),
            () => None,
        }
    }

    /// Returns why no cell begins, in one sentence; `None` if agents take cells.
    pub fn hindrance(&self) -> Option<String> {
        if let Err(error) = self.broker() {
            return Some(error);
        }
        let agents = lock(&self.0.registry).agents();
        let mut reasons: BTreeMap<&str, usize> = BTreeMap::new();
        for agent in agents {
            let reason = match agent.state {
                AgentState::OtherBuild => "another build",
                AgentState::Away => "away",
                AgentState::Draining => "draining",
                AgentState::Ready => self.unfit(&agent.sign)?,
            };
            *reasons.entry(reason).or_default() += 1;
        }
        let reasons: Vec<String> = reasons.iter().map(|(reason, n)| format!("{reason} ({n})")).collect();
        let known = if reasons.is_empty() { String::new() } else { format!("; agents: {}", reasons.join(", ")) };
        Some(format!("no agent takes cells of this build with {} MB{known}", self.0.memory_mb))
    }

    /// Waits until there is a place for one more cell.
    pub async fn place(&self) -> CellPlace {
        loop {
            // The registry is asked first: its lock is not held while counting.
            let window = lock(&self.0.registry).window(|sign| self.unfit(sign).is_none());
            let has_room = |n| (n < window).then_some(n + 1);
            if self.broker().is_ok() && self.0.n_out.fetch_update(Ordering::Relaxed, Ordering::Relaxed, has_room).is_ok() {
                return CellPlace(self.clone());
            }
            tokio::select! {
                () = self.0.changed.notified() => {}
                () = tokio::time::sleep(AGAIN) => {}
            }
        }
    }

    /// Gives a cell to the agents, and waits for its end. Dropping the future forgets it.
    pub async fn measure(&self, number: u32, job: &Job, (requirement, cpu_s): (&str, Option<u32>)) -> CellEnd {
        let (sender, mut inbox) = mpsc::unbounded_channel();
        lock(&self.0.waiting).insert(number, sender);
        let _waits = Waits(self, number);
        let order = CellOrder { requirement: requirement.to_owned(), cpu_s, binary: self.0.binary.clone() };
        let work = Work { job: self.0.campaign.clone(), attempt: 1, part: number };
        let (mut is_published, mut last_sign, mut n_starts) = (false, Instant::now(), 0);
        loop {
            let is_quiet = self.0.ack_wait * 2 < last_sign.elapsed() && !lock(&self.0.registry).works_on(&work);
            if (!is_published || is_quiet) && self.publish(&work, job, &order, is_published).await.is_ok() {
                (is_published, last_sign) = (true, Instant::now());
            }
            let Ok(report) = tokio::time::timeout(AGAIN, inbox.recv()).await else { continue };
            let Some(CellReport { agent, content }) = report else { continue };
            last_sign = Instant::now();
            match content {
                CellContent::Started => n_starts += 1,
                CellContent::Missing => {
                    self.0.objects.clear();
                    is_published = false;
                }
                CellContent::Ended(figures) if figures.binary != self.0.binary => {
                    return CellEnd::Lost(format!("agent {agent} measured it with another program file"));
                }
                CellContent::Ended(figures) => return CellEnd::Measured(agent, Box::new(figures.readable())),
            }
            if MOST_STARTS <= n_starts {
                self.stop(&work).await;
                return CellEnd::Lost(format!("{} agents were lost while they worked on this cell", n_starts - 1));
            }
        }
    }

    /// Ends the campaign: agents stop, and nothing of it stays at the broker.
    pub async fn end(&self) {
        let Ok(broker) = self.broker() else { return };
        let ended = async {
            let _ = broker.tell(STOP, &Stop { job: self.0.campaign.clone(), what: Stopped::All }).await;
            let _ = broker.end_campaign(&self.0.own, &self.0.campaign).await;
            let _ = broker.client.flush().await;
        };
        // A broker that is gone keeps what it has: agents end it by its limits.
        let _ = tokio::time::timeout(END, ended).await;
    }

    fn broker(&self) -> Result<Broker, String> {
        let broker = lock(&self.0.broker).clone()?;
        broker.absence().map_or(Ok(broker), Err)
    }

    async fn stop(&self, work: &Work) {
        let Ok(broker) = self.broker() else { return };
        let _ = broker.remove(&job_subject(&self.0.own, &work.job, work.attempt, work.part)).await;
        let _ = broker.tell(STOP, &Stop { job: work.job.clone(), what: Stopped::Part(work.part) }).await;
    }

    async fn publish(&self, work: &Work, job: &Job, order: &CellOrder, replaces: bool) -> Result<(), String> {
        let (broker, answered) = (self.broker()?, AnsweredMessage::default());
        let message = self.0.objects.message(&broker, (work, &self.0.own), &answered, job, Some(order.clone())).await?;
        let subject = job_subject(&self.0.own, &work.job, work.attempt, work.part);
        let body = broker.pack(&subject, &message).await?;
        if replaces {
            broker.remove(&subject).await?;
        }
        broker.publish(&subject, &uuid::Uuid::now_v7().to_string(), body).await
    }
}
