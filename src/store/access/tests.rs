//! Users, sessions and tokens, with a clock of the test.

use super::sessions::{IDLE_MS, LIFE_MS};
use super::tokens::{NewToken, Scope};
use super::users::{Role, User, UserChange};
use crate::store::Store;

const NOW: i64 = 1_800_000_000_000;

async fn store() -> (tempfile::TempDir, Store, User, User) {
    let dir = tempfile::tempdir().unwrap();
    let store = Store::open(dir.path()).unwrap();
    assert!(!store.has_users().await.unwrap());
    assert!(store.add_first_admin("anna".into(), "hash-a".into(), NOW).await.unwrap());
    assert!(!store.add_first_admin("eve".into(), "hash-e".into(), NOW).await.unwrap());
    assert!(store.add_user("bert".into(), "hash-b".into(), Role::Engineer, NOW).await.unwrap());
    // Two names that people would confuse are one.
    assert!(!store.add_user("Bert".into(), "hash-c".into(), Role::Admin, NOW).await.unwrap());
    let mut users = store.users().await.unwrap().into_iter();
    let (anna, bert) = (users.next().unwrap(), users.next().unwrap());
    assert_eq!((anna.name.as_str(), anna.role, bert.name.as_str(), bert.role), ("anna", Role::Admin, "bert", Role::Engineer));
    (dir, store, anna, bert)
}

#[tokio::test]
async fn sessions_end_when_idle_and_in_any_case() {
    let (_dir, store, _, bert) = store().await;
    store.add_session("id", bert.id, NOW).await.unwrap();
    let at = async |ms: i64| store.session_user("id", NOW + ms, true).await.unwrap().is_some();
    assert!(at(IDLE_MS - 1).await);
    assert!(at(2 * IDLE_MS - 2).await);
    assert!(!at(3 * IDLE_MS - 2).await, "idle");
    assert!(store.session_user("other", NOW, true).await.unwrap().is_none());
    store.add_session("long", bert.id, NOW).await.unwrap();
    for ms in (0..LIFE_MS).step_by(IDLE_MS as usize / 2) {
        assert!(store.session_user("long", NOW + ms, true).await.unwrap().is_some(), "{ms}");
    }
    assert!(store.session_user("long", NOW + LIFE_MS, true).await.unwrap().is_none());
}

#[tokio::test]
async fn a_clock_that_is_stepped_back_makes_no_session_older_than_it_may_be() {
    let (_dir, store, _, bert) = store().await;
    store.add_session("id", bert.id, NOW).await.unwrap();
    let at = async |ms: i64| store.session_user("id", NOW + ms, true).await.unwrap().is_some();
    assert!(at(-IDLE_MS).await, "a small correction of the clock");
    assert!(!at(-IDLE_MS - 1).await);
    assert!(!at(-10 * LIFE_MS).await);
}

#[tokio::test]
async fn a_look_that_is_no_request_keeps_no_session_alive() {
    let (_dir, store, _, bert) = store().await;
    store.add_session("id", bert.id, NOW).await.unwrap();
    assert!(store.session_user("id", NOW + IDLE_MS - 1, false).await.unwrap().is_some());
    assert!(store.session_user("id", NOW + IDLE_MS, false).await.unwrap().is_none());
}

#[tokio::test]
async fn a_live_session_has_the_role_of_today_and_ends_with_its_user() {
    let (_dir, store, anna, bert) = store().await;
    store.add_session("id", bert.id, NOW).await.unwrap();
    assert_eq!(store.set_user(bert.id, Role::Viewer, false).await.unwrap(), UserChange::Done);
    assert_eq!(store.session_user("id", NOW, true).await.unwrap().unwrap().role, Role::Viewer);
    assert_eq!(store.set_user(bert.id, Role::Viewer, true).await.unwrap(), UserChange::Done);
    assert!(store.session_user("id", NOW, true).await.unwrap().is_none());
    assert_eq!(store.set_user(bert.id, Role::Viewer, false).await.unwrap(), UserChange::Done);
    assert!(store.session_user("id", NOW, true).await.unwrap().is_none(), "a session must not come back");
    // One user has to be able to add others.
    assert_eq!(store.set_user(anna.id, Role::Viewer, false).await.unwrap(), UserChange::LastAdmin);
    assert_eq!(store.set_user(anna.id, Role::Admin, true).await.unwrap(), UserChange::LastAdmin);
    assert_eq!(store.users().await.unwrap().first(), Some(&anna));
    assert_eq!(store.set_user(99, Role::Admin, false).await.unwrap(), UserChange::Missing);
}

#[tokio::test]
async fn a_new_password_ends_sessions_and_users_end_only_their_own() {
    let (_dir, store, anna, bert) = store().await;
    for id in ["one", "two"] {
        store.add_session(id, bert.id, NOW).await.unwrap();
    }
    let sessions = store.sessions(bert.id, NOW).await.unwrap();
    assert_eq!(sessions.len(), 2);
    assert!(!store.end_session(anna.id, super::secret_hash("one")).await.unwrap(), "of another user");
    assert!(store.end_session(bert.id, super::secret_hash("one")).await.unwrap());
    assert!(store.session_user("one", NOW, true).await.unwrap().is_none());
    assert_eq!(store.set_password(bert.id, "new".into()).await.unwrap(), UserChange::Done);
    assert!(store.session_user("two", NOW, true).await.unwrap().is_none());
    assert_eq!(store.user_with_password("BERT").await.unwrap().unwrap().1, "new");
}

#[tokio::test]
async fn tokens_expire_are_revoked_and_end_with_their_user() {
    let (_dir, store, anna, bert) = store().await;
    let token = |id: &str| NewToken {
        id: id.into(),
        secret: "secret".into(),
        user: bert.id,
        label: "ci".into(),
        scope: Scope::Run,
        expires_ms: NOW + 1000,
    };
    store.add_token(token("a"), NOW).await.unwrap();
    let user = async |id: &str, secret: &str, ms: i64| store.token_user(id, secret, NOW + ms).await.unwrap();
    assert_eq!(user("a", "secret", 999).await, Some((bert.clone(), Scope::Run)));
    assert_eq!(user("a", "secret", 1000).await, None);
    assert_eq!(user("a", "other", 0).await, None);
    assert_eq!(store.tokens(bert.id).await.unwrap()[0].used_ms, Some(NOW + 999));
    assert!(!store.end_token(anna.id, "a".into()).await.unwrap(), "of another user");
    assert!(store.end_token(bert.id, "a".into()).await.unwrap());
    assert_eq!(user("a", "secret", 0).await, None);
    store.add_token(token("b"), NOW).await.unwrap();
    store.set_user(bert.id, bert.role, true).await.unwrap();
    assert_eq!(user("b", "secret", 0).await, None);
}

#[tokio::test]
async fn secrets_are_not_in_the_database() {
    let (dir, store, _, bert) = store().await;
    store.add_session("session-in-clear", bert.id, NOW).await.unwrap();
    let token = NewToken {
        id: "a".into(),
        secret: "token-in-clear".into(),
        user: bert.id,
        label: String::new(),
        scope: Scope::Read,
        expires_ms: NOW + 1,
    };
    store.add_token(token, NOW).await.unwrap();
    let found: Vec<u8> =
        ["scanproof.db", "scanproof.db-wal"].iter().flat_map(|f| std::fs::read(dir.path().join(f)).unwrap()).collect();
    let holds = |text: &str| found.windows(text.len()).any(|part| part == text.as_bytes());
    assert!(holds(&super::secret_hash("session-in-clear")) && holds(&super::secret_hash("token-in-clear")));
    assert!(!holds("session-in-clear") && !holds("token-in-clear"));
}

#[tokio::test]
async fn a_code_works_once_for_its_user_and_in_its_time() {
    use super::codes::LIFE_MS;
    let (_dir, store, anna, bert) = store().await;
    assert_eq!(store.invite("BERT".into(), Role::Admin, "x", NOW).await.unwrap(), None, "the name is taken");
    let id = store.invite("cleo".into(), Role::Viewer, "code", NOW).await.unwrap().unwrap();
    let fits = async |name: &str, code: &str, ms: i64| store.code_user(name, code, NOW + ms).await.unwrap().is_some();
    assert!(fits("Cleo", "code", LIFE_MS - 1).await);
    assert!(!fits("cleo", "code", LIFE_MS).await, "late");
    assert!(!fits("cleo", "other", 0).await);
    assert!(!fits("bert", "code", 0).await, "of another user");
    assert_eq!(store.use_code("cleo", "code", "hash-c".into(), NOW).await.unwrap().unwrap().id, id);
    assert_eq!(store.use_code("cleo", "code", "hash-d".into(), NOW).await.unwrap(), None, "used");
    assert_eq!(store.user_with_password("cleo").await.unwrap().unwrap().1, "hash-c");
    // A new code ends the password and the sessions; a newer one ends the code.
    store.add_session("id", bert.id, NOW).await.unwrap();
    assert_eq!(store.renew_code(bert.id, "one", NOW).await.unwrap(), UserChange::Done);
    assert!(store.session_user("id", NOW, true).await.unwrap().is_none());
    assert_ne!(store.user_with_password("bert").await.unwrap().unwrap().1, "hash-b");
    assert_eq!(store.renew_code(bert.id, "two", NOW).await.unwrap(), UserChange::Done);
    assert!(!fits("bert", "one", 0).await && fits("bert", "two", 0).await);
    // A user that is switched off loses the code for good.
    store.set_user(bert.id, bert.role, true).await.unwrap();
    assert!(!fits("bert", "two", 0).await);
    store.set_user(bert.id, bert.role, false).await.unwrap();
    assert!(!fits("bert", "two", 0).await);
    assert_eq!(store.renew_code(99, "x", NOW).await.unwrap(), UserChange::Missing);
    let listed = store.listed_users().await.unwrap();
    assert_eq!(listed.iter().map(|row| row.user.name.as_str()).collect::<Vec<_>>(), ["anna", "bert", "cleo"]);
    assert_eq!(listed[0].user, anna);
    assert!(listed.iter().all(|row| row.code_expires_ms.is_none()));
}
