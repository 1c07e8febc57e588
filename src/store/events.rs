//! Events: messages of runs while they worked. Their numbers are the ids of the SSE stream, so it can be replayed.

use rusqlite::{Connection, params};

use super::{Store, StoreError, now_ms};

/// One event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredEvent {
    /// From 1, without gaps per job.
    pub sequence: i64,
    /// Milliseconds since 1970.
    pub at_ms: i64,
    /// JSON.
    pub data: String,
}

impl Store {
    /// Appends events to a job, in order, at once.
    pub async fn add_events(&self, job: &str, events: Vec<String>) -> Result<(), StoreError> {
        let job = job.to_string();
        self.call(move |c| {
            let tx = c.transaction()?;
            for data in &events {
                append(&tx, &job, data)?;
            }
            tx.commit()?;
            Ok(())
        })
        .await
    }

    /// Returns at most `limit` events of a job with a number above `after`, in order.
    pub async fn events(&self, job: &str, after: i64, limit: u32) -> Result<Vec<StoredEvent>, StoreError> {
        let job = job.to_string();
        self.read(move |c| {
            let mut query = c.prepare_cached(
                "SELECT sequence, at_ms, data FROM events WHERE job = ?1 AND ?2 < sequence ORDER BY sequence LIMIT ?3",
            )?;
            let rows = query.query_map(params![job, after, limit], |r| {
                Ok(StoredEvent { sequence: r.get(0)?, at_ms: r.get(1)?, data: r.get(2)? })
            })?;
            Ok(rows.collect::<Result<_, _>>()?)
        })
        .await
    }
}

/// Appends one event; callers hold the transaction it belongs to.
pub(super) fn append(c: &Connection, job: &str, data: &str) -> rusqlite::Result<()> {
    c.prepare_cached(
        "INSERT INTO events (job, sequence, at_ms, data)
         SELECT ?1, coalesce(max(sequence), 0) + 1, ?2, ?3 FROM events WHERE job = ?1",
    )?
    .execute(params![job, now_ms(), data])?;
    Ok(())
}
