//! Shares: what each owner has uploaded and queued, against the quotas; the turn of each owner in the queue.

use rusqlite::{Connection, params};

use super::programs::{Label, Program, Source, program_id};
use super::{Store, StoreError};

/// Time in which uploads are counted together.
pub const DAY_MS: i64 = 24 * 3600 * 1000;

/// Most that an owner may keep and send.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UploadQuota {
    /// Bytes of new programs within a day.
    pub day_bytes: i64,
    /// Bytes of all programs that the owner was the first to upload.
    pub kept_bytes: i64,
}

/// Result of an upload.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Upload {
    /// The program is kept; the flag says whether it is new.
    Kept(Program, bool),
    /// Too much within a day: the seconds until this upload fits.
    TooMuchToday(u64),
    /// The owner keeps too much: the bytes that the owner has.
    TooMuchKept(i64),
}

impl Store {
    /// Keeps a program if it fits the quota of its owner. A program that is known costs nothing.
    pub async fn upload(
        &self,
        (owner, quota): (String, UploadQuota),
        label: Label,
        sources: Vec<Source>,
        now_ms: i64,
    ) -> Result<Upload, StoreError> {
        let id = program_id(&sources);
        let size_bytes = sources.iter().map(|source| source.text.len() as i64).sum::<i64>();
        if self.program(&id).await?.is_none() {
            let key = owner.clone();
            if let Some(refused) = self.call(move |c| over_quota(c, &key, quota, size_bytes, now_ms)).await? {
                return Ok(refused);
            }
        }
        let (program, is_new) = self.add_program(label, sources).await?;
        // A program that was known costs nothing, but its owner keeps it, too.
        let (id, cost) = (program.id.clone(), if is_new { size_bytes } else { 0 });
        self.call(move |c| {
            let sql = "INSERT INTO uploads (owner, program, size_bytes, at_ms, seen_ms) VALUES (?1, ?2, ?3, ?4, ?4) \
                ON CONFLICT DO UPDATE SET seen_ms = excluded.seen_ms";
            Ok(c.execute(sql, params![owner, id, cost, now_ms])?)
        })
        .await?;
        Ok(Upload::Kept(program, is_new))
    }

    /// Returns the number of jobs of an owner that wait.
    pub async fn queued_of(&self, owner: &str) -> Result<u32, StoreError> {
        let owner = owner.to_owned();
        self.read(move |c| {
            let sql = "SELECT count(*) FROM jobs WHERE owner = ?1 AND state = 'queued'";
            Ok(c.query_row(sql, [owner], |r| r.get(0))?)
        })
        .await
    }
}

fn over_quota(
    c: &Connection,
    owner: &str,
    quota: UploadQuota,
    new_bytes: i64,
    now_ms: i64,
) -> Result<Option<Upload>, StoreError> {
    let kept: i64 = c.query_row("SELECT coalesce(sum(size_bytes), 0) FROM uploads WHERE owner = ?1", [owner], |r| r.get(0))?;
    if quota.kept_bytes < kept + new_bytes {
        return Ok(Some(Upload::TooMuchKept(kept)));
    }
    let sql = "SELECT size_bytes, at_ms FROM uploads WHERE owner = ?1 AND ?2 < at_ms ORDER BY at_ms DESC";
    let mut query = c.prepare_cached(sql)?;
    let mut total = new_bytes;
    for row in query.query_map(params![owner, now_ms - DAY_MS], |r| Ok((r.get::<_, i64>(0)?, r.get::<_, i64>(1)?)))? {
        let (size, at_ms) = row?;
        total += size;
        // From the newest on: once this row is a day old, it and all before it count no more.
        if quota.day_bytes < total {
            let wait_ms = at_ms + DAY_MS - now_ms;
            return Ok(Some(Upload::TooMuchToday(wait_ms.max(1000).unsigned_abs().div_ceil(1000))));
        }
    }
    // A program that is larger than a whole day's share never fits.
    Ok((quota.day_bytes < new_bytes).then_some(Upload::TooMuchToday(DAY_MS.unsigned_abs() / 1000)))
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: i64 = 1_800_000_000_000;

    #[tokio::test]
    async fn uploads_are_bounded_per_owner_and_day() {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::open(dir.path()).unwrap();
        let quota = UploadQuota { day_bytes: 100, kept_bytes: 180 };
        let send = async |owner: &str, letter: &str, bytes: usize, ms: i64| {
            let sources = vec![Source { name: "a.st".into(), text: letter.repeat(bytes), note: None }];
            match store.upload((owner.into(), quota), "a".into(), sources, NOW + ms).await.unwrap() {
                Upload::Kept(_, is_new) => format!("kept {is_new}"),
                Upload::TooMuchToday(seconds) => format!("today {seconds}"),
                Upload::TooMuchKept(bytes) => format!("kept {bytes}"),
            }
        };
        assert_eq!(send("anna", "a", 60, 0).await, "kept true");
        assert_eq!(send("anna", "b", 40, 1000).await, "kept true");
        assert_eq!(send("anna", "c", 1, 2000).await, "today 86398");
        // The same program again, and the program of another user, cost nothing.
        assert_eq!(send("anna", "a", 60, 2000).await, "kept false");
        assert_eq!(send("bert", "a", 60, 2000).await, "kept false");
        assert_eq!(send("bert", "c", 100, 2000).await, "kept true");
        assert_eq!(send("cleo", "d", 101, 2000).await, "today 86400");
        assert_eq!(send("anna", "e", 60, DAY_MS).await, "kept true");
        assert_eq!(send("anna", "f", 60, 3 * DAY_MS).await, "kept 160");
        assert_eq!(send("anna", "f", 20, 3 * DAY_MS).await, "kept true");
    }
}
