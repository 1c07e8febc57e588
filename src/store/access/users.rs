//! Users: names, hashes of passwords, roles.

use rusqlite::{Connection, OptionalExtension, Row, params};

use crate::store::{Store, StoreError};

/// Role of a user.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// Reads everything.
    Viewer,
    /// Reads, uploads and runs.
    Engineer,
    /// Everything, users included.
    Admin,
    /// Reads everything, the audit log included.
    Auditor,
}

impl Role {
    /// All roles.
    pub const ALL: [Role; 4] = [Role::Viewer, Role::Engineer, Role::Admin, Role::Auditor];

    /// Returns the stored word.
    pub fn word(self) -> &'static str {
        match self {
            Role::Viewer => "viewer",
            Role::Engineer => "engineer",
            Role::Admin => "admin",
            Role::Auditor => "auditor",
        }
    }

    /// Returns the name for people.
    pub fn title(self) -> &'static str {
        match self {
            Role::Viewer => "Viewer",
            Role::Engineer => "Engineer",
            Role::Admin => "Administrator",
            Role::Auditor => "Auditor",
        }
    }

    /// Returns the rights in words.
    pub fn rights(self) -> &'static str {
        match self {
            Role::Viewer => "reads programs and results",
            Role::Engineer => "reads, uploads, runs, cancels",
            Role::Admin => "does everything, manages users, reads the audit log",
            Role::Auditor => "reads programs, results and the audit log",
        }
    }

    /// Returns the role of a stored word.
    pub fn from_word(word: &str) -> Option<Role> {
        Role::ALL.into_iter().find(|role| role.word() == word)
    }
}

/// A user without the password.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct User {
    /// Number in the database; never used again.
    pub id: i64,
    /// Name for log-in; upper and lower case are the same.
    pub name: String,
    /// Role.
    pub role: Role,
    /// Locked out.
    pub disabled: bool,
}

/// Result of a change of users.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UserChange {
    /// Done.
    Done,
    /// There is no such user.
    Missing,
    /// The last administrator would be gone.
    LastAdmin,
}

/// Columns that [`user`] reads.
pub(super) const COLUMNS: &str = "users.id, users.name, users.role, users.disabled";

/// Reads a user from the first columns of a row.
pub(super) fn user(row: &Row<'_>) -> rusqlite::Result<User> {
    let word: String = row.get(2)?;
    let role = Role::from_word(&word).ok_or_else(|| {
        rusqlite::Error::FromSqlConversionFailure(2, rusqlite::types::Type::Text, format!("role {word}").into())
    })?;
    Ok(User { id: row.get(0)?, name: row.get(1)?, role, disabled: row.get(3)? })
}

impl Store {
    /// Adds a user. Returns false if the name is taken.
    pub async fn add_user(&self, name: String, password_hash: String, role: Role, now_ms: i64) -> Result<bool, StoreError> {
        self.call(move |c| {
            let sql =
                "INSERT INTO users (name, password, role, created_ms) VALUES (?1, ?2, ?3, ?4) ON CONFLICT (name) DO NOTHING";
            Ok(c.execute(sql, params![name, password_hash, role.word(), now_ms])? == 1)
        })
        .await
    }

    /// Adds the first user, an administrator. Returns false if there is a user already.
    pub async fn add_first_admin(&self, name: String, password_hash: String, now_ms: i64) -> Result<bool, StoreError> {
        self.call(move |c| {
            let sql = "INSERT INTO users (name, password, role, created_ms) \
                SELECT ?1, ?2, 'admin', ?3 WHERE NOT EXISTS (SELECT 1 FROM users)";
            Ok(c.execute(sql, params![name, password_hash, now_ms])? == 1)
        })
        .await
    }

    /// Returns true if there is a user.
    pub async fn has_users(&self) -> Result<bool, StoreError> {
        self.read(|c| Ok(c.query_row("SELECT EXISTS (SELECT 1 FROM users)", [], |r| r.get(0))?)).await
    }

    /// Returns all users by name.
    pub async fn users(&self) -> Result<Vec<User>, StoreError> {
        self.read(|c| {
            let mut statement = c.prepare(&format!("SELECT {COLUMNS} FROM users ORDER BY name"))?;
            let rows = statement.query_map([], user)?;
            Ok(rows.collect::<Result<_, _>>()?)
        })
        .await
    }

    /// Returns a user and the hash of the password, for log-in.
    pub async fn user_with_password(&self, name: &str) -> Result<Option<(User, String)>, StoreError> {
        let name = name.to_string();
        self.read(move |c| {
            let sql = format!("SELECT {COLUMNS}, password FROM users WHERE name = ?1");
            Ok(c.query_row(&sql, [name], |r| Ok((user(r)?, r.get(4)?))).optional()?)
        })
        .await
    }

    /// Returns the user of that number.
    pub async fn user(&self, id: i64) -> Result<Option<User>, StoreError> {
        let sql = format!("SELECT {COLUMNS} FROM users WHERE id = ?1");
        self.read(move |c| Ok(c.query_row(&sql, [id], user).optional()?)).await
    }

    /// Sets a password and ends all sessions of the user.
    pub async fn set_password(&self, id: i64, password_hash: String) -> Result<UserChange, StoreError> {
        self.call(move |c| {
            let change = c.transaction()?;
            if change.execute("UPDATE users SET password = ?2 WHERE id = ?1", params![id, password_hash])? == 0 {
                return Ok(UserChange::Missing);
            }
            change.execute("DELETE FROM sessions WHERE user = ?1", [id])?;
            change.commit()?;
            Ok(UserChange::Done)
        })
        .await
    }

    /// Sets the role of a user and whether it is disabled. A disabled user loses sessions, tokens and code.
    pub async fn set_user(&self, id: i64, role: Role, disabled: bool) -> Result<UserChange, StoreError> {
        self.call(move |c| {
            let change = c.transaction()?;
            if change.execute("UPDATE users SET role = ?2, disabled = ?3 WHERE id = ?1", params![id, role.word(), disabled])? == 0
            {
                return Ok(UserChange::Missing);
            }
            if !has_admin(&change)? {
                // The transaction is rolled back.
                return Ok(UserChange::LastAdmin);
            }
            if disabled {
                change.execute("DELETE FROM sessions WHERE user = ?1", [id])?;
                change.execute("DELETE FROM tokens WHERE user = ?1", [id])?;
                change.execute("DELETE FROM codes WHERE user = ?1", [id])?;
            }
            change.commit()?;
            Ok(UserChange::Done)
        })
        .await
    }
}

fn has_admin(connection: &Connection) -> Result<bool, StoreError> {
    let sql = "SELECT EXISTS (SELECT 1 FROM users WHERE role = 'admin' AND disabled = 0)";
    Ok(connection.query_row(sql, [], |r| r.get(0))?)
}
