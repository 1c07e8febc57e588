//! The server hears the broker and its agents: it makes what the broker has lost, and gives reports to their runs.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use async_nats::jetstream::message::Acker;
use tokio::sync::mpsc::error::SendError;
use tokio_stream::StreamExt as _;
use tracing::{info, warn};

use super::{AGAIN, Arrived, Fleet, LOOK, Message, NOT_YET, Start, lock};
use crate::fleet::broker::{Broker, REPORTS, SIGNS, STOP, read_report_subject};
use crate::fleet::message::{Report, ReportContent, SignOfLife, Stop};
use crate::fleet::settings::BrokerSettings;

/// Most starts of runs with reports that wait for them.
const MOST_PARKED: usize = 10_000;
/// Most reports of one start that wait.
const MOST_PARKED_EACH: usize = 1_000;
/// Time between two looks at the mark of the token: a service of another token may have put its own.
const MARK_EVERY: Duration = Duration::from_secs(30);
/// Most agents of another token that the log names.
const MOST_STRANGERS: usize = 100;

impl Fleet {
    /// Connects, and hears agents for ever.
    pub(super) async fn hear(&self, settings: BrokerSettings) {
        let broker = loop {
            match Broker::connect(&settings, "scanproof server").await {
                Ok(broker) => break broker,
                Err(error) => {
                    warn!("the broker cannot be used: {error}");
                    *lock(&self.0.broker) = Err(error);
                    tokio::time::sleep(LOOK).await;
                }
            }
        };
        tokio::join!(self.watch(&broker), self.hear_signs(&broker), self.hear_reports(&broker));
    }

    /// Looks at the broker now and then, and makes what it has lost.
    async fn watch(&self, broker: &Broker) {
        let (mut before, mut marked) = (Some(NOT_YET.to_owned()), Instant::now());
        loop {
            let state = broker.prepared(&self.0.own).await.map(|()| broker.clone());
            let now = state.as_ref().err().cloned();
            if before != now {
                match &now {
                    None => info!("the broker takes runs"),
                    Some(error) => warn!("{}", broker.absence_with_file().as_ref().unwrap_or(error)),
                }
                // It may have lost its disk.
                self.0.objects.clear();
            }
            if now.is_none() && (before.is_some() || MARK_EVERY < marked.elapsed()) {
                marked = Instant::now();
                if let Err(error) = broker.put_mark(&self.0.own).await {
                    warn!("agents cannot see whether their token is that of this service: {error}");
                }
            }
            before.clone_from(&now);
            *lock(&self.0.broker) = state;
            self.0.changed.notify_waiters();
            tokio::time::sleep(if now.is_some() { AGAIN } else { LOOK }).await;
        }
    }

    async fn hear_signs(&self, broker: &Broker) {
        let mut strangers = BTreeSet::new();
        loop {
            let Ok(mut signs) = broker.client.subscribe(SIGNS).await else {
                tokio::time::sleep(AGAIN).await;
                continue;
            };
            while let Some(message) = signs.next().await {
                let sign = broker.heard::<SignOfLife>(&message);
                let named = sign.filter(|sign| message.subject.as_str() == format!("scanproof.agent.{}", sign.agent));
                match named {
                    Some(sign) => {
                        self.stop_again(broker, &sign).await;
                        lock(&self.0.registry).hear(sign);
                    }
                    None => {
                        self.count(2, 1);
                        let name = message.subject.as_str().trim_start_matches("scanproof.agent.").to_owned();
                        // Names come from outside.
                        let is_known = self.agents().iter().any(|agent| agent.sign.agent == name);
                        if !is_known && strangers.len() < MOST_STRANGERS && strangers.insert(name.clone()) {
                            warn!(
                                "the signs of life of agent {name} cannot be read: it has another token, or something else sends them"
                            );
                        }
                    }
                }
                self.0.changed.notify_waiters();
            }
        }
    }

    /// Tells an agent again which of its runs were stopped.
    async fn stop_again(&self, broker: &Broker, sign: &SignOfLife) {
        for work in &sign.jobs {
            if let Some(what) = self.stopped(work) {
                let _ = broker.tell(STOP, &Stop { job: work.job.clone(), what }).await;
            }
        }
    }

    async fn hear_reports(&self, broker: &Broker) {
        loop {
            if self.trouble().is_none()
                && let Err(error) = self.reports_until_an_error(broker).await
            {
                let is_rival = error.contains("consumer deleted");
                let rival =
                    if is_rival { "; another service uses this broker: each needs an account of its own there" } else { "" };
                warn!("{REPORTS}: {error}{rival}");
            }
            tokio::time::sleep(AGAIN).await;
        }
    }

    async fn reports_until_an_error(&self, broker: &Broker) -> Result<(), String> {
        let consumer = broker.report_consumer().await?;
        // What was parked comes again.
        lock(&self.0.parked).clear();
        let stream = consumer.stream().heartbeat(Duration::from_secs(2)).expires(Duration::from_secs(10));
        let mut messages = stream.messages().await.map_err(|error| error.to_string())?;
        while let Some(message) = messages.next().await {
            let (message, acker) = message.map_err(|error| error.to_string())?.split();
            let subject = message.subject.to_string();
            let start = read_report_subject(&subject);
            let report: Option<Report> = match start {
                Some(_) => broker.unpack(&subject, &message.payload).await?,
                None => None,
            };
            let (Some(start), Some(report)) = (start, report) else {
                self.count(2, 1);
                let _ = acker.ack().await;
                continue;
            };
            self.deliver(start, report, acker).await;
        }
        Err("the consumer has ended".to_owned())
    }

    /// Gives a report to its run, or parks it.
    async fn deliver(&self, start: Start, report: Report, acker: Acker) {
        let has_answers = matches!(report.content, ReportContent::Claimed { .. } | ReportContent::Ended { .. });
        let acker = if has_answers {
            Some(acker)
        } else {
            let _ = acker.ack().await;
            None
        };
        let arrived = Arrived { report, acker };
        let waiting = lock(&self.0.waiting).get(&start).cloned();
        let Some(arrived) = (match waiting {
            Some(run) => match run.send(Message::Report(arrived)) {
                Err(SendError(Message::Report(arrived))) => Some(arrived),
                Ok(()) | Err(SendError(Message::GiveWay(_))) => None,
            },
            None => Some(arrived),
        }) else {
            return;
        };
        let mut parked = lock(&self.0.parked);
        if has_answers && parked.len() < MOST_PARKED {
            let reports = parked.entry(start).or_default();
            if reports.len() < MOST_PARKED_EACH {
                reports.push(arrived);
            }
        }
    }
}
