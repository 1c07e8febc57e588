//! Content of runs on its way to agents: small sources in the message, large ones as objects that travel once.

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

use super::broker::Broker;
use super::cell::CellOrder;
use super::message::{AnsweredMessage, Build, JobMessage, TextMessage, Work};
use crate::run::job::Job;

/// Most bytes of the sources that travel with their run. Larger ones are objects, and travel once to each agent.
const MOST_TEXT_BYTES: usize = 64 << 10;

/// Objects that the broker holds.
#[derive(Debug, Default)]
pub(super) struct Objects(Mutex<BTreeSet<String>>);

impl Objects {
    /// Forgets all of them: the broker may have lost its disk.
    pub(super) fn clear(&self) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }

    /// Stores an object once, and returns its name.
    pub(super) async fn store(&self, broker: &Broker, body: &[u8]) -> Result<String, String> {
        let name = broker.seal.name(body);
        let is_there = self.0.lock().unwrap_or_else(PoisonError::into_inner).contains(&name);
        if !is_there {
            let sealed = broker.seal.close(&name, body.to_vec()).ok_or("a source cannot be sealed")?;
            broker.put(&name, &sealed).await?;
            self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(name.clone());
        }
        Ok(name)
    }

    /// Returns the message of a part of a run, and stores the objects that it names.
    pub(super) async fn message(
        &self,
        broker: &Broker,
        (work, build): (&Work, &Build),
        answered: &AnsweredMessage,
        job: &Job,
        cell: Option<CellOrder>,
    ) -> Result<JobMessage, String> {
        let mut sources = Vec::with_capacity(job.sources.len());
        let is_small = job.sources.iter().map(|source| source.text.len()).sum::<usize>() <= MOST_TEXT_BYTES;
        for source in &job.sources {
            let text = if is_small {
                TextMessage::Here(source.text.clone())
            } else {
                TextMessage::Object(self.store(broker, source.text.as_bytes()).await?)
            };
            sources.push((source.name.clone(), text));
        }
        let earlier = match job.earlier.as_slice() {
            [] => None,
            earlier => Some(self.store(broker, &serde_json::to_vec(earlier).map_err(|e| e.to_string())?).await?),
        };
        Ok(JobMessage {
            job: work.job.clone(),
            attempt: work.attempt,
            part: work.part,
            answered: answered.clone(),
            build: build.clone(),
            sources,
            earlier,
            specification: job.specification.clone(),
            limits: job.limits,
            strategy: job.strategy.clone(),
            owner: None,
            cell,
        })
    }
}
