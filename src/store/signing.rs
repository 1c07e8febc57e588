//! The private key that signs reports, in the database, so that a restored service signs with the same one.

use rusqlite::params;

use super::{Store, StoreError};

impl Store {
    /// Returns the seed of the Ed25519 key of this service, and makes it at the first use.
    ///
    /// Errors: a key of another length is never replaced: reports that it signed would count as changed.
    pub async fn signing_seed(&self) -> Result<[u8; 32], StoreError> {
        let mut fresh = [0; 32];
        getrandom::fill(&mut fresh).map_err(|e| StoreError::Corrupt(format!("there are no random numbers: {e}")))?;
        self.call(move |c| {
            c.execute("INSERT OR IGNORE INTO signing_key (only, seed) VALUES (1, ?1)", params![fresh.as_slice()])?;
            let kept: Vec<u8> = c.query_row("SELECT seed FROM signing_key", [], |row| row.get(0))?;
            let length = kept.len();
            kept.try_into().map_err(|_| StoreError::Corrupt(format!("the key of signatures has {length} bytes instead of 32")))
        })
        .await
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn the_key_is_made_once_and_never_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(folder.path()).unwrap();
        let (one, other) = tokio::join!(store.signing_seed(), store.signing_seed());
        let seed = one.unwrap();
        assert_eq!(seed, other.unwrap());
        store.call(|c| Ok(c.execute("UPDATE signing_key SET seed = x'00'", [])?)).await.unwrap();
        assert!(matches!(store.signing_seed().await, Err(StoreError::Corrupt(_))));
    }
}
