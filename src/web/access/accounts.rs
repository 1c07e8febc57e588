//! Changes of users and tokens: the rules that pages and API share.

use plc_frontend::text::unseen::is_unseen;

use super::{CurrentUser, password, random_id};
use crate::store::access::codes::LIFE_MS;
use crate::store::access::tokens::{NewToken, Scope};
use crate::store::access::users::{Role, User, UserChange};
use crate::store::now_ms;
use crate::web::error::WebError;
use crate::web::state::AppState;

/// Most characters of the label of a token.
pub(crate) const MOST_LABEL_CHARS: usize = 100;
/// Longest life of a token in days.
pub(crate) const MOST_DAYS: u32 = 366;
/// Most tokens of a user.
const MOST_TOKENS: usize = 50;

/// A one-time code in clear: shown once.
#[derive(Clone, Debug)]
pub(crate) struct Code {
    /// Characters to type.
    pub(crate) text: String,
    /// End of its life.
    pub(crate) expires_ms: i64,
}

/// Returns a fresh code: 100 bits, short enough to type.
pub(super) fn code() -> Result<Code, WebError> {
    Ok(Code { text: random_id()?.chars().take(25).collect(), expires_ms: now_ms() + LIFE_MS })
}

/// Returns the stored form of a password.
pub(crate) async fn hashed(password: String) -> Result<String, WebError> {
    let hash = tokio::task::spawn_blocking(move || password::hash(&password)).await;
    hash.map_err(|e| WebError::Internal(e.to_string()))?.map_err(WebError::Internal)
}

/// Returns whether a password fits a stored hash.
pub(crate) async fn fits(password: String, stored: Option<String>) -> Result<bool, WebError> {
    let fits = tokio::task::spawn_blocking(move || password::fits(&password, stored.as_deref())).await;
    fits.map_err(|e| WebError::Internal(e.to_string()))
}

/// Returns the user of a number in an address.
pub(crate) async fn find(state: &AppState, id: &str) -> Result<User, WebError> {
    let found = match id.parse() {
        Ok(number) => state.store.user(number).await?,
        Err(_) => None,
    };
    found.ok_or_else(|| WebError::NotFound(format!("user {id}")))
}

/// Adds a user, who chooses a password with the code that is returned.
pub(crate) async fn add(state: &AppState, name: &str, role: Role) -> Result<(User, Code), WebError> {
    let name = name.trim();
    if let Some(oidc) = state.config.only_way() {
        return Err(WebError::UserConflict(format!("Users come from {}; passwords are switched off.", oidc.title())));
    }
    if let Some(problem) = password::name_problem(name) {
        return Err(WebError::User(problem));
    }
    let code = code()?;
    let Some(id) = state.store.invite(name.into(), role, &code.text, now_ms()).await? else {
        return Err(WebError::UserConflict(format!("The name {name} is taken.")));
    };
    Ok((User { id, name: name.into(), role, disabled: false }, code))
}

/// Changes the role of a user, or whether the user is disabled. What is absent stays.
pub(crate) async fn change(state: &AppState, id: &str, role: Option<Role>, disabled: Option<bool>) -> Result<User, WebError> {
    let user = find(state, id).await?;
    let (role, disabled) = (role.unwrap_or(user.role), disabled.unwrap_or(user.disabled));
    match state.store.set_user(user.id, role, disabled).await? {
        UserChange::Done => Ok(User { role, disabled, ..user }),
        UserChange::Missing => Err(WebError::NotFound(format!("user {id}"))),
        UserChange::LastAdmin => {
            Err(WebError::UserConflict(format!("{} is the last administrator. Give the role to another user first.", user.name)))
        }
    }
}

/// Gives another user a new code: the password fits no more, and all sessions of the user end.
pub(crate) async fn renew_code(state: &AppState, actor: &CurrentUser, id: &str) -> Result<(User, Code), WebError> {
    let user = find(state, id).await?;
    if actor.id == Some(user.id) {
        return Err(WebError::UserConflict(
            "A code is for other users. Change your own password on the page of your account.".into(),
        ));
    }
    if user.disabled {
        return Err(WebError::UserConflict(format!("{} is switched off. Switch the user on first.", user.name)));
    }
    if state.config.only_way().is_some() || state.store.is_external(user.id).await? {
        return Err(WebError::UserConflict(format!("{} logs in without a password: there is no code.", user.name)));
    }
    let code = code()?;
    match state.store.renew_code(user.id, &code.text, now_ms()).await? {
        UserChange::Done => Ok((user, code)),
        UserChange::Missing | UserChange::LastAdmin => Err(WebError::NotFound(format!("user {id}"))),
    }
}

/// Returns the words of the audit log about a user.
pub(crate) fn words(user: &User) -> String {
    format!("user {}, {}{}", user.name, user.role.word(), if user.disabled { ", switched off" } else { "" })
}

/// A token that was made: its text is shown once.
#[derive(Clone, Debug)]
pub(crate) struct MadeToken {
    /// Public part.
    pub(crate) id: String,
    /// Text that programs send.
    pub(crate) text: String,
    /// End of its life.
    pub(crate) expires_ms: i64,
}

/// Makes a token for the user of a session.
pub(crate) async fn make_token(
    state: &AppState,
    user: &CurrentUser,
    label: &str,
    scope: Scope,
    days: u32,
) -> Result<MadeToken, WebError> {
    let label = label.trim();
    let is_plain = !label.is_empty() && label.chars().count() <= MOST_LABEL_CHARS && !label.chars().any(is_unseen);
    if !is_plain {
        return Err(WebError::User(format!("The purpose of a token has 1 to {MOST_LABEL_CHARS} characters, in one line.")));
    }
    if !(1..=MOST_DAYS).contains(&days) {
        return Err(WebError::User(format!("A token lives 1 to {MOST_DAYS} days.")));
    }
    let owner = user.number()?;
    if MOST_TOKENS <= state.store.tokens(owner).await?.len() {
        return Err(WebError::UserConflict(format!("You have {MOST_TOKENS} tokens already. Revoke one that is not used.")));
    }
    let (id, secret): (String, String) = (random_id()?.chars().take(16).collect(), random_id()?);
    let expires_ms = now_ms() + i64::from(days) * 86_400_000;
    let made = MadeToken { text: format!("sp_{id}_{secret}"), id: id.clone(), expires_ms };
    state.store.add_token(NewToken { id, secret, user: owner, label: label.into(), scope, expires_ms }, now_ms()).await?;
    Ok(made)
}
