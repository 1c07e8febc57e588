//! One-time codes: with one, a user chooses a password.
//!
//! **Invariant:** a user with a code has no password that fits. A used, expired or replaced code fits no more.

use rusqlite::{Connection, OptionalExtension, params};

use super::secret_hash;
use super::users::{COLUMNS, Role, User, UserChange, user};
use crate::store::{Store, StoreError};

/// A code that was not used ends after this time.
pub const LIFE_MS: i64 = 7 * 24 * 3600 * 1000;
/// Stored in place of a hash: no password has it.
pub(super) const NO_PASSWORD: &str = "!";

/// A user in the list of all.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListedUser {
    /// The user.
    pub user: User,
    /// Milliseconds since 1970.
    pub created_ms: i64,
    /// End of the one-time code; `None` once a password was chosen.
    pub code_expires_ms: Option<i64>,
    /// Logs in by OpenID Connect.
    pub is_external: bool,
}

impl Store {
    /// Adds a user who chooses a password with this code. Returns the number of the user, or `None` if the name is taken.
    pub async fn invite(&self, name: String, role: Role, code: &str, now_ms: i64) -> Result<Option<i64>, StoreError> {
        let hash = secret_hash(code);
        self.call(move |c| {
            let change = c.transaction()?;
            let sql = "INSERT INTO users (name, password, role, created_ms) VALUES (?1, ?2, ?3, ?4) \
                ON CONFLICT (name) DO NOTHING RETURNING id";
            let values = params![name, NO_PASSWORD, role.word(), now_ms];
            let id: Option<i64> = change.query_row(sql, values, |r| r.get(0)).optional()?;
            if let Some(id) = id {
                set_code(&change, id, &hash, now_ms)?;
            }
            change.commit()?;
            Ok(id)
        })
        .await
    }

    /// Gives a user a new code. The password fits no more, and all sessions end; tokens stay.
    pub async fn renew_code(&self, id: i64, code: &str, now_ms: i64) -> Result<UserChange, StoreError> {
        let hash = secret_hash(code);
        self.call(move |c| {
            let change = c.transaction()?;
            if change.execute("UPDATE users SET password = ?2 WHERE id = ?1", params![id, NO_PASSWORD])? == 0 {
                return Ok(UserChange::Missing);
            }
            change.execute("DELETE FROM sessions WHERE user = ?1", [id])?;
            set_code(&change, id, &hash, now_ms)?;
            change.commit()?;
            Ok(UserChange::Done)
        })
        .await
    }

    /// Returns the user of a live code.
    pub async fn code_user(&self, name: &str, code: &str, now_ms: i64) -> Result<Option<User>, StoreError> {
        let (name, hash) = (name.to_owned(), secret_hash(code));
        self.call(move |c| holder(c, &name, &hash, now_ms)).await
    }

    /// Sets the password of the user of a live code, and uses the code up.
    pub async fn use_code(&self, name: &str, code: &str, password: String, now_ms: i64) -> Result<Option<User>, StoreError> {
        let (name, hash) = (name.to_owned(), secret_hash(code));
        self.call(move |c| {
            let change = c.transaction()?;
            let Some(user) = holder(&change, &name, &hash, now_ms)? else { return Ok(None) };
            change.execute("UPDATE users SET password = ?2 WHERE id = ?1", params![user.id, password])?;
            change.execute("DELETE FROM codes WHERE user = ?1", [user.id])?;
            change.commit()?;
            Ok(Some(user))
        })
        .await
    }

    /// Returns all users by name, with the ends of their codes.
    pub async fn listed_users(&self) -> Result<Vec<ListedUser>, StoreError> {
        self.read(|c| {
            let sql = format!(
                "SELECT {COLUMNS}, users.created_ms, codes.expires_ms, \
                 EXISTS (SELECT 1 FROM identities WHERE identities.user = users.id) \
                 FROM users LEFT JOIN codes ON codes.user = users.id ORDER BY name"
            );
            let mut statement = c.prepare(&sql)?;
            let read = |r: &rusqlite::Row<'_>| {
                Ok(ListedUser { user: user(r)?, created_ms: r.get(4)?, code_expires_ms: r.get(5)?, is_external: r.get(6)? })
            };
            Ok(statement.query_map([], read)?.collect::<Result<_, _>>()?)
        })
        .await
    }
}

fn set_code(c: &Connection, user: i64, hash: &str, now_ms: i64) -> Result<(), StoreError> {
    let sql = "INSERT OR REPLACE INTO codes (user, hash, expires_ms) VALUES (?1, ?2, ?3)";
    c.execute(sql, params![user, hash, now_ms + LIFE_MS])?;
    Ok(())
}

fn holder(c: &Connection, name: &str, hash: &str, now_ms: i64) -> Result<Option<User>, StoreError> {
    // The hash is looked up: the time says nothing about the code.
    let sql = format!(
        "SELECT {COLUMNS} FROM codes JOIN users ON users.id = codes.user \
         WHERE users.name = ?1 AND codes.hash = ?2 AND ?3 < codes.expires_ms AND disabled = 0"
    );
    Ok(c.query_row(&sql, params![name, hash, now_ms], user).optional()?)
}
