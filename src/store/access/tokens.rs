//! Tokens of programs: `sp_<id>_<secret>`, shown once.

use rusqlite::{OptionalExtension, Row, params};

use super::secret_hash;
use super::users::{COLUMNS, User, user};
use crate::store::{Store, StoreError};

/// Rights of a token; it never has more than its user.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum Scope {
    /// Reads.
    Read,
    /// Reads, uploads and runs.
    Run,
    /// Everything that its user may do.
    Admin,
}

impl Scope {
    /// All scopes.
    pub const ALL: [Scope; 3] = [Scope::Read, Scope::Run, Scope::Admin];

    /// Returns the stored word.
    pub fn word(self) -> &'static str {
        match self {
            Scope::Read => "read",
            Scope::Run => "run",
            Scope::Admin => "admin",
        }
    }

    /// Returns the scope of a stored word.
    pub fn from_word(word: &str) -> Option<Scope> {
        Scope::ALL.into_iter().find(|scope| scope.word() == word)
    }
}

/// A token without its secret.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TokenRow {
    /// Public part.
    pub id: String,
    /// Name by the user.
    pub label: String,
    /// Rights.
    pub scope: Scope,
    /// End of its life.
    pub expires_ms: i64,
    /// About the time of its last use.
    pub used_ms: Option<i64>,
}

/// A token to be stored.
#[derive(Clone, Debug)]
pub struct NewToken {
    /// Public part.
    pub id: String,
    /// Secret part; only its hash is stored.
    pub secret: String,
    /// Owner.
    pub user: i64,
    /// Name by the user.
    pub label: String,
    /// Rights.
    pub scope: Scope,
    /// End of its life.
    pub expires_ms: i64,
}

/// The time of the last use is stored at most this often.
const USED_EVERY_MS: i64 = 60 * 1000;

impl Store {
    /// Stores a token.
    pub async fn add_token(&self, token: NewToken, now_ms: i64) -> Result<(), StoreError> {
        self.call(move |c| {
            let sql =
                "INSERT INTO tokens (id, hash, user, label, scope, created_ms, expires_ms) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)";
            let hash = secret_hash(&token.secret);
            c.execute(sql, params![token.id, hash, token.user, token.label, token.scope.word(), now_ms, token.expires_ms])?;
            Ok(())
        })
        .await
    }

    /// Returns the user and the scope of a live token, and takes note of its use.
    pub async fn token_user(&self, id: &str, secret: &str, now_ms: i64) -> Result<Option<(User, Scope)>, StoreError> {
        let (id, hash) = (id.to_string(), secret_hash(secret));
        self.call(move |c| {
            // The hash is looked up, not compared byte by byte in this process: its time says nothing about the secret.
            let sql = format!(
                "SELECT {COLUMNS}, scope, used_ms FROM tokens JOIN users ON users.id = tokens.user \
                 WHERE tokens.id = ?1 AND hash = ?2 AND ?3 < expires_ms AND disabled = 0"
            );
            let read = |r: &Row<'_>| Ok((user(r)?, scope(r, 4)?, r.get::<_, Option<i64>>(5)?));
            let found = c.query_row(&sql, params![id, hash, now_ms], read).optional()?;
            let Some((user, scope, used_ms)) = found else { return Ok(None) };
            if used_ms.is_none_or(|used| USED_EVERY_MS <= now_ms - used) {
                c.execute("UPDATE tokens SET used_ms = ?2 WHERE id = ?1", params![id, now_ms])?;
            }
            Ok(Some((user, scope)))
        })
        .await
    }

    /// Returns the tokens of a user, the newest first.
    pub async fn tokens(&self, user: i64) -> Result<Vec<TokenRow>, StoreError> {
        self.read(move |c| {
            let sql = "SELECT id, label, scope, expires_ms, used_ms FROM tokens WHERE user = ?1 ORDER BY created_ms DESC, id";
            let mut statement = c.prepare(sql)?;
            let read = |r: &Row<'_>| {
                let scope = scope(r, 2)?;
                Ok(TokenRow { id: r.get(0)?, label: r.get(1)?, scope, expires_ms: r.get(3)?, used_ms: r.get(4)? })
            };
            let rows = statement.query_map([user], read)?;
            Ok(rows.collect::<Result<_, _>>()?)
        })
        .await
    }

    /// Removes a token of a user. Returns false if the user has no such token.
    pub async fn end_token(&self, user: i64, id: String) -> Result<bool, StoreError> {
        self.call(move |c| Ok(c.execute("DELETE FROM tokens WHERE user = ?1 AND id = ?2", params![user, id])? == 1)).await
    }
}

fn scope(row: &Row<'_>, column: usize) -> rusqlite::Result<Scope> {
    let word: String = row.get(column)?;
    Scope::from_word(&word).ok_or_else(|| {
        rusqlite::Error::FromSqlConversionFailure(column, rusqlite::types::Type::Text, format!("scope {word}").into())
    })
}
