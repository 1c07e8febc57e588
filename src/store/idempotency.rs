//! Requests that carry a key, so that a sender who heard no answer may send them again.
//!
//! **Invariant:** one request at a time has a key; an answer that is stored is never replaced.

use rusqlite::{OptionalExtension, params};

use super::{Store, StoreError};

/// Time for which an answer is kept.
const KEPT_MS: i64 = 24 * 3600 * 1000;

/// Answer to keep.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredAnswer {
    /// HTTP status.
    pub status: u16,
    /// JSON: pairs of names and values.
    pub headers: String,
    /// Text of the body.
    pub body: String,
}

/// State of a key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum KeyState {
    /// It was free, and belongs to this request now.
    Free,
    /// The same request was answered.
    Answered(StoredAnswer),
    /// The same request is at work.
    AtWork,
    /// Another request has it.
    Other,
}

impl Store {
    /// Takes a key for a request, given as the hash of its method, address and body.
    pub async fn take_key(&self, (owner, key): (String, String), request: String, now_ms: i64) -> Result<KeyState, StoreError> {
        self.call(move |c| {
            let tx = c.transaction()?;
            tx.execute("DELETE FROM idempotency WHERE at_ms < ?1", [now_ms - KEPT_MS])?;
            let query = "SELECT request, status, headers, body FROM idempotency WHERE owner = ?1 AND key = ?2";
            let found = tx.query_row(query, params![owner, key], |r| {
                let of: String = r.get(0)?;
                let status: Option<u16> = r.get(1)?;
                Ok((of, status, r.get::<_, Option<String>>(2)?, r.get::<_, Option<String>>(3)?))
            });
            let state = match found.optional()? {
                None => {
                    let new = "INSERT INTO idempotency (owner, key, request, at_ms) VALUES (?1, ?2, ?3, ?4)";
                    tx.execute(new, params![owner, key, request, now_ms])?;
                    KeyState::Free
                }
                Some((of, ..)) if of != request => KeyState::Other,
                Some((_, None, ..)) => KeyState::AtWork,
                Some((_, Some(status), headers, body)) => {
                    let (headers, body) = (headers.unwrap_or_default(), body.unwrap_or_default());
                    KeyState::Answered(StoredAnswer { status, headers, body })
                }
            };
            tx.commit()?;
            Ok(state)
        })
        .await
    }

    /// Keeps the answer of a key that is at work; without an answer the key is free again.
    pub async fn end_key(&self, (owner, key): (String, String), answer: Option<StoredAnswer>) -> Result<(), StoreError> {
        self.call(move |c| {
            match answer {
                Some(answer) => c.execute(
                    "UPDATE idempotency SET status = ?3, headers = ?4, body = ?5
                     WHERE owner = ?1 AND key = ?2 AND status IS NULL",
                    params![owner, key, answer.status, answer.headers, answer.body],
                )?,
                None => {
                    c.execute("DELETE FROM idempotency WHERE owner = ?1 AND key = ?2 AND status IS NULL", params![owner, key])?
                }
            };
            Ok(())
        })
        .await
    }

    /// Frees the keys of requests that were at work when the service ended.
    pub async fn free_keys(&self) -> Result<(), StoreError> {
        self.call(|c| {
            c.execute("DELETE FROM idempotency WHERE status IS NULL", [])?;
            Ok(())
        })
        .await
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_key_has_one_request_and_one_answer() {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::open(dir.path()).unwrap();
        let take = async |owner: &str, request: &str, now_ms: i64| {
            store.take_key((owner.to_owned(), "k".to_owned()), request.to_owned(), now_ms).await.unwrap()
        };
        let end = async |answer: Option<StoredAnswer>| store.end_key(("anna".into(), "k".into()), answer).await.unwrap();
        let answer = StoredAnswer { status: 202, headers: "[]".into(), body: "{}".into() };
        assert_eq!(take("anna", "a", 1).await, KeyState::Free);
        assert_eq!([take("anna", "a", 2).await, take("anna", "b", 2).await], [KeyState::AtWork, KeyState::Other]);
        // Keys of other owners have nothing to do with it.
        assert_eq!(take("bert", "b", 2).await, KeyState::Free);
        end(None).await;
        assert_eq!(take("anna", "b", 3).await, KeyState::Free);
        end(Some(answer.clone())).await;
        end(Some(StoredAnswer { status: 500, ..answer.clone() })).await;
        store.free_keys().await.unwrap();
        assert_eq!([take("anna", "b", 4).await, take("anna", "c", 4).await], [KeyState::Answered(answer), KeyState::Other]);
        assert_eq!(take("bert", "c", 4).await, KeyState::Free, "its service ended");
        assert_eq!(take("anna", "c", 4 + KEPT_MS).await, KeyState::Free, "a day later");
    }
}
