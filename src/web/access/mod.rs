//! Access: who asks, and whether that user may.
//!
//! In reading order: [`policy`]: the table of all addresses. [`guard`]: the layer that keeps it. [`cookie`]: the session id of a
//! browser. [`address`]: the client's. [`first_start`]: the set-up code. [`password`]: hashes and rules. [`guesses`]: limits of log-ins.
//! [`accounts`]: changes of users and tokens, for pages and API. [`trail`]: the row of the audit log about a request.
//!
//! **Invariant:** an address without a row is refused. The role of a request is that of its user at this moment.

pub(super) mod accounts;
pub(super) mod address;
pub(super) mod cookie;
pub(super) mod first_start;
pub(super) mod guard;
pub(super) mod guesses;
mod looks;
pub mod password;
pub(super) mod policy;
pub(super) mod trail;

use std::convert::Infallible;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{LazyLock, Mutex, PoisonError};
use std::time::Instant;

use axum::extract::FromRequestParts;
use axum::http::request::Parts;

use crate::store::access::users::Role;
use crate::store::audit::chain::Act;
use guesses::Guesses;

/// Access to the service.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Access {
    /// Every request may read and run; there are no users.
    #[default]
    Demo,
    /// Users log in, programs have tokens.
    Accounts,
}

tokio::task_local! {
    /// User whose request this task answers.
    pub(super) static USER: CurrentUser;
    /// Owner of jobs and uploads of the request that this task answers.
    pub(super) static OWNER: String;
}

/// Returns the owner of jobs and uploads of this request: the user, or the address where there are no accounts.
pub(crate) fn owner() -> String {
    OWNER.try_with(Clone::clone).unwrap_or_default()
}

/// Returns the user who sees the page that is being made; `None` without accounts.
pub(crate) fn user() -> Option<CurrentUser> {
    USER.try_with(Clone::clone).ok()
}

/// Returns whether the page that is being made may offer what only engineers do: upload, run, change, delete.
pub(crate) fn may_run() -> bool {
    user().is_none_or(|user| policy::allows(user.role, None, policy::Permission::Run))
}

/// Returns work that goes on for the user and the owner of this request in a task of its own.
pub(super) fn carried<F: Future>(work: F) -> impl Future<Output = F::Output> {
    let (owner, user) = (owner(), user());
    async move {
        let work = OWNER.scope(owner, work);
        match user {
            Some(user) => USER.scope(user, work).await,
            None => work.await,
        }
    }
}

/// Makes a page that this user will see.
pub(super) fn seen_by<T>(user: Option<CurrentUser>, make: impl FnOnce() -> T) -> T {
    match user {
        Some(user) => USER.sync_scope(user, make),
        None => make(),
    }
}

/// User of a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CurrentUser {
    /// Number in the database; `None` without accounts.
    pub(crate) id: Option<i64>,
    /// Name.
    pub(crate) name: String,
    /// Role.
    pub(crate) role: Role,
}

impl CurrentUser {
    /// Returns whether this user adds and changes users.
    pub(crate) fn manages(&self) -> bool {
        policy::allows(self.role, None, policy::Permission::Manage)
    }

    /// Returns whether this user reads the audit log.
    pub(crate) fn audits(&self) -> bool {
        policy::allows(self.role, None, policy::Permission::Audit)
    }

    /// Returns the owner whose things this user may stop and delete; `None` for those of all.
    pub(crate) fn governs(&self) -> Option<String> {
        policy::governed(self)
    }

    /// Returns the number of this user.
    pub(crate) fn number(&self) -> Result<i64, super::error::WebError> {
        self.id.ok_or(super::error::WebError::NoAccounts)
    }

    /// Returns the user of requests without accounts.
    fn demo() -> CurrentUser {
        CurrentUser { id: None, name: "demo".into(), role: Role::Engineer }
    }
}

impl<S: Send + Sync> FromRequestParts<S> for CurrentUser {
    type Rejection = Infallible;

    /// Returns the user that the guard found; a request that reached no guard has the fewest rights.
    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<CurrentUser, Infallible> {
        let none = || CurrentUser { id: None, name: "unknown".into(), role: Role::Viewer };
        Ok(parts.extensions.get::<CurrentUser>().cloned().unwrap_or_else(none))
    }
}

/// State of access that all requests share.
#[derive(Debug, Default)]
pub(crate) struct AccessState {
    /// Failed log-ins.
    guesses: Mutex<Guesses>,
    /// Sources that users have looked at, with the time of the row in the audit log.
    looks: Mutex<looks::Looks>,
    /// Code of the first start.
    setup_code: Mutex<Option<String>>,
    is_set_up: AtomicBool,
}

impl AccessState {
    /// Returns true once a user was seen; users are never removed.
    pub(super) fn is_set_up(&self) -> bool {
        self.is_set_up.load(Ordering::Relaxed)
    }

    /// Takes note of the first user: the code is used up.
    pub(super) fn set_up(&self) {
        self.is_set_up.store(true, Ordering::Relaxed);
        *self.setup_code.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }

    /// Sets the code of the first start.
    pub(super) fn set_code(&self, code: String) {
        *self.setup_code.lock().unwrap_or_else(PoisonError::into_inner) = Some(code);
    }

    /// Returns whether a user looks at sources for the first time within an hour.
    pub(super) fn is_first_look(&self, act: &Act) -> bool {
        let key = format!("{}\n{}\n{}\n{}\n{}", act.who, act.via, act.address, act.action, act.object);
        self.looks.lock().unwrap_or_else(PoisonError::into_inner).is_first(key, monotonic_ms())
    }

    /// Counts a try for these keys. Returns the seconds to wait if there were too many.
    pub(super) fn begin_guess(&self, keys: &[String]) -> Result<(), u64> {
        self.guesses.lock().unwrap_or_else(PoisonError::into_inner).begin(keys, monotonic_ms())
    }

    /// Takes note of a log-in: forgets the tries of the account, and this one of the other keys.
    pub(super) fn end_guess(&self, account: &str, others: &[String]) {
        self.guesses.lock().unwrap_or_else(PoisonError::into_inner).succeed(account, others);
    }

    /// Returns whether this is the code of the first start.
    pub(super) fn is_code(&self, code: &str) -> bool {
        use crate::store::access::secret_hash;
        let expected = self.setup_code.lock().unwrap_or_else(PoisonError::into_inner);
        // Hashes are compared: the time says nothing about the code.
        expected.as_ref().is_some_and(|expected| secret_hash(expected) == secret_hash(code.trim()))
    }
}

/// Returns milliseconds of this process: waits do not depend on steps of the clock.
fn monotonic_ms() -> i64 {
    static STARTED: LazyLock<Instant> = LazyLock::new(Instant::now);
    STARTED.elapsed().as_millis() as i64
}

/// Returns 256 random bits as text.
pub(crate) fn random_id() -> Result<String, super::error::WebError> {
    let mut bytes = [0u8; 32];
    getrandom::fill(&mut bytes).map_err(|e| super::error::WebError::Internal(format!("no random numbers: {e}")))?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}
