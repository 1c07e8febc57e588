//! Streams and objects of a fleet at the broker.
//!
//! | name | kind | content |
//! |---|---|---|
//! | `SCANPROOF_JOBS` | work queue, `scanproof.job.BUILD.RUN.ATTEMPT.PART` | parts of runs; a subject holds one message, so a second one is refused |
//! | `SCANPROOF_REPORTS` | work queue, `scanproof.report.RUN.ATTEMPT` | what agents say about runs |
//! | `SCANPROOF_CELLS` | work queue, `scanproof.cell.CAMPAIGN.CELL` | what agents say about cells of a bench; kept for a day |
//! | `scanproof-files` | objects | sources by hash, and messages that are too large for a stream |
//! | `scanproof.agent.NAME` | not stored | signs of life |
//! | `scanproof.stop` | not stored | orders to stop a run, a part of it, or the search for answers that are there |

use std::time::Duration;

use async_nats::Client;
use async_nats::jetstream::consumer::{AckPolicy, PullConsumer, pull};
use async_nats::jetstream::object_store::{Config as BucketConfig, ObjectStore};
use async_nats::jetstream::stream::{Config, DiscardPolicy, LastRawMessageErrorKind, RetentionPolicy};
use async_nats::jetstream::{self, Context};
use serde::Serialize;
use serde::de::DeserializeOwned;
use tokio::io::AsyncReadExt as _;

use super::link::Faults;
use super::message::Build;
use super::seal::Seal;
use super::settings::BrokerSettings;

/// Stream of runs.
pub(super) const JOBS: &str = "SCANPROOF_JOBS";
/// Stream of reports.
pub(super) const REPORTS: &str = "SCANPROOF_REPORTS";
/// Stream of reports about cells.
pub(super) const CELLS: &str = "SCANPROOF_CELLS";
const BUCKET: &str = "scanproof-files";
/// Name of the consumer of reports.
const SERVER: &str = "server";
/// Subject of orders to stop.
pub(super) const STOP: &str = "scanproof.stop";
/// Subjects of signs of life.
pub(super) const SIGNS: &str = "scanproof.agent.*";
/// Messages above this size become objects; brokers take a megabyte.
const MOST_INLINE: usize = 256 << 10;
/// Most messages that are deleted together: those of a run or of a campaign.
const MOST_REMOVED: usize = 100_000;
/// Objects are deleted after this time. Sources that are needed again are sent again.
const OBJECT_AGE: Duration = Duration::from_secs(7 * 24 * 3600);
/// Reports about cells are deleted after this time: their bench is gone.
const CELL_AGE: Duration = Duration::from_secs(24 * 3600);
/// Time without its bench after which the consumer of a campaign is deleted.
const CAMPAIGN_AGE: Duration = Duration::from_secs(3600);
/// Longest object that is read.
const MOST_OBJECT: u64 = 256 << 20;

/// Connection with its names and keys. The error of every function is one sentence.
#[derive(Clone, Debug)]
pub(super) struct Broker {
    pub(super) client: Client,
    pub(super) context: Context,
    pub(super) seal: Seal,
    faults: Faults,
    ack_wait: Duration,
}

impl Broker {
    pub(super) async fn connect(settings: &BrokerSettings, name: &str) -> Result<Broker, String> {
        let faults = Faults::new(settings);
        let client = settings.connect(name, faults.clone()).await?;
        let context = jetstream::ContextBuilder::new().timeout(Duration::from_secs(5)).build(client.clone());
        Ok(Broker { client, context, seal: settings.seal.clone(), faults, ack_wait: settings.ack_wait })
    }

    /// Returns why there is no connection, in one sentence; `None` if there is one.
    pub(super) fn absence(&self) -> Option<String> {
        self.faults.absence(&self.client)
    }

    /// Returns a right that the broker refuses to this user, in one sentence.
    pub(super) fn lacks_right(&self) -> Option<String> {
        self.faults.lacks_right()
    }

    /// Returns why there is no connection, with the file that it is about, for the log of this machine. `None` before the first
    /// failure, too.
    pub(super) fn absence_with_file(&self) -> Option<String> {
        if !self.faults.is_known() {
            return None;
        }
        let file = self.faults.file().map(|file| format!(" ({})", file.display()));
        self.absence().map(|words| words + &file.unwrap_or_default())
    }

    /// Makes what is missing at the broker. The error is why it takes nothing: without a connection it comes at once.
    pub(super) async fn prepared(&self, build: &Build) -> Result<(), String> {
        if let Some(absence) = self.absence() {
            return Err(absence);
        }
        let prepared = self.prepare(build).await;
        let known = || self.absence().or_else(|| self.lacks_right());
        prepared.map_err(|error| known().unwrap_or_else(|| format!("the broker does not answer: {error}")))
    }

    /// Makes what is missing at the broker: after its first start, or after it has lost its disk.
    async fn prepare(&self, build: &Build) -> Result<(), String> {
        let queue = |name: &str, subject: &str| Config {
            name: name.to_owned(),
            subjects: vec![subject.to_owned()],
            retention: RetentionPolicy::WorkQueue,
            discard: DiscardPolicy::New,
            ..Config::default()
        };
        let jobs = Config { max_messages_per_subject: 1, discard_new_per_subject: true, ..queue(JOBS, "scanproof.job.>") };
        let jobs = self.context.get_or_create_stream(jobs).await.map_err(|error| format!("{JOBS}: {error}"))?;
        let consumer = self.job_consumer_config(build);
        jobs.get_or_create_consumer(&consumer_name(build), consumer).await.map_err(|error| format!("{JOBS}: {error}"))?;
        let reports = queue(REPORTS, "scanproof.report.>");
        self.context.get_or_create_stream(reports).await.map_err(|error| format!("{REPORTS}: {error}"))?;
        let cells = Config { max_age: CELL_AGE, ..queue(CELLS, "scanproof.cell.>") };
        self.context.get_or_create_stream(cells).await.map_err(|error| format!("{CELLS}: {error}"))?;
        if self.context.get_object_store(BUCKET).await.is_err() {
            let bucket = BucketConfig { bucket: BUCKET.to_owned(), max_age: OBJECT_AGE, ..BucketConfig::default() };
            self.context.create_object_store(bucket).await.map_err(|error| format!("{BUCKET}: {error}"))?;
        }
        Ok(())
    }

    fn job_consumer_config(&self, build: &Build) -> pull::Config {
        pull::Config {
            durable_name: Some(consumer_name(build)),
            description: Some(self.mark()),
            ack_policy: AckPolicy::Explicit,
            ack_wait: self.ack_wait,
            filter_subject: format!("scanproof.job.{}.>", build.name()),
            max_ack_pending: 20_000,
            ..pull::Config::default()
        }
    }

    /// Returns the mark of the token: agents with another one have another mark. It says nothing else.
    fn mark(&self) -> String {
        self.seal.name(b"mark of the token")
    }

    /// Puts the mark of this token at the consumer of the runs: a service of another token may have made it.
    pub(super) async fn put_mark(&self, build: &Build) -> Result<(), String> {
        let consumer = self.job_consumer(build).await?;
        let config = &consumer.cached_info().config;
        if config.description == Some(self.mark()) {
            return Ok(());
        }
        // Its patience stays: it counts from the first start on.
        let renewed = pull::Config { ack_wait: config.ack_wait, ..self.job_consumer_config(build) };
        let renewed = self.context.create_consumer_on_stream(renewed, JOBS).await;
        renewed.map(|_| ()).map_err(|error| format!("{JOBS}: {error}"))
    }

    /// Returns whether a consumer of runs has the mark of another token.
    pub(super) fn is_of_another_token(&self, consumer: &PullConsumer) -> bool {
        // Earlier services put none.
        consumer.cached_info().config.description.as_ref().is_some_and(|mark| *mark != self.mark())
    }

    /// Returns the consumer of the runs of a build; an error if the server of this build has not made it.
    pub(super) async fn job_consumer(&self, build: &Build) -> Result<PullConsumer, String> {
        let found = self.context.get_consumer_from_stream(consumer_name(build), JOBS).await;
        found.map_err(|error| error.to_string())
    }

    /// Returns a new consumer of all reports: those that an earlier server has read without an end come again at once.
    pub(super) async fn report_consumer(&self) -> Result<PullConsumer, String> {
        let failed = |error: &dyn std::fmt::Display| format!("{REPORTS}: {error}");
        let stream = self.context.get_stream(REPORTS).await.map_err(|error| failed(&error))?;
        // There is none before the first start.
        let _ = stream.delete_consumer(SERVER).await;
        let config = pull::Config {
            durable_name: Some(SERVER.to_owned()),
            ack_policy: AckPolicy::Explicit,
            // This server keeps them in memory until they are certified.
            ack_wait: Duration::from_secs(24 * 3600),
            max_ack_pending: 100_000,
            ..pull::Config::default()
        };
        stream.create_consumer(config).await.map_err(|error| failed(&error))
    }

    /// Returns the consumer of the reports about a campaign.
    pub(super) async fn cell_consumer(&self, campaign: &str) -> Result<PullConsumer, String> {
        let failed = |error: &dyn std::fmt::Display| format!("{CELLS}: {error}");
        let stream = self.context.get_stream(CELLS).await.map_err(|error| failed(&error))?;
        let config = pull::Config {
            durable_name: Some(campaign.to_owned()),
            ack_policy: AckPolicy::Explicit,
            filter_subject: format!("scanproof.cell.{campaign}.*"),
            inactive_threshold: CAMPAIGN_AGE,
            ..pull::Config::default()
        };
        stream.get_or_create_consumer(campaign, config).await.map_err(|error| failed(&error))
    }

    /// Deletes what is left of a campaign: cells that wait, and reports about it.
    pub(super) async fn end_campaign(&self, build: &Build, campaign: &str) -> Result<(), String> {
        self.remove(&job_subjects(build, campaign, 1)).await?;
        let stream = self.context.get_stream_no_info(CELLS).await.map_err(|error| error.to_string())?;
        stream.delete_consumer(campaign).await.map_err(|error| error.to_string())?;
        self.remove_from(CELLS, &format!("scanproof.cell.{campaign}.*")).await
    }

    /// Stores a message in a stream and waits for the confirmation. A message with the same name is stored once.
    pub(super) async fn publish(&self, subject: &str, name: &str, body: Vec<u8>) -> Result<(), String> {
        let mut headers = async_nats::HeaderMap::new();
        headers.insert("Nats-Msg-Id", name);
        let sent = self.context.publish_with_headers(subject.to_owned(), headers, body.into()).await;
        match sent.map_err(|error| error.to_string())?.await {
            Ok(_) => Ok(()),
            // It is there already: the subject of a run holds one message.
            Err(error) if error.to_string().contains("maximum messages per subject exceeded") => Ok(()),
            Err(error) => Err(error.to_string()),
        }
    }

    /// Returns the body of a message: sealed, or the name of the object that holds it.
    pub(super) async fn pack<T: Serialize>(&self, place: &str, message: &T) -> Result<Vec<u8>, String> {
        let json = serde_json::to_vec(message).map_err(|error| error.to_string())?;
        let sealed = self.seal.close(place, json).ok_or("a message cannot be sealed")?;
        if sealed.len() <= MOST_INLINE {
            return Ok([b"0".as_slice(), &sealed].concat());
        }
        let name = self.seal.name(&sealed);
        self.put(&name, &sealed).await?;
        Ok([b"1".as_slice(), name.as_bytes()].concat())
    }

    /// Reads the body of a message. `Ok(None)`: it was not made with the token for this place.
    pub(super) async fn unpack<T: DeserializeOwned>(&self, place: &str, body: &[u8]) -> Result<Option<T>, String> {
        let sealed = match body.split_first() {
            Some((b'0', sealed)) => sealed.to_vec(),
            Some((b'1', name)) => match std::str::from_utf8(name) {
                Ok(name) => self.get(name).await?.unwrap_or_default(),
                Err(_) => return Ok(None),
            },
            Some(_) | None => return Ok(None),
        };
        Ok(self.seal.open(place, &sealed).and_then(|json| serde_json::from_slice(&json).ok()))
    }

    async fn bucket(&self) -> Result<ObjectStore, String> {
        self.context.get_object_store(BUCKET).await.map_err(|error| format!("{BUCKET}: {error}"))
    }

    /// Stores an object.
    pub(super) async fn put(&self, name: &str, body: &[u8]) -> Result<(), String> {
        let bucket = self.bucket().await?;
        let mut rest = body;
        bucket.put(name, &mut rest).await.map(|_| ()).map_err(|error| format!("{BUCKET}: {error}"))
    }

    /// Returns an object; `None` if it is not there.
    pub(super) async fn get(&self, name: &str) -> Result<Option<Vec<u8>>, String> {
        use async_nats::jetstream::object_store::GetErrorKind;
        let bucket = self.bucket().await?;
        let object = match bucket.get(name).await {
            Ok(object) => object,
            Err(error) if error.kind() == GetErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(format!("{BUCKET}: {error}")),
        };
        let mut body = Vec::new();
        let read = tokio::time::timeout(Duration::from_secs(30), object.take(MOST_OBJECT).read_to_end(&mut body)).await;
        match read {
            Ok(Ok(_)) => Ok(Some(body)),
            // Its parts are not what its entry says: it counts as absent.
            Ok(Err(_)) => Ok(None),
            Err(_) => Err(format!("{BUCKET}: an object took longer than 30 s")),
        }
    }

    /// Deletes the messages of a subject, which may have wildcards, from the stream of runs.
    pub(super) async fn remove(&self, subject: &str) -> Result<(), String> {
        self.remove_from(JOBS, subject).await
    }

    /// Deletes messages one by one: behind a purge of one subject, consumers skip waiting messages of others (nats-server 2.9).
    async fn remove_from(&self, stream: &str, subject: &str) -> Result<(), String> {
        let stream = self.context.get_stream_no_info(stream).await.map_err(|error| error.to_string())?;
        let mut refused: Option<(u64, String)> = None;
        for _ in 0..MOST_REMOVED {
            match stream.get_last_raw_message_by_subject(subject).await {
                Ok(message) => {
                    if let Some((_, error)) = refused.filter(|(sequence, _)| *sequence == message.sequence) {
                        return Err(error);
                    }
                    // It may be acknowledged meanwhile, and is gone then: the next look tells.
                    let deleted = stream.delete_message(message.sequence).await;
                    refused = deleted.err().map(|error| (message.sequence, error.to_string()));
                }
                Err(error) if error.kind() == LastRawMessageErrorKind::NoMessageFound => return Ok(()),
                Err(error) => return Err(error.to_string()),
            }
        }
        Err(format!("messages of {subject} stay at the broker"))
    }

    /// Sends a message that is not stored.
    pub(super) async fn tell<T: Serialize>(&self, subject: &str, message: &T) -> Result<(), String> {
        let json = serde_json::to_vec(message).map_err(|error| error.to_string())?;
        let sealed = self.seal.close(subject, json).ok_or("a message cannot be sealed")?;
        self.client.publish(subject.to_owned(), sealed.into()).await.map_err(|error| error.to_string())
    }

    /// Reads a message that is not stored.
    pub(super) fn heard<T: DeserializeOwned>(&self, message: &async_nats::Message) -> Option<T> {
        let json = self.seal.open(message.subject.as_str(), &message.payload)?;
        serde_json::from_slice(&json).ok()
    }
}

fn consumer_name(build: &Build) -> String {
    format!("agents-{}", build.name())
}

/// Returns the subject of a part of a run.
pub(super) fn job_subject(build: &Build, job: &str, attempt: u32, part: u32) -> String {
    format!("scanproof.job.{}.{job}.{attempt}.{part}", build.name())
}

/// Returns the subjects of all parts of a run.
pub(super) fn job_subjects(build: &Build, job: &str, attempt: u32) -> String {
    format!("scanproof.job.{}.{job}.{attempt}.>", build.name())
}

/// Returns the subject of reports about a run.
pub(super) fn report_subject(job: &str, attempt: u32) -> String {
    format!("scanproof.report.{job}.{attempt}")
}

/// Returns the subject of reports about a cell.
pub(super) fn cell_subject(campaign: &str, cell: u32) -> String {
    format!("scanproof.cell.{campaign}.{cell}")
}

/// Returns the number of a cell in a subject of reports.
pub(super) fn read_cell_subject(subject: &str) -> Option<u32> {
    subject.strip_prefix("scanproof.cell.")?.split_once('.')?.1.parse().ok()
}

/// Returns the run and the number of its start in a subject of reports.
pub(super) fn read_report_subject(subject: &str) -> Option<(String, u32)> {
    let (job, attempt) = subject.strip_prefix("scanproof.report.")?.split_once('.')?;
    Some((job.to_owned(), attempt.parse().ok()?))
}
