//! Users who log in by OpenID Connect: subject of an issuer, and the user here.
//!
//! **Invariant:** a name that another user has is never taken over. A user without a role at the issuer owns no session and no token.

use rusqlite::{Connection, OptionalExtension, params};

use super::codes::NO_PASSWORD;
use super::users::{COLUMNS, Role, User, user};
use crate::store::{Store, StoreError};

/// A person as the issuer of a token names them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Identity {
    /// Address of the issuer.
    pub issuer: String,
    /// Subject: never used again by the issuer.
    pub subject: String,
}

/// Result of a log-in by OpenID Connect.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Admission {
    /// The user is known; the role before this log-in.
    Known(User, Role),
    /// The user was added.
    Added(User),
    /// The user is switched off here.
    Disabled(User),
    /// No role is meant for this person; the user, if there is one.
    NoRole(Option<User>),
    /// Another user has the name.
    NameTaken,
    /// The first user of all has to be an administrator.
    FirstIsNoAdmin,
}

impl Store {
    /// Admits a person with the role that the issuer gives. A name counts at the first log-in only.
    pub async fn admit(&self, who: Identity, name: String, role: Option<Role>, now_ms: i64) -> Result<Admission, StoreError> {
        self.call(move |c| {
            let change = c.transaction()?;
            let admission = match (known(&change, &who)?, role) {
                (Some(user), _) if user.disabled => Admission::Disabled(user),
                (Some(user), None) => {
                    change.execute("DELETE FROM sessions WHERE user = ?1", [user.id])?;
                    change.execute("DELETE FROM tokens WHERE user = ?1", [user.id])?;
                    Admission::NoRole(Some(user))
                }
                (Some(user), Some(role)) => {
                    // Even the last administrator: the issuer decides who is one.
                    change.execute("UPDATE users SET role = ?2 WHERE id = ?1", params![user.id, role.word()])?;
                    let before = user.role;
                    Admission::Known(User { role, ..user }, before)
                }
                (None, None) => Admission::NoRole(None),
                (None, Some(role)) => add(&change, &who, name, role, now_ms)?,
            };
            change.commit()?;
            Ok(admission)
        })
        .await
    }

    /// Returns whether a user logs in by OpenID Connect.
    pub async fn is_external(&self, user: i64) -> Result<bool, StoreError> {
        let sql = "SELECT EXISTS (SELECT 1 FROM identities WHERE user = ?1)";
        self.read(move |c| Ok(c.query_row(sql, [user], |r| r.get(0))?)).await
    }
}

fn known(c: &Connection, who: &Identity) -> Result<Option<User>, StoreError> {
    let sql =
        format!("SELECT {COLUMNS} FROM identities JOIN users ON users.id = identities.user WHERE issuer = ?1 AND subject = ?2");
    Ok(c.query_row(&sql, params![who.issuer, who.subject], user).optional()?)
}

fn add(c: &Connection, who: &Identity, name: String, role: Role, now_ms: i64) -> Result<Admission, StoreError> {
    let has_users: bool = c.query_row("SELECT EXISTS (SELECT 1 FROM users)", [], |r| r.get(0))?;
    if !has_users && role != Role::Admin {
        return Ok(Admission::FirstIsNoAdmin);
    }
    let sql = "INSERT INTO users (name, password, role, created_ms) VALUES (?1, ?2, ?3, ?4) \
        ON CONFLICT (name) DO NOTHING RETURNING id";
    let values = params![name, NO_PASSWORD, role.word(), now_ms];
    let Some(id) = c.query_row(sql, values, |r| r.get(0)).optional()? else { return Ok(Admission::NameTaken) };
    let sql = "INSERT INTO identities (issuer, subject, user) VALUES (?1, ?2, ?3)";
    c.execute(sql, params![who.issuer, who.subject, id])?;
    Ok(Admission::Added(User { id, name, role, disabled: false }))
}
