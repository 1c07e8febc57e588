//! Course of a run at the agents: its parts, and their reports.
//!
//! Part 0 is the whole run, and its end is the end of the run. If it takes long and slots are free, helpers do further parts:
//! the same requirements in another order. Each part is complete, so the loss of a helper costs nothing. The end of a helper is that of
//! the run if the agent of part 0 was lost.

use std::collections::{BTreeMap, VecDeque};
use std::time::{Duration, Instant};

use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;
use tracing::warn;

use super::{AGAIN, Arrived, Fleet, HelperPlace, LOOK, Message, Receipt, STOP, Start, lock};
use crate::fleet::message::{AnsweredMessage, Report, ReportContent, Stop, Stopped, Work};
use crate::run::claim::{Claim, ClaimContent};
use crate::run::job::{Fact, Job};

/// Starts of a run after which it ends as interrupted: each agent before was lost with it.
const MOST_STARTS: usize = 4;
/// Time of work after which a run gets helpers. Most runs have ended by then.
const HELP_AFTER: Duration = Duration::from_millis(500);
/// Greatest number of a part that a report may bring up.
const MOST_PARTS: u32 = 10_000;
/// Most bytes of the evidence that agents get.
const MOST_FACT_BYTES: usize = 8 << 20;
/// Most claims that wait to be certified.
const MOST_CLAIMS: usize = 10_000;

/// Next step of a run.
#[derive(Debug)]
pub enum Step {
    /// An agent begins the run.
    Begun,
    /// Claims so far of an agent; none of them is certified yet. They are told once several agents work on the run.
    Claimed {
        /// Name of the agent.
        agent: String,
        /// Its claims.
        claims: Vec<Claim>,
    },
    /// An agent has ended the run.
    Ended {
        /// Name of the agent.
        agent: String,
        /// Its claims; none of them is certified yet.
        claims: Vec<Claim>,
        /// The time limit of the run was reached.
        timed_out: bool,
    },
    /// Agents were lost with it again and again.
    Interrupted(String),
    /// It was to be stopped.
    Cancelled,
}

/// Run for the agents.
pub struct Wanted<'j> {
    /// Id of the run.
    pub id: &'j str,
    /// Number of its start.
    pub attempt: u32,
    /// Its content.
    pub job: &'j Job,
    /// Id of the user who ordered it.
    pub owner: &'j str,
    /// Most helpers that have something to do.
    pub most_helpers: usize,
    /// Stops it. At the end of this service the agents go on.
    pub cancel: &'j CancellationToken,
    /// Is told the agents that begin.
    pub heard: &'j (dyn Fn(&str, bool) + Sync),
}

/// A helper with a run.
pub(super) struct Helper {
    place: HelperPlace,
    n_starts: usize,
    last_sign: Instant,
}

/// Course of a run at the agents. Asking for the same start again finds the reports that are there.
pub struct Course<'f> {
    pub(super) fleet: &'f Fleet,
    wanted: Wanted<'f>,
    pub(super) start: Start,
    pub(super) inbox: mpsc::UnboundedReceiver<Message>,
    sender: mpsc::UnboundedSender<Message>,
    is_published: bool,
    /// Last report about part 0, or the time at which it was published.
    last_sign: Instant,
    /// Last report about any part.
    pub(super) heard: Instant,
    begun: Option<Instant>,
    pub(super) n_starts: usize,
    pub(super) helpers: BTreeMap<u32, Helper>,
    /// Greatest number of a helper so far.
    last_helper: u32,
    claimed: VecDeque<(String, Vec<Claim>)>,
    /// Requirements whose answers are certified.
    answered: AnsweredMessage,
    /// Last time at which the agents were told so.
    told: Instant,
    receipt: Receipt,
}

impl Drop for Course<'_> {
    fn drop(&mut self) {
        lock(&self.fleet.0.waiting).remove(&self.start);
        lock(&self.fleet.0.refused).remove(&self.start);
        self.is_heard_of();
    }
}

impl Fleet {
    /// Gives a run to the agents.
    pub fn course<'f>(&'f self, wanted: Wanted<'f>) -> Course<'f> {
        let start = (wanted.id.to_owned(), wanted.attempt);
        let (sender, inbox) = mpsc::unbounded_channel();
        let parked = {
            lock(&self.0.waiting).insert(start.clone(), sender.clone());
            lock(&self.0.parked).remove(&start)
        };
        for arrived in parked.into_iter().flatten() {
            let _ = sender.send(Message::Report(arrived));
        }
        let (last_sign, helpers, claimed) = (Instant::now(), BTreeMap::new(), VecDeque::new());
        Course {
            fleet: self,
            wanted,
            start,
            inbox,
            sender,
            is_published: false,
            last_sign,
            heard: last_sign,
            begun: None,
            n_starts: 0,
            helpers,
            last_helper: 0,
            claimed,
            answered: AnsweredMessage::default(),
            told: Instant::now(),
            receipt: Receipt::default(),
        }
    }
}

impl Course<'_> {
    /// Waits for the next step. None follows the end of the run.
    pub async fn next(&mut self) -> Step {
        let step = self.step().await;
        self.is_heard_of();
        step
    }

    async fn step(&mut self) -> Step {
        loop {
            if self.is_shared()
                && let Some((agent, claims)) = self.claimed.pop_front()
            {
                return Step::Claimed { agent, claims };
            }
            self.publish().await;
            self.look_at_helpers().await;
            self.look_at_agents();
            let pause = if !self.is_published || 0 < self.wanted.most_helpers { AGAIN } else { LOOK };
            let message = tokio::select! {
                biased;
                () = self.wanted.cancel.cancelled() => {
                    if !self.fleet.0.shutdown.is_cancelled() {
                        self.fleet.stop(&self.start, None).await;
                    }
                    return Step::Cancelled;
                }
                Some(message) = self.inbox.recv() => message,
                () = tokio::time::sleep(pause) => continue,
            };
            let step = match message {
                Message::GiveWay(part) => {
                    self.end_helper(part).await;
                    None
                }
                Message::Report(Arrived { report: Report { agent, part: 0, content }, acker }) => {
                    self.receipt.add(acker);
                    self.hear(agent, content).await
                }
                Message::Report(Arrived { report: Report { agent, part, content }, acker }) => {
                    self.receipt.add(acker);
                    self.hear_helper(agent, part, content).await
                }
            };
            if let Some(step) = step {
                return step;
            }
        }
    }

    /// Takes note that answers to requirements are certified, and tells the agents.
    ///
    /// `facts`: their evidence. Agents that do not get it work without.
    pub async fn answered(&mut self, requirements: Vec<String>, facts: &[Fact]) {
        let facts = serde_json::to_vec(facts).ok().filter(|json| json.len() <= MOST_FACT_BYTES);
        let facts = match (facts, self.fleet.broker()) {
            (Some(json), Ok(broker)) => self.fleet.0.objects.store(&broker, &json).await.ok(),
            (None, _) | (_, Err(_)) => None,
        };
        self.answered = AnsweredMessage { requirements, facts };
        self.tell_answered().await;
    }

    /// Ends the course, whatever agents still do. Returns the right to delete its reports.
    pub async fn end(mut self) -> Receipt {
        if !self.fleet.0.shutdown.is_cancelled() && 0 < self.last_helper {
            self.fleet.stop(&self.start, None).await;
        }
        // What came since says nothing new.
        while let Ok(message) = self.inbox.try_recv() {
            if let Message::Report(Arrived { acker, .. }) = message {
                self.fleet.count(1, u64::from(acker.is_some()));
                self.receipt.add(acker);
            }
        }
        std::mem::take(&mut self.receipt)
    }

    /// Returns whether claims are certified before the end. One agent alone says all of them there, and the machine that has all
    /// answers tries small changes of the program.
    fn is_shared(&self) -> bool {
        (0 < self.last_helper || 1 < self.n_starts) && !self.wanted.job.specification.mutants
    }

    pub(super) fn work(&self, part: u32) -> Work {
        Work { job: self.start.0.clone(), attempt: self.start.1, part }
    }

    fn content(&self) -> (&Job, &str) {
        (self.wanted.job, self.wanted.owner)
    }

    /// Brings part 0 to the broker, for the first time or anew.
    async fn publish(&mut self) {
        let is_quiet = self.fleet.0.ack_wait * 2 < self.last_sign.elapsed();
        let is_due = !self.is_published || (is_quiet && !self.fleet.works_on(&self.work(0)));
        if !is_due || !self.inbox.is_empty() {
            return;
        }
        if !self.is_published {
            self.fleet.make_room();
        }
        // A broker that was killed may hold a message and give it to no one: a new one takes its place.
        match self.fleet.publish(&self.work(0), &self.answered, self.content(), self.is_published).await {
            Ok(()) => {
                (self.is_published, self.last_sign) = (true, Instant::now());
                lock(&self.fleet.0.refused).clear();
            }
            Err(error) => {
                let id = self.wanted.id;
                warn!(job.id = %id, "run {id} is not at the broker yet: {error}");
                let room = if error.contains("insufficient resources") { "its disk or `max_file_store` is full: " } else { "" };
                lock(&self.fleet.0.refused).insert(self.start.clone(), format!("{room}{error}"));
            }
        }
    }

    /// Asks for a helper if one is of use, and forgets those that were lost.
    async fn look_at_helpers(&mut self) {
        let is_lost = |(part, helper): (&u32, &Helper)| {
            let is_quiet = self.fleet.0.ack_wait * 2 < helper.last_sign.elapsed();
            (is_quiet && !self.fleet.works_on(&self.work(*part))).then_some(*part)
        };
        let lost: Vec<u32> = self.helpers.iter().filter_map(is_lost).collect();
        for part in lost {
            self.end_helper(part).await;
        }
        if !self.answered.requirements.is_empty() && LOOK <= self.told.elapsed() {
            self.tell_answered().await;
        }
        if self.wanted.most_helpers <= self.helpers.len() {
            return;
        }
        // An agent that began it before this service has said so to the one before.
        if self.begun.is_none() && self.fleet.works_on(&self.work(0)) {
            self.begun = Some(Instant::now());
        }
        if self.begun.is_none_or(|begun| begun.elapsed() < HELP_AFTER) {
            return;
        }
        let part = self.last_helper + 1;
        let Some(place) = self.fleet.helper_place(self.wanted.job, &self.sender, part) else { return };
        if self.fleet.publish(&self.work(part), &self.answered, self.content(), false).await.is_ok() {
            self.last_helper = part;
            self.helpers.insert(part, Helper { place, n_starts: 0, last_sign: Instant::now() });
        }
    }

    async fn end_helper(&mut self, part: u32) {
        if let Some(Helper { place, .. }) = self.helpers.remove(&part) {
            self.fleet.stop(&self.start, Some(part)).await;
            drop(place);
        }
    }

    async fn tell_answered(&mut self) {
        self.told = Instant::now();
        let Ok(broker) = self.fleet.broker() else { return };
        let what = Stopped::Answered(self.answered.clone());
        let _ = broker.tell(STOP, &Stop { job: self.start.0.clone(), what }).await;
    }

    fn claim(&mut self, agent: String, claims: Vec<Claim>) {
        let n_claims: usize = self.claimed.iter().map(|(_, claims)| claims.len()).sum();
        let is_shown = |claim: &Claim| matches!(claim.content, ClaimContent::Shown { .. });
        let claims: Vec<Claim> = claims.into_iter().filter(is_shown).collect();
        if !claims.is_empty() && n_claims + claims.len() <= MOST_CLAIMS {
            self.claimed.push_back((agent, claims));
        }
    }

    /// Hears a report about part 0.
    async fn hear(&mut self, agent: String, content: ReportContent) -> Option<Step> {
        self.last_sign = Instant::now();
        self.heard = self.last_sign;
        // An agent has it, whatever the broker said to the service.
        lock(&self.fleet.0.refused).remove(&self.start);
        match content {
            ReportContent::Started => {
                self.n_starts += 1;
                if 1 < self.n_starts {
                    self.fleet.count(0, 1);
                }
                if MOST_STARTS <= self.n_starts {
                    self.fleet.stop(&self.start, None).await;
                    let n = self.n_starts - 1;
                    return Some(Step::Interrupted(format!("{n} agents were lost while they worked on this run")));
                }
                self.begun = Some(Instant::now());
                (self.wanted.heard)(&agent, false);
                Some(Step::Begun)
            }
            ReportContent::Missing => {
                self.fleet.0.objects.clear();
                self.is_published = false;
                None
            }
            ReportContent::Claimed { claims } => {
                self.claim(agent, claims);
                None
            }
            ReportContent::Ended { claims, timed_out, .. } => Some(Step::Ended { agent, claims, timed_out }),
        }
    }

    /// Hears a report of a helper. One of before a new start of this service is known by its report.
    async fn hear_helper(&mut self, agent: String, part: u32, content: ReportContent) -> Option<Step> {
        let is_stopped = self.fleet.stopped(&self.work(part)).is_some();
        let begins = matches!(content, ReportContent::Started | ReportContent::Claimed { .. });
        // An agent that lies may name any part.
        let has_room = self.helpers.len() < self.wanted.most_helpers && part <= MOST_PARTS;
        if begins && !is_stopped && has_room && !self.helpers.contains_key(&part) {
            let place = self.fleet.add_helper(&self.sender, part);
            self.helpers.insert(part, Helper { place, n_starts: 0, last_sign: Instant::now() });
            self.last_helper = self.last_helper.max(part);
        }
        self.heard = Instant::now();
        if let Some(helper) = self.helpers.get_mut(&part) {
            helper.last_sign = self.heard;
        }
        match content {
            ReportContent::Started => {
                let helper = self.helpers.get_mut(&part)?;
                helper.n_starts += 1;
                if MOST_STARTS <= helper.n_starts {
                    // Agents are lost over it.
                    self.wanted.most_helpers = 0;
                    self.end_helper(part).await;
                } else {
                    (self.wanted.heard)(&agent, true);
                    // It may have missed what was told before.
                    self.tell_answered().await;
                }
            }
            ReportContent::Missing => {
                self.fleet.0.objects.clear();
                self.end_helper(part).await;
            }
            ReportContent::Claimed { claims } => self.claim(agent, claims),
            ReportContent::Ended { claims, timed_out, .. } => {
                let is_known = self.helpers.remove(&part).is_some();
                if is_known && 0 < self.n_starts && !self.fleet.works_on(&self.work(0)) {
                    return Some(Step::Ended { agent, claims, timed_out });
                }
                self.claim(agent, claims);
                // It has gone through all requirements: another would do so again.
                self.wanted.most_helpers = self.wanted.most_helpers.saturating_sub(1);
            }
        }
        None
    }
}
