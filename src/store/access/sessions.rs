//! Sessions: a random id in a cookie, of which the database has the hash.

use rusqlite::{OptionalExtension, params};

use super::secret_hash;
use super::users::{COLUMNS, User, user};
use crate::store::{Store, StoreError};

/// A session without a request ends after this time.
pub const IDLE_MS: i64 = 30 * 60 * 1000;
/// A session ends after this time in any case.
pub const LIFE_MS: i64 = 12 * 3600 * 1000;
/// The time of the last request is stored at most this often.
const SEEN_EVERY_MS: i64 = 60 * 1000;

/// A session in the list of a user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionRow {
    /// Hash of the id: names the session without giving it away.
    pub hash: String,
    /// Log-in.
    pub created_ms: i64,
    /// About the time of the last request.
    pub seen_ms: i64,
}

impl Store {
    /// Begins the session with this id. Sessions that have ended are removed.
    pub async fn add_session(&self, id: &str, user: i64, now_ms: i64) -> Result<(), StoreError> {
        let hash = secret_hash(id);
        self.call(move |c| {
            let ended = "DELETE FROM sessions WHERE seen_ms <= ?1 OR created_ms <= ?2";
            c.execute(ended, [now_ms - IDLE_MS, now_ms - LIFE_MS])?;
            let sql = "INSERT INTO sessions (hash, user, created_ms, seen_ms) VALUES (?1, ?2, ?3, ?3)";
            c.execute(sql, params![hash, user, now_ms])?;
            Ok(())
        })
        .await
    }

    /// Returns the user of a live session as the user is now, and takes note of the request. A session of the future ends, too: the
    /// clock was stepped back, and its age is unknown.
    pub async fn session_user(&self, id: &str, now_ms: i64, is_request: bool) -> Result<Option<User>, StoreError> {
        let hash = secret_hash(id);
        self.call(move |c| {
            let sql = format!(
                "SELECT {COLUMNS}, seen_ms FROM sessions JOIN users ON users.id = sessions.user \
                 WHERE hash = ?1 AND ?2 < seen_ms AND ?3 < sessions.created_ms AND seen_ms <= ?4 AND disabled = 0"
            );
            let ends = params![hash, now_ms - IDLE_MS, now_ms - LIFE_MS, now_ms + IDLE_MS];
            let found = c.query_row(&sql, ends, |r| Ok((user(r)?, r.get::<_, i64>(4)?))).optional()?;
            let Some((user, seen_ms)) = found else { return Ok(None) };
            if is_request && SEEN_EVERY_MS <= now_ms - seen_ms {
                c.execute("UPDATE sessions SET seen_ms = ?2 WHERE hash = ?1", params![hash, now_ms])?;
            }
            Ok(Some(user))
        })
        .await
    }

    /// Returns the live sessions of a user, the newest first.
    pub async fn sessions(&self, user: i64, now_ms: i64) -> Result<Vec<SessionRow>, StoreError> {
        self.read(move |c| {
            let mut statement = c.prepare(
                "SELECT hash, created_ms, seen_ms FROM sessions \
                 WHERE user = ?1 AND ?2 < seen_ms AND ?3 < created_ms ORDER BY created_ms DESC, hash",
            )?;
            let read = |r: &rusqlite::Row<'_>| Ok(SessionRow { hash: r.get(0)?, created_ms: r.get(1)?, seen_ms: r.get(2)? });
            let rows = statement.query_map([user, now_ms - IDLE_MS, now_ms - LIFE_MS], read)?;
            Ok(rows.collect::<Result<_, _>>()?)
        })
        .await
    }

    /// Ends a session of a user. Returns false if the user has no such session.
    pub async fn end_session(&self, user: i64, hash: String) -> Result<bool, StoreError> {
        self.call(move |c| Ok(c.execute("DELETE FROM sessions WHERE user = ?1 AND hash = ?2", params![user, hash])? == 1)).await
    }
}
