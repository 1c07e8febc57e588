//! The audit log: acts of users and of the service, in a hash chain.
//!
//! **Invariant:** rows are only added at the end, and removed at the beginning, by retention, which leaves a row that says so.
//! A forger who can write the database can also write a new chain. Only a row that was noted elsewhere shows that: see `known`.

pub mod chain;

#[cfg(test)]
mod tests;

use std::path::Path;

use rusqlite::{Connection, OptionalExtension, Row, params};

use self::chain::{Act, ActResult, AuditRow, ChainCheck, Link, SHORTENED, words};
use crate::store::{Store, StoreError, backup};

/// Rows to list. What is absent matches all.
#[derive(Clone, Debug, Default)]
pub struct AuditFilter {
    /// Name of the user.
    pub who: Option<String>,
    /// Part of the action or the object.
    pub search: Option<String>,
    /// Result.
    pub result: Option<ActResult>,
    /// Only rows before this number.
    pub before: Option<i64>,
}

const COLUMNS: &str = "number, at_ms, who, via, address, action, object, result, hash, \
    coalesce((SELECT earlier.hash FROM audit earlier WHERE earlier.number = audit.number - 1), \
    (SELECT start_hash FROM audit_ends WHERE start_number = audit.number - 1), '')";

fn row(r: &Row<'_>) -> rusqlite::Result<AuditRow> {
    let word: String = r.get(7)?;
    let result = ActResult::from_word(&word).ok_or_else(|| {
        rusqlite::Error::FromSqlConversionFailure(7, rusqlite::types::Type::Text, format!("result {word}").into())
    })?;
    let act = Act { who: r.get(2)?, via: r.get(3)?, address: r.get(4)?, action: r.get(5)?, object: r.get(6)?, result };
    Ok(AuditRow { number: r.get(0)?, at_ms: r.get(1)?, act, hash: r.get(8)?, previous: r.get(9)? })
}

impl Store {
    /// Adds an act at the end of the log. Returns the new row.
    pub async fn record(&self, act: Act, now_ms: i64) -> Result<AuditRow, StoreError> {
        self.call(move |c| {
            let change = c.transaction()?;
            let row = append(&change, act, now_ms)?;
            change.commit()?;
            Ok(row)
        })
        .await
    }

    /// Returns at most `limit` rows, the newest first.
    pub async fn audit(&self, filter: AuditFilter, limit: u32) -> Result<Vec<AuditRow>, StoreError> {
        self.read(move |c| {
            let sql = format!(
                "SELECT {COLUMNS} FROM audit WHERE (?1 IS NULL OR who = ?1 COLLATE NOCASE) \
                 AND (?2 IS NULL OR instr(lower(action || ' ' || object), lower(?2))) \
                 AND (?3 IS NULL OR result = ?3) AND (?4 IS NULL OR number < ?4) ORDER BY number DESC LIMIT ?5"
            );
            let mut query = c.prepare_cached(&sql)?;
            let result = filter.result.map(ActResult::word);
            let rows = query.query_map(params![filter.who, filter.search, result, filter.before, limit], row)?;
            Ok(rows.collect::<Result<_, _>>()?)
        })
        .await
    }

    /// Returns at most `limit` rows behind the row `after`, the oldest first.
    pub async fn audit_after(&self, after: i64, limit: u32) -> Result<Vec<AuditRow>, StoreError> {
        self.call(move |c| rows_after(c, after, limit)).await
    }

    /// Removes rows that are older than `before_ms`, and says so in a new row. Returns the number of rows that were removed.
    pub async fn shorten_audit(&self, before_ms: i64, now_ms: i64) -> Result<usize, StoreError> {
        self.call(move |c| {
            let change = c.transaction()?;
            // The clock may have been set back: only rows at the beginning go, without a gap.
            let sql = "SELECT number, hash FROM audit WHERE number < \
                (SELECT coalesce(min(number), 9223372036854775807) FROM audit WHERE ?1 <= at_ms) ORDER BY number DESC LIMIT 1";
            let read = |r: &Row<'_>| Ok(Link { number: r.get(0)?, hash: r.get(1)? });
            let Some(start) = change.query_row(sql, [before_ms], read).optional()? else { return Ok(0) };
            let act = Act {
                who: String::new(),
                via: "service".into(),
                address: String::new(),
                action: SHORTENED.into(),
                object: words(&start),
                result: ActResult::Done,
            };
            append(&change, act, now_ms)?;
            let removed = change.execute("DELETE FROM audit WHERE number <= ?1", [start.number])?;
            let sql = "UPDATE audit_ends SET start_number = ?1, start_hash = ?2";
            change.execute(sql, params![start.number, start.hash])?;
            change.commit()?;
            Ok(removed)
        })
        .await
    }
}

fn append(c: &Connection, act: Act, now_ms: i64) -> Result<AuditRow, StoreError> {
    let last = end(c, "last")?;
    let row = AuditRow::new(last.number + 1, now_ms, act, last.hash);
    let sql = "INSERT INTO audit (number, at_ms, who, via, address, action, object, result, hash) \
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)";
    let act = &row.act;
    let result = act.result.word();
    let values = params![row.number, row.at_ms, act.who, act.via, act.address, act.action, act.object, result, row.hash];
    c.execute(sql, values)?;
    c.execute("UPDATE audit_ends SET last_number = ?1, last_hash = ?2", params![row.number, row.hash])?;
    Ok(row)
}

/// Returns the `start` or the `last` place of the log.
fn end(c: &Connection, which: &str) -> Result<Link, StoreError> {
    let sql = format!("SELECT {which}_number, {which}_hash FROM audit_ends");
    Ok(c.query_row(&sql, [], |r| Ok(Link { number: r.get(0)?, hash: r.get(1)? }))?)
}

fn rows_after(c: &Connection, after: i64, limit: u32) -> Result<Vec<AuditRow>, StoreError> {
    let mut query = c.prepare_cached(&format!("SELECT {COLUMNS} FROM audit WHERE ?1 < number ORDER BY number LIMIT ?2"))?;
    let rows = query.query_map(params![after, limit], row)?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Checks the whole log of a data folder; the service may run. Returns its newest place, and its number of rows or the defect.
pub fn verify(directory: &Path, known: Option<Link>) -> Result<(Link, Result<u64, String>), StoreError> {
    let mut connection = backup::reader(directory)?;
    // One transaction: the service may add rows meanwhile.
    let view = connection.transaction()?;
    let (start, last) = (end(&view, "start")?, end(&view, "last")?);
    let mut check = ChainCheck::new(start, known);
    let mut query = view.prepare(&format!("SELECT {COLUMNS} FROM audit ORDER BY number"))?;
    for found in query.query_map([], row)? {
        if let Err(defect) = check.next(&found?) {
            return Ok((last, Err(defect)));
        }
    }
    let answer = check.end_of_log(&last);
    Ok((last, answer))
}
