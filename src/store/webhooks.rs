//! Webhooks, and deliveries to them: a row for each webhook and each run that ended.
//!
//! **Invariant:** a delivery is stored with the end of its run, in one transaction. One that was not confirmed is sent again.

use rusqlite::{Connection, OptionalExtension, Row, params};

use super::{Store, StoreError, now_ms};

/// A webhook.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Webhook {
    /// Its number.
    pub id: i64,
    /// Address that is told.
    pub url: String,
    /// Milliseconds since 1970.
    pub created_ms: i64,
    /// Author.
    pub created_by: String,
}

/// Delivery that is due.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DueDelivery {
    /// Its number.
    pub id: i64,
    /// Address.
    pub url: String,
    /// Secret of the webhook.
    pub secret: String,
    /// The run.
    pub job: String,
    /// Tries so far.
    pub attempts: u32,
}

/// A delivery as a list shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Delivery {
    /// Its number.
    pub id: i64,
    /// The webhook.
    pub webhook: i64,
    /// The run.
    pub job: String,
    /// Tries so far.
    pub attempts: u32,
    /// Milliseconds since 1970 of the next try, if there is one.
    pub next_ms: Option<i64>,
    /// Milliseconds since 1970, once no try follows.
    pub ended_ms: Option<i64>,
    /// Result of the last try in words; empty before the first.
    pub result: String,
}

/// Most webhooks of a service.
const MOST: i64 = 20;
/// Days for which a delivery that ended is listed.
const LISTED_DAYS: i64 = 30;

/// Stores a delivery of each webhook for a run that ended.
pub(super) fn announce(c: &Connection, job: &str) -> rusqlite::Result<()> {
    let new = "INSERT INTO deliveries (webhook, job, created_ms, next_ms) SELECT id, ?1, ?2, ?2 FROM webhooks";
    c.execute(new, params![job, now_ms()])?;
    Ok(())
}

impl Store {
    /// Adds a webhook, and returns its number; `None` if there are too many.
    pub async fn add_webhook(&self, url: String, secret: String, created_by: String) -> Result<Option<i64>, StoreError> {
        self.call(move |c| {
            let tx = c.transaction()?;
            let n: i64 = tx.query_row("SELECT count(*) FROM webhooks", [], |r| r.get(0))?;
            if MOST <= n {
                return Ok(None);
            }
            let new = "INSERT INTO webhooks (url, secret, created_ms, created_by) VALUES (?1, ?2, ?3, ?4)";
            tx.execute(new, params![url, secret, now_ms(), created_by])?;
            let id = tx.last_insert_rowid();
            tx.commit()?;
            Ok(Some(id))
        })
        .await
    }

    /// Returns all webhooks, without their secrets.
    pub async fn webhooks(&self) -> Result<Vec<Webhook>, StoreError> {
        self.read(|c| {
            let mut query = c.prepare_cached("SELECT id, url, created_ms, created_by FROM webhooks ORDER BY id")?;
            let row = |r: &Row<'_>| Ok(Webhook { id: r.get(0)?, url: r.get(1)?, created_ms: r.get(2)?, created_by: r.get(3)? });
            let rows = query.query_map([], row)?;
            Ok(rows.collect::<Result<_, _>>()?)
        })
        .await
    }

    /// Removes a webhook with its deliveries. False if there is none.
    pub async fn remove_webhook(&self, id: i64) -> Result<bool, StoreError> {
        self.call(move |c| Ok(c.execute("DELETE FROM webhooks WHERE id = ?1", [id])? == 1)).await
    }

    /// Returns the newest deliveries, of one webhook or of all.
    pub async fn deliveries(&self, webhook: Option<i64>, limit: u32) -> Result<Vec<Delivery>, StoreError> {
        self.read(move |c| {
            let mut query = c.prepare_cached(
                "SELECT id, webhook, job, attempts, next_ms, ended_ms, result FROM deliveries
                 WHERE ?1 IS NULL OR webhook = ?1 ORDER BY id DESC LIMIT ?2",
            )?;
            let row = |r: &Row<'_>| {
                Ok(Delivery {
                    id: r.get(0)?,
                    webhook: r.get(1)?,
                    job: r.get(2)?,
                    attempts: r.get(3)?,
                    next_ms: r.get(4)?,
                    ended_ms: r.get(5)?,
                    result: r.get(6)?,
                })
            };
            let rows = query.query_map(params![webhook, limit], row)?;
            Ok(rows.collect::<Result<_, _>>()?)
        })
        .await
    }

    /// Returns deliveries that are due, the oldest first.
    pub async fn due_deliveries(&self, now_ms: i64, limit: u32) -> Result<Vec<DueDelivery>, StoreError> {
        self.call(move |c| {
            let mut query = c.prepare_cached(
                "SELECT d.id, w.url, w.secret, d.job, d.attempts FROM deliveries d JOIN webhooks w ON w.id = d.webhook
                 WHERE d.next_ms <= ?1 ORDER BY d.next_ms, d.id LIMIT ?2",
            )?;
            let row = |r: &Row<'_>| {
                Ok(DueDelivery { id: r.get(0)?, url: r.get(1)?, secret: r.get(2)?, job: r.get(3)?, attempts: r.get(4)? })
            };
            let rows = query.query_map(params![now_ms, limit], row)?;
            Ok(rows.collect::<Result<_, _>>()?)
        })
        .await
    }

    /// Returns the time of the next try of any delivery.
    pub async fn next_delivery_ms(&self) -> Result<Option<i64>, StoreError> {
        self.call(|c| Ok(c.query_row("SELECT min(next_ms) FROM deliveries", [], |r| r.get(0)).optional()?.flatten())).await
    }

    /// Takes note of a try: its result, and the time of the next one if there is one.
    pub async fn note_delivery(&self, id: i64, result: String, next_ms: Option<i64>) -> Result<(), StoreError> {
        self.call(move |c| {
            let ended = next_ms.is_none().then(now_ms);
            c.execute(
                "UPDATE deliveries SET attempts = attempts + 1, result = ?2, next_ms = ?3, ended_ms = ?4 WHERE id = ?1",
                params![id, result, next_ms, ended],
            )?;
            Ok(())
        })
        .await
    }

    /// Removes deliveries that ended long ago from the list.
    pub async fn forget_deliveries(&self, now_ms: i64) -> Result<(), StoreError> {
        self.call(move |c| {
            c.execute("DELETE FROM deliveries WHERE ended_ms < ?1", [now_ms - LISTED_DAYS * 24 * 3600 * 1000])?;
            Ok(())
        })
        .await
    }
}
